/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This header has the state of the suite of RFC 2544 while it runs, and its tests. The suite (rfc2544.c) owns the state. */
#pragma once

#include "benchmark/load_range.h"
#include "benchmark/suite.h"

/* Durations and counts of the tests: by the book, shorter with --fast, each as its option says. */
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
	double reconf_duration_s;
};

struct rfc2544 {
	struct suite common;
	struct rfc2544_plan plan;
	json_t *frame_sizes;       /* results, an object for each frame size */
	json_t *reset, *reconf;    /* NULL: not measured */
	double search_s;           /* about how long a search of the throughput takes */
	double took_s[TEST_COUNT]; /* time that each test took at the frame size before; 0: not performed yet */
	unsigned int size, sizes;  /* the size that is measured, from 1 */
	unsigned int smallest;     /* the index of the smallest size, for which reset and reconfiguration are measured */
};

/* One frame size while it is measured. */
struct rfc2544_run {
	struct suite_part part;
	struct rfc2544 *suite;
	struct load_range range; /* range of loads; Max Load is the maximum rate of the tests */
	double throughput_fps;   /* NAN: not known */
	json_t *json;            /* the object of this frame size in the result */
	bool smallest;           /* The frame size is the smallest one. */
	enum rfc2544_test test;  /* the test that runs */
	char reason[256];        /* why the test is irregular, where that has to be composed */
};

/* Make a search of the configuration that of the throughput: loss 0, exceed 0, trials of the plan's duration at the end;
 * unconditionally compliant, if that is 60 s (RFC 9971, 4.10.2). */
void rfc2544_set_goal(struct config *config, const struct rfc2544_plan *plan);

/*
 * The tests of the suite: rfc2544_tests.c has what is a series of plain trials (throughput, latency, frame loss rate),
 * rfc2544_steps.c what watches a trial of its own kind (back-to-back frames, system recovery, reset, reconfiguration). Each puts its figures
 * into a JSON object, so that what an interrupted run measured is there, and returns what suite_test() says.
 */
enum exit_code rfc2544_throughput(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_latency(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_frame_loss(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_back_to_back(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_recovery(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_reset(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_reconf(struct rfc2544_run *run, json_t *json);
