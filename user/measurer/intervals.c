/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/xdp_private.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "mlr/pacer.h"

#define ROUNDING   1e-6 /* of an interval: that of a duration in decimals */
#define ROUNDED_NS 1    /* due times are rounded down: who is due where an interval begins may say a ns less */

/* Where frames are sent as fast as they can be, none is due at any time. */
static bool has_intervals(const struct config *config, const struct mlr_trial_input *input)
{
	return config->interval_s > 0.0 && input->load_fps > 0.0;
}

static uint64_t interval_ns(const struct config *config)
{
	return (uint64_t)llround(config->interval_s * (double)NS_PER_S);
}

/* The last one may be shorter. */
static uint64_t count_of(const struct config *config, const struct mlr_trial_input *input)
{
	return (uint64_t)ceil(input->duration_s * (double)NS_PER_S / (double)interval_ns(config) - ROUNDING);
}

enum exit_code intervals_check(const struct config *config, const struct mlr_trial_input *input)
{
	if (!has_intervals(config, input))
		return EXIT_DONE;
	if (count_of(config, input) > RX_INTERVALS_MAX || input->duration_s > RX_INTERVALS_MAX)
		return refuse(EXIT_USAGE_ERROR,
			      "--interval %g: a trial of %g s has %llu of them; at most %d can be counted, and %d s",
			      config->interval_s, input->duration_s, (unsigned long long)count_of(config, input),
			      RX_INTERVALS_MAX, RX_INTERVALS_MAX);
	return EXIT_DONE;
}

void intervals_begin(struct measurer_xdp *xdp, uint64_t start_ns)
{
	for (unsigned int i = 0; i < xdp->port_count; i++)
		rx_set_start(xdp->ends[i].rx, start_ns - ROUNDED_NS + (uint64_t)xdp->clock_offset_ns);
}

/* How many of a transmitter's frames are due before a time. */
static uint64_t due_before(const struct mlr_pacer *pacer, uint64_t elapsed_ns)
{
	uint64_t least = 0, most = pacer->count;

	while (least < most) {
		uint64_t middle = least + (most - least) / 2;

		if (mlr_pacer_departure_ns(pacer, middle) < elapsed_ns)
			least = middle + 1;
		else
			most = middle;
	}
	return least;
}

/* A queue sends the frames of its schedule in order; what stays unsent are its last ones. */
static void add_sent(const struct tx_port *port, unsigned int queue, double load_fps, uint64_t frame_count,
		     uint64_t length_ns, struct measurement *measurement)
{
	const struct mlr_queue_plan *plan = port->plans[queue];
	uint64_t sent = port->queues[queue]->report.sent, before = 0;
	struct mlr_pacer pacer;

	if (mlr_pacer_init(&pacer, load_fps, frame_count, plan->first, plan->step))
		return; /* never: it was sent by that */
	for (size_t i = 0; i < measurement->interval_count; i++) {
		bool is_last = i + 1 == measurement->interval_count;
		uint64_t until = is_last ? pacer.count : due_before(&pacer, (i + 1) * length_ns - ROUNDED_NS);

		if (until > sent)
			until = sent;
		measurement->intervals[i].sent += until - before;
		before = until;
	}
}

/* From the first of these intervals of the receivers' up to before the end. */
static struct interval_counts received_in(const struct measurer_xdp *xdp, unsigned int interval, unsigned int end)
{
	struct rx_interval sum = { 0 };

	for (unsigned int i = 0; i < xdp->port_count; i++)
		for (unsigned int j = interval; j < end; j++) {
			struct rx_interval here = rx_interval(xdp->ends[i].rx, xdp->trial, j);

			rx_interval_merge(&sum, &here);
		}
	return (struct interval_counts){
		.start_s = (double)(interval * interval_ns(xdp->config)) / (double)NS_PER_S,
		.received = sum.received,
		.timed = sum.timed,
		.latency_min_ns = ~sum.latency_inverted_min_ns,
		.latency_max_ns = sum.latency_max_ns,
		.latency_mean_ns = sum.timed ? (double)sum.latency_sum_ns / (double)sum.timed : NAN,
	};
}

enum exit_code intervals_end(const struct measurer_xdp *xdp, const struct mlr_trial_input *input, uint64_t frame_count,
			     struct measurement *measurement)
{
	size_t count;

	if (!has_intervals(xdp->config, input))
		return EXIT_DONE;
	count = (size_t)count_of(xdp->config, input);
	measurement->intervals = calloc(count, sizeof(*measurement->intervals));
	if (!measurement->intervals)
		return refuse(EXIT_INCAPABLE, "out of memory");
	measurement->interval_count = count;
	for (size_t i = 0; i < count; i++)
		measurement->intervals[i] =
			received_in(xdp, (unsigned int)i, i + 1 < count ? (unsigned int)i + 1 : RX_INTERVALS_MAX);
	for (unsigned int i = 0; i < xdp->port_count; i++)
		for (unsigned int queue = 0; xdp->ends[i].transmits && queue < xdp->ends[i].tx->queue_count; queue++)
			add_sent(xdp->ends[i].tx, queue, input->load_fps, frame_count, interval_ns(xdp->config),
				 measurement);
	return EXIT_DONE;
}

