/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "campaign/campaign.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_value.h"
#include "config/configure.h"

/* --- what it holds -------------------------------------------------------------------------------------------------- */

void campaign_set_free(struct campaign_set *set)
{
	given_list_free(set->options);
	json_decref(set->slurm);
}

static void axis_free(struct campaign_axis *axis)
{
	for (size_t i = 0; i < axis->count; i++) {
		free(axis->labels[i]);
		campaign_set_free(&axis->sets[i]);
	}
	free(axis->labels);
	free(axis->sets);
	free(axis->name);
}

void campaign_free(struct campaign *campaign)
{
	for (size_t i = 0; i < campaign->matrix.axis_count; i++)
		axis_free(&campaign->axes[i]);
	for (size_t i = 0; campaign->included_sets && i < campaign->matrix.included_count; i++)
		campaign_set_free(&campaign->included_sets[i]);
	for (size_t i = 0; campaign->names && i < campaign->point_count; i++)
		free(campaign->names[i]);
	campaign_set_free(&campaign->common);
	free(campaign->included_sets);
	free(campaign->included);
	free(campaign->excluded);
	free(campaign->names);
	free(campaign->points);
	free(campaign->directory);
	free(campaign->launch);
	free(campaign->name);
	*campaign = (struct campaign){ 0 };
}

/* --- points --------------------------------------------------------------------------------------------------------- */

/* Return what is included with options of its own for this combination; NULL: nothing. */
static const struct campaign_set *included_set(const struct campaign *campaign, const struct mlr_combination *combination)
{
	for (size_t i = 0; i < campaign->matrix.included_count; i++)
		if (memcmp(campaign->included[i].labels, combination->labels,
			   campaign->matrix.axis_count * sizeof(combination->labels[0])) == 0)
			return &campaign->included_sets[i];
	return NULL;
}

/* Get the sets that make a point, those that win first. Returns how many. */
static size_t sets_of(const struct campaign *campaign, size_t point, const struct campaign_set *ret[MLR_AXES_MAX + 2])
{
	const struct mlr_combination *combination = &campaign->points[point].combination;
	size_t count = 0;

	ret[count] = included_set(campaign, combination);
	count += ret[count] != NULL;
	for (size_t i = 0; i < campaign->matrix.axis_count; i++)
		ret[count++] = &campaign->axes[i].sets[combination->labels[i]];
	ret[count++] = &campaign->common;
	return count;
}

/* Add the options of a set that no set before it had. */
static enum exit_code add_set(struct given_list *list, const struct campaign_set *set)
{
	struct given_list before = { .items = list->items, .count = list->count };
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < set->options->count && code == EXIT_DONE; i++) {
		before.items = list->items; /* adding may move them */
		if (!given_find(&before, set->options->items[i].option->name))
			code = given_add(list, &set->options->items[i]);
	}
	return code;
}

enum exit_code campaign_configure(const struct campaign *campaign, size_t point, struct config *ret)
{
	const struct campaign_set *sets[MLR_AXES_MAX + 2];
	size_t count = sets_of(campaign, point, sets);
	struct given_list *list = calloc(1, sizeof(*list));
	enum exit_code code = EXIT_DONE;

	if (!list)
		return out_of_memory();
	for (size_t i = 0; i < count && code == EXIT_DONE; i++)
		code = add_set(list, sets[i]);
	if (code != EXIT_DONE) {
		given_list_free(list);
		return code;
	}
	message_subject = campaign->names[point];
	code = config_of_values(campaign->verb, list, ret);
	message_subject = NULL;
	return code;
}

json_t *campaign_values(const struct campaign *campaign, const struct mlr_combination *combination)
{
	json_t *values = json_object();

	for (size_t i = 0; i < campaign->matrix.axis_count; i++)
		json_put(values, campaign->axes[i].name, campaign->axes[i].labels[combination->labels[i]]);
	return values;
}

json_t *campaign_slurm(const struct campaign *campaign, size_t point)
{
	const struct campaign_set *sets[MLR_AXES_MAX + 2];
	size_t count = sets_of(campaign, point, sets);
	json_t *merged = json_object();

	for (size_t i = 0; i < count; i++)
		json_object_update_missing(merged, sets[i]->slurm);
	return merged;
}

/* --- expanding ------------------------------------------------------------------------------------------------------ */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names end in a hash where labels are odd: that no two are alike is as good as certain, and seen to. */
static enum exit_code check_names(const struct campaign *campaign)
{
	owned const char **sorted = calloc(campaign->point_count + 1, sizeof(*sorted));

	if (!sorted)
		return out_of_memory();
	for (size_t i = 0; i < campaign->point_count; i++)
		sorted[i] = campaign->names[i];
	qsort(sorted, campaign->point_count, sizeof(*sorted), by_text);
	for (size_t i = 1; i < campaign->point_count; i++)
		if (strcmp(sorted[i - 1], sorted[i]) == 0)
			return refuse(EXIT_USAGE_ERROR, "%s: two points would be called '%s'; give their labels other names",
				      campaign->path, sorted[i]);
	return EXIT_DONE;
}

static enum exit_code name_points(struct campaign *campaign)
{
	char name[MLR_POINT_NAME_SIZE];

	campaign->names = calloc(campaign->point_count + 1, sizeof(*campaign->names));
	if (!campaign->names)
		return out_of_memory();
	for (size_t i = 0; i < campaign->point_count; i++) {
		campaign->names[i] = strdup(mlr_campaign_name(&campaign->matrix, &campaign->points[i], name));
		if (!campaign->names[i])
			return out_of_memory();
	}
	return check_names(campaign);
}

enum exit_code campaign_expand(struct campaign *campaign)
{
	struct mlr_matrix *matrix = &campaign->matrix;
	int error;

	for (size_t i = 0; i < matrix->axis_count; i++) {
		const struct campaign_axis *axis = &campaign->axes[i];

		campaign->mlr_axes[i] = (struct mlr_axis){ .name = axis->name,
							   .labels = (const char *const *)axis->labels,
							   .label_count = axis->count,
							   .product_count = axis->product_count };
	}
	matrix->axes = campaign->mlr_axes;
	matrix->excluded = campaign->excluded;
	matrix->included = campaign->included;
	error = mlr_campaign_points(matrix, &campaign->points, &campaign->point_count);
	if (error == -E2BIG)
		return refuse(EXIT_USAGE_ERROR, "%s: the matrix has more than %d points", campaign->path, MLR_POINTS_MAX);
	if (error)
		return out_of_memory();
	if (!campaign->point_count)
		return refuse(EXIT_USAGE_ERROR, "%s: the matrix has no point: everything is excluded", campaign->path);
	return name_points(campaign);
}
