/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PLRsearch: the fitting functions, the integrals, the search, and whether its error bars tell the truth. */
#include "unit.h"

#include <errno.h>

#include "mlr/plr.h"
#include "mlr/sut.h"

#define MIN_LOAD_FPS 9001.0
#define MAX_LOAD_FPS 14880952.0

static struct mlr_plr_parameters parameters_of(double min_load_fps, double max_load_fps, double target_loss_ratio)
{
	return (struct mlr_plr_parameters){
		.min_load_fps = min_load_fps,
		.max_load_fps = max_load_fps,
		.target_loss_ratio = target_loss_ratio,
		.first_duration_s = MLR_PLR_FIRST_DURATION_S,
		.duration_step_s = MLR_PLR_DURATION_STEP_S,
	};
}

static struct mlr_plr *make_plr(double target_loss_ratio)
{
	struct mlr_plr_parameters parameters = parameters_of(MIN_LOAD_FPS, MAX_LOAD_FPS, target_loss_ratio);
	struct mlr_plr *plr;

	assert_int_equal(mlr_plr_new(&parameters, &plr), 0);
	return plr;
}

static struct mlr_sut *make_sut(const char *specification)
{
	char error[256];
	struct mlr_sut *sut;

	if (mlr_sut_new(specification, &sut, error, sizeof(error)))
		fail_msg("%s", error);
	return sut;
}

/* A trial of `lost` frames out of `offered` at the load asked for. */
static void answer(struct mlr_plr *plr, const struct mlr_trial_input *input, double offered, double lost)
{
	struct mlr_trial_result result = make_trial(input->load_fps, input->duration_s, lost / offered);
	struct mlr_plr_counts counts = { offered, lost };

	assert_int_equal(mlr_plr_add(plr, &result, &counts), 0);
}

static void step(struct mlr_plr *plr, struct mlr_sut *sut)
{
	struct mlr_trial_input input;
	uint64_t sent, lost;

	mlr_plr_next(plr, &input);
	assert_true(input.load_fps >= MIN_LOAD_FPS && input.load_fps <= MAX_LOAD_FPS);
	mlr_sut_trial(sut, &input, &sent, &lost);
	answer(plr, &input, (double)sent, (double)lost);
}

static const struct mlr_plr_step *last_step(const struct mlr_plr *plr)
{
	size_t count;
	const struct mlr_plr_step *steps = mlr_plr_timeline(plr, &count);

	assert_true(count > 0);
	return &steps[count - 1];
}

static void soak(struct mlr_plr *plr, struct mlr_sut *sut, double seconds)
{
	do
		step(plr, sut);
	while (last_step(plr)->end_s < seconds);
}

/* --- the fitting functions ------------------------------------------------------------------------------------------ */

