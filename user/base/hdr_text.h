/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A histogram of latencies as one line of text, as HdrHistogram's tools read and write it: compressed, in base64. It begins
 * with "HISTFAAAA". The caller owns and frees texts. */
#pragma once

#include "mlr/hdr.h"

/* Return the text; NULL without memory. */
char *hdr_text(const struct mlr_delays *delays);

/* Add the values of such a text. 0, -EINVAL if it is none, -ENOMEM. */
int hdr_read(struct mlr_hdr *hdr, const char *text);
