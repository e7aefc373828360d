/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/destinations.h"

#include <arpa/inet.h>

#include "base/clock.h"
#include "config/given.h"
#include "measurer/hearing.h"

#define RESOLVE_NS NS_PER_S
#define GIVEN_NS   (5 * NS_PER_S)  /* time to resolve a gateway that the user named */
#define AGAIN_NS   (NS_PER_S / 20) /* time to resolve it again before a trial */
#define SLICE_NS   (NS_PER_S / 4)

struct neighbour_port destinations_neighbour(const struct measurer_xdp *xdp, unsigned int port)
{
	const struct port_config *config = &xdp->config->ports[port];
	struct neighbour_port neighbour = {
		.ifindex = xdp->ports[port].link.ifindex,
		.name = xdp->ports[port].link.name,
		.is_silent = !xdp->ends[port].transmits,
		.ip4 = config_uses_ip(xdp->config, 4),
		.ip6 = config_uses_ip(xdp->config, 6),
		.address = config->address,
		.gateway = config->gateway,
		.address6 = config->address6,
		.gateway6 = config->gateway6,
		.vlan_count = xdp->profile.vlan_count,
	};

	memcpy(neighbour.mac, xdp->ports[port].link.mac, MLR_MAC_OCTETS);
	memcpy(neighbour.vlans, xdp->profile.vlans, sizeof(neighbour.vlans));
	traffic_addresses(&xdp->profile, xdp->ends[port].number, neighbour.ranges);
	return neighbour;
}

/* --- who answered --------------------------------------------------------------------------------------------------- */

static bool has_answered(const struct neighbour_answer *answer, unsigned int ip_version)
{
	return ip_version == 4 ? answer->found4 : answer->found6;
}

/* Whether a port waits for its gateway of this IP version. */
static bool lacks(const struct measurer_xdp *xdp, unsigned int port, unsigned int ip_version)
{
	return xdp->ends[port].transmits && !xdp->config->ports[port].destination_mac_given &&
	       config_uses_ip(xdp->config, ip_version) && !has_answered(&xdp->answers[port], ip_version);
}

static bool any_lacks(const struct measurer_xdp *xdp)
{
	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (!xdp->ends[i].is_confirmed && (lacks(xdp, i, 4) || lacks(xdp, i, 6)))
			return true;
	return false;
}

static bool all_macs_given(const struct config *config)
{
	for (unsigned int i = 0; i < config->port_count; i++)
		if (!config->ports[i].destination_mac_given)
			return false;
	return true;
}

double destination_unknown_ratio(const struct measurer_xdp *xdp, unsigned int port)
{
	unsigned int unknown = lacks(xdp, port, 4) + lacks(xdp, port, 6);

	if (xdp->diagnosis.ports_meet || xdp->ends[port].is_confirmed)
		return 0;
	return xdp->config->ip == IP_MIXED ? unknown / 2.0 : unknown;
}

/* --- taking them ---------------------------------------------------------------------------------------------------- */

/* Get the destination of what a stream from one of our ports sends, and how it was found. */
static enum mac_source find_destination(const struct measurer_xdp *xdp, const struct port_config *port,
					const struct neighbour_answer *answer, struct mlr_stream *stream)
{
	bool found = has_answered(answer, stream->ip_version);
	const uint8_t *mac = port->destination_mac_given ? port->destination_mac.ether_addr_octet
			     : !found                    ? xdp->profile.ports[stream->to].mac
			     : stream->ip_version == 4   ? answer->mac4
							 : answer->mac6;

	memcpy(stream->destination_mac, mac, MLR_MAC_OCTETS);
	return port->destination_mac_given ? MAC_GIVEN
	       : !found                    ? MAC_OTHER_PORT
	       : stream->ip_version == 4   ? MAC_ARP
					   : MAC_DISCOVERY;
}

/* Set the destinations of one port. A port that sends nothing has one, too: the result says what was learned. */
static void find_destinations(struct measurer_xdp *xdp, unsigned int port)
{
	const struct port_config *config = &xdp->config->ports[port];
	const struct neighbour_answer *answer = &xdp->answers[port];
	struct endpoint *end = &xdp->ends[port];
	struct mlr_stream any = { .to = end->number ^ 1, .ip_version = xdp->config->ip == IP_6 ? 6 : 4 };

	if (any.to >= xdp->profile.port_count)
		any.to = 0;
	for (unsigned int i = 0; i < xdp->profile.stream_count; i++)
		if (xdp->profile.streams[i].from == end->number)
			find_destination(xdp, config, answer, &xdp->profile.streams[i]);
	end->mac_source = find_destination(xdp, config, answer, &any);
	memcpy(end->destination_mac, any.destination_mac, MLR_MAC_OCTETS);
}

