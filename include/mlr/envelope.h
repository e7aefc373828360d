/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The envelope bounds the bursts of a transmitter: how far its departures may run ahead of a constant load, and how far they
 * did. A transmitter owns its envelope, and shares it with nobody. It initialises the envelope for each trial, asks it
 * before each frame, and tells it of each departure.
 *
 * A transmitter that was stopped for a while is behind its schedule. If it sent all due frames at once, the SUT would see a
 * burst that nobody asked for. So it catches up a bounded number of frames back to back, and moves the schedule by the rest
 * of the stop. The envelope decides by how much, and measures what the SUT saw.
 *
 * The measure is a queue in front of a server that takes frames at exactly the Trial Load. Its length in frames is the
 * excess. The excess is 1 for a constant load, and 33 after 32 frames that came together with another one. A SUT that
 * sustains the load needs a buffer of so many frames, and no larger one.
 *
 * Such a queue does not shrink while the load goes on. So a second queue has a server that is a sixteenth faster. It tells
 * for how long a burst matters. Frames that depart while it is longer than the asked burst are marked (mlr/tag.h). The
 * tester itself may be the reason why the SUT loses marked frames.
 *
 * The envelope uses integers only, because XDP programs use it, too. Times are ns after the start of the schedule, below
 * 2^53 (104 days). Inside the envelope they have 10 binary places.
 */
#ifndef MLR_ENVELOPE_H
#define MLR_ENVELOPE_H

#include <stdbool.h>
#include <stdint.h>

#define MLR_ENVELOPE_PLACES 10

/* The default bursts, as a number of frames and as a time's worth of the load. */
#define MLR_BURST_FRAMES     32
#define MLR_BURST_ASKED_NS   50000
#define MLR_BURST_CATCH_NS   320000
#define MLR_BURST_CATCH_MOST 256

/* The bursts of one port, over all its transmitters. */
struct mlr_burst {
	uint64_t asked_frames; /* bursts up to this length are part of the load; 0: no frame is marked */
	uint64_t catch_frames; /* at most so many frames are caught up back to back; at least asked_frames. 0: all of them */
};

struct mlr_envelope {
	uint64_t interval;     /* the time between two frames of this transmitter at the Trial Load; 0: it has no schedule */
	uint64_t asked, catch; /* the bursts of the port, as a time's worth of its load */
	uint64_t empty;        /* when the queue becomes empty if nothing more departs */
	uint64_t empty_faster; /* the same for the queue with the faster server */
	uint64_t excess_max;   /* the longest that the queue was, as a time's worth of the transmitter's load */
	uint64_t excess_at_ns; /* when the queue was first that long */
	uint64_t over;         /* for how long the queue with the faster server was longer than the asked burst */
	uint64_t marked;       /* frames that departed during that time */
	uint64_t last;         /* when the last frame departed, if it was not the first of its run, */
	uint64_t run_until;    /* and before when the next one departs if it is in that run */
	uint64_t run;     /* the present run of frames less than half an interval apart, in frames; 0: none departed yet */
	uint64_t run_max; /* the longest such run; 0: none was longer than a frame */
};

/* Return the bursts for a load. With `frames` above 0 both bursts have that length; with 0 they have the defaults. The
 * default of the asked burst is 32 frames, or 50 us worth of the load where that is more: interrupts of an ordinary kernel
 * take so long. The default of the caught up burst is 320 us worth of the load. It is at least the asked burst, and at most
 * 256 frames unless the asked burst is longer. */
struct mlr_burst mlr_burst_of(double load_fps, uint64_t frames);

/* Initialise the envelope of one of `transmitters` that share a load evenly. The load and the number of transmitters are
 * above 0. */
void mlr_envelope_init(struct mlr_envelope *ret, double load_fps, uint32_t transmitters, struct mlr_burst burst);

/* Return the largest excess in frames, rounded to the nearest integer. */
uint64_t mlr_envelope_excess_frames(const struct mlr_envelope *envelope);

