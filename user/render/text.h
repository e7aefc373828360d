/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result document as text for people. */
#ifndef XDP_MLR_RENDER_TEXT_H
#define XDP_MLR_RENDER_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct render_style {
	bool terminal;        /* with escape sequences for bold and colours */
	bool explain;         /* with every trial of a search, and why it was chosen */
	unsigned int columns; /* of the terminal; 0: it is none */
};

void render_text(FILE *stream, const json_t *document, struct render_style style);

#endif
