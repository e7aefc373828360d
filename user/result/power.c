/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file adds power and energy by load, by the meters among what trials have as "observed". */
#include "mlr/power.h"

#include <math.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "result/report.h"

#define METERS_MOST 64

struct setting {
	const json_t *trials;
	double frame_octets, transmitters;
};

static const json_t *source_of_trial(const json_t *trial, const char *name)
{
	json_each (source, json_object_get(trial, "observed"))
		if (strcmp(read_text(source, "source"), name) == 0)
			return source;
	return NULL;
}

/* Return what a meter said meanwhile: a gauge's mean, or by how much its energy grew a second. NAN: nothing. */
static double watts_of(const json_t *seen, const char *meter)
{
	double value = mlr_power_kind(meter) == MLR_POWER_WATTS
			       ? read_number(json_object_get(json_object_get(seen, "gauges"), meter), "mean")
			       : read_number(json_object_get(json_object_get(seen, "counters"), meter), "per_second");

	return mlr_power_si(meter, value);
}

/* Return the mean size of the frames that came, as a part of that of those sent: of a mix the SUT may lose the large ones. */
static double came_ratio(const json_t *trial)
{
	double came_octets = read_number(trial, "trial_forwarding_rate_l2_bps") / read_number(trial, "trial_forwarding_rate"),
	       sent_octets = read_number(trial, "trial_load_l2_bps") / read_number(trial, "trial_load");

	return isnan(came_octets / sent_octets) ? 1 : came_octets / sent_octets;
}

static json_t *row_of(const struct setting *setting, size_t at, double watts, double idle_watts)
{
	json_auto_t *trial = json_item(setting->trials, at);
	double rate_fps = read_number(trial, "trial_forwarding_rate");
	struct mlr_power power = mlr_power_of(watts, idle_watts, rate_fps * setting->transmitters,
					      setting->frame_octets * came_ratio(trial));
	json_t *row = json_with("trial", at + 1, "load", read_number(trial, "trial_load"), "watts", watts);

	json_put_members(row, &power, joules_per_frame, joules_per_bit, watts_above_idle, joules_per_frame_above_idle,
			 joules_per_bit_above_idle);
	return row;
}

/* The step without load is the same in all trials of a run. A new reference. */
static json_t *idle_of(const json_t *trials, const char *source)
{
	json_each (trial, trials) {
		json_t *idle = json_object_get(source_of_trial(trial, source), "idle");

		if (idle)
			return json_incref(idle);
	}
	return NULL;
}

static json_t *meter_json(const struct setting *setting, const char *source, const char *meter)
{
	json_auto_t *idle = idle_of(setting->trials, source);
	double idle_watts = watts_of(idle, meter);
	json_t *rows = json_array();

	json_each (trial, setting->trials) {
		double watts = watts_of(source_of_trial(trial, source), meter);

		if (!isnan(watts) && !read_truth(trial, "warmup"))
			json_array_append_new(rows, row_of(setting, trial_at, watts, idle_watts));
	}
	return json_with("source", source, "meter", meter, "idle_watts", idle_watts, "idle_duration",
			 read_number(idle, "duration"), "trials", rows);
}

static bool has_meter(const json_t *meters, const char *source, const char *name)
{
	json_each (meter, meters)
		if (strcmp(read_text(meter, "source"), source) == 0 && strcmp(read_text(meter, "meter"), name) == 0)
			return true;
	return false;
}

static void add_meters(const struct setting *setting, json_t *meters, const char *source, const json_t *values,
		       enum mlr_power_kind kind)
{
	json_each_member (name, value, values)
		if (mlr_power_kind(name) == kind && json_array_size(meters) < METERS_MOST &&
		    !has_meter(meters, source, name))
			json_array_append_new(meters, meter_json(setting, source, name));
}

json_t *report_power(const json_t *trials, double frame_octets, double transmitters)
{
	const struct setting setting = { trials, frame_octets, transmitters };
	json_auto_t *meters = json_array();

	json_each (trial, trials)
		json_each (source, json_object_get(trial, "observed")) {
			const char *name = read_text(source, "source");

			add_meters(&setting, meters, name, json_object_get(source, "gauges"), MLR_POWER_WATTS);
			add_meters(&setting, meters, name, json_object_get(source, "counters"), MLR_POWER_JOULES);
		}
	return json_array_size(meters) ? json_with("frame_size_octets", frame_octets, "meters", json_incref(meters)) : NULL;
}

void report_add_power(json_t *document, double frame_octets)
{
	json_auto_t *alone = json_pack("[O?]", json_object_get(document, "trial_result"));
	const json_t *trials = json_object_get(document, "trials");
	json_t *power =
		report_power(trials ? trials : alone, frame_octets, read_number(document, "aggregate_factor"));

	if (power)
		json_put(document, "power", power);
}
