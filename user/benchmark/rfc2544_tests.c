/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file has the tests of RFC 2544, 26.1 to 26.3: throughput, latency, frame loss rate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "benchmark/rfc2544_run.h"
#include "benchmark/search.h"
#include "mlr/rfc2544.h"
#include "result/report.h"

#define FAST_INITIAL_S 0.5 /* longest initial Trial Duration of throughput trials */
#define WIDTH_RATIO    0.005
#define SOURCE_SIZE    400

/* --- throughput (26.1) -------------------------------------------------------------------------------------------- */

void rfc2544_set_goal(struct config *config, const struct rfc2544_plan *plan)
{
	double final_s = plan->trial_duration_s;

	config->algorithm = ALGORITHM_MLR;
	config->goal_count = 1;
	config->goals[0] = (struct mlr_goal){
		.name = "throughput",
		.initial_trial_duration_s = final_s > 1 ? 1 : fmin(final_s, FAST_INITIAL_S),
		.final_trial_duration_s = final_s,
		.duration_sum_s = final_s,
		.width_ratio = WIDTH_RATIO,
	};
}

static struct config search_config(const struct rfc2544_run *run)
{
	const struct rfc2544 *suite = run->suite;
	struct config config = *run->part.config;

	rfc2544_set_goal(&config, &suite->plan);
	config.min_load = (struct load_spec){ LOAD_FPS, run->range.min_fps };
	config.max_load = (struct load_spec){ LOAD_FPS, run->range.max_fps };
	if (config.max_time_s > 0)
		config.max_time_s = fmax(config.max_time_s - (double)(clock_ns() - suite->common.start_ns) / NS_PER_S, 1e-3);
	return config;
}

static void put_throughput(struct rfc2544_run *run, const struct search *search, json_t *json)
{
	double octets = run->part.config->frame_size_octets;
	double fps = search->outcomes[0].result.relevant_lower_bound_fps, line_fps = run->part.measurer->line_rate_fps;

	json_put(json, "goal_result", report_goal_result(search, 0, &search->outcomes[0]), "throughput", fps,
		 "line_rate_ratio", line_fps > 0 ? fps / line_fps : NAN, "l1_bps", l1_bps(fps, octets), "l2_bps",
		 l2_bps(fps, octets), "trial_count", search->trial_count, "search_duration", search->duration_s, "trials",
		 json_list(i, search->trial_count, report_search_trial(search, &search->trials[i])));
	run->throughput_fps = fps;
	run->part.tester_limited |= search->outcomes[0].tester_limited;
}

/* Only the maximum rate of the medium, free of loss, is a throughput without an upper bound. */
static const char *search_reason(const struct rfc2544_run *run, const struct goal_outcome *outcome)
{
	switch (outcome->result.irregularity) {
	case MLR_REGULAR:
		return NULL;
	case MLR_MAX_LOAD_IS_LOWER_BOUND:
		if (!is_line_rate(run->range.max_fps, run->part.measurer->line_rate_fps))
			return "the SUT loses nothing at Max Load, which is not known to be the maximum rate of the medium: "
			       "its throughput is at least this, and there is no upper bound";
		return "the SUT loses nothing at the maximum rate, which so is its throughput in the sense of RFC 2544; as "
		       "a result of MLRsearch it is irregular, for there is no upper bound";
	case MLR_MIN_LOAD_IS_UPPER_BOUND:
		return "the SUT loses frames at every load down to Min Load";
	case MLR_CONTRADICTED:
	case MLR_UNFINISHED:
		break;
	}
	return "the search did not come to its end";
}

enum exit_code rfc2544_throughput(struct rfc2544_run *run, json_t *json)
{
	struct config config = search_config(run);
	struct search search;
	enum exit_code code = search_run(&config, run->part.measurer, &search);

	if (search.end != SEARCH_RUNNING) {
		put_throughput(run, &search, json);
		run->part.reason = search_reason(run, &search.outcomes[0]);
		if (code == EXIT_UNMET)
			code = search.end == SEARCH_OUT_OF_TIME ? EXIT_UNMET : EXIT_DONE;
	}
	search_free(&search);
	return code;
}

/* --- latency (26.2) ----------------------------------------------------------------------------------------------- */

#define SOURCES_MAX 4

/* A source of arrival times, and the repeats that used it. */
struct latency_source {
	const char *name;
	size_t repeats;
};

/* The sums over the repeats so far. */
struct latency_series {
	size_t count;
	/* Sources of latency; several if a NIC's clock was lost, or came, between two repeats. */
	struct latency_source sources[SOURCES_MAX];
	size_t source_count;
	double error_bound_ns; /* largest error bound of a latency; NAN: one is not known */
	json_t *last;          /* LATENCY of the last repeat: clock, definition, floor */
	size_t direction_count;
	struct direction_series {
		json_t *name;
		size_t count;
		double means_sum_ns, min_ns, max_ns, p99_max_ns;
	} directions[MLR_PORTS_MAX];
};

