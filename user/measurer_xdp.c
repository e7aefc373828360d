/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measurer of frames over real ports: an AF_XDP transmitter on one port, an XDP receiver on both.
 *
 * Opening goes in the order: ports (checked, claimed, prepared), receivers, addresses learned by ARP, transmitters. Closing
 * goes the other way round. Everything but what port.c journals hangs on file descriptors.
 */
#include "measurer_xdp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "mlr/frame.h"

#define QUEUE             0
#define CALIBRATION_S     0.3
#define CALIBRATION_RUNS  3
#define CALIBRATION_SHARE 0.9 /* of the fastest that was reached: what can be sustained on a busy machine */

static const struct measurer_ops ops;

/* --- opening -------------------------------------------------------------------------------------------------------- */

/* The n-th CPU that this process may use, round and round; -1 if there is but one: then threads are better left alone. */
static int nth_cpu(int n)
{
	cpu_set_t allowed;
	int count;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	count = CPU_COUNT(&allowed);
	if (count < 2)
		return -1;
	for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && seen++ == n % count)
			return cpu;
	return -1;
}

static enum exit_code open_receivers(struct measurer_xdp *xdp)
{
	enum exit_code code = EXIT_DONE;

	for (uint32_t i = 0; i < PORT_COUNT && !code; i++)
		code = rx_open(xdp->ports[i].link.ifindex, xdp->ports[i].link.name, !i, 1, &xdp->ends[i].rx);
	return code;
}

static enum exit_code learn_addresses(struct measurer_xdp *xdp)
{
	struct neighbour_port neighbours[PORT_COUNT];
	struct neighbour_answer answers[PORT_COUNT] = { 0 };
	enum exit_code code;

	for (int i = 0; i < PORT_COUNT; i++) {
		neighbours[i] = (struct neighbour_port){
			.ifindex = xdp->ports[i].link.ifindex,
			.name = xdp->ports[i].link.name,
			.address = xdp->config->ports[i].address,
			.gateway = xdp->config->ports[i].gateway,
		};
		memcpy(neighbours[i].mac, xdp->ports[i].link.mac, MLR_MAC_OCTETS);
	}
	code = neighbours_open(neighbours, &xdp->neighbours);
	if (!code && !(xdp->config->ports[PORT_A].destination_mac_given && xdp->config->ports[PORT_B].destination_mac_given))
		code = neighbours_resolve(xdp->neighbours, answers);
	if (!code)
		code = neighbours_serve(xdp->neighbours);
	for (int i = 0; i < PORT_COUNT && !code; i++) {
		const struct port_config *port = &xdp->config->ports[i];
		struct endpoint *end = &xdp->ends[i];

		end->mac_source = port->destination_mac_given ? MAC_GIVEN
				  : answers[i].gateway_found  ? MAC_ARP
							      : MAC_OTHER_PORT;
		memcpy(end->destination_mac,
		       end->mac_source == MAC_GIVEN ? port->destination_mac.ether_addr_octet
		       : end->mac_source == MAC_ARP ? answers[i].gateway_mac
						    : xdp->ports[!i].link.mac,
		       MLR_MAC_OCTETS);
	}
	return code;
}

/* The frames of flow `port`. */
static struct mlr_frame_spec frame_spec(const struct measurer_xdp *xdp, int port)
{
	struct mlr_frame_spec spec = {
		.source_address = xdp->config->ports[port].address.s_addr,
		.destination_address = xdp->config->ports[!port].address.s_addr,
		.source_port = MLR_UDP_SOURCE_PORT,
		.destination_port = MLR_UDP_DESTINATION_PORT,
		.flow = (uint32_t)port,
		.size_octets = xdp->config->frame_size_octets,
	};

	memcpy(spec.source_mac, xdp->ports[port].link.mac, MLR_MAC_OCTETS);
	memcpy(spec.destination_mac, xdp->ends[port].destination_mac, MLR_MAC_OCTETS);
	return spec;
}