const uint8_t mac_of_nearest_bridge[MLR_MAC_OCTETS] = { 0x01, 0x80, 0xc2, 0, 0, 0x0e };

/* Send to the destinations of one port, as far as they are known. */
static enum exit_code address(struct measurer_xdp *xdp, unsigned int port)
{
	find_destinations(xdp, port);
	if (xdp->snmp && port == xdp->snmp_port)
		snmp_readdress(xdp->snmp, xdp->ends[port].destination_mac);
	return xdp->ends[port].tx ? tx_port_readdress(xdp->ends[port].tx, &xdp->profile, xdp->ends[port].number) : EXIT_DONE;
}

/* Whether frames of a stream are addressed to a router: to somebody else than the port that receives them. What ports of other hosts
 * have learned is not known here. */
static bool is_routed(const struct measurer_xdp *xdp, const struct mlr_stream *stream)
{
	return memcmp(stream->destination_mac, xdp->profile.ports[stream->to].mac, MLR_MAC_OCTETS) != 0;
}

unsigned int destinations_expected_changes(const struct measurer_xdp *xdp, unsigned int port)
{
	unsigned int changes = xdp->config->expected_changes;

	for (unsigned int i = 0; i < xdp->profile.stream_count; i++)
		if (xdp->profile.streams[i].to == xdp->ends[port].number && is_routed(xdp, &xdp->profile.streams[i]))
			changes |= MLR_CHANGE_TTL | MLR_CHANGE_MAC;
	return changes;
}

/* Tell the receivers which changes of headers follow from where frames are sent. */
static void expect_changes(struct measurer_xdp *xdp)
{
	for (unsigned int i = 0; i < xdp->port_count; i++)
		rx_expect_changes(xdp->ends[i].rx, destinations_expected_changes(xdp, i));
}

/* Note what is known to be wrong if nothing comes. */
static void diagnose_answers(struct measurer_xdp *xdp)
{
	diagnose_forget_silence(&xdp->diagnosis);
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		struct neighbour_port neighbour = destinations_neighbour(xdp, i);

		if (xdp->ends[i].transmits && !xdp->config->ports[i].destination_mac_given)
			diagnose_learned(&xdp->diagnosis, &neighbour, &xdp->answers[i]);
	}
}

static bool is_news(const struct neighbour_answer *known, const struct neighbour_answer *now)
{
	return known->found4 != now->found4 || known->found6 != now->found6;
}

/* Send to those who have answered since. */
static enum exit_code take_answers(struct measurer_xdp *xdp, const struct neighbour_answer *answers, bool *ret_changed)
{
	enum exit_code code = EXIT_DONE;

	*ret_changed = false;
	for (unsigned int i = 0; i < xdp->port_count && !code; i++) {
		if (!is_news(&xdp->answers[i], &answers[i]))
			continue;
		*ret_changed = true;
		xdp->answers[i] = answers[i];
		code = address(xdp, i);
		note("port %s: its gateway answers now; frames go to %s", xdp->ports[i].link.name,
		     mac_text(xdp->ends[i].destination_mac, ROOM(MAC_TEXT_SIZE)));
	}
	if (*ret_changed) {
		expect_changes(xdp);
		diagnose_answers(xdp);
	}
	return code;
}

/* Warn once of a gateway that answers after trials whose frames went to the other port without it. */
static void say_passed_by(struct measurer_xdp *xdp, const struct neighbour_answer *answers)
{
	for (unsigned int i = 0; i < xdp->port_count && !xdp->said_passed_by; i++) {
		bool is_4 = answers[i].found4 && !xdp->answers[i].found4;
		const struct port_config *port = &xdp->config->ports[i];
		char address[INET6_ADDRSTRLEN];

		if (!is_news(&xdp->answers[i], &answers[i]))
			continue;
		xdp->said_passed_by = true;
		inet_ntop(is_4 ? AF_INET : AF_INET6, is_4 ? (const void *)&port->gateway : &port->gateway6, address,
			  sizeof(address));
		warn("port %s: its gateway, %s, answers only now; frames go to the other port without it, as in the trials "
		     "before; where the gateway is to be measured, name it (--%s), and the run waits for it",
		     xdp->ports[i].link.name, address, is_4 ? "gateway" : "gateway6");
	}
}

enum exit_code destinations_ask_again(struct measurer_xdp *xdp, bool *ret_changed)
{
	struct neighbour_answer answers[MLR_PORTS_MAX] = { 0 };
	enum exit_code code;

