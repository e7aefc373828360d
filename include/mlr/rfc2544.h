/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These are the decisions and computations of the tests in RFC 2544 section 26 other than throughput. The caller owns each
 * structure. A structure is initialised for one test, asked for the next step, and told its outcome, until the test is over.
 *
 * There is the search for the longest burst (26.4, with the figures of RFC 9004). There are the loads of the frame loss rate
 * (26.3), and the times of recovery (26.5) and reset (26.6, RFC 6201). Like a controller, nothing here measures.
 */
#ifndef MLR_RFC2544_H
#define MLR_RFC2544_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- back-to-back frames (26.4, RFC 9004 section 5) ------------------------------------------------------------------- */

/*
 * What is known of how long the SUT needs to be empty again after a burst. One serves all searches of a frame size.
 *
 * A buffer drains, and a bucket of tokens fills, at a rate that no trial at a constant load shows. So a silence that looks
 * long enough may give the SUT less than one frame of room, and the longest burst looks too small. A burst that lost frames
 * took all room that there was. So what the SUT forwards of the next one is the room that came back in the silence between.
 * If it forwards no more after a silence twice as long, the room was all there. If it forwards more, the SUT was not empty.
 */
struct mlr_burst_rest {
	double forwarded_fps; /* the throughput: the SUT forwards what it keeps of a burst at least as fast, by what is known */
	double refill_fps;    /* rate at which room came back in a silence, as far as is known */
	uint64_t taken_frames; /* received of the last burst */
	bool is_drained;       /* the last burst lost frames: the SUT had no room after it */
	double full_s;  /* silence that gave more room than a shorter one, or as much as a longer one; 0: none was seen */
	bool is_proven; /* a longer silence than the usual one gave no more room, */
	uint64_t proven_frames; /* at this longest burst without loss */
	bool is_unsettled;      /* the longest silence still gave more room, or less than a burst before had */
	/* The burst that was sent after silences of growing length, and the last two of them, the longer one first. */
	struct mlr_burst_evidence {
		uint64_t frames; /* 0: there is none */
		uint64_t received[2];
		double silence_s[2];
	} evidence;
};

/* Begin without knowledge, but for the throughput. */
void mlr_burst_rest_init(struct mlr_burst_rest *ret, double throughput_fps);

/*
 * The search for the longest burst without loss, exact to one frame. It begins with a short burst, which doubles while
 * nothing is lost. Then the longest burst without loss and the shortest with loss come nearer to each other. The next burst has
 * as many frames as were received of the last one, or one more than was kept, or it is the middle. If the SUT loses nothing of
 * the longest allowed burst, the search ends there.
 *
 * A burst of which less arrives than the SUT has kept is not believed, nor is the end of the search. The same burst is sent
 * again, after a silence of at least 2 s, and then after ones twice as long each, until no more of it arrives. If it is kept
 * then, the SUT was not empty, and the search goes on with longer silences.
 *
 * After a burst without loss, the silence is as short as the rate allows at which room came back. A burst that loses frames then
 * is sent again, after the silence that is enough for a SUT without room.
 */
struct mlr_burst_search {
	struct mlr_burst_rest *rest;
	uint64_t most_frames;    /* the longest burst allowed */
	uint64_t next_frames;    /* the burst that is asked for; 0: the search is over */
	uint64_t kept_frames;    /* the longest burst without loss so far; 0: none */
	uint64_t lossy_frames;   /* the shortest burst with loss so far; 0: none */
	uint64_t missing_frames; /* lost of the last burst */
	bool is_guess;           /* the burst that is asked for is as long as what was received of the last one */
	bool is_slow;            /* the last burst left more than half of the interval: the next one is its middle */
	/* Whether the burst that is asked for is sent again, after silences of growing length. */
	struct mlr_burst_check {
		bool is_running;
		bool is_last;           /* the search is over if the burst loses frames again */
		unsigned int performed; /* bursts of it that were sent to a SUT that had no room */
		double silence_s;       /* silence before the last of them */
		uint64_t received;      /* frames received of it, */
		uint64_t most_received; /* and of the best of them */
	} check;
};

/* Begin a search with bursts of `first_frames`, which is at least 1 and at most `most_frames`. `rest` is the caller's. */
void mlr_burst_search_init(struct mlr_burst_search *ret, struct mlr_burst_rest *rest, uint64_t first_frames,
			   uint64_t most_frames);
/* Return the next burst in frames. It is 0 once kept_frames is the Back-to-back Frames value of this test. */
uint64_t mlr_burst_search_next(const struct mlr_burst_search *search);
/* Return how long the SUT must have been left alone before that burst. */
double mlr_burst_search_silence_s(const struct mlr_burst_search *search);
/* Record how many frames of the asked burst were received, and how long the silence before it was. */
void mlr_burst_search_add(struct mlr_burst_search *search, uint64_t received_frames, double silence_s);
/* Record that the tester spoilt the asked burst, of which so many frames were received. It is still asked for. */
void mlr_burst_search_spoil(struct mlr_burst_search *search, uint64_t received_frames);

/* The summary of N tests by RFC 9004 section 6. A member that does not exist is NAN. */
struct mlr_burst_summary {
	double average_frames; /* the benchmark */
	double stdev_frames;   /* standard deviation of the sample; NAN for less than two tests */
	uint64_t min_frames, max_frames;
	double implied_buffer_time_s;   /* the duration of the average burst at the burst rate */
	double corrected_buffer_time_s; /* the same, less the frames that the SUT forwarded during the burst */
};

