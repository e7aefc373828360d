/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include <math.h>

#include "mlr/y1564.h"

#define MINUTE 60

static const double quarters[] = { 0.25, 0.5, 0.75, 1 };

static struct mlr_y1564_service service_of(double cir_fps, double eir_fps)
{
	return (struct mlr_y1564_service){
		.cir_fps = cir_fps,
		.eir_fps = eir_fps,
		.margin_ratio = 0.01,
		.sla = { .loss_ratio = 0.001,
			 .delay_ns = NAN,
			 .delay_max_ns = NAN,
			 .variation_ns = NAN,
			 .availability_ratio = NAN },
	};
}

static struct mlr_y1564_outcome outcome_of(double received_fps, double sent_fps)
{
	return (struct mlr_y1564_outcome){
		.received_fps = received_fps,
		.loss_ratio = 1 - received_fps / sent_fps,
		.delay_ns = NAN,
		.delay_max_ns = NAN,
		.variation_ns = NAN,
		.availability_ratio = NAN,
	};
}

/* --- the steps --- */

static void steps_are_those_of_the_recommendation(void **state)
{
	struct mlr_y1564_service service = service_of(1000, 400);
	struct mlr_y1564_step steps[MLR_Y1564_STEPS_MAX];

	(void)state;
	assert_int_equal(mlr_y1564_steps(&service, quarters, 4, steps), 6);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(steps[i].kind, MLR_Y1564_CIR);
		assert_true(steps[i].load_fps == 250 * (i + 1));
	}
	assert_int_equal(steps[4].kind, MLR_Y1564_EIR);
	assert_true(steps[4].load_fps == 1400 && steps[4].least_fps == 999 && isnan(steps[4].most_fps));
	assert_int_equal(steps[5].kind, MLR_Y1564_POLICING);
	assert_true(steps[5].load_fps == 1500 && steps[5].least_fps == 999 && fabs(steps[5].most_fps - 1414) < 1e-9);
}

static void without_excess_the_committed_rate_is_exceeded(void **state)
{
	struct mlr_y1564_service none = service_of(1000, 0), little = service_of(1000, 199), enough = service_of(1000, 200);
	struct mlr_y1564_step steps[MLR_Y1564_STEPS_MAX];

	(void)state;
	assert_int_equal(mlr_y1564_steps(&none, quarters + 3, 1, steps), 2);
	assert_int_equal(steps[0].kind, MLR_Y1564_CIR);
	assert_int_equal(steps[1].kind, MLR_Y1564_POLICING);
	assert_true(steps[1].load_fps == 1250 && fabs(steps[1].most_fps - 1010) < 1e-9);
	assert_int_equal(mlr_y1564_steps(&little, quarters + 3, 1, steps), 3);
	assert_true(steps[2].load_fps == 1449);
	assert_int_equal(mlr_y1564_steps(&enough, quarters + 3, 1, steps), 3);
	assert_true(steps[2].load_fps == 1250);
}

/* --- a SUT that lets through so much, whatever is sent --- */

static unsigned int faults_of(const struct mlr_y1564_service *service, enum mlr_y1564_kind kind, double rate_fps)
{
	struct mlr_y1564_step steps[MLR_Y1564_STEPS_MAX];
	size_t count = mlr_y1564_steps(service, quarters, 4, steps);
	unsigned int faults = 0;

	for (size_t i = 0; i < count; i++) {
		struct mlr_y1564_outcome outcome = outcome_of(fmin(rate_fps, steps[i].load_fps), steps[i].load_fps);

		if (steps[i].kind == kind)
			faults |= mlr_y1564_judge_step(service, &steps[i], &outcome);
	}
	return faults;
}

static void a_policer_is_judged_by_its_rate(void **state)
{
	struct mlr_y1564_service service = service_of(1000, 400);

	(void)state;
	for (double rate = 500.5; rate < 2000; rate++) {
		assert_int_equal(faults_of(&service, MLR_Y1564_CIR, rate), rate < 999 ? MLR_Y1564_LOSS : 0);
		assert_int_equal(faults_of(&service, MLR_Y1564_EIR, rate), rate < 999 ? MLR_Y1564_TOO_LITTLE : 0);
		assert_int_equal(faults_of(&service, MLR_Y1564_POLICING, rate), rate < 999    ? MLR_Y1564_TOO_LITTLE
										: rate > 1414 ? MLR_Y1564_TOO_MUCH
											      : 0);
	}
}

