/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file counts what came of each flow of a trial (--per-flow), and keeps the worst flows. */
#include <stdlib.h>
#include <string.h>

#include "measurer/xdp_private.h"

/* All flows of a direction, in the order of their ids. */
struct flow_list {
	uint32_t first, count;
	struct flow_figures *flows;
};

/* Add what a queue sent: it takes the entries of its list in turns. */
static void add_sent(const struct mlr_queue_plan *plan, uint64_t sent, const struct flow_list *list)
{
	uint64_t rounds = sent / plan->flow_count, more = sent % plan->flow_count;

	for (uint32_t i = 0; i < plan->flow_count; i++) {
		uint32_t number = plan->flows[i].id - list->first;

		if (number < list->count)
			list->flows[number].sent += rounds + (i < more);
	}
}

static void fill_list(const struct measurer_xdp *xdp, unsigned int to, size_t direction, const struct flow_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		list->flows[i] = (struct flow_figures){ .flow = list->first + i,
							.direction = direction,
							.seen = rx_flow_figures(xdp->ends[to].rx, list->first + i) };
	for (struct xdp_queue at = { 0 }; xdp_next_queue(xdp, &at);)
		add_sent(at.plan, at.tx->report.sent, list);
}

static uint64_t lost_of(const struct flow_figures *flow)
{
	return flow->sent > flow->seen.received ? flow->sent - flow->seen.received : 0;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

/* Order the worst first: by frames lost, then reordered, then copied, then by the largest latency. */
static int by_badness(const void *a, const void *b)
{
	const struct flow_figures *left = a, *right = b;
	int order = compare(lost_of(left), lost_of(right));

	if (!order)
		order = compare(left->seen.reordered, right->seen.reordered);
	if (!order)
		order = compare(left->seen.duplicate, right->seen.duplicate);
	if (!order)
		order = compare(left->seen.latency_max_ns, right->seen.latency_max_ns);
	return order ? order : compare(right->flow, left->flow);
}

static void count_flows(const struct flow_figures *flows, size_t count, struct measurement *measurement)
{
	for (size_t i = 0; i < count; i++) {
		measurement->flows += flows[i].sent > 0;
		measurement->lossy_flows += lost_of(&flows[i]) > 0;
		measurement->duplicated_flows += flows[i].seen.duplicate > 0;
		measurement->reordered_flows += flows[i].seen.reordered > 0;
	}
}

/* --- over time ---------------------------------------------------------------------------------------------------------- */

#define COUNTS_MOST 65536 /* most pairs of a flow and an interval */

/* The flows whose frames are searched, in the order of their ids, and what is read of them. */
struct flow_walk {
	const struct measurer_xdp *xdp;
	struct flow_figures **flows;
	size_t count, interval_count;
	uint64_t *sent; /* frames that a queue sent up to the end of each interval */
	struct flow_memory memory;
};

static int by_id(const void *a, const void *b)
{
	const struct flow_figures *const *left = a, *const *right = b;

	return (*left)->flow < (*right)->flow ? -1 : (*left)->flow > (*right)->flow;
}

/* Return flow number k of a queue, if it is one of those. */
static int walk_flow(struct flow_walk *walk, const struct mlr_queue_plan *plan, uint32_t k)
{
	const struct flow_figures wanted = { .flow = plan->flows[k].id }, *key = &wanted;
	struct flow_figures **flow = bsearch(&key, walk->flows, walk->count, sizeof(struct flow_figures *), by_id);
	int error = flow ? xdp_recall_flow(walk->xdp, plan, k, walk->sent[walk->interval_count - 1], &walk->memory) : 0;
	size_t at = 0;

	for (uint64_t i = 0; flow && !error && i < walk->memory.sent; i++) {
		enum frame_fate fate = flow_memory_fate(&walk->memory, i);

		while (i * plan->flow_count + k >= walk->sent[at])
			at++;
		(*flow)->intervals[at].sent++;
		(*flow)->intervals[at].lost += fate == FRAME_LOST;
		(*flow)->intervals[at].unknown += fate == FRAME_UNKNOWN;
	}
	return error;
}

static int walk_queues(struct flow_walk *walk, const struct sent_load *load)
{
	int error = 0;

	for (struct xdp_queue at = { 0 }; !error && xdp_next_queue(walk->xdp, &at);) {
		intervals_sent(walk->xdp, &at, load, walk->interval_count, walk->sent);
		for (uint32_t k = 0; k < at.plan->flow_count && !error; k++)
			error = walk_flow(walk, at.plan, k);
	}
	return error;
}

/* If all that a flow lost are known, the others came. */
static void settle(const struct measurement *measurement, const struct flow_figures *flow)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < measurement->interval_count; i++)
		lost += flow->intervals[i].lost;
	for (size_t i = 0; i < measurement->interval_count && lost == lost_of(flow); i++)
		flow->intervals[i].unknown = 0;
}

/* Fill in the worst flows by intervals, if both were asked for. */
static enum exit_code count_over_time(const struct measurer_xdp *xdp, const struct sent_load *load,
				      struct measurement *measurement)
{
	size_t intervals = measurement->interval_count, most = intervals ? COUNTS_MOST / intervals : 0;
	size_t count = measurement->worst_flow_count < most ? measurement->worst_flow_count : most;
	owned struct flow_figures **flows = calloc(count + 1, sizeof(struct flow_figures *));
	owned uint64_t *sent = calloc(intervals + 1, sizeof(*sent));
	owned uint32_t *seen = calloc(xdp_largest_window(xdp), sizeof(*seen));
	struct flow_walk walk = { xdp, flows, count, intervals, sent, { .seen = seen } };
	int error;

	measurement->flow_intervals = calloc(count * intervals + 1, sizeof(*measurement->flow_intervals));
	if (!flows || !sent || !seen || !measurement->flow_intervals)
		return out_of_memory();
	for (size_t i = 0; i < count; i++) {
		flows[i] = &measurement->worst_flows[i];
		flows[i]->intervals = measurement->flow_intervals + i * intervals;
	}
	qsort(flows, count, sizeof(struct flow_figures *), by_id);
	error = count ? walk_queues(&walk, load) : 0;
	if (error)
		return refuse(EXIT_INCAPABLE, "--per-flow: cannot read which frames came: %s", strerror(-error));
	for (size_t i = 0; i < count && !measurement->order.beyond_window; i++)
		settle(measurement, flows[i]);
	return EXIT_DONE;
}

enum exit_code flows_end(const struct measurer_xdp *xdp, const struct sent_load *load, struct measurement *measurement)
{
	size_t all = 0, done = 0, most = xdp->config->per_flow;
	uint32_t first, count;

	if (!most)
		return EXIT_DONE;
	for (size_t i = 0; i < measurement->direction_count; i++) {
		mlr_profile_receives(&xdp->profile, measurement->directions[i].to, &first, &count);
		all += count;
	}
	measurement->worst_flows = calloc(all + 1, sizeof(*measurement->worst_flows));
	if (!measurement->worst_flows)
		return out_of_memory();
	for (size_t i = 0; i < measurement->direction_count; i++) {
		struct flow_list list = { .flows = measurement->worst_flows + done };

		mlr_profile_receives(&xdp->profile, measurement->directions[i].to, &list.first, &list.count);
		fill_list(xdp, measurement->directions[i].to, i, &list);
		done += list.count;
	}
	count_flows(measurement->worst_flows, all, measurement);
	qsort(measurement->worst_flows, all, sizeof(*measurement->worst_flows), by_badness);
	measurement->worst_flow_count = all < most ? all : most;
	return count_over_time(xdp, load, measurement);
}
