/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every search algorithm on the simulated suite: mean search time a SUT, beside the reference implementation's where its
 * results are at hand.
 *
 *	bench_algorithms [SEEDS [REFERENCE.CSV]]
 *
 * The SUTs are those of the reference's suite, their capacities log-uniform from 1e5 to 1.2e7 frames/s: drawn here, or, of the
 * seeds that REFERENCE.CSV has, taken from it, so that both searched the same SUTs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlr/controller.h"
#include "mlr/sut.h"

#define MIN_LOAD_FPS       9001.0
#define MAX_LOAD_FPS       14880952.0
#define CAPACITY_LEAST_FPS 1e5
#define CAPACITY_MOST_FPS  1.2e7
#define SEEDS_DEFAULT      20
#define SEEDS_MAX          10000
#define TRIALS_MAX         100000 /* more than any limit of a controller here */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A SUT of the suite: a model, and its parameter if it has one, in units of the capacity or absolute. */
static const struct kind {
	const char *name, *model, *key;
	double value;
	bool relative;
} kinds[] = {
	{ "hard", "hard", NULL, 0, false },
	{ "buffered", "buffered", "buffer", 0.02, true },
	{ "inversion", "inversion", NULL, 0, false },
	{ "line_rate", "hard", NULL, 0, false },
	{ "spikes_rare", "spikes", "per_s", 0.05, false },
	{ "spikes_often", "spikes", "per_s", 1, false },
	{ "stretch_narrow", "stretch", "spread", 0.001, true },
	{ "stretch_wide", "stretch", "spread", 0.02, true },
	{ "jitter_1pct", "jitter", "sigma", 0.01, false },
	{ "jitter_5pct", "jitter", "sigma", 0.05, false },
	{ "residual", "residual", "ratio", 1e-5, false },
	{ "unbalanced_4", "unbalanced", NULL, 0, false },
	{ "unbalanced_2", "unbalanced,queues=2", "skew", 0.03, false },
	{ "two_clocks", "clocks", NULL, 0, false },
	{ "turbo", "turbo", NULL, 0, false },
	{ "early_drop", "early", NULL, 0, false },
	{ "overheating", "overheating", NULL, 0, false },
};

static int new_phased(const struct mlr_controller_input *input, struct mlr_controller **ret)
{
	return mlr_controller_new_phased(input, NULL, ret);
}

static int new_tst009(const struct mlr_controller_input *input, struct mlr_controller **ret)
{
	return mlr_controller_new_tst009(input, MLR_TST009_MAX_R_DEFAULT, ret);
}

static const struct algorithm {
	const char *name;
	int (*new_controller)(const struct mlr_controller_input *input, struct mlr_controller **ret);
} algorithms[] = {
	{ "mlr", mlr_controller_new_mlr },
	{ "phased", new_phased },
	{ "binary", mlr_controller_new_binary },
	{ "tst009", new_tst009 },
};

/* --- the reference's results --- */

struct reference {
	char preset[16], sut[32];
	unsigned int seed;
	double capacity_fps, time_s;
};

static struct reference *references;
static size_t reference_count;

static void read_references(const char *path)
{
	FILE *file = path ? fopen(path, "r") : NULL;
	struct reference row;
	char line[512];

	if (!file) {
		printf("no results of a reference at hand%s%s\n\n", path ? ": " : "", path ? path : "");
		return;
	}
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%15[^,],%u,%31[^,],%lf,%*d,%lf", row.preset, &row.seed, row.sut, &row.capacity_fps,
			   &row.time_s) != 5)
			continue;
		references = realloc(references, (reference_count + 1) * sizeof(row));
		if (!references)
			exit(1);
		references[reference_count++] = row;
	}
	fclose(file);
}

static const struct reference *find_reference(const char *preset, const struct kind *kind, unsigned int seed)
{
	for (size_t i = 0; i < reference_count; i++)
		if (references[i].seed == seed && !strcmp(references[i].preset, preset) &&
		    !strcmp(references[i].sut, kind->name))
			return &references[i];
	return NULL;
}

/* --- searches --- */

/* The capacity that a seed stands for: a fraction of the golden ratio after another covers the decades evenly. */
static double draw_capacity_fps(unsigned int seed)
{
	double share = fmod((seed + 1) * 0.61803398874989485, 1.0);

	return CAPACITY_LEAST_FPS * pow(CAPACITY_MOST_FPS / CAPACITY_LEAST_FPS, share);
}

static struct mlr_sut *new_sut(const struct kind *kind, double capacity_fps, unsigned int seed)
{
	char specification[256], parameter[64] = "", error[256];
	struct mlr_sut *sut;

