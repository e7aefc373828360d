/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define VALUE_SIZE        4096
#define APPLIANCE_SECTION "appliance" /* for the appliance, whose own program reads it: user/appliance/settings.c */
#define RUN_NAME          "name"
#define RUN_VERB          "verb"
#define RUN_ALONE         "alone"

struct file {
	struct yaml_file *yaml;
	enum verb verb;
	struct given_list *list;
	size_t from_above; /* how many of the list's values win over what is read: the command line's, and a run's */
	bool in_run, in_result;
};

static const char *scalar(const yaml_node_t *node)
{
	return (const char *)node->data.scalar.value;
}

static enum exit_code append(const struct file *file, const yaml_node_t *node, const char *joint, char value[VALUE_SIZE])
{
	const char *text = node_plain(file->yaml, node);
	size_t used = strlen(value);

	if (!text)
		return EXIT_USAGE_ERROR;
	if (strlen(joint) + strlen(text) >= VALUE_SIZE - used)
		return refuse_node(file->yaml, node, "this value is too long");
	snprintf(value + used, VALUE_SIZE - used, "%s%s", joint, text);
	return EXIT_DONE;
}

/* [a, b] as "a,b". */
static enum exit_code flatten_sequence(struct file *file, const yaml_node_t *node, char value[VALUE_SIZE])
{
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < item_count(node) && code == EXIT_DONE; i++)
		code = append(file, item_at(file->yaml, node, i), *value ? "," : "", value);
	return code;
}

/* {k: v, l: w} as "k=v,l=w". */
static enum exit_code flatten_mapping(struct file *file, const yaml_node_t *node, char value[VALUE_SIZE])
{
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < pair_count(node) && code == EXIT_DONE; i++) {
		code = append(file, key_at(file->yaml, node, i), *value ? "," : "", value);
		if (code == EXIT_DONE)
			code = append(file, value_at(file->yaml, node, i), "=", value);
	}
	return code;
}

/* One value, in any of its forms, onto the list. */
static enum exit_code add_value(struct file *file, const struct option *option, const yaml_node_t *node)
{
	char value[VALUE_SIZE] = "";
	enum exit_code code;

	if (node->type == YAML_SEQUENCE_NODE)
		code = flatten_sequence(file, node, value);
	else if (node->type == YAML_MAPPING_NODE)
		code = flatten_mapping(file, node, value);
	else
		code = append(file, node, "", value);
	if (code != EXIT_DONE)
		return code;
	if (file->in_result && option_acts(option, value))
		return refuse_node(file->yaml, node, "'%s': " NOT_FROM_A_RESULT "; say --%s on the command line",
				   option->name, option->name);
	return given_add(
		file->list,
		&(struct given){ .option = option, .text = value, .path = file->yaml->path, .line = node_line(node) });
}

/* The value or values of one key. */
static enum exit_code add_values(struct file *file, const struct option *option, const yaml_node_t *node)
{
	enum exit_code code = EXIT_DONE;

	if (!(option->flags & OPTION_REPEATS) || node->type != YAML_SEQUENCE_NODE)
		return add_value(file, option, node);
	for (size_t i = 0; i < item_count(node) && code == EXIT_DONE; i++)
		code = add_value(file, option, item_at(file->yaml, node, i));
	return code;
}

static bool given_above(const struct file *file, const struct option *option)
{
	for (size_t i = 0; i < file->from_above; i++)
		if (file->list->items[i].option == option)
			return true;
	return false;
}

static bool in_file(const struct file *file, const struct option *option)
{
	for (size_t i = file->from_above; i < file->list->count; i++)
		if (file->list->items[i].option == option)
			return true;
	return false;
}

/* What a run of a schedule says beside options (docs/guide/appliance.md). */
static bool is_of_run(const char *name)
{
	return strcmp(name, RUN_NAME) == 0 || strcmp(name, RUN_VERB) == 0 || strcmp(name, RUN_ALONE) == 0;
}

static enum exit_code add_pair(struct file *file, const yaml_node_t *key, const yaml_node_t *value)
{
	const struct option *option;
	const char *name = node_plain(file->yaml, key);

	if (!name)
		return EXIT_USAGE_ERROR;
	if (file->in_run ? is_of_run(name) : strcmp(name, APPLIANCE_SECTION) == 0)
		return EXIT_DONE;
	option = option_find(name);
	if (!option)
		return refuse_node(file->yaml, key, "no option '%s'%s", QUOTED(name),
				   option_hint(name, file->verb, "", HINT_ROOM));
	if (option->flags & OPTION_COMMAND_LINE)
		return refuse_node(file->yaml, key, "'%s' belongs on the command line only", name);
	if (!option_belongs(option, file->verb))
		return refuse_node(file->yaml, key, "'%s' is no option of %s; it is one of %s", name, verb_name(file->verb),
				   option_verbs(option, VERBS_ROOM));
	if (in_file(file, option))
		return refuse_node(file->yaml, key, "'%s' stands in the file twice", name);
	return given_above(file, option) ? EXIT_DONE : add_values(file, option, value);
}

/* The options in a document: it is the mapping of them, or a result, which echoes them. */
static const yaml_node_t *find_options(struct file *file, const yaml_node_t *root)
{
	static const char own[] = "xdp-mlr/";
	const yaml_node_t *schema = node_find(file->yaml, root, "schema"),
			  *echo = node_find(file->yaml, root, "configuration");

	if (!schema || schema->type != YAML_SCALAR_NODE || strncmp(scalar(schema), own, sizeof(own) - 1) != 0)
		return root;
	file->in_result = echo && echo->type == YAML_MAPPING_NODE;
	return file->in_result ? echo : root;
}

