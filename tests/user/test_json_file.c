/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that anybody may have written is read within bounds of size and memory, and what is beyond them is no running out. */
#include "../test.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/json_file.h"
#include "base/json_text.h"
#include "base/memory.h"

#define LINE_OCTETS 100000

static char path[] = "/tmp/json_file.XXXXXX";

/* A document of an array, then a small one; a line each. */
static void write_file(void)
{
	FILE *stream = fopen(path, "w");

	fputs("[0", stream);
	for (int i = 0; i < LINE_OCTETS / 2; i++)
		fputs(",0", stream);
	fputs("]\n{\"small\": 1}\n", stream);
	assert_int_equal(fclose(stream), 0);
}

static void open_file(struct json_file *file, size_t octets_most, size_t memory_most)
{
	assert_int_equal(json_file_open(path, file), 0);
	file->octets_most = octets_most ? octets_most : file->octets_most;
	file->memory_most = memory_most ? memory_used() + memory_most : file->memory_most;
}

static void documents_are_read_one_after_the_other(void **state)
{
	struct json_file file;
	json_t *document;

	(void)state;
	open_file(&file, 0, 0);
	document = json_file_next(&file);
	assert_int_equal(json_array_size(document), LINE_OCTETS / 2 + 1);
	json_decref(document);
	document = json_file_next(&file);
	assert_int_equal(json_object_size(document), 1);
	json_decref(document);
	assert_null(json_file_next(&file));
	assert_null(file.exceeded);
	json_file_close(&file);
}

/* The file is of more octets than one of its documents may be, and is read. */
static void the_bound_is_of_one_document(void **state)
{
	struct json_file file;

	(void)state;
	for (int i = 0; i < 2; i++) {
		char *line = NULL;
		size_t size = 0;

		open_file(&file, i ? LINE_OCTETS + 8192 : LINE_OCTETS / 2, 0);
		if (i) {
			assert_int_equal(json_file_line(&file, &line, &size), LINE_OCTETS + 4);
			assert_int_equal(json_file_line(&file, &line, &size), strlen("{\"small\": 1}\n"));
		}
		assert_true(json_file_line(&file, &line, &size) < 0);
		assert_int_equal(!file.exceeded, i);
		free(line);
		json_file_close(&file);
	}
	open_file(&file, LINE_OCTETS / 2, 0);
	assert_null(json_file_next(&file));
	assert_non_null(file.exceeded);
	json_file_close(&file);
}

static void memory_is_bounded_and_has_not_run_out(void **state)
{
	size_t before = memory_used();
	struct json_file file;
	json_t *document;

	(void)state;
	open_file(&file, 0, LINE_OCTETS);
	assert_null(json_file_next(&file));
	assert_non_null(strstr(file.exceeded, "memory"));
	json_file_close(&file);
	assert_false(memory_ran_out());
	assert_int_equal(memory_used(), before); /* nothing of it is kept */
	document = json_pack("{s:i}", "as", 1);  /* and what is made is not bounded */
	assert_non_null(document);
	json_decref(document);
}

/* Documents as they may be, and as they may not. */
static const char *const texts[] = {
	"{\"trials\": [{\"a\": 1}, {\"a\": 2}], \"b\": 12}",
	" \t\r\n{ \"trials\" : [ { \"a\" : 1 } , 2 , 3.5 ] , \"b\" : 1e3 , \"c\" : true } ",
	"{\"trials\":[1,-2,null,\"\\u00e4\u00e4\",[],{}],\"b\":-0.5,\"c\":null}",
	"{\"trials\": []}",
	"{\"trials\": {\"trials\": [{}]}}",
	"{\"trials\": 7}",
	"{\"\": \"\", \"\u00e4\": \"]}\\\"\"}",
	"{}",
	"[{\"trials\": [{}]}, 1]",
	"{\"trials\": [{}], \"trials\": [{}]}",
	"{\"trials\": [{\"a\": 1, \"a\": 1}]}",
	"{\"a\": 1, \"a\": 1}",
	"{\"trials\": [{}",
	"{\"trials\": [{},]}",
	"{\"trials\": [,{}]}",
	"{\"trials\": [{} {}]}",
	"{\"trials\": [{}}",
	"{\"trials\": [1 2]}",
	"{\"trials\": [{\"a\"}]}",
	"{\"trials\": [\xff]}",
	"{\"trials\": [}",
	"{\"trials\": [",
	"{\"trials\": ",
	"{\"trials\"",
	"{\"trials\" []}",
	"{\"trials\": []",
	"{\"a\": 1,}",
	"{\"a\": 1 \"b\": 2}",
	"{\"a\": 01}",
	"{\"a\": 1.}",
	"{\"a\": tru}",
	"{\"a\": truee}",
	"{\"a\": 1\u00e4}",
	"{\"a\": \"\\u0000\"}",
	"{\"a\\u0000\": 1}",
	"{1: 2}",
	"{a: 2}",
	"{,}",
	"{\f}",
	"{",
	"}",
	"7",
	"\"text\"",
	"\xef\xbb\xbf{}",
	"",
};

/* Trials are read one by one, and a document is still what jansson takes it for, with what stands behind it left to be read. */
static void a_document_is_what_jansson_takes_it_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		FILE *stream = fopen(path, "w");
		json_auto_t *wanted = json_loads(texts[i], JSON_REJECT_DUPLICATES, NULL), *document, *next;
		char *text, *wanted_text = wanted ? json_text(wanted, false, NULL) : NULL;
		struct json_file file;

		fprintf(stream, "%s\n{\"next\": 1}\n", texts[i]);
		assert_int_equal(fclose(stream), 0);
		open_file(&file, 0, 0);
		document = json_file_next(&file);
		text = document ? json_text(document, false, NULL) : NULL;
		if (wanted_text && text)
			assert_string_equal(text, wanted_text);
		if (!wanted_text != !text && *texts[i])
			fail_msg("%s", texts[i]);
		next = document ? json_file_next(&file) : NULL;
		assert_int_equal(json_object_size(next), document && *texts[i]);
		assert_true(!document || json_file_ended(&file));
		json_file_close(&file);
		free(text);
		free(wanted_text);
	}
	write_file();
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	memory_watch();
	write_file();
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_document_is_what_jansson_takes_it_for),
		cmocka_unit_test(documents_are_read_one_after_the_other),
		cmocka_unit_test(the_bound_is_of_one_document),
		cmocka_unit_test(memory_is_bounded_and_has_not_run_out),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
