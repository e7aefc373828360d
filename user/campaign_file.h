/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A campaign as a YAML file describes it: the section "campaign" with its matrix, and beside it every option that all points have in
 * common, as in a --config file. docs/scale-out.md shows one.
 */
#ifndef XDP_MLR_CAMPAIGN_FILE_H
#define XDP_MLR_CAMPAIGN_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "config.h"
#include "mlr/campaign.h"
#include "options.h"

/* What something in the file brings: options of the verb, and of sbatch (an object, from name to value). */
struct campaign_set {
	struct given_list *options;
	json_t *slurm;
};

struct campaign_axis {
	char *name;
	const struct option *option; /* the axis lists values of this option; NULL: its labels have names */
	char **labels;
	struct campaign_set *sets; /* of each label */
	size_t count, product_count;
};

struct campaign {
	const char *path;
	char *name;
	char *directory; /* of the results */
	char *launch;    /* a command that starts the program of a point, as mpirun does; NULL: none */
	enum verb verb;
	struct campaign_set common;
	struct campaign_axis axes[MLR_AXES_MAX];
	struct mlr_axis mlr_axes[MLR_AXES_MAX];
	struct mlr_matrix matrix;
	struct mlr_combination *excluded, *included;
	struct campaign_set *included_sets;
	size_t compared; /* the axis whose labels are compared, each with the one before it; MLR_CAMPAIGN_ANY: none */
	struct mlr_campaign_point *points;
	char **names; /* of the points */
	size_t point_count;
};

/* Read a file; EXIT_USAGE_ERROR with file, line and what is wrong. `path` must outlive the campaign. Free with campaign_free. */
enum exit_code campaign_read(const char *path, struct campaign *ret);
void campaign_free(struct campaign *campaign);

/* The configuration that a point is run with. EXIT_USAGE_ERROR with the point and what is wrong. Free with config_free, before the
 * campaign. */
enum exit_code campaign_configure(const struct campaign *campaign, size_t point, struct config *ret);

/* The point's label on every axis, an object. A new reference. */
json_t *campaign_values(const struct campaign *campaign, const struct mlr_combination *combination);
/* Options of sbatch for a point. A new reference. */
json_t *campaign_slurm(const struct campaign *campaign, size_t point);

#endif
