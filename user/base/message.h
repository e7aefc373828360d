/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the program says to its user, all of it on standard error.
 *
 * A function that can fail for a reason the user must know says it once, where the object is known, and returns the exit
 * code: `return refuse(EXIT_USAGE_ERROR, "...")`. Callers pass the code on and say nothing more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/text_stream.h"

extern bool message_quiet; /* -q: no notes, no progress; errors and warnings always come */
/* What the messages are about, where several things are at hand: put before each. NULL: nothing. */
extern const char *message_subject;

/* One line each, with the program's name before it. Errors say what, where, which value, and what to do; once memory ran out
 * (memory.h) they say that, and the code is EXIT_INCAPABLE. */
__attribute__((format(printf, 2, 3))) enum exit_code refuse(enum exit_code code, const char *format, ...);
__attribute__((format(printf, 1, 2))) void warn(const char *format, ...);
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);

/* What this thread refused last, in words. */
const char *message_refused(void);

/* What was warned of so far, each text once, the first 64; how many. They are message.c's. */
size_t message_warnings(char *const **ret_texts);

/* What failed with an errno, in words, and the remedy where it is privileges that are missing. Reused by the next call. */
const char *why(int error);

/* The same for memory that is to be locked; names RLIMIT_MEMLOCK where that is what stands in the way. */
const char *why_not_locked(int error);

/* Draw lines (no line end after the last) that stay at the end of the terminal until the next ones, a message, or
 * message_erase_view() takes their place. Standard error must be a terminal. Any thread may call these. */
void message_draw_view(const char *text);
void message_erase_view(void);

/* Foreign text fit for one line of a message: control characters escaped, cut to the buffer with "..." at the end. */
#define QUOTE_SIZE 240
const char *quote(const char *text, size_t length, char *buffer, size_t size);
#define QUOTED(text) quote(text, strlen(text), ROOM(QUOTE_SIZE), QUOTE_SIZE)

/* The size of a terminal; 80 and 24 where it does not tell. */
void terminal_size(int fd, unsigned int *ret_columns, unsigned int *ret_rows);

/* How many rows text takes on a terminal of that many columns, as its lines may wrap there; escape sequences take none. */
unsigned int terminal_rows(const char *text, unsigned int columns);

/* "Did you mean". The candidate with the fewest insertions, deletions, replacements and swaps of neighbours from `word`;
 * NULL if none is near enough to be meant. NULL candidates are passed over. */
const char *nearest(const char *word, const char *const *candidates, size_t candidate_count);

/* ", did you mean 'x'?" for that candidate, or an empty string; written into the buffer and returned. */
#define HINT_SIZE 64
#define HINT_ROOM ROOM(HINT_SIZE)
const char *nearest_hint(const char *word, const char *const *candidates, size_t candidate_count, char buffer[HINT_SIZE]);

/* Whether a word is in a list of words, which spaces separate; NULL: there are none. */
bool is_one_of(const char *word, const char *words);
