// SPDX-License-Identifier: GPL-2.0-or-later
/* Sources of counters: what the recorder makes of samples, and what a program may say. */
#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../test.h"
#include "base/clock.h"
#include "base/exit_code.h"
#include "base/json_read.h"
#include "base/message.h"
#include "base/stop.h"
#include "observe/rapl.h"
#include "observe/source.h"

static void sample(struct recorder *recorder, double at_s, const char *name, enum recorder_kind kind, double value)
{
	recorder_begin(recorder, (uint64_t)(at_s * 1e9));
	recorder_add(recorder, name, kind, value);
	recorder_end(recorder, (uint64_t)(at_s * 1e9));
}

static double figure(const json_t *summary, const char *list, const char *name, const char *member)
{
	return read_number(json_object_get(json_object_get(summary, list), name), member);
}

static void a_counter_has_its_change_and_its_rate_within_the_trial(void **state)
{
	struct recorder *recorder = recorder_new();
	json_auto_t *summary = NULL;

	(void)state;
	for (int i = 0; i <= 30; i++) /* it grows by 100/s while frames are due, from 1 s to 2 s */
		sample(recorder, 0.1 * i, "x", RECORDER_COUNTER, 5 + fmin(fmax(0.1 * i - 1, 0), 1) * 100);
	summary = recorder_summary(recorder, 1000000000, 2000000000, true);
	assert_true(figure(summary, "counters", "x", "change") == 100);
	assert_true(fabs(figure(summary, "counters", "x", "per_second") - 100) < 1e-3);
	assert_int_equal(json_array_size(json_at(summary, "/counters/x/series")), 31);
	assert_int_equal(json_array_size(json_object_get(summary, "times")), 31);
	recorder_free(recorder);
}

static void what_falls_is_a_gauge_unless_the_source_says_otherwise(void **state)
{
	struct recorder *recorder = recorder_new();
	json_auto_t *summary = NULL;

	(void)state;
	sample(recorder, 0, "temperature", RECORDER_UNKNOWN, 40);
	sample(recorder, 1, "temperature", RECORDER_UNKNOWN, 42);
	sample(recorder, 2, "temperature", RECORDER_UNKNOWN, 41);
	sample(recorder, 2.1, "board_watts", RECORDER_UNKNOWN, 7);
	sample(recorder, 2.2, "nothing", RECORDER_GAUGE, 0);
	summary = recorder_summary(recorder, 0, 2000000000, false);
	assert_true(figure(summary, "gauges", "temperature", "max") == 42);
	assert_true(figure(summary, "gauges", "temperature", "mean") == 41);
	assert_null(json_at(summary, "/counters/temperature"));
	assert_int_equal(read_integer(summary, "unchanged"), 2); /* board_watts had no sample within the trial */
	recorder_free(recorder);
}

/* Samples of one counter, a second apart, by kind. */
static json_t *course(enum recorder_kind kind, const char *name, const double *values, size_t count)
{
	struct recorder *recorder = recorder_new();
	json_t *summary;

	for (size_t i = 0; i < count; i++)
		sample(recorder, (double)i, name, kind, values[i]);
	summary = recorder_summary(recorder, 0, count * 1000000000, true);
	recorder_free(recorder);
	return summary;
}

/* RFC 2578: a Counter32 begins again at 0 behind 2^32 - 1. */
static void a_counter_of_32_bits_that_wraps_goes_on(void **state)
{
	static const double wraps[] = { 4294967000, 4294967290, 4, 1000, 4294967295, 0 }, once[] = { 4294967290, 10 };
	static const enum recorder_kind kinds[] = { RECORDER_COUNTER, RECORDER_UNKNOWN };

	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		json_auto_t *summary = course(kinds[i], "x", once, COUNT(once));

		assert_true(figure(summary, "counters", "x", "change") == 16);
		assert_null(json_object_get(summary, "reset"));
	}
	json_auto_t *summary = course(RECORDER_COUNTER, "x", wraps, COUNT(wraps));

	assert_true(figure(summary, "counters", "x", "change") == 296 + 0x1p32);
	assert_true(json_number_value(json_at(summary, "/counters/x/series/3")) == 296 + 1000);
}

