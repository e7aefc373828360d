/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result document in any of its forms. */
#ifndef XDP_MLR_RENDER_RENDER_H
#define XDP_MLR_RENDER_RENDER_H

#include <jansson.h>
#include <stddef.h>

#include "base/output.h"
#include "render/text.h"

/* The document in a form; the style is for text. NULL without memory; the caller frees it. */
char *render(const json_t *document, enum document_form form, struct render_style style, size_t *ret_length);

#endif
