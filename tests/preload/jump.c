/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LD_PRELOAD: the calendar is set back by an hour between any two looks at it, so that a duration told by it is below
 * zero. */
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

time_t time(time_t *ret)
{
	static atomic_int looks;
	struct timespec now;
	time_t told;

	clock_gettime(CLOCK_REALTIME, &now);
	told = now.tv_sec - 3600 * looks++;
	if (ret)
		*ret = told;
	return told;
}
