/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "progress/events.h"

#include "base/checksum.h"
#include "base/json_value.h"
#include "base/output.h"
#include "base/signing.h"

/* Write an event, and take it over. A line that was stopped halfway is no failure of the run, which sees the stop by
 * itself. */
static enum exit_code emit_event(const struct config *config, json_t *event)
{
	enum exit_code code = EXIT_DONE;

	if (config->format == FORMAT_JSONL) {
		checksum_set(event);
		if (config->sign_path)
			event_chain_add(event_chain_own(), event);
		code = output_json(event);
	} else {
		json_decref(event);
	}
	return code == EXIT_INTERRUPTED ? EXIT_DONE : code;
}

enum exit_code event_run_started(const struct config *config, unsigned int run)
{
	return emit_event(config, json_with("event", "run_started", "run", run, "runs", config->repeats));
}

enum exit_code event_trial_started(const struct config *config, size_t number, const struct mlr_trial_input *input,
				   const struct event_reason *reason)
{
	static const struct event_reason none = { 0 };
	json_t *event;

	if (!reason)
		reason = &none;
	event = json_with("event", "trial_started", "trial", number, "trial_load", input->load_fps, "trial_duration",
			  input->duration_s, "goal", reason->goal, "rule", reason->rule);
	if (reason->setting)
		json_object_update_new(event, reason->setting);
	return emit_event(config, event);
}

enum exit_code event_trial_finished(const struct config *config, size_t number, json_t *trial)
{
	return emit_event(config, json_with("event", "trial_finished", "trial", number, "trial_result", trial));
}

enum exit_code event_bounds(const struct config *config, const char *goal, double lower_fps, double upper_fps)
{
	return emit_event(config, json_with("event", "bounds", "goal", goal, "relevant_lower_bound", lower_fps,
					    "relevant_upper_bound", upper_fps));
}

enum exit_code event_goal_reached(const struct config *config, json_t *goal_result)
{
	return emit_event(config, json_with("event", "goal_reached", "goal_result", goal_result));
}

enum exit_code event_test_started(const struct config *config, const char *frame_size, const char *test)
{
	return emit_event(config, json_with("event", "test_started", "frame_size", frame_size, "test", test));
}

enum exit_code event_test_finished(const struct config *config, const char *frame_size, const char *test, json_t *result)
{
	return emit_event(config,
			  json_with("event", "test_finished", "frame_size", frame_size, "test", test, "result", result));
}

enum exit_code event_self_test_finished(const struct config *config, json_t *self_test)
{
	return emit_event(config, json_with("event", "self_test_finished", "self_test", self_test));
}

enum exit_code event_finished(const struct config *config, double duration_s, const char *irregular_reason)
{
	return emit_event(config,
			  json_with("event", "finished", "duration", duration_s, "irregular_reason", irregular_reason));
}
