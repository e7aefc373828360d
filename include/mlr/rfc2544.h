/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What RFC 2544 section 26 asks for beside throughput, as far as it decides and computes: the search for the longest burst
 * (26.4, with the figures of RFC 9004), the loads of the frame loss rate (26.3), and when frames stopped being lost or
 * arriving (26.5, 26.6 with RFC 6201). As with controllers, nothing here measures: it is asked, and told the answer.
 */
#ifndef MLR_RFC2544_H
#define MLR_RFC2544_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- back-to-back frames (26.4, RFC 9004 section 5) ------------------------------------------------------------------- */

/*
 * The longest burst without loss, to the frame: a short burst first, twice as long while nothing is lost, then the middle
 * between the longest that was kept and the shortest that was not. A SUT that keeps the longest burst allowed ends it there.
 */
struct mlr_burst_search {
	uint64_t most_frames;  /* the longest burst allowed */
	uint64_t next_frames;  /* the burst asked for; 0: the search is over */
	uint64_t kept_frames;  /* the longest burst without loss so far; 0: none */
	uint64_t lossy_frames; /* the shortest burst with loss so far; 0: none */
};

/* Begin with bursts of `first_frames`, at least 1 and at most `most_frames`. */
void mlr_burst_search_init(struct mlr_burst_search *ret, uint64_t first_frames, uint64_t most_frames);
/* The next burst (frames), 0 once kept_frames is the Back-to-back Frames value of this test. */
uint64_t mlr_burst_search_next(const struct mlr_burst_search *search);
/* Whether the burst that was asked for lost frames. */
void mlr_burst_search_add(struct mlr_burst_search *search, bool lost);

/* What RFC 9004 section 6 makes of the values of N tests. What does not exist is NAN. */
struct mlr_burst_summary {
	double average_frames; /* the benchmark */
	double stdev_frames;   /* of the sample; NAN for less than two tests */
	uint64_t min_frames, max_frames;
	double implied_buffer_time_s;   /* the average burst at the burst rate */
	double corrected_buffer_time_s; /* less what the SUT forwarded meanwhile */
};

/* `burst_rate_fps` is the Max Theoretical Frame Rate, or the rate at which bursts were really sent. A throughput of NAN is
 * not known. */
struct mlr_burst_summary mlr_burst_summarize(const uint64_t *values_frames, size_t count, double burst_rate_fps,
					     double throughput_fps);

/* --- frame loss rate (26.3) --------------------------------------------------------------------------------------- */

/* 100 % of the maximum rate, then one step less each, until two successive trials lost nothing. Where a step is too long for
 * that, those below it are a tenth, or a hundredth of it, from what the SUT forwarded downwards. */
struct mlr_loss_steps {
	double step_ratio;      /* of the maximum rate, above 0 and at most 0.1 */
	unsigned int taken;     /* trials done */
	double ratio;           /* the load of the last one, */
	double forwarded_ratio; /* and how much of the maximum rate came through */
	unsigned int loss_free_in_a_row;
};

/* The next load as a ratio of the maximum rate; 0: it is over, either because of two loss-free trials or because there is no
 * lower load, or nothing came through. */
double mlr_loss_steps_next(const struct mlr_loss_steps *steps);
/* That load was tried. `loss_ratio` is 0 if, and only if, it lost nothing. */
void mlr_loss_steps_add(struct mlr_loss_steps *steps, double loss_ratio);
/* Whether it ended as the RFC wants it to. */
bool mlr_loss_steps_complete(const struct mlr_loss_steps *steps);

/* --- recovery and reset (26.5, 26.6) ------------------------------------------------------------------------------ */

/*
 * A watch on the receiver's counters during a trial. Counters are looked at now and then, so every moment is known to lie
 * between two looks: what is told is the later one, and the resolution is the time between the two.
 */
struct mlr_watch {
	uint64_t last_ns;  /* the last look; 0: none yet */
	uint64_t received; /* then */
	uint64_t missing;  /* then */
	/* frames were last found to be missing between these looks: */
	uint64_t loss_from_ns, loss_ns; /* 0: never */
	/* a frame was last found to have arrived between these looks: */
	uint64_t arrival_from_ns, arrival_ns; /* 0: never */
	/* the longest time in which nothing arrived, and within what it is known: */
	uint64_t outage_from_ns, outage_to_ns, outage_resolution_ns;
};

/* One look: frames received so far, and frames known so far to be missing, by gaps in the sequence numbers of those that
 * came after them. Times go up. */
void mlr_watch_add(struct mlr_watch *watch, uint64_t now_ns, uint64_t received, uint64_t missing);

/* System recovery (26.5). */
struct mlr_recovery {
	bool lost_at_end;  /* frames at the very end are lost: it has not recovered, and there is no time */
	double recovery_s; /* from the change of the load to the last lost frame; 0 where none was lost after it */
	double resolution_s;
};

/* The load changed at `change_ns`; `lost` frames of the whole trial did not arrive, `reordered` ones arrived late, so that
 * they were taken for missing before. */
struct mlr_recovery mlr_watch_recovery(const struct mlr_watch *watch, uint64_t change_ns, uint64_t lost, uint64_t reordered);

/* The reset value (26.6): how long nothing arrived, in seconds; NAN where frames never came again before the trial ended, or
 * none came at all. `end_ns` is when the last frame was sent. */
double mlr_watch_outage_s(const struct mlr_watch *watch, uint64_t end_ns);
/* Whether the longest time in which nothing arrived is more than that nobody looked. */
bool mlr_watch_outage_seen(const struct mlr_watch *watch);

#endif
