/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/audit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/hdr_text.h"
#include "base/json_read.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "config/stored.h"
#include "mlr/controller.h"
#include "mlr/spoilt.h"
#include "result/report.h"

/* The trials of a search, and what follows from them. */
struct search {
	struct audit *audit;
	struct mlr_goal goals[MLR_GOALS_MAX];
	size_t goal_count;
	double min_load_fps, max_load_fps; /* NAN: not known */
	struct mlr_results *results;       /* results of Load Classification; without warm-ups */
	struct mlr_controller *phased;     /* controller of `phased`, which classifies by itself; NULL: another algorithm */
	struct stored_trial *trials;
	size_t trial_count;
};

/* --- goals ---------------------------------------------------------------------------------------------------------- */

bool audit_read_goal(const json_t *json, struct mlr_goal *ret)
{
	struct mlr_goal goal = { .loss_ratio = read_number(json, "loss_ratio"),
				 .exceed_ratio = read_number(json, "exceed_ratio"),
				 .initial_trial_duration_s = read_number(json, "initial_trial_duration"),
				 .final_trial_duration_s = read_number(json, "final_trial_duration"),
				 .duration_sum_s = read_number(json, "duration_sum"),
				 .width_ratio = read_number(json, "width") };

	snprintf(goal.name, sizeof(goal.name), "%s", read_text(json, "name"));
	*ret = goal;
	return mlr_goal_check(&goal) == MLR_GOAL_OK;
}

/* Whether every result has a goal that can be judged. */
static bool read_goals(struct search *search, const struct place *place, const json_t *results)
{
	json_each (result, results) {
		struct mlr_goal *goal = &search->goals[search->goal_count];

		if (search->goal_count == MLR_GOALS_MAX)
			return false;
		if (!audit_read_goal(json_object_get(result, "goal"), goal)) {
			contradict(search->audit, MEMBER(ITEM(place, result_at), "goal"), "%s",
				   mlr_goal_rule(mlr_goal_check(goal)));
			return false;
		}
		search->goal_count++;
	}
	return search->goal_count > 0;
}

/* Return the index of a goal; the number of goals if there is none of this name. */
static size_t find_goal(const struct search *search, const char *name)
{
	size_t goal = 0;

	while (goal < search->goal_count && strcmp(search->goals[goal].name, name) != 0)
		goal++;
	return goal;
}

/* Check that the results are those of the goals that the Controller was given, in their order. */
static void audit_goals(struct audit *audit, const json_t *document)
{
	const json_t *goals = json_at(document, "/controller_input/goals");
	const json_t *results = json_object_get(document, "search_result");
	const struct place *place = MEMBER(NULL, "search_result");

	if (!json_is_array(goals) || !json_is_array(results))
		return;
	if (json_array_size(goals) != json_array_size(results))
		contradict(audit, place, "%zu results are stated for %zu goals", json_array_size(results),
			   json_array_size(goals));
	json_each (result, results)
		if (!json_equal(json_object_get(result, "goal"), json_array_get(goals, result_at)))
			contradict(audit, MEMBER(ITEM(place, result_at), "goal"), "it is not the goal of controller_input");
}

/* --- trials --------------------------------------------------------------------------------------------------------- */

static double bound_fps(const struct mlr_results *results, size_t load)
{
	return load == MLR_NO_LOAD ? NAN : mlr_results_load_fps(results, load);
}

/* Check the bounds of the goal in focus, when the trial was chosen. */
static void audit_decision(struct search *search, const struct place *place, const json_t *trial)
{
	const json_t *decision = json_object_get(trial, "decision");
	size_t goal = find_goal(search, read_text(decision, "goal"));
	struct mlr_bounds bounds;

	if (goal == search->goal_count)
		return;
	bounds = mlr_results_bounds(search->results, goal);
	audit_number(search->audit, MEMBER(place, "decision"), decision, "lower_bound",
		     bound_fps(search->results, bounds.lower));
	audit_number(search->audit, MEMBER(place, "decision"), decision, "upper_bound",
		     bound_fps(search->results, bounds.upper));
}

static bool is_outside(const struct search *search, double load_fps)
{
	return load_fps < search->min_load_fps || load_fps > search->max_load_fps;
}

