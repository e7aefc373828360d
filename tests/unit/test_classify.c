/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Appendix C of the draft as test data, and the library against a literal transcription of appendices A and B. */
#include "unit.h"

#define LOAD_FPS 1e6
#define GOALS    4
#define POINTS   6

/* C.1, in its order. */
static struct mlr_goal example_goal(size_t goal)
{
	switch (goal) {
	case 0:
		return make_goal(0, 0, 60, 60); /* RFC2544, 60f60d0l0e */
	case 1:
		return make_goal(0, 0.5, 60, 120); /* TST009, 60f120d0l50e */
	case 2:
		return make_goal(0.005, 0.5, 1, 120); /* 1s final, 1f120d.5l50e */
	default:
		return make_goal(0.005, 0.2, 60, 60); /* 20% exceed, 60f60d0.5l20e */
	}
}

/* C.2: the trials that each point adds. */
static const struct {
	int count;
	double duration_s;
	double loss_ratio;
} added[POINTS] = { { 59, 1, 0 }, { 1, 1, 0.01 }, { 59, 1, 0.01 }, { 1, 1, 0 }, { 1, 60, 0.001 }, { 1, 60, 0 } };

/* C.3: the rows of tables 1 to 6, seconds and percent. */
struct table_column {
	double full_length_high_loss_s, full_length_low_loss_s, short_high_loss_s, short_low_loss_s;
	double balancing_s, excess_s, positive_excess_s, effective_high_loss_s, effective_full_s, effective_whole_s,
		missing_s;
	double pessimistic_high_loss_s, optimistic_percent, pessimistic_percent;
	enum mlr_load_class class;
};

/*
 * An erratum: tables 5 and 6 print "Lower Bound" for the goal "20% exceed", with exceed ratios of 42.857 % and 27.273 %.
 * Both are above 20 %, so the code of Appendix A, which is normative, makes the load an Upper Bound; so does the library.
 */
static const struct table_column tables[POINTS][GOALS] = {
	{
		/* point 1 */
		{ 0, 0, 0, 59, 0, 0, 0, 0, 0, 60, 60, 60, 0, 100, MLR_LOAD_UNDECIDED },
		{ 0, 0, 0, 59, 59, -59, 0, 0, 0, 120, 120, 120, 0, 100, MLR_LOAD_UNDECIDED },
		{ 0, 59, 0, 0, 0, 0, 0, 0, 59, 120, 61, 61, 0, 50.833, MLR_LOAD_UNDECIDED },
		{ 0, 0, 0, 59, 14.75, -14.75, 0, 0, 0, 60, 60, 60, 0, 100, MLR_LOAD_UNDECIDED },
	},
	{
		/* point 2 */
		{ 0, 0, 1, 59, 0, 1, 1, 1, 1, 60, 59, 60, 1.667, 100, MLR_LOAD_UPPER_BOUND },
		{ 0, 0, 1, 59, 59, -58, 0, 0, 0, 120, 120, 120, 0, 100, MLR_LOAD_UNDECIDED },
		{ 1, 59, 0, 0, 0, 0, 0, 1, 60, 120, 60, 61, 0.833, 50.833, MLR_LOAD_UNDECIDED },
		{ 0, 0, 1, 59, 14.75, -13.75, 0, 0, 0, 60, 60, 60, 0, 100, MLR_LOAD_UNDECIDED },
	},
	{
		/* point 3 */
		{ 0, 0, 60, 59, 0, 60, 60, 60, 60, 60, 0, 60, 100, 100, MLR_LOAD_UPPER_BOUND },
		{ 0, 0, 60, 59, 59, 1, 1, 1, 1, 120, 119, 120, 0.833, 100, MLR_LOAD_UNDECIDED },
		{ 60, 59, 0, 0, 0, 0, 0, 60, 119, 120, 1, 61, 50, 50.833, MLR_LOAD_UNDECIDED },
		{ 0, 0, 60, 59, 14.75, 45.25, 45.25, 45.25, 45.25, 60, 14.75, 60, 75.417, 100, MLR_LOAD_UPPER_BOUND },
	},
	{
		/* point 4 */
		{ 0, 0, 60, 60, 0, 60, 60, 60, 60, 60, 0, 60, 100, 100, MLR_LOAD_UPPER_BOUND },
		{ 0, 0, 60, 60, 60, 0, 0, 0, 0, 120, 120, 120, 0, 100, MLR_LOAD_UNDECIDED },
		{ 60, 60, 0, 0, 0, 0, 0, 60, 120, 120, 0, 60, 50, 50, MLR_LOAD_LOWER_BOUND },
		{ 0, 0, 60, 60, 15, 45, 45, 45, 45, 60, 15, 60, 75, 100, MLR_LOAD_UPPER_BOUND },
	},
	{
		/* point 5 */
		{ 60, 0, 60, 60, 0, 60, 60, 120, 120, 120, 0, 120, 100, 100, MLR_LOAD_UPPER_BOUND },
		{ 60, 0, 60, 60, 60, 0, 0, 60, 60, 120, 60, 120, 50, 100, MLR_LOAD_UNDECIDED },
		{ 60, 120, 0, 0, 0, 0, 0, 60, 180, 180, 0, 60, 33.333, 33.333, MLR_LOAD_LOWER_BOUND },
		{ 0, 60, 60, 60, 15, 45, 45, 45, 105, 105, 0, 45, 42.857, 42.857, MLR_LOAD_UPPER_BOUND },
	},
	{
		/* point 6 */
		{ 60, 60, 60, 60, 0, 60, 60, 120, 180, 180, 0, 120, 66.667, 66.667, MLR_LOAD_UPPER_BOUND },
		{ 60, 60, 60, 60, 60, 0, 0, 60, 120, 120, 0, 60, 50, 50, MLR_LOAD_LOWER_BOUND },
		{ 60, 180, 0, 0, 0, 0, 0, 60, 240, 240, 0, 60, 25, 25, MLR_LOAD_LOWER_BOUND },
		{ 0, 120, 60, 60, 15, 45, 45, 45, 165, 165, 0, 45, 27.273, 27.273, MLR_LOAD_UPPER_BOUND },
	},
};

