/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/runner.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/destination.h"
#include "base/exit_code.h"
#include "base/json_read.h"
#include "base/json_value.h"

#define FILE_POSITION "position"
#define FILE_NOTES    "notes"
#define FILE_IDLE     "idle"
#define NOTES_MAX     16 /* notes kept while no result can take them; older ones are dropped */

const char *keep_path(const struct appliance *appliance, const char *name, char buffer[FILES_PATH_SIZE])
{
	snprintf(buffer, FILES_PATH_SIZE, "%s/%s", appliance->places.state, name);
	return buffer;
}

static void write_state(struct appliance *appliance, const char *name, const json_t *value)
{
	size_t length;
	owned char *text = json_text(value, false, &length);
	int error =
		text ? file_replace(keep_path(appliance, name, ROOM(FILES_PATH_SIZE)), text, length, 0600, false) : -ENOMEM;

	if (error)
		appliance_say(appliance, "cannot write %s/%s: %s", appliance->places.state, name, strerror(-error));
}

static void remove_state(const struct appliance *appliance, const char *name)
{
	unlink(keep_path(appliance, name, ROOM(FILES_PATH_SIZE)));
}

/* --- the position ---------------------------------------------------------------------------------------------------- */

void keep_position(struct appliance *appliance, unsigned int run, time_t started)
{
	json_auto_t *position =
		json_with("run", run, "round", appliance->rounds.begun, "first_begun", appliance->rounds.first_begun,
			  "last_begun", appliance->rounds.last_begun, "started", started);

	write_state(appliance, FILE_POSITION, position);
}

void keep_no_position(const struct appliance *appliance)
{
	remove_state(appliance, FILE_POSITION);
}

bool keep_has_position(const struct appliance *appliance)
{
	return access(keep_path(appliance, FILE_POSITION, ROOM(FILES_PATH_SIZE)), F_OK) == 0;
}

struct position keep_read_position(const struct appliance *appliance)
{
	json_auto_t *object = json_load_file(keep_path(appliance, FILE_POSITION, ROOM(FILES_PATH_SIZE)), 0, NULL);
	struct position position = {
		.run = (unsigned int)read_integer(object, "run"),
		.round = (unsigned int)read_integer(object, "round"),
		.first_begun = (time_t)read_integer(object, "first_begun"),
		.last_begun = (time_t)read_integer(object, "last_begun"),
		.started = (time_t)read_integer(object, "started"),
	};

	return position;
}

/* --- notes ----------------------------------------------------------------------------------------------------------- */

void keep_note(struct appliance *appliance, const char *format, ...)
{
	char text[RECORD_LINE_MOST];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	appliance_say(appliance, "%s", text);
	if (json_array_size(appliance->pending_notes) == NOTES_MAX)
		json_array_remove(appliance->pending_notes, 0);
	json_array_append_new(appliance->pending_notes, json_string(text));
	write_state(appliance, FILE_NOTES, appliance->pending_notes);
}

void keep_no_notes(struct appliance *appliance)
{
	json_array_clear(appliance->pending_notes);
	remove_state(appliance, FILE_NOTES);
}

void keep_read_notes(struct appliance *appliance)
{
	appliance->pending_notes = json_load_file(keep_path(appliance, FILE_NOTES, ROOM(FILES_PATH_SIZE)), 0, NULL);
	if (!json_is_array(appliance->pending_notes)) {
		json_decref(appliance->pending_notes);
		appliance->pending_notes = json_array();
	}
}

/* --- idle ------------------------------------------------------------------------------------------------------------ */

void keep_idle(const struct appliance *appliance, bool idle)
{
	if (idle)
		file_replace(keep_path(appliance, FILE_IDLE, ROOM(FILES_PATH_SIZE)), "", 0, 0600, false);
	else
		remove_state(appliance, FILE_IDLE);
}
