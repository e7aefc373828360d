/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header runs ITU-T Y.1564. First comes the configuration test of each service of --service, with a measurer of its
 * own. Then the performance test measures at once all services that did not fail, with one measurer. Each service is a share
 * of one constant load (mlr/profile.h), and is counted by itself. The caller owns the results, and frees them after the
 * report.
 */
#pragma once

#include "benchmark/suite.h"

struct y1564 {
	struct suite common;
	json_t *services;    /* results, an object for each service */
	json_t *performance; /* results of the performance test over all services; NULL: there was none */
	bool failed;         /* A service is not as agreed. */
	bool undecided;      /* It is not known whether a service is as agreed. */
	double link_bps;     /* link speed, gaps and preambles included; 0: not known */
};

/* Run it. In any case the caller frees *ret. Returns EXIT_DONE, EXIT_UNMET if a service is not as agreed, or something is
 * irregular or limited by the tester, EXIT_INTERRUPTED, or another code after a message. */
enum exit_code y1564_run(const struct config *config, struct y1564 *ret);
void y1564_free(struct y1564 *suite);

/* Return the result document, "xdp-mlr/y1564/1" (y1564_report.c). NULL if nothing was measured at all, or without memory. */
json_t *report_y1564(const struct y1564 *suite);

/* Return how long it takes, without waits that nobody knows before. */
double y1564_duration_s(const struct config *config);
