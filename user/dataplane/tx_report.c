/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file fills in the reports of transmitters on a trial, and merges them. */
#include "dataplane/tx.h"

#include "base/numbers.h"

void tx_report_pace(struct tx_report *report, const struct tx_pace *pace)
{
	struct mlr_envelope envelope = pace->envelope;

	mlr_envelope_settle(&envelope);
	report->stops = pace->stops;
	report->burst_max = mlr_envelope_run_frames(&envelope);
	report->excess_frames_max = mlr_envelope_excess_frames(&envelope);
	report->excess_at_ns = envelope.excess_at_ns;
	report->excess_ns = envelope.over >> MLR_ENVELOPE_PLACES;
	report->marked = envelope.marked;
}

void tx_report_append(struct tx_report *sum, const struct tx_report *more)
{
	uint64_t burst_max = greater(sum->burst_max, more->burst_max);
	uint64_t excess_frames_max = greater(sum->excess_frames_max, more->excess_frames_max);

	tx_report_add(sum, more);
	sum->burst_max = burst_max;
	sum->excess_frames_max = excess_frames_max;
}

void tx_report_add(struct tx_report *sum, const struct tx_report *more)
{
	if (more->excess_frames_max > sum->excess_frames_max)
		sum->excess_at_ns = more->excess_at_ns;
	sum->sent += more->sent;
	sum->extra += more->extra;
	sum->refused += more->refused;
	sum->burst_max += more->burst_max;
	sum->excess_frames_max += more->excess_frames_max;
	sum->excess_ns = greater(sum->excess_ns, more->excess_ns);
	sum->marked += more->marked;
	tx_stops_merge(&sum->stops, &more->stops);
	if (more->first_departure_ns && (!sum->first_departure_ns || more->first_departure_ns < sum->first_departure_ns))
		sum->first_departure_ns = more->first_departure_ns;
	if (more->last_departure_ns > sum->last_departure_ns)
		sum->last_departure_ns = more->last_departure_ns;
	mlr_histogram_merge(&sum->gaps, &more->gaps);
	if (!sum->error)
		sum->error = more->error;
}

void tx_departures_add(struct tx_departures *sum, const struct tx_departures *more)
{
	mlr_histogram_merge(&sum->delays, &more->delays);
	sum->asked += more->asked;
	sum->early += more->early;
	if (more->earliest_ns > sum->earliest_ns)
		sum->earliest_ns = more->earliest_ns;
}
