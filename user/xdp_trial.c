/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One trial over real ports (RFC 2544 section 23; draft-15 section 4.4.3):
 *
 *	waits a and b; snapshot; transmit; wait d, until the counters are quiet; snapshot; wait e; account for every frame
 *
 * Nothing is reset: every count is the difference of two snapshots. What is missing is attributed in the order in which a
 * frame travels: not sent, dropped by the transmitting interface, missed by the receiving one, and what then remains was
 * lost in the SUT.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "measurer_xdp.h"
#include "stop.h"
#include "timestamps.h"

#define START_MARGIN_NS     300000 /* until the transmit threads spin */
#define GRACE_RATIO         0.0005 /* of the Trial Duration: what a stall of this machine may still be caught up after it */
#define GRACE_MAX_NS        1000000
#define POLL_NS             200000         /* between looks at the counters in phase d */
#define QUIET_FRACTION      5              /* phase d ends after a fifth of its time without a frame */
#define NIC_LAG_NS          (3 * NS_PER_S) /* some drivers refresh their counters every two seconds */
#define NIC_POLL_NS         (NS_PER_S / 20)
#define PPM                 1e6
#define CLOCK_READS         100
#define PACING_SHARE        10    /* of the Goal Width: how far the load may be off */
#define DEFAULT_WIDTH_RATIO 0.005 /* where there is no goal */

/* All counters of both ports at one moment. */
struct snapshot {
	struct rx_counters rx[MLR_PORTS_MAX];
	struct rtnl_link_stats64 link[MLR_PORTS_MAX];
	uint64_t backlog_dropped; /* by the whole machine */
};

static uint64_t ns_of(double seconds)
{
	return (uint64_t)(seconds * (double)NS_PER_S);
}

/* Sleep for a phase, if it has a length. */
static enum exit_code wait_phase(double wait_s)
{
	if (wait_s > 0.0 && stop_sleep_until(clock_ns() + ns_of(wait_s)))
		return EXIT_INTERRUPTED;
	return EXIT_DONE;
}

/* --- snapshots ------------------------------------------------------------------------------------------------------ */

static enum exit_code read_link(struct measurer_xdp *xdp, unsigned int port, struct rtnl_link_stats64 *ret)
{
	struct link_info link;
	int error = netlink_link_by_index(xdp->netlink, xdp->ports[port].link.ifindex, &link);

	if (error)
		return refuse(EXIT_INVALID, "port %s disappeared during a trial: %s", xdp->ports[port].link.name,
			      strerror(-error));
	if (!link.up || !link.carrier)
		return refuse(EXIT_INVALID, "port %s lost its link during a trial", xdp->ports[port].link.name);
	*ret = link.stats;
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
static enum exit_code take_snapshot(struct measurer_xdp *xdp, bool before, struct snapshot *ret)
{
	enum exit_code code = EXIT_DONE;

	ret->backlog_dropped = read_backlog_dropped();
	for (unsigned int i = 0; i < xdp->port_count && !code; i++) {
		if (!before)
			rx_snapshot(xdp->ends[i].rx, &ret->rx[i]);
		code = read_link(xdp, i, &ret->link[i]);
		if (before)
			rx_snapshot(xdp->ends[i].rx, &ret->rx[i]);
	}
	return code;
}

/* --- a trial with a course ------------------------------------------------------------------------------------------ */

#define WATCH_NS (NS_PER_S / 1000)

/* Frames of a load, as the time they take. */
static uint64_t course_ns(double load_fps, uint64_t frame_count)
{
	return ns_of((double)frame_count / load_fps);
}

/* Give the trial its course; what follows its first part is in *then. */
static void follow_course(struct trial_course *course, struct tx_trial *trial, struct tx_trial *then)
{
	uint64_t grace_ns = ns_of(course->grace_s);

	trial->load_fps = course->load_fps;
	trial->frame_count = course->frame_count;
	course->ret_start_ns = trial->start_ns;
	course->ret_change_ns = course->ret_end_ns = trial->start_ns + course_ns(course->load_fps, course->frame_count);
	trial->deadline_ns = course->ret_change_ns + grace_ns;
	if (course->then_load_fps <= 0.0)
		return;
	*then = *trial;
	then->load_fps = course->then_load_fps;
	then->frame_count = course->then_frame_count;
	then->first_sequence += (uint32_t)course->first_sequences;
	then->start_ns = course->ret_change_ns;
	course->ret_end_ns += course_ns(course->then_load_fps, course->then_frame_count);
	then->deadline_ns = course->ret_end_ns + grace_ns;
	trial->then = then;
}

/* One look for the watch of a course. The first sets what counts from. */
static void look(struct measurer_xdp *xdp, bool first)
{
	struct trial_course *course = xdp->course;
	struct rx_counters now, sum = { 0 };

	if (!course || !course->watch)
		return;
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		rx_snapshot(xdp->ends[i].rx, &now);
		rx_add(&sum, &now);
	}
	if (first) {
		course->base_received = sum.received;
		course->base_missing = sum.gap_frames;
	}
	course->watch(course->context, clock_ns(), sum.received - course->base_received,
		      sum.gap_frames - course->base_missing);
}

