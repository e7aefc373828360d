/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/deliver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/output.h"
#include "base/stop.h"
#include "config/given.h"
#include "render/render.h"
#include "result/report.h"

#define READER_POLL_NS (NS_PER_S / 20)

/* The option that names a file. */
static const char *option_of(const struct config *config, size_t i)
{
	switch (config->reports[i].form) {
	case DOCUMENT_JUNIT:
		return "junit";
	case DOCUMENT_CERTIFICATE:
	case DOCUMENT_CERTIFICATE_PDF:
		return "certificate";
	default:
		return "report";
	}
}

/* Find out where the file goes, and whether it can be written. */
static enum exit_code find_place(const char *option, const char *path, struct destination *ret)
{
	struct stat status;
	int error;

	/* A FIFO needs its reader. */
	while ((error = destination_ready(path, ret)) == -ENXIO && !stat(path, &status) && S_ISFIFO(status.st_mode))
		if (stop_sleep_until(clock_ns() + READER_POLL_NS))
			return EXIT_INTERRUPTED;
	return error ? destination_refuse(option, path, error) : EXIT_DONE;
}

enum exit_code report_file_open(const struct config *config, struct report_file *ret)
{
	struct report_file file = { 0 };
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < REPORT_FILES_MAX; i++)
		file.destinations[i] = (struct destination){ .directory_fd = -1, .fd = -1 };
	for (size_t i = 0; i < config->report_count && code == EXIT_DONE; i++)
		code = find_place(option_of(config, i), config->reports[i].path, &file.destinations[i]);
	for (size_t i = 0; i < config->report_count && code == EXIT_DONE && !config->dry_run; i++)
		if (config->reports[i].form == DOCUMENT_CERTIFICATE_PDF)
			code = pdf_start(config->reports[i].path, &file.converters[i]);
	if (code == EXIT_DONE && config->logo_path)
		code = logo_read(config->logo_path, &file.logo);
	if (code == EXIT_DONE && config->verb != VERB_SELFTEST && config->verb != VERB_COMPARE)
		code = report_sut(config, &file.sut);
	if (code == EXIT_DONE && config->sign_path)
		code = signing_key_read(config->sign_path, &file.key);
	if (code != EXIT_DONE)
		report_file_close(&file);
	else
		*ret = file;
	return code;
}

void report_file_close(struct report_file *file)
{
	for (size_t i = 0; i < REPORT_FILES_MAX; i++)
		destination_close(&file->destinations[i]), pdf_close(&file->converters[i]);
	logo_free(&file->logo);
	json_decref(file->sut);
	signing_key_free(file->key);
}

/* Make the text of a form, as it is in its file. */
static enum exit_code make_form(const json_t *document, const struct config *config, size_t i, struct report_file *file,
				char **ret_text, size_t *ret_length)
{
	const struct render_style style = { .explain = config->explain, .whole = config->explain, .logo = file->logo };
	const char *path = config->reports[i].path;
	size_t length;
	owned char *text = render(document, config->reports[i].form, style, &length);

	if (!text || memory_ran_out())
		return out_of_memory();
	if (config->reports[i].form == DOCUMENT_CERTIFICATE_PDF)
		return pdf_convert(&file->converters[i], path, text, length, ret_text, ret_length);
	*ret_length = length;
	*ret_text = text;
	text = NULL;
	return EXIT_DONE;
}

static enum exit_code write_form(const json_t *document, const struct config *config, size_t i, struct report_file *file)
{
	owned char *text = NULL;
	size_t length;
	enum exit_code code = make_form(document, config, i, file, &text, &length);
	int error;

	if (code != EXIT_DONE)
		return code;
	error = destination_write(&file->destinations[i], text, length, 0666, true, true);
	if (error == -EINTR)
		return EXIT_INTERRUPTED;
	return error ? refuse(EXIT_INCAPABLE, "cannot write to %s: %s", config->reports[i].path, strerror(-error))
		     : EXIT_DONE;
}

