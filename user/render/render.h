/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This header renders a result document in any form. The caller owns document and text. Each call makes one complete text
 * from the document alone. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/output.h"

/* A picture that is embedded in a certificate. */
struct render_logo {
	const char *type; /* "image/png" or "image/svg+xml"; NULL: there is none */
	char *octets;
	size_t length;
};

struct render_style {
	bool terminal;           /* uses escape sequences for bold text and colours */
	bool explain;            /* shows every trial of a search, and why it was chosen */
	bool whole;              /* a text with all that a Test Report has to say, as the other forms have it */
	unsigned int columns;    /* columns of the terminal; 0: it is none */
	struct render_logo logo; /* logo of a certificate */
};

/* Whether there is a certificate of such a document: it is a benchmark of a SUT. */
bool render_certifies(const json_t *document);
/* Return the document in a form; `style` is for texts and certificates only. NULL without memory; the caller frees it. */
char *render(const json_t *document, enum document_form form, struct render_style style, size_t *ret_length);