/* The draft's printed formulas, evaluated with enough digits (mpmath, up to some ten thousand) that nothing cancels. */
static const struct {
	double load_fps, mrr_fps, spread_fps, stretch, erf;
} references[] = {
	{ 1.0, 1000000.0, 10000000.0, -0.099999973751040926845, -0.22588131138843069669 },
	{ 50000.0, 1000000.0, 10000000.0, 10.721089979652960016, 10.597039776618387832 },
	{ 970000.0, 1000000.0, 10000000.0, 13.710224510482650344, 13.61870925435900616 },
	{ 1000000.0, 1000000.0, 10000000.0, 13.741452906080192596, 13.650960584283561151 },
	{ 1300000.0, 1000000.0, 10000000.0, 14.011477450727664548, 13.931078674021096604 },
	{ 100000000.0, 1000000.0, 10000000.0, 18.987726866487707736, 18.973186747119456776 },
	{ 1.0, 1000000.0, 1000000.0, -0.99999963447072118505, -2.4608365081275524889 },
	{ 50000.0, 1000000.0, 1000000.0, 9.8380272748636785343, 8.424915674094957422 },
	{ 970000.0, 1000000.0, 1000000.0, 13.120908809994316313, 12.479522194444495227 },
	{ 1000000.0, 1000000.0, 1000000.0, 13.160886839709818215, 12.538619841122600174 },
	{ 1300000.0, 1000000.0, 1000000.0, 13.514609163760293712, 13.058053994268684348 },
	{ 100000000.0, 1000000.0, 1000000.0, 18.720722819292327066, 18.492291427948857664 },
	{ 1.0, 1000000.0, 169491.5254237288, -5.8999970580578579328, -37.864310301042770151 },
	{ 50000.0, 1000000.0, 169491.5254237288, 5.070433179160036892, -24.857676854296737642 },
	{ 970000.0, 1000000.0, 169491.5254237288, 11.54212567428142069, 10.442983056694479959 },
	{ 1000000.0, 1000000.0, 169491.5254237288, 11.672826396832854906, 10.775046083567954902 },
	{ 1300000.0, 1000000.0, 169491.5254237288, 12.697987439249463239, 12.612330283660071059 },
	{ 100000000.0, 1000000.0, 169491.5254237288, 18.41336142385167675, 18.410630408098864067 },
	{ 1.0, 1000000.0, 100000.0, -9.9999950002228238118, -103.5729357086342118 },
	{ 50000.0, 1000000.0, 100000.0, 1.0801586103021957252, -85.214679521217014418 },
	{ 970000.0, 1000000.0, 100000.0, 10.922939403322578267, 9.6621115539855839147 },
	{ 1000000.0, 1000000.0, 100000.0, 11.14639244437601208, 10.247413341485583024 },
	{ 1300000.0, 1000000.0, 100000.0, 12.627634291883811753, 12.611538312810678044 },
	{ 100000000.0, 1000000.0, 100000.0, 18.410675761140605888, 18.410630408098864031 },
	{ 1.0, 1000000.0, 24390.243902439026, -40.999979499929955649, -1685.9776994409495265 },
	{ 50000.0, 1000000.0, 24390.243902439026, -28.985870498495173697, -1516.2847659462355075 },
	{ 970000.0, 1000000.0, 24390.243902439026, 8.7409914865324483464, 5.6570069150837443644 },
	{ 1000000.0, 1000000.0, 24390.243902439026, 9.735425570678302038, 8.8364263677753209692 },
	{ 1300000.0, 1000000.0, 24390.243902439026, 12.611538123697952887, 12.611537753638338111 },
	{ 100000000.0, 1000000.0, 24390.243902439026, 18.410630408098864033, 18.410630408098864031 },
	{ 1.0, 1000000.0, 10000.0, -99.999949999583333333, -10005.860715138346468 },
	{ 50000.0, 1000000.0, 10000.0, -85.796420377473305822, -9026.8562388880392528 },
	{ 970000.0, 1000000.0, 10000.0, 6.1859483343437862623, -4.0878551706593321944 },
	{ 1000000.0, 1000000.0, 10000.0, 8.8438274513945184091, 7.9448282484915373396 },
	{ 1300000.0, 1000000.0, 10000.0, 12.611537753638341231, 12.611537753638338111 },
	{ 100000000.0, 1000000.0, 10000.0, 18.410630408098864031, 18.410630408098864031 },
	{ 1.0, 1000000.0, 1000.0, -999.99949995833333368, NAN },
	{ 50000.0, 1000000.0, 1000.0, -943.09224472101786295, NAN },
	{ 970000.0, 1000000.0, 1000.0, -23.092244721017909736, NAN },
	{ 1000000.0, 1000000.0, 1000.0, 6.541242358400472725, NAN },
	{ 1300000.0, 1000000.0, 1000.0, 12.611537753638338111, NAN },
	{ 1.0, 1000000.0, 100.0, -9999.9949958333368056, NAN },
	{ 50000.0, 1000000.0, 100.0, -9495.3948298140119086, NAN },
	{ 970000.0, 1000000.0, 100.0, -295.39482981401190863, NAN },
	{ 1000000.0, 1000000.0, 100.0, 4.238657265406427041, NAN },
	{ 1300000.0, 1000000.0, 100.0, 12.611537753638338111, NAN },
};