/* Look while frames are sent. */
static void watch_course(struct measurer_xdp *xdp)
{
	if (!xdp->course || !xdp->course->watch)
		return;
	while (clock_ns() < xdp->course->ret_end_ns && !stop_sleep_until(clock_ns() + WATCH_NS)) {
		look(xdp, false);
		for (unsigned int i = 0; i < xdp->port_count; i++)
			if (xdp->ends[i].transmits)
				tx_port_interrupt(xdp->ends[i].tx);
	}
}

/* --- phase c: traffic ----------------------------------------------------------------------------------------------- */

static enum exit_code transmit(struct measurer_xdp *xdp, const struct mlr_trial_input *input, uint64_t frame_count)
{
	double grace_ns = input->duration_s * GRACE_RATIO * (double)NS_PER_S;
	struct tx_trial then, trial = {
		.number = xdp->trial,
		.load_fps = input->load_fps,
		.frame_count = frame_count,
		.first_sequence = xdp->next_sequence,
		.start_ns = clock_ns() + START_MARGIN_NS,
	};
	enum exit_code code = EXIT_DONE;

	trial.deadline_ns = trial.start_ns + ns_of(input->duration_s);
	if (frame_count != TX_NO_LIMIT)
		trial.deadline_ns += (uint64_t)(grace_ns < GRACE_MAX_NS ? grace_ns : GRACE_MAX_NS);
	if (xdp->course)
		follow_course(xdp->course, &trial, &then);
	if (xdp->management)
		code = management_start(xdp->management, trial.start_ns, trial.start_ns + ns_of(input->duration_s));
	if (code)
		return code;
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		if (!xdp->ends[i].transmits)
			continue;
		code = tx_port_start(xdp->ends[i].tx, &trial);
		if (code) {
			/* the threads that run must end before their frames are freed */
			while (i-- > 0)
				if (xdp->ends[i].transmits)
					tx_port_wait(xdp->ends[i].tx);
			return code;
		}
	}
	watch_course(xdp);
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		int error;

		if (!xdp->ends[i].transmits)
			continue;
		tx_port_wait(xdp->ends[i].tx);
		error = xdp->ends[i].tx->report.error;
		if (error && !code)
			code = refuse(EXIT_INVALID, "port %s: the transmitter failed in a trial: %s",
				      xdp->ports[i].link.name,
				      error == -ETIMEDOUT ? "the kernel did not complete its frames" : strerror(-error));
	}
	return stop_requested() ? EXIT_INTERRUPTED : code;
}

static uint64_t sent_by(const struct measurer_xdp *xdp, unsigned int port)
{
	return xdp->ends[port].transmits ? xdp->ends[port].tx->report.sent : 0;
}

static uint64_t sent_by_all(const struct measurer_xdp *xdp)
{
	uint64_t sent = 0;

	for (unsigned int i = 0; i < xdp->port_count; i++)
		sent += sent_by(xdp, i);
	return sent;
}

