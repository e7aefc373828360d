/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The offset of a NIC's clock and its error bound, from readings as the kernel gives them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

#include "../test.h"
#include "netdev/phc.h"

#define NS_PER_S 1000000000ll
#define DRIFT_NS 100000

static struct ptp_clock_time at(int64_t ns)
{
	return (struct ptp_clock_time){ .sec = ns / NS_PER_S, .nsec = (uint32_t)(ns % NS_PER_S) };
}

static void put(struct ptp_sys_offset_extended *samples, int64_t before_ns, int64_t read_ns, int64_t after_ns)
{
	struct ptp_clock_time *sample = samples->ts[samples->n_samples++];

	sample[0] = at(before_ns);
	sample[1] = at(read_ns);
	sample[2] = at(after_ns);
}

static void a_bracket_gives_its_middle(void **state)
{
	struct phc_offset offset = phc_bracket(1000, 300, 1400);

	(void)state;
	assert_int_equal(offset.offset_ns, 900);
	assert_int_equal(offset.bound_ns, 200);
	offset = phc_bracket(1000, 5000, 1401); /* an odd window: its bound is rounded up */
	assert_int_equal(offset.offset_ns, -3800);
	assert_int_equal(offset.bound_ns, 201);
}

/* The truth is inside the bound wherever in its bracket the clock was read. */
static void the_truth_is_inside_the_bound(void **state)
{
	const int64_t truth_ns = -37 * NS_PER_S + 12345;

	(void)state;
	for (int64_t window_ns = 0; window_ns < 60; window_ns++)
		for (int64_t read_ns = 0; read_ns <= window_ns; read_ns++) {
			struct phc_offset offset = phc_bracket(500, 500 + read_ns - truth_ns, 500 + window_ns);

			assert_in_range(offset.offset_ns - truth_ns + 1000, 1000 - offset.bound_ns, 1000 + offset.bound_ns);
			assert_true(offset.bound_ns <= (uint64_t)(window_ns + 1) / 2);
		}
}

static void the_narrowest_sample_counts(void **state)
{
	const int64_t now_ns = 1790000000 * NS_PER_S, ahead_ns = 37 * NS_PER_S; /* the NIC keeps TAI */
	struct ptp_sys_offset_extended samples = { 0 };
	struct phc_offset offset;

	(void)state;
	put(&samples, now_ns, now_ns + 9000 + ahead_ns, now_ns + 10000);
	put(&samples, now_ns + 999999999, now_ns + 999999999 + 300 + ahead_ns,
	    now_ns + 999999999 + 400); /* over a second's end */
	put(&samples, now_ns + 2000, now_ns + 2500 + ahead_ns, now_ns + 3000);
	assert_true(phc_of_extended(&samples, &offset));
	assert_int_equal(offset.offset_ns, -ahead_ns - 100);
	assert_int_equal(offset.bound_ns, 200);
}

static void samples_of_a_clock_that_was_set_back_do_not_count(void **state)
{
	struct ptp_sys_offset_extended samples = { 0 };
	struct phc_offset offset = { .offset_ns = 42 };

	(void)state;
	assert_false(phc_of_extended(&samples, &offset));
	put(&samples, 5000, 100, 4000);
	assert_false(phc_of_extended(&samples, &offset));
	assert_int_equal(offset.offset_ns, 42);
	put(&samples, 5000, 100, 9000);
	assert_true(phc_of_extended(&samples, &offset));
	assert_int_equal(offset.offset_ns, 6900);
}

static void the_older_call_tells_the_same(void **state)
{
	struct ptp_sys_offset plain = { .n_samples = 2 };
	struct ptp_sys_offset_extended extended = { 0 };
	struct phc_offset offset;

	(void)state;
	plain.ts[0] = at(1000);
	plain.ts[1] = at(50);
	plain.ts[2] = at(1900);
	plain.ts[3] = at(950);
	plain.ts[4] = at(2000);
	phc_extend(&plain, &extended);
	assert_int_equal(extended.n_samples, 2);
	assert_true(phc_of_extended(&extended, &offset));
	assert_int_equal(offset.offset_ns, 1000);
	assert_int_equal(offset.bound_ns, 50);
}

