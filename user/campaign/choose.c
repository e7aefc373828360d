/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "campaign/campaign.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/json_text.h"
#include "base/text_stream.h"
#include "campaign/point_result.h"
#include "campaign/store.h"
#include "config/configure.h"
#include "config/echo.h"

/* --- the options of a point ----------------------------------------------------------------------------------------- */

/* What was given, without defaults: another version may have others, and they are none of the campaign's. */
static json_t *given_options(const struct config *config)
{
	json_t *values = json_object();

	for (size_t i = 0; i < option_count; i++) {
		const struct option *option = &options[i];
		json_auto_t *list = json_array();

		for (size_t j = 0; j < config->given->count; j++)
			if (config->given->items[j].option == option && !config->given->items[j].fallback)
				json_array_append_new(list, json_string(config->given->items[j].text));
		if (json_array_size(list) && option->flags & OPTION_REPEATS)
			json_object_set(values, option->name, list);
		else if (json_array_size(list))
			json_object_set(values, option->name, json_array_get(list, 0));
	}
	return values;
}

char *campaign_point_file(const struct config *point, const char *name, size_t *ret_length)
{
	json_auto_t *values = given_options(point);

	return TEXT_WRITTEN(stream, ret_length,
			    fprintf(stream, "# %s: xdp-mlr %s --config FILE\n", name, verb_name(point->verb)),
			    yaml_put(stream, values, false));
}

/* --- choosing ------------------------------------------------------------------------------------------------------- */

/* Whether a pattern of --only matches, or there is none. */
bool campaign_means(const struct config *config, const char *name)
{
	bool any = false;

	for (size_t i = 0; i < config->given->count; i++) {
		const struct given *given = &config->given->items[i];

		if (strcmp(given->option->name, "only") != 0)
			continue;
		if (strcmp(given->text, name) == 0 || fnmatch(given->text, name, 0) == 0)
			return true;
		any = true;
	}
	return !any;
}

/* Whether a point that was begun would be run with the same options now. */
static enum exit_code check_same(const struct campaign *campaign, size_t point, const char *text)
{
	owned char *before = NULL;
	char path[PATH_MAX];
	size_t length;

	if (file_read(store_point_path(campaign, point, ".yaml", path), POINT_FILE_MOST, &before, &length) == 0 &&
	    strcmp(before, text) == 0)
		return EXIT_DONE;
	return refuse(EXIT_USAGE_ERROR,
		      "%s: the point %s was begun with other options, which %s holds; give the campaign another directory "
		      "('results'), or take the point's files away",
		      campaign->path, campaign->names[point], path);
}

static enum exit_code check_point(const struct campaign *campaign, size_t point, const struct point_status *status)
{
	struct config config;
	enum exit_code code = campaign_configure(campaign, point, &config);
	size_t length;
	owned char *text = NULL;

	if (code != EXIT_DONE)
		return code;
	text = campaign_point_file(&config, campaign->names[point], &length);
	if (!text)
		code = out_of_memory();
	else if (status->attempts)
		code = check_same(campaign, point, text);
	config_free(&config);
	return code;
}

bool campaign_needs_run(const struct config *config, const struct campaign *campaign, size_t point,
			const struct point_status *status)
{
	enum point_fault fault;

	if (status->state == POINT_FAILED)
		return config->retry_failed;
	if (status->state != POINT_DONE)
		return true;
	fault = point_fault(campaign, point);
	return fault == POINT_UNREADABLE || (fault != POINT_SOUND && config->retry_failed);
}

enum exit_code campaign_choose(const struct config *config, const struct campaign *campaign,
			       const struct point_status *states, bool **ret_chosen)
{
	bool *chosen = calloc(campaign->point_count + 1, sizeof(*chosen));
	enum exit_code code = EXIT_DONE;
	size_t meant = 0;

	if (!chosen)
		return out_of_memory();
	for (size_t i = 0; i < campaign->point_count && code == EXIT_DONE; i++) {
		if (!campaign_means(config, campaign->names[i]))
			continue;
		meant++;
		code = check_point(campaign, i, &states[i]);
		if (code == EXIT_DONE)
			chosen[i] = campaign_needs_run(config, campaign, i, &states[i]);
	}
	if (code == EXIT_DONE && !meant)
		code = refuse(EXIT_USAGE_ERROR,
			      "--only matches none of the %zu points; 'xdp-mlr campaign status %s --format json' names them",
			      campaign->point_count, campaign->path);
	if (code != EXIT_DONE)
		free(chosen);
	else
		*ret_chosen = chosen;
	return code;
}
