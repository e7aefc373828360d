/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This audit is of the suites of RFC 2544, and of self-tests. */
#include "result/audit.h"

#include <math.h>
#include <stdlib.h>

#include "base/exit_code.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "mlr/rfc2544.h"
#include "result/report.h"

/* --- the tests of a frame size -------------------------------------------------------------------------------------- */

static void audit_throughput(struct audit *audit, const struct place *place, const json_t *test, const json_t *size)
{
	const json_t *result = json_object_get(test, "goal_result"), *trials = json_object_get(test, "trials");
	json_auto_t *results = json_pack("[O?]", result), *input = json_object();
	double line_fps = read_number(size, "line_rate"), throughput_fps = read_number(test, "throughput");

	if (!json_is_object(result))
		return;
	if (json_object_get(size, "min_load"))
		json_object_set(input, "min_load", json_object_get(size, "min_load"));
	if (json_object_get(size, "max_load"))
		json_object_set(input, "max_load", json_object_get(size, "max_load"));
	audit_results(audit, MEMBER(place, "goal_result"), results, MEMBER(place, "trials"), trials, input);
	audit_number(audit, place, test, "throughput", read_number(result, "relevant_lower_bound"));
	audit_number(audit, place, test, "line_rate_ratio", throughput_fps / line_fps);
	if (trials)
		audit_number(audit, place, test, "trial_count", (double)json_array_size(trials));
	if (read_truth(result, "tester_limited"))
		audit_truth(audit, place, test, "tester_limited", true);
	if (read_truth(result, "regular") != read_truth(test, "regular") &&
	    json_is_boolean(json_object_get(test, "regular")) && read_truth(test, "regular"))
		contradict(audit, MEMBER(place, "regular"), "true is stated, but its goal_result is not regular");
}

/* Figures of several directions are those of the worst one, which do not follow from the sums. */
static bool has_several_directions(const json_t *test)
{
	return json_array_size(json_object_get(test, "directions")) > 1;
}

static void audit_latency_test(struct audit *audit, const struct place *place, const json_t *test)
{
	const json_t *trials = json_object_get(test, "trials");
	json_auto_t *follows = report_latency_test(trials);

	if (!json_is_array(trials))
		return;
	audit_trials(audit, MEMBER(place, "trials"), trials);
	audit_number(audit, place, test, "repeats", read_number(follows, "repeats"));
	audit_number(audit, place, test, "lost_frames", read_number(follows, "lost_frames"));
	if (read_number(follows, "lost_frames") > 0 && read_truth(test, "regular"))
		contradict(audit, MEMBER(place, "regular"), "true is stated, but frames were lost");
	json_object_del(follows, "repeats");
	json_object_del(follows, "lost_frames");
	if (!has_several_directions(test))
		audit_numbers(audit, place, test, json_incref(follows));
}

static void audit_point(struct audit *audit, const struct place *place, const json_t *point, const json_t *trial,
			double max_fps)
{
	double sent = read_number(point, "input_frames"), received = read_number(point, "output_frames");

	if (!has_several_directions(point))
		audit_number(audit, place, point, "loss_ratio", sent > received ? (sent - received) / sent : 0);
	audit_number(audit, place, point, "load", read_number(point, "load_ratio") * max_fps);
	if (!trial)
		return;
	audit_number(audit, place, point, "load", read_number(trial, "trial_load"));
	audit_number(audit, place, point, "input_frames", read_number(json_object_get(trial, "counts"), "sent"));
	audit_number(audit, place, point, "output_frames", read_number(json_object_get(trial, "counts"), "received"));
	audit_truth(audit, place, point, "tester_limited", read_truth(trial, "tester_limited"));
}

static void audit_frame_loss(struct audit *audit, const struct place *place, const json_t *test)
{
	const json_t *points = json_object_get(test, "points"), *trials = json_object_get(test, "trials");
	struct mlr_loss_steps steps = { .step_ratio = read_number(test, "step_ratio") };

	if (!json_is_array(points))
		return;
	audit_trials(audit, MEMBER(place, "trials"), trials);
	json_each (point, points) {
		audit_number(audit, ITEM(MEMBER(place, "points"), point_at), point, "load_ratio",
			     mlr_loss_steps_next(&steps));
		audit_point(audit, ITEM(MEMBER(place, "points"), point_at), point, json_array_get(trials, point_at),
			    read_number(test, "max_rate"));
		mlr_loss_steps_add(&steps, read_number(point, "loss_ratio"));
	}
	audit_truth(audit, place, test, "loss_free_pair", mlr_loss_steps_complete(&steps));
	if (!mlr_loss_steps_complete(&steps) && read_truth(test, "regular"))
		contradict(audit, MEMBER(place, "regular"), "true is stated without a pair of loads free of loss");
}

