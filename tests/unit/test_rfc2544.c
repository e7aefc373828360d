/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "unit.h"

#include "mlr/rfc2544.h"

#define MS 1000000ull

/* --- back-to-back frames --- */

/*
 * A SUT with a bucket of tokens. Frames up to a rate pass without one, so that its throughput says nothing of how fast the
 * bucket fills. Each of the others takes a token. With scatter, long bursts lose frames at random.
 */
struct bucket {
	double capacity, refill_fps, free_fps, burst_fps, tokens, scatter;
	double free; /* frames at the beginning of a burst that pass without a token */
	uint64_t random;
	double since_s; /* time of all bursts and silences */
};

/* Send it a burst after a silence; how many frames it forwards. */
static uint64_t burst_into(struct bucket *bucket, uint64_t frames, double silence_s)
{
	double token_per_frame = 1 - bucket->free_fps / bucket->burst_fps, free = bucket->free;
	uint64_t paid = 0;

	bucket->tokens = fmin(bucket->capacity, bucket->tokens + silence_s * bucket->refill_fps);
	for (uint64_t i = 0; i < frames; i++) {
		bucket->tokens += bucket->refill_fps / bucket->burst_fps;
		free += 1 - token_per_frame;
		if (free >= 1) {
			free--;
			paid++;
		} else if (bucket->tokens >= 1) {
			bucket->tokens--;
			paid++;
		}
	}
	bucket->since_s += silence_s + (double)frames / bucket->burst_fps;
	/* a longer burst than that part of the bucket loses at random */
	return (double)frames > bucket->capacity * (1 - bucket->scatter * random_unit(&bucket->random)) && frames > 16
		       ? (uint64_t)((double)paid * (1 - bucket->scatter * random_unit(&bucket->random)))
		       : paid;
}

/* The longest burst of which a full bucket loses nothing. */
static uint64_t longest_burst(const struct bucket *of)
{
	uint64_t frames = 0;
	struct bucket full;

	do {
		full = *of;
		full.tokens = full.capacity;
		frames++;
	} while (burst_into(&full, frames, 0) == frames);
	return frames - 1;
}

/* Search it, with at least `wait_s` between two bursts. */
static uint64_t search_bucket(struct bucket *bucket, struct mlr_burst_rest *rest, uint64_t most, double wait_s)
{
	struct mlr_burst_search search;
	uint64_t frames;
	unsigned int bursts = 0;

	mlr_burst_search_init(&search, rest, 16, most);
	while ((frames = mlr_burst_search_next(&search))) {
		double silence_s = mlr_burst_search_silence_s(&search) + wait_s;

		assert_true(frames <= most);
		assert_true(silence_s <= 24 + wait_s);
		assert_true(bursts++ < 500);
		mlr_burst_search_add(&search, burst_into(bucket, frames, silence_s), silence_s);
	}
	return search.kept_frames;
}

/* Search a SUT that keeps bursts up to `buffer` after any silence; how many bursts that took. */
static unsigned int search_bursts(uint64_t buffer, uint64_t first, uint64_t most, uint64_t *ret_kept)
{
	struct mlr_burst_search search;
	struct mlr_burst_rest rest;
	unsigned int bursts = 0;
	uint64_t frames;

	mlr_burst_rest_init(&rest, 1e6);
	mlr_burst_search_init(&search, &rest, first, most);
	while ((frames = mlr_burst_search_next(&search))) {
		assert_true(frames <= most);
		assert_true(bursts++ < 200);
		mlr_burst_search_add(&search, frames > buffer ? buffer : frames, mlr_burst_search_silence_s(&search));
	}
	*ret_kept = search.kept_frames;
	return bursts;
}

static void the_longest_burst_is_found_to_the_frame(void **state)
{
	uint64_t kept;

	(void)state;
	for (uint64_t buffer = 1; buffer < 3000; buffer++) {
		search_bursts(buffer, 16, 100000, &kept);
		assert_int_equal(kept, buffer);
	}
	for (uint64_t buffer = 99000; buffer <= 100000; buffer++) {
		search_bursts(buffer, 16, 100000, &kept);
		assert_int_equal(kept, buffer);
	}
}

static void a_burst_search_takes_few_bursts(void **state)
{
	uint64_t random = 1, kept;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		uint64_t buffer = 1 + random_below(&random, 1 << 20);

		/* up by doubling, as many as came, one more, and the check: from a SUT that has no room, twice */
		assert_true(search_bursts(buffer, 16, 1 << 20, &kept) <= 17 + 2 + 3);
		assert_int_equal(kept, buffer);
	}
}

