/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These functions write octets as base64 text (RFC 4648, section 4), and read them back. The caller owns what they return;
 * they keep nothing. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Write octets in lines of so many digits, a multiple of 4; 0: in one line. */
void base64_put(FILE *stream, const uint8_t *octets, size_t length, size_t line);
/* Return octets in one line; NULL without memory. */
char *base64_text(const void *octets, size_t length);

/* Read a text of one line into room for as many octets as it has digits. Return how many octets it stands for; 0: it is no
 * base64. */
size_t base64_read(const char *text, uint8_t *octets);