static void test_fitting_functions(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(references); i++) {
		double load = references[i].load_fps, mrr = references[i].mrr_fps, spread = references[i].spread_fps;
		double stretch = references[i].stretch, erf_ = references[i].erf;

		if (!isnan(stretch))
			assert_close(mlr_plr_log_loss_rate(MLR_PLR_STRETCH, load, mrr, spread), stretch,
				     4e-15 * (1 + fabs(stretch)));
		if (!isnan(erf_))
			assert_close(mlr_plr_log_loss_rate(MLR_PLR_ERF, load, mrr, spread), erf_, 4e-15 * (1 + fabs(erf_)));
	}
}

/* Where spread is a millionth of mrr, the asymptotic forms are exact to a double. */
static void test_fitting_functions_far(void **state)
{
	double mrr = 1e6, spread = 1, z = 1e5;

	(void)state;
	assert_close(mlr_plr_log_loss_rate(MLR_PLR_STRETCH, mrr - z, mrr, spread), -z, 1e-9);
	assert_close(mlr_plr_log_loss_rate(MLR_PLR_ERF, mrr - z, mrr, spread),
		     -z * z - log(4 * sqrt(M_PI) * z * z) - 1.5 / (z * z), 1e-5);
	assert_close(mlr_plr_log_loss_rate(MLR_PLR_STRETCH, 1e-3, mrr, spread), log(expm1(1e-3)) - 1e6, 1e-9);
	for (int fitting = 0; fitting < MLR_PLR_FITTINGS; fitting++)
		assert_close(mlr_plr_log_loss_rate(fitting, 1e12, mrr, spread), log(1e12 - 1e6), 1e-13);
}

/* Both only rise, without a jump where one formula takes over from another. */
static void test_fitting_functions_rise(void **state)
{
	(void)state;
	for (int fitting = 0; fitting < MLR_PLR_FITTINGS; fitting++) {
		for (double ratio = 0.1; ratio < 1e6; ratio *= 1.7) {
			double mrr = 1e6, spread = mrr / ratio, before = -INFINITY;

			for (double load = 1e-3; load < 1e9; load *= 1.01) {
				double log_rate = mlr_plr_log_loss_rate(fitting, load, mrr, spread);

				assert_true(isfinite(log_rate));
				assert_true(log_rate > before);
				before = log_rate;
			}
		}
	}
}

static void test_critical_load(void **state)
{
	struct mlr_plr_parameters p = parameters_of(MIN_LOAD_FPS, MAX_LOAD_FPS, 1e-7);

	(void)state;
	for (int fitting = 0; fitting < MLR_PLR_FITTINGS; fitting++) {
		for (double ratio = 30; ratio < 1e6; ratio *= 3) {
			double load = mlr_plr_critical_load(fitting, 1e6, 1e6 / ratio, &p);
			double log_ratio = mlr_plr_log_loss_rate(fitting, load, 1e6, 1e6 / ratio) - log(load);

			assert_true(load < 1e6);
			assert_close(log_ratio, log(1e-7), 1e-12 * ratio * ratio);
		}
		assert_close(mlr_plr_critical_load(fitting, 1e12, 1e3, &p), MAX_LOAD_FPS, 0);
		assert_close(mlr_plr_critical_load(fitting, 1e3, 1, &p), MIN_LOAD_FPS, 0);
	}
	/* stretch: no load has so little loss where spread / mrr exceeds 0.062 */
	p.min_load_fps = 1e-6;
	assert_close(mlr_plr_critical_load(MLR_PLR_STRETCH, 1e6, 0.0625e6, &p), 1e-6, 0);
	assert_true(mlr_plr_critical_load(MLR_PLR_STRETCH, 1e6, 0.0615e6, &p) > 1);
}

/* --- the integrals -------------------------------------------------------------------------------------------------- */

struct small_trial {
	double load_fps, offered, lost;
};