/* What is received of a burst that is too long tells nothing of how long one may be: half of the interval goes each second time. */
static void a_burst_search_is_not_led_astray(void **state)
{
	uint64_t random = 2;

	(void)state;
	for (int i = 0; i < 300; i++) {
		uint64_t buffer = 1 + random_below(&random, 1 << 20), frames;
		struct mlr_burst_search search;
		struct mlr_burst_rest rest;
		unsigned int bursts = 0;

		mlr_burst_rest_init(&rest, 1e6);
		rest.is_unsettled = true; /* nothing is checked */
		mlr_burst_search_init(&search, &rest, 16, 1 << 20);
		while ((frames = mlr_burst_search_next(&search))) {
			uint64_t received = i % 2 ? frames - 1 : random_below(&random, frames);

			assert_true(bursts++ <= 17 + 2 * 20);
			mlr_burst_search_add(&search, frames > buffer ? received : frames, 1);
		}
		assert_int_equal(search.kept_frames, buffer);
	}
}

static void a_sut_that_keeps_every_burst_ends_at_the_longest(void **state)
{
	uint64_t kept;

	(void)state;
	search_bursts(UINT64_MAX, 16, 100000, &kept);
	assert_int_equal(kept, 100000);
	search_bursts(UINT64_MAX, 16, 16, &kept);
	assert_int_equal(kept, 16);
	search_bursts(UINT64_MAX, 16, 5, &kept);
	assert_int_equal(kept, 5);
	search_bursts(UINT64_MAX, 1, 1, &kept);
	assert_int_equal(kept, 1);
}

static void a_sut_that_loses_every_burst_keeps_none(void **state)
{
	uint64_t kept;

	(void)state;
	search_bursts(0, 16, 100000, &kept);
	assert_int_equal(kept, 0);
	search_bursts(0, 1, 1, &kept);
	assert_int_equal(kept, 0);
}

/* Search a bucket twice: what is found is right but for what comes back in a burst, or is not called settled. */
static void find_longest(struct bucket bucket, double wait_s)
{
	uint64_t right = longest_burst(&bucket);
	double tokens = bucket.tokens;
	struct mlr_burst_rest rest;

	/* the throughput looks a little higher, by the tokens of a short trial */
	mlr_burst_rest_init(&rest, bucket.free_fps + 2 * bucket.refill_fps + 20);
	for (int test = 0; test < 2; test++) {
		uint64_t kept = search_bucket(&bucket, &rest, 1500, wait_s);

		if (!rest.is_unsettled && (kept > right + 1 || kept + 1 < right))
			fail_msg("refill %g, free %g, tokens %g, wait %g: %llu instead of %llu", bucket.refill_fps,
				 bucket.free_fps, tokens, wait_s, (unsigned long long)kept, (unsigned long long)right);
		/* a bucket that is full after some seconds is found */
		assert_true(!rest.is_unsettled || bucket.refill_fps < 50 || bucket.free_fps > 1000);
	}
	assert_true(bucket.since_s < 700);
}

static void a_bucket_that_fills_slowly_is_full_before_a_burst_counts(void **state)
{
	static const double refills_fps[] = { 12.5, 25, 50, 100, 400 }, frees_fps[] = { 0, 500, 1000, 2000 },
			    tokens[] = { 0, 6, 40, 100, 160, 200 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(refills_fps); i++)
		for (size_t j = 0; j < COUNT_OF(frees_fps); j++)
			for (size_t k = 0; k < COUNT_OF(tokens); k++) {
				const struct bucket bucket = {
					.capacity = 200,
					.refill_fps = refills_fps[i],
					.free_fps = frees_fps[j],
					.burst_fps = 3000,
					.tokens = tokens[k],
				};

				find_longest(bucket, 0.01);
				find_longest(bucket, 0.3);
			}
}

/* A number between two, their logarithms evenly distributed. */
static double random_between(uint64_t *random, double least, double most)
{
	return least * pow(most / least, random_unit(random));
}

/*
 * Room comes back more slowly than short bursts said, of which most frames need none. A burst that came too early for it is not
 * believed, though the silence after one without room was proven.
 */
static void a_silence_that_was_cut_short_proves_nothing(void **state)
{
	uint64_t random = 2544;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct bucket bucket = { .capacity = floor(random_between(&random, 30, 300)), .burst_fps = 3000 };
		double wait_s = random_between(&random, 0.003, 0.3), right;
		struct mlr_burst_rest rest;

		bucket.refill_fps = random_between(&random, 12.5, 600);
		bucket.free_fps = 1500 * random_unit(&random);
		bucket.free = floor(3 * random_unit(&random));
		bucket.tokens = bucket.capacity * random_unit(&random);
		right = (double)longest_burst(&bucket);
		mlr_burst_rest_init(&rest, bucket.free_fps + bucket.refill_fps * (1 + random_unit(&random)));
		for (int test = 0; test < 2; test++) {
			double kept = (double)search_bucket(&bucket, &rest, 1500, wait_s);

			if (!rest.is_unsettled && (kept < 0.85 * right || kept > 1.05 * right))
				fail_msg("%d, test %d: refill %g, free %g, capacity %g: %g instead of %g", i, test,
					 bucket.refill_fps, bucket.free_fps, bucket.capacity, kept, right);
		}
	}
}

