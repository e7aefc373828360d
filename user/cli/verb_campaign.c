/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign makes many measurements, of a matrix of options. It runs them here or submits them, shows how far they are, and
 * makes one report of them. */
#include <stdio.h>
#include <stdlib.h>

#include "base/stop.h"
#include "campaign/campaign.h"
#include "campaign/store.h"
#include "cli/verbs.h"
#include "result/deliver.h"

/* Print what --dry-run of a run shows: the points that would be run, a line each. */
static enum exit_code show_chosen(const struct campaign *campaign, const bool *chosen)
{
	for (size_t i = 0; i < campaign->point_count; i++)
		if (chosen[i])
			printf("%s\n", campaign->names[i]);
	return EXIT_DONE;
}

/* Show, after a run, how far the campaign is. The outcome of its points decides the exit code if nothing else went wrong. */
static enum exit_code conclude(const struct config *config, const struct campaign *campaign, enum exit_code code)
{
	struct point_status *states;
	enum exit_code shown = store_states(campaign, &states);

	if (shown != EXIT_DONE)
		return shown;
	shown = campaign_status_show(config, campaign, states, NULL);
	if (code == EXIT_DONE)
		code = campaign_outcome(config, campaign, states);
	store_states_free(campaign, states);
	return shown != EXIT_DONE && shown != EXIT_UNMET ? shown : code;
}

static enum exit_code run(const struct config *config, const struct campaign *campaign, const struct point_status *states)
{
	owned bool *chosen = NULL;
	enum exit_code code = campaign_choose(config, campaign, states, &chosen);

	if (code != EXIT_DONE)
		return code;
	if (config->dry_run)
		return show_chosen(campaign, chosen);
	stop_in_order();
	code = campaign_run(config, campaign, states, chosen);
	return conclude(config, campaign, code);
}

static enum exit_code submit(const struct config *config, const struct campaign *campaign, const struct point_status *states)
{
	owned bool *chosen = NULL;
	enum exit_code code = campaign_choose(config, campaign, states, &chosen);

	if (code != EXIT_DONE)
		return code;
	if (!config->dry_run)
		stop_in_order();
	return slurm_submit(config, campaign, chosen);
}

static enum exit_code status(const struct config *config, const struct campaign *campaign, const struct point_status *states)
{
	json_auto_t *queue = slurm_queue(campaign);

	return campaign_status_show(config, campaign, states, queue);
}

static enum exit_code report(const struct config *config, const struct campaign *campaign, const struct point_status *states)
{
	json_auto_t *document = NULL;
	enum exit_code code = campaign_merge(config, campaign, states, &document), delivered;
	struct report_file file;

	if (!document)
		return code;
	delivered = report_file_open(config, &file);
	if (delivered != EXIT_DONE)
		return delivered;
	delivered = report_show_or_write(document, config, &file);
	report_file_close(&file);
	return delivered != EXIT_DONE ? delivered : code;
}

/* Run one of the actions above on the campaign of the file. */
enum exit_code verb_campaign(const struct config *config)
{
	static enum exit_code (*const actions[])(const struct config *config, const struct campaign *campaign,
						 const struct point_status *states) = {
		[VERB_CAMPAIGN_RUN] = run,
		[VERB_CAMPAIGN_SUBMIT] = submit,
		[VERB_CAMPAIGN_STATUS] = status,
		[VERB_CAMPAIGN_REPORT] = report,
	};
	struct point_status *states;
	struct campaign campaign;
	enum exit_code code = campaign_read(config->files[0], &campaign);

	if (code != EXIT_DONE)
		return code;
	code = store_states(&campaign, &states);
	if (code == EXIT_DONE) {
		code = actions[config->verb](config, &campaign, states);
		store_states_free(&campaign, states);
	}
	campaign_free(&campaign);
	return code;
}
