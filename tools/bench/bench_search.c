/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long the mlr controller searches, and how well, on simulated SUTs: thousands of searches in seconds, in this process.
 *
 *	bench_search REFERENCE.CSV [--preset P] [--seeds N] [--repeat N] [--sut NAME] [--accuracy] [--trace]
 *
 * "to go" is how many searches, a tenth, a quarter and half of their time gone, showed a time to go within a factor of 1.5 of the
 * truth, and the geometric mean of what they showed divided by it; while a trial runs, what was said before it counts down.
 *
 * REFERENCE.CSV gives, a preset, SUT and seed, the capacity and what the reference implementation found. Some SUTs that are
 * not in it run on the same capacities. Conditional Throughputs are shown as deviations from the true critical load,
 *percent.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mlr/controller.h"
#include "mlr/sut.h"

#define MIN_LOAD_FPS 9001.0
#define MAX_LOAD_FPS 14880952.0
#define ROWS_MAX     4096
#define GOALS_SHOWN  2
#define TRIALS_MAX   100000

/* A SUT of the suite: a model and one key; `relative` means "times the capacity". */
struct kind {
	const char *name;
	const char *model;
	const char *key;
	double value;
	bool relative;
};

static const struct kind kinds[] = {
	{ "hard", "hard", NULL, 0, false },
	{ "stretch_narrow", "stretch", "spread", 0.001, true },
	{ "stretch_wide", "stretch", "spread", 0.02, true },
	{ "spikes_rare", "spikes", "per_s", 0.05, false },
	{ "spikes_often", "spikes", "per_s", 1, false },
	{ "jitter_1pct", "jitter", "sigma", 0.01, false },
	{ "jitter_5pct", "jitter", "sigma", 0.05, false },
	{ "buffered", "buffered", "buffer", 0.02, true },
	{ "line_rate", "hard", NULL, 0, false },
	{ "residual", "residual", "ratio", 1e-5, false },
	{ "inversion", "inversion", "ratio", 1e-4, false },
	{ "unbalanced_4", "unbalanced", "skew", 0.12, false },
	{ "unbalanced_2", "unbalanced,queues=2", "skew", 0.03, false },
	{ "two_clocks", "clocks", NULL, 0, false },
	{ "turbo", "turbo", NULL, 0, false },
	{ "early_drop", "early", NULL, 0, false },
	{ "overheating", "overheating", NULL, 0, false },
	/* not in the reference */
	{ "+stretch_mid", "stretch", "spread", 0.005, true },
	{ "+stretch_huge", "stretch", "spread", 0.08, true },
	{ "+erf_narrow", "erf", "spread", 0.004, true },
	{ "+erf_wide", "erf", "spread", 0.05, true },
	{ "+jitter_0.3pct", "jitter", "sigma", 0.003, false },
	{ "+jitter_2pct", "jitter", "sigma", 0.02, false },
	{ "+jitter_12pct", "jitter", "sigma", 0.12, false },
	{ "+spikes_some", "spikes", "per_s", 0.4, false },
	{ "+buffered_big", "buffered", "buffer", 0.2, true },
	{ "+residual_1e-7", "residual", "ratio", 1e-7, false },
	{ "+residual_1e-3", "residual", "ratio", 1e-3, false },
	{ "+inversion_deep", "inversion", "ratio", 0.02, false },
	{ "+unbalanced_16", "unbalanced,queues=16", "skew", 0.3, false },
	{ "+unbalanced_8", "unbalanced,queues=8", "skew", 0.02, false },
	{ "+clocks_half", "clocks,p=0.5", "slow", 0.98, false },
	{ "+clocks_rare", "clocks,p=0.08", "slow", 0.9, false },
	{ "+clocks_slow", "clocks,p=0.8", "slow", 0.95, false },
	{ "+turbo_small", "turbo,slow=0.985", "knee", 0.8, true },
	{ "+early_steep", "early,ratio=0.3", "knee", 0.9, true },
	{ "+early_flat", "early,ratio=0.0005", "knee", 0.3, true },
	{ "+heat_slow", "overheating,cost=0.001", "back", 0.0005, false },
	{ "+heat_fast", "overheating,cost=0.02", "back", 0.01, false },
	{ "+heat_sticky", "overheating,cost=0.004", "back", 0.0002, false },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct row {
	char preset[16], sut[32];
	int seed;
	double capacity_fps, trials, time_s, conditional_fps[GOALS_SHOWN];
};

/* When the time to go is held against what it then took: as parts of the search. */
static const double looks[] = { 0.1, 0.25, 0.5 };
#define LOOKS         (sizeof(looks) / sizeof(looks[0]))
#define GOOD_ESTIMATE 1.5 /* within this factor */

struct outcome {
	double trials, time_s, conditional_fps[GOALS_SHOWN];
	double to_go[LOOKS]; /* as the controller said, divided by what it took */
};

/* What the controller said before each of the first trials. */
#define SAID_MAX 1000
static struct said {
	double time_s, to_go_s;
} said[SAID_MAX];

struct options {
	const char *preset, *sut;
	int seeds, repeat;
	bool accuracy, trace;
};

/* Running mean and spread. */
struct stats {
	double count, sum, squares, most;
};

/* Of the time to go at a look: whether it was good, the logarithm of what was shown divided by the truth, and the same without
 * its sign. */
struct to_go {
	struct stats good, log, error;
};

static struct to_go in_all[LOOKS]; /* of all kinds */

static void stats_add(struct stats *stats, double value)
{
	if (!isfinite(value))
		return;
	stats->count++;
	stats->sum += value;
	stats->squares += value * value;
	if (value > stats->most)
		stats->most = value;
}

static void to_go_add(struct to_go *to_go, double ratio)
{
	stats_add(&to_go->good, fabs(log(ratio)) <= log(GOOD_ESTIMATE));
	stats_add(&to_go->log, log(ratio));
	stats_add(&to_go->error, fabs(log(ratio)));
}

static double stats_mean(const struct stats *stats)
{
	return stats->sum / stats->count;
}

static double stats_spread(const struct stats *stats)
{
	return sqrt(fmax(0, stats->squares / stats->count - stats_mean(stats) * stats_mean(stats)));
}

static struct row rows[ROWS_MAX];
static size_t row_count;

static double field(const char *text)
{
	return *text ? strtod(text, NULL) : NAN;
}

static bool read_rows(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[512];

	if (!file)
		return false;
	while (row_count < ROWS_MAX && fgets(line, sizeof(line), file)) {
		struct row *row = &rows[row_count];
		char *rest = line, *fields[12] = { 0 };
		int count = 0;

		line[strcspn(line, "\n")] = '\0';
		while (count < 12 && (fields[count] = strsep(&rest, ",")))
			count++;
		if (count < 9 || !strcmp(fields[0], "preset"))
			continue;
		snprintf(row->preset, sizeof(row->preset), "%s", fields[0]);
		snprintf(row->sut, sizeof(row->sut), "%s", fields[2]);
		row->seed = atoi(fields[1]);
		row->capacity_fps = field(fields[3]);
		row->trials = field(fields[4]);
		row->time_s = field(fields[5]);
		row->conditional_fps[0] = field(fields[8]);
		row->conditional_fps[1] = count > 11 ? field(fields[11]) : NAN;
		row_count++;
	}
	fclose(file);
	return true;
}

static struct mlr_sut *make_sut(const struct kind *kind, double capacity_fps, unsigned int seed)
{
	char specification[256], error[256];
	struct mlr_sut *sut;
	int used =
		snprintf(specification, sizeof(specification), "%s,capacity=%.17g,seed=%u", kind->model, capacity_fps, seed);

	if (kind->key)
		snprintf(specification + used, sizeof(specification) - (size_t)used, ",%s=%.17g", kind->key,
			 kind->value * (kind->relative ? capacity_fps : 1));
	if (mlr_sut_new(specification, &sut, error, sizeof(error))) {
		fprintf(stderr, "bench_search: %s\n", error);
		exit(2);
	}
	return sut;
}

static double decision_ns_most;

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* A decision, and what is shown of the time to go with it. */
static int timed_next(struct mlr_controller *controller, struct mlr_decision *decision, double *ret_to_go_s)
{
	double start_ns = now_ns();
	int wanted = mlr_controller_next(controller, decision);

	*ret_to_go_s = mlr_controller_remaining_s(controller);
	decision_ns_most = fmax(decision_ns_most, now_ns() - start_ns);
	return wanted;
}

static void measure(struct mlr_sut *sut, const struct mlr_trial_input *input, struct mlr_trial_result *ret)
{
	uint64_t sent, lost;

	mlr_sut_trial(sut, input, &sent, &lost);
	ret->input = *input;
	ret->output = mlr_trial_output(input, (double)lost / (double)sent, input->duration_s);
}

static void look_back(struct outcome *outcome)
{
	size_t count = outcome->trials < SAID_MAX ? (size_t)outcome->trials : SAID_MAX, trial = 0;

	for (size_t i = 0; i < LOOKS; i++) {
		double look_s = looks[i] * outcome->time_s, shown_s;

		while (trial + 1 < count && said[trial + 1].time_s <= look_s)
			trial++;
		shown_s = said[trial].to_go_s - (look_s - said[trial].time_s);
		outcome->to_go[i] = fmax(shown_s, 1) / fmax(outcome->time_s - look_s, 1);
	}
}

static struct outcome search(const struct options *options, struct mlr_sut *sut)
{
	struct mlr_controller_input input = { .min_load_fps = MIN_LOAD_FPS, .max_load_fps = MAX_LOAD_FPS };
	struct outcome outcome = { .conditional_fps = { NAN, NAN } };
	struct mlr_controller *controller;
	struct mlr_trial_result result;
	struct mlr_decision decision;
	double to_go_s;

	input.goal_count = mlr_goal_preset(options->preset, &input.goals);
	if (mlr_controller_new_mlr(&input, &controller)) {
		fprintf(stderr, "bench_search: no controller for preset %s\n", options->preset);
		exit(2);
	}
	while (timed_next(controller, &decision, &to_go_s) > 0 && outcome.trials < TRIALS_MAX) {
		measure(sut, &decision.input, &result);
		if (outcome.trials < SAID_MAX)
			said[(size_t)outcome.trials] = (struct said){ outcome.time_s, to_go_s };
		if (options->trace)
			printf("  %4.0f goal %zu %5gs %14.1f fps loss %-12g %s\n", outcome.trials, decision.goal,
			       decision.input.duration_s, decision.input.load_fps, result.output.loss_ratio, decision.rule);
		mlr_controller_add(controller, &result);
		outcome.trials++;
		outcome.time_s += result.output.effective_duration_s;
	}
	for (size_t goal = 0; goal < input.goal_count && goal < GOALS_SHOWN; goal++) {
		struct mlr_goal_result goal_result;

		mlr_controller_goal_result(controller, goal, &goal_result);
		outcome.conditional_fps[goal] = goal_result.conditional_throughput_fps;
		if (goal_result.irregularity == MLR_UNFINISHED)
			printf("  UNFINISHED goal %zu\n", goal);
	}
	mlr_controller_free(controller);
	look_back(&outcome);
	return outcome;
}

/* Whether at least half of the trials at this load keep the loss ratio. */
static bool is_good(const struct kind *kind, double capacity_fps, double load_fps, double loss_ratio, double duration_s)
{
	struct mlr_sut *sut = make_sut(kind, capacity_fps, 1);
	struct mlr_trial_input input = { duration_s, load_fps };
	struct mlr_trial_result result;
	int low = 0;

	for (int i = 0; i < 400; i++) {
		measure(sut, &input, &result);
		low += result.output.loss_ratio <= loss_ratio;
	}
	mlr_sut_free(sut);
	return low >= 200;
}

static double critical_load_fps(const struct kind *kind, double capacity_fps, double loss_ratio, double duration_s)
{
	double low = MIN_LOAD_FPS, high = MAX_LOAD_FPS;

	if (is_good(kind, capacity_fps, high, loss_ratio, duration_s))
		return high;
	for (int i = 0; i < 25; i++) {
		double middle = sqrt(low * high);

		if (is_good(kind, capacity_fps, middle, loss_ratio, duration_s))
			low = middle;
		else
			high = middle;
	}
	return low;
}

static double run_kind(const struct options *options, const struct kind *kind, size_t goal_count,
		       const struct mlr_goal *goals)
{
	bool is_new = kind->name[0] == '+';
	struct stats reference_trials = { 0 }, reference_time = { 0 }, trials = { 0 }, time_s = { 0 },
		     reference[GOALS_SHOWN] = { 0 }, ours[GOALS_SHOWN] = { 0 };
	struct to_go to_go[LOOKS] = { 0 };
	double ratio;

	for (size_t i = 0; i < row_count; i++) {
		const struct row *row = &rows[i];

		if (strcmp(row->preset, options->preset) || strcmp(row->sut, is_new ? "hard" : kind->name) ||
		    row->seed >= options->seeds)
			continue;
		stats_add(&reference_trials, row->trials);
		stats_add(&reference_time, row->time_s);
		double critical_fps[GOALS_SHOWN] = { row->capacity_fps, row->capacity_fps };

		for (size_t goal = 0; options->accuracy && goal < goal_count; goal++) {
			critical_fps[goal] = critical_load_fps(kind, row->capacity_fps, goals[goal].loss_ratio,
							       goals[goal].final_trial_duration_s);
			stats_add(&reference[goal], 100 * (row->conditional_fps[goal] / critical_fps[goal] - 1));
		}
		for (int repeat = 0; repeat < options->repeat; repeat++) {
			struct mlr_sut *sut =
				make_sut(kind, row->capacity_fps, (unsigned int)(row->seed * 1000 + repeat + 1));
			struct outcome outcome = search(options, sut);

			mlr_sut_free(sut);
			stats_add(&trials, outcome.trials);
			stats_add(&time_s, outcome.time_s);
			for (size_t look = 0; look < LOOKS; look++) {
				to_go_add(&to_go[look], outcome.to_go[look]);
				to_go_add(&in_all[look], outcome.to_go[look]);
			}
			for (size_t goal = 0; goal < goal_count; goal++)
				stats_add(&ours[goal], 100 * (outcome.conditional_fps[goal] / critical_fps[goal] - 1));
		}
	}
	ratio = stats_mean(&time_s) / stats_mean(&reference_time);
	printf("%-16s %7.1f %7.1f %8.1f %8.1f %6.3f  most %6.0f  to go", kind->name, stats_mean(&reference_trials),
	       stats_mean(&trials), stats_mean(&reference_time), stats_mean(&time_s), ratio, time_s.most);
	for (size_t look = 0; look < LOOKS; look++)
		printf(" %3.0f %% (%4.2f)", 100 * stats_mean(&to_go[look].good), exp(stats_mean(&to_go[look].log)));
	for (size_t goal = 0; options->accuracy && goal < goal_count; goal++) {
		double gap = stats_mean(&ours[goal]) - stats_mean(&reference[goal]);
		double error = sqrt(pow(stats_spread(&ours[goal]), 2) / ours[goal].count +
				    pow(stats_spread(&reference[goal]), 2) / reference[goal].count);

		printf(" | %6.2f±%5.2f ref %6.2f±%5.2f d %5.2f(%4.1fse) s %4.2f", stats_mean(&ours[goal]),
		       stats_spread(&ours[goal]), stats_mean(&reference[goal]), stats_spread(&reference[goal]), gap,
		       gap / fmax(error, 1e-9), stats_spread(&ours[goal]) / fmax(stats_spread(&reference[goal]), 1e-9));
	}
	printf("\n");
	return is_new ? 0 : log(ratio);
}

static void run(const struct options *options)
{
	const struct mlr_goal *goals;
	size_t goal_count = mlr_goal_preset(options->preset, &goals);
	double logs = 0;
	int counted = 0;

	printf("%-16s %7s %7s %8s %8s %6s\n", options->preset, "ref", "trials", "ref", "time [s]", "ratio");
	for (size_t i = 0; i < KINDS; i++) {
		if (options->sut && strcmp(options->sut, kinds[i].name))
			continue;
		logs += run_kind(options, &kinds[i], goal_count, goals);
		counted += kinds[i].name[0] != '+';
	}
	for (size_t look = 0; look < LOOKS; look++)
		printf("time to go after %.0f %% of a search: within a factor of %g in %.0f %%, in the mean %.2f of the "
		       "truth, wrong "
		       "by a factor of %.2f\n",
		       100 * looks[look], GOOD_ESTIMATE, 100 * stats_mean(&in_all[look].good),
		       exp(stats_mean(&in_all[look].log)), exp(stats_mean(&in_all[look].error)));
	if (counted)
		printf("%-16s %40.4f   longest decision %.0f us\n", "geometric mean", exp(logs / counted),
		       decision_ns_most / 1e3);
}

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "preset", required_argument, NULL, 'p' },
		{ "seeds", required_argument, NULL, 'n' },
		{ "repeat", required_argument, NULL, 'r' },
		{ "sut", required_argument, NULL, 's' },
		{ "accuracy", no_argument, NULL, 'a' },
		{ "trace", no_argument, NULL, 't' },
		{ NULL, 0, NULL, 0 },
	};
	struct options options = { .preset = "csit", .seeds = 60, .repeat = 1 };
	int option;

	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (option == 'p')
			options.preset = optarg;
		else if (option == 'n')
			options.seeds = atoi(optarg);
		else if (option == 'r')
			options.repeat = atoi(optarg);
		else if (option == 's')
			options.sut = optarg;
		else if (option == 'a')
			options.accuracy = true;
		else if (option == 't')
			options.trace = true;
		else
			return 2;
	}
	if (optind >= argc || !read_rows(argv[optind])) {
		fprintf(stderr, "bench_search: name the reference's results, as tools/bench/reference/reference.csv\n");
		return 2;
	}
	run(&options);
	return 0;
}
