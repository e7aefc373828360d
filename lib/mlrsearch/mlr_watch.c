/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watch tests whether what the model foretells comes true.
 *
 * Two other predictors, which know no curve, foretell each trial that the model was asked about. One counts the bad trials
 * at near loads, at any time. The other counts the last trials, at any load. The probability that each gave to the outcome
 * is divided by the model's, and these ratios are multiplied.
 *
 * That is a bet at fair odds. A model that is right loses it a hundredfold in at most one search of a hundred, whatever the
 * SUT (Ville's inequality). Where the last trials foretell that much better than the model and the near loads together, no
 * curve over loads describes the SUT. It changes with time.
 */
#include "mlrsearch/mlr_private.h"

#include <math.h>

#define NEXT_WIDTH 0.6 /* the weight of a trial at the next load, relative to one at the same load */
#define BEFORE     0.6 /* the weight of a trial relative to the one after it */

static double foretold(struct mlr_tally tally, bool is_bad)
{
	double p = (tally.bad + 0.5) / (tally.all + 1);

	return is_bad ? p : 1 - p;
}

/* Count the full-length trials at all loads; a farther load weighs less. */
static struct mlr_tally near_load(const struct mlr_results *results, size_t goal, double load_fps)
{
	const struct mlr_goal *g = mlr_results_goal(results, goal);
	struct mlr_tally tally = { 0 };

	for (size_t load = 0; load < mlr_results_load_count(results); load++) {
		const struct mlr_duration_sums *sums = mlr_results_sums(results, load, goal);
		double widths = fabs(log(mlr_results_load_fps(results, load) / load_fps) / log1p(-g->width_ratio));
		double weight = pow(NEXT_WIDTH, widths) / g->final_trial_duration_s;
		double bad_s = mlr_duration_s(sums->full_length_high_loss_ns);

		tally.bad += weight * bad_s;
		tally.all += weight * (bad_s + mlr_duration_s(sums->full_length_low_loss_ns));
	}
	return tally;
}

void mlr_watch_note(struct mlr_watch *watch, const struct mlr_results *results, const struct mlr_decision *decision,
		    const struct mlr_trial_result *trial)
{
	const struct mlr_goal *goal = mlr_results_goal(results, decision->goal);
	bool is_bad = trial->output.loss_ratio > goal->loss_ratio;
	double model = is_bad ? decision->exceed_probability : 1 - decision->exceed_probability;

	if (isnan(model) || trial->input.duration_s < goal->final_trial_duration_s)
		return;
	watch->by_load += log(foretold(near_load(results, decision->goal, trial->input.load_fps), is_bad) / model);
	watch->by_time += log(foretold(watch->last, is_bad) / model);
	watch->last.bad = BEFORE * (watch->last.bad + is_bad);
	watch->last.all = BEFORE * (watch->last.all + 1);
}

double mlr_watch_change(const struct mlr_watch *watch)
{
	return exp(watch->by_time) / (1 + exp(watch->by_load));
}
