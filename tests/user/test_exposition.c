// SPDX-License-Identifier: GPL-2.0-or-later
/* What Prometheus exporters say, and SNMP agents of interfaces. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "base/exit_code.h"
#include "observe/exposition.h"
#include "observe/if_mib.h"

#define VALUES_MOST 32

struct values {
	struct {
		char name[RECORDER_NAME_SIZE + 1];
		enum recorder_kind kind;
		double value, at_ms;
	} list[VALUES_MOST];
	size_t count, wrong;
};

static void take(const char *name, enum recorder_kind kind, double value, double at_ms, void *context)
{
	struct values *values = context;

	assert_true(values->count < VALUES_MOST);
	snprintf(values->list[values->count].name, sizeof(values->list[0].name), "%s", name);
	values->list[values->count].kind = kind;
	values->list[values->count].at_ms = at_ms;
	values->list[values->count++].value = value;
}

static int read_text(const char *text, struct values *ret)
{
	*ret = (struct values){ .count = 0 };
	return exposition_read(text, strlen(text), take, ret, &ret->wrong);
}

static double value_of(const struct values *values, const char *name)
{
	for (size_t i = 0; i < values->count; i++)
		if (strcmp(values->list[i].name, name) == 0)
			return values->list[i].value;
	return NAN;
}

static void a_text_of_an_exporter(void **state)
{
	struct values values;

	(void)state;
	assert_int_equal(read_text("# HELP drops Frames dropped, by \"place\".\n"
				   "# TYPE drops counter\n"
				   "drops{place=\"a b\",x=\"}\\\"\"} 4812 1395066363000\n"
				   "drops_total 7 # {trace=\"1\"} 1\n"
				   "\n"
				   "# TYPE heat gauge\r\n"
				   "heat -1.5e+1\r\n"
				   "loose 3 1395066363.5\n"
				   "bad NaN\n"
				   "# TYPE size histogram\n"
				   "size_bucket{le=\"1\"} 1\n"
				   "size_count 1\n"
				   "after +Inf\n"
				   "# EOF\n",
				   &values),
			 6);
	assert_true(value_of(&values, "drops{place=\"a b\",x=\"}\\\"\"}") == 4812);
	assert_int_equal(values.list[0].kind, RECORDER_COUNTER);
	assert_true(values.list[0].at_ms == 1395066363000);
	assert_true(value_of(&values, "drops_total") == 7 && isnan(values.list[1].at_ms));
	assert_int_equal(values.list[1].kind, RECORDER_COUNTER);
	assert_true(value_of(&values, "heat") == -15);
	assert_int_equal(values.list[2].kind, RECORDER_GAUGE);
	assert_int_equal(values.list[3].kind, RECORDER_UNKNOWN);
	assert_true(values.list[3].at_ms == 1395066363500); /* in seconds, as OpenMetrics has it */
	assert_true(isnan(value_of(&values, "size_count")));
}

static void cpus_and_backlogs_of_node_exporter_have_the_names_of_local(void **state)
{
	struct values values;

	(void)state;
	assert_true(read_text("# TYPE node_cpu_seconds_total counter\n"
			      "node_cpu_seconds_total{cpu=\"1\",mode=\"idle\"} 1000\n"
			      "node_cpu_seconds_total{cpu=\"1\",mode=\"user\"} 5\n"
			      "node_cpu_seconds_total{cpu=\"1\",mode=\"nice\"} 1\n"
			      "node_cpu_seconds_total{cpu=\"1\",mode=\"softirq\"} 3\n"
			      "node_softnet_dropped_total{cpu=\"1\"} 42\n",
			      &values) > 0);
	assert_true(value_of(&values, "cpu1/programs") == 6);
	assert_true(value_of(&values, "cpu1/busy") == 9);
	assert_true(value_of(&values, "softnet/cpu1/dropped") == 42);
}

/* An exporter that tells of several machines says so by a label more. What they do is not added up, nor taken for one's. */
static void cpus_of_several_machines_are_not_one(void **state)
{
	struct values values;

	(void)state;
	assert_int_equal(read_text("node_cpu_seconds_total{cpu=\"1\",mode=\"user\",node=\"a\"} 5\n"
				   "node_cpu_seconds_total{cpu=\"1\",mode=\"user\",node=\"b\"} 7\n"
				   "node_softnet_dropped_total{cpu=\"1\",node=\"a\"} 3\n"
				   "node_softnet_dropped_total{cpu=\"1\",node=\"b\"} 42\n",
				   &values),
			 4);
	assert_int_equal(values.count, 4);
	assert_true(value_of(&values, "node_cpu_seconds_total{cpu=\"1\",mode=\"user\",node=\"b\"}") == 7);
	assert_true(value_of(&values, "node_softnet_dropped_total{cpu=\"1\",node=\"b\"}") == 42);
}

