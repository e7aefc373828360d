/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must hold for every page: well-formed markup, ids that are there once and are there at all when they are referred to;
 * and that a document may lack anything, or have it of another type, and is rendered all the same.
 */
#include "../test.h"
#include <ctype.h>
#include <glob.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json_text.h"
#include "base/memory.h"
#include "render/markup.h"
#include "render/render.h"
#include "render/svg.h"
#include "render/values.h"

#define DEPTH_MAX 32
#define NAME_SIZE 32

/* --- markup --------------------------------------------------------------------------------------------------------- */

/* What is open, innermost last; and every id seen. */
struct markup {
	char open[DEPTH_MAX][NAME_SIZE];
	size_t depth;
	json_t *ids;
};

static bool is_void(const char *name)
{
	static const char *const names[] = { "!DOCTYPE", "meta", "br", "hr", "path", "rect", "circle" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], name) == 0)
			return strcmp(name, "path") && strcmp(name, "rect") && strcmp(name, "circle");
	return false;
}

/* The value of an attribute within a tag; NULL if it has none. */
static char *attribute(const char *tag, size_t length, const char *name)
{
	char pattern[40], *whole = strndup(tag, length), *at, *value = NULL;

	snprintf(pattern, sizeof(pattern), " %s=\"", name);
	at = strstr(whole, pattern);
	if (at) {
		at += strlen(pattern);
		value = strndup(at, strcspn(at, "\""));
	}
	free(whole);
	return value;
}

static void note_id(struct markup *markup, const char *tag, size_t length)
{
	char *id = attribute(tag, length, "id");

	if (id) {
		if (json_object_get(markup->ids, id) || !*id || strpbrk(id, " <>"))
			fail_msg("id '%s' is there twice, or none", id);
		json_object_set_new(markup->ids, id, json_true());
	}
	free(id);
}

/* One tag, without its angle brackets. */
static void take_tag(struct markup *markup, const char *tag, size_t length)
{
	char name[NAME_SIZE];
	size_t name_length = strcspn(tag + (*tag == '/'), " >/");

	assert_true(name_length > 0 && name_length < sizeof(name));
	snprintf(name, sizeof(name), "%.*s", (int)name_length, tag + (*tag == '/'));
	note_id(markup, tag, length);
	if (*tag == '/') {
		assert_true(markup->depth > 0);
		assert_string_equal(markup->open[--markup->depth], name);
	} else if (tag[length - 1] != '/' && !is_void(name)) {
		assert_true(markup->depth < DEPTH_MAX);
		strcpy(markup->open[markup->depth++], name);
	}
}

static bool is_raw(const struct markup *markup)
{
	const char *top = markup->depth ? markup->open[markup->depth - 1] : "";

	return strcmp(top, "script") == 0 || strcmp(top, "style") == 0;
}

/* An "&" begins one of the entities that are used. */
static void check_entity(const char *text)
{
	static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

	for (size_t i = 0; i < sizeof(entities) / sizeof(*entities); i++)
		if (strncmp(text, entities[i], strlen(entities[i])) == 0)
			return;
	fail_msg("a bare '&': %.30s", text);
}

static void check_references(const struct markup *markup, const char *page, const char *pattern)
{
	for (const char *at = strstr(page, pattern); at; at = strstr(at + 1, pattern)) {
		const char *from = at + strlen(pattern);
		char *names = strndup(from, strcspn(from, "\"")), *rest = names, *name;

		while ((name = strsep(&rest, " ")))
			if (!json_object_get(markup->ids, name))
				fail_msg("%s%s leads nowhere", pattern, name);
		free(names);
	}
}

static void check_page(const char *page)
{
	struct markup markup = { .ids = json_object() };

	for (const char *at = page; *at;) {
		const char *end;

		if (*at == '&' && !is_raw(&markup))
			check_entity(at);
		if (*at != '<' || (is_raw(&markup) && at[1] != '/')) {
			assert_false(*at == '>' && !is_raw(&markup));
			at++;
			continue;
		}
		end = strchr(at, '>');
		assert_non_null(end);
		take_tag(&markup, at + 1, (size_t)(end - at - 1));
		at = end + 1;
	}
	assert_int_equal(markup.depth, 0);
	check_references(&markup, page, "href=\"#");
	check_references(&markup, page, "aria-labelledby=\"");
	json_decref(markup.ids);
}

