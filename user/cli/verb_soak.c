/* SPDX-License-Identifier: GPL-2.0-or-later */
/* soak: PLRsearch. */
#include "benchmark/soak.h"
#include "benchmark/soak_report.h"
#include "cli/measured.h"
#include "cli/verbs.h"

static enum exit_code show(const struct soak *soak, struct report_file *file, enum exit_code code)
{
	if (soak->end == SOAK_RUNNING || (soak->end == SOAK_FAILED && !soak->trial_count))
		return code;
	return deliver_measured(report_soak(soak), soak->config, soak->duration_s, file, code);
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
	return measure_for_report(config, soak_with);
}
