/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/output.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "benchmark/rfc2544.h"
#include "benchmark/search_time.h"
#include "benchmark/y1564.h"
#include "config/echo.h"
#include "config/options_suite.h"
#include "result/report.h"

/* --- time ----------------------------------------------------------------------------------------------------------- */

static enum exit_code make_estimate(const struct config *config, struct search_estimate *estimate)
{
	*estimate = (struct search_estimate){ .least_s = NAN, .likely_s = NAN, .most_s = NAN };
	switch (config->verb) {
	case VERB_SEARCH:
		return search_time_estimate(config, estimate);
	case VERB_TRIAL:
		estimate->trials = 1;
		estimate->least_s = config->duration_s + search_time_waits_s(config, 0);
		estimate->likely_s = estimate->least_s;
		estimate->most_s = estimate->least_s + config->waits.residual_s;
		estimate->assumption = "ports that are up";
		break;
	case VERB_SWEEP:
		estimate->trials = sweep_load_count(config);
		estimate->least_s = (double)estimate->trials * (config->duration_s + search_time_waits_s(config, 0));
		estimate->likely_s = estimate->most_s = estimate->least_s;
		if (config_uses_ports(config))
			estimate->most_s += (double)estimate->trials * config->waits.residual_s;
		estimate->assumption = "trials that are not performed again";
		break;
	case VERB_SOAK:
		estimate->least_s = config->stdev_ratio > 0 ? NAN : config->max_time_s;
		estimate->likely_s = estimate->most_s = config->max_time_s;
		estimate->assumption = config->stdev_ratio > 0 ? "an estimate that does not get as sharp as --stdev before"
							       : "a soak that ends with --max-time";
		break;
	case VERB_RFC2544:
		estimate->assumption = "a SUT with a limit somewhere below Max Load";
		return rfc2544_estimate(config, &estimate->likely_s);
	case VERB_Y1564:
		estimate->least_s = estimate->likely_s = estimate->most_s = y1564_duration_s(config);
		estimate->assumption = "services that are configured as agreed";
		break;
	default:
		estimate->assumption = "not estimated for this verb";
		break;
	}
	return EXIT_DONE;
}

/* --- the document --------------------------------------------------------------------------------------------------- */

static json_t *estimate_json(const struct search_estimate *estimate)
{
	return json_with("duration", estimate->likely_s, "duration_min", estimate->least_s, "duration_max", estimate->most_s,
			 "trials", estimate->trials ? json_integer((json_int_t)estimate->trials) : json_null(), "assumption",
			 estimate->assumption);
}

static bool has_range(const struct config *config)
{
	return config->verb == VERB_SEARCH || config->verb == VERB_SOAK;
}

static json_t *plan_json(const struct config *config, const struct search_estimate *estimate)
{
	struct expected_load max = search_time_max_load(config);
	json_t *plan =
		json_with("schema", "xdp-mlr/plan/1", "verb", verb_name(config->verb), "estimate", estimate_json(estimate));

	if (!plan)
		return NULL;
	if (has_range(config)) {
		json_put(plan, "min_load", search_time_min_load_fps(config));
		json_put(plan, "max_load", max.load_fps > 0 ? max.load_fps : NAN);
		json_put(plan, "max_load_source", max.source);
	}
	if (config->goal_count)
		json_put(plan, "goals", json_list(i, config->goal_count, report_goal(&config->goals[i])));
	json_put(plan, "warnings", warnings_describe(config, search_time_min_load_fps(config)));
	json_put(plan, "configuration", config_describe(config));
	return plan;
}

/* --- the text ------------------------------------------------------------------------------------------------------- */

static void put_time(FILE *stream, const struct search_estimate *estimate)
{
	if (isnan(estimate->likely_s))
		fprintf(stream, "  Time      %s\n", estimate->assumption ? estimate->assumption : "not known");
	else if (isnan(estimate->least_s) || estimate->least_s == estimate->most_s)
		fprintf(stream, "  Time      %s, for %s\n", format_clock(estimate->likely_s, UNIT_ROOM),
			estimate->assumption);
	else
		fprintf(stream, "  Time      about %s (%s, %s), for %s\n", format_clock(estimate->likely_s, UNIT_ROOM),
			format_clock(estimate->least_s, UNIT_ROOM), format_clock(estimate->most_s, UNIT_ROOM),
			estimate->assumption);
}

static void put_loads(FILE *stream, const struct config *config)
{
	struct expected_load max = search_time_max_load(config);
	double min_fps = search_time_min_load_fps(config);

	fprintf(stream, "  Loads     %s to %s per interface; Max Load by %s%s\n",
		min_fps > 0 ? format_si(min_fps, "fps", UNIT_ROOM) : "a share of the line rate",
		max.load_fps > 0 ? format_si(max.load_fps, "fps", UNIT_ROOM) : "what is found", max.source,
		strcmp(max.source, "option") ? "" : " --max-load");
}

static void put_goals(FILE *stream, const struct config *config)
{
	for (size_t i = 0; i < config->goal_count; i++) {
		const struct mlr_goal *goal = &config->goals[i];

		fprintf(stream,
			"  Goal %s: Goal Loss Ratio %s, Goal Exceed Ratio %s, Goal Width %s,\n"
			"            Goal Initial Trial Duration %g s, Goal Final Trial Duration %g s, Goal Duration Sum %g "
			"s\n",
			goal->name, format_percent(goal->loss_ratio, UNIT_ROOM),
			format_percent(goal->exceed_ratio, UNIT_ROOM), format_percent(goal->width_ratio, UNIT_ROOM),
			goal->initial_trial_duration_s, goal->final_trial_duration_s, goal->duration_sum_s);
	}
}

static void put_plan(FILE *stream, const struct config *config, const struct search_estimate *estimate)
{
	json_auto_t *warnings = warnings_describe(config, search_time_min_load_fps(config));

	fprintf(stream, "Plan of xdp-mlr %s; nothing was sent\n", verb_name(config->verb));
	if (has_range(config))
		put_loads(stream, config);
	put_goals(stream, config);
	put_time(stream, estimate);
	if (json_array_size(warnings))
		fputs("\nWarnings\n", stream);
	json_each (warning, warnings)
		fprintf(stream, "  - %s\n", json_string_value(warning));
	fputs("\nOptions in force\n\n", stream);
	config_dump_to(stream, config);
}

enum exit_code plan_show(const struct config *config)
{
	struct search_estimate estimate;
	enum exit_code code = make_estimate(config, &estimate);
	size_t length;
	char *text;

	if (code != EXIT_DONE)
		return code;
	if (config->format != FORMAT_TEXT)
		return output_json(plan_json(config, &estimate));
	text = TEXT_WRITTEN(stream, &length, put_plan(stream, config, &estimate));
	return output_text(text, length);
}