static bool add_trial(struct search *search, const struct place *place, const json_t *trial)
{
	struct stored_trial *one = &search->trials[search->trial_count++];
	struct mlr_decision decision;

	if (!stored_read_trial(trial, one)) {
		contradict(search->audit, place, "it lacks a value, or has one out of range");
		return false;
	}
	if (is_outside(search, one->result.input.load_fps))
		contradict(search->audit, MEMBER(place, "trial_load"), "%g is not between Min Load and Max Load",
			   one->result.input.load_fps);
	if (one->warmup && search->trial_count > 1)
		contradict(search->audit, MEMBER(place, "warmup"), "true is stated, but only the first trial can be one");
	audit_decision(search, place, trial);
	if (search->phased &&
	    (mlr_controller_next(search->phased, &decision) < 0 || mlr_controller_add(search->phased, &one->result)))
		return false;
	return one->warmup || mlr_results_add(search->results, &one->result) == 0;
}

/* Whether all of them could be taken. */
static bool add_trials(struct search *search, const struct place *place, const json_t *trials)
{
	bool whole = true;

	search->trials = memory_noticed(calloc(json_array_size(trials) + 1, sizeof(*search->trials)));
	if (!search->trials)
		return false;
	json_each (trial, trials)
		whole = add_trial(search, ITEM(place, trial_at), trial) && whole;
	return whole;
}

/* --- results -------------------------------------------------------------------------------------------------------- */

static bool is_limited(const struct search *search, const struct mlr_goal *goal, const struct mlr_goal_result *result)
{
	double upper_fps = result->relevant_upper_bound_fps, lower_fps = result->relevant_lower_bound_fps;
	double deciding_fps = isnan(upper_fps) ? lower_fps : upper_fps;

	for (size_t i = 0; i < search->trial_count; i++) {
		const struct stored_trial *trial = &search->trials[i];
		double load_fps = trial->result.input.load_fps;

		if (trial->warmup)
			continue;
		if (load_fps == deciding_fps &&
		    mlr_spoils_upper_bound(trial->tester_limited, trial->sut_loss_ratio, goal->loss_ratio))
			return true;
		if (load_fps == lower_fps &&
		    mlr_spoils_lower_bound(trial->offered_less, trial->result.output.loss_ratio, goal->loss_ratio))
			return true;
	}
	return false;
}

static void audit_irregularity(struct search *search, const struct place *place, const json_t *json,
			       enum mlr_irregularity irregularity)
{
	const char *reason = read_text(json, "irregular_reason");
	bool at_max = strncmp(reason, "Max Load is a Lower Bound", strlen("Max Load is a Lower Bound")) == 0;
	bool known = !isnan(search->max_load_fps) && !isnan(search->min_load_fps);

	audit_truth(search->audit, place, json, "regular", irregularity == MLR_REGULAR);
	audit_reason(search->audit, place, json);
	if (known && json_is_string(json_object_get(json, "irregular_reason")) &&
	    at_max != (irregularity == MLR_MAX_LOAD_IS_LOWER_BOUND))
		contradict(search->audit, MEMBER(place, "irregular_reason"), "it is stated, but Max Load is %s Lower Bound",
			   at_max ? "no" : "a");
}

/* Check the figures of latency beside a result. Documents of earlier versions have fewer. */
static void audit_goal_latency(struct audit *audit, const struct place *place, const json_t *json, const json_t *trials)
{
	const json_t *stated = json_object_get(json, "latency"), *follows;
	json_auto_t *copy = NULL;

	if (!json_is_object(stated))
		return;
	copy = json_copy((json_t *)json);
	json_object_del(copy, "latency");
	report_add_goal_latency(copy, trials);
	follows = json_object_get(copy, "latency");
	json_each_member (name, value, stated)
		if (json_is_number(value))
			audit_number(audit, MEMBER(place, "latency"), stated, name, read_number(follows, name));
}

static void audit_compliance(struct audit *audit, const struct place *place, const json_t *json, const struct mlr_goal *goal,
			     const struct mlr_goal_result *result)
{
	const char *stated = read_string(json, "rfc2544_compliance");
	const char *follows = rfc2544_compliance(goal, result, read_truth(json, "tester_limited"));

	if (stated && strcmp(stated, follows) != 0)
		contradict(audit, MEMBER(place, "rfc2544_compliance"), "'%.32s' is stated, '%s' follows", stated, follows);
}

