/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measurer of frames over real ports: an AF_XDP transmitter on one port, an XDP receiver on both.
 *
 * Opening goes in the order: ports (checked, claimed, prepared), receivers, addresses learned by ARP, transmitters. Closing
 * goes the other way round. Everything but what port/port.c journals hangs on file descriptors.
 */
#include "measurer/xdp_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/units.h"
#include "config/options_suite.h"
#include "config/traffic.h"
#include "measurer/connection.h"
#include "measurer/departure.h"
#include "measurer/destinations.h"
#include "measurer/hearing.h"
#include "measurer/hostile.h"
#include "measurer/listen.h"
#include "measurer/measurer_new.h"
#include "measurer/timestamps.h"
#include "measurer/xdp_trial.h"
#include "netdev/ethtool.h"
#include "port/port.h"
#include "port/privileges.h"
#include "port/session.h"

#define ONE_PIECE_OCTETS  2000 /* up to this MTU every driver has a frame in one piece */
#define UNKNOWN_LOAD_FPS  1e6  /* load for links of unknown speed: about what AF_XDP sends in copy mode */
#define CALIBRATION_S     0.3
#define CALIBRATION_RUNS  3
#define SPEED_TOLERANCE   0.001 /* links whose speeds differ by less are equally fast; clocks of links differ by less */
#define CALIBRATION_SHARE 0.9   /* part of the fastest rate reached that a busy machine can sustain */

static const struct measurer_ops ops;

/* --- opening -------------------------------------------------------------------------------------------------------- */

enum exit_code xdp_make_profile(struct measurer_xdp *xdp, const struct config *all_ports)
{
	enum exit_code code = traffic_profile_of(all_ports, &xdp->profile);

	if (code)
		return code;
	mlr_signature_key_init(xdp->key_seed, &xdp->profile.key);
	for (unsigned int i = 0; i < xdp->profile.stream_count; i++)
		memcpy(xdp->profile.streams[i].destination_mac, mac_of_nearest_bridge, MLR_MAC_OCTETS);
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		struct endpoint *end = &xdp->ends[i];

		memcpy(xdp->profile.ports[end->number].mac, xdp->ports[i].link.mac, MLR_MAC_OCTETS);
		for (unsigned int stream = 0; stream < xdp->profile.stream_count; stream++) {
			end->transmits |= xdp->profile.streams[stream].from == end->number;
			end->receives |= xdp->profile.streams[stream].to == end->number;
		}
	}
	xdp->measurer.transmitters = mlr_profile_transmitters(&xdp->profile);
	return EXIT_DONE;
}

static enum rx_verify verify_of(const struct config *config)
{
	static const enum rx_verify ways[] = {
		[VERIFY_AUTO] = RX_VERIFY_SMALL, [VERIFY_ALL] = RX_VERIFY_ALL, [VERIFY_DOUBTS] = RX_VERIFY_DOUBTS
	};

	return ways[config->verify];
}

static double slowest_link_bps(const struct measurer_xdp *xdp)
{
	double slowest_bps = xdp->ports[0].link_bps;

	for (unsigned int i = 1; i < xdp->port_count; i++)
		if (xdp->ports[i].link_bps < slowest_bps)
			slowest_bps = xdp->ports[i].link_bps;
	return slowest_bps;
}

/* The highest load of a port that is to be expected. */
static double expected_load_fps(const struct measurer_xdp *xdp)
{
	const struct config *config = xdp->config;
	const struct load_spec *most = config->verb == VERB_TRIAL ? &config->load : &config->max_load;
	double line_rate_fps = xdp_line_rate_fps(xdp, slowest_link_bps(xdp)), swept_fps = sweep_most_fps(config);

	if (most->unit == LOAD_FPS)
		return most->value;
	if (swept_fps > 0)
		return swept_fps;
	return line_rate_fps > 0.0 ? line_rate_fps : UNKNOWN_LOAD_FPS;
}

/* How many frames of a flow may come before one that is as late as phase d is long. */
static uint32_t window_wanted(const struct measurer_xdp *xdp, uint32_t flow_count)
{
	double frames = expected_load_fps(xdp) * xdp->measurer.transmitters * xdp->config->waits.residual_s / flow_count;

	return frames < UINT32_MAX ? (uint32_t)frames : UINT32_MAX;
}

