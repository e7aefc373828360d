/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "campaign/campaign.h"

#include <libgen.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "config/config_file.h"

#define SECTION       "campaign"
#define SLURM         "slurm"
#define LABEL_SIZE    1024
#define LAUNCH_MOST   2000
#define REPEATS_LIMIT 10000

/* The file while it is read. */
struct reader {
	struct yaml_file yaml;
	struct campaign *campaign;
	const yaml_node_t *compare; /* the value of that key; NULL: not given */
	const yaml_node_t *exclude, *include;
};

/* --- nodes ---------------------------------------------------------------------------------------------------------- */

/* A scalar where nothing else will do; `what` names it. NULL: it was refused. */
static const char *name_of(const struct yaml_file *file, const yaml_node_t *node, const char *what)
{
	const char *text = node_text(node);

	if (text && *text)
		return text;
	refuse_node(file, node, "%s must be a plain value that is not empty", what);
	return NULL;
}

static enum exit_code check_type(const struct yaml_file *file, const yaml_node_t *node, yaml_node_type_t type,
				 const char *rule)
{
	return node->type == type ? EXIT_DONE : refuse_node(file, node, "%s", rule);
}

/* Call `add` with every key and value of a mapping, until one fails. */
typedef enum exit_code (*pair_reader)(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value, void *data);

static enum exit_code each_pair(struct reader *reader, const yaml_node_t *mapping, pair_reader read, void *data)
{
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < pair_count(mapping) && code == EXIT_DONE; i++)
		code = read(reader, key_at(&reader->yaml, mapping, i), value_at(&reader->yaml, mapping, i), data);
	return code;
}

/* --- sets ----------------------------------------------------------------------------------------------------------- */

static enum exit_code set_new(struct campaign_set *set)
{
	set->options = calloc(1, sizeof(*set->options));
	set->slurm = json_object();
	return set->options && set->slurm ? EXIT_DONE : refuse(EXIT_INCAPABLE, "out of memory");
}

/* An option of sbatch. Both go into comment lines of a job script. */
static enum exit_code read_slurm_pair(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value, void *data)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";
	const char *name = name_of(&reader->yaml, key, "the name of an option of sbatch");
	const char *text = name ? name_of(&reader->yaml, value, "the value of an option of sbatch") : NULL;

	if (!text)
		return EXIT_USAGE_ERROR;
	if (strspn(name, letters) != strlen(name) || *name == '-')
		return refuse_node(&reader->yaml, key,
				   "'%s' is no long option of sbatch; write it without dashes before it, as 'licenses'",
				   name);
	if (is_one_of(name, "array dependency output"))
		return refuse_node(&reader->yaml, key, "'%s' is set by campaign submit itself", name);
	if (strpbrk(text, "\r\n"))
		return refuse_node(&reader->yaml, value, "the value of '%s' must be one line", name);
	if (json_object_set_new(data, name, json_string(text)))
		return refuse_node(&reader->yaml, value, "the value of '%s' must be UTF-8", name);
	return EXIT_DONE;
}

static enum exit_code read_slurm(struct reader *reader, const yaml_node_t *node, json_t *slurm)
{
	enum exit_code code = check_type(&reader->yaml, node, YAML_MAPPING_NODE,
					 "'slurm' must map long options of sbatch to their values");

	return code == EXIT_DONE ? each_pair(reader, node, read_slurm_pair, slurm) : code;
}

/* A key that must be an option of the campaign's verb, or "slurm". */
static enum exit_code read_set_pair(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value, void *data)
{
	struct campaign_set *set = data;
	const char *name = node_text(key);

	if (name && strcmp(name, SLURM) == 0)
		return read_slurm(reader, value, set->slurm);
	if (name && is_one_of(name, "report junit certificate logo"))
		return refuse_node(
			&reader->yaml, key,
			"'%s' says where a result goes, and every point has its own; 'campaign report' shows all of them",
			name);
	return config_file_add(&reader->yaml, reader->campaign->verb, key, value, set->options);
}

/* --- axes ----------------------------------------------------------------------------------------------------------- */

/* Room for one more label. */
static enum exit_code grow_axis(struct campaign_axis *axis)
{
	char **labels = reallocarray(axis->labels, axis->count + 1, sizeof(*labels));
	struct campaign_set *sets;

