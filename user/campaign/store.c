/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "campaign/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/destination.h"
#include "base/files.h"
#include "base/json_file.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/output.h"
#include "base/reader.h"

#define POINTS  "points"
#define JOURNAL "journal.jsonl"

/* --- paths and files ------------------------------------------------------------------------------------------------ */

static const char *store_path(const struct campaign *campaign, const char *name, char buffer[PATH_MAX])
{
	snprintf(buffer, PATH_MAX, "%s/%s", campaign->directory, name);
	return buffer;
}

const char *store_point_path(const struct campaign *campaign, size_t point, const char *ending, char buffer[PATH_MAX])
{
	snprintf(buffer, PATH_MAX, "%s/" POINTS "/%s%s", campaign->directory, campaign->names[point], ending);
	return buffer;
}

static enum exit_code make_directory(const char *path)
{
	if (mkdir(path, 0777) && errno != EEXIST)
		return refuse(EXIT_USAGE_ERROR, "cannot make the directory %s: %s", path, strerror(errno));
	return EXIT_DONE;
}

enum exit_code store_make(const struct campaign *campaign)
{
	char path[PATH_MAX];

	if (strlen(campaign->directory) > PATH_MAX - MLR_POINT_NAME_SIZE - sizeof(POINTS) - 16)
		return refuse(EXIT_USAGE_ERROR, "%s: the path of the results is too long", campaign->path);
	return make_directory(campaign->directory) ?: make_directory(store_path(campaign, POINTS, path));
}

enum exit_code store_write(const char *path, const char *text, size_t length)
{
	int error = file_replace(path, text, length, 0666, true);

	return error ? refuse(EXIT_INCAPABLE, "cannot write %s: %s", path, strerror(-error)) : EXIT_DONE;
}

char *store_last_line(const char *path, size_t *ret_length)
{
	char *last = NULL;
	owned char *line = NULL;
	struct json_file file;
	size_t size = 0;
	ssize_t length;

	if (json_file_open(path, &file))
		return NULL;
	while ((length = json_file_line(&file, &line, &size)) > 0 && line[length - 1] == '\n') {
		free(last);
		last = line;
		*ret_length = (size_t)length;
		line = NULL;
		size = 0;
	}
	json_file_close(&file);
	return last;
}

/* --- the journal ---------------------------------------------------------------------------------------------------- */

