/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mlr controller: plain searches on simulated SUTs, and properties over thousands of random searches, honest and
 * hostile. What a search claims is checked against appendices A and B, transcribed in unit.h, and the list of its trials.
 */
#include "unit.h"

#include <errno.h>

#include "mlr/controller.h"
#include "mlr/sut.h"

#define MIN_LOAD_FPS 9001.0
#define MAX_LOAD_FPS 14880952.0

/* All trials of a search but the warm-up, in order. */
struct log {
	struct mlr_trial_result *trials;
	size_t count, capacity;
	size_t asked; /* warm-up included */
};

static void log_add(struct log *log, const struct mlr_trial_result *trial)
{
	if (log->count == log->capacity) {
		log->capacity = log->capacity ? 2 * log->capacity : 64;
		log->trials = realloc(log->trials, log->capacity * sizeof(*log->trials));
		assert_non_null(log->trials);
	}
	log->trials[log->count++] = *trial;
}

/* Answers a trial. */
typedef void (*measure_fn)(void *context, const struct mlr_trial_input *input, struct mlr_trial_result *ret);

static void measure_sut(void *context, const struct mlr_trial_input *input, struct mlr_trial_result *ret)
{
	uint64_t sent, lost;

	mlr_sut_trial(context, input, &sent, &lost);
	ret->input = *input;
	ret->output = mlr_trial_output(input, (double)lost / (double)sent, input->duration_s);
}

static struct mlr_controller *make_controller(const struct mlr_controller_input *input)
{
	struct mlr_controller *controller;

	assert_int_equal(mlr_controller_new_mlr(input, &controller), 0);
	return controller;
}

static struct mlr_controller_input preset_input(const char *preset)
{
	struct mlr_controller_input input = { .min_load_fps = MIN_LOAD_FPS, .max_load_fps = MAX_LOAD_FPS };

	input.goal_count = mlr_goal_preset(preset, &input.goals);
	return input;
}

/* --- what must hold at the end --- */

/* The trials at one load, copied out of the log. */
static size_t trials_at(const struct log *log, double load_fps, struct mlr_trial_result *ret)
{
	size_t count = 0;

	for (size_t i = 0; i < log->count; i++) {
		if (log->trials[i].input.load_fps == load_fps)
			ret[count++] = log->trials[i];
	}
	return count;
}

static enum mlr_load_class class_at(const struct log *log, const struct mlr_goal *goal, double load_fps,
				    struct mlr_trial_result *scratch)
{
	return appendix_a(goal, scratch, trials_at(log, load_fps, scratch)).class;
}

/* The Goal Result by definition, with loops over loops. */
static struct mlr_goal_result slow_result(const struct log *log, const struct mlr_goal *goal, double min_fps, double max_fps)
{
	struct mlr_trial_result *scratch = calloc(log->count + 1, sizeof(*scratch));
	struct mlr_goal_result result = { MLR_UNFINISHED, NAN, NAN, NAN };

	for (size_t i = 0; i < log->count; i++) {
		double load_fps = log->trials[i].input.load_fps;

		if (class_at(log, goal, load_fps, scratch) == MLR_LOAD_UPPER_BOUND &&
		    !(load_fps >= result.relevant_upper_bound_fps))
			result.relevant_upper_bound_fps = load_fps;
	}
	for (size_t i = 0; i < log->count; i++) {
		double load_fps = log->trials[i].input.load_fps;

		if (class_at(log, goal, load_fps, scratch) == MLR_LOAD_LOWER_BOUND &&
		    !(load_fps >= result.relevant_upper_bound_fps) && !(load_fps <= result.relevant_lower_bound_fps))
			result.relevant_lower_bound_fps = load_fps;
	}
	if (!isnan(result.relevant_lower_bound_fps)) {
		size_t count = trials_at(log, result.relevant_lower_bound_fps, scratch);

		result.conditional_throughput_fps = appendix_b(goal, scratch, count);
	}
	if ((result.relevant_upper_bound_fps - result.relevant_lower_bound_fps) / result.relevant_upper_bound_fps <=
	    goal->width_ratio * (1 + 1e-9))
		result.irregularity = MLR_REGULAR;
	else if (isnan(result.relevant_upper_bound_fps) && result.relevant_lower_bound_fps == max_fps)
		result.irregularity = MLR_MAX_LOAD_IS_LOWER_BOUND;
	else if (result.relevant_upper_bound_fps == min_fps)
		result.irregularity = MLR_MIN_LOAD_IS_UPPER_BOUND;
	free(scratch);
	return result;
}

static bool same(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fabs(b);
}

static void check_goal_result(const char *what, uint64_t seed, const struct mlr_controller *controller, size_t goal,
			      const struct mlr_controller_input *input, const struct log *log)
{
	struct mlr_goal_result expected = slow_result(log, &input->goals[goal], input->min_load_fps, input->max_load_fps),
			       result;

	assert_int_equal(mlr_controller_goal_result(controller, goal, &result), 0);
	if (result.irregularity != expected.irregularity ||
	    !same(result.relevant_lower_bound_fps, expected.relevant_lower_bound_fps) ||
	    !same(result.relevant_upper_bound_fps, expected.relevant_upper_bound_fps) ||
	    !same(result.conditional_throughput_fps, expected.conditional_throughput_fps))
		fail_msg("%s, seed %llu: goal %zu is %d %g .. %g, %g; by the appendices %d %g .. %g, %g", what,
			 (unsigned long long)seed, goal, result.irregularity, result.relevant_lower_bound_fps,
			 result.relevant_upper_bound_fps, result.conditional_throughput_fps, expected.irregularity,
			 expected.relevant_lower_bound_fps, expected.relevant_upper_bound_fps,
			 expected.conditional_throughput_fps);
	if (result.relevant_lower_bound_fps >= result.relevant_upper_bound_fps)
		fail_msg("%s, seed %llu: goal %zu has its bounds crossed", what, (unsigned long long)seed, goal);
	if (!mlr_controller_goal_done(controller, goal))
		fail_msg("%s, seed %llu: goal %zu is not done at the end", what, (unsigned long long)seed, goal);
}

