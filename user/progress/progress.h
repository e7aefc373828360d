/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a run goes, on standard error while it goes on, and in the file of --metrics.
 *
 * On a terminal: a view of a few lines (view.h), drawn anew with each trial, and each second where trials take real time.
 * Elsewhere, and on a terminal that cannot go up a line (TERM=dumb): a plain line every ten seconds of real time. With -q,
 * or where
 * --format jsonl writes to a terminal: nothing.
 *
 * A thread of its own keeps the time; it touches nothing but standard error. The functions here are for the main thread.
 */
#pragma once

#include "config/config.h"
#include "mlr/trial.h"
#include "progress/view.h"

/* Which of repeated searches it is, from 1. Stands until it is said anew. */
void progress_run(unsigned int run, unsigned int runs);

/* Of a suite: which part of it runs ("size 2 of 7, test 3 of 5"), when it began, about how long all that comes after this part
 * takes, and its time limit (0: none). What is shown is then of the suite as a whole. Stands until it is said anew; "": none. */
void progress_stage(const char *stage, uint64_t start_ns, double after_s, double limit_s);

/* A state of which nothing is known but what it is of: its title and its number among repeated ones. */
struct view progress_view(const struct config *config);
/* The trial that runs now. */
void progress_take_trial(struct view *view, const struct mlr_trial_input *input);

/* Show a new state. `time_passes`: the trial takes as long as it says, and the times shown go on meanwhile. */
void progress_show(const struct config *config, const struct view *view, bool time_passes);
/* The last state, of a part of a suite too: what is drawn goes away, and the file of --metrics holds it. */
void progress_show_end(const struct view *view);

/* A single trial begins; the load is NAN for --load max. What it belongs to takes about so long from now on, if that is longer
 * than the trial. */
void progress_show_trial(const struct config *config, const struct mlr_trial_input *input, double remaining_s);

/* It has ended: from now on it counts among those that the view and --metrics have. */
void progress_trial_ended(const struct mlr_trial_counts *counts, int64_t lost, double loss_ratio);

/* What is drawn goes away; the thread ends. */
void progress_end(void);
