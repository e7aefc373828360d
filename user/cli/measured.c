/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/measured.h"

#include "base/json_read.h"
#include "progress/events.h"

enum exit_code measure_for_report(const struct config *config,
				  enum exit_code (*measure)(const struct config *config, struct report_file *file))
{
	struct report_file file;
	enum exit_code code = report_file_open(config, &file);

	if (code != EXIT_DONE)
		return code;
	code = measure(config, &file);
	report_file_close(&file);
	return code;
}

enum exit_code deliver_measured(json_t *document, const struct config *config, double duration_s, struct report_file *file,
				enum exit_code code)
{
	enum exit_code told = event_finished(config, duration_s, read_string(document, "irregular_reason"));

	if (told == EXIT_DONE)
		return report_deliver(document, config, file, code);
	json_decref(document);
	return told;
}
