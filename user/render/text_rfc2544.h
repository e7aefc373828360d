/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The suite of RFC 2544 as text for people: the tables that section 26, RFC 6201 and RFC 9004 ask for. */
#ifndef XDP_MLR_RENDER_TEXT_RFC2544_H
#define XDP_MLR_RENDER_TEXT_RFC2544_H

#include <jansson.h>
#include <stdio.h>

void render_rfc2544(FILE *stream, const json_t *document);

#endif
