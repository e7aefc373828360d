/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A requirement (--require) is what a result must fulfil, for scripts and CI: 'ndr>=5Mfps', 'pdr.latency.p99<=100us',
 * 'loss<=0.1%'. The configuration owns its requirements. Each is read in three steps before the measurement, and judged at
 * the end by the result document (result/judge.h).
 *
 * Its form is read with the options. Figure and value are read once verb and goals are known. Its load in frames/s is
 * computed once the measurer knows its line rate. So a wrong requirement is refused before anything is measured.
 */
#pragma once

#include "base/message.h"
#include "config/config.h"

struct given;

enum comparison { COMPARISON_AT_LEAST, COMPARISON_AT_MOST, COMPARISON_ABOVE, COMPARISON_BELOW };

/* What a figure counts. Units in the document are frames/s, a ratio, frames, ns and s. */
enum quantity { QUANTITY_LOAD, QUANTITY_RATIO, QUANTITY_FRAMES, QUANTITY_TIME, QUANTITY_SECONDS };

#define FIGURE_NAME_SIZE 128
#define NS_PER_SECOND    1e9

struct requirement {
	const struct given *given; /* text that the user gave, and its place */
	char figure[FIGURE_NAME_SIZE];
	unsigned int frame_size_octets; /* the number in '@64'; 0: not given */
	enum comparison comparison;
	const char *value; /* points into the given text */
	/* These are set once verb and goals are known. */
	enum quantity quantity;
	int goal;         /* the goal that the figure belongs to; -1: the whole document */
	const char *path; /* a JSON pointer into the Goal Result or the document */
	bool each_size;   /* the path is inside each frame size of a suite */
	struct load_spec load;
	double threshold; /* threshold in the unit of the document; a load is set once the measurer is known */
};

/* Return ">=" and so on. */
const char *comparison_text(enum comparison comparison);

/* Return the name of a figure that results of the verb have, by index; NULL: no more. A search has the figures of each
 * goal. */
const char *requirement_figure(enum verb verb, size_t index);

/* Whether a value keeps to a requirement. What does not exist (NAN) keeps to nothing. */
bool comparison_holds(enum comparison comparison, double value, double threshold);

/* Return where a figure of the verb's results stands, as a JSON pointer into the Goal Result, the frame size or the document;
 * NULL: there is no such figure. The other function returns the factor from the number there to the unit of a verdict. */
const char *requirement_path(enum verb verb, const char *name, enum quantity *ret_quantity);
double requirement_scale(enum quantity quantity);

/* Read the option. */
enum exit_code read_requirement(const struct given *given, struct config *config);

/* Find the figure of every requirement and read its value. EXIT_USAGE_ERROR if the verb or the goals do not have it. */
enum exit_code require_check(struct config *config);

/* Convert loads to frames/s. EXIT_USAGE_ERROR for a share of an unknown line rate. */
enum exit_code require_resolve(const struct config *config, double line_rate_fps);
