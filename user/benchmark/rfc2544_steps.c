/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file has the tests of RFC 2544, 26.4 to 26.6: back-to-back frames, system recovery, reset; and the reconfiguration of
 * FD.io CSIT. Each of their trials has load steps. */
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/stop.h"
#include "base/units.h"
#include "benchmark/rfc2544_run.h"
#include "mlr/rfc2544.h"
#include "mlr/welch.h"
#include "result/report.h"

#define FIRST_BURST_FRAMES 16
#define BURST_GRACE_S      1e-3 /* a stall of this machine in a burst may be caught up for as long */
#define BURST_TRIES        10   /* most attempts at one burst until the tester has not spoilt it */
#define OVERLOAD_RATIO     1.1  /* overload, as a ratio of the throughput (26.5) */
#define REDUCED_RATIO      0.5  /* reduced load, as a ratio of the overload */
#define STEPS_TRIES        3
#define GRACE_S            1e-3
#define SETTLE_RATIO       0.1 /* part of the reset trial before the command is given */
#define SETTLE_MAX_S       1.0
#define COMMAND_GRACE_S    2.0
#define STILL_BLOCKED      "frames were not forwarded again before the trial ended"
#define NS_PER_S_F         1e9

static uint64_t frames_of(double load_fps, double duration_s)
{
	double frames = floor(load_fps * duration_s + 0.5);

	return frames < 1 ? 1 : (uint64_t)frames;
}

/* --- directions --------------------------------------------------------------------------------------------------- */

/* Return a direction as an object, with what is known of it. It takes `figures` over. */
static json_t *direction_json(const struct measurement *measurement, size_t number, json_t *figures)
{
	json_t *json = report_direction(measurement, number);

	json_object_update_new(json, figures);
	return json;
}

/* Name the direction of a figure, where there are several. */
static void put_worst(const struct measurement *measurement, size_t number, const char *figure, json_t *json)
{
	json_t *worst = json_object();

	if (measurement->direction_count > 1)
		json_put(worst, figure, report_direction(measurement, number));
	json_put(json, "worst_direction", worst);
}

/* --- back-to-back frames (26.4, RFC 9004) ------------------------------------------------------------------------- */

/* The frames of bursts that were lost in each direction. */
struct burst_losses {
	size_t direction_count;
	json_t *names[MLR_PORTS_MAX]; /* the directions */
	uint64_t bursts[MLR_PORTS_MAX], frames[MLR_PORTS_MAX];
};

/* The outcome of all searches for the longest burst. */
struct bursts {
	struct mlr_burst_rest rest;
	uint64_t start_ns, end_ns; /* of the last burst; 0: there was none */
	double silence_s;          /* silence before the last burst */
	double longest_s;          /* longest silence between two bursts */
	size_t trial_count;
	struct burst_losses losses;
};

/* Leave the SUT alone after the last burst, by the book until its trial is long enough, too. */
static enum exit_code leave_alone(const struct rfc2544_run *run, const struct bursts *bursts, double silence_s)
{
	const struct rfc2544_plan *plan = &run->suite->plan;
	uint64_t until_ns = bursts->end_ns + (uint64_t)(silence_s * NS_PER_S_F), trial_ns;

	if (!bursts->end_ns)
		return EXIT_DONE;
	trial_ns = bursts->start_ns + (uint64_t)(plan->burst_trial_s * NS_PER_S_F);
	if (plan->burst_pause && trial_ns > until_ns)
		until_ns = trial_ns;
	return stop_sleep_until(until_ns) ? EXIT_INTERRUPTED : EXIT_DONE;
}

/* Note when a burst was sent. */
static void note_burst(struct bursts *bursts, const struct load_steps *steps)
{
	bursts->silence_s = bursts->end_ns && steps->ret_start_ns > bursts->end_ns
				    ? (double)(steps->ret_start_ns - bursts->end_ns) / NS_PER_S_F
				    : 0;
	bursts->longest_s = fmax(bursts->longest_s, bursts->silence_s);
	bursts->start_ns = steps->ret_start_ns;
	bursts->end_ns = steps->ret_end_ns;
}