static struct rx_lengths lengths_sent(const struct mlr_profile *profile)
{
	struct rx_lengths lengths = { { 0 } };

	for (unsigned int i = 0; i < profile->stream_count; i++) {
		const struct mlr_stream *stream = &profile->streams[i];
		const struct mlr_size_mix *sizes = mlr_profile_sizes(profile, stream);

		for (unsigned int size = 0; size < sizes->size_count; size++)
			rx_lengths_add(&lengths, mlr_profile_udp_octets(profile, stream, sizes->sizes_octets[size]));
	}
	return lengths;
}

/* Whether a VLAN tag that a frame lacks was taken by the SUT. A veth has tags that the kernel put aside where no XDP program
 * sees them. */
static bool tags_stay(const struct port *port)
{
	static const char *const features[] = { "rx-vlan-hw-parse", "rx-vlan-stag-hw-parse" };
	bool stay = strcmp(port->driver, "veth") != 0;
	struct ethtool *ethtool;

	if (!stay || ethtool_open(&ethtool))
		return false;
	for (size_t i = 0; i < COUNT(features); i++)
		stay &= !ethtool_is_active(ethtool, port->link.ifindex, features[i]);
	ethtool_close(ethtool);
	return stay;
}

/* What the receiver of a port is asked for. */
static struct rx_options receiver_options(const struct measurer_xdp *xdp, unsigned int port,
					  const struct rx_lengths *lengths)
{
	const struct endpoint *end = &xdp->ends[port];
	struct rx_options wanted = {
		.no_order = xdp->config->no_seq,
		.no_latency = xdp->config->no_latency,
		.variation = xdp->config->ipdv,
		.verify = verify_of(xdp->config),
		.profile = &xdp->profile,
		.tags_stay = xdp->profile.vlan_count && tags_stay(&xdp->ports[port]),
		.mac = xdp->config->hostile ? xdp->ports[port].link.mac : NULL,
		.lengths = lengths,
		.like = xdp->profile.like,
		.earlier = { xdp->config->earlier.base, xdp->config->earlier.used },
		.capture_most = xdp->config->foreign_path ? xdp->config->capture_count : 0,
		.interval_ns = (uint64_t)llround(xdp->config->interval_s * (double)NS_PER_S),
		.flow_figures = xdp->config->per_flow && end->receives,
		.long_frames = xdp->ports[port].link.mtu_octets > ONE_PIECE_OCTETS,
		.hardware_clock = end->clock.fd,
	};

	mlr_profile_receives(&xdp->profile, end->number, &wanted.first_flow, &wanted.flow_count);
	if (!wanted.flow_count) {
		/* a receiver has room for at least one flow: let it be one that nobody sends */
		wanted.first_flow = MLR_FLOW_EXTRA - 1;
		wanted.flow_count = 1;
	}
	wanted.window = window_wanted(xdp, wanted.flow_count);
	wanted.service_count = end->receives ? xdp->profile.service_count : 0;
	wanted.part_count = end->receives ? parts_wanted(xdp) : 0;
	for (unsigned int i = 0; i < wanted.service_count; i++)
		wanted.service_ends[i] = mlr_profile_service_end(&xdp->profile, end->number, i);
	return wanted;
}

/* Open those of all ports; each may be NULL where that failed. */
static enum exit_code attach_receivers(struct measurer_xdp *xdp)
{
	struct rx_lengths lengths = lengths_sent(&xdp->profile);
	struct rx_plan plans[MLR_PORTS_MAX];
	struct rx *receivers[MLR_PORTS_MAX] = { NULL };
	enum exit_code code;

	for (unsigned int i = 0; i < xdp->port_count; i++)
		plans[i] = (struct rx_plan){ .ifindex = xdp->ports[i].link.ifindex,
					     .port = xdp->ports[i].link.name,
					     .options = receiver_options(xdp, i, &lengths) };
	code = rx_open_all(plans, xdp->port_count, receivers);
	for (unsigned int i = 0; i < xdp->port_count; i++)
		xdp->ends[i].rx = receivers[i];
	return code;
}

static enum exit_code open_receivers(struct measurer_xdp *xdp)
{
	return timestamps_open(xdp)
		       ?: attach_receivers(xdp)
		       ?: timestamps_check(xdp)
		       ?: ports_wait_for_carrier(xdp->netlink, xdp->ports, xdp->port_count);
}