static void a_counter_that_is_reset_is_said_to_be(void **state)
{
	static const struct {
		enum recorder_kind kind;
		const char *name;
		double values[4];
	} rows[] = {
		{ RECORDER_COUNTER, "x", { 500, 600, 0, 100 } },
		{ RECORDER_COUNTER, "x", { 500, 600, 0, 700 } }, /* although it is larger at the end */
		{ RECORDER_COUNTER, "x", { 3e9, 3.1e9, 5, 700 } },
		{ RECORDER_COUNTER_64, "x", { 4294967290, 4294967295, 5, 700 } }, /* a Counter64 wraps elsewhere */
		{ RECORDER_COUNTER, "x", { 0x1p40, 0x1p40 + 7, 5, 700 } },
		{ RECORDER_UNKNOWN, "rx_dropped", { 500, 600, 0, 100 } },
		{ RECORDER_UNKNOWN, "rxDrops", { 500, 600, 0, 100 } },
		{ RECORDER_UNKNOWN, "q0_policed", { 500, 600, 0, 100 } },
	};
	static const double up_and_down[] = { 5, 3, 9, 2 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		json_auto_t *summary = course(rows[i].kind, rows[i].name, rows[i].values, 4);

		assert_string_equal(json_string_value(json_at(summary, "/reset/0")), rows[i].name);
		assert_int_equal(read_integer(summary, "unchanged"), 0);
		assert_int_equal(json_object_size(json_object_get(summary, "counters")), 0);
	}
	/* what falls twice is a gauge, whatever its name */
	json_auto_t *summary = course(RECORDER_UNKNOWN, "packets_in_queue", up_and_down, 4);

	assert_null(json_object_get(summary, "reset"));
	assert_true(figure(summary, "gauges", "packets_in_queue", "max") == 9);
}

/* A sample of one counter, and of another one unless that is NAN. */
static void two(struct recorder *recorder, double at_s, double x, const char *name, double value)
{
	recorder_begin(recorder, (uint64_t)(at_s * 1e9));
	recorder_add(recorder, "x", RECORDER_COUNTER, x);
	recorder_add(recorder, name, RECORDER_COUNTER, value);
	recorder_end(recorder, (uint64_t)(at_s * 1e9));
}

/* As of Prometheus client libraries, which make a counter with labels at its first event. */
static void a_counter_without_a_first_or_last_value_did_not_do_nothing(void **state)
{
	struct recorder *recorder = recorder_new();
	json_auto_t *appears = NULL, *complete = NULL, *ends = NULL, *absent = NULL;

	(void)state;
	two(recorder, 0, 1, "q_drop", NAN);
	two(recorder, 1, 2, "q_drop", 40);
	two(recorder, 2, 3, "q_drop", 90);
	appears = recorder_summary(recorder, 0, 2000000000, true);
	assert_true(figure(appears, "counters", "x", "change") == 2);
	assert_null(json_at(appears, "/counters/q_drop"));
	assert_int_equal(read_integer(appears, "unchanged"), 0);
	assert_true(json_is_null(json_at(appears, "/partial/q_drop/before")));
	assert_true(figure(appears, "partial", "q_drop", "first") == 40);
	assert_true(figure(appears, "partial", "q_drop", "after") == 90);
	assert_true(read_truth(json_at(appears, "/partial/q_drop"), "new"));
	recorder_empty(recorder);
	two(recorder, 3, 3, "q_drop", 90);
	two(recorder, 4, 3, "q_drop", 90);
	complete = recorder_summary(recorder, 3000000000, 4000000000, true);
	assert_null(json_object_get(complete, "partial"));
	assert_int_equal(read_integer(complete, "unchanged"), 2);
	recorder_empty(recorder);
	two(recorder, 5, 3, "q_drop", 90);
	two(recorder, 6, 3, "q_drop", NAN);
	ends = recorder_summary(recorder, 5000000000, 6000000000, true);
	assert_true(figure(ends, "partial", "q_drop", "before") == 90);
	assert_true(json_is_null(json_at(ends, "/partial/q_drop/after")));
	assert_true(json_is_false(json_at(ends, "/partial/q_drop/new")));
	recorder_empty(recorder);
	two(recorder, 7, 3, "q_drop", NAN);
	two(recorder, 8, 3, "q_drop", NAN);
	absent = recorder_summary(recorder, 7000000000, 8000000000, true);
	assert_true(json_is_null(json_at(absent, "/partial/q_drop/first")));
	assert_int_equal(read_integer(absent, "unchanged"), 1);
	recorder_free(recorder);
}

/* A short trial has few samples, and those before and after it are of a SUT without load. */
static void a_gauge_is_of_the_time_under_load(void **state)
{
	struct recorder *recorder = recorder_new();
	json_auto_t *summary = NULL;

	(void)state;
	sample(recorder, 0.9, "worker_use", RECORDER_UNKNOWN, 0);
	sample(recorder, 1.1, "worker_use", RECORDER_UNKNOWN, 1);
	sample(recorder, 1.2, "worker_use", RECORDER_UNKNOWN, 1);
	sample(recorder, 1.31, "worker_use", RECORDER_UNKNOWN, 0);
	summary = recorder_summary(recorder, 1000000000, 1300000000, false);
	assert_true(figure(summary, "gauges", "worker_use", "mean") == 1);
	assert_true(figure(summary, "gauges", "worker_use", "min") == 1);
	recorder_free(recorder);
}