/* ln of prior times likelihood, written out anew. */
static double brute_density(enum mlr_plr_fitting fitting, double x, double t, double max_load_fps,
			    const struct small_trial *trials, size_t count)
{
	double mrr = exp(t), scale = max_load_fps / 2, sum = log(scale * mrr / pow(mrr - 1 + scale, 2) / t);

	for (size_t i = 0; i < count; i++) {
		double ratio =
			fmin(1, exp(mlr_plr_log_loss_rate(fitting, trials[i].load_fps, mrr, exp(x))) / trials[i].load_fps);
		double mean = ratio * trials[i].offered;

		sum += (trials[i].lost > 0 ? trials[i].lost * log(mean) : 0) - mean;
	}
	return sum;
}

/* Mean and stdev of the critical load by the midpoint rule on a fine grid, none of whose assumptions the library shares. */
static struct mlr_plr_moments brute_force(enum mlr_plr_fitting fitting, const struct mlr_plr_parameters *p,
					  const struct small_trial *trials, size_t count, double t_low, double t_high)
{
	double mass = 0, first = 0, second = 0, top = -INFINITY;
	const int rows = 400, columns = 1200;

	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < rows * columns; i++) {
			double t = t_low + (t_high - t_low) * (i % columns + 0.5) / columns;
			double x = t_high * (i / columns + 0.5) / rows, log_density, load;

			if (x >= t)
				continue;
			log_density = brute_density(fitting, x, t, p->max_load_fps, trials, count);
			if (!pass)
				top = fmax(top, log_density);
			if (!pass || log_density < top - 20)
				continue;
			load = mlr_plr_critical_load(fitting, exp(t), exp(x), p);
			mass += exp(log_density - top);
			first += exp(log_density - top) * load;
			second += exp(log_density - top) * load * load;
		}
	}
	return (struct mlr_plr_moments){ first / mass, sqrt(second / mass - first / mass * first / mass) };
}

/* To this tolerance, as a multiple of the stdev. */
static void check_brute_force(double target_loss_ratio, const struct small_trial *trials, size_t count, double t_low,
			      double t_high, double tolerance)
{
	struct mlr_plr_parameters p = parameters_of(100, 50000, target_loss_ratio);
	struct mlr_plr_estimate estimate;
	struct mlr_plr *plr;

	assert_int_equal(mlr_plr_new(&p, &plr), 0);
	for (size_t i = 0; i < count; i++) {
		struct mlr_trial_input input = { trials[i].offered / trials[i].load_fps, trials[i].load_fps };

		answer(plr, &input, trials[i].offered, trials[i].lost);
	}
	mlr_plr_estimate(plr, &estimate);
	for (int fitting = 0; fitting < MLR_PLR_FITTINGS; fitting++) {
		struct mlr_plr_moments brute = brute_force(fitting, &p, trials, count, t_low, t_high);

		print_message("%s: %.8g +- %.6g, by brute force %.8g +- %.6g\n", mlr_plr_fitting_name(fitting),
			      estimate.fittings[fitting].mean_fps, estimate.fittings[fitting].stdev_fps, brute.mean_fps,
			      brute.stdev_fps);
		assert_close(estimate.fittings[fitting].mean_fps, brute.mean_fps, tolerance * brute.stdev_fps);
		assert_close(estimate.fittings[fitting].stdev_fps, brute.stdev_fps, tolerance * brute.stdev_fps);
	}
	mlr_plr_free(plr);
}

static void test_brute_force(void **state)
{
	static const struct small_trial lossy[] = {
		{ 25000, 2500, 310 }, { 50000, 2500, 1390 }, { 22000, 2200, 25 }, { 18000, 3600, 2 }
	};
	static const struct small_trial lossless[] = { { 10000, 2500, 0 }, { 20000, 2500, 0 } };
	static const struct small_trial one[] = { { 25000, 2500, 1000 } };

	(void)state;
	check_brute_force(1e-3, lossy, COUNT_OF(lossy), log(15000), log(50000), 0.002);
	check_brute_force(1e-2, lossy, COUNT_OF(lossy), log(15000), log(50000), 0.002);
	check_brute_force(1e-3, lossless, COUNT_OF(lossless), log(9000), log(25000) + 20, 0.06);
	check_brute_force(1e-2, one, COUNT_OF(one), log(1000), log(60000), 0.06);
}

