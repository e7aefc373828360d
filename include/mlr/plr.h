/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PLRsearch, the soak test (draft-vpolak-bmwg-plrsearch-02), estimates the load at which a SUT loses a target ratio of
 * frames in the long run. The caller owns the search, and copies of all inputs; the search owns its time line. It lives from
 * mlr_plr_new() to mlr_plr_free(), and goes through this loop:
 *
 *	mlr_plr_next(plr, &input);
 *	measure(&input, &result, &counts);
 *	mlr_plr_add(plr, &result, &counts);
 *	mlr_plr_estimate(plr, &estimate);
 *
 * The estimate has an error bar. It comes from Bayesian inference over two fitting functions; docs/internals/plrsearch.md
 * explains it.
 *
 * The search never ends by itself. The caller decides when to stop, by time or by mlr_plr_sharp(). It uses no clock and no
 * randomness, so the same results always lead to the same questions and estimates, to the last bit. mlr_plr_add() does all
 * the work; the other calls are cheap.
 */
#ifndef MLR_PLR_H
#define MLR_PLR_H

#include <stdbool.h>
#include <stddef.h>

#include "mlr/trial.h"

struct mlr_plr;

/* The shape of the loss rate as a function of the load (5.3). */
enum mlr_plr_fitting {
	MLR_PLR_STRETCH, /* 5.3.1, the primitive of the logistic function */
	MLR_PLR_ERF,     /* 5.3.2, the double primitive of the Gaussian */
	MLR_PLR_FITTINGS,
};

/* Return "stretch" or "erf". */
const char *mlr_plr_fitting_name(enum mlr_plr_fitting fitting);

struct mlr_plr_parameters {
	double min_load_fps;      /* > 0 */
	double max_load_fps;      /* above min_load_fps */
	double target_loss_ratio; /* above 0 and below 1 */
	double first_duration_s;  /* Trial Duration of the first trial, > 0 */
	double duration_step_s;   /* time by which each further trial is longer, >= 0 */
	unsigned int
		scan_every; /* one trial in so many looks below the critical load and is not used for the estimate; 0: none */
};

#define MLR_PLR_TARGET_LOSS_RATIO 1e-7
#define MLR_PLR_FIRST_DURATION_S  5.1
#define MLR_PLR_DURATION_STEP_S   0.1
#define MLR_PLR_SCAN_EVERY        5

/* Begin a search. Returns 0, -ENOMEM, or -EINVAL if a parameter is out of range. The caller frees it by mlr_plr_free(). */
int mlr_plr_new(const struct mlr_plr_parameters *parameters, struct mlr_plr **ret);
void mlr_plr_free(struct mlr_plr *plr);

/* Return the next trial (5.6). Its load lies between Min and Max Load, both inclusive. A second call without mlr_plr_add()
 * returns the same trial. */
void mlr_plr_next(const struct mlr_plr *plr, struct mlr_trial_input *ret);

/* The counts of a trial, over all ports and directions. Where unsent frames count as loss (tester-limited), `offered_frames`
 * counts the intended frames, and `lost_frames` includes the unsent ones. */
struct mlr_plr_counts {
	double offered_frames; /* > 0 */
	double lost_frames;    /* 0 to offered_frames, both inclusive */
};

/* Add the result of a trial, whether the search asked for it or not. If `counts` is NULL they are derived: load times
 * duration frames were offered, and the Trial Loss Ratio of them were lost. Returns 0 or -ENOMEM. Returns -EINVAL and
 * changes nothing if the result breaks mlr_trial_result_valid(), the counts break their ranges, or the load is outside Min
 * and Max Load. */
int mlr_plr_add(struct mlr_plr *plr, const struct mlr_trial_result *result, const struct mlr_plr_counts *counts);

/* What is known of the critical load: mean and standard deviation of its posterior, clipped to Min and Max Load. */
struct mlr_plr_moments {
	double mean_fps;
	double stdev_fps;
};

/* Whether the SUT changed during the measurement. It is the slope of mrr over time, by weighted regression of the residuals
 * of all trials. It is never part of the estimate. Members are NAN with fewer than MLR_PLR_TREND_TRIALS trials. */
struct mlr_plr_trend {
	double slope_fps_per_s;
	double stdev_fps_per_s;
	double p_value; /* the probability that without a trend the slope is at least as steep, in either direction */
};

#define MLR_PLR_TREND_TRIALS  10
#define MLR_PLR_TREND_P_VALUE 0.001 /* a smaller p_value is called a trend */

/* A trial is an anomaly if its result was very improbable for each fitting function that knew all trials before it. Very
 * improbable means: a result at least as extreme on that side has a probability below this. */
#define MLR_PLR_ANOMALY_PROBABILITY 1e-6

