/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fitting functions of PLRsearch (5.3), in logarithms, and their critical loads.
 *
 * With load b, mrr m and spread a, the printed formulas are, rearranged so that nothing overflows or cancels:
 *
 *	stretch: r = (1 + q) a ln(1 + y), q = exp(-m/a), y = q (exp(b/a) - 1) / (1 + q)
 *	erf:     r = a [ierfc((m - b) / a) - ierfc(m / a)] / (1 + erf(m / a)), ierfc being the integral of erfc
 */
#include <math.h>

#include "plrsearch/plr_private.h"

#define EXP_NEGLIGIBLE  40.0 /* In a double, 1 + exp(-40) is 1. */
#define ERF_IS_1        6.0  /* From here on, erf is 1 in a double. */
#define SQRT_PI_INVERSE 0.56418958354775628695

const struct plr_gauss plr_gauss = {
	.at = { 0.025446043828620738, 0.12923440720030278, 0.29707742431130142, 0.5, 0.70292257568869858,
		0.87076559279969722, 0.97455395617137926 },
	.weight = { 0.064742483084434847, 0.13985269574463833, 0.19091502525255947, 0.20897959183673469, 0.19091502525255947,
		    0.13985269574463833, 0.064742483084434847 },
};

const char *mlr_plr_fitting_name(enum mlr_plr_fitting fitting)
{
	return fitting == MLR_PLR_STRETCH ? "stretch" : "erf";
}

/* Return ln(1 - exp(-x)) for x > 0. */
static double log_1_minus_exp(double x)
{
	if (x > EXP_NEGLIGIBLE)
		return 0;
	return x < M_LN2 ? log(-expm1(-x)) : log1p(-exp(-x));
}

/* Return ln(ln(1 + exp(x))). */
static double log_softplus(double x)
{
	if (x < -EXP_NEGLIGIBLE)
		return x;
	return log(x > EXP_NEGLIGIBLE ? x : log1p(exp(x)));
}

static double log_rate_stretch(const struct plr_shape *shape, double load_fps)
{
	double step = load_fps / shape->spread_fps;
	double log_y = (load_fps - shape->mrr_fps) / shape->spread_fps + log_1_minus_exp(step) - shape->log_norm;

	return shape->log_norm + shape->log_spread + log_softplus(log_y);
}

/* --- erfc and its integral, scaled ---------------------------------------------------------------------------------- */

/* Return exp(z^2) ierfc(z) for z >= 0, to 2e-15. (z + 2.5)^2 times it is smooth in (z - 2.5) / (z + 2.5), which is in [-1,
 * 1). This is its Chebyshev series to degree 24, as a polynomial. */
static double ierfc_scaled(double z)
{
	static const double c[] = {
		0.92934183487243338,     -1.2585659660872364,     0.93774789284122018,     -0.39922539075697844,
		0.049921264573337357,    0.039635489504926479,    -0.015328520385967643,   -0.0045676083641432736,
		0.0028997365720069453,   0.00085456633865831002,  -0.00051189970897413169, -0.00022667420134174078,
		7.468998693998326e-05,   6.3648661783717464e-05,  -2.7914512999986611e-06, -1.573281638756373e-05,
		-3.8143728979757444e-06, 2.8845061755571212e-06,  1.9129835730937879e-06,  -2.4123446356977544e-07,
		-5.5209928320173172e-07, -3.8755027341761235e-08, 9.9399744854824977e-08,  1.0504235197927161e-08,
		-8.7371554265994904e-09,
	};
	double x = (z - 2.5) / (z + 2.5), square = x * x, even = 0, odd = 0;

	for (int i = 24; i > 0; i -= 2) {
		even = (even + c[i]) * square;
		odd = odd * square + c[i - 1];
	}
	return (even + c[0] + odd * x) / ((z + 2.5) * (z + 2.5));
}

/* Return ierfc(z) for z <= 0. */
static double ierfc_negative(double z)
{
	if (z < -ERF_IS_1)
		return -2 * z;
	return exp(-z * z) * ierfc_scaled(-z) - 2 * z;
}

/* Return exp(z^2) erfc(z) for z >= -1. */
static double erfc_scaled(double z)
{
	return z < 1 ? exp(z * z) * erfc(z) : (SQRT_PI_INVERSE - ierfc_scaled(z)) / z;
}

/* Return ln([ierfc(high - step) - ierfc(high)] exp(high^2)) for a small step, which is the integral of erfc over the
 * step. */
static double log_ierfc_step(double high, double step)
{
	double sum = 0;

	for (int i = 0; i < PLR_GAUSS; i++) {
		double back = step * plr_gauss.at[i];

		sum += plr_gauss.weight[i] * exp(back * (2 * high - back)) * erfc_scaled(high - back);
	}
	return log(step * sum);
}

/* Return ln(ierfc(high - step) - ierfc(high)) for high > 0 and step > 0. */
static double log_ierfc_difference(double high, double step)
{
	double low = high - step, fall;

	if (step * (1 + high) < 0.25)
		return log_ierfc_step(high, step) - high * high;
	if (low <= 0)
		return log(ierfc_negative(low) - (high > ERF_IS_1 ? 0 : exp(-high * high) * ierfc_scaled(high)));
	fall = step * (high + low); /* the difference of the two exponents */
	if (fall > EXP_NEGLIGIBLE)
		return log(ierfc_scaled(low)) - low * low;
	return log(ierfc_scaled(low) - exp(-fall) * ierfc_scaled(high)) - low * low;
}

