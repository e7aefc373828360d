/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/requirement.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "base/units.h"
#include "config/given.h"
#include "config/options_suite.h"

#define REQUIREMENT_MOST 64

/* --- the figures that there are ------------------------------------------------------------------------------------- */

/* The owner of a figure. In a search it is a goal, as in GOAL.NAME; GOAL alone is its Conditional Throughput. Otherwise it
 * is a trial, a soak, a suite or one of its frame sizes, or all trials of a run. */
enum { OF_GOAL = 1 << 0, OF_TRIAL = 1 << 1, OF_SOAK = 1 << 2, OF_SIZE = 1 << 3, OF_SUITE = 1 << 4, OF_RUN = 1 << 5 };

#define LATENCY "/latency/" /* latency of a trial; for a goal, of the trials that decided */
#define CHANGES "/changes/"

static const struct figure {
	unsigned int of;
	const char *name;
	enum quantity quantity;
	const char *path; /* JSON pointer; for a frame size, inside an item of "frame_sizes" */
} figures[] = {
	{ OF_GOAL, "throughput", QUANTITY_LOAD, "/conditional_throughput" },
	{ OF_GOAL, "lower", QUANTITY_LOAD, "/relevant_lower_bound" },
	{ OF_GOAL, "upper", QUANTITY_LOAD, "/relevant_upper_bound" },
	{ OF_TRIAL, "loss", QUANTITY_RATIO, "/trial_result/trial_loss_ratio" },
	{ OF_TRIAL, "forwarding-rate", QUANTITY_LOAD, "/trial_result/trial_forwarding_rate" },
#define TRIAL_COUNT(name, figure)                      { OF_TRIAL, figure, QUANTITY_FRAMES, "/trial_result/counts/" #name },
#define TX_COUNTER(name, figure, meaning)              TRIAL_COUNT(name, figure)
#define RX_COUNTER(name, figure, kind, known, meaning) TRIAL_COUNT(name, figure)
#define RX_DERIVED(name, figure, value, meaning)       TRIAL_COUNT(name, figure)
#define VERDICT_COUNTER(name, figure, meaning)         TRIAL_COUNT(name, figure)
#include "mlr/counters.def"
	{ OF_TRIAL | OF_GOAL, "latency.min", QUANTITY_TIME, LATENCY "min_ns" },
	{ OF_TRIAL | OF_GOAL, "latency.mean", QUANTITY_TIME, LATENCY "mean_ns" },
	{ OF_TRIAL | OF_GOAL, "latency.p50", QUANTITY_TIME, LATENCY "p50_ns" },
	{ OF_TRIAL | OF_GOAL, "latency.p90", QUANTITY_TIME, LATENCY "p90_ns" },
	{ OF_TRIAL | OF_GOAL, "latency.p99", QUANTITY_TIME, LATENCY "p99_ns" },
	{ OF_TRIAL | OF_GOAL, "latency.p99.9", QUANTITY_TIME, LATENCY "p99_9_ns" },
	{ OF_TRIAL | OF_GOAL, "latency.p99.99", QUANTITY_TIME, LATENCY "p99_99_ns" },
	{ OF_TRIAL | OF_GOAL, "latency.max", QUANTITY_TIME, LATENCY "max_ns" },
	{ OF_TRIAL | OF_GOAL, "pdv.p50", QUANTITY_TIME, LATENCY "pdv_p50_ns" },
	{ OF_TRIAL | OF_GOAL, "pdv.p99", QUANTITY_TIME, LATENCY "pdv_p99_ns" },
	{ OF_TRIAL | OF_GOAL, "pdv.p99.9", QUANTITY_TIME, LATENCY "pdv_p99_9_ns" },
	{ OF_TRIAL | OF_GOAL, "pdv.max", QUANTITY_TIME, LATENCY "pdv_max_ns" },
	{ OF_TRIAL | OF_GOAL, "ipdv.mean", QUANTITY_TIME, LATENCY "ipdv_mean_ns" },
	{ OF_TRIAL | OF_GOAL, "ipdv.p50", QUANTITY_TIME, LATENCY "ipdv_p50_ns" },
	{ OF_TRIAL | OF_GOAL, "ipdv.p99", QUANTITY_TIME, LATENCY "ipdv_p99_ns" },
	{ OF_TRIAL | OF_GOAL, "ipdv.p99.9", QUANTITY_TIME, LATENCY "ipdv_p99_9_ns" },
	{ OF_TRIAL | OF_GOAL, "ipdv.max", QUANTITY_TIME, LATENCY "ipdv_max_ns" },
	{ OF_TRIAL, "gap.p50", QUANTITY_TIME, "/pacing/gap_p50_ns" },
	{ OF_TRIAL, "gap.p99", QUANTITY_TIME, "/pacing/gap_p99_ns" },
	{ OF_TRIAL, "gap.max", QUANTITY_TIME, "/pacing/gap_max_ns" },
	{ OF_SOAK, "critical-load", QUANTITY_LOAD, "/critical_load/mean" },
	{ OF_SOAK, "critical-load.stdev", QUANTITY_LOAD, "/critical_load/stdev" },
	{ OF_SOAK, "critical-load.robust-stdev", QUANTITY_LOAD, "/critical_load/robust_stdev" },
	{ OF_SIZE, "throughput", QUANTITY_LOAD, "/throughput/throughput" },
	{ OF_SIZE, "latency", QUANTITY_TIME, "/latency/average_of_means_ns" },
	{ OF_SIZE, "latency.min", QUANTITY_TIME, "/latency/min_ns" },
	{ OF_SIZE, "latency.max", QUANTITY_TIME, "/latency/max_ns" },
	{ OF_SIZE, "latency.p99", QUANTITY_TIME, "/latency/p99_ns_max" },
	{ OF_SIZE, "back-to-back", QUANTITY_FRAMES, "/back_to_back/average" },
	{ OF_SIZE, "recovery", QUANTITY_SECONDS, "/recovery/average" },
	{ OF_SUITE, "reset", QUANTITY_SECONDS, "/reset/reset_time" },
	{ OF_SUITE, "reconf", QUANTITY_SECONDS, "/reconf/blocked_time" },
	{ OF_SUITE, "reconf.lost", QUANTITY_FRAMES, "/reconf/frames_lost" },
	{ OF_RUN, "changed", QUANTITY_FRAMES, CHANGES "changed" },
	{ OF_RUN, "changed-vlan", QUANTITY_FRAMES, CHANGES "changed_vlan" },
	{ OF_RUN, "changed-priority", QUANTITY_FRAMES, CHANGES "changed_priority" },
	{ OF_RUN, "changed-dscp", QUANTITY_FRAMES, CHANGES "changed_dscp" },
	{ OF_RUN, "changed-ecn", QUANTITY_FRAMES, CHANGES "changed_ecn" },
	{ OF_RUN, "changed-ttl", QUANTITY_FRAMES, CHANGES "changed_ttl" },
	{ OF_RUN, "changed-address", QUANTITY_FRAMES, CHANGES "changed_address" },
	{ OF_RUN, "changed-port", QUANTITY_FRAMES, CHANGES "changed_port" },
};

