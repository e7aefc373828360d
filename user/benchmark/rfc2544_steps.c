/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RFC 2544, 26.4 to 26.6: back-to-back frames, system recovery, reset. Each of their trials has load steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/json_text.h"
#include "base/stop.h"
#include "benchmark/rfc2544_run.h"
#include "mlr/rfc2544.h"
#include "mlr/welch.h"

#define FIRST_BURST_FRAMES 16
#define BURST_GRACE_S      1e-3 /* a stall of this machine in a burst may be caught up for as long */
#define BURST_TRIES        10   /* of one burst, until the tester itself sent all of it */
#define OVERLOAD_RATIO     1.1  /* of the throughput (26.5) */
#define REDUCED_RATIO      0.5  /* of the overload */
#define STEPS_TRIES        3
#define GRACE_S            1e-3
#define SETTLE_RATIO       0.1 /* of the reset trial: what passes before the command is given */
#define SETTLE_MAX_S       1.0
#define COMMAND_GRACE_S    2.0
#define NS_PER_S_F         1e9

static uint64_t frames_of(double load_fps, double duration_s)
{
	double frames = floor(load_fps * duration_s + 0.5);

	return frames < 1 ? 1 : (uint64_t)frames;
}

/* --- back-to-back frames (26.4, RFC 9004) ------------------------------------------------------------------------- */

/* Send one burst until the tester sent all of it. */
static enum exit_code send_burst(struct rfc2544_run *run, uint64_t frames, bool *ret_lost)
{
	const struct rfc2544_plan *plan = &run->suite->plan;

	for (int try = 1;; try++) {
		struct load_steps steps = {
			.load_fps = run->range.max_fps,
			.frame_count = frames,
			.grace_s = BURST_GRACE_S,
		};
		measurement_auto_t measurement = { 0 };
		uint64_t start_ns = clock_ns();
		enum exit_code code = suite_steps(&run->part, &steps, &measurement);

		if (code != EXIT_DONE)
			return code;
		*ret_lost = measurement.verdict.lost > 0;
		if (plan->burst_pause && stop_sleep_until(start_ns + (uint64_t)(plan->burst_trial_s * NS_PER_S_F)))
			return EXIT_INTERRUPTED;
		if (!measurement.verdict.unsent && !measurement.pacing.moves) /* a stop would let the SUT work the burst off */
			return EXIT_DONE;
		if (try == BURST_TRIES) {
			run->part.tester_limited = true;
			return EXIT_DONE;
		}
		run->part.repeated++;
	}
}

/* One of the N tests: its own search for the longest burst. */
static enum exit_code search_burst(struct rfc2544_run *run, uint64_t most_frames, uint64_t *ret_frames, size_t *trial_count)
{
	struct mlr_burst_search search;
	uint64_t frames;

	mlr_burst_search_init(&search, FIRST_BURST_FRAMES, most_frames);
	while ((frames = mlr_burst_search_next(&search))) {
		bool lost;
		enum exit_code code = send_burst(run, frames, &lost);

		if (code != EXIT_DONE)
			return code;
		++*trial_count;
		mlr_burst_search_add(&search, lost);
	}
	*ret_frames = search.kept_frames;
	return EXIT_DONE;
}

static void put_bursts(const struct rfc2544_run *run, const uint64_t *values, size_t count, json_t *json)
{
	double rate_fps = run->range.max_fps, line_fps = run->part.measurer->line_rate_fps;
	struct mlr_burst_summary summary = mlr_burst_summarize(values, count, rate_fps, run->throughput_fps);

	json_object_update_new(json, json_pack("{s:f, s:o, s:b, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "burst_rate",
					       rate_fps, "max_theoretical_frame_rate",
					       json_number_or_null(line_fps > 0 ? line_fps : NAN),
					       "burst_rate_is_theoretical", rate_fps == line_fps, "values",
					       json_list(i, count, json_integer((json_int_t)values[i])), "tests",
					       (json_int_t)count, "average", json_number_or_null(summary.average_frames),
					       "min", json_number_or_null(count ? (double)summary.min_frames : NAN), "max",
					       json_number_or_null(count ? (double)summary.max_frames : NAN), "stdev",
					       json_number_or_null(summary.stdev_frames), "measured_throughput",
					       json_number_or_null(run->throughput_fps), "implied_buffer_time",
					       json_number_or_null(summary.implied_buffer_time_s), "corrected_buffer_time",
					       json_number_or_null(summary.corrected_buffer_time_s)));
}

