/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A digest keeps what a goal's views need of the trials, load by load, so that a decision looks at each trial once only. It
 * catches up with the results whenever a view is made.
 */
#include "mlrsearch/mlr_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPEAT_LOST       30   /* frames; the same loss twice, of so many frames, is no chance */
#define REPEAT_DEVIATIONS 0.05 /* Two losses closer than this are equal, in standard deviations of a Poisson count. */
#define REPEAT_MARGIN     5    /* a loss ratio so many times as far from the goal's as trials differ is on a sure side */
#define REPEAT_WIDTH      0.02 /* Two losses closer than this are equal, in Goal Widths of load. */

/* Whether two trials of one load are on the same side of the Goal Loss Ratio, and far from it by the difference between
 * them. */
static bool is_far_from_goal(const struct mlr_goal *goal, double a, double b)
{
	double margin = fmin(log(a / goal->loss_ratio), log(b / goal->loss_ratio));

	if (a < goal->loss_ratio)
		margin = fmin(log(goal->loss_ratio / a), log(goal->loss_ratio / b));
	return goal->loss_ratio > 0 && a > 0 && b > 0 && margin > REPEAT_MARGIN * fabs(log(a / b));
}

/* Whether two trials of one load lost the same. A difference is ignored if it would not move the critical load, or if it is
 * smaller than among frames that are lost one by one. */
static bool is_repeat(const struct mlr_view *view, const struct mlr_trial_result *a, const struct mlr_trial_result *b)
{
	double frames = a->input.load_fps * a->input.duration_s, lost = a->output.loss_ratio * frames;
	double difference = fabs(a->output.loss_ratio - b->output.loss_ratio) * frames;

	if (is_far_from_goal(view->goal, a->output.loss_ratio, b->output.loss_ratio))
		return true;
	return difference <= fmax(1.5, REPEAT_DEVIATIONS * sqrt(lost)) &&
	       difference <= REPEAT_WIDTH * (double)view->unit * view->grid->log_step * frames;
}

/* Compare a trial with the one before at its load. Trials of another length may lose another share without any noise, but
 * not the same share by chance. If hardly a frame was lost, repeats tell nothing. */
static void count_repeat(struct mlr_digest *digest, const struct mlr_view *view, const struct mlr_trial_result *before,
			 const struct mlr_trial_result *trial)
{
	if (is_repeat(view, before, trial))
		digest->repeats += trial->output.loss_ratio * trial->input.load_fps * trial->input.duration_s >= REPEAT_LOST;
	else if (trial->input.duration_s == before->input.duration_s)
		digest->contradictions++;
}

static void count_trial(struct mlr_load_digest *load, const struct mlr_goal *goal, const struct mlr_trial_result *trial)
{
	bool is_final = trial->input.duration_s >= goal->final_trial_duration_s;
	bool is_initial = trial->input.duration_s >= goal->initial_trial_duration_s;
	bool is_bad = trial->output.loss_ratio > goal->loss_ratio;

	load->counted++;
	load->bad += is_bad;
	load->initial.full_length += is_initial;
	load->initial.good += is_initial && !is_bad;
	load->final.full_length += is_final;
	load->final.good += is_final && !is_bad;
	if (trial->input.duration_s > load->longest_s)
		load->longest = load->loss_sum = 0;
	load->longest_s = fmax(load->longest_s, trial->input.duration_s);
	if (trial->input.duration_s < load->longest_s)
		return;
	load->longest++;
	load->loss_sum += trial->output.loss_ratio;
}

/* Make room for the digest of a load, at this index. */
static int insert_load(struct mlr_digest *digest, size_t index, double load_fps)
{
	if (digest->count == digest->capacity) {
		size_t capacity = digest->capacity ? 2 * digest->capacity : 32;
		struct mlr_load_digest *loads = reallocarray(digest->loads, capacity, sizeof(*loads));

		if (!loads)
			return -ENOMEM;
		digest->loads = loads;
		digest->capacity = capacity;
	}
	memmove(&digest->loads[index + 1], &digest->loads[index], (digest->count - index) * sizeof(*digest->loads));
	digest->loads[index] = (struct mlr_load_digest){ .load_fps = load_fps };
	digest->count++;
	return 0;
}

int mlr_digest_update(struct mlr_digest *digest, const struct mlr_view *view)
{
	for (size_t load = 0; load < mlr_results_load_count(view->results); load++) {
		double load_fps = mlr_results_load_fps(view->results, load);
		size_t count;
		const struct mlr_trial_result *trials = mlr_results_trials(view->results, load, &count);

		if (load == digest->count || digest->loads[load].load_fps != load_fps) {
			int err = insert_load(digest, load, load_fps);

			if (err)
				return err;
		}
		for (size_t i = digest->loads[load].counted; i < count; i++) {
			count_trial(&digest->loads[load], view->goal, &trials[i]);
			mlr_draws_note(&digest->draws, view, &trials[i]);
			if (i > 0)
				count_repeat(digest, view, &trials[i - 1], &trials[i]);
		}
	}
	return 0;
}

void mlr_digest_free(struct mlr_digest *digest)
{
	free(digest->loads);
}
