/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report FOLDER: a document among the last ones that had a place in the folder, with a date that its length tells, and the trend rendered. */
#include "config/configure.h"
#include "config/given.h"
#include "json.h"
#include "render/render.h"
#include "result/trend.c"

#define KEPT 2

static json_t *kept[KEPT];

static void render_trend(struct trend *trend, size_t size)
{
	json_t *document = document_of(trend);

	free(document ? render(document, (enum document_form)(size % (DOCUMENT_JUNIT + 1)),
			       (struct render_style){ .columns = 80 }, &size)
		      : NULL);
	json_decref(document);
}

static void show_trend(const struct config *config, json_t *document, size_t size)
{
	struct dated results[KEPT + 1];
	struct trend trend = { .config = config, .results = results, .skipped = json_array(), .code = EXIT_DONE };

	for (size_t i = 0; i <= KEPT; i++) {
		json_t *one = i < KEPT ? kept[i] : document;

		if (!one)
			continue;
		json_object_set_new(one, "file", line_json(i < KEPT ? "kept.json" : "new.json"));
		results[trend.count++] =
			(struct dated){ read_string(one, "file"),
					read_string(json_object_get(one, "environment"), "start_time"), json_incref(one) };
	}
	qsort(results, trend.count, sizeof(*results), by_date);
	leave_out_others(&trend);
	if (trend.count)
		render_trend(&trend, size);
	for (size_t i = 0; i < trend.count; i++)
		json_decref(results[i].document);
	json_decref(trend.skipped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct config config;
	char problem[LOAD_PROBLEM_SIZE];
	json_t *document = NULL;

	if (!config.given && config_of_values(VERB_REPORT, calloc(1, sizeof(struct given_list)), &config) != EXIT_DONE)
		abort();
	config.files[0] = "folder";
	if (result_load(fuzz_file(data, size), problem, &document) != EXIT_DONE || !document)
		return 0;
	if (unfit(&config, document)) {
		json_decref(document);
		return 0;
	}
	show_trend(&config, document, size);
	json_decref(kept[size % KEPT]);
	kept[size % KEPT] = document;
	return 0;
}
