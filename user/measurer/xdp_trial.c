/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nothing is reset: every count is the difference of two snapshots. */
#include "measurer/xdp_trial.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/stop.h"
#include "measurer/connection.h"
#include "measurer/departure.h"
#include "measurer/destinations.h"
#include "measurer/icmp.h"
#include "measurer/moved.h"
#include "measurer/timestamps.h"
#include "observe/observe.h"

#define START_MARGIN_NS 300000          /* time for the transmit threads to begin to spin */
#define GRACE_RATIO     0.0005          /* part of the Trial Duration for which frames may still be sent after its end */
#define GRACE_MAX_NS    1000000         /* longest such time */
#define GRANT_RATIO     0.5             /* part of the Trial Duration by which stops may prolong the trial */
#define GRANT_LEAST_NS  (NS_PER_S / 10) /* least time by which stops may prolong the trial */
#define POLL_NS         200000          /* pause between two readings of the counters in phase d */
#define QUIET_FRAMES    3               /* A silence is significant if so many frames could have arrived in it, */
#define QUIET_LATENCY   1.25            /* and if it is longer than the slowest latency by this factor. */
#define NIC_LAG_NS      (11 * NS_PER_S) /* some drivers refresh their counters every two seconds, idpf every ten */
#define NIC_POLL_NS     (NS_PER_S / 20)
#define CLOCK_READS     100

#define LINKS_SETTLED_NS NS_PER_S /* time without a link change before a trial is performed again */

static uint64_t ns_of(double seconds)
{
	return (uint64_t)(seconds * (double)NS_PER_S);
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool keeps_part(const struct measurer_xdp *xdp)
{
	return xdp->steps && xdp->steps->keeps_part;
}

/* After frames were sent, sleep until this moment, or until a stop that ends the trial: then true. */
static bool pause_until(const struct measurer_xdp *xdp, uint64_t monotonic_ns)
{
	const struct timespec until = clock_timespec(monotonic_ns);

	if (!keeps_part(xdp))
		return stop_sleep_until(monotonic_ns);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	return false;
}

/* Sleep for a phase, if it has a length. */
static enum exit_code wait_phase(double wait_s)
{
	if (wait_s > 0.0 && stop_sleep_until(clock_ns() + ns_of(wait_s)))
		return EXIT_INTERRUPTED;
	return EXIT_DONE;
}

/* --- snapshots ------------------------------------------------------------------------------------------------------ */

/* How often the kernel gave the driver's transmit queues up and had them reset; not told in another namespace's /sys. */
static uint64_t read_resets(const char *port)
{
	char pattern[sizeof("/sys/class/net//queues/tx-*/tx_timeout") + IF_NAMESIZE];
	char line[32];
	uint64_t sum = 0;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "/sys/class/net/%s/queues/tx-*/tx_timeout", port);
	if (glob(pattern, 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		file_read_line(found.gl_pathv[i], line, sizeof(line));
		sum += strtoull(line, NULL, 10);
	}
	globfree(&found);
	return sum;
}

static enum exit_code find_link(struct measurer_xdp *xdp, unsigned int port, struct link_info *ret)
{
	int error = netlink_link_by_index(xdp->netlink, xdp->ports[port].link.ifindex, ret);

	if (error)
		return refuse(EXIT_INVALID, "port %s disappeared during a trial: %s", xdp->ports[port].link.name,
			      strerror(-error));
	return EXIT_DONE;
}

/* A link that was lost, or a port that was set down, says so by its changes: one more where there was none to begin with, or
 * the port is down in the end. */
static enum exit_code read_link(struct measurer_xdp *xdp, unsigned int port, bool before, struct xdp_snapshot *snapshot)
{
	struct link_info link;
	enum exit_code code;
	bool is_lost;

	ledger_read(xdp->ends[port].ledger, before);
	code = find_link(xdp, port, &link);
	if (code)
		return code;
	is_lost = !link.up || !link.carrier;
	snapshot->link[port] = link.stats;
	link_sent_read(link.ifindex, link.stats.tx_packets, xdp_is_zero_copy(xdp, port), &snapshot->sent[port]);
	snapshot->link_changes[port] =
		link.carrier_changes - (before && is_lost) + (!before && !link.up) + read_resets(xdp->ports[port].link.name);
	return EXIT_DONE;
}

/* Frames that found the kernel's backlog full, on all CPUs (the second column of softnet_stat); 0 if it cannot be read. */
static uint64_t read_backlog_dropped(void)
{
	FILE *file = fopen("/proc/net/softnet_stat", "re");
	unsigned int dropped;
	uint64_t sum = 0;

	if (!file)
		return 0;
	while (fscanf(file, "%*x %x%*[^\n]", &dropped) == 1)
		sum += dropped;
	fclose(file);
	return sum;
}

/* Between two snapshots an interface can only count more frames than our programs, if its counters are read first before the
 * trial and last after it. */
static enum exit_code take_snapshot(struct measurer_xdp *xdp, bool before, struct xdp_snapshot *ret)
{
	enum exit_code code = EXIT_DONE;

	ret->backlog_dropped = read_backlog_dropped();
	for (unsigned int i = 0; i < xdp->port_count; i++)
		ret->announcements[i] = neighbours_announcements(xdp->neighbours, i);
	for (unsigned int i = 0; i < xdp->port_count && !code; i++) {
		if (!before)
			rx_snapshot(xdp->ends[i].rx, &ret->rx[i]);
		code = read_link(xdp, i, before, ret);
		if (before)
			rx_snapshot(xdp->ends[i].rx, &ret->rx[i]);
	}
	return code;
}

/* --- a trial with load steps ------------------------------------------------------------------------------------------ */

#define WATCH_NS (NS_PER_S / 1000)

/* Frames of a load, as the time they take. */
static uint64_t step_ns(double load_fps, uint64_t frame_count)
{
	return ns_of((double)frame_count / load_fps);
}

/* Give the trial its steps; what follows its first part is in *then. */
static void follow_steps(struct load_steps *steps, struct tx_trial *trial, struct tx_trial *then)
{
	uint64_t grace_ns = ns_of(steps->grace_s);

	trial->load_fps = steps->load_fps;
	trial->frame_count = steps->frame_count;
	steps->ret_start_ns = trial->start_ns;
	steps->ret_change_ns = steps->ret_end_ns = trial->start_ns + step_ns(steps->load_fps, steps->frame_count);
	trial->deadline_ns = steps->ret_change_ns + grace_ns;
	if (steps->then_load_fps <= 0.0)
		return;
	*then = *trial;
	then->load_fps = steps->then_load_fps;
	then->frame_count = steps->then_frame_count;
	then->first_sequence += (uint32_t)steps->first_sequences;
	then->start_ns = steps->ret_change_ns;
	steps->ret_end_ns += step_ns(steps->then_load_fps, steps->then_frame_count);
	then->deadline_ns = steps->ret_end_ns + grace_ns;
	trial->then = then;
}

/* Look while frames are sent. */
static void watch_steps(struct measurer_xdp *xdp)
{
	if (!xdp->steps || !xdp->steps->watch)
		return;
	while (clock_ns() < xdp->steps->ret_end_ns && !stop_sleep_until(clock_ns() + WATCH_NS)) {
		xdp->steps->watch(xdp->steps->context, clock_ns());
		for (unsigned int i = 0; i < xdp->port_count; i++)
			if (xdp->ends[i].transmits)
				tx_port_interrupt(xdp->ends[i].tx);
	}
}

/* --- phase c: traffic ----------------------------------------------------------------------------------------------- */

static enum exit_code start_all(struct measurer_xdp *xdp, const struct tx_trial *trial)
{
	enum exit_code code = EXIT_DONE;

	for (unsigned int i = 0; i < xdp->port_count && !code; i++)
		if (xdp->ends[i].transmits)
			code = tx_port_start(xdp->ends[i].tx, trial);
	return code;
}

/* Also where one could not be started: the threads that run use the trial. */
static void wait_for_all(struct measurer_xdp *xdp)
{
	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (xdp->ends[i].transmits)
			tx_port_wait(xdp->ends[i].tx);
}

void xdp_send(struct measurer_xdp *xdp, const struct tx_trial *trial)
{
	start_all(xdp, trial);
	wait_for_all(xdp);
}

static enum exit_code check_reports(const struct measurer_xdp *xdp)
{
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		int error = xdp->ends[i].transmits ? xdp->ends[i].tx->report.error : 0;

		if (error)
			return refuse(EXIT_INVALID, "port %s: the transmitter failed in a trial: %s",
				      xdp->ports[i].link.name,
				      error == -ETIMEDOUT ? "the kernel did not complete its frames" : strerror(-error));
	}
	return EXIT_DONE;
}

