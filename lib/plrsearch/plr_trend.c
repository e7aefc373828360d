/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This file tests whether the SUT drifts: does the mrr that each trial suggests depend on the time of the trial?
 *
 * At the posterior's densest point, take a trial with mean loss count L and observed loss K. It suggests that mrr is off by
 * (K - L) / (dL/dmrr), with a variance of L / (dL/dmrr)^2 if losses are Poisson. The slope of a straight line through these
 * values, weighted by the inverse of the variance, is the trend. Its stdev is scaled by the scatter of the residuals about
 * the line. So a SUT that is noisier than Poisson is not taken for one that drifts.
 */
#include <math.h>

#include "plrsearch/plr_private.h"

#define NUDGE 1e-3 /* a part of the spread, for a numerical derivative */

/* The value that a trial suggests. */
struct suggestion {
	double time_s;      /* the middle of the trial */
	double shift_fps;   /* error of mrr that the trial suggests */
	double weight;      /* 1 / variance, fps^-2 */
	double information; /* 1 for a trial that can scatter, near 0 where hardly a loss was foreseen */
};

/* Return ln of the mean loss at a ln(mrr) a little off the densest point. */
static double log_mean_beside(enum mlr_plr_fitting fitting, const struct plr_summary *summary, const struct plr_datum *trial,
			      double nudge)
{
	struct plr_shape shape = plr_shape_make(fitting, summary->log_mrr + nudge, summary->log_spread);

	return plr_log_mean_lost(&shape, trial);
}

static struct suggestion suggest(enum mlr_plr_fitting fitting, const struct plr_summary *summary,
				 const struct plr_datum *trial, const struct mlr_plr_step *step)
{
	struct suggestion s = { .time_s = step->end_s - step->input.duration_s / 2 };
	double nudge = NUDGE * exp(summary->log_spread - summary->log_mrr); /* the step in ln(mrr) */
	double mean = exp(log_mean_beside(fitting, summary, trial, 0));
	double more = log_mean_beside(fitting, summary, trial, -nudge);
	double less = log_mean_beside(fitting, summary, trial, nudge);
	double slope =
		(less - more) / (2 * nudge * exp(summary->log_mrr)); /* the derivative of the logarithm of the mean by mrr */

	if (!(mean * slope * slope > 0))
		return s;
	s.shift_fps = (trial->lost_frames / mean - 1) / slope;
	s.weight = mean * slope * slope;
	s.information = fmin(mean, 1);
	return s;
}

/* The sums of a weighted straight line. */
struct line {
	double weight, time, shift;     /* sums */
	double time_square, time_shift; /* sums about the means */
	double chi_square, information;
};

static void line_means(struct line *line, const struct suggestion *s)
{
	line->weight += s->weight;
	line->time += s->weight * s->time_s;
	line->shift += s->weight * s->shift_fps;
	line->information += s->information;
}

static void line_moments(struct line *line, const struct suggestion *s)
{
	double time_s = s->time_s - line->time / line->weight, shift_fps = s->shift_fps - line->shift / line->weight;

	line->time_square += s->weight * time_s * time_s;
	line->time_shift += s->weight * time_s * shift_fps;
}

static void line_scatter(struct line *line, const struct suggestion *s)
{
	double time_s = s->time_s - line->time / line->weight, shift_fps = s->shift_fps - line->shift / line->weight;
	double residual_fps = shift_fps - line->time_shift / line->time_square * time_s;

	line->chi_square += s->weight * residual_fps * residual_fps;
}

struct mlr_plr_trend plr_trend(enum mlr_plr_fitting fitting, const struct plr_summary *summary, const struct plr_data *data,
			       const struct mlr_plr_step *steps)
{
	static void (*const passes[])(struct line * line, const struct suggestion *s) = { line_means, line_moments,
											  line_scatter };
	struct mlr_plr_trend trend = { NAN, NAN, NAN };
	struct line line = { 0 };
	double freedom;

	for (size_t pass = 0; pass < sizeof(passes) / sizeof(passes[0]); pass++) {
		for (size_t i = 0; i < data->count; i++) {
			struct suggestion s = suggest(fitting, summary, &data->trials[i], &steps[i]);

			passes[pass](&line, &s);
		}
	}
	freedom = line.information - 2;
	if (data->count < MLR_PLR_TREND_TRIALS || !(freedom >= 1) || !(line.time_square > 0))
		return trend;
	trend.slope_fps_per_s = line.time_shift / line.time_square;
	trend.stdev_fps_per_s = sqrt(fmax(1, line.chi_square / freedom) / line.time_square);
	trend.p_value = erfc(fabs(trend.slope_fps_per_s) / trend.stdev_fps_per_s * M_SQRT1_2);
	return trend;
}
