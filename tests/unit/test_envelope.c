/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The envelope against a plain model of it, and the bound that it keeps: no departures exceed the load by more than a burst. */
#include "mlr/envelope.h"
#include "mlr/pacer.h"
#include "unit.h"

#define NS_PER_MS   1000000ull
#define INTERVAL_NS 10000 /* at LOAD_FPS */
#define LOAD_FPS    100000.0
#define FRAMES_MAX  200000

static const struct mlr_burst burst_32 = { 32, 32 };

static void defaults_grow_with_the_load(void **state)
{
	static const struct {
		double load_fps;
		uint64_t asked, catch;
	} rows[] = { { 1, 32, 32 },      { 9001, 32, 32 },   { 100e3, 32, 32 }, { 200e3, 32, 64 },
		     { 500e3, 32, 160 }, { 800e3, 40, 256 }, { 1e6, 50, 256 },  { 14880952, 744, 744 } };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct mlr_burst burst = mlr_burst_of(rows[i].load_fps, 0);

		assert_int_equal(burst.asked_frames, rows[i].asked);
		assert_int_equal(burst.catch_frames, rows[i].catch);
	}
	assert_int_equal(mlr_burst_of(1e6, 7).asked_frames, 7);
	assert_int_equal(mlr_burst_of(1e6, 7).catch_frames, 7);
}

static void a_constant_load_has_an_excess_of_one_frame(void **state)
{
	struct mlr_envelope envelope;

	(void)state;
	mlr_envelope_init(&envelope, LOAD_FPS, 1, burst_32);
	for (uint64_t n = 0; n < 1000; n++) {
		assert_int_equal(mlr_envelope_surplus_ns(&envelope, n * INTERVAL_NS, n * INTERVAL_NS + 200), 0);
		assert_false(mlr_envelope_take(&envelope, n * INTERVAL_NS + 200));
	}
	assert_int_equal(mlr_envelope_excess_frames(&envelope), 1);
	assert_int_equal(mlr_envelope_run_frames(&envelope), 1);
	assert_int_equal(envelope.over, 0);
	assert_int_equal(envelope.marked, 0);
}

static void a_burst_counts_frame_by_frame(void **state)
{
	struct mlr_envelope envelope;

	(void)state;
	mlr_envelope_init(&envelope, LOAD_FPS, 1, burst_32);
	for (int i = 0; i < 50; i++)
		assert_int_equal(mlr_envelope_take(&envelope, NS_PER_MS), i >= 35); /* 35 frames of 15/16 are more than 32 */
	assert_int_equal(mlr_envelope_excess_frames(&envelope), 50);
	mlr_envelope_settle(&envelope);
	assert_int_equal(envelope.excess_at_ns, NS_PER_MS);
	assert_int_equal(mlr_envelope_run_frames(&envelope), 50);
}

/* AF_XDP hands over 32 frames by one call, which takes 25 us. */
static void a_burst_of_several_calls_is_one_run(void **state)
{
	struct mlr_envelope envelope;
	uint64_t now_ns = NS_PER_MS;

	(void)state;
	mlr_envelope_init(&envelope, LOAD_FPS, 1, (struct mlr_burst){ 1000, 1000 });
	for (int i = 0; i < 500; i++, now_ns += i % 32 ? 0 : 25000)
		mlr_envelope_take(&envelope, now_ns);
	assert_int_equal(mlr_envelope_run_frames(&envelope), 500);
	/* calls that are as far apart as the load asks for are runs of their own */
	mlr_envelope_init(&envelope, LOAD_FPS, 1, (struct mlr_burst){ 1000, 1000 });
	for (int i = 0; i < 500; i++, now_ns += i % 32 ? 0 : 32 * INTERVAL_NS)
		mlr_envelope_take(&envelope, now_ns);
	assert_int_equal(mlr_envelope_run_frames(&envelope), 32);
}

/* A queue whose server is exactly as fast as the load never drains; that of the marks does. */
static void marks_end_though_the_excess_stays(void **state)
{
	struct mlr_envelope envelope;
	uint64_t now_ns = NS_PER_MS, marked = 0, last = 0;

	(void)state;
	mlr_envelope_init(&envelope, LOAD_FPS, 1, burst_32);
	for (int i = 0; i < 64; i++)
		mlr_envelope_take(&envelope, now_ns);
	marked = envelope.marked;
	for (uint64_t n = 0; n < 2000; n++) {
		now_ns += INTERVAL_NS;
		if (mlr_envelope_take(&envelope, now_ns))
			last = n + 1;
	}
	assert_in_range(envelope.marked - marked, 400, 600); /* 28 frames above 32, at one in 16 */
	assert_int_equal(last, envelope.marked - marked);
	mlr_envelope_settle(&envelope);
	assert_in_range(envelope.queue >> MLR_ENVELOPE_PLACES, 63 * INTERVAL_NS, 65 * INTERVAL_NS);
	assert_in_range(envelope.over >> MLR_ENVELOPE_PLACES, 4 * NS_PER_MS, 6 * NS_PER_MS);
}

