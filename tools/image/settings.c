/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the `appliance:` section of a configuration says, for the appliance's init, which is a shell script: lines NAME=VALUE
 * whose values consist of letters, digits and ,.:_- only. Nothing of the file is ever executed.
 *
 *	settings FILE
 *
 * Exit code 2 and one line on standard error, with file and line, for anything wrong.
 */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#define SECTION    "appliance"
#define PORTS      8
#define VALUE_SIZE 64
#define FILE_MAX   (1 << 20) /* octets; a configuration is a page of text */

struct settings {
	char verb[VALUE_SIZE];
	char at_end[VALUE_SIZE];
	char ports[PORTS][VALUE_SIZE];
	unsigned int port_count;
};

static const char *path;

__attribute__((format(printf, 2, 3))) static bool refuse(size_t line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "%s:%zu: ", path, line);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	return false;
}

static size_t line_of(const yaml_node_t *node)
{
	return node->start_mark.line + 1;
}

/* A plain value of harmless characters. */
static bool read_value(const yaml_node_t *node, char value[VALUE_SIZE])
{
	static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,.:_-";
	const char *text;

	if (node->type != YAML_SCALAR_NODE)
		return refuse(line_of(node), "a plain value must stand here");
	text = (const char *)node->data.scalar.value;
	if (!*text || node->data.scalar.length >= VALUE_SIZE || strspn(text, harmless) != node->data.scalar.length)
		return refuse(line_of(node), "a value of 1 to %d letters, digits and ,.:_- must stand here", VALUE_SIZE - 1);
	strcpy(value, text);
	return true;
}

static bool read_word(const yaml_node_t *node, const char *const words[], const char *choice, char value[VALUE_SIZE])
{
	if (!read_value(node, value))
		return false;
	for (; *words; words++)
		if (!strcmp(*words, value))
			return true;
	return refuse(line_of(node), "'%s' is not %s", value, choice);
}

/* The name of the interface with this MAC address. */
static bool find_port(const yaml_node_t *node, const char *mac, char name[VALUE_SIZE])
{
	DIR *directory = opendir("/sys/class/net");
	unsigned int found = 0;

	for (struct dirent *entry; directory && (entry = readdir(directory));) {
		char file[512], address[VALUE_SIZE] = "";
		FILE *stream;

		snprintf(file, sizeof(file), "/sys/class/net/%s/address", entry->d_name);
		stream = fopen(file, "re");
		if (!stream)
			continue;
		if (fgets(address, sizeof(address), stream))
			address[strcspn(address, "\n")] = '\0';
		fclose(stream);
		if (strcasecmp(address, mac))
			continue;
		snprintf(name, VALUE_SIZE, "%.*s", VALUE_SIZE - 1, entry->d_name);
		found++;
	}
	if (directory)
		closedir(directory);
	if (found > 1)
		return refuse(line_of(node), "%u ports have the MAC address %s; name the port instead", found, mac);
	return found == 1 ? true : refuse(line_of(node), "no port has the MAC address %s", mac);
}

static bool read_ports(yaml_document_t *document, const yaml_node_t *node, struct settings *settings)
{
	if (node->type != YAML_SEQUENCE_NODE)
		return refuse(line_of(node), "ports: a list of MAC addresses or names must stand here");
	for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
		const yaml_node_t *port = yaml_document_get_node(document, *item);
		char text[VALUE_SIZE];

		if (settings->port_count == PORTS)
			return refuse(line_of(port), "more than %d ports", PORTS);
		if (!read_value(port, text))
			return false;
		if (!strchr(text, ':'))
			strcpy(settings->ports[settings->port_count], text);
		else if (!find_port(port, text, settings->ports[settings->port_count]))
			return false;
		settings->port_count++;
	}
	return true;
}

static bool read_pair(yaml_document_t *document, const yaml_node_t *key, const yaml_node_t *value, struct settings *settings)
{
	static const char *const verbs[] = { "search", "trial", "soak", "rfc2544", "selftest", "probe", NULL };
	static const char *const ends[] = { "wait", "power-off", NULL };
	char name[VALUE_SIZE];

	if (!read_value(key, name))
		return false;
	if (!strcmp(name, "verb"))
		return read_word(value, verbs, "search, trial, soak, rfc2544, selftest or probe", settings->verb);
	if (!strcmp(name, "at-end"))
		return read_word(value, ends, "wait or power-off", settings->at_end);
	if (!strcmp(name, "ports"))
		return read_ports(document, value, settings);
	return refuse(line_of(key), "no setting '%s' of the appliance; there are verb, ports and at-end", name);
}

static bool read_section(yaml_document_t *document, const yaml_node_t *section, struct settings *settings)
{
	if (section->type != YAML_MAPPING_NODE)
		return refuse(line_of(section), SECTION ": settings and their values must stand here");
	for (yaml_node_pair_t *pair = section->data.mapping.pairs.start; pair < section->data.mapping.pairs.top; pair++)
		if (!read_pair(document, yaml_document_get_node(document, pair->key),
			       yaml_document_get_node(document, pair->value), settings))
			return false;
	return true;
}

static bool read_document(yaml_document_t *document, struct settings *settings)
{
	const yaml_node_t *root = yaml_document_get_root_node(document);

	if (!root || root->type != YAML_MAPPING_NODE)
		return refuse(root ? line_of(root) : 1, "must be a mapping of option names to values");
	for (yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = yaml_document_get_node(document, pair->key);

		if (key->type == YAML_SCALAR_NODE && !strcmp((const char *)key->data.scalar.value, SECTION))
			return read_section(document, yaml_document_get_node(document, pair->value), settings);
	}
	return true; /* the defaults */
}

static bool read_file(FILE *stream, struct settings *settings)
{
	yaml_document_t document;
	yaml_parser_t parser;
	bool good;

	if (!yaml_parser_initialize(&parser))
		return refuse(0, "out of memory");
	yaml_parser_set_input_file(&parser, stream);
	if (!yaml_parser_load(&parser, &document)) {
		refuse(parser.problem_mark.line + 1, "not YAML: %s", parser.problem ? parser.problem : "it cannot be read");
		yaml_parser_delete(&parser);
		return false;
	}
	good = read_document(&document, settings);
	yaml_document_delete(&document);
	yaml_parser_delete(&parser);
	return good;
}

int main(int count, char *arguments[])
{
	struct settings settings = { .verb = "search", .at_end = "wait" };
	FILE *stream;
	bool good;

	if (count != 2) {
		fprintf(stderr, "Usage: settings FILE\n");
		return 2;
	}
	path = arguments[1];
	stream = fopen(path, "re");
	if (!stream) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 2;
	}
	if (fseek(stream, 0, SEEK_END) || ftell(stream) > FILE_MAX)
		good = refuse(1, "larger than %d octets: this is no configuration", FILE_MAX);
	else
		good = fseek(stream, 0, SEEK_SET) == 0 && read_file(stream, &settings);
	fclose(stream);
	if (!good)
		return 2;
	printf("verb=%s\nat_end=%s\nports=", settings.verb, settings.at_end);
	for (unsigned int i = 0; i < settings.port_count; i++)
		printf("%s%s", i ? "," : "", settings.ports[i]);
	printf("\n");
	return 0;
}
