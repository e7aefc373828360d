/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/measurement.h"

#include <errno.h>
#include <stdlib.h>

void measurement_forget_histograms(struct measurement *measurement)
{
	for (size_t i = 0; i < MLR_PORTS_MAX; i++) {
		free(measurement->histograms[i]);
		measurement->histograms[i] = NULL;
	}
}

void measurement_free(struct measurement *measurement)
{
	free(measurement->intervals);
	measurement->intervals = NULL;
	measurement->interval_count = 0;
	free(measurement->spoilt_performances);
	measurement->spoilt_performances = NULL;
	measurement->tester_repeats = 0;
	measurement_forget_histograms(measurement);
	free(measurement->services);
	free(measurement->seconds);
	free(measurement->parts);
	free(measurement->worst_flows);
	measurement->worst_flows = NULL;
	free(measurement->flow_intervals);
	measurement->flow_intervals = NULL;
	measurement->services = NULL;
	measurement->seconds = NULL;
	measurement->parts = NULL;
	free(measurement->icmp_errors);
	measurement->icmp_errors = NULL;
	measurement->icmp_error_count = 0;
	json_decref(measurement->observed);
	measurement->observed = NULL;
	json_decref(measurement->passed_through);
	measurement->passed_through = NULL;
}

int measurement_repeat(struct measurement *measurement, double wall_s)
{
	size_t count = measurement->tester_repeats;
	struct spoilt_performance *kept =
		reallocarray(measurement->spoilt_performances, count + 1, sizeof(*measurement->spoilt_performances));
	struct measurement next = {
		.tx_backend = measurement->tx_backend,
		.link_repeats = measurement->link_repeats,
		.spoilt_performances = kept,
		.tester_repeats = count + 1,
	};

	if (!kept)
		return -ENOMEM;
	kept[count] = (struct spoilt_performance){
		.reason = measurement->tester_limited_reason,
		.counts = measurement->counts,
		.verdict = measurement->verdict,
		.attribution = measurement->attribution,
		.stop_max_ns = measurement->pacing.stops.longest_ns,
		.moved_ns = measurement->pacing.moved_ns,
		.wall_s = wall_s,
	};
	measurement->spoilt_performances = NULL;
	measurement_free(measurement);
	*measurement = next;
	return 0;
}

bool measurement_offered_less(const struct measurement *measurement)
{
	return measurement->offered_less || measurement->spoilt == SPOILT_BY_STOPS;
}

void measurement_add_latency_error(struct measurement *measurement, double error_ns)
{
	measurement->latency.error_bound_ns += error_ns;
	for (size_t i = 0; i < measurement->direction_count; i++)
		measurement->by_direction[i].latency.error_bound_ns += error_ns;
}
