/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/additions.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"

#define POINTERS_MAX 4

/* What was found of a clause. */
struct finding {
	enum { MET, NOT_APPLICABLE, MISSING } status;
	const char *why;
};

#define MET_BECAUSE(text)       ((struct finding){ MET, text })
#define NOT_APPLICABLE_AS(text) ((struct finding){ NOT_APPLICABLE, text })
#define MISSING_BECAUSE(text)   ((struct finding){ MISSING, text })

/* Kinds of documents that a clause is about. */
enum { SEARCH = 1 << 0, TRIAL = 1 << 1, SOAK = 1 << 2, RFC2544 = 1 << 3 };

struct clause {
	const char *document, *clause, *level, *requirement;
	const char *met; /* why it is met */
	unsigned int kinds;
	struct finding (*judge)(const json_t *document, const struct clause *clause);
	const char *where[POINTERS_MAX]; /* JSON pointers; what exists of them is listed */
};

/* --- reading the document ------------------------------------------------------------------------------------------- */

static bool is_measured_by(const json_t *document, const char *measurer)
{
	const char *name = read_string(json_object_get(document, "measurer"), "name");

	return name && strcmp(name, measurer) == 0;
}

/* Ours, over ports of this machine or of several. */
static bool sends_frames(const json_t *document)
{
	return is_measured_by(document, "xdp") || is_measured_by(document, "mpi");
}

static const json_t *profile_of(const json_t *document)
{
	return json_object_get(document, "traffic_profile");
}

/* How many results are not regular. */
static size_t irregular_results(const json_t *document)
{
	const json_t *results = json_object_get(document, "search_result");
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(results); i++)
		count += !read_truth(json_array_get(results, i), "regular");
	return count;
}

/* --- judgements ----------------------------------------------------------------------------------------------------- */

static struct finding judge_all(const json_t *document, const struct clause *clause);

static struct finding judge_always(const json_t *document, const struct clause *clause)
{
	(void)document;
	return MET_BECAUSE(clause->met);
}

static struct finding judge_deviations(const json_t *document, const struct clause *clause)
{
	if (json_array_size(json_object_get(document, "deviations")) == 0)
		return MET_BECAUSE("There are none.");
	return MET_BECAUSE(clause->met);
}

static struct finding judge_load_shape(const json_t *document, const struct clause *clause)
{
	if (is_measured_by(document, "exec"))
		return MISSING_BECAUSE(
			"How an external measurer shapes its load is not known here; say it with --sut-note.");
	if (!sends_frames(document))
		return NOT_APPLICABLE_AS("No frames were sent.");
	return MET_BECAUSE(clause->met);
}

static struct finding judge_equal_loads(const json_t *document, const struct clause *clause)
{
	(void)clause;
	if (is_measured_by(document, "exec"))
		return MISSING_BECAUSE(
			"How an external measurer spreads its load is not known here; say it with --sut-note.");
	return NOT_APPLICABLE_AS("Every transmitting interface has the same load.");
}

static struct finding judge_factor(const json_t *document, const struct clause *clause)
{
	if (read_number(document, "aggregate_factor") > 1)
		return MET_BECAUSE("Totals are per-interface loads times the aggregate factor.");
	return MET_BECAUSE(clause->met);
}

static struct finding judge_profile(const json_t *document, const struct clause *clause)
{
	(void)clause;
	if (is_measured_by(document, "exec"))
		return MISSING_BECAUSE("The Traffic Profile is the external measurer's; describe it with --sut-note.");
	if (!sends_frames(document))
		return NOT_APPLICABLE_AS("No frames were sent.");
	if (read_truth(profile_of(document), "bidirectional"))
		return MET_BECAUSE(
			"Bidirectional, as RFC 2544 section 14 says. Further properties stand in the profile where they "
			"apply; meshed traffic does not occur.");
	return MET_BECAUSE(
		"One direction only. Further properties stand in the profile where they apply; meshed traffic does not "
		"occur.");
}

