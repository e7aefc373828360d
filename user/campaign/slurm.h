/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A campaign on Slurm: an array of jobs, one element a point; testbeds are generic resources (GRES) of nodes, SUTs that several
 * testbeds share are licences; a job that depends on all of them merges the results. Written for sbatch(1), and run by it.
 *
 * Elements of one array ask for the same resources. So points are put into arrays by what they ask for, and an array is at most as
 * long as Slurm allows.
 */
#ifndef XDP_MLR_CAMPAIGN_SLURM_H
#define XDP_MLR_CAMPAIGN_SLURM_H

#include <jansson.h>
#include <stdbool.h>

#include "campaign/campaign.h"

/* Write the job scripts into the directory of results, and submit them; with --dry-run print them, and that is all. */
enum exit_code slurm_submit(const struct config *config, const struct campaign *campaign, const bool *chosen);

/* What squeue(1) says of the points that were submitted: an object from point to state ("PENDING", "RUNNING"), without those that are
 * not in the queue. A new reference. */
json_t *slurm_queue(const struct campaign *campaign);

#endif