enum exit_code rfc2544_back_to_back(struct rfc2544_run *run, json_t *json)
{
	const struct rfc2544_plan *plan = &run->suite->plan;
	uint64_t most_frames = frames_of(run->range.max_fps, plan->burst_trial_s);
	owned uint64_t *values = calloc(plan->burst_tests, sizeof(*values));
	enum exit_code code = EXIT_DONE;
	size_t count = 0, trial_count = 0;
	bool reached = false;

	if (!values)
		return refuse(EXIT_INCAPABLE, "out of memory");
	while (count < plan->burst_tests && code == EXIT_DONE) {
		code = search_burst(run, most_frames, &values[count], &trial_count);
		if (code == EXIT_DONE)
			reached |= values[count++] == most_frames;
	}
	put_bursts(run, values, count, json);
	json_object_update_new(json, json_pack("{s:i, s:i, s:I, s:b, s:f, s:I, s:I}", "tests_wanted", (int)plan->burst_tests,
					       "min_step_frames", 1, "max_burst_frames", (json_int_t)most_frames,
					       "reached_max_burst", reached, "trial_length",
					       plan->burst_pause ? plan->burst_trial_s : 0.0, "trial_count",
					       (json_int_t)trial_count, "repeated_trials", (json_int_t)run->part.repeated));
	return code;
}

/* --- system recovery (26.5) --------------------------------------------------------------------------------------- */

/* What is seen of one run. */
struct recovery_watch {
	struct mlr_watch watch;
	const struct load_steps *steps;
	uint64_t missing_at_change; /* at the first look after it */
	bool changed;
};

static void watch_recovery(void *context, uint64_t now_ns, uint64_t received, uint64_t missing)
{
	struct recovery_watch *recovery = context;

	mlr_watch_add(&recovery->watch, now_ns, received, missing);
	/* before the trial has begun, its steps have no times yet */
	if (!recovery->changed)
		recovery->missing_at_change = missing;
	recovery->changed = recovery->steps->ret_change_ns && now_ns >= recovery->steps->ret_change_ns;
}

static void watch_again(void *context)
{
	struct recovery_watch *recovery = context;

	*recovery = (struct recovery_watch){ .steps = recovery->steps };
}

static json_t *recovery_json(const struct recovery_watch *watch, const struct measurement *measurement,
			     double *ret_recovery_s)
{
	uint64_t lost = measurement->verdict.lost > 0 ? (uint64_t)measurement->verdict.lost : 0;
	struct mlr_recovery recovery =
		mlr_watch_recovery(&watch->watch, watch->steps->ret_change_ns, lost, measurement->counts.reordered);

	*ret_recovery_s =
		recovery.lost_at_end || !lost ? NAN : recovery.recovery_s; /* what never lost has nothing to recover from */
	return json_pack("{s:o, s:f, s:I, s:I, s:b, s:b}", "recovery", json_number_or_null(*ret_recovery_s), "resolution",
			 recovery.resolution_s, "frames_lost", (json_int_t)lost, "frames_lost_after",
			 lost > watch->missing_at_change ? (json_int_t)(lost - watch->missing_at_change) : (json_int_t)0,
			 "lost_at_end", recovery.lost_at_end, "tester_limited", measurement->tester_limited);
}