/* Return how many frames of a burst were received in the direction that lost the most. */
static uint64_t received_of(const struct measurement *measurement, uint64_t frames)
{
	uint64_t most = 0;

	for (size_t i = 0; i < measurement->direction_count; i++) {
		int64_t lost = measurement->by_direction[i].verdict.lost;

		if (lost > 0 && (uint64_t)lost > most)
			most = (uint64_t)lost;
	}
	return most < frames ? frames - most : 0;
}

/* Count the lost frames of bursts, by direction. */
static void add_losses(struct burst_losses *losses, const struct measurement *measurement)
{
	losses->direction_count = measurement->direction_count;
	for (size_t i = 0; i < measurement->direction_count; i++) {
		int64_t lost = measurement->by_direction[i].verdict.lost;

		json_decref(losses->names[i]);
		losses->names[i] = report_direction(measurement, i);
		losses->bursts[i] += lost > 0;
		losses->frames[i] += lost > 0 ? (uint64_t)lost : 0;
	}
}

/* Whether the tester did not send all of a burst, or stopped in it, in which time the SUT would work it off, or lost some of it by
 * its own interfaces. */
static bool is_burst_spoilt(const struct measurement *measurement)
{
	const struct loss_attribution *lost = &measurement->attribution;

	return measurement->verdict.unsent || measurement->pacing.moves || lost->dropped_before_wire || lost->receiver_damaged ||
	       lost->receiver_missed;
}

/* Send the burst that is asked for, until the tester has not spoilt it. */
static enum exit_code send_burst(struct rfc2544_run *run, struct bursts *bursts, struct mlr_burst_search *search)
{
	uint64_t frames = mlr_burst_search_next(search), received;

	for (int try = 1;; try++) {
		struct load_steps steps = {
			.load_fps = run->range.max_fps,
			.frame_count = frames,
			.grace_s = BURST_GRACE_S,
		};
		measurement_auto_t measurement = { 0 };
		enum exit_code code = leave_alone(run, bursts, mlr_burst_search_silence_s(search));
		bool is_spoilt;

		if (code == EXIT_DONE)
			code = suite_steps(&run->part, &steps, &measurement);
		if (code != EXIT_DONE)
			return code;
		note_burst(bursts, &steps);
		received = received_of(&measurement, frames);
		is_spoilt = is_burst_spoilt(&measurement);
		if (!is_spoilt)
			add_losses(&bursts->losses, &measurement);
		if (!is_spoilt || try == BURST_TRIES) {
			run->part.tester_limited |= is_spoilt;
			mlr_burst_search_add(search, received, bursts->silence_s);
			bursts->trial_count++;
			return EXIT_DONE;
		}
		mlr_burst_search_spoil(search, received);
		run->part.repeated++;
	}
}

/* Perform one of the N tests: its own search for the longest burst. */
static enum exit_code search_burst(struct rfc2544_run *run, struct bursts *bursts, uint64_t most_frames,
				   uint64_t *ret_frames)
{
	struct mlr_burst_search search;
	enum exit_code code = EXIT_DONE;

	mlr_burst_search_init(&search, &bursts->rest, FIRST_BURST_FRAMES, most_frames);
	while (code == EXIT_DONE && mlr_burst_search_next(&search))
		code = send_burst(run, bursts, &search);
	*ret_frames = search.kept_frames;
	return code;
}

/* Say why the longest burst may be too small. */
static const char *unsettled_reason(struct rfc2544_run *run, const struct mlr_burst_evidence *evidence)
{
	return text_print(run->reason, sizeof(run->reason),
			  "the SUT was perhaps not empty before each burst, so the longest burst may be too small: of %llu "
			  "frames %llu came after a silence of %.3g s, and %llu after %.3g s, the longest that is tried",
			  (unsigned long long)evidence->frames, (unsigned long long)evidence->received[1],
			  evidence->silence_s[1], (unsigned long long)evidence->received[0], evidence->silence_s[0]);
}