/* Summarise the values of `count` tests. `burst_rate_fps` is the Max Theoretical Frame Rate, or the rate at which bursts
 * were really sent. An unknown throughput is NAN. */
struct mlr_burst_summary mlr_burst_summarize(const uint64_t *values_frames, size_t count, double burst_rate_fps,
					     double throughput_fps);

/* --- frame loss rate (26.3) --------------------------------------------------------------------------------------- */

/* The loads of the frame loss rate. They begin at 100 % of the maximum rate and go down by one step, until two successive
 * trials lost nothing. Where a step is too long for that, the search goes down from the forwarded rate by a tenth or a
 * hundredth of a step. */
struct mlr_loss_steps {
	double step_ratio;      /* the step as a ratio of the maximum rate, above 0 and at most 0.1 */
	unsigned int taken;     /* trials done */
	double ratio;           /* the load of the last trial, as a ratio of the maximum rate */
	double forwarded_ratio; /* rate forwarded there, as a ratio of the maximum rate */
	unsigned int loss_free_in_a_row;
};

/* Return the next load as a ratio of the maximum rate. It is 0 when the test is over: after two loss-free trials, or if
 * there is no lower load, or if nothing was forwarded. */
double mlr_loss_steps_next(const struct mlr_loss_steps *steps);
/* Record the outcome of that load. `loss_ratio` is 0 if and only if nothing was lost. */
void mlr_loss_steps_add(struct mlr_loss_steps *steps, double loss_ratio);
/* Whether the test ended as the RFC demands. */
bool mlr_loss_steps_complete(const struct mlr_loss_steps *steps);

/* --- recovery and reset (26.5, 26.6) ------------------------------------------------------------------------------ */

/*
 * Frames of one direction by when they were due. The time from a moment on is divided into parts of equal length. Each part
 * has the number of frames that were due in it and were sent, and how many of those were received at any time. So neither
 * the number of flows nor the order of frames matters.
 */
struct mlr_due_counts {
	const uint64_t *sent, *received; /* `count` parts each; the caller's */
	size_t count;
	double part_s; /* the length of a part */
};

/* Return how many frames were lost of those due in the parts from `from` to before `to`. Parts beyond the last are empty. */
uint64_t mlr_due_lost(const struct mlr_due_counts *counts, size_t from, size_t to);

/* System recovery (26.5). */
struct mlr_recovery {
	bool lost_at_end;    /* frames at the end were lost: the SUT has not recovered, and there is no time */
	double recovery_s;   /* time to the end of the part in which the last lost frame was due; 0: none was lost */
	double resolution_s; /* the length of a part; 0 if no frame was lost */
	uint64_t lost;       /* frames lost in all parts */
};

/* Return the recovery time, where the parts begin with the change of the load. */
struct mlr_recovery mlr_recovery_of(const struct mlr_due_counts *counts);

/* How long after the end of its cause a reset begins at the latest, if there are no others; and how soon a reset begins that is
 * told from them. */
#define MLR_RESET_SOON_S   1.0
#define MLR_RESET_LATEST_S 10.0

/* How long a reset took in one direction (26.6, RFC 6201). */
struct mlr_reset {
	bool seen; /* frames that were due for a time did not arrive */
	bool over; /* frames came again before the trial ended */
	uint64_t from_ns, to_ns;
	uint64_t resolution_ns; /* the length of a part */
	uint64_t lost;          /* frames lost of those due from the cause on, whatever lost them */
	/* Number of outages from the cause on. If several can be of the reset, this is the longest of them. */
	unsigned int outages;
	/* The longest outage that cannot be of the reset; 0: there was none. */
	uint64_t unrelated_from_ns, unrelated_to_ns;
};

/* When what causes a reset happens. */
struct mlr_reset_cause {
	uint64_t from_ns;
	uint64_t to_ns; /* UINT64_MAX: it may happen at any time */
};

/*
 * Find the outage of a reset. An outage is parts in a row of which no frame arrived, at whatever time. At least half of the
 * frames that the mean load sends in so long were lost. So neither a stop of the tester, in which nothing was due, nor a SUT
 * that delays frames is an outage, and nobody has to look at the right moment. The parts of `counts` begin at `start_ns`.
 *
 * A command that resets a SUT acts while it runs, or starts what acts soon after. So the outage is the longest that begins
 * between the begin of the cause and MLR_RESET_SOON_S after its end. If there is none, it is the first one that begins up to
 * MLR_RESET_LATEST_S after its end. What begins later is unrelated, however long it is.
 */
struct mlr_reset mlr_reset_of(const struct mlr_due_counts *counts, uint64_t start_ns, const struct mlr_reset_cause *cause);

/* The time for which one direction was blocked, as CSIT defines it: the time that the lost frames take at the load of the
 * direction. So while half of the frames are lost, it is blocked for half of the time. */
struct mlr_blocked {
	uint64_t lost;
	double blocked_s;    /* 0: nothing was lost */
	double from_s, to_s; /* the ends of the first and the last part with lost frames, at least so far apart; NAN without any */
	bool lasts;          /* frames of the last part in which any were due were lost: the end is not known */
};

/* Find what was lost of the frames that were due from `since_s` on, which is a time since the first part began. Neither a stop of
 * the tester counts, in which nothing was due, nor whether the frames of a direction come together, as in a mesh. */
struct mlr_blocked mlr_blocked_of(const struct mlr_due_counts *counts, double load_fps, double since_s);

#endif
