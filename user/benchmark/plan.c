/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json_read.h"
#include "base/json_text.h"
#include "base/output.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "benchmark/rfc2544.h"
#include "benchmark/search.h"
#include "benchmark/y1564.h"
#include "config/echo.h"
#include "config/given.h"
#include "mlr/frame.h"
#include "mlr/sut.h"
#include "result/report.h"

#define PLACES              9    /* of the simulated SUTs' limits */
#define USUAL_SCATTER_RATIO 0.01 /* of a limit, from trial to trial */
#define MOST_SCATTER_RATIO  0.05
#define MAX_LOAD_GUESS      1.5e6 /* frames/s: what a copy-mode port over veth can send; only for the estimate */
#define BPS_PER_MEGABIT     1e6

/* A simulated search. */
struct simulated {
	double duration_s;
	size_t trials;
};

struct estimate {
	double least_s, likely_s, most_s; /* NAN: not known */
	size_t trials;                    /* in the likely case; 0: not known */
	const char *assumption;
};

/* Where Max Load comes from, and what it is as far as that is known without opening a port. */
struct expected_load {
	const char *source;
	double load_fps; /* 0: not known before the run */
};

/* --- loads ---------------------------------------------------------------------------------------------------------- */

/* The speed of a link, as the kernel tells everybody; 0 where there is none (veth, no carrier). */
static double link_bps(const char *port)
{
	char path[128], line[32];
	double megabits;

	snprintf(path, sizeof(path), "/sys/class/net/%s/device", port);
	if (access(path, F_OK))
		return 0; /* no hardware behind it: what it tells of a speed is made up */
	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", port);
	if (file_read_line(path, line, sizeof(line)) || sscanf(line, "%lf", &megabits) != 1 || megabits < 0)
		return 0;
	return megabits * BPS_PER_MEGABIT;
}

/* Of the slowest port; 0: not known. */
static double line_rate_fps(const struct config *config)
{
	double bps = link_bps(config->ports[0].name);

	for (unsigned int i = 1; i < config->port_count; i++)
		bps = fmin(bps, link_bps(config->ports[i].name));
	return config->measurer == MEASURER_XDP && bps > 0 ? mlr_line_rate_fps(bps, config->frame_size_octets) : 0;
}

static struct expected_load expect_max_load(const struct config *config)
{
	double line_fps = line_rate_fps(config);

	if (config->max_load.unit != LOAD_UNSET)
		return (struct expected_load){ "option", load_fps(&config->max_load, config->frame_size_octets, line_fps) };
	if (line_fps > 0)
		return (struct expected_load){ "line rate, or a fresh self-test", line_fps };
	return (struct expected_load){ "fresh self-test, or a short calibration", 0 };
}

static double expect_min_load(const struct config *config)
{
	return load_fps(&config->min_load, config->frame_size_octets, line_rate_fps(config));
}

/* --- time ----------------------------------------------------------------------------------------------------------- */

/* What a trial takes beyond its traffic. Of those that lose frames it is the lossy-th, 0: it loses none. */
static double waits_s(const struct config *config, unsigned int lossy)
{
	const struct waits *waits = &config->waits;
	double residual_s = lossy ? waits->residual_s / (lossy == 1 ? 1 : WAIT_QUIET_PART) : 0;

	if (!config_uses_ports(config))
		return 0;
	return waits_always_s(waits) + residual_s;
}

/* One search of a simulated SUT. EXIT_DONE, or it was said why not. */
static enum exit_code simulate(const struct config *config, const struct mlr_controller_input *input, struct mlr_sut *sut,
			       struct simulated *ret)
{
	struct mlr_controller *controller = NULL;
	struct mlr_decision decision;
	enum exit_code code = search_new_controller(config, input, &controller);
	struct simulated search = { 0 };
	unsigned int lossy = 0;

