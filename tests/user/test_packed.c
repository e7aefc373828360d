/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A packed list reads as the list that was packed, whatever is in it, and takes a part of its memory. */
#include "../test.h"
#include <glob.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "base/packed.h"
#include "config/stored.h"
#include "render/render.h"
#include "result/verify.h"

/* Members come and go, are of other types, and are in another order. */
static const char *const items[] = {
	"{\"load\": 1, \"counts\": {\"sent\": 1, \"lost\": 0}, \"ports\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}",
	"{\"load\": 2.5, \"counts\": {\"sent\": 7, \"lost\": 7}, \"ports\": [{\"name\": \"b\"}, {\"name\": null}]}",
	"{\"counts\": {\"sent\": 7, \"lost\": 7}, \"load\": 2.5, \"ports\": [{\"name\": \"b\"}, {\"name\": null}]}",
	"{\"load\": {\"counts\": 1}, \"counts\": {\"sent\": 7.0, \"lost\": 7}, \"ports\": []}",
	"{\"load\": 3, \"counts\": {\"sent\": 2}, \"ports\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}",
	"{}",
	"{\"load\": 4, \"counts\": {\"sent\": true, \"lost\": \"\"}, \"ports\": [{\"name\": 1}, {\"name\": 1}]}",
	"{\"load\": 5, \"counts\": {\"sent\": 5, \"lost\": 5}, \"ports\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}",
	"7",
	"null",
	"[[null, {\"load\": 1}], 2]", /* what a packed one looks like */
	"{\"load\": 6, \"counts\": [1, 2], \"ports\": [[[]], {}]}",
	"{\"load\": 7, \"counts\": [3, 3], \"ports\": [[[]], {}]}",
};

static json_t *packed(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < 3 * COUNT(items); i++)
		assert_int_equal(json_append_packed(list, json_loads(items[i % COUNT(items)], JSON_DECODE_ANY, NULL)), 0);
	return list;
}

/* As its text: members have their order. */
static void assert_item(const json_t *item, size_t at)
{
	json_auto_t *wanted = json_loads(items[at % COUNT(items)], JSON_DECODE_ANY, NULL);
	char *text = json_dumps(item, JSON_ENCODE_ANY), *wanted_text = json_dumps(wanted, JSON_ENCODE_ANY);

	assert_string_equal(text, wanted_text);
	free(text);
	free(wanted_text);
}

static void all_items_are_read(void **state)
{
	json_auto_t *list = packed();

	(void)state;
	assert_int_equal(json_array_size(list), 3 * COUNT(items));
	for (int round = 0; round < 2; round++)
		json_each (item, list)
			assert_item(item, item_at);
	for (size_t i = json_array_size(list); i-- > 0;) {
		json_auto_t *item = json_item(list, i);

		assert_item(item, i);
	}
	assert_null(json_item(list, json_array_size(list)));
	assert_int_equal(json_append_packed(list, NULL), -1);
}

/* Items, parts of them, and their texts. */
static void what_is_held_stays(void **state)
{
	json_t *list = packed(), *held[3 * COUNT(items)], *counts = NULL;
	const char *name;

	(void)state;
	json_each (item, list)
		held[item_at] = json_incref(item);
	for (size_t i = 0; i < COUNT(held); i++)
		assert_item(held[i], i);
	json_each (item, list)
		json_each (other, list)
			if (other_at + 1 == json_array_size(list))
				assert_item(item, item_at);
	name = read_text(json_array_get(json_object_get(held[1], "ports"), 0), "name");
	for (size_t i = 0; i < COUNT(held); i++)
		json_decref(held[i]);
	json_each (item, list)
		if (item_at == 1)
			counts = json_incref(json_object_get(item, "counts"));
	json_each (item, list)
		assert_item(item, item_at);
	assert_int_equal(read_integer(counts, "sent"), 7);
	assert_string_equal(name, "b");
	json_decref(list);
	assert_int_equal(read_integer(counts, "lost"), 7);
	json_decref(counts);
}

static void lists_are_compared_by_their_items(void **state)
{
	json_auto_t *list = packed(), *plain = json_array(), *a, *b;

	(void)state;
	json_each (item, list)
		json_array_append_new(plain, json_deep_copy(item));
	a = json_pack("{s:O}", "trials", list);
	b = json_pack("{s:O}", "trials", plain);
	assert_false(json_differ(a, b, "trials"));
	assert_false(json_differ(b, a, "trials"));
	json_object_set_new(json_array_get(plain, 1), "load", json_integer(2));
	assert_true(json_differ(a, b, "trials"));
	assert_true(json_differ(b, a, "trials"));
}

/* Trials as a search over a simulated SUT has them: each with loads and counts of its own, and much that is as before. */
static json_t *trial(size_t i)
{
	return json_pack("{s:f, s:i, s:f, s:{s:I, s:I, s:I, s:i, s:i, s:i, s:i}, s:b, s:n, s:{s:s, s:s, s:f, s:f}}",
			 "trial_load", 1e6 + (double)i, "trial_duration", 1, "trial_loss_ratio", 0.0, "counts", "intended",
			 (json_int_t)(1000000 + i), "sent", (json_int_t)(1000000 + i), "received", (json_int_t)(1000000 + i),
			 "lost", 0, "late", 0, "foreign", 0, "malformed", 0, "tester_limited", 0, "tester_limited_reason",
			 "decision", "goal", "ndr", "rule", "cheapest by the model", "lower_bound", 9e5 + (double)i,
			 "upper_bound", 2e6);
}

static size_t memory_of(bool packs)
{
	size_t before = memory_used(), used;
	json_t *list = json_array();

	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(packs ? json_append_packed(list, trial(i)) : json_array_append_new(list, trial(i)), 0);
	used = memory_used() - before;
	json_decref(list);
	assert_int_equal(memory_used(), before);
	return used;
}

static void it_takes_a_part_of_the_memory(void **state)
{
	size_t plain = memory_of(false), less = memory_of(true);

	(void)state;
	print_message("%zu octets of a trial, packed %zu\n", plain / 1000, less / 1000);
	assert_true(less < plain / 5);
}

/* What is said of a document, in a form. */
static char *said_of(const json_t *document, enum document_form form)
{
	size_t length;

	return render(document, form, (struct render_style){ .columns = 80, .explain = true, .whole = true }, &length);
}

/* Whoever reads trials reads packed ones right. */
static void documents_say_the_same(void **state)
{
	glob_t found;

	(void)state;
	assert_int_equal(glob("tests/golden/*.json", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		json_auto_t *plain = json_load_file(found.gl_pathv[i], 0, NULL), *document = NULL, *other = NULL, *wrong;

		assert_int_equal(stored_or_other(found.gl_pathv[i], &document, &other), EXIT_DONE);
		wrong = verify_document(document);
		assert_int_equal(json_array_size(wrong), 0);
		for (enum document_form form = 0; form <= DOCUMENT_JUNIT; form++) {
			char *of_plain = said_of(plain, form), *of_packed = said_of(document, form);

			assert_true(of_plain && of_packed && strcmp(of_plain, of_packed) == 0);
			free(of_plain);
			free(of_packed);
		}
	}
	globfree(&found);
}

static int watch(void **state)
{
	(void)state;
	memory_watch();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_items_are_read),
		cmocka_unit_test(what_is_held_stays),
		cmocka_unit_test(lists_are_compared_by_their_items),
		cmocka_unit_test(documents_say_the_same),
		cmocka_unit_test(it_takes_a_part_of_the_memory),
	};

	return cmocka_run_group_tests(tests, watch, NULL);
}
