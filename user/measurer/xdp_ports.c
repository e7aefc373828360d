/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receiver, transmitters and interface of a port count independently; here their counts become one account of the port. */
#include "measurer/xdp_ports.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "measurer/destinations.h"
#include "measurer/moved.h"

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

uint64_t xdp_receiver_missed(const struct rtnl_link_stats64 *a, const struct rtnl_link_stats64 *b,
			     const struct rx_counters *rx, uint64_t backlog_dropped)
{
	return without_room(a, b) + greater(dropped_for_room(b->rx_dropped - a->rx_dropped, rx), backlog_dropped);
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
		       xdp_report(xdp, port)->refused);
}

/* Frames that the interface counted as sent. */
static uint64_t nic_sent(const struct measurer_xdp *xdp, unsigned int port, const struct xdp_snapshot *before,
			 const struct xdp_snapshot *after)
{
	uint64_t ours = xdp_report(xdp, port)->sent + xdp_report(xdp, port)->extra;
	uint64_t dropped = tx_dropped(xdp, port, &before->link[port], &after->link[port]);

	return link_sent_between(&before->sent[port], &after->sent[port], greater(ours, dropped) - dropped);
}

static void count_port(const struct measurer_xdp *xdp, unsigned int port, const struct xdp_snapshot *a,
		       const struct xdp_snapshot *b, uint64_t intended, struct port_counts *ret)
{
	const struct rtnl_link_stats64 *before = &a->link[port], *after = &b->link[port];
	struct rx_counters rx = rx_subtract(&b->rx[port], &a->rx[port]);
	/* before generic XDP a frame waits in the backlog; other links' frames do, too, so this may be too much, not too
	 * little. The counters have 32 bits */
	uint64_t backlog_dropped =
		rx_is_generic(xdp->ends[port].rx) ? (uint32_t)(b->backlog_dropped - a->backlog_dropped) : 0;

	*ret = (struct port_counts){
		.transmits = xdp->ends[port].transmits,
		.receives = xdp->ends[port].receives,
		.counts = {
			.intended = xdp->ends[port].transmits ? intended : 0,
			.sent = xdp_report(xdp, port)->sent,
#define RX_COUNTER(name, figure, kind, known, meaning) .name = rx.name,
#define RX_DERIVED(name, figure, value, meaning)       .name = (value),
#include "mlr/counters.def"
		},
		.extra_sent = xdp_report(xdp, port)->extra,
		.extra_received = rx.extra,
		.housekeeping = rx.housekeeping,
		.announcements_sent = b->announcements[port] - a->announcements[port],
		.received_octets = rx.received_octets + rx.received * MLR_FCS_OCTETS,
		.nic_tx_frames = nic_sent(xdp, port, a, b),
		.nic_tx_dropped = tx_dropped(xdp, port, before, after),
		.nic_rx_frames = after->rx_packets - before->rx_packets,
		.nic_rx_missed = xdp_receiver_missed(before, after, &rx, backlog_dropped),
		.nic_rx_damaged = receiver_damaged(before, after),
	};
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

/* Describe the unknown trial numbers in received tags. */
static void describe_unknown_trials(const struct rx *rx, struct port_counts *counts)
{
	struct rx_unknown unknown = rx_unknown_trials(rx, true);

	counts->unknown_trials = unknown.numbers;
	counts->unknown_trial_most = unknown.most;
}

/* Return how many ports a port sends to; *ret_to is the last of them. */
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
		return out_of_memory();
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

enum exit_code xdp_describe_port(struct measurer_xdp *xdp, unsigned int port, const struct xdp_run *run,
				 struct port_trial *ret)
{
	bool is_sent = run->frame_count == TX_NO_LIMIT || run->is_part;
	uint64_t intended = is_sent ? xdp_report(xdp, port)->sent : run->frame_count;

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
	enum agreement agreement;
};

/* The interface must have seen at least what we sent through it. */
static struct comparison compare_sent(const struct measurer_xdp *xdp, unsigned int port, const struct xdp_snapshot *before,
				      const struct xdp_snapshot *after)
{
	const struct tx_report *report = xdp_report(xdp, port);
	uint64_t nic = nic_sent(xdp, port, before, after) + tx_dropped(xdp, port, &before->link[port], &after->link[port]);

	return (struct comparison){ report->sent, nic,
				    nic >= report->sent + report->extra ? COUNTS_AGREE : COUNTS_DISAGREE };
}

enum agreement xdp_received_agree(uint64_t ours, uint64_t nic, bool counts_elsewhere)
{
	if (nic >= ours || counts_elsewhere)
		return COUNTS_AGREE;
	return nic >= ours - ours / 2 ? COUNTS_DISAGREE : COUNTS_MAY_LAG;
}

/* Of these drivers it is known; one need not wait to find out. */
static bool counts_elsewhere(const struct measurer_xdp *xdp, unsigned int port)
{
	return xdp->ends[port].counts_elsewhere || is_one_of(xdp->ports[port].driver, "mlx5_core tun hv_netvsc");
}

/* Compare the frames that the interface received with those that our program saw, which cannot be more. */
static struct comparison compare_received(const struct measurer_xdp *xdp, unsigned int port,
					  const struct xdp_snapshot *before, const struct xdp_snapshot *after)
{
	struct rx_counters rx = rx_subtract(&after->rx[port], &before->rx[port]);
	uint64_t ours = rx_seen(&rx), nic = after->link[port].rx_packets - before->link[port].rx_packets;

	return (struct comparison){ ours, nic, xdp_received_agree(ours, nic, counts_elsewhere(xdp, port)) };
}

typedef struct comparison compare_counters(const struct measurer_xdp *xdp, unsigned int port,
					   const struct xdp_snapshot *before, const struct xdp_snapshot *after);

/* Some drivers refresh their counters late, and are looked at again. Of one that still counts few of our frames it is known then that
 * it counts them elsewhere. `we` and `it` are what the two sides did. */
static enum exit_code check_counters(struct measurer_xdp *xdp, struct xdp_run *run, uint64_t deadline_ns,
				     compare_counters *compare, const char *we, const char *it)
{
	struct comparison found;
	enum exit_code code;

	for (unsigned int i = 0; i < xdp->port_count; i++) {
		bool is_late = false;

		while ((found = compare(xdp, i, &run->before, &run->after)).agreement != COUNTS_AGREE) {
			if (is_late && found.agreement == COUNTS_DISAGREE)
				return refuse(EXIT_INVALID,
					      "port %s: impossible counters: %s %llu frames, the interface %s %llu",
					      xdp->ports[i].link.name, we, (unsigned long long)found.ours, it,
					      (unsigned long long)found.nic);
			xdp->ends[i].counts_elsewhere |= is_late;
			is_late = clock_ns() >= deadline_ns;
			if (!is_late && xdp_pause_until(xdp, clock_ns() + NIC_POLL_NS))
				return EXIT_INTERRUPTED;
			if ((code = xdp_read_link(xdp, i, false, &run->after)))
				return code;
		}
	}
	return EXIT_DONE;
}

enum exit_code xdp_check_counters(struct measurer_xdp *xdp, struct xdp_run *run)
{
	uint64_t deadline_ns = clock_ns() + NIC_LAG_NS;

	return check_counters(xdp, run, deadline_ns, compare_sent, "we sent", "counted")
		       ?: check_counters(xdp, run, deadline_ns, compare_received, "our program saw", "received");
}
