/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/requirement.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/units.h"
#include "config/given.h"
#include "config/load.h"
#include "config/options_suite.h"

#define COUNT(array)     (sizeof(array) / sizeof((array)[0]))
#define FIGURES_MAX      64
#define REQUIREMENT_MOST 64

/* --- the figures that there are ------------------------------------------------------------------------------------- */

struct figure {
	const char *name;
	enum quantity quantity;
	const char *path;
};

/* Of a goal, as GOAL.NAME in a search; GOAL alone is its Conditional Throughput. */
static const struct figure goal_figures[] = {
	{ "throughput", QUANTITY_LOAD, "/conditional_throughput" },
	{ "lower", QUANTITY_LOAD, "/relevant_lower_bound" },
	{ "upper", QUANTITY_LOAD, "/relevant_upper_bound" },
};

/* Of a trial; of a goal as GOAL.NAME. The path is in LATENCY. */
static const struct figure latency_figures[] = {
	{ "latency.min", QUANTITY_TIME, "min_ns" },       { "latency.mean", QUANTITY_TIME, "mean_ns" },
	{ "latency.p50", QUANTITY_TIME, "p50_ns" },       { "latency.p90", QUANTITY_TIME, "p90_ns" },
	{ "latency.p99", QUANTITY_TIME, "p99_ns" },       { "latency.p99.9", QUANTITY_TIME, "p99_9_ns" },
	{ "latency.p99.99", QUANTITY_TIME, "p99_99_ns" }, { "latency.max", QUANTITY_TIME, "max_ns" },
};

static const struct figure trial_figures[] = {
	{ "loss", QUANTITY_RATIO, "/trial_result/trial_loss_ratio" },
	{ "forwarding-rate", QUANTITY_LOAD, "/trial_result/trial_forwarding_rate" },
	{ "sent", QUANTITY_FRAMES, "/trial_result/counts/sent" },
	{ "received", QUANTITY_FRAMES, "/trial_result/counts/received" },
	{ "lost", QUANTITY_FRAMES, "/trial_result/counts/lost" },
	{ "unsent", QUANTITY_FRAMES, "/trial_result/counts/unsent" },
	{ "duplicate", QUANTITY_FRAMES, "/trial_result/counts/duplicate" },
	{ "reordered", QUANTITY_FRAMES, "/trial_result/counts/reordered" },
	{ "late", QUANTITY_FRAMES, "/trial_result/counts/late" },
	{ "foreign", QUANTITY_FRAMES, "/trial_result/counts/foreign" },
	{ "malformed", QUANTITY_FRAMES, "/trial_result/counts/malformed" },
	{ "wrong-length", QUANTITY_FRAMES, "/trial_result/counts/wrong_length" },
	{ "damaged", QUANTITY_FRAMES, "/trial_result/counts/damaged" },
	{ "latency.min", QUANTITY_TIME, "/latency/min_ns" },
	{ "latency.mean", QUANTITY_TIME, "/latency/mean_ns" },
	{ "latency.p50", QUANTITY_TIME, "/latency/p50_ns" },
	{ "latency.p90", QUANTITY_TIME, "/latency/p90_ns" },
	{ "latency.p99", QUANTITY_TIME, "/latency/p99_ns" },
	{ "latency.p99.9", QUANTITY_TIME, "/latency/p99_9_ns" },
	{ "latency.p99.99", QUANTITY_TIME, "/latency/p99_99_ns" },
	{ "latency.max", QUANTITY_TIME, "/latency/max_ns" },
	{ "gap.p50", QUANTITY_TIME, "/pacing/gap_p50_ns" },
	{ "gap.p99", QUANTITY_TIME, "/pacing/gap_p99_ns" },
	{ "gap.max", QUANTITY_TIME, "/pacing/gap_max_ns" },
};

static const struct figure soak_figures[] = {
	{ "critical-load", QUANTITY_LOAD, "/critical_load/mean" },
	{ "critical-load.stdev", QUANTITY_LOAD, "/critical_load/stdev" },
};

/* Of a suite: of each frame size, or the one that is said. The path is in an item of "frame_sizes". */
static const struct figure size_figures[] = {
	{ "throughput", QUANTITY_LOAD, "/throughput/throughput" },
	{ "latency", QUANTITY_TIME, "/latency/average_of_means_ns" },
	{ "latency.min", QUANTITY_TIME, "/latency/min_ns" },
	{ "latency.max", QUANTITY_TIME, "/latency/max_ns" },
	{ "latency.p99", QUANTITY_TIME, "/latency/p99_ns_max" },
	{ "back-to-back", QUANTITY_FRAMES, "/back_to_back/average" },
	{ "recovery", QUANTITY_SECONDS, "/recovery/average" },
};

/* Of a suite as a whole. */
static const struct figure suite_figures[] = {
	{ "reset", QUANTITY_SECONDS, "/reset/reset_time" },
};