	if (labels)
		axis->labels = labels;
	sets = labels ? reallocarray(axis->sets, axis->count + 1, sizeof(*sets)) : NULL;
	if (!sets)
		return refuse(EXIT_INCAPABLE, "out of memory");
	axis->sets = sets;
	axis->labels[axis->count] = NULL;
	axis->sets[axis->count] = (struct campaign_set){ 0 };
	return EXIT_DONE;
}

/* The index of a label; the count of all if there is none. */
static size_t find_label(const struct campaign_axis *axis, const char *label)
{
	size_t i;

	for (i = 0; i < axis->count; i++)
		if (strcmp(axis->labels[i], label) == 0)
			break;
	return i;
}

/* Add a label whose set was filled in. */
static enum exit_code add_label(struct reader *reader, struct campaign_axis *axis, const yaml_node_t *node,
				const char *label)
{
	if (find_label(axis, label) < axis->count)
		return refuse_node(&reader->yaml, node, "'%s' stands on the axis '%s' twice", label, axis->name);
	axis->labels[axis->count] = strdup(label);
	if (!axis->labels[axis->count])
		return refuse(EXIT_INCAPABLE, "out of memory");
	axis->count++;
	return EXIT_DONE;
}

/* The values of a set as a label: one as it is, several with blanks between them. */
static void join_values(const struct campaign_set *set, char buffer[LABEL_SIZE])
{
	buffer[0] = '\0';
	for (size_t i = 0; i < set->options->count; i++)
		text_add(buffer, LABEL_SIZE, "%s%s", i ? " " : "", set->options->items[i].text);
}

/* A value of the option that the axis is named for, labelled by itself. */
static enum exit_code add_value(struct reader *reader, struct campaign_axis *axis, const yaml_node_t *key,
				const yaml_node_t *value)
{
	struct campaign_set *set;
	char label[LABEL_SIZE];
	enum exit_code code = grow_axis(axis);

	if (code != EXIT_DONE)
		return code;
	set = &axis->sets[axis->count];
	code = set_new(set);
	if (code == EXIT_DONE)
		code = config_file_add(&reader->yaml, reader->campaign->verb, key, value, set->options);
	if (code == EXIT_DONE) {
		join_values(set, label);
		code = add_label(reader, axis, value, label);
	}
	if (code != EXIT_DONE)
		campaign_set_free(set);
	return code;
}

/* A label by name: a mapping of options, or a value of the option that the axis is named for. */
struct named_axis {
	struct campaign_axis *axis;
	const yaml_node_t *key;
};

static enum exit_code add_named(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value, void *data)
{
	struct named_axis *named = data;
	struct campaign_axis *axis = named->axis;
	const char *label = name_of(&reader->yaml, key, "a name on an axis");
	enum exit_code code = label ? grow_axis(axis) : EXIT_USAGE_ERROR;
	struct campaign_set *set;

	if (code != EXIT_DONE)
		return code;
	set = &axis->sets[axis->count];
	code = set_new(set);
	if (code == EXIT_DONE && value->type == YAML_MAPPING_NODE)
		code = each_pair(reader, value, read_set_pair, set);
	else if (code == EXIT_DONE)
		code = config_file_add(&reader->yaml, reader->campaign->verb, named->key, value, set->options);
	if (code == EXIT_DONE)
		code = add_label(reader, axis, key, label);
	if (code != EXIT_DONE)
		campaign_set_free(set);
	return code;
}

/* The option that an axis with a list of values is named for. */
static enum exit_code find_axis_option(struct reader *reader, const yaml_node_t *key, struct campaign_axis *axis)
{
	axis->option = option_find(axis->name);
	if (axis->option && option_belongs(axis->option, reader->campaign->verb))
		return EXIT_DONE;
	return refuse_node(&reader->yaml, key,
			   "the axis '%s' lists values, but is no option of %s%s; an axis with a name of its own maps names "
			   "to options: '%s: {NAME: {OPTION: VALUE, ...}, ...}'",
			   axis->name, verb_name(reader->campaign->verb),
			   option_hint(axis->name, reader->campaign->verb, "", HINT_ROOM), axis->name);
}

static enum exit_code fill_axis(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value,
				struct campaign_axis *axis)
{
	struct named_axis named = { .axis = axis, .key = key };
	enum exit_code code;

	if (value->type == YAML_MAPPING_NODE)
		return each_pair(reader, value, add_named, &named);
	code = check_type(&reader->yaml, value, YAML_SEQUENCE_NODE,
			  "an axis must be a list of values, or map names to options");
	if (code == EXIT_DONE)
		code = find_axis_option(reader, key, axis);
	for (size_t i = 0; code == EXIT_DONE && i < item_count(value); i++)
		code = add_value(reader, axis, key, item_at(&reader->yaml, value, i));
	return code;
}

