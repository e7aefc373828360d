/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/stop.h"
#include "config/given.h"
#include "config/stored.h"
#include "progress/events.h"
#include "progress/progress.h"

/* --- before --------------------------------------------------------------------------------------------------------- */

/* Check what an algorithm wants of goals, beyond their ranges. */
static const char *algorithm_demands(enum algorithm algorithm)
{
	switch (algorithm) {
	case ALGORITHM_PHASED:
		return "all must have the same Goal Initial Trial Duration and the same Goal Final Trial Duration";
	case ALGORITHM_TST009:
		return "a load must not fail by fewer than --max-r high-loss trials; raise the Goal Exceed Ratio or Goal "
		       "Duration Sum";
	case ALGORITHM_MLR:
	case ALGORITHM_BINARY:
		break;
	}
	return "a Goal Width is too small";
}

enum exit_code search_new_controller(const struct config *config, const struct mlr_controller_input *input,
				     struct mlr_controller **ret)
{
	int error = -EINVAL;

	switch (config->algorithm) {
	case ALGORITHM_MLR:
		error = mlr_controller_new_mlr(input, ret);
		break;
	case ALGORITHM_PHASED:
		error = mlr_controller_new_phased(input, &config->phased, ret);
		break;
	case ALGORITHM_BINARY:
		error = mlr_controller_new_binary(input, ret);
		break;
	case ALGORITHM_TST009:
		error = mlr_controller_new_tst009(input, config->max_r ? config->max_r : MLR_TST009_MAX_R_DEFAULT, ret);
		break;
	}
	if (error == -ENOMEM)
		return out_of_memory();
	if (error)
		return refuse(EXIT_USAGE_ERROR, "--algorithm %s cannot search for these goals: %s",
			      algorithm_name(config->algorithm), algorithm_demands(config->algorithm));
	return EXIT_DONE;
}

/* --- time ----------------------------------------------------------------------------------------------------------- */

/* Whether a trial could no longer end in time. */
static bool out_of_time(const struct search *search, const struct mlr_trial_input *input)
{
	const struct config *config = search->config;
	double waits_s = search->measurer->virtual_time ? 0 : waits_always_s(&config->waits);

	return config->max_time_s > 0 && search_elapsed_s(search) + input->duration_s + waits_s > config->max_time_s;
}

/* --- what the user is told meanwhile -------------------------------------------------------------------------------- */

static bool same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* Tell of a goal what has changed. */
static enum exit_code emit_goal(struct search *search, size_t goal)
{
	struct goal_watch *watch = &search->watches[goal];
	const char *name = search->config->goals[goal].name;
	enum exit_code code = EXIT_DONE;
	double lower_fps, upper_fps;
	struct goal_outcome outcome;

	search_bounds(search, goal, &lower_fps, &upper_fps);
	if (!same(lower_fps, watch->lower_fps) || !same(upper_fps, watch->upper_fps))
		code = event_bounds(search->config, name, lower_fps, upper_fps);
	watch->lower_fps = lower_fps;
	watch->upper_fps = upper_fps;
	if (code != EXIT_DONE || watch->reached || !mlr_controller_goal_done(search->controller, goal))
		return code;
	watch->reached = true;
	return search_outcome(search, goal, &outcome)
		       ?: event_goal_reached(search->config, report_goal_result(search, goal, &outcome));
}

static enum exit_code emit_trial(struct search *search)
{
	const struct search_trial *trial = &search->trials[search->trial_count - 1];
	enum exit_code code;

	if (search->config->format != FORMAT_JSONL)
		return EXIT_DONE;
	code = event_trial_finished(search->config, search->trial_count, report_search_trial(search, trial));
	for (size_t goal = 0; goal < search->input.goal_count && code == EXIT_DONE; goal++)
		code = emit_goal(search, goal);
	return code;
}

/* --- the loop ------------------------------------------------------------------------------------------------------- */

/* A trial that follows a decision, and what was known when it was taken. */
static struct search_trial new_trial(const struct search *search, const struct mlr_decision *decision)
{
	struct search_trial trial = { .decision = *decision };

	search_bounds(search, decision->goal, &trial.lower_fps, &trial.upper_fps);
	return trial;
}

/* Add a trial. It takes the measurement over. */
static enum exit_code keep(struct search *search, const struct search_trial *trial)
{
	size_t size = search->trial_size ? 2 * search->trial_size : 64;
	struct search_trial *grown;

