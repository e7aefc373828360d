/* SPDX-License-Identifier: GPL-2.0-or-later */
/* selftest: what the tester itself can do. */
#include "benchmark/selftest.h"
#include "cli/verbs.h"
#include "progress/events.h"
#include "result/deliver.h"

/* What was measured is shown, also where the rest could not be. */
static enum exit_code show(const struct selftest *selftest, enum exit_code code)
{
	json_t *document;
	enum exit_code told;

	if (code != EXIT_INTERRUPTED && !json_array_size(selftest->self_tests))
		return code;
	document = report_selftest(selftest);
	told = event_finished(selftest->config, difftime(time(NULL), selftest->start_time),
			      json_string_value(json_object_get(document, "irregular_reason")));
	if (told == EXIT_DONE)
		return report_deliver(document, selftest->config, NULL, code);
	json_decref(document);
	return told;
}

enum exit_code verb_selftest(const struct config *config)
{
	struct selftest selftest;
	enum exit_code code = selftest_run(config, &selftest);

	code = show(&selftest, code);
	selftest_free(&selftest);
	return code;
}
