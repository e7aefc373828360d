/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers with units: what is taken, what is not, and that what is written reads back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "base/exit_code.h"
#include "base/message.h"
#include "base/text_stream.h"
#include "base/units.h"

/* What is no number in any unit. */
static const char *const junk[] = { "",   " ",    "x",    "nan", "inf",   "-inf", "infinity", "+5",         " 5", "5 ",
				    "1e", "0x10", "-0x1", "1,5", "1.2.3", "--5",  "1e999",    "1e99999999", ".",  "-" };

static void refuses_junk(void **state)
{
	struct load_spec load;
	double number;

	(void)state;
	for (size_t i = 0; i < COUNT(junk); i++) {
		if (parse_number(junk[i], &number) || parse_ratio(junk[i], &number) || parse_duration(junk[i], &number) ||
		    parse_load(junk[i], &load))
			fail_msg("'%s' was taken", junk[i]);
	}
}

static void reads_numbers(void **state)
{
	static const struct {
		const char *text;
		double number;
	} cases[] = {
		{ "0", 0 }, { "12", 12 }, { "0.5", 0.5 }, { ".5", 0.5 }, { "1e-7", 1e-7 }, { "-3", -3 }, { "1E6", 1e6 }
	};
	double number;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_true(parse_number(cases[i].text, &number));
		assert_true(number == cases[i].number);
	}
}

static void reads_ratios(void **state)
{
	double ratio;

	(void)state;
	assert_true(parse_ratio("0.5%", &ratio) && fabs(ratio - 0.005) < 1e-18);
	assert_true(parse_ratio("0.005", &ratio) && ratio == 0.005);
	assert_true(parse_ratio("100%", &ratio) && ratio == 1);
	/* 7 of 1000 are 0.7 %, to the last bit, though 0.7 / 100 is less */
	assert_true(parse_ratio("0.7%", &ratio) && ratio == 7.0 / 1000);
	assert_true(parse_ratio("99.99%", &ratio) && ratio == 9999.0 / 10000);
	assert_true(parse_ratio("-1.1%", &ratio) && ratio == -0.011);
	assert_true(parse_ratio("1e1%", &ratio) && fabs(ratio - 0.1) < 1e-16);
	assert_false(parse_ratio("5%%", &ratio));
	assert_false(parse_ratio("5 %", &ratio));
	assert_false(parse_ratio("%", &ratio));
}

static void reads_durations(void **state)
{
	static const struct {
		const char *text;
		double duration_s;
	} cases[] = { { "60", 60 },      { "60s", 60 },  { "500ms", 0.5 }, { "2min", 120 },
		      { "100us", 1e-4 }, { "1h", 3600 }, { "1.5min", 90 } };
	double duration_s;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_true(parse_duration(cases[i].text, &duration_s));
		assert_true(fabs(duration_s - cases[i].duration_s) < 1e-12);
	}
	assert_true(parse_duration("0.7ms", &duration_s) && duration_s == 0.0007);
	assert_true(parse_duration("1.1us", &duration_s) && duration_s == 1.1e-6);
	assert_false(parse_duration("5sec", &duration_s));
	assert_false(parse_duration("5m", &duration_s));
	assert_false(parse_duration("5 s", &duration_s));
}

static void reads_loads(void **state)
{
	static const struct {
		const char *text, *spellings;
	} unclear[] = {
		{ "250k", "250kfps (frames a second) or 250kbps (bits a second)" },
		{ "10GB/s", "10Gfps (frames a second) or 10Gbps (bits a second)" }, /* octets? */
		{ "5Gps", "5Gfps (frames a second) or 5Gbps (bits a second)" },
		{ "7B", "7fps (frames a second) or 7bps (bits a second)" },
		{ "5 bananas", LOAD_FORMS },
		{ "many", LOAD_FORMS },
		{ "00000000000000000000005k", LOAD_FORMS },
	};
	static const struct {
		const char *text;
		enum load_unit unit;
		double value;
	} cases[] = {
		{ "250000", LOAD_FPS, 250000 },   { "250kfps", LOAD_FPS, 250000 },  { "1.5Mfps", LOAD_FPS, 1.5e6 },
		{ "7fps", LOAD_FPS, 7 },          { "1Gfps", LOAD_FPS, 1e9 },       { "5Gbps-l1", LOAD_BPS_L1, 5e9 },
		{ "5Gbps-l2", LOAD_BPS_L2, 5e9 }, { "3kbps-l2", LOAD_BPS_L2, 3e3 }, { "100Mbps-l1", LOAD_BPS_L1, 1e8 },
		{ "80%", LOAD_LINE_RATIO, 0.8 },  { "max", LOAD_MAX, 0 },           { "1.5Mpps", LOAD_FPS, 1.5e6 },
		{ "7pps", LOAD_FPS, 7 },          { "10G", LOAD_BPS_L1, 10e9 },     { "2.5G", LOAD_BPS_L1, 2.5e9 },
		{ "1Gbps", LOAD_BPS_L1, 1e9 },    { "100Mbps", LOAD_BPS_L1, 1e8 },  { "10M", LOAD_BPS_L1, 10e6 },
		{ "1Mbit/s", LOAD_BPS_L1, 1e6 },  { "100Mb/s", LOAD_BPS_L1, 1e8 },  { "10Gbit", LOAD_BPS_L1, 10e9 },
		{ "10g", LOAD_BPS_L1, 10e9 },     { "10kpps", LOAD_FPS, 1e4 },      { "2mpps", LOAD_FPS, 2e6 },
		{ "1gbps", LOAD_BPS_L1, 1e9 },    { "500Kbit", LOAD_BPS_L1, 5e5 },
	};
	char spellings[LOAD_SPELLINGS_SIZE];
	struct load_spec load;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_true(parse_load(cases[i].text, &load));
		assert_int_equal(load.unit, cases[i].unit);
		assert_true(fabs(load.value - cases[i].value) <= 1e-12 * cases[i].value);
	}
	for (size_t i = 0; i < COUNT(unclear); i++) {
		assert_false(parse_load(unclear[i].text, &load));
		assert_string_equal(load_spellings(unclear[i].text, LOAD_FORMS, spellings), unclear[i].spellings);
	}
	assert_false(parse_load("5%%", &load));
	assert_false(parse_load("5k%", &load));
	assert_false(parse_load("5GG", &load));
	assert_false(parse_load("maximum", &load));
}