static bool is_same_decision(const struct mlr_decision *a, const struct mlr_decision *b)
{
	return a->input.duration_s == b->input.duration_s && a->input.load_fps == b->input.load_fps &&
	       a->warmup == b->warmup && a->goal == b->goal && a->rule == b->rule;
}

static void check_decision(const char *what, uint64_t seed, struct mlr_controller *controller,
			   const struct mlr_controller_input *input, const struct mlr_decision *decision, bool lossy)
{
	struct mlr_decision again;

	if (decision->input.load_fps < input->min_load_fps || decision->input.load_fps > input->max_load_fps)
		fail_msg("%s, seed %llu: load %g", what, (unsigned long long)seed, decision->input.load_fps);
	if (decision->goal >= input->goal_count || !decision->rule)
		fail_msg("%s, seed %llu: a decision without goal or rule", what, (unsigned long long)seed);
	if (!decision->warmup && (decision->input.duration_s < input->goals[decision->goal].initial_trial_duration_s ||
				  decision->input.duration_s > input->goals[decision->goal].final_trial_duration_s))
		fail_msg("%s, seed %llu: duration %g", what, (unsigned long long)seed, decision->input.duration_s);
	if (mlr_controller_next(controller, &again) != 1 || !is_same_decision(decision, &again))
		fail_msg("%s, seed %llu: asked twice, answered differently", what, (unsigned long long)seed);
	if (!(mlr_controller_remaining_s(controller) >= 0))
		fail_msg("%s, seed %llu: negative time to go", what, (unsigned long long)seed);
	if (!strcmp(decision->rule, "cheapest by the model") &&
	    !(decision->exceed_probability > 0 && isfinite(decision->trials_ahead)))
		fail_msg("%s, seed %llu: the model's opinion is %g, and %g trials ahead", what, (unsigned long long)seed,
			 decision->exceed_probability, decision->trials_ahead);
	if (decision->trials_ahead >= 1 && lossy &&
	    mlr_controller_remaining_s(controller) <
		    (decision->trials_ahead - 1) * input->goals[decision->goal].final_trial_duration_s)
		fail_msg("%s, seed %llu: %g s to go, and %g trials in mind", what, (unsigned long long)seed,
			 mlr_controller_remaining_s(controller), decision->trials_ahead);
}

/* Run a search to its end, check all of it, and leave its trials in the log. */
static void search(const char *what, uint64_t seed, const struct mlr_controller_input *input, measure_fn measure,
		   void *context, struct log *ret_log)
{
	struct mlr_controller *controller = make_controller(input);
	double limit = mlr_controller_mlr_trial_limit(input);
	struct log log = { 0 };
	struct mlr_decision decision;
	struct mlr_trial_result result;
	bool lossy[MLR_GOALS_MAX] = { false }; /* a trial was, for a goal; else Max Load may be all that is to go */
	int wanted;

	while ((wanted = mlr_controller_next(controller, &decision)) > 0) {
		check_decision(what, seed, controller, input, &decision, lossy[decision.goal]);
		if (decision.warmup != (log.asked == 0))
			fail_msg("%s, seed %llu: the warm-up is not the first trial", what, (unsigned long long)seed);
		measure(context, &decision.input, &result);
		assert_int_equal(mlr_controller_add(controller, &result), 0);
		for (size_t goal = 0; goal < input->goal_count; goal++)
			lossy[goal] |= log.asked && result.output.loss_ratio > input->goals[goal].loss_ratio;
		if (log.asked++)
			log_add(&log, &result);
		if ((double)log.asked > limit)
			fail_msg("%s, seed %llu: more than %g trials", what, (unsigned long long)seed, limit);
	}
	assert_int_equal(wanted, 0);
	for (size_t goal = 0; goal < input->goal_count; goal++)
		check_goal_result(what, seed, controller, goal, input, &log);
	if (ret_log)
		*ret_log = log;
	else
		free(log.trials);
	mlr_controller_free(controller);
}

/* --- plain searches --- */

static void search_sut(const char *specification, const struct mlr_controller_input *input, struct log *ret_log)
{
	struct mlr_sut *sut;
	char error[256];

	if (mlr_sut_new(specification, &sut, error, sizeof(error)))
		fail_msg("%s", error);
	search(specification, 0, input, measure_sut, sut, ret_log);
	mlr_sut_free(sut);
}

/* Two goals that share a load need 33 trials; a hard limit is found without one too many. */
static void hard_limit_takes_34_trials(void **state)
{
	struct mlr_controller_input input = preset_input("csit");
	struct mlr_goal_result ndr, pdr;
	struct log log;

	(void)state;
	search_sut("hard,capacity=1234567", &input, &log);
	assert_int_equal(log.asked, 34);
	ndr = slow_result(&log, &input.goals[0], MIN_LOAD_FPS, MAX_LOAD_FPS);
	pdr = slow_result(&log, &input.goals[1], MIN_LOAD_FPS, MAX_LOAD_FPS);
	assert_int_equal(ndr.irregularity, MLR_REGULAR);
	assert_int_equal(pdr.irregularity, MLR_REGULAR);
	assert_true(ndr.relevant_lower_bound_fps <= 1234567 && ndr.relevant_upper_bound_fps > 1234567);
	assert_true(pdr.relevant_lower_bound_fps <= 1234567 / 0.995 && pdr.relevant_upper_bound_fps > 1234567 / 0.995);
	free(log.trials);
}

static void line_rate_takes_12_trials(void **state)
{
	struct mlr_controller_input input = preset_input("csit");
	struct mlr_goal_result ndr;
	struct log log;

	(void)state;
	search_sut("hard,capacity=2e7", &input, &log);
	assert_int_equal(log.asked, 12);
	ndr = slow_result(&log, &input.goals[0], MIN_LOAD_FPS, MAX_LOAD_FPS);
	assert_int_equal(ndr.irregularity, MLR_MAX_LOAD_IS_LOWER_BOUND);
	free(log.trials);
}

