/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/pacer.h"

#include <errno.h>
#include <math.h>

#define NS_PER_S        1e9
#define SCHEDULE_MAX_NS 0x1p62
#define INTERVAL_MIN_NS 0x1p-20

/* 1e9 / load in 64.64 fixed point, to the 64 bits of a long double's mantissa. */
static unsigned __int128 interval_q64(double load_fps)
{
	long double interval_ns = (long double)NS_PER_S / load_fps;
	long double whole_ns = floorl(interval_ns);

	return ((unsigned __int128)whole_ns << 64) + (unsigned __int128)ldexpl(interval_ns - whole_ns, 64);
}

/* How many of the numbers 0 .. count - 1 are first + n * step. */
static uint64_t share(uint64_t count, uint32_t first, uint32_t step)
{
	return count > first ? (count - first - 1) / step + 1 : 0;
}

int mlr_pacer_init(struct mlr_pacer *ret_pacer, double load_fps, uint64_t count, uint32_t first, uint32_t step)
{
	double interval_ns = NS_PER_S / load_fps;
	unsigned __int128 one_q64;

	if (!isfinite(load_fps) || load_fps <= 0.0 || interval_ns < INTERVAL_MIN_NS || !step ||
	    interval_ns * ((double)count + first + step - 1) > SCHEDULE_MAX_NS)
		return -EINVAL;
	one_q64 = interval_q64(load_fps);
	*ret_pacer = (struct mlr_pacer){
		.first_q64 = one_q64 * first,
		.interval_q64 = one_q64 * step,
		.next_q64 = one_q64 * first,
		.count = share(count, first, step),
	};
	return 0;
}
