/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures as inline SVG: panels with axes, and marks, lines and bands on them.
 *
 * A figure is SVG_WIDTH units wide and takes its colours from the page: everything drawn has a class, none a colour, so one
 * figure serves light, dark and print. What marks mean is said by their shape first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SVG_WIDTH 960.0

enum svg_scale { SVG_LINEAR, SVG_LOG };

struct svg_axis {
	const char *title; /* of the quantity, without its unit */
	const char *unit;  /* "frames/s", "s"; ticks get an SI prefix. "%": values are ratios. NULL: a plain number */
	enum svg_scale scale;
	double min, max; /* what is shown; svg_axis_cover() finds it. Above 0 on a logarithmic scale */
	bool zero_lane;  /* logarithmic: a lane beside the scale for the value 0 */
	bool whole;      /* only whole numbers have ticks */
	bool plain;      /* ticks without SI prefixes */
	/* Ticks to use instead of round numbers; the names may be NULL. */
	const double *ticks;
	const char *const *tick_names;
	size_t tick_count;
};

/* A rectangle of the figure with two axes. */
struct svg_panel {
	double left, top, width, height;
	struct svg_axis x, y;
	bool hide_x; /* no ticks, labels and title below: the panel underneath has the same axis */
};

enum svg_mark { SVG_GOOD, SVG_BAD, SVG_WARMUP, SVG_OTHER, SVG_ABOVE, SVG_BELOW, SVG_MARKS };

struct svg_key {
	enum { SVG_KEY_MARK, SVG_KEY_LINE, SVG_KEY_BAND } kind;
	enum svg_mark mark; /* of a mark */
	const char *style;  /* class of the mark, the line or the band */
	const char *text;
};

/* Widen an axis so that it shows the value; starts from one whose min is above its max. */
void svg_axis_none(struct svg_axis *axis);
void svg_axis_cover(struct svg_axis *axis, double value);
/* Room beside the outermost values, as a share of the range; an empty range becomes one that can be drawn. */
void svg_axis_pad(struct svg_axis *axis, double share);
/* From and to a round number. */
void svg_axis_round(struct svg_axis *axis);

/* The shapes of the marks, once a page and before the first figure. */
void svg_put_marks(FILE *stream);

/* `id` is unique on the page. `title` names the figure, `description` says what it shows, for whom cannot see it. */
void svg_open(FILE *stream, const char *id, const char *title, const char *description, double height);
void svg_close(FILE *stream);
/* In as many lines as it takes. */
void svg_legend(FILE *stream, double top, const struct svg_key *keys, size_t count);
/* How much higher it is than one of one line. */
double svg_legend_more(const struct svg_key *keys, size_t count);
void svg_axes(FILE *stream, const struct svg_panel *panel);

/* Where a value is drawn. */
double svg_x(const struct svg_panel *panel, double value);
double svg_y(const struct svg_panel *panel, double value);

/* A mark at a point of the figure; `hint` (may be NULL) is shown by browsers that point at it. */
void svg_mark(FILE *stream, double x, double y, enum svg_mark mark, const char *style, const char *hint);
/* A line through `count` points of the panel; a NAN interrupts it. */
void svg_line(FILE *stream, const struct svg_panel *panel, const char *style, const double *x, const double *y,
	      size_t count);
/* The area between two lines. */
void svg_band(FILE *stream, const struct svg_panel *panel, const char *style, const double *x, const double *low,
	      const double *high, size_t count);
/* A straight line over the whole panel at a value; a level has a text at its end. */
void svg_level(FILE *stream, const struct svg_panel *panel, const char *style, double y, const char *text);
void svg_upright(FILE *stream, const struct svg_panel *panel, const char *style, double x);
