/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes of a YAML document: where they stand, and what they hold. */
#ifndef XDP_MLR_BASE_YAML_READ_H
#define XDP_MLR_BASE_YAML_READ_H

#include <string.h>
#include <yaml.h>

/* The line of the file, from 1. */
static inline size_t node_line(const yaml_node_t *node)
{
	return node->start_mark.line + 1;
}

/* A scalar without a NUL inside; NULL: anything else. */
static inline const char *node_text(const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value;

	return node->type == YAML_SCALAR_NODE && strlen(text) == node->data.scalar.length ? text : NULL;
}

/* The value of a key in a mapping; NULL if there is none. */
static inline const yaml_node_t *node_find(yaml_document_t *document, const yaml_node_t *mapping, const char *name)
{
	for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top; pair++) {
		const char *key = node_text(yaml_document_get_node(document, pair->key));

		if (key && strcmp(key, name) == 0)
			return yaml_document_get_node(document, pair->value);
	}
	return NULL;
}

#endif
