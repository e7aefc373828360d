/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rfc2544: the suite of RFC 2544 section 26. */
#include "benchmark/rfc2544_report.h"
#include "cli/verbs.h"
#include "progress/events.h"
#include "result/deliver.h"

/* Whatever was measured is shown, also where the suite could not go on. */
static enum exit_code show(const struct rfc2544 *suite, struct report_file *file, enum exit_code code)
{
	json_t *document = report_rfc2544(suite);
	enum exit_code told;

	if (!document)
		return code;
	told = event_finished(suite->config, suite->duration_s,
			      json_string_value(json_object_get(document, "irregular_reason")));
	if (told == EXIT_DONE)
		return report_deliver(document, suite->config, file, code);
	json_decref(document);
	return told;
}

enum exit_code verb_rfc2544(const struct config *config)
{
	struct report_file file;
	struct rfc2544 suite;
	enum exit_code code = report_file_open(config, &file);

	if (code != EXIT_DONE)
		return code;
	code = rfc2544_run(config, &suite);
	code = show(&suite, &file, code);
	rfc2544_free(&suite);
	report_file_close(&file);
	return code;
}