/* The mixture: mean of means, and a variance that includes their difference. */
static void test_together(void **state)
{
	struct mlr_sut *sut = make_sut("erf,capacity=2e6,spread=2e4,seed=5");
	struct mlr_plr *plr = make_plr(1e-7);
	struct mlr_plr_estimate e;
	double a, b;

	(void)state;
	soak(plr, sut, 100);
	mlr_plr_estimate(plr, &e);
	a = e.fittings[0].mean_fps;
	b = e.fittings[1].mean_fps;
	assert_close(e.together.mean_fps, (a + b) / 2, 1e-6);
	assert_close(pow(e.together.stdev_fps, 2),
		     (pow(e.fittings[0].stdev_fps, 2) + pow(e.fittings[1].stdev_fps, 2)) / 2 + pow(a - b, 2) / 4,
		     1e-9 * pow(e.together.stdev_fps, 2));
	assert_close(last_step(plr)->together.mean_fps, e.together.mean_fps, 0);
	mlr_plr_free(plr);
	mlr_sut_free(sut);
}

/* --- the search ----------------------------------------------------------------------------------------------------- */

static void test_opening(void **state)
{
	struct mlr_plr *plr = make_plr(1e-3);
	struct mlr_trial_input input, again;

	(void)state;
	mlr_plr_next(plr, &input);
	assert_close(input.load_fps, (MIN_LOAD_FPS + MAX_LOAD_FPS) / 2, 1e-6);
	assert_close(input.duration_s, 5.1, 1e-12);
	answer(plr, &input, 1000000, 500000);
	mlr_plr_next(plr, &input);
	assert_close(input.load_fps, MAX_LOAD_FPS, 0);
	assert_close(input.duration_s, 5.2, 1e-12);
	answer(plr, &input, 1000000, 750000);
	mlr_plr_next(plr, &input);
	assert_close(input.load_fps, MAX_LOAD_FPS * 0.25 / 0.999, 1e-6);
	assert_close(input.duration_s, 5.3, 1e-12);
	answer(plr, &input, 1000000, 100000);
	mlr_plr_next(plr, &again);
	assert_close(again.load_fps, input.load_fps * 0.9 / 0.999, 1e-6);
	assert_close(again.duration_s, 5.4, 1e-12);
	mlr_plr_next(plr, &input);
	assert_memory_equal(&input, &again, sizeof(input));
	mlr_plr_free(plr);
}

static void test_refusals(void **state)
{
	struct mlr_plr_parameters good = parameters_of(1, 2, 0.5), bad[6];
	struct mlr_plr *plr = NULL;
	struct mlr_trial_result result = make_trial(1e6, 5, 0.25);
	struct mlr_plr_counts counts = { 100, 101 };
	size_t count;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		bad[i] = good;
	bad[0].min_load_fps = 0;
	bad[1].max_load_fps = 1;
	bad[2].target_loss_ratio = 0;
	bad[3].target_loss_ratio = 1;
	bad[4].first_duration_s = NAN;
	bad[5].duration_step_s = -1;
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_int_equal(mlr_plr_new(&bad[i], &plr), -EINVAL);
	assert_null(plr);
	mlr_plr_free(NULL);

	plr = make_plr(1e-7);
	assert_int_equal(mlr_plr_add(plr, &result, &counts), -EINVAL);
	result.input.load_fps = MAX_LOAD_FPS * 1.01;
	assert_int_equal(mlr_plr_add(plr, &result, NULL), -EINVAL);
	result = make_trial(1e6, 5, 1.25);
	assert_int_equal(mlr_plr_add(plr, &result, NULL), -EINVAL);
	mlr_plr_timeline(plr, &count);
	assert_int_equal(count, 0);
	result = make_trial(1e6, 5, 0.25);
	assert_int_equal(mlr_plr_add(plr, &result, NULL), 0);
	assert_close(last_step(plr)->counts.offered_frames, 5e6, 0);
	assert_close(last_step(plr)->counts.lost_frames, 1.25e6, 0);
	mlr_plr_free(plr);
}