static const struct figure *find_figure(const struct figure *figures, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(figures[i].name, name) == 0)
			return &figures[i];
	return NULL;
}

/* --- reading -------------------------------------------------------------------------------------------------------- */

const char *comparison_text(enum comparison comparison)
{
	static const char *const texts[] = {
		[COMPARISON_AT_LEAST] = ">=", [COMPARISON_AT_MOST] = "<=", [COMPARISON_ABOVE] = ">", [COMPARISON_BELOW] = "<"
	};

	return texts[comparison];
}

static enum comparison read_comparison(const char *sign)
{
	if (sign[1] == '=')
		return sign[0] == '>' ? COMPARISON_AT_LEAST : COMPARISON_AT_MOST;
	return sign[0] == '>' ? COMPARISON_ABOVE : COMPARISON_BELOW;
}

/* "x@64": the frame size, cut off the figure. */
static enum exit_code read_size(const struct given *given, struct requirement *requirement)
{
	char *at = strrchr(requirement->figure, '@');
	double octets;

	if (!at)
		return EXIT_DONE;
	if (!parse_number(at + 1, &octets) || octets < 1 || octets != (unsigned int)octets)
		return refuse_given(given, "after '@' must stand a frame size in octets, as in ndr@64>=5Mfps");
	*at = '\0';
	requirement->frame_size_octets = (unsigned int)octets;
	return EXIT_DONE;
}

enum exit_code read_requirement(const struct given *given, struct config *config)
{
	const char *sign = strpbrk(given->text, "<>");
	struct requirement requirement = { .given = given, .goal = -1 };
	struct requirement *grown;
	size_t length;
	enum exit_code code;

	if (!sign || sign == given->text)
		return refuse_given(given, "must be FIGURE>=VALUE, or with <=, > or <; for example ndr>=5Mfps");
	length = (size_t)(sign - given->text);
	if (length >= FIGURE_NAME_SIZE)
		return refuse_given(given, "the name of the figure is too long");
	memcpy(requirement.figure, given->text, length);
	requirement.comparison = read_comparison(sign);
	requirement.value = sign + strlen(comparison_text(requirement.comparison));
	code = read_size(given, &requirement);
	if (code != EXIT_DONE)
		return code;
	if (config->requirement_count == REQUIREMENT_MOST)
		return refuse_given(given, "at most %d requirements", REQUIREMENT_MOST);
	grown = reallocarray(config->requirements, config->requirement_count + 1, sizeof(*grown));
	if (!grown)
		return refuse(EXIT_INCAPABLE, "out of memory");
	config->requirements = grown;
	grown[config->requirement_count++] = requirement;
	return EXIT_DONE;
}

/* --- finding the figure --------------------------------------------------------------------------------------------- */

/* Names to suggest from. */
struct names {
	const char *items[FIGURES_MAX];
	size_t count;
};

static void add_names(struct names *names, const struct figure *figures, size_t count)
{
	for (size_t i = 0; i < count && names->count < FIGURES_MAX; i++)
		names->items[names->count++] = figures[i].name;
}

static enum exit_code refuse_figure(const struct requirement *requirement, const char *kind, const char *name,
				    const struct names *names)
{
	char quoted[QUOTE_SIZE], hint[FIGURE_NAME_SIZE], listed[512] = "";
	size_t used = 0;

	nearest_hint(name, names->items, names->count, hint, sizeof(hint));
	for (size_t i = 0; !hint[0] && i < names->count && used < sizeof(listed); i++)
		used += (size_t)snprintf(listed + used, sizeof(listed) - used, "%s%s", i ? ", " : "; there are ",
					 names->items[i]);
	return refuse_given(requirement->given, "no %s '%s'%s%s", kind, quote(name, strlen(name), quoted, sizeof(quoted)),
			    hint, listed);
}

static void take_figure(struct requirement *requirement, const struct figure *figure)
{
	requirement->quantity = figure->quantity;
	requirement->path = figure->path;
}

/* A figure of a table, for the whole document. */
static enum exit_code find_in(struct requirement *requirement, const struct figure *figures, size_t count)
{
	const struct figure *figure = find_figure(figures, count, requirement->figure);
	struct names names = { .count = 0 };

	if (!figure) {
		add_names(&names, figures, count);
		return refuse_figure(requirement, "figure", requirement->figure, &names);
	}
	take_figure(requirement, figure);
	return EXIT_DONE;
}

/* A figure of a goal. */
static enum exit_code find_goal_figure(struct requirement *requirement, const char *name)
{
	const struct figure *figure = find_figure(goal_figures, COUNT(goal_figures), name);
	struct names names = { .count = 0 };

	if (figure) {
		take_figure(requirement, figure);
		return EXIT_DONE;
	}
	figure = find_figure(latency_figures, COUNT(latency_figures), name);
	if (figure) {
		requirement->quantity = figure->quantity;
		requirement->latency = figure->path;
		return EXIT_DONE;
	}
	add_names(&names, goal_figures, COUNT(goal_figures));
	add_names(&names, latency_figures, COUNT(latency_figures));
	return refuse_figure(requirement, "figure of a goal", name, &names);
}

