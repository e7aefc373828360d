/* SPDX-License-Identifier: GPL-2.0-or-later */
/* selftest --hostile: what is exact, what is not, and which rate of hostile frames is certified. */
#include "../test.h"
#include "base/json_read.h"
#include "benchmark/selftest_hostile.c"

#define SENT 1000

/* A receiver that takes so many hostile frames a second, a sender of so many, and what is wrong with them. */
struct simulated {
	struct measurer measurer;
	double takes_fps, sends_fps;
	unsigned int spoilt; /* trials that say nothing, before the others */
	double unsent_fps;   /* beside more hostile frames than this the trial cannot be sent; 0: beside any */
	/* The sender stalls from this trial on (0: never) if the receiver misses frames: it then has sent but so many. */
	unsigned int stalls_from;
	double stalled_fps;
	uint64_t busy;
	bool drops_alone, drops_unseen, copies;
	unsigned int performed;
};

/* A trial in which all is right. */
static struct measurement right(uint64_t hostile_frames)
{
	struct measurement measurement = { .has_counts = true, .port_count = 2 };
	struct mlr_trial_counts *counts = &measurement.counts;

	counts->intended = counts->sent = counts->received = counts->verified = SENT;
	measurement.hostile.frames = hostile_frames;
	measurement.hostile.senders = hostile_frames > 0;
	measurement.hostile.duration_s = 1;
	counts->foreign = measurement.hostile.by_kind[3][MLR_HOSTILE_foreign] = hostile_frames / 2;
	counts->damaged = measurement.hostile.by_kind[7][MLR_HOSTILE_damaged] = hostile_frames - hostile_frames / 2;
	return measurement;
}

static void lose(struct measurement *measurement, uint64_t frames)
{
	measurement->counts.received -= frames;
	measurement->counts.verified -= frames;
}

static enum exit_code simulate(struct measurer *measurer, struct load_steps *steps, struct measurement *ret)
{
	struct simulated *simulated = (struct simulated *)measurer;
	bool is_alone = steps->hostile_fps <= 0;
	double rate_fps = fmin(steps->hostile_fps, simulated->sends_fps);
	bool is_missed = !is_alone && rate_fps > simulated->takes_fps;

	simulated->performed++;
	if (is_missed && simulated->stalls_from && simulated->performed >= simulated->stalls_from)
		rate_fps = fmin(rate_fps, simulated->stalled_fps);
	*ret = right((uint64_t)rate_fps);
	ret->hostile.busy = is_alone ? 0 : simulated->busy;
	ret->ports[0].nic_tx_dropped = ret->hostile.busy;
	if (simulated->spoilt && simulated->spoilt--)
		ret->verdict.unsent = 5;
	if (simulated->unsent_fps > 0 && rate_fps > simulated->unsent_fps)
		ret->verdict.unsent = 5;
	if (is_missed) {
		lose(ret, 3);
		ret->ports[1].nic_rx_missed = 3;
	}
	if (is_alone ? simulated->drops_alone : simulated->drops_unseen)
		lose(ret, 1);
	if (!is_alone && simulated->copies)
		ret->counts.duplicate = 1;
	return EXIT_DONE;
}

static const struct measurer_ops simulated_ops = { .steps = simulate };

static json_t *test(struct simulated *simulated, const struct load_spec *hostile_load)
{
	const struct config config = {
		.duration_s = 1, .verb = VERB_SELFTEST, .hostile = true, .hostile_load = *hostile_load
	};
	json_t *json = json_object();
	bool is_certified;

	simulated->measurer.ops = &simulated_ops;
	assert_int_equal(hostile_test(&config, &simulated->measurer, 1000, json, &is_certified), EXIT_DONE);
	assert_int_equal(read_truth(json, "regular"), is_certified);
	assert_int_equal(read_string(json, "irregular_reason") == NULL, is_certified);
	assert_int_equal(!isnan(read_number(json, "certified_rate")), is_certified);
	return json;
}

static const struct load_spec as_many = { LOAD_MAX, 0 };

static void assert_reason(const json_t *json, const char *reason)
{
	if (!strstr(read_text(json, "irregular_reason"), reason))
		fail_msg("'%s', not '%s'", read_text(json, "irregular_reason"), reason);
}

/* --- judging --------------------------------------------------------------------------------------------------------- */

static void assert_judged(const struct measurement *measurement, enum hostile_outcome outcome, const char *reason)
{
	char said[HOSTILE_REASON_SIZE];

	assert_int_equal(hostile_judge(measurement, said), outcome);
	if (!strstr(said, reason))
		fail_msg("'%s', not '%s'", said, reason);
}

static void what_is_exact(void **state)
{
	struct measurement measurement = right(100);

	(void)state;
	assert_judged(&measurement, HOSTILE_EXACT, "");
	measurement = right(0);
	assert_judged(&measurement, HOSTILE_EXACT, "");
	/* the port had no room for some frames, which were sent again */
	measurement = right(100);
	measurement.hostile.busy = measurement.ports[0].nic_tx_dropped = 7;
	assert_judged(&measurement, HOSTILE_EXACT, "");
}

