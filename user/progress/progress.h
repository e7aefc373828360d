/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions show a run while it goes on, on standard error and in the file of --metrics. The process owns the state;
 * progress_end() ends it.
 *
 * On a terminal they draw a view of a few lines (view.h), anew with each trial, and each second where trials take real time.
 * Elsewhere, and on a terminal that cannot go up a line (TERM=dumb), they write a plain line every ten seconds of real time.
 * With -q, or where --format jsonl writes to a terminal, they show nothing.
 *
 * A thread of its own keeps the time; it touches nothing but standard error. The functions here are for the main thread.
 */
#pragma once

#include "config/config.h"
#include "mlr/trial.h"
#include "progress/view.h"

/* Set which of repeated searches it is, from 1. It holds until it is set again. */
void progress_run(unsigned int run, unsigned int runs);

/* Set which part of a suite runs ("size 2 of 7, test 3 of 5"), when the suite began, about how long all parts after this one
 * take, and its time limit (0: none). The view is then of the suite as a whole. It holds until it is set again; "": none. */
void progress_stage(const char *stage, uint64_t start_ns, double after_s, double limit_s);

/* Make a state of which only the title and the number among repeated searches are known. */
struct view progress_view(const struct config *config);
/* The trial that runs now. */
void progress_take_trial(struct view *view, const struct mlr_trial_input *input);

/* Show a new state. `time_passes`: the trial takes as long as it says, and the times shown go on meanwhile. */
void progress_show(const struct config *config, const struct view *view, bool time_passes);
/* Show the last state, also of a part of a suite, whose trials count from then on among those of the suite. The view is
 * erased, and the file of --metrics has the state. */
void progress_show_end(const struct view *view);

/* Show that a single trial begins. The load is NAN for --load max. What it belongs to takes about so long from now on, if
 * that is longer than the trial. */
void progress_show_trial(const struct config *config, const struct mlr_trial_input *input, double remaining_s);

/* Show that it has ended: from now on it counts among the trials of the view and of --metrics. */
void progress_trial_ended(const struct mlr_trial_counts *counts, int64_t lost, double loss_ratio);

/* Erase the view, and end the thread. */
void progress_end(void);