static struct finding judge_expected(const json_t *document, const struct clause *clause)
{
	if (is_measured_by(document, "exec"))
		return MISSING_BECAUSE("Which frames an external measurer expects is not known here.");
	return MET_BECAUSE(clause->met);
}

static struct finding judge_irregular(const json_t *document, const struct clause *clause)
{
	if (irregular_results(document) == 0)
		return NOT_APPLICABLE_AS("Every result is regular.");
	return MET_BECAUSE(clause->met);
}

static struct finding judge_every_goal(const json_t *document, const struct clause *clause)
{
	size_t goals = json_array_size(json_at(document, "/controller_input/goals"));

	if (json_array_size(json_object_get(document, "search_result")) != goals)
		return MISSING_BECAUSE("A goal has no result.");
	return MET_BECAUSE(clause->met);
}

static struct finding judge_freedoms(const json_t *document, const struct clause *clause)
{
	if (is_measured_by(document, "exec"))
		return MISSING_BECAUSE(
			"What an external measurer does with duplicates and reordered frames is not known here.");
	if (!sends_frames(document))
		return NOT_APPLICABLE_AS("A simulated SUT neither duplicates nor reorders frames.");
	return MET_BECAUSE(clause->met);
}

static struct finding judge_self_test(const json_t *document, const struct clause *clause)
{
	const json_t *size = json_at(document, "/frame_sizes/0");
	const char *source = read_string(size ? size : document, "max_load_source");
	bool floor = json_at(document, "/latency/floor_source") || json_at(document, "/trials/0/latency/floor_source");

	if (!sends_frames(document))
		return NOT_APPLICABLE_AS("There is no test equipment of this program's.");
	if ((source && strcmp(source, "self-test") == 0) || floor)
		return MET_BECAUSE(clause->met);
	return MISSING_BECAUSE(
		"There was no fresh self-test of these ports: connect them directly and run 'xdp-mlr selftest'.");
}

static struct finding judge_unsent(const json_t *document, const struct clause *clause)
{
	if (!sends_frames(document))
		return NOT_APPLICABLE_AS("There is no test equipment of this program's.");
	return MET_BECAUSE(clause->met);
}

static struct finding judge_sut(const json_t *document, const struct clause *clause)
{
	const json_t *sut = json_object_get(document, "sut");

	(void)clause;
	if (is_measured_by(document, "sim"))
		return MET_BECAUSE("The SUT is simulated; its model is its configuration.");
	if (json_array_size(json_object_get(sut, "configuration")))
		return MET_BECAUSE("The default configuration is embedded, and so is what was changed for this test.");
	return MISSING_BECAUSE(
		"Give the SUT's configuration with --sut-config FILE or --sut-config-command COMMAND, and what was "
		"changed for this test with --sut-change.");
}

static struct finding judge_frames(const json_t *document, const struct clause *clause)
{
	if (!sends_frames(document))
		return NOT_APPLICABLE_AS("Not known of this measurer.");
	return MET_BECAUSE(clause->met);
}

static struct finding judge_media_limit(const json_t *document, const struct clause *clause)
{
	if (!sends_frames(document))
		return NOT_APPLICABLE_AS("There is no medium.");
	if (isnan(read_number(document, "line_rate")))
		return NOT_APPLICABLE_AS("The ports have no line rate: they are virtual, or the link does not tell.");
	return MET_BECAUSE(clause->met);
}

static struct finding judge_latency_definition(const json_t *document, const struct clause *clause)
{
	for (size_t i = 0; i < POINTERS_MAX && clause->where[i]; i++)
		if (json_at(document, clause->where[i]))
			return MET_BECAUSE(clause->met);
	return NOT_APPLICABLE_AS("No latency was measured.");
}

static bool is_there(const json_t *value)
{
	return value && !json_is_null(value);
}

