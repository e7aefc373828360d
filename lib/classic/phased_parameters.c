/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "classic/phased_private.h"

#include <math.h>

#include "mlr/grid.h"

size_t mlr_phased_goals(const struct mlr_goal **ret_goals)
{
	static const struct mlr_goal goals[] = {
		{ "ndr", 0, 0, 1, 30, 30, 0.005 },
		{ "pdr", 0.005, 0, 1, 30, 30, 0.005 },
	};

	*ret_goals = goals;
	return sizeof(goals) / sizeof(goals[0]);
}

void mlr_phased_goal(struct mlr_goal *goal)
{
	goal->exceed_ratio = 0;
	goal->duration_sum_s = goal->final_trial_duration_s;
}

/* Whether the goals agree in what the draft has only one value for. */
static bool goals_fit(const struct mlr_controller_input *input)
{
	for (size_t goal = 0; goal < input->goal_count; goal++) {
		if (input->goals[goal].initial_trial_duration_s != input->goals[0].initial_trial_duration_s ||
		    input->goals[goal].final_trial_duration_s != input->goals[0].final_trial_duration_s ||
		    input->goals[goal].width_ratio < MLR_GRID_WIDTH_MIN)
			return false;
	}
	return isfinite(input->max_load_fps / input->min_load_fps);
}

static bool parameters_are_valid(const struct mlr_phased_parameters *parameters)
{
	return parameters->intermediate_phases <= MLR_PHASED_INTERMEDIATE_PHASES_MAX &&
	       parameters->expansion_coefficient >= 2 &&
	       parameters->expansion_coefficient <= MLR_PHASED_EXPANSION_COEFFICIENT_MAX;
}

bool mlr_phased_accepts(const struct mlr_phased_parameters *parameters, const struct mlr_controller_input *input)
{
	return parameters_are_valid(parameters) && goals_fit(input);
}

double mlr_phased_duration_s(const struct mlr_phased_parameters *parameters, const struct mlr_goal *goal, unsigned int phase)
{
	double initial_s = goal->initial_trial_duration_s, final_s = goal->final_trial_duration_s;

	if (phase == parameters->intermediate_phases)
		return final_s;
	return initial_s * pow(final_s / initial_s, (double)phase / parameters->intermediate_phases);
}

double mlr_phased_width(const struct mlr_phased_parameters *parameters, const struct mlr_goal *goal, unsigned int phase)
{
	return -log1p(-goal->width_ratio) * pow(2 * MLR_PHASED_ROUNDING, parameters->intermediate_phases - phase);
}

double mlr_phased_same(double width)
{
	return fmin(MLR_PHASED_SAME, width / 2 * MLR_PHASED_ROUNDING);
}

double mlr_phased_within(double load_fps, double min_load_fps, double max_load_fps, double width)
{
	double same = mlr_phased_same(width);

	if (log(load_fps / min_load_fps) < same)
		return min_load_fps;
	return log(max_load_fps / load_fps) < same ? max_load_fps : load_fps;
}

/*
 * Return the limit of trials in a phase. Each trial of a phase is at a new load between the bounds of its goal. So a goal
 * takes at most one bisection of the previous interval, the two previous bounds again, and external steps that at least
 * double. External steps start once more where a previous bound shortens them. Then come bisections that at least halve, and
 * external steps down that win against bisections.
 */
static double phase_limit(const struct mlr_controller_input *input, double width)
{
	double halvings = ceil(log2(log(input->max_load_fps / input->min_load_fps) / width + 1));

	return 3 + 2 * (halvings + 2) + 2 * (halvings + 3);
}

double mlr_controller_phased_trial_limit(const struct mlr_controller_input *input,
					 const struct mlr_phased_parameters *parameters)
{
	const struct mlr_phased_parameters used = parameters ? *parameters : MLR_PHASED_DEFAULTS;
	double limit = 3; /* the initial phase */

	for (unsigned int phase = 0; phase <= used.intermediate_phases; phase++) {
		for (size_t goal = 0; goal < input->goal_count; goal++)
			limit += phase_limit(input, mlr_phased_width(&used, &input->goals[goal], phase));
	}
	return limit;
}