/* Two runs are the same to the last bit. */
static void test_repeatable(void **state)
{
	struct mlr_sut *suts[2];
	struct mlr_plr *plrs[2];
	const struct mlr_plr_step *steps[2];
	size_t count = 0;

	(void)state;
	for (int i = 0; i < 2; i++) {
		suts[i] = make_sut("jitter,capacity=3e6,sigma=0.01,seed=3");
		plrs[i] = make_plr(1e-7);
		soak(plrs[i], suts[i], 400);
		steps[i] = mlr_plr_timeline(plrs[i], &count);
	}
	assert_true(count > 30);
	for (size_t i = 0; i < count; i++) {
		assert_memory_equal(&steps[0][i].input, &steps[1][i].input, sizeof(steps[0][i].input));
		assert_memory_equal(&steps[0][i].together, &steps[1][i].together, sizeof(steps[0][i].together));
	}
	for (int i = 0; i < 2; i++) {
		mlr_plr_free(plrs[i]);
		mlr_sut_free(suts[i]);
	}
}

/* SUTs that fit no model: everything stays finite and inside. */
static void test_degenerate(void **state)
{
	static const double loss_ratios[] = { 0, 1, 0.5, 1e-3, 1e-9 };
	static const double targets[] = { 1e-7, 1e-3, 0.5 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(loss_ratios) * COUNT_OF(targets); i++) {
		double loss_ratio = loss_ratios[i % COUNT_OF(loss_ratios)];
		struct mlr_plr *plr = make_plr(targets[i / COUNT_OF(loss_ratios)]);
		struct mlr_trial_input input;
		struct mlr_plr_estimate e;

		for (int trial = 0; trial < 25; trial++) {
			double offered;

			mlr_plr_next(plr, &input);
			assert_true(input.load_fps >= MIN_LOAD_FPS && input.load_fps <= MAX_LOAD_FPS);
			offered = round(input.load_fps * input.duration_s);
			answer(plr, &input, offered, round(offered * loss_ratio));
		}
		mlr_plr_estimate(plr, &e);
		assert_true(e.together.mean_fps >= MIN_LOAD_FPS && e.together.mean_fps <= MAX_LOAD_FPS);
		assert_true(isfinite(e.together.stdev_fps) && e.together.stdev_fps >= 0);
		if (loss_ratio == 0)
			assert_true(e.together.mean_fps > 0.9 * MAX_LOAD_FPS && e.max_load_probability > 0.3);
		if (loss_ratio == 1)
			assert_true(e.together.mean_fps < 1.01 * MIN_LOAD_FPS && e.min_load_probability > 0.99);
		mlr_plr_free(plr);
	}
}

/* --- truth ---------------------------------------------------------------------------------------------------------- */

/* The loss rate of the simulated models, as lib/trial/sut.c has them. */
static double model_rate(bool is_stretch, double load_fps, double capacity_fps, double spread_fps)
{
	double x = (load_fps - capacity_fps) / spread_fps;

	if (is_stretch)
		return spread_fps * (x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)));
	return spread_fps * 0.5 * (exp(-x * x) / sqrt(M_PI) + x * erfc(-x));
}

static double model_critical_load(bool is_stretch, double capacity_fps, double spread_fps, double target)
{
	double low = capacity_fps / 10, high = capacity_fps * 2;

	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;
		bool below = model_rate(is_stretch, middle, capacity_fps, spread_fps) < target * middle;

		low = below ? middle : low;
		high = below ? high : middle;
	}
	return low;
}

/* The true critical load lies within 2 stdev in at least 16 of 20 runs of 30 minutes, on either model, and the stdev
 * shrinks. tools/bench/bench_plr.c does a hundred runs of each. */
