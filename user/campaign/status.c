/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "campaign/campaign.h"

#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/standing.h"
#include "campaign/point_result.h"
#include "campaign/store.h"
#include "result/deliver.h"

#define STATES (POINT_DONE + 1)

/* --- the document --------------------------------------------------------------------------------------------------- */

/* Where the directory is on a file system without locks between hosts, the batch system knows who works at a point. */
static enum point_state state_of(const struct campaign *campaign, size_t point, const struct point_status *status,
				 const json_t *queue)
{
	bool works = strcmp(read_text(queue, campaign->names[point]), "RUNNING") == 0;

	return works && status->state != POINT_DONE ? POINT_RUNNING : status->state;
}

/* So many points in each state, and so many of those that are done are not regular. */
struct tally {
	size_t states[STATES], irregular, limited;
};

/* A point that is done counts by what its result says, as in the campaign's report; with a result that does not count it has
 * failed, and the problem says why. */
static enum point_state take_point(struct tally *tally, const struct campaign *campaign, size_t point,
				   enum point_state state, struct point_problem *problem)
{
	json_auto_t *result = NULL;

	if (state == POINT_DONE) {
		result = point_result(campaign, point, problem);
		state = result ? POINT_DONE : POINT_FAILED;
		tally->irregular += result && standing_of(result) == STANDING_IRREGULAR;
		tally->limited += result && standing_of(result) == STANDING_LIMITED;
	}
	tally->states[state]++;
	return state;
}

static json_t *point_json(struct tally *tally, const struct campaign *campaign, size_t point,
			  const struct point_status *status, const json_t *queue)
{
	static const char *const told[] = { "time", "host", "job", "reason" };
	const char *queued = read_string(queue, campaign->names[point]);
	struct point_problem problem = { .fault = POINT_SOUND };
	enum point_state state = take_point(tally, campaign, point, state_of(campaign, point, status, queue), &problem);
	json_t *json = json_with("point", campaign->names[point], "state", point_state_name(state), "attempts",
				 status->attempts, "exit_code",
				 status->exit_code < 0 ? json_null() : json_integer(status->exit_code), "queue", queued);

	for (size_t i = 0; i < COUNT(told); i++)
		if (json_is_string(json_object_get(status->last, told[i])))
			json_object_set(json, told[i], json_object_get(status->last, told[i]));
	if (problem.fault)
		json_put(json, "reason", problem.text);
	return json;
}

static json_t *status_document(const struct campaign *campaign, const struct point_status *states, const json_t *queue)
{
	struct tally tally = { .irregular = 0 };
	json_t *points = json_array();

	for (size_t i = 0; i < campaign->point_count; i++)
		json_array_append_new(points, point_json(&tally, campaign, i, &states[i], queue));
	return json_with("schema", "xdp-mlr/campaign-status/1", "campaign", campaign->name, "file", campaign->path,
			 "results", campaign->directory, "point_counts",
			 json_with("total", campaign->point_count, "done", tally.states[POINT_DONE], "irregular",
				   tally.irregular, "limited", tally.limited, "running", tally.states[POINT_RUNNING],
				   "failed", tally.states[POINT_FAILED], "interrupted", tally.states[POINT_INTERRUPTED],
				   "waiting", tally.states[POINT_WAITING]),
			 "points", points);
}

enum exit_code campaign_status_show(const struct config *config, const struct campaign *campaign,
				    const struct point_status *states, const json_t *queue)
{
	json_auto_t *document = status_document(campaign, states, queue);
	bool all = read_number(json_object_get(document, "point_counts"), "done") == (double)campaign->point_count;
	enum exit_code code = report_show(document, config);

	return code != EXIT_DONE ? code : all ? EXIT_DONE : EXIT_UNMET;
}
