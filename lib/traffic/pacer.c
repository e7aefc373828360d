/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/pacer.h"

#include <errno.h>
#include <math.h>

#define NS_PER_S        1e9
#define SCHEDULE_MAX_NS 0x1p62
#define INTERVAL_MIN_NS 0x1p-20

/* Return 1e9 / load in 64.64 fixed point, as exact as the 64 bits of a long double's mantissa. */
static unsigned __int128 interval_q64(double load_fps)
{
	long double interval_ns = (long double)NS_PER_S / load_fps;
	long double whole_ns = floorl(interval_ns);

	return ((unsigned __int128)whole_ns << 64) + (unsigned __int128)ldexpl(interval_ns - whole_ns, 64);
}

/* Return how many of the numbers 0 .. count - 1 are first + n * step. */
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

/* Return the same for a schedule that does not move. */
static uint64_t planned_before(const struct mlr_pacer *pacer, uint64_t elapsed_ns)
{
	uint64_t least = 0, most = pacer->count;

	while (least < most) {
		uint64_t middle = least + (most - least) / 2;

		if (mlr_pacer_departure_ns(pacer, middle) < elapsed_ns)
			least = middle + 1;
		else
			most = middle;
	}
	return least;
}

/* Return the number of moves whose first frame is due before that time. */
static uint64_t moves_before(const struct mlr_pacer *pacer, const struct mlr_moves *moves, uint64_t elapsed_ns)
{
	uint64_t least = 0, most = moves->count;

	while (least < most) {
		uint64_t middle = least + (most - least) / 2;
		const struct mlr_move *move = &moves->at[middle];

		if (mlr_pacer_departure_ns(pacer, move->frame) + move->moved_ns < elapsed_ns)
			least = middle + 1;
		else
			most = middle;
	}
	return least;
}

uint64_t mlr_pacer_due_before(const struct mlr_pacer *pacer, const struct mlr_moves *moves, uint64_t elapsed_ns)
{
	uint64_t before = moves ? moves_before(pacer, moves, elapsed_ns) : 0, moved_ns, due;
	uint64_t limit = moves && before < moves->count ? moves->at[before].frame : pacer->count;

	moved_ns = before ? moves->at[before - 1].moved_ns : 0;
	due = planned_before(pacer, elapsed_ns > moved_ns ? elapsed_ns - moved_ns : 0);
	return due < limit ? due : limit;
}