static void a_call_that_was_stopped_counts_at_its_end(void **state)
{
	struct mlr_envelope envelope;

	(void)state;
	mlr_envelope_init(&envelope, LOAD_FPS, 1, burst_32);
	for (int i = 0; i < 20; i++)
		mlr_envelope_take(&envelope, (uint64_t)i * INTERVAL_NS);
	assert_int_equal(mlr_envelope_excess_frames(&envelope), 1);
	assert_int_equal(mlr_envelope_run_frames(&envelope), 1);
	mlr_envelope_delay(&envelope, 20, 5 * NS_PER_MS);
	assert_int_equal(mlr_envelope_excess_frames(&envelope), 20);
	/* so of the 500 frames that are behind, twelve more may follow at once */
	assert_in_range(mlr_envelope_surplus_ns(&envelope, 20 * INTERVAL_NS, 5 * NS_PER_MS),
			5 * NS_PER_MS - 20 * INTERVAL_NS - 12 * INTERVAL_NS,
			5 * NS_PER_MS - 20 * INTERVAL_NS - 12 * INTERVAL_NS + 1);
}

/* --- a transmitter that is stopped at random ------------------------------------------------------------------------------ */

static uint64_t departures_ns[FRAMES_MAX];

/* Send frames as a transmitter does which looks at the clock every now and then; how many. */
static size_t send_with_stops(struct mlr_envelope *envelope, uint64_t frames, uint64_t seed, uint64_t *ret_moved_ns)
{
	uint64_t now_ns = 0, moved_ns = 0, random = seed;
	struct mlr_pacer pacer;
	size_t sent = 0;

	assert_int_equal(mlr_pacer_init(&pacer, LOAD_FPS, frames, 0, 1), 0);
	while (pacer.next < pacer.count) {
		uint64_t due_ns = mlr_pacer_next_ns(&pacer) + moved_ns;

		random = random * 6364136223846793005ull + 1442695040888963407ull;
		now_ns += random >> 62 ? 100 : (random >> 40) % 100 ? 3000 : (random >> 32) % (8 * NS_PER_MS);
		if (now_ns < due_ns)
			continue;
		moved_ns += mlr_envelope_surplus_ns(envelope, due_ns, now_ns);
		while (pacer.next < pacer.count && mlr_pacer_next_ns(&pacer) + moved_ns <= now_ns) {
			assert_false(mlr_envelope_take(envelope, now_ns));
			mlr_pacer_take(&pacer);
			departures_ns[sent++] = now_ns;
		}
	}
	*ret_moved_ns = moved_ns;
	return sent;
}

/* The longest queue in front of a server of the load, frame by frame. */
static uint64_t longest_queue(size_t sent)
{
	uint64_t empty_ns = 0, longest_ns = 0;

	for (size_t i = 0; i < sent; i++) {
		empty_ns = (empty_ns > departures_ns[i] ? empty_ns : departures_ns[i]) + INTERVAL_NS;
		if (empty_ns - departures_ns[i] > longest_ns)
			longest_ns = empty_ns - departures_ns[i];
	}
	return longest_ns;
}

static void no_stop_makes_more_than_a_burst(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct mlr_envelope envelope;
		uint64_t moved_ns, longest_ns;
		size_t sent;

		mlr_envelope_init(&envelope, LOAD_FPS, 1, burst_32);
		sent = send_with_stops(&envelope, FRAMES_MAX, seed, &moved_ns);
		longest_ns = longest_queue(sent);
		assert_int_equal(sent, FRAMES_MAX);
		assert_true(moved_ns > 0);
		assert_true(longest_ns <= 33 * INTERVAL_NS);
		assert_int_equal((longest_ns + INTERVAL_NS / 2) / INTERVAL_NS, mlr_envelope_excess_frames(&envelope));
	}
}

