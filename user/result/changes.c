/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file adds what the SUT changed in the headers of frames, in all trials of a document. */
#include <stddef.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "config/config.h"
#include "result/report.h"

/* Members of the counts; the first is the number of frames received. */
static const char *const members[] = { "received",    "changed",     "changed_vlan",    "changed_priority", "changed_dscp",
				       "changed_ecn", "changed_ttl", "changed_address", "changed_port" };

struct sums {
	json_int_t trials; /* number of trials in which headers were compared */
	json_int_t of[COUNT(members)];
};

static void add_counts(const json_t *counts, struct sums *sums)
{
	if (!json_is_integer(json_object_get(counts, "changed")))
		return;
	sums->trials++;
	for (size_t i = 0; i < COUNT(members); i++)
		sums->of[i] += json_integer_value(json_object_get(counts, members[i]));
}

/* Trials are in several places of the documents of suites. */
static void add_trials(const json_t *json, struct sums *sums)
{
	const json_t *counts = json_object_get(json, "counts");

	if (counts && json_object_get(json, "trial_loss_ratio")) {
		add_counts(counts, sums);
		return;
	}
	json_each (item, json)
		add_trials(item, sums);
	json_each_member (name, value, json)
		add_trials(value, sums);
}

json_t *report_changes(const json_t *document)
{
	/* The list contains the run that the document itself shows. */
	const json_t *runs = json_at(document, "/repeats/runs");
	struct sums sums = { 0 };
	json_t *json;

	add_trials(runs ? runs : document, &sums);
	if (!sums.trials)
		return NULL;
	json = json_with("trials", sums.trials);
	for (size_t i = 0; i < COUNT(members); i++)
		json_put(json, members[i], sums.of[i]);
	return json;
}
