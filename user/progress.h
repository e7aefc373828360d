/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One live line on standard error, if that is a terminal and -q was not given; otherwise nothing. */
#ifndef XDP_MLR_PROGRESS_H
#define XDP_MLR_PROGRESS_H

#include "mlr/controller.h"

struct search;
struct soak;

/* The trial that begins, what for, and how far the search is. say_erase_line() takes it away. */
void progress_show(struct search *search, const struct mlr_decision *decision);

/* The same for a soak: its estimate so far. */
void progress_show_soak(struct soak *soak, const struct mlr_trial_input *input);

#endif