static size_t trials_of_point(size_t point, struct mlr_trial_result *trials)
{
	size_t count = 0;

	for (size_t p = 0; p <= point; p++) {
		for (int i = 0; i < added[p].count; i++)
			trials[count++] = make_trial(LOAD_FPS, added[p].duration_s, added[p].loss_ratio);
	}
	return count;
}

static struct mlr_duration_sums sum_up(const struct mlr_goal *goal, const struct mlr_trial_result *trials, size_t count)
{
	struct mlr_duration_sums sums = { 0 };

	for (size_t i = 0; i < count; i++)
		mlr_duration_sums_add(&sums, goal, &trials[i]);
	return sums;
}

static void check_column(const struct mlr_goal *goal, const struct table_column *column,
			 const struct mlr_trial_result *trials, size_t count)
{
	struct mlr_duration_sums sums = sum_up(goal, trials, count);

	assert_close(mlr_duration_s(sums.full_length_high_loss_ns), column->full_length_high_loss_s, 0);
	assert_close(mlr_duration_s(sums.full_length_low_loss_ns), column->full_length_low_loss_s, 0);
	assert_close(mlr_duration_s(sums.short_high_loss_ns), column->short_high_loss_s, 0);
	assert_close(mlr_duration_s(sums.short_low_loss_ns), column->short_low_loss_s, 0);
	assert_int_equal(mlr_classify(goal, &sums), column->class);
}

static void tables_of_appendix_c3(void **state)
{
	struct mlr_trial_result trials[200];

	(void)state;
	for (size_t point = 0; point < POINTS; point++) {
		size_t count = trials_of_point(point, trials);

		for (size_t i = 0; i < GOALS; i++) {
			struct mlr_goal goal = example_goal(i);

			check_column(&goal, &tables[point][i], trials, count);
		}
	}
}

