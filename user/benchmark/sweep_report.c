/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "benchmark/sweep.h"
#include "result/report.h"

static double frame_octets(const struct sweep *sweep)
{
	return report_frame_octets(sweep->series.config, sweep->series.measurer);
}

static json_t *trial_of(const struct sweep *sweep, const struct measurement *measurement)
{
	json_t *trial = report_trial(measurement);

	report_add_trial_bps(trial, sweep->series.config, measurement, frame_octets(sweep));
	return trial;
}

static const char *irregular_reason(const struct sweep *sweep)
{
	return sweep->end == SWEEP_INTERRUPTED ? "interrupted"
	       : sweep->end == SWEEP_FAILED    ? "a trial could not be measured"
					       : NULL;
}

/* Return the mean size of the frames that came at this rate. */
static double octets_of(const struct sweep *sweep, double rate_fps)
{
	double octets = frame_octets(sweep);

	for (size_t i = 0; i < sweep->series.trial_count; i++)
		if (sweep->series.trials[i].result.output.forwarding_rate_fps == rate_fps)
			return report_came_octets(sweep->series.config, &sweep->series.trials[i], octets);
	return octets;
}

/* The figures of the curve as far as it was measured. */
static json_t *curve_json(const struct sweep *sweep)
{
	owned struct mlr_trial_result *results = calloc(sweep->series.trial_count + 1, sizeof(*results));
	json_t *curve;

	if (!results)
		return NULL;
	for (size_t i = 0; i < sweep->series.trial_count; i++)
		results[i] = sweep->series.trials[i].result;
	curve = report_curve(results, sweep->series.trial_count);
	report_add_bps(curve, "maximum_forwarding_rate", read_number(curve, "maximum_forwarding_rate"),
		       octets_of(sweep, read_number(curve, "maximum_forwarding_rate")));
	return curve;
}

json_t *report_sweep(const struct sweep *sweep)
{
	json_t *document =
		json_with("schema", "xdp-mlr/sweep/1", "loads",
			  json_list(i, sweep->load_count, json_real(sweep->loads_fps[i])), "curve", curve_json(sweep),
			  "trials", json_list(i, sweep->series.trial_count, trial_of(sweep, &sweep->series.trials[i])),
			  "load_scope", "interface", "aggregate_factor", sweep->series.measurer->transmitters,
			  "trial_duration", sweep->series.config->duration_s, "sweep_duration", sweep->series.duration_s,
			  "irregular_reason", irregular_reason(sweep), "tester_limited", sweep->series.tester_limited);

	if (!document)
		return NULL;
	report_add_power(document, frame_octets(sweep));
	report_add_setting(document, sweep->series.config, sweep->series.measurer, sweep->series.start_time);
	return document;
}
