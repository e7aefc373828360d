/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the controllers themselves cost: searches a second of each algorithm, the time of one decision of `mlr` with so many trials in
 * memory and so many goals, and that of the decisions of long searches. In this process, on simulated SUTs, in CPU time; ten seconds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mlr/controller.h"
#include "mlr/sut.h"

#define MIN_LOAD_FPS 9001.0
#define MAX_LOAD_FPS 14880952.0
#define CAPACITY_FPS 1e6
#define JITTER       "jitter,sigma=0.01"
#define SEARCHES     100
#define TRIALS_MAX   100000
#define LOADS        40    /* that hold the trials in memory, */
#define LOADS_RATIO  1.03  /* so far apart that the search goes on between them */
#define DECISIONS    20    /* measured at each size */
#define LONG_SUM_S   10000 /* Goal Duration Sum of a long search, */
#define LONG_TRIALS  20000 /* which is looked at for so many trials, */
#define LONG_ROW     4000  /* so many in a row of the table */

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static struct mlr_sut *new_sut(const char *model, unsigned int seed)
{
	struct mlr_sut *sut;
	char specification[128], error[256];

	snprintf(specification, sizeof(specification), "%s,capacity=1e6,seed=%u", model, seed);
	if (mlr_sut_new(specification, &sut, error, sizeof(error))) {
		fprintf(stderr, "bench_controller: %s\n", error);
		exit(1);
	}
	return sut;
}

static struct mlr_trial_result measure(struct mlr_sut *sut, const struct mlr_trial_input *input)
{
	uint64_t sent, lost;

	mlr_sut_trial(sut, input, &sent, &lost);
	return (struct mlr_trial_result){ *input, mlr_trial_output(input, (double)lost / (double)sent, input->duration_s) };
}

static void add(struct mlr_controller *controller, const struct mlr_trial_result *result)
{
	if (mlr_controller_add(controller, result)) {
		fprintf(stderr, "bench_controller: a result was refused\n");
		exit(1);
	}
}

/* --- searches a second --- */

static int new_tst009(const struct mlr_controller_input *input, struct mlr_controller **ret)
{
	return mlr_controller_new_tst009(input, MLR_TST009_MAX_R_DEFAULT, ret);
}

static int new_phased(const struct mlr_controller_input *input, struct mlr_controller **ret)
{
	return mlr_controller_new_phased(input, NULL, ret);
}

static const struct {
	const char *name, *preset;
	int (*new_controller)(const struct mlr_controller_input *input, struct mlr_controller **ret);
} algorithms[] = {
	{ "mlr", "csit", mlr_controller_new_mlr },          { "mlr", "rfc2544", mlr_controller_new_mlr },
	{ "mlr", "tst009", mlr_controller_new_mlr },        { "phased", "csit", new_phased },
	{ "binary", "rfc2544", mlr_controller_new_binary }, { "tst009", "tst009", new_tst009 },
};

static size_t search(size_t algorithm, unsigned int seed)
{
	struct mlr_controller_input input = { .min_load_fps = MIN_LOAD_FPS, .max_load_fps = MAX_LOAD_FPS };
	struct mlr_sut *sut = new_sut(JITTER, seed);
	struct mlr_controller *controller;
	struct mlr_decision decision;
	size_t trials = 0;

	input.goal_count = mlr_goal_preset(algorithms[algorithm].preset, &input.goals);
	if (algorithms[algorithm].new_controller(&input, &controller))
		exit(1);
	while (trials < TRIALS_MAX && mlr_controller_next(controller, &decision) > 0) {
		struct mlr_trial_result result = measure(sut, &decision.input);

		add(controller, &result);
		trials++;
	}
	mlr_controller_free(controller);
	mlr_sut_free(sut);
	return trials;
}

static void bench_searches(void)
{
	printf("%-10s %-10s %14s %14s %14s\n", "algorithm", "preset", "searches/s", "trials each", "us a trial");
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(*algorithms); i++) {
		double start_us = now_us(), us;
		size_t trials = 0;

		for (unsigned int seed = 1; seed <= SEARCHES; seed++)
			trials += search(i, seed);
		us = now_us() - start_us;
		printf("%-10s %-10s %14.0f %14.1f %14.2f\n", algorithms[i].name, algorithms[i].preset, SEARCHES / us * 1e6,
		       (double)trials / SEARCHES, us / (double)trials);
	}
}

/* --- a decision --- */

/* Goals whose loss ratios lie between 0 and a few percent. */
static void fill_goals(struct mlr_goal *goals, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		goals[i] = (struct mlr_goal){ .loss_ratio = 0.003 * (double)i,
					      .exceed_ratio = 0.5,
					      .initial_trial_duration_s = 1,
					      .final_trial_duration_s = 1,
					      .duration_sum_s = 21,
					      .width_ratio = 0.005 };
		snprintf(goals[i].name, sizeof(goals[i].name), "goal%zu", i + 1);
	}
}

