/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "campaign/campaign.h"

#include <libgen.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/message.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "config/config_file.h"

#define SECTION    "campaign"
#define SLURM      "slurm"
#define LABEL_SIZE 1024

/* The file while it is read. Values have the forms that docs/schema/campaign-file.schema.json requires. */
struct reader {
	struct yaml_file yaml;
	struct campaign *campaign;
};

/* --- sets ----------------------------------------------------------------------------------------------------------- */

static enum exit_code set_new(struct campaign_set *set)
{
	set->options = calloc(1, sizeof(*set->options));
	set->slurm = json_object();
	return set->options && set->slurm ? EXIT_DONE : out_of_memory();
}

/* Options of sbatch. They go into comment lines of a job script. */
static enum exit_code read_slurm(struct reader *reader, const json_t *mapping, json_t *slurm)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";

	json_each_member (name, value, mapping) {
		if (!*name || strspn(name, letters) != strlen(name) || *name == '-')
			return refuse_key(&reader->yaml, mapping, name,
					  "'%s' is no long option of sbatch; write it without dashes before it, as "
					  "'licenses'",
					  name);
		if (is_one_of(name, "array dependency output"))
			return refuse_key(&reader->yaml, mapping, name, "'%s' is set by campaign submit itself", name);
	}
	json_object_update(slurm, (json_t *)mapping);
	return EXIT_DONE;
}

/* A key that must be an option of the campaign's verb, or "slurm". */
static enum exit_code read_set_pair(struct reader *reader, const json_t *mapping, const char *name, const json_t *value,
				    struct campaign_set *set)
{
	if (strcmp(name, SLURM) == 0) {
		json_auto_t *section = json_with(SLURM, json_incref((json_t *)value));

		return yaml_check(&reader->yaml, section, "campaign-file") ?: read_slurm(reader, value, set->slurm);
	}
	if (is_one_of(name, "report junit certificate logo"))
		return refuse_key(
			&reader->yaml, mapping, name,
			"'%s' says where a result goes, and every point has its own; 'campaign report' shows all of them",
			name);
	return config_file_add(&reader->yaml, reader->campaign->verb, mapping, name, value, set->options);
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
		return out_of_memory();
	axis->sets = sets;
	axis->labels[axis->count] = NULL;
	axis->sets[axis->count] = (struct campaign_set){ 0 };
	return EXIT_DONE;
}

/* The index of a label; the count of all if there is none. */
static size_t find_label(const struct campaign_axis *axis, const char *label)
{
	return place_of_word(label, (const char *const *)axis->labels, axis->count);
}

/* Add a label whose set was filled in. */
static enum exit_code add_label(struct reader *reader, struct campaign_axis *axis, const json_t *value, const char *label)
{
	if (find_label(axis, label) < axis->count)
		return refuse_value(&reader->yaml, value, "'%s' stands on the axis '%s' twice", label, axis->name);
	axis->labels[axis->count] = strdup(label);
	if (!axis->labels[axis->count])
		return out_of_memory();
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

/* A label: a mapping of options, or a value of the option that the axis is named for, which stands at the key of a mapping. NULL: the
 * value is its own label. */
static enum exit_code add_value(struct reader *reader, struct campaign_axis *axis, const json_t *mapping, const char *label,
				const json_t *value)
{
	struct campaign_set *set;
	char values[LABEL_SIZE];
	enum exit_code code = grow_axis(axis);

	if (code != EXIT_DONE)
		return code;
	set = &axis->sets[axis->count];
	code = set_new(set);
	if (code == EXIT_DONE && (!label || !json_is_object(value)))
		code = config_file_add(&reader->yaml, reader->campaign->verb, mapping, axis->name, value, set->options);
	if (label)
		json_each_member (name, of_option, value)
			code = code ?: read_set_pair(reader, value, name, of_option, set);
	if (code == EXIT_DONE) {
		join_values(set, values);
		code = add_label(reader, axis, value, label ?: values);
	}
	if (code != EXIT_DONE)
		campaign_set_free(set);
	return code;
}

/* The option that an axis with a list of values is named for. */
static enum exit_code find_axis_option(struct reader *reader, const json_t *matrix, struct campaign_axis *axis)
{
	axis->option = option_find(axis->name);
	if (axis->option && option_belongs(axis->option, reader->campaign->verb))
		return EXIT_DONE;
	return refuse_key(&reader->yaml, matrix, axis->name,
			  "the axis '%s' lists values, but is no option of %s%s; an axis with a name of its own maps names "
			  "to options: '%s: {NAME: {OPTION: VALUE, ...}, ...}'",
			  axis->name, verb_name(reader->campaign->verb),
			  option_hint(axis->name, reader->campaign->verb, "", HINT_ROOM), axis->name);
}

static enum exit_code fill_axis(struct reader *reader, const json_t *matrix, const json_t *value, struct campaign_axis *axis)
{
	enum exit_code code = json_is_array(value) ? find_axis_option(reader, matrix, axis) : EXIT_DONE;

