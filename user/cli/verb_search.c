/* SPDX-License-Identifier: GPL-2.0-or-later */
/* search: one MLRsearch benchmark. */
#include "benchmark/repeat.h"
#include "benchmark/search.h"
#include "benchmark/search_report.h"
#include "cli/measured.h"
#include "cli/verbs.h"

/* Whatever was measured is shown, also where the search could not go on. */
static enum exit_code show(const struct search *search, struct report_file *file, enum exit_code code)
{
	if (search->end == SEARCH_RUNNING || (search->end == SEARCH_FAILED && search->trial_count == 0))
		return code;
	return deliver_measured(report_search(search), search->config, search->duration_s, file, code);
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
	return measure_for_report(config, search_with);
}