/* --- services ------------------------------------------------------------------------------------------------------------ */

uint32_t services_seconds(const struct config *config)
{
	return (uint32_t)config->duration_s;
}

/* A queue's frames of a service: before[] has those of the first entries of its list. */
static uint64_t of_first(const struct mlr_queue_plan *plan, const uint32_t *before, uint64_t count)
{
	return count / plan->flow_count * before[plan->flow_count] + before[count % plan->flow_count];
}

static enum exit_code add_due(const struct tx_port *port, unsigned int queue, unsigned int service, double load_fps,
			      uint64_t frame_count, struct measurement *measurement)
{
	const struct mlr_queue_plan *plan = port->plans[queue];
	struct service_counts *counts = &measurement->services[service];
	owned uint32_t *before = calloc(plan->flow_count + 1, sizeof(*before));
	uint64_t last = 0;
	struct mlr_pacer pacer;

	if (!before)
		return refuse(EXIT_INCAPABLE, "out of memory");
	mlr_plan_service_counts(plan, service, before);
	counts->sent += of_first(plan, before, port->queues[queue]->report.sent);
	if (!mlr_pacer_init(&pacer, load_fps, frame_count, plan->first, plan->step))
		for (size_t i = 0; i < measurement->second_count; i++) {
			uint64_t due = of_first(plan, before, due_before(&pacer, (i + 1) * NS_PER_S - ROUNDED_NS));

			counts->due_in[i] += due - last;
			last = due;
		}
	return EXIT_DONE;
}

static void add_received(const struct measurer_xdp *xdp, unsigned int service, const struct measurement *measurement,
			 struct mlr_histogram *latency)
{
	struct service_counts *counts = &measurement->services[service];

	for (unsigned int i = 0; i < xdp->port_count; i++) {
		struct rx_service here;

		if (!xdp->ends[i].receives)
			continue;
		rx_service(xdp->ends[i].rx, service, &here);
		counts->received += here.received;
		mlr_histogram_merge(latency, &here.latency);
		for (size_t j = 0; j < measurement->second_count; j++)
			counts->received_in[j] += rx_service_second(xdp->ends[i].rx, service, (uint32_t)j);
	}
}

static enum exit_code count_service(const struct measurer_xdp *xdp, unsigned int service, double load_fps,
				    uint64_t frame_count, struct measurement *measurement)
{
	struct service_counts *counts = &measurement->services[service];
	struct mlr_histogram latency = { 0 };
	enum exit_code code = EXIT_DONE;

	counts->due_in = measurement->seconds + 2 * service * measurement->second_count;
	counts->received_in = counts->due_in + measurement->second_count;
	add_received(xdp, service, measurement, &latency);
	counts->timed = measurement->has_latency ? latency.count : 0;
	counts->latency_min_ns = mlr_histogram_min_ns(&latency);
	counts->latency_max_ns = latency.max_ns;
	counts->latency_mean_ns = mlr_histogram_mean_ns(&latency);
	counts->latency_p99_9_ns = mlr_histogram_quantile_ns(&latency, 0.999);
	for (unsigned int i = 0; i < xdp->port_count; i++)
		for (unsigned int queue = 0; xdp->ends[i].transmits && queue < xdp->ends[i].tx->queue_count && !code;
		     queue++)
			code = add_due(xdp->ends[i].tx, queue, service, load_fps, frame_count, measurement);
	return code;
}

/* Those of which a queue sent all its frames, and so many at most. */
static size_t seconds_sent(const struct tx_port *port, unsigned int queue, double load_fps, uint64_t frame_count,
			   size_t most)
{
	const struct mlr_queue_plan *plan = port->plans[queue];
	uint64_t sent = port->queues[queue]->report.sent, seconds;
	struct mlr_pacer pacer;

	if (mlr_pacer_init(&pacer, load_fps, frame_count, plan->first, plan->step) || sent >= pacer.count)
		return most;
	seconds = (mlr_pacer_departure_ns(&pacer, sent) + ROUNDED_NS) / NS_PER_S;
	return seconds < most ? seconds : most;
}

enum exit_code services_end(const struct measurer_xdp *xdp, double load_fps, uint64_t frame_count, bool is_part,
			    struct measurement *measurement)
{
	unsigned int count = xdp->profile.service_count;
	enum exit_code code = EXIT_DONE;

	if (!count)
		return EXIT_DONE;
	measurement->service_count = count;
	measurement->second_count = services_seconds(xdp->config);
	for (unsigned int i = 0; is_part && i < xdp->port_count; i++)
		for (unsigned int queue = 0; xdp->ends[i].transmits && queue < xdp->ends[i].tx->queue_count; queue++)
			measurement->second_count =
				seconds_sent(xdp->ends[i].tx, queue, load_fps, frame_count, measurement->second_count);
	measurement->services = calloc(count, sizeof(*measurement->services));
	measurement->seconds = calloc(2 * count * measurement->second_count + 1, sizeof(*measurement->seconds));
	if (!measurement->services || !measurement->seconds)
		return refuse(EXIT_INCAPABLE, "out of memory");
	for (unsigned int i = 0; i < count && !code; i++)
		code = count_service(xdp, i, load_fps, frame_count, measurement);
	return code;
}
