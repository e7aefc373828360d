/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the error bars of soak (PLRsearch) are true on SUTs whose losses are not what it takes them for: seeded runs on the
 * simulated models of libmlr, all but those without one critical load.
 *
 *	bench_soak [--runs N] [--seconds S] [--verbose] [MODEL...]
 *
 * A line a SUT and target: runs with the true critical load within 2 stdev of the estimate, within 2.5 robust_stdev, with model_fits,
 * and with neither of the last two; the median error, stdev and robust_stdev, in parts per million of the true load.
 * The true critical load is where the loss ratio, averaged over all that the model draws at random, is the target.
 */
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "median.h"
#include "mlr/plr.h"
#include "mlr/sut.h"

#define MIN_LOAD_FPS 9001.0
#define MAX_LOAD_FPS 14880952.0
#define RUNS_MOST    1000

struct options {
	int runs;
	double seconds;
	bool verbose;
	char **models;
	int model_count;
};

/* A model, its parameters for mlr_sut_new() with the capacity as 1, and its mean loss rate at a load of so many capacities. */
struct scenario {
	const char *name, *specification;
	double (*rate)(double load, double capacity_fps);
};

static double over(double load, double limit)
{
	return fmax(0, load - limit);
}

static double rate_hard(double load, double capacity_fps)
{
	(void)capacity_fps;
	return over(load, 1);
}

static double rate_narrow(double load, double capacity_fps)
{
	double x = (load - 1) / 0.001;

	(void)capacity_fps;
	return 0.001 * (x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)));
}

static double rate_wide(double load, double capacity_fps)
{
	double x = (load - 1) / 0.02;

	(void)capacity_fps;
	return 0.02 * (x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)));
}

static double rate_spikes(double load, double capacity_fps, double per_s)
{
	return over(load, 1) + per_s * load * 0.0005 * exp(-256 / (0.0005 * load * capacity_fps));
}

static double rate_rare(double load, double capacity_fps)
{
	return rate_spikes(load, capacity_fps, 0.05);
}

static double rate_often(double load, double capacity_fps)
{
	return rate_spikes(load, capacity_fps, 1);
}

/* Of a log-normal capacity. */
static double rate_jitter(double load, double sigma)
{
	double score = log(load) / sigma;

	return load * erfc(-score * M_SQRT1_2) / 2 - exp(sigma * sigma / 2) * erfc(-(score - sigma) * M_SQRT1_2) / 2;
}

static double rate_jitter_1(double load, double capacity_fps)
{
	(void)capacity_fps;
	return rate_jitter(load, 0.01);
}

static double rate_jitter_5(double load, double capacity_fps)
{
	(void)capacity_fps;
	return rate_jitter(load, 0.05);
}

static double rate_residual(double load, double capacity_fps)
{
	(void)capacity_fps;
	return over(load, 1) + 1e-5 * load;
}

static double rate_queues(double load, double queues, double skew)
{
	double sum = 0, share = 0;

	for (int i = 0; i < (int)queues; i++) {
		share = (1 + skew * (1 - 2 * i / (queues - 1))) / queues;
		sum += over(load * share, (1 + skew) / queues);
	}
	return sum;
}

static double rate_queues_4(double load, double capacity_fps)
{
	(void)capacity_fps;
	return rate_queues(load, 4, 0.12);
}

static double rate_queues_2(double load, double capacity_fps)
{
	(void)capacity_fps;
	return rate_queues(load, 2, 0.02);
}

static double rate_clocks(double load, double capacity_fps)
{
	(void)capacity_fps;
	return 0.25 * over(load, 0.97) + 0.75 * over(load, 1);
}

static double rate_turbo(double load, double capacity_fps)
{
	double slow = fmin(1, 4 * over(load, 0.9));

	(void)capacity_fps;
	return slow * over(load, 0.95) + (1 - slow) * over(load, 1);
}

static double rate_early(double load, double capacity_fps)
{
	(void)capacity_fps;
	return over(load, 1) + 0.02 * over(fmin(load, 1), 0.85);
}

