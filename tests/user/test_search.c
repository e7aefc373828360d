/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Manager over a measurer of the test's own: the tester's limit, Max Load, and every way in which a search ends. */
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "benchmark/search.h"

/* A SUT of this capacity, and a tester that is limited from some load on. After `good_trials` it gives `then`. */
struct fake {
	struct measurer base;
	double capacity_fps;
	double limited_above_fps; /* 0: never */
	double sut_loss_ratio;    /* of the limited trials */
	bool only_warmup_limited, offers_less;
	unsigned int good_trials;
	enum exit_code then;
	unsigned int trials;
};

static enum exit_code fake_measure(struct measurer *measurer, const struct mlr_trial_input *input, struct measurement *ret)
{
	struct fake *fake = (struct fake *)measurer;
	double passed = input->load_fps > fake->capacity_fps ? fake->capacity_fps / input->load_fps : 1;

	if (++fake->trials > fake->good_trials)
		return fake->then;
	*ret = (struct measurement){
		.result = { *input, mlr_trial_output(input, 1 - passed, input->duration_s) },
		.tester_limited = fake->limited_above_fps > 0 && input->load_fps > fake->limited_above_fps &&
				  (fake->trials == 1 || !fake->only_warmup_limited),
		.sut_loss_ratio = fake->sut_loss_ratio,
		.offered_less = fake->offers_less,
	};
	return EXIT_DONE;
}

static const struct measurer_ops fake_ops = { .measure = fake_measure };

static struct fake new_fake(double capacity_fps)
{
	return (struct fake){
		.base = { .ops = &fake_ops, .virtual_time = true, .transmitters = 1 },
		.capacity_fps = capacity_fps,
		.good_trials = UINT32_MAX,
	};
}

/* A search of one goal, with the loads as --min-load and --max-load give them. */
static struct config new_config(struct load_spec max_load)
{
	return (struct config){
		.frame_size_octets = 64,
		.goals = { { "ndr", 0, 0.5, 1, 1, 21, 0.005 } },
		.goal_count = 1,
		.min_load = { LOAD_FPS, 9001 },
		.max_load = max_load,
	};
}

static const struct load_spec ten_million = { LOAD_FPS, 1e7 }, unset = { LOAD_UNSET, 0 };

static void a_search_comes_to_its_end(void **state)
{
	struct config config = new_config(ten_million);
	struct fake fake = new_fake(1e6);
	struct search search;

	(void)state;
	assert_int_equal(search_run(&config, &fake.base, &search), EXIT_DONE);
	assert_int_equal(search.end, SEARCH_COMPLETE);
	assert_string_equal(search.max_load_source, "option");
	assert_int_equal(search.outcomes[0].result.irregularity, MLR_REGULAR);
	assert_true(search.outcomes[0].result.relevant_lower_bound_fps <= 1e6);
	assert_true(search.outcomes[0].result.relevant_upper_bound_fps > 1e6);
	assert_false(search.outcomes[0].tester_limited);
	assert_int_equal(search.trial_count, fake.trials);
	assert_true(search.duration_s == (double)search.trial_count);
	search_free(&search);
}

static void the_testers_limit_at_the_upper_bound_shows(void **state)
{
	struct config config = new_config(ten_million);
	struct fake fake = new_fake(1e6);
	struct search search;

	(void)state;
	fake.limited_above_fps = 1e6;
	assert_int_equal(search_run(&config, &fake.base, &search), EXIT_UNMET);
	assert_int_equal(search.outcomes[0].result.irregularity, MLR_REGULAR);
	assert_true(search.outcomes[0].tester_limited);
	search_free(&search);
}

/* Where the SUT alone lost too much, it does not matter that frames stayed unsent as well. */
static void the_testers_limit_decides_nothing_where_the_sut_failed(void **state)
{
	struct config config = new_config(ten_million);
	struct fake fake = new_fake(1e6);
	struct search search;

	(void)state;
	fake.limited_above_fps = 1e6;
	fake.sut_loss_ratio = 0.001;
	assert_int_equal(search_run(&config, &fake.base, &search), EXIT_DONE);
	assert_false(search.outcomes[0].tester_limited);
	search_free(&search);
}

/* The warm-up at Max Load, and trials far above the bounds, may be limited: they decide nothing. */
static void the_testers_limit_elsewhere_does_not(void **state)
{
	struct config config = new_config(ten_million);
	struct fake fake = new_fake(1e6);
	struct search search;

	(void)state;
	fake.limited_above_fps = 5e6;
	assert_int_equal(search_run(&config, &fake.base, &search), EXIT_DONE);
	assert_true(search.trials[0].decision.warmup && search.trials[0].measurement.tester_limited);
	assert_false(search.outcomes[0].tester_limited);
	search_free(&search);
}

/* A good trial with less than its load shows no Lower Bound, whyever less was offered. */
static void a_lower_bound_that_was_not_offered_is_limited(void **state)
{
	struct config config = new_config(ten_million);
	struct fake fake = new_fake(1e6);
	struct search search;

	(void)state;
	fake.offers_less = true;
	assert_int_equal(search_run(&config, &fake.base, &search), EXIT_UNMET);
	assert_int_equal(search.outcomes[0].result.irregularity, MLR_REGULAR);
	assert_true(search.outcomes[0].tester_limited);
	search_free(&search);
}

