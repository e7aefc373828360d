/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/yaml_read.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/schema.h"

#define REASON_SIZE 1024

enum exit_code refuse_line(const struct yaml_file *file, size_t line, const char *format, ...)
{
	char reason[REASON_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	if (!file->error)
		return refuse(EXIT_USAGE_ERROR, "%s:%zu: %s", file->path, line, reason);
	snprintf(file->error, file->error_size, "%s:%zu: %s", file->path, line, reason);
	return EXIT_USAGE_ERROR;
}

/* --- bounds --------------------------------------------------------------------------------------------------------- */

/* The input of a parser. Open brackets are counted in it, those in comments and texts as well. */
struct input {
	FILE *stream;
	size_t octets, depth, line; /* the last from 0 */
	const char *exceeded;       /* the fault in words; NULL: none */
};

static void count_octets(struct input *input, const unsigned char *octets, size_t length)
{
	input->octets += length;
	for (size_t i = 0; i < length && input->depth <= YAML_DEPTH_MOST; i++) {
		if (octets[i] == '[' || octets[i] == '{')
			input->depth++;
		else if ((octets[i] == ']' || octets[i] == '}') && input->depth)
			input->depth--;
		input->line += octets[i] == '\n';
	}
	if (input->depth > YAML_DEPTH_MOST)
		input->exceeded = "it has brackets in more than 1000 brackets";
	else if (input->octets > YAML_OCTETS_MOST)
		input->exceeded = "it is longer than 4 MiB";
}

static int read_some(void *context, unsigned char *buffer, size_t size, size_t *ret_length)
{
	struct input *input = context;

	*ret_length = fread(buffer, 1, size, input->stream);
	count_octets(input, buffer, *ret_length);
	return !input->exceeded && !ferror(input->stream);
}

/* --- lines ---------------------------------------------------------------------------------------------------------- */

static yaml_node_t *node_at(struct yaml_file *file, size_t number)
{
	return yaml_document_get_node(&file->document, (int)number);
}

static size_t node_line(const yaml_node_t *node)
{
	return node->start_mark.line + 1;
}

/* Return the node that a value was made of, or NULL. */
static yaml_node_t *node_of(struct yaml_file *file, const json_t *value)
{
	for (size_t i = 0; i < file->value_count; i++)
		if (file->values[i] == value)
			return node_at(file, i + 1);
	return NULL;
}

/* Return a text without a NUL inside, or NULL for any other value. */
static const char *node_text(const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value;

	return node->type == YAML_SCALAR_NODE && strlen(text) == node->data.scalar.length ? text : NULL;
}

size_t yaml_line(struct yaml_file *file, const json_t *value)
{
	const yaml_node_t *node = node_of(file, value);

	return node ? node_line(node) : 1;
}

size_t yaml_key_line(struct yaml_file *file, const json_t *mapping, const char *key)
{
	const yaml_node_t *node = node_of(file, mapping);

	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++)
		if (strcmp(node_text(node_at(file, (size_t)pair->key)), key) == 0)
			return node_line(node_at(file, (size_t)pair->key));
	return node_line(node);
}

/* --- values --------------------------------------------------------------------------------------------------------- */

static json_t *convert(struct yaml_file *file, int number, size_t depth);

static bool convert_pair(struct yaml_file *file, json_t *object, const yaml_node_pair_t *pair, size_t depth)
{
	const yaml_node_t *key = node_at(file, (size_t)pair->key);
	const char *name = node_text(key);
	json_t *value;

	if (!name || json_object_get(object, name)) {
		refuse_line(file, node_line(key), name ? "'%s' stands here twice" : "a plain value must stand here",
			    QUOTED(name ? name : ""));
		return false;
	}
	value = convert(file, pair->value, depth);
	return value && !json_object_set_new(object, name, value);
}

static bool convert_items(struct yaml_file *file, const yaml_node_t *node, json_t *value, size_t depth)
{
	bool good = true;

	if (node->type == YAML_MAPPING_NODE)
		for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; good && pair < node->data.mapping.pairs.top;
		     pair++)
			good = convert_pair(file, value, pair, depth);
	if (node->type == YAML_SEQUENCE_NODE)
		for (yaml_node_item_t *item = node->data.sequence.items.start; good && item < node->data.sequence.items.top;
		     item++)
			good = !json_array_append_new(value, convert(file, *item, depth));
	return good;
}

