/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/report.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "config/echo.h"
#include "config/given.h"
#include "config/stored.h"

/* --- one trial ------------------------------------------------------------------------------------------------------ */

static json_t *counts_json(const struct mlr_trial_counts *counts)
{
	json_t *json = json_object();

#define TX_COUNTER(name, figure, meaning)              json_put(json, #name, counts->name);
#define RX_COUNTER(name, figure, kind, known, meaning) json_put(json, #name, counts->name);
#define RX_DERIVED(name, figure, value, meaning)       json_put(json, #name, counts->name);
#include "mlr/counters.def"
	return json;
}

/* What is not known where sequence numbers are not looked at. */
static void forget_order(json_t *counts)
{
	enum { ALWAYS, ORDERED };

#define RX_COUNTER(name, figure, kind, known, meaning)                                                                      \
	if ((known) == ORDERED)                                                                                             \
		json_put(counts, #name, json_null());
#include "mlr/counters.def"
}

static json_t *verdict_json(const struct mlr_trial_counts *counts, const struct mlr_trial_verdict *verdict)
{
	json_t *object = counts_json(counts);

#define VERDICT_COUNTER(name, figure, meaning) json_put(object, #name, verdict->name);
#include "mlr/counters.def"
	return object;
}

/* Add the counts, and what follows from them. */
static json_t *judged_counts_json(const struct measurement *measurement)
{
	json_t *object;

	if (!measurement->has_counts)
		return json_null();
	object = verdict_json(&measurement->counts, &measurement->verdict);
	if (measurement->order_unknown)
		forget_order(object);
	if (measurement->counts_are_partial)
		json_each_member (name, value, object)
			if (strcmp(name, "sent") && strcmp(name, "received") && strcmp(name, "lost"))
				json_put(object, name, json_null());
	return object;
}

static json_t *order_json(const struct order_summary *order)
{
	json_t *json = json_of_members(order, window, beyond_window, reorder_depth_mean, reorder_depth_max);

	json_put(json, "reorder_depths_by_power_of_2", json_list(i, RX_DEPTH_BUCKETS, json_of(order->reorder_depths[i])));
	json_put_members(json, order, gaps, gap_frames);
	json_put(json, "gap_max_frames", order->gap_max);
	return json;
}

static json_t *places_json(const struct loss_attribution *attribution)
{
	return json_of_members(attribution, unsent, dropped_before_wire, tester_burst, receiver_damaged, receiver_missed,
			       sut);
}

static json_t *attribution_json(const struct measurement *measurement)
{
	return measurement->has_attribution ? places_json(&measurement->attribution) : json_null();
}

/* Describe a performance that the tester spoilt, and that does not count. */
static json_t *spoilt_json(const struct spoilt_performance *spoilt)
{
	json_t *json = json_of_members(spoilt, reason);

	json_put(json, "trial_loss_ratio", spoilt->verdict.loss_ratio);
	json_put(json, "wall_duration", spoilt->wall_s);
	json_put(json, "counts", verdict_json(&spoilt->counts, &spoilt->verdict));
	json_put(json, "loss_attribution", places_json(&spoilt->attribution));
	json_put_members(json, spoilt, stop_max_ns, moved_ns);
	return json;
}

static json_t *departure_json(const struct departure_summary *departure)
{
	return json_of_members(departure, source, count, early, p50_ns, p99_ns, max_ns, error_bound_ns);
}

/* Add PDV (RFC 5481, 4.2), the latency less the smallest of the trial, and IPDV (4.1). */
static void add_delay_variation(json_t *json, const struct latency_summary *latency)
{
	const struct variation_summary *variation = &latency->variation;

	json_put_members(json, latency, pdv_p50_ns, pdv_p99_ns, pdv_p99_9_ns);
	json_put(json, "pdv_max_ns", (uint64_t)latency->pdv_max_ns);
	json_put_members(json, latency, pdv_error_ns);
	if (!latency->has_variation)
		return;
	json_put(json, "ipdv_count", variation->count);
	json_put(json, "ipdv_mean_ns", variation->mean_ns);
	json_put(json, "ipdv_p50_ns", variation->p50_ns);
	json_put(json, "ipdv_p99_ns", variation->p99_ns);
	json_put(json, "ipdv_p99_9_ns", variation->p99_9_ns);
	json_put(json, "ipdv_max_ns", variation->max_ns);
}

static const struct {
	const char *name;
	size_t offset;
} latency_figures[] = {
	{ "mean_ns", offsetof(struct latency_summary, mean_ns) },
	{ "p50_ns", offsetof(struct latency_summary, p50_ns) },
	{ "p90_ns", offsetof(struct latency_summary, p90_ns) },
	{ "p99_ns", offsetof(struct latency_summary, p99_ns) },
	{ "p99_9_ns", offsetof(struct latency_summary, p99_9_ns) },
	{ "p99_99_ns", offsetof(struct latency_summary, p99_99_ns) },
};

static double figure_of(const struct latency_summary *latency, size_t figure)
{
	return *(const double *)((const char *)latency + latency_figures[figure].offset);
}

/* Count, smallest and largest, mean and percentiles, and how they vary. */
static void put_latency(json_t *json, const struct latency_summary *latency)
{
	json_put_members(json, latency, error_bound_ns, count, min_ns);
	for (size_t i = 0; i < COUNT(latency_figures); i++)
		json_put(json, latency_figures[i].name, figure_of(latency, i));
	json_put_members(json, latency, max_ns);
	add_delay_variation(json, latency);
}

static void put_histogram(json_t *latency, const char *histogram)
{
	if (histogram)
		json_put(latency, "histogram", histogram);
}

/* --- directions ----------------------------------------------------------------------------------------------------- */

json_t *report_direction(const struct measurement *measurement, size_t number)
{
	const struct trial_direction *direction = &measurement->directions[number];
	char from[MLR_PORTS_MAX * (PORT_LABEL_SIZE + 2)] = "";

	for (unsigned int i = 0; i < measurement->port_count; i++)
		if (direction->from >> i & 1)
			text_join(from, sizeof(from), ", ", "%s", measurement->ports[i].name);
	return json_with("from", from, "to", measurement->ports[direction->to].name);
}

/* Name the direction of each figure of the latency: the first that has it, if some direction has another. */
static json_t *worst_latency_json(const struct measurement *measurement)
{
	json_t *json = json_object();

	for (size_t figure = 0; figure < COUNT(latency_figures); figure++) {
		size_t worst = measurement->direction_count, same = 0;

		for (size_t i = measurement->direction_count; i-- > 0;)
			if (figure_of(&measurement->by_direction[i].latency, figure) ==
			    figure_of(&measurement->latency, figure)) {
				worst = i;
				same++;
			}
		if (same && same < measurement->direction_count)
			json_put(json, latency_figures[figure].name, report_direction(measurement, worst));
	}
	return json;
}

static double direction_loss_ratio(const struct direction_figures *figures)
{
	return figures->verdict.loss_ratio;
}

static json_t *interval_json(const struct interval_counts *counts);

static json_t *direction_json(const struct measurement *measurement, size_t number)
{
	const struct direction_figures *figures = &measurement->by_direction[number];
	const struct interval_counts *intervals = measurement->intervals + (1 + number) * measurement->interval_count;
	json_t *json = report_direction(measurement, number), *counts = verdict_json(&figures->counts, &figures->verdict);

	if (measurement->order_unknown)
		forget_order(counts);
	json_put(json, "counts", counts, "loss_ratio", direction_loss_ratio(figures), "order",
		 measurement->order_unknown ? json_null() : order_json(&figures->order), "latency", json_null());
	if (measurement->has_latency && figures->has_latency) {
		json_put(json, "latency", json_object());
		put_latency(json_object_get(json, "latency"), &figures->latency);
		put_histogram(json_object_get(json, "latency"), measurement->histograms[number]);
	}
	if (measurement->intervals)
		json_put(json, "intervals", json_list(i, measurement->interval_count, interval_json(&intervals[i])));
	return json;
}

/* Where there are several, each direction by itself, and the one that lost the greatest part of its frames. */
static void add_directions(json_t *trial, const struct measurement *measurement)
{
	json_t *worst = json_object();
	size_t most = 0, same = 0;

	if (measurement->direction_count < 2) {
		json_decref(worst);
		return;
	}
	for (size_t i = 0; i < measurement->direction_count; i++)
		if (direction_loss_ratio(&measurement->by_direction[i]) >
		    direction_loss_ratio(&measurement->by_direction[most]))
			most = i;
	for (size_t i = 0; i < measurement->direction_count; i++)
		same += direction_loss_ratio(&measurement->by_direction[i]) ==
			direction_loss_ratio(&measurement->by_direction[most]);
	if (same < measurement->direction_count)
		json_put(worst, "loss_ratio", report_direction(measurement, most));
	json_put(trial, "loss_ratio", direction_loss_ratio(&measurement->by_direction[most]));
	json_put(trial, "directions", json_list(i, measurement->direction_count, direction_json(measurement, i)));
	json_put(trial, "worst_direction", worst);
}

static json_t *latency_json(const struct measurement *measurement)
{
	const struct latency_summary *latency = &measurement->latency;
	json_t *json;

	if (!measurement->has_latency)
		return json_null();
	json = json_of_members(latency, clock, definition, source);
	put_latency(json, latency);
	if (measurement->direction_count == 1)
		put_histogram(json, measurement->histograms[0]);
	if (measurement->direction_count > 1)
		json_put(json, "worst_direction", worst_latency_json(measurement));
	if (measurement->has_departure)
		json_put(json, "departure_delay", departure_json(&measurement->departure));
	if (latency->floor) {
		json_put_members(json, latency->floor, floor_p50_ns, floor_p99_ns);
		json_put(json, "floor_source", json_sprintf("self-test of %s", latency->floor->time));
	}
	return json;
}

static json_t *paced_json(const struct pacing_summary *pacing, uint64_t value)
{
	return pacing->is_paced ? json_of(value) : json_null();
}

/* Add how far the departures ran ahead of a constant load, and what stopped them. */
static void add_envelope(json_t *json, const struct pacing_summary *pacing)
{
	json_put(json, "transmit_duration", pacing->transmit_s);
	json_put(json, "burst_allowed", paced_json(pacing, pacing->burst_asked));
	json_put(json, "excess_frames_max", paced_json(pacing, pacing->excess_frames_max));
	json_put(json, "marked_frames", paced_json(pacing, pacing->marked_frames));
	if (!pacing->is_paced)
		return;
	json_put(json, "excess_at", pacing->excess_at_s);
	json_put(json, "excess_duration", pacing->excess_s);
	json_put(json, "stop_count", pacing->stops.count);
	json_put(json, "stop_total_ns", pacing->stops.total_ns);
	json_put(json, "stop_max_ns", pacing->stops.longest_ns);
	json_put(json, "stop_max_at", (double)pacing->stops.longest_at_ns / (double)NS_PER_S);
	json_put_members(json, pacing, catch_up_ns, moves, moved_ns);
}

static json_t *pacing_json(const struct measurement *measurement)
{
	const struct pacing_summary *pacing = &measurement->pacing;
	json_t *json;

	if (!measurement->has_pacing)
		return json_null();
	json = json_of_members(pacing, intended_fps, achieved_fps, error_ppm, gap_p50_ns, gap_p99_ns, gap_max_ns);
	json_put(json, "burst_max", paced_json(pacing, pacing->burst_max));
	add_envelope(json, pacing);
	return json;
}

static json_t *moved_json(const struct moved_counter *counter)
{
	return json_with("counter", counter->name, "moved", json_of(counter->moved));
}

static json_t *port_json(const struct port_counts *port, bool order_known)
{
	json_t *counts = counts_json(&port->counts), *json = json_of_members(port, name, transmits, receives);

	if (!order_known)
		forget_order(counts);
	json_put(json, "counts", counts);
	json_put_members(json, port, received_octets, nic_tx_frames, nic_tx_dropped, nic_rx_frames, nic_rx_missed);
	json_put(json, "counters_moved", json_list(i, port->moved_count, moved_json(&port->moved[i])));
	json_put_members(json, port, nic_rx_damaged, extra_sent, extra_received, queries_sent, queries_answered);
	if (!port->transmits)
		json_put_members(json, port, announcements_sent);
	return json;
}

static json_t *ports_json(const struct measurement *measurement)
{
	return json_list(i, measurement->port_count, port_json(&measurement->ports[i], !measurement->order_unknown));
}

/* Describe what was sent, received and lost of the frames due in an interval. */
static json_t *interval_json(const struct interval_counts *counts)
{
	json_t *row = json_object(), *latency;

	json_put(row, "start", counts->start_s);
	json_put_members(row, counts, sent, received);
	json_put(row, "lost", (int64_t)(counts->sent - counts->received));
	if (!counts->timed)
		return row;
	latency = json_object();
	json_put(latency, "min_ns", counts->latency_min_ns);
	json_put(latency, "mean_ns", counts->latency_mean_ns);
	json_put(latency, "max_ns", counts->latency_max_ns);
	json_put(row, "latency", latency);
	return row;
}

/* Describe a flow over time: a list for each count. The list of unknown frames is there only if there are any. */
static json_t *flow_intervals_json(const struct flow_interval *intervals, size_t count)
{
	json_t *json = json_with("sent", json_list(i, count, json_of(intervals[i].sent)), "lost",
				 json_list(i, count, json_of(intervals[i].lost)));
	bool all_known = true;

	for (size_t i = 0; i < count; i++)
		all_known = all_known && !intervals[i].unknown;
	if (!all_known)
		json_put(json, "unknown", json_list(i, count, json_of(intervals[i].unknown)));
	return json;
}

/* Describe a flow: its direction, and its counts. */
static json_t *flow_json(const struct measurement *measurement, const struct flow_figures *flow)
{
	const struct rx_flow_figures *seen = &flow->seen;
	json_t *json = json_of_members(flow, flow, sent), *latency;

	json_put_members(json, seen, received);
	json_put(json, "lost", (int64_t)(flow->sent - seen->received));
	json_put_members(json, seen, duplicate, reordered);
	json_object_update_new(json, report_direction(measurement, flow->direction));
	if (seen->timed && measurement->has_latency) {
		latency = json_object();
		json_put(latency, "mean_ns", (double)seen->latency_sum_ns / (double)seen->timed);
		json_put(latency, "max_ns", seen->latency_max_ns);
		json_put(json, "latency", latency);
	}
	if (flow->intervals)
		json_put(json, "intervals", flow_intervals_json(flow->intervals, measurement->interval_count));
	return json;
}

static json_t *flows_json(const struct measurement *measurement)
{
	return json_with("count", measurement->flows, "lossy", measurement->lossy_flows, "duplicated",
			 measurement->duplicated_flows, "reordered", measurement->reordered_flows, "worst",
			 json_list(i, measurement->worst_flow_count, flow_json(measurement, &measurement->worst_flows[i])));
}

static json_t *icmp_error_json(const struct measurement *measurement, const struct icmp_report *report)
{
	json_t *json = json_object();

	json_put(json, "port", measurement->ports[report->port].name);
	json_put_members(json, report, from, ip_version, type, code, message, about);
	json_put(json, "flow", report->flow == RX_NO_FLOW ? json_null() : json_of(report->flow));
	json_put_members(json, report, frames);
	json_put(json, "of_other_flows", report->other_flows);
	if (report->mtu_octets)
		json_put_members(json, report, mtu_octets);
	return json;
}

static json_t *loss_counter_json(const struct measurement *measurement)
{
	const struct port_counts *port = &measurement->ports[measurement->loss_counter.port];
	json_t *json = moved_json(&port->moved[measurement->loss_counter.at]);

	json_put(json, "port", port->name);
	return json;
}

static json_t *trial_json(const struct measurement *measurement)
{
	const struct mlr_trial_result *result = &measurement->result;
	json_t *trial = json_object();

	json_put(trial, "trial_load", result->input.load_fps);
	json_put(trial, "trial_duration", result->input.duration_s);
	json_put(trial, "trial_loss_ratio", result->output.loss_ratio);
	json_put(trial, "trial_effective_duration", result->output.effective_duration_s);
	json_put(trial, "trial_forwarding_rate", result->output.forwarding_rate_fps);
	json_put(trial, "counts", judged_counts_json(measurement));
	json_put(trial, "loss_attribution", attribution_json(measurement));
	json_put_members(trial, measurement, tester_limited, tester_limited_reason, tx_backend);
	if (measurement->tester_limited)
		json_put(trial, "offered_less", measurement_offered_less(measurement));
	if (measurement->loss_counter.is_there)
		json_put(trial, "loss_counter", loss_counter_json(measurement));
	if (measurement->has_order)
		json_put(trial, "order", measurement->order_unknown ? json_null() : order_json(&measurement->order));
	add_directions(trial, measurement);
	if (measurement->wall_s > 0) {
		json_put(trial, "wall_duration", measurement->wall_s);
		json_put(trial, "waits_duration", measurement->waits_s);
	}
	if (measurement->intervals)
		json_put(trial, "intervals",
			 json_list(i, measurement->interval_count, interval_json(&measurement->intervals[i])));
	if (measurement->observed)
		json_object_set(trial, "observed", measurement->observed);
	if (measurement->worst_flows)
		json_put(trial, "flows", flows_json(measurement));
	if (measurement->icmp_error_count)
		json_put(trial, "icmp_errors",
			 json_list(i, measurement->icmp_error_count,
				   icmp_error_json(measurement, &measurement->icmp_errors[i])));
	if (measurement->has_attribution)
		json_put_members(trial, measurement, tester_repeats);
	if (measurement->tester_repeats)
		json_put(trial, "spoilt_performances",
			 json_list(i, measurement->tester_repeats, spoilt_json(&measurement->spoilt_performances[i])));
	if (measurement->link_repeats)
		json_put_members(trial, measurement, link_repeats);
	if (measurement->residual.ended_by) {
		json_put(trial, "trial_number", measurement->number);
		json_put(trial, "residual_duration", measurement->residual.waited_s);
		json_put(trial, "residual_ended_by", measurement->residual.ended_by);
	}
	if (measurement->verdict.negative_loss)
		json_put(trial, "negative_loss", true);
	return trial;
}

json_t *report_trial(const struct measurement *measurement)
{
	json_t *trial = trial_json(measurement);

	if (measurement->has_latency)
		json_put(trial, "latency", latency_json(measurement));
	else if (measurement->latency_refused[0])
		json_put(trial, "latency", json_null(), "latency_refused", measurement->latency_refused);
	if (measurement->has_hosts)
		json_put_members(trial, measurement, start_skew_ns, clock_bound_ns);
	if (measurement->has_pacing)
		json_put(trial, "pacing", pacing_json(measurement));
	if (measurement->port_count)
		json_put(trial, "ports", ports_json(measurement));
	if (measurement->passed_through)
		json_object_update_missing(trial, measurement->passed_through);
	return trial;
}

/* --- goals ---------------------------------------------------------------------------------------------------------- */

json_t *report_goal(const struct mlr_goal *goal)
{
	json_t *json = json_of_members(goal, name, loss_ratio, exceed_ratio);

	json_put(json, "initial_trial_duration", goal->initial_trial_duration_s);
	json_put(json, "final_trial_duration", goal->final_trial_duration_s);
	json_put(json, "duration_sum", goal->duration_sum_s);
	json_put(json, "width", goal->width_ratio);
	return json;
}

void report_add_goal_latency(json_t *result, const json_t *trials)
{
	static const char *const figures[] = { "min_ns",        "mean_ns",     "p50_ns",       "p90_ns",      "p99_ns",
					       "p99_9_ns",      "p99_99_ns",   "max_ns",       "pdv_p50_ns",  "pdv_p99_ns",
					       "pdv_p99_9_ns",  "pdv_max_ns",  "ipdv_mean_ns", "ipdv_p50_ns", "ipdv_p99_ns",
					       "ipdv_p99_9_ns", "ipdv_max_ns", "pdv_error_ns" };
	double load_fps = read_number(result, "relevant_lower_bound");
	double full_s = read_number(json_object_get(result, "goal"), "final_trial_duration");
	json_auto_t *worst = json_object();
	size_t count = 0;

	json_each (trial, trials) {
		const json_t *latency = json_object_get(trial, "latency");

		if (read_number(trial, "trial_load") != load_fps || read_number(trial, "trial_duration") < full_s ||
		    read_truth(trial, "warmup") || !json_is_object(latency))
			continue;
		count++;
		for (size_t j = 0; j < COUNT(figures); j++) {
			double value_ns = fmax(read_number(worst, figures[j]), read_number(latency, figures[j]));

			if (!isnan(value_ns))
				json_put(worst, figures[j], value_ns);
		}
	}
	json_put(worst, "trials", count);
	if (count)
		json_object_set(result, "latency", worst);
}

double report_frame_octets(const struct config *config, const struct measurer *measurer)
{
	if (measurer->frame_size_octets > 0 || isnan(measurer->frame_size_octets))
		return measurer->frame_size_octets;
	if (config->measurer == MEASURER_EXEC && !given_by_user(config->given, "frame-size"))
		return NAN;
	return config->frame_size_octets;
}

double report_came_octets(const struct config *config, const struct measurement *measurement, double octets)
{
	double sum_octets = 0, frames = 0;

	for (size_t i = 0; i < measurement->port_count; i++) {
		sum_octets += (double)measurement->ports[i].received_octets;
		frames += (double)measurement->ports[i].counts.received;
	}
	json_each (port, json_object_get(measurement->stored, "ports")) {
		sum_octets += read_number(port, "received_octets");
		frames += read_number(json_object_get(port, "counts"), "received");
	}
	return config->sizes.size_count > 1 && measurement->result.output.loss_ratio > 0 && sum_octets > 0 && frames > 0
		       ? sum_octets / frames
		       : octets;
}

void report_add_bps(json_t *object, const char *name, double load_fps, double frame_size_octets)
{
	char member[64];

	snprintf(member, sizeof(member), "%s_l1_bps", name);
	json_put(object, member, l1_bps(load_fps, frame_size_octets));
	snprintf(member, sizeof(member), "%s_l2_bps", name);
	json_put(object, member, l2_bps(load_fps, frame_size_octets));
}

void report_add_trial_bps(json_t *trial, const struct config *config, const struct measurement *measurement, double octets)
{
	report_add_bps(trial, "trial_load", measurement->result.input.load_fps, octets);
	report_add_bps(trial, "trial_forwarding_rate", measurement->result.output.forwarding_rate_fps,
		       report_came_octets(config, measurement, octets));
}

/* --- deviations from RFC 2544 --------------------------------------------------------------------------------------- */

/* Phases a to e of section 23. Only the measurer xdp has waits. */
static void add_waits(json_t *sentences, const struct waits *waits)
{
	const struct waits *rfc = &RFC2544_WAITS;

	append_sentence(sentences,
			"Phase a: no routing update is sent, so a router has its routes before the run; %g s pass, RFC 2544 "
			"section 23 says an update and %g s.",
			waits->routing_s, rfc->routing_s);
	if (waits->learning_s != rfc->learning_s)
		append_sentence(sentences, "Phase b: %g s after learning frames, RFC 2544 section 23 says %g s.",
				waits->learning_s, rfc->learning_s);
	append_sentence(sentences,
			"Phase d: at most %g s for residual frames, %g s after all of them have arrived, %g s of silence "
			"once at least half of them and one of every flow have, and 1.25 times the largest latency seen, "
			"but not before a trial of the run has waited for missing ones in vain for all of its time, nor "
			"after frames came after their trial; each trial says how long it was (residual_duration) and what "
			"ended it (residual_ended_by); RFC 2544 section 23 says %g s.",
			waits->residual_s, waits->residual_s / WAIT_COPIES_PART, waits->residual_s / WAIT_QUIET_PART,
			rfc->residual_s);
	if (waits->stabilize_s < rfc->stabilize_s)
		append_sentence(sentences,
				"Phase e: %g s for the SUT to restabilise, RFC 2544 section 23 says at least %g s.",
				waits->stabilize_s, rfc->stabilize_s);
}

static void add_goal(json_t *sentences, const struct mlr_goal *goal)
{
	if (goal->loss_ratio > 0 || goal->exceed_ratio > 0)
		append_sentence(
			sentences,
			"Goal %s: Goal Loss Ratio %s and Goal Exceed Ratio %s; the throughput of RFC 2544 has 0 and 0.",
			goal->name, format_percent(goal->loss_ratio, UNIT_ROOM),
			format_percent(goal->exceed_ratio, UNIT_ROOM));
	if (goal->final_trial_duration_s < RFC2544_TRIAL_S)
		append_sentence(sentences, "Goal %s: trials of %g s, RFC 2544 section 24 says at least %d s.", goal->name,
				goal->final_trial_duration_s, RFC2544_TRIAL_S);
}

json_t *report_deviations(const struct config *config, struct measurer *measurer)
{
	json_t *sentences = json_array();

	if (config_uses_ports(config))
		add_waits(sentences, &config->waits);
	if (measurer->ops->deviations)
		measurer->ops->deviations(measurer, sentences);
	if (config->verb == VERB_SEARCH && config->algorithm == ALGORITHM_PHASED)
		append_sentence(
			sentences,
			"Algorithm phased: bounds are those of draft-ietf-bmwg-mlrsearch-01, by the effective loss ratio of "
			"trials of the Goal Final Trial Duration. It applies no Goal Exceed Ratio and no Goal Duration Sum: "
			"one such trial judges a load, which is what 0 and one trial stand for here.");
	for (size_t i = 0; i < config->goal_count; i++)
		add_goal(sentences, &config->goals[i]);
	return sentences;
}

/* --- documents ------------------------------------------------------------------------------------------------------ */

/* What a replay does not know is how it was measured; the stored search does. */
static void take_stored(json_t *document, const struct stored *stored)
{
	static const char *const members[] = { "deviations", "definitions", "environment", "connection", "latency_at" };
	json_t *warnings = json_object_get(document, "warnings");

	for (size_t i = 0; i < COUNT(members); i++)
		if (json_object_get(stored->document, members[i]))
			json_object_set(document, members[i], json_object_get(stored->document, members[i]));
	json_each (warning, json_object_get(stored->document, "warnings"))
		if (!json_list_has(warnings, warning))
			json_array_append(warnings, warning);
	json_object_update_missing(json_object_get(document, "configuration"), stored->configuration);
}

/* What both documents say of how it was measured. */
void report_add_setting(json_t *document, const struct config *config, struct measurer *measurer, time_t start_time)
{
	json_t *connection = config->measurer == MEASURER_XDP ? measurer_xdp_connection(measurer) : NULL;

	json_put(document, "measurer", measurer->ops->describe(measurer));
	if (connection)
		json_put(document, "connection", connection);
	json_put(document, "traffic_profile", measurer->ops->traffic_profile(measurer));
	json_put(document, "environment", environment_describe(start_time));
	json_put(document, "deviations", report_deviations(config, measurer));
	json_put(document, "units", report_units());
	json_put(document, "definitions", report_definitions(config));
	json_put(document, "configuration", config_describe(config));
	if (config->measurer == MEASURER_REPLAY)
		take_stored(document, config->stored);
}

json_t *report_one_trial(const struct config *config, struct measurer *measurer, const struct measurement *measurement,
			 time_t start_time)
{
	static const struct measurement nothing;
	const struct measurement *shown = measurement ? measurement : &nothing;
	double octets = report_frame_octets(config, measurer);
	json_t *document =
		json_with("schema", "xdp-mlr/trial/1", "trial_result", measurement ? trial_json(measurement) : json_null(),
			  "latency", latency_json(shown), "pacing", pacing_json(shown), "ports", ports_json(shown),
			  "tester_limited", shown->tester_limited, "load_scope", "interface", "aggregate_factor",
			  measurer->transmitters, "irregular_reason", measurement ? NULL : "interrupted");

	if (!document)
		return NULL;
	if (measurement)
		report_add_trial_bps(json_object_get(document, "trial_result"), config, measurement, octets);
	report_add_power(document, octets);
	report_add_setting(document, config, measurer, start_time);
	return document;
}
