/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that anybody may have written is read within bounds of size and memory, and what is beyond them is no running out. */
#include "../test.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_file.h"
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
		cmocka_unit_test(documents_are_read_one_after_the_other),
		cmocka_unit_test(the_bound_is_of_one_document),
		cmocka_unit_test(memory_is_bounded_and_has_not_run_out),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
