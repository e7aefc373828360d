/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>

#include "base/json_value.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "benchmark/soak.h"
#include "result/report.h"

#define REASON_SIZE 320

/* Why there is not the one critical load that PLRsearch looks for, NULL where there is. */
static const char *crossings_reason(const struct soak *soak, const struct mlr_plr_estimate *estimate,
				    char buffer[REASON_SIZE])
{
	const struct mlr_plr_crossings *crossings = &estimate->crossings;
	const char *below = format_si(crossings->lowest_below_fps, "fps", UNIT_ROOM);

	switch (crossings->kind) {
	case MLR_PLR_NEVER_BELOW:
		return text_print(
			buffer, REASON_SIZE,
			"no load meets the target loss ratio of %g: the smallest one seen is %.3g, about %s, %.0f of %s "
			"frames",
			soak->series.config->target_loss_ratio, crossings->least_loss_ratio,
			format_si(crossings->least_load_fps, "fps", UNIT_ROOM), crossings->least_lost_frames,
			format_number(crossings->least_offered_frames, UNIT_ROOM));
	case MLR_PLR_CROSSES_SEVERAL:
		return text_print(
			buffer, REASON_SIZE,
			"the loss ratio crosses the target several times: it is first exceeded %s%s%s%s, and met again "
			"about %s",
			isnan(crossings->lowest_above_fps) ? "at or below " : "between ",
			isnan(crossings->lowest_above_fps) ? "" : format_si(crossings->lowest_above_fps, "fps", UNIT_ROOM),
			isnan(crossings->lowest_above_fps) ? "" : " and ", below,
			format_si(crossings->again_fps, "fps", UNIT_ROOM));
	case MLR_PLR_CROSSES_UNTOLD:
		return text_print(buffer, REASON_SIZE,
				  "whether a load meets the target loss ratio of %g cannot be told: far below the critical "
				  "load %.0f of %s "
				  "frames were lost, a ratio of %.3g. A longer --max-time can tell",
				  soak->series.config->target_loss_ratio, crossings->least_lost_frames,
				  format_number(crossings->least_offered_frames, UNIT_ROOM), crossings->least_loss_ratio);
	case MLR_PLR_CROSSES_ONCE:
		break;
	}
	if (estimate->max_load_probability > MLR_PLR_LIKELY)
		return "the critical load is at Max Load or above it: the SUT is not the limit";
	return estimate->min_load_probability > MLR_PLR_LIKELY ? "the critical load is at Min Load or below it" : NULL;
}

/* Whether some trial lost frames. Otherwise nothing but Max Load is known to be above the estimate. */
static bool has_loss(const struct series *series)
{
	for (size_t i = 0; i < series->trial_count; i++)
		if (series->trials[i].result.output.loss_ratio > 0)
			return true;
	return false;
}

/* Why the result is irregular, NULL if it is not; that the tester limited a trial is said by a member of its own. */
static const char *irregular_reason(const struct soak *soak, char buffer[REASON_SIZE])
{
	struct mlr_plr_estimate estimate;
	const char *reason;

	if (soak->end == SOAK_INTERRUPTED)
		return "interrupted";
	if (soak->end == SOAK_FAILED)
		return "a trial could not be measured";
	if (!soak->series.trial_count)
		return "not one trial fits into the time";
	mlr_plr_estimate(soak->plr, &estimate);
	/* If the tester was the limit, the crossings may be its own. */
	reason = soak->series.tester_limited ? NULL : crossings_reason(soak, &estimate, buffer);
	if (!reason && !soak->series.tester_limited && !has_loss(&soak->series))
		return "no trial lost a frame, and they were too few to tell a load that would";
	if (reason || estimate.model_fits)
		return reason;
	return "the SUT's losses are not what PLRsearch's model foresees: go by the robust stdev";
}

bool soak_is_regular(const struct soak *soak)
{
	return !irregular_reason(soak, ROOM(REASON_SIZE));
}

static json_t *moments_json(const struct mlr_plr_moments *moments)
{
	return json_with("mean", moments->mean_fps, "stdev", moments->stdev_fps);
}

static json_t *critical_load_json(const struct mlr_plr_estimate *estimate)
{
	json_t *json = moments_json(&estimate->together);

	json_put(json, "robust_stdev", estimate->robust_stdev_fps);
	json_put_members(json, estimate, model_fits, misfit, dispersion);
	return json;
}

/* Return the estimate of a soak that was stopped before its loads were known. */
static json_t *no_estimate_json(void)
{
	return json_with("critical_load", json_with("mean", json_null(), "stdev", json_null()), "estimates", json_array(),
			 "min_load_probability", json_null(), "max_load_probability", json_null(), "anomalies", json_array(),
			 "trend", json_null(), "time_line", json_array(), "trials", json_array());
}