/* GOAL or GOAL.FIGURE. The name of a goal may have a dot itself. */
static enum exit_code find_in_goals(struct requirement *requirement, const struct config *config)
{
	struct names names = { .count = 0 };
	size_t best = 0;

	for (size_t i = 0; i < config->goal_count; i++) {
		const char *name = config->goals[i].name;
		size_t length = strlen(name);
		const char *rest = requirement->figure + length;

		names.items[names.count++] = name;
		if (length <= best || strncmp(requirement->figure, name, length) != 0 || (*rest && *rest != '.'))
			continue;
		requirement->goal = (int)i;
		best = length;
	}
	if (!best)
		return refuse_figure(requirement, "goal", requirement->figure, &names);
	return find_goal_figure(requirement, requirement->figure[best] ? requirement->figure + best + 1 : "throughput");
}

/* Whether the suite has this frame size. */
static bool measures_size(const struct config *config, unsigned int octets)
{
	char part[FRAME_SIZE_TEXT];
	double number;

	for (unsigned int i = 0; frame_sizes_part(config->frame_size_text, i, part); i++)
		if (parse_number(part, &number) && number == octets)
			return true;
	return false;
}

static enum exit_code find_in_suite(struct requirement *requirement, const struct config *config)
{
	const struct figure *figure = find_figure(suite_figures, COUNT(suite_figures), requirement->figure);
	struct names names = { .count = 0 };

	if (requirement->frame_size_octets && (figure || !measures_size(config, requirement->frame_size_octets)))
		return refuse_given(requirement->given, figure ? "this figure is of no single frame size"
							       : "--frame-size does not have this size");
	requirement->each_size = !figure;
	if (!figure)
		figure = find_figure(size_figures, COUNT(size_figures), requirement->figure);
	if (figure) {
		take_figure(requirement, figure);
		return EXIT_DONE;
	}
	add_names(&names, size_figures, COUNT(size_figures));
	add_names(&names, suite_figures, COUNT(suite_figures));
	return refuse_figure(requirement, "figure", requirement->figure, &names);
}

static enum exit_code find(struct requirement *requirement, const struct config *config)
{
	if (frame_sizes_are_a_list(config->verb))
		return find_in_suite(requirement, config);
	if (requirement->frame_size_octets && requirement->frame_size_octets != config->frame_size_octets)
		return refuse_given(requirement->given, "this run has frames of %g octets%s", config->frame_size_octets,
				    config->sizes.size_count > 1 ? " on average" : "");
	switch (config->verb) {
	case VERB_TRIAL:
		return find_in(requirement, trial_figures, COUNT(trial_figures));
	case VERB_SOAK:
		return find_in(requirement, soak_figures, COUNT(soak_figures));
	default:
		return find_in_goals(requirement, config);
	}
}

/* --- the value ------------------------------------------------------------------------------------------------------ */

static enum exit_code read_value(struct requirement *requirement)
{
	const struct given *given = requirement->given;

	switch (requirement->quantity) {
	case QUANTITY_LOAD:
		if (!parse_load(requirement->value, &requirement->load) || requirement->load.unit == LOAD_MAX ||
		    requirement->load.value <= 0)
			return refuse_given(given, "after the sign must stand a load, as %s", LOAD_FORMS);
		requirement->threshold = requirement->load.unit == LOAD_FPS ? requirement->load.value : NAN;
		return EXIT_DONE;
	case QUANTITY_RATIO:
		if (!parse_ratio(requirement->value, &requirement->threshold))
			return refuse_given(given, "after the sign must stand a ratio, as 0.001 or 0.1%%");
		return EXIT_DONE;
	case QUANTITY_FRAMES:
		if (!parse_number(requirement->value, &requirement->threshold))
			return refuse_given(given, "after the sign must stand a number of frames");
		return EXIT_DONE;
	case QUANTITY_TIME:
	case QUANTITY_SECONDS:
		if (!parse_duration(requirement->value, &requirement->threshold))
			return refuse_given(given, "after the sign must stand a duration, as 100us or 1.5ms");
		requirement->threshold *= NS_PER_SECOND;
		return EXIT_DONE;
	}
	return EXIT_USAGE_ERROR;
}

enum exit_code require_check(struct config *config)
{
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < config->requirement_count && code == EXIT_DONE; i++) {
		code = find(&config->requirements[i], config);
		if (code == EXIT_DONE)
			code = read_value(&config->requirements[i]);
	}
	return code;
}

enum exit_code require_resolve(const struct config *config, double line_rate_fps)
{
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < config->requirement_count && code == EXIT_DONE; i++) {
		struct requirement *requirement = &config->requirements[i];

		if (requirement->quantity == QUANTITY_LOAD)
			code = option_load_fps(config, "require", &requirement->load, line_rate_fps,
					       &requirement->threshold);
	}
	return code;
}
