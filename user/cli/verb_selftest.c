/* SPDX-License-Identifier: GPL-2.0-or-later */
/* selftest: what the tester itself can do. */
#include "base/clock.h"
#include "benchmark/selftest.h"
#include "cli/measured.h"
#include "cli/verbs.h"

/* What was measured is shown, also where the rest could not be. */
static enum exit_code show(const struct selftest *selftest, enum exit_code code)
{
	if (code != EXIT_INTERRUPTED && !json_array_size(selftest->self_tests))
		return code;
	return deliver_measured(report_selftest(selftest), selftest->config,
				(double)(clock_ns() - selftest->start_ns) / (double)NS_PER_S, NULL, code);
}

enum exit_code verb_selftest(const struct config *config)
{
	struct selftest selftest;
	enum exit_code code = selftest_run(config, &selftest);

	code = show(&selftest, code);
	selftest_free(&selftest);
	return code;
}
