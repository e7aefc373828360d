/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far the clocks of hosts are from each other, from readings over a network. */
#include <string.h>

#include "../test.h"
#include "measurer/mpi_clock.h"

#define NS_PER_S 1000000000ll

/* A host whose CLOCK_MONOTONIC is `behind_ns` behind ours and whose CLOCK_REALTIME is 500 ns ahead of it, asked at 1000 s by
 * our clock; its answer was made so long after the question left, and was here so long after that. */
static struct job_reading reading_of(int64_t behind_ns, uint64_t there_ns, uint64_t back_ns)
{
	const uint64_t asked_ns = 1000 * NS_PER_S, epoch_ns = 1790000000 * NS_PER_S;
	struct job_reading reading = { .before_ns = asked_ns, .after_ns = asked_ns + there_ns + back_ns };

	reading.monotonic_ns = asked_ns + there_ns - (uint64_t)behind_ns;
	reading.realtime_ns = epoch_ns + asked_ns + there_ns + 500;
	reading.reference_realtime_ns = epoch_ns + reading.after_ns;
	return reading;
}

static void a_fair_network_gives_the_offset(void **state)
{
	struct job_reading reading = reading_of(77 * NS_PER_S, 20000, 20000);
	struct clock_offset offset = clock_offset_of(&reading);

	(void)state;
	assert_true(offset.monotonic.offset_ns == 77 * NS_PER_S);
	assert_int_equal(offset.monotonic.bound_ns, 20000);
	assert_true(offset.realtime_ns == -500);
}

/* However unequal the two ways are, the truth is within the bound, and the bound is half of the round trip. */
static void an_unfair_network_stays_within_the_bound(void **state)
{
	(void)state;
	for (uint64_t there_ns = 0; there_ns <= 50000; there_ns += 5000) {
		struct job_reading reading = reading_of(-3 * NS_PER_S, there_ns, 50000 - there_ns);
		struct clock_offset offset = clock_offset_of(&reading);
		int64_t error_ns = offset.monotonic.offset_ns + 3 * NS_PER_S;

		assert_int_equal(offset.monotonic.bound_ns, 25000);
		assert_true(error_ns <= 25000 && error_ns >= -25000);
		assert_true(offset.realtime_ns - (-500) == error_ns);
	}
}

/* Ranks 0 and 3 are on one clock, ranks 1 and 2 on another. */
static struct mpi_clocks four_ranks(void)
{
	struct mpi_clocks clocks = {
		.rank_count = 4,
		.states = { { .name = "x" }, { .name = "y" }, { .name = "y" }, { .name = "x" } },
	};

	for (unsigned int rank = 1; rank < clocks.rank_count; rank++)
		clocks.measured[rank].monotonic =
			(struct phc_offset){ .offset_ns = rank == 3 ? 20 : 95 + 5 * (int)rank, .bound_ns = 30 };
	return clocks;
}

static void ranks_of_one_clock_have_one_offset(void **state)
{
	struct mpi_clocks clocks = four_ranks();

	(void)state;
	mpi_clocks_take(&clocks, true);
	assert_int_equal(clocks.before[0].offset_ns, 0);
	assert_int_equal(clocks.before[1].offset_ns, 100);
	assert_int_equal(clocks.before[2].offset_ns, 100);
	assert_int_equal(clocks.before[3].offset_ns, 0);
	assert_int_equal(clocks.before[3].bound_ns, 0);
}

static void the_bound_is_that_of_both_ends_and_of_the_drift(void **state)
{
	struct mpi_clocks clocks = four_ranks();

	(void)state;
	mpi_clocks_take(&clocks, true);
	clocks.measured[1].monotonic = (struct phc_offset){ .offset_ns = 150, .bound_ns = 40 };
	mpi_clocks_take(&clocks, false);
	assert_int_equal(mpi_clocks_bound_ns(&clocks, 0, 3), 0);
	assert_int_equal(mpi_clocks_bound_ns(&clocks, 1, 2), 0);
	assert_int_equal(mpi_clocks_bound_ns(&clocks, 0, 1), 90); /* 50 of drift, 40 of the second measurement */
	assert_int_equal(mpi_clocks_bound_ns(&clocks, 2, 3), 90);
}

/* Machines that were made of one snapshot say that they are one. */
static void a_measurement_that_contradicts_one_clock_is_believed(void **state)
{
	struct mpi_clocks clocks = four_ranks();

	(void)state;
	clocks.measured[3].monotonic.offset_ns = 5 * NS_PER_S;
	mpi_clocks_take(&clocks, true);
	mpi_clocks_take(&clocks, false);
	assert_true(clocks.before[3].offset_ns == 5 * NS_PER_S);
	assert_int_equal(mpi_clocks_bound_ns(&clocks, 0, 3), 30);
}

/* This process is on one clock with itself, and the kernel says something of it. */
static void this_host_has_a_clock(void **state)
{
	struct clock_state one = clock_state_here(), other = clock_state_here();

	(void)state;
	assert_true(strlen(one.name) > 30);
	assert_string_equal(one.name, other.name);
	assert_true(one.known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fair_network_gives_the_offset),
		cmocka_unit_test(an_unfair_network_stays_within_the_bound),
		cmocka_unit_test(ranks_of_one_clock_have_one_offset),
		cmocka_unit_test(the_bound_is_that_of_both_ends_and_of_the_drift),
		cmocka_unit_test(a_measurement_that_contradicts_one_clock_is_believed),
		cmocka_unit_test(this_host_has_a_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
