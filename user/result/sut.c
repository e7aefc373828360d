/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/flat.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/reader.h"
#include "base/stop.h"
#include "base/text_stream.h"
#include "config/given.h"
#include "config/stored.h"

#define TEXT_MOST   (256 * 1024) /* octets kept of one configuration */
#define COMMAND_S   60           /* longest time for one command */
#define END_GRACE_S 1

/* --- a text from outside -------------------------------------------------------------------------------------------- */

struct text {
	char *octets;
	size_t length;
	bool truncated;
	int error; /* errno of the last reading */
};

/* Read what is there now; false at the end of it, or once there is too much. */
static bool read_some(struct text *text, int fd)
{
	ssize_t count = read(fd, text->octets + text->length, TEXT_MOST - text->length);

	text->error = count < 0 && errno != EAGAIN && errno != EINTR ? errno : 0;
	if (count < 0)
		return !text->error;
	text->length += (size_t)count;
	text->truncated = text->length == TEXT_MOST;
	return count > 0 && !text->truncated;
}

/* Return the octets of the UTF-8 character that begins here, 0 if none does. */
static size_t character_length(const char *from, size_t left)
{
	for (size_t length = 1; length <= 4 && length <= left; length++) {
		json_t *string = json_stringn(from, length);

		json_decref(string);
		if (string)
			return length;
	}
	return 0;
}

/* Write the text in UTF-8. Octets that are none become U+FFFD. */
static void put_good(FILE *stream, const struct text *text)
{
	for (size_t i = 0; i < text->length;) {
		size_t octets = character_length(text->octets + i, text->length - i);

		fwrite(octets ? text->octets + i : "\xef\xbf\xbd", 1, octets ? octets : 3, stream);
		i += octets ? octets : 1;
	}
}

static json_t *text_json(const struct text *text)
{
	json_t *whole = json_stringn(text->octets, text->length);
	size_t length;
	owned char *good = whole ? NULL : TEXT_WRITTEN(stream, &length, put_good(stream, text));

	return good ? json_stringn(good, length) : whole;
}

/* It comes from the SUT, so a process without privileges looks at it. */
static enum exit_code convert(void *context, FILE *flat)
{
	json_auto_t *text = text_json(context);

	if (!text)
		return out_of_memory();
	flat_write(flat, text);
	return EXIT_DONE;
}

/* --- where it comes from -------------------------------------------------------------------------------------------- */

/* Read all that comes from a command or a file, until its end, or until the time is up. */
static enum exit_code listen_to(const struct given *given, int fd, struct text *ret)
{
	uint64_t end_ns = clock_ns() + COMMAND_S * (uint64_t)NS_PER_S;
	struct pollfd files[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = stop_fd(), .events = POLLIN },
	};

	do {
		uint64_t now_ns = clock_ns();

		if (stop_requested())
			return EXIT_INTERRUPTED;
		if (now_ns >= end_ns)
			return refuse_given(given, "it has not ended after %d s", COMMAND_S);
		poll(files, COUNT(files), (int)((end_ns - now_ns) / 1000000 + 1));
	} while (read_some(ret, fd)); /* A reading takes nothing if nothing is there yet. */
	return ret->error ? refuse_given(given, "%s", strerror(ret->error)) : EXIT_DONE;
}

static enum exit_code read_file(const struct given *given, struct text *ret)
{
	int fd = open(given->text, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	enum exit_code code;

	if (fd < 0)
		return refuse_given(given, "%s", strerror(errno));
	code = listen_to(given, fd, ret);
	close(fd);
	return code;
}

static enum exit_code run_command(const struct given *given, struct text *ret)
{
	struct child child = { 0 };
	int error = child_start(&child, given->text);
	char fate[CHILD_FATE_SIZE];
	enum exit_code code;

	if (error)
		return refuse_given(given, "cannot be started: %s", strerror(-error));
	close(child.to_fd); /* The command reads nothing. */
	child.to_fd = -1;
	code = listen_to(given, child.from_fd, ret);
	if (code == EXIT_DONE && !ret->truncated && strcmp(child_fate(&child, fate), "exited with status 0") != 0)
		code = stop_requested() ? EXIT_INTERRUPTED : refuse_given(given, "it %s", fate);
	child_end(&child, END_GRACE_S);
	return code;
}

/* --- the description ------------------------------------------------------------------------------------------------ */

/* Put one configuration onto the array. */
static enum exit_code add_configuration(json_t *configurations, const struct given *given, bool command)
{
	struct text text = { .octets = malloc(TEXT_MOST) };
	const struct reader_plan plan = { .parse = convert, .context = &text, .fd = -1, .name = given->text };
	json_t *converted = NULL;
	enum exit_code code;

	if (!text.octets)
		return out_of_memory();
	code = command ? run_command(given, &text) : read_file(given, &text);
	if (code == EXIT_INTERRUPTED)
		note("stopped before --%s '%s' had ended; what it said is not in the result", given->option->name,
		     given->text);
	if (code == EXIT_DONE)
		code = reader_run_through(&plan, &converted);
	if (code == EXIT_DONE)
		json_array_append_new(configurations, json_with("kind", command ? "command" : "file", "source", given->text,
								"truncated", text.truncated, "text", converted));
	if (code == EXIT_DONE && text.truncated)
		warn("--%s '%s': only the first %d octets are kept", given->option->name, given->text, TEXT_MOST);
	free(text.octets);
	return code;
}

/* Add each configuration that was given, in the given order. A dry run leaves out commands. A stop leaves out the current
 * command and those after it, and is no failure. The verb is then stopped before its first trial, and its result says so. */
static enum exit_code add_configurations(json_t *configurations, const struct config *config)
{
	const struct given_list *given_list = config->given;

	for (size_t i = 0; i < given_list->count; i++) {
		const struct given *given = &given_list->items[i];
		enum exit_code code = EXIT_DONE;

		if (strcmp(given->option->name, "sut-config") == 0)
			code = add_configuration(configurations, given, false);
		else if (strcmp(given->option->name, "sut-config-command") == 0 && !config->dry_run && !stop_requested())
			code = add_configuration(configurations, given, true);
		if (code != EXIT_DONE && code != EXIT_INTERRUPTED)
			return code;
	}
	return EXIT_DONE;
}

static void take_if_empty(json_t *list, const json_t *stored)
{
	if (!json_array_size(list))
		json_array_extend(list, (json_t *)stored);
}

enum exit_code report_sut(const struct config *config, json_t **ret)
{
	const struct given *given_name = given_find(config->given, "sut-name");
	json_auto_t *configurations = json_array(), *changes = given_texts(config->given, "sut-change"),
		    *notes = given_texts(config->given, "sut-note");
	const json_t *stored = config->measurer == MEASURER_REPLAY ? json_object_get(config->stored->document, "sut") : NULL;
	const char *name = given_name ? given_name->text : read_string(stored, "name");
	enum exit_code code = add_configurations(configurations, config);

	/* The SUT is the one that the stored search was told, unless it is told here. */
	take_if_empty(configurations, json_object_get(stored, "configuration"));
	take_if_empty(changes, json_object_get(stored, "changes"));
	take_if_empty(notes, json_object_get(stored, "notes"));
	if (code != EXIT_DONE ||
	    (!name && !json_array_size(configurations) && !json_array_size(changes) && !json_array_size(notes))) {
		if (code == EXIT_DONE)
			*ret = json_null();
		return code;
	}
	*ret = json_with("name", name, "configuration", json_incref(configurations), "changes", json_incref(changes),
			 "notes", json_incref(notes));
	return *ret ? EXIT_DONE : out_of_memory();
}