static enum exit_code read_axis(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value, void *)
{
	struct campaign *campaign = reader->campaign;
	struct campaign_axis *axis = &campaign->axes[campaign->matrix.axis_count];
	const char *name = name_of(&reader->yaml, key, "the name of an axis");
	enum exit_code code;

	if (!name)
		return EXIT_USAGE_ERROR;
	if (campaign->matrix.axis_count == MLR_AXES_MAX)
		return refuse_node(&reader->yaml, key, "a matrix has at most %d axes", MLR_AXES_MAX);
	for (size_t i = 0; i < campaign->matrix.axis_count; i++)
		if (strcmp(campaign->axes[i].name, name) == 0)
			return refuse_node(&reader->yaml, key, "the axis '%s' stands in the matrix twice", name);
	if (strcmp(name, "run") == 0)
		return refuse_node(&reader->yaml, key,
				   "no axis can be called 'run': that is which repeat a point is ('repeat: N')");
	axis->name = strdup(name);
	if (!axis->name)
		return refuse(EXIT_INCAPABLE, "out of memory");
	campaign->matrix.axis_count++;
	code = fill_axis(reader, key, value, axis);
	axis->product_count = axis->count;
	if (code == EXIT_DONE && !axis->count)
		code = refuse_node(&reader->yaml, value, "the axis '%s' is empty", name);
	return code;
}

/* No two axes may set the same option: which of them counts? */
static enum exit_code check_axes(const struct campaign *campaign)
{
	const struct campaign_axis **owners = calloc(option_count, sizeof(*owners));
	enum exit_code code = EXIT_DONE;

	if (!owners)
		return refuse(EXIT_INCAPABLE, "out of memory");
	for (size_t i = 0; i < campaign->matrix.axis_count; i++) {
		const struct campaign_axis *axis = &campaign->axes[i];

		for (size_t j = 0; j < axis->count && code == EXIT_DONE; j++) {
			for (size_t k = 0; k < axis->sets[j].options->count && code == EXIT_DONE; k++) {
				const struct given *given = &axis->sets[j].options->items[k];
				const struct campaign_axis **owner = &owners[given->option - options];

				if (*owner && *owner != axis)
					code = refuse(EXIT_USAGE_ERROR, "%s:%zu: '%s' is set by the axes '%s' and '%s'",
						      campaign->path, given->line, given->option->name, (*owner)->name,
						      axis->name);
				*owner = axis;
			}
		}
	}
	free(owners);
	return code;
}

/* --- exclude, include ----------------------------------------------------------------------------------------------- */

/* A combination while it is read, and what it brings. */
struct rule {
	struct mlr_combination combination;
	struct campaign_set *set; /* NULL: an exclusion, which brings nothing */
};

static struct campaign_axis *find_axis(struct campaign *campaign, const char *name, size_t *ret_index)
{
	for (size_t i = 0; i < campaign->matrix.axis_count; i++) {
		if (strcmp(campaign->axes[i].name, name) == 0) {
			*ret_index = i;
			return &campaign->axes[i];
		}
	}
	return NULL;
}

static enum exit_code refuse_axis(const struct reader *reader, const yaml_node_t *key, const char *name)
{
	const char *names[MLR_AXES_MAX];

	for (size_t i = 0; i < reader->campaign->matrix.axis_count; i++)
		names[i] = reader->campaign->axes[i].name;
	return refuse_node(&reader->yaml, key, "the matrix has no axis '%s'%s", name,
			   nearest_hint(name, names, reader->campaign->matrix.axis_count, HINT_ROOM));
}

static enum exit_code refuse_label(const struct reader *reader, const yaml_node_t *node, const struct campaign_axis *axis,
				   const char *label)
{
	return refuse_node(&reader->yaml, node, "'%s' does not stand on the axis '%s'%s", label, axis->name,
			   nearest_hint(label, (const char *const *)axis->labels, axis->count, HINT_ROOM));
}

static enum exit_code read_rule_pair(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value, void *data)
{
	struct rule *rule = data;
	struct campaign_axis *axis;
	const char *name = name_of(&reader->yaml, key, "the name of an axis"), *label;
	enum exit_code code = EXIT_DONE;
	size_t index, found;