	if (code != EXIT_DONE)
		return code;
	while (mlr_controller_next(controller, &decision) > 0) {
		struct mlr_trial_result result = { .input = decision.input };
		uint64_t sent, lost;

		mlr_sut_trial(sut, &decision.input, &sent, &lost);
		result.output =
			mlr_trial_output(&decision.input, sent ? (double)lost / (double)sent : 1, decision.input.duration_s);
		search.duration_s += decision.input.duration_s + waits_s(config, lost ? ++lossy : 0);
		search.trials++;
		if (mlr_controller_add(controller, &result))
			break;
	}
	mlr_controller_free(controller);
	*ret = search;
	return EXIT_DONE;
}

static enum exit_code simulate_model(const struct config *config, const struct mlr_controller_input *input,
				     const char *model, struct simulated *ret)
{
	char error[128];
	struct mlr_sut *sut;
	enum exit_code code;

	if (mlr_sut_new(model, &sut, error, sizeof(error)))
		return refuse(EXIT_INCAPABLE, "cannot simulate %s: %s", model, error);
	code = simulate(config, input, sut, ret);
	mlr_sut_free(sut);
	return code;
}

static int by_duration(const void *a, const void *b)
{
	double x = ((const struct simulated *)a)->duration_s, y = ((const struct simulated *)b)->duration_s;

	return (x > y) - (x < y);
}

/* Searches of SUTs whose capacity scatters by this ratio, shortest first; their capacities are spread over the loads of the
 * search, evenly as logarithms. */
static enum exit_code simulate_places(const struct config *config, const struct mlr_controller_input *input,
				      double scatter_ratio, struct simulated searches[PLACES])
{
	enum exit_code code = EXIT_DONE;

	for (int i = 0; i < PLACES && code == EXIT_DONE; i++) {
		double part = (i + 1.0) / (PLACES + 1);
		char model[128], capacity[UNIT_TEXT_SIZE], sigma[UNIT_TEXT_SIZE];

		format_number(input->min_load_fps * pow(input->max_load_fps / input->min_load_fps, part), capacity);
		format_number(scatter_ratio, sigma);
		if (scatter_ratio > 0)
			snprintf(model, sizeof(model), "jitter,capacity=%s,sigma=%s,seed=%d", capacity, sigma, i + 1);
		else
			snprintf(model, sizeof(model), "hard,capacity=%s", capacity);
		code = simulate_model(config, input, model, &searches[i]);
	}
	qsort(searches, PLACES, sizeof(*searches), by_duration);
	return code;
}

/* All searches of a run, within its time limit. */
static double whole_s(const struct config *config, double search_s)
{
	double limited_s = config->max_time_s > 0 ? fmin(config->max_time_s, search_s) : search_s;

	return config->repeats > 1 ? config->repeats * limited_s : limited_s;
}

static enum exit_code estimate_search(const struct config *config, struct estimate *estimate)
{
	double max_fps = expect_max_load(config).load_fps, min_fps = expect_min_load(config);
	struct mlr_controller_input input = { .goals = config->goals, .goal_count = config->goal_count };
	struct simulated sharp[PLACES], usual[PLACES], blurred[PLACES];
	enum exit_code code;

	input.min_load_fps = min_fps;
	input.max_load_fps = max_fps > 0 ? max_fps : fmax(MAX_LOAD_GUESS, 2 * min_fps);
	if (min_fps <= 0 || min_fps >= input.max_load_fps)
		return EXIT_DONE;
	code = simulate_places(config, &input, 0, sharp);
	if (code == EXIT_DONE)
		code = simulate_places(config, &input, USUAL_SCATTER_RATIO, usual);
	if (code == EXIT_DONE)
		code = simulate_places(config, &input, MOST_SCATTER_RATIO, blurred);
	if (code != EXIT_DONE)
		return code;
	estimate->least_s = whole_s(config, sharp[0].duration_s);
	estimate->likely_s = whole_s(config, usual[PLACES / 2].duration_s);
	estimate->most_s = fmax(estimate->likely_s, whole_s(config, blurred[PLACES - 1].duration_s));
	estimate->trials = usual[PLACES / 2].trials;
	estimate->assumption = "a SUT with a limit somewhere between Min Load and Max Load that scatters by 1 % (none, 5 %) "
			       "from trial to trial";
	return EXIT_DONE;
}