/* Of a device that forwards Max Load no Upper Bound is to be found: one load's trials are all that is to go, for all goals. */
static void time_to_go_at_line_rate_is_that_of_one_load(void **state)
{
	struct mlr_controller_input input = preset_input("csit");
	struct mlr_controller *controller = make_controller(&input);
	struct mlr_decision decision;

	(void)state;
	for (int trial = 0; mlr_controller_next(controller, &decision) > 0; trial++) {
		struct mlr_trial_result result = { .input = decision.input };

		if (trial) /* 12 in all, of a second, the warm-up among them */
			assert_true(fabs(mlr_controller_remaining_s(controller) - (12 - trial)) <= 1);
		result.output = mlr_trial_output(&decision.input, 0, decision.input.duration_s);
		assert_int_equal(mlr_controller_add(controller, &result), 0);
	}
	mlr_controller_free(controller);
}

/* A search of a SUT, and what was said before each of its first trials: the time gone by then and the time to go. */
struct told {
	double gone_s[64], to_go_s[64], took_s;
	size_t count;
};

static struct told tell(const char *preset, measure_fn measure, void *context)
{
	struct mlr_controller_input input = preset_input(preset);
	struct mlr_controller *controller = make_controller(&input);
	struct mlr_decision decision;
	struct told told = { 0 };

	while (mlr_controller_next(controller, &decision) > 0) {
		struct mlr_trial_result result;

		if (told.count < 64) {
			told.gone_s[told.count] = told.took_s;
			told.to_go_s[told.count++] = mlr_controller_remaining_s(controller);
		}
		measure(context, &decision.input, &result);
		assert_int_equal(mlr_controller_add(controller, &result), 0);
		told.took_s += result.output.effective_duration_s;
	}
	mlr_controller_free(controller);
	return told;
}

static void time_to_go_is_right_within_half_as_much_in_the_first_half(void **state)
{
	static const char *const presets[] = { "csit", "rfc2544", "tst009" };
	char error[128];

	(void)state;
	for (size_t preset = 0; preset < 3; preset++) {
		struct mlr_sut *sut;
		struct told told;

		assert_int_equal(mlr_sut_new("hard,capacity=1.2e6", &sut, error, sizeof(error)), 0);
		told = tell(presets[preset], measure_sut, sut);
		for (size_t i = 0; i < told.count; i++) {
			double true_s = told.took_s - told.gone_s[i];

			if (told.gone_s[i] >= told.took_s / 10 && told.gone_s[i] <= told.took_s / 2 &&
			    fabs(log(told.to_go_s[i] / true_s)) > log(1.5))
				fail_msg("%s: %g s to go said, %g s in truth", presets[preset], told.to_go_s[i], true_s);
		}
		mlr_sut_free(sut);
	}
}

/* Loses a frame in longer trials, but at the lowest loads. */
static void measure_surprises(void *context, const struct mlr_trial_input *input, struct mlr_trial_result *ret)
{
	bool is_bad = input->load_fps > 5e6 || (input->load_fps > 1e5 && input->duration_s >= 60);

	(void)context;
	ret->input = *input;
	ret->output = mlr_trial_output(input, is_bad ? 0.001 : 0, input->duration_s);
}

static void time_to_go_expects_as_many_surprises_as_there_were(void **state)
{
	struct told told = tell("rfc2544", measure_surprises, NULL);
	double most_s = 0;

	(void)state;
	assert_true(told.took_s > 600); /* ten loads at least */
	for (size_t i = 0; i < told.count && told.gone_s[i] < told.took_s / 2; i++)
		most_s = fmax(most_s, told.to_go_s[i]);
	assert_true(told.to_go_s[1] < 150); /* before there was any */
	assert_true(most_s > 200);
}

static void dead_sut_ends_at_min_load(void **state)
{
	struct mlr_controller_input input = preset_input("csit");
	struct mlr_goal_result ndr;
	struct log log;

	(void)state;
	search_sut("hard,capacity=1", &input, &log);
	assert_int_equal(log.asked, 12);
	ndr = slow_result(&log, &input.goals[0], MIN_LOAD_FPS, MAX_LOAD_FPS);
	assert_int_equal(ndr.irregularity, MLR_MIN_LOAD_IS_UPPER_BOUND);
	free(log.trials);
}

static double seconds_of(const struct log *log)
{
	double sum_s = 1; /* the warm-up */

	for (size_t i = 0; i < log->count; i++)
		sum_s += log->trials[i].output.effective_duration_s;
	return sum_s;
}

/* One long good trial and one short bad one decide rfc2544; tst009 wants a long bad one as well. The rest are probes. */
static void long_trials_are_rare(void **state)
{
	struct mlr_controller_input rfc2544 = preset_input("rfc2544"), tst009 = preset_input("tst009");
	struct log log;

	(void)state;
	search_sut("hard,capacity=1234567", &rfc2544, &log);
	assert_close(seconds_of(&log), 63 + sqrt(60), 1e-9);
	free(log.trials);
	search_sut("hard,capacity=1234567", &tst009, &log);
	assert_close(seconds_of(&log), 123 + sqrt(60), 1e-9);
	free(log.trials);
}

/* Interrupts take the time of forwarding: the more overloaded it is, the less it forwards. Its warm-up gives no hint. */
static void measure_livelock(void *context, const struct mlr_trial_input *input, struct mlr_trial_result *ret)
{
	double forwarded = pow(fmin(1, 1234567 / input->load_fps), 4);

	(void)context;
	*ret = make_trial(input->load_fps, input->duration_s, 1 - forwarded);
}

static size_t count_long_trials(const struct mlr_goal *goals, size_t goal_count, double duration_s)
{
	struct mlr_controller_input input = { MIN_LOAD_FPS, MAX_LOAD_FPS, goals, goal_count };
	struct log log;
	size_t count = 0;

	search("livelock", 0, &input, measure_livelock, NULL, &log);
	for (size_t i = 0; i < log.count; i++)
		count += log.trials[i].input.duration_s >= duration_s;
	free(log.trials);
	return count;
}

