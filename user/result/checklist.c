/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/checklist.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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
enum { SEARCH = 1 << 0, TRIAL = 1 << 1, SOAK = 1 << 2, SUITE = 1 << 3, ALL = SEARCH | TRIAL | SOAK | SUITE };

struct clause {
	const char *document, *clause, *level;
	const char *requirement;
	unsigned int kinds;
	struct finding (*judge)(const json_t *document);
	const char *where[POINTERS_MAX]; /* JSON pointers; what exists of them is listed */
};

/* --- reading the document ------------------------------------------------------------------------------------------- */

static const json_t *follow(const json_t *document, const char *pointer)
{
	char path[128], *rest = path, *step;
	const json_t *value = document;

	snprintf(path, sizeof(path), "%s", pointer + 1);
	while (value && (step = strsep(&rest, "/")))
		value = json_is_array(value) ? json_array_get(value, (size_t)strtoul(step, NULL, 10))
					     : json_object_get(value, step);
	return value;
}

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

/* --- judgements, in the order of the table -------------------------------------------------------------------------- */

static struct finding judge_all(const json_t *document);

static struct finding judge_units(const json_t *document)
{
	(void)document;
	return MET_BECAUSE("Every number has its unit, in its name or by the list of units.");
}

static struct finding judge_deviations(const json_t *document)
{
	if (json_array_size(json_object_get(document, "deviations")) == 0)
		return MET_BECAUSE("There are none.");
	return MET_BECAUSE("Each deviation is a sentence of its own.");
}

static struct finding judge_load_shape(const json_t *document)
{
	if (is_measured_by(document, "exec"))
		return MISSING_BECAUSE(
			"How an external measurer shapes its load is not known here; say it with --sut-note.");
	if (!sends_frames(document))
		return NOT_APPLICABLE_AS("No frames were sent.");
	return MET_BECAUSE("The load is constant; how a transmitter that was held up catches up is said.");
}

static struct finding judge_equal_loads(const json_t *document)
{
	if (is_measured_by(document, "exec"))
		return MISSING_BECAUSE(
			"How an external measurer spreads its load is not known here; say it with --sut-note.");
	return NOT_APPLICABLE_AS("Every transmitting interface has the same load.");
}

static struct finding judge_scope(const json_t *document)
{
	(void)document;
	return MET_BECAUSE("Every load is that of a single interface.");
}

static struct finding judge_factor(const json_t *document)
{
	if (read_number(document, "aggregate_factor") > 1)
		return MET_BECAUSE("Totals are per-interface loads times the aggregate factor.");
	return MET_BECAUSE("One interface transmits: the factor is 1.");
}

static struct finding judge_profile(const json_t *document)
{
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

static struct finding judge_expected(const json_t *document)
{
	if (is_measured_by(document, "exec"))
		return MISSING_BECAUSE("Which frames an external measurer expects is not known here.");
	return MET_BECAUSE("Every frame intended to be received by the SUT is expected to be forwarded; how the ratio is "
			   "calculated is said.");
}

static struct finding judge_effective_duration(const json_t *document)
{
	(void)document;
	return MET_BECAUSE("It is said how they are computed.");
}

static struct finding judge_width(const json_t *document)
{
	(void)document;
	return MET_BECAUSE("It is relative to the upper bound, and said so.");
}

static struct finding judge_lower_bound(const json_t *document)
{
	(void)document;
	return MET_BECAUSE("It stands with every goal.");
}

static struct finding judge_upper_bound(const json_t *document)
{
	(void)document;
	return MET_BECAUSE("It stands with every goal for which it exists.");
}

static struct finding judge_throughput(const json_t *document)
{
	(void)document;
	return MET_BECAUSE("It stands with every goal for which it exists.");
}

static struct finding judge_marks(const json_t *document)
{
	if (irregular_results(document) == 0)
		return NOT_APPLICABLE_AS("Every result is regular.");
	return MET_BECAUSE("Every irregular result is marked IRREGULAR, with the reason.");
}

static struct finding judge_useful(const json_t *document)
{
	if (irregular_results(document) == 0)
		return NOT_APPLICABLE_AS("Every result is regular.");
	return MET_BECAUSE("Bounds and Conditional Throughput of irregular results are shown where they exist.");
}

static struct finding judge_every_goal(const json_t *document)
{
	size_t goals = json_array_size(follow(document, "/controller_input/goals"));