/* The transcription that other tests trust keeps every intermediate value of the tables, too. */
static void transcription_keeps_the_tables(void **state)
{
	struct mlr_trial_result trials[200];

	(void)state;
	for (size_t point = 0; point < POINTS; point++) {
		size_t count = trials_of_point(point, trials);

		for (size_t i = 0; i < GOALS; i++) {
			struct mlr_goal goal = example_goal(i);
			const struct table_column *column = &tables[point][i];
			struct appendix_a a = appendix_a(&goal, trials, count);

			assert_close(rational_value(a.balancing_s), column->balancing_s, 1e-9);
			assert_close(rational_value(a.positive_excess_s), column->positive_excess_s, 1e-9);
			assert_close(rational_value(a.effect_high_loss_s), column->effective_high_loss_s, 1e-9);
			assert_close(rational_value(a.effect_full_length_s), column->effective_full_s, 1e-9);
			assert_close(rational_value(a.effect_whole_s), column->effective_whole_s, 1e-9);
			assert_close(rational_value(a.missing_s), column->missing_s, 1e-9);
			assert_close(rational_value(a.pessimistic_high_loss_s), column->pessimistic_high_loss_s, 1e-9);
			assert_close(100 * rational_value(rational_divide(a.effect_high_loss_s, a.effect_whole_s)),
				     column->optimistic_percent, 5e-4);
			assert_close(100 * rational_value(rational_divide(a.pessimistic_high_loss_s, a.effect_whole_s)),
				     column->pessimistic_percent, 5e-4);
			assert_close(rational_value(a.excess_s), column->excess_s, 1e-9);
			assert_int_equal(a.class, column->class);
		}
	}
}

/* C.4.1 to C.4.3; and goal 1 at the same point, which is not a Lower Bound but has a quantile. */
static void conditional_throughputs_of_appendix_c4(void **state)
{
	static const double expected_fps[GOALS] = { 999000, 1e6, 1e6, 999000 };
	struct mlr_trial_result trials[200];
	size_t count = trials_of_point(POINTS - 1, trials);

	(void)state;
	for (size_t i = 0; i < GOALS; i++) {
		struct mlr_goal goal = example_goal(i);
		double fps;

		assert_int_equal(mlr_conditional_throughput(&goal, trials, count, &fps), 0);
		assert_close(fps, expected_fps[i], 1e-6);
	}
}

static void no_trials_no_class(void **state)
{
	struct mlr_duration_sums sums = { 0 };

	(void)state;
	for (size_t i = 0; i < GOALS; i++) {
		struct mlr_goal goal = example_goal(i);

		assert_int_equal(mlr_classify(&goal, &sums), MLR_LOAD_UNDECIDED);
	}
}

/* A ratio equal to the Goal Loss Ratio is low loss, a duration equal to the final one is full length. */
static void equality_is_good_and_full_length(void **state)
{
	struct mlr_goal goal = make_goal(0.005, 0.5, 1, 21);
	struct mlr_duration_sums sums = { 0 };
	struct mlr_trial_result trial = make_trial(LOAD_FPS, 1, 0.005);

	(void)state;
	mlr_duration_sums_add(&sums, &goal, &trial);
	assert_int_equal(sums.full_length_low_loss_ns, 1000000000);
	trial = make_trial(LOAD_FPS, 0.999, 0.0050001);
	mlr_duration_sums_add(&sums, &goal, &trial);
	assert_int_equal(sums.short_high_loss_ns, 999000000);
}

/* csit: eleven of a kind decide, ten do not; it is the effective duration that counts. */
static void eleven_decide(void **state)
{
	struct mlr_goal goal = make_goal(0, 0.5, 1, 21);
	struct mlr_duration_sums ten_good = { .full_length_low_loss_ns = mlr_duration_ns(10) };
	struct mlr_duration_sums ten_bad = { .full_length_high_loss_ns = mlr_duration_ns(10) };
	struct mlr_duration_sums good = { .full_length_low_loss_ns = mlr_duration_ns(10.5) };
	struct mlr_duration_sums bad = { .full_length_high_loss_ns = mlr_duration_ns(10.5) };

	(void)state;
	assert_int_equal(mlr_classify(&goal, &ten_good), MLR_LOAD_UNDECIDED);
	assert_int_equal(mlr_classify(&goal, &ten_bad), MLR_LOAD_UNDECIDED);
	assert_int_equal(mlr_classify(&goal, &good), MLR_LOAD_LOWER_BOUND);
	assert_int_equal(mlr_classify(&goal, &bad), MLR_LOAD_UNDECIDED);
	bad.full_length_high_loss_ns = mlr_duration_ns(10.6);
	assert_int_equal(mlr_classify(&goal, &bad), MLR_LOAD_UPPER_BOUND);
}