/* Add what the last burst that was sent again came to, the longer silence first. */
static json_t *evidence_json(const struct mlr_burst_evidence *evidence)
{
	json_t *json = json_array();

	for (size_t i = 0; i < COUNT(evidence->received); i++)
		if (evidence->silence_s[i] > 0)
			json_array_append_new(json, json_with("frames", evidence->frames, "silence", evidence->silence_s[i],
							      "received", evidence->received[i]));
	return json;
}

static void put_bursts(const struct rfc2544_run *run, const uint64_t *values, size_t count, json_t *json)
{
	double rate_fps = run->range.max_fps, line_fps = run->part.measurer->line_rate_fps;
	struct mlr_burst_summary summary = mlr_burst_summarize(values, count, rate_fps, run->throughput_fps);

	json_put(json, "burst_rate", rate_fps);
	json_put(json, "max_theoretical_frame_rate", line_fps > 0 ? line_fps : NAN);
	json_put(json, "burst_rate_is_theoretical", is_line_rate(rate_fps, line_fps));
	json_put(json, "values", json_list(i, count, json_of(values[i])));
	json_put(json, "tests", count);
	json_put(json, "average", summary.average_frames);
	json_put(json, "min", count ? (double)summary.min_frames : NAN);
	json_put(json, "max", count ? (double)summary.max_frames : NAN);
	json_put(json, "stdev", summary.stdev_frames);
	json_put(json, "measured_throughput", run->throughput_fps);
	json_put(json, "implied_buffer_time", summary.implied_buffer_time_s);
	json_put(json, "corrected_buffer_time", summary.corrected_buffer_time_s);
}

/* Add each direction's lost frames, and name the one that lost the most. */
static void put_losses(struct burst_losses *losses, json_t *json)
{
	json_t *worst = json_object();
	size_t most = 0;

	for (size_t i = 0; i < losses->direction_count; i++) {
		most = losses->frames[i] > losses->frames[most] ? i : most;
		json_put(losses->names[i], "lossy_bursts", losses->bursts[i], "frames_lost", losses->frames[i]);
	}
	if (losses->direction_count > 1 && losses->frames[most])
		json_put(worst, "average", json_deep_copy(losses->names[most]));
	json_put(json, "directions", json_list(i, losses->direction_count, losses->names[i]));
	json_put(json, "worst_direction", worst);
}

enum exit_code rfc2544_back_to_back(struct rfc2544_run *run, json_t *json)
{
	const struct rfc2544_plan *plan = &run->suite->plan;
	uint64_t most_frames = frames_of(run->range.max_fps, plan->burst_trial_s);
	owned uint64_t *values = calloc(plan->burst_tests, sizeof(*values));
	struct bursts bursts = { .silence_s = 0 };
	enum exit_code code = EXIT_DONE;
	size_t count = 0;
	bool reached = false;

	if (!values)
		return out_of_memory();
	mlr_burst_rest_init(&bursts.rest, run->throughput_fps);
	while (count < plan->burst_tests && code == EXIT_DONE) {
		code = search_burst(run, &bursts, most_frames, &values[count]);
		if (code == EXIT_DONE)
			reached |= values[count++] == most_frames;
	}
	put_bursts(run, values, count, json);
	put_losses(&bursts.losses, json);
	json_put(json, "tests_wanted", plan->burst_tests, "min_step_frames", 1, "max_burst_frames", most_frames,
		 "reached_max_burst", reached, "trial_length", plan->burst_pause ? plan->burst_trial_s : 0.0,
		 "pause_longest", bursts.longest_s, "pause_settled", json_boolean(!bursts.rest.is_unsettled), "pause_checks",
		 evidence_json(&bursts.rest.evidence), "trial_count", bursts.trial_count, "repeated_trials",
		 run->part.repeated);
	if (code == EXIT_DONE && bursts.rest.is_unsettled)
		run->part.reason = unsettled_reason(run, &bursts.rest.evidence);
	return code;
}

/* --- system recovery (26.5) --------------------------------------------------------------------------------------- */

