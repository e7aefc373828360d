/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: a stored result, shown again or rendered in another form; of a folder of results, the trend. compare: two, and
 * whether the SUT became slower between them. */
#include <string.h>

#include "base/json_read.h"
#include "cli/verbs.h"
#include "config/stored.h"
#include "result/compare.h"
#include "result/deliver.h"
#include "result/trend.h"
#include "result/verify.h"

#define SCHEMAS "xdp-mlr/"

/* Whether there is something to show, else why not. */
static enum exit_code check(const char *path, const json_t *document)
{
	const char *schema = read_string(document, "schema");

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
	bool folder = trend_is_folder(config->files[0]);
	json_auto_t *document = NULL;
	enum exit_code code = folder ? trend_document(config, &document) : stored_document(config->files[0], &document);

	if (code != EXIT_DONE)
		return code;
	if (!folder)
		code = check(config->files[0], document);
	if (!folder && code == EXIT_DONE)
		code = verify_refuse(config->files[0], document);
	return code == EXIT_DONE ? report_show_or_write(document, config) : code;
}

enum exit_code verb_verify(const struct config *config)
{
	return verify_files(config);
}

/* --- compare ------------------------------------------------------------------------------------------------------ */

static enum exit_code read_result(const char *path, json_t **ret)
{
	char problem[LOAD_PROBLEM_SIZE];
	enum exit_code code = result_load(path, problem, ret);

	if (code != EXIT_DONE)
		return code;
	return *ret ? verify_refuse(path, *ret) : refuse(EXIT_USAGE_ERROR, "%s", problem);
}

static enum exit_code compare(const struct config *config, const json_t *a, const json_t *b)
{
	json_t *document = NULL;
	struct report_file file;
	enum exit_code code = report_file_open(config, &file);

	if (code != EXIT_DONE)
		return code;
	code = compare_documents(config, a, b, &document);
	if (document)
		code = report_deliver(document, config, &file, code);
	report_file_close(&file);
	return code;
}

enum exit_code verb_compare(const struct config *config)
{
	json_auto_t *a = NULL, *b = NULL;
	enum exit_code code = read_result(config->files[0], &a);

	if (code == EXIT_DONE)
		code = read_result(config->files[1], &b);
	if (code == EXIT_DONE)
		code = compare(config, a, b);
	return code;
}