static void audit_result(struct search *search, const struct place *place, const json_t *json, size_t goal,
			 const json_t *trials)
{
	struct audit *audit = search->audit;
	struct mlr_goal_result result;
	bool limited;
	int error = search->phased ? mlr_controller_goal_result(search->phased, goal, &result)
				   : mlr_results_goal_result(search->results, goal, search->min_load_fps,
							     search->max_load_fps, &result);

	if (error)
		return;
	audit_number(audit, place, json, "relevant_lower_bound", result.relevant_lower_bound_fps);
	audit_number(audit, place, json, "relevant_upper_bound", result.relevant_upper_bound_fps);
	audit_number(audit, place, json, "conditional_throughput", result.conditional_throughput_fps);
	audit_irregularity(search, place, json, result.irregularity);
	limited = is_limited(search, &search->goals[goal], &result);
	if (limited) /* A self-test, which the document does not have, may also limit it. */
		audit_truth(audit, place, json, "tester_limited", true);
	audit_bps(audit, place, json, "relevant_lower_bound");
	audit_bps(audit, place, json, "relevant_upper_bound");
	audit_bps(audit, place, json, "conditional_throughput");
	audit_goal_latency(audit, place, json, trials);
	audit_compliance(audit, place, json, &search->goals[goal], &result);
}

/* Read the parameters of the phased algorithm, as echoed. */
static struct mlr_phased_parameters phased_parameters(const json_t *document)
{
	struct mlr_phased_parameters parameters = MLR_PHASED_DEFAULTS;
	const json_t *options = json_object_get(document, "configuration");
	const char *phases = read_string(options, "intermediate-phases"),
		   *expansion = read_string(options, "expansion-coefficient");

	if (phases)
		parameters.intermediate_phases = (unsigned int)strtoul(phases, NULL, 10);
	if (expansion)
		parameters.expansion_coefficient = strtod(expansion, NULL);
	return parameters;
}

/* Returns false if nothing follows from these trials here. */
static bool begin(struct search *search)
{
	const json_t *document = search->audit->document;
	struct mlr_controller_input input = { search->min_load_fps, search->max_load_fps, search->goals,
					      search->goal_count };
	struct mlr_phased_parameters parameters = phased_parameters(document);

	if (mlr_results_new(search->goals, search->goal_count, &search->results))
		return false;
	return strcmp(read_text(document, "algorithm"), "phased") != 0 ||
	       mlr_controller_new_phased(&input, &parameters, &search->phased) == 0;
}

void audit_results(struct audit *audit, const struct place *place, const json_t *results, const struct place *trials_place,
		   const json_t *trials, const json_t *input)
{
	struct search search = { .audit = audit,
				 .min_load_fps = read_number(input, "min_load"),
				 .max_load_fps = read_number(input, "max_load") };

	if (!json_is_array(results) || !json_is_array(trials))
		return;
	audit_trials(audit, trials_place, trials);
	if (read_goals(&search, place, results) && begin(&search) && add_trials(&search, trials_place, trials))
		json_each (result, results)
			audit_result(&search, ITEM(place, result_at), result, result_at, trials);
	free(search.trials);
	mlr_results_free(search.results);
	mlr_controller_free(search.phased);
}

/* --- the document --------------------------------------------------------------------------------------------------- */

/* Check why the whole is irregular. A goal that is named there is not regular itself. */
static void audit_whole_reason(struct audit *audit, const struct place *place, const json_t *part)
{
	const char *reason = read_string(part, "irregular_reason");

	json_each (result, json_object_get(part, "search_result")) {
		const char *name = read_text(json_object_get(result, "goal"), "name");
		size_t length = strlen(name);

		if (!json_object_get(part, "irregular_reason"))
			return;
		if (!reason && json_is_false(json_object_get(result, "regular")))
			contradict(audit, MEMBER(place, "irregular_reason"), "none is stated, but goal %s is irregular",
				   name);
		else if (reason && length && strncmp(reason, name, length) == 0 && reason[length] == ':' &&
			 read_truth(result, "regular"))
			contradict(audit, MEMBER(place, "irregular_reason"), "goal %s is named, which is regular", name);
	}
}

static bool was_broken_off(const json_t *run)
{
	const char *reason = read_text(run, "irregular_reason");

	return strcmp(reason, "interrupted") == 0 || strcmp(reason, "a trial could not be measured") == 0;
}

static void audit_statistics(struct audit *audit, const struct place *place, const json_t *repeats, const json_t *one,
			     size_t goal)
{
	const json_t *runs = json_object_get(repeats, "runs");
	json_auto_t *whole =
		json_list(i, json_array_size(runs),
			  was_broken_off(json_array_get(runs, i)) ? NULL : json_incref(json_array_get(runs, i)));

	audit_numbers(audit, place, one, report_statistics(whole, goal));
}

