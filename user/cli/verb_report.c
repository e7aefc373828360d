/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: a stored result, shown again or rendered in another form. */
#include <string.h>

#include "cli/verbs.h"
#include "config/stored.h"
#include "result/deliver.h"

#define SCHEMAS "xdp-mlr/"

/* Whether there is something to show, else why not. */
static enum exit_code check(const char *path, const json_t *document)
{
	const char *schema = json_string_value(json_object_get(document, "schema"));

	if (!schema)
		return refuse(EXIT_USAGE_ERROR,
			      "%s is no result of xdp-mlr: write one by --format json or --report FILE.json", path);
	if (strncmp(schema, SCHEMAS, strlen(SCHEMAS)) != 0)
		return refuse(EXIT_USAGE_ERROR, "%s is a document '%s', and no result of xdp-mlr", path, schema);
	if (!json_object_get(document, "configuration") && !json_object_size(json_object_get(document, "environment")) &&
	    json_object_size(document) <= 2)
		return refuse(EXIT_USAGE_ERROR, "%s holds events of a run that did not end, and no result", path);
	return EXIT_DONE;
}

enum exit_code verb_report(const struct config *config)
{
	json_t *document;
	enum exit_code code = stored_document(config->files[0], &document);

	if (code != EXIT_DONE)
		return code;
	code = check(config->files[0], document);
	if (code == EXIT_DONE)
		code = report_show_or_write(document, config);
	json_decref(document);
	return code;
}