/* What its transmitter knows the driver to have had no room for. */
static uint64_t refused_by(const struct measurer_xdp *xdp, unsigned int port)
{
	return xdp->ends[port].transmits ? xdp->ends[port].tx->report.refused : 0;
}

/* Frames that a port sent beside the load. */
static uint64_t extra_by(const struct measurer_xdp *xdp, unsigned int port)
{
	return xdp->ends[port].transmits ? xdp->ends[port].tx->report.extra : 0;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
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

/* The same for a trial with a course, whose second part begins anew. */
static uint64_t sequences_of_course(const struct measurer_xdp *xdp)
{
	struct trial_course *course = xdp->course;

	course->first_sequences = sequences_wanted(xdp, course->frame_count);
	return course->first_sequences + sequences_wanted(xdp, course->then_frame_count);
}

/* How many the trial that has ended did use. */
static uint64_t sequences_used(const struct measurer_xdp *xdp)
{
	uint64_t most = 0;

	if (xdp->course)
		return sequences_of_course(xdp);
	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (xdp->ends[i].tx)
			most = greater(most, tx_port_sequences_used(xdp->ends[i].tx));
	return most;
}

/* --- phase d: residual frames --------------------------------------------------------------------------------------- */

/* Frames of the tester's that arrived since a snapshot: the unique ones, and all. */
static void arrived(const struct measurer_xdp *xdp, const struct snapshot *before, uint64_t *ret_unique, uint64_t *ret_all)
{
	uint64_t unique = 0, all = 0;

	for (unsigned int i = 0; i < xdp->port_count; i++) {
		struct rx_counters now, since;

		rx_snapshot(xdp->ends[i].rx, &now);
		since = rx_subtract(&now, &before->rx[i]);
		unique += since.received;
		all += since.received + since.duplicate + since.malformed + since.misdirected;
	}
	*ret_unique = unique;
	*ret_all = all;
}

/* Until every sent frame is there, or none has come for a fifth of the time, or the time is up. */
static enum exit_code wait_residual(struct measurer_xdp *xdp, const struct snapshot *before)
{
	uint64_t limit_ns = ns_of(xdp->config->waits.residual_s), start_ns = clock_ns(), quiet_since_ns = start_ns;
	uint64_t sent = sent_by_all(xdp), unique, all, last = 0;

	for (uint64_t now_ns = start_ns;; now_ns = clock_ns()) {
		arrived(xdp, before, &unique, &all);
		if (all != last) {
			last = all;
			quiet_since_ns = now_ns;
		}
		if (unique >= sent || now_ns - start_ns >= limit_ns || now_ns - quiet_since_ns >= limit_ns / QUIET_FRACTION)
			return EXIT_DONE;
		if (stop_sleep_until(now_ns + POLL_NS))
			return EXIT_INTERRUPTED;
	}
}

/* --- accounting ----------------------------------------------------------------------------------------------------- */

static uint64_t at_most(uint64_t value, uint64_t limit)
{
	return value < limit ? value : limit;
}

/* What of rx_dropped was really dropped for want of room: it also has frames that we passed on and nobody wanted, and with some
 * drivers (virtio_net) every frame that an XDP program dropped. */
static uint64_t dropped_for_room(uint64_t dropped, const struct rx_counters *rx)
{
	uint64_t passed_on = rx->foreign + rx->housekeeping, taken = rx_seen(rx) - passed_on;

	if (dropped >= taken)
		dropped -= taken;
	return dropped > passed_on ? dropped - passed_on : 0;
}

/* Frames that the receiving interface had no room for. Drivers differ in which of three counters they use, and some use
 * several for the same frame. */
static uint64_t receiver_missed(const struct rtnl_link_stats64 *a, const struct rtnl_link_stats64 *b,
				const struct rx_counters *rx)
{
	return greater(greater(b->rx_missed_errors - a->rx_missed_errors, b->rx_fifo_errors - a->rx_fifo_errors),
		       b->rx_over_errors - a->rx_over_errors) +
	       dropped_for_room(b->rx_dropped - a->rx_dropped, rx);
}

/* Frames that the transmitting interface did not get out. Not every driver counts redirected ones. */
static uint64_t tx_dropped(const struct measurer_xdp *xdp, unsigned int port, const struct rtnl_link_stats64 *before,
			   const struct rtnl_link_stats64 *after)
{
	return greater(after->tx_dropped - before->tx_dropped + after->tx_errors - before->tx_errors, refused_by(xdp, port));
}

static void count_port(const struct measurer_xdp *xdp, unsigned int port, const struct snapshot *a, const struct snapshot *b,
		       uint64_t intended, struct port_counts *ret)
{
	const struct rtnl_link_stats64 *before = &a->link[port], *after = &b->link[port];
	struct rx_counters rx = rx_subtract(&b->rx[port], &a->rx[port]);

	*ret = (struct port_counts){
		.transmits = xdp->ends[port].transmits,
		.receives = xdp->ends[port].receives,
		.counts = {
			.intended = xdp->ends[port].transmits ? intended : 0,
			.sent = sent_by(xdp, port),
			.received = rx.received,
			.duplicate = rx.duplicate,
			.reordered = rx.reordered,
			.late = rx.late,
			.foreign = rx.foreign + rx.misdirected,
			.malformed = rx.malformed,
		},
		.extra_sent = extra_by(xdp, port),
		.extra_received = rx.extra,
		.received_octets = rx.received_octets + rx.received * MLR_FCS_OCTETS,
		.nic_tx_frames = after->tx_packets - before->tx_packets,
		.nic_tx_dropped = tx_dropped(xdp, port, before, after),
		.nic_rx_frames = after->rx_packets - before->rx_packets,
		.nic_rx_missed = receiver_missed(before, after, &rx),
	};
	/* before generic XDP a frame waits in the backlog; other links' frames do, too, so this may be too much, not too little */
	if (rx_is_generic(xdp->ends[port].rx))
		ret->nic_rx_missed += b->backlog_dropped - a->backlog_dropped;
	memcpy(ret->name, xdp->ports[port].link.name, sizeof(ret->name));
}

/* Answers to our queries are not foreign, though the receiver cannot know that. */
static void add_management(struct port_counts *port, struct mlr_trial_counts *sum,
			   const struct management_report *management)
{
	uint64_t answers = at_most(management->answers, port->counts.foreign);

	port->queries_sent = management->queries;
	port->queries_answered = management->answers;
	port->counts.foreign -= answers;
	sum->foreign -= answers;
}

static void add_counts(struct mlr_trial_counts *sum, const struct mlr_trial_counts *more)
{
	sum->intended += more->intended;
	sum->sent += more->sent;
	sum->received += more->received;
	sum->duplicate += more->duplicate;
	sum->reordered += more->reordered;
	sum->late += more->late;
	sum->foreign += more->foreign;
	sum->malformed += more->malformed;
}

static bool is_port(const struct measurer_xdp *xdp, int ifindex)
{
	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (xdp->ports[i].link.ifindex == ifindex)
			return true;
	return false;
}

/* What a port's transmit drops mean. A veth counts there what its peer had no room for: behind the wire, so to say. That is
 * the receiving port's miss where the peer is our other port, and the SUT's loss where it is the SUT. */
static void attribute_tx_drops(const struct measurer_xdp *xdp, unsigned int port, uint64_t dropped, uint64_t *tx_dropped,
			       uint64_t *rx_missed)
{
	const struct link_info *link = &xdp->ports[port].link;

	if (strcmp(link->kind, "veth"))
		*tx_dropped += dropped;
	else if (is_port(xdp, link->lower_ifindex))
		*rx_missed += dropped;
}

static struct loss_attribution attribute(const struct measurer_xdp *xdp, const struct measurement *measurement)
{
	uint64_t missing = measurement->verdict.lost > 0 ? (uint64_t)measurement->verdict.lost : 0, tx_dropped = 0,
		 rx_missed = 0;

	for (unsigned int i = 0; i < xdp->port_count; i++) {
		if (measurement->ports[i].transmits)
			attribute_tx_drops(xdp, i, measurement->ports[i].nic_tx_dropped, &tx_dropped, &rx_missed);
		if (measurement->ports[i].receives)
			rx_missed += measurement->ports[i].nic_rx_missed;
	}
	tx_dropped = at_most(tx_dropped, missing);
	rx_missed = at_most(rx_missed, missing - tx_dropped);
	return (struct loss_attribution){
		.unsent = measurement->verdict.unsent,
		.dropped_before_wire = tx_dropped,
		.receiver_missed = rx_missed,
		.sut = measurement->verdict.lost - (int64_t)(tx_dropped + rx_missed),
	};
}

/* Some drivers refresh their counters late: look again. */
static enum exit_code read_link_again(struct measurer_xdp *xdp, unsigned int port, struct snapshot *after)
{
	if (stop_sleep_until(clock_ns() + NIC_POLL_NS))
		return EXIT_INTERRUPTED;
	return read_link(xdp, port, &after->link[port]);
}

/* The interface must have seen at least what we sent through it. */
static enum exit_code check_nic_counters(struct measurer_xdp *xdp, const struct snapshot *before, struct snapshot *after)
{
	uint64_t deadline_ns = clock_ns() + NIC_LAG_NS;

	for (unsigned int i = 0; i < xdp->port_count; i++) {
		for (;;) {
			uint64_t seen = after->link[i].tx_packets - before->link[i].tx_packets +
					tx_dropped(xdp, i, &before->link[i], &after->link[i]);
			enum exit_code code;

			if (seen >= sent_by(xdp, i) + extra_by(xdp, i))
				break;
			if (clock_ns() >= deadline_ns)
				return refuse(
					EXIT_INVALID,
					"port %s: impossible counters: we sent %llu frames, the interface counted %llu",
					xdp->ports[i].link.name, (unsigned long long)sent_by(xdp, i),
					(unsigned long long)seen);
			code = read_link_again(xdp, i, after);
			if (code)
				return code;
		}
	}
	return EXIT_DONE;
}

/* Frames that the interface of a port saw, and those that our program did. */
static bool sees_enough(const struct snapshot *before, const struct snapshot *after, unsigned int port, uint64_t *ret_nic,
			uint64_t *ret_ours)
{
	struct rx_counters ours = rx_subtract(&after->rx[port], &before->rx[port]);

	*ret_nic = after->link[port].rx_packets - before->link[port].rx_packets;
	*ret_ours = rx_seen(&ours);
	return *ret_nic >= *ret_ours;
}

/* And it must have received at least what our program saw. Some drivers count what XDP took apart, so that less than half of it
 * is here: those are not held to it. */
static enum exit_code check_nic_received(struct measurer_xdp *xdp, const struct snapshot *before, struct snapshot *after)
{
	uint64_t deadline_ns = clock_ns() + NIC_LAG_NS, nic, ours;

	for (unsigned int i = 0; i < xdp->port_count; i++) {
		while (!sees_enough(before, after, i, &nic, &ours) && nic >= ours / 2) {
			enum exit_code code;

			if (clock_ns() >= deadline_ns)
				return refuse(EXIT_INVALID,
					      "port %s: impossible counters: our program saw %llu frames, the interface "
					      "received %llu",
					      xdp->ports[i].link.name, (unsigned long long)ours, (unsigned long long)nic);
			code = read_link_again(xdp, i, after);
			if (code)
				return code;
		}
	}
	return EXIT_DONE;
}

/* What arrived of all that a port sent to others; *ret_to is one of those. */
static uint64_t received_from(const struct measurer_xdp *xdp, unsigned int port, const struct snapshot *a,
			      const struct snapshot *b, unsigned int *ret_to)
{
	uint64_t received = 0;

	for (unsigned int i = 0; i < xdp->profile.stream_count; i++) {
		if (xdp->profile.streams[i].from != port)
			continue;
		*ret_to = xdp->profile.streams[i].to;
		received += rx_subtract(&b->rx[*ret_to], &a->rx[*ret_to]).received;
	}
	return received;
}

/* All frames of a port came back where they started, and none where they should be. */
static enum exit_code check_cabling(const struct measurer_xdp *xdp, const struct snapshot *a, const struct snapshot *b)
{
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		uint64_t back = rx_subtract(&b->rx[i], &a->rx[i]).misdirected;
		unsigned int to = i;

		if (back && xdp->ends[i].transmits && !received_from(xdp, i, a, b, &to))
			return refuse(EXIT_INVALID,
				      "ports crossed: %llu frames that port %s sent came back to it, none reached port %s",
				      (unsigned long long)back, xdp->ports[i].link.name, xdp->ports[to].link.name);
	}
	return EXIT_DONE;
}