/* A goal without short trials looks around by those of another one: few long trials are left. */
static void short_trials_of_another_goal_scout(void **state)
{
	static const struct mlr_goal goals[] = { { "long", 0, 0.5, 60, 60, 60, 0.005 },
						 { "short", 0.01, 0.5, 1, 1, 1, 0.005 } };

	(void)state;
	assert_true(count_long_trials(goals, 2, 60) <= 3);
	assert_true(count_long_trials(goals, 1, 60) > 10);
}

/* Short bad trials that made an Upper Bound of a load with a long bad one. */
static size_t short_completions(const struct log *log, const struct mlr_goal *goal)
{
	struct mlr_trial_result *scratch = calloc(log->count + 1, sizeof(*scratch));
	size_t completions = 0;

	for (size_t i = 0; i < log->count; i++) {
		const struct mlr_trial_result *trial = &log->trials[i];
		struct log before = { .trials = log->trials, .count = i }, after = { .trials = log->trials, .count = i + 1 };
		bool is_long_bad = false;

		for (size_t j = 0; j < i; j++)
			is_long_bad |= log->trials[j].input.load_fps == trial->input.load_fps &&
				       log->trials[j].input.duration_s >= goal->final_trial_duration_s &&
				       log->trials[j].output.loss_ratio > goal->loss_ratio;
		completions += is_long_bad && trial->input.duration_s < goal->final_trial_duration_s &&
			       class_at(&before, goal, trial->input.load_fps, scratch) == MLR_LOAD_UNDECIDED &&
			       class_at(&after, goal, trial->input.load_fps, scratch) == MLR_LOAD_UPPER_BOUND;
	}
	free(scratch);
	return completions;
}

/* Appendix A counts short bad trials: where a little is left to an Upper Bound, it takes no other long one. */
static void a_short_trial_completes_an_upper_bound(void **state)
{
	struct mlr_controller_input tst009 = preset_input("tst009");
	size_t completions = 0;

	(void)state;
	for (int seed = 1; seed <= 20; seed++) {
		char specification[128];
		struct log log;

		snprintf(specification, sizeof(specification), "jitter,capacity=1234567,sigma=0.02,seed=%d", seed);
		search_sut(specification, &tst009, &log);
		completions += short_completions(&log, &tst009.goals[0]);
		free(log.trials);
	}
	assert_true(completions > 0);
}

static void every_model_with_every_preset(void **state)
{
	static const char *const models[] = {
		"hard",     "stretch",   "spikes",           "jitter,sigma=0.05",  "buffered",        "erf",
		"residual", "inversion", "jitter,sigma=0.2", "stretch,spread=2e5", "spikes,per_s=20", "residual,ratio=0.01"
	};
	static const char *const presets[] = { "csit", "rfc2544", "tst009" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(models); i++) {
		for (size_t j = 0; j < COUNT_OF(presets); j++) {
			struct mlr_controller_input input = preset_input(presets[j]);

			for (int seed = 1; seed <= 6; seed++) {
				char specification[128];

				snprintf(specification, sizeof(specification), "%s,capacity=%g,seed=%d", models[i],
					 1e5 * exp(seed), seed);
				search_sut(specification, &input, NULL);
			}
		}
	}
}

/* Loads with more trials than it takes to see that they repeat exactly. */
static size_t stayed_at(const struct log *log)
{
	struct mlr_trial_result *scratch = calloc(log->count + 1, sizeof(*scratch));
	size_t loads = 0;

	for (size_t i = 0; i < log->count; i++) {
		struct log earlier = { .trials = log->trials, .count = i };
		double load_fps = log->trials[i].input.load_fps;

		loads += trials_at(&earlier, load_fps, scratch) == 3; /* this one is the fourth */
	}
	free(scratch);
	return loads;
}

/* Unequal queues lose without any noise, along a curve with knees. One trial then tells all about a load: only the two
 * bounds of each goal get the trials that Load Classification wants. */
static void exact_repeats_leave_one_trial_a_load(void **state)
{
	struct mlr_controller_input input = preset_input("csit");

	(void)state;
	for (int seed = 0; seed < 20; seed++) {
		char specification[128];
		struct log log;

		snprintf(specification, sizeof(specification), "unbalanced,capacity=%g,queues=%d,skew=%g",
			 1e5 * exp(0.2 * seed), 2 + seed % 7, 0.03 + 0.01 * seed);
		search_sut(specification, &input, &log);
		assert_true(stayed_at(&log) <= 4);
		assert_true(log.asked < 66);
		free(log.trials);
	}
}

/* A lossy link loses in proportion to the load. Three loads show that, and the fourth or fifth is where every second trial
 * loses nothing. */
static void a_lossy_link_is_descended_in_few_steps(void **state)
{
	struct mlr_controller_input input = preset_input("csit");
	double sum = 0;

	(void)state;
	for (int seed = 1; seed <= 20; seed++) {
		char specification[128];
		struct log log;
		size_t bad = 0;

		snprintf(specification, sizeof(specification), "residual,capacity=5e6,ratio=1e-5,seed=%d", seed);
		search_sut(specification, &input, &log);
		while (log.trials[bad].output.loss_ratio > 0)
			bad++;
		sum += (double)bad;
		free(log.trials);
	}
	assert_true(sum / 20 < 4.5);
}

/* Above a capacity of about 233 kfps, which each trial draws anew, it loses everything. */
static void measure_all_or_nothing(void *random, const struct mlr_trial_input *input, struct mlr_trial_result *ret)
{
	double capacity_fps = 233e3 * (0.99 + 0.02 * random_unit(random));

	*ret = make_trial(input->load_fps, input->duration_s, input->load_fps > capacity_fps ? 1 : 0);
}

/* What forwarded nothing shows no capacity: it is not searched for at Max Load. */
static void a_sut_that_loses_everything_is_not_overloaded_for_nothing(void **state)
{
	struct mlr_controller_input input = preset_input("csit");
	uint64_t random = 1;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct log log;

		search("all or nothing", seed, &input, measure_all_or_nothing, &random, &log);
		for (size_t i = 20; i < log.count; i++) /* once it is located */
			assert_true(log.trials[i].input.load_fps < 2 * 233e3);
		free(log.trials);
	}
}