static void each_wrong_count_is_seen(void **state)
{
	static const size_t counts[] = { offsetof(struct mlr_trial_counts, duplicate),
					 offsetof(struct mlr_trial_counts, reordered),
					 offsetof(struct mlr_trial_counts, misdirected),
					 offsetof(struct mlr_trial_counts, changed) };
	struct measurement measurement;

	(void)state;
	for (size_t i = 0; i < COUNT(counts); i++) {
		measurement = right(100);
		*(uint64_t *)((char *)&measurement.counts + counts[i]) = 1;
		assert_judged(&measurement, HOSTILE_WRONG, "the counts are wrong: 1 frames ");
	}
	assert_judged(&measurement, HOSTILE_WRONG, "1 frames received with another destination MAC address");
	measurement.counts.changed_ttl = 1;
	assert_judged(&measurement, HOSTILE_WRONG, "1 frames received with changed headers");
	measurement = right(100);
	measurement.counts.received++;
	assert_judged(&measurement, HOSTILE_WRONG, "1 frames received that were never sent");
	measurement = right(100);
	measurement.counts.verified--;
	assert_judged(&measurement, HOSTILE_WRONG, "1 frames received that were not verified");
}

/* A hostile frame in another count than foreseen, and a frame that is not one of ours at all. */
static void hostile_frames_have_to_end_in_their_counts(void **state)
{
	struct measurement measurement = right(100);

	(void)state;
	measurement.counts.foreign--;
	measurement.counts.damaged++;
	assert_judged(&measurement, HOSTILE_WRONG, "51 frames are counted as damaged, and 50 were sent that are");
	measurement.counts.foreign += 2;
	measurement.counts.damaged -= 2;
	assert_judged(&measurement, HOSTILE_WRONG, "51 frames are counted as foreign");
	measurement.counts.damaged++;
	assert_judged(&measurement, HOSTILE_SPOILT, "51 frames are counted as foreign");
	measurement = right(100);
	measurement.counts.late = 1;
	assert_judged(&measurement, HOSTILE_WRONG, "1 frames are counted as late, and 0 were sent");
}

static void what_did_not_come_is_missed(void **state)
{
	struct measurement measurement = right(100);

	(void)state;
	lose(&measurement, 2);
	assert_judged(&measurement, HOSTILE_WRONG, "2 frames of the trial and 0 hostile ones did not come, and no counter");
	measurement.ports[1].nic_rx_damaged = 9;
	assert_judged(&measurement, HOSTILE_MISSED,
		      "0 hostile ones did not come, and the ports' interfaces took 9 for damaged");
	measurement.counts.foreign -= 3;
	measurement.ports[0].nic_tx_dropped = 4;
	measurement.ports[1].nic_rx_missed = 2;
	measurement.hostile.busy = 1;
	assert_judged(
		&measurement, HOSTILE_MISSED,
		"could not keep up: 2 frames of the trial and 3 hostile ones did not come, and the ports' own counters "
		"tell of 5");
	measurement.verdict.unsent = 1;
	assert_judged(&measurement, HOSTILE_SPOILT, "1 frames of the trial stayed unsent");
}

/* --- which rate ------------------------------------------------------------------------------------------------------ */

static void what_the_sender_can_is_certified(void **state)
{
	struct simulated simulated = { .takes_fps = 2e6, .sends_fps = 1e6 };
	json_auto_t *json = test(&simulated, &as_many);

	(void)state;
	assert_true(read_number(json, "certified_rate") == 1e6);
	assert_true(isnan(read_number(json, "missed_rate")));
	assert_string_equal(read_text(json, "limited_by"), "sender");
	assert_int_equal(simulated.performed, 2);
	assert_int_equal(json_array_size(json_object_get(json, "kinds")), MLR_HOSTILE_KINDS);
	assert_int_equal(read_integer(json_array_get(json_object_get(json, "kinds"), 3), "sent"), 500000);
	assert_int_equal(read_integer(json_array_get(json_object_get(json, "counted"), MLR_HOSTILE_damaged), "counted"),
			 500000);
}

static void a_port_that_is_full_limits(void **state)
{
	struct simulated simulated = { .takes_fps = 2e6, .sends_fps = 1e6, .busy = 9 };
	json_auto_t *json = test(&simulated, &as_many);

	(void)state;
	assert_string_equal(read_text(json, "limited_by"), "port");
}

static void what_the_transmitter_can_limits(void **state)
{
	struct simulated simulated = { .takes_fps = 2e6, .sends_fps = 1e6, .unsent_fps = 3e5 };
	json_auto_t *json = test(&simulated, &as_many);

	(void)state;
	assert_string_equal(read_text(json, "limited_by"), "transmitter");
	assert_true(read_number(json, "certified_rate") <= 3e5 && read_number(json, "missed_rate") > 3e5);
}

