/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * libmlr over a measurer of one's own: the search asks, this program measures, and the search learns. Here a "system" forwards
 * at most 1234567 frames/s; put your own in its place.
 *
 *	cc own_measurer.c $(pkg-config --cflags --libs mlr) -o own_measurer
 */
#include <math.h>
#include <stdio.h>

#include <mlr/controller.h>

/* One trial: a load for a duration, and the ratio of frames that were lost. */
static double measure_loss_ratio(const struct mlr_trial_input *input)
{
	static const double capacity_fps = 1234567;

	return input->load_fps > capacity_fps ? 1 - capacity_fps / input->load_fps : 0;
}

int main(void)
{
	const struct mlr_goal *goals;
	struct mlr_controller_input input = { .min_load_fps = 9001, .max_load_fps = 10e6 };
	struct mlr_controller *controller;
	struct mlr_decision decision;
	int error;

	input.goal_count = mlr_goal_preset("csit", &goals);
	input.goals = goals;
	error = mlr_controller_new_mlr(&input, &controller);
	if (error)
		return 1;
	while ((error = mlr_controller_next(controller, &decision)) > 0) {
		struct mlr_trial_result result = { .input = decision.input };

		result.output = mlr_trial_output(&result.input, measure_loss_ratio(&result.input), result.input.duration_s);
		error = mlr_controller_add(controller, &result);
		if (error)
			break;
	}
	for (size_t i = 0; i < input.goal_count && !error; i++) {
		struct mlr_goal_result result;

		error = mlr_controller_goal_result(controller, i, &result);
		if (!error)
			printf("%s %s %.0f %.0f %.0f\n", goals[i].name,
			       result.irregularity == MLR_REGULAR ? "regular" : "irregular", result.relevant_lower_bound_fps,
			       result.relevant_upper_bound_fps, result.conditional_throughput_fps);
	}
	mlr_controller_free(controller);
	return error ? 1 : 0;
}
