/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the next round of a schedule begins. A pure function of the settings and of what has been. */
#pragma once

#include <time.h>

#include "appliance/settings.h"

/* What has been of rounds; times are those of CLOCK_REALTIME, in seconds. */
struct rounds {
	unsigned int begun;
	time_t first_begun, last_begun, last_ended;
};

#define SCHEDULE_OVER ((time_t)-1)

/* When the next round begins (it may be in the past: then now), or SCHEDULE_OVER. After the first round of `every` and at
 * the times of `at`, a moment that passed during a round is left out. */
time_t schedule_next(const struct schedule_settings *schedule, const struct rounds *rounds, time_t now);
