/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/results.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sums and the class of one load for one goal. */
struct verdict {
	struct mlr_duration_sums sums;
	enum mlr_load_class class;
};

struct load {
	double fps;
	struct mlr_trial_result *trials;
	size_t trial_count;
	size_t trial_capacity;
	struct verdict verdicts[]; /* one for each goal */
};

struct mlr_results {
	struct load **loads; /* the smallest load first */
	size_t load_count;
	size_t load_capacity;
	size_t goal_count;
	struct mlr_goal goals[];
};

int mlr_results_new(const struct mlr_goal *goals, size_t goal_count, struct mlr_results **ret)
{
	struct mlr_results *results;

	if (!goal_count || goal_count > MLR_GOALS_MAX)
		return -EINVAL;
	results = calloc(1, sizeof(*results) + goal_count * sizeof(*goals));
	if (!results)
		return -ENOMEM;
	results->goal_count = goal_count;
	memcpy(results->goals, goals, goal_count * sizeof(*goals));
	*ret = results;
	return 0;
}

static void load_free(struct load *load)
{
	free(load->trials);
	free(load);
}

void mlr_results_free(struct mlr_results *results)
{
	if (!results)
		return;
	for (size_t i = 0; i < results->load_count; i++)
		load_free(results->loads[i]);
	free(results->loads);
	free(results);
}

/* Make room for one more item in an array that doubles when it is full. Returns 0 or -ENOMEM. */
static int reserve(void **array, size_t item_size, size_t count, size_t *capacity)
{
	size_t wanted = *capacity ? 2 * *capacity : 16;
	void *larger;

	if (count < *capacity)
		return 0;
	larger = reallocarray(*array, wanted, item_size);
	if (!larger)
		return -ENOMEM;
	*array = larger;
	*capacity = wanted;
	return 0;
}