static void delay_is_judged_where_it_is_asked_for(void **state)
{
	struct mlr_y1564_service service = service_of(1000, 0);
	struct mlr_y1564_step step = { MLR_Y1564_CIR, 1000, NAN, NAN };
	struct mlr_y1564_outcome outcome = outcome_of(1000, 1000);

	(void)state;
	assert_int_equal(mlr_y1564_judge_step(&service, &step, &outcome), 0);
	service.sla.delay_ns = 10;
	assert_int_equal(mlr_y1564_judge_step(&service, &step, &outcome), MLR_Y1564_UNKNOWN);
	outcome.delay_ns = 10;
	outcome.delay_max_ns = 30;
	outcome.variation_ns = 25;
	assert_int_equal(mlr_y1564_judge_step(&service, &step, &outcome), 0);
	service.sla.delay_ns = 9;
	service.sla.delay_max_ns = 29;
	service.sla.variation_ns = 24;
	assert_int_equal(mlr_y1564_judge_step(&service, &step, &outcome),
			 MLR_Y1564_DELAY | MLR_Y1564_DELAY_MAX | MLR_Y1564_VARIATION);
	/* what the SUT does to frames beyond the commitment nobody promised */
	step.kind = MLR_Y1564_EIR;
	assert_int_equal(mlr_y1564_judge_step(&service, &step, &outcome), 0);
}

static void no_loss_is_promised_where_none_is_allowed(void **state)
{
	struct mlr_y1564_service service = service_of(1000, 0);
	struct mlr_y1564_outcome outcome = outcome_of(999.9, 1000);
	struct mlr_y1564_step steps[MLR_Y1564_STEPS_MAX];

	(void)state;
	assert_int_equal(mlr_y1564_judge_performance(&service, &outcome), 0);
	service.sla.loss_ratio = NAN;
	assert_int_equal(mlr_y1564_judge_performance(&service, &outcome), MLR_Y1564_LOSS);
	/* nor beyond CIR: all of that comes through */
	assert_int_equal(mlr_y1564_steps(&service, quarters + 3, 1, steps), 2);
	assert_true(steps[1].least_fps == 1000);
}

/* What is computed may differ from what is agreed in its last digits. */
static void a_figure_that_is_what_was_agreed_passes(void **state)
{
	struct mlr_y1564_service service = service_of(1000, 0);
	struct mlr_y1564_outcome outcome = outcome_of(1000, 1000);

	(void)state;
	service.sla = (struct mlr_y1564_sla){ 0.1 + 0.2, 700000, 900000, 300000, 0.9999 };
	outcome.loss_ratio = 0.3;
	outcome.delay_ns = 0.0007 * 1e9 * (1 + 1e-15);
	outcome.delay_max_ns = 900000;
	outcome.variation_ns = 0.3e-3 * 1e9;
	outcome.availability_ratio = 1 - 1e-4;
	assert_int_equal(mlr_y1564_judge_performance(&service, &outcome), 0);
	service.sla.loss_ratio = 0.3;
	outcome.loss_ratio = 0.1 + 0.2;
	assert_int_equal(mlr_y1564_judge_performance(&service, &outcome), 0);
	/* one frame more of a thousand million is more */
	outcome.loss_ratio = 0.300000001;
	outcome.delay_ns = 700000.001;
	outcome.availability_ratio = 0.9998999;
	assert_int_equal(mlr_y1564_judge_performance(&service, &outcome),
			 MLR_Y1564_LOSS | MLR_Y1564_DELAY | MLR_Y1564_AVAILABILITY);
}

/* --- availability --- */

/* A minute of 100 frames/s. */
static struct mlr_y1564_availability minute_of(const uint64_t received[MINUTE])
{
	uint64_t due[MINUTE];

	for (size_t i = 0; i < MINUTE; i++)
		due[i] = 100;
	return mlr_y1564_availability(due, received, MINUTE);
}

/* The same, of which the frames of some seconds are lost. */
static struct mlr_y1564_availability minute_without(size_t from, size_t to)
{
	uint64_t received[MINUTE];