/* Not even where its load becomes a bound. */
static void the_testers_limit_in_the_warmup_decides_nothing(void **state)
{
	struct config config = new_config(ten_million);
	struct fake fake = new_fake(1e9);
	struct search search;

	(void)state;
	fake.limited_above_fps = 9e6;
	fake.only_warmup_limited = true;
	assert_int_equal(search_run(&config, &fake.base, &search), EXIT_UNMET);
	assert_int_equal(search.outcomes[0].result.irregularity, MLR_MAX_LOAD_IS_LOWER_BOUND);
	assert_false(search.outcomes[0].tester_limited);
	search_free(&search);
}

/* Without an upper bound it is the lower one that counts. */
static void the_testers_limit_at_max_load_shows(void **state)
{
	struct config config = new_config(ten_million);
	struct fake fake = new_fake(1e9);
	struct search search;

	(void)state;
	fake.limited_above_fps = 9e6;
	assert_int_equal(search_run(&config, &fake.base, &search), EXIT_UNMET);
	assert_int_equal(search.outcomes[0].result.irregularity, MLR_MAX_LOAD_IS_LOWER_BOUND);
	assert_true(search.outcomes[0].tester_limited);
	search_free(&search);
}

static void without_an_option_max_load_is_the_line_rate(void **state)
{
	struct config config = new_config(unset);
	struct fake fake = new_fake(1e6);
	struct search search;

	(void)state;
	fake.base.line_rate_fps = 4e6;
	assert_int_equal(search_run(&config, &fake.base, &search), EXIT_DONE);
	assert_true(search.input.max_load_fps == 4e6);
	assert_string_equal(search.max_load_source, "line rate");
	search_free(&search);
}

static void ratios_are_of_the_line_rate(void **state)
{
	struct config config = new_config((struct load_spec){ LOAD_LINE_RATIO, 0.5 });
	struct fake fake = new_fake(1e6);
	struct search search;

	(void)state;
	config.min_load = (struct load_spec){ LOAD_LINE_RATIO, 0.1 };
	fake.base.line_rate_fps = 4e6;
	assert_int_equal(search_run(&config, &fake.base, &search), EXIT_DONE);
	assert_true(search.input.min_load_fps == 4e5 && search.input.max_load_fps == 2e6);
	search_free(&search);

	fake.base.line_rate_fps = 0;
	assert_int_equal(search_run(&config, &fake.base, &search), EXIT_USAGE_ERROR);
	assert_int_equal(search.end, SEARCH_RUNNING);
	search_free(&search);
}

static void min_load_above_the_line_rate_is_refused(void **state)
{
	struct config config = new_config(unset);
	struct fake fake = new_fake(1e6);
	struct search search;

	(void)state;
	fake.base.line_rate_fps = 9001;
	assert_int_equal(search_run(&config, &fake.base, &search), EXIT_USAGE_ERROR);
	assert_int_equal(fake.trials, 0);
	search_free(&search);
}

static void a_measurer_that_fails_ends_the_search(void **state)
{
	static const struct {
		enum exit_code code;
		enum search_end end;
	} cases[] = { { EXIT_INVALID, SEARCH_FAILED }, { EXIT_INTERRUPTED, SEARCH_INTERRUPTED } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct config config = new_config(ten_million);
		struct fake fake = new_fake(1e6);
		struct search search;

		fake.good_trials = 5;
		fake.then = cases[i].code;
		assert_int_equal(search_run(&config, &fake.base, &search), cases[i].code);
		assert_int_equal(search.end, cases[i].end);
		assert_int_equal(search.trial_count, 5);
		assert_int_equal(search.outcomes[0].result.irregularity, MLR_UNFINISHED);
		search_free(&search);
	}
}

static void a_time_limit_in_real_time_ends_the_search(void **state)
{
	struct config config = new_config(ten_million);
	struct fake fake = new_fake(1e6);
	struct search search;

	(void)state;
	fake.base.virtual_time = false;
	config.max_time_s = 1.5;
	config.waits.stabilize_s = 1; /* a trial of 1 s and its wait do not fit any more */
	assert_int_equal(search_run(&config, &fake.base, &search), EXIT_UNMET);
	assert_int_equal(search.end, SEARCH_OUT_OF_TIME);
	assert_int_equal(fake.trials, 0);
	search_free(&search);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_search_comes_to_its_end),
		cmocka_unit_test(the_testers_limit_at_the_upper_bound_shows),
		cmocka_unit_test(the_testers_limit_decides_nothing_where_the_sut_failed),
		cmocka_unit_test(the_testers_limit_elsewhere_does_not),
		cmocka_unit_test(a_lower_bound_that_was_not_offered_is_limited),
		cmocka_unit_test(the_testers_limit_in_the_warmup_decides_nothing),
		cmocka_unit_test(the_testers_limit_at_max_load_shows),
		cmocka_unit_test(without_an_option_max_load_is_the_line_rate),
		cmocka_unit_test(ratios_are_of_the_line_rate),
		cmocka_unit_test(min_load_above_the_line_rate_is_refused),
		cmocka_unit_test(a_measurer_that_fails_ends_the_search),
		cmocka_unit_test(a_time_limit_in_real_time_ends_the_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