/* Wherever it is, from what the sender can down to a thousandth of that. */
static void the_limit_of_the_receiver_is_found(void **state)
{
	(void)state;
	for (double takes_fps = 999e3; takes_fps > 1e3; takes_fps *= 0.83) {
		struct simulated simulated = { .takes_fps = takes_fps, .sends_fps = 1e6 };
		json_auto_t *json = test(&simulated, &as_many);
		double certified_fps = read_number(json, "certified_rate"), missed_fps = read_number(json, "missed_rate");

		assert_true(certified_fps <= takes_fps && takes_fps < missed_fps);
		assert_string_equal(read_text(json, "limited_by"), "receiver");
		if (takes_fps > 50e3)
			assert_true(missed_fps < certified_fps * CLOSE_RATIO);
	}
}

/* A sender that stalls misses frames at a small rate. That is never below what is certified. */
static void no_rate_is_certified_above_one_that_was_missed(void **state)
{
	(void)state;
	for (unsigned int from = 2; from < 10; from++)
		for (double stalled_fps = 1e3; stalled_fps < 1e6; stalled_fps *= 1.7) {
			struct simulated simulated = {
				.takes_fps = 3e5, .sends_fps = 1e6, .stalls_from = from, .stalled_fps = stalled_fps
			};
			json_auto_t *json = test(&simulated, &as_many);
			double certified_fps = read_number(json, "certified_rate");

			assert_true(certified_fps > 0 && certified_fps < read_number(json, "missed_rate"));
			assert_null(json_object_get(json_array_get(json_object_get(json, "trials"), 0), "kinds"));
			assert_int_equal(json_array_size(json_object_get(json, "kinds")), MLR_HOSTILE_KINDS);
		}
}

static void a_load_that_was_asked_for_is_certified_or_not(void **state)
{
	const struct load_spec asked = { LOAD_FPS, 5000 };
	struct simulated simulated = { .takes_fps = 6000, .sends_fps = 1e6 };
	json_auto_t *json = test(&simulated, &asked), *too_much = NULL;

	(void)state;
	assert_true(read_number(json, "certified_rate") == 5000);
	assert_string_equal(read_text(json, "limited_by"), "option");
	simulated.takes_fps = 4000;
	too_much = test(&simulated, &asked);
	assert_true(isnan(read_number(too_much, "certified_rate")));
	assert_true(read_number(too_much, "missed_rate") == 5000);
	assert_string_equal(read_text(too_much, "limited_by"), "receiver");
	assert_int_equal(json_array_size(json_object_get(too_much, "trials")), MISSES);
	assert_reason(too_much, "the receiver could not keep up: 3 frames of the trial");
}

static void trials_that_say_nothing_are_repeated(void **state)
{
	const struct load_spec asked = { LOAD_FPS, 5000 };
	struct simulated simulated = { .takes_fps = 6000, .sends_fps = 1e6, .spoilt = TRIES - 1 };
	json_auto_t *json = test(&simulated, &asked), *spoilt = NULL;

	(void)state;
	assert_true(read_truth(json, "regular"));
	assert_int_equal(simulated.performed, TRIES + 1);
	assert_true(read_number(json, "load") == 250);
	simulated.spoilt = TRIES;
	spoilt = test(&simulated, &asked);
	assert_reason(spoilt, "without hostile frames, too: 5 frames of the trial stayed unsent");
	assert_int_equal(json_array_size(json_object_get(spoilt, "trials")), 0);
}

static void a_receiver_that_is_wrong_is_not_certified(void **state)
{
	struct simulated copies = { .takes_fps = 2e6, .sends_fps = 1e6, .copies = true };
	struct simulated drops = { .takes_fps = 2e6, .sends_fps = 1e6, .drops_unseen = true };
	struct simulated alone = { .takes_fps = 2e6, .sends_fps = 1e6, .drops_alone = true };
	json_auto_t *copied = test(&copies, &as_many), *dropped = test(&drops, &as_many), *lost = test(&alone, &as_many);

	(void)state;
	assert_reason(copied, "the counts are wrong: 1 frames received twice");
	assert_int_equal(copies.performed, 2);
	assert_reason(dropped,
		      "1 frames of the trial and 0 hostile ones did not come, and no counter of the ports tells why");
	assert_int_equal(drops.performed, 2);
	assert_string_equal(json_string_value(json_object_get(dropped, "limited_by")), "counts");
	assert_reason(lost, "without hostile frames, too: 1 frames of the trial");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_exact),
		cmocka_unit_test(each_wrong_count_is_seen),
		cmocka_unit_test(hostile_frames_have_to_end_in_their_counts),
		cmocka_unit_test(what_did_not_come_is_missed),
		cmocka_unit_test(what_the_sender_can_is_certified),
		cmocka_unit_test(a_port_that_is_full_limits),
		cmocka_unit_test(what_the_transmitter_can_limits),
		cmocka_unit_test(the_limit_of_the_receiver_is_found),
		cmocka_unit_test(no_rate_is_certified_above_one_that_was_missed),
		cmocka_unit_test(a_load_that_was_asked_for_is_certified_or_not),
		cmocka_unit_test(trials_that_say_nothing_are_repeated),
		cmocka_unit_test(a_receiver_that_is_wrong_is_not_certified),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
