/* SPDX-License-Identifier: GPL-2.0-or-later */
/* search: one MLRsearch benchmark. */
#include "benchmark/repeat.h"
#include "benchmark/search.h"
#include "benchmark/search_report.h"
#include "cli/verbs.h"
#include "progress/events.h"
#include "result/deliver.h"

/* Whatever was measured is shown, also where the search could not go on. */
static enum exit_code show(const struct search *search, struct report_file *file, enum exit_code code)
{
	json_t *document;
	enum exit_code told;

	if (search->end == SEARCH_RUNNING || (search->end == SEARCH_FAILED && search->trial_count == 0))
		return code;
	document = report_search(search);
	told = event_finished(search->config, search->duration_s,
			      json_string_value(json_object_get(document, "irregular_reason")));
	if (told == EXIT_DONE)
		return report_deliver(document, search->config, file, code);
	json_decref(document);
	return told;
}

static enum exit_code search_with(const struct config *config, struct report_file *file)
{
	struct measurer *measurer = NULL;
	struct search search;
	enum exit_code code = measurer_new(config, &measurer);

	if (code != EXIT_DONE && code != EXIT_INTERRUPTED)
		return code;
	if (config->repeats > 1) {
		code = repeat_searches(config, &measurer, file);
	} else {
		code = search_run(config, measurer, &search);
		code = show(&search, file, code);
		search_free(&search);
	}
	measurer_free(measurer);
	return code;
}

enum exit_code verb_search(const struct config *config)
{
	struct report_file file;
	enum exit_code code = report_file_open(config, &file);

	if (code != EXIT_DONE)
		return code;
	code = search_with(config, &file);
	report_file_close(&file);
	return code;
}