/* --- documents ------------------------------------------------------------------------------------------------------ */

/* Nothing of a document moves a terminal's cursor, or makes it type. */
static void check_plain(const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
		assert_true(*at >= ' ' || *at == '\n');
		assert_int_not_equal(*at, 0x7f);
		assert_false(at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0);
	}
}

static void render_all(const json_t *document)
{
	for (enum document_form form = DOCUMENT_HTML; form <= DOCUMENT_JUNIT; form++) {
		size_t length;
		char *text = render(document, form, (struct render_style){ .explain = true }, &length);

		assert_non_null(text);
		assert_int_equal(strlen(text), length);
		if (form == DOCUMENT_HTML)
			check_page(text);
		if (form == DOCUMENT_JUNIT)
			check_page(strchr(text, '\n')); /* without the line that says that it is XML */
		if (form == DOCUMENT_TEXT)
			check_plain(text);
		free(text);
	}
}

static void for_each_golden(void (*visit)(json_t *document))
{
	glob_t found;

	assert_int_equal(glob("tests/golden/*.json", 0, NULL, &found), 0);
	assert_true(found.gl_pathc >= 5);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		json_t *document = json_load_file(found.gl_pathv[i], 0, NULL);

		assert_non_null(document);
		visit(document);
		json_decref(document);
	}
	globfree(&found);
}

static void render_golden(json_t *document)
{
	render_all(document);
}

static void test_golden_pages_are_well_formed(void **state)
{
	(void)state;
	for_each_golden(render_golden);
}

/* Columns of a line of UTF-8. */
static size_t line_columns(const char *line, size_t length)
{
	size_t columns = 0;

	for (size_t i = 0; i < length; i++)
		columns += ((unsigned char)line[i] & 0xc0) != 0x80;
	return columns;
}

/* Whatever is in the document fits a terminal's lines, but for commands, which are to be copied, and words. */
static void render_narrow(json_t *document)
{
	for (unsigned int columns = 60; columns <= 200; columns += 20) {
		struct render_style style = { .explain = true, .columns = columns };
		size_t length;
		char *text = render(document, DOCUMENT_TEXT, style, &length);

		assert_non_null(text);
		for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
			size_t octets = strcspn(line, "\n");

			if (memchr(line + strspn(line, " "), ' ', octets - strspn(line, " ")) &&
			    (strncmp(line, "    ", 4) != 0 || line[4] == ' '))
				assert_in_range(line_columns(line, octets), 0, columns);
		}
		free(text);
	}
}

static void test_texts_fit_the_terminal(void **state)
{
	(void)state;
	for_each_golden(render_narrow);
}

/* A text has what a screenful needs; who looks something up has a page, and who asks how it came about --explain. */
static void test_texts_leave_to_pages_what_is_for_them(void **state)
{
	json_t *document = json_load_file("tests/golden/search-1-xdp.json", 0, NULL);
	size_t length;
	char *brief = render(document, DOCUMENT_TEXT, (struct render_style){ 0 }, &length);
	char *explained = render(document, DOCUMENT_TEXT, (struct render_style){ .explain = true }, &length);
	char *page = render(document, DOCUMENT_MARKDOWN, (struct render_style){ 0 }, &length);

	(void)state;
	assert_non_null(strstr(page, "Traffic Profile"));
	assert_null(strstr(explained, "Traffic Profile"));
	assert_non_null(strstr(explained, "Why this trial"));
	assert_null(strstr(brief, "Why this trial"));
	assert_non_null(strstr(brief, "299973.8 frames/s; L2 "));
	free(brief);
	free(explained);
	free(page);
	json_decref(document);
}

