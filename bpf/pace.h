/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * This header keeps the pace of a transmit queue when its CPU is taken away, by the envelope of its load (mlr/envelope.h).
 *
 * A queue reads the clock again and again. If it is further behind its schedule than a burst can catch up, the schedule of
 * the port moves. A frame is due at start + moved_ns + its time in the schedule, on every queue of the port. So a stop of
 * one queue moves all of them, and the port's load never exceeds the Trial Load.
 *
 * The queues are threads of the program, or XDP programs. Each owns its struct tx_pace; they share the port's struct
 * tx_schedule, by atomic access only. The port clears the latter before each trial.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "mlr/envelope.h"

#define TX_STOP_NS       100000  /* a transmitter was stopped if two readings of the clock are so far apart */
#define TX_CATCH_MOST_NS 5000000 /* longest time after its due time in which the last burst of a trial is caught up */
#define TX_SLOW_MOST     32      /* a queue that is too slow takes at most so many intervals of its load for a frame */
#define TX_CALL_USUAL_NS 50000   /* a call that takes longer may have been stopped before its frames departed */

/* The schedule of a port: how far it has moved. All queues of the port share it. */
struct tx_schedule {
	uint64_t moved_ns;   /* time by which the schedule has moved in all */
	uint64_t granted_ns; /* the part of that by which the trial's end moves */
	uint64_t before_ns;  /* the part before the first frame was sent; nothing is lost by it */
	uint64_t stopped_ns; /* the part of the rest that is due to stops, not to a slow queue */
	uint64_t moves;      /* number of times that a stop moved it */
	uint64_t has_begun;  /* a frame has been sent */
};

/* The stops of one queue in a trial. */
struct tx_stops {
	uint64_t count;
	uint64_t total_ns, longest_ns;
	uint64_t longest_at_ns; /* time of that, after the start of the trial */
};

/* The pace of one queue in a trial. */
struct tx_pace {
	struct mlr_envelope envelope;
	struct tx_stops stops;
	uint64_t start_ns;      /* start of the trial, CLOCK_MONOTONIC */
	uint64_t grant_most_ns; /* most time by which the trial's end may move */
	uint64_t looked_ns;     /* time of the last reading of the clock; 0: not yet */
	uint64_t looked_frames; /* count of frames that had been handed to the kernel by then */
	uint64_t late_ns;       /* the last reading that came a long time after the one before it */
	uint64_t gap_ns;        /* time between these two readings */
	uint64_t gap_frames;    /* frames handed over between them */
	uint64_t has_recovered; /* Since the last move, a reading found at most half a burst behind. */
	uint64_t is_slow;       /* the last move was not due to a stop: the queue is too slow */
};

static inline uint64_t tx_schedule_moved_ns(const struct tx_schedule *schedule)
{
	return *(const volatile uint64_t *)&schedule->moved_ns;
}

/* Return when the trial ends for this port. */
static inline uint64_t tx_schedule_deadline_ns(const struct tx_schedule *schedule, uint64_t deadline_ns)
{
	return deadline_ns + *(const volatile uint64_t *)&schedule->granted_ns;
}

/* Note that a frame departs. */
static inline void tx_schedule_begin(struct tx_schedule *schedule)
{
	volatile uint64_t *has_begun = &schedule->has_begun;

	if (!*has_begun) /* other queues read it */
		*has_begun = 1;
}

/* Whether a queue is behind because it was stopped, and not because it is too slow. A queue that is too slow stays behind by a whole
 * burst, and takes at most TX_SLOW_MOST intervals of its load for a frame. */
static inline bool tx_pace_was_stopped(const struct tx_pace *pace)
{
	uint64_t frames_ns = pace->gap_frames * pace->envelope.interval >> MLR_ENVELOPE_PLACES;

	return pace->has_recovered ||
	       (pace->late_ns == pace->looked_ns && pace->gap_ns > TX_STOP_NS + TX_SLOW_MOST * frames_ns);
}

/* Move the schedule by so much from where the caller saw it. If another queue has moved it since, for the same stop, it
 * stays there. A stop makes the trial longer; a queue that is too slow does not. */