	json_each (item, value)
		code = code ?: add_value(reader, axis, matrix, NULL, item);
	json_each_member (label, item, value)
		if (code == EXIT_DONE)
			code = *label ? add_value(reader, axis, matrix, label, item)
				      : refuse_key(&reader->yaml, value, label,
						   "a name on an axis must be a plain value that is not empty");
	if (code == EXIT_DONE && !axis->count)
		code = refuse_value(&reader->yaml, value, "the axis '%s' is empty", axis->name);
	return code;
}

static enum exit_code read_axis(struct reader *reader, const json_t *matrix, const char *name, const json_t *value)
{
	struct campaign *campaign = reader->campaign;
	struct campaign_axis *axis = &campaign->axes[campaign->matrix.axis_count];
	enum exit_code code;

	if (!*name)
		return refuse_key(&reader->yaml, matrix, name,
				  "the name of an axis must be a plain value that is not empty");
	if (campaign->matrix.axis_count == MLR_AXES_MAX)
		return refuse_key(&reader->yaml, matrix, name, "a matrix has at most %d axes", MLR_AXES_MAX);
	if (strcmp(name, "run") == 0)
		return refuse_key(&reader->yaml, matrix, name,
				  "no axis can be called 'run': that is which repeat a point is ('repeat: N')");
	axis->name = strdup(name);
	if (!axis->name)
		return out_of_memory();
	campaign->matrix.axis_count++;
	code = fill_axis(reader, matrix, value, axis);
	axis->product_count = axis->count;
	return code;
}

/* No two axes may set the same option: which of them counts? */
static enum exit_code check_axes(const struct campaign *campaign)
{
	owned const struct campaign_axis **owners = calloc(option_count, sizeof(*owners));

	if (!owners)
		return out_of_memory();
	for (size_t i = 0; i < campaign->matrix.axis_count; i++) {
		const struct campaign_axis *axis = &campaign->axes[i];

		for (size_t j = 0; j < axis->count; j++) {
			for (size_t k = 0; k < axis->sets[j].options->count; k++) {
				const struct given *given = &axis->sets[j].options->items[k];
				const struct campaign_axis **owner = &owners[given->option - options];

				if (*owner && *owner != axis)
					return refuse(EXIT_USAGE_ERROR, "%s:%zu: '%s' is set by the axes '%s' and '%s'",
						      campaign->path, given->line, given->option->name, (*owner)->name,
						      axis->name);
				*owner = axis;
			}
		}
	}
	return EXIT_DONE;
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

static const char *axis_hint(const struct campaign *campaign, const char *name, char buffer[HINT_SIZE])
{
	const char *names[MLR_AXES_MAX];

	for (size_t i = 0; i < campaign->matrix.axis_count; i++)
		names[i] = campaign->axes[i].name;
	return nearest_hint(name, names, campaign->matrix.axis_count, buffer);
}

static enum exit_code read_rule_pair(struct reader *reader, const json_t *mapping, const char *name, const json_t *value,
				     struct rule *rule)
{
	const char *label;
	enum exit_code code = EXIT_DONE;
	size_t index, found;
	struct campaign_axis *axis = find_axis(reader->campaign, name, &index);

	if (!axis && rule->set)
		return read_set_pair(reader, mapping, name, value, rule->set);
	if (!axis)
		return refuse_key(&reader->yaml, mapping, name, "the matrix has no axis '%s'%s", name,
				  axis_hint(reader->campaign, name, HINT_ROOM));
	label = yaml_text(&reader->yaml, value);
	if (!label)
		return EXIT_USAGE_ERROR;
	found = find_label(axis, label);
	if (found == axis->count && (!rule->set || !axis->option))
		return refuse_value(&reader->yaml, value, "'%s' does not stand on the axis '%s'%s", label, axis->name,
				    nearest_hint(label, (const char *const *)axis->labels, axis->count, HINT_ROOM));
	if (found == axis->count)
		code = add_value(reader, axis, mapping, NULL, value); /* a value beside those that are multiplied */
	rule->combination.labels[index] = found;
	return code;
}

static enum exit_code read_rule(struct reader *reader, const json_t *mapping, struct rule *rule)
{
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < MLR_AXES_MAX; i++)
		rule->combination.labels[i] = MLR_CAMPAIGN_ANY;
	json_each_member (name, value, mapping)
		code = code ?: read_rule_pair(reader, mapping, name, value, rule);
	return code;
}

static enum exit_code read_exclude(struct reader *reader, const json_t *list)
{
	struct campaign *campaign = reader->campaign;
	enum exit_code code = EXIT_DONE;

	campaign->excluded = calloc(json_array_size(list) + 1, sizeof(*campaign->excluded));
	if (!campaign->excluded)
		return out_of_memory();
	json_each (item, list) {
		struct rule rule = { .set = NULL };

		if (code == EXIT_DONE)
			code = read_rule(reader, item, &rule);
		campaign->excluded[campaign->matrix.excluded_count++] = rule.combination;
	}
	return code;
}

static enum exit_code check_include(struct reader *reader, const json_t *mapping, const struct rule *rule)
{
	for (size_t i = 0; i < reader->campaign->matrix.axis_count; i++)
		if (rule->combination.labels[i] == MLR_CAMPAIGN_ANY)
			return refuse_value(&reader->yaml, mapping,
					    "what is included must say where it is on every axis; '%s' is missing",
					    reader->campaign->axes[i].name);
	return EXIT_DONE;
}

static enum exit_code read_include(struct reader *reader, const json_t *list)
{
	struct campaign *campaign = reader->campaign;
	enum exit_code code = EXIT_DONE;

