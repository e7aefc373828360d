/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A view is a run while it goes on, as some lines of text. The caller owns state and text. It shows how far each goal's
 * bounds have closed in, the trials so far, the trial that runs, and the time. These functions only make text from a state:
 * progress.c draws it on a terminal, others may draw it elsewhere.
 *
 *	search eth1,eth2: 1:03 elapsed, about 0:40 to go
 *	  ndr         998.3 kfps .. 1.008 Mfps     1 %   [===============??------]
 *	  pdr         1.003 Mfps .. 1.008 Mfps   0.5 %   [================?------] done
 *	  trials      wxx..x.xx..x.....x   (. kept the loss ratio, x did not, w warmed up)
 *	  trial 19    1.003 Mfps for 1 s, for ndr; the last lost 0.02 %
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/units.h"
#include "mlr/goal.h"

#define VIEW_MARKS      256 /* trials that the strip remembers */
#define VIEW_TITLE_SIZE 80
#define VIEW_STAGE_SIZE 80

/* One trial in the strip; each has a letter of its own, so that colour is only an addition. */
enum view_mark {
	VIEW_WARMUP = 'w',
	VIEW_GOOD = '.',    /* kept the loss ratio that it was made for */
	VIEW_BAD = 'x',     /* did not */
	VIEW_LIMITED = 't', /* limited by the tester */
};

struct view_goal {
	char name[MLR_GOAL_NAME_SIZE];
	double lower_fps, upper_fps; /* its Relevant Bounds; NAN for what does not exist */
	double throughput_fps;       /* Conditional Throughput; NAN until the search has ended */
	double limited;              /* 1: the tester limited the goal; else 0; NAN until the search has ended */
	double irregular;            /* the same of a result that is irregular */
	bool done;
};

/* Numbers that are not known are NAN. */
struct view {
	char title[VIEW_TITLE_SIZE]; /* "search eth1,eth2" */
	unsigned int run, runs;      /* current run, and number of runs, of repeated searches; runs 0 or 1: one search */
	char stage[VIEW_STAGE_SIZE]; /* stage of a suite: "size 2 of 7, test 3 of 5: latency"; else empty */
	double min_load_fps, max_load_fps;
	struct view_goal goals[MLR_GOALS_MAX];
	size_t goal_count;
	double estimate_fps, estimate_stdev_fps; /* estimate of a soak */
	char marks[VIEW_MARKS + 1];              /* marks of the last trials, oldest first */
	size_t trial_count;                      /* number of trials that have ended */
	double last_loss_ratio;
	double sent_frames, lost_frames; /* frames of all trials that have ended, as far as they tell; NAN: none does */
	/* the trial that runs */
	double load_fps, duration_s;
	bool warmup;
	char goal[MLR_GOAL_NAME_SIZE]; /* goal that the trial is for; may be empty */
	double elapsed_s, remaining_s, limit_s;
};

/* Make a view of which nothing is known yet. */
#define VIEW_UNKNOWN                                                                                                        \
	((struct view){                                                                                                     \
		.min_load_fps = NAN,                                                                                        \
		.max_load_fps = NAN,                                                                                        \
		.estimate_fps = NAN,                                                                                        \
		.estimate_stdev_fps = NAN,                                                                                  \
		.last_loss_ratio = NAN,                                                                                     \
		.sent_frames = NAN,                                                                                         \
		.lost_frames = NAN,                                                                                         \
		.load_fps = NAN,                                                                                            \
		.duration_s = NAN,                                                                                          \
		.remaining_s = NAN,                                                                                         \
		.limit_s = NAN,                                                                                             \
	})

/* Add the frames of one more trial. NAN: it does not tell. */
void view_add_frames(struct view *view, double sent, double lost);
/* Remember the mark of one more trial. */
void view_add_mark(struct view *view, enum view_mark mark);

struct view_style {
	unsigned int columns, rows; /* no line is wider, and there are no more of them */
	bool colours;
};

/* Return the lines, with a line end after each but the last. NULL without memory; the caller frees it. */
char *view_render(const struct view *view, struct view_style style);

/* Return the same in one line, without colours, for logs. */
char *view_line(const struct view *view);

/* "1.003 Mfps"; "?" for what is not known. */
const char *view_load(double load_fps, char buffer[UNIT_TEXT_SIZE]);
/* Return where a load is between Min Load (0) and Max Load (1), on a logarithmic scale. */
double view_place(const struct view *view, double load_fps);
