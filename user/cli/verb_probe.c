/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe: what a port, its driver, the kernel and the machine can do. */
#include "base/output.h"
#include "cli/verbs.h"
#include "probe/probe.h"
#include "result/deliver.h"

static enum exit_code show(const struct config *config, json_t *document)
{
	enum exit_code code;

	if (config->format != FORMAT_TEXT)
		return output_json(document);
	code = report_show(document, config);
	json_decref(document);
	return code;
}

enum exit_code verb_probe(const struct config *config)
{
	json_t *document;
	enum exit_code code = probe(config->port_list, &document), shown;
	enum probe_state worst;

	if (code)
		return code;
	worst = probe_worst(document);
	shown = show(config, document);
	return shown ? shown : worst == PROBE_FAIL ? EXIT_INCAPABLE : EXIT_DONE;
}
