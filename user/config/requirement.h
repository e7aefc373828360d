/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --require: what a result must keep to, for scripts and CI. 'ndr>=5Mfps', 'pdr.latency.p99<=100us', 'loss<=0.1%'.
 *
 * A requirement is read in three steps, each as early as it can be: its form while options are read, its figure and value
 * once the verb and the goals are known, its load in frames/s once the measurer knows its line rate. So a wrong one is
 * refused before anything is measured. In the end all are judged by the result document (result/judge.h).
 */
#pragma once

#include "base/message.h"
#include "config/config.h"

struct given;

enum comparison { COMPARISON_AT_LEAST, COMPARISON_AT_MOST, COMPARISON_ABOVE, COMPARISON_BELOW };

/* What a figure counts; in the document in frames/s, as a ratio, in frames, in ns, in s. */
enum quantity { QUANTITY_LOAD, QUANTITY_RATIO, QUANTITY_FRAMES, QUANTITY_TIME, QUANTITY_SECONDS };

#define FIGURE_NAME_SIZE 128
#define NS_PER_SECOND    1e9

struct requirement {
	const struct given *given; /* as the user wrote it */
	char figure[FIGURE_NAME_SIZE];
	unsigned int frame_size_octets; /* of '@64'; 0: not given */
	enum comparison comparison;
	const char *value; /* points into the text given */
	/* once the verb and the goals are known: */
	enum quantity quantity;
	int goal;         /* whose figure it is; -1: the whole document's */
	const char *path; /* a JSON pointer into the Goal Result or the document */
	bool each_size;   /* the path is in each frame size of a suite */
	struct load_spec load;
	double threshold; /* in the unit of the document; of a load once the measurer is known */
};

/* ">=" and so on. */
const char *comparison_text(enum comparison comparison);

/* The name of a figure that results of the verb have, by its index; NULL: no more. Of a search, those of each goal. */
const char *requirement_figure(enum verb verb, size_t index);

/* The reader of the option. */
enum exit_code read_requirement(const struct given *given, struct config *config);

/* Find every requirement's figure and read its value. EXIT_USAGE_ERROR for one that this verb and these goals do not
 * have. */
enum exit_code require_check(struct config *config);

/* Turn loads into frames/s. EXIT_USAGE_ERROR for a share of a line rate that is not known. */
enum exit_code require_resolve(const struct config *config, double line_rate_fps);
