/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lab/lab.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>

#include "base/output.h"
#include "base/stop.h"
#include "lab/sut.h"
#include "mlr/imix.h"
#include "port/port.h"
#include "port/privileges.h"

#define ANY_FRAME_OCTETS 64 /* The tester chooses the frames, and finds an MTU that is too small for them. */

static enum exit_code check(const struct config *config, const struct sut_spec *sut)
{
	if (!sut_is_program(sut))
		return refuse(EXIT_USAGE_ERROR,
			      "--sut: given ports can be xdp, a policer or a stretch, not '%s'; 'lab up' makes the others",
			      sut->text);
	if (!*config->ports[PORT_A].name || config->port_count != PORT_COUNT)
		return refuse(EXIT_USAGE_ERROR, "--ports: give the SUT's two ports, for example -p eth1,eth2");
	return EXIT_DONE;
}

/* Whoever waits for the SUT reads this line. */
static enum exit_code announce(const struct config *config, const struct port *ports, const struct sut_spec *sut)
{
	const char *a = ports[PORT_A].link.name, *b = ports[PORT_B].link.name;
	char *text;
	int length;

	if (config->format != FORMAT_TEXT)
		return output_json(json_pack("{s:[s,s], s:s, s:s}", "ports", a, b, "sut", sut->text, "namespace", ""));
	length = asprintf(&text, "%s,%s are a SUT, %s, until this is interrupted\n", a, b, sut->text);
	return length < 0 ? output_text(NULL, 0) : output_text(text, (size_t)length);
}

static void wait_for_stop(void)
{
	struct pollfd stop = { .fd = stop_fd(), .events = POLLIN };

	while (poll(&stop, 1, -1) < 0 && errno == EINTR)
		;
}

static enum exit_code serve(const struct config *config, const struct sut_spec *sut, struct mnl_socket *netlink,
			    struct port *ports)
{
	const int ifindex[PORT_COUNT] = { ports[PORT_A].link.ifindex, ports[PORT_B].link.ifindex };
	struct sut_attachment *attachment;
	enum exit_code code = privileges_reduce(config) ?: sut_attach(sut, ifindex, &attachment);

	if (code)
		return code;
	code = ports_wait_for_carrier(netlink, ports, config->port_count);
	if (!code) {
		code = privileges_confine() ?: announce(config, ports, sut);
		if (!code)
			wait_for_stop();
	}
	ports_note_carrier(netlink, ports, config->port_count);
	sut_detach(attachment);
	return code;
}

enum exit_code lab_on(const struct config *config, const struct sut_spec *sut)
{
	struct config own = *config;
	struct port ports[MLR_PORTS_MAX] = { 0 };
	struct mnl_socket *netlink;
	enum exit_code code = check(config, sut);
	int error;

	if (code)
		return code;
	own.sizes = mlr_size_one(ANY_FRAME_OCTETS);
	error = netlink_open(&netlink);
	if (error)
		return refuse(EXIT_INCAPABLE, "lab: cannot open a netlink socket: %s", why(-error));
	code = ports_open(netlink, &own, ports);
	if (!code) {
		code = serve(config, sut, netlink, ports);
		ports_close(netlink, ports, PORT_COUNT);
	}
	netlink_close(netlink);
	return code;
}