/* How long a port was at it (s): the trial's duration, or longer where the last frame left late. */
static double busy_s(const struct tx_port *tx, const struct mlr_trial_input *input)
{
	double last_s = 0.0;

	if (input->load_fps > 0.0 && tx->report.last_departure_ns > tx->start_ns)
		last_s = (double)(tx->report.last_departure_ns - tx->start_ns) / (double)NS_PER_S + 1.0 / input->load_fps;
	return last_s > input->duration_s ? last_s : input->duration_s;
}

/* The mean over the ports that send. */
static double achieved_fps(const struct measurer_xdp *xdp, const struct mlr_trial_input *input)
{
	double sum_fps = 0.0;

	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (xdp->ends[i].transmits)
			sum_fps += (double)sent_by(xdp, i) / busy_s(xdp->ends[i].tx, input);
	return sum_fps / xdp->measurer.transmitters;
}

/* The pacing error (ppm) that says nothing about the SUT: a tenth of the narrowest Goal Width. */
static double pacing_error_most_ppm(const struct config *config)
{
	double width_ratio = DEFAULT_WIDTH_RATIO;

	for (size_t i = 0; i < config->goal_count; i++)
		if (config->goals[i].width_ratio < width_ratio || i == 0)
			width_ratio = config->goals[i].width_ratio;
	return width_ratio / PACING_SHARE * PPM;
}

