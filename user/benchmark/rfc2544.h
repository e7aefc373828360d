/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The suite of RFC 2544 section 26, as RFC 9004 (back-to-back frames) and RFC 6201 (reset) update it: through the frame
 * sizes, one measurer each, and through the tests (rfc2544_run.h).
 */
#pragma once

#include "benchmark/rfc2544_run.h"

/* Run it. Whatever it returns, *ret is to be freed. EXIT_DONE, EXIT_UNMET where something is irregular or limited by the tester,
 * EXIT_INTERRUPTED; else the reason was said. */
enum exit_code rfc2544_run(const struct config *config, struct rfc2544 *ret);
void rfc2544_free(struct rfc2544 *suite);

/* The result document, "xdp-mlr/rfc2544/1" (rfc2544_report.c). NULL where nothing was measured at all, or without memory. */
json_t *report_rfc2544(const struct rfc2544 *suite);

/* About how long it will take, --max-time included, where nothing is known of the SUT. EXIT_DONE, or it was said why not. */
enum exit_code rfc2544_estimate(const struct config *config, double *ret_duration_s);

/* A test, as it is called in options and documents, and where RFC 2544 has it. */
struct rfc2544_name {
	const char *name, *member, *section;
};
extern const struct rfc2544_name rfc2544_names[TEST_COUNT];

/* What the book says of how long and how often. */
extern const struct rfc2544_plan rfc2544_by_the_book;

/* Whether it was asked for. */
static inline bool rfc2544_is_wanted(const struct rfc2544 *suite, enum rfc2544_test test)
{
	return suite->common.config->tests >> test & 1;
}
