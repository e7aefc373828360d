/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cause/cause_private.h"

#define SAME_LOAD_RATIO 1e-9

static int by_load(const void *a, const void *b)
{
	const struct mlr_cause_trial *const *left = a, *const *right = b;

	return ((*left)->load_fps > (*right)->load_fps) - ((*left)->load_fps < (*right)->load_fps);
}

static bool is_at(const struct mlr_cause_trial *trial, double load_fps)
{
	return fabs(trial->load_fps - load_fps) <= SAME_LOAD_RATIO * load_fps;
}

static bool is_above(const struct mlr_cause_trial *trial, double load_fps)
{
	return isnan(load_fps) || trial->load_fps > load_fps || is_at(trial, load_fps);
}

/* Choose the trials with loss at the Upper Bound, and those above it until enough frames are lost in them. */
static void choose_nearest(struct mlr_cause_evidence *evidence)
{
	const struct mlr_cause_trials *above = &evidence->above;
	size_t count = 0;

	qsort(above->list, above->count, sizeof(*above->list), by_load);
	while (count < above->count &&
	       (evidence->lost < MLR_CAUSE_LOST_ENOUGH || is_at(above->list[count], above->list[count - 1]->load_fps)))
		evidence->lost += above->list[count++]->lost;
	evidence->nearest = (struct mlr_cause_trials){ above->list, count };
}

static double loss_ratio(const struct mlr_cause_trials *trials)
{
	double sent = 0, lost = 0;

	for (size_t i = 0; i < trials->count; i++) {
		sent += trials->list[i]->sent;
		lost += trials->list[i]->lost;
	}
	return lost / sent;
}

static void choose_calm(struct mlr_cause_evidence *evidence)
{
	double most_ratio = MLR_CAUSE_CONTRAST_RATIO * loss_ratio(&evidence->nearest), best_fps = 0;

	for (size_t i = 0; i < evidence->input->trial_count && evidence->nearest.count; i++) {
		const struct mlr_cause_trial *trial = &evidence->input->trials[i];

		if (!(trial->lost <= most_ratio * trial->sent) || !(trial->load_fps < evidence->above.list[0]->load_fps) ||
		    trial->load_fps < best_fps)
			continue;
		if (trial->load_fps > best_fps)
			evidence->calm.count = 0;
		best_fps = trial->load_fps;
		evidence->calm.list[evidence->calm.count++] = trial;
	}
}

int mlr_cause_open(const struct mlr_cause_input *input, struct mlr_cause_evidence *ret)
{
	*ret = (struct mlr_cause_evidence){ .input = input };
	ret->above.list = calloc(input->trial_count + 1, sizeof(struct mlr_cause_trial *));
	ret->lower.list = calloc(input->trial_count + 1, sizeof(struct mlr_cause_trial *));
	ret->calm.list = calloc(input->trial_count + 1, sizeof(struct mlr_cause_trial *));
	if (!ret->above.list || !ret->lower.list || !ret->calm.list) {
		mlr_cause_close(ret);
		return -ENOMEM;
	}
	for (size_t i = 0; i < input->trial_count; i++) {
		const struct mlr_cause_trial *trial = &input->trials[i];

		if (trial->lost > 0 && is_above(trial, input->upper_fps))
			ret->above.list[ret->above.count++] = trial;
		else if (is_at(trial, input->lower_fps))
			ret->lower.list[ret->lower.count++] = trial;
	}
	choose_nearest(ret);
	choose_calm(ret);
	return 0;
}

void mlr_cause_close(struct mlr_cause_evidence *evidence)
{
	free(evidence->above.list);
	free(evidence->lower.list);
	free(evidence->calm.list);
}

static double lost_in(const struct mlr_cause_trial *trial, enum mlr_cause_scope scope)
{
	return scope == MLR_CAUSE_ALL ? trial->lost : trial->lost_of_direction[scope];
}

double mlr_cause_sum_of(const double *values, const struct mlr_cause_candidate *candidate)
{
	double sum = 0;

	for (size_t i = 0; i < candidate->count; i++)
		sum += values[candidate->counters[i]];
	return sum;
}

struct mlr_cause_known mlr_cause_known_of(const struct mlr_cause_trials *trials, const struct mlr_cause_candidate *candidate,
					  enum mlr_cause_scope scope)
{
	struct mlr_cause_known known = { 0 };

	for (size_t i = 0; i < trials->count; i++) {
		const struct mlr_cause_trial *trial = trials->list[i];
		double change = mlr_cause_sum_of(trial->changes, candidate), lost = lost_in(trial, scope);

		if (isnan(change))
			continue;
		known.count++;
		known.sent += trial->sent;
		known.seconds += trial->sent / trial->load_fps;
		known.lost += lost;
		known.change += change;
		known.level += mlr_cause_sum_of(trial->levels, candidate);
		known.difference += fabs(change - lost);
	}
	return known;
}

struct mlr_cause_trials mlr_cause_judges_of(const struct mlr_cause_evidence *evidence,
					    const struct mlr_cause_candidate *candidate)
{
	struct mlr_cause_trials judges = evidence->nearest;
	double lost = mlr_cause_known_of(&judges, candidate, MLR_CAUSE_ALL).lost;

	if (lost >= MLR_CAUSE_KNOWN_RATIO * evidence->lost)
		return judges;
	while (judges.count < evidence->above.count) {
		const struct mlr_cause_trial *trial = judges.list[judges.count++];

		if (!isnan(mlr_cause_sum_of(trial->changes, candidate)))
			lost += trial->lost;
		if (lost >= MLR_CAUSE_LOST_ENOUGH)
			return judges;
	}
	return evidence->nearest;
}
