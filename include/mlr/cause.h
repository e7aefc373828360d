/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header finds where a SUT lost frames, from counters that were observed around trials. The caller owns all structures;
 * every function is pure and keeps nothing. The counters of trials at the Relevant Upper Bound are compared with the frames
 * lost there, and with what they did at the Relevant Lower Bound.
 *
 * A counter that grows by exactly the lost frames is the place where they were lost. What it does not tell is why: that may
 * be a CPU that has no time left, or that works for others. Where no counter fits, none is named. The rules:
 *
 *	Words. A name is read as words (cause/cause_names.h). Only words of loss make it one that is called after a loss.
 *	Chance. Less than 100 lost frames must agree exactly, more by 1 %. What grew without agreeing is told from 20 events on.
 *	Lower Bound. What grows with the load, loss or not, is no cause: it must be quiet there, but for what goes with loss there.
 *	        Where nearly as much is lost there, a counter called after a loss must hold the same part of both losses.
 *	Background. What a counter called after a loss does at the Lower Bound beside the loss is subtracted, if it is less than half
 *	        of the loss.
 *	Families. Counters whose names differ in numbers only are also judged as one, by their sum.
 *	Splits. Where no counter agrees, all that are called after a loss, or two of them, may add up to it: two must by 0.1 %. Two that
 *	        grew by the same may count the same frames, and are no sum.
 *	Directions. A counter called after a loss may agree with the frames lost in one direction. Where both lost nearly as many, it
 *	        must be exact, and differ from the other.
 *	Not known. A counter that is not known in the trials at the Upper Bound is judged by those above it.
 */
#ifndef MLR_CAUSE_H
#define MLR_CAUSE_H

#include <stdbool.h>
#include <stddef.h>

#define MLR_CAUSES_MAX    5
#define MLR_CAUSE_LARGEST 3 /* members of a family that are named */

/* One observed trial. The arrays have a value for each counter; NAN: not known. */
struct mlr_cause_trial {
	double load_fps;
	double sent, lost;     /* frames; what the tester itself lost is in neither */
	const double *changes; /* growth of the counter from before the trial until after it; for a gauge its maximum */
	const double *levels;  /* growth of a counter in a second while frames were due; for a gauge its mean */
	double lost_of_direction[2]; /* the same frames by direction, of which the sum is `lost`; 0: not known */
};

/*
 * A counter, by its name. The last part of a name, behind its last '/', says what it counts. Names that mean more:
 *
 *	softnet/cpuN/dropped          frames that found the backlog of CPU N full
 *	cpuN/busy, programs, steal    seconds of CPU N: in all, for programs, and stolen by a hypervisor
 *	cpuN/accounted                seconds of CPU N with what was idle. Shares of a CPU are of these: a virtual machine that is
 *	                              stopped for a while accounts for less time than passed
 *	.../rx_dropped and the like   sums over several places of one link: named after the places themselves
 *	... use, ratio, percent       gauges of which 1, or 100, is all, if they tell neither what is idle nor what is free
 *	interrupt/..., softirq/...    events of a CPU, which are no frames
 *	... drop, discard, err, ...   called after a loss, by a word. Where all frames are lost, or a half, third, ... of them, and no trial at
 *	                              the Lower Bound tells, counters of traffic equal the loss as well, and only these are named
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
	/* It grew where frames were lost, and hardly at the Lower Bound. If no trial tells of the Lower Bound, its name
	 * must be that of a loss, and it grew by nearly the lost frames. */
	MLR_CAUSE_GROWS,
	MLR_CAUSE_PART,      /* a part of the loss: all parts add up to the lost frames */
	MLR_CAUSE_DIRECTION, /* it grew by the frames lost in one direction */
};

struct mlr_cause {
	size_t counter; /* of a family the one that grew most */
	enum mlr_cause_kind kind;
	double change;     /* over the trials with loss */
	double background; /* growth in these as without loss; 0: none */
	double per_lost;   /* a lost frame, without the background */
	/* means over the trials at each bound; NAN: there is none */
	double lower_level, upper_level, lower_per_frame, upper_per_frame;
	/* The trials with loss in which it is known, and the frames lost in these. */
	size_t trials;
	double lost;
	size_t direction; /* whose lost frames it grew by */
	/* A family: how many counters there are (0: it is a counter alone), and those that grew most. */
	size_t members, largest[MLR_CAUSE_LARGEST], largest_count;
	double largest_changes[MLR_CAUSE_LARGEST];
};

struct mlr_causes {
	size_t count;
	struct mlr_cause causes[MLR_CAUSES_MAX]; /* the likeliest first */
	/* Number of trials with loss that were used: those nearest above the Upper Bound. */
	size_t trials;
	double lost;  /* lost frames in these trials */
	size_t parts; /* counters and families that add up to them; 0: none do */
	size_t idle;  /* number of counters that are known in all trials, and did not grow in any */
};

/* Whether a name, without labels behind a '{', ends with this word of small letters: "pool_use" and "poolUse" with "use", but
 * "tx_pause" not. */
bool mlr_cause_ends_with_word(const char *name, const char *word);

/* Write the name of a counter's family, with a '*' for each number: "rxq*_drop". */
void mlr_cause_family_name(const char *name, size_t size, char *ret);

/* Return the growth of a counter that appeared within a trial, as those do that are made at their first event. It is all of its
 * last value, if it is called after a loss and its first value is within the lost frames. NAN: from what it grew is not known. */
double mlr_cause_appeared(const char *name, double first, double last, double lost);

/* Whether a counter is called after a loss, as most counters of loss are. */
bool mlr_cause_name_is_of_loss(const char *name);

/* Return the causes. -ENOMEM without memory. */
int mlr_cause_find(const struct mlr_cause_input *input, struct mlr_causes *ret);

#endif
