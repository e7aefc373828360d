/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This store keeps what self-tests found, for later runs. The caller owns what is returned. There is one file for each pair
 * of NICs, STATE/selftest/ID-A+ID-B.json, where STATE is $XDP_MLR_STATE_DIRECTORY or /var/lib/xdp-mlr. The store has an
 * entry for each frame size, direction, backend and set of options. An entry has all that its figures depend on: NICs,
 * drivers, firmware, queues, kernel, transmit mode, the clock of arrivals.
 *
 * Looking up never fails: a file that cannot be read is a warning, and as good as none.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/keeper.h"
#include "config/config.h"

#define SELFTEST_FRESH_S   (7 * 24 * 3600) /* a self-test is believed for a week */
#define SELFTEST_TEXT_SIZE 160

enum selftest_state {
	SELFTEST_NOT_LOOKED_FOR,
	SELFTEST_NONE,
	SELFTEST_FRESH,
	SELFTEST_OLD,     /* older than a week, or from the future */
	SELFTEST_CHANGED, /* The self-test was measured with another set-up. */
};

/* What a self-test says of the tester. The figures are there unless the state is SELFTEST_NONE or
 * SELFTEST_NOT_LOOKED_FOR. */
struct selftest_figure {
	enum selftest_state state;
	double clean_load_fps; /* clean load of one transmitting interface */
	bool line_limited;     /* The link limits the clean load, not the tester. */
	double line_rate_fps;  /* line rate of the links at that time; NAN: none was known */
	double floor_p50_ns, floor_p99_ns;
	char time[32];                 /* time of the self-test, ISO 8601, UTC */
	char what[SELFTEST_TEXT_SIZE]; /* age of the self-test (SELFTEST_OLD), or what changed since (SELFTEST_CHANGED) */
};

/* How frames are sent and timed, as it came out. */
struct selftest_way {
	const char *backend; /* "xsk", "live" */
	const char *mode;    /* "copy", "zero-copy", "live frames" */
	bool by_nic_clock;   /* the receiving NICs tell when frames arrive, not the XDP program */
	bool by_launch_time; /* the transmitting NICs pace */
};

/* Look up the self-test for these ports, frame size, direction and options. */
struct selftest_figure selftest_find(const struct config *config, const struct selftest_way *way);

/* Return which of two backends a fresh self-test found faster for this configuration; NULL if one has no self-test. */
const char *selftest_faster_backend(const struct config *config, const char *one, const char *other, bool by_nic_clock);

/* Keep what was measured now, in place of an earlier entry for the same. `measured` has the entry's figures: "clean_load",
 * "limited_by", "floor". A warning where it cannot be kept; else true, with the path. */
bool selftest_keep(const struct config *config, const struct selftest_way *way, const json_t *measured, char ret_path[],
		   size_t size);
/* Prepare the keeper to put the file in place. Call it before keeper_split(). */
void selftest_hold(const struct config *config, struct keeper_plan *plan);
