/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/findings.h"

#include <math.h>
#include <stdlib.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "mlr/threshold.h"
#include "result/compare.h"
#include "result/report.h"

#define NEAR_FACTOR                                                                                                         \
	2.0 /* trials count from this part of the Relevant Lower Bound to this multiple of the Relevant Upper Bound */

/* --- trials near the bounds ----------------------------------------------------------------------------------------- */

/* A trial that is shorter than a full one counts if it is why there is an Upper Bound. A loss that the tester may have caused
 * says nothing of the SUT. */
static bool is_near(const json_t *trial, const json_t *goal, bool failed, double lower_fps, double upper_fps)
{
	double load_fps = read_number(trial, "trial_load"), duration_s = read_number(trial, "trial_duration");
	bool is_full = duration_s >= read_number(goal, "final_trial_duration");

	if (read_truth(trial, "warmup") || (failed && read_truth(trial, "tester_limited")))
		return false;
	return (is_full || (failed && load_fps == upper_fps)) && load_fps >= lower_fps / NEAR_FACTOR &&
	       load_fps <= upper_fps * NEAR_FACTOR;
}

json_t *compare_near_trials(const json_t *document, const json_t *result)
{
	const json_t *goal = json_object_get(result, "goal");
	double lower_fps = read_either(result, "relevant_lower_bound", "relevant_upper_bound"),
	       upper_fps = read_either(result, "relevant_upper_bound", "relevant_lower_bound");
	json_t *near = json_array();

	json_each (trial, json_object_get(document, "trials")) {
		bool failed = read_number(trial, "trial_loss_ratio") > read_number(goal, "loss_ratio");

		if (is_near(trial, goal, failed, lower_fps, upper_fps))
			json_array_append_new(near, json_pack("[O, b]", json_object_get(trial, "trial_load"), (int)failed));
	}
	return near;
}

static void add_results(json_t *by_goal, const json_t *document)
{
	json_each (result, json_object_get(document, "search_result")) {
		json_t *copy = json_copy((json_t *)result);

		if (!json_object_get(copy, "near"))
			json_put(copy, "near", compare_near_trials(document, result));
		json_array_append_new(json_list_at(by_goal, read_text(json_object_get(result, "goal"), "name")), copy);
	}
}

json_t *findings_results(const json_t *document)
{
	json_t *runs = json_object_get(json_object_get(document, "repeats"), "runs"), *by_goal = json_object();

	json_each (run, runs)
		add_results(by_goal, run);
	if (!json_object_size(by_goal))
		add_results(by_goal, document);
	return by_goal;
}

/* --- what is compared ----------------------------------------------------------------------------------------------- */

/* Return the load of one search that is compared. */
struct compared {
	double load_fps; /* NAN: it has none */
	double error_ratio;
	bool at_least; /* The SUT may do more. */
	bool at_most;  /* The SUT may do less. */
	bool limited;  /* The tester limited the result, which is one reason for at_least. */
};

/* The Conditional Throughput. Without one, the SUT forwards less than the Relevant Upper Bound. */
static struct compared throughput_of(const json_t *result)
{
	double load_fps = read_either(result, "conditional_throughput", "relevant_upper_bound");
	bool has_lower = read_number(result, "relevant_lower_bound") > 0,
	     has_upper = read_number(result, "relevant_upper_bound") > 0, limited = read_truth(result, "tester_limited");

	return (struct compared){ .load_fps = load_fps > 0 ? load_fps : NAN,
				  .at_least = limited || (has_lower && !has_upper),
				  .at_most = has_upper && !has_lower,
				  .limited = limited };
}

/* Return the outcomes of one search, for the caller to free. */
static struct mlr_outcomes outcomes_of(const json_t *result)
{
	const json_t *near = json_object_get(result, "near");
	struct mlr_outcome *trials = memory_noticed(calloc(json_array_size(near) + 1, sizeof(*trials)));
	size_t count = 0;

	json_each (trial, near) {
		double load_fps = json_number_value(json_array_get(trial, 0));

		if (trials && load_fps > 0)
			trials[count++] = (struct mlr_outcome){ load_fps, json_is_true(json_array_get(trial, 1)) };
	}
	return (struct mlr_outcomes){ trials, count };
}

/* Estimate all thresholds at once. Return whether every search that is compared has one. */
static bool find_thresholds(const json_t *const *results, size_t count, struct compared *values)
{
	owned struct mlr_threshold *thresholds = memory_noticed(calloc(count + 1, sizeof(*thresholds)));
	struct mlr_outcomes *searches = memory_noticed(calloc(count + 1, sizeof(*searches)));
	bool all = thresholds && searches;

	for (size_t i = 0; searches && i < count; i++)
		searches[i] = outcomes_of(results[i]);
	all = all && !mlr_thresholds_find(searches, count, thresholds);
	for (size_t i = 0; searches && i < count; i++)
		free((struct mlr_outcome *)searches[i].trials);
	free(searches);
	for (size_t i = 0; all && i < count; i++)
		all = isnan(values[i].load_fps) || thresholds[i].kind != MLR_THRESHOLD_NONE;
	for (size_t i = 0; all && i < count; i++)
		if (!isnan(values[i].load_fps)) {
			values[i].load_fps = thresholds[i].load_fps;
			values[i].error_ratio = thresholds[i].error_ratio;
			values[i].at_least |= thresholds[i].kind == MLR_THRESHOLD_LEAST;
		}
	return all;
}

/* The sample of one side. What is known stands before what is a limit. */
static struct mlr_sample sample_of(const struct compared *values, size_t count)
{
	owned double *ordered = memory_noticed(calloc(count + 1, sizeof(*ordered)));
	size_t known = 0, least = 0;

