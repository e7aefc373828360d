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
	uint64_t catch_frames; /* most frames that are caught up back to back, at least asked_frames; 0: no limit */
};

struct mlr_envelope {
	uint64_t interval; /* the time between two frames of this transmitter at the Trial Load; 0: it has no schedule */
	uint64_t interval_faster; /* the time that the faster server takes for a frame */
	uint64_t asked, catch;    /* the bursts of the port, as a time's worth of its load */
	uint64_t lone_room;       /* A frame that follows a lone one and is less than this behind needs no move. */
	uint64_t at;              /* when the last frame departed */
	uint64_t
		together; /* frames that departed then; mlr_envelope_settle() adds them to `queue`, `excess_max` and the runs */
	uint64_t queue;        /* how long the queue was at that time, as a time's worth of the transmitter's load */
	uint64_t queue_faster; /* the time that the faster server takes for its queue then */
	uint64_t excess_max;   /* the longest that the queue was */
	uint64_t excess_at_ns; /* when the queue was first that long */
	uint64_t over;         /* time for which the queue with the faster server was longer than the asked burst */
	uint64_t marked;       /* frames that departed during that time */
	uint64_t run, run_max; /* the present run of frames less than half an interval apart, in frames; the longest one */
	uint64_t is_lone;      /* if the next frame departs an interval later than the last one or more, only `at` changes */
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
uint64_t mlr_envelope_run_frames(const struct mlr_envelope *envelope);

/* Return how much of a queue is left after some time. */
static inline uint64_t mlr_envelope_left(uint64_t queue, uint64_t elapsed)
{
	return queue > elapsed ? queue - elapsed : 0;
}

/* A frame is due and has not been sent until now. Return by how many ns the schedule must move so that all due frames can be
 * caught up within the burst. 0: it need not move. */
static inline uint64_t mlr_envelope_surplus_ns(const struct mlr_envelope *envelope, uint64_t due_ns, uint64_t now_ns)
{
	uint64_t ahead = (now_ns - due_ns) << MLR_ENVELOPE_PLACES, catch = envelope->catch, queue;

	if (envelope->is_lone && ahead < envelope->lone_room) /* this is the same, at less cost */
		return 0;
	queue = envelope->queue + envelope->together * envelope->interval;
	if (ahead + queue <= catch)
		return 0;
	ahead += mlr_envelope_left(queue, (now_ns << MLR_ENVELOPE_PLACES) - envelope->at);
	return ahead > catch ? (ahead - catch) >> MLR_ENVELOPE_PLACES : 0;
}

static inline void mlr_envelope_measure(struct mlr_envelope *envelope)
{
	if (envelope->queue <= envelope->excess_max)
		return;
	envelope->excess_max = envelope->queue;
	envelope->excess_at_ns = envelope->at >> MLR_ENVELOPE_PLACES;
}

/* Add the frames that departed together to all figures. */
static inline void mlr_envelope_settle(struct mlr_envelope *envelope)
{
	envelope->queue += envelope->together * envelope->interval;
	envelope->run += envelope->together;
	envelope->together = 0;
	if (envelope->run > envelope->run_max)
		envelope->run_max = envelope->run;
	mlr_envelope_measure(envelope);
}

/* Note that the next frames depart at a later time than the last ones. Frames that departed together are handed over by one call, and
 * leave one after the other until then. So they are taken as evenly spaced. */
static inline void mlr_envelope_begin(struct mlr_envelope *envelope, uint64_t now)
{
	uint64_t elapsed = now - envelope->at, halves = envelope->together * (envelope->interval / 2);

	mlr_envelope_settle(envelope);
	envelope->at = now;
	envelope->queue = mlr_envelope_left(envelope->queue, elapsed);
	envelope->queue_faster = mlr_envelope_left(envelope->queue_faster, elapsed);
	if (elapsed >= halves)
		envelope->run = 0;
}

/* The queue with the faster server was `before`, and is longer than the asked burst now that a frame departs. Return whether
 * it was before. */
static inline bool mlr_envelope_over(struct mlr_envelope *envelope, uint64_t before)
{
	bool was_over = before > envelope->asked;

	envelope->over += envelope->queue_faster - (was_over ? before : envelope->asked);
	envelope->marked += was_over;
	return was_over;
}

/* Record that a frame departs at `at`. */
static inline bool mlr_envelope_add(struct mlr_envelope *envelope)
{
	uint64_t before = envelope->queue_faster;

	envelope->queue_faster = before + envelope->interval_faster;
	envelope->together++;
	return envelope->queue_faster > envelope->asked && mlr_envelope_over(envelope, before);
}

/* Whether the last frame departed alone when both queues were empty, and there was one like it before. With more transmitters than
 * frames in the asked burst, one frame of a transmitter is longer than that burst, and each adds to `over`. */
static inline bool mlr_envelope_is_lone(const struct mlr_envelope *envelope)
{
	return !envelope->queue && envelope->queue_faster == envelope->interval_faster &&
	       envelope->queue_faster <= envelope->asked && envelope->excess_max >= envelope->interval;
}

/* Record that a frame departs now. Return whether the frame is to be marked. */
static inline bool mlr_envelope_take(struct mlr_envelope *envelope, uint64_t now_ns)
{
	uint64_t now = now_ns << MLR_ENVELOPE_PLACES;
	bool is_marked;

	if (envelope->is_lone && now - envelope->at >= envelope->interval) {
		envelope->at = now;
		return false;
	}
	if (now == envelope->at) {
		envelope->is_lone = 0;
		return mlr_envelope_add(envelope);
	}
	mlr_envelope_begin(envelope, now);
	is_marked = mlr_envelope_add(envelope);
	envelope->is_lone = mlr_envelope_is_lone(envelope);
	return is_marked;
}

/* Record that the call which sent the last frames returned only now, after a long time. All these frames may have departed
 * at its end. */
static inline void mlr_envelope_delay(struct mlr_envelope *envelope, uint64_t count, uint64_t now_ns)
{
	uint64_t queue = count * envelope->interval;

	mlr_envelope_begin(envelope, now_ns << MLR_ENVELOPE_PLACES);
	if (envelope->queue < queue)
		envelope->queue = queue;
	if (envelope->queue_faster < queue)
		envelope->queue_faster = queue;
	envelope->run = 0; /* it is not known how far apart the frames left */
	envelope->is_lone = 0;
	mlr_envelope_measure(envelope);
}

#endif
