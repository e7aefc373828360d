/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The self-test measures what the tester itself can do, its ports cabled to each other, without a SUT. The caller owns what
 * was measured. It is run once, reported, and freed.
 *
 * A trial is clean if every frame was sent, every frame arrived once and undamaged, and the load was kept. For each frame
 * size and backend, MLRsearch finds the highest clean load: an unclean trial counts as loss. Longer trials confirm it. The
 * latency of a lightly loaded tester is its floor. Only what was confirmed is kept (measurer/selftest_store.h).
 *
 * With --hostile it certifies instead that counts are exact beside hostile frames (selftest_hostile.h).
 */
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <time.h>

#include "base/message.h"
#include "config/config.h"

struct selftest {
	const struct config *config;
	time_t start_time;
	uint64_t start_ns;      /* CLOCK_MONOTONIC, for durations */
	json_t *self_tests;     /* one object for each frame size and backend, in the order measured */
	json_t *hostile_tests;  /* --hostile: one object for each frame size */
	json_t *sut_check;      /* the check that there is no SUT; NULL before */
	json_t *measurer;       /* description of the measurer; NULL before */
	json_t *preparation;    /* findings of --prepare try; NULL: it was not asked for */
	struct prepare prepare; /* the result of the self-test */
	bool interrupted;
	bool irregular; /* some frame size has no clean load, or is not certified */
};

/* Run the self-test. In any case the caller frees *ret. Returns EXIT_DONE, EXIT_UNMET if a frame size has no clean load,
 * EXIT_INTERRUPTED, or another code after a message. */
enum exit_code selftest_run(const struct config *config, struct selftest *ret);
void selftest_free(struct selftest *selftest);

/* Return the result document, "xdp-mlr/selftest/1": a new reference, or NULL without memory. */
json_t *report_selftest(const struct selftest *selftest);