/* The first port that sends test frames asks its gateway. */
static enum exit_code open_snmp(struct measurer_xdp *xdp)
{
	struct neighbour_port neighbour;

	if (!xdp->config->queries_per_s)
		return EXIT_DONE;
	xdp->snmp_port = xdp_first_transmitter(xdp);
	neighbour = destinations_neighbour(xdp, xdp->snmp_port);
	return snmp_open(&neighbour, xdp->config->queries_per_s, &xdp->snmp);
}

/* Whether live frames are faster than AF_XDP in copy mode, as far as self-tests know. */
static bool live_is_faster(const struct measurer_xdp *xdp)
{
	const struct config *config = xdp->config;
	const char *faster;

	if (config->verb == VERB_SELFTEST)
		return true; /* The self-test has tried AF_XDP already, and now tries live frames. */
	if (xdp->port_count != PORT_COUNT)
		return false; /* Self-tests have two ports. */
	faster = selftest_faster_backend(config, "xsk", "live", xdp->by_nic_clock);
	return faster && !strcmp(faster, "live");
}

static enum exit_code open_transmitters(struct measurer_xdp *xdp)
{
	struct tx_metadata metadata;
	enum exit_code code = EXIT_DONE;
	const struct prepare *prepare = &xdp->config->prepare;
	struct tx_cpus cpus = { .any = (prepare->asked | prepare->automatic) & 1u << PREPARE_ANY_CPU };

	for (unsigned int i = 0; i < xdp->port_count && !code; i++) {
		if (!xdp->ends[i].transmits)
			continue;
		code = departure_open(xdp, i, &metadata);
		if (!code)
			code = tx_port_open(xdp->config, live_is_faster(xdp), &xdp->ports[i].link, &xdp->profile,
					    xdp->ends[i].number, &metadata, &cpus, &xdp->ends[i].tx);
		if (!code)
			code = departure_check(xdp, i);
	}
	for (unsigned int i = 0; i < xdp->port_count && !code; i++)
		if (xdp->ends[i].transmits)
			code = hostile_open(xdp, i, &cpus.taken);
	return code;
}

/* Keep the ports' interrupts off the transmit threads' CPUs. */
static enum exit_code spare_cpus(struct measurer_xdp *xdp)
{
	enum exit_code code = EXIT_DONE;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (xdp->ends[i].tx)
			tx_port_add_cpus(xdp->ends[i].tx, &cpus);
	xdp->transmit_cpus = cpus;
	for (unsigned int i = 0; i < xdp->port_count && !code; i++)
		code = port_spare_cpus(&xdp->ports[i], xdp->config, &cpus);
	return code;
}

/* A self-test counts for links of the same speed. */
static void check_selftest_speed(const struct measurer *measurer, struct selftest_figure *selftest)
{
	double then_fps = selftest->line_rate_fps > 0 ? selftest->line_rate_fps : 0;

	if (selftest->state != SELFTEST_FRESH || fabs(then_fps - measurer->line_rate_fps) <= SPEED_TOLERANCE * then_fps)
		return;
	selftest->state = SELFTEST_CHANGED;
	snprintf(selftest->what, sizeof(selftest->what), "the line rate: then %.6g frames/s, now %.6g", then_fps,
		 measurer->line_rate_fps);
}

/* What a self-test said of a tester like this one. */
static void find_selftest(struct measurer_xdp *xdp)
{
	const struct selftest_way way = xdp_way(&xdp->measurer);

	if (xdp->config->verb == VERB_SELFTEST || xdp->port_count != PORT_COUNT)
		return;
	xdp->measurer.selftest = selftest_find(xdp->config, &way);
	check_selftest_speed(&xdp->measurer, &xdp->measurer.selftest);
}

static void close_frames(struct measurer_xdp *xdp)
{
	timestamps_close(xdp); /* first: what follows the clocks writes to receivers and transmitters */
	departure_close(xdp);
	hostile_close(xdp);
	for (unsigned int i = 0; i < xdp->port_count; i++)
		tx_port_close(xdp->ends[i].tx);
	snmp_close(xdp->snmp);
	neighbours_close(xdp->neighbours);
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		rx_close(xdp->ends[i].rx);
		ledger_close(xdp->ends[i].ledger);
	}
}

