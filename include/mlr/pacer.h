/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pacer: how many frames are due at a time.
 *
 * Frame n (from 0) of a trial is due at n / load after its start: an absolute schedule, so that no delay of one frame moves
 * another. Where several transmitters share a schedule, each takes the frames first, first + step, first + 2 step, ... of
 * it. The interval is kept as ns in 64.64 fixed point; after 24 hours at 150 Mfps (1.3e13 frames) the schedule is off by
 * less than a thousandth of a ns. The longest schedule is 2^62 ns (146 years).
 */
#ifndef MLR_PACER_H
#define MLR_PACER_H

#include <stdint.h>

struct mlr_pacer {
	unsigned __int128 first_q64;    /* when frame 0 of this transmitter is due, ns after the start, 64.64 fixed point */
	unsigned __int128 interval_q64; /* ns between its frames, 64.64 */
	unsigned __int128 next_q64;     /* when frame `next` is due, ns after the start, 64.64 */
	uint64_t next;                  /* the first frame not yet taken, counted from 0 for this transmitter */
	uint64_t count;                 /* frames of this transmitter */
};

/* The frames first, first + step, ... of a schedule of `count` frames at this load; 0 and 1: all of them. 0, or -EINVAL
 * where the load is not positive or finite, the interval is below 2^-20 ns, the step 0 or the schedule longer than 2^62
 * ns. */
int mlr_pacer_init(struct mlr_pacer *ret_pacer, double load_fps, uint64_t count, uint32_t first, uint32_t step);

/* When this transmitter's frame n is due, ns after the start, rounded down. */
static inline uint64_t mlr_pacer_departure_ns(const struct mlr_pacer *pacer, uint64_t n)
{
	return (uint64_t)((pacer->first_q64 + pacer->interval_q64 * n) >> 64);
}

/* When the next frame is due, ns after the start. */
static inline uint64_t mlr_pacer_next_ns(const struct mlr_pacer *pacer)
{
	return (uint64_t)(pacer->next_q64 >> 64);
}

/* Whether the next frame exists and is due. */
static inline int mlr_pacer_due(const struct mlr_pacer *pacer, uint64_t elapsed_ns)
{
	return pacer->next < pacer->count && mlr_pacer_next_ns(pacer) <= elapsed_ns;
}

/* Take the next frame. */
static inline void mlr_pacer_take(struct mlr_pacer *pacer)
{
	pacer->next++;
	pacer->next_q64 += pacer->interval_q64;
}

#endif
