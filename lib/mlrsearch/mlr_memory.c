/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This file detects SUTs that remember: an overloaded trial makes the next one do worse, until rest restores the SUT.
 *
 * A SUT without memory loses more than in the trial before as often as less, whatever its noise. So each trial that follows
 * a bad one at the same load is compared with it. If far more of them do worse, the SUT remembers. This is the
 * difference-sign test: among n + 1 independent values, rises less falls have mean 0 and variance (n + 1) / 3.
 *
 * The bounds of such a SUT depend on the order of trials. It is measured without a model, from where it is overloaded, in
 * the plainest order. Upper Bounds follow downwards while it is degraded, then a Lower Bound below, where it recovers.
 */
#include "mlrsearch/mlr_private.h"

#include <math.h>

#define STUNNED_RATIO      0.5
#define NOTICED_DEVIATIONS 4 /* the test is repeated after each trial; at 3.4, one noisy search in 200 is mistaken */

static bool is_beyond_chance(struct mlr_excess excess)
{
	return excess.sum > 0 && excess.sum >= NOTICED_DEVIATIONS * sqrt(excess.variance);
}

/* Update the difference-sign test, over trials that follow a bad one at their load. */
static void count_rise(struct mlr_memory *memory, const struct mlr_trial_result *trial)
{
	const struct mlr_trial_result *before = &memory->last;

	if (trial->input.load_fps != before->input.load_fps || trial->input.duration_s != before->input.duration_s ||
	    !(before->output.loss_ratio > 0))
		return;
	memory->rises += trial->output.loss_ratio > before->output.loss_ratio;
	memory->falls += trial->output.loss_ratio < before->output.loss_ratio;
}

/*
 * Count trials of a stunned SUT. An overload stuns a SUT that afterwards forwards less than half of what it forwarded in the
 * overload, and less than half of the lower load that is offered. Until it recovers, what it forwards says nothing about its
 * capacity.
 */
static void count_stunned(struct mlr_memory *memory, const struct mlr_trial_result *trial)
{
	const struct mlr_trial_result *before = &memory->last;
	bool is_lower = trial->input.load_fps <= before->input.load_fps;
	bool is_less = trial->output.forwarding_rate_fps < STUNNED_RATIO * before->output.forwarding_rate_fps &&
		       trial->input.load_fps < before->input.load_fps;

	if (trial->output.loss_ratio > STUNNED_RATIO && is_lower && (is_less || memory->stunned_trials > 0)) {
		memory->stunned_trials++;
		memory->stunned_s += trial->input.duration_s;
	} else {
		memory->stunned_trials = memory->stunned_s = 0;
	}
}

void mlr_memory_note(struct mlr_memory *memory, const struct mlr_digest *digest, const struct mlr_trial_result *trial)
{
	struct mlr_excess rises;

	count_stunned(memory, trial);
	count_rise(memory, trial);
	memory->last = *trial;
	rises = (struct mlr_excess){ memory->rises - memory->falls, (memory->rises + memory->falls + 1) / 3 };
	memory->is_noticed = is_beyond_chance(rises) || is_beyond_chance(digest->missing_changes);
}