/* Past the Goal Duration Sum a load may change its class (4.7.2). */
static void class_may_change(void **state)
{
	struct mlr_goal goal = make_goal(0, 0.5, 1, 21);
	struct mlr_duration_sums sums = { .full_length_low_loss_ns = mlr_duration_ns(11),
					  .full_length_high_loss_ns = mlr_duration_ns(10) };

	(void)state;
	assert_int_equal(mlr_classify(&goal, &sums), MLR_LOAD_LOWER_BOUND);
	sums.full_length_high_loss_ns = mlr_duration_ns(12);
	assert_int_equal(mlr_classify(&goal, &sums), MLR_LOAD_UPPER_BOUND);
}

static void huge_durations_do_not_overflow(void **state)
{
	struct mlr_goal goal = make_goal(0, 0.5, 1, 21);
	struct mlr_trial_result trial = make_trial(LOAD_FPS, 1, 0);
	struct mlr_duration_sums sums = { 0 };
	double fps;

	(void)state;
	trial.output.effective_duration_s = 1.7e308;
	mlr_duration_sums_add(&sums, &goal, &trial);
	mlr_duration_sums_add(&sums, &goal, &trial);
	assert_int_equal(mlr_classify(&goal, &sums), MLR_LOAD_LOWER_BOUND);
	assert_int_equal(mlr_conditional_throughput(&goal, &trial, 1, &fps), 0);
	assert_close(fps, LOAD_FPS, 0);
}

static void conditional_throughput_needs_full_length(void **state)
{
	struct mlr_goal goal = make_goal(0, 0.5, 60, 60);
	struct mlr_trial_result trial = make_trial(LOAD_FPS, 1, 0);
	double fps = -1;

	(void)state;
	assert_int_equal(mlr_conditional_throughput(&goal, &trial, 1, &fps), 0);
	assert_close(fps, 0, 0);
	fps = -1;
	assert_int_equal(mlr_conditional_throughput(&goal, NULL, 0, &fps), 0);
	assert_close(fps, 0, 0);
}

/* Of a trial of 1 ns all units but one may exceed; a Goal Duration Sum that is longer by 1 ns lacks that one. */
static void conditional_throughput_is_exact_to_a_unit(void **state)
{
	struct mlr_goal goal = make_goal(0, nextafter(1, 0), 1e-9, 1000);
	struct mlr_trial_result trial = make_trial(LOAD_FPS, 1e-9, 0);
	double fps = -1;

	(void)state;
	assert_int_equal(mlr_conditional_throughput(&goal, &trial, 1, &fps), 0);
	assert_close(fps, LOAD_FPS, 0);
	goal.duration_sum_s = 1000.000000001;
	assert_int_equal(mlr_conditional_throughput(&goal, &trial, 1, &fps), 0);
	assert_close(fps, 0, 0);
}

/* Half of the Goal Duration Sum is missing: the rest counts as lost altogether. */
static void conditional_throughput_of_a_started_load(void **state)
{
	struct mlr_goal goal = make_goal(0, 0.5, 1, 21);
	struct mlr_trial_result trials[2] = { make_trial(LOAD_FPS, 1, 0), make_trial(LOAD_FPS, 1, 0) };
	double fps;

	(void)state;
	assert_int_equal(mlr_conditional_throughput(&goal, trials, 2, &fps), 0);
	assert_close(fps, 0, 0);
}

/*
 * Durations and ratios as people write them: in decimals, of three places or of nine. Few distinct durations a case, so that
 * sums often meet the Goal Duration Sum and its quantile exactly, which is where rounding would show.
 */
