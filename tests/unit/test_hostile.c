/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of a hostile wire: every kind is there, within bounds, the same for the same seed, and harmless to whoever is between. */
#include <string.h>

#include "../hostile.h"
#include "mlr/imix.h"

#define ROUNDS 200
#define FRAMES (ROUNDS * MLR_HOSTILE_KINDS)

static struct mlr_profile profile;
static uint8_t frame[MLR_HOSTILE_SIZE_MOST] __attribute__((aligned(2)));

static struct mlr_hostile hostile_small(uint64_t seed)
{
	const struct mlr_size_mix sizes = mlr_size_one(128);

	return hostile_beside(&profile, &sizes, 4, seed);
}

static void every_kind_and_every_count_is_there(void **state)
{
	const struct mlr_hostile hostile = hostile_small(1);
	unsigned int of_kind[MLR_HOSTILE_KINDS] = { 0 }, of_count[MLR_HOSTILE_COUNT_COUNT] = { 0 };
	struct mlr_hostile_frame made;

	(void)state;
	for (uint64_t n = 0; n < FRAMES; n++) {
		assert_true(mlr_hostile_write(&hostile, n, frame, &made));
		assert_int_equal(made.kind, n % MLR_HOSTILE_KINDS);
		of_kind[made.kind]++;
		of_count[made.count]++;
	}
	for (unsigned int kind = 0; kind < MLR_HOSTILE_KINDS; kind++) {
		assert_int_equal(of_kind[kind], ROUNDS);
		for (unsigned int other = 0; other < kind; other++)
			assert_string_not_equal(mlr_hostile_kind_name(kind), mlr_hostile_kind_name(other));
	}
	for (unsigned int count = 0; count < MLR_HOSTILE_COUNT_COUNT; count++)
		assert_true(of_count[count] > 0);
}

/* At any size, of either IP version, of a mix, and where nothing can be added to a frame. */
static void lengths_are_within_bounds(void **state)
{
	static const struct mlr_size_weight weights[] = { { 4, 594 }, { 1, 1518 } };
	struct mlr_size_mix sizes = mlr_size_one(88), mix;

	(void)state;
	assert_int_equal(mlr_size_from_weights(weights, 2, &mix), 0);
	for (unsigned int try = 0; try < 5; try++) {
		static const unsigned int octets[] = { 88, 512, 1518, 9018 };
		struct mlr_hostile hostile;
		bool is_runt[60] = { false };

		if (try < 4)
			sizes = mlr_size_one(octets[try]);
		hostile = hostile_beside(&profile, try < 4 ? &sizes : &mix, try % 2 ? 6 : 4, try);
		if (try == 3)
			hostile.most_octets = 9014;
		for (uint64_t n = 0; n < FRAMES; n++) {
			struct mlr_hostile_frame made;

			if (!mlr_hostile_write(&hostile, n, frame, &made))
				continue;
			assert_in_range(made.octets, 14, hostile.most_octets);
			if (made.octets < 60)
				is_runt[made.octets] = true;
		}
		for (unsigned int i = 14; i < 60; i++)
			assert_true(is_runt[i]);
	}
}

static void the_seed_and_the_number_say_all(void **state)
{
	const struct mlr_hostile one = hostile_small(1), two = hostile_small(2);
	static uint8_t again[MLR_HOSTILE_SIZE_MOST] __attribute__((aligned(2)));
	struct mlr_hostile_frame made, made_again;
	unsigned int different = 0;

	(void)state;
	for (uint64_t n = FRAMES; n-- > 0;) {
		memset(frame, 0x55, sizeof(frame));
		memset(again, 0xaa, sizeof(again));
		assert_true(mlr_hostile_write(&one, n, frame, &made));
		assert_true(mlr_hostile_write(&one, n, again, &made_again));
		assert_memory_equal(&made, &made_again, sizeof(made));
		assert_memory_equal(frame, again, made.octets);
		mlr_hostile_write(&two, n, again, &made_again);
		different += made.octets != made_again.octets || memcmp(frame, again, made.octets) != 0;
	}
	assert_true(different > FRAMES * 9 / 10);
}

static unsigned int word(unsigned int at)
{
	return (unsigned int)frame[at] << 8 | frame[at + 1];
}

/* What a receiver passes on to its kernel, and what switches look at. */
static void nobody_is_configured_by_them(void **state)
{
	static const uint8_t macs[] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1 };
	static const uint8_t loopback6[16] = { [15] = 1 };
	const struct mlr_hostile hostile = hostile_small(3);
	struct mlr_hostile_frame made;

	(void)state;
	for (uint64_t n = 0; n < FRAMES; n++) {
		unsigned int at = 12;

		mlr_hostile_write(&hostile, n, frame, &made);
		assert_memory_equal(frame, macs, sizeof(macs));
		while (at + 6 <= made.octets && (word(at) == 0x8100 || word(at) == 0x88a8 || word(at) == 0x9100))
			at += 4;
		switch (word(at)) {
		case 0x0800:
			if (at + 22 <= made.octets && made.count == MLR_HOSTILE_foreign)
				assert_int_equal(frame[at + 18], 127);
			break;
		case 0x86dd:
			if (at + 42 <= made.octets && made.count == MLR_HOSTILE_foreign)
				assert_memory_equal(frame + at + 26, loopback6, 16);
			break;
		default:
			assert_true(word(at) <= 1500 || word(at) == 0x88b6 || word(at) == 0x8100 || word(at) == 0x88a8 ||
				    word(at) == 0x9100 || word(at) == 0x9200 || word(at) == 0x9300);
		}
	}
}

static void kinds_without_room_are_left_out(void **state)
{
	const struct mlr_size_mix shortest = mlr_size_one(68);
	struct mlr_hostile hostile = hostile_beside(&profile, &shortest, 4, 1);
	struct mlr_hostile_frame made;

	(void)state;
	for (uint64_t n = 0; n < FRAMES; n++) {
		bool is_there = mlr_hostile_write(&hostile, n, frame, &made);

		assert_int_equal(is_there, strcmp(mlr_hostile_kind_name(made.kind), "changed-payload") != 0);
	}
	hostile.sequence_count = UINT32_MAX;
	for (uint64_t n = 0; n < MLR_HOSTILE_KINDS; n++)
		if (!mlr_hostile_write(&hostile, n, frame, &made))
			assert_true(strcmp(mlr_hostile_kind_name(made.kind), "changed-payload") == 0 ||
				    strcmp(mlr_hostile_kind_name(made.kind), "forged-sequence") == 0);
}

static void counts_have_names(void **state)
{
	(void)state;
	assert_string_equal(mlr_hostile_count_name(MLR_HOSTILE_foreign), "foreign");
	assert_string_equal(mlr_hostile_count_name(MLR_HOSTILE_changed_payload), "changed_payload");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_and_every_count_is_there), cmocka_unit_test(lengths_are_within_bounds),
		cmocka_unit_test(the_seed_and_the_number_say_all),     cmocka_unit_test(nobody_is_configured_by_them),
		cmocka_unit_test(kinds_without_room_are_left_out),     cmocka_unit_test(counts_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