/* --- SUTs that remember --- */

/* The mean of Relevant Lower Bounds of NDR and their spread, as ratios to the capacity, over SUTs that overheat. */
static void overheating_bounds(int seeds, double *ret_mean, double *ret_spread, double *ret_trials)
{
	double sum = 0, squares = 0, trials = 0;

	for (int seed = 1; seed <= seeds; seed++) {
		struct mlr_controller_input input = preset_input("csit");
		double capacity_fps = 1e5 * exp(0.13 * seed), ratio;
		char specification[128];
		struct log log;

		snprintf(specification, sizeof(specification), "overheating,capacity=%g", capacity_fps);
		search_sut(specification, &input, &log);
		ratio = slow_result(&log, &input.goals[0], MIN_LOAD_FPS, MAX_LOAD_FPS).relevant_lower_bound_fps /
			capacity_fps;
		sum += ratio;
		squares += ratio * ratio;
		trials += (double)log.asked;
		free(log.trials);
	}
	*ret_mean = sum / seeds;
	*ret_spread = sqrt(fmax(0, squares / seeds - *ret_mean * *ret_mean));
	*ret_trials = trials / seeds;
}

/* Overload costs 5 % of the capacity at most: what is found lies between what is borne then and when rested, time after time. */
static void what_a_sut_that_remembers_bears_is_found(void **state)
{
	double mean, spread, trials;

	(void)state;
	overheating_bounds(30, &mean, &spread, &trials);
	assert_true(mean > 0.95 && mean < 0.97);
	assert_true(spread < 0.005);
	assert_true(trials < 90);
}

/* Not even where a Lower Bound was found first, and rest leads upwards from there. */
static void a_sut_that_remembers_is_not_overloaded_for_nothing(void **state)
{
	(void)state;
	for (int seed = 1; seed <= 40; seed++) {
		struct mlr_controller_input input = preset_input("csit");
		double capacity_fps = 1e5 * exp(0.11 * seed);
		char specification[128];
		struct log log;

		snprintf(specification, sizeof(specification), "overheating,cost=0.01,back=0.001,capacity=%g", capacity_fps);
		search_sut(specification, &input, &log);
		for (size_t i = 1; i < log.count; i++) /* after the warm-up */
			assert_true(log.trials[i].input.load_fps < 1.3 * capacity_fps);
		free(log.trials);
	}
}

static bool is_remembering(const char *specification)
{
	struct mlr_controller_input input = preset_input("csit");
	struct mlr_controller *controller = make_controller(&input);
	struct mlr_trial_result result;
	struct mlr_decision decision;
	struct mlr_sut *sut;
	char error[256];
	bool remembers;

	assert_int_equal(mlr_sut_new(specification, &sut, error, sizeof(error)), 0);
	while (mlr_controller_next(controller, &decision) > 0) {
		measure_sut(sut, &decision.input, &result);
		assert_int_equal(mlr_controller_add(controller, &result), 0);
	}
	remembers = mlr_controller_sut_remembers(controller);
	mlr_sut_free(sut);
	mlr_controller_free(controller);
	return remembers;
}

static void memory_is_told_from_noise(void **state)
{
	static const char *const noisy[] = { "hard",  "stretch",  "jitter,sigma=0.05", "spikes", "clocks",
					     "turbo", "residual", "unbalanced",        "early" };
	int hasty = 0;

	(void)state;
	assert_true(is_remembering("overheating"));
	assert_true(is_remembering("overheating,cost=0.001,back=0.0005"));
	for (int i = 1; i <= 10; i++) {
		char specification[128];

		snprintf(specification, sizeof(specification), "overheating,cost=0.02,back=0.01,capacity=%d", i * 123457);
		hasty += is_remembering(specification);
	}
	assert_true(hasty >= 8);
	for (size_t i = 0; i < COUNT_OF(noisy); i++) {
		int noticed = 0;

		for (int seed = 1; seed <= 5; seed++) {
			char specification[128];

			snprintf(specification, sizeof(specification), "%s,seed=%d", noisy[i], seed);
			noticed += is_remembering(specification);
		}
		if (noticed > 1)
			fail_msg("%s: said to remember in %d searches of 5", noisy[i], noticed);
	}
}

/* Asked after each trial, chance has many chances: beyond 3.4 standard deviations, these were taken for SUTs that remember, and one
 * was then measured at every width on the way down. */
static void chance_is_not_taken_for_memory(void **state)
{
	(void)state;
	assert_false(is_remembering("stretch,spread=20000,capacity=134986,seed=10"));
	assert_false(is_remembering("stretch,spread=20000,capacity=166529,seed=17"));
	assert_false(is_remembering("turbo,capacity=147698,seed=13"));
}

/* --- refusals --- */

static void inputs_out_of_range_are_refused(void **state)
{
	struct mlr_goal goals[MLR_GOALS_MAX + 1];
	struct mlr_controller_input good = { .min_load_fps = 1, .max_load_fps = 2, .goals = goals, .goal_count = 1 }, input;
	struct mlr_controller *controller = NULL;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(goals); i++)
		goals[i] = make_goal(0, 0.5, 1, 21);
#define check_refused(field, value)                                                                                         \
	input = good;                                                                                                       \
	input.field = (value);                                                                                              \
	assert_int_equal(mlr_controller_new_mlr(&input, &controller), -EINVAL)
	check_refused(min_load_fps, 0);
	check_refused(min_load_fps, -1);
	check_refused(min_load_fps, NAN);
	check_refused(min_load_fps, 2);
	check_refused(max_load_fps, NAN);
	check_refused(max_load_fps, INFINITY);
	check_refused(max_load_fps, 0.5);
	check_refused(goal_count, 0);
	check_refused(goal_count, MLR_GOALS_MAX + 1);
#undef check_refused
	goals[0].loss_ratio = 1;
	assert_int_equal(mlr_controller_new_mlr(&good, &controller), -EINVAL);
	goals[0] = make_goal(0, 0.5, 1, 21);
	goals[0].width_ratio = 1e-12;
	assert_int_equal(mlr_controller_new_mlr(&good, &controller), -EINVAL);
	assert_null(controller);
	mlr_controller_free(NULL);
}

