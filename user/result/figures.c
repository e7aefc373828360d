/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These figures of a document follow from other parts of it. A run puts them there, and an audit makes them again. */
#include <math.h>
#include <stdlib.h>

#include "base/exit_code.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/standing.h"
#include "base/text_stream.h"
#include "result/report.h"

struct mlr_sample report_sample_of(const json_t *list, const char *pointer)
{
	owned double *values = memory_noticed(calloc(json_array_size(list) + 1, sizeof(*values)));
	size_t count = 0;

	json_each (item, list) {
		const json_t *value = pointer ? json_at(item, pointer) : item;

		if (values && json_is_number(value))
			values[count++] = json_number_value(value);
	}
	return mlr_sample_of(values, count);
}

/* {"count", "mean", "stdev", "min", "max"} */
static json_t *report_sample(const struct mlr_sample *sample)
{
	json_t *json = json_of_members(sample, count, mean, stdev);

	json_put(json, "min", sample->least);
	json_put(json, "max", sample->most);
	return json;
}

json_t *report_statistics(const json_t *searches, size_t goal)
{
	struct mlr_sample sample =
		report_sample_of(searches, TEXT_OF(64, "/search_result/%zu/conditional_throughput", goal));

	return report_sample(&sample);
}

json_t *report_curve(const struct mlr_trial_result *results, size_t count)
{
	struct mlr_sweep_figures figures = mlr_sweep_figures(results, count);

	return json_with("lossless_load", figures.lossless_load_fps, "first_loss_load", figures.first_loss_load_fps,
			 "maximum_forwarding_rate", figures.most_rate_fps, "maximum_forwarding_rate_load",
			 figures.most_rate_load_fps, "forwarding_rate_at_maximum_load", figures.last_rate_fps);
}

/* --- a goal over the runs of a campaign ----------------------------------------------------------------------------- */

/* Return the smaller, or with `most` the larger; NAN if either is. */
static double outermost(double a, double b, bool most)
{
	return isnan(a) || isnan(b) ? NAN : most ? fmax(a, b) : fmin(a, b);
}

/* A value that the tester limited says only that the SUT does so much at least. It counts only if there is no other one. */
struct mlr_sample report_values(const json_t *results)
{
	json_auto_t *limited = json_array(), *others = json_array();
	struct mlr_sample sample;

	json_each (result, results)
		json_array_append(read_truth(result, "tester_limited") ? limited : others, result);
	sample = report_sample_of(others, "/value");
	return sample.count ? sample : report_sample_of(limited, "/value");
}

json_t *report_spread(const json_t *results)
{
	struct mlr_sample sample = report_values(results);
	double lower_fps = INFINITY, upper_fps = -INFINITY;
	json_int_t irregular = 0, limited = 0;
	json_t *json = report_sample(&sample);

	json_each (result, results) {
		irregular += standing_of(result) == STANDING_IRREGULAR;
		limited += read_truth(result, "tester_limited");
		lower_fps = outermost(lower_fps, read_number(result, "lower_bound"), false);
		upper_fps = outermost(upper_fps, read_number(result, "upper_bound"), true);
	}
	json_put(json, "spread", (sample.most - sample.least) / sample.mean, "lower_bound_min", lower_fps, "upper_bound_max",
		 upper_fps, "irregular", irregular, "tester_limited", limited);
	return json;
}

/* --- the latency test of RFC 2544 ----------------------------------------------------------------------------------- */

/* Latencies that are averaged, over all trials. */
struct latency_sum {
	double frames, sum_ns;
};

static void add_latency(struct latency_sum *sum, const json_t *latency)
{
	if (!json_is_object(latency))
		return;
	sum->frames += read_number(latency, "count");
	sum->sum_ns += read_number(latency, "count") * read_number(latency, "mean_ns");
}

/* Where there are several directions, the mean of a trial is that of the worst, and each has its own. */
static void add_trial_latency(struct latency_sum *sum, const json_t *trial)
{
	const json_t *directions = json_object_get(trial, "directions");

	if (!json_array_size(directions))
		add_latency(sum, json_object_get(trial, "latency"));
	json_each (direction, directions)
		add_latency(sum, json_object_get(direction, "latency"));
}

json_t *report_latency_test(const json_t *trials)
{
	struct mlr_sample means = report_sample_of(trials, "/latency/mean_ns");
	struct latency_sum all = { 0 };
	double lost = 0;

	json_each (trial, trials) {
		lost += read_number(json_object_get(trial, "counts"), "lost");
		add_trial_latency(&all, trial);
	}
	return json_with("repeats", means.count, "every_frame", true, "average_of_means_ns", means.mean,
			 "average_of_medians_ns", report_sample_of(trials, "/latency/p50_ns").mean, "mean_of_all_frames_ns",
			 means.count ? all.sum_ns / all.frames : NAN, "stdev_of_means_ns", means.stdev, "min_ns",
			 report_sample_of(trials, "/latency/min_ns").least, "max_ns",
			 report_sample_of(trials, "/latency/max_ns").most, "p99_ns_max",
			 report_sample_of(trials, "/latency/p99_ns").most, "lost_frames", lost);
}