enum exit_code xdp_run_transmit(struct measurer_xdp *xdp, const struct xdp_run *run, uint64_t start_ns)
{
	const struct mlr_trial_input *input = &run->input;
	double grace_ns = input->duration_s * GRACE_RATIO * (double)NS_PER_S;
	struct tx_trial then, trial = {
		.number = xdp->trial,
		.load_fps = input->load_fps,
		.frame_count = run->frame_count,
		.first_sequence = xdp->next_sequence,
		.start_ns = start_ns,
		.tag_offset_ns = xdp->clock_offset_ns,
	};
	enum exit_code code = EXIT_DONE;

	trial.deadline_ns = trial.start_ns + ns_of(input->duration_s);
	if (run->frame_count != TX_NO_LIMIT) {
		trial.burst = mlr_burst_of(input->load_fps, xdp->config->burst_frames);
		trial.deadline_ns += (uint64_t)fmin(grace_ns, GRACE_MAX_NS);
		trial.grant_most_ns = greater(ns_of(input->duration_s * GRANT_RATIO), GRANT_LEAST_NS);
	}
	if (xdp->steps)
		follow_steps(xdp->steps, &trial, &then);
	intervals_begin(xdp, start_ns);
	if (xdp->snmp)
		code = snmp_start(xdp->snmp, trial.start_ns, trial.start_ns + ns_of(input->duration_s));
	if (code)
		return code;
	code = start_all(xdp, &trial);
	if (!code)
		watch_steps(xdp);
	wait_for_all(xdp);
	if (!code)
		code = check_reports(xdp);
	return stop_requested() ? EXIT_INTERRUPTED : code;
}

/* What became of the frames of a port; zeros if it does not transmit. */
static const struct tx_report *report_of(const struct measurer_xdp *xdp, unsigned int port)
{
	static const struct tx_report none;

	return xdp->ends[port].transmits ? &xdp->ends[port].tx->report : &none;
}

