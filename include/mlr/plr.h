/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PLRsearch, the soak test (draft-vpolak-bmwg-plrsearch-02): the load at which a SUT loses a target ratio of the frames in
 * the long run, with an error bar, by Bayesian inference over two fitting functions. docs/soak.md explains it.
 *
 *	mlr_plr_next(plr, &input);
 *	measure(&input, &result, &counts);
 *	mlr_plr_add(plr, &result, &counts);
 *	mlr_plr_estimate(plr, &estimate);
 *
 * It asks for trials for ever: when to stop is the caller's choice, by time or by mlr_plr_sharp(). It knows no clock and no
 * randomness: the same results always lead to the same questions and to the same estimates, to the last bit. All work is
 * done in mlr_plr_add(); the other calls cost nothing to speak of.
 */
#ifndef MLR_PLR_H
#define MLR_PLR_H

#include <stdbool.h>
#include <stddef.h>

#include "mlr/trial.h"

struct mlr_plr;

/* The shapes of the loss rate as a function of the load (5.3). */
enum mlr_plr_fitting {
	MLR_PLR_STRETCH, /* 5.3.1, the primitive of the logistic function */
	MLR_PLR_ERF,     /* 5.3.2, the double primitive of the Gaussian */
	MLR_PLR_FITTINGS,
};

/* "stretch" or "erf". */
const char *mlr_plr_fitting_name(enum mlr_plr_fitting fitting);

struct mlr_plr_parameters {
	double min_load_fps;      /* > 0 */
	double max_load_fps;      /* above min_load_fps */
	double target_loss_ratio; /* above 0 and below 1 */
	double first_duration_s;  /* Trial Duration of the first trial, > 0 */
	double duration_step_s;   /* how much longer each further trial is, >= 0 */
};

#define MLR_PLR_TARGET_LOSS_RATIO 1e-7
#define MLR_PLR_FIRST_DURATION_S  5.1
#define MLR_PLR_DURATION_STEP_S   0.1

/* 0, -ENOMEM, or -EINVAL where a parameter is out of range. The caller frees it. */
int mlr_plr_new(const struct mlr_plr_parameters *parameters, struct mlr_plr **ret);
void mlr_plr_free(struct mlr_plr *plr);

/* The next trial (5.6). Its load lies between Min and Max Load, both inclusive. Asking twice without adding gives the same
 * answer twice. */
void mlr_plr_next(const struct mlr_plr *plr, struct mlr_trial_input *ret);

/* What a tester counted in a trial, over all its ports and directions. Where unsent frames count as loss (tester-limited),
 * `offered` is the frames intended and `lost` includes the unsent ones. */
struct mlr_plr_counts {
	double offered_frames; /* > 0 */
	double lost_frames;    /* 0 to offered_frames, both inclusive */
};

/* Take the result of a trial, asked for or not. Where `counts` is NULL they are derived: load times duration frames were
 * offered, and the Trial Loss Ratio of them lost. 0, -ENOMEM, or -EINVAL if the result breaks the ranges of
 * mlr_trial_result_valid(), the counts break theirs, or the load lies outside Min and Max Load; then nothing has changed. */
int mlr_plr_add(struct mlr_plr *plr, const struct mlr_trial_result *result, const struct mlr_plr_counts *counts);

/* What is known of the critical load: mean and standard deviation of its posterior, clipped to Min and Max Load. */
struct mlr_plr_moments {
	double mean_fps;
	double stdev_fps;
};

/* Whether the SUT changed while it was measured: the slope of its mrr against time, by weighted regression of the residuals
 * of all trials. Never part of the estimate. NAN with fewer than MLR_PLR_TREND_TRIALS trials. */
struct mlr_plr_trend {
	double slope_fps_per_s;
	double stdev_fps_per_s;
	double p_value; /* the probability of a slope at least as steep, either way, where there is no trend */
};

#define MLR_PLR_TREND_TRIALS  10
#define MLR_PLR_TREND_P_VALUE 0.001 /* a smaller p_value is called a trend */

/* A trial is an anomaly where each fitting function, knowing all trials before it, gave a result at least as extreme on that
 * side a probability below this. */
#define MLR_PLR_ANOMALY_PROBABILITY 1e-6

/* The estimate by all trials so far; by the priors alone where there are none. */
struct mlr_plr_estimate {
	struct mlr_plr_moments fittings[MLR_PLR_FITTINGS];
	struct mlr_plr_moments together; /* of the equal-weight mixture: the variance includes the difference of means */
	double log_evidence[MLR_PLR_FITTINGS]; /* larger by 5 or more: that shape fits the trials far better */
	double min_load_probability;           /* that the critical load is at or below Min Load, by the mixture */
	double max_load_probability;           /* that it is at or above Max Load */
	struct mlr_plr_trend trends[MLR_PLR_FITTINGS];
	struct mlr_plr_trend trend; /* the less significant of the two */
	/* Whether losses are what at least one fitting function foresees (a posterior predictive check), by this figure: how
	 * much more the trials deviate from it than Poisson losses would, in standard deviations of what these would. At
	 * most MLR_PLR_MISFIT_MOST: they are. Where they are not, `together` is surer than it may be. */
	bool model_fits;
	double misfit;
	double dispersion;       /* by how much a lost frame tells less than a Poisson one; 1 where the model fits */
	double robust_stdev_fps; /* of together.mean_fps, whether the model fits or not (docs/soak.md) */
	size_t trial_count;
	size_t anomaly_count;
};

#define MLR_PLR_MISFIT_MOST 5.0

void mlr_plr_estimate(const struct mlr_plr *plr, struct mlr_plr_estimate *ret);

/* Whether the estimate together is sharp: past the four opening trials, and its robust_stdev at most this ratio of its
 * mean. */
bool mlr_plr_sharp(const struct mlr_plr *plr, double stdev_ratio);

/* One trial and what it taught: a point of the time line. */
struct mlr_plr_step {
	struct mlr_trial_input input;
	struct mlr_plr_counts counts;
	double end_s;                                      /* sum of the Trial Effective Durations up to its end */
	struct mlr_plr_moments fittings[MLR_PLR_FITTINGS]; /* the estimates after it */
	struct mlr_plr_moments together;
	double tail_probability[MLR_PLR_FITTINGS]; /* of a result at least as extreme on that side, as foreseen before it */
	bool anomaly;
};

/* The time line: *ret_count steps, in the order added, owned by `plr` and valid until the next mlr_plr_add(). */
const struct mlr_plr_step *mlr_plr_timeline(const struct mlr_plr *plr, size_t *ret_count);

/* --- the fitting functions as such ---------------------------------------------------------------------------------- */

/* Natural logarithm of the average loss rate (frames/s) that a fitting function foresees at a load (5.3). All three loads in
 * frames/s and above 0. It can exceed the logarithm of the load itself where spread is near mrr. */
double mlr_plr_log_loss_rate(enum mlr_plr_fitting fitting, double load_fps, double mrr_fps, double spread_fps);

/* The load at which the fitted loss ratio equals the target, clipped to Min and Max Load: Min Load where the fitted ratio is
 * above the target at every load. */
double mlr_plr_critical_load(enum mlr_plr_fitting fitting, double mrr_fps, double spread_fps,
			     const struct mlr_plr_parameters *parameters);

#endif
