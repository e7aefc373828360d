/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tests of the suite: rfc2544_tests.c has what is a series of plain trials (throughput, latency, frame loss rate),
 * rfc2544_steps.c what watches a trial of its own kind (back-to-back frames, system recovery, reset). Each puts its figures into a
 * JSON object, so that what an interrupted run measured is there. It returns
 *	EXIT_DONE	done, or as far as possible; run->reason says what is irregular
 *	EXIT_UNMET	the time limit of the suite ended it
 *	EXIT_INTERRUPTED, or another code after which nothing more can be measured; the reason was said
 */
#ifndef XDP_MLR_BENCHMARK_RFC2544_TESTS_H
#define XDP_MLR_BENCHMARK_RFC2544_TESTS_H

#include "benchmark/rfc2544_trial.h"

enum exit_code rfc2544_throughput(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_latency(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_frame_loss(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_back_to_back(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_recovery(struct rfc2544_run *run, json_t *json);
enum exit_code rfc2544_reset(struct rfc2544_run *run, json_t *json);

/* The mean, and the standard deviation of the sample (NAN for less than two values). */
double rfc2544_mean(const double *values, size_t count);
double rfc2544_stdev(const double *values, size_t count);

#endif