static uint64_t sent_by_all(const struct measurer_xdp *xdp)
{
	uint64_t sent = 0;

	for (unsigned int i = 0; i < xdp->port_count; i++)
		sent += report_of(xdp, i)->sent;
	return sent;
}

/* How many sequence numbers a trial of so many frames a port may use in a flow. */
static uint64_t sequences_wanted(const struct measurer_xdp *xdp, uint64_t frame_count)
{
	uint64_t most = 0;

	if (frame_count == TX_NO_LIMIT)
		return UINT32_MAX;
	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (xdp->ends[i].tx)
			most = greater(most, tx_port_sequences(xdp->ends[i].tx, frame_count));
	return most;
}

/* The same for a trial with load steps, whose second part begins anew. */
static uint64_t sequences_of_steps(const struct measurer_xdp *xdp)
{
	struct load_steps *steps = xdp->steps;

	steps->first_sequences = sequences_wanted(xdp, steps->frame_count);
	return steps->first_sequences + sequences_wanted(xdp, steps->then_frame_count);
}

uint64_t xdp_run_sequences(const struct measurer_xdp *xdp, const struct xdp_run *run)
{
	return xdp->steps ? sequences_of_steps(xdp) : sequences_wanted(xdp, run->frame_count);
}

uint64_t xdp_run_sequences_used(const struct measurer_xdp *xdp)
{
	uint64_t most = 0;

	if (xdp->steps)
		return sequences_of_steps(xdp);
	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (xdp->ends[i].tx)
			most = greater(most, tx_port_sequences_used(xdp->ends[i].tx));
	return most;
}

/* --- phase d: residual frames --------------------------------------------------------------------------------------- */

/* Flows that arrive at this port; 0 where that is not looked at. */
static uint32_t flows_of(const struct measurer_xdp *xdp, unsigned int port)
{
	uint32_t first, count;

	if (xdp->config->no_seq)
		return 0;
	mlr_profile_receives(&xdp->profile, xdp->ends[port].number, &first, &count);
	return count;
}

struct xdp_progress xdp_run_progress(const struct measurer_xdp *xdp, const struct xdp_run *run)
{
	struct xdp_progress progress = { .sent = sent_by_all(xdp) };

	for (unsigned int i = 0; i < xdp->port_count; i++) {
		struct rx_counters now, since;

		rx_snapshot(xdp->ends[i].rx, &now);
		since = rx_subtract(&now, &run->before.rx[i]);
		progress.unique += since.received;
		progress.all += rx_ours(&since);
		progress.flows += flows_of(xdp, i);
		progress.flows_seen += since.flows;
		progress.late += now.late;
		progress.latency_max_ns = greater(progress.latency_max_ns, rx_latency_max_ns(xdp->ends[i].rx, xdp->trial));
	}
	return progress;
}

struct xdp_residual xdp_residual_begin(struct measurer_xdp *xdp, const struct mlr_trial_input *input)
{
	uint64_t now_ns = clock_ns();

	return (struct xdp_residual){
		.limit_ns = ns_of(xdp->config->waits.residual_s),
		.start_ns = now_ns,
		.quiet_since_ns = now_ns,
		.interval_ns = input->load_fps > 0.0 ? ns_of(1.0 / input->load_fps) : 0,
		.delay = &xdp->delay,
	};
}

/* How long nothing may come before phase d ends. */
static uint64_t patience_ns(const struct xdp_residual *residual, const struct xdp_progress *progress)
{
	if (progress->unique >= progress->sent)
		return residual->limit_ns / WAIT_COPIES_PART;
	if (!residual->delay->is_known || progress->late || progress->unique < progress->sent / 2 ||
	    (progress->flows_seen < progress->flows && progress->flows_seen < progress->sent))
		return residual->limit_ns;
	return greater(greater(residual->limit_ns / WAIT_QUIET_PART, QUIET_FRAMES * residual->interval_ns),
		       (uint64_t)((double)greater(progress->latency_max_ns, residual->delay->longest_ns) * QUIET_LATENCY));
}

/* The last frame came now: how long it, or another, was held at least. Where none came at all, that is not known yet. */
static void learn_delay(const struct xdp_residual *residual, const struct xdp_progress *progress)
{
	residual->delay->is_known |= progress->unique > 0;
	residual->delay->longest_ns =
		greater(residual->delay->longest_ns,
			greater(progress->latency_max_ns, residual->quiet_since_ns - residual->start_ns));
}

bool xdp_residual_is_over(struct xdp_residual *residual, const struct xdp_progress *progress)
{
	uint64_t now_ns = clock_ns();

	if (progress->all != residual->last) {
		residual->last = progress->all;
		residual->quiet_since_ns = now_ns;
	}
	if (now_ns - residual->start_ns >= residual->limit_ns) {
		residual->ended_by = "time";
		learn_delay(residual, progress);
	} else if (now_ns - residual->quiet_since_ns >= patience_ns(residual, progress)) {
		residual->ended_by = progress->unique >= progress->sent ? "all frames" : "silence";
	}
	return residual->ended_by;
}