static void summarize_pacing(const struct measurer_xdp *xdp, const struct mlr_trial_input *input, struct pacing_summary *ret)
{
	double sent_fps = achieved_fps(xdp, input);
	double intended_fps = input->load_fps > 0.0 ? input->load_fps : sent_fps;
	struct mlr_histogram gaps = { 0 };
	uint64_t burst_max = 0;

	for (unsigned int i = 0; i < xdp->port_count; i++) {
		if (!xdp->ends[i].transmits)
			continue;
		mlr_histogram_merge(&gaps, &xdp->ends[i].tx->report.gaps);
		if (xdp->ends[i].tx->report.burst_max > burst_max)
			burst_max = xdp->ends[i].tx->report.burst_max;
	}
	*ret = (struct pacing_summary){
		.intended_fps = intended_fps,
		.achieved_fps = sent_fps,
		.error_ppm = intended_fps > 0.0 ? (sent_fps / intended_fps - 1.0) * PPM : 0.0,
		.gap_p50_ns = (uint64_t)mlr_histogram_quantile_ns(&gaps, 0.5),
		.gap_p99_ns = (uint64_t)mlr_histogram_quantile_ns(&gaps, 0.99),
		.gap_max_ns = gaps.max_ns,
		.burst_max = burst_max,
	};
}

