/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of PLRsearch share.
 *
 * plr_fit.c: the fitting functions; plr_peak.c: peaks of curves; plr_posterior.c: the integrals; plr_trend.c: drift;
 * plr_robust.c: whether the model holds; plr.c: the search itself. Parameters of a fitting function are handled as
 * logarithms: x = ln(spread), t = ln(mrr).
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
	double at;    /* within a fraction of `width` of the true maximum */
	double value; /* the maximum */
	double width; /* of a Gaussian of the same curvature */
};

/* Climb to a local maximum from `start`, in steps of about `step` at first. */
struct plr_peak plr_peak_climb(const struct plr_curve *curve, double start, double step);

/* How far a peak reaches: the first place found on that side (direction 1 or -1) where the curve has fallen by at least
 * PLR_FALL (and, where possible, not by more than a fifth as much again), or the end of the curve. */
double plr_peak_edge(const struct plr_curve *curve, const struct plr_peak *peak, int direction);

#define PLR_FALL 20.0 /* nats: what lies below exp(-20) of the peak is left out */

/* --- a fitting function with its parameters ------------------------------------------------------------------------- */

struct plr_shape {
	enum mlr_plr_fitting fitting;
	double mrr_fps, spread_fps;
	double log_spread;
	double ratio;    /* mrr / spread */
	double log_norm; /* stretch: ln(1 + q), a factor; erf: ln(1 + erf(m/a)), a divisor */
};

struct plr_shape plr_shape_make(enum mlr_plr_fitting fitting, double log_mrr, double log_spread);

/* ln of the loss rate at a load. */
double plr_shape_log_rate(const struct plr_shape *shape, double load_fps);

/* The load at which the loss ratio equals the target, clipped to Min and Max Load. */
double plr_shape_critical_load(const struct plr_shape *shape, const struct mlr_plr_parameters *parameters);

/* --- the posterior of one fitting function -------------------------------------------------------------------------- */

/* A trial as the likelihood sees it. */
struct plr_datum {
	double load_fps;
	double log_load;
	double log_frames_per_fps; /* ln(offered frames / load): adds to a log loss rate to give a log mean loss count */
	double lost_frames;
	double log_lost; /* 0 if none */
};

struct plr_data {
	const struct mlr_plr_parameters *parameters;
	const struct plr_datum *trials;
	size_t count;
};

/* ln of the mean number of frames lost in a trial, where the fitted ratio is clamped to 1. */
double plr_log_mean_lost(const struct plr_shape *shape, const struct plr_datum *trial);

/* ln of the Poisson likelihood of all trials, but for what does not depend on the parameters: 0 where each mean is what was
 * lost. */
double plr_log_likelihood(const struct plr_shape *shape, const struct plr_data *data);

struct plr_posterior;

/* 0 or -ENOMEM. */
int plr_posterior_new(enum mlr_plr_fitting fitting, struct plr_posterior **ret);
void plr_posterior_free(struct plr_posterior *posterior);

/* Integrate anew over all of the data; what was known of the peak serves as a first guess. */
void plr_posterior_update(struct plr_posterior *posterior, const struct plr_data *data);

struct plr_summary {
	struct mlr_plr_moments critical_load;
	double log_evidence;
	double min_load_probability, max_load_probability;
	double log_mrr, log_spread; /* the densest point */
};

const struct plr_summary *plr_posterior_summary(const struct plr_posterior *posterior);

/* The probability that the posterior foresees for a result at least as extreme as this one, on its side. */
double plr_posterior_tail(const struct plr_posterior *posterior, const struct plr_datum *trial);

/* edge ln(edge / mean) + mean - edge, without cancelling where they are near each other. */
double plr_half_deviance(double edge, double mean);

/* --- whether the model holds ---------------------------------------------------------------------------------------- */

/* What was measured against what a fitting function foresees. */
struct plr_misfit {
	double score; /* the deviance of all trials, in standard deviations of what Poisson counts would have, above their mean */
	double dispersion; /* that deviance over their mean, or chi-square a trial, whichever is more; 1 without trials */
	double repeating;  /* correlation of one trial's deviation with the next one's, 0 to below 1 */
};

struct plr_misfit plr_misfit(enum mlr_plr_fitting fitting, const struct plr_summary *summary, const struct plr_data *data);

/* A trial that tells so many times less. */
struct plr_datum plr_datum_dispersed(const struct plr_datum *trial, double dispersion);

/* --- trends --------------------------------------------------------------------------------------------------------- */

/* The trend of all trials by one fitting function; steps[] runs along data->trials[]. */
struct mlr_plr_trend plr_trend(enum mlr_plr_fitting fitting, const struct plr_summary *summary, const struct plr_data *data,
			       const struct mlr_plr_step *steps);

#endif
