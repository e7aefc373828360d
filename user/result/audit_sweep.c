/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This audit is of a sweep: a trial for each load, in order, and the figures of the curve from the trials. */
#include <stdlib.h>

#include "base/json_read.h"
#include "base/memory.h"
#include "config/stored.h"
#include "result/audit.h"
#include "result/report.h"

/* The loads asked for are those that were measured; the last ones are missing where the sweep did not come to its end. */
static void audit_loads(struct audit *audit, const json_t *document)
{
	const json_t *loads = json_object_get(document, "loads"), *trials = json_object_get(document, "trials");
	size_t count = json_array_size(trials);
	const struct place *place = MEMBER(NULL, "trials");

	if (!json_is_array(loads))
		return;
	if (count > json_array_size(loads) || (count < json_array_size(loads) && !read_string(document, "irregular_reason")))
		contradict(audit, place, "%zu trials are stated of %zu loads", count, json_array_size(loads));
	json_each (trial, trials)
		if (trial_at < json_array_size(loads))
			audit_number(audit, ITEM(place, trial_at), trial, "trial_load",
				     json_number_value(json_array_get(loads, trial_at)));
}

/* The results of all trials. NULL where one lacks a value or has it out of range, which is said; or without memory. */
static struct mlr_trial_result *results_of(struct audit *audit, const json_t *trials)
{
	struct mlr_trial_result *results = memory_noticed(calloc(json_array_size(trials) + 1, sizeof(*results)));

	json_each (trial, trials) {
		struct stored_trial stored;

		if (results && stored_read_trial(trial, &stored)) {
			results[trial_at] = stored.result;
			continue;
		}
		contradict(audit, ITEM(MEMBER(NULL, "trials"), trial_at), "it lacks a value, or has one out of range");
		free(results);
		return NULL;
	}
	return results;
}

void audit_sweep(struct audit *audit, const json_t *document)
{
	const json_t *trials = json_object_get(document, "trials"), *curve = json_object_get(document, "curve");
	const struct place *place = MEMBER(NULL, "curve");
	owned struct mlr_trial_result *results = results_of(audit, trials);
	bool limited = false;

	audit_trials(audit, MEMBER(NULL, "trials"), trials);
	audit_loads(audit, document);
	json_each (trial, trials)
		limited |= read_truth(trial, "tester_limited");
	audit_truth(audit, NULL, document, "tester_limited", limited);
	if (!results)
		return;
	audit_numbers(audit, place, curve, report_curve(results, json_array_size(trials)));
	audit_bps(audit, place, curve, "maximum_forwarding_rate");
}