static void a_gauge_that_is_called_after_lost_frames_is_a_counter_until_it_falls(void **state)
{
	static const char *const names[] = { "q_drops", "rx_dropped_total{q=\"1\"}", "ifInDiscards" };
	static const char *const gauges[] = { "drops_per_second", "drop_ratio", "queue_depth", "misses_used" };
	static const double rises[] = { 5, 5, 9, 16 }, falls[] = { 5, 9, 5, 16 };

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		json_auto_t *risen = course(RECORDER_GAUGE, names[i], rises, 4);
		json_auto_t *fallen = course(RECORDER_GAUGE, names[i], falls, 4);

		assert_true(figure(risen, "counters", names[i], "change") == 11);
		assert_true(figure(fallen, "gauges", names[i], "max") == 16);
		assert_null(json_object_get(fallen, "reset"));
	}
	for (size_t i = 0; i < COUNT(gauges); i++) {
		json_auto_t *risen = course(RECORDER_GAUGE, gauges[i], rises, 4);

		assert_true(figure(risen, "gauges", gauges[i], "max") == 16);
	}
}

static void a_reset_is_of_one_trial(void **state)
{
	struct recorder *recorder = recorder_new();
	json_auto_t *summary = NULL;

	(void)state;
	sample(recorder, 0, "x", RECORDER_COUNTER, 4294967290);
	sample(recorder, 1, "x", RECORDER_COUNTER, 4);
	sample(recorder, 2, "x", RECORDER_COUNTER, 0);
	recorder_empty(recorder);
	sample(recorder, 3, "x", RECORDER_COUNTER, 0);
	sample(recorder, 4, "x", RECORDER_COUNTER, 7);
	summary = recorder_summary(recorder, 0, 5000000000, true);
	assert_true(figure(summary, "counters", "x", "change") == 7);
	assert_null(json_object_get(summary, "reset"));
	recorder_free(recorder);
}

/* A counter that only grows is one, whatever its last letters, or if it is more than a share may be. */
static void a_name_is_of_a_gauge_by_a_word_of_it(void **state)
{
	static const struct {
		const char *name;
		double from;
		bool is_gauge;
	} rows[] = { { "tx_pause", 5, false },   { "rx_payload", 5, false }, { "dcache_load", 5e6, false },
		     { "table_use", 0.5, true }, { "cpu_load", 5, true },    { "link_ratio", 5, true },
		     { "drop_rate", 5, true },   { "rx_pps", 5, true },      { "drops_per_second", 5, true },
		     { "rx_bps", 5, true },      { "rx_separate", 5, false } };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const double values[] = { rows[i].from, rows[i].from + 4 };
		json_auto_t *summary = course(RECORDER_UNKNOWN, rows[i].name, values, 2);
		const json_t *list = json_object_get(summary, rows[i].is_gauge ? "gauges" : "counters");

		if (!json_object_get(list, rows[i].name))
			fail_msg("%s", rows[i].name);
	}
}

/* Also where there is no room for more samples just then. */
static void the_last_sample_counts(void **state)
{
	(void)state;
	for (int count = 2; count < 3 * RECORDER_SAMPLES_MOST; count++) {
		struct recorder *recorder = recorder_new();
		json_auto_t *summary = NULL;

		for (int i = 0; i < count; i++)
			sample(recorder, i, "x", RECORDER_COUNTER, i);
		summary = recorder_summary(recorder, 0, (uint64_t)count * 1000000000, false);
		assert_true(figure(summary, "counters", "x", "change") == count - 1);
		recorder_free(recorder);
	}
}

static void samples_and_counters_are_bounded(void **state)
{
	struct recorder *recorder = recorder_new();
	json_auto_t *summary = NULL;
	char name[400];

	(void)state;
	for (int i = 0; i < 1000; i++)
		sample(recorder, i, "x", RECORDER_COUNTER, i);
	recorder_begin(recorder, 1001000000000);
	for (int i = 0; i < 2 * RECORDER_COUNTERS_MOST; i++) {
		snprintf(name, sizeof(name), "%d-%0200d", i, 0);
		recorder_add(recorder, name, RECORDER_GAUGE, 1);
	}
	recorder_add(recorder, "x", RECORDER_COUNTER, 1000);
	recorder_add(recorder, "x", RECORDER_COUNTER, 1e6); /* a second value is none */
	recorder_add(recorder, "y", RECORDER_COUNTER, INFINITY);
	recorder_end(recorder, 1001000000000);
	summary = recorder_summary(recorder, 0, 2000000000000, true);
	assert_true(read_integer(summary, "samples") <= RECORDER_SAMPLES_MOST);
	assert_true(figure(summary, "counters", "x", "change") == 1000);
	assert_int_equal(json_object_size(json_object_get(summary, "gauges")) +
				 json_object_size(json_object_get(summary, "counters")),
			 RECORDER_SHOWN_MOST);
	/* beside "x" there is room for all but one; the second value of "x" is one more */
	assert_int_equal(read_integer(summary, "omitted"), 2 * RECORDER_COUNTERS_MOST + 2 - RECORDER_SHOWN_MOST);
	assert_string_equal(json_string_value(json_object_get(summary, "omitted_reason")), "it has more than 4096");
	recorder_free(recorder);
}