	if (json_array_size(json_object_get(document, "search_result")) != goals)
		return MISSING_BECAUSE("A goal has no result.");
	return MET_BECAUSE("There is a result for every goal, in the order of the goals.");
}

static struct finding judge_freedoms(const json_t *document)
{
	if (is_measured_by(document, "exec"))
		return MISSING_BECAUSE(
			"What an external measurer does with duplicates and reordered frames is not known here.");
	if (!sends_frames(document))
		return NOT_APPLICABLE_AS("A simulated SUT neither duplicates nor reorders frames.");
	return MET_BECAUSE("Both are counted, and it is said how.");
}

static struct finding judge_self_test(const json_t *document)
{
	const json_t *size = follow(document, "/frame_sizes/0");
	const char *source = read_string(size ? size : document, "max_load_source");
	bool floor = follow(document, "/latency/floor_source") || follow(document, "/trials/0/latency/floor_source");

	if (!sends_frames(document))
		return NOT_APPLICABLE_AS("There is no test equipment of this program's.");
	if ((source && strcmp(source, "self-test") == 0) || floor)
		return MET_BECAUSE("A fresh self-test of these ports was there.");
	return MISSING_BECAUSE(
		"There was no fresh self-test of these ports: connect them directly and run 'xdp-mlr selftest'.");
}

static struct finding judge_unsent(const json_t *document)
{
	if (!sends_frames(document))
		return NOT_APPLICABLE_AS("There is no test equipment of this program's.");
	return MET_BECAUSE("Frames that stayed unsent beyond 10 us worth of the load count as lost, and mark the trial.");
}

static struct finding judge_sut(const json_t *document)
{
	const json_t *sut = json_object_get(document, "sut");

	if (is_measured_by(document, "sim"))
		return MET_BECAUSE("The SUT is simulated; its model is its configuration.");
	if (json_array_size(json_object_get(sut, "configuration")))
		return MET_BECAUSE("The default configuration is embedded, and so is what was changed for this test.");
	return MISSING_BECAUSE(
		"Give the SUT's configuration with --sut-config FILE or --sut-config-command COMMAND, and what was "
		"changed for this test with --sut-change.");
}

static struct finding judge_attributes(const json_t *document)
{
	(void)document;
	return MET_BECAUSE("Every attribute of every goal is shown as it was applied, defaults included.");
}

static struct finding judge_frame_size(const json_t *document)
{
	if (!sends_frames(document))
		return NOT_APPLICABLE_AS("Not known of this measurer.");
	return MET_BECAUSE("The rate is in frames/s, and the size of the frame stands beside it.");
}

static struct finding judge_media_limit(const json_t *document)
{
	if (!sends_frames(document))
		return NOT_APPLICABLE_AS("There is no medium.");
	if (isnan(read_number(document, "line_rate")))
		return NOT_APPLICABLE_AS("The ports have no line rate: they are virtual, or the link does not tell.");
	return MET_BECAUSE("The line rate at this frame size stands beside the result.");
}

static struct finding judge_protocol(const json_t *document)
{
	if (!sends_frames(document))
		return NOT_APPLICABLE_AS("Not known of this measurer.");
	return MET_BECAUSE("Protocol and addresses stand in the Traffic Profile.");
}

static struct finding judge_latency_definition(const json_t *document)
{
	if (json_is_object(json_object_get(document, "latency")) || follow(document, "/trials/0/latency/definition"))
		return MET_BECAUSE("Both ends of the measured time are said, after RFC 1242 section 3.8.");
	if (follow(document, "/frame_sizes/0/latency/definition"))
		return MET_BECAUSE("Both ends of the measured time are said, after RFC 1242 section 3.8.");
	return NOT_APPLICABLE_AS("No latency was measured.");
}

/* Whether the suite did this test at any size. */
static struct finding judge_test(const json_t *document, const char *test, const char *how)
{
	const json_t *sizes = json_object_get(document, "frame_sizes");