	for (size_t i = 0; i < MINUTE; i++)
		received[i] = i >= from && i < to ? 0 : 100;
	return minute_of(received);
}

static void nine_bad_seconds_are_loss_and_ten_are_unavailability(void **state)
{
	struct mlr_y1564_availability found = minute_without(20, 29);

	(void)state;
	assert_int_equal(found.severely_errored, 9);
	assert_int_equal(found.unavailable, 0);
	assert_true(found.ratio == 1);
	assert_int_equal(found.available_lost, 900);
	assert_int_equal(found.available_sent, 6000);
	found = minute_without(20, 30);
	assert_int_equal(found.unavailable, 10);
	assert_true(found.ratio == 50.0 / 60);
	/* the loss of the time that it was not available counts as that, and not again as loss */
	assert_int_equal(found.available_lost, 0);
	assert_int_equal(found.available_sent, 5000);
}

static void it_is_available_again_after_ten_good_seconds(void **state)
{
	uint64_t received[MINUTE];

	(void)state;
	for (size_t i = 0; i < MINUTE; i++)
		received[i] = 100;
	for (size_t i = 10; i < 20; i++)
		received[i] = 0;
	received[29] = 49; /* nine good ones, and a bad one */
	assert_int_equal(minute_of(received).unavailable, 20);
	received[29] = 50; /* half of the frames is not more than half */
	assert_int_equal(minute_of(received).unavailable, 10);
	/* the end of the test ends no state */
	assert_int_equal(minute_without(45, MINUTE).unavailable, 15);
	assert_int_equal(minute_without(51, MINUTE).unavailable, 0);
	assert_int_equal(minute_without(50, MINUTE).unavailable, 10);
	assert_true(isnan(mlr_y1564_availability(received, received, 0).ratio));
}

static void availability_is_judged(void **state)
{
	struct mlr_y1564_service service = service_of(1000, 0);
	struct mlr_y1564_outcome outcome = outcome_of(1000, 1000);

	(void)state;
	service.sla.availability_ratio = 0.99;
	assert_int_equal(mlr_y1564_judge_performance(&service, &outcome), MLR_Y1564_UNKNOWN);
	outcome.availability_ratio = 0.99;
	assert_int_equal(mlr_y1564_judge_performance(&service, &outcome), 0);
	outcome.availability_ratio = 0.98;
	assert_int_equal(mlr_y1564_judge_performance(&service, &outcome), MLR_Y1564_AVAILABILITY);
}

/* --- directions --- */

static struct mlr_y1564_outcome direction_of(double loss_ratio, double delay_ns, double variation_ns,
					     double availability_ratio)
{
	return (struct mlr_y1564_outcome){
		.received_fps = 1000 * (1 - loss_ratio),
		.loss_ratio = loss_ratio,
		.delay_ns = delay_ns,
		.delay_max_ns = 2 * delay_ns,
		.variation_ns = variation_ns,
		.availability_ratio = availability_ratio,
	};
}

static void the_worst_of_each_figure_says_whose_it_is(void **state)
{
	const struct mlr_y1564_outcome directions[] = { direction_of(0.0015, 2, 1.5, 1), direction_of(0, 150, 1.4, 0.3) };
	const unsigned int none[] = { 0, 0 };
	size_t which[MLR_Y1564_FIGURES];
	struct mlr_y1564_outcome worst = mlr_y1564_worst(directions, none, 2, which);

	(void)state;
	assert_true(worst.loss_ratio == 0.0015 && which[MLR_Y1564_LOSS_RATIO] == 0);
	assert_true(worst.received_fps == 998.5 && which[MLR_Y1564_RECEIVED_FPS] == 0);
	assert_true(worst.delay_ns == 150 && which[MLR_Y1564_DELAY_NS] == 1);
	assert_true(worst.delay_max_ns == 300 && which[MLR_Y1564_DELAY_MAX_NS] == 1);
	/* different means are no variation */
	assert_true(worst.variation_ns == 1.5 && which[MLR_Y1564_VARIATION_NS] == 0);
	assert_true(worst.availability_ratio == 0.3 && which[MLR_Y1564_AVAILABILITY_RATIO] == 1);
}