/* Add a repeat in one direction. */
static void add_direction(struct direction_series *series, const struct measurement *measurement, size_t number)
{
	const struct direction_figures *figures = &measurement->by_direction[number];

	json_decref(series->name);
	series->name = report_direction(measurement, number);
	if (!figures->has_latency)
		return;
	series->means_sum_ns += figures->latency.mean_ns;
	series->min_ns =
		series->count ? fmin(series->min_ns, (double)figures->latency.min_ns) : (double)figures->latency.min_ns;
	series->max_ns = fmax(series->max_ns, (double)figures->latency.max_ns);
	series->p99_max_ns = fmax(series->p99_max_ns, figures->latency.p99_ns);
	series->count++;
}

static double average_ns(const struct direction_series *series)
{
	return series->count ? series->means_sum_ns / (double)series->count : NAN;
}

/* Add each direction by itself, and the one whose frames take longest on average. */
static void put_latency_directions(struct latency_series *series, json_t *json)
{
	json_t *list = json_array(), *worst = json_object();
	size_t longest = 0;

	for (size_t i = 0; i < series->direction_count; i++) {
		struct direction_series *here = &series->directions[i];
		bool any = here->count;

		longest = average_ns(here) > fmax(0, average_ns(&series->directions[longest])) ? i : longest;
		json_put(here->name, "average_of_means_ns", average_ns(here), "min_ns", any ? here->min_ns : NAN, "max_ns",
			 any ? here->max_ns : NAN, "p99_ns_max", any ? here->p99_max_ns : NAN);
	}
	if (series->direction_count > 1)
		json_put(worst, "average_of_means_ns",
			 json_with("from", json_incref(json_object_get(series->directions[longest].name, "from")), "to",
				   json_incref(json_object_get(series->directions[longest].name, "to"))));
	for (size_t i = 0; i < series->direction_count; i++)
		json_array_append_new(list, series->directions[i].name);
	json_put(json, "directions", list);
	json_put(json, "worst_direction", worst);
}

static void add_source(struct latency_series *series, const struct latency_summary *latency)
{
	size_t i = 0;

	while (i < series->source_count && strcmp(series->sources[i].name, latency->source))
		i++;
	if (i == SOURCES_MAX)
		i--;
	else if (i == series->source_count)
		series->sources[series->source_count++].name = latency->source;
	series->sources[i].repeats++;
	if (!series->count || isnan(latency->error_bound_ns) || latency->error_bound_ns > series->error_bound_ns)
		series->error_bound_ns = latency->error_bound_ns;
}

static void add_repeat(struct latency_series *series, const struct measurement *measurement, json_t *trial)
{
	const struct latency_summary *latency = &measurement->latency;

	if (!measurement->has_latency)
		return;
	add_source(series, latency);
	series->direction_count = measurement->direction_count;
	for (size_t i = 0; i < measurement->direction_count; i++)
		add_direction(&series->directions[i], measurement, i);
	series->count++;
	json_decref(series->last);
	series->last = json_incref(json_object_get(trial, "latency"));
}

/* Add clock, definition and floor, which are those of every repeat if there is only one source. */
static void put_clock(const struct latency_series *series, json_t *json)
{
	static const char *const from_last[] = { "definition", "clock", "floor_p50_ns", "floor_p99_ns", "floor_source" };

	for (size_t i = 0; i < COUNT(from_last) && series->source_count == 1; i++)
		if (json_object_get(series->last, from_last[i]))
			json_object_set(json, from_last[i], json_object_get(series->last, from_last[i]));
}

/* Add the one source, or each with its repeats. */
static json_t *source_json(const struct latency_series *series)
{
	char text[SOURCE_SIZE] = "";

	if (series->source_count < 2)
		return series->source_count ? json_string(series->sources[0].name) : json_null();
	for (size_t i = 0; i < series->source_count; i++)
		text_join(text, sizeof(text), "; ", "%zu repeat%s by %s", series->sources[i].repeats,
			  series->sources[i].repeats == 1 ? "" : "s", series->sources[i].name);
	return json_string(text);
}

static void put_latency(const struct latency_series *series, json_t *figures, json_t *json)
{
	put_clock(series, json);
	json_put(json, "source", source_json(series), "error_bound_ns", series->count ? series->error_bound_ns : NAN);
	json_object_update(json, figures);
}

static enum exit_code repeat_latency(struct rfc2544_run *run, struct latency_series *series, json_t *trials)
{
	const struct rfc2544_plan *plan = &run->suite->plan;

	for (unsigned int i = 0; i < plan->latency_repeats; i++) {
		measurement_auto_t measurement = { 0 };
		enum exit_code code = suite_trial(&run->part, run->throughput_fps, plan->latency_duration_s, &measurement);
		json_t *trial;

		if (code != EXIT_DONE)
			return code;
		trial = report_trial(&measurement);
		add_repeat(series, &measurement, trial);
		json_array_append_new(trials, trial);
		run->part.tester_limited |= measurement.tester_limited;
	}
	return EXIT_DONE;
}

