/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/compare.h"

#include <stdio.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/message.h"
#include "config/stored.h"

/* Turn the throughputs of a suite into the results of a search with a goal for each frame size. */
static void take_suite(json_t *document)
{
	json_t *results = json_array();

	json_each (size, json_object_get(document, "frame_sizes")) {
		const json_t *throughput = json_object_get(size, "throughput");
		json_t *found = json_object_get(throughput, "goal_result"), *result, *goal;

		if (!json_is_object(found))
			continue;
		result = json_deep_copy(found);
		if (read_truth(throughput, "tester_limited"))
			json_put(result, "tester_limited", true);
		goal = json_object_get(result, "goal");
		json_put(goal, "name", json_sprintf("throughput@%s", read_string(size, "frame_size")));
		json_put(result, "near", compare_near_trials(throughput, result));
		json_array_append_new(results, result);
	}
	json_put(document, "search_result", results);
}

/* Return why it is no result; NULL: it is one. */
static const char *problem_of(const json_t *document, char text[LOAD_PROBLEM_SIZE], const char *path)
{
	const char *schema = read_text(document, "schema");

	if (json_object_get(document, "schema") && !is_one_of(document_kind(document, ROOM(KIND_SIZE)), "search soak rfc2544"))
		snprintf(text, LOAD_PROBLEM_SIZE, "%s is a document '%s', and no result of search, soak or rfc2544", path,
			 schema);
	else if (!json_object_get(document, "search_result") && !json_object_get(document, "critical_load"))
		snprintf(text, LOAD_PROBLEM_SIZE, "%s is no result: write one by 'search --format json'", path);
	else
		return NULL;
	return text;
}

enum exit_code result_load(const char *path, char problem[LOAD_PROBLEM_SIZE], json_t **ret)
{
	json_t *document = NULL;
	enum exit_code code = stored_document(path, &document);

	if (code != EXIT_DONE)
		return code;
	if (json_object_get(document, "frame_sizes"))
		take_suite(document);
	if (problem_of(document, problem, path)) {
		json_decref(document);
		document = NULL;
	}
	*ret = document;
	return EXIT_DONE;
}