/* Return a new reference to the value of a node, which several aliases share. NULL: an error was reported. */
static json_t *convert(struct yaml_file *file, int number, size_t depth)
{
	const yaml_node_t *node = node_at(file, (size_t)number);
	json_t **value = &file->values[number - 1], *made;

	if (*value)
		return json_incref(*value);
	if (depth == YAML_DEPTH_MOST) {
		refuse_line(file, node_line(node), "values are nested too deeply, or an alias is in itself");
		return NULL;
	}
	if (node->type == YAML_SCALAR_NODE)
		made = json_string(node_text(node));
	else
		made = node->type == YAML_MAPPING_NODE ? json_object() : json_array();
	if (!made)
		refuse_line(file, node_line(node), "a plain value must stand here");
	else if (convert_items(file, node, made, depth + 1))
		return *value = made;
	json_decref(made);
	return NULL;
}

/* --- documents ------------------------------------------------------------------------------------------------------ */

static enum exit_code refuse_syntax(const struct yaml_file *file, const yaml_parser_t *parser, const struct input *input)
{
	if (input->exceeded)
		return refuse_line(file, input->line + 1, "%s: this is no configuration", input->exceeded);
	return refuse_line(file, parser->problem_mark.line + 1, "not YAML: %s",
			   parser->problem ? parser->problem : "it cannot be read");
}

static enum exit_code refuse_second_document(const struct yaml_file *file, yaml_parser_t *parser, const struct input *input)
{
	yaml_document_t document;
	const yaml_node_t *root;
	enum exit_code code = EXIT_DONE;

	if (!yaml_parser_load(parser, &document))
		return refuse_syntax(file, parser, input);
	root = yaml_document_get_root_node(&document);
	if (root)
		code = refuse_line(file, node_line(root), "a second document; the file must have one");
	yaml_document_delete(&document);
	return code;
}

/* Make the JSON of the document. An empty document has none. */
static enum exit_code make_json(struct yaml_file *file)
{
	file->value_count = (size_t)(file->document.nodes.top - file->document.nodes.start);
	file->values = calloc(file->value_count + 1, sizeof(*file->values));
	if (!file->values)
		return refuse(EXIT_INCAPABLE, "out of memory");
	file->root = file->value_count ? convert(file, 1, 0) : NULL;
	return file->root || !file->value_count ? EXIT_DONE : EXIT_USAGE_ERROR;
}

/* Read from the stream, or from the text where there is no stream. */
static enum exit_code read_document(struct yaml_file *file, FILE *stream, const char *text)
{
	struct input input = { .stream = stream };
	enum exit_code code;
	yaml_parser_t parser;

	if (!yaml_parser_initialize(&parser)) {
		refuse_line(file, 1, "out of memory");
		return EXIT_INCAPABLE;
	}
	if (stream)
		yaml_parser_set_input(&parser, read_some, &input);
	else
		yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
	if (yaml_parser_load(&parser, &file->document)) {
		code = refuse_second_document(file, &parser, &input);
		if (code == EXIT_DONE)
			code = make_json(file);
		if (code != EXIT_DONE)
			yaml_file_free(file);
	} else {
		code = refuse_syntax(file, &parser, &input);
	}
	yaml_parser_delete(&parser);
	return code;
}

enum exit_code yaml_file_read(struct yaml_file *file, FILE *stream)
{
	return read_document(file, stream, NULL);
}

enum exit_code yaml_file_read_text(struct yaml_file *file, const char *text)
{
	return read_document(file, NULL, text);
}

void yaml_file_free(struct yaml_file *file)
{
	json_decref(file->root);
	free(file->values);
	yaml_document_delete(&file->document);
}

enum exit_code yaml_check(struct yaml_file *file, const json_t *value, const char *schema)
{
	struct schema_fault fault;

	if (schema_check(NULL, schema, SCHEMA_CONFIGURATION, value, &fault))
		return EXIT_DONE;
	return fault.key ? refuse_key(file, fault.value, fault.key, "%s", fault.text)
			 : refuse_value(file, fault.value, "%s", fault.text);
}

const char *yaml_text(struct yaml_file *file, const json_t *value)
{
	if (!json_is_string(value))
		refuse_value(file, value, "a plain value must stand here");
	return json_string_value(value);
}