/* Half of the frames that were sent again are lost, though the silence was longer: not by a want of room, so they are sent again. */
static void fewer_frames_after_a_longer_silence_prove_nothing(void **state)
{
	(void)state;
	for (double tokens = 0; tokens < 61; tokens += 1) {
		struct bucket bucket = {
			.capacity = 61, .refill_fps = 50, .free_fps = 1000, .burst_fps = 3000, .tokens = tokens
		};
		struct mlr_burst_search search;
		struct mlr_burst_rest rest;
		bool is_stalled = false;
		uint64_t frames;

		mlr_burst_rest_init(&rest, 1054);
		mlr_burst_search_init(&search, &rest, 16, 1500);
		while ((frames = mlr_burst_search_next(&search))) {
			double silence_s = mlr_burst_search_silence_s(&search) + 0.05;
			uint64_t received = burst_into(&bucket, frames, silence_s);

			if (silence_s >= 2 && !is_stalled) {
				is_stalled = true;
				received /= 2;
			}
			mlr_burst_search_add(&search, received, silence_s);
		}
		assert_true(is_stalled && !rest.is_unsettled);
		assert_in_range(search.kept_frames, 92, 97);
	}
}

static void scatter_is_not_taken_for_room_that_comes_back(void **state)
{
	(void)state;
	for (int i = 0; i < 200; i++) {
		struct bucket bucket = {
			.capacity = 1000,
			.refill_fps = 1e5,
			.burst_fps = 1e6,
			.tokens = 1000,
			.scatter = 0.1,
			.random = (uint64_t)i,
		};
		struct mlr_burst_rest rest;

		mlr_burst_rest_init(&rest, 1e5);
		for (int test = 0; test < 5; test++) {
			uint64_t kept = search_bucket(&bucket, &rest, 500000, 0.1);

			assert_true(kept >= 900 && kept <= 1200);
		}
		assert_false(rest.is_unsettled);
	}
}

/* What came of the same burst after two silences says why the longest burst may be too small. */
static void a_bucket_that_is_never_full_is_told(void **state)
{
	struct bucket bucket = { .capacity = 2000, .refill_fps = 10, .burst_fps = 3000 };
	struct mlr_burst_rest rest;
	const struct mlr_burst_evidence *evidence = &rest.evidence;

	(void)state;
	mlr_burst_rest_init(&rest, 1000);
	assert_true(search_bucket(&bucket, &rest, 5000, 0.01) < 500);
	assert_true(rest.is_unsettled);
	assert_true(evidence->frames && evidence->silence_s[0] > 15 && evidence->silence_s[0] <= 24);
	assert_true(evidence->received[0] > evidence->received[1] && evidence->silence_s[1] > 5);
}

/* What the tester spoilt took room, too. */
static void after_a_spoilt_burst_the_silence_is_that_of_one(void **state)
{
	struct mlr_burst_search search;
	struct mlr_burst_rest rest;

	(void)state;
	mlr_burst_rest_init(&rest, 100);
	mlr_burst_search_init(&search, &rest, 16, 1000);
	assert_close(mlr_burst_search_silence_s(&search), 0, 0);
	mlr_burst_search_spoil(&search, 10);
	assert_int_equal(mlr_burst_search_next(&search), 16);
	assert_close(mlr_burst_search_silence_s(&search), 0.1, 1e-12);
	/* and the next search begins after the last burst of this one */
	mlr_burst_search_init(&search, &rest, 16, 1000);
	assert_close(mlr_burst_search_silence_s(&search), 0.1, 1e-12);
}

/* A buffer of 1000 frames at 1 Mfps into a SUT that forwards 600 kfps: 2500 frames fit, 2.5 ms, of which 1 ms is buffer. */
static void the_corrected_buffer_time_takes_out_what_was_forwarded(void **state)
{
	const uint64_t values[] = { 2400, 2600, 2500 };
	struct mlr_burst_summary summary = mlr_burst_summarize(values, 3, 1e6, 600e3);

	(void)state;
	assert_close(summary.average_frames, 2500, 1e-9);
	assert_close(summary.stdev_frames, 100, 1e-9);
	assert_int_equal(summary.min_frames, 2400);
	assert_int_equal(summary.max_frames, 2600);
	assert_close(summary.implied_buffer_time_s, 2.5e-3, 1e-15);
	assert_close(summary.corrected_buffer_time_s, 1e-3, 1e-15);
}

/* RFC 9004, section 6, written out. */
static void the_corrected_buffer_time_is_that_of_rfc_9004(void **state)
{
	uint64_t random = 7;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		const uint64_t value = random_below(&random, 1000000);
		double max_theoretical_fps = 1e3 + 1e8 * random_unit(&random);
		double throughput_fps = max_theoretical_fps * random_unit(&random);
		double implied_s = (double)value / max_theoretical_fps;
		struct mlr_burst_summary summary = mlr_burst_summarize(&value, 1, max_theoretical_fps, throughput_fps);

		assert_close(summary.implied_buffer_time_s, implied_s, 1e-12);
		assert_close(summary.corrected_buffer_time_s, implied_s - implied_s * (throughput_fps / max_theoretical_fps),
			     1e-9);
	}
}

