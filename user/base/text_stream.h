/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions build texts, in a buffer or in a stream in memory. The caller owns buffers and the text of a stream. A
 * stream is opened, written with stdio, and ended by text_stream_end().
 *
 * A stream is like open_memstream(), but it never has gaps. If memory ran out once, the C library's stream continues without
 * an error when there is memory again, and the text lacks a piece.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Unnamed room for a text that a function writes and returns. It lives until the end of the block. */
#define ROOM(size) ((char[size]){ 0 })
/* Format a text in such room of `size` octets. What is longer is cut. */
#define TEXT_OF(size, ...) text_print(ROOM(size), size, __VA_ARGS__)
__attribute__((format(printf, 3, 4))) const char *text_print(char *buffer, size_t size, const char *format, ...);

/* Return the text that a statement writes onto a stream of this name, and its length, which may be NULL. The caller frees the
 * text; NULL if not all of it found room. */
#define TEXT_WRITTEN(stream, ret_length, ...)                                                                               \
	({                                                                                                                  \
		char *stream##_text = NULL;                                                                                 \
		FILE *stream = text_stream_open(&stream##_text, ret_length);                                                \
                                                                                                                            \
		if (stream) {                                                                                               \
			__VA_ARGS__;                                                                                        \
			text_stream_end(stream, &stream##_text);                                                            \
		}                                                                                                           \
		stream##_text;                                                                                              \
	})

/* Open a stream. Text and length (which may be NULL) are valid after fclose() or text_stream_end(), and the caller frees the
 * text. NULL without memory. */
FILE *text_stream_open(char **text, size_t *length);
/* End a stream. Returns its text, which the caller frees, or NULL if not all of it found room. */
char *text_stream_end(FILE *stream, char **text);

/* Append to the text in a buffer of `size` octets. What has no room is cut. The second function puts `between` first if the
 * text is not empty. */
__attribute__((format(printf, 3, 4))) void text_add(char *text, size_t size, const char *format, ...);
__attribute__((format(printf, 4, 5))) void text_join(char *text, size_t size, const char *between, const char *format, ...);
/* Write "a, b or c" from a list that ends with NULL. */
#define WORDS_SIZE 128
const char *text_of_words(const char *const *words, char buffer[WORDS_SIZE]);
