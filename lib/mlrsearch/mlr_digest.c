/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A digest keeps what a decision for one goal needs of the trials, load by load. Each trial is counted once, when it is
 * added, so a decision takes the same time however many trials there were.
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
static bool is_repeat(const struct mlr_goal *goal, double width_log, const struct mlr_trial_result *a,
		      const struct mlr_trial_result *b)
{
	double frames = a->input.load_fps * a->input.duration_s, lost = a->output.loss_ratio * frames;
	double difference = fabs(a->output.loss_ratio - b->output.loss_ratio) * frames;

	if (is_far_from_goal(goal, a->output.loss_ratio, b->output.loss_ratio))
		return true;
	return difference <= fmax(1.5, REPEAT_DEVIATIONS * sqrt(lost)) && difference <= REPEAT_WIDTH * width_log * frames;
}

/* Compare a trial with the one before at its load. Trials of another length may lose another share without any noise, but
 * not the same share by chance. If hardly a frame was lost, repeats tell nothing. */
static void count_repeat(struct mlr_digest *digest, const struct mlr_goal *goal, double width_log,
			 const struct mlr_trial_result *before, const struct mlr_trial_result *trial)
{
	if (is_repeat(goal, width_log, before, trial))
		digest->repeats += trial->output.loss_ratio * trial->input.load_fps * trial->input.duration_s >= REPEAT_LOST;
	else if (trial->input.duration_s == before->input.duration_s)
		digest->contradictions++;
}

static void count_trial(struct mlr_load_digest *load, const struct mlr_goal *goal, const struct mlr_trial_result *trial)
{
	bool is_final = trial->input.duration_s >= goal->final_trial_duration_s;
	bool is_bad = trial->output.loss_ratio > goal->loss_ratio;

	load->counted++;
	for (int stage = 0; stage < MLR_STAGES - 1; stage++) {
		struct mlr_goal stage_goal = mlr_free_stage_goal(goal, stage);

		mlr_duration_sums_add(&load->stages[stage], &stage_goal, trial);
	}
	load->bad += is_bad;
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

/* The runs test at one load: return how many changes between good and bad are missing. */
static struct mlr_excess missing_changes(const struct mlr_load_digest *load)
{
	double mean = 2 * (load->counted - load->bad) * load->bad / load->counted;

	if (!(load->worse > 0))
		return (struct mlr_excess){ 0 };
	return (struct mlr_excess){ mean - load->changes, mean * (mean - 1) / (load->counted - 1) };
}

/* Count a change between good and bad, and update the runs test. The trial itself is counted already. */
static void count_change(struct mlr_digest *digest, struct mlr_load_digest *load, const struct mlr_goal *goal,
			 const struct mlr_trial_result *before, const struct mlr_trial_result *trial)
{
	bool is_bad = trial->output.loss_ratio > goal->loss_ratio, was_bad = before->output.loss_ratio > goal->loss_ratio;
	struct mlr_excess missing;

	load->changes += is_bad != was_bad;
	load->worse += is_bad && !was_bad;
	missing = missing_changes(load);
	digest->missing_changes.sum += missing.sum - load->missing_changes.sum;
	digest->missing_changes.variance += missing.variance - load->missing_changes.variance;
	load->missing_changes = missing;
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

int mlr_digest_note(const struct mlr_situation *now, size_t goal, double load_fps)
{
	const struct mlr_goal *g = mlr_results_goal(now->results, goal);
	double width_log = (double)mlr_unit(&now->grid, g) * now->grid.log_step;
	size_t index = mlr_results_find(now->results, load_fps), count;
	const struct mlr_trial_result *trials = mlr_results_trials(now->results, index, &count), *last = &trials[count - 1];
	struct mlr_digest *digest = &now->digests[goal];
	int err = 0;

	if (index >= digest->count || digest->loads[index].load_fps != load_fps)
		err = insert_load(digest, index, load_fps);
	if (err)
		return err;
	count_trial(&digest->loads[index], g, last);
	mlr_draws_note(&digest->draws, g, width_log, last);
	if (count > 1) {
		count_repeat(digest, g, width_log, last - 1, last);
		count_change(digest, &digest->loads[index], g, last - 1, last);
	}
	return 0;
}

void mlr_digest_free(struct mlr_digest *digest)
{
	free(digest->loads);
}