struct residual_summary xdp_residual_summary(const struct xdp_residual *residual)
{
	return (struct residual_summary){ .waited_s = clock_since_s(residual->start_ns),
					  .quiet_s = clock_since_s(residual->quiet_since_ns),
					  .ended_by = residual->ended_by };
}

static enum exit_code wait_residual(struct measurer_xdp *xdp, const struct xdp_run *run, struct residual_summary *ret)
{
	struct xdp_residual residual = xdp_residual_begin(xdp, &run->input);

	for (;;) {
		struct xdp_progress progress = xdp_run_progress(xdp, run);

		if (xdp_residual_is_over(&residual, &progress)) {
			*ret = xdp_residual_summary(&residual);
			return EXIT_DONE;
		}
		if (pause_until(xdp, clock_ns() + POLL_NS))
			return EXIT_INTERRUPTED;
	}
}

/* --- what a port did -------------------------------------------------------------------------------------------------- */

/* What of rx_dropped was really dropped for want of room: it also has frames that we passed on and nobody wanted, and with
 * some drivers (virtio_net) every frame that an XDP program dropped. */
static uint64_t dropped_for_room(uint64_t dropped, const struct rx_counters *rx)
{
	uint64_t passed_on = rx->foreign + rx->housekeeping, taken = rx_seen(rx) - passed_on;

	if (dropped >= taken)
		dropped -= taken;
	return dropped > passed_on ? dropped - passed_on : 0;
}

/* Frames that the receiving interface's hardware had no room for. Drivers differ in which of three counters they use, and some use
 * several for the same frame. */
static uint64_t without_room(const struct rtnl_link_stats64 *a, const struct rtnl_link_stats64 *b)
{
	return greater(greater(b->rx_missed_errors - a->rx_missed_errors, b->rx_fifo_errors - a->rx_fifo_errors),
		       b->rx_over_errors - a->rx_over_errors);
}

/* Frames that the receiving interface, or its ring, had no room for. */
static uint64_t receiver_missed(const struct rtnl_link_stats64 *a, const struct rtnl_link_stats64 *b,
				const struct rx_counters *rx)
{
	return without_room(a, b) + dropped_for_room(b->rx_dropped - a->rx_dropped, rx);
}

/* Frames that came to the receiving interface and were not whole, as over a dirty fibre. Some drivers count them in rx_errors alone,
 * and some count there what they had no room for, too. */
static uint64_t receiver_damaged(const struct rtnl_link_stats64 *a, const struct rtnl_link_stats64 *b)
{
	uint64_t all = b->rx_errors - a->rx_errors, no_room = without_room(a, b);
	uint64_t told = b->rx_crc_errors - a->rx_crc_errors + b->rx_frame_errors - a->rx_frame_errors + b->rx_length_errors -
			a->rx_length_errors;

	return greater(told, all > no_room ? all - no_room : 0);
}

/* Frames that the transmitting interface did not get out. Not every driver counts redirected ones. */
static uint64_t tx_dropped(const struct measurer_xdp *xdp, unsigned int port, const struct rtnl_link_stats64 *before,
			   const struct rtnl_link_stats64 *after)
{
	return greater(after->tx_dropped - before->tx_dropped + after->tx_errors - before->tx_errors,
		       report_of(xdp, port)->refused);
}

/* Frames that the interface counted as sent. */
static uint64_t nic_sent(const struct measurer_xdp *xdp, unsigned int port, const struct xdp_snapshot *before,
			 const struct xdp_snapshot *after)
{
	uint64_t ours = report_of(xdp, port)->sent + report_of(xdp, port)->extra;
	uint64_t dropped = tx_dropped(xdp, port, &before->link[port], &after->link[port]);

	return link_sent_between(&before->sent[port], &after->sent[port], greater(ours, dropped) - dropped);
}

static void count_port(const struct measurer_xdp *xdp, unsigned int port, const struct xdp_snapshot *a,
		       const struct xdp_snapshot *b, uint64_t intended, struct port_counts *ret)
{
	const struct rtnl_link_stats64 *before = &a->link[port], *after = &b->link[port];
	struct rx_counters rx = rx_subtract(&b->rx[port], &a->rx[port]);

	*ret = (struct port_counts){
		.transmits = xdp->ends[port].transmits,
		.receives = xdp->ends[port].receives,
		.counts = {
			.intended = xdp->ends[port].transmits ? intended : 0,
			.sent = report_of(xdp, port)->sent,
#define RX_COUNTER(name, figure, kind, known, meaning) .name = rx.name,
#define RX_DERIVED(name, figure, value, meaning)       .name = (value),
#include "mlr/counters.def"
		},
		.extra_sent = report_of(xdp, port)->extra,
		.extra_received = rx.extra,
		.housekeeping = rx.housekeeping,
		.announcements_sent = b->announcements[port] - a->announcements[port],
		.received_octets = rx.received_octets + rx.received * MLR_FCS_OCTETS,
		.nic_tx_frames = nic_sent(xdp, port, a, b),
		.nic_tx_dropped = tx_dropped(xdp, port, before, after),
		.nic_rx_frames = after->rx_packets - before->rx_packets,
		.nic_rx_missed = receiver_missed(before, after, &rx),
		.nic_rx_damaged = receiver_damaged(before, after),
	};
	/* before generic XDP a frame waits in the backlog; other links' frames do, too, so this may be too much, not too
	 * little */
	if (rx_is_generic(xdp->ends[port].rx))
		ret->nic_rx_missed += b->backlog_dropped - a->backlog_dropped;
	snprintf(ret->name, sizeof(ret->name), "%s", xdp->config->ports[port].label);
}