	if (!ordered)
		return mlr_sample_of(NULL, 0);
	for (size_t i = 0; i < count; i++)
		if (!isnan(values[i].load_fps) && !values[i].at_least)
			ordered[known++] = values[i].load_fps;
	for (size_t i = 0; i < count; i++)
		if (!isnan(values[i].load_fps) && values[i].at_least)
			ordered[known + least++] = values[i].load_fps;
	return mlr_sample_censored(ordered, known, least);
}

/* Note of a side on which no search found a threshold which way it may lie. What the tester limited is told apart. */
static void note_one_sided(struct findings *findings, const struct compared *values)
{
	size_t known = 0, least = 0, most = 0;

	for (size_t i = 0; i < findings->runs; i++) {
		if (isnan(values[i].load_fps))
			continue;
		known += !values[i].at_least && !values[i].at_most;
		least += values[i].at_least && !values[i].limited;
		most += values[i].at_most;
	}
	findings->at_least = !known && least;
	findings->at_most = !known && most;
}

static void take_compared(struct findings *findings, const struct compared *values, bool by_trials)
{
	note_one_sided(findings, values);
	findings->compared = sample_of(values, findings->runs);
	findings->by_trials = by_trials;
	for (size_t i = 0; i < findings->runs; i++)
		findings->error_ratio = fmax(findings->error_ratio, values[i].error_ratio);
}

static void compare_both(const json_t *const results[SIDES], struct findings ret[SIDES])
{
	size_t count = ret[A].runs + ret[B].runs;
	owned const json_t **all = memory_noticed(calloc(count + 1, sizeof(*all)));
	owned struct compared *values = memory_noticed(calloc(count + 1, sizeof(*values)));
	bool by_trials;

	if (!all || !values)
		return;
	for (size_t i = 0; i < count; i++) {
		all[i] = i < ret[A].runs ? json_array_get(results[A], i) : json_array_get(results[B], i - ret[A].runs);
		values[i] = throughput_of(all[i]);
	}
	by_trials = find_thresholds(all, count, values);
	take_compared(&ret[A], values, by_trials);
	take_compared(&ret[B], values + ret[A].runs, by_trials);
}

/* --- one side ------------------------------------------------------------------------------------------------------- */

/* Take one Goal Result into the findings. */
static void add_result(struct findings *findings, const json_t *result)
{
	double lower_fps = read_number(result, "relevant_lower_bound"),
	       upper_fps = read_number(result, "relevant_upper_bound");
	double throughput_fps = read_number(result, "conditional_throughput");

	findings->irregular |= !read_truth(result, "regular");
	findings->limited += read_truth(result, "tester_limited");
	findings->offered_less += read_truth(result, "offered_less");
	findings->runs++;
	if (!isnan(throughput_fps))
		json_array_append_new(findings->each, json_real(throughput_fps));
	/* The truth lies anywhere between the bounds with the same probability. This is the standard deviation of that. */
	if (upper_fps > lower_fps)
		findings->resolution_ratio =
			fmax(findings->resolution_ratio, (upper_fps - lower_fps) / upper_fps / sqrt(12));
	lower_fps = isnan(lower_fps) ? 0 : lower_fps;
	upper_fps = isnan(upper_fps) ? INFINITY : upper_fps;
	findings->lower_least_fps = fmin(findings->lower_least_fps, lower_fps);
	findings->lower_most_fps = fmax(findings->lower_most_fps, lower_fps);
	findings->upper_least_fps = fmin(findings->upper_least_fps, upper_fps);
	findings->upper_most_fps = fmax(findings->upper_most_fps, upper_fps);
}

/* Return the findings; without memory they have no throughputs. */
static struct findings findings_of(const json_t *results)
{
	struct findings findings = { .lower_least_fps = INFINITY,
				     .upper_least_fps = INFINITY,
				     .compared = mlr_sample_of(NULL, 0),
				     .each = json_array() };

	json_each (result, results)
		add_result(&findings, result);
	findings.throughput = report_sample_of(findings.each, NULL);
	return findings;
}

void findings_find(const json_t *const results[SIDES], struct findings ret[SIDES])
{
	ret[A] = findings_of(results[A]);
	ret[B] = findings_of(results[B]);
	compare_both(results, ret);
}

void findings_free(struct findings findings[SIDES])
{
	json_decref(findings[A].each);
	json_decref(findings[B].each);
}

/* --- as JSON -------------------------------------------------------------------------------------------------------- */

/* Add a bound; null if it does not exist. */
static json_t *bound_json(double load_fps)
{
	return load_fps > 0 ? json_number_or_null(load_fps) : json_null();
}

json_t *findings_json(const struct findings *findings)
{
	json_t *json = json_with("searches", findings->runs, "limited", findings->limited, "relevant_lower_bound_min",
				 bound_json(findings->lower_least_fps), "relevant_lower_bound_max",
				 bound_json(findings->lower_most_fps), "relevant_upper_bound_min",
				 bound_json(findings->upper_least_fps), "relevant_upper_bound_max",
				 bound_json(findings->upper_most_fps), "conditional_throughput_mean",
				 findings->throughput.mean, "conditional_throughput_stdev", findings->throughput.stdev,
				 "conditional_throughputs", json_incref(findings->each), "tester_limited",
				 json_boolean(findings->limited > 0), "regular", json_boolean(!findings->irregular));

	if (findings->by_trials && findings->compared.count)
		json_put(json, "threshold",
			 json_with("mean", findings->compared.mean, "stdev", findings->compared.stdev, "error",
				   findings->error_ratio));
	return json;
}
