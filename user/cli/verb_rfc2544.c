/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rfc2544: the suite of RFC 2544 section 26. */
#include "benchmark/rfc2544_report.h"
#include "cli/measured.h"
#include "cli/verbs.h"

/* Whatever was measured is shown, also where the suite could not go on. */
static enum exit_code suite_with(const struct config *config, struct report_file *file)
{
	struct rfc2544 suite;
	enum exit_code code = rfc2544_run(config, &suite);
	json_t *document = report_rfc2544(&suite);

	if (document)
		code = deliver_measured(document, config, suite.duration_s, file, code);
	rfc2544_free(&suite);
	return code;
}

enum exit_code verb_rfc2544(const struct config *config)
{
	return measure_for_report(config, suite_with);
}
