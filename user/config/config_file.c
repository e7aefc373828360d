/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"

#define VALUE_SIZE        4096
#define APPLIANCE_SECTION "appliance" /* section of the appliance, which user/appliance/settings.c reads */
#define RUN_NAME          "name"
#define RUN_VERB          "verb"
#define RUN_ALONE         "alone"

struct file {
	struct yaml_file *yaml;
	enum verb verb;
	struct given_list *list;
	size_t from_above; /* number of values in the list that win over the file: those of the command line, and of a run */
	bool in_run, in_result;
};

static enum exit_code append(const struct file *file, const json_t *node, const char *joint, char value[VALUE_SIZE])
{
	const char *text = yaml_text(file->yaml, node);
	size_t used = strlen(value);

	if (!text)
		return EXIT_USAGE_ERROR;
	if (strlen(joint) + strlen(text) >= VALUE_SIZE - used)
		return refuse_value(file->yaml, node, "this value is too long");
	snprintf(value + used, VALUE_SIZE - used, "%s%s", joint, text);
	return EXIT_DONE;
}

/* One value, in any of its forms, onto the list: [a, b] as "a,b", and {k: v, l: w} as "k=v,l=w". */
static enum exit_code add_value(struct file *file, const struct option *option, const json_t *node)
{
	char value[VALUE_SIZE] = "";
	enum exit_code code = EXIT_DONE;

	if (!json_is_object(node) && !json_is_array(node))
		code = append(file, node, "", value);
	json_each (item, node)
		code = code ?: append(file, item, *value ? "," : "", value);
	json_each_member (name, item, node)
		if (code == EXIT_DONE)
			code = append(file, item, TEXT_OF(VALUE_SIZE, "%s%s=", *value ? "," : "", name), value);
	if (code != EXIT_DONE)
		return code;
	if (file->in_result && option_acts(option, value))
		return refuse_value(file->yaml, node, "'%s': " NOT_FROM_A_RESULT "; say --%s on the command line",
				    option->name, option->name);
	return given_add(file->list, &(struct given){ .option = option,
						      .text = value,
						      .path = file->yaml->path,
						      .line = yaml_line(file->yaml, node) });
}

/* The value or values of one key. */
static enum exit_code add_values(struct file *file, const struct option *option, const json_t *node)
{
	enum exit_code code = EXIT_DONE;

	if (!(option->flags & OPTION_REPEATS) || !json_is_array(node))
		return add_value(file, option, node);
	json_each (item, node)
		code = code ?: add_value(file, option, item);
	return code;
}

static bool given_above(const struct file *file, const struct option *option)
{
	for (size_t i = 0; i < file->from_above; i++)
		if (file->list->items[i].option == option)
			return true;
	return false;
}

/* What a run of a schedule says beside options (docs/guide/appliance.md). */
static bool is_of_run(const char *name)
{
	return strcmp(name, RUN_NAME) == 0 || strcmp(name, RUN_VERB) == 0 || strcmp(name, RUN_ALONE) == 0;
}

static enum exit_code add_pair(struct file *file, const json_t *mapping, const char *name, const json_t *value)
{
	const struct option *option;

	if (file->in_run ? is_of_run(name) : strcmp(name, APPLIANCE_SECTION) == 0)
		return EXIT_DONE;
	option = option_find(name);
	if (!option)
		return refuse_key(file->yaml, mapping, name, "no option '%s'%s", QUOTED(name),
				  option_hint(name, file->verb, "", HINT_ROOM));
	if (option->flags & OPTION_COMMAND_LINE)
		return refuse_key(file->yaml, mapping, name, "'%s' belongs on the command line only", name);
	if (!option_belongs(option, file->verb))
		return refuse_key(file->yaml, mapping, name, "'%s' is no option of %s; it is one of %s", name,
				  verb_name(file->verb), option_verbs(option, VERBS_ROOM));
	return given_above(file, option) ? EXIT_DONE : add_values(file, option, value);
}

/* The options in a document: it is the mapping of them, or a result, which echoes them. */
static const json_t *find_options(struct file *file, const json_t *root)
{
	const json_t *echo = json_object_get(root, "configuration");

	file->in_result = strncmp(read_text(root, "schema"), "xdp-mlr/", 8) == 0 && json_is_object(echo);
	return file->in_result ? echo : root;
}

/* Every option of a mapping that nothing above has. */
static enum exit_code add_mapping(struct file *file, const json_t *mapping)
{
	enum exit_code code = EXIT_DONE;

	file->from_above = file->list->count;
	json_each_member (name, value, mapping)
		code = code ?: add_pair(file, mapping, name, value);
	return code;
}

/* --- one run of a schedule ------------------------------------------------------------------------------------------ */

/* The run of this name, or of this number from 1; NULL if there is none. */
static const json_t *find_run(const json_t *runs, const char *wanted)
{
	json_each (run, runs)
		if (json_is_object(run) &&
		    (strcmp(read_text(run, RUN_NAME), wanted) == 0 || strcmp(TEXT_OF(24, "%zu", run_at + 1), wanted) == 0))
			return run;
	return NULL;
}

/* `appliance: {schedule: [...]}` or `appliance: {schedule: {runs: [...]}}` */
static const json_t *find_runs(const json_t *section)
{
	const json_t *schedule = json_object_get(section, "schedule"),
		     *runs = json_is_array(schedule) ? schedule : json_object_get(schedule, "runs");

	return json_is_array(runs) ? runs : NULL;
}

/* The options of a run, which win over those of the file. *ret_alone: it takes none of those. */
static enum exit_code add_run(struct file *file, const json_t *root, const char *wanted, bool *ret_alone)
{
	const char *quoted = QUOTED(wanted), *verb;
	const json_t *section = json_object_get(root, APPLIANCE_SECTION), *runs = find_runs(section),
		     *run = find_run(runs, wanted);
	enum exit_code code;

	if (!runs)
		return refuse(EXIT_USAGE_ERROR, "--run '%s': %s has no schedule of runs (appliance: schedule)", quoted,
			      file->yaml->path);
	if (!run)
		return refuse_value(file->yaml, runs, "the schedule has no run '%s'", quoted);
	verb = read_string(run, RUN_VERB) ?: read_string(section, RUN_VERB) ?: verb_name(VERB_SEARCH);
	if (strcmp(verb, verb_name(file->verb)) != 0)
		return refuse_value(file->yaml, run, "run '%s' is of another verb: xdp-mlr %s", quoted, verb);
	*ret_alone = is_one_of(read_text(run, RUN_ALONE), "true yes");
	file->in_run = true;
	code = add_mapping(file, run);
	file->in_run = false;
	return code;
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

static enum exit_code add_document(struct file *file, const char *run)
{
	const json_t *root = file->yaml->root, *given;
	enum exit_code code = EXIT_DONE;
	bool alone = false;

	if (!root || (json_is_string(root) && !json_string_length(root)))
		return EXIT_DONE; /* an empty file */
	if (!json_is_object(root))
		return refuse_value(file->yaml, root, "must be a mapping of option names to values");
	given = find_options(file, root);
	if (run && file->in_result)
		return refuse_value(file->yaml, root, "is a result, and so has no schedule for --run");
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

enum exit_code config_file_add(struct yaml_file *yaml, enum verb verb, const json_t *mapping, const char *key,
			       const json_t *value, struct given_list *list)
{
	struct file file = { .yaml = yaml, .verb = verb, .list = list };

	return add_pair(&file, mapping, key, value);
}