struct cost {
	double mean_us, worst_us;
};

static struct cost decision_cost(size_t trial_count, size_t goal_count)
{
	struct mlr_goal goals[MLR_GOALS_MAX];
	struct mlr_controller_input input = { MIN_LOAD_FPS, MAX_LOAD_FPS, goals, goal_count };
	struct mlr_sut *sut = new_sut(JITTER, 1);
	struct mlr_controller *controller;
	struct mlr_decision decision;
	struct cost cost = { 0 };
	double spent_us = 0;
	int made = 0;

	fill_goals(goals, goal_count);
	if (mlr_controller_new_mlr(&input, &controller) || mlr_controller_next(controller, &decision) <= 0)
		exit(1);
	for (size_t i = 0; i < trial_count + DECISIONS; i++) {
		struct mlr_trial_result result = measure(sut, &decision.input);
		double start_us = now_us();
		bool counts = i >= trial_count;

		add(controller, &result);
		if (!counts) {
			/* trials at loads of our own; the warm-up was the first */
			decision.input.load_fps = CAPACITY_FPS / 2 * pow(LOADS_RATIO, (double)(i % LOADS));
			continue;
		}
		if (mlr_controller_next(controller, &decision) <= 0)
			break;
		mlr_controller_remaining_s(controller);
		start_us = now_us() - start_us;
		spent_us += start_us;
		cost.worst_us = fmax(cost.worst_us, start_us);
		made++;
	}
	mlr_controller_free(controller);
	mlr_sut_free(sut);
	cost.mean_us = made ? spent_us / made : 0;
	return cost;
}

static void bench_decisions(void)
{
	static const size_t trials[] = { 10, 500, 5000, 20000 }, goals[] = { 1, 2, 4, 8, 16 };

	printf("\nmlr: us a decision (add, next and the time to go), mean / worst, by trials in memory and goals\n%10s",
	       "trials");
	for (size_t j = 0; j < sizeof(goals) / sizeof(*goals); j++)
		printf("%9zu %s", goals[j], goals[j] > 1 ? "goals" : "goal ");
	for (size_t i = 0; i < sizeof(trials) / sizeof(*trials); i++) {
		printf("\n%10zu", trials[i]);
		for (size_t j = 0; j < sizeof(goals) / sizeof(*goals); j++) {
			struct cost cost = decision_cost(trials[i], goals[j]);

			printf("%8.0f /%5.0f", cost.mean_us, cost.worst_us);
		}
	}
	printf("\n");
}

/* --- the decisions of one long search --- */

static int compare_us(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Show the decisions since the last row. */
static void show_row(size_t trials, double us[LONG_ROW])
{
	double sum_us = 0;

	qsort(us, LONG_ROW, sizeof(*us), compare_us);
	for (size_t i = 0; i < LONG_ROW; i++)
		sum_us += us[i];
	printf("%10zu %8.0f %8.0f %8.0f\n", trials, sum_us / LONG_ROW, us[LONG_ROW * 99 / 100], us[LONG_ROW - 1]);
}

/* A search asks for every trial itself, and needs thousands at each load. */
static void bench_long_search(const char *model, double exceed_ratio)
{
	struct mlr_goal goals[2];
	struct mlr_controller_input input = { MIN_LOAD_FPS, MAX_LOAD_FPS, goals, 2 };
	struct mlr_sut *sut = new_sut(model, 1);
	struct mlr_controller *controller;
	struct mlr_decision decision;
	double us[LONG_ROW];

	fill_goals(goals, 2);
	for (size_t i = 0; i < 2; i++) {
		goals[i].exceed_ratio = exceed_ratio;
		goals[i].duration_sum_s = LONG_SUM_S;
	}
	if (mlr_controller_new_mlr(&input, &controller) || mlr_controller_next(controller, &decision) <= 0)
		exit(1);
	printf("\nmlr: us a decision of a long search, %s, Goal Exceed Ratio %g\n%10s %8s %8s %8s\n", model, exceed_ratio,
	       "trials", "mean", "99 %", "worst");
	for (size_t i = 0; i < LONG_TRIALS; i++) {
		struct mlr_trial_result result = measure(sut, &decision.input);
		double start_us = now_us();

		add(controller, &result);
		if (mlr_controller_next(controller, &decision) <= 0)
			break;
		mlr_controller_remaining_s(controller);
		us[i % LONG_ROW] = now_us() - start_us;
		if ((i + 1) % LONG_ROW == 0)
			show_row(i + 1, us);
	}
	mlr_controller_free(controller);
	mlr_sut_free(sut);
}

int main(void)
{
	bench_searches();
	bench_decisions();
	bench_long_search(JITTER, 0.5);
	bench_long_search("stretch,spread=20000", 0.25);
	bench_long_search("overheating,cost=0.001,back=0.0005", 0.5);
	return 0;
}
