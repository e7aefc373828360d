/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The logo of --logo: read and checked before the measurement, because the run may read no file later. The caller owns it, and
 * frees it by logo_free(). */
#pragma once

#include "base/exit_code.h"
#include "render/render.h"

/* Read a PNG or SVG. EXIT_USAGE_ERROR if it is neither, too large, or an SVG that refers to something outside itself: a page
 * loads nothing. */
enum exit_code logo_read(const char *path, struct render_logo *ret);
void logo_free(struct render_logo *logo);
