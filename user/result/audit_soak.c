/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This audit is of a soak. Its estimate is computed again from the trials. Because PLRsearch may be improved, documents of
 * earlier versions may differ from it, but not by more than their own error. */
#include "result/audit.h"

#include <errno.h>
#include <math.h>

#include "base/json_read.h"
#include "base/units.h"
#include "config/stored.h"
#include "mlr/plr.h"

#define SAME_STDEVS    0.1 /* tolerance, in standard deviations, for the same version on another machine */
#define SAME_RATIO     1e-6
#define EARLIER_STDEVS 3
#define EARLIER_RATIO  0.01

/* --- what the figures say of each other ----------------------------------------------------------------------------- */

/* Check the mixture of both fitting functions, with the same weight. */
static void audit_mixture(struct audit *audit, const json_t *document)
{
	const json_t *estimates = json_object_get(document, "estimates"), *load = json_object_get(document, "critical_load");
	const json_t *a = json_array_get(estimates, 0), *b = json_array_get(estimates, 1);
	double half_fps = (read_number(a, "mean") - read_number(b, "mean")) / 2;
	double variance = (pow(read_number(a, "stdev"), 2) + pow(read_number(b, "stdev"), 2)) / 2 + half_fps * half_fps;

	if (json_array_size(estimates) != 2)
		return;
	audit_number(audit, MEMBER(NULL, "critical_load"), load, "mean",
		     (read_number(a, "mean") + read_number(b, "mean")) / 2);
	audit_number(audit, MEMBER(NULL, "critical_load"), load, "stdev", sqrt(variance));
}

/* Check that there is a step of the time line for each trial, and that the last says what the whole says. */
static void audit_time_line(struct audit *audit, const json_t *document)
{
	const json_t *steps = json_object_get(document, "time_line"), *trials = json_object_get(document, "trials");
	const json_t *load = json_object_get(document, "critical_load"), *last;
	const struct place *place = MEMBER(NULL, "time_line");
	double end_s = 0;

	if (!json_array_size(steps))
		return;
	if (json_array_size(steps) != json_array_size(trials)) {
		contradict(audit, place, "%zu steps are stated of %zu trials", json_array_size(steps),
			   json_array_size(trials));
		return;
	}
	json_each (step, steps) {
		json_auto_t *trial = json_item(trials, step_at);

		end_s += read_number(trial, "trial_effective_duration");
		audit_number(audit, ITEM(place, step_at), step, "trial_load", read_number(trial, "trial_load"));
		audit_number(audit, ITEM(place, step_at), step, "time", end_s);
	}
	last = json_object_get(json_array_get(steps, json_array_size(steps) - 1), "together");
	audit_number(audit, MEMBER(NULL, "critical_load"), load, "mean", read_number(last, "mean"));
	audit_number(audit, MEMBER(NULL, "critical_load"), load, "stdev", read_number(last, "stdev"));
}

/* --- the estimate from the trials ----------------------------------------------------------------------------------- */

/* As in the soak: unsent frames of a limited trial are in its loss ratio, so they are in its counts. */
static bool counts_of(const json_t *trial, struct mlr_plr_counts *ret)
{
	const json_t *counts = json_object_get(trial, "counts");
	double sent = read_number(counts, "sent"), received = read_number(counts, "received"),
	       intended = read_number(counts, "intended"), ratio = read_number(trial, "trial_loss_ratio");
	bool of_intended = intended > sent && fabs(ratio - (1 - received / intended)) < fabs(ratio - (1 - received / sent));

	if (!(sent > 0) || isnan(received))
		return false;
	ret->offered_frames = of_intended ? intended : sent;
	ret->lost_frames = fmax(ret->offered_frames - received, 0);
	return true;
}

static double option_of(const json_t *document, const char *name, double missing)
{
	double value;

	return parse_duration(read_text(json_object_get(document, "configuration"), name), &value) ? value : missing;
}