static double random_decimal(uint64_t *random, uint64_t units, uint64_t most)
{
	return (double)(1 + random_below(random, most)) / (double)units;
}

static struct mlr_goal random_goal(uint64_t *random, uint64_t units)
{
	static const double ratios[] = { 0, 0, 0.1, 0.2, 0.25, 0.3, 0.5, 0.7, 0.75, 0.9 };
	double exceed_ratio = random_below(random, 4) ? ratios[random_below(random, COUNT_OF(ratios))]
						      : (double)random_below(random, units) / (double)units;
	double final_s = random_below(random, 2) ? 0.1 * (double)(1 + random_below(random, 30))
						 : random_decimal(random, units, 3 * units);
	double sum_s = random_below(random, 4) ? (double)(1 + random_below(random, 12)) * final_s
					       : random_decimal(random, units, 30 * units);

	return make_goal((double)random_below(random, 3) * 0.005, exceed_ratio, final_s, sum_s);
}

static size_t random_trials(uint64_t *random, const struct mlr_goal *goal, uint64_t units, struct mlr_trial_result *trials,
			    size_t most)
{
	double lengths_s[3] = { goal->final_trial_duration_s, goal->final_trial_duration_s / 2,
				random_decimal(random, units, 4 * units) };
	double overhead_s = random_below(random, 3)   ? 0
			    : random_below(random, 2) ? 0.501
						      : random_decimal(random, units, units);
	uint64_t losses = 1 + random_below(random, 6);
	size_t count = 1 + random_below(random, most);

	for (size_t i = 0; i < count; i++) {
		trials[i] = make_trial(LOAD_FPS, lengths_s[random_below(random, 5) % 3],
				       0.0025 * (double)random_below(random, losses));
		trials[i].output.effective_duration_s += overhead_s;
	}
	return count;
}

static void reverse(struct mlr_trial_result *trials, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		struct mlr_trial_result first = trials[i];

		trials[i] = trials[count - 1 - i];
		trials[count - 1 - i] = first;
	}
}

/* A case against the appendices in rational numbers; and what must be true of every Lower Bound, whatever is measured. */
static void check_random(uint64_t seed, uint64_t units, size_t most)
{
	struct mlr_trial_result trials[60];
	uint64_t random = seed;
	struct mlr_goal goal = random_goal(&random, units);
	size_t count = random_trials(&random, &goal, units, trials, most);
	struct mlr_duration_sums sums = sum_up(&goal, trials, count), reversed_sums;
	enum mlr_load_class class = mlr_classify(&goal, &sums);
	double fps, expected_fps = appendix_b(&goal, trials, count);

	assert_int_equal(mlr_conditional_throughput(&goal, trials, count, &fps), 0);
	if (class != appendix_a(&goal, trials, count).class)
		fail_msg("seed %llu: the class differs from Appendix A", (unsigned long long)seed);
	if (fps != expected_fps)
		fail_msg("seed %llu: %g fps, by Appendix B %g", (unsigned long long)seed, fps, expected_fps);
	if (class == MLR_LOAD_LOWER_BOUND && fps < LOAD_FPS * (1 - goal.loss_ratio))
		fail_msg("seed %llu: a Lower Bound of Conditional Throughput %g", (unsigned long long)seed, fps);
	reverse(trials, count);
	reversed_sums = sum_up(&goal, trials, count);
	if (memcmp(&sums, &reversed_sums, sizeof(sums)))
		fail_msg("seed %llu: the sums depend on the order of the trials", (unsigned long long)seed);
}

static void agrees_with_the_appendices(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 1000000; seed++)
		check_random(seed, 1000, 12);
	for (uint64_t seed = 0; seed < 10000; seed++)
		check_random(seed, 1000000000, 60);
}

/* Sums up and subtractions down used to round differently: ten trials of 0.1 s are 1 s, and the last of them is the
 * quantile. */
