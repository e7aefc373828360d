/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How well soak (PLRsearch) knows what it says, and what it costs: seeded runs on SUTs whose critical load is known exactly.
 *
 *	bench_plr [--runs N] [--seconds S] [--trace]
 *
 * A line a SUT and target: how many runs have the true critical load within 2 stdev of the estimate, together and by each
 * fitting function; the mean error and the mean stdev (parts per million of the true load) at trial 20 and at the end; the
 * microseconds of a decision (the next load, given one more result), the mean and the worst of all from trial 200 on, of a
 * run that is longer.
 */
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mlr/plr.h"
#include "mlr/sut.h"

#define MIN_LOAD_FPS 9001.0
#define MAX_LOAD_FPS 14880952.0
#define EARLY_TRIAL  20
#define LATE_TRIAL   200
#define LATE_TRIALS  10

struct options {
	int runs;
	double seconds;
	bool trace;
};

struct scenario {
	const char *model;
	double spread_ratio; /* of the capacity */
	double target_loss_ratio;
};

/* Sums over the runs of a scenario. */
struct tally {
	int within, within_fitting[MLR_PLR_FITTINGS], shrunk, anomalies, trends;
	double error_ppm, stdev_ppm, early_stdev_ppm, trials;
};

struct cost {
	double sum_us, worst_us;
	int count;
};

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* The loss rate of the simulated models, as lib/trial/sut.c has them. */
static double loss_rate(const struct scenario *scenario, double load_fps, double capacity_fps)
{
	double spread_fps = scenario->spread_ratio * capacity_fps, x = (load_fps - capacity_fps) / spread_fps;

	if (!strcmp(scenario->model, "stretch"))
		return spread_fps * (x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)));
	return spread_fps * 0.5 * (exp(-x * x) / sqrt(M_PI) + x * erfc(-x));
}