static void test_coverage(void **state)
{
	static const double spreads[] = { 0.001, 0.005, 0.02 }, targets[] = { 1e-7, 1e-3 };
	int within = 0, shrunk = 0;

	(void)state;
	for (int seed = 1; seed <= 20; seed++) {
		bool is_stretch = seed % 2;
		double capacity = 1e5 * pow(120, fmod(seed * 0.618034, 1)), spread = spreads[seed % 3] * capacity;
		double target = targets[seed / 2 % 2], truth = model_critical_load(is_stretch, capacity, spread, target),
		       early;
		struct mlr_plr *plr = make_plr(target);
		struct mlr_plr_moments last;
		struct mlr_sut *sut;
		char specification[128];

		snprintf(specification, sizeof(specification), "%s,capacity=%.17g,spread=%.17g,seed=%d",
			 is_stretch ? "stretch" : "erf", capacity, spread, seed);
		sut = make_sut(specification);
		soak(plr, sut, 120);
		early = last_step(plr)->together.stdev_fps;
		soak(plr, sut, 1800);
		last = last_step(plr)->together;
		within += fabs(last.mean_fps - truth) <= 2 * last.stdev_fps;
		shrunk += last.stdev_fps < early;
		mlr_plr_free(plr);
		mlr_sut_free(sut);
	}
	print_message("true critical load within 2 stdev: %d of 20; stdev smaller after 30 minutes than after 2: %d of 20\n",
		      within, shrunk);
	assert_true(within >= 16);
	assert_true(shrunk >= 19);
}

static void test_anomaly(void **state)
{
	struct mlr_sut *sut = make_sut("stretch,capacity=1e6,spread=5000,seed=9");
	struct mlr_plr *plr = make_plr(1e-7);
	struct mlr_trial_input input;
	struct mlr_plr_estimate e;

	(void)state;
	soak(plr, sut, 300);
	mlr_plr_estimate(plr, &e);
	assert_int_equal(e.anomaly_count, 0);
	mlr_plr_next(plr, &input);
	answer(plr, &input, round(input.load_fps * input.duration_s), 100000);
	mlr_plr_estimate(plr, &e);
	assert_int_equal(e.anomaly_count, 1);
	assert_true(last_step(plr)->anomaly);
	mlr_plr_free(plr);
	mlr_sut_free(sut);
}

/* A capacity that sinks by 2 frames/s each second is a trend of about that slope; a steady one is none. */
static void test_trend(void **state)
{
	(void)state;
	for (int drifts = 0; drifts < 2; drifts++) {
		struct mlr_plr *plr = make_plr(1e-3);
		struct mlr_plr_estimate e;

		for (int trial = 0; trial < 60; trial++) {
			double now_s = trial ? last_step(plr)->end_s : 0;
			struct mlr_trial_input input;
			char specification[128];
			struct mlr_sut *sut;
			uint64_t sent, lost;

			mlr_plr_next(plr, &input);
			snprintf(specification, sizeof(specification), "stretch,capacity=%.17g,spread=5000,seed=%d",
				 1e6 - 2 * drifts * (now_s + input.duration_s / 2), trial + 1);
			sut = make_sut(specification);
			mlr_sut_trial(sut, &input, &sent, &lost);
			answer(plr, &input, (double)sent, (double)lost);
			mlr_sut_free(sut);
		}
		mlr_plr_estimate(plr, &e);
		if (drifts) {
			assert_true(e.trend.p_value < MLR_PLR_TREND_P_VALUE);
			assert_close(e.trends[MLR_PLR_STRETCH].slope_fps_per_s, -2, 0.5);
		} else {
			assert_true(e.trend.p_value > MLR_PLR_TREND_P_VALUE);
		}
		mlr_plr_free(plr);
	}
}

static void test_sharp(void **state)
{
	struct mlr_sut *sut = make_sut("stretch,capacity=1e6,spread=5000,seed=9");
	struct mlr_plr *plr = make_plr(1e-3);

	(void)state;
	for (int trial = 0; trial < 4; trial++) {
		step(plr, sut);
		assert_false(mlr_plr_sharp(plr, 1));
	}
	step(plr, sut);
	assert_true(mlr_plr_sharp(plr, 1));
	assert_false(mlr_plr_sharp(plr, 1e-12));
	mlr_plr_free(plr);
	mlr_sut_free(sut);
}