static void without_a_burst_everything_is_caught_up(void **state)
{
	struct mlr_envelope envelope;
	uint64_t moved_ns;

	(void)state;
	mlr_envelope_init(&envelope, LOAD_FPS, 1, (struct mlr_burst){ 0, 0 });
	assert_int_equal(send_with_stops(&envelope, FRAMES_MAX, 1, &moved_ns), FRAMES_MAX);
	assert_int_equal(moved_ns, 0);
	assert_true(mlr_envelope_excess_frames(&envelope) > 400);
}

/* --- a schedule that moved -------------------------------------------------------------------------------------------- */

static void due_times_follow_the_moves(void **state)
{
	static struct mlr_moves moves;
	struct mlr_pacer pacer;

	(void)state;
	assert_int_equal(mlr_pacer_init(&pacer, LOAD_FPS, 1000, 0, 1), 0);
	mlr_moves_add(&moves, 0, 500);       /* frame 0 is due at 500 ns */
	mlr_moves_add(&moves, 100, 4000500); /* frame 100 at 1 ms + 4 ms */
	mlr_moves_add(&moves, 101, 9000500);
	for (uint64_t at_ns = 0; at_ns < 25 * NS_PER_MS; at_ns += 777) {
		uint64_t expected = 0;

		for (uint64_t n = 0; n < 1000; n++)
			expected += n * INTERVAL_NS + (n < 100 ? 500 : n < 101 ? 4000500 : 9000500) < at_ns;
		assert_int_equal(mlr_pacer_due_before(&pacer, &moves, at_ns), expected);
	}
	assert_int_equal(mlr_pacer_due_before(&pacer, NULL, 5 * INTERVAL_NS + 1), 6);
}

/* A transmitter that is too slow moves its schedule with every frame. */
static void a_schedule_that_always_moves_is_known_to_a_hundredth(void **state)
{
	static struct mlr_moves moves;
	const uint64_t count = 2000000;
	struct mlr_pacer pacer;

	(void)state;
	assert_int_equal(mlr_pacer_init(&pacer, LOAD_FPS, count, 0, 1), 0);
	moves.count = 0;
	for (uint64_t n = 1; n < count; n++) /* at 25 us a frame instead of ten */
		mlr_moves_add(&moves, n, n * 15000);
	assert_true(moves.count < MLR_MOVES_MAX);
	for (uint64_t at_ns = 1000; at_ns < 50 * NS_PER_MS * 1000; at_ns += 97 * NS_PER_MS) {
		double due = (double)mlr_pacer_due_before(&pacer, &moves, at_ns), expected = ceil((double)at_ns / 25000);

		assert_close(due, expected, 0.01 * expected + 10);
	}
}

/* To the nearest frame; a schedule without an interval has no frames to be ahead by. */
static void excess_is_rounded(void **state)
{
	struct mlr_envelope envelope = { .interval = 10, .excess_max = 14 };

	(void)state;
	assert_int_equal(mlr_envelope_excess_frames(&envelope), 1);
	envelope.excess_max = 16;
	assert_int_equal(mlr_envelope_excess_frames(&envelope), 2);
	envelope.interval = 0;
	assert_int_equal(mlr_envelope_excess_frames(&envelope), 0);
}

/* --- each figure, by its definition ----------------------------------------------------------------------------------- */

/* What the envelope says, in the order of mlr/envelope.h; all that is needed for it, with nothing left out. */
struct plain {
	uint64_t empty, empty_faster, excess_max, excess_at_ns, over, marked, last, together, run, run_max;
};

static void plain_measure(struct plain *plain, uint64_t now)
{
	if (plain->empty - now <= plain->excess_max)
		return;
	plain->excess_max = plain->empty - now;
	plain->excess_at_ns = now >> MLR_ENVELOPE_PLACES;
}

static bool plain_take(struct plain *plain, const struct mlr_envelope *of, uint64_t now)
{
	bool is_over = plain->empty_faster > now + of->asked;
	uint64_t over_since = is_over ? plain->empty_faster - of->asked : now;

	plain->empty = (plain->empty > now ? plain->empty : now) + of->interval;
	plain->empty_faster = (plain->empty_faster > now ? plain->empty_faster : now) + of->interval - of->interval / 16;
	if (plain->empty_faster > now + of->asked)
		plain->over += plain->empty_faster - of->asked - over_since;
	plain->marked += is_over;
	if (now != plain->last && now - plain->last >= plain->together * (of->interval / 2))
		plain->run = 0;
	plain->together = now == plain->last ? plain->together + 1 : 1;
	plain->last = now;
	plain->run++;
	plain->run_max = plain->run > plain->run_max ? plain->run : plain->run_max;
	plain_measure(plain, now);
	return is_over;
}