/* What may stand where something else was expected. */
static json_t *stranger(int which)
{
	switch (which) {
	case 0:
		return NULL; /* nothing at all */
	case 1:
		return json_null();
	case 2:
		return json_string("<&\"'>\x01\x1b]0;x\x7f\xc2\x9b | text");
	case 3:
		return json_real(-1e300);
	case 4:
		return json_pack("[{s:[i,n,{}]}, i, s, []]", "a b\"<", 1, 2, "three");
	default:
		return json_pack("{s:{s:n}, s:[], s:s}", "deep", "er", "none", "name", "x");
	}
}

#define STRANGERS 6

/* The members that were spoilt in every way, in an earlier document of the kind. */
static json_t *spoilt;

/* In every way the first time; in each further document of its kind it is missing. */
static int strangers_of(const char *path)
{
	if (json_object_get(spoilt, path))
		return 1;
	json_object_set_new(spoilt, path, json_true());
	return STRANGERS;
}

static void spoil(json_t *document, json_t *value, const char *path, int depth);

/* Put strangers in the place of each member in turn, and render; then put it right again. */
static void spoil_members(json_t *document, json_t *object, const char *path, int depth)
{
	json_t *members = json_copy(object), *value;
	const char *key;

	json_object_foreach (members, key, value) {
		char member[256];
		int strangers;

		snprintf(member, sizeof(member), "%s.%s", path, key);
		strangers = strangers_of(member);
		for (int which = 0; which < strangers; which++) {
			json_t *strange = stranger(which);

			if (strange)
				json_object_set_new(object, key, strange);
			else
				json_object_del(object, key);
			render_all(document);
		}
		json_object_set(object, key, value);
		spoil(document, value, member, depth - 1);
	}
	json_decref(members);
}

static void spoil(json_t *document, json_t *value, const char *path, int depth)
{
	if (depth == 0)
		return;
	if (json_is_object(value))
		spoil_members(document, value, path, depth);
	else if (json_array_size(value))
		spoil(document, json_array_get(value, 0), path, depth - 1);
}

/* A few trials are enough, and many times faster. */
static void shorten(json_t *array, size_t count)
{
	while (json_array_size(array) > count)
		json_array_remove(array, json_array_size(array) - 1);
}

static void spoil_golden(json_t *document)
{
	json_t *sizes = json_object_get(document, "frame_sizes"), *test;
	const char *name;

	shorten(json_object_get(document, "trials"), 4);
	shorten(json_object_get(document, "time_line"), 4);
	shorten(sizes, 1);
	json_object_foreach (json_array_get(sizes, 0), name, test)
		shorten(json_object_get(test, "trials"), 1);
	spoil(document, document, json_string_value(json_object_get(document, "schema")), 4);
}

static void test_anything_may_be_missing(void **state)
{
	(void)state;
	spoilt = json_object();
	for_each_golden(spoil_golden);
	json_decref(spoilt);
}

static void test_kinds_that_have_no_page_of_their_own(void **state)
{
	json_t *document = json_pack("{s:s, s:{s:i}, s:[{s:s}]}", "schema", "xdp-mlr/unheard-of/7", "some_thing_ns", "a", 1,
				     "list", "b", "c");
	size_t length;
	char *text;

	(void)state;
	render_all(document);
	text = render(document, DOCUMENT_MARKDOWN, (struct render_style){ 0 }, &length);
	assert_non_null(strstr(text, "| Some thing (ns) | a 1 |"));
	free(text);
	json_decref(document);
}

/* --- values --------------------------------------------------------------------------------------------------------- */

/* In place of the C library's: the n-th one finds no room. */
static unsigned int until_refused;

void *reallocarray(void *memory, size_t count, size_t size)
{
	return until_refused && --until_refused == 0 ? NULL : realloc(memory, count * size);
}