/* Labels are a set: exporters may write them in any order, and with blanks between all tokens. */
static void a_series_has_one_name_however_it_is_written(void **state)
{
	static const char *const lines[] = {
		"drops{place=\"a, b\",x=\"}\\\"\"} 5\n",
		"drops{x=\"}\\\"\",place=\"a, b\"} 5\n",
		"  drops { x = \"}\\\"\" ,\tplace=\"a, b\" , } \t 5 1395066363000\r\n",
		"{ x=\"}\\\"\", \"drops\", place=\"a, b\" }5\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct values values;

		if (read_text(lines[i], &values) != 1)
			fail_msg("%s", lines[i]);
		assert_string_equal(values.list[0].name,
				    i < 3 ? "drops{place=\"a, b\",x=\"}\\\"\"}" : "{\"drops\",place=\"a, b\",x=\"}\\\"\"}");
	}
}

static void a_name_that_is_too_long_is_cut_behind_what_a_recorder_takes(void **state)
{
	char text[4 * RECORDER_NAME_SIZE];
	struct values values;

	(void)state;
	for (size_t labels = 0; labels < 100; labels += 33) {
		strcpy(text, "x{");
		for (size_t i = 0; i < labels; i++)
			snprintf(text + strlen(text), 8, "l%02zu=\"\"", i), strcat(text, ",");
		strcat(text, "} 1\n");
		assert_int_equal(read_text(text, &values), 1);
		assert_int_equal(strlen(values.list[0].name) == RECORDER_NAME_SIZE, labels > 33);
	}
}

/* What is of a family has its name and, perhaps, an end of its type. Another metric may begin alike. */
static void a_type_is_of_its_family_alone(void **state)
{
	struct values values;

	(void)state;
	assert_int_equal(read_text("# TYPE rx summary\n"
				   "rx{quantile=\"0.5\"} 1\nrx_sum 1\nrxq_drop_total 7\nrx_count 1\nrx_total 8\n"
				   "# TYPE q counter\nq_total 9\nq_created 1\nq_depth 2\n"
				   "  #  TYPE  \"a.b\"  gauge\n{\"a.b\"} 3\n",
				   &values),
			 6);
	assert_true(value_of(&values, "rxq_drop_total") == 7 && value_of(&values, "rx_total") == 8);
	assert_int_equal(values.list[0].kind, RECORDER_UNKNOWN);
	assert_int_equal(values.list[2].kind, RECORDER_COUNTER); /* q_total */
	assert_int_equal(values.list[4].kind, RECORDER_UNKNOWN); /* q_depth */
	assert_int_equal(values.list[5].kind, RECORDER_GAUGE);
}

static void a_wrong_line_costs_itself(void **state)
{
	static const char zero[] = "a 1\nb{c=\"\0\"} 2\n";
	struct values values;

	(void)state;
	assert_int_equal(read_text("a 1\n   \n\t\nb{c=\"d\" 2\nc 3\nd 4x\ne 5\n", &values), 3);
	assert_int_equal(values.wrong, 2);
	assert_true(value_of(&values, "e") == 5);
	values = (struct values){ .count = 0 };
	assert_int_equal(exposition_read(zero, sizeof(zero) - 1, take, &values, &values.wrong), 1);
	assert_int_equal(values.wrong, 1);
}

static void what_is_no_such_text_is_refused(void **state)
{
	static const char *const texts[] = { "<html>\n",
					     "a",
					     "a{b=\"c\" 1\n",
					     "a x\n",
					     "a 1e\n",
					     " 5\n",
					     "{\"a\": 1}\n",
					     "a{b} 1\n",
					     "a{b=c} 1\n",
					     "a{\"b\"} 1\n",
					     "{} 1\n",
					     "{\"\"} 1\n",
					     "a{b=\"c\"d=\"e\"} 1\n",
					     "a 1\n<p>\n<p>\n" };
	struct values values;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		if (read_text(texts[i], &values) >= 0)
			fail_msg("taken: %s", texts[i]);
}

