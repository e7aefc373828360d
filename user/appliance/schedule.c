/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/schedule.h"

#include <math.h>

#define DAY_S    86400
#define MINUTE_S 60
#define STEP_S   60 /* A clock that is set back by less brings no time of day again. */

/* Return the next of the times of day, strictly after this moment. */
static time_t next_at(const struct schedule_settings *schedule, time_t after)
{
	time_t day = after - after % DAY_S, next = 0;

	for (unsigned int i = 0; i < schedule->at_count; i++) {
		time_t at = day + (time_t)schedule->at_minutes[i] * MINUTE_S;

		if (at <= after)
			at += DAY_S;
		if (!next || at < next)
			next = at;
	}
	return next;
}

/* Return the next multiple of the interval since the first round that is not over yet. */
static time_t next_every(const struct schedule_settings *schedule, const struct rounds *rounds, time_t now)
{
	double gone = floor((double)(rounds->last_begun - rounds->first_begun) / schedule->every_s) + 1;
	double passed = ceil((double)(now - rounds->first_begun) / schedule->every_s);

	return rounds->first_begun + (time_t)ceil(fmax(gone, passed) * schedule->every_s);
}

time_t schedule_next(const struct schedule_settings *schedule, const struct rounds *rounds, time_t now)
{
	if (schedule->rounds != SETTINGS_FOREVER && rounds->begun >= schedule->rounds)
		return SCHEDULE_OVER;
	if (schedule->at_count)
		return next_at(schedule, rounds->last_begun > now && rounds->last_begun - now < STEP_S ? rounds->last_begun
												       : now);
	if (!rounds->begun)
		return now;
	if (schedule->every_s > 0)
		return next_every(schedule, rounds, now);
	return rounds->last_ended + (time_t)ceil(schedule->pause_s);
}