static void results_out_of_range_change_nothing(void **state)
{
	struct mlr_controller_input input = preset_input("csit");
	struct mlr_controller *controller = make_controller(&input);
	struct mlr_trial_result result = make_trial(1000, 1, 0);
	struct mlr_decision before, after;

	(void)state;
	assert_int_equal(mlr_controller_next(controller, &before), 1);
	assert_int_equal(mlr_controller_add(controller, &result), -EINVAL); /* below Min Load */
	result = make_trial(2e7, 1, 0);
	assert_int_equal(mlr_controller_add(controller, &result), -EINVAL);
	result = make_trial(1e6, 1, 1.5);
	assert_int_equal(mlr_controller_add(controller, &result), -EINVAL);
	assert_int_equal(mlr_controller_next(controller, &after), 1);
	assert_true(is_same_decision(&before, &after));
	assert_int_equal(mlr_results_load_count(mlr_controller_results(controller)), 0);
	mlr_controller_free(controller);
}

static void warmup_stays_out_of_the_results(void **state)
{
	struct mlr_controller_input input = preset_input("csit");
	struct mlr_controller *controller = make_controller(&input);
	struct mlr_trial_result result;
	struct mlr_decision decision;

	(void)state;
	assert_int_equal(mlr_controller_next(controller, &decision), 1);
	assert_true(decision.warmup);
	assert_close(decision.input.duration_s, 1, 0);
	assert_close(decision.input.load_fps, MAX_LOAD_FPS, 0);
	result = make_trial(decision.input.load_fps, decision.input.duration_s, 0.5);
	assert_int_equal(mlr_controller_add(controller, &result), 0);
	assert_int_equal(mlr_results_load_count(mlr_controller_results(controller)), 0);
	assert_int_equal(mlr_controller_next(controller, &decision), 1);
	assert_false(decision.warmup);
	assert_false(mlr_controller_goal_done(controller, 0));
	mlr_controller_free(controller);
}

/* A trial that was stored earlier counts, and is not taken for the warm-up. */
static void earlier_trials_count(void **state)
{
	struct mlr_controller_input input = preset_input("csit");
	struct mlr_controller *controller = make_controller(&input);
	struct mlr_trial_result result = make_trial(MIN_LOAD_FPS, 1, 1);
	struct mlr_decision decision;

	(void)state;
	for (int i = 0; i < 11; i++)
		assert_int_equal(mlr_controller_add(controller, &result), 0);
	assert_int_equal(mlr_controller_next(controller, &decision), 1);
	assert_true(decision.warmup);
	result = make_trial(MAX_LOAD_FPS, 1, 1);
	assert_int_equal(mlr_controller_add(controller, &result), 0);
	assert_int_equal(mlr_controller_next(controller, &decision), 0);
	mlr_controller_free(controller);
}

/* While the warm-up is pending, another trial is a result like any other; and the warm-up is not asked for again. */
static void another_trial_is_no_warmup(void **state)
{
	struct mlr_controller_input input = preset_input("csit");
	struct mlr_controller *controller = make_controller(&input);
	struct mlr_trial_result result = make_trial(1e6, 1, 0);
	struct mlr_decision decision;

	(void)state;
	assert_int_equal(mlr_controller_next(controller, &decision), 1);
	assert_int_equal(mlr_controller_add(controller, &result), 0);
	assert_int_equal(mlr_results_load_count(mlr_controller_results(controller)), 1);
	assert_int_equal(mlr_controller_next(controller, &decision), 1);
	assert_false(decision.warmup);
	mlr_controller_free(controller);
}

/* A caller that never measures what is asked for: the controller gives up all the same. */
static void deaf_caller_is_given_up(void **state)
{
	struct mlr_controller_input input = preset_input("csit");
	struct mlr_controller *controller = make_controller(&input);
	struct mlr_trial_result result = make_trial(1e6, 0.5, 0);
	double limit = mlr_controller_mlr_trial_limit(&input), asked = 0;
	struct mlr_decision decision;

	(void)state;
	while (mlr_controller_next(controller, &decision) > 0 && asked <= limit) {
		assert_int_equal(mlr_controller_add(controller, &result), 0);
		asked++;
	}
	assert_true(asked <= limit);
	mlr_controller_free(controller);
}

/* --- hostile results --- */

enum temper { RANDOM_LOSS, ALWAYS_LOSE, NEVER_LOSE, INVERTED, ALTERNATING, STICKY, THRESHOLD, TEMPERS };

static const char *const temper_names[TEMPERS] = { "random loss", "always lose", "never lose", "inverted",
						   "alternating", "sticky",      "threshold" };

struct hostile {
	uint64_t random;
	enum temper temper;
	double threshold_fps;
	bool odd_durations;
	uint64_t count;
};

static double hostile_loss(struct hostile *hostile, double load_fps)
{
	switch (hostile->temper) {
	case RANDOM_LOSS:
		return random_below(&hostile->random, 2) ? 0 : pow(random_unit(&hostile->random), 4);
	case ALWAYS_LOSE:
		return 1;
	case NEVER_LOSE:
		return 0;
	case INVERTED:
		return load_fps < hostile->threshold_fps ? 0.5 : 0;
	case ALTERNATING:
		return hostile->count % 2 ? 0.5 : 0;
	case STICKY: /* a coin for each load, always the same */
		return ((uint64_t)(load_fps * 7) ^ hostile->count / 400) % 2 ? 0.3 : 0;
	default:
		return load_fps > hostile->threshold_fps ? 1 - hostile->threshold_fps / load_fps : 0;
	}
}

static double odd_duration_s(uint64_t *random, double duration_s)
{
	static const double odd[] = { 1e-300, 1e-9, 0.1, 1e9, 1e100, 1e200 };
	uint64_t pick = random_below(random, 2 * COUNT_OF(odd));

	return pick < COUNT_OF(odd) ? odd[pick] : duration_s * (0.5 + random_unit(random));
}