	if (!name)
		return EXIT_USAGE_ERROR;
	axis = find_axis(reader->campaign, name, &index);
	if (!axis)
		return rule->set ? read_set_pair(reader, key, value, rule->set) : refuse_axis(reader, key, name);
	label = name_of(&reader->yaml, value, "a label of an axis");
	if (!label)
		return EXIT_USAGE_ERROR;
	found = find_label(axis, label);
	if (found == axis->count) {
		if (!rule->set || !axis->option)
			return refuse_label(reader, value, axis, label);
		code = add_value(reader, axis, key, value); /* a value beside those that are multiplied */
	}
	rule->combination.labels[index] = found;
	return code;
}

static enum exit_code read_rule(struct reader *reader, const yaml_node_t *node, struct rule *rule)
{
	enum exit_code code =
		check_type(&reader->yaml, node, YAML_MAPPING_NODE, "must map axes of the matrix to one of their labels");

	for (size_t i = 0; i < MLR_AXES_MAX; i++)
		rule->combination.labels[i] = MLR_CAMPAIGN_ANY;
	return code == EXIT_DONE ? each_pair(reader, node, read_rule_pair, rule) : code;
}

static enum exit_code read_exclude(struct reader *reader, const yaml_node_t *list)
{
	struct campaign *campaign = reader->campaign;
	enum exit_code code = check_type(&reader->yaml, list, YAML_SEQUENCE_NODE, "'exclude' must be a list");

	if (code != EXIT_DONE)
		return code;
	campaign->excluded = calloc(item_count(list) + 1, sizeof(*campaign->excluded));
	if (!campaign->excluded)
		return refuse(EXIT_INCAPABLE, "out of memory");
	for (size_t i = 0; i < item_count(list) && code == EXIT_DONE; i++) {
		struct rule rule = { .set = NULL };

		code = read_rule(reader, item_at(&reader->yaml, list, i), &rule);
		campaign->excluded[i] = rule.combination;
		campaign->matrix.excluded_count++;
	}
	return code;
}

static enum exit_code check_include(const struct reader *reader, const yaml_node_t *node, const struct rule *rule)
{
	for (size_t i = 0; i < reader->campaign->matrix.axis_count; i++)
		if (rule->combination.labels[i] == MLR_CAMPAIGN_ANY)
			return refuse_node(&reader->yaml, node,
					   "what is included must say where it is on every axis; '%s' is missing",
					   reader->campaign->axes[i].name);
	return EXIT_DONE;
}

static enum exit_code read_include(struct reader *reader, const yaml_node_t *list)
{
	struct campaign *campaign = reader->campaign;
	enum exit_code code = check_type(&reader->yaml, list, YAML_SEQUENCE_NODE, "'include' must be a list");

	if (code != EXIT_DONE)
		return code;
	campaign->included = calloc(item_count(list) + 1, sizeof(*campaign->included));
	campaign->included_sets = calloc(item_count(list) + 1, sizeof(*campaign->included_sets));
	if (!campaign->included || !campaign->included_sets)
		return refuse(EXIT_INCAPABLE, "out of memory");
	for (size_t i = 0; i < item_count(list) && code == EXIT_DONE; i++) {
		const yaml_node_t *node = item_at(&reader->yaml, list, i);
		struct rule rule = { .set = &campaign->included_sets[i] };

		campaign->matrix.included_count++;
		code = set_new(rule.set);
		if (code == EXIT_DONE)
			code = read_rule(reader, node, &rule);
		if (code == EXIT_DONE)
			code = check_include(reader, node, &rule);
		campaign->included[i] = rule.combination;
	}
	return code;
}

/* --- the section ---------------------------------------------------------------------------------------------------- */

/* A text that becomes the name of files and jobs. */
static enum exit_code read_campaign_name(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	struct reader *reader = target;
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	const char *name = name_of(file, node, "the campaign's name");

	if (!name)
		return EXIT_USAGE_ERROR;
	if (strspn(name, plain) != strlen(name) || *name == '.' || *name == '-')
		return refuse_node(file, node,
				   "name '%s': letters, digits, '.', '_' and '-', to name files and jobs after it", name);
	reader->campaign->name = strdup(name);
	return reader->campaign->name ? EXIT_DONE : refuse(EXIT_INCAPABLE, "out of memory");
}

static enum exit_code read_campaign_verb(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	struct reader *reader = target;
	static const enum verb measuring[] = { VERB_SEARCH, VERB_TRIAL, VERB_SOAK, VERB_RFC2544 };
	const char *name = name_of(file, node, "'verb'");

	if (!name)
		return EXIT_USAGE_ERROR;
	for (size_t i = 0; i < COUNT(measuring); i++) {
		if (strcmp(verb_name(measuring[i]), name) == 0) {
			reader->campaign->verb = measuring[i];
			return EXIT_DONE;
		}
	}
	return refuse_node(file, node, "verb '%s': must be search, trial, soak or rfc2544", name);
}

