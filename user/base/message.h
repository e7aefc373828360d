/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions write what the program says to its user, all on standard error. message.c owns the texts, and a lock that
 * all threads share. A message is written when it is called, and repeats nothing later.
 *
 * A function that can fail for a reason that the user must know reports it once, where the object is known. It returns the
 * exit code: `return refuse(EXIT_USAGE_ERROR, "...")`. Callers pass the code on and say nothing more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/text_stream.h"

extern bool message_quiet; /* -q: no notes and no progress; errors and warnings are always written */
/* The object of the messages, written before each, where there are several objects. NULL: none. */
extern const char *message_subject;

/* Each writes one line, with the program's name before it. An error says what, where, which value, and what to do. If memory
 * ran out (memory.h), it says only that, and the code is EXIT_INCAPABLE. */
__attribute__((format(printf, 2, 3))) enum exit_code refuse(enum exit_code code, const char *format, ...);
enum exit_code out_of_memory(void);
__attribute__((format(printf, 1, 2))) void warn(const char *format, ...);
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);

/* Hand each message over to `pass` instead of writing it, in a process whose messages another one writes. Any thread may
 * call `pass`. */
enum message_kind { MESSAGE_NOTE, MESSAGE_WARNING, MESSAGE_REFUSAL };
void message_pass(void (*pass)(enum message_kind kind, const char *text));

/* Return what this thread refused last, in words. */
const char *message_refused(void);

/* Get the first 64 different warnings so far, and their number. message.c owns them. */
size_t message_warnings(char *const **ret_texts);

/* Return in words what failed with an errno, and the remedy if privileges are missing. The next call reuses the text. */
const char *why(int error);

/* Do the same for memory that could not be locked. It names RLIMIT_MEMLOCK if that is the reason. */
const char *why_not_locked(int error);

/* Draw lines at the end of the terminal, without a line end after the last. They stay until the next ones, a message or
 * message_erase_view() replaces them. Standard error must be a terminal. Any thread may call these. */
void message_draw_view(const char *text);
void message_erase_view(void);

/* Make foreign text fit for one line of a message. Control characters are escaped, and the text is cut to the buffer with
 * "..." at the end. */
#define QUOTE_SIZE 240
const char *quote(const char *text, size_t length, char *buffer, size_t size);
#define QUOTED(text) quote(text, strlen(text), ROOM(QUOTE_SIZE), QUOTE_SIZE)

/* Get the size of a terminal; 80 and 24 if it is not known. */
void terminal_size(int fd, unsigned int *ret_columns, unsigned int *ret_rows);

/* Return how many rows a text takes on a terminal with so many columns, where lines may wrap. Escape sequences take no
 * room. */
unsigned int terminal_rows(const char *text, unsigned int columns);

/* Find what a word was meant to be. It returns the candidate with the fewest insertions, deletions, replacements and swaps
 * of neighbours, or NULL if none is near enough. NULL candidates are ignored. */
const char *nearest(const char *word, const char *const *candidates, size_t candidate_count);

/* Write ", did you mean 'x'?" for that candidate, or an empty text. */
#define HINT_SIZE 64
#define HINT_ROOM ROOM(HINT_SIZE)
const char *nearest_hint(const char *word, const char *const *candidates, size_t candidate_count, char buffer[HINT_SIZE]);

/* Return the first of `count` rows whose member is this text. NULL: there is none. */
#define row_with(rows, count, member, text)                                                                                 \
	({                                                                                                                  \
		__typeof__((rows) + 1) row_ = (rows), end_ = row_ + (count);                                                \
                                                                                                                            \
		while (row_ < end_ && strcmp(row_->member, text) != 0)                                                      \
			row_++;                                                                                             \
		row_ < end_ ? row_ : NULL;                                                                                  \
	})
/* Return the place of a word among others; their number if it is none of them. */
size_t place_of_word(const char *word, const char *const *words, size_t count);

/* Whether a word is in a list of words that are separated by spaces. NULL is an empty list. */
bool is_one_of(const char *word, const char *words);
