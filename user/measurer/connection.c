/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/connection.h"

#include <arpa/inet.h>
#include <limits.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "measurer/destinations.h"
#include "measurer/hearing.h"
#include "measurer/kinds.h"
#include "measurer/xdp_trial.h"

#define QUICK_FPS 10000.0 /* the load of the first frames, which most SUTs pass */
#define LOAD_FPS  1000.0  /* the load of those after them */

#define QUICK_FRAMES 10  /* frames of each port, if the first ones all arrive */
#define ROW_FRAMES   50  /* otherwise, frames that must arrive in a row */
#define TRY_FRAMES   5   /* frames of each attempt while none arrives */
#define KINDS_MOST   200 /* frames in which all sizes, tags and priorities should be */
#define FRAMES_MOST  200 /* most frames of each port, once some have arrived */

#define TIME_NS       (5 * NS_PER_S)
#define PATIENCE_NS   (NS_PER_S / 10) /* wait for frames, unless the SUT is known to be slower */
#define PAUSE_NS      (NS_PER_S / 5)
#define LONG_PAUSE_NS (NS_PER_S / 2)
#define POLL_NS       100000
#define START_NS      300000 /* time for the transmit threads to begin to spin */
#define SLACK_NS      NS_PER_S

static bool waited_in_vain; /* This process has waited for a spanning tree that was not the reason. */

/* The state while it connects. Counts are over all ports. */
struct attempt {
	/* Beginning; and the last time that a switch said that it does not forward, or the beginning. */
	uint64_t start_ns, closed_ns;
	struct rx_counters before[MLR_PORTS_MAX];
	struct rtnl_link_stats64 link[MLR_PORTS_MAX];
	uint64_t sent, came, missing;    /* totals of all attempts */
	uint64_t in_vain[MLR_PORTS_MAX]; /* sent by each port before any came */
	unsigned int wanted;
	bool is_slow; /* Frames arrived later than the wait for them. */
};

/* --- counting ------------------------------------------------------------------------------------------------------- */

static struct rx_counters since_begin(const struct measurer_xdp *xdp, const struct attempt *attempt, unsigned int port)
{
	struct rx_counters now;

	rx_snapshot(xdp->ends[port].rx, &now);
	return rx_subtract(&now, &attempt->before[port]);
}

/* Count what came of all that a port sent. If two ports send to one, it is what both sent. */
static uint64_t came_from(const struct measurer_xdp *xdp, const struct attempt *attempt, unsigned int port)
{
	uint64_t came = 0;
	unsigned int last = UINT_MAX;

	for (unsigned int i = 0; i < xdp->profile.stream_count; i++) {
		const struct mlr_stream *stream = &xdp->profile.streams[i];

		if (stream->from == port && stream->to != last)
			came += since_begin(xdp, attempt, last = stream->to).received;
	}
	return came;
}

static uint64_t came_to_all(const struct measurer_xdp *xdp, const struct attempt *attempt)
{
	uint64_t came = 0;

	for (unsigned int i = 0; i < xdp->port_count; i++)
		came += since_begin(xdp, attempt, i).received;
	return came;
}

/* Note what is known by now of each port. */
static void count_ports(struct measurer_xdp *xdp, const struct attempt *attempt)
{
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		struct between_port *port = &xdp->between.ports[i];

		port->came = came_from(xdp, attempt, i);
		if (port->came > port->sent)
			port->came = port->sent;
		if ((double)port->came > (double)port->sent * (1 - destination_unknown_ratio(xdp, i)))
			xdp->ends[i].is_confirmed = true;
		xdp->between.passes_reserved |= since_begin(xdp, attempt, i).extra > 0;
	}
}

/* --- sending -------------------------------------------------------------------------------------------------------- */

/* Return how many frames of a port have all kinds of frames of the run, up to KINDS_MOST. */
static uint64_t frames_of_all_kinds(const struct measurer_xdp *xdp)
{
	uint64_t most = QUICK_FRAMES;

	for (unsigned int i = 0; i < xdp->port_count; i++) {
		const struct mlr_queue_plan *plan = xdp->ends[i].tx ? xdp->ends[i].tx->plans[0] : NULL;
		uint64_t frames = !plan ? 0
				  : xdp->profile.service_count
					  ? (uint64_t)plan->flow_count * plan->step
					  : (uint64_t)plan->schedule_length * plan->template_count / plan->size_count;

		most = frames > most ? frames : most;
	}
	return most < KINDS_MOST ? most : KINDS_MOST;
}

