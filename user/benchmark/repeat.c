/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/search.h"

#include <math.h>
#include <stdlib.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "benchmark/load_range.h"
#include "progress/events.h"
#include "progress/progress.h"
#include "result/report.h"

struct run {
	json_t *document;
	bool broken_off; /* interrupted, or a trial failed */
	struct view end; /* what was shown last of it */
};

struct runs {
	const struct config *config;
	struct run *items; /* runs; the array has room for config->repeats */
	size_t count;
};

/* --- making them ---------------------------------------------------------------------------------------------------- */

/* Keep the result of a search, if there is one. */
static enum exit_code keep(struct runs *runs, const struct search *search)
{
	struct run *run = &runs->items[runs->count];

	if (search->end == SEARCH_RUNNING || (search->end == SEARCH_FAILED && !search->trial_count))
		return EXIT_DONE;
	run->broken_off = search->end == SEARCH_INTERRUPTED || search->end == SEARCH_FAILED;
	run->document = report_search(search);
	if (!run->document)
		return out_of_memory();
	run->end = search->controller ? search_end_view(search) : progress_view(runs->config);
	runs->count++;
	return event_finished(runs->config, search->duration_s, read_string(run->document, "irregular_reason"));
}

static enum exit_code make(struct runs *runs, struct measurer *measurer, const struct load_range *range)
{
	struct search search;
	enum exit_code code = search_run_between(runs->config, measurer, range, &search), kept = keep(runs, &search);

	search_free(&search);
	return kept == EXIT_DONE ? code : kept;
}

/* Keep one search that was stopped before it began. It stands for all. */
static enum exit_code keep_none(struct runs *runs, struct measurer *measurer)
{
	struct search search;
	enum exit_code kept;

	search_stopped(runs->config, measurer, &search);
	kept = keep(runs, &search);
	search_free(&search);
	return kept == EXIT_DONE ? EXIT_INTERRUPTED : kept;
}

/* Search several times. EXIT_UNMET if one of them is irregular; any other code ends them. */
static enum exit_code make_all(struct runs *runs, struct measurer *measurer)
{
	struct load_range range;
	enum exit_code code = load_range_find(runs->config, measurer, &range), worst = EXIT_DONE;

	for (unsigned int i = 0; i < runs->config->repeats && code == EXIT_DONE; i++) {
		if (i && measurer->ops->renew)
			code = measurer->ops->renew(measurer);
		progress_run(i + 1, runs->config->repeats);
		if (code == EXIT_DONE)
			code = event_run_started(runs->config, i + 1);
		if (code == EXIT_DONE)
			code = make(runs, measurer, &range);
		if (code == EXIT_UNMET) {
			worst = code;
			code = EXIT_DONE;
		}
	}
	return code == EXIT_DONE ? worst : code;
}

/* --- what they amount to -------------------------------------------------------------------------------------------- */

/* Describe a figure of several searches. Members that do not exist are NAN. */
static double throughput_fps(const struct run *run, size_t goal)
{
	return read_number(json_array_get(json_object_get(run->document, "search_result"), goal), "conditional_throughput");
}

static json_t *statistics_json(const struct runs *runs, size_t goal)
{
	json_auto_t *whole =
		json_list(i, runs->count, runs->items[i].broken_off ? NULL : json_incref(runs->items[i].document));
	json_t *json = json_with("goal", runs->config->goals[goal].name, "figure", "conditional_throughput");

	json_object_update_new(json, report_statistics(whole, goal));
	return json;
}

/* Order the runs: those broken off come first, then those without a throughput. */
static double rank(const struct run *run)
{
	double value = throughput_fps(run, 0);

	return run->broken_off ? -2 : isnan(value) ? -1 : value;
}

static size_t median_run(const struct runs *runs)
{
	size_t broken_off = 0, wanted;

	for (size_t i = 0; i < runs->count; i++)
		broken_off += runs->items[i].broken_off;
	wanted = broken_off < runs->count ? broken_off + (runs->count - broken_off - 1) / 2 : 0;
	for (size_t i = 0; i < runs->count; i++) {
		size_t before = 0;

		for (size_t j = 0; j < runs->count; j++) {
			double other = rank(&runs->items[j]), own = rank(&runs->items[i]);

			before += other < own || (other == own && j < i);
		}
		if (before == wanted)
			return i;
	}
	return 0;
}

/* --- the document --------------------------------------------------------------------------------------------------- */

static json_t *run_json(const struct run *run, size_t number)
{
	static const char *const members[] = { "search_result", "search_duration", "irregular_reason", "trials" };
	json_t *json = json_with("run", number);

	for (size_t i = 0; i < COUNT(members); i++)
		json_object_set(json, members[i], json_object_get(run->document, members[i]));
	return json;
}

/* Whatever makes one of the searches irregular makes the whole irregular. */
static void set_irregular_reason(json_t *document, const struct runs *runs)
{
	for (size_t i = 0; i < runs->count; i++) {
		const char *reason = read_string(runs->items[i].document, "irregular_reason");

		if (reason)
			json_put(document, "irregular_reason",
				 json_sprintf("search %zu of %u: %s", i + 1, runs->config->repeats, reason));
	}
}

static json_t *whole_json(const struct runs *runs)
{
	size_t median = median_run(runs);
	json_t *document = json_copy(runs->items[median].document);

	set_irregular_reason(document, runs);
	json_put(document, "repeats",
		 json_with("asked", runs->config->repeats, "count", runs->count, "median_run", median + 1, "statistics",
			   json_list(goal, runs->config->goal_count, statistics_json(runs, goal)), "runs",
			   json_list(i, runs->count, run_json(&runs->items[i], i + 1))));
	return document;
}

enum exit_code repeat_searches(const struct config *config, struct measurer *measurer, struct report_file *file)
{
	struct runs runs = { .config = config, .items = calloc(config->repeats, sizeof(*runs.items)) };
	enum exit_code code;

	if (!runs.items)
		return out_of_memory();
	code = make_all(&runs, measurer);
	if (code == EXIT_INTERRUPTED && !runs.count)
		code = keep_none(&runs, measurer);
	if (runs.count) /* --metrics, too, ends with the search that stands for all. */
		progress_show_end(&runs.items[median_run(&runs)].end);
	if (runs.count)
		code = report_deliver(whole_json(&runs), config, file, code);
	for (size_t i = 0; i < runs.count; i++)
		json_decref(runs.items[i].document);
	free(runs.items);
	return code;
}
