/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/listen.h"

#include <linux/filter.h>
#include <net/ethernet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/stop.h"
#include "measurer/hearing.h"

#define SHOWN_SIZE     160
#define TYPE_LLDP      0x88cc
#define RESERVED_GROUP 0x0180c200 /* the first four octets of 802.1D's addresses */
#define CISCO_GROUP    0x01000ccc /* first four octets of the addresses of PVST+ and CDP */
#define CODE_MOST      (14 + 5 * MLR_PORTS_MAX)

static bool has_listened; /* This process has listened. */

/* --- whose frames they are ------------------------------------------------------------------------------------------ */

static const char *type_name(uint16_t type)
{
	switch (type) {
	case ETHERTYPE_IP:
		return "IPv4, ";
	case ETHERTYPE_IPV6:
		return "IPv6, ";
	case 0x8100:
	case 0x88a8:
		return "VLAN, ";
	default:
		return "";
	}
}

/* Write ", the first (IPv4, EtherType 0x0800) from ... to ...", or nothing. */
static const char *describe_first(const struct heard *heard, char shown[SHOWN_SIZE])
{
	shown[0] = '\0';
	if (heard->foreign)
		snprintf(shown, SHOWN_SIZE, ", the first (%sEtherType 0x%04x) from %s to %s", type_name(heard->foreign_type),
			 heard->foreign_field, mac_text(heard->foreign_from, ROOM(MAC_TEXT_SIZE)),
			 mac_text(heard->foreign_to, ROOM(MAC_TEXT_SIZE)));
	return shown;
}

static void add_remedy(const struct own_program *program, const char *port, char buffer[LISTEN_TEXT_SIZE])
{
	if (program->process)
		text_add(buffer, LISTEN_TEXT_SIZE, "; '%s' ends that",
			 own_program_remedy(program, port, ROOM(OWN_PROGRAM_REMEDY_SIZE)));
	else
		text_add(buffer, LISTEN_TEXT_SIZE,
			 "; end what does: where it is NetworkManager, by 'nmcli device set %s managed no'", port);
}

const char *listen_describe_own(const struct measurer_xdp *xdp, unsigned int port, char buffer[LISTEN_TEXT_SIZE])
{
	const struct heard *heard = &xdp->between.ports[port].heard;
	const struct own_program *program = &xdp->between.ports[heard->own_port].program;
	const char *by = xdp->ports[heard->own_port].link.name;

	snprintf(buffer, LISTEN_TEXT_SIZE, "this machine itself sends them by port %s%s", by,
		 heard->own_is_dhcp ? ", as a DHCP client" : "");
	if (program->process)
		text_add(buffer, LISTEN_TEXT_SIZE, " (%s, process %d)", *program->name ? program->name : "a program",
			 (int)program->process);
	add_remedy(program, by, buffer);
	return buffer;
}

/* --- judging -------------------------------------------------------------------------------------------------------- */

static enum exit_code judge(uint64_t start_ns, const struct measurer_xdp *xdp, unsigned int number)
{
	const struct heard *heard = &xdp->between.ports[number].heard;
	const char *port = xdp->ports[number].link.name, *unsafe_reason = xdp->config->unsafe_reason, *shown;
	double duration_s = clock_since_s(start_ns);
	struct rx_counters counters;
	unsigned long long foreign;

	rx_snapshot(xdp->ends[number].rx, &counters);
	foreign = counters.foreign;
	if (!foreign)
		return EXIT_DONE;
	shown = describe_first(heard, ROOM(SHOWN_SIZE));
	if (heard->own && !heard->foreign && !unsafe_reason)
		return refuse(
			EXIT_UNSAFE,
			"port %s: foreign traffic arrives there, %llu frames in %.1f s: %s, or say why the port may be "
			"used: --allow-unsafe=REASON",
			port, foreign, duration_s, listen_describe_own(xdp, number, ROOM(LISTEN_TEXT_SIZE)));
	if (!unsafe_reason)
		return refuse(EXIT_UNSAFE,
			      "port %s: foreign traffic arrives there, %llu frames in %.1f s (%.0f frames/s)%s; connect it "
			      "to the system under test only, or say why it may be used: --allow-unsafe=REASON",
			      port, foreign, duration_s, (double)foreign / duration_s, shown);
	warn("port %s: foreign traffic arrives there, %llu frames in %.1f s (%.0f frames/s)%s; allowed: %s", port, foreign,
	     duration_s, (double)foreign / duration_s, shown, unsafe_reason);
	return EXIT_DONE;
}

/* --- afterwards ----------------------------------------------------------------------------------------------------- */

#define TAKE BPF_STMT(BPF_RET | BPF_K, HEARD_OCTETS)

/* A test that takes the frame if it holds. */
#define TAKE_IF(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1), TAKE

static void take_less(const struct measurer_xdp *xdp, unsigned int port)
{
	static const struct sock_filter begin[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 12),
		TAKE_IF(TYPE_LLDP),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		TAKE_IF(CISCO_GROUP),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RESERVED_GROUP, 0, 3),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 4),
		TAKE_IF(0),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 12),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETHERTYPE_IP, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_filter code[CODE_MOST];
	struct sock_fprog filter = { .len = COUNT(begin), .filter = code };

	memcpy(code, begin, sizeof(begin));
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		const uint8_t *mac = xdp->ports[i].link.mac;
		const struct sock_filter from[] = {
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 6),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, mlr_get32(mac), 0, 3),
			BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 10),
			TAKE_IF(mlr_get16(mac + 4)),
		};

		memcpy(code + filter.len, from, sizeof(from));
		filter.len += COUNT(from);
	}
	code[filter.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	setsockopt(xdp->ports[port].listening_fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter));
}

enum exit_code listen_end(struct measurer_xdp *xdp)
{
	uint64_t start_ns = xdp->listening_since_ns;
	enum exit_code code = EXIT_DONE;

	if (!has_listened && stop_sleep_until(start_ns + LISTEN_MIN_NS))
		code = EXIT_INTERRUPTED;
	hear_ports(xdp);
	for (unsigned int i = 0; i < xdp->port_count && !code && !has_listened; i++)
		code = judge(start_ns, xdp, i);
	has_listened = true;
	for (unsigned int i = 0; i < xdp->port_count; i++)
		take_less(xdp, i);
	return code;
}
