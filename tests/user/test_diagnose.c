/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is warned of after a trial. Warnings go to standard error, too. */
#include <arpa/inet.h>
#include <string.h>

#include "../test.h"
#include "base/text_stream.h"
#include "measurer/diagnose.h"
#include "measurer/icmp.h"

/* Of a trial of a second and so many frames, with so much housekeeping at its second port: whether that was warned of. */
static bool warns(struct diagnosis *diagnosis, uint64_t sent, uint64_t housekeeping)
{
	static const struct config config = { .port_count = 2 };
	struct measurement measurement = {
		.wall_s = 1,
		.port_count = 2,
		.counts = { .sent = sent, .received = sent },
		.ports = { { .name = "a" }, { .name = "b", .housekeeping = housekeeping } },
	};
	char *const *texts;
	size_t before = message_warnings(&texts), count;

	diagnose_measured(diagnosis, &config, &measurement);
	count = message_warnings(&texts);
	if (count > before)
		assert_non_null(strstr(texts[before], "port b: "));
	return count > before;
}

static void a_storm_of_housekeeping_is_warned_of_once(void **state)
{
	struct diagnosis diagnosis = { 0 };

	(void)state;
	assert_false(warns(&diagnosis, 1000, 100));      /* a link does that */
	assert_false(warns(&diagnosis, 1000000, 10000)); /* and this is little beside the frames of the trial */
	assert_true(warns(&diagnosis, 1000000, 10001));
	assert_false(warns(&diagnosis, 1000000, 10002));
	diagnosis = (struct diagnosis){ 0 };
	assert_true(warns(&diagnosis, 1000, 101));
}

/* What is warned of after this trial, the first such warning; NULL: nothing that begins so. */
static const char *warning_of(const struct measurement *measurement, const char *beginning)
{
	static const struct config config = { .port_count = 2 };
	struct diagnosis diagnosis = { 0 };
	char *const *texts;
	size_t before = message_warnings(&texts), count;

	diagnose_measured(&diagnosis, &config, measurement);
	count = message_warnings(&texts);
	for (size_t i = before; i < count; i++)
		if (strncmp(texts[i], beginning, strlen(beginning)) == 0)
			return texts[i];
	return NULL;
}

static void frames_of_another_tester_are_not_late(void **state)
{
	struct measurement measurement = {
		.port_count = 2,
		.counts = { .sent = 100, .received = 100, .unknown_trial = 1200 },
		.ports = { { .name = "a" },
			   { .name = "b",
			     .counts = { .unknown_trial = 1200 },
			     .unknown_trials = 1,
			     .unknown_trial_most = 4711 } },
	};
	const char *text;

	(void)state;
	assert_null(warning_of(&measurement, "1200"));
	measurement.ports[1].counts.unknown_trial = 1201; /* no warning is kept twice */
	text = warning_of(&measurement, "port b");
	assert_string_equal(
		text, "port b: 1201 frames carry trial number 4711, which this run has not used: another tester sends to "
		      "this port, or an earlier run's frames still arrive");
	measurement.ports[1].unknown_trials = 3;
	text = warning_of(&measurement, "port b");
	assert_string_equal(text,
			    "port b: 1201 frames carry 3 trial numbers, 4711 the most often, which this run has not used: "
			    "another tester sends to this port, or an earlier run's frames still arrive");
	measurement.ports[1].counts.unknown_trial = 0;
	assert_null(warning_of(&measurement, "port b"));
}

/* Where frames come to the end of phase d, nobody knows whether those that are missing were lost. */
static void frames_that_still_come_when_a_trial_ends_are_warned_of(void **state)
{
	struct measurement measurement = {
		.counts = { .sent = 100, .received = 75 },
		.verdict = { .lost = 25 },
		.residual = { .waited_s = 2, .quiet_s = 0.1, .ended_by = "time" },
	};

	(void)state;
	assert_string_equal(warning_of(&measurement, "frames still came"),
			    "frames still came when phase d of a trial ended, after 2.000 s: some of the 25 that count as "
			    "lost may only be slow; --wait d=S makes it longer");
	measurement.verdict.lost = 24; /* no warning is kept twice */
	measurement.residual.quiet_s = 0.3;
	assert_null(warning_of(&measurement, "frames still came"));
	measurement.residual = (struct residual_summary){ .waited_s = 2, .quiet_s = 0.1, .ended_by = "silence" };
	assert_null(warning_of(&measurement, "frames still came"));
	measurement.residual.ended_by = "time";
	measurement.verdict.lost = 0;
	assert_null(warning_of(&measurement, "frames still came"));
}