/* Whether the tester itself was the limit, and by what. */
static void judge_tester(const struct config *config, struct measurement *measurement)
{
	int64_t sut_lost = measurement->attribution.sut;

	if (measurement->verdict.tester_limited)
		measurement->tester_limited_reason = "frames stayed unsent";
	else if (measurement->attribution.dropped_before_wire)
		measurement->tester_limited_reason = "the transmitting interface dropped frames";
	else if (measurement->attribution.receiver_missed)
		measurement->tester_limited_reason = "the receiving interface missed frames";
	else if (fabs(measurement->pacing.error_ppm) > pacing_error_most_ppm(config))
		measurement->tester_limited_reason = "the load was off by more than a tenth of the Goal Width";
	measurement->tester_limited = measurement->tester_limited_reason;
	measurement->sut_loss_ratio = sut_lost > 0 ? (double)sut_lost / (double)measurement->counts.sent : 0.0;
}

/* What the two reads of the clock, one at each end, may add to a latency or take from it: each costs this much. */
static uint64_t clock_read_ns(void)
{
	uint64_t least_ns = UINT64_MAX;

	for (int i = 0; i < CLOCK_READS; i++) {
		uint64_t first_ns = clock_ns(), difference_ns = clock_ns() - first_ns;

		if (difference_ns < least_ns)
			least_ns = difference_ns;
	}
	return least_ns;
}