/* The directory of the file, with a name in it; a name that begins with "/" stands for itself. Slashes at its end are left
 * out. */
static char *beside(const char *path, const char *name)
{
	int length = (int)strlen(name);
	char *joined = NULL;
	owned char *copy = NULL;

	while (length > 1 && name[length - 1] == '/')
		length--;
	if (*name == '/')
		return strndup(name, (size_t)length);
	copy = strdup(path);
	if (copy && asprintf(&joined, "%s/%.*s", dirname(copy), length, name) < 0)
		joined = NULL;
	return joined;
}

static enum exit_code read_results(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	struct reader *reader = target;
	const char *name = name_of(file, node, "'results'");

	if (!name)
		return EXIT_USAGE_ERROR;
	reader->campaign->directory = beside(reader->campaign->path, name);
	return reader->campaign->directory ? EXIT_DONE : refuse(EXIT_INCAPABLE, "out of memory");
}

static enum exit_code read_launch(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	struct reader *reader = target;
	const char *command = name_of(file, node, "'launch'");

	if (!command)
		return EXIT_USAGE_ERROR;
	if (strpbrk(command, "\r\n") || strlen(command) > LAUNCH_MOST)
		return refuse_node(file, node,
				   "'launch' must be one line of at most %d octets, as 'mpirun --hostfile hosts'",
				   LAUNCH_MOST);
	reader->campaign->launch = strdup(command);
	return reader->campaign->launch ? EXIT_DONE : refuse(EXIT_INCAPABLE, "out of memory");
}

static enum exit_code read_repeat(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	struct reader *reader = target;
	const char *text = name_of(file, node, "'repeat'");
	double count;

	if (!text)
		return EXIT_USAGE_ERROR;
	if (!parse_number(text, &count) || count < 1 || count > REPEATS_LIMIT || count != (unsigned int)count)
		return refuse_node(file, node, "repeat '%s': must be a whole number from 1 to %d", text, REPEATS_LIMIT);
	reader->campaign->matrix.repeats = (unsigned int)count;
	return EXIT_DONE;
}

static enum exit_code read_matrix(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	struct reader *reader = target;
	enum exit_code code = check_type(file, node, YAML_MAPPING_NODE, "'matrix' must map axes to what they hold");

	return code == EXIT_DONE ? each_pair(reader, node, read_axis, NULL) : code;
}

static enum exit_code read_common_slurm(struct yaml_file *, const yaml_node_t *node, void *target)
{
	struct reader *reader = target;

	return read_slurm(reader, node, reader->campaign->common.slurm);
}

/* Looked at once the axes are known. */
static enum exit_code keep_node(struct yaml_file *, const yaml_node_t *node, void *target)
{
	*(const yaml_node_t **)target = node;
	return EXIT_DONE;
}

/* In the order in which they are read, whatever that in the file is. */
static const struct yaml_key section_keys[] = {
	{ "name", read_campaign_name, 0 },
	{ "verb", read_campaign_verb, 0 },
	{ "results", read_results, 0 },
	{ "repeat", read_repeat, 0 },
	{ "matrix", read_matrix, 0 },
	{ "slurm", read_common_slurm, 0 },
	{ "exclude", keep_node, offsetof(struct reader, exclude) },
	{ "include", keep_node, offsetof(struct reader, include) },
	{ "compare", keep_node, offsetof(struct reader, compare) },
	{ "launch", read_launch, 0 },
};

/* Whether the labels of an axis have names, as builds do, and there are several. */
static bool has_names(const struct campaign_axis *axis)
{
	return !axis->option && axis->count > 1;
}

/* Whether an axis is called as versions of a SUT are. Those of an option, or of anything else with names, are no versions. */
static bool is_of_versions(const struct campaign_axis *axis)
{
	return has_names(axis) && is_one_of(axis->name, "build builds version versions release releases commit revision "
							"firmware image sut");
}

/* The only axis that is such a one; MLR_CAMPAIGN_ANY if there is none, or more than one. */
static size_t only_axis(const struct campaign *campaign, bool (*is_such)(const struct campaign_axis *axis))
{
	size_t found = MLR_CAMPAIGN_ANY, count = 0;

	for (size_t i = 0; i < campaign->matrix.axis_count; i++)
		if (is_such(&campaign->axes[i])) {
			found = i;
			count++;
		}
	return count == 1 ? found : MLR_CAMPAIGN_ANY;
}