/* Return the estimate of one fitting function. */
static json_t *fitting_json(const struct mlr_plr_estimate *estimate, size_t i)
{
	json_t *one = moments_json(&estimate->fittings[i]);

	json_put(one, "fitting", mlr_plr_fitting_name((int)i));
	json_put(one, "log_evidence", estimate->log_evidence[i]);
	return one;
}

/* The estimate after a trial; in all, how it went. */
static json_t *step_json(const struct mlr_plr_step *step)
{
	return json_with("time", step->end_s, "trial_load", step->input.load_fps, "stretch",
			 moments_json(&step->fittings[MLR_PLR_STRETCH]), "erf", moments_json(&step->fittings[MLR_PLR_ERF]),
			 "together", moments_json(&step->together), "anomaly", step->anomaly, "scan", step->scan);
}

/* null where too few trials tell, or where there is no trend. */
static json_t *trend_json(const struct mlr_plr_trend *trend)
{
	if (!(trend->p_value < MLR_PLR_TREND_P_VALUE))
		return json_null();
	return json_of_members(trend, slope_fps_per_s, stdev_fps_per_s, p_value);
}

static json_t *crossings_json(const struct mlr_plr_crossings *crossings)
{
	static const char *const kinds[] = {
		[MLR_PLR_CROSSES_ONCE] = "once",
		[MLR_PLR_NEVER_BELOW] = "never",
		[MLR_PLR_CROSSES_SEVERAL] = "several",
		[MLR_PLR_CROSSES_UNTOLD] = "untold",
	};
	json_t *json = json_object();

	json_put(json, "kind", kinds[crossings->kind]);
	json_put_members(json, crossings, least_loss_ratio);
	json_put(json, "least_loss_load", crossings->least_load_fps);
	json_put(json, "least_loss_offered_frames", crossings->least_offered_frames);
	json_put(json, "least_loss_lost_frames", crossings->least_lost_frames);
	json_put(json, "lowest_above", crossings->lowest_above_fps);
	json_put(json, "lowest_below", crossings->lowest_below_fps);
	json_put(json, "again", crossings->again_fps);
	json_put(json, "untried_from", crossings->untried_from_fps);
	json_put(json, "untried_to", crossings->untried_to_fps);
	return json;
}

/* What the trials tell; critical_load is among it. */
static json_t *estimate_json(const struct soak *soak)
{
	struct mlr_plr_estimate estimate;
	const struct mlr_plr_step *steps;
	json_t *json;
	size_t count;

	mlr_plr_estimate(soak->plr, &estimate);
	steps = mlr_plr_timeline(soak->plr, &count);
	json = json_with("critical_load", critical_load_json(&estimate), "estimates",
			 json_list(i, MLR_PLR_FITTINGS, fitting_json(&estimate, i)), "min_load_probability",
			 estimate.min_load_probability, "max_load_probability", estimate.max_load_probability, "anomalies",
			 /* those that both functions found impossible */
			 json_list(i, count, steps[i].anomaly ? json_integer((json_int_t)i + 1) : NULL), "trend",
			 trend_json(&estimate.trend), "time_line", json_list(i, count, step_json(&steps[i])), "trials",
			 json_list(i, soak->series.trial_count, report_trial(&soak->series.trials[i])));
	json_put(json, "crossings", crossings_json(&estimate.crossings));
	report_add_bps(json_object_get(json, "critical_load"), "mean", estimate.together.mean_fps,
		       report_frame_octets(soak->series.config, soak->series.measurer));
	return json;
}

json_t *report_soak(const struct soak *soak)
{
	static const char *const ends[] = {
		[SOAK_RUNNING] = "",      [SOAK_OUT_OF_TIME] = "max-time",
		[SOAK_SHARP] = "stdev",   [SOAK_INTERRUPTED] = "interrupted",
		[SOAK_FAILED] = "failed",
	};
	json_t *document =
		json_with("schema", "xdp-mlr/soak/1", "target_loss_ratio", soak->series.config->target_loss_ratio);

	if (!document)
		return NULL;
	json_object_update_new(document, soak->plr ? estimate_json(soak) : no_estimate_json());
	json_put(document, "min_load", soak->range.min_fps, "max_load", soak->range.max_fps, "max_load_source",
		 soak->range.max_source, "load_scope", "interface", "aggregate_factor", soak->series.measurer->transmitters,
		 "soak_duration", soak->series.duration_s, "ended_by", ends[soak->end], "irregular_reason",
		 irregular_reason(soak, ROOM(REASON_SIZE)), "tester_limited", soak->series.tester_limited);
	report_add_setting(document, soak->series.config, soak->series.measurer, soak->series.start_time);
	return document;
}
