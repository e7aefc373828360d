/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text that grows in a buffer; or in memory, as open_memstream() has it, and its end. That of the C library goes on after a piece
 * that found no room, without an error, once there is room again: the text then lacks the piece.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Room for a text that a function writes and returns, where that is needed up to the end of the block only: it has no name. */
#define ROOM(size) ((char[size]){ 0 })
/* A text by its format in such room of so many octets; what is beyond them is cut. */
#define TEXT_OF(size, ...) text_print(ROOM(size), size, __VA_ARGS__)
__attribute__((format(printf, 3, 4))) const char *text_print(char *buffer, size_t size, const char *format, ...);

/* Text and length hold after fclose() or text_stream_end(); the text is the caller's to free. NULL without memory. */
FILE *text_stream_open(char **text, size_t *length);
/* End such a stream: its text, which the caller frees; NULL if not all of it found room. */
char *text_stream_end(FILE *stream, char **text);

/* Onto the end of the text in a buffer of so many octets; what has no room is cut. The latter with something between, where the
 * text is not empty. */
__attribute__((format(printf, 3, 4))) void text_add(char *text, size_t size, const char *format, ...);
__attribute__((format(printf, 4, 5))) void text_join(char *text, size_t size, const char *between, const char *format, ...);
/* "a, b or c", of a list that NULL ends. */
#define WORDS_SIZE 128
const char *text_of_words(const char *const *words, char buffer[WORDS_SIZE]);
