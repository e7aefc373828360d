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
 * The search for the longest burst without loss, exact to one frame. It begins with a short burst, which doubles while
 * nothing is lost. Then it takes the middle between the longest burst without loss and the shortest with loss. If the SUT
 * loses nothing of the longest allowed burst, the search ends there.
 */
struct mlr_burst_search {
	uint64_t most_frames;  /* the longest burst allowed */
	uint64_t next_frames;  /* the burst that is asked for; 0: the search is over */
	uint64_t kept_frames;  /* the longest burst without loss so far; 0: none */
	uint64_t lossy_frames; /* the shortest burst with loss so far; 0: none */
};

/* Begin a search with bursts of `first_frames`, which is at least 1 and at most `most_frames`. */
void mlr_burst_search_init(struct mlr_burst_search *ret, uint64_t first_frames, uint64_t most_frames);
/* Return the next burst in frames. It is 0 once kept_frames is the Back-to-back Frames value of this test. */
uint64_t mlr_burst_search_next(const struct mlr_burst_search *search);
/* Record whether the asked burst lost frames. */
void mlr_burst_search_add(struct mlr_burst_search *search, bool lost);

/* The shortest burst with loss was sent again after a longer pause and lost nothing. So it is kept, and the search goes on. */
void mlr_burst_search_go_on(struct mlr_burst_search *search);

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

/* How long a reset took in one direction (26.6, RFC 6201). */
struct mlr_reset {
	bool seen; /* frames that were due for a time did not arrive */
	bool over; /* frames came again before the trial ended */
	uint64_t from_ns, to_ns;
	uint64_t resolution_ns; /* the length of a part */
	uint64_t lost;          /* frames lost of those due from `since_ns` on */
	/* Number of outages, of which this is the longest; with several, the cause of each is unknown. */
	unsigned int outages;
};

/* Find the longest outage: parts in a row of which no frame arrived, at whatever time. At least half of the frames that the mean load
 * sends in so long were lost. So neither a stop of the tester, in which nothing was due, nor a SUT that delays frames is an outage, and
 * nobody has to look at the right moment. The parts of `counts` begin at `start_ns`; what causes the reset begins at `since_ns`. */
struct mlr_reset mlr_reset_of(const struct mlr_due_counts *counts, uint64_t start_ns, uint64_t since_ns);

/* The time for which one direction was blocked, as CSIT defines it: the time that the lost frames take at the load of their
 * part. So a part that lost half of its frames was blocked for half of its time. */
struct mlr_blocked {
	uint64_t lost;
	double blocked_s;    /* 0: nothing was lost */
	double from_s, to_s; /* the ends of the first and the last part with lost frames; NAN without any */
	bool lasts;          /* frames of the last part in which any were due were lost: the end is not known */
};

/* Find what was lost of the frames that were due from `since_s` on, which is a time since the first part began. */
struct mlr_blocked mlr_blocked_of(const struct mlr_due_counts *counts, double since_s);

#endif