static double true_critical_load(const struct scenario *scenario, double capacity_fps)
{
	double low = capacity_fps / 10, high = capacity_fps * 2;

	for (int i = 0; i < 200; i++) {
		double middle = (low + high) / 2;

		if (loss_rate(scenario, middle, capacity_fps) < scenario->target_loss_ratio * middle)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static struct mlr_sut *make_sut(const struct scenario *scenario, double capacity_fps, int seed)
{
	char specification[128], error[256];
	struct mlr_sut *sut;

	snprintf(specification, sizeof(specification), "%s,capacity=%.17g,spread=%.17g,seed=%d", scenario->model,
		 capacity_fps, scenario->spread_ratio * capacity_fps, seed);
	if (mlr_sut_new(specification, &sut, error, sizeof(error))) {
		fprintf(stderr, "bench_plr: %s\n", error);
		exit(2);
	}
	return sut;
}

static struct mlr_plr *make_plr(double target_loss_ratio)
{
	struct mlr_plr_parameters parameters = {
		.min_load_fps = MIN_LOAD_FPS,
		.max_load_fps = MAX_LOAD_FPS,
		.target_loss_ratio = target_loss_ratio,
		.first_duration_s = MLR_PLR_FIRST_DURATION_S,
		.duration_step_s = MLR_PLR_DURATION_STEP_S,
	};
	struct mlr_plr *plr;

	if (mlr_plr_new(&parameters, &plr)) {
		fprintf(stderr, "bench_plr: out of memory\n");
		exit(2);
	}
	return plr;
}

static void trace(const struct mlr_plr_step *step, double critical_fps)
{
	printf("  %8.1f s  load %12.2f (%+.1f ppm)  lost %11.0f ", step->end_s, step->input.load_fps,
	       (step->input.load_fps / critical_fps - 1) * 1e6, step->counts.lost_frames);
	for (int fitting = 0; fitting < MLR_PLR_FITTINGS; fitting++)
		printf(" %+9.1f +- %7.1f", (step->fittings[fitting].mean_fps / critical_fps - 1) * 1e6,
		       step->fittings[fitting].stdev_fps / critical_fps * 1e6);
	printf("  together %+9.1f +- %7.1f ppm  tails %.1e %.1e\n", (step->together.mean_fps / critical_fps - 1) * 1e6,
	       step->together.stdev_fps / critical_fps * 1e6, step->tail_probability[0], step->tail_probability[1]);
}

/* One trial and what follows from it. Microseconds of the decision. */
static double step(struct mlr_plr *plr, struct mlr_sut *sut)
{
	struct mlr_trial_result result;
	struct mlr_plr_counts counts;
	uint64_t sent, lost;
	double start_us;

	mlr_plr_next(plr, &result.input);
	mlr_sut_trial(sut, &result.input, &sent, &lost);
	counts = (struct mlr_plr_counts){ (double)sent, (double)lost };
	result.output = mlr_trial_output(&result.input, (double)lost / (double)sent, result.input.duration_s);
	start_us = now_us();
	if (mlr_plr_add(plr, &result, &counts)) {
		fprintf(stderr, "bench_plr: a trial was refused\n");
		exit(1);
	}
	mlr_plr_next(plr, &result.input);
	return now_us() - start_us;
}

static bool within(const struct mlr_plr_moments *moments, double critical_fps)
{
	return fabs(moments->mean_fps - critical_fps) <= 2 * moments->stdev_fps;
}

static void tally_run(struct tally *tally, const struct mlr_plr *plr, double critical_fps)
{
	struct mlr_plr_estimate estimate;
	size_t count;
	const struct mlr_plr_step *early = mlr_plr_timeline(plr, &count) + (count < EARLY_TRIAL ? count : EARLY_TRIAL) - 1;

	mlr_plr_estimate(plr, &estimate);
	tally->within += within(&estimate.together, critical_fps);
	for (int fitting = 0; fitting < MLR_PLR_FITTINGS; fitting++)
		tally->within_fitting[fitting] += within(&estimate.fittings[fitting], critical_fps);
	tally->shrunk += estimate.together.stdev_fps < early->together.stdev_fps;
	tally->anomalies += (int)estimate.anomaly_count;
	tally->trends += estimate.trend.p_value < MLR_PLR_TREND_P_VALUE;
	tally->error_ppm += (estimate.together.mean_fps / critical_fps - 1) * 1e6;
	tally->stdev_ppm += estimate.together.stdev_fps / critical_fps * 1e6;
	tally->early_stdev_ppm += early->together.stdev_fps / critical_fps * 1e6;
	tally->trials += (double)count;
}

/* Capacities between 1e5 and 1.2e7 frames/s, evenly in the logarithm, by the golden ratio. */
static double capacity_of(int seed)
{
	return 1e5 * pow(120, fmod(seed * 0.61803398874989485, 1));
}

static void run(const struct scenario *scenario, int seed, const struct options *options, struct tally *tally,
		struct cost *cost)
{
	double capacity_fps = capacity_of(seed), critical_fps = true_critical_load(scenario, capacity_fps), end_s = 0;
	struct mlr_sut *sut = make_sut(scenario, capacity_fps, seed);
	struct mlr_plr *plr = make_plr(scenario->target_loss_ratio);
	size_t count = 0;

	while (end_s < options->seconds) {
		step(plr, sut);
		end_s = mlr_plr_timeline(plr, &count)[count - 1].end_s;
		if (options->trace)
			trace(&mlr_plr_timeline(plr, &count)[count - 1], critical_fps);
	}
	tally_run(tally, plr, critical_fps);
	while (seed == 1 && count < LATE_TRIAL + LATE_TRIALS) {
		double us = step(plr, sut);

		mlr_plr_timeline(plr, &count);
		if (count < LATE_TRIAL)
			continue;
		cost->sum_us += us;
		cost->worst_us = fmax(cost->worst_us, us);
		cost->count++;
	}
	mlr_plr_free(plr);
	mlr_sut_free(sut);
}

static void bench(const struct scenario *scenario, const struct options *options)
{
	struct tally tally = { 0 };
	struct cost cost = { 0 };

	for (int seed = 1; seed <= options->runs; seed++)
		run(scenario, seed, options, &tally, &cost);
	printf("%-8s %6g %7g  %4d/%d %7d %4d %6.0f  %10.1f %10.1f %10.1f %6d %9d %7d  %8.0f %8.0f\n", scenario->model,
	       scenario->spread_ratio, scenario->target_loss_ratio, tally.within, options->runs,
	       tally.within_fitting[MLR_PLR_STRETCH], tally.within_fitting[MLR_PLR_ERF], tally.trials / options->runs,
	       tally.error_ppm / options->runs, tally.early_stdev_ppm / options->runs, tally.stdev_ppm / options->runs,
	       tally.shrunk, tally.anomalies, tally.trends, cost.sum_us / cost.count, cost.worst_us);
	fflush(stdout);
}

static bool parse(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "runs", required_argument, NULL, 'r' },
		{ "seconds", required_argument, NULL, 's' },
		{ "trace", no_argument, NULL, 't' },
		{ 0 },
	};
	int letter;

	while ((letter = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (letter == 'r')
			options->runs = atoi(optarg);
		else if (letter == 's')
			options->seconds = atof(optarg);
		else if (letter == 't')
			options->trace = true;
		else
			return false;
	}
	return optind == argc && options->runs > 0 && options->seconds > 0;
}

int main(int argc, char **argv)
{
	static const char *const models[] = { "stretch", "erf" };
	static const double spreads[] = { 0.001, 0.005, 0.02 }, targets[] = { 1e-7, 1e-3 };
	struct options options = { .runs = 100, .seconds = 1800 };

	if (!parse(argc, argv, &options)) {
		fprintf(stderr, "usage: bench_plr [--runs N] [--seconds S] [--trace]\n");
		return 2;
	}
	printf("%-8s %6s %7s  %8s %7s %4s %6s  %10s %10s %10s %6s %9s %7s  %8s %8s\n", "SUT", "spread", "target", "in 2 sd",
	       "stretch", "erf", "trials", "error ppm", "sd at 20", "sd at end", "shrunk", "anomalies", "trends", "us@200",
	       "worst");
	for (size_t target = 0; target < 2; target++) {
		for (size_t model = 0; model < 2; model++) {
			for (size_t spread = 0; spread < 3; spread++) {
				struct scenario scenario = { models[model], spreads[spread], targets[target] };

				bench(&scenario, &options);
			}
		}
	}
	return 0;
}