static struct rx_icmp_error error_of(uint8_t ip_version, uint8_t type, uint8_t code, uint64_t frames)
{
	return (struct rx_icmp_error){
		.state = RX_ICMP_READY,
		.ip_version = ip_version,
		.type = type,
		.code = code,
		.from = { htonl(0xc6120001) },
		.about = { htonl(0xc6130003) },
		.flow = 2,
		.frames = frames,
	};
}

/* The most frequent first; what two CPUs took an entry each for is one. */
static void what_routers_say_is_summarized(void **state)
{
	static struct account account = { .port_count = 2 };
	measurement_auto_t measurement = { 0 };

	(void)state;
	assert_int_equal(icmp_summarize(&account, &measurement), EXIT_DONE);
	assert_null(measurement.icmp_errors);
	account.ports[0].icmp_errors[0] = error_of(4, 11, 0, 3);
	account.ports[0].icmp_errors[1] = error_of(4, 3, 0, 600);
	account.ports[0].icmp_errors[2] = error_of(4, 3, 0, 600);
	account.ports[0].icmp_errors[2].flow = 7;
	account.ports[1].icmp_errors[0] = error_of(6, 2, 0, 5);
	account.ports[1].icmp_errors[0].mtu_octets = 1300;
	assert_int_equal(icmp_summarize(&account, &measurement), EXIT_DONE);
	assert_int_equal(measurement.icmp_error_count, 3);
	assert_string_equal(icmp_sentence(&measurement.icmp_errors[0], ROOM(256), 256),
			    "198.18.0.1 says: network unreachable, about frames to 198.19.0.3 (flow 2) and of other flows, "
			    "1200 times");
	assert_int_equal(measurement.icmp_errors[0].other_flows, 600);
	assert_string_equal(icmp_sentence(&measurement.icmp_errors[1], ROOM(256), 256),
			    "c612:1:: says: packet too big (MTU 1300), about frames to c613:3:: (flow 2), 5 times");
	assert_int_equal(measurement.icmp_errors[1].port, 1);
	measurement.icmp_errors[2].frames = 1;
	measurement.icmp_errors[2].flow = RX_NO_FLOW;
	assert_string_equal(icmp_sentence(&measurement.icmp_errors[2], ROOM(256), 256),
			    "198.18.0.1 says: time to live exceeded in transit, about frames to 198.19.0.3, once");
}

/* Each code of an unreachable destination has a name, those to come, too. */
static void every_message_has_a_name(void **state)
{
	static struct account account = { .port_count = 1 };

	(void)state;
	for (unsigned int version = 4; version <= 6; version += 2)
		for (unsigned int number = 0; number < 65536; number++) {
			measurement_auto_t measurement = { 0 };

			account.ports[0].icmp_errors[0] =
				error_of((uint8_t)version, (uint8_t)(number >> 8), (uint8_t)number, 1);
			assert_int_equal(icmp_summarize(&account, &measurement), EXIT_DONE);
			assert_non_null(measurement.icmp_errors[0].message);
			assert_non_null(measurement.icmp_errors[0].advice);
		}
}

/* What a router says is no damage, and hides no other advice. */
static void icmp_errors_suppress_nothing(void **state)
{
	struct icmp_report report = { .message = "network unreachable",
				      .advice = "look there",
				      .from = "198.18.0.1",
				      .about = "198.19.0.3",
				      .flow = 2,
				      .frames = 5 };
	const struct measurement measurement = {
		.port_count = 2,
		.counts = { .sent = 100, .icmp_errors = 5 },
		.icmp_errors = &report,
		.icmp_error_count = 1,
		.ports = { { .name = "a", .transmits = true, .counts = { .sent = 100, .icmp_errors = 5 } },
			   { .name = "b", .receives = true } },
	};
	static const struct config config = { .port_count = 2 };
	struct diagnosis diagnosis = { 0 };
	char *const *texts;
	size_t before = message_warnings(&texts);

	(void)state;
	diagnose_measured(&diagnosis, &config, &measurement);
	diagnose_measured(&diagnosis, &config, &measurement);
	assert_int_equal(message_warnings(&texts), before + 2);
	assert_string_equal(texts[before],
			    "port a: 198.18.0.1 says: network unreachable, about frames to 198.19.0.3 (flow 2), "
			    "5 times; look there");
	assert_non_null(strstr(texts[before + 1], "no frame of 100 sent came back: look at the cabling"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_routers_say_is_summarized),
					    cmocka_unit_test(every_message_has_a_name),
					    cmocka_unit_test(icmp_errors_suppress_nothing),
					    cmocka_unit_test(a_storm_of_housekeeping_is_warned_of_once),
					    cmocka_unit_test(frames_of_another_tester_are_not_late),
					    cmocka_unit_test(frames_that_still_come_when_a_trial_ends_are_warned_of) };

	return cmocka_run_group_tests_name("diagnose", tests, NULL, NULL);
}
