/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A self-test as text for people. */
#ifndef XDP_MLR_RENDER_TEXT_SELFTEST_H
#define XDP_MLR_RENDER_TEXT_SELFTEST_H

#include <jansson.h>
#include <stdio.h>

void render_selftest(FILE *stream, const json_t *document);

#endif