/*
 * How often the loss ratio crosses the target, by all trials up to the critical load. Both fitting functions rise with the
 * load and cross it once, whatever the SUT does. So some trials (scan_every) look below the critical load, where the
 * estimate expects no loss.
 */
struct mlr_plr_crossings {
	enum {
		MLR_PLR_CROSSES_ONCE,    /* no trial says otherwise */
		MLR_PLR_NEVER_BELOW,     /* some loads lose more than the target, and no load was found to lose less */
		MLR_PLR_CROSSES_SEVERAL, /* some load loses more than the target, and a larger one does not */
		MLR_PLR_CROSSES_UNTOLD,  /* far below the critical load losses are as many as the target, within chance */
	} kind;
	/* if never: the smallest loss ratio of a group of near loads, where enough frames were sent to tell it from the
	 * target. If untold: that of all loads far below */
	double least_loss_ratio, least_load_fps, least_offered_frames, least_lost_frames;
	/* if several: the first crossing is between these loads; NAN: no load below it was found to lose less */
	double lowest_above_fps, lowest_below_fps;
	double again_fps; /* if several: a larger load at which the target is met again */
	/* for every kind: the widest range of loads without a trial; NAN where nothing lies below */
	double untried_from_fps, untried_to_fps;
};

/* The estimate from all trials so far. Without trials it comes from the priors alone. */
struct mlr_plr_estimate {
	struct mlr_plr_moments fittings[MLR_PLR_FITTINGS];
	struct mlr_plr_moments together; /* the equal-weight mixture; its variance includes the difference of the means */
	double log_evidence[MLR_PLR_FITTINGS]; /* if one is larger by 5 or more, that shape fits the trials far better */
	double min_load_probability; /* the probability that the critical load is at or below Min Load, by the mixture */
	double max_load_probability; /* the probability that it is at or above Max Load */
	struct mlr_plr_trend trends[MLR_PLR_FITTINGS];
	struct mlr_plr_trend trend; /* the less significant of the two */
	/* Whether at least one fitting function foresees the losses (a posterior predictive check). `misfit` says how much
	 * more the trials deviate from it than Poisson losses would, in standard deviations of Poisson losses. The model
	 * fits up to MLR_PLR_MISFIT_MOST. Where it does not fit, `together` claims too small an error. */
	bool model_fits;
	double misfit;
	double dispersion;       /* factor by which a lost frame tells less than a Poisson one; 1 if the model fits */
	double robust_stdev_fps; /* the error of together.mean_fps, whether the model fits or not (docs/internals/plrsearch.md) */
	struct mlr_plr_crossings crossings;
	size_t trial_count;
	size_t anomaly_count;
};

#define MLR_PLR_MISFIT_MOST 5.0
#define MLR_PLR_LIKELY                                                                                                      \
	0.9 /* if min_load_probability is above this, the estimate is Min Load, and no larger load is the answer; Max Load alike */

void mlr_plr_estimate(const struct mlr_plr *plr, struct mlr_plr_estimate *ret);

/* Whether the estimate `together` is sharp. The four opening trials and the first scans must be over, and robust_stdev_fps
 * must be at most this ratio of the mean. */
bool mlr_plr_sharp(const struct mlr_plr *plr, double stdev_ratio);

/* One point of the time line: a trial, and the estimates after it. */
struct mlr_plr_step {
	struct mlr_trial_input input;
	struct mlr_plr_counts counts;
	double end_s; /* the sum of all Trial Effective Durations up to the end of this trial */
	struct mlr_plr_moments fittings[MLR_PLR_FITTINGS]; /* the estimates after this trial */
	struct mlr_plr_moments together;
	double tail_probability
		[MLR_PLR_FITTINGS]; /* the probability, before the trial, of a result at least as extreme on that side */
	bool anomaly;
	bool scan; /* the trial looked below the critical load, and is not used for the estimate */
};

/* Return the time line: *ret_count steps in the order in which they were added. `plr` owns it, and it is valid until the
 * next mlr_plr_add(). */
const struct mlr_plr_step *mlr_plr_timeline(const struct mlr_plr *plr, size_t *ret_count);

/* --- the fitting functions as such ---------------------------------------------------------------------------------- */

/* Return the natural logarithm of the average loss rate (frames/s) that a fitting function foresees at a load (5.3). All
 * three loads are in frames/s and above 0. The result can exceed the logarithm of the load itself where spread is near
 * mrr. */
double mlr_plr_log_loss_rate(enum mlr_plr_fitting fitting, double load_fps, double mrr_fps, double spread_fps);

/* Return the load at which the fitted loss ratio equals the target, clipped to Min and Max Load. It is Min Load if the
 * fitted ratio is above the target at every load. */
double mlr_plr_critical_load(enum mlr_plr_fitting fitting, double mrr_fps, double spread_fps,
			     const struct mlr_plr_parameters *parameters);

#endif
