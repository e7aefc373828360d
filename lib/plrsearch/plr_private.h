/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header has the inside of PLRsearch: what its parts share. The search (plr.c) owns posteriors and data; everybody
 * else borrows them for a call. A posterior is made once and updated after each trial.
 *
 * plr_fit.c has the fitting functions, plr_peak.c the peaks of curves, and plr_posterior.c the integrals. plr_trend.c
 * computes drift, plr_robust.c checks the model, and plr_scan.c looks below the critical load. Parameters of a fitting
 * function are logarithms: x = ln(spread), t = ln(mrr).
 */
#ifndef MLR_PLR_PRIVATE_H
#define MLR_PLR_PRIVATE_H

#include "mlr/plr.h"

/* --- Gauss-Legendre quadrature on (0, 1) ---------------------------------------------------------------------------- */

#define PLR_GAUSS 7

struct plr_gauss {
	double at[PLR_GAUSS];
	double weight[PLR_GAUSS];
};

extern const struct plr_gauss plr_gauss;

/* --- a curve and its peaks ------------------------------------------------------------------------------------------ */

/* A function of one variable on [low, high]. */
struct plr_curve {
	double (*value)(void *context, double at);
	void *context;
	double low, high;
};

struct plr_peak {
	double at;    /* within a fraction of `width` from the true maximum */
	double value; /* the maximum */
	double width; /* the width of a Gaussian with the same curvature */
};

/* Climb to a local maximum from `start`, in steps of about `step` at first. */
struct plr_peak plr_peak_climb(const struct plr_curve *curve, double start, double step);

/* Return where a peak ends on one side (direction 1 or -1). It is the first place found where the curve has fallen by at
 * least PLR_FALL, or the end of the curve. Where possible, the fall is at most a fifth more than that. */
double plr_peak_edge(const struct plr_curve *curve, const struct plr_peak *peak, int direction);

#define PLR_FALL 20.0 /* nats: what is below exp(-20) of the peak is left out */

/* --- a fitting function with its parameters ------------------------------------------------------------------------- */

struct plr_shape {
	enum mlr_plr_fitting fitting;
	double mrr_fps, spread_fps;
	double log_spread;
	double ratio;    /* mrr / spread */
	double log_norm; /* stretch: ln(1 + q), a factor; erf: ln(1 + erf(m/a)), a divisor */
};

struct plr_shape plr_shape_make(enum mlr_plr_fitting fitting, double log_mrr, double log_spread);

/* Return ln of the loss rate at a load. */
double plr_shape_log_rate(const struct plr_shape *shape, double load_fps);

/* Return the load at which the loss ratio equals the target, clipped to Min and Max Load. */
double plr_shape_critical_load(const struct plr_shape *shape, const struct mlr_plr_parameters *parameters);

/* --- the posterior of one fitting function -------------------------------------------------------------------------- */

/* A trial as the likelihood sees it. */
struct plr_datum {
	double load_fps;
	double log_load;
	double log_frames_per_fps; /* ln(offered frames / load): a log loss rate plus this is a log mean loss count */
	double lost_frames;
	double log_lost; /* 0 if none */
};

struct plr_data {
	const struct mlr_plr_parameters *parameters;
	const struct plr_datum *trials;
	size_t count;
};

/* Return ln of the mean number of frames lost in a trial. The fitted ratio is clamped to 1. */
double plr_log_mean_lost(const struct plr_shape *shape, const struct plr_datum *trial);

/* Return ln of the Poisson likelihood of all trials, without what does not depend on the parameters. It is 0 where each mean
 * equals the observed loss. */
double plr_log_likelihood(const struct plr_shape *shape, const struct plr_data *data);

struct plr_posterior;

/* Returns 0 or -ENOMEM. */
int plr_posterior_new(enum mlr_plr_fitting fitting, struct plr_posterior **ret);
void plr_posterior_free(struct plr_posterior *posterior);

/* Integrate over all of the data. The known peaks are the first guess. */
void plr_posterior_update(struct plr_posterior *posterior, const struct plr_data *data);

struct plr_summary {
	struct mlr_plr_moments critical_load;
	double log_evidence;
	double min_load_probability, max_load_probability;
	double log_mrr, log_spread; /* the densest point */
};

const struct plr_summary *plr_posterior_summary(const struct plr_posterior *posterior);

/* Return the foreseen probability of a result at least as extreme as this one, on its side. */
double plr_posterior_tail(const struct plr_posterior *posterior, const struct plr_datum *trial);

/* Return edge ln(edge / mean) + mean - edge, without cancellation where they are near each other. */
double plr_half_deviance(double edge, double mean);

/* --- whether the model holds ---------------------------------------------------------------------------------------- */

/* How much the measured losses differ from what a fitting function foresees. */
struct plr_misfit {
	double score;      /* how far the deviance of all trials is above its Poisson mean, in Poisson standard deviations */
	double dispersion; /* larger one of deviance over its mean, and chi-square for each trial; 1 without trials */
	double repeating;  /* correlation of the deviations of successive trials, from 0 to below 1 */
};

struct plr_misfit plr_misfit(enum mlr_plr_fitting fitting, const struct plr_summary *summary, const struct plr_data *data);

/* Return a trial that tells so many times less. */
struct plr_datum plr_datum_dispersed(const struct plr_datum *trial, double dispersion);

/* --- below the critical load ------------------------------------------------------------------------------------------ */

/* Return up to which load to look, with a critical load and its standard deviation. */
double plr_scan_end(const struct mlr_plr_parameters *parameters, double critical_fps, double stdev_fps);

/* Return the load of the next trial that looks below the critical load. It is inside the widest gap between the loads of such
 * trials, Min Load and the end of the range. But if one trial missed the target, it is repeated first. */
double plr_scan_load(const struct mlr_plr_parameters *parameters, const struct mlr_plr_step *steps, size_t count,
		     double end_fps);

/* Whether a trial that looked below the critical load missed the target, where none should. */
bool plr_scan_missed(const struct mlr_plr_parameters *parameters, const struct mlr_plr_step *step, double critical_fps);

/* Return how often the target is crossed, by the trials up to this load. */
struct mlr_plr_crossings plr_scan_crossings(const struct mlr_plr_parameters *parameters, const struct mlr_plr_step *steps,
					    size_t count, double up_to_fps);

/* Return how far above the estimate the critical load may be, where frames are lost far below it. Such losses come at every load,
 * and no fitting function foresees them. So trials near the estimate do not tell where it is; only the smallest load above it that
 * surely misses the target does. The distance to that load is weighted by what is lost far below, as a ratio of the target. It
 * is 0 where that is surely more than the target, because then there is no such load. */
double plr_scan_unsure(const struct mlr_plr_parameters *parameters, const struct mlr_plr_step *steps, size_t count,
		       double critical_fps);

/* --- trends --------------------------------------------------------------------------------------------------------- */

/* Return the trend of all trials by one fitting function. steps[] corresponds to data->trials[]. */
struct mlr_plr_trend plr_trend(enum mlr_plr_fitting fitting, const struct plr_summary *summary, const struct plr_data *data,
			       const struct mlr_plr_step *steps);

#endif