static void measure_hostile(void *context, const struct mlr_trial_input *input, struct mlr_trial_result *ret)
{
	struct hostile *hostile = context;
	double duration_s = hostile->odd_durations ? odd_duration_s(&hostile->random, input->duration_s) : input->duration_s;

	hostile->count++;
	ret->input = *input;
	ret->output = mlr_trial_output(input, hostile_loss(hostile, input->load_fps), duration_s);
}

static struct mlr_goal random_goal(uint64_t *random)
{
	static const double losses[] = { 0, 0, 0.005, 0.1 }, exceeds[] = { 0, 0.2, 0.5, 0.5, 0.9 },
			    finals[] = { 1, 1, 2, 10, 60 };
	struct mlr_goal goal =
		make_goal(losses[random_below(random, COUNT_OF(losses))], exceeds[random_below(random, COUNT_OF(exceeds))],
			  finals[random_below(random, COUNT_OF(finals))], 1);

	goal.duration_sum_s = goal.final_trial_duration_s * (0.5 + 22 * random_unit(random));
	goal.width_ratio = random_below(random, 2) ? 0.005 : 0.001 + 0.05 * random_unit(random);
	if (random_below(random, 2))
		goal.initial_trial_duration_s = fmin(1, goal.final_trial_duration_s);
	return goal;
}

/* A search with goals of any kind and number, between loads of any kind. */
static struct mlr_controller_input random_input(uint64_t *random, struct mlr_goal goals[MLR_GOALS_MAX])
{
	struct mlr_controller_input input = { .goals = goals };

	input.goal_count = random_below(random, 4) ? 1 + random_below(random, 3) : 1 + random_below(random, MLR_GOALS_MAX);
	input.min_load_fps = exp(10 * random_unit(random));
	input.max_load_fps = input.min_load_fps * (1 + 1e-4 + exp(9 * random_unit(random) - 2));
	for (size_t i = 0; i < input.goal_count; i++)
		goals[i] = random_goal(random);
	return input;
}

static struct hostile random_hostile(uint64_t *random, enum temper temper, const struct mlr_controller_input *input)
{
	return (struct hostile){
		.random = random_bits(random),
		.temper = temper,
		.threshold_fps = input->min_load_fps * pow(input->max_load_fps / input->min_load_fps, random_unit(random)),
	};
}

static void hostile_searches(bool odd_durations, uint64_t seeds)
{
	for (int temper = 0; temper < TEMPERS; temper++) {
		for (uint64_t seed = 0; seed < seeds; seed++) {
			struct mlr_goal goals[MLR_GOALS_MAX];
			uint64_t random = seed;
			struct mlr_controller_input input = random_input(&random, goals);
			struct hostile hostile = random_hostile(&random, (enum temper)temper, &input);

			hostile.odd_durations = odd_durations;
			search(temper_names[temper], seed, &input, measure_hostile, &hostile, NULL);
		}
	}
}

static void hostile_losses(void **state)
{
	(void)state;
	hostile_searches(false, 60);
}

static void hostile_durations(void **state)
{
	(void)state;
	hostile_searches(true, 60);
}

/* An honest SUT with a sharp threshold is always found, whatever the goals: every goal ends regular or at an end of the
 * range. */
static void honest_searches_finish(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct mlr_goal goals[MLR_GOALS_MAX];
		uint64_t random = seed;
		struct mlr_controller_input input = random_input(&random, goals);
		struct hostile honest = random_hostile(&random, THRESHOLD, &input);
		struct log log;

		search("threshold", seed, &input, measure_hostile, &honest, &log);
		for (size_t goal = 0; goal < input.goal_count; goal++) {
			if (slow_result(&log, &goals[goal], input.min_load_fps, input.max_load_fps).irregularity ==
			    MLR_UNFINISHED)
				fail_msg("seed %llu: goal %zu is unfinished", (unsigned long long)seed, goal);
		}
		free(log.trials);
	}
}

/* Effective durations that never add up: the goal is given up, soon. */
static void measure_instant(void *context, const struct mlr_trial_input *input, struct mlr_trial_result *ret)
{
	(void)context;
	ret->input = *input;
	ret->output = mlr_trial_output(input, input->load_fps > 1e6 ? 0.1 : 0, 1e-9);
}

static void instant_trials_are_given_up(void **state)
{
	struct mlr_controller_input input = preset_input("csit");
	struct log log;

	(void)state;
	search("instant", 0, &input, measure_instant, NULL, &log);
	assert_true(log.asked < 300);
	assert_int_equal(slow_result(&log, &input.goals[0], MIN_LOAD_FPS, MAX_LOAD_FPS).irregularity, MLR_UNFINISHED);
	free(log.trials);
}

/* Trials that nobody asked for, on the grid and off it, before and between the others. */
static void add_unasked(struct mlr_controller *controller, struct hostile *hostile, const struct mlr_controller_input *input,
			struct log *log)
{
	struct mlr_trial_input trial = {
		.duration_s = 0.5 * (double)(1 + random_below(&hostile->random, 5)),
		.load_fps = input->min_load_fps *
			    pow(input->max_load_fps / input->min_load_fps, 0.999 * random_unit(&hostile->random)),
	};
	struct mlr_trial_result result;

	if (log->count && random_below(&hostile->random, 2))
		trial.load_fps = log->trials[random_below(&hostile->random, log->count)].input.load_fps;
	for (uint64_t i = random_below(&hostile->random, 25); i-- > 0;) {
		measure_hostile(hostile, &trial, &result);
		assert_int_equal(mlr_controller_add(controller, &result), 0);
		log_add(log, &result);
	}
}