static void audit_back_to_back(struct audit *audit, const struct place *place, const json_t *test)
{
	const json_t *values = json_object_get(test, "values");
	size_t count = json_array_size(values);
	owned uint64_t *frames = memory_noticed(calloc(count + 1, sizeof(*frames)));
	struct mlr_burst_summary summary;

	if (!frames || !json_is_array(values))
		return;
	for (size_t i = 0; i < count; i++)
		frames[i] = (uint64_t)json_integer_value(json_array_get(values, i));
	summary = mlr_burst_summarize(frames, count, read_number(test, "burst_rate"),
				      read_number(test, "measured_throughput"));
	audit_number(audit, place, test, "tests", (double)count);
	audit_number(audit, place, test, "average", summary.average_frames);
	audit_number(audit, place, test, "min", count ? (double)summary.min_frames : NAN);
	audit_number(audit, place, test, "max", count ? (double)summary.max_frames : NAN);
	audit_number(audit, place, test, "stdev", summary.stdev_frames);
	audit_number(audit, place, test, "implied_buffer_time", summary.implied_buffer_time_s);
	audit_number(audit, place, test, "corrected_buffer_time", summary.corrected_buffer_time_s);
}

static void audit_recovery(struct audit *audit, const struct place *place, const json_t *test)
{
	const json_t *runs = json_object_get(test, "runs");
	struct mlr_sample sample = report_sample_of(runs, "/recovery");

	if (!json_is_array(runs))
		return;
	audit_number(audit, place, test, "average", sample.mean);
	audit_number(audit, place, test, "min", sample.least);
	audit_number(audit, place, test, "max", sample.most);
	json_each (run, runs)
		if (read_truth(run, "lost_at_end") && json_is_number(json_object_get(run, "recovery")))
			contradict(audit, MEMBER(ITEM(MEMBER(place, "runs"), run_at), "recovery"),
				   "a time is stated, but frames were lost until the end");
}

/* --- the suite ------------------------------------------------------------------------------------------------------ */

/* Check whether the whole is regular and limited, by its parts. */
struct whole {
	bool irregular, limited, any;
};

static void take_test(struct audit *audit, const struct place *place, const json_t *test, struct whole *whole)
{
	if (!json_is_boolean(json_object_get(test, "regular")))
		return;
	audit_reason(audit, place, test);
	whole->any = true;
	whole->irregular |= json_is_false(json_object_get(test, "regular"));
	whole->limited |= read_truth(test, "tester_limited");
	json_each (trial, json_object_get(test, "trials"))
		if (read_truth(trial, "tester_limited") && !json_object_get(test, "goal_result") &&
		    json_is_false(json_object_get(test, "tester_limited")))
			contradict(audit, MEMBER(place, "tester_limited"), "false is stated, but trial %zu is limited",
				   trial_at + 1);
}

/* Check loads of the tests that follow from the throughput and from the maximum rate. */
static void audit_loads(struct audit *audit, const struct place *place, const json_t *size)
{
	static const struct {
		const char *test, *member;
		bool is_max_rate;
	} loads[] = { { "latency", "load", false },
		      { "frame_loss", "max_rate", true },
		      { "back_to_back", "burst_rate", true },
		      { "back_to_back", "measured_throughput", false } };
	double max_fps = read_number(size, "max_rate"),
	       throughput_fps = read_number(json_object_get(size, "throughput"), "throughput");
	const json_t *recovery = json_object_get(size, "recovery");

	for (size_t i = 0; i < COUNT(loads); i++) {
		double follows = loads[i].is_max_rate ? max_fps : throughput_fps;

		if (!isnan(follows))
			audit_number(audit, MEMBER(place, loads[i].test), json_object_get(size, loads[i].test),
				     loads[i].member, follows);
	}
	if (json_is_object(recovery) && !isnan(throughput_fps))
		audit_number(audit, MEMBER(place, "recovery"), recovery, "overload_ratio",
			     read_number(recovery, "overload") / throughput_fps);
}

