/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "controller/controller_private.h"

#include <errno.h>
#include <math.h>

static bool input_is_valid(const struct mlr_controller_input *input)
{
	if (!(input->min_load_fps > 0) || !(input->max_load_fps > input->min_load_fps) || !isfinite(input->max_load_fps))
		return false;
	if (!input->goal_count || input->goal_count > MLR_GOALS_MAX)
		return false;
	for (size_t goal = 0; goal < input->goal_count; goal++) {
		if (mlr_goal_check(&input->goals[goal]) != MLR_GOAL_OK)
			return false;
	}
	return true;
}

int mlr_controller_init(struct mlr_controller *controller, const struct mlr_controller_ops *ops,
			const struct mlr_controller_input *input)
{
	if (!input_is_valid(input))
		return -EINVAL;
	controller->ops = ops;
	controller->min_load_fps = input->min_load_fps;
	controller->max_load_fps = input->max_load_fps;
	return mlr_results_new(input->goals, input->goal_count, &controller->results);
}

void mlr_controller_free(struct mlr_controller *controller)
{
	if (!controller)
		return;
	mlr_results_free(controller->results);
	controller->ops->free(controller);
}

int mlr_controller_next(struct mlr_controller *controller, struct mlr_decision *ret_decision)
{
	if (!controller->has_decision) {
		int wanted = controller->ops->next(controller, &controller->decision);

		if (wanted <= 0)
			return wanted;
		controller->has_decision = true;
	}
	*ret_decision = controller->decision;
	return 1;
}

int mlr_controller_add(struct mlr_controller *controller, const struct mlr_trial_result *result)
{
	int err;

	if (!mlr_trial_result_valid(result) || result->input.load_fps < controller->min_load_fps ||
	    result->input.load_fps > controller->max_load_fps)
		return -EINVAL;
	err = controller->ops->add(controller, result);
	if (!err)
		controller->has_decision = false;
	return err;
}

const struct mlr_results *mlr_controller_results(const struct mlr_controller *controller)
{
	return controller->results;
}

bool mlr_controller_goal_done(const struct mlr_controller *controller, size_t goal)
{
	return controller->ops->goal_done(controller, goal);
}

bool mlr_controller_sut_remembers(const struct mlr_controller *controller)
{
	return controller->ops->sut_remembers && controller->ops->sut_remembers(controller);
}

double mlr_controller_remaining_s(const struct mlr_controller *controller)
{
	return controller->ops->remaining_s(controller);
}

int mlr_controller_goal_result(const struct mlr_controller *controller, size_t goal, struct mlr_goal_result *ret)
{
	if (controller->ops->goal_result)
		return controller->ops->goal_result(controller, goal, ret);
	return mlr_results_goal_result(controller->results, goal, controller->min_load_fps, controller->max_load_fps, ret);
}