static double log_rate_erf(const struct plr_shape *shape, double load_fps)
{
	return shape->log_spread - shape->log_norm + log_ierfc_difference(shape->ratio, load_fps / shape->spread_fps);
}

/* --- both ----------------------------------------------------------------------------------------------------------- */

static double log_norm(enum mlr_plr_fitting fitting, double ratio)
{
	if (fitting == MLR_PLR_STRETCH)
		return ratio < EXP_NEGLIGIBLE ? log1p(exp(-ratio)) : 0;
	return ratio > ERF_IS_1 ? M_LN2 : log1p(erf(ratio));
}

static struct plr_shape make_shape(enum mlr_plr_fitting fitting, double mrr_fps, double spread_fps, double log_spread)
{
	return (struct plr_shape){
		.fitting = fitting,
		.mrr_fps = mrr_fps,
		.spread_fps = spread_fps,
		.log_spread = log_spread,
		.ratio = mrr_fps / spread_fps,
		.log_norm = log_norm(fitting, mrr_fps / spread_fps),
	};
}

struct plr_shape plr_shape_make(enum mlr_plr_fitting fitting, double log_mrr, double log_spread)
{
	return make_shape(fitting, exp(log_mrr), exp(log_spread), log_spread);
}

double plr_shape_log_rate(const struct plr_shape *shape, double load_fps)
{
	if (shape->fitting == MLR_PLR_STRETCH)
		return log_rate_stretch(shape, load_fps);
	return log_rate_erf(shape, load_fps);
}

double plr_log_mean_lost(const struct plr_shape *shape, const struct plr_datum *trial)
{
	double log_rate = plr_shape_log_rate(shape, trial->load_fps);

	return (log_rate < trial->log_load ? log_rate : trial->log_load) + trial->log_frames_per_fps;
}

double plr_log_likelihood(const struct plr_shape *shape, const struct plr_data *data)
{
	double sum = 0;

	for (size_t i = 0; i < data->count; i++) {
		const struct plr_datum *trial = &data->trials[i];
		double log_mean = plr_log_mean_lost(shape, trial);

		sum += trial->lost_frames * (log_mean - trial->log_lost + 1) - exp(log_mean);
	}
	return sum;
}

double mlr_plr_log_loss_rate(enum mlr_plr_fitting fitting, double load_fps, double mrr_fps, double spread_fps)
{
	struct plr_shape shape = make_shape(fitting, mrr_fps, spread_fps, log(spread_fps));

	return plr_shape_log_rate(&shape, load_fps);
}

/* --- the critical load ---------------------------------------------------------------------------------------------- */

/* How far the fitted loss ratio is above the target. It is a function of the load that only rises. */
struct excess {
	const struct plr_shape *shape;
	double log_target;
};

static double excess_at(const struct excess *excess, double load_fps)
{
	return plr_shape_log_rate(excess->shape, load_fps) - log(load_fps) - excess->log_target;
}

/* Return the root between a load with too little loss and one with too much (Ridders' method). */
static double excess_root(const struct excess *excess, double low, double high)
{
	double at_low = excess_at(excess, low), at_high = excess_at(excess, high);

	for (int i = 0; i < 60 && at_low < 0 && at_high > 0 && high - low > 1e-13 * high; i++) {
		double middle = low + (high - low) / 2, at_middle = excess_at(excess, middle);
		double ratio = at_middle / sqrt(at_middle * at_middle - at_low * at_high);
		double guess = middle - (middle - low) * ratio, at_guess = excess_at(excess, guess);
		double inner_low = fmin(guess, middle), inner_high = fmax(guess, middle);
		double at_inner_low = guess < middle ? at_guess : at_middle;
		double at_inner_high = guess < middle ? at_middle : at_guess;

		if (at_guess == 0)
			return guess;
		if (at_inner_low >= 0) {
			high = inner_low;
			at_high = at_inner_low;
		} else if (at_inner_high <= 0) {
			low = inner_high;
			at_low = at_inner_high;
		} else {
			low = inner_low;
			at_low = at_inner_low;
			high = inner_high;
			at_high = at_inner_high;
		}
	}
	return at_high == 0 ? high : at_low == 0 ? low : low + (high - low) / 2;
}

double plr_shape_critical_load(const struct plr_shape *shape, const struct mlr_plr_parameters *parameters)
{
	struct excess excess = { shape, log(parameters->target_loss_ratio) };
	double low = parameters->min_load_fps, high = parameters->max_load_fps, step = shape->spread_fps;

	if (excess_at(&excess, high) <= 0)
		return high;
	if (excess_at(&excess, low) >= 0)
		return low;
	if (shape->mrr_fps > low && shape->mrr_fps < high) {
		if (excess_at(&excess, shape->mrr_fps) > 0)
			high = shape->mrr_fps;
		else
			low = shape->mrr_fps;
	}
	while (high - step > low && excess_at(&excess, high - step) > 0) {
		high -= step;
		step *= 2;
	}
	return excess_root(&excess, fmax(low, high - step), high);
}

double mlr_plr_critical_load(enum mlr_plr_fitting fitting, double mrr_fps, double spread_fps,
			     const struct mlr_plr_parameters *parameters)
{
	struct plr_shape shape = make_shape(fitting, mrr_fps, spread_fps, log(spread_fps));

	return plr_shape_critical_load(&shape, parameters);
}