static const struct scenario scenarios[] = {
	{ "hard", "hard", rate_hard },
	{ "stretch_narrow", "stretch,spread=0.001c", rate_narrow },
	{ "stretch_wide", "stretch,spread=0.02c", rate_wide },
	{ "spikes_rare", "spikes,per_s=0.05", rate_rare },
	{ "spikes_often", "spikes", rate_often },
	{ "jitter_1pct", "jitter,sigma=0.01", rate_jitter_1 },
	{ "jitter_5pct", "jitter,sigma=0.05", rate_jitter_5 },
	{ "buffered", "buffered", rate_hard },
	{ "residual", "residual", rate_residual },
	{ "inversion", "inversion", rate_hard },
	{ "unbalanced_4", "unbalanced", rate_queues_4 },
	{ "unbalanced_2", "unbalanced,queues=2,skew=0.02", rate_queues_2 },
	{ "two_clocks", "clocks", rate_clocks },
	{ "turbo", "turbo", rate_turbo },
	{ "early_drop", "early", rate_early },
};

static double true_critical_load(const struct scenario *scenario, double target_loss_ratio, double capacity_fps)
{
	double low = MIN_LOAD_FPS / capacity_fps, high = fmin(MAX_LOAD_FPS / capacity_fps, 2);

	for (int i = 0; i < 200; i++) {
		double middle = (low + high) / 2;

		if (scenario->rate(middle, capacity_fps) < target_loss_ratio * middle)
			low = middle;
		else
			high = middle;
	}
	return low * capacity_fps;
}

static void fail(const char *text)
{
	fprintf(stderr, "bench_soak: %s\n", text);
	exit(2);
}

/* "0.001c" in a specification: of the capacity. */
static struct mlr_sut *make_sut(const struct scenario *scenario, double capacity_fps, int seed)
{
	char specification[256], error[256];
	const char *spread = strstr(scenario->specification, "spread=");
	int length = (int)(spread ? spread - scenario->specification : (long)strlen(scenario->specification));
	struct mlr_sut *sut;

	if (spread)
		snprintf(specification, sizeof(specification), "%.*sspread=%.17g,capacity=%.17g,seed=%d", length,
			 scenario->specification, atof(spread + strlen("spread=")) * capacity_fps, capacity_fps, seed);
	else
		snprintf(specification, sizeof(specification), "%s,capacity=%.17g,seed=%d", scenario->specification,
			 capacity_fps, seed);
	if (mlr_sut_new(specification, &sut, error, sizeof(error)))
		fail(error);
	return sut;
}

static void step(struct mlr_plr *plr, struct mlr_sut *sut)
{
	struct mlr_trial_result result;
	struct mlr_plr_counts counts;
	uint64_t sent, lost;

	mlr_plr_next(plr, &result.input);
	mlr_sut_trial(sut, &result.input, &sent, &lost);
	counts = (struct mlr_plr_counts){ (double)sent, (double)lost };
	result.output = mlr_trial_output(&result.input, (double)lost / (double)sent, result.input.duration_s);
	if (mlr_plr_add(plr, &result, &counts))
		fail("a trial was refused");
}

static struct mlr_plr_estimate run(const struct scenario *scenario, double target_loss_ratio, double capacity_fps, int seed,
				   double seconds)
{
	struct mlr_plr_parameters parameters = {
		.min_load_fps = MIN_LOAD_FPS,
		.max_load_fps = MAX_LOAD_FPS,
		.target_loss_ratio = target_loss_ratio,
		.first_duration_s = MLR_PLR_FIRST_DURATION_S,
		.duration_step_s = MLR_PLR_DURATION_STEP_S,
	};
	struct mlr_sut *sut = make_sut(scenario, capacity_fps, seed);
	struct mlr_plr_estimate estimate;
	struct mlr_plr *plr;
	size_t count;

	if (mlr_plr_new(&parameters, &plr))
		fail("out of memory");
	do
		step(plr, sut);
	while (mlr_plr_timeline(plr, &count)[count - 1].end_s < seconds);
	mlr_plr_estimate(plr, &estimate);
	mlr_plr_free(plr);
	mlr_sut_free(sut);
	return estimate;
}

