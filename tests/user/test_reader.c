/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers: what they hand back arrives as it was; what they may not do ends them; and what is no value is none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../test.h"
#include "base/reader.h"
#include "base/text_stream.h"
#include "base/yaml_read.h"

/* --- the process ---------------------------------------------------------------------------------------------------- */

static char error[256];

static enum exit_code ask(reader_parse *parse, void *context, int fd, json_t **ret)
{
	const struct reader_plan plan = {
		.parse = parse, .context = context, .fd = fd, .name = "file", .error = error, .error_size = sizeof(error)
	};

	*error = '\0';
	return reader_run(&plan, ret, NULL);
}

static enum exit_code parse_file(void *context, FILE *flat)
{
	int fd = *(int *)context;
	json_t *value = json_loadfd(fd, 0, NULL);

	if (!value)
		return refuse(EXIT_USAGE_ERROR, "file: no JSON");
	flat_write(flat, value);
	json_decref(value);
	return EXIT_DONE;
}

static json_t *read_through(const char *text, enum exit_code *ret_code)
{
	json_t *value = NULL;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], text, strlen(text)), strlen(text));
	close(fds[1]);
	*ret_code = ask(parse_file, fds, fds[0], &value);
	close(fds[0]);
	return value;
}

static void what_was_parsed_arrives_as_it_was(void **state)
{
	static const char text[] =
		"{\"a\": [1, -9223372036854775808, 0.1, 1e300, true, false, null, [], {}], \"\": \"\xc3\xa9\"}";
	enum exit_code code;
	json_t *value = read_through(text, &code), *same = json_loads(text, 0, NULL);

	(void)state;
	assert_int_equal(code, EXIT_DONE);
	assert_true(json_equal(value, same));
	json_decref(value);
	json_decref(same);
}

static void a_reason_arrives(void **state)
{
	enum exit_code code;

	(void)state;
	assert_null(read_through("{", &code));
	assert_int_equal(code, EXIT_USAGE_ERROR);
	assert_string_equal(error, "file: no JSON");
}

static enum exit_code open_socket(void *context, FILE *flat)
{
	(void)context;
	flat_write(flat, json_true());
	return socket(AF_INET, SOCK_DGRAM, 0) < 0 ? EXIT_DONE : refuse(EXIT_USAGE_ERROR, "it was opened");
}

static enum exit_code start_a_process(void *context, FILE *flat)
{
	(void)context;
	flat_write(flat, json_true());
	return fork() < 0 ? EXIT_DONE : refuse(EXIT_USAGE_ERROR, "it was started");
}

static enum exit_code die(void *context, FILE *flat)
{
	(void)context;
	flat_write(flat, json_true());
	fflush(flat);
	_exit(EXIT_DONE);
}

static void a_reader_that_dies_or_does_more_is_refused(void **state)
{
	json_t *value = NULL;

	(void)state;
	assert_int_equal(ask(die, NULL, -1, &value), EXIT_INCAPABLE);
	assert_string_equal(error, "file: the process that reads it has died");
#ifndef __SANITIZE_ADDRESS__ /* there is no filter then */
	assert_int_equal(ask(open_socket, NULL, -1, &value), EXIT_INCAPABLE);
	assert_string_equal(error, "file: the process that reads it has died");
	assert_int_equal(ask(start_a_process, NULL, -1, &value), EXIT_INCAPABLE);
	assert_string_equal(error, "file: the process that reads it has died");
#else
	(void)open_socket;
	(void)start_a_process;
#endif
	assert_null(value);
}

/* Whose it is, and which of our descriptors it has. */
static enum exit_code tell(void *context, FILE *flat)
{
	json_t *value = json_array();

	for (int fd = STDERR_FILENO + 1; fd < 64; fd++)
		if (lseek(fd, 0, SEEK_CUR) >= 0 || errno != EBADF)
			json_array_append_new(value, json_integer(fd));
	flat_write(flat, value);
	json_decref(value);
	return *(int *)context ? EXIT_DONE : EXIT_USAGE_ERROR;
}

static void it_has_two_descriptors(void **state)
{
	json_t *value = NULL;
	int fds[2], spare[2];

	(void)state;
	assert_int_equal(pipe(spare), 0);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(ask(tell, fds, fds[0], &value), EXIT_DONE);
	assert_int_equal(json_array_size(value), 2);
	assert_int_equal(json_integer_value(json_array_get(value, 0)), fds[0]);
	json_decref(value);
	for (size_t i = 0; i < 2; i++) {
		close(fds[i]);
		close(spare[i]);
	}
}

/* --- steps that a reader that was taken over may write ------------------------------------------------------------------ */

static char *steps;
static size_t length;
static FILE *stream;

static void begin(void)
{
	stream = text_stream_open(&steps, &length);
	assert_non_null(stream);
}

/* Whether the steps so far make a value. */
static bool makes_value(bool with_lines)
{
	struct flat_lines lines = { 0 };
	json_t *value;
	bool made;

	fclose(stream);
	stream = fmemopen(steps, length, "r");
	value = flat_read(stream, 1 << 20, with_lines ? &lines : NULL);
	made = value;
	json_decref(value);
	flat_lines_free(&lines);
	fclose(stream);
	free(steps);
	return made;
}

