/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/search_state.h"

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/text_stream.h"
#include "config/echo.h"
#include "config/given.h"
#include "result/report.h"

#define REASON_SIZE (MLR_GOALS_MAX * 256) /* a sentence for each goal */
#define SAME_RATE   1e-9                  /* part by which two rates that are the same may differ */

/* --- trials --------------------------------------------------------------------------------------------------------- */

/* Return why a trial was chosen. If something else was measured (by an earlier run), say what was asked for. */
static json_t *decision_json(const struct search *search, const struct search_trial *trial)
{
	const struct mlr_trial_input *asked = &trial->decision.input, *measured = &trial->measurement.result.input;
	json_t *decision = json_with("goal", search->config->goals[trial->decision.goal].name, "rule", trial->decision.rule,
				     "lower_bound", trial->lower_fps, "upper_bound", trial->upper_fps);

	json_put(decision, "exceed_probability", trial->decision.exceed_probability);
	json_put(decision, "trials_ahead", trial->decision.trials_ahead);

	if (asked->load_fps != measured->load_fps || asked->duration_s != measured->duration_s) {
		json_put(decision, "asked_load", asked->load_fps);
		json_put(decision, "asked_duration", asked->duration_s);
	}
	return decision;
}

json_t *report_search_trial(const struct search *search, const struct search_trial *trial)
{
	json_t *json = trial->measurement.stored ? json_copy((json_t *)trial->measurement.stored)
						 : report_trial(&trial->measurement);

	if (trial->decision.warmup)
		json_put(json, "warmup", true);
	json_put(json, "decision", decision_json(search, trial));
	return json;
}

/* --- goals ---------------------------------------------------------------------------------------------------------- */

/* Return why the search as a whole ended before its goals were reached; NULL if it did not. */
static const char *end_reason(const struct search *search)
{
	switch (search->end) {
	case SEARCH_OUT_OF_TIME:
		return "the time limit of the search was reached";
	case SEARCH_FAILED_FAST:
		return "Min Load is an Upper Bound of a goal, and --fail-fast ends the search there";
	case SEARCH_REPLAYED:
		return "the stored trials end here";
	case SEARCH_INTERRUPTED:
		return "interrupted";
	case SEARCH_FAILED:
		return "a trial could not be measured";
	case SEARCH_RUNNING:
	case SEARCH_COMPLETE:
		break;
	}
	return NULL;
}

static const char *goal_reason(const struct search *search, enum mlr_irregularity irregularity)
{
	const char *end = end_reason(search);

	switch (irregularity) {
	case MLR_REGULAR:
		return NULL;
	case MLR_MAX_LOAD_IS_LOWER_BOUND:
		return "Max Load is a Lower Bound: the SUT is not the limit";
	case MLR_MIN_LOAD_IS_UPPER_BOUND:
		return "Min Load is an Upper Bound: the SUT fails this goal at every load of the search";
	case MLR_CONTRADICTED:
		return "trials of other durations contradict the lower bound: by all trials (Appendix A) it is none";
	case MLR_UNFINISHED:
		break;
	}
	return end ? end : "the search ended before the bounds were within the Goal Width";
}

static json_t *goal_result_json(const struct search *search, size_t goal, const struct goal_outcome *outcome)
{
	const struct mlr_goal_result *result = &outcome->result;

	return json_with("goal", report_goal(&search->config->goals[goal]), "regular",
			 json_boolean(result->irregularity == MLR_REGULAR), "irregular_reason",
			 goal_reason(search, result->irregularity), "relevant_lower_bound", result->relevant_lower_bound_fps,
			 "relevant_upper_bound", result->relevant_upper_bound_fps, "conditional_throughput",
			 result->conditional_throughput_fps, "tester_limited", outcome->tester_limited);
}

/* Return the mean size of the frames that came at the Conditional Throughput: of the trial that has it. */
static double octets_of_throughput(const struct search *search, const struct mlr_goal_result *result, double octets)
{
	for (size_t i = 0; i < search->trial_count; i++) {
		const struct measurement *measurement = &search->trials[i].measurement;

		if (measurement->result.input.load_fps == result->relevant_lower_bound_fps &&
		    fabs(measurement->result.output.forwarding_rate_fps / result->conditional_throughput_fps - 1) < SAME_RATE)
			return report_came_octets(search->config, measurement, octets);
	}
	return octets;
}

json_t *report_goal_result(const struct search *search, size_t goal, const struct goal_outcome *outcome)
{
	const struct mlr_goal_result *result = &outcome->result;
	json_t *json = goal_result_json(search, goal, outcome);
	double octets = report_frame_octets(search->config, search->measurer);

	report_add_bps(json, "relevant_lower_bound", result->relevant_lower_bound_fps, octets);
	report_add_bps(json, "relevant_upper_bound", result->relevant_upper_bound_fps, octets);
	report_add_bps(json, "conditional_throughput", result->conditional_throughput_fps,
		       octets_of_throughput(search, result, octets));
	if (outcome->offered_less)
		json_put(json, "offered_less", true);
	json_put(json, "rfc2544_compliance",
		 rfc2544_compliance(&search->config->goals[goal], result, outcome->tester_limited));
	return json;
}

/* Return why the result is irregular: how the search ended, or else the reason of each irregular goal. */
static json_t *irregular_reason_json(const struct search *search)
{
	char text[REASON_SIZE] = "";

	if (end_reason(search))
		return json_string(end_reason(search));
	for (size_t goal = 0; goal < search->input.goal_count; goal++) {
		const char *reason = goal_reason(search, search->outcomes[goal].result.irregularity);

		if (reason)
			text_join(text, sizeof(text), "; ", "%s: %s", search->config->goals[goal].name, reason);
	}
	return *text ? json_string(text) : json_null();
}

/* --- the document --------------------------------------------------------------------------------------------------- */

static json_t *controller_input_json(const struct search *search)
{
	return json_with("min_load", search->input.min_load_fps, "max_load", search->input.max_load_fps, "goals",
			 json_list(goal, search->input.goal_count, report_goal(&search->config->goals[goal])));
}

json_t *report_setting(const struct search *search)
{
	return json_with("algorithm", algorithm_name(search->config->algorithm), "controller_input",
			 controller_input_json(search), "max_load_source", search->max_load_source, "configuration",
			 config_describe(search->config));
}

json_t *report_search(const struct search *search)
{
	json_t *document = json_with(
		"schema", "xdp-mlr/search/1", "algorithm", algorithm_name(search->config->algorithm), "controller_input",
		controller_input_json(search), "max_load_source", search->max_load_source, "search_result",
		json_list(goal, search->input.goal_count, report_goal_result(search, goal, &search->outcomes[goal])),
		"load_scope", "interface", "aggregate_factor", search->measurer->transmitters, "trials",
		json_list(i, search->trial_count, report_search_trial(search, &search->trials[i])), "search_duration",
		search->duration_s, "irregular_reason", irregular_reason_json(search));

	if (document) {
		if (search->latencies)
			json_put(document, "latency_at", report_search_latencies(search));
		json_each (result, json_object_get(document, "search_result"))
			report_add_goal_latency(result, json_object_get(document, "trials"));
		report_add_power(document, report_frame_octets(search->config, search->measurer));
		json_put(document, "warnings", warnings_describe(search->config, search->input.min_load_fps));
		json_put(document, "line_rate",
			 search->measurer->line_rate_fps > 0 ? json_real(search->measurer->line_rate_fps) : json_null());
		report_add_setting(document, search->config, search->measurer, search->start_time);
	}
	return document;
}
