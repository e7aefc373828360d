/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/yaml_read.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/json_read.h"
#include "base/reader.h"
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

/* --- in the reader: bounds ------------------------------------------------------------------------------------------ */

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

/* --- in the reader: values ------------------------------------------------------------------------------------------ */

/* A document, and the JSON of each of its nodes. */
struct conversion {
	const struct yaml_file *file;
	yaml_document_t document;
	struct converted {
		json_t *value; /* NULL: it has none yet */
		size_t depth;  /* depth of the values in it */
		size_t number; /* number of its first step, from 1; 0: it has none yet */
	} * nodes;
	size_t node_count, written_count;
};

static yaml_node_t *node_at(struct conversion *conversion, int number)
{
	return yaml_document_get_node(&conversion->document, number);
}

static size_t node_line(const yaml_node_t *node)
{
	return node->start_mark.line + 1;
}

/* Return a text without a NUL inside, or NULL for any other value. */
static const char *node_text(const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value;

	return node->type == YAML_SCALAR_NODE && strlen(text) == node->data.scalar.length ? text : NULL;
}

static json_t *convert(struct conversion *conversion, int number, size_t depth);

/* Convert what stands in another node, which is deeper by that. */
static json_t *convert_inner(struct conversion *conversion, struct converted *outer, int number, size_t depth)
{
	json_t *value = convert(conversion, number, depth);
	size_t inner_depth = conversion->nodes[number - 1].depth;

	if (outer->depth <= inner_depth)
		outer->depth = inner_depth + 1;
	return value;
}

static bool convert_pair(struct conversion *conversion, struct converted *outer, json_t *object,
			 const yaml_node_pair_t *pair, size_t depth)
{
	const yaml_node_t *key = node_at(conversion, pair->key);
	const char *name = node_text(key);
	json_t *value;

	if (!name || json_object_get(object, name)) {
		refuse_line(conversion->file, node_line(key),
			    name ? "'%s' stands here twice" : "a plain value must stand here", QUOTED(name ? name : ""));
		return false;
	}
	value = convert_inner(conversion, outer, pair->value, depth);
	return value && !json_object_set_new(object, name, value);
}

static bool convert_items(struct conversion *conversion, struct converted *outer, const yaml_node_t *node, json_t *value,
			  size_t depth)
{
	bool good = true;

	if (node->type == YAML_MAPPING_NODE)
		for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; good && pair < node->data.mapping.pairs.top;
		     pair++)
			good = convert_pair(conversion, outer, value, pair, depth);
	if (node->type == YAML_SEQUENCE_NODE)
		for (yaml_node_item_t *item = node->data.sequence.items.start; good && item < node->data.sequence.items.top;
		     item++)
			good = !json_array_append_new(value, convert_inner(conversion, outer, *item, depth));
	return good;
}

/* Return a new reference to the value of a node, which several aliases share. NULL: an error was reported. */
static json_t *convert(struct conversion *conversion, int number, size_t depth)
{
	const yaml_node_t *node = node_at(conversion, number);
	struct converted *converted = &conversion->nodes[number - 1];
	json_t *made;

	if (depth + converted->depth >= YAML_DEPTH_MOST) {
		refuse_line(conversion->file, node_line(node), "values are nested too deeply, or an alias is in itself");
		return NULL;
	}
	if (converted->value)
		return json_incref(converted->value);
	if (node->type == YAML_SCALAR_NODE)
		made = json_string(node_text(node));
	else
		made = node->type == YAML_MAPPING_NODE ? json_object() : json_array();
	if (!made)
		refuse_line(conversion->file, node_line(node), "a plain value must stand here");
	else if (convert_items(conversion, converted, node, made, depth + 1))
		return converted->value = made;
	json_decref(made);
	return NULL;
}

