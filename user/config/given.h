/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header has the table of options, and the values that were given for them. The list owns copies of all values.
 * Values are collected first, and then read into the configuration in the order of the table (options.c).
 *
 * They come from the command line, and then from the file where the command line gives none. So no value depends on the
 * order in which it was given.
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
	const char *argument; /* the name of the value in --help; NULL: a switch */
	unsigned int verbs;   /* one bit for each enum verb */
	unsigned int flags;   /* flags of enum option_flag */
	const char *fallback; /* the default of most verbs (option_fallback()); NULL: none */
	const char *help;
	const char *group; /* the heading in --help of this option and of those after it; NULL: that of the option before */
	/* Read a value into the configuration. It uses the members below. */
	enum exit_code (*read)(const struct given *given, struct config *config);
	size_t offset;              /* offset of the field in struct config */
	double least, most;         /* range of numbers, both inclusive */
	const char *const *choices; /* ends with NULL, in the order of the enum of the field */
};

enum option_flag {
	OPTION_REPEATS = 1 << 0,      /* The option may be given several times. */
	OPTION_COMMAND_LINE = 1 << 1, /* The option is no key of the configuration file. */
	OPTION_OUTPUT = 1 << 2,       /* The option says where results go, so it is not echoed. */
	OPTION_LIST = 1 << 3,         /* a list with commas: a second value would replace the first without notice */
	OPTION_ACTS = 1 << 4,         /* see option_acts() */
	OPTION_USUAL = 1 << 5,        /* most users want it, so --help shows it without =all */
	OPTION_WRITES = 1 << 6,       /* The option names a file that is written. */
	OPTION_READS = 1 << 7,        /* The option names a file that is read, and that must not be written. */
	OPTION_OF_SEARCH = 1 << 8,    /* The option is part of what a search is: a stored search alone gives it. */
};

/* The only option table. Command line, YAML file, --help and the echo in the result are made from it. */
extern const struct option options[];
extern const size_t option_count;

const char *algorithm_name(enum algorithm algorithm);
const char *direction_name(enum direction direction);
/* Return the default of an option for a verb, as a user would write it; NULL: none. */
const char *option_fallback(const struct option *option, enum verb verb);
/* Whether the verb has the option. */
bool option_belongs(const struct option *option, enum verb verb);
/* Whether a value is a command that is run, a file that is opened, or a reason to be unsafe. Such values are ignored in
 * results, because somebody else may have sent them. */
bool option_acts(const struct option *option, const char *text);
#define NOT_FROM_A_RESULT "no command is run, no file opened and nothing unsafe done because a result says so"
/* Return the option with exactly this name, or NULL. */
const struct option *option_find(const char *name);
/* Write the names of the verbs that have it, with commas between. */
#define VERBS_SIZE 512
#define VERBS_ROOM ROOM(VERBS_SIZE)
const char *option_verbs(const struct option *option, char buffer[VERBS_SIZE]);
/* Write ", did you mean '--x'?" or nothing, from the options of the verb. `dashes` is "--" or "". */
const char *option_hint(const char *name, enum verb verb, const char *dashes, char buffer[HINT_SIZE]);

/* A value, with the place where it was given. */
struct given {
	const struct option *option;
	char *text;
	const char *path; /* the path of the file; NULL: the command line, or the default */
	size_t line;
	bool fallback;
};

struct given_list {
	struct given *items;
	size_t count;
};

/* Copy a value into the list. If the command line has an option twice that does not repeat, the last one counts. */
enum exit_code given_add(struct given_list *list, const struct given *given);
const struct given *given_find(const struct given_list *list, const char *name);
/* Whether an option was given, and does not just have its default. False without a list. */
bool given_by_user(const struct given_list *list, const char *name);
/* Whether an option has this value. False without a list. */
bool given_says(const struct given_list *list, const char *name, const char *text);
/* Return the texts of an option that repeats, in order, as a new array. NULL without memory. */
json_t *given_texts(const struct given_list *list, const char *name);
void given_list_free(struct given_list *list);

/* Report what is wrong with a value: "--goal 'loss=2': ..." or "file.yaml:7: goal 'loss=2': ...". Returns
 * EXIT_USAGE_ERROR. */
__attribute__((format(printf, 2, 3))) enum exit_code refuse_given(const struct given *given, const char *format, ...);

/* Convert a load of the option of this name to frames/s, by the frame size and the measurer's line rate (0: not known).
 * EXIT_USAGE_ERROR for a share of an unknown line rate. */
enum exit_code option_load_fps(const struct config *config, const char *option, const struct load_spec *load,
			       double line_rate_fps, double *ret_fps);

/* Call `read` for each part of a text between its commas, until it refuses one. Parts are copies that may be written to. */
#define LIST_SIZE 4096
typedef enum exit_code list_reader(const struct given *given, char *part, void *into);
enum exit_code read_list(const struct given *given, const char *text, list_reader *read, void *into);
