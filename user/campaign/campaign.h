/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A campaign: a matrix of options, the points that it expands to, and the configuration of each. file.h reads one.
 */
#ifndef XDP_MLR_CAMPAIGN_CAMPAIGN_H
#define XDP_MLR_CAMPAIGN_CAMPAIGN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"
#include "config/given.h"
#include "mlr/campaign.h"

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

void campaign_free(struct campaign *campaign);
void campaign_set_free(struct campaign_set *set);

/* Make the points, and name them, once the axes and what is excluded and included are filled in. EXIT_USAGE_ERROR where there are none,
 * or too many. */
enum exit_code campaign_expand(struct campaign *campaign);

/* The configuration that a point is run with. EXIT_USAGE_ERROR with the point and what is wrong. Free with config_free, before the
 * campaign. */
enum exit_code campaign_configure(const struct campaign *campaign, size_t point, struct config *ret);

/* The point's label on every axis, an object. A new reference. */
json_t *campaign_values(const struct campaign *campaign, const struct mlr_combination *combination);
/* Options of sbatch for a point. A new reference. */
json_t *campaign_slurm(const struct campaign *campaign, size_t point);

#endif