static void what_cannot_be_computed_is_not_a_number(void **state)
{
	const uint64_t value = 10;
	struct mlr_burst_summary one = mlr_burst_summarize(&value, 1, 1e6, NAN),
				 none = mlr_burst_summarize(&value, 0, 1e6, 1);

	(void)state;
	assert_true(isnan(one.stdev_frames) && isnan(one.corrected_buffer_time_s));
	assert_close(one.implied_buffer_time_s, 1e-5, 1e-18);
	assert_true(isnan(none.average_frames) && isnan(none.implied_buffer_time_s));
	assert_int_equal(none.min_frames, 0);
}

/* --- frame loss rate --- */

/* Step down over a SUT of this capacity (a ratio of the maximum rate); the loads that were asked for. */
static size_t step_down(double capacity, double step, double loads[64], bool *ret_complete)
{
	struct mlr_loss_steps steps = { .step_ratio = step };
	size_t count = 0;
	double ratio;

	while ((ratio = mlr_loss_steps_next(&steps)) > 0) {
		assert_true(count < 64);
		loads[count++] = ratio;
		mlr_loss_steps_add(&steps, ratio > capacity ? 1 - capacity / ratio : 0);
	}
	*ret_complete = mlr_loss_steps_complete(&steps);
	return count;
}

static void loads_go_down_until_two_lose_nothing(void **state)
{
	double loads[64];
	bool complete;

	(void)state;
	assert_int_equal(step_down(0.75, 0.1, loads, &complete), 5);
	for (int i = 0; i < 5; i++)
		assert_close(loads[i], 1 - 0.1 * i, 1e-12);
	assert_true(complete);
	assert_int_equal(step_down(1, 0.1, loads, &complete), 2);
	assert_true(complete);
}

static void loads_end_above_zero(void **state)
{
	double loads[64];
	bool complete;

	(void)state;
	assert_int_equal(step_down(0, 0.1, loads, &complete), 10);
	assert_close(loads[9], 0.1, 1e-9);
	assert_false(complete);
	assert_int_equal(step_down(0, 0.05, loads, &complete), 20);
	assert_int_equal(step_down(0, 0.03, loads, &complete), 34);
}