static bool is_port(const struct measurer_xdp *xdp, int ifindex)
{
	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (xdp->ports[i].link.ifindex == ifindex)
			return true;
	return false;
}

/* A veth counts as dropped what its peer had no room for: behind the wire, so to say. That is the receiving port's miss
 * where the peer is our other port, and the SUT's loss where it is the SUT. */
static enum tx_drops meaning_of_drops(const struct measurer_xdp *xdp, unsigned int port)
{
	const struct link_info *link = &xdp->ports[port].link;

	if (strcmp(link->kind, "veth"))
		return TX_DROPS_BEFORE_WIRE;
	return is_port(xdp, link->lower_ifindex) ? TX_DROPS_AT_RECEIVER : TX_DROPS_IN_SUT;
}

/* How long a port was at it (s): the trial's duration, or longer where the last frame left late. */
static double busy_s(const struct tx_port *tx, const struct mlr_trial_input *input)
{
	double last_s = 0.0;

	if (input->load_fps > 0.0 && tx->report.last_departure_ns > tx->start_ns)
		last_s = ((double)(tx->report.last_departure_ns - tx->start_ns) - (double)tx->schedule.before_ns) /
				 (double)NS_PER_S +
			 1.0 / input->load_fps;
	return last_s > input->duration_s ? last_s : input->duration_s;
}

/* Answers to our queries are not foreign, though the receiver cannot know that. */
static void add_queries(const struct snmp_report *snmp, struct port_counts *counts)
{
	uint64_t foreign = counts->counts.foreign;

	counts->queries_sent = snmp->queries;
	counts->queries_answered = snmp->answers;
	counts->counts.foreign -= snmp->answers < foreign ? snmp->answers : foreign;
}

/* Whose trial they say they are of. */
static void describe_unknown_trials(const struct rx *rx, struct port_counts *counts)
{
	struct rx_unknown unknown = rx_unknown_trials(rx, true);

	counts->unknown_trials = unknown.numbers;
	counts->unknown_trial_most = unknown.most;
}

/* To how many ports one sends; *ret_to is the last of them. */
static unsigned int receivers_of(const struct mlr_profile *profile, unsigned int from, unsigned int *ret_to)
{
	uint32_t receivers = 0;

	for (unsigned int i = 0; i < profile->stream_count; i++)
		if (profile->streams[i].from == from)
			receivers |= 1u << (*ret_to = profile->streams[i].to);
	return (unsigned int)__builtin_popcount(receivers);
}

/* Count the frames of a queue that one port was to receive. Each load of a trial with steps begins the queue's list of flows anew. */
static enum exit_code count_queue_to(const struct measurer_xdp *xdp, const struct tx_port *tx, unsigned int queue,
				     unsigned int to, struct port_trial *ret)
{
	const struct mlr_queue_plan *plan = tx->plans[queue];
	uint64_t sent = tx->queues[queue]->report.sent, last = tx->queues[queue]->part.sent;
	uint64_t intended = ret->counts.counts.intended;
	owned uint32_t *before = calloc(plan->flow_count + 1, sizeof(*before));
	uint32_t first_flow, flow_count;

	if (!before)
		return refuse(EXIT_INCAPABLE, "out of memory");
	mlr_profile_receives(&xdp->profile, to, &first_flow, &flow_count);
	mlr_plan_flow_counts(plan, first_flow, first_flow + flow_count, before);
	ret->sent_to[to] += xdp_frames_of_flows(plan, before, sent - last) + xdp_frames_of_flows(plan, before, last);
	ret->intended_to[to] +=
		xdp_frames_of_flows(plan, before, intended == ret->sent.sent ? sent : mlr_plan_share(plan, intended));
	return EXIT_DONE;
}

/* What a port sent, by who was to receive it. */
static enum exit_code count_destinations(const struct measurer_xdp *xdp, unsigned int port, struct port_trial *ret)
{
	const struct tx_port *tx = xdp->ends[port].tx;
	unsigned int to = 0;
	enum exit_code code = EXIT_DONE;

	if (receivers_of(&xdp->profile, xdp->ends[port].number, &to) == 1) {
		ret->intended_to[to] = ret->counts.counts.intended;
		ret->sent_to[to] = ret->counts.counts.sent;
		return EXIT_DONE;
	}
	for (to = 0; to < xdp->profile.port_count; to++)
		for (unsigned int queue = 0; queue < tx->queue_count && !code; queue++)
			code = count_queue_to(xdp, tx, queue, to, ret);
	return code;
}

static enum exit_code describe_port(struct measurer_xdp *xdp, unsigned int port, const struct xdp_run *run,
				    struct port_trial *ret)
{
	bool is_sent = run->frame_count == TX_NO_LIMIT || run->is_part;
	uint64_t intended = is_sent ? report_of(xdp, port)->sent : run->frame_count;