static json_t *recovery_json(const struct measurement *measurement, size_t number, const struct mlr_recovery *recovery,
			     double recovery_s)
{
	int64_t lost = measurement->by_direction[number].verdict.lost;

	return json_with("recovery", recovery_s, "resolution", recovery->resolution_s, "frames_lost",
			 lost > 0 ? (json_int_t)lost : (json_int_t)0, "frames_lost_after", recovery->lost, "lost_at_end",
			 recovery->lost_at_end);
}

/* Whether the second is worse: it has not recovered, or later. */
static bool recovers_later(const struct mlr_recovery *than, const struct mlr_recovery *recovery)
{
	if (recovery->lost_at_end != than->lost_at_end)
		return recovery->lost_at_end;
	return recovery->recovery_s > than->recovery_s;
}

/* Perform one run: each direction by itself, and the worst of them. A direction that never lost a frame has nothing to
 * recover from. */
static json_t *run_json(const struct measurement *measurement, double *ret_recovery_s)
{
	struct mlr_recovery recoveries[MLR_PORTS_MAX], sum = { 0 };
	json_t *directions = json_array(), *json;
	size_t worst = 0;
	double recovery_s = NAN;
	bool worst_has_lost = false;

	for (size_t i = 0; i < measurement->direction_count; i++) {
		bool has_lost = measurement->by_direction[i].verdict.lost > 0;

		recoveries[i] = mlr_recovery_of(&measurement->due[i]);
		if (has_lost && (!worst_has_lost || recovers_later(&recoveries[worst], &recoveries[i])))
			worst = i;
		worst_has_lost |= has_lost;
		sum.lost += recoveries[i].lost;
		recovery_s = has_lost && !recoveries[i].lost_at_end ? recoveries[i].recovery_s : NAN;
		json_array_append_new(directions, direction_json(measurement, i,
								 recovery_json(measurement, i, &recoveries[i], recovery_s)));
	}
	*ret_recovery_s =
		measurement->verdict.lost <= 0 || recoveries[worst].lost_at_end ? NAN : recoveries[worst].recovery_s;
	json = recovery_json(measurement, worst, &recoveries[worst], *ret_recovery_s);
	json_put(json, "frames_lost", measurement->verdict.lost > 0 ? (json_int_t)measurement->verdict.lost : (json_int_t)0,
		 "frames_lost_after", sum.lost, "tester_limited", measurement->tester_limited, "directions", directions);
	put_worst(measurement, worst, "recovery", json);
	return json;
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
			.by_due_time = true,
		};
		measurement_auto_t measurement = { 0 };
		enum exit_code code = suite_steps(&run->part, &steps, &measurement);

		if (code != EXIT_DONE)
			return code;
		if (!measurement.tester_limited || try >= STEPS_TRIES) {
			run->part.tester_limited |= measurement.tester_limited;
			json_array_append_new(runs, run_json(&measurement, ret_recovery_s));
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

	json_put(json, "overload", overload_fps, "overload_duration", plan->overload_duration_s, "overload_ratio",
		 overload_fps / run->throughput_fps, "reduced_load", overload_fps * REDUCED_RATIO, "reduced_duration",
		 plan->reduced_duration_s, "repeats_wanted", plan->recovery_repeats, "average", sample.mean, "min",
		 sample.least, "max", sample.most);
}

enum exit_code rfc2544_recovery(struct rfc2544_run *run, json_t *json)
{
	const struct rfc2544_plan *plan = &run->suite->plan;
	double overload_fps = fmin(OVERLOAD_RATIO * run->throughput_fps, run->range.max_fps);
	owned double *values = calloc(plan->recovery_repeats, sizeof(*values));
	double recovery_s;
	json_t *runs;
	enum exit_code code = EXIT_DONE;
	size_t count = 0;

	if (!values)
		return out_of_memory();
	runs = json_array();
	for (unsigned int i = 0; i < plan->recovery_repeats && code == EXIT_DONE; i++) {
		code = recover_once(run, overload_fps, runs, &recovery_s);
		if (code == EXIT_DONE && !isnan(recovery_s))
			values[count++] = recovery_s;
		else if (code == EXIT_DONE && json_is_true(json_object_get(json_array_get(runs, i), "lost_at_end")))
			run->part.reason = "the SUT still lost frames when the trial ended";
	}
	put_recovery(run, overload_fps, values, count, json);
	json_put(json, "runs", runs);
	return code;
}