/* Below the last step by a tenth of one, or a hundredth, from what came through: two loads are enough. */
static void steps_are_finer_below_the_last(void **state)
{
	static const struct {
		double capacity;
		size_t count;
		double first, second; /* of the finer ones */
		bool complete;
	} cases[] = {
		{ 0.15, 11, 0.09, 0, true }, /* after 0.1, which lost nothing */
		{ 0.1, 11, 0.09, 0, true },         { 0.099, 12, 0.09, 0.08, true },
		{ 0.0424, 12, 0.04, 0.03, true },   { 0.0149, 12, 0.01, 0.009, true },
		{ 0.0042, 12, 0.004, 0.003, true }, { 0.0012, 11, 0.001, 0, false }, /* and there is no lower load */
		{ 0.0008, 10, 0, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double loads[64] = { 0 };
		bool complete;

		assert_int_equal(step_down(cases[i].capacity, 0.1, loads, &complete), cases[i].count);
		assert_close(loads[10], cases[i].first, 1e-12);
		assert_close(loads[11], cases[i].second, 1e-12);
		assert_int_equal(complete, cases[i].complete);
	}
}

static void two_loss_free_loads_must_be_successive(void **state)
{
	struct mlr_loss_steps steps = { .step_ratio = 0.1 };

	(void)state;
	mlr_loss_steps_add(&steps, 0);
	mlr_loss_steps_add(&steps, 0.1);
	mlr_loss_steps_add(&steps, 0);
	assert_false(mlr_loss_steps_complete(&steps));
	assert_close(mlr_loss_steps_next(&steps), 0.7, 1e-12);
	mlr_loss_steps_add(&steps, 0);
	assert_true(mlr_loss_steps_complete(&steps));
	assert_true(mlr_loss_steps_next(&steps) == 0);
}

static void two_bursts_have_a_deviation_and_one_has_none(void **state)
{
	const uint64_t values[] = { 10, 14 };

	(void)state;
	assert_close(mlr_burst_summarize(values, 2, 100, 50).stdev_frames, sqrt(8), 1e-12);
	assert_true(isnan(mlr_burst_summarize(values, 1, 100, 50).stdev_frames));
}

/* --- recovery and reset --- */

#define PARTS 200

/* Frames of which ten are due in each part of 1 ms, and all come but those that a test takes away. */
struct due {
	uint64_t sent[PARTS], received[PARTS];
	struct mlr_due_counts counts;
};

static void all_come(struct due *due)
{
	for (size_t i = 0; i < PARTS; i++)
		due->sent[i] = due->received[i] = 10;
	due->counts = (struct mlr_due_counts){ due->sent, due->received, PARTS, 1e-3 };
}

static void lose(struct due *due, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		due->received[i] = 0;
}

static void recovery_ends_with_the_last_lost_frame(void **state)
{
	struct mlr_recovery recovery;
	struct due due;

	(void)state;
	all_come(&due);
	lose(&due, 0, 3);
	due.received[40]--;
	recovery = mlr_recovery_of(&due.counts);
	assert_close(recovery.recovery_s, 41e-3, 1e-12);
	assert_close(recovery.resolution_s, 1e-3, 1e-12);
	assert_int_equal(recovery.lost, 31);
	assert_false(recovery.lost_at_end);
	/* what was due later than the change by a stop of the tester counts from there */
	due.sent[0] = due.sent[1] = 0;
	assert_close(mlr_recovery_of(&due.counts).recovery_s, 39e-3, 1e-12);
}

static void without_a_loss_recovery_takes_no_time(void **state)
{
	struct mlr_recovery recovery;
	struct due due;

	(void)state;
	all_come(&due);
	/* on a border, a frame is sent in one part and received in the next */
	due.received[70]--;
	due.received[71]++;
	recovery = mlr_recovery_of(&due.counts);
	assert_true(recovery.recovery_s == 0 && recovery.resolution_s == 0 && !recovery.lost && !recovery.lost_at_end);
	due.counts.count = 0;
	assert_true(mlr_recovery_of(&due.counts).recovery_s == 0);
}

static void who_loses_at_the_end_has_not_recovered(void **state)
{
	struct due due;

	(void)state;
	all_come(&due);
	due.received[PARTS - PARTS / 50]--;
	assert_true(mlr_recovery_of(&due.counts).lost_at_end);
	/* nothing was due behind the end */
	due.sent[PARTS - 1] = due.received[PARTS - 1] = 0;
	assert_true(mlr_recovery_of(&due.counts).lost_at_end);
	all_come(&due);
	due.received[PARTS - PARTS / 50 - 1]--;
	assert_false(mlr_recovery_of(&due.counts).lost_at_end);
}

/* What is before the first frame and behind the last one has no part in how long the end is. */
static void the_end_is_a_fiftieth_of_the_time_in_which_frames_were_due(void **state)
{
	struct due due;

	(void)state;
	all_come(&due);
	for (size_t i = 50; i < PARTS; i++)
		due.sent[i] = due.received[i] = 0;
	due.received[49]--;
	assert_true(mlr_recovery_of(&due.counts).lost_at_end);
	assert_close(mlr_recovery_of(&due.counts).recovery_s, 50e-3, 1e-12);
	due.received[48]--;
	due.received[49]++;
	assert_false(mlr_recovery_of(&due.counts).lost_at_end);
	all_come(&due);
	for (size_t i = 0; i < PARTS - 50; i++)
		due.sent[i] = due.received[i] = 0;
	due.received[PARTS - 5]--;
	assert_false(mlr_recovery_of(&due.counts).lost_at_end);
	assert_close(mlr_recovery_of(&due.counts).recovery_s, 46e-3, 1e-12);
	/* a fiftieth of 51 parts is two */
	all_come(&due);
	due.counts.count = 51;
	due.received[49]--;
	assert_true(mlr_recovery_of(&due.counts).lost_at_end);
	due.received[49]++;
	due.received[48]--;
	assert_false(mlr_recovery_of(&due.counts).lost_at_end);
	/* no frame was due at all */
	due.counts.count = PARTS;
	for (size_t i = 0; i < PARTS; i++)
		due.sent[i] = due.received[i] = 0;
	assert_true(mlr_recovery_of(&due.counts).recovery_s == 0);
}

static void parts_beyond_the_last_are_empty(void **state)
{
	struct due due;

	(void)state;
	all_come(&due);
	lose(&due, PARTS - 3, PARTS);
	due.counts.count = PARTS - 1;
	assert_int_equal(mlr_due_lost(&due.counts, 0, PARTS + 7), 20);
	assert_int_equal(mlr_due_lost(&due.counts, 0, PARTS - 2), 10);
	assert_int_equal(mlr_due_lost(&due.counts, PARTS - 2, PARTS), 10);
	/* more came than was due, as on a border */
	due.received[5]++;
	assert_int_equal(mlr_due_lost(&due.counts, 5, 6), 0);
}

#define LOAD_FPS 10e3

static void what_is_lost_blocks_for_as_long_as_it_takes_to_send(void **state)
{
	struct mlr_blocked blocked;
	struct due due;

	(void)state;
	all_come(&due);
	blocked = mlr_blocked_of(&due.counts, LOAD_FPS, 0);
	assert_true(!blocked.lost && blocked.blocked_s == 0 && isnan(blocked.from_s) && isnan(blocked.to_s));
	lose(&due, 30, 35);
	due.received[50] -= 5;
	blocked = mlr_blocked_of(&due.counts, LOAD_FPS, 20e-3);
	assert_int_equal(blocked.lost, 55);
	assert_false(blocked.lasts);
	assert_close(blocked.blocked_s, 5.5e-3, 1e-12);
	assert_close(blocked.from_s, 30e-3, 1e-12);
	assert_close(blocked.to_s, 51e-3, 1e-12);
	/* what was lost before the command is none of it */
	assert_int_equal(mlr_blocked_of(&due.counts, LOAD_FPS, 33e-3).lost, 25);
	/* on a border, a frame is sent in one part and received in the next, or the other way round */
	all_come(&due);
	due.received[70]--;
	due.received[71]++;
	due.received[80]++;
	due.received[81]--;
	blocked = mlr_blocked_of(&due.counts, LOAD_FPS, 0);
	assert_true(!blocked.lost && blocked.blocked_s == 0 && !blocked.lasts);
}

static void frames_of_a_mesh_that_come_together_block_as_others(void **state)
{
	struct mlr_blocked blocked;
	struct due due;

	(void)state;
	all_come(&due);
	for (size_t i = 0; i < PARTS; i++)
		if (i % 3 != 2) /* three come together in every third part */
			due.sent[i] = due.received[i] = 0;
	lose(&due, 30, 60);
	blocked = mlr_blocked_of(&due.counts, LOAD_FPS / 3, 20e-3);
	assert_int_equal(blocked.lost, 100);
	assert_false(blocked.lasts);
	assert_close(blocked.blocked_s, 30e-3, 1e-12);
	assert_close(blocked.from_s, 30e-3, 1e-12);
	assert_close(blocked.to_s, 60e-3, 1e-12);
}

static void a_stop_of_the_tester_blocks_nothing(void **state)
{
	struct mlr_blocked blocked;
	struct due due;

	(void)state;
	all_come(&due);
	for (size_t i = 30; i < 80; i++)
		due.sent[i] = due.received[i] = 0;
	lose(&due, 80, 85);
	blocked = mlr_blocked_of(&due.counts, LOAD_FPS, 20e-3);
	assert_int_equal(blocked.lost, 50);
	assert_close(blocked.blocked_s, 5e-3, 1e-12);
	assert_close(blocked.from_s, 80e-3, 1e-12);
	/* what it moved beyond the planned end is due in the last part, and takes as long as it does */
	all_come(&due);
	due.sent[PARTS - 1] = 100;
	due.received[PARTS - 1] = 0;
	blocked = mlr_blocked_of(&due.counts, LOAD_FPS, 20e-3);
	assert_close(blocked.blocked_s, 10e-3, 1e-12);
	assert_close(blocked.to_s - blocked.from_s, 10e-3, 1e-12);
}

static void what_blocks_in_the_last_part_with_frames_lasts(void **state)
{
	struct due due;

	(void)state;
	all_come(&due);
	lose(&due, 30, PARTS);
	assert_true(mlr_blocked_of(&due.counts, LOAD_FPS, 20e-3).lasts);
	/* nothing was due behind the end */
	due.sent[PARTS - 1] = 0;
	assert_true(mlr_blocked_of(&due.counts, LOAD_FPS, 20e-3).lasts);
	due.received[PARTS - 2] = 10;
	assert_false(mlr_blocked_of(&due.counts, LOAD_FPS, 20e-3).lasts);
}

#define START (1000 * MS)

/* The command is given 20 ms after the start. */
static struct mlr_reset find_reset(const struct due *due)
{
	return mlr_reset_of(&due->counts, START, &(struct mlr_reset_cause){ START + 20 * MS, START + 20 * MS });
}

static void a_reset_is_the_longest_time_of_which_nothing_arrives(void **state)
{
	struct mlr_reset reset;
	struct due due;

	(void)state;
	all_come(&due);
	lose(&due, 30, 36);
	lose(&due, 50, 120);
	reset = find_reset(&due);
	assert_true(reset.seen && reset.over);
	assert_int_equal(reset.from_ns, START + 49 * MS + MS / 2);
	assert_int_equal(reset.to_ns, START + 120 * MS + MS / 2);
	assert_int_equal(reset.resolution_ns, MS);
	assert_int_equal(reset.lost, 760);
	assert_int_equal(reset.outages, 2);
	/* part of the parts beside it is lost, too: it is known to one part */
	due.received[49] = due.received[120] = 1;
	assert_int_equal(find_reset(&due).to_ns, reset.to_ns);
	assert_int_equal(find_reset(&due).lost, 778);
}

/* Parts of 0.1 s; the command runs from 2.0 s to 2.5 s. */
static struct mlr_reset find_slow_reset(struct due *due)
{
	static const struct mlr_reset_cause cause = { START + 2000 * MS, START + 2500 * MS };

	due->counts.part_s = 0.1;
	return mlr_reset_of(&due->counts, START, &cause);
}

static void a_longer_stall_elsewhere_is_not_of_the_reset(void **state)
{
	struct mlr_reset reset;
	struct due due;

	(void)state;
	all_come(&due);
	lose(&due, 22, 30);
	lose(&due, 40, 100);
	lose(&due, 120, 130);
	reset = find_slow_reset(&due);
	assert_true(reset.seen && reset.over);
	assert_int_equal(reset.from_ns, START + 2150 * MS);
	assert_int_equal(reset.to_ns, START + 3050 * MS);
	assert_int_equal(reset.outages, 3);
	assert_int_equal(reset.unrelated_from_ns, START + 3950 * MS);
	assert_int_equal(reset.unrelated_to_ns, START + 10050 * MS);
	assert_int_equal(reset.lost, 780);
	/* of two that begin soon after the command each may be of the reset */
	all_come(&due);
	lose(&due, 22, 27);
	lose(&due, 34, 50);
	reset = find_slow_reset(&due);
	assert_int_equal(reset.from_ns, START + 3350 * MS);
	assert_int_equal(reset.outages, 2);
	assert_int_equal(reset.unrelated_to_ns, 0);
}

/* A SUT may begin to reset some seconds after the command: then it is the first outage. */
static void a_reset_begins_within_a_bound_of_its_command(void **state)
{
	struct mlr_reset reset;
	struct due due;

	(void)state;
	all_come(&due);
	lose(&due, 60, 70);
	lose(&due, 90, 120);
	reset = find_slow_reset(&due);
	assert_int_equal(reset.from_ns, START + 5950 * MS);
	assert_int_equal(reset.to_ns, START + 7050 * MS);
	assert_int_equal(reset.unrelated_from_ns, START + 8950 * MS);
	all_come(&due);
	lose(&due, 127, 160);
	reset = find_slow_reset(&due);
	assert_false(reset.seen);
	assert_int_equal(reset.outages, 1);
	assert_int_equal(reset.unrelated_from_ns, START + 12650 * MS);
	/* before the command there is none */
	all_come(&due);
	lose(&due, 5, 15);
	reset = find_slow_reset(&due);
	assert_true(!reset.seen && !reset.outages && !reset.unrelated_to_ns);
	/* an operator may do it at any time */
	lose(&due, 60, 70);
	lose(&due, 150, 190);
	reset = mlr_reset_of(&due.counts, START, &(struct mlr_reset_cause){ START + 2000 * MS, UINT64_MAX });
	assert_int_equal(reset.from_ns, START + 14950 * MS);
	assert_int_equal(reset.unrelated_to_ns, 0);
}

static void a_shorter_outage_after_the_longest_does_not_count(void **state)
{
	struct mlr_reset reset;
	struct due due;

	(void)state;
	all_come(&due);
	assert_int_equal(find_reset(&due).resolution_ns, MS);
	assert_false(find_reset(&due).seen);
	lose(&due, 50, 120);
	lose(&due, 150, 156);
	/* one in which hardly a frame was due is none, however long it is */
	for (size_t i = 157; i < PARTS - 1; i++)
		due.sent[i] = due.received[i] = 0;
	reset = find_reset(&due);
	assert_int_equal(reset.from_ns, START + 49 * MS + MS / 2);
	assert_int_equal(reset.to_ns, START + 120 * MS + MS / 2);
	assert_int_equal(reset.outages, 2);
	assert_int_equal(reset.lost, 760);
}

/* Half of the frames that are sent in such a time at the mean load have to be lost, in it and in the part on either side. */
static void an_outage_needs_half_of_its_frames(void **state)
{
	static const struct mlr_reset_cause at_start = { START, START };
	struct due due;

	(void)state;
	all_come(&due);
	lose(&due, 50, 60);
	for (size_t i = 50; i < 60; i++)
		due.sent[i] = 5;
	/* 50 and 3, of 9.75 in each of eleven parts; what the parts beyond lose is none of it */
	due.received[49] = 7;
	due.received[48] = due.received[61] = 0;
	due.sent[48] = due.sent[61] = 1;
	due.sent[47] = due.received[47] = due.sent[62] = due.received[62] = 19;
	assert_false(find_reset(&due).seen);
	due.received[60] = 9;
	assert_true(find_reset(&due).seen);
	/* the mean load is that of all parts */
	due.sent[0] = due.received[0] = 40;
	assert_false(find_reset(&due).seen);
	/* the first part has none before it */
	all_come(&due);
	lose(&due, 0, 10);
	for (size_t i = 1; i < 10; i++)
		due.sent[i] = 5;
	assert_true(mlr_reset_of(&due.counts, START, &at_start).seen);
	assert_int_equal(mlr_reset_of(&due.counts, START, &at_start).from_ns, START);
	assert_int_equal(mlr_reset_of(&due.counts, START, &at_start).lost, 55);
}

static void a_gap_before_the_command_is_none_of_the_reset(void **state)
{
	struct mlr_reset reset;
	struct due due;

	(void)state;
	all_come(&due);
	lose(&due, 2, 18);
	reset = find_reset(&due);
	assert_false(reset.seen);
	assert_int_equal(reset.lost, 0);
	/* one that began before it counts from there */
	lose(&due, 18, 30);
	reset = find_reset(&due);
	assert_true(reset.seen && reset.over);
	assert_int_equal(reset.from_ns, START + 20 * MS);
	assert_int_equal(reset.to_ns, START + 30 * MS + MS / 2);
	assert_int_equal(reset.lost, 100);
}

static void losses_here_and_there_are_no_reset(void **state)
{
	struct due due;

	(void)state;
	all_come(&due);
	assert_false(find_reset(&due).seen);
	for (size_t i = 0; i < PARTS; i++)
		due.received[i] = 6;
	assert_false(find_reset(&due).seen);
	/* nor are all of some ms */
	all_come(&due);
	for (size_t i = 30; i < 150; i += 3)
		lose(&due, i, i + 2);
	assert_false(find_reset(&due).seen);
	/* a stop of the tester is none either: nothing was due */
	all_come(&due);
	lose(&due, 49, 52);
	memset(due.sent + 52, 0, 68 * sizeof(*due.sent));
	memset(due.received + 52, 0, 68 * sizeof(*due.received));
	assert_false(find_reset(&due).seen);
	/* but where frames are few, nothing is due in most parts */
	for (size_t i = 0; i < PARTS; i++)
		due.sent[i] = due.received[i] = i % 5 == 0;
	assert_false(find_reset(&due).seen);
	lose(&due, 50, 120);
	assert_true(find_reset(&due).seen);
}

static void who_does_not_come_back_has_no_reset_time(void **state)
{
	struct mlr_reset reset;
	struct due due;

	(void)state;
	all_come(&due);
	lose(&due, 50, PARTS);
	due.counts.count = PARTS - 1;
	reset = find_reset(&due);
	assert_true(reset.seen && !reset.over);
	all_come(&due);
	lose(&due, 50, PARTS);
	reset = find_reset(&due);
	assert_true(reset.seen && !reset.over);
	assert_int_equal(reset.from_ns, START + 49 * MS + MS / 2);
	/* nor who never forwarded anything */
	lose(&due, 0, 50);
	reset = find_reset(&due);
	assert_true(reset.seen && !reset.over);
	assert_int_equal(reset.from_ns, START + 20 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_burst_is_found_to_the_frame),
		cmocka_unit_test(a_burst_search_takes_few_bursts),
		cmocka_unit_test(a_burst_search_is_not_led_astray),
		cmocka_unit_test(a_bucket_that_fills_slowly_is_full_before_a_burst_counts),
		cmocka_unit_test(a_silence_that_was_cut_short_proves_nothing),
		cmocka_unit_test(fewer_frames_after_a_longer_silence_prove_nothing),
		cmocka_unit_test(scatter_is_not_taken_for_room_that_comes_back),
		cmocka_unit_test(a_bucket_that_is_never_full_is_told),
		cmocka_unit_test(after_a_spoilt_burst_the_silence_is_that_of_one),
		cmocka_unit_test(a_sut_that_keeps_every_burst_ends_at_the_longest),
		cmocka_unit_test(a_sut_that_loses_every_burst_keeps_none),
		cmocka_unit_test(the_corrected_buffer_time_takes_out_what_was_forwarded),
		cmocka_unit_test(the_corrected_buffer_time_is_that_of_rfc_9004),
		cmocka_unit_test(what_cannot_be_computed_is_not_a_number),
		cmocka_unit_test(loads_go_down_until_two_lose_nothing),
		cmocka_unit_test(loads_end_above_zero),
		cmocka_unit_test(steps_are_finer_below_the_last),
		cmocka_unit_test(two_loss_free_loads_must_be_successive),
		cmocka_unit_test(two_bursts_have_a_deviation_and_one_has_none),
		cmocka_unit_test(recovery_ends_with_the_last_lost_frame),
		cmocka_unit_test(without_a_loss_recovery_takes_no_time),
		cmocka_unit_test(the_end_is_a_fiftieth_of_the_time_in_which_frames_were_due),
		cmocka_unit_test(parts_beyond_the_last_are_empty),
		cmocka_unit_test(who_loses_at_the_end_has_not_recovered),
		cmocka_unit_test(what_is_lost_blocks_for_as_long_as_it_takes_to_send),
		cmocka_unit_test(frames_of_a_mesh_that_come_together_block_as_others),
		cmocka_unit_test(a_stop_of_the_tester_blocks_nothing),
		cmocka_unit_test(what_blocks_in_the_last_part_with_frames_lasts),
		cmocka_unit_test(a_reset_is_the_longest_time_of_which_nothing_arrives),
		cmocka_unit_test(a_longer_stall_elsewhere_is_not_of_the_reset),
		cmocka_unit_test(a_reset_begins_within_a_bound_of_its_command),
		cmocka_unit_test(a_shorter_outage_after_the_longest_does_not_count),
		cmocka_unit_test(an_outage_needs_half_of_its_frames),
		cmocka_unit_test(a_gap_before_the_command_is_none_of_the_reset),
		cmocka_unit_test(losses_here_and_there_are_no_reset),
		cmocka_unit_test(who_does_not_come_back_has_no_reset_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
