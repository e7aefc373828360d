/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a run goes, on standard error while it goes on, and in the file of --metrics.
 *
 * On a terminal: a live view of a few lines (view.h), drawn anew with each trial, and each second where trials take real time.
 * Elsewhere, and on a terminal that cannot go up a line (TERM=dumb): a plain line every ten seconds of real time. With -q, or where
 * --format jsonl writes to a terminal: nothing.
 *
 * A thread of its own keeps the time; it touches nothing but standard error. The functions here are for the main thread.
 */
#ifndef XDP_MLR_PROGRESS_H
#define XDP_MLR_PROGRESS_H

#include "config.h"
#include "mlr/controller.h"

struct measurement;
struct search;
struct soak;

/* Which of repeated searches it is, from 1. Stands until it is said anew. */
void progress_run(unsigned int run, unsigned int runs);

/* The trial that begins, what for, and how far the search is. */
void progress_show(const struct search *search, const struct mlr_decision *decision);
/* The search has ended, its outcomes are known. */
void progress_end_search(const struct search *search);

/* The same for a soak: its estimate so far. */
void progress_show_soak(const struct soak *soak, const struct mlr_trial_input *input);

/* A single trial begins; the load is NAN for --load max. */
void progress_show_trial(const struct config *config, const struct mlr_trial_input *input);

/* What is drawn goes away; the thread ends. */
void progress_end(void);

#endif