	memset(ret, 0, offsetof(struct port_trial, seen)); /* rx_trial() and rx_delays() clear the rest */
	ret->link_changes = run->after.link_changes[port] - run->before.link_changes[port];
	ret->received = rx_subtract(&run->after.rx[port], &run->before.rx[port]);
	ret->tx_drops = meaning_of_drops(xdp, port);
	ret->misaddressed_ratio = destination_unknown_ratio(xdp, port);
	ret->window = rx_window(xdp->ends[port].rx);
	count_port(xdp, port, &run->before, &run->after, intended, &ret->counts);
	moved_find(xdp->ends[port].ledger, &run->before.link[port], &run->after.link[port],
		   rx_seen(&ret->received) - ret->received.foreign - ret->received.housekeeping, &ret->counts);
	if (xdp->snmp && port == xdp->snmp_port)
		add_queries(&run->snmp, &ret->counts);
	xdp->late_in_trials += ret->received.late;
	if (ret->received.unknown_trial)
		describe_unknown_trials(xdp->ends[port].rx, &ret->counts);
	rx_trial(xdp->ends[port].rx, xdp->trial, &ret->seen);
	rx_delays(xdp->ends[port].rx, xdp->trial, &ret->delays);
	rx_icmp_errors(xdp->ends[port].rx, ret->icmp_errors);
	if (!xdp->ends[port].transmits)
		return EXIT_DONE;
	ret->sent = xdp->ends[port].tx->report;
	ret->schedule = xdp->ends[port].tx->schedule;
	ret->busy_s = busy_s(xdp->ends[port].tx, &run->input);
	ret->start_ns = xdp->ends[port].tx->start_ns;
	return count_destinations(xdp, port, ret);
}

/* Frames of a port, as our side knows them and as its interface counted them. */
struct comparison {
	uint64_t ours, nic;
	bool can_be;
};

/* The interface must have seen at least what we sent through it. */
static struct comparison compare_sent(const struct measurer_xdp *xdp, unsigned int port, const struct xdp_snapshot *before,
				      const struct xdp_snapshot *after)
{
	const struct tx_report *report = report_of(xdp, port);
	uint64_t nic = nic_sent(xdp, port, before, after) + tx_dropped(xdp, port, &before->link[port], &after->link[port]);

	return (struct comparison){ report->sent, nic, nic >= report->sent + report->extra };
}

/* And it must have received at least what our program saw. Some drivers count what XDP took apart, so that less than half of
 * it is here: those are not held to it. */
static struct comparison compare_received(const struct measurer_xdp *, unsigned int port, const struct xdp_snapshot *before,
					  const struct xdp_snapshot *after)
{
	struct rx_counters rx = rx_subtract(&after->rx[port], &before->rx[port]);
	uint64_t ours = rx_seen(&rx), nic = after->link[port].rx_packets - before->link[port].rx_packets;

	return (struct comparison){ ours, nic, nic >= ours || nic < ours / 2 };
}

typedef struct comparison compare_counters(const struct measurer_xdp *xdp, unsigned int port,
					   const struct xdp_snapshot *before, const struct xdp_snapshot *after);

/* Some drivers refresh their counters late, and are looked at again. `we` and `it` are what the two sides did. */
static enum exit_code check_counters(struct measurer_xdp *xdp, const struct xdp_snapshot *before, struct xdp_snapshot *after,
				     compare_counters *compare, const char *we, const char *it)
{
	uint64_t deadline_ns = clock_ns() + NIC_LAG_NS;
	struct comparison found;
	enum exit_code code;

	for (unsigned int i = 0; i < xdp->port_count; i++) {
		while (!(found = compare(xdp, i, before, after)).can_be) {
			if (clock_ns() >= deadline_ns)
				return refuse(EXIT_INVALID,
					      "port %s: impossible counters: %s %llu frames, the interface %s %llu",
					      xdp->ports[i].link.name, we, (unsigned long long)found.ours, it,
					      (unsigned long long)found.nic);
			if (pause_until(xdp, clock_ns() + NIC_POLL_NS))
				return EXIT_INTERRUPTED;
			if ((code = read_link(xdp, i, false, after)))
				return code;
		}
	}
	return EXIT_DONE;
}

static bool links_changed(const struct xdp_run *run)
{
	return memcmp(run->after.link_changes, run->before.link_changes, sizeof(run->after.link_changes));
}

/* Counters of links that changed are held to nothing: such a trial is not believed, but where links may change. */
enum exit_code xdp_run_end(struct measurer_xdp *xdp, struct xdp_run *run, struct port_trial *ret_ports)
{
	enum exit_code code;

	for (unsigned int i = 0; i < xdp->port_count; i++)
		rx_end_trial(xdp->ends[i].rx);
	if ((code = departure_end(xdp)) || (code = departure_check_launches(xdp)) ||
	    (code = take_snapshot(xdp, false, &run->after)))
		return code;
	xdp->links_unsteady = links_changed(run);
	xdp->delay.is_known &= !xdp->links_unsteady;
	if (!xdp->links_unsteady &&
	    ((code = check_counters(xdp, &run->before, &run->after, compare_sent, "we sent", "counted")) ||
	     (code = check_counters(xdp, &run->before, &run->after, compare_received, "our program saw", "received"))))
		return code;
	for (unsigned int i = 0; i < xdp->port_count && !code; i++)
		code = describe_port(xdp, i, run, &ret_ports[i]);
	return code;
}

/* --- links that change ------------------------------------------------------------------------------------------------ */

