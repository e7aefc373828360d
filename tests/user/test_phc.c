/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The offset of a NIC's clock and its error bound, from readings as the kernel gives them. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
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

/* --- a clock that drifts -------------------------------------------------------------------------------------------- */

#define START_NS  (1000 * NS_PER_S)
#define MS        1000000ll
#define STEP_NS   (4 * MS)
#define NOISE_NS  80 /* of a reading, of which it knows 100 */
#define BOUND_NS  100
#define COMPARE   25  /* steps between comparisons */
#define OPENED_MS 300 /* before the trial the clock was compared first */

/* What to add to a clock that drifts by so much, at a moment. */
static int64_t truth_ns(double drift, int64_t at_ns)
{
	return -7 * NS_PER_S + (int64_t)(drift * (double)(at_ns - START_NS));
}

static struct phc_offset compare(double drift, int64_t at_ns)
{
	return (struct phc_offset){ truth_ns(drift, at_ns) + rand() % (2 * NOISE_NS) - NOISE_NS, BOUND_NS, (uint64_t)at_ns };
}

/* Follow it for a trial, as nic_clock.c does; what it was off at most at any moment. Half way it drifts by so much more. */
static uint64_t follow(struct phc_track *track, double drift, double change, int64_t duration_ns)
{
	int64_t middle_ns = START_NS + duration_ns / 2, end_ns = START_NS + duration_ns, most_ns = 0, before_ns;
	struct phc_offset one = compare(drift, START_NS - OPENED_MS * MS);

	phc_track_add(track, &one);
	one = compare(drift, START_NS);
	phc_track_begin(track, &one);
	for (int64_t step = 0, at_ns = START_NS; at_ns < end_ns; at_ns += STEP_NS, step++) {
		before_ns = at_ns > middle_ns ? (int64_t)(change * (double)(at_ns - middle_ns)) : 0;
		if (step && step % COMPARE == 0) {
			one = compare(drift, at_ns);
			one.offset_ns += before_ns;
			phc_track_add(track, &one);
		}
		phc_track_apply(track, (uint64_t)at_ns, STEP_NS);
		for (int64_t late_ns = 0; late_ns <= STEP_NS; late_ns += STEP_NS / 4) {
			int64_t off_ns = track->applied_ns - truth_ns(drift, at_ns + late_ns) - before_ns;

			most_ns = llabs(off_ns) > most_ns ? llabs(off_ns) : most_ns;
		}
	}
	one = compare(drift, end_ns);
	one.offset_ns += (int64_t)(change * (double)(end_ns - middle_ns));
	phc_track_end(track, &one);
	return (uint64_t)most_ns;
}

/* 50 ppm are 500 us in the 10 s of this trial. */
static void a_drift_is_carried_on(void **state)
{
	static const double drifts[] = { 0.0, 50e-6, -50e-6, 3e-6, 400e-6 };

	(void)state;
	srand(1);
	for (size_t i = 0; i < sizeof(drifts) / sizeof(*drifts); i++) {
		struct phc_track track = { 0 };
		uint64_t most_ns = follow(&track, drifts[i], 0.0, 10 * NS_PER_S), bound_ns = phc_track_bound_ns(&track);
		uint64_t half_step_ns = (uint64_t)(fabs(drifts[i]) * STEP_NS / 2);

		assert_in_range(most_ns, 0, half_step_ns + 3 * BOUND_NS);
		assert_in_range(bound_ns, most_ns, half_step_ns + 5 * BOUND_NS);
	}
}

/* Somebody disciplines it: what that comes to until the next comparison is in the bound. */
static void a_drift_that_changes_is_in_the_bound(void **state)
{
	struct phc_track track = { 0 };
	uint64_t most_ns = follow(&track, 10e-6, 30e-6, 2 * NS_PER_S);

	(void)state;
	assert_in_range(most_ns, 2000, 7000); /* 3 us in 100 ms, and again until the drift is counted without the former */
	assert_in_range(phc_track_bound_ns(&track), most_ns, 2 * most_ns + 1000);
}

static void a_clock_that_was_set_did_not_drift(void **state)
{
	struct phc_offset first = { 5000, 10, START_NS }, second = { NS_PER_S, 10, START_NS + 900 * MS };
	struct phc_track track = { 0 };

	(void)state;
	phc_track_add(&track, &first);
	phc_track_begin(&track, &second);
	assert_int_equal(phc_track_apply(&track, (uint64_t)second.at_ns + STEP_NS, STEP_NS), NS_PER_S);
	second.at_ns += NS_PER_S;
	phc_track_end(&track, &second);
	assert_int_equal(phc_track_bound_ns(&track), 10);
	/* but within a trial it is all wrong */
	first.at_ns = second.at_ns + NS_PER_S;
	phc_track_end(&track, &first);
	assert_in_range(phc_track_bound_ns(&track), NS_PER_S - 5000, NS_PER_S);
}

/* Nobody gave a new offset for a second: the old one was used for as long. */
static void an_offset_that_was_used_too_long_is_in_the_bound(void **state)
{
	struct phc_track track = { 0 };
	struct phc_offset one = { 0, 10, START_NS }, other = { 50000, 10, START_NS + NS_PER_S };

	(void)state;
	phc_track_add(&track, &one);
	phc_track_begin(&track, &other);
	phc_track_apply(&track, (uint64_t)other.at_ns, STEP_NS);
	phc_track_apply(&track, (uint64_t)other.at_ns + NS_PER_S, STEP_NS);
	assert_in_range(phc_track_bound_ns(&track), 49900, 50010);
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
		cmocka_unit_test(a_drift_is_carried_on),
		cmocka_unit_test(a_drift_that_changes_is_in_the_bound),
		cmocka_unit_test(a_clock_that_was_set_did_not_drift),
		cmocka_unit_test(an_offset_that_was_used_too_long_is_in_the_bound),
		cmocka_unit_test(a_clock_that_is_not_there_is_an_error),
	};

	const struct CMUnitTest of_a_clock[] = {
		cmocka_unit_test(a_clock_that_was_set_is_off_by_as_much),
	};

	if (getenv("XDP_MLR_TEST_CLOCK"))
		return cmocka_run_group_tests(of_a_clock, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
