/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/xdp_private.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "mlr/pacer.h"

#define STEP_PARTS   131072            /* most parts of a schedule with load steps */
#define STEP_PART_NS (NS_PER_S / 1000) /* shortest part */

#define ROUNDING   1e-6 /* part of an interval that the rounding of a decimal duration may add */
#define ROUNDED_NS 1    /* due times are rounded down: who is due where an interval begins may say a ns less */

/* If frames are sent as fast as they can be, none is due at any time. */
static bool has_intervals(const struct config *config, double load_fps)
{
	return config->interval_s > 0.0 && load_fps > 0.0;
}

static uint64_t interval_ns(const struct config *config)
{
	return (uint64_t)llround(config->interval_s * (double)NS_PER_S);
}

/* The last one may be shorter. */
static uint64_t count_of(const struct config *config, double duration_s)
{
	return (uint64_t)ceil(duration_s * (double)NS_PER_S / (double)interval_ns(config) - ROUNDING);
}

enum exit_code intervals_check(const struct config *config, const struct mlr_trial_input *input)
{
	if (!has_intervals(config, input->load_fps))
		return EXIT_DONE;
	if (count_of(config, input->duration_s) > RX_INTERVALS_MAX || input->duration_s > RX_INTERVALS_MAX)
		return refuse(EXIT_USAGE_ERROR,
			      "--interval %g: a trial of %g s has %llu of them; at most %d can be counted, and %d s",
			      config->interval_s, input->duration_s, (unsigned long long)count_of(config, input->duration_s),
			      RX_INTERVALS_MAX, RX_INTERVALS_MAX);
	return EXIT_DONE;
}

/* Return where the parts of load steps begin. */
static uint64_t parts_start_ns(const struct load_steps *steps)
{
	return steps->then_load_fps > 0.0 ? steps->ret_change_ns : steps->ret_start_ns;
}

/* Return how long a part must be so that the receiver has room for all, and that a frame of a load that stays is due in each. What
 * is lost would else take shorter than it does. */
static uint64_t part_ns(const struct load_steps *steps)
{
	uint64_t least_ns = (steps->ret_end_ns - parts_start_ns(steps)) / (STEP_PARTS - 1) + 1;
	uint64_t interval_ns = steps->then_load_fps > 0.0 ? 0 : (uint64_t)ceil((double)NS_PER_S / steps->load_fps);

	return greater(greater(least_ns, interval_ns), STEP_PART_NS);
}

void intervals_begin(struct measurer_xdp *xdp, uint64_t start_ns)
{
	const struct load_steps *steps = xdp->steps;
	uint64_t length_ns = xdp->profile.service_count ? NS_PER_S : 0, before = 0;

	if (steps && steps->by_due_time) {
		start_ns = parts_start_ns(steps);
		length_ns = part_ns(steps);
		before = steps->then_load_fps > 0.0 ? steps->first_sequences : 0;
	}
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		rx_set_start(xdp->ends[i].rx, start_ns - ROUNDED_NS + (uint64_t)xdp->clock_offset_ns);
		rx_set_parts(xdp->ends[i].rx, length_ns, before);
	}
}

/* --- flows of a direction ---------------------------------------------------------------------------------------------------- */

/* A service in one direction, while it is counted. */
struct counting {
	const struct measurer_xdp *xdp;
	const struct trial_direction *direction;
	unsigned int service;
	uint32_t first_flow, end_flow; /* ids on the wire, from the first to before the end */
	struct service_counts *counts;
	const struct measurement *measurement;
};

/* Find the flows of a service on a port. Flows of services follow one another; without services all flows are of the one. */
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

uint64_t xdp_frames_of_flows(const struct mlr_queue_plan *plan, const uint32_t *before, uint64_t count)
{
	return count / plan->flow_count * before[plan->flow_count] + before[count % plan->flow_count];
}

/* --- parts of a schedule -------------------------------------------------------------------------------------------------------- */

/* Count the frames of a queue that are due before the end of each part of a schedule. */
static void count_due(const struct xdp_queue *queue, const struct sent_load *load, uint64_t part_ns, size_t count,
		      uint64_t *ret_due)
{
	struct mlr_pacer pacer;
	/* The frames were sent by this schedule. */
	bool is_known = !mlr_pacer_init(&pacer, load->fps, load->frame_count, queue->plan->first, queue->plan->step);

	for (size_t i = 0; i < count; i++)
		ret_due[i] = is_known ? mlr_pacer_due_before(&pacer, queue->tx->moves, (i + 1) * part_ns - ROUNDED_NS)
				      : UINT64_MAX;
}

