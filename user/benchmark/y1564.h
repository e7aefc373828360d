/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ITU-T Y.1564: the configuration test of each service of --service, with a measurer of its own; then the performance test of all that
 * did not fail, at once, with one in which each is a share of one constant load (mlr/profile.h) and is counted by itself.
 */
#pragma once

#include "benchmark/suite.h"

struct y1564 {
	struct suite common;
	json_t *services;    /* what was measured, an object a service */
	json_t *performance; /* of the performance test, what is of all of them. NULL: there was none */
	bool failed;         /* a service is not as agreed */
	bool undecided;      /* of another that is not known */
};

/* Run it. Whatever it returns, *ret is to be freed. EXIT_DONE, EXIT_UNMET where a service is not as agreed, or something is
 * irregular or limited by the tester, EXIT_INTERRUPTED; else the reason was said. */
enum exit_code y1564_run(const struct config *config, struct y1564 *ret);
void y1564_free(struct y1564 *suite);

/* The result document, "xdp-mlr/y1564/1" (y1564_report.c). NULL where nothing was measured at all, or without memory. */
json_t *report_y1564(const struct y1564 *suite);

/* How long it takes, but for waits that nobody knows before. */
double y1564_duration_s(const struct config *config);