static void a_lower_bound_of_tenths_has_a_conditional_throughput(void **state)
{
	struct mlr_goal goal = make_goal(0, 0, 0.1, 1);
	struct mlr_trial_result trials[11];
	struct mlr_duration_sums sums;
	double fps;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(trials); i++)
		trials[i] = make_trial(LOAD_FPS, 0.1, 0);
	sums = sum_up(&goal, trials, 9);
	assert_int_equal(mlr_classify(&goal, &sums), MLR_LOAD_UNDECIDED);
	for (size_t count = 10; count <= COUNT_OF(trials); count++) {
		sums = sum_up(&goal, trials, count);
		assert_int_equal(mlr_classify(&goal, &sums), MLR_LOAD_LOWER_BOUND);
		assert_int_equal(mlr_conditional_throughput(&goal, trials, count, &fps), 0);
		assert_close(fps, LOAD_FPS, 0);
	}
}

/* Durations are whole ns, at least one, and at most what sums have room for. */
static void durations_are_whole(void **state)
{
	(void)state;
	assert_int_equal(mlr_duration_ns(0), 1);
	assert_int_equal(mlr_duration_ns(1e-9), 1);
	assert_int_equal(mlr_duration_ns(2e-9), 2);
	assert_int_equal(mlr_duration_ns(21), 21000000000);
	assert_int_equal(mlr_duration_ns(1e12), MLR_DURATION_MAX_NS);
	assert_int_equal(mlr_duration_ns(INFINITY), MLR_DURATION_MAX_NS);
	assert_close(mlr_duration_s(2500000000), 2.5, 0);
}

/* A ratio just below 1 is below 1: without a trial nothing is decided. It is a unit below, so 1 ns of low loss is enough for all units. */
static void nearly_all_may_exceed(void **state)
{
	const struct mlr_goal goal = make_goal(0, nextafter(1, 0), 1, 1);
	const struct mlr_goal short_goal = make_goal(0, nextafter(1, 0), 1e-9, 1e-9);
	struct mlr_duration_sums sums = { .full_length_high_loss_ns = MLR_EXCEED_UNITS - 1, .full_length_low_loss_ns = 1 };

	(void)state;
	assert_int_equal(mlr_classify(&goal, &(struct mlr_duration_sums){ 0 }), MLR_LOAD_UNDECIDED);
	assert_int_equal(mlr_classify(&short_goal, &sums), MLR_LOAD_LOWER_BOUND);
	sums.full_length_high_loss_ns++;
	assert_int_equal(mlr_classify(&short_goal, &sums), MLR_LOAD_UPPER_BOUND);
}

/* Three quarters of 7 ns are 5.25: 5 ns of high loss are within them, and 6 are not. */
static void quantiles_are_exact_to_a_ns(void **state)
{
	const struct mlr_goal goal = make_goal(0, 0.75, 1e-9, 7e-9);

	(void)state;
	assert_int_equal(mlr_classify(&goal, &(struct mlr_duration_sums){ .full_length_high_loss_ns = 5,
									  .full_length_low_loss_ns = 2 }),
			 MLR_LOAD_LOWER_BOUND);
	assert_int_equal(mlr_classify(&goal, &(struct mlr_duration_sums){ .full_length_high_loss_ns = 6,
									  .full_length_low_loss_ns = 1 }),
			 MLR_LOAD_UPPER_BOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_appendix_c3),
		cmocka_unit_test(transcription_keeps_the_tables),
		cmocka_unit_test(conditional_throughputs_of_appendix_c4),
		cmocka_unit_test(no_trials_no_class),
		cmocka_unit_test(durations_are_whole),
		cmocka_unit_test(nearly_all_may_exceed),
		cmocka_unit_test(quantiles_are_exact_to_a_ns),
		cmocka_unit_test(equality_is_good_and_full_length),
		cmocka_unit_test(eleven_decide),
		cmocka_unit_test(class_may_change),
		cmocka_unit_test(huge_durations_do_not_overflow),
		cmocka_unit_test(conditional_throughput_needs_full_length),
		cmocka_unit_test(conditional_throughput_is_exact_to_a_unit),
		cmocka_unit_test(conditional_throughput_of_a_started_load),
		cmocka_unit_test(agrees_with_the_appendices),
		cmocka_unit_test(a_lower_bound_of_tenths_has_a_conditional_throughput),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