static void plain_delay(struct plain *plain, const struct mlr_envelope *of, uint64_t count, uint64_t now)
{
	uint64_t empty = now + count * of->interval;

	plain->empty = plain->empty < empty ? empty : plain->empty;
	plain->empty_faster = plain->empty_faster < empty ? empty : plain->empty_faster;
	plain->last = now;
	plain->run = plain->together = 0;
	plain_measure(plain, now);
}

static uint64_t plain_surplus_ns(const struct plain *plain, const struct mlr_envelope *of, uint64_t due_ns, uint64_t now_ns)
{
	uint64_t now = now_ns << MLR_ENVELOPE_PLACES, left = plain->empty > now ? plain->empty - now : 0;
	uint64_t ahead = left + ((now_ns - due_ns) << MLR_ENVELOPE_PLACES);

	return ahead > of->catch ? (ahead - of->catch) >> MLR_ENVELOPE_PLACES : 0;
}

static void assert_as_plain(const struct mlr_envelope *envelope, const struct plain *plain)
{
	struct mlr_envelope settled = *envelope;

	mlr_envelope_settle(&settled);
	assert_int_equal(settled.at + settled.queue, plain->empty);
	assert_int_equal(settled.at + settled.queue_faster, plain->empty_faster);
	assert_int_equal(settled.excess_max, plain->excess_max);
	assert_int_equal(settled.excess_at_ns, plain->excess_at_ns);
	assert_int_equal(settled.over, plain->over);
	assert_int_equal(settled.marked, plain->marked);
	assert_int_equal(mlr_envelope_excess_frames(envelope),
			 (plain->excess_max + envelope->interval / 2) / envelope->interval);
	assert_int_equal(mlr_envelope_run_frames(envelope), plain->run_max);
}

/* Frames that depart together, half an interval apart, an octave around that, or after a pause; and calls that were stopped. */
static void every_figure_is_as_it_is_defined(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		uint64_t random = seed, now_ns = random_below(&random, 3), interval_ns = 1 + random_below(&random, 500);
		uint32_t transmitters = 1 + (uint32_t)(seed % 3); /* may be more than frames in a burst */
		struct mlr_envelope envelope;
		struct plain plain = { 0 };

		mlr_envelope_init(&envelope, transmitters * 1e9 / (double)interval_ns, transmitters,
				  (struct mlr_burst){ 1 + seed % 40, 1 + seed % 40 });
		for (int i = 0; i < 3000; i++) {
			uint64_t due_ns = now_ns - random_below(&random, now_ns + 1) % (50 * interval_ns),
				 sort = random_below(&random, 40), gap = random_below(&random, 40);

			assert_int_equal(mlr_envelope_surplus_ns(&envelope, due_ns, now_ns),
					 plain_surplus_ns(&plain, &envelope, due_ns, now_ns));
			if (sort == 0) {
				uint64_t count = 1 + random_below(&random, 5);

				plain_delay(&plain, &envelope, count, now_ns << MLR_ENVELOPE_PLACES);
				mlr_envelope_delay(&envelope, count, now_ns);
			} else {
				assert_int_equal(mlr_envelope_take(&envelope, now_ns),
						 plain_take(&plain, &envelope, now_ns << MLR_ENVELOPE_PLACES));
			}
			assert_as_plain(&envelope, &plain);
			now_ns += gap < 20   ? 0
				  : gap < 30 ? random_below(&random, 2 * interval_ns)
					     : random_below(&random, 9 * interval_ns);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_grow_with_the_load),
		cmocka_unit_test(a_constant_load_has_an_excess_of_one_frame),
		cmocka_unit_test(a_burst_counts_frame_by_frame),
		cmocka_unit_test(a_burst_of_several_calls_is_one_run),
		cmocka_unit_test(marks_end_though_the_excess_stays),
		cmocka_unit_test(a_call_that_was_stopped_counts_at_its_end),
		cmocka_unit_test(no_stop_makes_more_than_a_burst),
		cmocka_unit_test(without_a_burst_everything_is_caught_up),
		cmocka_unit_test(due_times_follow_the_moves),
		cmocka_unit_test(a_schedule_that_always_moves_is_known_to_a_hundredth),
		cmocka_unit_test(excess_is_rounded),
		cmocka_unit_test(every_figure_is_as_it_is_defined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
