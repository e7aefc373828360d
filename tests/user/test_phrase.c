/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a phrase says of an object, and that phrases that are cut short or empty do no harm. */
#include "../test.h"
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "render/parts.h"
#include "render/phrase.h"
#include "render/values.h"

static const char document[] = "{\"name\":\"t-a\",\"met\":true,\"lost\":0,\"sent\":1,\"p99_ns\":1500,\"none\":null,"
			       "\"sizes\":[64,512],\"vlans\":[{\"id\":5},{\"id\":0},{\"id\":7}]}";

static void assert_says(const char *phrase, const char *expected)
{
	json_t *object = json_loads(document, 0, NULL);
	char text[200];

	assert_non_null(object);
	assert_string_equal(phrase_write(text, sizeof(text), phrase, object), expected);
	json_decref(object);
}

static void test_holes(void **)
{
	assert_says("{name} sent {sent:count} frame{sent:s}, {lost:count} frame{lost:s} lost",
		    "t-a sent 1 frame, 0 frames lost");
	assert_says("p99 {p99_ns:ns} of {sizes}: {sizes:count}", "p99 1.50 \xc2\xb5s of 64, 512: 2");
	assert_says("{none:ns}{missing:count}{missing}", "\xe2\x80\x93\xe2\x80\x93");
	assert_says("{vlans/2/id:whole}", "7");
}

/* Three significant digits, more where the error bound beside the member says so, and none below the ns. */
static void test_digits(void **)
{
	static const struct {
		double ns, bound_ns;
		const char *text;
	} cases[] = {
		{ 123456.7, NAN, "123 \xc2\xb5s" },   { 123456.7, 3000, "123 \xc2\xb5s" },
		{ 123456.7, 40, "123.46 \xc2\xb5s" }, { 123456.7, 0.5, "123.457 \xc2\xb5s" },
		{ 40, NAN, "0.040 \xc2\xb5s" },       { 0, NAN, "0 \xc2\xb5s" },
		{ 999999, NAN, "1.00 ms" },           { 4919000, NAN, "4.92 ms" },
		{ 9999.6, NAN, "10.0 \xc2\xb5s" },    { 999999, 1, "999.999 \xc2\xb5s" },
		{ 999.9996e6, NAN, "1.00 s" },        { 99.96, NAN, "0.100 \xc2\xb5s" },
		{ 4919000, 40, "4.91900 ms" },        { 81919e6, NAN, "81.9 s" },
	};
	char text[VALUE_SIZE];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(text_ns_within(cases[i].ns, cases[i].bound_ns, text), cases[i].text);
}

/* A figure that is next to what was asked is never told as that. */
static void test_figures_beside_what_was_asked(void **)
{
	static const struct {
		double value, asked;
		enum text_kind kind;
		const char *text, *asked_text;
	} cases[] = {
		{ 0.0012, 0.001, TEXT_PERCENT, "0.12 %", "0.1 %" },
		{ 0.0010004, 0.001, TEXT_PERCENT, "0.10004 %", "0.1 %" },
		{ 0.99989999, 0.9999, TEXT_PERCENT, "99.989999 %", "99.99 %" },
		{ 0.001, 0.001, TEXT_PERCENT, "0.1 %", "0.1 %" },
		{ 0.001, NAN, TEXT_PERCENT, "0.1 %", DASH },
		{ NAN, 0.001, TEXT_PERCENT, DASH, "0.1 %" },
		{ 0.000500001, 0.0005, TEXT_PERCENT, "0.0500001 %", "0.05 %" },
		{ 5000000.2, 5000000, TEXT_NS, "5.0000002 ms", "5.00 ms" },
		{ 5001000, 4996000, TEXT_NS, "5.001 ms", "4.996 ms" },
		{ 5000000, 5000000, TEXT_NS, "5.00 ms", "5.00 ms" },
		{ 999999.9, 1000000, TEXT_NS, "0.9999999 ms", "1.00 ms" },
		{ 232.34, 232.3, TEXT_RATE, "232.34", "232.3" },
		{ 232.3, 232.34, TEXT_RATE, "232.30", "232.34" },
		{ 1000, 2000, TEXT_RATE, "1000", "2000" },
	};
	char text[VALUE_SIZE];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_string_equal(text_beside(cases[i].value, cases[i].asked, cases[i].kind, text), cases[i].text);
		assert_string_equal(text_asked(cases[i].asked, cases[i].kind, text), cases[i].asked_text);
	}
}

