/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header runs the suite of RFC 2544 section 26, as RFC 9004 (back-to-back frames) and RFC 6201 (reset) update it. Each
 * frame size has a measurer of its own, and goes through the tests (rfc2544_run.h). The caller owns what was measured, and
 * frees it.
 */
#pragma once

#include "benchmark/rfc2544_run.h"

/* Run the suite. In any case the caller frees *ret. Returns EXIT_DONE, EXIT_UNMET if something is irregular or limited by
 * the tester, EXIT_INTERRUPTED, or another code after a message. */
enum exit_code rfc2544_run(const struct config *config, struct rfc2544 *ret);
void rfc2544_free(struct rfc2544 *suite);

/* Return the result document, "xdp-mlr/rfc2544/1" (rfc2544_report.c). NULL if nothing was measured at all, or without
 * memory. */
json_t *report_rfc2544(const struct rfc2544 *suite);

/* Estimate how long it will take, --max-time included, if nothing is known of the SUT. Returns EXIT_DONE, or another code
 * after a message. */
enum exit_code rfc2544_estimate(const struct config *config, double *ret_duration_s);

/* A test: its name in options and documents, and its section of RFC 2544. */
struct rfc2544_name {
	const char *name, *member, *section;
};
extern const struct rfc2544_name rfc2544_names[TEST_COUNT];

/* The durations and counts of the book. */
extern const struct rfc2544_plan rfc2544_by_the_book;

/* Whether it was asked for. */
static inline bool rfc2544_is_wanted(const struct rfc2544 *suite, enum rfc2544_test test)
{
	return suite->common.config->tests >> test & 1;
}