enum exit_code plan_search_s(const struct config *config, double *ret_duration_s)
{
	struct estimate estimate = { .likely_s = NAN };
	enum exit_code code = estimate_search(config, &estimate);

	*ret_duration_s = estimate.likely_s;
	return code;
}

static enum exit_code make_estimate(const struct config *config, struct estimate *estimate)
{
	*estimate = (struct estimate){ .least_s = NAN, .likely_s = NAN, .most_s = NAN };
	switch (config->verb) {
	case VERB_SEARCH:
		return estimate_search(config, estimate);
	case VERB_TRIAL:
		estimate->trials = 1;
		estimate->least_s = config->duration_s + waits_s(config, 0);
		estimate->likely_s = estimate->least_s;
		estimate->most_s = estimate->least_s + config->waits.residual_s;
		estimate->assumption = "ports that are up";
		break;
	case VERB_SOAK:
		estimate->least_s = config->stdev_ratio > 0 ? NAN : config->max_time_s;
		estimate->likely_s = estimate->most_s = config->max_time_s;
		estimate->assumption = config->stdev_ratio > 0 ? "the estimate does not get as sharp as --stdev before"
							       : "a soak ends with --max-time";
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

static json_t *estimate_json(const struct estimate *estimate)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:s?}", "duration", json_number_or_null(estimate->likely_s), "duration_min",
			 json_number_or_null(estimate->least_s), "duration_max", json_number_or_null(estimate->most_s),
			 "trials", estimate->trials ? json_integer((json_int_t)estimate->trials) : json_null(), "assumption",
			 estimate->assumption);
}

static bool has_range(const struct config *config)
{
	return config->verb == VERB_SEARCH || config->verb == VERB_SOAK;
}

static json_t *plan_json(const struct config *config, const struct estimate *estimate)
{
	struct expected_load max = expect_max_load(config);
	json_t *plan = json_pack("{s:s, s:s, s:o}", "schema", "xdp-mlr/plan/1", "verb", verb_name(config->verb), "estimate",
				 estimate_json(estimate));

	if (!plan)
		return NULL;
	if (has_range(config)) {
		json_object_set_new(plan, "min_load", json_number_or_null(expect_min_load(config)));
		json_object_set_new(plan, "max_load", json_number_or_null(max.load_fps > 0 ? max.load_fps : NAN));
		json_object_set_new(plan, "max_load_source", json_string(max.source));
	}
	if (config->goal_count)
		json_object_set_new(plan, "goals", json_list(i, config->goal_count, report_goal(&config->goals[i])));
	json_object_set_new(plan, "warnings", warnings_describe(config, expect_min_load(config)));
	json_object_set_new(plan, "configuration", config_describe(config));
	return plan;
}

/* --- the text ------------------------------------------------------------------------------------------------------- */

static void put_time(FILE *stream, const struct estimate *estimate)
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
	struct expected_load max = expect_max_load(config);
	double min_fps = expect_min_load(config);

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

static void put_plan(FILE *stream, const struct config *config, const struct estimate *estimate)
{
	json_auto_t *warnings = warnings_describe(config, expect_min_load(config));

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

static char *plan_text(const struct config *config, const struct estimate *estimate, size_t *ret_length)
{
	char *text = NULL;
	FILE *stream = text_stream_open(&text, ret_length);

	if (!stream)
		return NULL;
	put_plan(stream, config, estimate);
	return text_stream_end(stream, &text);
}

enum exit_code plan_show(const struct config *config)
{
	struct estimate estimate;
	enum exit_code code = make_estimate(config, &estimate);
	size_t length;
	char *text;

	if (code != EXIT_DONE)
		return code;
	if (config->format != FORMAT_TEXT)
		return output_json(plan_json(config, &estimate));
	text = plan_text(config, &estimate, &length);
	return output_text(text, length);
}