static enum exit_code recover_once(struct rfc2544_run *run, double overload_fps, json_t *runs, double *ret_recovery_s)
{
	const struct rfc2544_plan *plan = &run->suite->plan;
	double reduced_fps = overload_fps * REDUCED_RATIO;

	for (int try = 1;; try++) {
		struct load_steps steps = {
			.load_fps = overload_fps,
			.frame_count = frames_of(overload_fps, plan->overload_duration_s),
			.then_load_fps = reduced_fps,
			.then_frame_count = frames_of(reduced_fps, plan->reduced_duration_s),
			.grace_s = GRACE_S,
			.watch = watch_recovery,
			.again = watch_again,
		};
		struct recovery_watch watch = { .steps = &steps };
		measurement_auto_t measurement = { 0 };
		enum exit_code code;

		steps.context = &watch;
		code = suite_steps(&run->part, &steps, &measurement);
		if (code != EXIT_DONE)
			return code;
		if (!measurement.tester_limited || try >= STEPS_TRIES) {
			run->part.tester_limited |= measurement.tester_limited;
			json_array_append_new(runs, recovery_json(&watch, &measurement, ret_recovery_s));
			return EXIT_DONE;
		}
		run->part.repeated++;
	}
}

static void put_recovery(const struct rfc2544_run *run, double overload_fps, const double *values, size_t count,
			 json_t *json)
{
	const struct rfc2544_plan *plan = &run->suite->plan;
	struct mlr_sample sample = mlr_sample_of(values, count);

	json_object_update_new(json,
			       json_pack("{s:f, s:f, s:f, s:f, s:f, s:i, s:o, s:o, s:o}", "overload", overload_fps,
					 "overload_duration", plan->overload_duration_s, "overload_ratio",
					 overload_fps / run->throughput_fps, "reduced_load", overload_fps * REDUCED_RATIO,
					 "reduced_duration", plan->reduced_duration_s, "repeats_wanted",
					 (int)plan->recovery_repeats, "average", json_number_or_null(sample.mean), "min",
					 json_number_or_null(sample.least), "max", json_number_or_null(sample.most)));
}

enum exit_code rfc2544_recovery(struct rfc2544_run *run, json_t *json)
{
	const struct rfc2544_plan *plan = &run->suite->plan;
	double overload_fps = fmin(OVERLOAD_RATIO * run->throughput_fps, run->range.max_fps);
	double *values = calloc(plan->recovery_repeats, sizeof(*values)), recovery_s;
	json_t *runs = json_array();
	enum exit_code code = EXIT_DONE;
	size_t count = 0;

	if (!values) {
		json_decref(runs);
		return refuse(EXIT_INCAPABLE, "out of memory");
	}
	for (unsigned int i = 0; i < plan->recovery_repeats && code == EXIT_DONE; i++) {
		code = recover_once(run, overload_fps, runs, &recovery_s);
		if (code == EXIT_DONE && !isnan(recovery_s))
			values[count++] = recovery_s;
		else if (code == EXIT_DONE && json_is_true(json_object_get(json_array_get(runs, i), "lost_at_end")))
			run->part.reason = "the SUT still lost frames when the trial ended";
	}
	put_recovery(run, overload_fps, values, count, json);
	json_object_set_new(json, "runs", runs);
	free(values);
	return code;
}

/* --- reset (26.6, RFC 6201) --------------------------------------------------------------------------------------- */

/* What is seen of the SUT's reset, and the command that causes it. */
struct reset_watch {
	struct mlr_watch watch;
	const struct load_steps *steps;
	const char *command; /* NULL: the operator does it */
	uint64_t settle_ns;
	struct child child;
	int start_error;
	uint64_t started_ns; /* 0: not yet */
};

