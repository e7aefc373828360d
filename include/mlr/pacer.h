/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pacer says how many frames of a transmitter are due at a time. The transmitter owns it, and nobody else uses it. It is
 * initialised for each trial, and each frame that is sent is taken from it.
 *
 * Frame n (from 0) of a trial is due at n / load after its start. The schedule is absolute, so no delay of one frame moves
 * another. If several transmitters share a schedule, each takes its frames first, first + step, first + 2 step and so on.
 * The interval is kept in ns as a 64.64 fixed-point number. After 24 hours at 150 Mfps (1.3e13 frames) the schedule is off
 * by less than a thousandth of a ns. The longest schedule is 2^62 ns (146 years).
 */
#ifndef MLR_PACER_H
#define MLR_PACER_H

#include <stdint.h>

struct mlr_pacer {
	unsigned __int128 first_q64; /* when frame 0 of this transmitter is due, in ns after the start, 64.64 fixed point */
	unsigned __int128 interval_q64; /* ns between two of its frames, 64.64 */
	unsigned __int128 next_q64;     /* when frame `next` is due, in ns after the start, 64.64 */
	uint64_t next;                  /* the first frame that is not yet taken, counted from 0 for this transmitter */
	uint64_t count;                 /* frames of this transmitter */
};

/* Initialise a pacer for the frames first, first + step, ... of a schedule of `count` frames. With 0 and 1 these are all
 * frames. Returns 0, or -EINVAL if the load is not positive or not finite, or the interval is below 2^-20 ns. It also
 * returns -EINVAL if the step is 0 or the schedule is longer than 2^62 ns. */
int mlr_pacer_init(struct mlr_pacer *ret_pacer, double load_fps, uint64_t count, uint32_t first, uint32_t step);

/* Return when frame n of this transmitter is due, in ns after the start, rounded down. */
static inline uint64_t mlr_pacer_departure_ns(const struct mlr_pacer *pacer, uint64_t n)
{
	return (uint64_t)((pacer->first_q64 + pacer->interval_q64 * n) >> 64);
}

/* Return when the next frame is due, in ns after the start. */
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

/* --- a schedule that moves ------------------------------------------------------------------------------------------ */

#define MLR_MOVES_MAX 4096 /* a power of two */

/* From this frame on, a schedule is later than planned by this time. */
struct mlr_move {
	uint64_t frame;
	uint64_t moved_ns;
};

/* The moves of a schedule, in the order of frames. The first MLR_MOVES_EXACT moves are all kept. A later move is kept once
 * the schedule has moved by a step since the last one that was kept, and steps grow. So the list holds a hundred seconds of
 * moves of a transmitter that is too slow and moves its schedule all the time. What is not kept is below a hundredth of the
 * whole move. */
#define MLR_MOVES_EXACT      1024
#define MLR_MOVES_STEP_NS    100000
#define MLR_MOVES_STEP_COUNT 256 /* number of steps of one length; the next steps are twice as long */

struct mlr_moves {
	uint64_t count;
	struct mlr_move at[MLR_MOVES_MAX];
};

/* Return by how much the schedule had moved before the next frame that is taken. */
static inline uint64_t mlr_moves_last_ns(const struct mlr_moves *moves)
{
	uint64_t count = moves->count;

	return count ? moves->at[(count - 1) & (MLR_MOVES_MAX - 1)].moved_ns : 0;
}

/* Return by how much the schedule must have moved since the last kept move so that the next move is kept. */
static inline uint64_t mlr_moves_step_ns(uint64_t count)
{
	return count < MLR_MOVES_EXACT ? 1
				       : (uint64_t)MLR_MOVES_STEP_NS << ((count - MLR_MOVES_EXACT) / MLR_MOVES_STEP_COUNT);
}

/* Record that the schedule has moved by `moved_ns` in all, from `frame` on. */
static inline void mlr_moves_add(struct mlr_moves *moves, uint64_t frame, uint64_t moved_ns)
{
	uint64_t count = moves->count;

	if (count >= MLR_MOVES_MAX || moved_ns - mlr_moves_last_ns(moves) < mlr_moves_step_ns(count))
		return;
	moves->at[count & (MLR_MOVES_MAX - 1)].frame = frame;
	moves->at[count & (MLR_MOVES_MAX - 1)].moved_ns = moved_ns;
	moves->count = count + 1;
}

/* Return how many frames of a transmitter are due before a time (ns after the start). `moves` may be NULL. */
uint64_t mlr_pacer_due_before(const struct mlr_pacer *pacer, const struct mlr_moves *moves, uint64_t elapsed_ns);

#endif