/* Every option of a mapping that nothing above has. */
static enum exit_code add_mapping(struct file *file, const yaml_node_t *mapping)
{
	enum exit_code code = EXIT_DONE;

	file->from_above = file->list->count;
	for (size_t i = 0; i < pair_count(mapping) && code == EXIT_DONE; i++)
		code = add_pair(file, key_at(file->yaml, mapping, i), value_at(file->yaml, mapping, i));
	return code;
}

/* --- one run of a schedule ------------------------------------------------------------------------------------------ */

/* A member of a mapping, if it is of this type. */
static const yaml_node_t *find_typed(struct file *file, const yaml_node_t *mapping, const char *name, yaml_node_type_t type)
{
	const yaml_node_t *node =
		mapping && mapping->type == YAML_MAPPING_NODE ? node_find(file->yaml, mapping, name) : NULL;

	return node && node->type == type ? node : NULL;
}

static bool says(struct file *file, const yaml_node_t *mapping, const char *name, const char *value)
{
	const yaml_node_t *node = find_typed(file, mapping, name, YAML_SCALAR_NODE);

	return node && strcmp(scalar(node), value) == 0;
}

/* The run of this name, or of this number from 1; NULL if there is none. */
static const yaml_node_t *find_run(struct file *file, const yaml_node_t *runs, const char *wanted)
{
	for (size_t i = 0; i < item_count(runs); i++) {
		const yaml_node_t *run = item_at(file->yaml, runs, i);

		if (run->type == YAML_MAPPING_NODE &&
		    (says(file, run, RUN_NAME, wanted) || strcmp(TEXT_OF(24, "%zu", i + 1), wanted) == 0))
			return run;
	}
	return NULL;
}

/* `appliance: {schedule: [...]}` or `appliance: {schedule: {runs: [...]}}` */
static const yaml_node_t *find_runs(struct file *file, const yaml_node_t *section)
{
	const yaml_node_t *runs = find_typed(file, section, "schedule", YAML_SEQUENCE_NODE);

	return runs ? runs
		    : find_typed(file, find_typed(file, section, "schedule", YAML_MAPPING_NODE), "runs", YAML_SEQUENCE_NODE);
}

/* The options of a run, which win over those of the file. *ret_alone: it takes none of those. */
static enum exit_code add_run(struct file *file, const yaml_node_t *root, const char *wanted, bool *ret_alone)
{
	const char *quoted = QUOTED(wanted);
	const yaml_node_t *section = find_typed(file, root, APPLIANCE_SECTION, YAML_MAPPING_NODE);
	const yaml_node_t *runs = find_runs(file, section), *run = runs ? find_run(file, runs, wanted) : NULL, *verb;
	enum exit_code code;

	if (!runs)
		return refuse(EXIT_USAGE_ERROR, "--run '%s': %s has no schedule of runs (appliance: schedule)", quoted,
			      file->yaml->path);
	if (!run)
		return refuse_node(file->yaml, runs, "the schedule has no run '%s'", quoted);
	verb = find_typed(file, run, RUN_VERB, YAML_SCALAR_NODE);
	if (!verb)
		verb = find_typed(file, section, RUN_VERB, YAML_SCALAR_NODE);
	if (strcmp(verb ? scalar(verb) : verb_name(VERB_SEARCH), verb_name(file->verb)) != 0)
		return refuse_node(file->yaml, run, "run '%s' is of another verb: xdp-mlr %s", quoted,
				   verb ? scalar(verb) : verb_name(VERB_SEARCH));
	*ret_alone = says(file, run, RUN_ALONE, "true") || says(file, run, RUN_ALONE, "yes");
	file->in_run = true;
	code = add_mapping(file, run);
	file->in_run = false;
	return code;
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

static enum exit_code add_document(struct file *file, const char *run)
{
	const yaml_node_t *root = yaml_document_get_root_node(&file->yaml->document), *given;
	enum exit_code code = EXIT_DONE;
	bool alone = false;

	if (!root || (root->type == YAML_SCALAR_NODE && root->data.scalar.length == 0))
		return EXIT_DONE; /* an empty file */
	if (root->type != YAML_MAPPING_NODE)
		return refuse_node(file->yaml, root, "must be a mapping of option names to values");
	given = find_options(file, root);
	if (run && file->in_result)
		return refuse_node(file->yaml, root, "is a result, and so has no schedule for --run");
	if (run)
		code = add_run(file, root, run, &alone);
	return code != EXIT_DONE || alone ? code : add_mapping(file, given);
}

enum exit_code config_file_open(const char *path, const char *what, struct yaml_file *ret)
{
	FILE *stream = fopen(path, "re");
	enum exit_code code;

	if (!stream)
		return refuse(EXIT_USAGE_ERROR, "%s '%s': %s", what, path, strerror(errno));
	*ret = (struct yaml_file){ .path = path };
	code = yaml_file_read(ret, stream);
	fclose(stream);
	return code;
}

enum exit_code config_file_read(const char *path, enum verb verb, const char *run, struct given_list *list)
{
	struct yaml_file yaml;
	struct file file = { .yaml = &yaml, .verb = verb, .list = list };
	enum exit_code code = config_file_open(path, "--config", &yaml);

	if (code != EXIT_DONE)
		return code;
	code = add_document(&file, run);
	yaml_file_free(&yaml);
	return code;
}

enum exit_code config_file_add(struct yaml_file *yaml, enum verb verb, const yaml_node_t *key, const yaml_node_t *value,
			       struct given_list *list)
{
	struct file file = { .yaml = yaml, .verb = verb, .list = list };

	return add_pair(&file, key, value);
}