/* Send a frame that arrives if nothing between the ports is a bridge or a router. */
static void send_reserved(const struct measurer_xdp *xdp, const struct mlr_stream *stream)
{
	const struct mlr_profile_port *from = &xdp->profile.ports[stream->from], *to = &xdp->profile.ports[stream->to];
	struct mlr_frame_spec spec = { .ip_version = 4, .hop_limit = 1, .size_octets = 0 };
	const struct mlr_flow flow = {
		.id = MLR_FLOW_EXTRA,
		.source_address = from->address,
		.destination_address = to->address,
		.source_port = xdp->profile.source_port,
		.destination_port = xdp->profile.destination_port,
	};
	uint8_t frame[MLR_FRAME_MAX_OCTETS] __attribute__((aligned(2)));
	struct mlr_frame_template template;
	uint64_t now_ns = clock_ns();

	memcpy(spec.source_mac, from->mac, MLR_MAC_OCTETS);
	memcpy(spec.destination_mac, mac_of_nearest_bridge, MLR_MAC_OCTETS);
	spec.size_octets = mlr_frame_least_octets(&spec);
	if (mlr_frame_template_init(&spec, &template))
		return;
	mlr_frame_write(&spec, &template, &flow, xdp->connect_trial, 0, now_ns, now_ns, frame);
	(void)!write(xdp->ports[stream->from].listening_fd, frame, template.memory_octets);
}

static void send_frames(struct measurer_xdp *xdp, double load_fps, uint64_t count, struct attempt *attempt)
{
	struct tx_trial trial = {
		.number = xdp->connect_trial,
		.load_fps = load_fps,
		.frame_count = count,
		.first_sequence = xdp->next_sequence,
		.start_ns = clock_ns() + START_NS,
		.burst = mlr_burst_of(load_fps, xdp->config->burst_frames),
		.tag_offset_ns = xdp->clock_offset_ns,
		.asks_nothing = true,
	};

	trial.deadline_ns = trial.start_ns + (uint64_t)((double)count / load_fps * 1e9) + SLACK_NS;
	xdp_send(xdp, &trial);
	xdp->next_sequence += (uint32_t)xdp_run_sequences_used(xdp) + 1;
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		uint64_t sent = xdp->ends[i].tx ? xdp->ends[i].tx->report.sent : 0;

		xdp->between.ports[i].sent += sent;
		attempt->sent += sent;
	}
}

/* Wait for what was sent, and count it in. */
static void wait_for_frames(struct measurer_xdp *xdp, uint64_t patience_ns, struct attempt *attempt)
{
	uint64_t until_ns = clock_ns() + patience_ns;

	do {
		attempt->came = came_to_all(xdp, attempt);
	} while (attempt->came + attempt->missing < attempt->sent && clock_ns() < until_ns &&
		 !stop_sleep_until(clock_ns() + POLL_NS));
}

/* Send some frames, and see how many have come in a row. */
static void try_frames(struct measurer_xdp *xdp, double load_fps, uint64_t count, struct attempt *attempt)
{
	uint64_t before = attempt->sent, missing;
	uint32_t first_sequence = xdp->next_sequence;

	send_frames(xdp, load_fps, count, attempt);
	wait_for_frames(xdp, PATIENCE_NS, attempt);
	missing = attempt->sent > attempt->came ? attempt->sent - attempt->came : 0;
	attempt->is_slow |= missing < attempt->missing;
	if (missing > attempt->missing || attempt->sent == before)
		xdp->between.in_a_row = 0;
	else
		xdp->between.in_a_row += (unsigned int)count;
	attempt->missing = missing;
	count_ports(xdp, attempt);
	for (unsigned int i = 0; i < xdp->port_count && !between_passes(&xdp->between); i++)
		attempt->in_vain[i] = xdp->between.ports[i].sent;
	if (missing && between_passes(&xdp->between))
		kinds_count(xdp, first_sequence, count);
}

/* --- all of it ------------------------------------------------------------------------------------------------------ */

static void begin(struct measurer_xdp *xdp, struct attempt *attempt)
{
	struct between *between = &xdp->between;

	*attempt = (struct attempt){ .start_ns = clock_ns(), .wanted = ROW_FRAMES };
	attempt->closed_ns = attempt->start_ns;
	between->in_a_row = between->kind_count = 0;
	between->is_steady = between->passes_reserved = false;
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		struct between_port *port = &between->ports[i];
		struct link_info link;

		port->transmits = xdp->ends[i].transmits;
		port->sent = port->came = port->left = 0;
		rx_accept_trial(xdp->ends[i].rx, xdp->connect_trial, xdp->next_sequence, UINT32_MAX);
		rx_snapshot(xdp->ends[i].rx, &attempt->before[i]);
		if (!netlink_link_by_index(xdp->netlink, xdp->ports[i].link.ifindex, &link))
			attempt->link[i] = link.stats;
	}
	for (unsigned int i = 0; i < xdp->profile.stream_count; i++) {
		between->ports[xdp->profile.streams[i].from].to = xdp->profile.streams[i].to;
		if (i == 0 || xdp->profile.streams[i].from != xdp->profile.streams[i - 1].from)
			send_reserved(xdp, &xdp->profile.streams[i]);
	}
}

static bool is_steady(const struct measurer_xdp *xdp, const struct attempt *attempt)
{
	return xdp->between.in_a_row >= attempt->wanted && between_passes(&xdp->between);
}