static void audit_size(struct audit *audit, const struct place *place, const json_t *size, struct whole *whole)
{
	audit_loads(audit, place, size);
	audit_throughput(audit, MEMBER(place, "throughput"), json_object_get(size, "throughput"), size);
	audit_latency_test(audit, MEMBER(place, "latency"), json_object_get(size, "latency"));
	audit_frame_loss(audit, MEMBER(place, "frame_loss"), json_object_get(size, "frame_loss"));
	audit_back_to_back(audit, MEMBER(place, "back_to_back"), json_object_get(size, "back_to_back"));
	audit_recovery(audit, MEMBER(place, "recovery"), json_object_get(size, "recovery"));
	json_each_member (name, test, size)
		take_test(audit, MEMBER(place, name), test, whole);
}

static void audit_reset(struct audit *audit, const json_t *document, struct whole *whole)
{
	const json_t *reset = json_object_get(document, "reset");
	const struct place *place = MEMBER(NULL, "reset");
	double lost = read_number(reset, "frames_lost"), load_fps = read_number(reset, "load");

	if (!json_is_object(reset))
		return;
	take_test(audit, place, reset, whole);
	if (has_several_directions(reset))
		return;
	if (json_is_number(json_object_get(reset, "reset_time_by_loss")) && audit->transmitters)
		audit_number(audit, place, reset, "reset_time_by_loss", lost / audit->transmitters / load_fps);
	if (json_is_number(json_object_get(reset, "reset_time")))
		audit_number(audit, place, reset, "reset_time",
			     read_number(reset, "outage_to") - read_number(reset, "outage_from"));
}

/* What was blocked is at most what was lost, and lies between its ends. */
static void audit_blocked(struct audit *audit, const struct place *place, const json_t *blocked)
{
	double time_s = read_number(blocked, "blocked_time"), lost = read_number(blocked, "frames_lost");
	double span_s = read_number(blocked, "blocked_to") - read_number(blocked, "blocked_from");

	if ((time_s > 0 && lost == 0) || (time_s == 0 && lost > 0))
		contradict(audit, MEMBER(place, "blocked_time"), "%g s is stated, with %g frames lost", time_s, lost);
	else if (time_s > span_s * (1 + 1e-6))
		contradict(audit, MEMBER(place, "blocked_time"), "%g s is stated, from %g s to %g s", time_s,
			   read_number(blocked, "blocked_from"), read_number(blocked, "blocked_to"));
}

static void audit_reconf(struct audit *audit, const json_t *document, struct whole *whole)
{
	const json_t *reconf = json_object_get(document, "reconf");
	const struct place *place = MEMBER(NULL, "reconf");
	double lost = 0, longest_s = 0;

	if (!json_is_object(reconf))
		return;
	take_test(audit, place, reconf, whole);
	json_each (direction, json_object_get(reconf, "directions")) {
		audit_blocked(audit, ITEM(MEMBER(place, "directions"), direction_at), direction);
		lost += read_number(direction, "frames_lost");
		longest_s = fmax(longest_s, read_number(direction, "blocked_time"));
	}
	if (!json_object_get(reconf, "directions"))
		return;
	audit_number(audit, place, reconf, "frames_lost", lost);
	if (json_is_number(json_object_get(reconf, "blocked_time")))
		audit_number(audit, place, reconf, "blocked_time", longest_s);
	else if (read_truth(reconf, "regular"))
		contradict(audit, MEMBER(place, "regular"), "true is stated, but blocked_time is not known");
}

/* A whole that ended early has a reason of its own, and is irregular by that. */
static void audit_suite_whole(struct audit *audit, const json_t *document, const struct whole *whole)
{
	audit_reason(audit, NULL, document);
	if (whole->irregular && read_truth(document, "regular"))
		contradict(audit, MEMBER(NULL, "regular"), "true is stated, but a test is irregular");
	if (whole->any && json_object_get(document, "tester_limited"))
		audit_truth(audit, NULL, document, "tester_limited", whole->limited);
}

void audit_rfc2544(struct audit *audit, const json_t *document)
{
	struct whole whole = { .any = false };

	json_each (size, json_object_get(document, "frame_sizes"))
		audit_size(audit, ITEM(MEMBER(NULL, "frame_sizes"), size_at), size, &whole);
	audit_reset(audit, document, &whole);
	audit_reconf(audit, document, &whole);
	audit_suite_whole(audit, document, &whole);
}

/* --- self-tests ----------------------------------------------------------------------------------------------------- */

