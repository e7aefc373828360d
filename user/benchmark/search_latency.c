/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --latency-at performs trials at parts of each Relevant Lower Bound after a search, for their latency alone. They are no
 * part of the search, and decide no goal. */
#include <stdlib.h>

#include "base/json_value.h"
#include "base/message.h"
#include "base/stop.h"
#include "base/units.h"
#include "benchmark/search_state.h"
#include "progress/progress.h"
#include "result/report.h"

#define LATENCY_TRIAL_S 5.0
#define IDLE_LOAD_FPS   100.0 /* load used for 0: as good as no load */

static double duration_of(const struct config *config)
{
	return config->rfc2544.latency_duration_s > 0 ? config->rfc2544.latency_duration_s : LATENCY_TRIAL_S;
}

static enum exit_code measure(struct search *search, struct search_latency *latency, size_t left)
{
	const struct config *config = search->config;
	double duration_s = duration_of(config);
	const struct mlr_trial_input input = { .duration_s = duration_s, .load_fps = latency->load_fps };
	enum exit_code code;

	if (stop_requested())
		return EXIT_INTERRUPTED;
	search_show_latency(search, &input, (double)left * duration_s);
	code = search->measurer->ops->measure(search->measurer, &input, &latency->measurement);
	if (code == EXIT_DONE)
		search->latency_count++;
	return code;
}

/* Whether any frame is due; a part of a bound in which none is has a warning. */
static bool has_frames(const struct search *search, const struct search_latency *latency)
{
	double duration_s = duration_of(search->config);

	if (latency->load_fps * duration_s >= 1)
		return true;
	if (latency->load_fps > 0)
		warn("--latency-at: no frame is due in %g s at %s of the Relevant Lower Bound of goal %s, so nothing is "
		     "measured there",
		     duration_s, format_percent(latency->share_ratio, UNIT_ROOM), search->config->goals[latency->goal].name);
	return false;
}

/* Plan the trials of a goal: all parts, but no load at all only once. */
static void plan_goal(struct search *search, size_t goal, size_t *count)
{
	double bound_fps = search->outcomes[goal].result.relevant_lower_bound_fps;

	for (unsigned int i = 0; i < search->config->latency_at_count; i++) {
		double share = search->config->latency_at[i];
		struct search_latency latency = { .goal = goal, .share_ratio = share, .load_fps = share * bound_fps };

		if (share == 0)
			latency.load_fps = IDLE_LOAD_FPS;
		if ((share > 0 || goal == 0) && has_frames(search, &latency))
			search->latencies[(*count)++] = latency;
	}
}

enum exit_code search_measure_latencies(struct search *search)
{
	size_t goals = search->input.goal_count, count = 0;
	enum exit_code code = EXIT_DONE;

	if (!search->config->latency_at_count || search->config->measurer == MEASURER_REPLAY)
		return EXIT_DONE;
	search->latencies = calloc(goals * search->config->latency_at_count, sizeof(*search->latencies));
	if (!search->latencies)
		return out_of_memory();
	for (size_t goal = 0; goal < goals; goal++)
		plan_goal(search, goal, &count);
	for (size_t i = 0; i < count && code == EXIT_DONE; i++)
		code = measure(search, &search->latencies[i], count - i);
	return code;
}

static json_t *latency_trial_json(const struct search *search, const struct search_latency *latency)
{
	bool idle = latency->share_ratio == 0;
	json_t *trial = report_trial(&latency->measurement);

	report_add_bps(trial, "trial_load", latency->load_fps, report_frame_octets(search->config, search->measurer));
	return json_with("goal", idle ? NULL : search->config->goals[latency->goal].name, "share", latency->share_ratio,
			 "trial", trial);
}

json_t *report_search_latencies(const struct search *search)
{
	json_t *list = json_array();

	for (size_t i = 0; i < search->latency_count; i++)
		json_array_append_new(list, latency_trial_json(search, &search->latencies[i]));
	return list;
}