/* Each is refused in a process of its own, which then has run out of memory; until one asks no more often. */
static void test_what_lacks_memory_is_not_taken_for_whole(void **state)
{
	json_t *document = json_load_file("tests/golden/search-1-xdp.json", 0, NULL);
	bool refused = true;
	size_t length;

	(void)state;
	for (unsigned int n = 1; refused; n++) {
		pid_t child = fork();
		int status;

		assert_true(child >= 0);
		if (!child) {
			char *whole = render(document, DOCUMENT_TEXT, (struct render_style){ .explain = true }, &length),
			     *text;

			until_refused = n;
			text = render(document, DOCUMENT_TEXT, (struct render_style){ .explain = true }, &length);
			if (until_refused)
				_exit(2);
			_exit(memory_ran_out() || !text || strcmp(text, whole) == 0 ? 0 : 1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 1);
		refused = WEXITSTATUS(status) == 0;
		assert_true(refused || n > 5);
	}
	json_decref(document);
}

static void test_numbers(void **state)
{
	char text[VALUE_SIZE], unit[VALUE_SIZE];

	(void)state;
	assert_string_equal(text_number(0, 0, text), "0");
	assert_string_equal(text_number(9001, 1, text), "9001");
	assert_string_equal(text_number(-0.04, 1, text), "0");
	assert_string_equal(text_number(-0.06, 1, text), "-0.1");
	assert_string_equal(text_number(100.04, 2, text), "100.04");
	assert_string_equal(text_number(12345, 0, text), "12\u202f345");
	assert_string_equal(text_number(-1234567.891, 2, text), "-1\u202f234\u202f567.89");
	assert_string_equal(text_number(999999.96, 1, text), "1\u202f000\u202f000");
	assert_string_equal(text_number(NAN, 1, text), "\u2013");
	text_split(1003326.9, "frames/s", text, unit);
	assert_string_equal(text, "1.003");
	assert_string_equal(unit, "Mframes/s");
	assert_string_equal(text_label("p99_9_ns", text), "P99.9 (ns)");
	assert_string_equal(text_label("frame_size_octets", text), "Frame size (octets)");
	assert_string_equal(text_label("nic_tx_dropped", text), "NIC TX dropped");
	assert_string_equal(text_label("", text), "");
	assert_string_equal(text_percent(9.996, text), "1000 %");
	assert_string_equal(text_percent(9.99, text), "999 %");
	assert_string_equal(text_percent(-9.996, text), "-1000 %");
	assert_string_equal(text_change(-3e-5, text), "-0.003 %");
	assert_string_equal(text_change(-0.03, text), "-3.00 %");
	assert_string_equal(text_change(-1e-12, text), "+0.00 %");
}

static void test_escaping(void **state)
{
	size_t length;
	char *text = NULL;
	FILE *stream = open_memstream(&text, &length);

	(void)state;
	markup_escape(stream, "<a b=\"c\" d='e'>&amp;\x01\n\u00fc");
	fclose(stream);
	assert_string_equal(text, "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;\uFFFD\n\u00fc");
	free(text);
}

static void test_axes(void **state)
{
	struct svg_panel panel = { 100,  0, 200, 100, { .min = 0, .max = 10 }, { .scale = SVG_LOG, .min = 1, .max = 100 },
				   false };
	struct svg_axis axis = { .scale = SVG_LOG };

	(void)state;
	assert_float_equal(svg_x(&panel, 5), 200, 1e-9);
	assert_float_equal(svg_y(&panel, 10), 50, 1e-9);
	panel.y.zero_lane = true;
	assert_true(svg_y(&panel, 0) > svg_y(&panel, 1));
	assert_true(svg_y(&panel, 0) < 100);
	svg_axis_none(&axis);
	svg_axis_cover(&axis, 0); /* has no place on this scale */
	svg_axis_cover(&axis, 3e-4);
	svg_axis_cover(&axis, 0.2);
	svg_axis_round(&axis);
	assert_float_equal(axis.min, 1e-4, 1e-12);
	assert_float_equal(axis.max, 1, 1e-9);
	axis = (struct svg_axis){ .min = 7, .max = 7 };
	svg_axis_pad(&axis, 0.1);
	assert_true(axis.min < 7 && axis.max > 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_pages_are_well_formed),
		cmocka_unit_test(test_texts_fit_the_terminal),
		cmocka_unit_test(test_texts_leave_to_pages_what_is_for_them),
		cmocka_unit_test(test_anything_may_be_missing),
		cmocka_unit_test(test_kinds_that_have_no_page_of_their_own),
		cmocka_unit_test(test_what_lacks_memory_is_not_taken_for_whole),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_escaping),
		cmocka_unit_test(test_axes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
