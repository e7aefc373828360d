/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <jansson.h>
#include <stdio.h>

#include "base/output.h"
#include "cli/verbs.h"
#include "lab/lab.h"
#include "port/journal.h"
#include "port/session.h"

enum exit_code verb_clean(const struct config *config)
{
	unsigned int ports = 0, labs = 0;
	enum exit_code code = journal_clean(&ports);

	session_clean();
	if (!code)
		code = lab_clean(&labs);
	if (code)
		return code;
	if (config->format != FORMAT_TEXT)
		return output_json(json_pack("{s:i, s:i}", "ports_restored", (int)ports, "labs_removed", (int)labs));
	printf("%u ports restored, %u unfinished labs removed\n", ports, labs);
	return EXIT_DONE;
}
