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

/* A queue sends the frames of its schedule in order; what stays unsent are its last ones. */
static void add_sent(const struct tx_port *port, unsigned int queue, double load_fps, uint64_t frame_count,
		     uint64_t length_ns, struct measurement *measurement)
{
	const struct mlr_queue_plan *plan = port->plans[queue];
	const struct mlr_moves *moves = port->queues[queue]->moves;
	uint64_t sent = port->queues[queue]->report.sent, before = 0;
	struct mlr_pacer pacer;

	if (mlr_pacer_init(&pacer, load_fps, frame_count, plan->first, plan->step))
		return; /* never: it was sent by that */
	for (size_t i = 0; i < measurement->interval_count; i++) {
		bool is_last = i + 1 == measurement->interval_count;
		uint64_t until =
			is_last ? pacer.count : mlr_pacer_due_before(&pacer, moves, (i + 1) * length_ns - ROUNDED_NS);

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

/* Which ports send to one. */
static uint32_t senders_to(const struct mlr_profile *profile, unsigned int to)
{
	uint32_t from = 0;

	for (unsigned int i = 0; i < profile->stream_count; i++)
		if (profile->streams[i].to == to)
			from |= 1u << profile->streams[i].from;
	return from;
}

/* The lowest port that is among them. */
static unsigned int first_of(uint32_t ports)
{
	return (unsigned int)__builtin_ctz(ports);
}

/* In the order of the ports that send. */
static void find_directions(const struct measurer_xdp *xdp, struct measurement *measurement)
{
	for (unsigned int from = 0; from < xdp->port_count; from++)
		for (unsigned int to = 0; to < xdp->port_count; to++) {
			uint32_t senders = senders_to(&xdp->profile, to);

			if (senders && first_of(senders) == from)
				measurement->directions[measurement->direction_count++] =
					(struct service_direction){ to, senders };
		}
}

/* A service in one direction, while it is counted. */
struct counting {
	const struct measurer_xdp *xdp;
	const struct service_direction *direction;
	unsigned int service;
	uint32_t first_flow, end_flow; /* its wire ids: from the first to before the end */
	struct service_counts *counts;
	const struct measurement *measurement;
};

/* Of a port, flows of services follow one another; without services all are of the one. */
static void find_flows(struct counting *counting)
{
	const struct mlr_profile *profile = &counting->xdp->profile;
	unsigned int to = counting->direction->to;
	uint32_t flow_count;

	mlr_profile_receives(profile, to, &counting->first_flow, &flow_count);
	counting->end_flow = counting->first_flow + flow_count;
	if (!profile->service_count)
		return;
	if (counting->service)
		counting->first_flow = mlr_profile_service_end(profile, to, counting->service - 1);
	counting->end_flow = mlr_profile_service_end(profile, to, counting->service);
}

/* A queue's frames of these flows: before[] has those of the first entries of its list. */
static uint64_t of_first(const struct mlr_queue_plan *plan, const uint32_t *before, uint64_t count)
{
	return count / plan->flow_count * before[plan->flow_count] + before[count % plan->flow_count];
}

static enum exit_code add_due(const struct counting *counting, const struct tx_port *port, unsigned int queue,
			      double load_fps, uint64_t frame_count)
{
	const struct mlr_queue_plan *plan = port->plans[queue];
	struct service_counts *counts = counting->counts;
	owned uint32_t *before = calloc(plan->flow_count + 1, sizeof(*before));
	uint64_t last = 0;
	struct mlr_pacer pacer;

	if (!before)
		return refuse(EXIT_INCAPABLE, "out of memory");
	mlr_plan_flow_counts(plan, counting->first_flow, counting->end_flow, before);
	counts->sent += of_first(plan, before, port->queues[queue]->report.sent);
	if (mlr_pacer_init(&pacer, load_fps, frame_count, plan->first, plan->step))
		return EXIT_DONE; /* never: it was sent by that */
	counts->intended += of_first(plan, before, pacer.count);
	for (size_t i = 0; i < counting->measurement->second_count; i++) {
		uint64_t due =
			of_first(plan, before,
				 mlr_pacer_due_before(&pacer, port->queues[queue]->moves, (i + 1) * NS_PER_S - ROUNDED_NS));

		counts->due_in[i] += due - last;
		last = due;
	}
	return EXIT_DONE;
}

static void find_received(const struct counting *counting, struct mlr_histogram *ret_latency)
{
	const struct port_trial *port = &counting->xdp->account.ports[counting->direction->to];
	const struct rx *rx = counting->xdp->ends[counting->direction->to].rx;
	struct service_counts *counts = counting->counts;
	struct rx_service here;

	if (!counting->xdp->profile.service_count) {
		counts->received = port->received.received;
		*ret_latency = port->seen.latency;
		return;
	}
	rx_service(rx, counting->service, &here);
	counts->received = here.received;
	*ret_latency = here.latency;
	for (size_t i = 0; i < counting->measurement->second_count; i++)
		counts->received_in[i] = rx_service_second(rx, counting->service, (uint32_t)i);
}

/* All frames of a service by itself are its own, of which the variation is known better than by a histogram of latencies. */
static void find_variation(const struct counting *counting, const struct mlr_histogram *latency)
{
	const struct mlr_delays *delays = &counting->xdp->account.ports[counting->direction->to].delays;
	struct service_counts *counts = counting->counts;

	if (counting->xdp->profile.service_count <= 1) {
		counts->pdv_p99_9_ns = mlr_delays_quantile_ns(&delays, 1, 0.999, &counts->pdv_p99_9_error_ns);
		return;
	}
	counts->pdv_p99_9_ns = mlr_histogram_quantile_ns(latency, 0.999) - (double)counts->latency_min_ns;
	counts->pdv_p99_9_error_ns = mlr_histogram_quantile_error_ns(latency, 0.999);
}

/* Whether a port sends to one alone. */
static bool has_one_receiver(const struct measurement *measurement, unsigned int port)
{
	unsigned int count = 0;

	for (size_t i = 0; i < measurement->direction_count; i++)
		count += measurement->directions[i].from >> port & 1;
	return count == 1;
}

/* What the tester's own interfaces dropped is of a direction where its sender has no other. */
static uint64_t lost_by_tester(const struct counting *counting)
{
	const struct port_trial *ports = counting->xdp->account.ports;
	const struct service_direction *direction = counting->direction;
	const struct port_counts *receiver = &ports[direction->to].counts;
	uint64_t lost = receiver->nic_rx_damaged + receiver->nic_rx_missed;

	for (unsigned int i = 0; i < counting->xdp->port_count; i++)
		if (direction->from >> i & 1 && ports[i].tx_drops != TX_DROPS_IN_SUT &&
		    has_one_receiver(counting->measurement, i))
			lost += ports[i].counts.nic_tx_dropped;
	return lost;
}

static enum exit_code count_service(const struct counting *counting, double load_fps, uint64_t frame_count)
{
	const struct measurer_xdp *xdp = counting->xdp;
	struct service_counts *counts = counting->counts;
	struct mlr_histogram latency;
	enum exit_code code = EXIT_DONE;

	find_received(counting, &latency);
	counts->timed = counting->measurement->has_latency ? latency.count : 0;
	counts->latency_min_ns = mlr_histogram_min_ns(&latency);
	counts->latency_max_ns = latency.max_ns;
	counts->latency_mean_ns = mlr_histogram_mean_ns(&latency);
	find_variation(counting, &latency);
	if (!xdp->profile.service_count)
		counts->tester_lost = lost_by_tester(counting);
	for (unsigned int i = 0; i < xdp->port_count; i++)
		for (unsigned int queue = 0; xdp->ends[i].transmits && queue < xdp->ends[i].tx->queue_count && !code;
		     queue++)
			code = add_due(counting, xdp->ends[i].tx, queue, load_fps, frame_count);
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

/* Room for so many services, in all directions. */
static enum exit_code make_room(size_t service_count, struct measurement *measurement)
{
	size_t count = service_count * measurement->direction_count;

	measurement->service_count = service_count;
	measurement->services = calloc(count + 1, sizeof(*measurement->services));
	measurement->seconds = calloc(2 * count * measurement->second_count + 1, sizeof(*measurement->seconds));
	if (!measurement->services || !measurement->seconds)
		return refuse(EXIT_INCAPABLE, "out of memory");
	for (size_t i = 0; i < count; i++) {
		measurement->services[i].due_in = measurement->seconds + 2 * i * measurement->second_count;
		measurement->services[i].received_in = measurement->services[i].due_in + measurement->second_count;
	}
	return EXIT_DONE;
}

enum exit_code services_end(const struct measurer_xdp *xdp, double load_fps, uint64_t frame_count, bool is_part,
			    struct measurement *measurement)
{
	unsigned int count = xdp->profile.service_count ?: 1;
	enum exit_code code;

	if (xdp->config->verb != VERB_Y1564)
		return EXIT_DONE;
	measurement->second_count = xdp->profile.service_count ? services_seconds(xdp->config) : 0;
	for (unsigned int i = 0; is_part && i < xdp->port_count; i++)
		for (unsigned int queue = 0; xdp->ends[i].transmits && queue < xdp->ends[i].tx->queue_count; queue++)
			measurement->second_count =
				seconds_sent(xdp->ends[i].tx, queue, load_fps, frame_count, measurement->second_count);
	find_directions(xdp, measurement);
	code = make_room(count, measurement);
	for (unsigned int i = 0; i < count * measurement->direction_count && !code; i++) {
		struct counting counting = {
			.xdp = xdp,
			.direction = &measurement->directions[i % measurement->direction_count],
			.service = i / (unsigned int)measurement->direction_count,
			.counts = &measurement->services[i],
			.measurement = measurement,
		};

		find_flows(&counting);
		code = count_service(&counting, load_fps, frame_count);
	}
	return code;
}
