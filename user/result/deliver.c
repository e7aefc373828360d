/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/deliver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_text.h"
#include "base/output.h"
#include "config/given.h"
#include "render/render.h"
#include "result/checklist.h"
#include "result/judge.h"
#include "result/sut.h"

enum exit_code report_file_open(const struct config *config, struct report_file *ret)
{
	struct report_file file = { .path = config->report_path, .fd = -1 };
	enum exit_code code;

	if (file.path) {
		file.fd = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		file.created = file.fd >= 0;
		if (file.fd < 0 && errno == EEXIST)
			file.fd = open(file.path, O_WRONLY | O_CLOEXEC);
		if (file.fd < 0)
			return refuse(EXIT_USAGE_ERROR, "--report '%s': %s", file.path, strerror(errno));
	}
	code = report_sut(config, &file.sut);
	if (code != EXIT_DONE)
		report_file_close(&file);
	else
		*ret = file;
	return code;
}

void report_file_close(struct report_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->created && !file->written)
		unlink(file->path);
	json_decref(file->sut);
}

/* Replace what the file held. A device or a pipe has no length to cut. */
static enum exit_code write_file(struct report_file *file, const char *text, size_t length)
{
	struct stat status;
	enum exit_code code;

	if (fstat(file->fd, &status) == 0 && S_ISREG(status.st_mode) && ftruncate(file->fd, 0))
		return refuse(EXIT_INCAPABLE, "cannot write to %s: %s", file->path, strerror(errno));
	file->written = true;
	code = output_write_fd(file->fd, file->path, text, length);
	if (code == EXIT_DONE && close(file->fd))
		code = refuse(EXIT_INCAPABLE, "cannot write to %s: %s", file->path, strerror(errno));
	file->fd = -1;
	return code;
}

enum exit_code report_write(const json_t *document, const struct config *config, struct report_file *file)
{
	enum exit_code code;
	size_t length;
	char *text = render(document, config->report_form, (struct render_style){ .explain = config->explain }, &length);

	if (!text)
		return refuse(EXIT_INCAPABLE, "out of memory");
	code = write_file(file, text, length);
	free(text);
	return code;
}

enum exit_code report_show(const json_t *document, const struct config *config)
{
	struct render_style style = { .terminal = isatty(STDOUT_FILENO) && !getenv("NO_COLOR"), .explain = config->explain };
	size_t length;
	char *text;

	if (config->format == FORMAT_TEXT)
		text = render_as_text(document, style, &length);
	else
		text = json_text(document, config->format == FORMAT_JSON, &length);
	return output_text(text, length);
}

/* What --note says of the run; nothing without it. */
static void add_notes(json_t *document, const struct config *config)
{
	json_t *notes = given_texts(config->given, "note");

	if (json_array_size(notes))
		json_object_set(document, "notes", notes);
	json_decref(notes);
}

/* What was warned of on standard error belongs to the result as well: that may be looked at by others, and later. */
static void add_warnings(json_t *document)
{
	json_t *warnings = json_object_get(document, "warnings");
	char *const *texts;
	size_t count = message_warnings(&texts);

	if (!count)
		return;
	if (!json_is_array(warnings)) {
		warnings = json_array();
		json_object_set_new(document, "warnings", warnings);
	}
	for (size_t i = 0; i < count; i++)
		json_array_append_new(warnings, json_string(texts[i]));
}

enum exit_code report_show_or_write(const json_t *document, const struct config *config)
{
	struct report_file file;
	enum exit_code code;

	if (!config->report_path)
		return report_show(document, config);
	code = report_file_open(config, &file);
	if (code != EXIT_DONE)
		return code;
	code = report_write(document, config, &file);
	report_file_close(&file);
	return code;
}

enum exit_code report_deliver(json_t *document, const struct config *config, struct report_file *file, enum exit_code code)
{
	enum exit_code shown = EXIT_DONE, filed = EXIT_DONE;

	if (!document)
		return refuse(EXIT_INCAPABLE, "out of memory");
	code = judge(document, config, code);
	add_notes(document, config);
	if (file) {
		json_object_set(document, "sut", file->sut);
		add_warnings(document);
		report_add_checklist(document);
	}
	shown = report_show(document, config);
	if (file && file->path)
		filed = report_write(document, config, file);
	json_decref(document);
	if (shown != EXIT_DONE)
		return shown;
	return filed != EXIT_DONE ? filed : code;
}
