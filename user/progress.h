/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One live line on standard error, if that is a terminal and -q was not given; otherwise nothing. */
#ifndef XDP_MLR_PROGRESS_H
#define XDP_MLR_PROGRESS_H

#include "mlr/controller.h"

struct search;

/* The trial that begins, what for, and how far the search is. */
void progress_show(struct search *search, const struct mlr_decision *decision);
/* Take the line away: at the end, and before any other line. */
void progress_erase(void);

#endif
