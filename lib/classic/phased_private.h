/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header has the inside of the phased controller (draft-ietf-bmwg-mlrsearch-01). The controller owns the results; the
 * functions here are pure and keep nothing. They are called for each decision.
 *
 *	phased.c		the initial phase (4.2), the order of phases and of target loss ratios (4.3, point 1), the results
 *	phased_select.c		the calculation of a new load (4.3, point 2) from what was measured
 *
 * Widths are logarithmic (5.1). The width of an interval is the natural logarithm of its upper bound divided by its lower
 * one, so a relative width w is -ln(1 - w). What does not exist is NAN.
 */
#ifndef MLR_PHASED_PRIVATE_H
#define MLR_PHASED_PRIVATE_H

#include "mlr/controller.h"

/* Widths that are multiplied are made this much narrower, so that rounding never makes an interval one goal too wide. */
#define MLR_PHASED_ROUNDING 0.999999
/* Two widths are the same if they differ by less than this, in goals. */
#define MLR_PHASED_TOLERANCE 1e-5
/* Two loads are the same if they are nearer than this (logarithmic). So rounding never repeats a trial. */
#define MLR_PHASED_SAME 1e-5

/* Whether the algorithm can serve these goals with these parameters. */
bool mlr_phased_accepts(const struct mlr_phased_parameters *parameters, const struct mlr_controller_input *input);

/* Return Trial Duration and width goal of a phase. The non-initial phases are numbered from 0, and the final one is
 * parameters->intermediate_phases. Trial Durations are geometric from the initial to the final one (4.3, 1.1). Width goals
 * double for each phase before the final one (4.3, 1.2). */
double mlr_phased_duration_s(const struct mlr_phased_parameters *parameters, const struct mlr_goal *goal,
			     unsigned int phase);
double mlr_phased_width(const struct mlr_phased_parameters *parameters, const struct mlr_goal *goal, unsigned int phase);

/* Return how near two loads must be to count as one for this width goal. It is always less than half of the goal. */
double mlr_phased_same(double width);
/* Return the load itself. If it is beyond the least or largest load, or counts as one with it, return that one. */
double mlr_phased_within(double load_fps, double min_load_fps, double max_load_fps, double width);

/* The trials of one duration. */
struct mlr_phased_level {
	const struct mlr_results *results;
	double duration_s;
	double forgotten_fps; /* the first of these trials at this load does not count; 0: all count */
};

/* The tightest and second tightest bounds at one duration, by effective loss ratio. That is the largest loss ratio measured
 * at that duration at the load itself or below it. */
struct mlr_phased_bounds {
	double lower_fps;
	double upper_fps;
	double second_lower_fps;
	double second_upper_fps;
};

struct mlr_phased_bounds mlr_phased_bounds(const struct mlr_phased_level *level, double loss_ratio);

/* Return the largest loss ratio measured at this load. */
double mlr_phased_loss_ratio(const struct mlr_phased_level *level, double load_fps);

/* What the choice of a load depends on, for one target loss ratio. */
struct mlr_phased_question {
	double min_load_fps;
	double max_load_fps;
	double width;     /* the width goal of this phase, logarithmic */
	double expansion; /* coefficient of the external search */
	struct mlr_phased_bounds current;
	/* Bounds at the duration of the previous phase; where both durations are equal, they change nothing. */
	struct mlr_phased_bounds previous;
};

/* Return the load to measure next, and the rule that chose it. NAN means that this target loss ratio needs nothing more in
 * this phase. */
double mlr_phased_select(const struct mlr_phased_question *question, const char **ret_rule);

#endif