static void summarize_latency(const struct mlr_histogram *all, struct measurement *measurement)
{
	measurement->has_latency = all->count;
	measurement->latency = (struct latency_summary){
		.clock = "CLOCK_MONOTONIC of the tester, software timestamps at both ends",
		.definition = "from the actual departure, stamped before the frame is handed to the kernel, to the XDP "
			      "program of the "
			      "receiving port (RFC 1242, 3.8)",
		.source = "software",
		.error_bound_ns = 2.0 * (double)clock_read_ns(),
		.count = all->count,
		.min_ns = mlr_histogram_min_ns(all),
		.max_ns = all->max_ns,
		.mean_ns = mlr_histogram_mean_ns(all),
		.p50_ns = mlr_histogram_quantile_ns(all, 0.5),
		.p90_ns = mlr_histogram_quantile_ns(all, 0.9),
		.p99_ns = mlr_histogram_quantile_ns(all, 0.99),
		.p99_9_ns = mlr_histogram_quantile_ns(all, 0.999),
		.p99_99_ns = mlr_histogram_quantile_ns(all, 0.9999),
	};
}

static void summarize_order(const struct rx_trial *all, const struct rx_counters *received, struct order_summary *ret)
{
	*ret = (struct order_summary){
		.reorder_depth_mean =
			received->reordered ? (double)received->reorder_depth / (double)received->reordered : NAN,
		.reorder_depth_max = all->reorder_depth_max,
		.gaps = received->gaps,
		.gap_frames = received->gap_frames,
		.gap_max = all->gap_max,
	};
	memcpy(ret->reorder_depths, all->reorder_depths, sizeof(ret->reorder_depths));
}

/* What the receivers know of the trial beyond counts. */
static enum exit_code summarize_reception(struct measurer_xdp *xdp, const struct snapshot *a, const struct snapshot *b,
					  struct measurement *measurement)
{
	struct rx_trial all = { 0 }, one;
	struct rx_counters received = { 0 };

	for (unsigned int i = 0; i < xdp->port_count; i++) {
		struct rx_counters here = rx_subtract(&b->rx[i], &a->rx[i]);

		rx_trial(xdp->ends[i].rx, xdp->trial, &one);
		rx_trial_merge(&all, &one);
		rx_add(&received, &here);
	}
	measurement->has_order = true;
	measurement->order_unknown = xdp->config->no_seq;
	summarize_order(&all, &received, &measurement->order);
	summarize_latency(&all.latency, measurement);
	return timestamps_judge(xdp, &received, (double)clock_read_ns(), measurement);
}

static enum exit_code account(struct measurer_xdp *xdp, const struct mlr_trial_input *input, uint64_t intended,
			      const struct snapshot *before, const struct snapshot *after, struct measurement *measurement)
{
	bool unpaced = intended == TX_NO_LIMIT;
	enum exit_code code = check_cabling(xdp, before, after);

	if (code)
		return code;
	measurement->port_count = xdp->port_count;
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		count_port(xdp, i, before, after, unpaced ? sent_by(xdp, i) : intended, &measurement->ports[i]);
		add_counts(&measurement->counts, &measurement->ports[i].counts);
	}
	measurement->has_counts = measurement->has_attribution = measurement->has_pacing = true;
	measurement->verdict = mlr_trial_judge(input->load_fps, xdp->measurer.transmitters, &measurement->counts);
	measurement->attribution = attribute(xdp, measurement);
	measurement->tx_backend = measurer_xdp_backend(xdp);
	summarize_pacing(xdp, input, &measurement->pacing);
	judge_tester(xdp->config, measurement);
	return summarize_reception(xdp, before, after, measurement);
}