	if (search->trial_count == search->trial_size) {
		grown = reallocarray(search->trials, size, sizeof(*grown));
		if (!grown)
			return out_of_memory();
		search->trials = grown;
		search->trial_size = size;
	}
	search->trials[search->trial_count++] = *trial;
	return EXIT_DONE;
}

static enum exit_code take_result(struct search *search, const struct search_trial *trial)
{
	const struct measurement *measurement = &trial->measurement;
	int error = mlr_controller_add(search->controller, &measurement->result);

	if (error == -ENOMEM)
		return out_of_memory();
	if (error)
		return refuse(EXIT_INVALID, "a trial at %g fps for %g s came back with a result out of range",
			      measurement->result.input.load_fps, measurement->result.input.duration_s);
	search->virtual_s += measurement->result.output.effective_duration_s + measurement->waits_s;
	return emit_trial(search);
}

/* Write the event of a trial that begins. The first one has all that --resume needs. */
static enum exit_code emit_start(const struct search *search, const struct mlr_decision *decision)
{
	const struct config *config = search->config;
	struct event_reason reason = { .goal = config->goals[decision->goal].name, .rule = decision->rule };

	if (config->format == FORMAT_JSONL && !search->trial_count)
		reason.setting = report_setting(search);
	return event_trial_started(config, search->trial_count + 1, &decision->input, &reason);
}

static enum exit_code perform(struct search *search, const struct mlr_decision *decision)
{
	struct search_trial trial = new_trial(search, decision);
	enum exit_code code = emit_start(search, decision);

	if (code != EXIT_DONE)
		return code;
	search_show(search, decision);
	code = search->measurer->ops->measure(search->measurer, &decision->input, &trial.measurement);
	if (code != EXIT_DONE)
		return code;
	measurement_forget_histograms(&trial.measurement);
	code = keep(search, &trial);
	if (code != EXIT_DONE) {
		measurement_free(&trial.measurement);
		return code;
	}
	return take_result(search, &trial);
}

/* Give the controller the trials of a stored search, as if they were measured now. It should ask for what was measured then.
 * If it does not, another version of the program measured it, and the trials count all the same. */
static enum exit_code take_stored_trials(struct search *search)
{
	const struct stored *stored = search->config->stored;
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; stored && i < stored->trial_count && code == EXIT_DONE; i++) {
		const struct stored_trial *from = &stored->trials[i];
		struct mlr_decision decision = { .rule = "measured, though nothing more was wanted",
						 .exceed_probability = NAN,
						 .trials_ahead = NAN },
				    measured;
		struct search_trial trial;

		if (mlr_controller_next(search->controller, &decision) < 0)
			return out_of_memory();
		decision.warmup = from->warmup;
		trial = new_trial(search, &decision);
		trial.measurement.result = from->result;
		trial.measurement.tester_limited = from->tester_limited;
		trial.measurement.sut_loss_ratio = from->sut_loss_ratio;
		trial.measurement.offered_less = from->offered_less;
		trial.measurement.stored = from->json;
		measured = decision;
		measured.input = from->result.input;
		code = emit_start(search, &measured) ?: keep(search, &trial) ?: take_result(search, &trial);
	}
	return code;
}

/* Whether a goal has failed already: as CSIT ends a search that can only tell how broken the SUT is. */
static bool has_failed_fast(struct search *search)
{
	double lower_fps, upper_fps;

	for (size_t goal = 0; search->config->fail_fast && goal < search->input.goal_count; goal++) {
		search_bounds(search, goal, &lower_fps, &upper_fps);
		if (upper_fps <= search->input.min_load_fps)
			return true;
	}
	return false;
}

/* Perform trials until the controller wants no more, time is up, a stop, or a failure. search->end says which. */
static enum exit_code loop(struct search *search)
{
	struct mlr_decision decision;
	enum exit_code code = EXIT_DONE;
	int wanted;