/* Of the frames that are due count those that were sent, all of them until the last part: what stays unsent are the last ones. */
static void count_sent(const struct xdp_queue *queue, const struct sent_load *load, uint64_t part_ns, uint64_t sent,
		       size_t count, uint64_t *ret_sent)
{
	count_due(queue, load, part_ns, count, ret_sent);
	for (size_t i = 0; i < count; i++)
		if (i + 1 == count || ret_sent[i] > sent)
			ret_sent[i] = sent;
}

/* Add the frames of the flows that are counted to each part, from the frames of a queue until the end of each. */
static enum exit_code add_parts(const struct counting *counting, const struct xdp_queue *queue, const uint64_t *until,
				size_t count, uint64_t *parts)
{
	const struct mlr_queue_plan *plan = queue->plan;
	owned uint32_t *before = calloc(plan->flow_count + 1, sizeof(*before));
	uint64_t last = 0;

	if (!before)
		return out_of_memory();
	mlr_plan_flow_counts(plan, counting->first_flow, counting->end_flow, before);
	for (size_t i = 0; i < count; i++) {
		uint64_t frames = xdp_frames_of_flows(plan, before, until[i]);

		parts[i] += frames - last;
		last = frames;
	}
	return EXIT_DONE;
}

/* --- intervals ---------------------------------------------------------------------------------------------------------------- */

void intervals_sent(const struct measurer_xdp *xdp, const struct xdp_queue *queue, const struct sent_load *load,
		    size_t count, uint64_t *ret_sent)
{
	count_sent(queue, load, interval_ns(xdp->config), queue->tx->report.sent, count, ret_sent);
}

/* Add what a port received in these intervals of its receiver's, from the first to before the end. */
static void add_received(const struct counting *counting, unsigned int interval, unsigned int end,
			 struct interval_counts *ret)
{
	struct rx_interval sum = { 0 };

	for (unsigned int j = interval; j < end; j++) {
		struct rx_interval here =
			rx_interval(counting->xdp->ends[counting->direction->to].rx, counting->xdp->trial, j);

		rx_interval_merge(&sum, &here);
	}
	ret->start_s = (double)(interval * interval_ns(counting->xdp->config)) / (double)NS_PER_S;
	ret->received = sum.received;
	ret->timed = sum.timed;
	ret->latency_min_ns = ~sum.latency_inverted_min_ns;
	ret->latency_max_ns = sum.latency_max_ns;
	ret->latency_mean_ns = sum.timed ? (double)sum.latency_sum_ns / (double)sum.timed : NAN;
}

/* Add frames of another direction. Counts become sums, and the mean latency that of the worse direction. */
static void add_interval(struct interval_counts *sum, const struct interval_counts *more)
{
	sum->start_s = more->start_s;
	sum->sent += more->sent;
	sum->received += more->received;
	if (!more->timed)
		return;
	sum->latency_min_ns =
		sum->timed && sum->latency_min_ns < more->latency_min_ns ? sum->latency_min_ns : more->latency_min_ns;
	sum->latency_max_ns = sum->latency_max_ns > more->latency_max_ns ? sum->latency_max_ns : more->latency_max_ns;
	sum->latency_mean_ns = sum->timed ? fmax(sum->latency_mean_ns, more->latency_mean_ns) : more->latency_mean_ns;
	sum->timed += more->timed;
}

static enum exit_code count_intervals(struct counting *counting, const struct sent_load *load, size_t count,
				      struct interval_counts *intervals)
{
	owned uint64_t *until = calloc(2 * count, sizeof(*until));
	uint64_t *sent = until + count;
	enum exit_code code = until ? EXIT_DONE : out_of_memory();

	find_flows(counting);
	for (struct xdp_queue at = { 0 }; !code && xdp_next_queue(counting->xdp, &at);) {
		intervals_sent(counting->xdp, &at, load, count, until);
		code = add_parts(counting, &at, until, count, sent);
	}
	for (size_t i = 0; i < count && !code; i++) {
		add_received(counting, (unsigned int)i, i + 1 < count ? (unsigned int)i + 1 : RX_INTERVALS_MAX,
			     &intervals[i]);
		intervals[i].sent = sent[i];
	}
	return code;
}