/* Write the steps of a node's value. An alias takes the value again. */
static void write_node(struct conversion *conversion, FILE *flat, int number)
{
	const yaml_node_t *node = node_at(conversion, number);
	struct converted *converted = &conversion->nodes[number - 1];

	if (converted->number) {
		flat_again(flat, converted->number - 1);
		return;
	}
	converted->number = ++conversion->written_count;
	flat_line(flat, node_line(node));
	if (node->type == YAML_SCALAR_NODE)
		flat_text(flat, node_text(node), node->data.scalar.length);
	else
		flat_begin(flat, node->type == YAML_MAPPING_NODE ? JSON_OBJECT : JSON_ARRAY);
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     node->type == YAML_MAPPING_NODE && pair < node->data.mapping.pairs.top; pair++) {
		write_node(conversion, flat, pair->value);
		flat_line(flat, node_line(node_at(conversion, pair->key)));
		flat_set(flat, node_text(node_at(conversion, pair->key)));
	}
	for (yaml_node_item_t *item = node->data.sequence.items.start;
	     node->type == YAML_SEQUENCE_NODE && item < node->data.sequence.items.top; item++) {
		write_node(conversion, flat, *item);
		flat_append(flat);
	}
}

/* --- in the reader: documents --------------------------------------------------------------------------------------- */

/* What the reader reads: a stream, or a text where there is none. */
struct source {
	const struct yaml_file *file;
	FILE *stream;
	const char *text;
};

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

/* Write the JSON of the document: null if it is empty. */
static enum exit_code write_json(struct conversion *conversion, FILE *flat)
{
	json_t *root;

	conversion->node_count = (size_t)(conversion->document.nodes.top - conversion->document.nodes.start);
	if (!conversion->node_count) {
		flat_write(flat, json_null());
		return EXIT_DONE;
	}
	conversion->nodes = calloc(conversion->node_count, sizeof(*conversion->nodes));
	if (!conversion->nodes)
		return out_of_memory();
	root = convert(conversion, 1, 0);
	if (root) {
		write_node(conversion, flat, 1);
		flat_end(flat);
	}
	free(conversion->nodes);
	json_decref(root);
	return root ? EXIT_DONE : EXIT_USAGE_ERROR;
}

static enum exit_code parse(void *context, FILE *flat)
{
	const struct source *source = context;
	struct input input = { .stream = source->stream };
	struct conversion conversion = { .file = source->file };
	enum exit_code code;
	yaml_parser_t parser;

	if (!yaml_parser_initialize(&parser))
		return out_of_memory();
	if (source->stream)
		yaml_parser_set_input(&parser, read_some, &input);
	else
		yaml_parser_set_input_string(&parser, (const unsigned char *)source->text, strlen(source->text));
	if (yaml_parser_load(&parser, &conversion.document)) {
		code = refuse_second_document(source->file, &parser, &input) ?: write_json(&conversion, flat);
		yaml_document_delete(&conversion.document);
	} else {
		code = refuse_syntax(source->file, &parser, &input);
	}
	yaml_parser_delete(&parser);
	return code;
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

static enum exit_code read_document(struct yaml_file *file, FILE *stream, const char *text)
{
	const struct yaml_file quiet = { .path = file->path };
	struct source source = { &quiet, stream, text };
	const struct reader_plan plan = { .parse = parse,
					  .context = &source,
					  .fd = stream ? fileno(stream) : -1,
					  .name = file->path,
					  .error = file->error,
					  .error_size = file->error_size };
	enum exit_code code;

	if (stream)
		reader_buffer(stream);
	code = reader_run(&plan, &file->root, &file->lines);
	if (code != EXIT_DONE)
		flat_lines_free(&file->lines);
	else if (json_is_null(file->root))
		file->root = NULL;
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
	flat_lines_free(&file->lines);
}

size_t yaml_line(struct yaml_file *file, const json_t *value)
{
	for (size_t i = 0; i < file->lines.value_count; i++)
		if (file->lines.values[i].value == value)
			return file->lines.values[i].line;
	return 1;
}

size_t yaml_key_line(struct yaml_file *file, const json_t *mapping, const char *key)
{
	for (size_t i = 0; i < file->lines.key_count; i++)
		if (file->lines.keys[i].object == mapping && strcmp(file->lines.keys[i].name, key) == 0)
			return file->lines.keys[i].line;
	return yaml_line(file, mapping);
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