/* Wait until all links have been up, without a change, for a while. */
static enum exit_code settle_links(struct measurer_xdp *xdp)
{
	uint64_t now_ns = clock_ns(), deadline_ns = now_ns + LINKS_WAIT_NS, since_ns = now_ns, last = 0;

	do {
		struct link_info link;
		uint64_t changes = 0;
		bool up = true;

		for (unsigned int i = 0; i < xdp->port_count; i++) {
			enum exit_code code = find_link(xdp, i, &link);

			if (code)
				return code;
			up &= link.up && link.carrier;
			changes += link.carrier_changes;
		}
		now_ns = clock_ns();
		if (!up || changes != last)
			since_ns = now_ns;
		last = changes;
		if (now_ns - since_ns >= LINKS_SETTLED_NS)
			return EXIT_DONE;
		if (now_ns >= deadline_ns)
			return refuse(EXIT_INVALID,
				      "after a link went down in a trial, the links were not up for %.0f s on end within "
				      "%.0f s; look at cables and at the SUT",
				      LINKS_SETTLED_NS / 1e9, LINKS_WAIT_NS / 1e9);
	} while (!stop_sleep_until(now_ns + NIC_POLL_NS));
	return EXIT_INTERRUPTED;
}

/* What was seen of the trial until then is forgotten. */
static void begin_steps_again(struct load_steps *steps)
{
	if (!steps)
		return;
	steps->ret_start_ns = steps->ret_change_ns = 0;
	if (steps->again)
		steps->again(steps->context);
}

/* --- the trial ------------------------------------------------------------------------------------------------------ */

enum exit_code xdp_run_begin(const struct mlr_trial_input *input, struct xdp_run *ret)
{
	uint64_t frame_count = input->load_fps > 0.0 ? mlr_trial_intended(input) : TX_NO_LIMIT;

	if (!frame_count)
		return refuse(EXIT_USAGE_ERROR,
			      "a trial of %g s at %g frames/s cannot be counted; use a smaller load or duration",
			      input->duration_s, input->load_fps);
	*ret = (struct xdp_run){ .input = *input, .frame_count = frame_count };
	return EXIT_DONE;
}

enum exit_code xdp_run_arm(struct measurer_xdp *xdp, uint64_t sequences, struct xdp_run *run)
{
	const struct waits *waits = &xdp->config->waits;
	enum exit_code code;

	bool ignored;

	observers_idle(xdp->measurer.observers);
	if (xdp->links_unsteady && ((code = settle_links(xdp)) || (xdp->connects && (code = connection_make(xdp)))))
		return code;
	if ((code = destinations_ask_again(xdp, &ignored)))
		return code;
	for (unsigned int i = 0; i < xdp->port_count; i++)
		rx_accept_trial(xdp->ends[i].rx, xdp->trial, xdp->next_sequence, sequences);
	if ((code = wait_phase(waits->routing_s)))
		return code;
	neighbours_announce_silent(xdp->neighbours);
	neighbours_announce(xdp->neighbours, xdp->config->learning_frames);
	if ((code = wait_phase(waits->learning_s)))
		return code;
	observers_spare_cpus(xdp->measurer.observers, &xdp->transmit_cpus);
	observers_begin(xdp->measurer.observers, run->input.duration_s);
	if ((code = timestamps_begin(xdp)) || (code = departure_begin(xdp)) ||
	    (code = take_snapshot(xdp, true, &run->before)))
		return code;
	for (unsigned int i = 0; i < xdp->port_count; i++)
		rx_capture_anew(xdp->ends[i].rx);
	return EXIT_DONE;
}

/* A stop ended the trial while frames were sent: whether it goes on as if they had been all. */
static bool take_part(struct measurer_xdp *xdp, struct xdp_run *run)
{
	uint64_t sent = sent_by_all(xdp);

	if (!keeps_part(xdp) || !sent)
		return false;
	xdp->steps->ret_is_part = run->is_part = true;
	run->input.duration_s = (double)sent / run->input.load_fps / xdp->measurer.transmitters;
	return true;
}

/* What was seen of the SUT in the trial that began then, in place of what an earlier performance saw. */
static void observe_end(struct measurer_xdp *xdp, const struct xdp_run *run, uint64_t start_ns,
			struct measurement *measurement)
{
	json_decref(measurement->observed);
	measurement->observed = observers_end(xdp->measurer.observers, start_ns, start_ns + ns_of(run->input.duration_s));
}

static enum exit_code perform(struct measurer_xdp *xdp, struct xdp_run *run, struct measurement *measurement)
{
	const struct waits *waits = &xdp->config->waits;
	uint64_t start_ns;
	enum exit_code code;

	xdp->trial++;
	measurement->number = xdp->measurer.last_trial = ++xdp->trial_count;
	code = xdp_run_arm(xdp, xdp_run_sequences(xdp, run), run);
	start_ns = clock_ns() + START_MARGIN_NS;
	if (code || ((code = xdp_run_transmit(xdp, run, start_ns)) && (code != EXIT_INTERRUPTED || !take_part(xdp, run))))
		return code;
	xdp->trial_first_sequence = xdp->next_sequence;
	xdp->next_sequence += (uint32_t)xdp_run_sequences_used(xdp) + 1;
	code = wait_residual(xdp, run, &measurement->residual);
	if (xdp->snmp)
		run->snmp = snmp_stop(xdp->snmp);
	if (code || (code = timestamps_end(xdp)))
		return code;
	measurement->waits_s = waits_always_s(waits) + measurement->residual.waited_s;
	code = xdp_run_end(xdp, run, xdp->account.ports);
	observe_end(xdp, run, start_ns, measurement);
	if (!code && wait_phase(waits->stabilize_s) && !keeps_part(xdp))
		code = EXIT_INTERRUPTED;
	return code;
}