/* --- reset (26.6, RFC 6201) --------------------------------------------------------------------------------------- */

/* The command that causes the SUT's reset, or its reconfiguration. */
struct reset_watch {
	struct load_steps steps;
	const char *name;    /* "reset" */
	const char *command; /* NULL: the operator does it */
	uint64_t settle_ns;  /* what passes before it is given */
	struct child child;
	int start_error;
	uint64_t started_ns; /* 0: not yet */
	uint64_t ended_ns;   /* when the command was seen to have ended; 0: not yet */
};

static void begin_reset(struct reset_watch *reset)
{
	reset->started_ns = clock_ns();
	if (reset->command)
		reset->start_error = child_start_unheard(&reset->child, reset->command);
	else
		note("reset the SUT now; frames are sent for %.0f s more",
		     (double)(reset->steps.ret_end_ns - reset->started_ns) / NS_PER_S_F);
}

static void watch_reset(void *context, uint64_t now_ns)
{
	struct reset_watch *reset = context;

	struct pollfd end = { .fd = reset->child.process.fd, .events = POLLIN };

	if (!reset->started_ns && reset->steps.ret_start_ns && now_ns >= reset->steps.ret_start_ns + reset->settle_ns)
		begin_reset(reset);
	else if (reset->started_ns && reset->command && !reset->ended_ns && (reset->start_error || poll(&end, 1, 0) > 0))
		reset->ended_ns = now_ns;
}

/* End the command, and say how it went. */
static void end_command(struct rfc2544_run *run, struct reset_watch *reset, json_t *json)
{
	char fate[CHILD_FATE_SIZE];

	if (!reset->command || !reset->started_ns)
		return;
	if (reset->start_error) {
		run->part.reason =
			text_print(run->reason, sizeof(run->reason), "the %s command could not be started", reset->name);
		return;
	}
	child_fate(&reset->child, fate);
	if (strcmp(fate, "exited with status 0"))
		run->part.reason =
			text_print(run->reason, sizeof(run->reason), "the %s command failed, or has not ended", reset->name);
	json_put(json, "command_result", fate);
	child_end(&reset->child, COMMAND_GRACE_S);
}

static json_t *since_start(const struct reset_watch *reset, uint64_t moment_ns)
{
	uint64_t start_ns = reset->steps.ret_start_ns;

	return moment_ns > start_ns ? json_real((double)(moment_ns - start_ns) / NS_PER_S_F) : json_null();
}

/* Return the reset time of a direction; NAN: there is none. */
static double reset_s(const struct mlr_reset *reset)
{
	return reset->seen && reset->over ? (double)(reset->to_ns - reset->from_ns) / NS_PER_S_F : NAN;
}

/* Return the load in a direction. In a mesh a port sends only a part of its load there. */
static double direction_fps(const struct reset_watch *watch, const struct measurement *measurement, size_t number)
{
	double loads = (double)measurement->by_direction[number].counts.intended / (double)watch->steps.frame_count;

	return loads * watch->steps.load_fps;
}

static json_t *reset_json(const struct reset_watch *watch, const struct measurement *measurement, size_t number,
			  const struct mlr_reset *found)
{
	double by_loss_s = (double)found->lost / direction_fps(watch, measurement, number);

	return json_with("reset_time", reset_s(found), "outages", found->outages, "resolution",
			 (double)found->resolution_ns / NS_PER_S_F, "reset_time_by_loss",
			 found->lost && (found->over || !found->seen) ? by_loss_s : NAN, "frames_lost", found->lost,
			 "outage_from", found->seen ? since_start(watch, found->from_ns) : json_null(), "outage_to",
			 found->seen && found->over ? since_start(watch, found->to_ns) : json_null(), "unrelated_from",
			 since_start(watch, found->unrelated_from_ns), "unrelated_to",
			 since_start(watch, found->unrelated_to_ns));
}