static void a_pair_of_one_moment_has_no_window(void **state)
{
	struct ptp_sys_offset_precise pair = { .device = at(3 * NS_PER_S + 7), .sys_realtime = at(5 * NS_PER_S) };
	struct phc_offset offset = phc_of_precise(&pair);

	(void)state;
	assert_int_equal(offset.offset_ns, 2 * NS_PER_S - 7);
	assert_int_equal(offset.bound_ns, 0);
}

static void bounds_add_up_over_a_clock_in_between(void **state)
{
	struct phc_offset one = { .offset_ns = -500, .bound_ns = 20 }, other = { .offset_ns = 100, .bound_ns = 3 };
	struct phc_offset both = phc_chain(&one, &other);

	(void)state;
	assert_int_equal(both.offset_ns, -400);
	assert_int_equal(both.bound_ns, 23);
}

static void readings_agree_up_to_their_bounds(void **state)
{
	struct phc_offset one = { .offset_ns = 100, .bound_ns = 20 }, other = { .offset_ns = 130, .bound_ns = 10 };

	(void)state;
	assert_true(phc_agree(&one, &other));
	assert_true(phc_agree(&other, &one));
	other.offset_ns = 131;
	assert_false(phc_agree(&one, &other));
	assert_false(phc_agree(&other, &one));
}

/* What is converted by the first offset is off by all of the drift at the end. */
static void drift_adds_to_the_bound(void **state)
{
	struct phc_offset before = { .offset_ns = 1000, .bound_ns = 50 }, after = { .offset_ns = 1000, .bound_ns = 30 };

	(void)state;
	assert_int_equal(phc_bound_over_ns(&before, &after), 50);
	after.offset_ns = 700;
	assert_int_equal(phc_bound_over_ns(&before, &after), 330);
	after.offset_ns = 1300;
	assert_int_equal(phc_bound_over_ns(&before, &after), 330);
}

static void a_clock_that_is_not_there_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(phc_open(999), -ENOENT);
}

/* --- a clock --------------------------------------------------------------------------------------------------------- */

/* Its file descriptor is its number for the system calls of clocks, in this way. */
static clockid_t clock_of(int fd)
{
	return (clockid_t)(~(unsigned int)fd << 3 | 3);
}

/* XDP_MLR_TEST_CLOCK=N names a clock that this may set, /dev/ptpN: tests/nics/guest gives it that of an emulated NIC. What is
 * measured must follow by how much it was set, to the bounds and what it may have drifted meanwhile. */
static void a_clock_that_was_set_is_off_by_as_much(void **state)
{
	const int64_t step_ns = 1500000000;
	struct timex step = { .modes = ADJ_SETOFFSET | ADJ_NANO, .time = { .tv_sec = 1, .tv_usec = 500000000 } };
	struct phc_offset before, after, expected;
	int fd = phc_open(atoi(getenv("XDP_MLR_TEST_CLOCK"))), writable;
	char path[32];

	(void)state;
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	writable = open(path, O_RDWR | O_CLOEXEC);
	assert_true(writable >= 0);
	assert_int_equal(phc_measure(fd, &before), 0);
	assert_true(clock_adjtime(clock_of(writable), &step) >= 0);
	assert_int_equal(phc_measure(fd, &after), 0);
	expected = (struct phc_offset){ before.offset_ns - step_ns, before.bound_ns + DRIFT_NS };
	printf("bounds: %llu and %llu ns; %lld ns off\n", (unsigned long long)before.bound_ns,
	       (unsigned long long)after.bound_ns, (long long)(after.offset_ns - expected.offset_ns));
	assert_true(phc_agree(&expected, &after));
	close(writable);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bracket_gives_its_middle),
		cmocka_unit_test(the_truth_is_inside_the_bound),
		cmocka_unit_test(the_narrowest_sample_counts),
		cmocka_unit_test(samples_of_a_clock_that_was_set_back_do_not_count),
		cmocka_unit_test(the_older_call_tells_the_same),
		cmocka_unit_test(a_pair_of_one_moment_has_no_window),
		cmocka_unit_test(bounds_add_up_over_a_clock_in_between),
		cmocka_unit_test(readings_agree_up_to_their_bounds),
		cmocka_unit_test(drift_adds_to_the_bound),
		cmocka_unit_test(a_clock_that_is_not_there_is_an_error),
	};

	const struct CMUnitTest of_a_clock[] = {
		cmocka_unit_test(a_clock_that_was_set_is_off_by_as_much),
	};

	if (getenv("XDP_MLR_TEST_CLOCK"))
		return cmocka_run_group_tests(of_a_clock, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