	for (size_t i = 0; i < json_array_size(sizes); i++)
		if (json_is_object(json_object_get(json_array_get(sizes, i), test)))
			return MET_BECAUSE(how);
	return NOT_APPLICABLE_AS("The test was not asked for, or not reached.");
}

static struct finding judge_throughput_graph(const json_t *document)
{
	return judge_test(
		document, "throughput",
		"Graph of frame rate over frame size, with the theoretical line where the medium has one; and a table.");
}

static struct finding judge_latency_table(const json_t *document)
{
	return judge_test(document, "latency", "A row a frame size: rate, repeats, latency; the definition is said.");
}

static struct finding judge_loss_graph(const json_t *document)
{
	return judge_test(document, "frame_loss",
			  "Graph of percent loss over percent of the rate, both axes from 0 to 100 %.");
}

static struct finding judge_burst_table(const json_t *document)
{
	return judge_test(
		document, "back_to_back",
		"A row a frame size: average, smallest, largest, standard deviation, Corrected DUT Buffer Time, and "
		"the parameters they come from.");
}

static struct finding judge_recovery_table(const json_t *document)
{
	return judge_test(document, "recovery", "A row a frame size: rate taken as the throughput, recovery time.");
}

static struct finding judge_reset_statement(const json_t *document)
{
	if (json_is_object(json_object_get(document, "reset")))
		return MET_BECAUSE("A statement for the reset: how it was done, and how long the outage was.");
	return NOT_APPLICABLE_AS("The test was not asked for, or not reached.");
}

/* --- the table ------------------------------------------------------------------------------------------------------ */

#define DRAFT "draft-ietf-bmwg-mlrsearch-15"

static const struct clause clauses[] = {
	{ DRAFT, "3", "MUST", "All absolute requirements", ALL, judge_all, { "/checklist" } },
	{ DRAFT, "4.1.1", "must", "Deviations from the procedure of RFC 2544", ALL, judge_deviations, { "/deviations" } },
	{ DRAFT, "4.3", "REQUIRED", "All units", ALL, judge_units, { "/units" } },
	{ DRAFT,
	  "4.4.3",
	  "MUST",
	  "Deviations from the Trial of RFC 2544 section 23, phases a to e",
	  ALL,
	  judge_deviations,
	  { "/deviations", "/configuration/wait" } },
	{ DRAFT,
	  "4.5.2-shape",
	  "MUST",
	  "How a load that is not constant is shaped, and how it reacts to Trial Load",
	  ALL,
	  judge_load_shape,
	  { "/traffic_profile/load", "/definitions/load_shape" } },
	{ DRAFT,
	  "4.5.2-different",
	  "MUST",
	  "How the pattern reacts to Trial Load where interfaces have different loads",
	  ALL,
	  judge_equal_loads,
	  { "/definitions/trial_load" } },
	{ DRAFT,
	  "4.5.2-scope",
	  "MUST",
	  "Whether a load is of one interface, a subset or the total",
	  ALL,
	  judge_scope,
	  { "/load_scope", "/definitions/trial_load" } },
	{ DRAFT,
	  "4.5.2-factor",
	  "MUST",
	  "The factor between loads per interface and in total",
	  ALL,
	  judge_factor,
	  { "/aggregate_factor" } },
	{ DRAFT,
	  "4.5.4",
	  "MUST",
	  "Bidirectional or meshed traffic, modifiers, IP version mixing",
	  ALL,
	  judge_profile,
	  { "/traffic_profile" } },
	{ DRAFT,
	  "4.5.5",
	  "MUST",
	  "How the Trial Forwarding Ratio is calculated, if not as usual",
	  ALL,
	  judge_expected,
	  { "/definitions/trial_loss_ratio" } },
	{ DRAFT,
	  "4.5.8",
	  "MUST",
	  "How Trial Effective Duration is computed",
	  ALL,
	  judge_effective_duration,
	  { "/definitions/trial_effective_duration" } },
	{ DRAFT,
	  "4.6.5",
	  "MUST",
	  "What quantity the Goal Width is",
	  SEARCH | SUITE,
	  judge_width,
	  { "/definitions/goal_width" } },
	{ DRAFT,
	  "4.8.3",
	  "RECOMMENDED",
	  "Conditional Throughput",
	  SEARCH,
	  judge_throughput,
	  { "/search_result/0/conditional_throughput" } },
	{ DRAFT,
	  "4.8.4.1-lower",
	  "MUST",
	  "Relevant Lower Bound",
	  SEARCH,
	  judge_lower_bound,
	  { "/search_result/0/relevant_lower_bound" } },
	{ DRAFT,
	  "4.8.4.1-upper",
	  "RECOMMENDED",
	  "Relevant Upper Bound",
	  SEARCH,
	  judge_upper_bound,
	  { "/search_result/0/relevant_upper_bound" } },
	{ DRAFT,
	  "4.8.4.2-useful",
	  "RECOMMENDED",
	  "What is useful of an irregular result",
	  SEARCH,
	  judge_useful,
	  { "/search_result/0/relevant_lower_bound", "/search_result/0/relevant_upper_bound" } },
	{ DRAFT,
	  "4.8.4.2-bounds",
	  "RECOMMENDED",
	  "Both bounds of an irregular result, where they exist",
	  SEARCH,
	  judge_useful,
	  { "/search_result/0/relevant_lower_bound", "/search_result/0/relevant_upper_bound" } },
	{ DRAFT,
	  "4.8.4.2-marked",
	  "MUST",
	  "Values of irregular results are marked as such",
	  SEARCH,
	  judge_marks,
	  { "/search_result/0/regular" } },
	{ DRAFT,
	  "4.8.5",
	  "MUST",
	  "A Goal Result for every Search Goal",
	  SEARCH,
	  judge_every_goal,
	  { "/search_result", "/controller_input/goals" } },
	{ DRAFT,
	  "4.9.1-freedoms",
	  "RECOMMENDED",
	  "What is done with duplicated and reordered frames",
	  ALL,
	  judge_freedoms,
	  { "/definitions/duplicates", "/definitions/reordering" } },
	{ DRAFT,
	  "4.9.1-benchmark",
	  "RECOMMENDED",
	  "The test equipment was benchmarked first",
	  ALL,
	  judge_self_test,
	  { "/max_load_source", "/latency/floor_source", "/trials/0/latency/floor_source",
	    "/frame_sizes/0/max_load_source" } },
	{ DRAFT,
	  "4.9.1-offered",
	  "RECOMMENDED",
	  "A severe deviation of the Offered Load counts as loss",
	  ALL,
	  judge_unsent,
	  { "/definitions/unsent" } },
	{ DRAFT,
	  "4.9.3-sut",
	  "REQUIRED",
	  "The SUT's configuration, its default and the changes",
	  ALL,
	  judge_sut,
	  { "/sut", "/measurer/model" } },
	{ DRAFT,
	  "4.9.3-attributes",
	  "MUST",
	  "Every Search Goal attribute as applied",
	  SEARCH | SUITE,
	  judge_attributes,
	  { "/controller_input/goals/0", "/frame_sizes/0/throughput/goal_result/goal" } },
	{ "RFC 2544",
	  "26.1-size",
	  "MUST",
	  "Throughput in frames/s, and the size of the frame",
	  SEARCH,
	  judge_frame_size,
	  { "/traffic_profile/frame_size_octets" } },
	{ "RFC 2544",
	  "26.1-limit",
	  "MUST",
	  "Theoretical limit of the medium for that size",
	  SEARCH,
	  judge_media_limit,
	  { "/line_rate" } },
	{ "RFC 2544",
	  "26.1-protocol",
	  "MUST",
	  "Type of protocol used in the test",
	  ALL,
	  judge_protocol,
	  { "/traffic_profile/protocol" } },
	{ "RFC 2544",
	  "26.1-graph",
	  "format",
	  "Graph of frame rate over frame size, with the theoretical rate",
	  SUITE,
	  judge_throughput_graph,
	  { "/frame_sizes/0/throughput" } },
	{ "RFC 2544",
	  "26.2-definition",
	  "MUST",
	  "Which definition of latency was used",
	  SEARCH | TRIAL | SUITE,
	  judge_latency_definition,
	  { "/latency/definition", "/trials/0/latency/definition", "/frame_sizes/0/latency/definition" } },
	{ "RFC 2544",
	  "26.2-table",
	  "format",
	  "Table of latency: a row a frame size, with the rate",
	  SUITE,
	  judge_latency_table,
	  { "/frame_sizes/0/latency" } },
	{ "RFC 2544",
	  "26.3-graph",
	  "format",
	  "Graph of percent loss over percent of the rate, axes 0 to 100 %",
	  SUITE,
	  judge_loss_graph,
	  { "/frame_sizes/0/frame_loss/points" } },
	{ "RFC 9004",
	  "6",
	  "format",
	  "Table of back-to-back values, and the parameters of the test",
	  SUITE,
	  judge_burst_table,
	  { "/frame_sizes/0/back_to_back" } },
	{ "RFC 2544",
	  "26.5-table",
	  "format",
	  "Table of recovery times: a row a frame size",
	  SUITE,
	  judge_recovery_table,
	  { "/frame_sizes/0/recovery" } },
	{ "RFC 2544",
	  "26.6-statement",
	  "format",
	  "A statement for each type of reset",
	  SUITE,
	  judge_reset_statement,
	  { "/reset" } },
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
		if (follow(document, clause->where[i]))
			json_array_append_new(pointers, json_string(clause->where[i]));
	return pointers;
}

/* What says that it is met must be able to show where. */
static struct finding judge(const struct clause *clause, const json_t *document, const json_t *pointers)
{
	struct finding finding = clause->judge(document);

	if (finding.status == MET && !json_array_size(pointers))
		return MISSING_BECAUSE("The document does not say it.");
	return finding;
}

static bool is_absolute(const struct clause *clause)
{
	return strcmp(clause->level, "MUST") == 0 || strcmp(clause->level, "REQUIRED") == 0;
}

static struct finding judge_all(const json_t *document)
{
	unsigned int kind = kind_of(document);

	for (size_t i = 0; i < sizeof(clauses) / sizeof(*clauses); i++) {
		const struct clause *clause = &clauses[i];
		json_t *pointers;
		struct finding finding;

		if (clause->judge == judge_all || !(clause->kinds & kind) || !is_absolute(clause))
			continue;
		pointers = pointers_json(clause, document);
		finding = judge(clause, document, pointers);
		json_decref(pointers);
		if (finding.status == MISSING)
			return MISSING_BECAUSE("Something absolutely required is missing: see below.");
	}
	return MET_BECAUSE("Nothing absolutely required is missing.");
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
		finding = judge(clause, document, pointers);
		json_array_append_new(checklist, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "document",
							   clause->document, "clause", clause->clause, "level",
							   clause->level, "requirement", clause->requirement, "status",
							   statuses[finding.status], "why", finding.why, "where", pointers));
	}
}