static void what_is_the_same_in_all_directions_is_nobodys(void **state)
{
	const struct mlr_y1564_outcome same[] = { direction_of(0, NAN, 1, NAN), direction_of(0, NAN, 1, NAN) };
	const unsigned int none[] = { 0, 0 };
	size_t which[MLR_Y1564_FIGURES];
	struct mlr_y1564_outcome worst = mlr_y1564_worst(same, none, 2, which);

	(void)state;
	for (size_t i = 0; i < MLR_Y1564_FIGURES; i++)
		assert_int_equal(which[i], 2);
	assert_true(worst.loss_ratio == 0 && worst.variation_ns == 1 && isnan(worst.delay_ns));
	worst = mlr_y1564_worst(same, none, 1, which);
	assert_true(worst.loss_ratio == 0 && which[MLR_Y1564_LOSS_RATIO] == 1);
}

static void what_is_not_known_of_a_direction_is_the_worst(void **state)
{
	const unsigned int none[] = { 0, 0 };
	size_t which[MLR_Y1564_FIGURES];

	(void)state;
	for (size_t dead = 0; dead < 2; dead++) {
		struct mlr_y1564_outcome directions[] = { direction_of(0, 5, 1, 1), direction_of(0, 5, 1, 1) }, worst;

		directions[dead] = direction_of(NAN, NAN, NAN, 0);
		worst = mlr_y1564_worst(directions, none, 2, which);
		assert_true(isnan(worst.loss_ratio) && which[MLR_Y1564_LOSS_RATIO] == dead);
		assert_true(isnan(worst.delay_ns) && which[MLR_Y1564_DELAY_NS] == dead);
		assert_true(worst.availability_ratio == 0 && which[MLR_Y1564_AVAILABILITY_RATIO] == dead);
	}
}

static void too_much_is_worse_than_little_where_only_that_is_wrong(void **state)
{
	const struct mlr_y1564_outcome directions[] = { direction_of(0.5, 1, 1, 1), direction_of(0, 1, 1, 1) };
	const unsigned int much[] = { 0, MLR_Y1564_TOO_MUCH }, both[] = { MLR_Y1564_TOO_LITTLE, MLR_Y1564_TOO_MUCH };
	size_t which[MLR_Y1564_FIGURES];

	(void)state;
	assert_true(mlr_y1564_worst(directions, much, 2, which).received_fps == 1000);
	assert_int_equal(which[MLR_Y1564_RECEIVED_FPS], 1);
	assert_true(mlr_y1564_worst(directions, both, 2, which).received_fps == 500);
	assert_int_equal(which[MLR_Y1564_RECEIVED_FPS], 0);
}

/* A direction whose variation is known within an error. */
static struct mlr_y1564_outcome varying(double variation_ns, double error_ns)
{
	return (struct mlr_y1564_outcome){ .variation_ns = variation_ns, .variation_error_ns = error_ns };
}

static void a_verdict_within_the_error_says_so(void **state)
{
	const struct mlr_y1564_outcome passes = varying(90, 5), may_fail = varying(98, 3), may_pass = varying(102, 3),
				       fails = varying(110, 5), unknown = varying(NAN, NAN);

	(void)state;
	assert_false(mlr_y1564_variation_within_error(&passes, 1, 100));
	assert_true(mlr_y1564_variation_within_error(&may_fail, 1, 100));
	assert_true(mlr_y1564_variation_within_error(&may_pass, 1, 100));
	assert_false(mlr_y1564_variation_within_error(&fails, 1, 100));
	assert_false(mlr_y1564_variation_within_error(&unknown, 1, 100));
	/* nothing was agreed */
	assert_false(mlr_y1564_variation_within_error(&may_fail, 1, NAN));
	/* what is agreed may be had: 100 passes, above it fails */
	assert_false(mlr_y1564_variation_within_error((struct mlr_y1564_outcome[]){ varying(100, 0) }, 1, 100));
	assert_false(mlr_y1564_variation_within_error((struct mlr_y1564_outcome[]){ varying(97, 3) }, 1, 100));
	assert_true(mlr_y1564_variation_within_error((struct mlr_y1564_outcome[]){ varying(103, 3) }, 1, 100));
}