	if (kind->key)
		snprintf(parameter, sizeof(parameter), ",%s=%.17g", kind->key,
			 kind->value * (kind->relative ? capacity_fps : 1));
	snprintf(specification, sizeof(specification), "%s,capacity=%.17g,seed=%u%s", kind->model, capacity_fps, seed + 1,
		 parameter);
	if (mlr_sut_new(specification, &sut, error, sizeof(error))) {
		fprintf(stderr, "bench_algorithms: %s\n", error);
		exit(1);
	}
	return sut;
}

/* How long one search takes; NAN where the algorithm does not serve the goals. */
static double search_s(const struct algorithm *algorithm, const char *preset, struct mlr_sut *sut)
{
	struct mlr_controller_input input = { .min_load_fps = MIN_LOAD_FPS, .max_load_fps = MAX_LOAD_FPS };
	struct mlr_controller *controller;
	struct mlr_decision decision;
	double time_s = 0;

	input.goal_count = mlr_goal_preset(preset, &input.goals);
	if (algorithm->new_controller(&input, &controller))
		return NAN;
	for (int i = 0; i < TRIALS_MAX && mlr_controller_next(controller, &decision) > 0; i++) {
		struct mlr_trial_result result = { .input = decision.input };
		uint64_t sent, lost;

		mlr_sut_trial(sut, &decision.input, &sent, &lost);
		result.output = mlr_trial_output(&decision.input, (double)lost / (double)sent, decision.input.duration_s);
		if (mlr_controller_add(controller, &result))
			exit(1);
		time_s += result.output.effective_duration_s;
	}
	mlr_controller_free(controller);
	return time_s;
}

/* --- tables --- */

/* Means over the seeds of one SUT: of each algorithm, and of the reference on the same SUTs (NAN without). */
static void run_kind(const char *preset, const struct kind *kind, unsigned int seeds, double ret_mean_s[],
		     double *ret_reference_s)
{
	double reference_s = 0;

	memset(ret_mean_s, 0, COUNT(algorithms) * sizeof(*ret_mean_s));
	for (unsigned int seed = 0; seed < seeds; seed++) {
		const struct reference *reference = find_reference(preset, kind, seed);
		double capacity_fps = reference ? reference->capacity_fps : draw_capacity_fps(seed);

		if (!strcmp(kind->name, "line_rate"))
			capacity_fps = 2e7;
		reference_s += reference ? reference->time_s / seeds : NAN;
		for (size_t i = 0; i < COUNT(algorithms); i++) {
			struct mlr_sut *sut = new_sut(kind, capacity_fps, seed);

			ret_mean_s[i] += search_s(&algorithms[i], preset, sut) / seeds;
			mlr_sut_free(sut);
		}
	}
	*ret_reference_s = reference_s;
}

static void put_cell(double value, int decimals)
{
	if (isnan(value))
		printf("%12s", "-");
	else
		printf("%12.*f", decimals, value);
}

static void run_preset(const char *preset, unsigned int seeds)
{
	double logs = 0;

	printf("preset %s: mean search time [s] of %u searches, warm-up included\n%-16s%12s%12s", preset, seeds, "SUT",
	       "reference", "mlr / ref.");
	for (size_t i = 0; i < COUNT(algorithms); i++)
		printf("%12s", algorithms[i].name);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		double mean_s[COUNT(algorithms)], reference_s;

		run_kind(preset, &kinds[i], seeds, mean_s, &reference_s);
		printf("\n%-16s", kinds[i].name);
		put_cell(reference_s, 1);
		put_cell(mean_s[0] / reference_s, 3);
		for (size_t j = 0; j < COUNT(algorithms); j++)
			put_cell(mean_s[j], 1);
		logs += log(mean_s[0] / reference_s) / COUNT(kinds);
	}
	printf("\n%-28s", "geometric mean");
	put_cell(exp(logs), 3);
	printf("\n\n");
}

int main(int argc, char **argv)
{
	static const char *const presets[] = { "csit", "rfc2544", "tst009" };
	long seeds = argc > 1 ? strtol(argv[1], NULL, 10) : SEEDS_DEFAULT;

	if (seeds < 1 || seeds > SEEDS_MAX) {
		fprintf(stderr, "bench_algorithms: '%s' is no number of seeds, 1 to %d\n", argv[1], SEEDS_MAX);
		return 2;
	}
	read_references(argc > 2 ? argv[2] : NULL);
	for (size_t i = 0; i < COUNT(presets); i++)
		run_preset(presets[i], (unsigned int)seeds);
	free(references);
	return 0;
}