static void search_with_unasked(uint64_t seed)
{
	struct mlr_goal goals[MLR_GOALS_MAX];
	uint64_t random = seed;
	struct mlr_controller_input input = random_input(&random, goals);
	struct hostile hostile = random_hostile(&random, (enum temper)(seed % TEMPERS), &input);
	struct mlr_controller *controller = make_controller(&input);
	double limit = mlr_controller_mlr_trial_limit(&input);
	struct mlr_decision decision;
	struct mlr_trial_result result;
	struct log log = { 0 };

	while (mlr_controller_next(controller, &decision) > 0) {
		if ((double)++log.asked > limit)
			fail_msg("unasked trials, seed %llu: more than %g trials", (unsigned long long)seed, limit);
		if (random_below(&random, 4) == 0) {
			add_unasked(controller, &hostile, &input, &log);
			continue;
		}
		measure_hostile(&hostile, &decision.input, &result);
		assert_int_equal(mlr_controller_add(controller, &result), 0);
		if (!decision.warmup)
			log_add(&log, &result);
	}
	for (size_t goal = 0; goal < input.goal_count; goal++)
		check_goal_result("unasked trials", seed, controller, goal, &input, &log);
	for (size_t goal = 0; goal < input.goal_count && hostile.temper == THRESHOLD; goal++) {
		if (slow_result(&log, &goals[goal], input.min_load_fps, input.max_load_fps).irregularity == MLR_UNFINISHED)
			fail_msg("unasked trials, seed %llu: goal %zu is unfinished", (unsigned long long)seed, goal);
	}
	free(log.trials);
	mlr_controller_free(controller);
}

static void unasked_trials_are_handled(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 150; seed++)
		search_with_unasked(seed);
}

/* The order of the goals does not decide whether they are reached. */
static void sixteen_goals(void **state)
{
	struct mlr_goal goals[MLR_GOALS_MAX];
	struct mlr_controller_input input = {
		.min_load_fps = MIN_LOAD_FPS, .max_load_fps = MAX_LOAD_FPS, .goals = goals, .goal_count = MLR_GOALS_MAX
	};
	struct log log;

	(void)state;
	for (size_t i = 0; i < MLR_GOALS_MAX; i++) {
		goals[i] = make_goal(0.01 * (double)(i * 7 % 16), i % 3 ? 0.5 : 0, (double)(1 + i * 5 % 4), 10);
		goals[i].initial_trial_duration_s = i % 2 ? 1 : goals[i].final_trial_duration_s;
		snprintf(goals[i].name, sizeof(goals[i].name), "goal %zu", i);
	}
	search_sut("jitter,capacity=1e6,sigma=0.01", &input, &log);
	for (size_t i = 0; i < MLR_GOALS_MAX; i++)
		assert_int_equal(slow_result(&log, &goals[i], MIN_LOAD_FPS, MAX_LOAD_FPS).irregularity, MLR_REGULAR);
	free(log.trials);
}

/* Twice the same answers, twice the same questions. */
static void searches_are_repeatable(void **state)
{
	struct mlr_controller_input input = preset_input("csit");
	struct log first, second;

	(void)state;
	search_sut("jitter,capacity=1e6,sigma=0.05,seed=3", &input, &first);
	search_sut("jitter,capacity=1e6,sigma=0.05,seed=3", &input, &second);
	assert_int_equal(first.count, second.count);
	assert_memory_equal(first.trials, second.trials, first.count * sizeof(*first.trials));
	free(first.trials);
	free(second.trials);
}

/* --- the quality of the search, with a margin: tools/bench/bench_search measures it --- */

static double mean_trials(const char *model, int seeds)
{
	struct mlr_controller_input input = preset_input("csit");
	double sum = 0;

	for (int seed = 1; seed <= seeds; seed++) {
		char specification[128];
		struct log log;

		snprintf(specification, sizeof(specification), "%s,capacity=%g,seed=%d", model, 1e5 * exp(0.1 * seed), seed);
		search_sut(specification, &input, &log);
		sum += (double)log.asked;
		free(log.trials);
	}
	return sum / seeds;
}

static void noisy_searches_stay_short(void **state)
{
	(void)state;
	assert_true(mean_trials("jitter,sigma=0.01", 40) < 69);
	assert_true(mean_trials("jitter,sigma=0.05", 40) < 95);
	assert_true(mean_trials("stretch", 40) < 95);
	assert_true(mean_trials("clocks,p=0.25", 40) < 50);
	assert_true(mean_trials("clocks,p=0.5", 40) < 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hard_limit_takes_34_trials),
		cmocka_unit_test(line_rate_takes_12_trials),
		cmocka_unit_test(time_to_go_at_line_rate_is_that_of_one_load),
		cmocka_unit_test(time_to_go_is_right_within_half_as_much_in_the_first_half),
		cmocka_unit_test(time_to_go_expects_as_many_surprises_as_there_were),
		cmocka_unit_test(dead_sut_ends_at_min_load),
		cmocka_unit_test(long_trials_are_rare),
		cmocka_unit_test(short_trials_of_another_goal_scout),
		cmocka_unit_test(a_short_trial_completes_an_upper_bound),
		cmocka_unit_test(every_model_with_every_preset),
		cmocka_unit_test(exact_repeats_leave_one_trial_a_load),
		cmocka_unit_test(a_lossy_link_is_descended_in_few_steps),
		cmocka_unit_test(a_sut_that_loses_everything_is_not_overloaded_for_nothing),
		cmocka_unit_test(what_a_sut_that_remembers_bears_is_found),
		cmocka_unit_test(a_sut_that_remembers_is_not_overloaded_for_nothing),
		cmocka_unit_test(memory_is_told_from_noise),
		cmocka_unit_test(chance_is_not_taken_for_memory),
		cmocka_unit_test(inputs_out_of_range_are_refused),
		cmocka_unit_test(results_out_of_range_change_nothing),
		cmocka_unit_test(warmup_stays_out_of_the_results),
		cmocka_unit_test(earlier_trials_count),
		cmocka_unit_test(another_trial_is_no_warmup),
		cmocka_unit_test(deaf_caller_is_given_up),
		cmocka_unit_test(hostile_losses),
		cmocka_unit_test(hostile_durations),
		cmocka_unit_test(honest_searches_finish),
		cmocka_unit_test(instant_trials_are_given_up),
		cmocka_unit_test(unasked_trials_are_handled),
		cmocka_unit_test(sixteen_goals),
		cmocka_unit_test(searches_are_repeatable),
		cmocka_unit_test(noisy_searches_stay_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
