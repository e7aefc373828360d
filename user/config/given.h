/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An option, and the values that were given for options.
 *
 * Values are collected first, from the command line and then from the file where the command line is silent, and read into
 * the configuration afterwards in the order of the table (options.c). So no value depends on the order it was given in.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"

struct given;

struct option {
	const char *name;     /* the long option, and the key in the file */
	char letter;          /* the short option, or 0 */
	const char *argument; /* what --help calls the value; NULL: a switch */
	unsigned int verbs;   /* a bit an enum verb */
	unsigned int flags;   /* enum option_flag */
	const char *fallback; /* the default, as a user would write it; NULL: none */
	const char *help;
	/* Read a value into the configuration. What follows is for it to use. */
	enum exit_code (*read)(const struct given *given, struct config *config);
	size_t offset;              /* of the field in struct config */
	double least, most;         /* range of numbers, both inclusive */
	const char *const *choices; /* NULL-terminated, in the order of the enum that the field is */
};

enum option_flag {
	OPTION_REPEATS = 1 << 0,      /* may be given several times */
	OPTION_COMMAND_LINE = 1 << 1, /* no key of the file */
	OPTION_OUTPUT = 1 << 2,       /* says where results go: not echoed */
	OPTION_LIST = 1 << 3, /* its parts are joined by commas: a second one would silently take the place of the first */
	OPTION_ACTS = 1 << 4, /* option_acts() */
};

/* The one option table: what the command line, the YAML file, --help and the echo in the result know of an option. */
extern const struct option options[];
extern const size_t option_count;

const char *algorithm_name(enum algorithm algorithm);
const char *direction_name(enum direction direction);
/* Whether the verb has the option. */
bool option_belongs(const struct option *option, enum verb verb);
/* Whether a value of it is a command that is run, a file that is opened, or a reason to be unsafe: what a result says of such,
 * which somebody may have sent, counts for nothing. */
bool option_acts(const struct option *option, const char *text);
#define NOT_FROM_A_RESULT "no command is run, no file opened and nothing unsafe done because a result says so"
/* By exact name; NULL if there is none. */
const struct option *option_find(const char *name);
/* ", did you mean '--x'?" or nothing, among the options of the verb. `dashes` is "--" or "". */
const char *option_hint(const char *name, enum verb verb, const char *dashes, char buffer[HINT_SIZE]);

/* A value, and where it was given. */
struct given {
	const struct option *option;
	char *text;
	const char *path; /* of the file; NULL: the command line, or the default */
	size_t line;
	bool fallback;
};

struct given_list {
	struct given *items;
	size_t count;
};

/* Copy a value into the list. An option that does not repeat may be given twice on the command line: the last one counts. */
enum exit_code given_add(struct given_list *list, const struct given *given);
const struct given *given_find(const struct given_list *list, const char *name);
/* Whether an option was given, and has not just its default. No list: it was not. */
bool given_by_user(const struct given_list *list, const char *name);
/* Whether it has this value. No list: it has not. */
bool given_says(const struct given_list *list, const char *name, const char *text);
/* Every text given for an option that repeats, in order: a new array; NULL without memory. */
json_t *given_texts(const struct given_list *list, const char *name);
void given_list_free(struct given_list *list);

/* Say what is wrong with a value: "--goal 'loss=2': ..." or "file.yaml:7: goal 'loss=2': ...". Returns EXIT_USAGE_ERROR. */
__attribute__((format(printf, 2, 3))) enum exit_code refuse_given(const struct given *given, const char *format, ...);

/* A load of the option of this name in frames/s, by the frame size and the measurer's line rate (0: not known).
 * EXIT_USAGE_ERROR for a share of a line rate that is not known. */
enum exit_code option_load_fps(const struct config *config, const char *option, const struct load_spec *load,
			       double line_rate_fps, double *ret_fps);

/* Hand each part of a text, between its commas, to `read` until one is refused. Parts are copies, and may be written to. */
#define LIST_SIZE 4096
typedef enum exit_code list_reader(const struct given *given, char *part, void *into);
enum exit_code read_list(const struct given *given, const char *text, list_reader *read, void *into);