static void a_value_is_not_in_itself(void **state)
{
	(void)state;
	begin();
	flat_begin(stream, JSON_ARRAY);
	flat_again(stream, 0);
	flat_append(stream);
	flat_end(stream);
	assert_false(makes_value(true));
	/* [x] with [[x]] put into x, once that is complete */
	begin();
	flat_begin(stream, JSON_ARRAY);
	flat_begin(stream, JSON_ARRAY);
	flat_append(stream);
	flat_again(stream, 1);
	flat_again(stream, 1);
	flat_append(stream);
	flat_append(stream);
	flat_end(stream);
	assert_false(makes_value(true));
	/* what is good */
	begin();
	flat_begin(stream, JSON_ARRAY);
	flat_begin(stream, JSON_ARRAY);
	flat_append(stream);
	flat_again(stream, 1);
	flat_append(stream);
	flat_end(stream);
	assert_true(makes_value(true));
}

static void what_is_no_value_is_none(void **state)
{
	(void)state;
	begin();
	flat_end(stream);
	assert_false(makes_value(false));
	begin();
	flat_begin(stream, JSON_ARRAY);
	assert_false(makes_value(false)); /* without an end */
	begin();
	flat_text(stream, "a\0b", 3);
	flat_end(stream);
	assert_false(makes_value(false));
	begin();
	flat_text(stream, "\xff", 1);
	flat_end(stream);
	assert_false(makes_value(false));
	begin();
	flat_begin(stream, JSON_ARRAY);
	flat_begin(stream, JSON_ARRAY);
	flat_set(stream, "an array has no keys");
	flat_end(stream);
	assert_false(makes_value(false));
	begin();
	flat_append(stream);
	flat_end(stream);
	assert_false(makes_value(false));
	begin();
	flat_begin(stream, (json_type)77);
	flat_end(stream);
	assert_false(makes_value(false));
	begin();
	flat_begin(stream, JSON_ARRAY);
	flat_again(stream, 0); /* nobody asked for lines */
	flat_append(stream);
	flat_end(stream);
	assert_false(makes_value(false));
}

/* The value that stood there first would be gone, and its number would lead to it. */
static void a_key_stands_once(void **state)
{
	(void)state;
	begin();
	flat_begin(stream, JSON_OBJECT);
	flat_begin(stream, JSON_ARRAY);
	flat_set(stream, "a");
	flat_begin(stream, JSON_ARRAY);
	flat_set(stream, "a");
	flat_again(stream, 1);
	flat_set(stream, "b");
	flat_end(stream);
	assert_false(makes_value(true));
}

static enum exit_code hand_back_what_is_none(void *context, FILE *flat)
{
	flat_append(flat);
	for (int i = 0; i < 10000; i++)
		flat_line(flat, 1);
	return *(int *)context ? refuse(EXIT_USAGE_ERROR, "a reason behind it") : EXIT_DONE;
}

static void steps_without_an_end_are_no_verdict(void **state)
{
	json_t *value = NULL;

	(void)state;
	for (int refuses = 0; refuses < 2; refuses++) {
		assert_int_equal(ask(hand_back_what_is_none, &refuses, -1, &value), EXIT_INCAPABLE);
		assert_string_equal(error, "file: the process that reads it handed back no value");
		assert_int_equal(ask(hand_back_what_is_none, &refuses, -1, NULL), EXIT_INCAPABLE);
	}
	assert_null(value);
}

static void depth_has_a_limit(void **state)
{
	(void)state;
	begin();
	for (int i = 0; i < FLAT_DEPTH_MOST + 1; i++)
		flat_begin(stream, JSON_ARRAY);
	for (int i = 0; i < FLAT_DEPTH_MOST; i++)
		flat_append(stream);
	flat_end(stream);
	assert_false(makes_value(false));
	/* each holds the one before it */
	begin();
	flat_begin(stream, JSON_ARRAY);
	flat_begin(stream, JSON_ARRAY);
	flat_append(stream);
	for (size_t i = 1; i < FLAT_DEPTH_MOST + 1; i++) {
		flat_begin(stream, JSON_ARRAY);
		flat_again(stream, i);
		flat_append(stream);
		flat_append(stream);
	}
	flat_end(stream);
	assert_false(makes_value(true));
}

static void lines_of_values_and_keys(void **state)
{
	struct yaml_file file = { .path = "file" };
	const json_t *list;

	(void)state;
	assert_int_equal(yaml_file_read_text(&file, "a: &x {b: 1}\nc:\n  - *x\n  - 2\n"), EXIT_DONE);
	list = json_object_get(file.root, "c");
	assert_ptr_equal(json_array_get(list, 0), json_object_get(file.root, "a"));
	assert_int_equal(yaml_line(&file, json_array_get(list, 0)), 1);
	assert_int_equal(yaml_line(&file, json_array_get(list, 1)), 4);
	assert_int_equal(yaml_key_line(&file, file.root, "c"), 2);
	assert_int_equal(yaml_key_line(&file, file.root, "nothing"), 1);
	yaml_file_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_parsed_arrives_as_it_was),
		cmocka_unit_test(a_reason_arrives),
		cmocka_unit_test(a_reader_that_dies_or_does_more_is_refused),
		cmocka_unit_test(it_has_two_descriptors),
		cmocka_unit_test(a_value_is_not_in_itself),
		cmocka_unit_test(what_is_no_value_is_none),
		cmocka_unit_test(a_key_stands_once),
		cmocka_unit_test(steps_without_an_end_are_no_verdict),
		cmocka_unit_test(depth_has_a_limit),
		cmocka_unit_test(lines_of_values_and_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