static struct mlr_plr *plr_of(const json_t *document)
{
	const struct mlr_plr_parameters parameters = {
		.min_load_fps = read_number(document, "min_load"),
		.max_load_fps = read_number(document, "max_load"),
		.target_loss_ratio = read_number(document, "target_loss_ratio"),
		.first_duration_s = option_of(document, "first-duration", MLR_PLR_FIRST_DURATION_S),
		.duration_step_s = option_of(document, "duration-step", MLR_PLR_DURATION_STEP_S),
		.scan_every = MLR_PLR_SCAN_EVERY,
	};
	struct mlr_plr *plr = NULL;

	return mlr_plr_new(&parameters, &plr) ? NULL : plr;
}

/* Whether all trials could be taken. */
static bool add_trials(struct audit *audit, struct mlr_plr *plr, const json_t *trials)
{
	json_each (trial, trials) {
		struct stored_trial stored;
		struct mlr_plr_counts counts;
		int error = stored_read_trial(trial, &stored) ? 0 : -EINVAL;

		if (!error)
			error = mlr_plr_add(plr, &stored.result, counts_of(trial, &counts) ? &counts : NULL);
		if (error == -EINVAL)
			contradict(audit, ITEM(MEMBER(NULL, "trials"), trial_at),
				   "it lacks a value, or has one out of range");
		if (error)
			return false;
	}
	return true;
}

static void audit_estimate(struct audit *audit, const json_t *document, const struct mlr_plr_estimate *estimate)
{
	const json_t *load = json_object_get(document, "critical_load");
	bool same_version = json_at(document, "/crossings/untried_from");
	double stated = read_number(load, "mean"),
	       stdev = fmax(read_either(load, "robust_stdev", "stdev"), estimate->robust_stdev_fps);
	double allowed =
		same_version ? SAME_STDEVS * stdev + SAME_RATIO * stated : EARLIER_STDEVS * stdev + EARLIER_RATIO * stated;

	if (fabs(stated - estimate->together.mean_fps) > allowed)
		contradict(audit, MEMBER(MEMBER(NULL, "critical_load"), "mean"),
			   "%.6g is stated, %.6g follows from the trials", stated, estimate->together.mean_fps);
	if (same_version && read_number(load, "stdev") > 0 &&
	    fabs(log(read_number(load, "stdev") / estimate->together.stdev_fps)) > SAME_STDEVS)
		contradict(audit, MEMBER(MEMBER(NULL, "critical_load"), "stdev"), "%.6g is stated, %.6g follows",
			   read_number(load, "stdev"), estimate->together.stdev_fps);
	if (same_version)
		audit_truth(audit, MEMBER(NULL, "critical_load"), load, "model_fits", estimate->model_fits);
}

static void audit_whole(struct audit *audit, const json_t *document)
{
	bool limited = false, said = json_is_string(json_object_get(document, "irregular_reason"));

	json_each (trial, json_object_get(document, "trials"))
		limited |= read_truth(trial, "tester_limited");
	if (limited)
		audit_truth(audit, NULL, document, "tester_limited", true);
	if (json_is_false(json_at(document, "/critical_load/model_fits")) && !said &&
	    json_object_get(document, "irregular_reason"))
		contradict(audit, MEMBER(NULL, "irregular_reason"), "none is stated, but the model does not fit");
}

void audit_soak(struct audit *audit, const json_t *document)
{
	const json_t *trials = json_object_get(document, "trials");
	struct mlr_plr_estimate estimate;
	struct mlr_plr *plr;

	audit_trials(audit, MEMBER(NULL, "trials"), trials);
	audit_bps(audit, MEMBER(NULL, "critical_load"), json_object_get(document, "critical_load"), "mean");
	audit_mixture(audit, document);
	audit_time_line(audit, document);
	audit_whole(audit, document);
	plr = json_array_size(trials) ? plr_of(document) : NULL;
	if (plr && add_trials(audit, plr, trials)) {
		mlr_plr_estimate(plr, &estimate);
		audit_estimate(audit, document, &estimate);
	}
	mlr_plr_free(plr);
}