enum exit_code rfc2544_latency(struct rfc2544_run *run, json_t *json)
{
	const struct rfc2544_plan *plan = &run->suite->plan;
	struct latency_series series = { .count = 0 };
	json_t *trials = json_array();
	enum exit_code code = repeat_latency(run, &series, trials);
	json_auto_t *figures = report_latency_test(trials);

	json_put(json, "load", run->throughput_fps, "trial_duration", plan->latency_duration_s, "repeats_wanted",
		 plan->latency_repeats);
	put_latency(&series, figures, json);
	put_latency_directions(&series, json);
	json_put(json, "trials", trials);
	if (!series.count)
		run->part.reason = "no frame's latency was measured";
	else if (read_number(figures, "lost_frames") > 0)
		run->part.reason = "frames were lost at the throughput";
	else if (series.source_count > 1)
		run->part.reason = "the repeats were timed by different clocks, so their averages mix what differs";
	else if (code == EXIT_DONE && series.count < plan->latency_repeats)
		run->part.reason = "a repeat has no latency: its arrivals were timed by two clocks";
	json_decref(series.last);
	return code;
}

/* --- frame loss rate (26.3) --------------------------------------------------------------------------------------- */

/* Return the loss ratio of a direction. NAN: no frame was sent. */
static double loss_ratio_of(const struct direction_figures *figures)
{
	return fmax(0, (double)figures->verdict.lost / (double)figures->counts.sent);
}

static json_t *frames_json(double loss_ratio, const struct mlr_trial_counts *counts)
{
	return json_with("loss_ratio", loss_ratio, "input_frames", counts->sent, "output_frames", counts->received);
}

/* Return the direction that lost the greatest part of its frames. */
static size_t worst_of(const struct measurement *measurement)
{
	size_t worst = 0;

	for (size_t i = 1; i < measurement->direction_count; i++)
		if (loss_ratio_of(&measurement->by_direction[i]) > loss_ratio_of(&measurement->by_direction[worst]))
			worst = i;
	return worst;
}

/* Make a point of the curve. It has the loss ratio of the worst direction, and all frames. */
static json_t *point_json(const struct measurement *measurement, double load_fps, double ratio)
{
	size_t worst = worst_of(measurement);
	json_t *json = json_with("load", load_fps, "load_ratio", ratio, "tester_limited", measurement->tester_limited,
				 "directions", json_array(), "worst_direction", json_object());

	json_object_update_new(json, frames_json(loss_ratio_of(&measurement->by_direction[worst]), &measurement->counts));
	for (size_t i = 0; i < measurement->direction_count; i++) {
		const struct direction_figures *figures = &measurement->by_direction[i];
		json_t *direction = report_direction(measurement, i);

		json_object_update_new(direction, frames_json(loss_ratio_of(figures), &figures->counts));
		json_array_append_new(json_object_get(json, "directions"), direction);
	}
	if (measurement->direction_count > 1 && measurement->verdict.lost > 0)
		json_put(json_object_get(json, "worst_direction"), "loss_ratio", report_direction(measurement, worst));
	return json;
}

static enum exit_code step_down(struct rfc2544_run *run, struct mlr_loss_steps *steps, json_t *points, json_t *trials)
{
	double ratio;

	while ((ratio = mlr_loss_steps_next(steps)) > 0) {
		double load_fps = ratio * run->range.max_fps;
		measurement_auto_t measurement = { 0 };
		enum exit_code code = suite_trial(&run->part, load_fps, run->suite->plan.trial_duration_s, &measurement);

		if (code != EXIT_DONE)
			return code;
		json_array_append_new(points, point_json(&measurement, load_fps, ratio));
		json_array_append_new(trials, report_trial(&measurement));
		mlr_loss_steps_add(steps, loss_ratio_of(&measurement.by_direction[worst_of(&measurement)]));
		run->part.tester_limited |= measurement.tester_limited;
	}
	return EXIT_DONE;
}

enum exit_code rfc2544_frame_loss(struct rfc2544_run *run, json_t *json)
{
	const struct rfc2544_plan *plan = &run->suite->plan;
	struct mlr_loss_steps steps = { .step_ratio = plan->loss_step_ratio };
	json_t *points = json_array(), *trials = json_array();
	double line_fps = run->part.measurer->line_rate_fps;
	enum exit_code code = step_down(run, &steps, points, trials);

	json_put(json, "max_rate", run->range.max_fps, "step_ratio", plan->loss_step_ratio, "trial_duration",
		 plan->trial_duration_s, "line_rate_known", json_boolean(line_fps > 0), "loss_free_pair",
		 mlr_loss_steps_complete(&steps), "points", points, "trials", trials);
	if (code == EXIT_DONE && !mlr_loss_steps_complete(&steps))
		run->part.reason = "no two successive loads were free of loss";
	return code;
}
