/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A campaign is a matrix of options, with the points that it expands to, and the configuration of each. The caller owns it.
 * It is read once, and its points are then run, shown or reported.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "config/given.h"
#include "mlr/campaign.h"

struct point_status;

/* The options that something in the file brings: of the verb, and of sbatch (an object, from name to value). */
struct campaign_set {
	struct given_list *options;
	json_t *slurm;
};

struct campaign_axis {
	char *name;
	const struct option *option; /* the axis lists values of this option; NULL: its labels have names */
	char **labels;
	struct campaign_set *sets; /* options of each label */
	size_t count, product_count;
};

struct campaign {
	const char *path;
	char *name;
	char *directory; /* folder of the results */
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
	char **names; /* names of the points */
	size_t point_count;
};

void campaign_free(struct campaign *campaign);
void campaign_set_free(struct campaign_set *set);

/* Make the points, and name them, once the axes and what is excluded and included are filled in. EXIT_USAGE_ERROR where
 * there are none, or too many. */
enum exit_code campaign_expand(struct campaign *campaign);

/* Make the configuration that a point is run with. EXIT_USAGE_ERROR with the point and what is wrong. Free it with
 * config_free, before the campaign. */
enum exit_code campaign_configure(const struct campaign *campaign, size_t point, struct config *ret);

/* Return the point's label on every axis, an object. It is a new reference. */
json_t *campaign_values(const struct campaign *campaign, const struct mlr_combination *combination);
/* Return the options of sbatch for a point, a new reference. */
json_t *campaign_slurm(const struct campaign *campaign, size_t point);

/* --- what can be done with one ---------------------------------------------------------------------------------------- */

/* Read a campaign from a YAML file: the section "campaign" with its matrix, and beside it the options that all points have
 * in common, as in a --config file. docs/guide/many-machines.md shows one. EXIT_USAGE_ERROR with file, line and what is
 * wrong. `path` must outlive the campaign. Free with campaign_free. */
enum exit_code campaign_read(const char *path, struct campaign *ret);

/* Whether --only means a point, or is not given. */
bool campaign_means(const struct config *config, const char *name);
/* Whether a point is to be taken up: it is not done, or its result cannot be read. With --retry-failed also if it has failed,
 * or its result does not count. */
bool campaign_needs_run(const struct config *config, const struct campaign *campaign, size_t point,
			const struct point_status *status);

/* Choose the points that are to be taken up: those of --only that need it. Their options are checked, also those of points
 * that are done: they must be as they were. *ret_chosen has a truth a point, to be freed by the caller. */
enum exit_code campaign_choose(const struct config *config, const struct campaign *campaign,
			       const struct point_status *states, bool **ret_chosen);

/* Return the options of a point as a file for --config; NULL without memory. The caller frees it. */
char *campaign_point_file(const struct config *point, const char *name, size_t *ret_length);

/* Run the chosen points, one after the other, each in a process of its own, so that no point's end ends the campaign. A
 * search that did not end goes on from its event stream. What cannot go on begins anew. Returns EXIT_DONE once all were
 * run, whatever their outcomes, EXIT_INTERRUPTED after a stop, or another code if the campaign could not go on. */
enum exit_code campaign_run(const struct config *config, const struct campaign *campaign, const struct point_status *states,
			    const bool *chosen);

/* Return the outcome of all points that --only means, of this run or an earlier one. EXIT_DONE means that all are done and
 * regular. EXIT_UNMET means that one is not done, not regular, limited, or misses a requirement. Otherwise it is the code
 * of the first point that failed. */
enum exit_code campaign_outcome(const struct config *config, const struct campaign *campaign,
				const struct point_status *states);

/* Write the job scripts into the directory of results, and submit them; with --dry-run print them, and that is all. */
enum exit_code slurm_submit(const struct config *config, const struct campaign *campaign, const bool *chosen);

/* Return what squeue(1) says of the submitted points that are in the queue: an object from point to state ("PENDING",
 * "RUNNING"). It is a new reference. */
json_t *slurm_queue(const struct campaign *campaign);

/* Show how far the campaign is, as --format says ("xdp-mlr/campaign-status/1"). `queue` has the states of points in a
 * batch system ("RUNNING", "PENDING") by their names, or is NULL. Returns EXIT_DONE if every point is done, else
 * EXIT_UNMET. */
enum exit_code campaign_status_show(const struct config *config, const struct campaign *campaign,
				    const struct point_status *states, const json_t *queue);

/* Merge the results of the points into one document, "xdp-mlr/campaign/1"; they are read one after the other.
 * *ret_document is a new reference with EXIT_DONE and EXIT_UNMET. EXIT_DONE means that every point is done and regular
 * and meets its requirements, and nothing became slower. Any other code follows a message. */
enum exit_code campaign_merge(const struct config *config, const struct campaign *campaign,
			      const struct point_status *states, json_t **ret_document);