static const struct if_mib_column discards = { "ifInDiscards", false, 13 }, names = { "ifName", true, 1 };

static void a_request_is_a_message_of_snmp_version_2c(void **state)
{
	static const uint8_t expected[] = {
		0x30, 40, 0x02, 1, 1,    0x04, 6, 'p',  'u', 'b', 'l',  'i', 'c',  0xa5, 27,   0x02,  4,
		1,    2,  3,    4, 0x02, 1,    0, 0x02, 1,   16,  0x30, 13,  0x30, 11,   0x06, 9 - 2, 0x2b,
	};
	uint8_t message[IF_MIB_MESSAGE_MOST];
	size_t octets = if_mib_request("public", 0x01020304, &discards, 300, message);

	(void)state;
	assert_int_equal(message[1], octets - 2);
	assert_memory_equal(message + 2, expected + 2, 12);
	assert_memory_equal(message + 15, expected + 15, 12);
	/* 1.3.6.1.2.1.2.2.1.13.300 */
	assert_memory_equal(message + octets - 15, "\x06\x0b\x2b\x06\x01\x02\x01\x02\x02\x01\x0d\x82\x2c\x05\x00", 15);
	assert_int_equal(if_mib_request("", 1, &discards, 0, message), 0);
}

/* ifInDiscards.300 = 4812, and the next column's first. */
static const uint8_t answer[] = {
	0x30, 66,   0x02, 1, 1,    0x04, 6, 'p',  'u',  'b',  'l',  'i',  'c',  0xa2, 53,   0x02, 4,
	1,    2,    3,    4, 0x02, 1,    0, 0x02, 1,    0,    0x30, 39,   0x30, 17,   0x06, 11,   0x2b,
	6,    1,    2,    1, 2,    2,    1, 13,   0x82, 0x2c, 0x41, 2,    0x12, 0xcc, 0x30, 18,   0x06,
	10,   0x2b, 6,    1, 2,    1,    2, 2,    1,    14,   1,    0x41, 4,    0,    0,    0,    9,
};

static void an_answer_has_the_rows_of_its_column(void **state)
{
	struct if_mib_row rows[IF_MIB_ROWS];
	uint8_t copy[sizeof(answer)];

	(void)state;
	assert_int_equal(if_mib_answer(answer, sizeof(answer), 0x01020304, &discards, rows), 1);
	assert_int_equal(rows[0].index, 300);
	assert_int_equal(rows[0].value, 4812);
	assert_false(rows[0].is_64);
	memcpy(copy, answer, sizeof(copy));
	*(uint8_t *)memchr(copy, 0x41, sizeof(copy)) = 0x46;
	assert_int_equal(if_mib_answer(copy, sizeof(copy), 0x01020304, &discards, rows), 1);
	assert_true(rows[0].is_64);
	assert_int_equal(if_mib_answer(answer, sizeof(answer), 0x01020304, &names, rows), 0);
	assert_int_equal(if_mib_answer(answer, sizeof(answer), 5, &discards, rows), -1);
	for (size_t octets = 0; octets < sizeof(answer); octets++)
		assert_int_equal(if_mib_answer(answer, octets, 0x01020304, &discards, rows), -1);
	/* whatever one octet says, it is read within the message */
	for (size_t i = 0; i < sizeof(answer); i++) {
		memcpy(copy, answer, sizeof(copy));
		copy[i] ^= 0xff;
		if_mib_answer(copy, sizeof(copy), 0x01020304, &discards, rows);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_of_an_exporter),
		cmocka_unit_test(cpus_and_backlogs_of_node_exporter_have_the_names_of_local),
		cmocka_unit_test(cpus_of_several_machines_are_not_one),
		cmocka_unit_test(a_series_has_one_name_however_it_is_written),
		cmocka_unit_test(a_name_that_is_too_long_is_cut_behind_what_a_recorder_takes),
		cmocka_unit_test(a_type_is_of_its_family_alone),
		cmocka_unit_test(a_wrong_line_costs_itself),
		cmocka_unit_test(what_is_no_such_text_is_refused),
		cmocka_unit_test(a_request_is_a_message_of_snmp_version_2c),
		cmocka_unit_test(an_answer_has_the_rows_of_its_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
