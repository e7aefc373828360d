/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The suite of RFC 2544 while it runs: its state, and the trials that its tests consist of. */
#ifndef XDP_MLR_BENCHMARK_RFC2544_TRIAL_H
#define XDP_MLR_BENCHMARK_RFC2544_TRIAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "benchmark/load_range.h"
#include "config/config.h"
#include "measurer/measurer.h"

enum rfc2544_test {
	TEST_THROUGHPUT,
	TEST_LATENCY,
	TEST_FRAME_LOSS,
	TEST_BACK_TO_BACK,
	TEST_RECOVERY,
	TEST_RESET,
	TEST_COUNT
};

/* How long and how often. By the book, shorter with --fast, each as its option says. */
struct rfc2544_plan {
	double trial_duration_s; /* throughput (its longest), frame loss rate */
	unsigned int latency_repeats;
	double latency_duration_s;
	double loss_step_ratio;
	unsigned int burst_tests;
	double burst_trial_s; /* the longest burst, at the maximum rate; and what a trial lasts at least */
	bool burst_pause;     /* a short burst is followed by silence until the trial is that long */
	unsigned int recovery_repeats;
	double overload_duration_s;
	double reduced_duration_s;
	double reset_duration_s;
};

struct rfc2544 {
	const struct config *config;
	struct rfc2544_plan plan;
	time_t start_time;
	uint64_t start_ns;
	json_t *frame_sizes; /* what was measured, an object a frame size */
	json_t *reset;       /* NULL: not measured */
	json_t *setting;     /* the document's measurer, traffic_profile, environment, deviations, configuration */
	unsigned int transmitters;
	size_t trial_count; /* told as events */
	bool irregular, tester_limited;
	const char *end_reason;    /* why it ended early, NULL if it did not */
	double search_s;           /* about how long a search of the throughput takes */
	double took_s[TEST_COUNT]; /* how long each test took at the size before; 0: it was not made yet */
	unsigned int size, sizes;  /* the size that is measured, from 1 */
	unsigned int smallest;     /* the index of the smallest size, for which the reset is measured */
	double duration_s;
};

/* One frame size while it is measured, and the test that runs. */
struct rfc2544_run {
	struct rfc2544 *suite;
	const struct config *config; /* of this frame size */
	struct measurer *measurer;
	struct load_range range; /* its Max Load is the maximum rate of the tests */
	double throughput_fps;   /* NAN: not known */
	json_t *json;            /* of the frame size */
	bool smallest;           /* it is the smallest */
	const char *test;        /* the name of the test that runs */
	double test_s;           /* about how long it takes */
	uint64_t test_start_ns;
	const char *reason;    /* why its result is irregular, NULL if it is not */
	bool tester_limited;   /* its result is */
	unsigned int repeated; /* trials that were made again, because the tester itself was the limit */
};

/* Make a search of the configuration that of the throughput: loss 0, exceed 0, trials of the plan's duration at the end;
 * unconditionally compliant, if that is 60 s (draft-15, 4.10.2). */
void rfc2544_set_goal(struct config *config, const struct rfc2544_plan *plan);

/* One trial, told as an event and in the view. */
enum exit_code rfc2544_trial(struct rfc2544_run *run, double load_fps, double duration_s, struct measurement *ret);
/* The same for a trial with load steps. */
enum exit_code rfc2544_steps(struct rfc2544_run *run, struct load_steps *steps, struct measurement *ret);

/*
 * The tests of the suite: rfc2544_tests.c has what is a series of plain trials (throughput, latency, frame loss rate),
 * rfc2544_steps.c what watches a trial of its own kind (back-to-back frames, system recovery, reset). Each puts its figures
 * into a JSON object, so that what an interrupted run measured is there. It returns
 *	EXIT_DONE	done, or as far as possible; run->reason says what is irregular
 *	EXIT_UNMET	the time limit of the suite ended it
 *	EXIT_INTERRUPTED, or another code after which nothing more can be measured; the reason was said
 */
enum exit_code rfc2544_throughput(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_latency(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_frame_loss(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_back_to_back(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_recovery(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_reset(struct rfc2544_run *run, json_t *json);

#endif