/* Whether the file ends within a line, which its writer did not survive. */
static bool ends_within_line(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char last;

	return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

static enum exit_code append(int fd, const char *path, const char *text, size_t length)
{
	enum exit_code code = EXIT_DONE;

	if (ends_within_line(fd))
		code = output_write_fd(fd, path, "\n", 1);
	if (code == EXIT_DONE)
		code = output_write_fd(fd, path, text, length);
	if (code == EXIT_DONE && fsync(fd))
		code = refuse(EXIT_INCAPABLE, "cannot write to %s: %s", path, strerror(errno));
	return code;
}

enum exit_code store_note(const struct campaign *campaign, json_t *event)
{
	char path[PATH_MAX];
	enum exit_code code;
	size_t length;
	owned char *text = NULL;
	int fd;

	checksum_set(event);
	text = json_text(event, false, &length);

	json_decref(event);
	if (!text)
		return out_of_memory();
	fd = open(store_path(campaign, JOURNAL, path), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0 || flock(fd, LOCK_EX)) {
		code = refuse(EXIT_INCAPABLE, "cannot write to %s: %s", path, strerror(errno));
	} else {
		code = append(fd, path, text, length);
	}
	if (fd >= 0)
		close(fd);
	return code;
}

/* --- locks ---------------------------------------------------------------------------------------------------------- */

int store_lock(const struct campaign *campaign, size_t point, double wait_s)
{
	return file_lock_patiently(store_point_path(campaign, point, ".lock", ROOM(PATH_MAX)), O_CREAT, 0666, wait_s);
}

void store_unlock(const struct campaign *campaign, size_t point, int fd)
{
	unlink(store_point_path(campaign, point, ".lock", ROOM(PATH_MAX))); /* before the lock goes */
	close(fd);
}

static bool is_locked(const struct campaign *campaign, size_t point)
{
	int fd = open(store_point_path(campaign, point, ".lock", ROOM(PATH_MAX)), O_RDONLY | O_CLOEXEC);
	bool locked;

	if (fd < 0)
		return false;
	locked = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return locked;
}

/* --- states --------------------------------------------------------------------------------------------------------- */

const char *point_state_name(enum point_state state)
{
	static const char *const names[] = {
		[POINT_WAITING] = "waiting", [POINT_INTERRUPTED] = "interrupted",
		[POINT_RUNNING] = "running", [POINT_FAILED] = "failed",
		[POINT_DONE] = "done",
	};

	return names[state];
}

/* Points by name, as numbers. */
static json_t *index_points(const struct campaign *campaign)
{
	json_t *index = json_object();

	for (size_t i = 0; i < campaign->point_count; i++)
		json_put(index, campaign->names[i], i);
	return index;
}

static void take_event(struct point_status *status, json_t *event)
{
	const char *name = read_text(event, "event");
	const json_t *exit_code = json_object_get(event, "exit_code");

	if (strcmp(name, "point_started") == 0) {
		status->attempts++;
		status->state = POINT_INTERRUPTED; /* unless something else follows */
	} else {
		status->state = strcmp(name, "point_failed") == 0 ? POINT_FAILED : POINT_INTERRUPTED;
		status->exit_code = json_is_integer(exit_code) ? (int)json_integer_value(exit_code) : -1;
	}
	json_decref(status->last);
	status->last = json_incref(event);
}

/* Whether a line that is no JSON ends as an event does: a crash leaves beginnings only. */
static bool ends_as_event(const char *line, size_t length)
{
	return length > 1 && strcmp(line + length - 2, "}\n") == 0;
}

/* Beginnings of events, which a crash may leave, count for nothing; and so do points that the matrix has no more. */
static enum exit_code read_journal(const struct campaign *campaign, const char *path, struct json_file *file,
				   struct point_status *states)
{
	enum exit_code code = EXIT_DONE;
	json_auto_t *index = index_points(campaign);
	owned char *line = NULL;
	size_t size = 0, number = 0;
	ssize_t length;

	while (code == EXIT_DONE && (length = json_file_line(file, &line, &size)) > 0) {
		json_auto_t *event = json_loadb(line, (size_t)length, 0, NULL);
		const json_t *found = json_object_get(index, read_text(event, "point"));

		number++;
		if (event ? !checksum_holds(event) : ends_as_event(line, (size_t)length))
			code = refuse(EXIT_USAGE_ERROR,
				      "%s:%zu: this line is not as it was written: its checksum (crc32) is another, or it "
				      "is no JSON; take it out, and what it says of an attempt counts no more (a point with "
				      "a result stays done)",
				      path, number);
		else if (found)
			take_event(&states[json_integer_value(found)], event);
	}
	if (file->exceeded)
		code = refuse(EXIT_USAGE_ERROR, "%s:%zu: %s", path, number + 1, file->exceeded);
	return code;
}

/* A journal, and the states that it makes. */
struct source {
	const struct campaign *campaign;
	const char *path;
	struct json_file *file;
	struct point_status *states;
};

/* In the reader: write the states of the points that were begun. */
static enum exit_code write_states(void *context, FILE *flat)
{
	const struct source *source = context;
	enum exit_code code = read_journal(source->campaign, source->path, source->file, source->states);
	json_auto_t *told = json_array();

	for (size_t i = 0; i < source->campaign->point_count; i++) {
		const struct point_status *status = &source->states[i];

		if (status->last)
			json_array_append_new(told,
					      json_with("point", i, "state", status->state, "attempts", status->attempts,
							"exit_code", status->exit_code, "last", json_incref(status->last)));
	}
	if (code == EXIT_DONE)
		flat_write(flat, told);
	return code;
}

/* Take over what the reader says. It may say anything. */
static void take_states(const json_t *told, const struct campaign *campaign, struct point_status *states)
{
	json_each (item, told) {
		size_t point = (size_t)read_integer(item, "point");
		json_int_t state = read_integer(item, "state");

		if (point >= campaign->point_count)
			continue;
		json_decref(states[point].last);
		states[point] = (struct point_status){
			.state = state == POINT_FAILED ? POINT_FAILED : POINT_INTERRUPTED,
			.attempts = (unsigned int)read_integer(item, "attempts"),
			.exit_code = (int)read_integer(item, "exit_code"),
			.last = json_incref(json_object_get(item, "last")),
		};
	}
}

static enum exit_code have_journal_read(const struct campaign *campaign, const char *path, struct json_file *file,
					struct point_status *states)
{
	struct source source = { campaign, path, file, calloc(campaign->point_count + 1, sizeof(*states)) };
	const struct reader_plan plan = { .parse = write_states, .context = &source, .fd = file->fd, .name = path };
	json_auto_t *told = NULL;
	enum exit_code code = source.states ? reader_run(&plan, &told, NULL) : out_of_memory();

	if (code == EXIT_DONE)
		take_states(told, campaign, states);
	store_states_free(campaign, source.states);
	return code;
}

static void settle(const struct campaign *campaign, size_t point, struct point_status *status)
{
	if (access(store_point_path(campaign, point, ".json", ROOM(PATH_MAX)), F_OK) == 0)
		status->state = POINT_DONE;
	else if (status->state == POINT_INTERRUPTED && is_locked(campaign, point))
		status->state = POINT_RUNNING;
}

enum exit_code store_states(const struct campaign *campaign, struct point_status **ret)
{
	struct point_status *states = calloc(campaign->point_count + 1, sizeof(*states));
	char path[PATH_MAX];
	struct json_file journal;
	int error;

	if (!states)
		return out_of_memory();
	for (size_t i = 0; i < campaign->point_count; i++)
		states[i].exit_code = -1;
	error = json_file_open(store_path(campaign, JOURNAL, path), &journal);
	if (error && error != -ENOENT) {
		free(states);
		return refuse(EXIT_USAGE_ERROR, "cannot read %s: %s", path, strerror(-error));
	}
	if (!error) {
		enum exit_code code = have_journal_read(campaign, path, &journal, states);

		json_file_close(&journal);
		if (code != EXIT_DONE) {
			store_states_free(campaign, states);
			return code;
		}
	}
	for (size_t i = 0; i < campaign->point_count; i++)
		settle(campaign, i, &states[i]);
	*ret = states;
	return EXIT_DONE;
}

void store_states_free(const struct campaign *campaign, struct point_status *states)
{
	for (size_t i = 0; states && i < campaign->point_count; i++)
		json_decref(states[i].last);
	free(states);
}
