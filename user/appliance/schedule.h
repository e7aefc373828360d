/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This header computes when the next round of a schedule begins. It is a pure function of the settings and of the rounds so
 * far, which the caller owns. */
#pragma once

#include <time.h>

#include "appliance/settings.h"

/* The rounds so far. Times are those of CLOCK_REALTIME, in seconds. */
struct rounds {
	unsigned int begun;
	time_t first_begun, last_begun, last_ended;
};

#define SCHEDULE_OVER ((time_t)-1)

/* Return when the next round begins (if that is in the past: now), or SCHEDULE_OVER. After the first round of `every` and at
 * the times of `at`, a moment that passed during a round is left out. */
time_t schedule_next(const struct schedule_settings *schedule, const struct rounds *rounds, time_t now);