static void audit_self_test(struct audit *audit, const struct place *place, const json_t *test)
{
	const json_t *search = json_object_get(test, "search"), *confirmation = json_object_get(test, "confirmation");
	double clean_fps = read_number(test, "clean_load"), upper_fps = read_number(search, "upper_bound");
	bool regular = read_truth(test, "regular");

	audit_reason(audit, place, test);
	if (json_object_get(test, "clean_load") && regular != json_is_number(json_object_get(test, "clean_load")))
		contradict(audit, MEMBER(place, "clean_load"), "%s is stated of a self-test that is %s",
			   regular ? "none" : "one", regular ? "regular" : "not regular");
	if (upper_fps < clean_fps)
		contradict(audit, MEMBER(place, "clean_load"), "%.0f is stated, but %.0f was not clean", clean_fps,
			   upper_fps);
	if (read_number(confirmation, "clean") > read_number(confirmation, "trials"))
		contradict(audit, MEMBER(place, "confirmation"), "more trials are clean than there were");
	if (clean_fps > read_number(test, "line_rate") * (1 + 1e-9))
		contradict(audit, MEMBER(place, "clean_load"), "%.0f is stated, which is above the line rate", clean_fps);
	if (json_is_number(json_at(test, "/pacing/intended_fps")) && regular)
		audit_number(audit, MEMBER(place, "pacing"), json_object_get(test, "pacing"), "intended_fps", clean_fps);
	audit_trials(audit, MEMBER(place, "trials"), json_object_get(test, "trials"));
}

/* Each count has what the kinds send there. Returns false if a frame is not where it has to be. */
static bool audit_counted(struct audit *audit, const struct place *place, const json_t *test)
{
	bool is_exact = true;

	json_each (row, json_object_get(test, "counted")) {
		double sent = 0;

		json_each (kind, json_object_get(test, "kinds"))
			sent += fmax(0, read_number(json_object_get(kind, "ends"), read_text(row, "count")));
		audit_number(audit, ITEM(MEMBER(place, "counted"), row_at), row, "sent", sent);
		is_exact &= read_number(row, "sent") == read_number(row, "counted");
	}
	return is_exact;
}

/* A trial that is exact lacks nothing and has nothing twice. */
static void audit_hostile_trial(struct audit *audit, const struct place *place, const json_t *trial)
{
	const json_t *counts = json_object_get(trial, "counts");
	bool is_exact = read_number(counts, "received") == read_number(counts, "sent") &&
			read_number(counts, "verified") == read_number(counts, "sent") &&
			!(read_number(counts, "duplicate") > 0) && !(read_number(counts, "reordered") > 0) &&
			!(read_number(counts, "unsent") > 0) &&
			read_number(trial, "hostile_sent") == read_number(trial, "hostile_counted");

	if (read_truth(trial, "exact") && !is_exact)
		contradict(audit, MEMBER(place, "exact"), "true is stated, but the counts are not");
}

static void audit_hostile_test(struct audit *audit, const struct place *place, const json_t *test)
{
	bool regular = read_truth(test, "regular"), is_exact = audit_counted(audit, place, test);
	double rate_fps = NAN, missed_fps = read_number(test, "missed_rate");

	audit_reason(audit, place, test);
	json_each (trial, json_object_get(test, "trials")) {
		double trial_fps = read_number(trial, "hostile_rate");

		audit_hostile_trial(audit, ITEM(MEMBER(place, "trials"), trial_at), trial);
		if (read_truth(trial, "exact") && !(trial_fps >= missed_fps))
			rate_fps = fmax(rate_fps, trial_fps);
	}
	if (read_number(test, "certified_rate") >= missed_fps)
		contradict(audit, MEMBER(place, "missed_rate"), "%.0f is stated, but %.0f is certified", missed_fps,
			   read_number(test, "certified_rate"));
	if (json_object_get(test, "certified_rate"))
		audit_number(audit, place, test, "certified_rate", regular ? rate_fps : NAN);
	if (regular && (isnan(rate_fps) || !is_exact))
		contradict(audit, MEMBER(place, "regular"), "true is stated, but no trial was exact");
}

void audit_selftest(struct audit *audit, const json_t *document)
{
	const json_t *tests = json_object_get(document, "self_tests");
	bool irregular = false;

	json_each (test, tests) {
		audit_self_test(audit, ITEM(MEMBER(NULL, "self_tests"), test_at), test);
		irregular |= json_is_false(json_object_get(test, "regular"));
	}
	json_each (hostile, json_object_get(document, "hostile_tests")) {
		audit_hostile_test(audit, ITEM(MEMBER(NULL, "hostile_tests"), hostile_at), hostile);
		irregular |= json_is_false(json_object_get(hostile, "regular"));
	}
	if (irregular && json_is_null(json_object_get(document, "irregular_reason")))
		contradict(audit, MEMBER(NULL, "irregular_reason"), "none is stated, but a self-test is irregular");
}
