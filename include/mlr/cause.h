/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header finds where a SUT lost frames, from counters that were observed around trials. The caller owns all structures;
 * every function is pure and keeps nothing. The counters of trials at the Relevant Upper Bound are compared with the frames
 * lost there, and with what they did at the Relevant Lower Bound.
 *
 * A counter that grows by exactly the lost frames is the place where they were lost. What it does not tell is why: that may
 * be a CPU that has no time left, or that works for others. Where no counter fits, none is named.
 */
#ifndef MLR_CAUSE_H
#define MLR_CAUSE_H

#include <stdbool.h>
#include <stddef.h>

#define MLR_CAUSES_MAX 5

/* One observed trial. The arrays have a value for each counter; NAN: not known. */
struct mlr_cause_trial {
	double load_fps;
	double sent, lost;     /* frames; what the tester itself lost is in neither */
	const double *changes; /* growth of the counter from before the trial until after it; for a gauge its maximum */
	const double *levels;  /* growth of a counter in a second while frames were due; for a gauge its mean */
};

/*
 * A counter, by its name. The last part of a name, behind its last '/', says what it counts. Names that mean more:
 *
 *	softnet/cpuN/dropped          frames that found the backlog of CPU N full
 *	cpuN/busy, programs, steal    seconds of CPU N: in all, for programs, and stolen by a hypervisor
 *	cpuN/accounted                seconds of CPU N with what was idle. Shares of a CPU are of these: a virtual machine that is
 *	                              stopped for a while accounts for less time than passed
 *	.../rx_dropped and the like   sums over several places of one link: named after the places themselves
 *	... use, ratio, percent       gauges of which 1, or 100, is all; these are words of the name
 *	interrupt/..., softirq/...    events of a CPU, which are no frames
 *	... drop, discard, err, ...   called after a loss. Where all or half of the frames are lost, and no trial at the Lower Bound
 *	                              tells, counters of traffic equal the loss as well, and only these are named
 */
struct mlr_cause_counter {
	const char *source, *name; /* counters of several sources are never compared with one another */
	bool is_gauge;
};

struct mlr_cause_input {
	const struct mlr_cause_counter *counters;
	size_t counter_count;
	const struct mlr_cause_trial *trials;
	size_t trial_count;
	double lower_fps,
		upper_fps; /* the Relevant Bounds; NAN: none. Without an Upper Bound every trial with loss counts */
};

enum mlr_cause_kind {
	MLR_CAUSE_SHARED,    /* the frames were lost at a CPU which worked for others: programs, or a hypervisor */
	MLR_CAUSE_EXACT,     /* it grew by the lost frames */
	MLR_CAUSE_SATURATED, /* it was at its limit where frames were lost, and not at the Lower Bound */
	/* It grew where frames were lost, and hardly at the Lower Bound. Where no trial tells of the Lower Bound: it is called after a
	 * loss, and grew by nearly the lost frames. */
	MLR_CAUSE_GROWS,
};

struct mlr_cause {
	size_t counter;
	enum mlr_cause_kind kind;
	double change;   /* over the trials with loss */
	double per_lost; /* a lost frame */
	/* means over the trials at each bound; NAN: there is none */
	double lower_level, upper_level, lower_per_frame, upper_per_frame;
};

struct mlr_causes {
	size_t count;
	struct mlr_cause causes[MLR_CAUSES_MAX]; /* the likeliest first */
	/* Number of trials with loss that were used: those nearest above the Upper Bound. */
	size_t trials;
	double lost; /* lost frames in these trials */
	size_t idle; /* number of counters that did not grow in any trial */
};

/* Whether a name, without labels behind a '{', ends with this word of small letters: "pool_use" and "poolUse" with "use", but
 * "tx_pause" not. */
bool mlr_cause_ends_with_word(const char *name, const char *word);

/* Return the causes. -ENOMEM without memory. */
int mlr_cause_find(const struct mlr_cause_input *input, struct mlr_causes *ret);

#endif