/* Undo the changes on ports. The keeper calls it, and has no frames. */
static void undo_ports(void *context, uint32_t with_carrier)
{
	struct measurer_xdp *xdp = context;

	ports_undo(xdp->netlink, xdp->ports, xdp->port_count, with_carrier);
	session_restore();
}

void xdp_hold_ports(struct measurer_xdp *xdp, struct keeper_plan *plan)
{
	ports_hold(xdp->netlink, xdp->ports, xdp->port_count, plan);
	session_hold(plan);
	plan->undo = undo_ports;
	plan->context = xdp;
}

static void hold_ports(struct measurer *measurer, struct keeper_plan *plan)
{
	xdp_hold_ports((struct measurer_xdp *)measurer, plan);
}

static void have_ports_undone(struct measurer_xdp *xdp, uint32_t with_carrier)
{
	keeper_undo(with_carrier); /* keeper_check() says where it has died */
	ports_leave(xdp->ports, xdp->port_count);
}

void xdp_close(struct measurer_xdp *xdp)
{
	uint32_t with_carrier = 0;

	ports_note_carrier(xdp->netlink, xdp->ports, xdp->port_count);
	for (unsigned int i = 0; i < xdp->port_count; i++)
		with_carrier |= (uint32_t)xdp->ports[i].link.carrier << i;
	close_frames(xdp);
	if (keeper_is_there())
		have_ports_undone(xdp, with_carrier);
	else
		ports_close(xdp->netlink, xdp->ports, xdp->port_count);
	netlink_close(xdp->netlink);
	if (!keeper_is_there())
		session_restore();
}

static void free_xdp(struct measurer *measurer)
{
	xdp_close((struct measurer_xdp *)measurer);
	free(measurer);
}

static enum exit_code steer_ports(struct measurer_xdp *xdp)
{
	enum exit_code code = EXIT_DONE;

	for (unsigned int i = 0; i < xdp->port_count && !code; i++)
		code = port_steer(&xdp->ports[i], xdp->config, &xdp->profile, xdp->ends[i].number);
	return code;
}

/* Keep the CPUs awake as --prepare asks. Call it before privileges are given up. */
static enum exit_code stay_awake(const struct prepare *prepare)
{
	unsigned int bit = 1u << PREPARE_WAKE;
	int error = (prepare->asked | prepare->automatic) & bit ? session_stay_awake() : 0;

	if (error && prepare->asked & bit)
		return refuse(EXIT_INCAPABLE,
			      "cannot keep the CPUs awake (/dev/cpu_dma_latency): %s; leave 'wake' out of --prepare",
			      why(-error));
	if (error)
		warn("cannot keep the CPUs awake (/dev/cpu_dma_latency): %s", why(-error));
	return EXIT_DONE;
}

enum exit_code xdp_open_ports(struct measurer_xdp *xdp)
{
	int error = netlink_open(&xdp->netlink);
	enum exit_code code;

	if (error)
		return refuse(EXIT_INCAPABLE, "cannot open a netlink socket: %s", strerror(-error));
	if (xdp->config->dry_run)
		return ports_check(xdp->netlink, xdp->config, xdp->ports);
	code = ports_open(xdp->netlink, xdp->config, xdp->ports);
	if (!code)
		hear_programs(xdp);
	return code ?: stay_awake(&xdp->config->prepare);
}

enum exit_code xdp_open_frames(struct measurer_xdp *xdp)
{
	enum exit_code code;

	session_raise();
	if ((code = steer_ports(xdp)))
		return code;
	xdp->listening_since_ns = clock_ns();
	if ((code = open_receivers(xdp)) || (code = destinations_open(xdp)) || (code = open_snmp(xdp)) ||
	    (code = open_transmitters(xdp)))
		return code;
	/* last, for the number of queues says how many counters there are; without one a trial lacks nothing but an explanation */
	for (unsigned int i = 0; i < xdp->port_count; i++)
		ledger_open(xdp->ports[i].link.ifindex, &xdp->ends[i].ledger);
	return spare_cpus(xdp);
}

enum exit_code xdp_look_around(struct measurer_xdp *xdp)
{
	return ports_wait_for_carrier(xdp->netlink, xdp->ports, xdp->port_count)
		       ?: destinations_learn(xdp)
		       ?: listen_end(xdp);
}

