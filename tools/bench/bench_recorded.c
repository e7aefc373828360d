/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long the mlr controller searches on recorded systems: bench_recorded [--preset P] [--seeds N] FILE...
 *
 * A FILE is what tools/bench/record wrote: the trials of a real system, at some loads, several at each. Here they answer in its place: a
 * trial draws a quantile, and loses the share that this quantile of the recorded trials lost, interpolated between the recorded loads on
 * either side of its own. What trials remembered of each other is lost by that.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlr/controller.h"

#define MIN_LOAD_FPS 100.0
#define MAX_LOAD_FPS 14880952.0
#define TRIALS_MAX   1024

struct trial {
	double load_fps, loss_ratio;
};

struct recording {
	size_t count;
	struct trial trials[TRIALS_MAX]; /* by load, then by loss */
};

static int compare_trials(const void *a, const void *b)
{
	const struct trial *x = a, *y = b;

	if (x->load_fps != y->load_fps)
		return x->load_fps < y->load_fps ? -1 : 1;
	return (x->loss_ratio > y->loss_ratio) - (x->loss_ratio < y->loss_ratio);
}

static void read_recording(const char *path, struct recording *recording)
{
	FILE *file = fopen(path, "r");
	double load_fps, sent, lost;
	char line[256];

	recording->count = 0;
	while (file && recording->count < TRIALS_MAX && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lf %lf %lf", &load_fps, &sent, &lost) == 3)
			recording->trials[recording->count++] = (struct trial){ load_fps, lost / sent };
	}
	if (!file || recording->count == 0) {
		fprintf(stderr, "bench_recorded: no trials in %s; tools/bench/record writes such files\n", path);
		exit(2);
	}
	fclose(file);
	qsort(recording->trials, recording->count, sizeof(recording->trials[0]), compare_trials);
}

/* The loss ratio at a quantile of the load that begins at this trial; the next load begins at *ret_end. */
static double quantile(const struct recording *recording, size_t begin, double part, size_t *ret_end)
{
	const struct trial *trials = recording->trials;
	size_t end = begin;

	while (end < recording->count && trials[end].load_fps == trials[begin].load_fps)
		end++;
	*ret_end = end;
	return trials[begin + (size_t)(part * (double)(end - begin))].loss_ratio;
}

static double loss_ratio(const struct recording *recording, double load_fps, double part)
{
	double below_fps = 0, below = 0, at_fps = 0, at = 0;

	for (size_t next = 0; next < recording->count && at_fps < load_fps;) {
		below_fps = at_fps;
		below = at;
		at_fps = recording->trials[next].load_fps;
		at = quantile(recording, next, part, &next);
	}
	if (at_fps < load_fps)
		return 1 - (1 - at) * at_fps / load_fps;
	return below_fps > 0 ? below + (at - below) * (load_fps - below_fps) / (at_fps - below_fps) : at;
}

/* Trials of one search; the Conditional Throughput of its first goal. */
static int search(const struct recording *recording, const char *preset, double *ret_time_s, double *ret_fps)
{
	struct mlr_controller_input input = { .min_load_fps = MIN_LOAD_FPS, .max_load_fps = MAX_LOAD_FPS };
	struct mlr_controller *controller;
	struct mlr_goal_result goal_result;
	struct mlr_decision decision;
	int trials = 0;

	input.goal_count = mlr_goal_preset(preset, &input.goals);
	if (!input.goal_count || mlr_controller_new_mlr(&input, &controller)) {
		fprintf(stderr, "bench_recorded: no controller for preset %s\n", preset);
		exit(2);
	}
	for (*ret_time_s = 0; mlr_controller_next(controller, &decision) > 0; trials++) {
		double ratio = loss_ratio(recording, decision.input.load_fps, drand48());
		struct mlr_trial_result result = { decision.input,
						   mlr_trial_output(&decision.input, ratio, decision.input.duration_s) };

		mlr_controller_add(controller, &result);
		*ret_time_s += decision.input.duration_s;
	}
	mlr_controller_goal_result(controller, 0, &goal_result);
	*ret_fps = goal_result.conditional_throughput_fps;
	mlr_controller_free(controller);
	return trials;
}

static void run(const char *path, const char *preset, int seeds)
{
	static struct recording recording;
	double trials = 0, time_s = 0, fps = 0, squares = 0, regular = 0;

	read_recording(path, &recording);
	for (int seed = 0; seed < seeds; seed++) {
		double one_s, one_fps;

		srand48(seed);
		trials += search(&recording, preset, &one_s, &one_fps);
		time_s += one_s;
		if (!isfinite(one_fps))
			continue;
		regular++;
		fps += one_fps;
		squares += one_fps * one_fps;
	}
	fps /= regular;
	printf("%-28s trials %6.1f  time %8.1f s  first goal %10.0f fps +- %4.1f %%, none in %.0f\n", path, trials / seeds,
	       time_s / seeds, fps, 100 * sqrt(fmax(0, squares / regular / fps / fps - 1)), seeds - regular);
}

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "preset", required_argument, NULL, 'p' },
		{ "seeds", required_argument, NULL, 'n' },
		{ NULL, 0, NULL, 0 },
	};
	const char *preset = "csit";
	int seeds = 40, option;

	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (option == 'p')
			preset = optarg;
		else if (option == 'n')
			seeds = atoi(optarg);
		else
			return 2;
	}
	if (optind >= argc || seeds < 1) {
		fprintf(stderr, "bench_recorded: name recordings, as tests/data/router.tsv\n");
		return 2;
	}
	for (; optind < argc; optind++)
		run(argv[optind], preset, seeds);
	return 0;
}