/* Return the longest run of frames that departed back to back, in frames. */
static inline uint64_t mlr_envelope_run_frames(const struct mlr_envelope *envelope)
{
	return envelope->run_max ? envelope->run_max : envelope->run;
}

/* Return how much of a queue is left at a time. */
static inline uint64_t mlr_envelope_left(uint64_t empty, uint64_t now)
{
	return empty > now ? empty - now : 0;
}

/* A frame is due and has not been sent until now. Return by how many ns the schedule must move so that all due frames can be
 * caught up within the burst. 0: it need not move. */
static inline uint64_t mlr_envelope_surplus_ns(const struct mlr_envelope *envelope, uint64_t due_ns, uint64_t now_ns)
{
	uint64_t now = now_ns << MLR_ENVELOPE_PLACES, empty = envelope->empty, catch = envelope->catch;
	uint64_t ahead = (empty > now ? empty : now) - (due_ns << MLR_ENVELOPE_PLACES);

	return ahead > catch ? (ahead - catch) >> MLR_ENVELOPE_PLACES : 0;
}

static inline void mlr_envelope_measure(struct mlr_envelope *envelope, uint64_t now)
{
	uint64_t excess = envelope->empty - now;

	if (excess <= envelope->excess_max)
		return;
	envelope->excess_max = excess;
	envelope->excess_at_ns = now >> MLR_ENVELOPE_PLACES;
}

/* Count a frame that is in the run of those before it. Frames that depart at the same time are handed over by one call, and leave one after
 * the other until the next departs. So they are taken as evenly spaced. */
static inline void mlr_envelope_run_on(struct mlr_envelope *envelope, uint64_t now)
{
	uint64_t half = envelope->interval / 2, last = envelope->run > 1 ? envelope->last : envelope->run_until - half;

	envelope->run_until = (now == last ? envelope->run_until : now) + half;
	envelope->last = now;
	envelope->run++;
	if (envelope->run > envelope->run_max)
		envelope->run_max = envelope->run;
}

/* Count the runs of frames that leave back to back. */
static inline void mlr_envelope_run(struct mlr_envelope *envelope, uint64_t now)
{
	if (now < envelope->run_until) {
		mlr_envelope_run_on(envelope, now);
		return;
	}
	envelope->run_until = now + envelope->interval / 2;
	envelope->run = 1;
}

/* The queue with the faster server, which was empty at `before`, is longer than the asked burst now that a frame departs. Return
 * whether it was before. */
static inline bool mlr_envelope_over(struct mlr_envelope *envelope, uint64_t before, uint64_t now)
{
	bool is_over = before > now + envelope->asked;

	envelope->over += envelope->empty_faster - envelope->asked - (is_over ? before - envelope->asked : now);
	envelope->marked += is_over;
	return is_over;
}

/* Record that a frame departs now. Return whether the frame is to be marked. */
static inline bool mlr_envelope_take(struct mlr_envelope *envelope, uint64_t now_ns)
{
	uint64_t now = now_ns << MLR_ENVELOPE_PLACES, interval = envelope->interval;
	uint64_t empty = envelope->empty, before = envelope->empty_faster, faster = before;

	empty = (empty > now ? empty : now) + interval;
	faster = (faster > now ? faster : now) + interval - interval / 16;
	envelope->empty = empty;
	envelope->empty_faster = faster;
	mlr_envelope_run(envelope, now);
	mlr_envelope_measure(envelope, now);
	return faster - now > envelope->asked && mlr_envelope_over(envelope, before, now);
}

/* Record that the call which sent the last frames returned only now, after a long time. All these frames may have departed
 * at its end. */
static inline void mlr_envelope_delay(struct mlr_envelope *envelope, uint64_t count, uint64_t now_ns)
{
	uint64_t now = now_ns << MLR_ENVELOPE_PLACES, empty = now + count * envelope->interval;

	if (envelope->empty < empty)
		envelope->empty = empty;
	if (envelope->empty_faster < empty)
		envelope->empty_faster = empty;
	envelope->run_until = now; /* it is not known how far apart the frames left */
	mlr_envelope_measure(envelope, now);
}

#endif