/* Write every form that can be written, whatever becomes of another. */
static enum exit_code report_write(const json_t *document, const struct config *config, struct report_file *file)
{
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < config->report_count; i++) {
		enum exit_code written = write_form(document, config, i, file);

		code = code == EXIT_DONE ? written : code;
	}
	return code;
}

enum exit_code report_show(const json_t *document, const struct config *config)
{
	struct render_style style = { .terminal = isatty(STDOUT_FILENO) && !getenv("NO_COLOR"), .explain = config->explain };
	unsigned int rows;
	size_t length;
	char *text;

	if (isatty(STDOUT_FILENO))
		terminal_size(STDERR_FILENO, &style.columns, &rows);

	if (config->format == FORMAT_TEXT)
		text = render(document, DOCUMENT_TEXT, style, &length);
	else
		text = json_text(document, config->format == FORMAT_JSON, &length);
	return output_text(text, length);
}

/* Add what --note says of the run; nothing without it. */
static void add_notes(json_t *document, const struct config *config)
{
	json_auto_t *notes = given_texts(config->given, "note");

	if (json_array_size(notes))
		json_object_set(document, "notes", notes);
}

/* Add who tested for whom, where, and which units of the SUT; nothing if that was not said. */
static void add_commission(json_t *document, const struct config *config)
{
	static const char *const names[] = { "operator", "customer", "site" };
	json_auto_t *commission = json_with("serials", given_texts(config->given, "serial"));
	bool said = json_array_size(json_object_get(commission, "serials")) > 0;

	for (size_t i = 0; i < COUNT(names); i++) {
		const struct given *given = given_find(config->given, names[i]);

		said = said || given;
		json_put(commission, names[i], given ? json_string(given->text) : json_null());
	}
	if (said)
		json_object_set(document, "commission", commission);
}

/* Add what was warned of on standard error: others may read the result, and later. */
static void add_warnings(json_t *document)
{
	char *const *texts;
	size_t count = message_warnings(&texts);

	for (size_t i = 0; i < count; i++) {
		json_auto_t *text = json_string(texts[i]);

		if (!json_list_has(json_object_get(document, "warnings"), text))
			json_array_append(json_list_at(document, "warnings"), text);
	}
}

enum exit_code report_show_or_write(const json_t *document, const struct config *config, struct report_file *file)
{
	for (size_t i = 0; i < config->report_count; i++)
		if (strcmp(option_of(config, i), "certificate") == 0 && !render_certifies(document))
			return refuse(
				EXIT_USAGE_ERROR,
				"--certificate %s: a certificate is of a benchmark (search, trial, sweep, soak, rfc2544, "
				"y1564), and %s is none",
				config->reports[i].path, config->files[0]);
	return config->report_count ? report_write(document, config, file) : report_show(document, config);
}

enum exit_code report_deliver(json_t *document, const struct config *config, struct report_file *file, enum exit_code code)
{
	json_auto_t *changes = report_changes(document);
	enum exit_code is_signed = EXIT_DONE, shown, filed = EXIT_DONE;

	if (!document)
		return out_of_memory();
	if (config->verb != VERB_TRIAL && file->sut && changes)
		json_object_set(document, "changes", changes);
	report_add_causes(document);
	code = report_judge(document, config, code);
	add_notes(document, config);
	add_commission(document, config);
	if (file->sut) {
		json_object_set(document, "sut", file->sut);
		add_warnings(document);
		report_add_checklist(document);
	}
	if (file->key)
		is_signed = signing_sign(document, file->key);
	shown = report_show(document, config);
	if (!memory_ran_out())
		filed = report_write(document, config, file);
	json_decref(document);
	if (shown != EXIT_DONE)
		return shown;
	if (is_signed != EXIT_DONE)
		return is_signed;
	return filed != EXIT_DONE ? filed : code;
}
