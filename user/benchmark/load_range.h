/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This header sets Min Load and Max Load of a search or soak (RFC 9971, 4.6.8.1 and 4.6.8.2). The caller owns the range. It
 * is set once, before the first trial. */
#pragma once

#include "config/config.h"
#include "measurer/measurer.h"

struct load_range {
	double min_fps, max_fps;
	const char *max_source; /* "option", "self-test", "line rate" or "calibration" */
};

/* Whether a load is at or beyond what a fresh self-test found the tester to be able to, and not merely the line rate. */
bool load_touches_tester(const struct measurer *measurer, double load_fps);
/* Whether a load is beyond that: what is lost there may be the tester's. */
bool load_exceeds_tester(const struct measurer *measurer, double load_fps);

/* Max Load is the option, or the clean load of a fresh self-test, or the line rate. Otherwise it is the rate that the tester
 * can send, found by a short calibration, which is noted. A self-test that is missing, old or of something else is warned
 * of. Of a stored search: exactly its loads. EXIT_INTERRUPTED: a stop came first. */
enum exit_code load_range_find(const struct config *config, struct measurer *measurer, struct load_range *ret);