/* What cannot be told as it is counts as omitted, once however many samples there are, so that no counter goes without a word. */
static void what_is_not_told_is_counted(void **state)
{
	struct recorder *recorder = recorder_new();
	json_auto_t *summary = NULL;
	char names[2][RECORDER_NAME_SIZE + 1];

	(void)state;
	memset(names, 'n', sizeof(names));
	memcpy(names[0] + RECORDER_NAME_SIZE - 1, "a", 2);
	memcpy(names[1] + RECORDER_NAME_SIZE - 1, "b", 2);
	for (int i = 0; i < 2; i++) {
		recorder_begin(recorder, 1000000000000 + (uint64_t)i * 1000000000);
		recorder_add(recorder, names[0], RECORDER_COUNTER, i);
		recorder_add(recorder, names[1], RECORDER_COUNTER, i);
		recorder_add(recorder, "wrapped", RECORDER_COUNTER, i ? 0x1p64 : 0);
		recorder_add(recorder, "twice", RECORDER_COUNTER, i);
		recorder_add(recorder, "twice", RECORDER_COUNTER, 2 * i);
		recorder_end(recorder, 1000000000000 + (uint64_t)i * 1000000000);
	}
	summary = recorder_summary(recorder, 0, 2000000000000, false);
	assert_int_equal(json_object_size(json_object_get(summary, "counters")), 1);
	assert_true(figure(summary, "counters", "twice", "change") == 1);
	assert_int_equal(read_integer(summary, "omitted"), 4);
	recorder_free(recorder);
}

static void add_many(struct recorder *recorder, const char *name, size_t count, double value)
{
	for (size_t i = 0; i < count; i++)
		recorder_add(recorder, TEXT_OF(64, "%s_%zu", name, i), RECORDER_COUNTER, value);
}

/* Where there are too many counters, those that are called after a loss are kept, also the last ones. */
static void what_is_called_after_a_loss_is_kept_first(void **state)
{
	struct recorder *recorder = recorder_new();
	json_auto_t *summary = NULL;

	(void)state;
	for (int i = 0; i < 3; i++) {
		recorder_begin(recorder, 1000000000 + (uint64_t)i * 1000000000);
		add_many(recorder, "rx_frames", 3000, i);
		add_many(recorder, "q_drop", 200, 7 * i);
		add_many(recorder, "tx_frames", 6000, i);
		add_many(recorder, "tail_drop", 300, 7 * i);
		recorder_end(recorder, 1000000000 + (uint64_t)i * 1000000000);
	}
	summary = recorder_summary(recorder, 1000000000, 3000000000, false);
	for (size_t i = 0; i < 500; i++) {
		const char *name = TEXT_OF(64, i < 200 ? "q_drop_%zu" : "tail_drop_%zu", i < 200 ? i : i - 200);

		if (figure(summary, "counters", name, "change") != 14)
			fail_msg("%s", name);
	}
	assert_int_equal(json_object_size(json_object_get(summary, "counters")), RECORDER_SHOWN_MOST);
	assert_int_equal(read_integer(summary, "omitted"), 9500 - RECORDER_SHOWN_MOST);
	recorder_free(recorder);
}

/* An exporter may write what it likes into a label. */
static void a_name_that_is_not_utf_8_is_told_all_the_same(void **state)
{
	static const double values[] = { 5, 12 };
	json_auto_t *summary = course(RECORDER_COUNTER, "drops{if=\"K\xf6ln\"}", values, 2);

	(void)state;
	assert_true(figure(summary, "counters", "drops{if=\"K\\xf6ln\"}", "change") == 7);
}

/* What a program comes to that is asked so often: a summary, or why there is none in *ret_trouble. */
static json_t *listen_to(const char *command, int samples, const char **ret_trouble)
{
	static struct source source;
	struct recorder *recorder = recorder_new();
	json_t *summary;

	source = (struct source){ .ops = &source_exec, .argument = command };
	*ret_trouble = source.ops->open(&source);
	for (int i = 0; !*ret_trouble && i < samples; i++) {
		recorder_begin(recorder, clock_ns());
		*ret_trouble = source.ops->take(&source, recorder);
		recorder_end(recorder, clock_ns());
	}
	summary = recorder_summary(recorder, 0, UINT64_MAX, false);
	source.ops->close(&source);
	recorder_free(recorder);
	return summary;
}

static void a_program_is_asked_for_lines_of_json(void **state)
{
	const char *trouble;
	json_auto_t *summary =
		listen_to("n=0; while read -r _; do n=$((n+3)); echo \"{\\\"a\\\":{\\\"b\\\":$n},\\\"gauges\\\":"
			  "{\\\"heat\\\":$n},\\\"text\\\":\\\"x\\\"}\"; done",
			  3, &trouble);

	(void)state;
	assert_null(trouble);
	assert_true(figure(summary, "counters", "a/b", "change") == 6);
	assert_true(figure(summary, "gauges", "heat", "max") >= 6);
}

#define GNMI_PATH "openconfig-interfaces:interfaces/interface[name=eth0]/state/counters/"

