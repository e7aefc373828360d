/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/logo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/message.h"
#include "base/reader.h"

#define LOGO_MOST (256 * 1024) /* octets */

static const char png_beginning[] = "\x89PNG\r\n\x1a\n";

/* What stands behind a name, an equals sign or bracket, and quotes; NULL: this is no reference. */
static const char *reference_at(const char *text, const char *name, char sign)
{
	text += strlen(name);
	text += strspn(text, " \t\r\n");
	if (*text++ != sign)
		return NULL;
	return text + strspn(text, " \t\r\n\"'");
}

/* Whether each "href=" or "url(" leads to a part of the same picture, or is a picture within it. */
static bool refers_inside(const char *text, const char *name, char sign)
{
	for (; (text = strcasestr(text, name)); text++) {
		const char *target = reference_at(text, name, sign);

		if (target && *target != '#' && strncmp(target, "data:image/png;", 15) &&
		    strncmp(target, "data:image/jpeg;", 16))
			return false;
	}
	return true;
}

/* What an SVG may not have, as it runs, loads, or hides that from refers_inside(). */
static const char *forbidden_in(const char *text)
{
	static const char *const words[] = { "<script", "<foreignobject", "<!entity", "<?xml-stylesheet",
					     "@import", "xml:base",       "\\",       "<animate",
					     "<set",    "utf-16",         "utf-7" };

	for (size_t i = 0; i < COUNT(words); i++)
		if (strcasestr(text, words[i]))
			return words[i];
	if (!refers_inside(text, "href", '='))
		return "href";
	return refers_inside(text, "url", '(') ? NULL : "url()";
}

/* An XML file may say that its octets are no UTF-8, and mean something else by them. */
static bool is_utf8(const char *text, size_t length)
{
	const char *encoding = strcasestr(text, "encoding");
	json_t *string = json_stringn(text, length);

	json_decref(string);
	if (!string || strlen(text) != length)
		return false;
	if (strncmp(text, "<?xml", 5) || !encoding)
		return true;
	encoding = reference_at(encoding, "encoding", '=');
	return encoding && strncasecmp(encoding, "utf-8", 5) == 0;
}

struct unchecked {
	const char *path;
	const struct render_logo *logo;
};

/* Whether this SVG may stand on a certificate. Whoever wrote it shall not meet a process with privileges. */
static enum exit_code check(void *context, FILE *)
{
	const struct unchecked *unchecked = context;
	const struct render_logo *logo = unchecked->logo;
	const char *path = unchecked->path, *forbidden;

	if (!is_utf8(logo->octets, logo->length) || !strstr(logo->octets, "<svg"))
		return refuse(EXIT_USAGE_ERROR, "--logo %s: this is neither a PNG nor an SVG in UTF-8", path);
	forbidden = forbidden_in(logo->octets);
	return forbidden ? refuse(EXIT_USAGE_ERROR,
				  "--logo %s: an SVG with '%s' may load or run something, which a certificate does not; "
				  "export it as a plain SVG or a PNG",
				  path, forbidden)
			 : EXIT_DONE;
}

/* Read a file. -EINVAL where it is none: a FIFO may never answer. */
static int read_regular(const char *path, struct render_logo *logo)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;
	struct stat status;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		error = -EINVAL;
	else
		error = file_read_open(fd, LOGO_MOST, &logo->octets, &logo->length);
	close(fd);
	return error;
}

enum exit_code logo_read(const char *path, struct render_logo *ret)
{
	struct render_logo logo = { .type = "image/svg+xml" };
	struct unchecked unchecked = { path, &logo };
	const struct reader_plan plan = { .parse = check, .context = &unchecked, .fd = -1, .name = path };
	int error = read_regular(path, &logo);
	enum exit_code code = EXIT_DONE;

	if (error == -EINVAL)
		return refuse(EXIT_USAGE_ERROR, "--logo %s: this is no file; give a PNG or an SVG", path);
	if (error == -EFBIG)
		return refuse(EXIT_USAGE_ERROR, "--logo %s: the file is larger than %d KiB", path, LOGO_MOST / 1024);
	if (error)
		return refuse(EXIT_USAGE_ERROR, "--logo %s: %s", path, strerror(-error));
	if (logo.length >= 8 && memcmp(logo.octets, png_beginning, 8) == 0)
		logo.type = "image/png";
	else
		code = reader_run(&plan, NULL, NULL);
	if (code == EXIT_DONE)
		*ret = logo;
	else
		logo_free(&logo);
	return code;
}

void logo_free(struct render_logo *logo)
{
	free(logo->octets);
	*logo = (struct render_logo){ 0 };
}