/* Check several searches: each by its own trials, their statistics, and the one that stands for all. */
static void audit_repeats(struct audit *audit, const json_t *document, const json_t *repeats)
{
	const json_t *runs = json_object_get(repeats, "runs"), *input = json_object_get(document, "controller_input");
	const struct place *place = MEMBER(NULL, "repeats"), *list = MEMBER(place, "runs");
	const json_t *median = json_array_get(runs, (size_t)read_integer(repeats, "median_run") - 1);

	audit_number(audit, place, repeats, "count", (double)json_array_size(runs));
	json_each (run, runs) {
		const struct place *here = ITEM(list, run_at);

		audit_results(audit, MEMBER(here, "search_result"), json_object_get(run, "search_result"),
			      MEMBER(here, "trials"), json_object_get(run, "trials"), input);
		audit_whole_reason(audit, here, run);
		if (run_at < json_array_size(runs) && json_is_string(json_object_get(run, "irregular_reason")) &&
		    json_is_null(json_object_get(document, "irregular_reason")))
			contradict(audit, MEMBER(NULL, "irregular_reason"), "none is stated, but search %zu is irregular",
				   run_at + 1);
	}
	json_each (one, json_object_get(repeats, "statistics"))
		audit_statistics(audit, ITEM(MEMBER(place, "statistics"), one_at), repeats, one, one_at);
	if (!median || json_differ(median, document, "search_result") || json_differ(median, document, "trials"))
		contradict(audit, MEMBER(NULL, "search_result"), "it is not that of the search which median_run names");
}

/* --- latency at parts of the bounds ----------------------------------------------------------------------------------- */

#define PERCENTILE_RATIO 0.01 /* buckets of a histogram, here and there */

/* Whether a histogram has as many values as the latency beside it, and its percentiles. */
static void audit_histogram(struct audit *audit, const struct place *place, const json_t *latency)
{
	static const struct {
		const char *name;
		double quantile;
	} percentiles[] = { { "p50_ns", 0.5 }, { "p90_ns", 0.9 }, { "p99_ns", 0.99 }, { "p99_9_ns", 0.999 } };
	const char *text = read_string(latency, "histogram");
	owned struct mlr_hdr *hdr = text ? memory_noticed(calloc(1, sizeof(*hdr))) : NULL;

	if (!hdr)
		return;
	if (hdr_read(hdr, text) || (double)hdr->count != read_number(latency, "count")) {
		contradict(audit, MEMBER(place, "histogram"), "it is not one of %g latencies",
			   read_number(latency, "count"));
		return;
	}
	for (size_t i = 0; i < COUNT(percentiles); i++) {
		double follows_ns = mlr_hdr_quantile_ns(hdr, percentiles[i].quantile);
		double stated_ns = read_number(latency, percentiles[i].name);

		if (fabs(stated_ns - follows_ns) > PERCENTILE_RATIO * follows_ns + 1 + read_number(latency, "pdv_error_ns"))
			contradict(audit, MEMBER(place, percentiles[i].name),
				   "%.0f is stated, %.0f follows from the histogram", stated_ns, follows_ns);
	}
}

static double bound_of(const json_t *document, const char *goal)
{
	json_each (result, json_object_get(document, "search_result"))
		if (strcmp(read_text(json_object_get(result, "goal"), "name"), goal) == 0)
			return read_number(result, "relevant_lower_bound");
	return NAN;
}

static void audit_latency_at(struct audit *audit, const json_t *document)
{
	json_each (entry, json_object_get(document, "latency_at")) {
		const struct place *place = MEMBER(ITEM(MEMBER(NULL, "latency_at"), entry_at), "trial");
		const json_t *trial = json_object_get(entry, "trial");
		const char *goal = read_string(entry, "goal");

		audit_trial(audit, place, trial);
		audit_histogram(audit, MEMBER(place, "latency"), json_object_get(trial, "latency"));
		json_each (direction, json_object_get(trial, "directions"))
			audit_histogram(audit, MEMBER(ITEM(MEMBER(place, "directions"), direction_at), "latency"),
					json_object_get(direction, "latency"));
		if (goal)
			audit_number(audit, place, trial, "trial_load",
				     read_number(entry, "share") * bound_of(document, goal));
	}
}

void audit_search(struct audit *audit, const json_t *document)
{
	const json_t *repeats = json_object_get(document, "repeats");

	audit_goals(audit, document);
	audit_latency_at(audit, document);
	if (json_array_size(json_object_get(repeats, "runs")) > 0) {
		audit_repeats(audit, document, repeats);
		return;
	}
	audit_results(audit, MEMBER(NULL, "search_result"), json_object_get(document, "search_result"),
		      MEMBER(NULL, "trials"), json_object_get(document, "trials"),
		      json_object_get(document, "controller_input"));
	audit_whole_reason(audit, NULL, document);
}