/* --- the trial ------------------------------------------------------------------------------------------------------ */

static void accept_next_trial(struct measurer_xdp *xdp, uint64_t intended)
{
	uint64_t sequences = xdp->course ? sequences_of_course(xdp) : sequences_wanted(xdp, intended);

	xdp->trial++;
	for (unsigned int i = 0; i < xdp->port_count; i++)
		rx_accept_trial(xdp->ends[i].rx, xdp->trial, xdp->next_sequence, sequences);
}

static enum exit_code perform(struct measurer_xdp *xdp, const struct mlr_trial_input *input, uint64_t intended,
			      struct snapshot *before, struct snapshot *after, struct management_report *ret_management,
			      double *ret_waits_s)
{
	const struct waits *waits = &xdp->config->waits;
	uint64_t residual_from_ns;
	enum exit_code code;

	accept_next_trial(xdp, intended);
	if ((code = wait_phase(waits->routing_s)))
		return code;
	neighbours_announce(xdp->neighbours, xdp->config->learning_frames);
	if ((code = wait_phase(waits->learning_s)))
		return code;
	if ((code = timestamps_begin(xdp)) || (code = take_snapshot(xdp, true, before)))
		return code;
	look(xdp, true);
	if ((code = transmit(xdp, input, intended)))
		return code;
	xdp->next_sequence += (uint32_t)sequences_used(xdp) + 1;
	residual_from_ns = clock_ns();
	code = wait_residual(xdp, before);
	if (xdp->management)
		*ret_management = management_stop(xdp->management);
	if (code || (code = timestamps_end(xdp)))
		return code;
	look(xdp, false);
	*ret_waits_s = waits->routing_s + waits->learning_s + waits->stabilize_s +
		       (double)(clock_ns() - residual_from_ns) / (double)NS_PER_S;
	if ((code = take_snapshot(xdp, false, after)) || (code = check_nic_counters(xdp, before, after)) ||
	    (code = check_nic_received(xdp, before, after)))
		return code;
	return wait_phase(waits->stabilize_s);
}

enum exit_code xdp_trial(struct measurer_xdp *xdp, const struct mlr_trial_input *input, struct measurement *ret)
{
	uint64_t intended = input->load_fps > 0.0 ? mlr_trial_intended(input) : TX_NO_LIMIT, start_ns = clock_ns();
	struct measurement measurement = { 0 };
	struct mlr_trial_input performed = *input;
	struct management_report management = { 0 };
	struct snapshot before, after;
	double effective_s;
	enum exit_code code;

	if (!intended)
		return refuse(EXIT_USAGE_ERROR,
			      "a trial of %g s at %g frames/s cannot be counted; use a smaller load or duration",
			      input->duration_s, input->load_fps);
	code = perform(xdp, input, intended, &before, &after, &management, &measurement.waits_s);
	if (!code)
		code = account(xdp, input, intended, &before, &after, &measurement);
	if (!code && xdp->management)
		add_management(&measurement.ports[xdp->management_port], &measurement.counts, &management);
	if (code)
		return code;
	measurement.wall_s = (double)(clock_ns() - start_ns) / (double)NS_PER_S;
	performed.load_fps = measurement.pacing.intended_fps;
	effective_s = xdp->config->effective_duration == EFFECTIVE_WALL ? measurement.wall_s : input->duration_s;
	measurement.result.input = performed;
	measurement.result.output = mlr_trial_output(&performed, measurement.verdict.loss_ratio, effective_s);
	*ret = measurement;
	return EXIT_DONE;
}