/* Whether the second is worse: an outage, one that did not end, a longer one. */
static bool is_longer_reset(const struct mlr_reset *than, const struct mlr_reset *reset)
{
	if (reset->seen != than->seen)
		return reset->seen;
	if (reset->over != than->over)
		return than->over;
	return reset->to_ns - reset->from_ns > than->to_ns - than->from_ns;
}

/* Return when the reset is caused: while the command runs, or by the operator at any time. */
static struct mlr_reset_cause cause_of(const struct reset_watch *watch)
{
	return (struct mlr_reset_cause){ .from_ns = watch->started_ns,
					 .to_ns = watch->ended_ns ? watch->ended_ns : UINT64_MAX };
}

/* Say what of a direction cannot be told, or is not of the reset. */
static void warn_of_outages(const struct reset_watch *watch, const struct measurement *measurement, size_t number,
			    const struct mlr_reset *found)
{
	json_auto_t *direction = report_direction(measurement, number);
	const char *from = read_text(direction, "from"), *to = read_text(direction, "to");
	uint64_t start_ns = watch->steps.ret_start_ns;

	if (found->unrelated_to_ns)
		warn("reset: the outage from %.3f s to %.3f s, of frames from %s to %s, began too long after the command had "
		     "ended, and counts as unrelated",
		     (double)(found->unrelated_from_ns - start_ns) / NS_PER_S_F,
		     (double)(found->unrelated_to_ns - start_ns) / NS_PER_S_F, from, to);
	else if (found->outages > 1)
		warn("reset: %u outages were seen in one direction, from %s to %s, and the longest counts, from %.3f s on; the "
		     "reset may have caused another one",
		     found->outages, from, to, (double)(found->from_ns - start_ns) / NS_PER_S_F);
}

/* Keep the longer of both outages that are not of the reset. */
static void keep_unrelated(struct mlr_reset *worst, const struct mlr_reset *found)
{
	if (found->unrelated_to_ns - found->unrelated_from_ns <= worst->unrelated_to_ns - worst->unrelated_from_ns)
		return;
	worst->unrelated_from_ns = found->unrelated_from_ns;
	worst->unrelated_to_ns = found->unrelated_to_ns;
}

/* Add each direction by itself, and the worst of them, with the longest unrelated outage of all. */
static void put_reset(struct rfc2544_run *run, const struct reset_watch *watch, const struct measurement *measurement,
		      json_t *json)
{
	struct mlr_reset found[MLR_PORTS_MAX], reset;
	struct mlr_reset_cause cause = cause_of(watch);
	json_t *directions = json_array();
	json_int_t lost = 0;
	size_t worst = 0;

	for (size_t i = 0; i < measurement->direction_count; i++) {
		found[i] = mlr_reset_of(&measurement->due[i], watch->steps.ret_start_ns, &cause);
		worst = is_longer_reset(&found[worst], &found[i]) ? i : worst;
		lost += (json_int_t)found[i].lost;
		json_array_append_new(directions,
				      direction_json(measurement, i, reset_json(watch, measurement, i, &found[i])));
	}
	if (!found[worst].seen)
		run->part.reason = "no outage was seen that the command can have caused: was the SUT reset?";
	else if (!found[worst].over)
		run->part.reason = STILL_BLOCKED;
	reset = found[worst];
	for (size_t i = 0; i < measurement->direction_count; i++) {
		warn_of_outages(watch, measurement, i, &found[i]);
		keep_unrelated(&reset, &found[i]);
	}
	json_object_update_new(json, reset_json(watch, measurement, worst, &reset));
	json_put(json, "frames_lost", lost, "command_at",
		 watch->command ? since_start(watch, watch->started_ns) : json_null(), "command_until",
		 since_start(watch, watch->ended_ns), "directions", directions);
	put_worst(measurement, worst, "reset_time", json);
}

/* Whether the tester cost frames. What it dropped before the wire, or received damaged, may be by a link that the command took
 * down. */
static bool is_tester_limited(const struct measurement *measurement)
{
	return measurement->tester_limited && (measurement->verdict.unsent || measurement->attribution.receiver_missed);
}