/* Of a capacity that differs from trial to trial, log-normally with sigma, in units of the capacity. */
static double jitter_critical_load(double sigma, double target)
{
	double low = 0.5, high = 1.5;

	for (int i = 0; i < 100; i++) {
		double load = (low + high) / 2, score = log(load) / sigma;
		double lost = load * erfc(-score * M_SQRT1_2) / 2 -
			      exp(sigma * sigma / 2) * erfc(-(score - sigma) * M_SQRT1_2) / 2;

		if (lost < target * load)
			low = load;
		else
			high = load;
	}
	return low;
}

/* Losses that no Poisson distribution has: the draft's stdev is false, and the robust one is not. */
static void test_robust(void **state)
{
	double truth = 1e6 * jitter_critical_load(0.01, 1e-3);
	int within = 0, within_draft = 0;

	(void)state;
	for (int seed = 1; seed <= 5; seed++) {
		struct mlr_plr *plr = make_plr(1e-3);
		struct mlr_plr_estimate e;
		char specification[128];
		struct mlr_sut *sut;
		double error_fps;

		snprintf(specification, sizeof(specification), "jitter,capacity=1e6,sigma=0.01,seed=%d", seed);
		sut = make_sut(specification);
		soak(plr, sut, 500);
		mlr_plr_estimate(plr, &e);
		error_fps = fabs(e.together.mean_fps - truth);
		assert_false(e.model_fits);
		assert_true(e.misfit > MLR_PLR_MISFIT_MOST && e.dispersion > 100);
		assert_true(e.robust_stdev_fps < 0.2 * truth);
		assert_false(mlr_plr_sharp(plr, 0.9 * e.robust_stdev_fps / e.together.mean_fps));
		within += error_fps <= 2.5 * e.robust_stdev_fps;
		within_draft += error_fps <= 2.5 * e.together.stdev_fps;
		mlr_plr_free(plr);
		mlr_sut_free(sut);
	}
	print_message("jitter: true critical load within 2.5 robust stdev: %d of 5, within 2.5 stdev of the draft: %d\n",
		      within, within_draft);
	assert_true(within >= 4);
	assert_true(within_draft <= 1);
}

/* Where losses are as the model has them, the robust stdev is the draft's, and what is extrapolated. */
static void test_model_fits(void **state)
{
	static const char *const suts[] = { "stretch,capacity=1e6,spread=5000,seed=3", "erf,capacity=1e6,spread=5000,seed=4",
					    "hard,capacity=1e6" };

	(void)state;
	for (size_t i = 0; i < sizeof(suts) / sizeof(*suts); i++) {
		struct mlr_sut *sut = make_sut(suts[i]);
		struct mlr_plr *plr = make_plr(1e-3);
		struct mlr_plr_estimate e;

		mlr_plr_estimate(plr, &e);
		assert_true(e.model_fits && e.misfit == 0 && e.dispersion == 1);
		soak(plr, sut, 400);
		mlr_plr_estimate(plr, &e);
		assert_true(e.model_fits && e.dispersion == 1);
		assert_true(e.robust_stdev_fps >= e.together.stdev_fps && e.robust_stdev_fps < 2 * e.together.stdev_fps);
		mlr_plr_free(plr);
		mlr_sut_free(sut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fitting_functions),
		cmocka_unit_test(test_fitting_functions_far),
		cmocka_unit_test(test_fitting_functions_rise),
		cmocka_unit_test(test_critical_load),
		cmocka_unit_test(test_brute_force),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_opening),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_repeatable),
		cmocka_unit_test(test_degenerate),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_anomaly),
		cmocka_unit_test(test_trend),
		cmocka_unit_test(test_sharp),
		cmocka_unit_test(test_robust),
		cmocka_unit_test(test_model_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