/* Return the index of the first load that is not below this one. */
static size_t lower_index(const struct mlr_results *results, double load_fps)
{
	size_t low = 0, high = results->load_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (results->loads[middle]->fps < load_fps)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t mlr_results_find(const struct mlr_results *results, double load_fps)
{
	size_t index = lower_index(results, load_fps);

	if (index < results->load_count && results->loads[index]->fps == load_fps)
		return index;
	return MLR_NO_LOAD;
}

static int insert_load(struct mlr_results *results, size_t index, double load_fps)
{
	struct load *load;
	int err;

	err = reserve((void **)&results->loads, sizeof(*results->loads), results->load_count, &results->load_capacity);
	if (err)
		return err;
	load = calloc(1, sizeof(*load) + results->goal_count * sizeof(load->verdicts[0]));
	if (!load)
		return -ENOMEM;
	load->fps = load_fps;
	memmove(&results->loads[index + 1], &results->loads[index], (results->load_count - index) * sizeof(*results->loads));
	results->loads[index] = load;
	results->load_count++;
	return 0;
}

static void remove_load(struct mlr_results *results, size_t index)
{
	load_free(results->loads[index]);
	results->load_count--;
	memmove(&results->loads[index], &results->loads[index + 1], (results->load_count - index) * sizeof(*results->loads));
}

static int load_add(const struct mlr_results *results, struct load *load, const struct mlr_trial_result *trial)
{
	int err = reserve((void **)&load->trials, sizeof(*load->trials), load->trial_count, &load->trial_capacity);

	if (err)
		return err;
	load->trials[load->trial_count++] = *trial;
	for (size_t goal = 0; goal < results->goal_count; goal++) {
		struct verdict *verdict = &load->verdicts[goal];

		mlr_duration_sums_add(&verdict->sums, &results->goals[goal], trial);
		verdict->class = mlr_classify(&results->goals[goal], &verdict->sums);
	}
	return 0;
}

int mlr_results_add(struct mlr_results *results, const struct mlr_trial_result *trial)
{
	size_t index = lower_index(results, trial->input.load_fps);
	bool is_new = mlr_results_find(results, trial->input.load_fps) == MLR_NO_LOAD;
	int err;

	if (!mlr_trial_result_valid(trial))
		return -EINVAL;
	if (is_new) {
		err = insert_load(results, index, trial->input.load_fps);
		if (err)
			return err;
	}
	err = load_add(results, results->loads[index], trial);
	if (err && is_new)
		remove_load(results, index);
	return err;
}

size_t mlr_results_goal_count(const struct mlr_results *results)
{
	return results->goal_count;
}

const struct mlr_goal *mlr_results_goal(const struct mlr_results *results, size_t goal)
{
	return &results->goals[goal];
}

size_t mlr_results_load_count(const struct mlr_results *results)
{
	return results->load_count;
}

double mlr_results_load_fps(const struct mlr_results *results, size_t load)
{
	return results->loads[load]->fps;
}

const struct mlr_trial_result *mlr_results_trials(const struct mlr_results *results, size_t load, size_t *ret_count)
{
	*ret_count = results->loads[load]->trial_count;
	return results->loads[load]->trials;
}

const struct mlr_duration_sums *mlr_results_sums(const struct mlr_results *results, size_t load, size_t goal)
{
	return &results->loads[load]->verdicts[goal].sums;
}

enum mlr_load_class mlr_results_class(const struct mlr_results *results, size_t load, size_t goal)
{
	return results->loads[load]->verdicts[goal].class;
}

struct mlr_bounds mlr_results_bounds(const struct mlr_results *results, size_t goal)
{
	struct mlr_bounds bounds = { MLR_NO_LOAD, MLR_NO_LOAD };

	for (size_t i = 0; i < results->load_count && bounds.upper == MLR_NO_LOAD; i++) {
		if (mlr_results_class(results, i, goal) == MLR_LOAD_LOWER_BOUND)
			bounds.lower = i;
		if (mlr_results_class(results, i, goal) == MLR_LOAD_UPPER_BOUND)
			bounds.upper = i;
	}
	return bounds;
}

double mlr_width_ratio(double lower_fps, double upper_fps)
{
	return (upper_fps - lower_fps) / upper_fps;
}

bool mlr_width_met(const struct mlr_goal *goal, double lower_fps, double upper_fps)
{
	return mlr_width_ratio(lower_fps, upper_fps) <= goal->width_ratio * (1 + 1e-9);
}

static enum mlr_irregularity irregularity(const struct mlr_goal *goal, double lower_fps, double upper_fps,
					  double min_load_fps, double max_load_fps)
{
	bool has_lower = !isnan(lower_fps), has_upper = !isnan(upper_fps);

	if (has_lower && has_upper && mlr_width_met(goal, lower_fps, upper_fps))
		return MLR_REGULAR;
	if (has_lower && !has_upper && lower_fps >= max_load_fps)
		return MLR_MAX_LOAD_IS_LOWER_BOUND;
	if (has_upper && upper_fps <= min_load_fps)
		return MLR_MIN_LOAD_IS_UPPER_BOUND;
	return MLR_UNFINISHED;
}

int mlr_results_goal_result(const struct mlr_results *results, size_t goal, double min_load_fps, double max_load_fps,
			    struct mlr_goal_result *ret)
{
	struct mlr_bounds bounds = mlr_results_bounds(results, goal);
	struct mlr_goal_result result = { MLR_UNFINISHED, NAN, NAN, NAN };
	int err;

	if (bounds.upper != MLR_NO_LOAD)
		result.relevant_upper_bound_fps = results->loads[bounds.upper]->fps;
	if (bounds.lower != MLR_NO_LOAD) {
		const struct load *load = results->loads[bounds.lower];

		result.relevant_lower_bound_fps = load->fps;
		err = mlr_conditional_throughput(&results->goals[goal], load->trials, load->trial_count,
						 &result.conditional_throughput_fps);
		if (err)
			return err;
	}
	result.irregularity = irregularity(&results->goals[goal], result.relevant_lower_bound_fps,
					   result.relevant_upper_bound_fps, min_load_fps, max_load_fps);
	*ret = result;
	return 0;
}