static enum exit_code open_transmitters(struct measurer_xdp *xdp)
{
	enum exit_code code = EXIT_DONE;
	int opened = 0;

	for (int i = 0; i < PORT_COUNT && !code; i++) {
		struct mlr_frame_spec spec = frame_spec(xdp, i);

		if (xdp->ends[i].transmits)
			code = tx_xsk_open(xdp->ports[i].link.name, QUEUE, &spec, nth_cpu(opened++), &xdp->ends[i].tx);
	}
	return code;
}

static double slower_line_rate_fps(const struct measurer_xdp *xdp)
{
	double a_bps = xdp->ports[PORT_A].link_bps, b_bps = xdp->ports[PORT_B].link_bps;

	return mlr_line_rate_fps(a_bps < b_bps ? a_bps : b_bps, xdp->config->frame_size_octets);
}

static void close_xdp(struct measurer *measurer)
{
	struct measurer_xdp *xdp = (struct measurer_xdp *)measurer;

	for (int i = 0; i < PORT_COUNT; i++)
		tx_close(xdp->ends[i].tx);
	neighbours_close(xdp->neighbours);
	for (int i = 0; i < PORT_COUNT; i++)
		rx_close(xdp->ends[i].rx);
	ports_close(xdp->ports);
	netlink_close(xdp->netlink);
	free(xdp);
}

static enum exit_code open_all(struct measurer_xdp *xdp)
{
	int error = netlink_open(&xdp->netlink);
	enum exit_code code;

	if (error)
		return refuse(EXIT_INCAPABLE, "cannot open a netlink socket: %s", strerror(-error));
	if ((code = ports_open(xdp->netlink, xdp->config, xdp->ports)) || (code = open_receivers(xdp)) ||
	    (code = learn_addresses(xdp)))
		return code;
	return open_transmitters(xdp);
}

enum exit_code measurer_xdp_new(const struct config *config, struct measurer **ret)
{
	struct measurer_xdp *xdp = calloc(1, sizeof(*xdp));
	enum exit_code code;

	if (!xdp)
		return refuse(EXIT_INCAPABLE, "out of memory");
	xdp->config = config;
	xdp->measurer.ops = &ops;
	xdp->ends[PORT_A].transmits = config->direction != DIRECTION_B_TO_A;
	xdp->ends[PORT_B].transmits = config->direction != DIRECTION_A_TO_B;
	xdp->measurer.transmitters = xdp->ends[PORT_A].transmits + xdp->ends[PORT_B].transmits;
	if (getrandom(&xdp->trial, sizeof(xdp->trial), 0) < 0)
		xdp->trial = 0;
	code = open_all(xdp);
	if (code) {
		close_xdp(&xdp->measurer);
		return code;
	}
	xdp->measurer.line_rate_fps = slower_line_rate_fps(xdp);
	*ret = &xdp->measurer;
	return EXIT_DONE;
}

/* --- measuring ------------------------------------------------------------------------------------------------------ */

static enum exit_code measure(struct measurer *measurer, const struct mlr_trial_input *input, struct measurement *ret)
{
	return xdp_trial((struct measurer_xdp *)measurer, input, ret);
}

enum exit_code measurer_xdp_measure_max(struct measurer *measurer, double duration_s, struct measurement *ret)
{
	const struct mlr_trial_input input = { .duration_s = duration_s, .load_fps = 0.0 };

	return xdp_trial((struct measurer_xdp *)measurer, &input, ret);
}

enum exit_code measurer_xdp_calibrate(struct measurer *measurer, double *ret_max_load_fps)
{
	double fastest_fps = 0.0;

	for (int i = 0; i < CALIBRATION_RUNS; i++) {
		struct measurement measurement;
		enum exit_code code = measurer_xdp_measure_max(measurer, CALIBRATION_S, &measurement);

		if (code)
			return code;
		if (measurement.pacing.achieved_fps > fastest_fps)
			fastest_fps = measurement.pacing.achieved_fps;
		measurement_free(&measurement);
	}
	*ret_max_load_fps = fastest_fps * CALIBRATION_SHARE;
	return EXIT_DONE;
}

