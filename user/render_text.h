/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result document as text for people. */
#ifndef XDP_MLR_RENDER_TEXT_H
#define XDP_MLR_RENDER_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct render_style {
	bool terminal; /* with escape sequences for bold and colours */
	bool explain;  /* with every trial of a search, and why it was chosen */
};

/* NULL without memory; the caller frees it. */
char *render_text(const json_t *document, struct render_style style, size_t *ret_length);

#endif