/* Look around, and then for what lies between the ports. */
static enum exit_code connect_ports(struct measurer *measurer)
{
	struct measurer_xdp *xdp = (struct measurer_xdp *)measurer;
	enum exit_code code = xdp_look_around(xdp);

	return !code && xdp->connects ? connection_make(xdp) : code;
}

void xdp_init(const struct config *config, struct measurer_xdp *ret)
{
	ret->config = config;
	ret->port_count = config->port_count;
	ret->next_sequence = 1; /* the receivers' memory of sequence numbers starts as zeros */
	ret->repeats_most = config->tester_repeats;
	for (unsigned int i = 0; i < ret->port_count; i++)
		ret->ends[i].number = i;
	ret->trial_count = config->earlier.used;
	ret->trial = (uint16_t)(config->earlier.base + config->earlier.used);
	if (!config->earlier.given && getrandom(&ret->trial, sizeof(ret->trial), 0) < 0)
		ret->trial = 0;
	ret->connect_trial = ret->trial;
	if (getrandom(ret->key_seed, sizeof(ret->key_seed), 0) < 0)
		memset(ret->key_seed, 0, sizeof(ret->key_seed));
}

double xdp_line_rate_fps(const struct measurer_xdp *xdp, double link_bps)
{
	return mlr_line_rate_fps(link_bps, xdp->config->frame_size_octets);
}

enum exit_code measurer_xdp_new(const struct config *config, struct measurer **ret)
{
	struct measurer_xdp *xdp = calloc(1, sizeof(*xdp));
	enum exit_code code;

	if (!xdp)
		return out_of_memory();
	xdp_init(config, xdp);
	xdp->measurer.ops = &ops;
	xdp->connects = config->connect != SWITCH_OFF;
	if ((code = xdp_open_ports(xdp)) || (code = xdp_make_profile(xdp, config)) || (code = privileges_reduce(config)) ||
	    (code = xdp_open_frames(xdp))) {
		free_xdp(&xdp->measurer);
		return code;
	}
	xdp->measurer.line_rate_fps = xdp_line_rate_fps(xdp, slowest_link_bps(xdp));
	find_selftest(xdp);
	*ret = &xdp->measurer;
	return EXIT_DONE;
}

enum exit_code measurer_xdp_check(const struct config *config, double *ret_line_rate_fps)
{
	struct measurer_xdp *xdp = calloc(1, sizeof(*xdp));
	enum exit_code code;

	if (!xdp)
		return out_of_memory();
	xdp_init(config, xdp);
	if (!(code = xdp_open_ports(xdp)) && !(code = xdp_make_profile(xdp, config)))
		code = timestamps_ask(xdp);
	for (unsigned int i = 0; i < xdp->port_count && !code; i++)
		if (xdp->ends[i].transmits && !(code = departure_ask(xdp, i)))
			code = tx_port_check(config, &xdp->ports[i].link);
	*ret_line_rate_fps = xdp_line_rate_fps(xdp, slowest_link_bps(xdp));
	free_xdp(&xdp->measurer);
	return code;
}

/* --- measuring ------------------------------------------------------------------------------------------------------ */

/* Whether an interface sent more in a trial than the tester by it. */
static bool others_send_by(const struct port_counts *port)
{
	return port->nic_tx_frames > port->counts.sent + port->extra_sent + port->queries_sent + port->announcements_sent;
}

/* Whether frames that are foreign are of this machine. A SUT that is no router leaves our address in test frames whose tag it
 * breaks, so the address alone says nothing. */
static void find_own_programs(struct measurer_xdp *xdp, const struct measurement *measurement)
{
	struct diagnosis *diagnosis = &xdp->diagnosis;

	hear_ports(xdp);
	for (unsigned int i = 0; i < xdp->port_count && !*diagnosis->own; i++) {
		const struct heard *heard = &xdp->between.ports[i].heard;

		diagnosis->own_at = i;
		if (heard->own && others_send_by(&measurement->ports[heard->own_port]))
			listen_describe_own(xdp, i, diagnosis->own);
		diagnosis->has_broken |= heard->own > 0;
	}
}