/* The axis whose labels are compared: the one that is named, else the only one whose labels have names. Of several it must be
 * said which has the builds, unless one is called so. */
static enum exit_code find_compared(struct reader *reader)
{
	struct campaign *campaign = reader->campaign;
	const char *name = reader->compare ? name_of(&reader->yaml, reader->compare, "'compare'") : NULL;

	campaign->compared = MLR_CAMPAIGN_ANY;
	if (reader->compare) {
		if (!name || strcmp(name, "none") == 0)
			return name ? EXIT_DONE : EXIT_USAGE_ERROR;
		return find_axis(campaign, name, &campaign->compared) ? EXIT_DONE
								      : refuse_axis(reader, reader->compare, name);
	}
	campaign->compared = only_axis(campaign, is_of_versions);
	if (campaign->compared == MLR_CAMPAIGN_ANY)
		campaign->compared = only_axis(campaign, has_names);
	for (size_t i = 0; i < campaign->matrix.axis_count && campaign->compared == MLR_CAMPAIGN_ANY; i++)
		if (has_names(&campaign->axes[i]))
			return refuse(EXIT_USAGE_ERROR,
				      "%s: several axes of the matrix have names; say which one has the builds to be "
				      "compared, as 'compare: %s', or 'compare: none'",
				      campaign->path, campaign->axes[i].name);
	return EXIT_DONE;
}

static enum exit_code read_section(struct reader *reader, const yaml_node_t *section)
{
	enum exit_code code = yaml_read_mapping(&reader->yaml, section, SECTION, section_keys, COUNT(section_keys), reader);

	if (code == EXIT_DONE && reader->exclude)
		code = read_exclude(reader, reader->exclude);
	if (code == EXIT_DONE && reader->include)
		code = read_include(reader, reader->include);
	if (code == EXIT_DONE)
		code = find_compared(reader);
	return code == EXIT_DONE ? check_axes(reader->campaign) : code;
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

static enum exit_code read_common_pair(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value, void *data)
{
	const char *name = node_text(key);

	if (name && strcmp(name, SECTION) == 0)
		return EXIT_DONE;
	if (name && strcmp(name, SLURM) == 0)
		return refuse_node(&reader->yaml, key, "'slurm' belongs into the section 'campaign'");
	return read_set_pair(reader, key, value, data);
}

static enum exit_code read_document(struct reader *reader)
{
	struct campaign *campaign = reader->campaign;
	const yaml_node_t *root = yaml_document_get_root_node(&reader->yaml.document), *section;
	enum exit_code code;

	if (!root || root->type != YAML_MAPPING_NODE)
		return refuse(EXIT_USAGE_ERROR, "%s: no campaign: it must be a mapping with the key 'campaign'",
			      campaign->path);
	section = node_find(&reader->yaml, root, SECTION);
	if (!section)
		return refuse_node(&reader->yaml, root, "no campaign: the key 'campaign' is missing");
	code = read_section(reader, section);
	return code == EXIT_DONE ? each_pair(reader, root, read_common_pair, &campaign->common) : code;
}

/* "builds" of "lab/builds.yaml" */
static char *stem(const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *dot = strrchr(name, '.');

	return strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static enum exit_code add_defaults(struct campaign *campaign)
{
	if (!campaign->name)
		campaign->name = stem(campaign->path);
	if (!campaign->directory)
		campaign->directory = beside(campaign->path, "results");
	if (!campaign->name || !campaign->directory)
		return refuse(EXIT_INCAPABLE, "out of memory");
	return EXIT_DONE;
}

enum exit_code campaign_read(const char *path, struct campaign *ret)
{
	struct campaign campaign = { .path = path, .verb = VERB_SEARCH, .matrix = { .repeats = 1 } };
	struct reader reader = { .campaign = ret };
	enum exit_code code = config_file_open(path, "cannot read the campaign", &reader.yaml);

	if (code != EXIT_DONE)
		return code;
	*ret = campaign;
	code = set_new(&ret->common);
	if (code == EXIT_DONE)
		code = read_document(&reader);
	yaml_file_free(&reader.yaml);
	if (code == EXIT_DONE)
		code = add_defaults(ret);
	if (code == EXIT_DONE)
		code = campaign_expand(ret);
	if (code != EXIT_DONE)
		campaign_free(ret);
	return code;
}