/* --- what it is, for the report ------------------------------------------------------------------------------------- */

static json_t *mac_json(const uint8_t mac[MLR_MAC_OCTETS])
{
	return json_sprintf("%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
}

static json_t *port_json(const struct measurer_xdp *xdp, int i)
{
	static const char *const sources[] = {
		[MAC_GIVEN] = "given",
		[MAC_ARP] = "learned by ARP",
		[MAC_OTHER_PORT] = "the other port's",
	};
	const struct endpoint *end = &xdp->ends[i];
	const struct port *port = &xdp->ports[i];
	json_t *json = json_pack("{s:s, s:s, s:o, s:i, s:b, s:s, s:o, s:s}", "name", port->link.name, "driver", port->driver,
				 "mac", mac_json(port->link.mac), "mtu_octets", (int)port->link.mtu_octets, "transmits",
				 (int)end->transmits, "receive_mode", rx_is_generic(end->rx) ? "generic" : "native",
				 "destination_mac", mac_json(end->destination_mac), "destination_mac_source",
				 sources[end->mac_source]);

	json_object_set_new(json, "link_bps", port->link_bps > 0.0 ? json_real(port->link_bps) : json_null());
	json_object_set_new(json, "transmit_mode", end->tx ? json_string(end->tx->mode) : json_null());
	return json;
}

static json_t *describe(struct measurer *measurer)
{
	const struct measurer_xdp *xdp = (const struct measurer_xdp *)measurer;

	return json_pack("{s:s, s:s, s:[o,o], s:f, s:s?}", "name", "xdp", "tx_backend", "xsk", "ports",
			 port_json(xdp, PORT_A), port_json(xdp, PORT_B), "unsent_tolerance_s", MLR_UNSENT_TOLERANCE_S,
			 "allow_unsafe", xdp->config->unsafe_reason);
}

static json_t *flow_json(const struct measurer_xdp *xdp, int port)
{
	char source[INET_ADDRSTRLEN], destination[INET_ADDRSTRLEN];

	inet_ntop(AF_INET, &xdp->config->ports[port].address, source, sizeof(source));
	inet_ntop(AF_INET, &xdp->config->ports[!port].address, destination, sizeof(destination));
	return json_pack("{s:s, s:s, s:s, s:s, s:i, s:i}", "from", xdp->ports[port].link.name, "to",
			 xdp->ports[!port].link.name, "source_address", source, "destination_address", destination,
			 "source_port", MLR_UDP_SOURCE_PORT, "destination_port", MLR_UDP_DESTINATION_PORT);
}

static json_t *traffic_profile(struct measurer *measurer)
{
	const struct measurer_xdp *xdp = (const struct measurer_xdp *)measurer;
	json_t *flows = json_array();

	for (int i = 0; i < PORT_COUNT; i++)
		if (xdp->ends[i].transmits)
			json_array_append_new(flows, flow_json(xdp, i));
	return json_pack(
		"{s:i, s:s, s:b, s:o, s:s}", "frame_size_octets", (int)xdp->config->frame_size_octets, "protocol",
		"UDP over IPv4", "bidirectional", (int)(xdp->measurer.transmitters == PORT_COUNT), "flows", flows, "load",
		"constant, frame n due at n / load after the start; a transmitter that was held up catches up in bursts of "
		"at most 32 frames");
}

static void deviations(struct measurer *measurer, json_t *list)
{
	(void)measurer;
	json_array_append_new(
		list, json_string("Phase b: no learning frames are sent in a trial; addresses are learned by ARP once, "
				  "before the first trial."));
}

static const struct measurer_ops ops = {
	.measure = measure,
	.describe = describe,
	.traffic_profile = traffic_profile,
	.deviations = deviations,
	.free = close_xdp,
};