/* What each of the two readings of CLOCK_MONOTONIC costs (ns). */
static double clock_read_ns(void)
{
	uint64_t least_ns = UINT64_MAX;

	for (int i = 0; i < CLOCK_READS; i++) {
		uint64_t first_ns = clock_ns(), difference_ns = clock_ns() - first_ns;

		if (difference_ns < least_ns)
			least_ns = difference_ns;
	}
	return (double)least_ns;
}

void xdp_account(struct measurer_xdp *xdp, const struct config *config, const struct mlr_trial_input *input,
		 unsigned int port_count)
{
	xdp->account.config = config;
	xdp->account.profile = &xdp->profile;
	xdp->account.input = *input;
	xdp->account.clock_read_ns = clock_read_ns();
	xdp->account.port_count = port_count;
}

void xdp_trial_conclude(const struct config *config, const struct mlr_trial_input *input, uint64_t start_ns,
			struct measurement *measurement)
{
	struct mlr_trial_input performed = *input;
	double effective_s;

	measurement->wall_s = clock_since_s(start_ns);
	performed.load_fps = measurement->pacing.intended_fps;
	effective_s = config->effective_duration == EFFECTIVE_WALL ? measurement->wall_s : input->duration_s;
	measurement->result.input = performed;
	measurement->result.output = mlr_trial_output(&performed, measurement->verdict.loss_ratio, effective_s);
}

/* One performance of a trial, and of those in which a link changed one more; what its frames came to. */
static enum exit_code perform_and_account(struct measurer_xdp *xdp, const struct mlr_trial_input *input, struct xdp_run *run,
					  struct measurement *measurement)
{
	struct account *account = &xdp->account;
	bool may_change = xdp->steps && xdp->steps->links_may_change, again = true;
	enum exit_code code;

	if ((code = xdp_run_begin(input, run)) || (code = perform(xdp, run, measurement)))
		return code;
	xdp_account(xdp, xdp->config, &run->input, xdp->port_count);
	if (may_change)
		account_note_links(account);
	while (account_changed_link(account) && !may_change) {
		begin_steps_again(xdp->steps);
		if ((code = account_judge_links(account, measurement->link_repeats++)) ||
		    (code = perform(xdp, run, measurement)))
			return code;
	}
	if (!(code = destinations_judge(xdp, account, &again)) && again) {
		begin_steps_again(xdp->steps);
		code = perform(xdp, run, measurement);
	}
	return code ? code : account_for(account, measurement);
}

/* Perform a trial until the tester does not spoil it, or there is no hope of that. One with load steps its caller repeats. */
static enum exit_code perform_unspoilt(struct measurer_xdp *xdp, const struct mlr_trial_input *input, struct xdp_run *run,
				       struct measurement *measurement)
{
	for (;;) {
		uint64_t start_ns = clock_ns();
		enum exit_code code = perform_and_account(xdp, input, run, measurement);

		if (code || xdp->steps)
			return code;
		if (!account_may_repeat(&xdp->account, measurement, xdp->repeats_most)) {
			xdp->repeats_most = account_next_repeats(xdp->config, measurement, xdp->repeats_most);
			return EXIT_DONE;
		}
		if (measurement_repeat(measurement, clock_since_s(start_ns)))
			return refuse(EXIT_INCAPABLE, "out of memory");
	}
}

static enum exit_code describe_reception(struct measurer_xdp *xdp, const struct mlr_trial_input *input,
					 const struct xdp_run *run, struct measurement *measurement)
{
	struct rx_counters received = account_received(&xdp->account);
	enum exit_code code = timestamps_judge(xdp, &received, xdp->account.clock_read_ns, measurement);

	if (code)
		return code;
	departure_judge(xdp, measurement);
	if ((code = icmp_summarize(&xdp->account, measurement)) ||
	    (code = intervals_end(xdp, &run->input, run->frame_count, measurement)))
		return code;
	code = services_end(xdp, input->load_fps, run->frame_count, run->is_part, measurement);
	if (!code)
		code = parts_end(xdp, measurement);
	return code ? code : flows_end(xdp, &(struct sent_load){ run->input.load_fps, run->frame_count }, measurement);
}

enum exit_code xdp_trial(struct measurer_xdp *xdp, const struct mlr_trial_input *input, struct measurement *ret)
{
	struct measurement measurement = { .tx_backend = xdp_backend(xdp) };
	uint64_t start_ns = clock_ns();
	struct xdp_run run;
	enum exit_code code = intervals_check(xdp->config, input);

	if (code)
		return code;
	code = perform_unspoilt(xdp, input, &run, &measurement);
	if (!code)
		code = describe_reception(xdp, input, &run, &measurement);
	if (code) {
		measurement_free(&measurement);
		return code;
	}
	xdp_trial_conclude(xdp->config, &run.input, start_ns, &measurement);
	*ret = measurement;
	return EXIT_DONE;
}
