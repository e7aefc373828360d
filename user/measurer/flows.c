/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What came of each flow of a trial (--per-flow): of all that were sent, the worst are kept. */
#include <stdlib.h>

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
	for (unsigned int i = 0; i < xdp->port_count; i++)
		for (unsigned int queue = 0; xdp->ends[i].transmits && queue < xdp->ends[i].tx->queue_count; queue++)
			add_sent(xdp->ends[i].tx->plans[queue], xdp->ends[i].tx->queues[queue]->report.sent, list);
}

static uint64_t lost_of(const struct flow_figures *flow)
{
	return flow->sent > flow->seen.received ? flow->sent - flow->seen.received : 0;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

/* The worst first: by frames lost, then reordered, then copied, then by the largest latency. */
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

enum exit_code flows_end(const struct measurer_xdp *xdp, struct measurement *measurement)
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
		return refuse(EXIT_INCAPABLE, "out of memory");
	for (size_t i = 0; i < measurement->direction_count; i++) {
		struct flow_list list = { .flows = measurement->worst_flows + done };

		mlr_profile_receives(&xdp->profile, measurement->directions[i].to, &list.first, &list.count);
		fill_list(xdp, measurement->directions[i].to, i, &list);
		done += list.count;
	}
	count_flows(measurement->worst_flows, all, measurement);
	qsort(measurement->worst_flows, all, sizeof(*measurement->worst_flows), by_badness);
	measurement->worst_flow_count = all < most ? all : most;
	return EXIT_DONE;
}