/* A SUT that loses some frames loses them in trials, too. */
static bool is_lossy(const struct measurer_xdp *xdp, const struct attempt *attempt)
{
	bool passes = between_passes(&xdp->between);

	for (unsigned int i = 0; i < xdp->port_count; i++)
		passes &= !xdp->ends[i].transmits || xdp->between.ports[i].sent - attempt->in_vain[i] >= FRAMES_MOST;
	return passes;
}

static bool is_over(struct measurer_xdp *xdp, struct attempt *attempt)
{
	uint64_t now_ns = clock_ns(), since_ns = now_ns - attempt->start_ns, spanning_ns;

	if (is_steady(xdp, attempt) || is_lossy(xdp, attempt))
		return true;
	if (between_passes(&xdp->between))
		return since_ns >= SPANNING_MOST_NS + TIME_NS; /* frames have begun to pass */
	hear_ports(xdp);
	spanning_ns = waited_in_vain ? 0 : spanning_patience_ns(xdp);
	if (spanning_ns > since_ns)
		attempt->closed_ns = now_ns;
	return now_ns - attempt->closed_ns >= TIME_NS;
}

/* Try again, once the first frames did not all come. */
static enum exit_code try_until_over(struct measurer_xdp *xdp, struct attempt *attempt)
{
	attempt->wanted = ROW_FRAMES;
	while (!is_over(xdp, attempt)) {
		bool passes = between_passes(&xdp->between), ignored, lasts = clock_ns() - attempt->start_ns > TIME_NS;
		enum exit_code code = destinations_ask_again(xdp, &ignored);

		neighbours_announce_silent(xdp->neighbours);
		if (!code && !passes && stop_sleep_until(clock_ns() + (lasts ? LONG_PAUSE_NS : PAUSE_NS)))
			code = EXIT_INTERRUPTED;
		if (code)
			return code;
		try_frames(xdp, LOAD_FPS, passes ? frames_of_all_kinds(xdp) : TRY_FRAMES, attempt);
		if (stop_requested())
			return EXIT_INTERRUPTED;
	}
	return EXIT_DONE;
}

/* The verb listens longer: a switch announces itself every two seconds. */
static enum exit_code listen_on(struct measurer_xdp *xdp, const struct attempt *attempt)
{
	uint64_t until_ns = attempt->start_ns + (uint64_t)(xdp->config->duration_s * 1e9);
	bool ignored;

	if (xdp->config->verb == VERB_CONNECT && stop_sleep_until(until_ns))
		return EXIT_INTERRUPTED;
	hear_ports(xdp);
	return xdp->config->verb == VERB_CONNECT ? destinations_ask_again(xdp, &ignored) : EXIT_DONE;
}

static void conclude(struct measurer_xdp *xdp, const struct attempt *attempt)
{
	struct between *between = &xdp->between;

	for (unsigned int i = 0; i < xdp->port_count; i++) {
		struct between_port *port = &between->ports[i];
		struct link_info link;

		rx_end_trial(xdp->ends[i].rx);
		if (!netlink_link_by_index(xdp->netlink, xdp->ports[i].link.ifindex, &link))
			port->left = link.stats.tx_packets - attempt->link[i].tx_packets;
		port->has_answer = xdp->answers[i].found4 || xdp->answers[i].found6;
		inet_ntop(xdp->answers[i].found4 ? AF_INET : AF_INET6,
			  xdp->answers[i].found4 ? (const void *)&xdp->config->ports[i].gateway
						 : &xdp->config->ports[i].gateway6,
			  port->gateway, sizeof(port->gateway));
	}
	between->ports_meet = xdp->diagnosis.ports_meet;
	between->is_steady = is_steady(xdp, attempt);
	waited_in_vain |= xdp->said_spanning && !between_passes(between);
	between->duration_s = clock_since_s(attempt->start_ns);
	between->waited_s = xdp->said_spanning ? between->duration_s : 0;
	if ((!between->is_steady || xdp->said_spanning) && xdp->config->verb != VERB_CONNECT)
		note("between the ports: %s", between_sentence(between, ROOM(BETWEEN_TEXT_SIZE)));
}

enum exit_code connection_make(struct measurer_xdp *xdp)
{
	struct attempt attempt;
	enum exit_code code = EXIT_DONE;

	begin(xdp, &attempt);
	if (xdp->config->connect == SWITCH_AUTO && xdp->config->verb != VERB_CONNECT)
		attempt.wanted = QUICK_FRAMES;
	try_frames(xdp, QUICK_FPS, frames_of_all_kinds(xdp), &attempt);
	if (!is_steady(xdp, &attempt))
		code = try_until_over(xdp, &attempt);
	if (!code && attempt.is_slow) /* Frames that still arrive must not look late to a trial. */
		wait_for_frames(xdp, (uint64_t)(xdp->config->waits.residual_s * 1e9), &attempt);
	if (!code)
		code = listen_on(xdp, &attempt);
	count_ports(xdp, &attempt);
	conclude(xdp, &attempt);
	return code;
}