static void test_bounds_beside(void **)
{
	json_t *object = json_loads("{\"latency\":{\"p99_ns\":123456.7,\"pdv_p99_ns\":123456.7,\"ipdv_p99_ns\":123456.7,"
				    "\"error_bound_ns\":40,\"pdv_error_ns\":2}}",
				    0, NULL);
	char text[200];

	assert_string_equal(phrase_write(text, sizeof(text),
					 "{latency/p99_ns:ns}, {latency/pdv_p99_ns:ns}, {latency/ipdv_p99_ns:ns}", object),
			    "123.46 \xc2\xb5s, 123.457 \xc2\xb5s, 123 \xc2\xb5s");
	assert_string_equal(phrase_write(text, sizeof(text), "{p99_ns:ns}", json_object_get(object, "latency")),
			    "123.46 \xc2\xb5s");
	json_decref(object);
}

static void test_shares(void **)
{
	char text[VALUE_SIZE];

	assert_string_equal(text_percent(0.123456, text), "12.3 %");
	assert_string_equal(text_percent(0.005, text), "0.5 %");
	assert_string_equal(text_percent(0.99996, text), "99.996 %");
	assert_string_equal(text_percent(0.9999999999, text), "99.99999999 %");
	assert_string_equal(text_percent(1, text), "100 %");
	assert_string_equal(text_percent(12.345, text), "1234 %");
	assert_string_equal(text_percent(0, text), "0 %");
	assert_string_equal(text_percent(-0.0, text), "0 %");
	assert_string_equal(text_percent(-1e-18, text), "0 %");
	assert_string_equal(text_percent(-0.5, text), "-50 %");
	assert_string_equal(text_percent(2e-7, text), "0.0000200 %");
	assert_string_equal(text_percent(5.4321e-8, text), "0.00000543 %");
	assert_string_equal(text_growth(-1e-18, true, text), "0 %");
	assert_string_equal(text_seconds(0.99999, text), "1 s");
	assert_string_equal(text_seconds(86400, text), "86400 s");
}

/* Names of counters differ at their ends, and no character is cut. */
static void test_names_that_are_long(void **)
{
	static const char path[] = "/interfaces/interface[name=\u00e4\u00e4\u00e4]/state/counters/in-discards";
	char text[SHORT_SIZE];

	assert_string_equal(text_shortened(path, sizeof(path) - 1, text), path);
	assert_string_equal(text_shortened(path, 40, text), "/interfaces/i\u2026ate/counters/in-discards");
	for (size_t most = 4; most < sizeof(path) - 1; most++) {
		json_t *string = json_string(text_shortened(path, most, text));

		assert_non_null(string); /* it is UTF-8 */
		assert_in_range(json_string_length(string), 3, most);
		json_decref(string);
	}
}

static void test_counts_have_groups(void **)
{
	json_t *counts = json_pack("{s:i, s:i, s:i}", "received", 125287, "changed", 12345, "changed_ttl", 125287);
	char text[CHANGES_SIZE];

	assert_string_equal(text_changes(counts, text),
			    "Of 125" NARROW_SPACE "287 frames received, the SUT passed on 125" NARROW_SPACE
			    "287 with another TTL. Of these, 12" NARROW_SPACE "345 have a change that is not expected.");
	json_decref(counts);
}

static void test_what_is_missing_is_left_out(void **)
{
	assert_says("a[ {missing:ns}] b[ {name}[ {none}]]", "a b t-a");
	assert_says("[met? yes][!met? no][lost? lossy][!lost? clean]", "yesclean");
	assert_says("[name=t-a? A][name=t-b? B][!name=t-b? not B][met=true? T][met=false? F]", "Anot BT");
}

static void test_lists(void **)
{
	assert_says("VLAN <vlans|, |[id? {id:whole}]>.", "VLAN 5, 7.");
	assert_says("<missing|, |{id:whole}>", "");
}

static void test_what_is_cut(void **)
{
	char text[6];

	assert_string_equal(phrase_write(text, sizeof(text), "12345678", NULL), "12345");
	assert_says("{", "");
	assert_says("[", "");
	assert_says("<", "");
	assert_says("[{name", "t-a");
	assert_says("<vlans|", "");
	assert_says("<vlans", "");
}

static void test_conditions(void **)
{
	json_t *object = json_loads(document, 0, NULL);

	assert_true(phrase_holds("vlans", object));
	assert_true(phrase_holds("!lost", object));
	assert_true(phrase_holds("name=t-a", object));
	assert_false(phrase_holds("name=t-", object));
	assert_false(phrase_holds("none", object));
	json_decref(object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holes),
		cmocka_unit_test(test_digits),
		cmocka_unit_test(test_names_that_are_long),
		cmocka_unit_test(test_counts_have_groups),
		cmocka_unit_test(test_figures_beside_what_was_asked),
		cmocka_unit_test(test_bounds_beside),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_what_is_missing_is_left_out),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_what_is_cut),
		cmocka_unit_test(test_conditions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
