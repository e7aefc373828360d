/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a phrase says of an object, and that phrases that are cut short or empty do no harm. */
#include "../test.h"
#include <jansson.h>
#include <string.h>

#include "render/phrase.h"

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
	assert_says("p99 {p99_ns:ns} of {sizes}: {sizes:count}", "p99 1.500 \xc2\xb5s of 64, 512: 2");
	assert_says("{none:ns}{missing:count}{missing}", "\xe2\x80\x93\xe2\x80\x93");
	assert_says("{vlans/2/id:whole}", "7");
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
		cmocka_unit_test(test_holes),      cmocka_unit_test(test_what_is_missing_is_left_out),
		cmocka_unit_test(test_lists),      cmocka_unit_test(test_what_is_cut),
		cmocka_unit_test(test_conditions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
