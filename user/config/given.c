/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/given.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"

/* Every value may come into the result document, and JSON is UTF-8. */
static bool is_utf8(const char *text)
{
	json_t *string = json_string(text);

	json_decref(string);
	return string;
}

enum exit_code given_add(struct given_list *list, const struct given *given)
{
	struct given *items;

	if (!is_utf8(given->text))
		return refuse(EXIT_USAGE_ERROR, "--%s: the value must be UTF-8", given->option->name);
	items = reallocarray(list->items, list->count + 1, sizeof(*items));
	if (!items)
		return out_of_memory();
	list->items = items;
	items[list->count] = *given;
	items[list->count].text = strdup(given->text);
	if (!items[list->count].text)
		return out_of_memory();
	list->count++;
	return EXIT_DONE;
}

const struct given *given_find(const struct given_list *list, const char *name)
{
	for (size_t i = list->count; i-- > 0;)
		if (strcmp(list->items[i].option->name, name) == 0)
			return &list->items[i];
	return NULL;
}

bool given_by_user(const struct given_list *list, const char *name)
{
	const struct given *given = list ? given_find(list, name) : NULL;

	return given && !given->fallback;
}

bool given_says(const struct given_list *list, const char *name, const char *text)
{
	const struct given *given = list ? given_find(list, name) : NULL;

	return given && strcmp(given->text, text) == 0;
}

json_t *given_texts(const struct given_list *list, const char *name)
{
	const struct given *items = list->items;

	return json_list(i, list->count, strcmp(items[i].option->name, name) == 0 ? json_string(items[i].text) : NULL);
}

void given_list_free(struct given_list *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].text);
	free(list->items);
	free(list);
}

enum exit_code refuse_given(const struct given *given, const char *format, ...)
{
	const char *value = QUOTED(given->text);
	char reason[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	if (given->path)
		return refuse(EXIT_USAGE_ERROR, "%s:%zu: %s '%s': %s", given->path, given->line, given->option->name, value,
			      reason);
	return refuse(EXIT_USAGE_ERROR, "--%s '%s': %s", given->option->name, value, reason);
}

enum exit_code option_load_fps(const struct config *config, const char *option, const struct load_spec *load,
			       double line_rate_fps, double *ret_fps)
{
	double in_fps = load_fps(load, config->frame_size_octets, line_rate_fps);

	if (in_fps <= 0)
		return refuse(EXIT_USAGE_ERROR,
			      "--%s in %%: the line rate is not known here; give it in frames/s, as 250kfps", option);
	*ret_fps = in_fps;
	return EXIT_DONE;
}

enum exit_code read_list(const struct given *given, const char *text, list_reader *read, void *into)
{
	char copy[LIST_SIZE], *rest = copy, *part;
	enum exit_code code = EXIT_DONE;

	if (strlen(text) >= sizeof(copy))
		return refuse_given(given, "longer than %d characters", LIST_SIZE - 1);
	strcpy(copy, text);
	while (code == EXIT_DONE && (part = strsep(&rest, ",")))
		code = read(given, part, into);
	return code;
}
