/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A YAML file while it is read, strictly: one document, and in a mapping of known keys no other key, and none twice. What is
 * refused is refused with file and line. A file is read within bounds: libyaml takes time by the square of how deeply
 * brackets are nested, and ever more memory.
 */
#pragma once

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/message.h"

#define YAML_OCTETS_MOST (4u << 20)
#define YAML_DEPTH_MOST  1000 /* of brackets in brackets */

struct yaml_file {
	const char *path;
	char *error; /* where a refusal is written to; NULL: it is said at once */
	size_t error_size;
	yaml_document_t document;
};

/* The one document of a stream, or of a text. EXIT_USAGE_ERROR: it is none. Free with yaml_file_free(). */
enum exit_code yaml_file_read(struct yaml_file *file, FILE *stream);
enum exit_code yaml_file_read_text(struct yaml_file *file, const char *text);
void yaml_file_free(struct yaml_file *file);

/* "FILE:LINE: reason". EXIT_USAGE_ERROR. */
__attribute__((format(printf, 3, 4))) enum exit_code refuse_line(const struct yaml_file *file, size_t line,
								 const char *format, ...);
#define refuse_node(file, node, ...) refuse_line(file, node_line(node), __VA_ARGS__)

/* --- nodes ---------------------------------------------------------------------------------------------------------- */

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

/* The same; what is none is refused. */
const char *node_plain(const struct yaml_file *file, const yaml_node_t *node);

/* The items of a sequence. */
static inline size_t item_count(const yaml_node_t *sequence)
{
	return (size_t)(sequence->data.sequence.items.top - sequence->data.sequence.items.start);
}

const yaml_node_t *item_at(struct yaml_file *file, const yaml_node_t *sequence, size_t index);

/* The keys of a mapping, and their values. */
static inline size_t pair_count(const yaml_node_t *mapping)
{
	return (size_t)(mapping->data.mapping.pairs.top - mapping->data.mapping.pairs.start);
}

const yaml_node_t *key_at(struct yaml_file *file, const yaml_node_t *mapping, size_t index);
const yaml_node_t *value_at(struct yaml_file *file, const yaml_node_t *mapping, size_t index);
/* The value of a key; NULL if there is none. */
const yaml_node_t *node_find(struct yaml_file *file, const yaml_node_t *mapping, const char *name);

/* --- mappings ------------------------------------------------------------------------------------------------------- */

/* A key that a mapping may have, who reads its value (NULL: nobody now), and where in what is filled in. */
struct yaml_key {
	const char *name;
	enum exit_code (*read)(struct yaml_file *file, const yaml_node_t *value, void *target);
	size_t offset;
};

/* A mapping of these keys alone, each at most once, read in the order of the keys. `what` is how errors call it. */
enum exit_code yaml_read_mapping(struct yaml_file *file, const yaml_node_t *node, const char *what,
				 const struct yaml_key *keys, size_t count, void *target);