	while ((wanted = mlr_controller_next(search->controller, &decision)) > 0 && code == EXIT_DONE) {
		if (stop_requested())
			code = EXIT_INTERRUPTED;
		else if (search->config->measurer == MEASURER_REPLAY || has_failed_fast(search) ||
			 out_of_time(search, &decision.input))
			break;
		else
			code = perform(search, &decision);
	}
	if (wanted < 0)
		code = out_of_memory();
	if (code == EXIT_DONE)
		search->end = !wanted                                       ? SEARCH_COMPLETE
			      : search->config->measurer == MEASURER_REPLAY ? SEARCH_REPLAYED
			      : has_failed_fast(search)                     ? SEARCH_FAILED_FAST
									    : SEARCH_OUT_OF_TIME;
	else
		search->end = code == EXIT_INTERRUPTED ? SEARCH_INTERRUPTED : SEARCH_FAILED;
	return code;
}

/* --- after ---------------------------------------------------------------------------------------------------------- */

/* Get the outcomes, and what they make of an EXIT_DONE. */
static enum exit_code judge(struct search *search, enum exit_code code)
{
	for (size_t goal = 0; goal < search->input.goal_count; goal++) {
		struct goal_outcome *outcome = &search->outcomes[goal];
		enum exit_code found = search_outcome(search, goal, outcome);

		if (found != EXIT_DONE)
			return found;
		if (code == EXIT_DONE && (outcome->result.irregularity != MLR_REGULAR || outcome->tester_limited))
			code = EXIT_UNMET;
	}
	return code;
}

static void init_search(struct search *search, const struct config *config, struct measurer *measurer)
{
	*search = (struct search){
		.config = config,
		.measurer = measurer,
		.input = { .goals = config->goals, .goal_count = config->goal_count },
		.start_time = time(NULL),
		.start_ns = clock_ns(),
	};
	for (size_t goal = 0; goal < config->goal_count; goal++)
		search->watches[goal].lower_fps = search->watches[goal].upper_fps = NAN;
}

/* The latencies take time of their own, and a stop that ends them does not change the bounds. */
static enum exit_code add_latencies(struct search *search, enum exit_code code)
{
	enum exit_code measured = search_measure_latencies(search);

	if (measured == EXIT_INTERRUPTED)
		search->end = SEARCH_INTERRUPTED;
	return measured == EXIT_DONE ? code : measured;
}

static enum exit_code run_between(struct search *search, const struct load_range *range)
{
	enum exit_code code;
	struct view view;

	search->input.min_load_fps = range->min_fps;
	search->input.max_load_fps = range->max_fps;
	search->max_load_source = range->max_source;
	code = search_new_controller(search->config, &search->input, &search->controller) ?: take_stored_trials(search);
	if (code != EXIT_DONE)
		return code;
	if (search->config->stored && !search->measurer->virtual_time)
		search->stored_s = search->config->stored->duration_s;
	code = loop(search);
	search->duration_s =
		search->config->measurer == MEASURER_REPLAY ? search->config->stored->duration_s : search_elapsed_s(search);
	if (mlr_controller_sut_remembers(search->controller))
		warn("the SUT remembers: trials after an overloaded one do worse; the result depends on their order: rested "
		     "it may bear more, worn less");
	code = judge(search, code);
	code = code == EXIT_DONE || code == EXIT_UNMET ? add_latencies(search, code) : code;
	view = search_end_view(search);
	progress_show_end(&view);
	return code;
}

enum exit_code search_run_between(const struct config *config, struct measurer *measurer, const struct load_range *range,
				  struct search *ret_search)
{
	init_search(ret_search, config, measurer);
	return run_between(ret_search, range);
}

enum exit_code search_run(const struct config *config, struct measurer *measurer, struct search *ret_search)
{
	struct load_range range;
	enum exit_code code;

	init_search(ret_search, config, measurer);
	code = load_range_find(config, measurer, &range);
	if (code == EXIT_INTERRUPTED)
		search_stopped(config, measurer, ret_search);
	return code ?: run_between(ret_search, &range);
}

void search_stopped(const struct config *config, struct measurer *measurer, struct search *ret_search)
{
	init_search(ret_search, config, measurer);
	ret_search->input.min_load_fps = ret_search->input.max_load_fps = NAN;
	ret_search->end = SEARCH_INTERRUPTED;
	for (size_t goal = 0; goal < config->goal_count; goal++)
		ret_search->outcomes[goal].result = (struct mlr_goal_result){ .irregularity = MLR_UNFINISHED,
									      .relevant_lower_bound_fps = NAN,
									      .relevant_upper_bound_fps = NAN,
									      .conditional_throughput_fps = NAN };
}