static void watch_reset(void *context, uint64_t now_ns, uint64_t received, uint64_t missing)
{
	struct reset_watch *reset = context;

	mlr_watch_add(&reset->watch, now_ns, received, missing);
	if (reset->started_ns || !reset->steps->ret_start_ns || now_ns < reset->steps->ret_start_ns + reset->settle_ns)
		return;
	reset->started_ns = now_ns;
	if (reset->command)
		reset->start_error = child_start(&reset->child, reset->command);
	else
		note("reset the SUT now; frames are sent for %.0f s more",
		     (double)(reset->steps->ret_end_ns - now_ns) / NS_PER_S_F);
}

/* End the command, and say how it went. */
static void end_command(struct rfc2544_run *run, struct reset_watch *reset, json_t *json)
{
	char fate[CHILD_FATE_SIZE];

	if (!reset->command || !reset->started_ns)
		return;
	if (reset->start_error) {
		run->part.reason = "the reset command could not be started";
		return;
	}
	child_fate(&reset->child, fate);
	if (strcmp(fate, "exited with status 0"))
		run->part.reason = "the reset command failed, or has not ended";
	json_object_set_new(json, "command_result", json_string(fate));
	child_end(&reset->child, COMMAND_GRACE_S);
}

static json_t *since_start(const struct reset_watch *reset, uint64_t moment_ns)
{
	uint64_t start_ns = reset->steps->ret_start_ns;

	return moment_ns > start_ns ? json_real((double)(moment_ns - start_ns) / NS_PER_S_F) : json_null();
}

static void put_reset(struct rfc2544_run *run, const struct reset_watch *reset, const struct measurement *measurement,
		      json_t *json)
{
	uint64_t lost = measurement->verdict.lost > 0 ? (uint64_t)measurement->verdict.lost : 0;
	double outage_s = mlr_watch_outage_s(&reset->watch, reset->steps->ret_end_ns);
	bool seen = lost && (isnan(outage_s) || mlr_watch_outage_seen(&reset->watch));

	if (!seen)
		run->part.reason = "no outage was seen: was the SUT reset?";
	else if (isnan(outage_s))
		run->part.reason = "frames were not forwarded again before the trial ended";
	json_object_update_new(
		json,
		json_pack("{s:o, s:f, s:o, s:I, s:o, s:o, s:o}", "reset_time", json_number_or_null(seen ? outage_s : NAN),
			  "resolution", (double)reset->watch.outage_resolution_ns / NS_PER_S_F, "reset_time_by_loss",
			  json_number_or_null(lost && !isnan(outage_s)
						      ? (double)lost / run->part.measurer->transmitters / run->throughput_fps
						      : NAN),
			  "frames_lost", (json_int_t)lost, "outage_from", since_start(reset, reset->watch.outage_from_ns),
			  "outage_to", since_start(reset, reset->watch.outage_to_ns), "command_at",
			  reset->command ? since_start(reset, reset->started_ns) : json_null()));
}

enum exit_code rfc2544_reset(struct rfc2544_run *run, json_t *json)
{
	double duration_s = run->suite->plan.reset_duration_s;
	struct load_steps steps = {
		.load_fps = run->throughput_fps,
		.frame_count = frames_of(run->throughput_fps, duration_s),
		.grace_s = GRACE_S,
		.links_may_change = true,
		.watch = watch_reset,
	};
	struct reset_watch reset = {
		.steps = &steps,
		.command = run->part.config->reset_command,
		.settle_ns = (uint64_t)(fmin(SETTLE_RATIO * duration_s, SETTLE_MAX_S) * NS_PER_S_F),
	};
	measurement_auto_t measurement = { 0 };
	enum exit_code code;

	steps.context = &reset;
	json_object_update_new(json,
			       json_pack("{s:s, s:f, s:s?, s:f}", "frame_size", run->part.config->frame_size_text, "load",
					 run->throughput_fps, "command", reset.command, "trial_duration", duration_s));
	code = suite_steps(&run->part, &steps, &measurement);
	if (code == EXIT_DONE) {
		put_reset(run, &reset, &measurement, json);
		run->part.tester_limited = measurement.tester_limited && measurement.verdict.unsent;
	}
	end_command(run, &reset, json);
	return code;
}