/* Paths of gNMI differ at their ends. One that is too long is none of the others. */
static void no_two_names_of_a_program_are_one(void **state)
{
	const char *trouble;
	json_auto_t *summary =
		listen_to("n=0; long=$(printf %300s | tr ' ' x); while read -r _; do n=$((n+1)); echo \"{\\\"" GNMI_PATH
			  "in-pkts\\\":$((50*n)),\\\"" GNMI_PATH "in-discards\\\":$((7*n)),\\\"$long\\\":$n,"
			  "\\\"$long\\\\u00e9\\\":{\\\"a\\\":$n,\\\"b\\\":$n}}\"; done",
			  2, &trouble);

	(void)state;
	assert_null(trouble);
	assert_true(figure(summary, "counters", GNMI_PATH "in-discards", "change") == 7);
	assert_true(figure(summary, "counters", GNMI_PATH "in-pkts", "change") == 50);
	assert_int_equal(json_object_size(json_object_get(summary, "counters")), 2);
	assert_int_equal(read_integer(summary, "omitted"), 3);
}

/* Counters in lists have no names, and those far below none that is read. */
static void counters_that_are_not_read_are_counted(void **state)
{
	const char *trouble;
	json_auto_t *summary = listen_to(
		"while read -r _; do echo '{\"rx\": 1, \"queues\": [{\"drop\": 5, \"name\": \"q\"}, {\"drop\": 6}, 7], "
		"\"a\": {\"b\": {\"c\": {\"d\": {\"e\": 1, \"f\": {\"g\": 8}}}}}}'; done",
		2, &trouble);

	(void)state;
	assert_null(trouble);
	assert_int_equal(read_integer(summary, "unchanged"), 2);
	assert_int_equal(read_integer(summary, "omitted"), 4);
	assert_string_equal(read_text(summary, "omitted_reason"), "they stand in lists, or below five objects");
}

/* Have a process answer once on a port of its own, which is returned. */
static unsigned int answer_once(const char *answer)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0), client;

	assert_int_equal(bind(fd, (struct sockaddr *)&address, size) | listen(fd, 1), 0);
	getsockname(fd, (struct sockaddr *)&address, &size);
	if (fork() == 0) {
		alarm(20);
		client = accept(fd, NULL, NULL);
		if (read(client, ROOM(2000), 2000) > 0 && write(client, answer, strlen(answer)) > 0)
			shutdown(client, SHUT_WR);
		_exit(0);
	}
	close(fd);
	return ntohs(address.sin_port);
}

#define LONG_NAME "ethernet-interface-of-the-line-card-"

/* An interface of an agent that numbers them anew when it starts: its name, and frames that it discarded. */
static const struct agent_row {
	const char *name;
	uint32_t discards;
} agent_rows[2][4] = {
	{ { "eth0", 7 }, { "eth1", 500 }, { LONG_NAME "1", 20 }, { LONG_NAME "2", 30 } },
	{ { "eth1", 500 }, { "eth0", 10 }, { LONG_NAME "1", 21 }, { LONG_NAME "2", 35 } },
};

/* Put an element before the octets from `at` on, which move. Returns the new end. */
static uint8_t *put_before(uint8_t type, uint8_t *at, uint8_t *end)
{
	size_t octets = (size_t)(end - at);

	memmove(at + 4, at, octets);
	at[0] = type;
	at[1] = 0x82;
	at[2] = (uint8_t)(octets >> 8);
	at[3] = (uint8_t)octets;
	return end + 4;
}

/* Answer a request for rows of a column. Without rows there are 70 interfaces. */
static size_t answer_of_agent(const uint8_t *request, size_t octets, const struct agent_row *rows, uint8_t *ret)
{
	const uint8_t *object = memmem(request, octets, "\x2b\x06\x01\x02\x01", 5);
	bool is_extension = object[5] == 31; /* ifXTable; otherwise ifTable */
	uint8_t length = 9 + is_extension, after = object[-1] > length ? object[length] : 0, *end, *variables;
	uint8_t most = rows ? 4 : 70, head[] = { 2, 1, 0, 2, 1, 0 };
	bool is_known = object[length - 1] == (is_extension ? 1 : 13);
	size_t number = 7 + request[6] + 2; /* where the request has its number */

	memcpy(ret, request + 2, 3 + 2 + request[6]);
	end = ret + 3 + 2 + request[6];
	memcpy(end, request + number, 6);
	memcpy(end + 6, head, sizeof(head));
	variables = end + 6 + sizeof(head);
	end = variables;
	for (uint8_t i = after + 1; is_known && i <= most && i <= after + 16; i++) {
		const char *name = rows ? rows[i - 1].name : TEXT_OF(16, "port%u", i);
		uint32_t discards = rows ? rows[i - 1].discards : i;
		uint8_t *row = end;

		*end++ = 6;
		*end++ = length + 1;
		end = (uint8_t *)memcpy(end, object, length) + length;
		*end++ = i;
		*end++ = is_extension ? 4 : 0x41;
		*end++ = (uint8_t)(is_extension ? strlen(name) : 2);
		if (is_extension) {
			end = (uint8_t *)memcpy(end, name, strlen(name)) + strlen(name);
		} else {
			*end++ = (uint8_t)(discards >> 8);
			*end++ = (uint8_t)discards;
		}
		end = put_before(0x30, row, end);
	}
	end = put_before(0x30, variables, end);
	end = put_before(0xa2, variables - sizeof(head) - 6, end);
	return (size_t)(put_before(0x30, ret, end) - ret);
}