/* Perform a trial at the throughput, in which a command runs. */
static enum exit_code perform_watched(struct rfc2544_run *run, struct reset_watch *watch, double duration_s,
				      struct measurement *measurement, json_t *json)
{
	enum exit_code code;

	watch->settle_ns = (uint64_t)(fmin(SETTLE_RATIO * duration_s, SETTLE_MAX_S) * NS_PER_S_F);
	watch->steps = (struct load_steps){
		.load_fps = run->throughput_fps,
		.frame_count = frames_of(run->throughput_fps, duration_s),
		.grace_s = GRACE_S,
		.links_may_change = true,
		.by_due_time = true,
		.watch = watch_reset,
		.context = watch,
	};
	json_put(json, "frame_size", run->part.config->frame_size_text, "load", run->throughput_fps, "command",
		 watch->command, "trial_duration", duration_s);
	code = suite_steps(&run->part, &watch->steps, measurement);
	run->part.tester_limited = is_tester_limited(measurement);
	return code;
}

enum exit_code rfc2544_reset(struct rfc2544_run *run, json_t *json)
{
	struct reset_watch reset = { .name = "reset", .command = run->part.config->reset_command };
	measurement_auto_t measurement = { 0 };
	enum exit_code code = perform_watched(run, &reset, run->suite->plan.reset_duration_s, &measurement, json);

	if (code == EXIT_DONE)
		put_reset(run, &reset, &measurement, json);
	end_command(run, &reset, json);
	return code;
}

/* --- reconfiguration (FD.io CSIT) ------------------------------------------------------------------------------------- */

static json_t *blocked_json(const struct mlr_blocked *blocked, double resolution_s)
{
	return json_with("frames_lost", blocked->lost, "blocked_time", blocked->blocked_s, "blocked_from", blocked->from_s,
			 "blocked_to", blocked->to_s, "resolution", resolution_s);
}

/* Whether the second is worse: a block that did not end, a longer one. */
static bool is_longer_block(const struct mlr_blocked *than, const struct mlr_blocked *blocked)
{
	if (blocked->lasts != than->lasts)
		return blocked->lasts;
	return blocked->blocked_s > than->blocked_s;
}

/* Each direction by itself, and the worst of them. */
static void put_blocked(struct rfc2544_run *run, const struct reset_watch *watch, const struct measurement *measurement,
			json_t *json)
{
	double since_s = (double)(watch->started_ns - watch->steps.ret_start_ns) / NS_PER_S_F;
	struct mlr_blocked found[MLR_PORTS_MAX];
	json_t *directions = json_array();
	json_int_t lost = 0;
	size_t worst = 0;

	for (size_t i = 0; i < measurement->direction_count; i++) {
		const struct mlr_due_counts *due = &measurement->due[i];

		found[i] = mlr_blocked_of(due, direction_fps(watch, measurement, i), since_s);
		lost += (json_int_t)found[i].lost;
		worst = is_longer_block(&found[worst], &found[i]) ? i : worst;
		json_array_append_new(directions, direction_json(measurement, i, blocked_json(&found[i], due->part_s)));
	}
	if (found[worst].lasts)
		run->part.reason =
			text_print(run->reason, sizeof(run->reason), STILL_BLOCKED ", and were blocked for at least %.3f s",
				   found[worst].blocked_s);
	json_put(json, "frames_lost", lost, "blocked_time", found[worst].lasts ? NAN : found[worst].blocked_s, "command_at",
		 since_start(watch, watch->started_ns), "directions", directions);
	put_worst(measurement, worst, "blocked_time", json);
}

enum exit_code rfc2544_reconf(struct rfc2544_run *run, json_t *json)
{
	struct reset_watch watch = { .name = "reconf", .command = run->part.config->reconf_command };
	measurement_auto_t measurement = { 0 };
	enum exit_code code = perform_watched(run, &watch, run->suite->plan.reconf_duration_s, &measurement, json);

	if (code == EXIT_DONE && watch.started_ns)
		put_blocked(run, &watch, &measurement, json);
	else if (code == EXIT_DONE)
		run->part.reason = "the trial ended before the reconf command was run";
	end_command(run, &watch, json);
	return code;
}
