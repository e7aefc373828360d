/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: a stored result, shown again or rendered in another form. compare: two, and whether the SUT became slower between
 * them. */
#include <string.h>

#include "base/json_read.h"
#include "cli/verbs.h"
#include "config/stored.h"
#include "result/compare.h"
#include "result/deliver.h"

#define SCHEMAS "xdp-mlr/"

/* Whether there is something to show, else why not. */
static enum exit_code check(const char *path, const json_t *document)
{
	const char *schema = read_string(document, "schema");

	if (!schema)
		return refuse(EXIT_USAGE_ERROR,
			      "%s is no result of xdp-mlr: write one by --format json or --report FILE.json", path);
	if (strncmp(schema, SCHEMAS, strlen(SCHEMAS)) != 0)
		return refuse(EXIT_USAGE_ERROR, "%s is a document '%s', and no result of xdp-mlr", path, schema);
	if (!json_object_get(document, "configuration") && !json_object_size(json_object_get(document, "environment")) &&
	    json_object_size(document) <= 2)
		return refuse(EXIT_USAGE_ERROR, "%s holds events of a run that did not end, and no result", path);
	return EXIT_DONE;
}

enum exit_code verb_report(const struct config *config)
{
	json_t *document;
	enum exit_code code = stored_document(config->files[0], &document);

	if (code != EXIT_DONE)
		return code;
	code = check(config->files[0], document);
	if (code == EXIT_DONE)
		code = report_show_or_write(document, config);
	json_decref(document);
	return code;
}

/* --- compare ------------------------------------------------------------------------------------------------------ */

/* The throughputs of a suite as the results of a search with a goal for each frame size. */
static void take_suite(json_t *document)
{
	json_t *results = json_array(), *size;
	size_t i;

	json_array_foreach (json_object_get(document, "frame_sizes"), i, size) {
		json_t *found = json_object_get(json_object_get(size, "throughput"), "goal_result"), *result, *goal;

		if (!json_is_object(found))
			continue;
		result = json_deep_copy(found);
		goal = json_object_get(result, "goal");
		json_object_set_new(goal, "name", json_sprintf("throughput@%s", read_string(size, "frame_size")));
		json_array_append_new(results, result);
	}
	json_object_set_new(document, "search_result", results);
}

static bool is_result(const char *schema)
{
	static const char *const known[] = { "xdp-mlr/search/", "xdp-mlr/soak/", "xdp-mlr/rfc2544/" };

	for (size_t i = 0; i < COUNT(known); i++)
		if (strncmp(schema, known[i], strlen(known[i])) == 0)
			return true;
	return false;
}

static enum exit_code read_result(const char *path, json_t **ret)
{
	json_t *document = NULL;
	enum exit_code code = stored_document(path, &document);
	const char *schema = read_string(document, "schema");

	if (code != EXIT_DONE)
		return code;
	if (json_object_get(document, "frame_sizes"))
		take_suite(document);
	if (schema && !is_result(schema))
		code = refuse(EXIT_USAGE_ERROR, "%s is a document '%s'; compare takes results of search, soak or rfc2544",
			      path, schema);
	else if (!json_object_get(document, "search_result") && !json_object_get(document, "critical_load"))
		code = refuse(EXIT_USAGE_ERROR, "%s is no result: write one by 'search --format json'", path);
	if (code == EXIT_DONE)
		*ret = document;
	else
		json_decref(document);
	return code;
}

static enum exit_code compare(const struct config *config, const json_t *a, const json_t *b)
{
	json_t *document = NULL;
	struct report_file file;
	enum exit_code code = report_file_open(config, &file);

	if (code != EXIT_DONE)
		return code;
	code = compare_documents(config, a, b, &document);
	if (document)
		code = report_deliver(document, config, &file, code);
	report_file_close(&file);
	return code;
}

enum exit_code verb_compare(const struct config *config)
{
	json_t *a = NULL, *b = NULL;
	enum exit_code code = read_result(config->files[0], &a);

	if (code == EXIT_DONE)
		code = read_result(config->files[1], &b);
	if (code == EXIT_DONE)
		code = compare(config, a, b);
	json_decref(a);
	json_decref(b);
	return code;
}
