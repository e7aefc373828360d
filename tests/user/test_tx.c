/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread of a trial, and transmitters that share one, by transmitters that send nothing and write down what they are
 * told. */
#include <errno.h>

#include "../test.h"
#include "dataplane/tx.h"

#define STEPS_MOST 64

/* Who took a step, in order. */
static struct {
	const struct tx *who[STEPS_MOST];
	pthread_t thread[STEPS_MOST];
	unsigned int count;
} steps;

struct fake {
	struct tx tx;
	unsigned int sending, draining; /* steps that a trial takes */
	unsigned int left_sending, left_draining;
	unsigned int trials;
	double load_fps; /* of the trial begun last */
	struct tx_report *report;
	int error; /* that ends a trial */
};

static void begin(struct tx *tx, const struct tx_trial *trial, struct tx_report *report)
{
	struct fake *fake = (struct fake *)tx;

	assert_int_equal(report->sent, 0);
	fake->trials++;
	fake->load_fps = trial->load_fps;
	fake->left_sending = fake->sending;
	fake->left_draining = fake->draining;
	fake->report = report;
}

static enum tx_step step(struct tx *tx)
{
	struct fake *fake = (struct fake *)tx;

	assert_true(steps.count < STEPS_MOST);
	steps.who[steps.count] = tx;
	steps.thread[steps.count++] = pthread_self();
	if (fake->left_sending) {
		fake->left_sending--;
		fake->report->sent++;
		return TX_SENDING;
	}
	if (fake->left_draining) {
		fake->left_draining--;
		return TX_DRAINING;
	}
	fake->report->error = fake->error;
	return TX_ENDED;
}

static const struct tx_ops ops = { .name = "fake", .takes_turns = true, .begin = begin, .step = step };

static struct fake make(unsigned int sending, unsigned int draining)
{
	steps.count = 0;
	return (struct fake){ .tx = { .ops = &ops, .cpu = -1 }, .sending = sending, .draining = draining };
}

static void a_trial_is_taken_to_its_end(void **state)
{
	struct fake fake = make(3, 2);
	const struct tx_trial trial = { .load_fps = 1000 };

	(void)state;
	for (unsigned int i = 1; i <= 2; i++) {
		assert_int_equal(tx_start(&fake.tx, &trial), EXIT_DONE);
		assert_int_equal(tx_wait(&fake.tx)->sent, 3);
		assert_int_equal(fake.trials, i);
		assert_int_equal(steps.count, i * 6);
	}
}

static void a_second_part_counts_with_the_first(void **state)
{
	struct fake fake = make(3, 1);
	const struct tx_trial then = { .load_fps = 2000 };
	const struct tx_trial trial = { .load_fps = 1000, .then = &then };

	(void)state;
	assert_int_equal(tx_start(&fake.tx, &trial), EXIT_DONE);
	assert_int_equal(tx_wait(&fake.tx)->sent, 6);
	assert_int_equal(fake.trials, 2);
	assert_true(fake.load_fps == 2000);
}

static void after_an_error_there_is_no_second_part(void **state)
{
	struct fake fake = make(3, 0);
	const struct tx_trial then = { .load_fps = 2000 };
	const struct tx_trial trial = { .load_fps = 1000, .then = &then };

	(void)state;
	fake.error = -ENETDOWN;
	assert_int_equal(tx_start(&fake.tx, &trial), EXIT_DONE);
	assert_int_equal(tx_wait(&fake.tx)->error, -ENETDOWN);
	assert_int_equal(fake.trials, 1);
}

/* Three of different length: each gets one step a turn, until it has ended, and all in the thread of the first. */
static void those_that_share_a_thread_take_turns(void **state)
{
	struct fake first = make(2, 0), second = make(4, 2), third = make(1, 0);
	const struct tx_trial trial = { .load_fps = 1000 };
	unsigned int of_second = 0;

	(void)state;
	tx_share(&first.tx, &second.tx);
	tx_share(&first.tx, &third.tx);
	assert_int_equal(tx_start(&second.tx, &trial), EXIT_DONE);
	assert_int_equal(tx_start(&first.tx, &trial), EXIT_DONE);
	assert_int_equal(steps.count, 0); /* the third is not there yet */
	assert_int_equal(tx_start(&third.tx, &trial), EXIT_DONE);
	assert_int_equal(tx_wait(&first.tx)->sent, 2);
	assert_int_equal(tx_wait(&second.tx)->sent, 4);
	assert_int_equal(tx_wait(&third.tx)->sent, 1);
	assert_int_equal(steps.count, 3 + 7 + 2);
	for (unsigned int i = 0; i < steps.count; i++) {
		of_second += steps.who[i] == &second.tx;
		assert_true(pthread_equal(steps.thread[i], steps.thread[0]));
		assert_true(i < 1 || i > 5 || steps.who[i] != steps.who[i - 1]);
	}
	assert_int_equal(of_second, 7);
}

/* Where the trial of one could not be started, none runs, and the next trial is not confused. */
static void those_that_wait_for_another_can_be_given_up(void **state)
{
	struct fake first = make(2, 0), second = make(2, 0);
	const struct tx_trial trial = { .load_fps = 1000 };

	(void)state;
	tx_share(&first.tx, &second.tx);
	assert_int_equal(tx_start(&first.tx, &trial), EXIT_DONE);
	assert_int_equal(tx_wait(&first.tx)->sent, 0);
	assert_int_equal(tx_wait(&second.tx)->sent, 0);
	assert_int_equal(steps.count, 0);
	assert_int_equal(tx_start(&first.tx, &trial), EXIT_DONE);
	assert_int_equal(tx_start(&second.tx, &trial), EXIT_DONE);
	assert_int_equal(tx_wait(&second.tx)->sent, 2);
	assert_int_equal(tx_wait(&first.tx)->sent, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trial_is_taken_to_its_end),
		cmocka_unit_test(a_second_part_counts_with_the_first),
		cmocka_unit_test(after_an_error_there_is_no_second_part),
		cmocka_unit_test(those_that_share_a_thread_take_turns),
		cmocka_unit_test(those_that_wait_for_another_can_be_given_up),
	};

	return cmocka_run_group_tests_name("tx", tests, NULL, NULL);
}
