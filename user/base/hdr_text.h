/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These functions write a histogram of latencies as one line of text, and read it. The text is compressed, in base64, and
 * begins with "HISTFAAAA". HdrHistogram's tools use the same form. The caller owns and frees texts. */
#pragma once

#include "mlr/hdr.h"

/* Return the text; NULL without memory. */
char *hdr_text(const struct mlr_delays *delays);

/* Add the values of such a text. Returns 0, -EINVAL if it is no such text, or -ENOMEM. */
int hdr_read(struct mlr_hdr *hdr, const char *text);