/* Have a process be an agent, on a port that is returned. After its first answer about discards it has started again. */
static unsigned int start_agent(bool has_many)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_DGRAM, 0), started = 0;
	uint8_t request[1500], answer[1500];
	ssize_t octets;

	assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
	getsockname(fd, (struct sockaddr *)&address, &size);
	if (fork() == 0) {
		alarm(20);
		while ((octets = recvfrom(fd, request, sizeof(request), 0, (struct sockaddr *)&address, &size)) > 20) {
			size_t length =
				answer_of_agent(request, (size_t)octets, has_many ? NULL : agent_rows[started], answer);

			sendto(fd, answer, length, 0, (struct sockaddr *)&address, size);
			started |= request[octets - 3] == 13; /* the column, or the last index before */
		}
		_exit(0);
	}
	close(fd);
	return ntohs(address.sin_port);
}

/* What becomes of two samples of an agent. */
static json_t *two_samples_of_agent(bool has_many)
{
	struct source source = { .ops = &source_snmp, .argument = TEXT_OF(40, "127.0.0.1:%u", start_agent(has_many)) };
	struct recorder *recorder = recorder_new();
	json_t *summary;

	assert_null(source.ops->open(&source));
	for (int i = 0; i < 2; i++) {
		recorder_begin(recorder, clock_ns());
		assert_null(source.ops->take(&source, recorder));
		recorder_end(recorder, clock_ns());
	}
	summary = recorder_summary(recorder, 0, UINT64_MAX, false);
	source.ops->close(&source);
	recorder_free(recorder);
	return summary;
}

/* An agent that started again may number interfaces in another way, and their names may be long. */
static void an_interface_of_snmp_is_known_by_its_name(void **state)
{
	json_auto_t *summary = two_samples_of_agent(false);

	(void)state;
	assert_true(figure(summary, "counters", "if/eth0/ifInDiscards", "change") == 3);
	assert_null(json_object_get(summary, "reset"));
	assert_true(figure(summary, "counters", "if/" LONG_NAME "2/ifInDiscards", "change") == 5);
	assert_int_equal(read_integer(summary, "omitted"), 0);
}

/* Of a large switch the first interfaces are read, and it is said that there are others. */
static void interfaces_of_snmp_beyond_the_most_are_said_to_be_left_out(void **state)
{
	json_auto_t *summary = two_samples_of_agent(true);

	(void)state;
	assert_int_equal(read_integer(summary, "unchanged"), 64);
	assert_int_equal(read_integer(summary, "omitted"), 6 * 9); /* columns */
	assert_string_equal(read_text(summary, "omitted_reason"), "they are of interfaces beyond the first 64");
}

