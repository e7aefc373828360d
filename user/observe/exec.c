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
#include "observe/source.h"

#define LINE_MOST  (256 * 1024)
#define DEPTH_MOST 4

struct exec_state {
	struct child child;
	char *line; /* octets of the next line so far */
	size_t octets;
	bool is_too_long; /* the rest of this line is left out */
	json_t *latest;   /* the last whole line; NULL: none since it was taken */
	bool was_other;   /* a line was no JSON object */
};

static const char *exec_open(struct source *source)
{
	struct exec_state *state = calloc(1, sizeof(*state));
	int error = state && (state->line = malloc(LINE_MOST)) ? child_start(&state->child, source->argument) : -ENOMEM;

	if (error) {
		if (state)
			free(state->line);
		free(state);
		return source_refuse(source, "its command cannot be started: %s", strerror(-error));
	}
	source->state = state;
	return NULL;
}

static void exec_close(struct source *source)
{
	struct exec_state *state = source->state;

	child_end(&state->child, 0);
	json_decref(state->latest);
	free(state->line);
	free(state);
	source->state = NULL;
}

/* Add the values of a whole line. */
static void read_line(struct exec_state *state)
{
	json_t *line = state->is_too_long ? NULL : json_loadb(state->line, state->octets, JSON_REJECT_DUPLICATES, NULL);

	state->octets = 0;
	state->is_too_long = false;
	if (!json_is_object(line)) {
		state->was_other = true;
		json_decref(line);
		return;
	}
	json_decref(state->latest);
	state->latest = line;
}

static void read_octets(struct exec_state *state, const char *octets, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (octets[i] == '\n')
			read_line(state);
		else if (state->octets < LINE_MOST)
			state->line[state->octets++] = octets[i];
		else
			state->is_too_long = true;
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

static void add_members(struct recorder *recorder, const json_t *object, const char *above, bool gauges, int depth)
{
	json_each_member (key, value, object) {
		bool is_list = !*above && strcmp(key, "gauges") == 0 && json_is_object(value);
		char name[RECORDER_NAME_SIZE];

		if (is_list)
			snprintf(name, sizeof(name), "%s", "");
		else
			snprintf(name, sizeof(name), "%.100s%s%.50s", above, *above ? "/" : "", key);
		if (json_is_number(value))
			recorder_add(recorder, name, gauges ? RECORDER_GAUGE : RECORDER_UNKNOWN, json_number_value(value));
		else if (json_is_object(value) && depth < DEPTH_MOST)
			add_members(recorder, value, name, gauges || is_list, depth + 1);
	}
}

/* If the program does not read, the pipe is full, and it writes at its own pace. */
static void ask(const struct exec_state *state)
{
	ssize_t ignored = write(state->child.to_fd, "\n", 1);

	(void)ignored;
}

static const char *exec_take(struct source *source, struct recorder *recorder)
{
	struct exec_state *state = source->state;
	uint64_t deadline_ns = clock_ns() + (uint64_t)(SOURCE_TAKE_S * NS_PER_S), now_ns;
	struct pollfd file = { .fd = state->child.from_fd, .events = POLLIN };
	bool is_there = read_some(state);

	/* Lines that were written before say nothing of now. */
	json_decref(state->latest);
	state->latest = NULL;
	state->was_other = false;
	ask(state);
	while (is_there && !state->latest && !state->was_other && (now_ns = clock_ns()) < deadline_ns) {
		poll(&file, 1, (int)((deadline_ns - now_ns) / 1000000) + 1);
		is_there = read_some(state);
	}
	if (state->latest) {
		recorder_begin(recorder,
			       clock_ns()); /* A program that is slow, or just started, read its counters only now. */
		add_members(recorder, state->latest, "", false, 0);
		return NULL;
	}
	if (state->was_other)
		return "a line of it is no JSON object, or is too long";
	return is_there ? "no line came within a second"
			: source_refuse(source, "its command %s", child_fate(&state->child, ROOM(CHILD_FATE_SIZE)));
}

const struct source_ops source_exec = {
	.prefix = "exec:", .needs_privileges = true, .open = exec_open, .take = exec_take, .close = exec_close
};
