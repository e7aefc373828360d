/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/journal_damaged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json_read.h"
#include "base/message.h"

#define OCTETS_MOST (1 << 20) /* ours have some thousand */

/* The JSON value that begins here, whatever follows it. */
static json_t *value_at(const char *text)
{
	return json_loads(text, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, NULL);
}

static void save_member(json_t *document, const char *text, const char *name)
{
	char begin[32];
	const char *at;
	size_t length = (size_t)snprintf(begin, sizeof(begin), "\"%s\":", name);
	json_t *value = (at = strstr(text, begin)) ? value_at(at + length) : NULL;

	if (value)
		json_object_set_new(document, name, value);
}

/* Every change that is whole: with a setting, and what it was. */
static json_t *save_changes(const char *text)
{
	static const char begin[] = "{\"setting\":";
	json_t *changes = json_array();

	for (const char *at = text; (at = strstr(at, begin)); at++) {
		json_t *change = value_at(at);

		if (change && read_string(change, "setting") && read_string(change, "was") && read_string(change, "now"))
			json_array_append(changes, change);
		json_decref(change);
	}
	return changes;
}

static json_t *save(const char *text)
{
	static const char *const names[] = { "port", "ifindex", "mac", "kind", "cookie", "pid" };
	json_t *document = json_object();

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		save_member(document, text, names[i]);
	json_object_set_new(document, "changes", save_changes(text));
	return document;
}

static void keep_aside(const char *path, const char *text, size_t length, size_t changes)
{
	char beside[FILES_PATH_SIZE];
	int error;

	snprintf(beside, sizeof(beside), "%s.damaged", path);
	error = file_replace(beside, text, length, 0600, false);
	warn("the journal %s is damaged: %zu changes can be read in it; it is kept as %s%s%s; look at what it lists "
	     "('ethtool', 'ip -d link')",
	     path, changes, beside, error ? ", which failed: " : "", error ? strerror(-error) : "");
}

json_t *journal_load(int fd, const char *path)
{
	char *text = calloc(1, OCTETS_MOST + 1);
	ssize_t length = text ? pread(fd, text, OCTETS_MOST, 0) : 0;
	json_t *document = NULL;

	if (length > 0)
		document = json_loadb(text, (size_t)length, 0, NULL);
	if (length > 0 && !json_is_object(document)) {
		json_decref(document);
		document = save(text);
		keep_aside(path, text, (size_t)length, json_array_size(json_object_get(document, "changes")));
	}
	free(text);
	return document;
}