enum exit_code intervals_end(const struct measurer_xdp *xdp, const struct sent_load *load, double duration_s,
			     struct measurement *measurement)
{
	enum exit_code code = EXIT_DONE;
	size_t count;

	if (!has_intervals(xdp->config, load->fps))
		return EXIT_DONE;
	count = (size_t)count_of(xdp->config, duration_s);
	measurement->intervals = calloc(count * (1 + measurement->direction_count), sizeof(*measurement->intervals));
	if (!measurement->intervals)
		return out_of_memory();
	measurement->interval_count = count;
	for (size_t i = 0; i < measurement->direction_count && !code; i++) {
		struct interval_counts *intervals = measurement->intervals + (1 + i) * count;
		struct counting counting = { .xdp = xdp, .direction = &measurement->directions[i] };

		code = count_intervals(&counting, load, count, intervals);
		for (size_t j = 0; j < count; j++)
			add_interval(&measurement->intervals[j], &intervals[j]);
	}
	return code;
}

/* --- services ------------------------------------------------------------------------------------------------------------ */

static uint32_t services_seconds(const struct config *config)
{
	return (uint32_t)config->duration_s;
}

uint32_t parts_wanted(const struct measurer_xdp *xdp)
{
	const struct config *config = xdp->config;

	if (config->verb == VERB_RFC2544 && config->tests & (1u << TEST_RECOVERY | 1u << TEST_RESET | 1u << TEST_RECONF))
		return STEP_PARTS;
	return xdp->profile.service_count ? services_seconds(config) : 0;
}

static enum exit_code add_due(const struct counting *counting, const struct xdp_queue *queue, const struct sent_load *load)
{
	size_t seconds = counting->measurement->second_count;
	struct service_counts *counts = counting->counts;
	uint64_t intended = mlr_plan_share(queue->plan, load->frame_count);
	owned uint64_t *due = calloc(seconds + 1, sizeof(*due));

	if (!due)
		return out_of_memory();
	count_due(queue, load, NS_PER_S, seconds, due);
	return add_parts(counting, queue, &queue->tx->report.sent, 1, &counts->sent)
		       ?: add_parts(counting, queue, &intended, 1, &counts->intended)
		       ?: add_parts(counting, queue, due, seconds, counts->due_in);
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
		counts->received_in[i] = rx_part(rx, counting->service, (uint32_t)i);
}

/* All frames of a service by itself are its own. Their variation is known better than from a histogram of latencies. */
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

/* A drop of the tester's own interfaces belongs to a direction if its sender has no other. */
static uint64_t lost_by_tester(const struct counting *counting)
{
	const struct port_trial *ports = counting->xdp->account.ports;
	const struct trial_direction *direction = counting->direction;
	const struct port_counts *receiver = &ports[direction->to].counts;
	uint64_t lost = receiver->nic_rx_damaged + receiver->nic_rx_missed;

	for (unsigned int i = 0; i < counting->xdp->port_count; i++)
		if (direction->from >> i & 1 && ports[i].tx_drops != TX_DROPS_IN_SUT &&
		    has_one_receiver(counting->measurement, i))
			lost += ports[i].counts.nic_tx_dropped;
	return lost;
}

static enum exit_code count_service(const struct counting *counting, const struct sent_load *load)
{
	struct service_counts *counts = counting->counts;
	struct mlr_histogram latency;
	enum exit_code code = EXIT_DONE;

	find_received(counting, &latency);
	counts->timed = counting->measurement->has_latency ? latency.count : 0;
	counts->latency_min_ns = mlr_histogram_min_ns(&latency);
	counts->latency_max_ns = latency.max_ns;
	counts->latency_mean_ns = mlr_histogram_mean_ns(&latency);
	find_variation(counting, &latency);
	if (!counting->xdp->profile.service_count)
		counts->tester_lost = lost_by_tester(counting);
	for (struct xdp_queue at = { 0 }; !code && xdp_next_queue(counting->xdp, &at);)
		code = add_due(counting, &at, load);
	return code;
}

