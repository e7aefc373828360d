/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file reads --loads, the loads that a sweep measures, and --latency-at, those at which a search measures latency. */
#include <stdlib.h>
#include <string.h>

#include "config/options_read.h"
#include "config/options_suite.h"
#include "mlr/sweep.h"

#define LOADS_FORMS "100kfps..1Mfps/10 (so many loads, both ends included) or 50kfps,10%%,20%%"

/* One load, as --load has it. */
static enum exit_code read_one(const struct given *given, const char *text, struct load_spec *ret)
{
	if (!parse_load(text, ret))
		return refuse_given(given, "'%s' is not a load; write loads as " LOADS_FORMS, text);
	if (ret->unit == LOAD_MAX || ret->value <= 0)
		return refuse_given(given, "'%s': each load must be above 0, and 'max' is none", text);
	if (ret->value > LOAD_MOST_FPS || (ret->unit == LOAD_LINE_RATIO && ret->value > 1))
		return refuse_given(given, "'%s': a load must be at most 100%% of the line rate, and at most %.0f frames/s",
				    text, LOAD_MOST_FPS);
	return EXIT_DONE;
}

/* "FROM..TO/COUNT"; `dots` and `slash` stand in it. */
static enum exit_code read_range(const struct given *given, char *text, char *dots, char *slash, struct sweep_part *part)
{
	enum exit_code code;

	*dots = *slash = '\0';
	if (!parse_whole(slash + 1, 2, SWEEP_LOADS_MAX, &part->count))
		return refuse_given(given, "'%s': behind the slash must stand how many loads, 2 to %d", slash + 1,
				    SWEEP_LOADS_MAX);
	code = read_one(given, text, &part->from) ?: read_one(given, dots + 2, &part->to);
	if (code == EXIT_DONE && part->from.unit != part->to.unit)
		return refuse_given(given, "'%s' and '%s' must be of the same unit", text, dots + 2);
	return code;
}

static enum exit_code read_part(const struct given *given, char *text, void *into)
{
	struct config *config = into;
	struct sweep_part part = { .count = 1 };
	char *dots = strstr(text, ".."), *slash = dots ? strchr(dots, '/') : NULL;
	enum exit_code code;

	if (config->sweep_part_count == SWEEP_PARTS_MAX)
		return refuse_given(given, "at most %d parts between commas", SWEEP_PARTS_MAX);
	if (dots && !slash)
		return refuse_given(given, "'%s' does not say how many loads; write " LOADS_FORMS, text);
	code = dots ? read_range(given, text, dots, slash, &part) : read_one(given, text, &part.from);
	config->sweep_parts[config->sweep_part_count++] = part;
	return code;
}

enum exit_code read_loads(const struct given *given, struct config *config)
{
	enum exit_code code;

	config->sweep_part_count = 0;
	code = read_list(given, given->text, read_part, config);
	if (code == EXIT_DONE && sweep_load_count(config) > SWEEP_LOADS_MAX)
		return refuse_given(given, "these are %u loads, and at most %d are measured", sweep_load_count(config),
				    SWEEP_LOADS_MAX);
	return code;
}

unsigned int sweep_load_count(const struct config *config)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < config->sweep_part_count; i++)
		count += config->sweep_parts[i].count;
	return count;
}

double sweep_most_fps(const struct config *config)
{
	double most_fps = 0;

	for (unsigned int i = 0; i < config->sweep_part_count; i++) {
		const struct sweep_part *part = &config->sweep_parts[i];

		if (part->from.unit == LOAD_LINE_RATIO)
			return 0;
		for (unsigned int j = 0; j < (part->count > 1 ? 2 : 1); j++) {
			double fps = load_fps(j ? &part->to : &part->from, config->frame_size_octets, 0);

			most_fps = fps > most_fps ? fps : most_fps;
		}
	}
	return most_fps;
}

enum exit_code sweep_loads(const struct config *config, double line_rate_fps, double *ret_fps)
{
	for (unsigned int i = 0; i < config->sweep_part_count; i++) {
		const struct sweep_part *part = &config->sweep_parts[i];
		double from_fps, to_fps = 0;
		enum exit_code code = option_load_fps(config, "loads", &part->from, line_rate_fps, &from_fps);

		if (code == EXIT_DONE && part->count > 1)
			code = option_load_fps(config, "loads", &part->to, line_rate_fps, &to_fps);
		if (code != EXIT_DONE)
			return code;
		for (unsigned int j = 0; j < part->count; j++)
			*ret_fps++ = mlr_sweep_load(from_fps, to_fps, part->count, j);
	}
	return EXIT_DONE;
}

/* --- --latency-at ---------------------------------------------------------------------------------------------------- */

#define SHARE_LEAST 1e-5

static enum exit_code read_share(const struct given *given, char *text, void *into)
{
	struct config *config = into;
	double share;

	if (config->latency_at_count == LATENCY_AT_MAX)
		return refuse_given(given, "at most %d parts", LATENCY_AT_MAX);
	if (!parse_ratio(text, &share) || share < 0 || share > 1)
		return refuse_given(given, "'%s' must be a part of a Relevant Lower Bound, 0 to 100%%", text);
	if (share > 0 && share < SHARE_LEAST)
		return refuse_given(given, "'%s' of a Relevant Lower Bound is hardly a frame: the least is 0.001%%", text);
	config->latency_at[config->latency_at_count++] = share;
	return EXIT_DONE;
}

enum exit_code read_latency_at(const struct given *given, struct config *config)
{
	config->latency_at_count = 0;
	return read_list(given, strcmp(given->text, "csit") == 0 ? "0,10%,50%,90%,100%" : given->text, read_share, config);
}