/* 10 Gbit/s carry 14 880 952.38 frames of 64 octets, 812 743.8 of 1518. */
static void converts_loads(void **state)
{
	const struct load_spec l1 = { LOAD_BPS_L1, 10e9 }, l2 = { LOAD_BPS_L2, 512e6 };
	const struct load_spec half = { LOAD_LINE_RATIO, 0.5 }, plain = { LOAD_FPS, 123 };

	(void)state;
	assert_true(fabs(load_fps(&l1, 64, 0) - 10e9 / 672) < 1e-6);
	assert_true(fabs(load_fps(&l1, 1518, 0) - 10e9 / 12304) < 1e-6);
	assert_true(fabs(load_fps(&l2, 64, 0) - 1e6) < 1e-6);
	assert_true(load_fps(&half, 64, 1000) == 500);
	assert_true(load_fps(&half, 64, 0) == 0); /* line rate not known */
	assert_true(load_fps(&plain, 1518, 0) == 123);
	assert_true(load_is_absolute(&l1) && load_is_absolute(&l2) && load_is_absolute(&plain));
	assert_false(load_is_absolute(&half));
	assert_true(l1_bps(1, 64) == 672 && l2_bps(1, 64) == 512);
}

/* Random bit patterns: the text of each reads back as the very same number. */
static void written_numbers_read_back(void **state)
{
	char text[UNIT_TEXT_SIZE];

	(void)state;
	srandom(15);
	for (int i = 0; i < 100000; i++) {
		uint64_t bits = (uint64_t)random() << 42 ^ (uint64_t)random() << 21 ^ (uint64_t)random();
		double number, again;

		memcpy(&number, &bits, sizeof(number));
		if (!isfinite(number))
			continue;
		format_number(number, text);
		if (!parse_number(text, &again) || again != number)
			fail_msg("%a became '%s' (seed 15)", number, text);
	}
	assert_string_equal(format_number(0.005, text), "0.005");
	assert_string_equal(format_number(200000, text), "200000");
	assert_string_equal(format_number(0, text), "0");
}

static void writes_for_people(void **state)
{
	char text[UNIT_TEXT_SIZE];

	(void)state;
	assert_string_equal(format_si(998313.5, "fps", text), "998.3 kfps");
	assert_string_equal(format_si(999.96e3, "fps", text), "1.000 Mfps");
	assert_string_equal(format_si(1234567, "fps", text), "1.235 Mfps");
	assert_string_equal(format_si(5e9, "bit/s", text), "5.000 Gbit/s");
	assert_string_equal(format_si(12, "fps", text), "12.00 fps");
	assert_string_equal(format_percent(0.005, text), "0.5 %");
	assert_string_equal(format_clock(3723.9, text), "1:02:03");
	assert_string_equal(format_clock(123, text), "2:03");
	assert_string_equal(format_clock(0, text), "0:00");
}

static void finds_words_as_a_whole(void **state)
{
	(void)state;
	assert_true(is_one_of("veth", "veth macvlan tun"));
	assert_true(is_one_of("tun", "veth macvlan tun"));
	assert_true(is_one_of("vlan", "macvlan vlan"));
	assert_true(is_one_of("a", "aa a"));
	assert_false(is_one_of("vlan", "macvlan ipvlan2"));
	assert_false(is_one_of("", "veth tun"));
	assert_false(is_one_of("veth tun", "veth tun"));
}

static void texts_in_buffers_are_cut(void **state)
{
	char text[12] = "";

	(void)state;
	text_join(text, sizeof(text), ", ", "%s", "one");
	text_join(text, sizeof(text), ", ", "%d", 2);
	assert_string_equal(text, "one, 2");
	text_add(text, sizeof(text), "%c", '!');
	assert_string_equal(text, "one, 2!");
	text_join(text, sizeof(text), ", ", "%s", "three");
	assert_string_equal(text, "one, 2!, th");
	text_join(text, sizeof(text), ", ", "%s", "four");
	assert_string_equal(text, "one, 2!, th");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_junk),
		cmocka_unit_test(reads_numbers),
		cmocka_unit_test(reads_ratios),
		cmocka_unit_test(reads_durations),
		cmocka_unit_test(reads_loads),
		cmocka_unit_test(converts_loads),
		cmocka_unit_test(written_numbers_read_back),
		cmocka_unit_test(writes_for_people),
		cmocka_unit_test(finds_words_as_a_whole),
		cmocka_unit_test(texts_in_buffers_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
