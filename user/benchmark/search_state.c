/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/search_state.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "benchmark/load_range.h"
#include "config/stored.h"
#include "mlr/spoilt.h"

double search_elapsed_s(const struct search *search)
{
	if (search->measurer->virtual_time)
		return search->virtual_s;
	return search->stored_s + clock_since_s(search->start_ns);
}

static double bound_fps(const struct mlr_results *results, size_t load)
{
	return load == MLR_NO_LOAD ? NAN : mlr_results_load_fps(results, load);
}

void search_bounds(const struct search *search, size_t goal, double *ret_lower_fps, double *ret_upper_fps)
{
	const struct mlr_results *results = mlr_controller_results(search->controller);
	struct mlr_bounds bounds = mlr_results_bounds(results, goal);

	*ret_lower_fps = bound_fps(results, bounds.lower);
	*ret_upper_fps = bound_fps(results, bounds.upper);
}

static bool spoils_upper(const struct measurement *measurement, double loss_ratio)
{
	return mlr_spoils_upper_bound(measurement->tester_limited, measurement->sut_loss_ratio, loss_ratio);
}

static bool spoils_lower(const struct measurement *measurement, double loss_ratio)
{
	return mlr_spoils_lower_bound(measurement_offered_less(measurement), measurement->result.output.loss_ratio,
				      loss_ratio);
}

/* Whether there is such a trial that counts, at this load. */
static bool is_spoilt_at(const struct search *search, size_t goal, double load_fps,
			 bool (*spoils)(const struct measurement *measurement, double loss_ratio))
{
	for (size_t i = 0; i < search->trial_count; i++) {
		const struct search_trial *trial = &search->trials[i];

		if (!trial->decision.warmup && trial->measurement.result.input.load_fps == load_fps &&
		    spoils(&trial->measurement, search->config->goals[goal].loss_ratio))
			return true;
	}
	return false;
}

/* Whether a self-test, or the stored search that is replayed, says so. */
static bool is_known_limited(const struct search *search, size_t goal, const struct mlr_goal_result *result)
{
	const struct config *config = search->config;

	if (config->measurer == MEASURER_REPLAY)
		return stored_is_limited(config->stored, config->goals[goal].name);
	return load_touches_tester(search->measurer, result->relevant_lower_bound_fps) ||
	       load_exceeds_tester(search->measurer, result->relevant_upper_bound_fps);
}

enum exit_code search_outcome(const struct search *search, size_t goal, struct goal_outcome *ret)
{
	const struct mlr_goal_result *result = &ret->result;

	if (mlr_controller_goal_result(search->controller, goal, &ret->result))
		return out_of_memory();
	ret->offered_less = is_spoilt_at(search, goal, result->relevant_lower_bound_fps, spoils_lower);
	ret->tester_limited = is_spoilt_at(search, goal,
					   isnan(result->relevant_upper_bound_fps) ? result->relevant_lower_bound_fps
										   : result->relevant_upper_bound_fps,
					   spoils_upper) ||
			      ret->offered_less || is_known_limited(search, goal, result);
	return EXIT_DONE;
}

void search_free(struct search *search)
{
	for (size_t i = 0; i < search->trial_count; i++)
		measurement_free(&search->trials[i].measurement);
	free(search->trials);
	for (size_t i = 0; i < search->latency_count; i++)
		measurement_free(&search->latencies[i].measurement);
	free(search->latencies);
	mlr_controller_free(search->controller);
}
