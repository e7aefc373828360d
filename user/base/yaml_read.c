/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/yaml_read.h"

#include <stdarg.h>
#include <stdbool.h>

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
		code = refuse_node(file, root, "a second document; the file must have one");
	yaml_document_delete(&document);
	return code;
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
		if (code != EXIT_DONE)
			yaml_document_delete(&file->document);
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
	yaml_document_delete(&file->document);
}

/* --- nodes ---------------------------------------------------------------------------------------------------------- */

const char *node_plain(const struct yaml_file *file, const yaml_node_t *node)
{
	const char *text = node_text(node);

	if (!text)
		refuse_node(file, node, "a plain value must stand here");
	return text;
}

const yaml_node_t *item_at(struct yaml_file *file, const yaml_node_t *sequence, size_t index)
{
	return yaml_document_get_node(&file->document, sequence->data.sequence.items.start[index]);
}

const yaml_node_t *key_at(struct yaml_file *file, const yaml_node_t *mapping, size_t index)
{
	return yaml_document_get_node(&file->document, mapping->data.mapping.pairs.start[index].key);
}

const yaml_node_t *value_at(struct yaml_file *file, const yaml_node_t *mapping, size_t index)
{
	return yaml_document_get_node(&file->document, mapping->data.mapping.pairs.start[index].value);
}

const yaml_node_t *node_find(struct yaml_file *file, const yaml_node_t *mapping, const char *name)
{
	for (size_t i = 0; i < pair_count(mapping); i++) {
		const char *key = node_text(key_at(file, mapping, i));

		if (key && strcmp(key, name) == 0)
			return value_at(file, mapping, i);
	}
	return NULL;
}

/* --- mappings ------------------------------------------------------------------------------------------------------- */

/* "a, b and c" */
static const char *list_keys(const struct yaml_key *keys, size_t count, char *buffer, size_t size)
{
	buffer[0] = '\0';
	for (size_t i = 0; i < count; i++)
		text_join(buffer, size, i + 1 < count ? ", " : " and ", "%s", keys[i].name);
	return buffer;
}

static bool is_known(const struct yaml_key *keys, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(keys[i].name, name) == 0)
			return true;
	return false;
}

/* Whether a key of the mapping may stand there, and is the first of its name. */
static enum exit_code check_key(struct yaml_file *file, const yaml_node_t *mapping, size_t index, const char *what,
				const struct yaml_key *keys, size_t count)
{
	const yaml_node_t *key = key_at(file, mapping, index);
	const char *name = node_plain(file, key);
	char list[256];

	if (!name)
		return EXIT_USAGE_ERROR;
	if (!is_known(keys, count, name))
		return refuse_node(file, key, "no setting '%s' of the %s; there are %s", QUOTED(name), what,
				   list_keys(keys, count, list, sizeof(list)));
	if (node_find(file, mapping, name) != value_at(file, mapping, index))
		return refuse_node(file, key, "'%s' stands in the %s twice", name, what);
	return EXIT_DONE;
}

enum exit_code yaml_read_mapping(struct yaml_file *file, const yaml_node_t *node, const char *what,
				 const struct yaml_key *keys, size_t count, void *target)
{
	enum exit_code code = EXIT_DONE;

	if (node->type != YAML_MAPPING_NODE)
		return refuse_node(file, node, "%s: settings and their values must stand here", what);
	for (size_t i = 0; i < pair_count(node) && code == EXIT_DONE; i++)
		code = check_key(file, node, i, what, keys, count);
	for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
		const yaml_node_t *value = keys[i].read ? node_find(file, node, keys[i].name) : NULL;

		if (value)
			code = keys[i].read(file, value, (char *)target + keys[i].offset);
	}
	return code;
}
