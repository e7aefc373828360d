/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report shows a stored result again, or renders it in another form. Of a folder of results it shows the trend. compare
 * tells of two whether the SUT became slower between them. */
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/signing.h"
#include "cli/verbs.h"
#include "config/stored.h"
#include "port/privileges.h"
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

/* A path such as /dev/fd/63 stands for a descriptor that whoever started us left open for us to read. */
static void keep_inherited(struct keeper_plan *plan, const char *path)
{
	int fd;
	char rest;

	if (sscanf(path, "/dev/fd/%d%c", &fd, &rest) == 1)
		keeper_plan_keep(plan, fd);
}

/* Divide the process before anything is read: the keeper opens what is read and written from now on. */
static enum exit_code leave_privileges(const struct config *config, struct report_file *file)
{
	struct keeper_plan plan = { .answer = destination_answer,
				    .paths = (const char *const *)config->all_files,
				    .path_count = config->file_count };

	for (size_t i = 0; i < config->file_count; i++)
		keep_inherited(&plan, config->all_files[i]);
	for (size_t i = 0; file && i < REPORT_FILES_MAX; i++)
		destination_hold(&file->destinations[i], &plan);
	return privileges_divide(config, &plan);
}

/* The report file is opened first, so that one that cannot be written is refused before anything is read. */
static enum exit_code with_report_file(const struct config *config,
				       enum exit_code (*show)(const struct config *config, struct report_file *file))
{
	struct report_file file;
	enum exit_code code = report_file_open(config, &file);

	if (code != EXIT_DONE)
		return code;
	code = show(config, &file);
	report_file_close(&file);
	return code;
}

static enum exit_code show_stored(const struct config *config, struct report_file *file)
{
	bool folder = trend_is_folder(config->files[0]);
	enum exit_code code = leave_privileges(config, file);
	json_auto_t *document = NULL;

	if (code == EXIT_DONE)
		code = folder ? trend_document(config, &document) : stored_document(config->files[0], &document);
	if (code == EXIT_DONE && !folder)
		code = check(config->files[0], document);
	if (code == EXIT_DONE && !folder)
		code = verify_refuse(config->files[0], document);
	return code ?: report_show_or_write(document, config, file);
}

enum exit_code verb_report(const struct config *config)
{
	return with_report_file(config, show_stored);
}

enum exit_code verb_verify(const struct config *config)
{
	json_auto_t *trusted = NULL;
	enum exit_code code = config->trust_path ? signing_trust_read(config->trust_path, &trusted) : EXIT_DONE;

	if (code == EXIT_DONE && !config->vectors_command)
		code = leave_privileges(config, NULL);
	return code ?: verify_files(config, trusted);
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

static enum exit_code compare(const struct config *config, struct report_file *file)
{
	json_auto_t *a = NULL, *b = NULL;
	json_t *document = NULL;
	enum exit_code code = leave_privileges(config, file)
				      ?: read_result(config->files[0], &a)
				      ?: read_result(config->files[1], &b)
				      ?: compare_documents(config, a, b, &document);

	return document ? report_deliver(document, config, file, code) : code;
}

enum exit_code verb_compare(const struct config *config)
{
	return with_report_file(config, compare);
}
