/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The receiver's XDP program puts each frame of a hostile wire into the count that mlr/hostile.h says, and into no other. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../hostile.h"
#include "dataplane/rx.h"
#include "mlr/imix.h"
#include "run.h"

#define ROUNDS   60
#define FRAMES   (ROUNDS * MLR_HOSTILE_KINDS)
#define SHORTEST 60

static struct rx *rx;
static struct mlr_profile profile;
static struct mlr_hostile hostile;
static uint8_t frame[MLR_HOSTILE_SIZE_MOST] __attribute__((aligned(2)));

static void open_receiver(const struct mlr_size_mix *sizes, unsigned int ip_version, uint64_t seed)
{
	struct rx_lengths lengths = { { 0 } };
	struct rx_options options = { .flow_count = 4, .verify = RX_VERIFY_ALL, .profile = &profile, .lengths = &lengths };

	hostile = hostile_beside(&profile, sizes, ip_version, seed);
	for (unsigned int i = 0; i < sizes->size_count; i++)
		rx_lengths_add(&lengths, mlr_profile_udp_octets(&profile, &profile.streams[0], sizes->sizes_octets[i]));
	assert_int_equal(rx_load(&options, &rx), 0);
	rx_accept_trial(rx, TRIAL - 1, 1, 1000);
	rx_accept_trial(rx, TRIAL, 1000, 500);
}

/* What was counted so far, by enum mlr_hostile_count. */
struct counted {
	uint64_t of[MLR_HOSTILE_COUNT_COUNT];
};

static struct counted counted(void)
{
	struct counted counts = { { 0 } };
	struct rx_counters now;

	rx_snapshot(rx, &now);
#define X(name) counts.of[MLR_HOSTILE_##name] = now.name;
	MLR_HOSTILE_COUNTS(X)
#undef X
	assert_int_equal(now.received + now.duplicate + now.reordered + now.misdirected + now.housekeeping + now.extra, 0);
	return counts;
}

/* Send the frames, each as it is made by `alter`. */
static void send_all(unsigned int (*alter)(unsigned int octets))
{
	struct counted before = counted();

	for (uint64_t n = 0; n < FRAMES; n++) {
		struct mlr_hostile_frame made;
		struct counted now;
		int verdict;

		if (!mlr_hostile_write(&hostile, n, frame, &made))
			continue;
		verdict = run_program(rx_program_fd(rx), frame, alter ? alter(made.octets) : made.octets);
		assert_true(verdict == XDP_DROP || verdict == XDP_PASS);
		now = counted();
		for (unsigned int count = 0; count < MLR_HOSTILE_COUNT_COUNT; count++)
			if (now.of[count] - before.of[count] != (count == made.count))
				fail_msg("seed %llu, frame %llu, %s of %u octets: %s, not %s",
					 (unsigned long long)hostile.seed, (unsigned long long)n,
					 mlr_hostile_kind_name(made.kind), made.octets, mlr_hostile_count_name(count),
					 mlr_hostile_count_name(made.count));
		assert_int_equal(verdict == XDP_PASS, made.count == MLR_HOSTILE_foreign);
		before = now;
	}
}

/* Linux wants 14 octets and pads nothing. */
static void each_frame_ends_in_its_count(void **state)
{
	static const unsigned int sizes_octets[] = { 68, 96, 128, 1518 };
	uint64_t seed = (uint64_t)time(NULL);

	(void)state;
	for (unsigned int version = 4; version <= 6; version += 2)
		for (size_t i = version == 6; i < sizeof(sizes_octets) / sizeof(*sizes_octets); i++) {
			struct mlr_size_mix sizes = mlr_size_one(sizes_octets[i]);

			open_receiver(&sizes, version, seed++);
			send_all(NULL);
			rx_close(rx);
		}
}

static void frames_of_a_mix(void **state)
{
	static const struct mlr_size_weight weights[] = { { 7, 70 }, { 4, 594 }, { 1, 1518 } };
	struct mlr_size_mix mix;

	(void)state;
	assert_int_equal(mlr_size_from_weights(weights, 3, &mix), 0);
	open_receiver(&mix, 4, (uint64_t)time(NULL));
	send_all(NULL);
	rx_close(rx);
}

static unsigned int pad(unsigned int octets)
{
	if (octets < SHORTEST)
		memset(frame + octets, 0, SHORTEST - octets);
	return octets < SHORTEST ? SHORTEST : octets;
}

static void hardware_that_pads_changes_nothing(void **state)
{
	const struct mlr_size_mix sizes = mlr_size_one(128);
	/* With the first, one octet of a type is 0x90, and padding would complete it to 0x9000. */
	const uint64_t seeds[] = { 1795905222, (uint64_t)time(NULL) };

	(void)state;
	open_receiver(&sizes, 4, 0);
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++) {
		hostile.seed = seeds[i];
		send_all(pad);
	}
	rx_close(rx);
}

static unsigned int take_tag(unsigned int octets)
{
	bool is_taken = (frame[12] == 0x81 && !frame[13]) || (frame[12] == 0x88 && frame[13] == 0xa8);

	if (!is_taken)
		return octets;
	assert_true(octets >= 18);
	memmove(frame + 12, frame + 16, octets - 16);
	return octets - 4;
}

static void a_port_may_take_a_tag_off(void **state)
{
	const struct mlr_size_mix sizes = mlr_size_one(128);

	(void)state;
	open_receiver(&sizes, 4, (uint64_t)time(NULL));
	hostile.takes_tag = hostile.takes_outer_tag = true;
	send_all(take_tag);
	rx_close(rx);
}

/* Frames whose count tells whether the port takes the first tag off. */
static void frames_tell_which_tags_are_taken(void **state)
{
	const struct mlr_size_mix sizes = mlr_size_one(128);

	(void)state;
	for (unsigned int way = 0; way < 4; way++) {
		bool is_outer = way & 1, is_taken = way & 2;
		struct mlr_hostile_frame told;
		struct rx_counters before, now;
		unsigned int octets;

		open_receiver(&sizes, 4, way);
		hostile.takes_tag = hostile.takes_outer_tag = is_taken;
		assert_true(mlr_hostile_write_tags(&hostile, is_outer, frame, &told));
		assert_string_equal(mlr_hostile_kind_name(told.kind), "vlan-stack");
		assert_int_equal(told.count == MLR_HOSTILE_overtagged, !is_taken);
		octets = is_taken ? take_tag(told.octets) : told.octets;
		rx_snapshot(rx, &before);
		run_program(rx_program_fd(rx), frame, octets);
		rx_snapshot(rx, &now);
		assert_int_equal(now.overtagged - before.overtagged, !is_taken);
		assert_int_equal(now.wrong_length - before.wrong_length + now.wrong_signature - before.wrong_signature, is_taken);
		rx_close(rx);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_frame_ends_in_its_count),
		cmocka_unit_test(frames_of_a_mix),
		cmocka_unit_test(hardware_that_pads_changes_nothing),
		cmocka_unit_test(a_port_may_take_a_tag_off),
		cmocka_unit_test(frames_tell_which_tags_are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
