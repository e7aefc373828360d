/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A YAML file is one document that is read strictly. The caller owns it; it owns its nodes. It is read by yaml_file_read(),
 * its nodes are visited, and it is freed by yaml_file_free().
 *
 * A mapping may have known keys only, each at most once. Errors name file and line. Reading has limits: libyaml needs time
 * that grows with the square of nested brackets, and much memory.
 */
#pragma once

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/message.h"

#define YAML_OCTETS_MOST (4u << 20)
#define YAML_DEPTH_MOST  1000 /* the limit of nested brackets */

struct yaml_file {
	const char *path;
	char *error; /* where an error is written to; NULL: it is reported at once */
	size_t error_size;
	yaml_document_t document;
};

/* Read the only document of a stream or a text. Returns EXIT_USAGE_ERROR if there is none. Free it with yaml_file_free(). */
enum exit_code yaml_file_read(struct yaml_file *file, FILE *stream);
enum exit_code yaml_file_read_text(struct yaml_file *file, const char *text);
void yaml_file_free(struct yaml_file *file);

/* Report "FILE:LINE: reason". Returns EXIT_USAGE_ERROR. */
__attribute__((format(printf, 3, 4))) enum exit_code refuse_line(const struct yaml_file *file, size_t line,
								 const char *format, ...);
#define refuse_node(file, node, ...) refuse_line(file, node_line(node), __VA_ARGS__)

/* --- nodes ---------------------------------------------------------------------------------------------------------- */

/* Return the line in the file, from 1. */
static inline size_t node_line(const yaml_node_t *node)
{
	return node->start_mark.line + 1;
}

/* Return a scalar without a NUL inside, or NULL for anything else. */
static inline const char *node_text(const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value;

	return node->type == YAML_SCALAR_NODE && strlen(text) == node->data.scalar.length ? text : NULL;
}

/* Do the same, and report anything else as an error. */
const char *node_plain(const struct yaml_file *file, const yaml_node_t *node);

/* Count or get the items of a sequence. */
static inline size_t item_count(const yaml_node_t *sequence)
{
	return (size_t)(sequence->data.sequence.items.top - sequence->data.sequence.items.start);
}

const yaml_node_t *item_at(struct yaml_file *file, const yaml_node_t *sequence, size_t index);

/* Count or get the keys of a mapping, and their values. */
static inline size_t pair_count(const yaml_node_t *mapping)
{
	return (size_t)(mapping->data.mapping.pairs.top - mapping->data.mapping.pairs.start);
}

const yaml_node_t *key_at(struct yaml_file *file, const yaml_node_t *mapping, size_t index);
const yaml_node_t *value_at(struct yaml_file *file, const yaml_node_t *mapping, size_t index);
/* Return the value of a key, or NULL. */
const yaml_node_t *node_find(struct yaml_file *file, const yaml_node_t *mapping, const char *name);

/* --- mappings ------------------------------------------------------------------------------------------------------- */

/* A key that a mapping may have, the function that reads its value (NULL: nobody now), and where the value goes. */
struct yaml_key {
	const char *name;
	enum exit_code (*read)(struct yaml_file *file, const yaml_node_t *value, void *target);
	size_t offset;
};

/* Read a mapping that has only these keys, each at most once, in the order of the list. `what` is its name in errors. */
enum exit_code yaml_read_mapping(struct yaml_file *file, const yaml_node_t *node, const char *what,
				 const struct yaml_key *keys, size_t count, void *target);