/* Return the intervals of which a queue sent all its frames, so many at most. */
static size_t seconds_sent(const struct xdp_queue *queue, const struct sent_load *load, size_t most)
{
	uint64_t sent = queue->tx->report.sent, seconds;
	struct mlr_pacer pacer;

	if (mlr_pacer_init(&pacer, load->fps, load->frame_count, queue->plan->first, queue->plan->step) ||
	    sent >= pacer.count)
		return most;
	seconds = (mlr_pacer_departure_ns(&pacer, sent) + ROUNDED_NS) / NS_PER_S;
	return seconds < most ? seconds : most;
}

/* Make room for so many services, in all directions. */
static enum exit_code make_room(size_t service_count, struct measurement *measurement)
{
	size_t count = service_count * measurement->direction_count;

	measurement->service_count = service_count;
	measurement->services = calloc(count + 1, sizeof(*measurement->services));
	measurement->seconds = calloc(2 * count * measurement->second_count + 1, sizeof(*measurement->seconds));
	if (!measurement->services || !measurement->seconds)
		return out_of_memory();
	for (size_t i = 0; i < count; i++) {
		measurement->services[i].due_in = measurement->seconds + 2 * i * measurement->second_count;
		measurement->services[i].received_in = measurement->services[i].due_in + measurement->second_count;
	}
	return EXIT_DONE;
}

enum exit_code services_end(const struct measurer_xdp *xdp, const struct sent_load *load, bool is_part,
			    struct measurement *measurement)
{
	unsigned int count = xdp->profile.service_count ?: 1;
	enum exit_code code;

	if (xdp->config->verb != VERB_Y1564)
		return EXIT_DONE;
	measurement->second_count = xdp->profile.service_count ? services_seconds(xdp->config) : 0;
	for (struct xdp_queue at = { 0 }; is_part && xdp_next_queue(xdp, &at);)
		measurement->second_count = seconds_sent(&at, load, measurement->second_count);
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
		code = count_service(&counting, load);
		if (is_part) /* What was sent is all of it. */
			counting.counts->intended = counting.counts->sent;
	}
	return code;
}

/* --- parts of load steps ------------------------------------------------------------------------------------------------- */

/* Return the last load of the steps. */
static struct sent_load last_load(const struct load_steps *steps)
{
	return steps->then_load_fps > 0.0 ? (struct sent_load){ steps->then_load_fps, steps->then_frame_count }
					  : (struct sent_load){ steps->load_fps, steps->frame_count };
}

static enum exit_code count_parts(struct counting *counting, size_t count, uint64_t *sent_in, uint64_t *received_in)
{
	const struct measurer_xdp *xdp = counting->xdp;
	const struct sent_load load = last_load(xdp->steps);
	owned uint64_t *until = calloc(count, sizeof(*until));
	enum exit_code code = until ? EXIT_DONE : out_of_memory();

	find_flows(counting);
	for (struct xdp_queue at = { 0 }; !code && xdp_next_queue(xdp, &at);) {
		count_sent(&at, &load, part_ns(xdp->steps), at.tx->part.sent, count, until);
		code = add_parts(counting, &at, until, count, sent_in);
	}
	/* Stops move frames beyond the planned end. Those are in the last part. */
	for (uint32_t i = 0; i < STEP_PARTS; i++)
		received_in[i < count ? i : count - 1] += rx_part(xdp->ends[counting->direction->to].rx, 0, i);
	return code;
}

enum exit_code parts_end(const struct measurer_xdp *xdp, struct measurement *measurement)
{
	const struct load_steps *steps = xdp->steps;
	enum exit_code code = EXIT_DONE;
	size_t count;

	if (!steps || !steps->by_due_time)
		return EXIT_DONE;
	count = (size_t)((steps->ret_end_ns - parts_start_ns(steps) - 1) / part_ns(steps) + 1);
	measurement->parts = calloc(2 * count * measurement->direction_count + 1, sizeof(*measurement->parts));
	if (!measurement->parts)
		return out_of_memory();
	for (size_t i = 0; i < measurement->direction_count && !code; i++) {
		uint64_t *sent = measurement->parts + 2 * i * count, *received = sent + count;
		struct counting counting = { .xdp = xdp, .direction = &measurement->directions[i] };

		code = count_parts(&counting, count, sent, received);
		measurement->due[i] =
			(struct mlr_due_counts){ sent, received, count, (double)part_ns(steps) / (double)NS_PER_S };
	}
	return code;
}
