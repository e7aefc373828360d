/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result document in any of its forms. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/output.h"

struct render_style {
	bool terminal;        /* with escape sequences for bold and colours */
	bool explain;         /* with every trial of a search, and why it was chosen */
	unsigned int columns; /* of the terminal; 0: it is none */
};

/* The document in a form; the style is for text. NULL without memory; the caller frees it. */
char *render(const json_t *document, enum document_form form, struct render_style style, size_t *ret_length);