/* The port whose link is slowest, of those whose speed is known; NULL: of none. */
static const struct port *slowest_port(const struct measurer_xdp *xdp)
{
	const struct port *slowest = NULL;

	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (xdp->ports[i].link_bps > 0 && (!slowest || xdp->ports[i].link_bps < slowest->link_bps))
			slowest = &xdp->ports[i];
	return slowest;
}

/* Warn once of a load that the link cannot carry. */
static void check_speed(struct measurer_xdp *xdp, double load_fps)
{
	const struct port *slowest = slowest_port(xdp);
	double line_rate_fps = slowest ? xdp_line_rate_fps(xdp, slowest->link_bps) : 0;

	if (xdp->said_speed || line_rate_fps <= 0 || load_fps <= line_rate_fps * (1 + SPEED_TOLERANCE))
		return;
	xdp->said_speed = true;
	warn("a load of %s is more than the link of port %s carries at %s, which is %s with these frames: the rest is lost "
	     "before or after the SUT, and looks like its loss",
	     format_si(load_fps, "fps", UNIT_ROOM), slowest->link.name, format_si(slowest->link_bps, "bit/s", UNIT_ROOM),
	     format_si(line_rate_fps, "fps", UNIT_ROOM));
}

static enum exit_code measure(struct measurer *measurer, const struct mlr_trial_input *input, struct measurement *ret)
{
	struct measurer_xdp *xdp = (struct measurer_xdp *)measurer;
	enum exit_code code;

	check_speed(xdp, input->load_fps);
	code = xdp_trial(xdp, input, ret);
	if (code == EXIT_DONE && ret->counts.foreign && !ret->hostile.senders)
		find_own_programs(xdp, ret);
	if (code == EXIT_DONE)
		check_speed(xdp, ret->pacing.achieved_fps);
	if (code == EXIT_DONE && !ret->hostile.senders)
		diagnose_measured(&xdp->diagnosis, xdp->config, ret);
	if (code == EXIT_DONE && measurer->selftest.state == SELFTEST_FRESH)
		ret->latency.floor = &measurer->selftest;
	return code;
}

enum exit_code measurer_xdp_measure_max(struct measurer *measurer, double duration_s, struct measurement *ret)
{
	const struct mlr_trial_input input = { .duration_s = duration_s, .load_fps = 0.0 };

	return measurer->ops->measure(measurer, &input, ret);
}

static enum exit_code measure_steps(struct measurer *measurer, struct load_steps *steps, struct measurement *ret)
{
	struct measurer_xdp *xdp = (struct measurer_xdp *)measurer;
	struct mlr_trial_input input = { .duration_s = load_steps_duration_s(steps) };
	enum exit_code code;

	input.load_fps = (double)(steps->frame_count + steps->then_frame_count) / input.duration_s;
	xdp->steps = steps;
	code = measure(measurer, &input, ret);
	xdp->steps = NULL;
	return code;
}

enum exit_code measurer_xdp_calibrate(struct measurer *measurer, double *ret_max_load_fps)
{
	double fastest_fps = 0.0;

	for (int i = 0; i < CALIBRATION_RUNS; i++) {
		measurement_auto_t measurement = { 0 };
		enum exit_code code = measurer_xdp_measure_max(measurer, CALIBRATION_S, &measurement);

		if (code)
			return code;
		if (measurement.pacing.achieved_fps > fastest_fps)
			fastest_fps = measurement.pacing.achieved_fps;
	}
	*ret_max_load_fps = fastest_fps * CALIBRATION_SHARE;
	return EXIT_DONE;
}

static json_t *connection_of(struct measurer *measurer)
{
	const struct measurer_xdp *xdp = (const struct measurer_xdp *)measurer;

	return xdp->connects ? between_json(&xdp->between) : NULL;
}

static const struct measurer_ops ops = {
	.connect = connect_ports,
	.measure = measure,
	.steps = measure_steps,
	.queue_stops = xdp_queue_stops,
	.way = xdp_way,
	.connection = connection_of,
	.describe = xdp_describe,
	.traffic_profile = xdp_traffic_profile,
	.deviations = xdp_deviations,
	.hold = hold_ports,
	.free = free_xdp,
};

/* --- what lies between ---------------------------------------------------------------------------------------------- */

bool measurer_xdp_is_connected(const struct measurer *measurer)
{
	return measurer->ops == &ops && ((const struct measurer_xdp *)measurer)->between.is_steady;
}
