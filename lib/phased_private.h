/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of the phased controller (draft-ietf-bmwg-mlrsearch-01):
 *
 *	phased.c		the initial phase (4.2), the order of phases and of target loss ratios (4.3, point 1), the
 *results phased_select.c		the calculation of a new load (4.3, point 2), as a pure function of what was measured
 *
 * Widths are logarithmic (5.1): the width of an interval is the natural logarithm of its upper bound divided by its lower
 *one, so a relative width w is -ln(1 - w). What does not exist is NAN.
 */
#ifndef MLR_PHASED_PRIVATE_H
#define MLR_PHASED_PRIVATE_H

#include "mlr/controller.h"

/* Widths that are multiplied become this much narrower, so that no rounding makes an interval one goal too wide. */
#define MLR_PHASED_ROUNDING 0.999999
/* Widths that differ by less, in goals, are one width. */
#define MLR_PHASED_TOLERANCE 1e-5

/* Whether the algorithm can serve these goals with these parameters. */
bool mlr_phased_accepts(const struct mlr_phased_parameters *parameters, const struct mlr_controller_input *input);

/* The non-initial phases are numbered from 0; the final one is parameters->intermediate_phases. Trial durations are
 * geometric from the initial to the final one (4.3, 1.1), width goals double for each phase before the final one (4.3, 1.2).
 */
double mlr_phased_duration_s(const struct mlr_phased_parameters *parameters, const struct mlr_goal *goal,
			     unsigned int phase);
double mlr_phased_width(const struct mlr_phased_parameters *parameters, const struct mlr_goal *goal, unsigned int phase);

/* The trials of one duration. */
struct mlr_phased_level {
	const struct mlr_results *results;
	double duration_s;
	double forgotten_fps; /* the first of these trials at this load does not count; 0 where none is forgotten */
};

/* The tightest and second tightest bounds at one duration, by effective loss ratio: the largest loss ratio measured at that
 * duration at the load itself or below. */
struct mlr_phased_bounds {
	double lower_fps;
	double upper_fps;
	double second_lower_fps;
	double second_upper_fps;
};

struct mlr_phased_bounds mlr_phased_bounds(const struct mlr_phased_level *level, double loss_ratio);

/* The largest loss ratio measured at this load. */
double mlr_phased_loss_ratio(const struct mlr_phased_level *level, double load_fps);

/* What the choice of a load for one target loss ratio depends on. */
struct mlr_phased_question {
	double min_load_fps;
	double max_load_fps;
	double width;     /* the width goal of this phase, logarithmic */
	double expansion; /* coefficient of the external search */
	struct mlr_phased_bounds current;
	struct mlr_phased_bounds
		previous; /* at the duration of the previous phase; where it is the same, they change nothing */
};

/* The load to measure next and the rule that chose it, or NAN: this target loss ratio needs nothing more in this phase. */
double mlr_phased_select(const struct mlr_phased_question *question, const char **ret_rule);

#endif