static void an_answer_of_http_is_believed_if_it_is_whole(void **state)
{
	static const struct {
		const char *answer, *trouble; /* a part of it; NULL: it is believed */
	} rows[] = {
		{ "HTTP/1.0 200 OK\r\nContent-Length: 7\r\n\r\ndrop 4\n", NULL },
		{ "HTTP/1.1 200 OK\r\nX: y\r\ncontent-length:7\r\nContent-Encoding: identity\r\n\r\ndrop 4\n", NULL },
		{ "HTTP/1.0 200 OK\r\n\r\ndrop 4\n", NULL },
		{ "HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\ndrop 4812\n", NULL },
		{ "HTTP/1.0 200 OK\r\nContent-Length: 10\r\n\r\ndrop 4", "after 6 of 10 octets" },
		{ "HTTP/1.0 200 OK\r\n\r\ndrop 4", "ends within a line" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\ndrop 4\n\r\n0\r\n\r\n", "Transfer-Encoding" },
		{ "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\ndrop 4\n", "Content-Encoding" },
		{ "HTTP/1.0 404 Not Found\r\nServer: x\r\n\r\ndrop 4\n", "answers HTTP/1.0 404 Not Found" },
		{ "HTTP/1.0 200 OK\r\n\r\n<html>\n", "not the text format" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *url = TEXT_OF(64, "http://127.0.0.1:%u/", answer_once(rows[i].answer)), *trouble;
		struct source source = { .ops = &source_prometheus, .argument = url };
		struct recorder *recorder = recorder_new();

		assert_null(source.ops->open(&source));
		recorder_begin(recorder, clock_ns());
		trouble = source.ops->take(&source, recorder);
		assert_int_equal(recorder_has_values(recorder), !rows[i].trouble);
		if (rows[i].trouble ? !trouble || !strstr(trouble, rows[i].trouble) || strstr(trouble, "Server") : !!trouble)
			fail_msg("%s: %s", rows[i].answer, trouble ?: "none");
		source.ops->close(&source);
		recorder_free(recorder);
	}
}

/* An exporter may tell what it read long before, with the time of that, by the clock of its server. */
static void a_value_of_an_earlier_time_is_left_out(void **state)
{
	unsigned int port = answer_once("HTTP/1.0 200 OK\r\nDate: Sun, 29 Nov 2026 06:30:01 GMT\r\n\r\n"
					"now 4 1795933800000\nbefore 4 1795933795000\nnever 4\n");
	struct source source = { .ops = &source_prometheus, .argument = TEXT_OF(64, "http://127.0.0.1:%u/", port) };
	struct recorder *recorder = recorder_new();
	json_auto_t *summary = NULL;

	(void)state;
	assert_null(source.ops->open(&source));
	recorder_begin(recorder, clock_ns());
	assert_null(source.ops->take(&source, recorder));
	recorder_end(recorder, clock_ns());
	summary = recorder_summary(recorder, 0, UINT64_MAX, false);
	assert_int_equal(read_integer(summary, "unchanged"), 2);
	assert_int_equal(read_integer(summary, "omitted"), 1);
	assert_string_equal(read_text(summary, "omitted_reason"), "their source had read them some seconds before");
	source.ops->close(&source);
	recorder_free(recorder);
}

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The time of a sample is that of its values, so that a rate is right. The program tells the time at which it reads. */
static void a_program_that_starts_slowly_is_read_when_it_answers(void **state)
{
	double before_s = seconds_of(CLOCK_BOOTTIME) - seconds_of(CLOCK_MONOTONIC);
	struct source source = { .ops = &source_exec,
				 .argument = "sleep 0.5; while read -r _; do read -r up _ </proc/uptime; "
					     "echo \"{\\\"gauges\\\":{\\\"up\\\":$up}}\"; done" };
	struct recorder *recorder = recorder_new();
	json_auto_t *summary = NULL;

	(void)state;
	assert_null(source.ops->open(&source));
	for (int i = 0; i < 2; i++) {
		recorder_begin(recorder, clock_ns());
		assert_null(source.ops->take(&source, recorder));
		recorder_end(recorder, clock_ns());
	}
	summary = recorder_summary(recorder, 0, UINT64_MAX, true);
	for (size_t i = 0; i < 2; i++)
		assert_true(json_number_value(json_array_get(json_object_get(summary, "times"), i)) + before_s + 0.02 >=
			    json_number_value(json_array_get(json_at(summary, "/gauges/up/series"), i)));
	source.ops->close(&source);
	recorder_free(recorder);
}

/* What a program reads when it is asked, and tells when nobody waits any more, is no answer to the next question. */
static void an_answer_that_comes_too_late_is_of_no_later_sample(void **state)
{
	struct source source = { .ops = &source_exec,
				 .argument = "read -r _; sleep 1.3; echo '{\"drop\": 1}'; "
					     "while read -r _; do sleep 0.2; echo '{\"drop\": 5}'; done" };
	struct recorder *recorder = recorder_new();
	json_auto_t *summary = NULL;

	(void)state;
	assert_null(source.ops->open(&source));
	recorder_begin(recorder, clock_ns());
	assert_string_equal(source.ops->take(&source, recorder), "no line came within a second");
	for (int i = 0; i < 2; i++) {
		recorder_begin(recorder, clock_ns());
		assert_null(source.ops->take(&source, recorder));
		recorder_end(recorder, clock_ns());
	}
	summary = recorder_summary(recorder, 0, UINT64_MAX, false);
	assert_int_equal(read_integer(summary, "samples"), 2);
	assert_int_equal(read_integer(summary, "unchanged"), 1);
	source.ops->close(&source);
	recorder_free(recorder);
}

static void a_program_may_keep_its_own_pace(void **state)
{
	const char *trouble;
	json_auto_t *summary =
		listen_to("n=0; while :; do n=$((n+1)); echo \"{\\\"n\\\":$n}\"; sleep 0.05; done", 3, &trouble);

	(void)state;
	assert_null(trouble);
	assert_true(figure(summary, "counters", "n", "change") >= 2);
}

static void a_hostile_program_costs_its_own_samples_alone(void **state)
{
	static const char *const commands[] = {
		"yes",
		"cat /dev/zero",
		"read -r _; echo '[1]'; sleep 9",
		"read -r _; echo '{\"a\":1'; sleep 9",
		"read -r _; head -c 9000000 /dev/zero | tr '\\0' ' '; echo; sleep 9",
		"exit 3",
		"sleep 9",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(commands); i++) {
		const char *trouble;
		json_auto_t *summary = listen_to(commands[i], 1, &trouble);

		if (!trouble)
			fail_msg("%s: no trouble", commands[i]);
		assert_int_equal(read_integer(summary, "samples"), 0);
	}
}

static void power_is_that_while_frames_were_due(void **state)
{
	struct recorder *recorder = recorder_new();
	json_auto_t *summary = NULL;

	(void)state;
	sample(recorder, 0.9, "watts{psu=\"1\"}", RECORDER_UNKNOWN, 100);
	for (int i = 0; i < 4; i++)
		sample(recorder, 1.1 + 0.2 * i, "watts{psu=\"1\"}", RECORDER_UNKNOWN, 150 + i);
	sample(recorder, 2.05, "watts{psu=\"1\"}", RECORDER_UNKNOWN, 100);
	summary = recorder_summary(recorder, 1000000000, 2000000000, false);
	assert_true(figure(summary, "gauges", "watts{psu=\"1\"}", "mean") == 151.5);
	assert_true(figure(summary, "gauges", "watts{psu=\"1\"}", "min") == 150);
	recorder_free(recorder);
}

static void write_zone(const char *directory, const char *zone, const char *file, const char *text)
{
	FILE *stream;

	mkdir(TEXT_OF(128, "%s/%s", directory, zone), 0700);
	stream = fopen(TEXT_OF(192, "%s/%s/%s", directory, zone, file), "w");
	assert_non_null(stream);
	fputs(text, stream);
	fclose(stream);
}

static void take_rapl(struct rapl *rapl, struct recorder *recorder, double at_s)
{
	recorder_begin(recorder, (uint64_t)(at_s * 1e9));
	rapl_add(rapl, recorder);
	recorder_end(recorder, (uint64_t)(at_s * 1e9));
}

static void rapl_counts_joules_of_packages_beyond_its_range(void **state)
{
	struct recorder *recorder = recorder_new();
	char directory[] = "/tmp/test-rapl-XXXXXX";
	json_auto_t *summary = NULL;
	struct rapl rapl;

	(void)state;
	assert_non_null(mkdtemp(directory));
	write_zone(directory, "intel-rapl:0", "name", "package-0\n");
	write_zone(directory, "intel-rapl:0", "max_energy_range_uj", "100000000\n");
	write_zone(directory, "intel-rapl:0", "energy_uj", "90000000\n");
	write_zone(directory, "intel-rapl:0:0", "energy_uj", "1\n");
	rapl_open(&rapl, directory);
	assert_int_equal(rapl.count, 1);
	take_rapl(&rapl, recorder, 1);
	write_zone(directory, "intel-rapl:0", "energy_uj", "15000000\n");
	take_rapl(&rapl, recorder, 2);
	summary = recorder_summary(recorder, 1000000000, 2000000000, false);
	assert_true(figure(summary, "counters", "power/package-0/joules", "change") == 25);
	assert_true(fabs(figure(summary, "counters", "power/package-0/joules", "per_second") - 25) < 1e-9);
	recorder_free(recorder);
	for (size_t i = 0; i < 4; i++) {
		static const char *const files[] = { "0/name", "0/max_energy_range_uj", "0/energy_uj", "0:0/energy_uj" };

		unlink(TEXT_OF(128, "%s/intel-rapl:%s", directory, files[i]));
	}
	rmdir(TEXT_OF(128, "%s/intel-rapl:0", directory));
	rmdir(TEXT_OF(128, "%s/intel-rapl:0:0", directory));
	rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_counter_has_its_change_and_its_rate_within_the_trial),
		cmocka_unit_test(what_falls_is_a_gauge_unless_the_source_says_otherwise),
		cmocka_unit_test(a_counter_of_32_bits_that_wraps_goes_on),
		cmocka_unit_test(a_counter_that_is_reset_is_said_to_be),
		cmocka_unit_test(a_counter_without_a_first_or_last_value_did_not_do_nothing),
		cmocka_unit_test(a_gauge_is_of_the_time_under_load),
		cmocka_unit_test(a_gauge_that_is_called_after_lost_frames_is_a_counter_until_it_falls),
		cmocka_unit_test(a_reset_is_of_one_trial),
		cmocka_unit_test(a_name_is_of_a_gauge_by_a_word_of_it),
		cmocka_unit_test(the_last_sample_counts),
		cmocka_unit_test(samples_and_counters_are_bounded),
		cmocka_unit_test(power_is_that_while_frames_were_due),
		cmocka_unit_test(rapl_counts_joules_of_packages_beyond_its_range),
		cmocka_unit_test(a_program_is_asked_for_lines_of_json),
		cmocka_unit_test(a_program_that_starts_slowly_is_read_when_it_answers),
		cmocka_unit_test(an_answer_that_comes_too_late_is_of_no_later_sample),
		cmocka_unit_test(a_program_may_keep_its_own_pace),
		cmocka_unit_test(what_is_not_told_is_counted),
		cmocka_unit_test(what_is_called_after_a_loss_is_kept_first),
		cmocka_unit_test(a_name_that_is_not_utf_8_is_told_all_the_same),
		cmocka_unit_test(no_two_names_of_a_program_are_one),
		cmocka_unit_test(counters_that_are_not_read_are_counted),
		cmocka_unit_test(an_interface_of_snmp_is_known_by_its_name),
		cmocka_unit_test(interfaces_of_snmp_beyond_the_most_are_said_to_be_left_out),
		cmocka_unit_test(an_answer_of_http_is_believed_if_it_is_whole),
		cmocka_unit_test(a_value_of_an_earlier_time_is_left_out),
		cmocka_unit_test(a_hostile_program_costs_its_own_samples_alone),
	};

	stop_install();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
