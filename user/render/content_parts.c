/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts that every kind of document may have, below the page and its kinds. */
#include <stdio.h>
#include <stdlib.h>

#include "render/kinds.h"

void content_put_strings(struct writer *writer, const char *id, const char *heading, const json_t *array)
{
	size_t count = json_array_size(array);
	const char **items = calloc(count + 1, sizeof(*items));

	for (size_t i = 0; items && i < count; i++)
		items[i] = json_string_value(json_array_get(array, i)) ? json_string_value(json_array_get(array, i)) : "";
	if (items && count) {
		writer->ops->section(writer, RANK_MAIN, id, heading);
		writer->ops->list(writer, items, count);
	}
	free(items);
}

void content_put_rest(struct writer *writer, size_t count)
{
	char text[80];

	if (!writer->items_most || count <= writer->items_most)
		return;
	snprintf(text, sizeof(text), "and %zu more, which --format json names", count - writer->items_most);
	writer->ops->paragraph(writer, text);
}
