/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/selftest_prepare.h"

#include <math.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "measurer/apart.h"
#include "mlr/welch.h"

#define SIGNIFICANCE  0.01
#define TRIAL_SHARE   4     /* Trials are shorter than --duration by this factor. */
#define LATENCY_FPS   100e3 /* load of the latency trials at most; else half of the rate that arrives */
#define LIST_SIZE     160
#define THROUGHPUT_US 50
#define RINGS_LONG    4096

/* The items, in the order in which they are tried. */
static const struct candidate {
	const char *name; /* name of the item in --prepare */
	enum prepare_item item;
	unsigned int number;
} candidates[] = {
	{ "rss", PREPARE_RSS, 0 },
	{ "rings=4096", PREPARE_RINGS, RINGS_LONG },
	{ "eee", PREPARE_EEE, 0 },
	{ "lldp", PREPARE_LLDP, 0 },
	{ "flags", PREPARE_FLAGS, 0 },
	{ "affinity", PREPARE_AFFINITY, 0 },
	{ "any-cpu", PREPARE_ANY_CPU, 0 },
	{ "wake", PREPARE_WAKE, 0 },
	{ "coalesce=50", PREPARE_COALESCE, THROUGHPUT_US },
	{ "coalesce=0", PREPARE_COALESCE, 0 },
};

/* --- judging ------------------------------------------------------------------------------------------------------------ */

static bool is_below(const double *a, const double *b)
{
	struct mlr_sample first = mlr_sample_of(a, TRY_PAIRS), second = mlr_sample_of(b, TRY_PAIRS);

	return second.mean < first.mean && mlr_welch_below(&first, &second, 0, 0).p_value < SIGNIFICANCE;
}

bool selftest_item_helps(const struct try_figure *rate, const struct try_figure *latency)
{
	bool rises = is_below(rate->with, rate->without), falls = is_below(rate->without, rate->with);
	bool sooner = is_below(latency->without, latency->with), later = is_below(latency->with, latency->without);

	return (rises || sooner) && !falls && !later;
}

/* --- measuring ---------------------------------------------------------------------------------------------------------- */

/* Get the changes of the ports and the CPUs of their threads, so that an item which changed nothing is known. */
static json_t *changes_of(struct measurer *frames)
{
	json_auto_t *description = frames->ops->describe(frames);
	json_t *list = json_array();

	json_each (port, json_object_get(description, "ports")) {
		json_array_append(list, json_object_get(port, "changes"));
		json_array_append(list, json_object_get(port, "transmit_cpus"));
	}
	return list;
}

/* Measure the rate at which frames arrive that are sent as fast as possible, and the p99 of latency. */
static enum exit_code observe(const struct config *config, const struct part_name *part, double *ret_fps, double *ret_p99_ns,
			      json_t **ret_changes)
{
	measurement_auto_t fastest = { 0 }, calm = { 0 };
	struct mlr_trial_input input = { .duration_s = config->duration_s / TRIAL_SHARE };
	struct measurer *frames = NULL;
	enum exit_code code = measurer_new_part(config, part, &frames)
				      ?: measurer_xdp_measure_max(frames, input.duration_s, &fastest);

	if (!code) {
		*ret_fps = (double)fastest.counts.received / input.duration_s;
		input.load_fps = fmin(LATENCY_FPS, *ret_fps / 2);
	}
	if (!code && input.load_fps * input.duration_s >= 1)
		code = frames->ops->measure(frames, &input, &calm);
	if (!code) {
		*ret_p99_ns = calm.has_latency ? calm.latency.p99_ns : NAN;
		*ret_changes = changes_of(frames);
	}
	measurer_free(frames);
	return code;
}

static void add_item(struct prepare *prepare, const struct candidate *candidate)
{
	prepare->automatic |= 1u << candidate->item;
	if (candidate->item == PREPARE_COALESCE)
		prepare->coalesce_us = candidate->number;
	if (candidate->item == PREPARE_RINGS)
		prepare->rings = candidate->number;
}

/* Measure the turns of an item. *ret_is_had says that it changed something; otherwise one turn is enough. */
static enum exit_code take_turns(const struct config *without, const struct config *with, const struct part_name *part,
				 struct try_figure *rate, struct try_figure *latency, bool *ret_is_had)
{
	enum exit_code code = EXIT_DONE;

	for (int i = 0; i < TRY_PAIRS && !code; i++) {
		json_auto_t *before = NULL, *after = NULL;

		code = observe(without, part, &rate->without[i], &latency->without[i], &before)
			       ?: observe(with, part, &rate->with[i], &latency->with[i], &after);
		if (code)
			break;
		*ret_is_had = !json_equal(before, after) ||
			      (with->prepare.automatic ^ without->prepare.automatic) == 1u << PREPARE_WAKE;
		if (!*ret_is_had)
			break;
	}
	return code;
}

static json_t *figure_json(const struct try_figure *figure)
{
	return json_with("without", mlr_sample_of(figure->without, TRY_PAIRS).mean, "with",
			 mlr_sample_of(figure->with, TRY_PAIRS).mean);
}

static json_t *item_json(const struct candidate *candidate, bool is_had, bool is_kept, const struct try_figure *rate,
			 const struct try_figure *latency)
{
	return json_with("item", candidate->name, "had", is_had, "kept", is_kept, "received_rate",
			 is_had ? figure_json(rate) : json_null(), "latency_p99_ns",
			 is_had ? figure_json(latency) : json_null());
}

static enum exit_code try_item(struct config *config, const struct part_name *part, const struct candidate *candidate,
			       bool *ret_is_kept, json_t *items)
{
	struct try_figure rate, latency;
	struct config with = *config;
	bool is_had = false;
	enum exit_code code;

	add_item(&with.prepare, candidate);
	code = take_turns(config, &with, part, &rate, &latency, &is_had);
	if (code)
		return code;
	*ret_is_kept = is_had && selftest_item_helps(&rate, &latency);
	if (*ret_is_kept)
		config->prepare = with.prepare;
	json_array_append_new(items, item_json(candidate, is_had, *ret_is_kept, &rate, &latency));
	note("--prepare %s: %s", candidate->name,
	     !is_had        ? "it changes nothing here"
	     : *ret_is_kept ? "helps, and is kept"
			    : "does not help");
	return EXIT_DONE;
}

enum exit_code selftest_try_items(struct config *config, const struct part_name *part, json_t **ret_json)
{
	json_auto_t *items = json_array();
	char list[LIST_SIZE] = "auto";
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < COUNT(candidates) && !code; i++) {
		bool is_kept = false;

		code = try_item(config, part, &candidates[i], &is_kept, items);
		if (is_kept)
			text_add(list, sizeof(list), ",%s", candidates[i].name);
	}
	if (code)
		return code;
	note("what helps on these ports: --prepare %s", list);
	*ret_json = json_with("prepare", list, "items", json_incref(items));
	return *ret_json ? EXIT_DONE : out_of_memory();
}
