/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions draw figures as inline SVG: panels with axes, and on them marks, lines and bands. The caller owns the
 * stream, and axes and panels while a figure is drawn. A figure is opened, its parts are drawn, and it is closed.
 *
 * A figure is SVG_WIDTH units wide, and its text is legible where it is drawn half as wide. Everything drawn has a class and no
 * colour, so the page chooses the colours: one figure serves light, dark and print. The shape of a mark carries its meaning
 * first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SVG_WIDTH 720.0

enum svg_scale { SVG_LINEAR, SVG_LOG };

struct svg_axis {
	const char *title; /* the quantity, without its unit */
	const char *unit;  /* "frames/s" or "s": ticks get an SI prefix. "%": values are ratios. NULL: a plain number */
	enum svg_scale scale;
	double min, max; /* the visible range, found by svg_axis_cover(); above 0 on a logarithmic scale */
	bool zero_lane;  /* logarithmic scale: a lane beside it for the value 0 */
	bool whole;      /* ticks only at integers */
	bool plain;      /* ticks without SI prefixes */
	/* Ticks to use instead of round numbers. The names may be NULL. */
	const double *ticks;
	const char *const *tick_names;
	size_t tick_count;
};

/* A rectangle of the figure with two axes. */
struct svg_panel {
	double left, top, width, height;
	struct svg_axis x, y;
	bool hide_x; /* no ticks and labels below, because the panel underneath has the same axis */
};

enum svg_mark { SVG_GOOD, SVG_BAD, SVG_WARMUP, SVG_OTHER, SVG_ABOVE, SVG_BELOW, SVG_LIMITED, SVG_MARKS };

struct svg_key {
	enum { SVG_KEY_MARK, SVG_KEY_LINE, SVG_KEY_BAND } kind;
	enum svg_mark mark; /* kind of mark, for SVG_KEY_MARK */
	const char *style;  /* class of the mark, the line or the band */
	const char *text;
};

/* Begin with an axis without a range, and widen it to cover values. */
void svg_axis_none(struct svg_axis *axis);
void svg_axis_cover(struct svg_axis *axis, double value);
void svg_axis_cover_all(struct svg_axis *axis, const double *values, size_t count);
/* Add room beside the outermost values, as a share of the range. An empty range becomes one that can be drawn. */
void svg_axis_pad(struct svg_axis *axis, double share);
/* Round both ends. */
void svg_axis_round(struct svg_axis *axis);

/* Write the shapes of the marks. Call it once for each page, before the first figure. */
void svg_put_marks(FILE *stream);

/* Write a legend as a paragraph that stands above a figure: it takes as many lines as it needs. */
void svg_legend(FILE *stream, const struct svg_key *keys, size_t count);

/* Open a figure. `id` is unique on the page. `title` names the figure, and `description` says what it shows, for people who
 * cannot see it. */
void svg_open(FILE *stream, const char *id, const char *title, const char *description, double height);
void svg_close(FILE *stream);
void svg_axes(FILE *stream, const struct svg_panel *panel);

/* Return where a value is drawn. */
double svg_x(const struct svg_panel *panel, double value);
double svg_y(const struct svg_panel *panel, double value);

/* Draw a mark at a point of the figure. Browsers show `hint` (may be NULL) when they point at it. */
void svg_mark(FILE *stream, double x, double y, enum svg_mark mark, const char *style, const char *hint);
/* Draw a line through `count` points of the panel. A NAN interrupts it. */
void svg_line(FILE *stream, const struct svg_panel *panel, const char *style, const double *x, const double *y,
	      size_t count);
/* Fill the area between two lines. */
void svg_band(FILE *stream, const struct svg_panel *panel, const char *style, const double *x, const double *low,
	      const double *high, size_t count);
/* Draw a straight line over the whole panel at a value. A level has a text at its end. */
void svg_level(FILE *stream, const struct svg_panel *panel, const char *style, double y, const char *text);
void svg_upright(FILE *stream, const struct svg_panel *panel, const char *style, double x);