static unsigned int kinds_of(enum verb verb)
{
	switch (verb) {
	case VERB_SEARCH:
		return OF_GOAL | OF_RUN;
	case VERB_TRIAL:
		return OF_TRIAL;
	case VERB_SOAK:
		return OF_SOAK | OF_RUN;
	case VERB_RFC2544:
		return OF_SIZE | OF_SUITE | OF_RUN;
	case VERB_Y1564:
	case VERB_SWEEP:
		return OF_RUN;
	default:
		return 0;
	}
}

const char *requirement_figure(enum verb verb, size_t index)
{
	for (size_t i = 0; i < COUNT(figures); i++)
		if (figures[i].of & kinds_of(verb) && index-- == 0)
			return figures[i].name;
	return NULL;
}

static const struct figure *find_figure(unsigned int of, const char *name)
{
	for (size_t i = 0; i < COUNT(figures); i++)
		if (figures[i].of & of && strcmp(figures[i].name, name) == 0)
			return &figures[i];
	return NULL;
}

const char *requirement_path(enum verb verb, const char *name, enum quantity *ret_quantity)
{
	const struct figure *figure = find_figure(kinds_of(verb), name);

	if (!figure)
		return NULL;
	*ret_quantity = figure->quantity;
	return figure->path;
}

double requirement_scale(enum quantity quantity)
{
	return quantity == QUANTITY_SECONDS ? NS_PER_SECOND : 1;
}