static void bench(const struct scenario *scenario, double target_loss_ratio, const struct options *options)
{
	static double errors[RUNS_MOST], stdevs[RUNS_MOST], robust[RUNS_MOST];
	int within = 0, within_robust = 0, fit = 0, false_bars = 0;

	for (int seed = 1; seed <= options->runs; seed++) {
		double capacity_fps = 1e5 * pow(120, fmod(seed * 0.61803398874989485, 1));
		double critical_fps = true_critical_load(scenario, target_loss_ratio, capacity_fps), error;
		struct mlr_plr_estimate estimate = run(scenario, target_loss_ratio, capacity_fps, seed, options->seconds);
		bool inside;

		error = estimate.together.mean_fps - critical_fps;
		inside = fabs(error) <= 2.5 * estimate.robust_stdev_fps;
		within += fabs(error) <= 2 * estimate.together.stdev_fps;
		within_robust += inside;
		fit += estimate.model_fits;
		false_bars += estimate.model_fits && !inside;
		errors[seed - 1] = fabs(error) / critical_fps * 1e6;
		stdevs[seed - 1] = estimate.together.stdev_fps / critical_fps * 1e6;
		robust[seed - 1] = estimate.robust_stdev_fps / critical_fps * 1e6;
		if (options->verbose)
			printf("  seed %d: capacity %.0f, error %+.1f ppm, stdev %.1f, robust %.1f, misfit %.1f, dispersion "
			       "%.3g, trend p %.2g\n",
			       seed, capacity_fps, error / critical_fps * 1e6, stdevs[seed - 1], robust[seed - 1],
			       estimate.misfit, estimate.dispersion, estimate.trend.p_value);
	}
	printf("| %s | %g | %d/%d | %d | %d | %d | %.4g | %.4g | %.4g |\n", scenario->name, target_loss_ratio, within,
	       options->runs, within_robust, fit, false_bars, median(errors, options->runs), median(stdevs, options->runs),
	       median(robust, options->runs));
	fflush(stdout);
}

static bool is_wanted(const struct scenario *scenario, const struct options *options)
{
	for (int i = 0; i < options->model_count; i++)
		if (strcmp(options->models[i], scenario->name) == 0)
			return true;
	return !options->model_count;
}

static bool parse(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "runs", required_argument, NULL, 'r' },
		{ "seconds", required_argument, NULL, 's' },
		{ "verbose", no_argument, NULL, 'v' },
		{ 0 },
	};
	int letter;

	while ((letter = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (letter == 'r')
			options->runs = atoi(optarg);
		else if (letter == 's')
			options->seconds = atof(optarg);
		else if (letter == 'v')
			options->verbose = true;
		else
			return false;
	}
	options->models = argv + optind;
	options->model_count = argc - optind;
	return options->runs > 0 && options->runs <= RUNS_MOST && options->seconds > 0;
}

int main(int argc, char **argv)
{
	static const double targets[] = { 1e-3, 1e-7 };
	struct options options = { .runs = 10, .seconds = 1800 };

	if (!parse(argc, argv, &options)) {
		fprintf(stderr, "usage: bench_soak [--runs N] [--seconds S] [--verbose] [MODEL...]\n");
		return 2;
	}
	printf("| SUT | target | in 2 sd | in 2.5 robust sd | model fits | false bars | error, ppm | sd, ppm | robust sd, "
	       "ppm "
	       "|\n"
	       "|---|---|---|---|---|---|---|---|---|\n");
	for (size_t target = 0; target < 2; target++)
		for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
			if (is_wanted(&scenarios[i], &options))
				bench(&scenarios[i], targets[target], &options);
	return 0;
}