static inline void tx_schedule_move(struct tx_schedule *schedule, struct tx_pace *pace, uint64_t seen_ns, uint64_t by_ns)
{
	pace->is_slow = !tx_pace_was_stopped(pace);
	pace->has_recovered = 0;
	if (__sync_val_compare_and_swap(&schedule->moved_ns, seen_ns, seen_ns + by_ns) != seen_ns)
		return;
	if (!*(volatile uint64_t *)&schedule->has_begun) {
		__sync_fetch_and_add(&schedule->before_ns, by_ns);
		__sync_fetch_and_add(&schedule->granted_ns, by_ns);
		return;
	}
	if (pace->is_slow)
		return;
	__sync_fetch_and_add(&schedule->moves, 1);
	__sync_fetch_and_add(&schedule->stopped_ns, by_ns);
	if (tx_schedule_deadline_ns(schedule, by_ns) <= pace->grant_most_ns + *(volatile uint64_t *)&schedule->before_ns)
		__sync_fetch_and_add(&schedule->granted_ns, by_ns);
}

static inline void tx_stops_add(struct tx_stops *stops, uint64_t length_ns, uint64_t begin_ns)
{
	stops->count++;
	stops->total_ns += length_ns;
	if (length_ns <= stops->longest_ns)
		return;
	stops->longest_ns = length_ns;
	stops->longest_at_ns = begin_ns;
}

/* Add the stops of another queue or trial. */
static inline void tx_stops_merge(struct tx_stops *sum, const struct tx_stops *more)
{
	sum->count += more->count;
	sum->total_ns += more->total_ns;
	if (more->longest_ns <= sum->longest_ns)
		return;
	sum->longest_ns = more->longest_ns;
	sum->longest_at_ns = more->longest_at_ns;
}

/* Note the first reading of the clock, or one a long time after the last. A long time is a stop; frames that were handed over
 * before it may have waited for its end. */
static inline void tx_pace_look_late(struct tx_pace *pace, uint64_t now_ns, uint64_t frames)
{
	uint64_t before_ns = pace->looked_ns;

	if (!before_ns)
		return;
	pace->late_ns = now_ns;
	pace->gap_ns = now_ns - before_ns;
	pace->gap_frames = frames - pace->looked_frames;
	if (pace->gap_ns > TX_STOP_NS)
		tx_stops_add(&pace->stops, pace->gap_ns, before_ns > pace->start_ns ? before_ns - pace->start_ns : 0);
	if (pace->gap_frames)
		mlr_envelope_delay(&pace->envelope, pace->gap_frames, now_ns - pace->start_ns);
}

/* Note a reading of the clock. `frames` counts the frames of the load that were handed over, modulo 2^64 and from any number on. */
static inline void tx_pace_look(struct tx_pace *pace, uint64_t now_ns, uint64_t frames)
{
	if (now_ns - pace->looked_ns > TX_CALL_USUAL_NS)
		tx_pace_look_late(pace, now_ns, frames);
	pace->looked_frames = frames;
	pace->looked_ns = now_ns;
}

/* Move the schedule if more is behind than a burst can catch up. The next frame is planned for so long after the start.
 * Return by how much the schedule has moved in all. */
static inline uint64_t tx_pace_keep(struct tx_pace *pace, struct tx_schedule *schedule, uint64_t planned_ns, uint64_t now_ns)
{
	uint64_t moved_ns = tx_schedule_moved_ns(schedule), due_ns = planned_ns + moved_ns, surplus_ns;

	now_ns -= pace->start_ns;
	if (!pace->has_recovered &&
	    ((int64_t)(now_ns - due_ns) < 0 || (now_ns - due_ns) << (MLR_ENVELOPE_PLACES + 1) <= pace->envelope.catch)) {
		pace->has_recovered = 1;
		pace->is_slow = 0; /* is_slow is 0 already unless has_recovered was 0 */
	}
	if ((int64_t)(now_ns - due_ns) < 0)
		return moved_ns;
	surplus_ns = mlr_envelope_surplus_ns(&pace->envelope, due_ns, now_ns);
	if (!surplus_ns)
		return moved_ns;
	tx_schedule_move(schedule, pace, moved_ns, surplus_ns);
	return tx_schedule_moved_ns(schedule);
}

/* Return when the queue must stop, on a port whose schedule may have moved. A queue that is not too slow may catch up one
 * burst more. */
static inline uint64_t tx_pace_deadline_ns(const struct tx_pace *pace, const struct tx_schedule *schedule,
					   uint64_t deadline_ns)
{
	uint64_t catch_ns = pace->envelope.catch >> MLR_ENVELOPE_PLACES;

	if (pace->is_slow)
		catch_ns = 0;
	else if (catch_ns > TX_CATCH_MOST_NS)
		catch_ns = TX_CATCH_MOST_NS;
	return tx_schedule_deadline_ns(schedule, deadline_ns) + catch_ns;
}

/* Note that a frame departs. Return whether it is to be marked. */
static inline bool tx_pace_take(struct tx_pace *pace, uint64_t departure_ns)
{
	return mlr_envelope_take(&pace->envelope, departure_ns - pace->start_ns);
}