/* Whether the suite did the test that the clause points to: as a whole, or at any frame size. */
static struct finding judge_test(const json_t *document, const struct clause *clause)
{
	static const char first[] = "/frame_sizes/0";
	const char *where = clause->where[0];
	size_t sizes = json_array_size(json_object_get(document, "frame_sizes"));
	bool done = is_there(json_at(document, where));
	char pointer[128];

	for (size_t i = 1; !done && i < sizes && strncmp(where, first, strlen(first)) == 0; i++) {
		snprintf(pointer, sizeof(pointer), "/frame_sizes/%zu%s", i, where + strlen(first));
		done = is_there(json_at(document, pointer));
	}
	if (done)
		return MET_BECAUSE(clause->met);
	return NOT_APPLICABLE_AS("The test was not asked for, or not reached.");
}

/* Of docs/clauses.tsv. */
static const struct clause clauses[] = {
#include "clauses.inc"
};

/* --- the checklist -------------------------------------------------------------------------------------------------- */

static unsigned int kind_of(const json_t *document)
{
	static const char *const schemas[] = { "xdp-mlr/search/", "xdp-mlr/trial/", "xdp-mlr/soak/", "xdp-mlr/rfc2544/" };
	const char *schema = read_string(document, "schema");

	for (size_t i = 0; schema && i < sizeof(schemas) / sizeof(*schemas); i++)
		if (strncmp(schema, schemas[i], strlen(schemas[i])) == 0)
			return 1u << i;
	return 0;
}

static json_t *pointers_json(const struct clause *clause, const json_t *document)
{
	json_t *pointers = json_array();

	for (size_t i = 0; i < POINTERS_MAX && clause->where[i]; i++)
		if (json_at(document, clause->where[i]))
			json_array_append_new(pointers, json_string(clause->where[i]));
	return pointers;
}

/* What says that it is met must be able to show where. */
static struct finding finding_of(const struct clause *clause, const json_t *document, const json_t *pointers)
{
	struct finding finding = clause->judge(document, clause);

	if (finding.status == MET && !json_array_size(pointers))
		return MISSING_BECAUSE("The document does not say it.");
	return finding;
}

static bool is_absolute(const struct clause *clause)
{
	return strcmp(clause->level, "MUST") == 0 || strcmp(clause->level, "REQUIRED") == 0;
}

static struct finding judge_all(const json_t *document, const struct clause *self)
{
	unsigned int kind = kind_of(document);

	for (size_t i = 0; i < sizeof(clauses) / sizeof(*clauses); i++) {
		const struct clause *clause = &clauses[i];
		json_t *pointers;
		struct finding finding;

		if (clause == self || !(clause->kinds & kind) || !is_absolute(clause))
			continue;
		pointers = pointers_json(clause, document);
		finding = finding_of(clause, document, pointers);
		json_decref(pointers);
		if (finding.status == MISSING)
			return MISSING_BECAUSE("Something absolutely required is missing: see below.");
	}
	return MET_BECAUSE(self->met);
}

void report_add_checklist(json_t *document)
{
	static const char *const statuses[] = { [MET] = "met", [NOT_APPLICABLE] = "not applicable", [MISSING] = "missing" };
	unsigned int kind = kind_of(document);
	json_t *checklist = json_array();

	json_object_set_new(document, "checklist", checklist);
	for (size_t i = 0; i < sizeof(clauses) / sizeof(*clauses); i++) {
		const struct clause *clause = &clauses[i];
		json_t *pointers;
		struct finding finding;

		if (!(clause->kinds & kind))
			continue;
		pointers = pointers_json(clause, document);
		finding = finding_of(clause, document, pointers);
		json_array_append_new(checklist, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "document",
							   clause->document, "clause", clause->clause, "level",
							   clause->level, "requirement", clause->requirement, "status",
							   statuses[finding.status], "why", finding.why, "where", pointers));
	}
}
