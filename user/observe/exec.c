/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of a program of the user's, which runs as long as the tester: each line of its standard output is a JSON object of
 * numbers. Each line on its standard input asks for one; it may also write them at a pace of its own. Names within objects are
 * joined by slashes, and what stands in an object "gauges" may fall.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/json_read.h"
#include "base/message.h"
#include "base/reader.h"
#include "observe/source.h"

#define LINE_MOST  (256 * 1024)
#define DEPTH_MOST 4 /* objects above the one of a counter */

struct line {
	char *octets; /* LINE_MOST */
	size_t count;
	bool is_too_long; /* The rest of it is left out. */
};

struct exec_state {
	struct child child;
	struct line next, latest; /* the next line so far, and the last whole one */
	bool has_latest;          /* It came since a sample was asked for. */
	bool is_owed;             /* The last question has no answer yet. */
};

static void free_state(struct exec_state *state)
{
	free(state->next.octets);
	free(state->latest.octets);
	free(state);
}

static const char *exec_open(struct source *source)
{
	struct exec_state *state = calloc(1, sizeof(*state));
	int error = -ENOMEM;

	if (state && (state->next.octets = malloc(LINE_MOST)) && (state->latest.octets = malloc(LINE_MOST)))
		error = child_start_guarded(&state->child, source->argument);
	if (error) {
		if (state)
			free_state(state);
		return source_refuse(source, "its command cannot be started: %s", strerror(-error));
	}
	source->state = state;
	return NULL;
}

static void exec_close(struct source *source)
{
	struct exec_state *state = source->state;

	child_end(&state->child, 0);
	free_state(state);
	source->state = NULL;
}

/* Keep a whole line in place of the one before. The answer to a question that nobody waits for any more says nothing of now. */
static void end_line(struct exec_state *state)
{
	struct line before = state->latest;

	state->latest = state->next;
	state->has_latest = !state->is_owed;
	state->is_owed = false;
	state->next = (struct line){ .octets = before.octets };
}

static void read_octets(struct exec_state *state, const char *octets, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct line *next = &state->next;

		if (octets[i] == '\n')
			end_line(state);
		else if (next->count < LINE_MOST)
			next->octets[next->count++] = octets[i];
		else
			next->is_too_long = true;
	}
}

/* Read what is there; of a program that writes without end, as much as one line may have. False at its end. */
static bool read_some(struct exec_state *state)
{
	char octets[16384];
	size_t all = 0;

	while (all < LINE_MOST) {
		ssize_t count = read(state->child.from_fd, octets, sizeof(octets));

		if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
			return false;
		if (count < 0)
			return true;
		read_octets(state, octets, (size_t)count);
		all += (size_t)count;
	}
	return true;
}

/* Count the numbers in a value that is not read. */
static size_t count_numbers(const json_t *value)
{
	size_t count = json_is_number(value);

	json_each (item, value)
		count += count_numbers(item);
	json_each_member (key, member, value)
		count += count_numbers(member);
	return count;
}

static void add_members(struct recorder *recorder, const json_t *object, const char *above, bool gauges, int depth)
{
	json_each_member (key, value, object) {
		bool is_list = !*above && strcmp(key, "gauges") == 0 && json_is_object(value);
		char name[RECORDER_NAME_SIZE + 1]; /* One that is cut, and all below it, are too long for the recorder. */

		if (is_list)
			snprintf(name, sizeof(name), "%s", "");
		else
			snprintf(name, sizeof(name), "%s%s%s", above, *above ? "/" : "", key);
		if (json_is_number(value))
			recorder_add(recorder, name, gauges ? RECORDER_GAUGE : RECORDER_UNKNOWN, json_number_value(value));
		else if (json_is_object(value) && depth < DEPTH_MOST)
			add_members(recorder, value, name, gauges || is_list, depth + 1);
		else
			recorder_omit(recorder, RECORDER_NO_NAME, count_numbers(value));
	}
}

/* If the program does not read, the pipe is full, and it writes at its own pace. */
static void ask(const struct exec_state *state)
{
	ssize_t ignored = write(state->child.to_fd, "\n", 1);

	(void)ignored;
}

/* Have the last line parsed: the program may show what others wrote, and this process has privileges. */
static const char *add_latest(const struct line *latest, struct recorder *recorder)
{
	json_auto_t *values = NULL;

	recorder_begin(recorder, clock_ns()); /* A program that is slow, or just started, read its counters only now. */
	if (!latest->is_too_long)
		values = reader_json(latest->octets, latest->count, JSON_REJECT_DUPLICATES);
	if (!json_is_object(values))
		return "a line of it is no JSON object, or is too long";
	add_members(recorder, values, "", false, 0);
	return NULL;
}

static const char *exec_take(struct source *source, struct recorder *recorder)
{
	struct exec_state *state = source->state;
	uint64_t deadline_ns = clock_ns() + (uint64_t)(SOURCE_TAKE_S * NS_PER_S), now_ns;
	struct pollfd file = { .fd = state->child.from_fd, .events = POLLIN };
	bool is_there = read_some(state);

	state->has_latest = false; /* Lines that were written before say nothing of now. */
	ask(state);
	while (is_there && !state->has_latest && (now_ns = clock_ns()) < deadline_ns) {
		poll(&file, 1, (int)((deadline_ns - now_ns) / 1000000) + 1);
		is_there = read_some(state);
	}
	if (state->has_latest)
		return add_latest(&state->latest, recorder);
	state->is_owed = true;
	return is_there ? "no line came within a second"
			: source_refuse(source, "its command %s", child_fate(&state->child, ROOM(CHILD_FATE_SIZE)));
}

const struct source_ops source_exec = {
	.prefix = "exec:", .needs_privileges = true, .open = exec_open, .take = exec_take, .close = exec_close
};