	campaign->included = calloc(json_array_size(list) + 1, sizeof(*campaign->included));
	campaign->included_sets = calloc(json_array_size(list) + 1, sizeof(*campaign->included_sets));
	if (!campaign->included || !campaign->included_sets)
		return out_of_memory();
	for (size_t i = 0; i < json_array_size(list) && code == EXIT_DONE; i++) {
		const json_t *mapping = json_array_get(list, i);
		struct rule rule = { .set = &campaign->included_sets[i] };

		campaign->matrix.included_count++;
		code = set_new(rule.set) ?: read_rule(reader, mapping, &rule) ?: check_include(reader, mapping, &rule);
		campaign->included[i] = rule.combination;
	}
	return code;
}

/* --- the section ---------------------------------------------------------------------------------------------------- */

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

static enum verb verb_of(const char *name)
{
	static const enum verb measuring[] = { VERB_TRIAL, VERB_SOAK, VERB_RFC2544 };

	for (size_t i = 0; i < COUNT(measuring); i++)
		if (strcmp(verb_name(measuring[i]), name) == 0)
			return measuring[i];
	return VERB_SEARCH;
}

/* "builds" of "lab/builds.yaml" */
static char *stem(const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *dot = strrchr(name, '.');

	return strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static enum exit_code read_values(struct campaign *campaign, const json_t *section)
{
	const char *name = read_string(section, "name"), *launch = read_string(section, "launch");

	campaign->verb = verb_of(read_text(section, "verb"));
	campaign->name = name ? strdup(name) : stem(campaign->path);
	campaign->directory = beside(campaign->path, read_string(section, "results") ?: "results");
	campaign->launch = launch ? strdup(launch) : NULL;
	parse_whole(read_text(section, "repeat"), 0, UINT_MAX, &campaign->matrix.repeats);
	return campaign->name && campaign->directory && !campaign->launch == !launch ? EXIT_DONE : out_of_memory();
}

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
static enum exit_code find_compared(struct reader *reader, const json_t *compare)
{
	struct campaign *campaign = reader->campaign;
	const char *name = json_string_value(compare);

	campaign->compared = MLR_CAMPAIGN_ANY;
	if (name && strcmp(name, "none") != 0 && !find_axis(campaign, name, &campaign->compared))
		return refuse_value(&reader->yaml, compare, "the matrix has no axis '%s'%s", name,
				    axis_hint(campaign, name, HINT_ROOM));
	if (name)
		return EXIT_DONE;
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

static enum exit_code read_section(struct reader *reader, const json_t *section)
{
	const json_t *matrix = json_object_get(section, "matrix");
	enum exit_code code = yaml_check(&reader->yaml, section, "campaign-file") ?: read_values(reader->campaign, section);

	json_each_member (name, axis, matrix)
		code = code ?: read_axis(reader, matrix, name, axis);
	return code
		       ?: read_slurm(reader, json_object_get(section, SLURM), reader->campaign->common.slurm)
		       ?: read_exclude(reader, json_object_get(section, "exclude"))
		       ?: read_include(reader, json_object_get(section, "include"))
		       ?: find_compared(reader, json_object_get(section, "compare"))
		       ?: check_axes(reader->campaign);
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

static enum exit_code read_document(struct reader *reader)
{
	struct campaign *campaign = reader->campaign;
	const json_t *root = reader->yaml.root, *section = json_object_get(root, SECTION);
	enum exit_code code;

	if (!json_is_object(root))
		return refuse(EXIT_USAGE_ERROR, "%s: no campaign: it must be a mapping with the key 'campaign'",
			      campaign->path);
	if (!section)
		return refuse_value(&reader->yaml, root, "no campaign: the key 'campaign' is missing");
	if (json_object_get(root, SLURM))
		return refuse_key(&reader->yaml, root, SLURM, "'slurm' belongs into the section 'campaign'");
	code = read_section(reader, section);
	json_each_member (name, value, root)
		if (code == EXIT_DONE && strcmp(name, SECTION) != 0)
			code = read_set_pair(reader, root, name, value, &campaign->common);
	return code;
}

enum exit_code campaign_read(const char *path, struct campaign *ret)
{
	struct campaign campaign = { .path = path, .verb = VERB_SEARCH, .matrix = { .repeats = 1 } };
	struct reader reader = { .campaign = ret };
	enum exit_code code = config_file_open(path, "cannot read the campaign", &reader.yaml);

	if (code != EXIT_DONE)
		return code;
	*ret = campaign;
	code = set_new(&ret->common) ?: read_document(&reader);
	yaml_file_free(&reader.yaml);
	if (code == EXIT_DONE)
		code = campaign_expand(ret);
	if (code != EXIT_DONE)
		campaign_free(ret);
	return code;
}
