/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/probe.h"
#include "base/json_read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/json_value.h"
#include "base/tx_cpu.h"
#include "port/port.h"
#include "probe/parts.h"

#define BPS_PER_MBPS 1e6

/* --- ports beside each other ---------------------------------------------------------------------------------------- */

static double link_bps(const json_t *port)
{
	return json_number_value(json_object_get(port, "link_bps")); /* 0: not known */
}

static const json_t *slowest_of(const json_t *ports)
{
	const json_t *slowest = NULL;

	json_each (port, ports)
		if (link_bps(port) > 0 && (!slowest || link_bps(port) < link_bps(slowest)))
			slowest = port;
	return slowest;
}

static void compare_speed(const json_t *port, const json_t *slowest)
{
	const char *name = json_string_value(json_object_get(port, "name")),
		   *other = json_string_value(json_object_get(slowest, "name"));
	json_t *checks = json_object_get(port, "checks");
	double slowest_mbps = link_bps(slowest) / BPS_PER_MBPS;

	if (link_bps(port) <= link_bps(slowest))
		OK(checks, "speeds", "no other port is slower");
	else
		probe_fix(WARN(checks, "speeds",
			       "%.0f Mbit/s here, %.0f Mbit/s on port %s: what this port sends beyond that is lost before "
			       "or after the SUT, and looks like the SUT's loss",
			       link_bps(port) / BPS_PER_MBPS, slowest_mbps, other),
			  "ethtool -s %s speed %.0f duplex full", name, slowest_mbps);
}

void probe_compare_speeds(json_t *ports)
{
	const json_t *slowest = slowest_of(ports);

	json_each (port, ports)
		if (link_bps(port) > 0)
			compare_speed(port, slowest);
}

/* --- which ports ---------------------------------------------------------------------------------------------------- */

/* The search through a dump of links: for ports that may be meant, or the nearest name to an unknown one. */
struct dump {
	struct link_info *links;
	size_t count;
};

static void collect(const struct link_info *link, void *context)
{
	struct dump *dump = context;
	struct link_info *links = reallocarray(dump->links, dump->count + 1, sizeof(*links));

	if (!links)
		return;
	dump->links = links;
	links[dump->count++] = *link;
}

/* Whether a link may be a port: hardware, or what a lab is made of. Links on other links, and their peers in loopback and
 * tunnels, are not. */
static bool may_be_meant(const struct link_info *link)
{
	return link->is_ethernet && (!*link->kind || is_one_of(link->kind, "veth macvlan tun netdevsim"));
}

static enum exit_code probe_all(struct mnl_socket *netlink, json_t *ports, cpu_set_t *ret_transmit)
{
	struct dump dump = { 0 };
	int error = netlink_each_link(netlink, collect, &dump);

	if (error)
		return refuse(EXIT_INCAPABLE, "cannot list the links: %s", why(-error));
	for (int i = 0; i < PORT_COUNT; i++)
		tx_cpu_take("", false, ret_transmit);
	for (size_t i = 0; i < dump.count; i++)
		if (may_be_meant(&dump.links[i]))
			json_array_append_new(ports, probe_port(netlink, &dump.links[i], false, ret_transmit));
	free(dump.links);
	return EXIT_DONE;
}

/* All names are resolved before the first port is tried. */
static enum exit_code probe_named(struct mnl_socket *netlink, const char *names, json_t *ports, cpu_set_t *ret_transmit)
{
	struct dump dump = { 0 };
	struct link_info link;
	enum exit_code code = EXIT_DONE;
	owned char *text = strdup(names);
	char *rest = text, *name;

	while (text && !code && (name = strsep(&rest, ","))) {
		code = port_find(netlink, name, &link);
		if (!code)
			collect(&link, &dump);
	}
	for (size_t i = 0; i < dump.count && !code; i++)
		tx_cpu_take(dump.links[i].name, false, ret_transmit);
	for (size_t i = 0; i < dump.count && !code; i++)
		json_array_append_new(ports, probe_port(netlink, &dump.links[i], true, ret_transmit));
	if (!code && dump.count > 1)
		probe_compare_speeds(ports);
	free(dump.links);
	return code;
}

/* --- the document --------------------------------------------------------------------------------------------------- */

static json_t *machine_checks(const cpu_set_t *transmit, const json_t *stalls)
{
	json_t *machine = probe_machine("");
	json_auto_t *cpus = probe_transmit_cpus("", transmit), *checks = probe_process();

	json_array_extend(machine, cpus);
	probe_say_stalls(machine, stalls);
	json_array_extend(machine, checks);
	return machine;
}

enum exit_code probe(const char *ports, json_t **ret_document)
{
	json_auto_t *list = json_array(), *stalls = NULL;
	json_t *document;
	struct mnl_socket *netlink;
	struct utsname system;
	enum exit_code code;
	cpu_set_t transmit;
	int error = netlink_open(&netlink);

	if (error)
		return refuse(EXIT_INCAPABLE, "cannot open a netlink socket: %s", why(-error));
	CPU_ZERO(&transmit);
	code = ports ? probe_named(netlink, ports, list, &transmit) : probe_all(netlink, list, &transmit);
	netlink_close(netlink);
	if (code)
		return code;
	uname(&system);
	stalls = probe_measure_stalls(&transmit);
	document = json_with("schema", "xdp-mlr/probe/1", "version", XDP_MLR_VERSION, "hostname", system.nodename, "kernel",
			     system.release, "machine", machine_checks(&transmit, stalls), "stalls", json_incref(stalls),
			     "ports", json_incref(list));
	json_put(document, "state", probe_state_name(probe_worst(document)));
	*ret_document = document;
	return EXIT_DONE;
}
