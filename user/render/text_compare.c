/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/text_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/units.h"

#define CELL_COLUMNS 14

static const char *load_text(double fps, char buffer[UNIT_TEXT_SIZE])
{
	return isnan(fps) ? "none" : format_si(fps, "fps", buffer);
}

/* The words of a verdict, and whether it is bad, good or neither. */
static void put_verdict(FILE *stream, const char *word, bool colours)
{
	static const struct {
		const char *word, *text, *colour;
	} verdicts[] = {
		{ "slower", "B is SLOWER", "\033[1;31m" },
		{ "faster", "B is faster", "\033[32m" },
		{ "same", "no difference is shown", "" },
		{ "unknown", "cannot be told", "\033[1;31m" },
	};

	for (size_t i = 0; i < sizeof(verdicts) / sizeof(*verdicts); i++)
		if (strcmp(verdicts[i].word, word) == 0)
			fprintf(stream, "%s%s%s", colours ? verdicts[i].colour : "", verdicts[i].text,
				colours ? "\033[0m" : "");
}

static void put_search_side(FILE *stream, const char *name, const json_t *side)
{
	char lower[UNIT_TEXT_SIZE], upper[UNIT_TEXT_SIZE], mean[UNIT_TEXT_SIZE], stdev[UNIT_TEXT_SIZE];

	fprintf(stream, "  %s%*s%*s%*s", name, CELL_COLUMNS, load_text(read_number(side, "relevant_lower_bound_min"), lower),
		CELL_COLUMNS, load_text(read_number(side, "relevant_upper_bound_max"), upper), CELL_COLUMNS,
		load_text(read_number(side, "conditional_throughput_mean"), mean));
	fprintf(stream, "%*s%9.0f%s%s\n", CELL_COLUMNS,
		isnan(read_number(side, "conditional_throughput_stdev"))
			? "-"
			: format_si(read_number(side, "conditional_throughput_stdev"), "fps", stdev),
		read_number(side, "searches"),
		json_is_true(json_object_get(side, "tester_limited")) ? "  tester-limited" : "",
		json_is_false(json_object_get(side, "regular")) ? "  irregular" : "");
}

static void put_soak_side(FILE *stream, const char *name, const json_t *side)
{
	char mean[UNIT_TEXT_SIZE], stdev[UNIT_TEXT_SIZE];

	fprintf(stream, "  %s%*s, stdev %s\n", name, CELL_COLUMNS, load_text(read_number(side, "mean"), mean),
		load_text(read_number(side, "stdev"), stdev));
}

static void put_goal(FILE *stream, const json_t *goal, bool colours)
{
	bool soak = json_is_null(json_object_get(goal, "goal"));

	fprintf(stream, "\n%s: ", soak ? "critical load" : read_text(goal, "goal"));
	put_verdict(stream, read_text(goal, "verdict"), colours);
	if (!isnan(read_number(goal, "change")))
		fprintf(stream, " (%+.2f %%)", 100 * read_number(goal, "change"));
	fprintf(stream, "\n  %s\n", read_text(goal, "evidence"));
	if (soak) {
		put_soak_side(stream, "A", json_object_get(goal, "a"));
		put_soak_side(stream, "B", json_object_get(goal, "b"));
		return;
	}
	fprintf(stream, "   %*s%*s%*s%*s%9s\n", CELL_COLUMNS, "lower bound", CELL_COLUMNS, "upper bound", CELL_COLUMNS,
		"throughput", CELL_COLUMNS, "stdev", "searches");
	put_search_side(stream, "A", json_object_get(goal, "a"));
	put_search_side(stream, "B", json_object_get(goal, "b"));
}

static void put_side(FILE *stream, const char *name, const json_t *side)
{
	fprintf(stream, "%s  %s, measured %s on %s by xdp-mlr %s\n", name, read_text(side, "file"),
		read_text(side, "start_time"), read_text(side, "hostname"), read_text(side, "version"));
}

void render_compare(FILE *stream, const json_t *document, bool colours)
{
	const json_t *goals = json_object_get(document, "goals"), *differences = json_object_get(document, "differences");

	put_side(stream, "A", json_object_get(document, "a"));
	put_side(stream, "B", json_object_get(document, "b"));
	for (size_t i = 0; i < json_array_size(goals); i++)
		put_goal(stream, json_array_get(goals, i), colours);
	if (json_array_size(differences))
		fputs("\nWhat else is not the same\n", stream);
	for (size_t i = 0; i < json_array_size(differences); i++)
		fprintf(stream, "  - %s\n", json_string_value(json_array_get(differences, i)));
	fprintf(stream, "\nVerdict: %s (a change up to %g %% is none)\n", read_text(document, "verdict"),
		100 * read_number(document, "tolerance"));
}