static void a_doubt_that_does_not_decide_is_none_of_all_directions(void **state)
{
	const struct mlr_y1564_outcome passes = varying(90, 5), may_fail = varying(85, 20), may_pass = varying(102, 3),
				       fails = varying(110, 5);

	(void)state;
	/* the worst passes surely, another one may not */
	assert_true(mlr_y1564_variation_within_error((struct mlr_y1564_outcome[]){ passes, may_fail }, 2, 100));
	assert_true(mlr_y1564_variation_within_error((struct mlr_y1564_outcome[]){ passes, may_pass }, 2, 100));
	assert_true(mlr_y1564_variation_within_error((struct mlr_y1564_outcome[]){ may_fail, may_pass }, 2, 100));
	assert_false(mlr_y1564_variation_within_error((struct mlr_y1564_outcome[]){ may_fail, fails }, 2, 100));
	assert_false(mlr_y1564_variation_within_error((struct mlr_y1564_outcome[]){ fails, may_pass }, 2, 100));
	assert_false(mlr_y1564_variation_within_error((struct mlr_y1564_outcome[]){ passes, passes }, 2, 100));
}

static void the_worst_variation_has_its_error(void **state)
{
	const unsigned int none[] = { 0, 0, 0 };
	size_t which[MLR_Y1564_FIGURES];

	(void)state;
	assert_true(
		mlr_y1564_worst((struct mlr_y1564_outcome[]){ varying(5, 9), varying(7, 1), varying(6, 8) }, none, 3, which)
			.variation_error_ns == 1);
	assert_true(
		mlr_y1564_worst((struct mlr_y1564_outcome[]){ varying(7, 1), varying(7, 2), varying(6, 8) }, none, 3, which)
			.variation_error_ns == 2);
	assert_true(mlr_y1564_worst((struct mlr_y1564_outcome[]){ varying(7, 2), varying(7, 1) }, none, 2, which)
			    .variation_error_ns == 2);
	assert_true(isnan(mlr_y1564_worst((struct mlr_y1564_outcome[]){ varying(7, 1), varying(NAN, NAN) }, none, 2, which)
				  .variation_error_ns));
}

static void all_directions_have_to_pass(void **state)
{
	const enum mlr_y1564_verdict p = MLR_Y1564_PASSED, u = MLR_Y1564_UNDECIDED, f = MLR_Y1564_FAILED;

	(void)state;
	assert_int_equal(mlr_y1564_verdict((enum mlr_y1564_verdict[]){ p, p, p }, 3), p);
	assert_int_equal(mlr_y1564_verdict((enum mlr_y1564_verdict[]){ p, u, p }, 3), u);
	assert_int_equal(mlr_y1564_verdict((enum mlr_y1564_verdict[]){ f, p, u }, 3), f);
	assert_int_equal(mlr_y1564_verdict((enum mlr_y1564_verdict[]){ u, p, f }, 3), f);
	assert_int_equal(mlr_y1564_verdict((enum mlr_y1564_verdict[]){ f }, 1), f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_those_of_the_recommendation),
		cmocka_unit_test(without_excess_the_committed_rate_is_exceeded),
		cmocka_unit_test(a_policer_is_judged_by_its_rate),
		cmocka_unit_test(delay_is_judged_where_it_is_asked_for),
		cmocka_unit_test(no_loss_is_promised_where_none_is_allowed),
		cmocka_unit_test(a_figure_that_is_what_was_agreed_passes),
		cmocka_unit_test(nine_bad_seconds_are_loss_and_ten_are_unavailability),
		cmocka_unit_test(it_is_available_again_after_ten_good_seconds),
		cmocka_unit_test(availability_is_judged),
		cmocka_unit_test(the_worst_of_each_figure_says_whose_it_is),
		cmocka_unit_test(what_is_the_same_in_all_directions_is_nobodys),
		cmocka_unit_test(what_is_not_known_of_a_direction_is_the_worst),
		cmocka_unit_test(too_much_is_worse_than_little_where_only_that_is_wrong),
		cmocka_unit_test(a_verdict_within_the_error_says_so),
		cmocka_unit_test(a_doubt_that_does_not_decide_is_none_of_all_directions),
		cmocka_unit_test(the_worst_variation_has_its_error),
		cmocka_unit_test(all_directions_have_to_pass),
	};

	return cmocka_run_group_tests_name("y1564", tests, NULL, NULL);
}
