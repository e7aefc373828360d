/* SPDX-License-Identifier: GPL-2.0-or-later */
/* soak: PLRsearch. */
#include "benchmark/soak.h"
#include "benchmark/soak_report.h"
#include "cli/verbs.h"
#include "progress/events.h"
#include "result/deliver.h"

static enum exit_code show(const struct soak *soak, struct report_file *file, enum exit_code code)
{
	enum exit_code told;

	if (soak->end == SOAK_RUNNING || (soak->end == SOAK_FAILED && !soak->trial_count))
		return code;
	told = event_finished(soak->config, soak->duration_s, soak_irregular_reason(soak));
	return told == EXIT_DONE ? report_deliver(report_soak(soak), soak->config, file, code) : told;
}

static enum exit_code soak_with(const struct config *config, struct report_file *file)
{
	struct measurer *measurer = NULL;
	struct soak soak;
	enum exit_code code = measurer_new(config, &measurer);

	if (code != EXIT_DONE && code != EXIT_INTERRUPTED)
		return code;
	code = soak_run(config, measurer, &soak);
	code = show(&soak, file, code);
	soak_free(&soak);
	measurer_free(measurer);
	return code;
}

enum exit_code verb_soak(const struct config *config)
{
	struct report_file file;
	enum exit_code code = report_file_open(config, &file);

	if (code != EXIT_DONE)
		return code;
	code = soak_with(config, &file);
	report_file_close(&file);
	return code;
}