bool comparison_holds(enum comparison comparison, double value, double threshold)
{
	switch (comparison) {
	case COMPARISON_AT_LEAST:
		return value >= threshold;
	case COMPARISON_AT_MOST:
		return value <= threshold;
	case COMPARISON_ABOVE:
		return value > threshold;
	case COMPARISON_BELOW:
		return value < threshold;
	}
	return false;
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

/* Cut "x@64" into the figure and the frame size. */
static enum exit_code read_size(const struct given *given, struct requirement *requirement)
{
	char *at = strrchr(requirement->figure, '@');

	if (!at)
		return EXIT_DONE;
	if (!parse_whole(at + 1, 1, UINT_MAX, &requirement->frame_size_octets))
		return refuse_given(given, "after '@' must stand a frame size in octets, as in ndr@64>=5Mfps");
	*at = '\0';
	return EXIT_DONE;
}

/* "unchanged" requires that no frame is changed, and "unchanged-dscp" that none is in this way. Other texts are as they are. */
static const char *unchanged_text(const char *text, char *buffer, size_t size)
{
	static const char word[] = "unchanged";
	const char *kind = text + strlen(word);

	if (strncmp(text, word, strlen(word)) != 0 || (*kind && *kind != '-') || strpbrk(text, "<>"))
		return text;
	snprintf(buffer, size, "changed%s<=0", kind);
	return buffer;
}

enum exit_code read_requirement(const struct given *given, struct config *config)
{
	const char *text = unchanged_text(given->text, ROOM(2 * FIGURE_NAME_SIZE), 2 * FIGURE_NAME_SIZE),
		   *sign = strpbrk(text, "<>");
	struct requirement requirement = { .given = given, .goal = -1 };
	struct requirement *grown;
	size_t length;
	enum exit_code code;

	if (!sign || sign == text)
		return refuse_given(given, "must be FIGURE>=VALUE, or with <=, > or <; for example ndr>=5Mfps");
	length = (size_t)(sign - text);
	if (length >= FIGURE_NAME_SIZE)
		return refuse_given(given, "the name of the figure is too long");
	memcpy(requirement.figure, text, length);
	requirement.comparison = read_comparison(sign);
	requirement.value =
		sign == strpbrk(given->text, "<>") ? sign + strlen(comparison_text(requirement.comparison)) : "0";
	code = read_size(given, &requirement);
	if (code != EXIT_DONE)
		return code;
	if (config->requirement_count == REQUIREMENT_MOST)
		return refuse_given(given, "at most %d requirements", REQUIREMENT_MOST);
	grown = reallocarray(config->requirements, config->requirement_count + 1, sizeof(*grown));
	if (!grown)
		return out_of_memory();
	config->requirements = grown;
	grown[config->requirement_count++] = requirement;
	return EXIT_DONE;
}

/* --- finding the figure --------------------------------------------------------------------------------------------- */

static enum exit_code refuse_figure(const struct requirement *requirement, const char *kind, const char *name,
				    const char *const *names, size_t count)
{
	const char *hint = nearest_hint(name, names, count, HINT_ROOM);
	char listed[512] = "";

	for (size_t i = 0; !*hint && i < count; i++)
		text_add(listed, sizeof(listed), "%s%s", i ? ", " : "; there are ", names[i]);
	return refuse_given(requirement->given, "no %s '%s'%s%s", kind, QUOTED(name), hint, listed);
}

/* Take the figure of this name, of those that this run measures. */
static enum exit_code find_in(struct requirement *requirement, const struct config *config, unsigned int of,
			      const char *kind, const char *name)
{
	const struct figure *figure = find_figure(of, name);
	const char *names[COUNT(figures)];
	size_t count = 0;

	for (size_t i = 0; i < COUNT(figures); i++)
		if (figures[i].of & of)
			names[count++] = figures[i].name;
	if (!figure)
		return refuse_figure(requirement, kind, name, names, count);
	if (config->no_latency && strncmp(figure->path, LATENCY, sizeof(LATENCY) - 1) == 0)
		return refuse_given(requirement->given, "--no-latency measures none");
	if (!config->ipdv && strncmp(figure->name, "ipdv.", 5) == 0)
		return refuse_given(requirement->given, "is measured with --ipdv only");
	requirement->quantity = figure->quantity;
	requirement->each_size = figure->of == OF_SIZE;
	requirement->path = figure->path;
	return EXIT_DONE;
}

/* GOAL or GOAL.FIGURE. The name of a goal may have a dot itself. */
static enum exit_code find_in_goals(struct requirement *requirement, const struct config *config)
{
	const char *names[MLR_GOALS_MAX];
	size_t best = 0;

	for (size_t i = 0; i < config->goal_count; i++) {
		size_t length = strlen(config->goals[i].name);
		const char *rest = requirement->figure + length;

		names[i] = config->goals[i].name;
		if (length <= best || strncmp(requirement->figure, names[i], length) != 0 || (*rest && *rest != '.'))
			continue;
		requirement->goal = (int)i;
		best = length;
	}
	if (!best && find_figure(OF_RUN, requirement->figure))
		return find_in(requirement, config, OF_RUN, "figure", requirement->figure);
	if (!best)
		return refuse_figure(requirement, "goal", requirement->figure, names, config->goal_count);
	return find_in(requirement, config, OF_GOAL, "figure of a goal",
		       requirement->figure[best] ? requirement->figure + best + 1 : "throughput");
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
	bool of_suite = find_figure(OF_SUITE | OF_RUN, requirement->figure);

	if (requirement->frame_size_octets && (of_suite || !measures_size(config, requirement->frame_size_octets)))
		return refuse_given(requirement->given, of_suite ? "this figure is of no single frame size"
								 : "--frame-size does not have this size");
	return find_in(requirement, config, OF_SIZE | OF_SUITE | OF_RUN, "figure", requirement->figure);
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
		return find_in(requirement, config, OF_TRIAL, "figure", requirement->figure);
	case VERB_SOAK:
	case VERB_Y1564:
	case VERB_SWEEP:
		return find_in(requirement, config, kinds_of(config->verb), "figure", requirement->figure);
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
			return refuse_given(given, "after the sign must stand a load, as %s",
					    load_spellings(requirement->value, LOAD_FORMS, ROOM(LOAD_SPELLINGS_SIZE)));
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
		code = find(&config->requirements[i], config) ?: read_value(&config->requirements[i]);
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
