/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/load_range.h"

#include "base/stop.h"
#include "base/units.h"
#include "config/given.h"
#include "config/stored.h"

#define LOAD_ROUNDING 1e-9
#define REMEDY        "cable the ports to each other and run 'xdp-mlr selftest'"

static bool is_limit_known(const struct measurer *measurer)
{
	return measurer->selftest.state == SELFTEST_FRESH && !measurer->selftest.line_limited;
}

bool load_touches_tester(const struct measurer *measurer, double load_fps)
{
	return is_limit_known(measurer) && load_fps >= measurer->selftest.clean_load_fps;
}

bool load_exceeds_tester(const struct measurer *measurer, double load_fps)
{
	return is_limit_known(measurer) && load_fps > measurer->selftest.clean_load_fps * (1 + LOAD_ROUNDING);
}

/* Report why the tester's own limit is not known, where that matters. */
static void warn_of_selftest(const struct measurer *measurer, bool limit_is_given)
{
	const struct selftest_figure *selftest = &measurer->selftest;

	if (selftest->state == SELFTEST_OLD)
		warn("the self-test of these ports does not count, it is %s; " REMEDY, selftest->what);
	else if (selftest->state == SELFTEST_CHANGED)
		warn("the self-test of these ports does not count, it was made with something else (%s); " REMEDY,
		     selftest->what);
	else if (selftest->state == SELFTEST_NONE && !limit_is_given && measurer->line_rate_fps > 0)
		warn("there is no self-test of these ports for this frame size: the tester's own limit is not "
		     "known; " REMEDY);
}

static enum exit_code find_max_load(const struct config *config, struct measurer *measurer, struct load_range *range)
{
	enum exit_code code;

	warn_of_selftest(measurer, config->max_load.unit != LOAD_UNSET);
	if (config->max_load.unit != LOAD_UNSET) {
		range->max_source = "option";
		return option_load_fps(config, "max-load", &config->max_load, measurer->line_rate_fps, &range->max_fps);
	}
	if (measurer->selftest.state == SELFTEST_FRESH) {
		range->max_source = "self-test";
		range->max_fps = measurer->selftest.clean_load_fps;
		note("Max Load is %s, by the self-test of %s", format_si(range->max_fps, "fps", UNIT_ROOM),
		     measurer->selftest.time);
		return EXIT_DONE;
	}
	if (measurer->line_rate_fps > 0) {
		range->max_source = "line rate";
		range->max_fps = measurer->line_rate_fps;
		return EXIT_DONE;
	}
	range->max_source = "calibration";
	code = measurer_xdp_calibrate(measurer, &range->max_fps);
	if (code == EXIT_DONE)
		note("Max Load is calibrated to %s: no --max-load was given, and these ports have no known line rate",
		     format_si(range->max_fps, "fps", UNIT_ROOM));
	return code;
}

static enum exit_code take_stored(const struct stored *stored, struct load_range *range)
{
	range->max_source = stored->max_load_source;
	if (json_unpack(stored->controller_input, "{s:F, s:F}", "min_load", &range->min_fps, "max_load", &range->max_fps))
		return refuse(EXIT_USAGE_ERROR, "the stored search does not say its Min Load and Max Load");
	return EXIT_DONE;
}

enum exit_code load_range_find(const struct config *config, struct measurer *measurer, struct load_range *ret)
{
	struct load_range range = { 0 };
	enum exit_code code;

	if (stop_requested() && !config->stored) /* a search that goes on still has what was stored */
		return EXIT_INTERRUPTED;
	if (config->stored) {
		code = take_stored(config->stored, &range);
	} else {
		code = find_max_load(config, measurer, &range);
		if (code == EXIT_DONE)
			code = option_load_fps(config, "min-load", &config->min_load, measurer->line_rate_fps,
					       &range.min_fps);
	}
	if (code != EXIT_DONE)
		return code;
	if (range.min_fps >= range.max_fps)
		return refuse(
			EXIT_USAGE_ERROR,
			"Min Load (%g fps) is not below Max Load (%g fps, from the %s); give a smaller --min-load, such as "
			"%.12gfps, or a greater --max-load",
			range.min_fps, range.max_fps, range.max_source, range.max_fps / 10);
	*ret = range;
	return EXIT_DONE;
}