	*ret_changed = false;
	if (!any_lacks(xdp))
		return EXIT_DONE;
	code = neighbours_resolve(xdp->neighbours, xdp->diagnosis.ports_meet ? 0 : AGAIN_NS, answers,
				  &xdp->diagnosis.ports_meet);
	if (code || !xdp->passes_by)
		return code ?: take_answers(xdp, answers, ret_changed);
	say_passed_by(xdp, answers);
	return EXIT_DONE;
}

/* --- before the first trial ----------------------------------------------------------------------------------------- */

/* Return a port whose gateway was given and does not answer, with its option and address. -1: none. */
static int find_silent(const struct measurer_xdp *xdp, const char **ret_option, char ret_address[INET6_ADDRSTRLEN])
{
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		for (unsigned int ip_version = 4; ip_version <= 6; ip_version += 2) {
			const struct port_config *port = &xdp->config->ports[i];
			bool is_6 = ip_version == 6;

			*ret_option = is_6 ? "gateway6" : "gateway";
			if (!lacks(xdp, i, ip_version) || !given_by_user(xdp->config->given, *ret_option))
				continue;
			inet_ntop(is_6 ? AF_INET6 : AF_INET, is_6 ? (const void *)&port->gateway6 : &port->gateway,
				  ret_address, INET6_ADDRSTRLEN);
			return (int)i;
		}
	}
	return -1;
}

/* Nobody would forward what goes to a gateway that is not there. */
static enum exit_code await_given(struct measurer_xdp *xdp)
{
	uint64_t start_ns = clock_ns();
	char address[INET6_ADDRSTRLEN];
	const char *option;
	int port;

	while ((port = find_silent(xdp, &option, address)) >= 0 && clock_ns() - start_ns < GIVEN_NS) {
		enum exit_code code =
			neighbours_resolve(xdp->neighbours, SLICE_NS, xdp->answers, &xdp->diagnosis.ports_meet);

		if (code)
			return code;
	}
	if (port < 0)
		return EXIT_DONE;
	return refuse(EXIT_INVALID,
		      "port %s: nobody answers for its gateway, %s (--%s), within %.0f s: all that is sent to it would be "
		      "lost; look at the SUT's addresses and links, or leave --%s out where the SUT does not route",
		      xdp->ports[port].link.name, address, option, clock_since_s(start_ns) + RESOLVE_NS / 1e9, option);
}

enum exit_code destinations_open(struct measurer_xdp *xdp)
{
	struct neighbour_port neighbours[MLR_PORTS_MAX];
	enum exit_code code;

	for (unsigned int i = 0; i < xdp->port_count; i++)
		neighbours[i] = destinations_neighbour(xdp, i);
	code = neighbours_open(neighbours, xdp->port_count, &xdp->neighbours);
	if (!code && !all_macs_given(xdp->config))
		neighbours_ask(xdp->neighbours);
	return code;
}

enum exit_code destinations_learn(struct measurer_xdp *xdp)
{
	enum exit_code code = neighbours_start(xdp->neighbours, &xdp->transmit_cpus);

	if (!code && !all_macs_given(xdp->config))
		code = neighbours_resolve(xdp->neighbours, RESOLVE_NS, xdp->answers, &xdp->diagnosis.ports_meet);
	if (!code)
		code = await_given(xdp);
	for (unsigned int i = 0; i < xdp->port_count && !code; i++)
		code = address(xdp, i);
	if (code)
		return code;
	if (xdp->snmp && xdp->ends[xdp->snmp_port].mac_source == MAC_OTHER_PORT)
		warn("port %s: nobody answers for the SUT's address, so nobody will answer management queries",
		     xdp->ports[xdp->snmp_port].link.name);
	expect_changes(xdp);
	diagnose_answers(xdp);
	return EXIT_DONE;
}

/* --- after a trial -------------------------------------------------------------------------------------------------- */

enum exit_code destinations_judge(struct measurer_xdp *xdp, const struct account *account, bool *ret_again)
{
	bool in_vain = xdp->diagnosis.ports_meet && any_lacks(xdp);
	enum exit_code code = EXIT_DONE;

	*ret_again = false;
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		unsigned int to;
		uint64_t came = account_came_from(account, xdp->ends[i].number, &to), sent = account->ports[i].sent.sent;
		double unknown_ratio = destination_unknown_ratio(xdp, i);

		if ((double)came > (double)sent * (1 - unknown_ratio))
			xdp->ends[i].is_confirmed = true;
		else
			in_vain |= unknown_ratio > 0;
	}
	if (in_vain)
		code = destinations_ask_again(xdp, ret_again);
	xdp->passes_by = xdp->diagnosis.ports_meet && any_lacks(xdp);
	return code;
}
