/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/report.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/units.h"
#include "config/options_suite.h"
#include "mlr/goal.h"

#define POINTERS_MAX  4
#define PROOF_FIGURES 3
#define BLANKS        " \t\r\n\v\f"

/* The finding on a clause. */
struct finding {
	enum { MET, NOT_APPLICABLE, MISSING } status;
	const char *why;
};

#define MET_BECAUSE(text)       ((struct finding){ MET, text })
#define NOT_APPLICABLE_AS(text) ((struct finding){ NOT_APPLICABLE, text })
#define MISSING_BECAUSE(text)   ((struct finding){ MISSING, text })

/* Kinds of documents that a clause is about, and whether it is about how trials are performed, or about frames. */
enum { SEARCH = 1 << 0, TRIAL = 1 << 1, SOAK = 1 << 2, RFC2544 = 1 << 3, TRIALS = 1 << 4, FRAMES = 1 << 5 };

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
	return strcmp(read_text(document_measurer(document), "name"), measurer) == 0;
}

/* Whether it is a measurer of ours, over ports of this machine or of several. */
static bool sends_frames(const json_t *document)
{
	return is_measured_by(document, "xdp") || is_measured_by(document, "mpi");
}

static const json_t *profile_of(const json_t *document)
{
	return json_object_get(document, "traffic_profile");
}

/* Return an option in force, or "". */
static const char *option_of(const json_t *document, const char *name)
{
	return read_text(json_object_get(document, "configuration"), name);
}

/* Whether a value says something. A list without items does: that there are none. */
static bool says(const json_t *value)
{
	if (json_is_string(value))
		return json_string_length(value) > 0;
	if (json_is_object(value))
		return json_object_size(value) > 0;
	return value && !json_is_null(value);
}

/* Whether there is such an object in a value, at any depth. */
static bool any_object(const json_t *value, const json_t *document,
		       bool (*is_such)(const json_t *object, const json_t *document))
{
	if (json_is_object(value) && is_such(value, document))
		return true;
	json_each (item, value)
		if (any_object(item, document, is_such))
			return true;
	json_each_member (name, member, value)
		if (any_object(member, document, is_such))
			return true;
	return false;
}

/* Return the Goal Results of a search, or of the throughput of a suite at each frame size. A new reference. */
static json_t *goal_results(const json_t *document)
{
	json_t *results = json_array();

	json_array_extend(results, json_object_get(document, "search_result"));
	json_each (size, json_object_get(document, "frame_sizes"))
		if (json_is_object(json_at(size, "/throughput/goal_result")))
			json_array_append(results, (json_t *)json_at(size, "/throughput/goal_result"));
	return results;
}

/* How many of the regular, or of the other Goal Results lack a number, or all of the member where null is an answer. */
static size_t count_results(const json_t *document, bool regular, const char *lacks, bool or_null)
{
	json_auto_t *results = goal_results(document);
	size_t count = 0;

	json_each (result, results) {
		const json_t *member = json_object_get(result, lacks);

		count += read_truth(result, "regular") == regular && (or_null ? !member : !json_is_number(member));
	}
	return count;
}

/* Count the results that are or are not regular. */
static size_t regular_results(const json_t *document, bool regular)
{
	return count_results(document, regular, "", true);
}

/* --- judgements ----------------------------------------------------------------------------------------------------- */

static struct finding judge_all(const json_t *document, const struct clause *clause);

static struct finding judge_stated(const json_t *document, const struct clause *clause)
{
	for (size_t i = 0; i < POINTERS_MAX && clause->where[i]; i++)
		if (says(json_at(document, clause->where[i])))
			return MET_BECAUSE(clause->met);
	return MISSING_BECAUSE("The document does not say it.");
}

/* Whether a deviation begins so. */
static bool is_told(const json_t *document, const char *beginning)
{
	json_each (deviation, json_object_get(document, "deviations"))
		if (strncmp(json_string_value(deviation) ?: "", beginning, strlen(beginning)) == 0)
			return true;
	return false;
}

/* Goals that the throughput of RFC 2544 does not have. Their ratios and their trials deviate by themselves. */
static bool is_untold_goal(const json_t *object, const json_t *document)
{
	double loss = read_number(object, "loss_ratio"), exceed = read_number(object, "exceed_ratio"),
	       final_s = read_number(object, "final_trial_duration");
	const char *name = read_text(object, "name");

	return ((loss > 0 || exceed > 0) &&
		!is_told(document, TEXT_OF(MLR_GOAL_NAME_SIZE + 32, "Goal %s: Goal Loss Ratio", name))) ||
	       (final_s < RFC2544_TRIAL_S &&
		!is_told(document, TEXT_OF(MLR_GOAL_NAME_SIZE + 32, "Goal %s: trials of", name)));
}

static struct finding judge_deviations(const json_t *document, const struct clause *clause)
{
	if (any_object(json_at(document, "/controller_input/goals"), document, is_untold_goal))
		return MISSING_BECAUSE("A goal deviates from RFC 2544, and no deviation says so.");
	if (json_array_size(json_object_get(document, "deviations")) == 0)
		return MET_BECAUSE("There are none.");
	return MET_BECAUSE(clause->met);
}

static struct finding judge_phases(const json_t *document, const struct clause *clause)
{
	static const struct {
		const char *key, *deviation;
		double least_s, most_s;
	} waits[] = { { "a=", "Phase a:", INFINITY, INFINITY }, /* no measurer of ours sends a routing update */
		      { "b=", "Phase b:", 2, 2 },
		      { "d=", "Phase d:", 2, 2 },
		      { "e=", "Phase e:", 5, INFINITY } };
	const char *text = option_of(document, "wait");

	for (size_t i = 0; i < COUNT(waits); i++) {
		const char *wait = strstr(text, waits[i].key);
		double wait_s = wait ? atof(wait + 2) : NAN;

		if (!(wait_s >= waits[i].least_s && wait_s <= waits[i].most_s) && !is_told(document, waits[i].deviation))
			return MISSING_BECAUSE("A wait is not that of RFC 2544, and no deviation says so.");
	}
	return MET_BECAUSE(clause->met);
}

/* A number of an external measurer's own, of which nobody knows what it counts. */
static bool has_bare_number(const json_t *object, const json_t *)
{
	static const char known[] = "_load _duration _ratio _rate _fps _bps _ns _s _octets _ppm _count";
	bool bare = false;

	json_each_member (name, member, object) {
		const char *ending = strrchr(name, '_');

		bare = bare || (json_is_number(member) && !is_one_of(ending ? ending : name, known));
	}
	return bare && json_object_get(object, "trial_duration");
}

static struct finding judge_units(const json_t *document, const struct clause *clause)
{
	if (is_measured_by(document, "exec") && any_object(document, document, has_bare_number))
		return MISSING_BECAUSE(
			"A number of the external measurer's own has no unit; end its name with one, as _ns.");
	return judge_stated(document, clause);
}

static struct finding judge_load_shape(const json_t *document, const struct clause *clause)
{
	bool is_constant = strncmp(read_text(profile_of(document), "load"), "constant", strlen("constant")) == 0;

	if (strcmp(option_of(document, "load"), "max") != 0)
		return judge_stated(document, clause);
	if (is_constant)
		return MISSING_BECAUSE("Frames were sent as fast as possible, which is no constant load.");
	return MET_BECAUSE("The load is not constant; how it is shaped is said.");
}

/* A trial in which a port was to send more than another. */
static bool has_unequal_ports(const json_t *object, const json_t *)
{
	const json_t *ports = json_object_get(object, "ports");
	double least = INFINITY, most = 0;

	json_each (port, ports) {
		double intended = read_number(json_object_get(port, "counts"), "intended");

		if (read_truth(port, "transmits")) {
			least = fmin(least, intended);
			most = fmax(most, intended);
		}
	}
	return most > least + 1; /* a frame by rounding */
}

static struct finding judge_equal_loads(const json_t *document, const struct clause *)
{
	if (any_object(document, document, has_unequal_ports))
		return MISSING_BECAUSE(
			"Interfaces had different loads, and it is not said how they follow from Trial Load.");
	return NOT_APPLICABLE_AS("Every transmitting interface has the same load.");
}

static struct finding judge_scope(const json_t *document, const struct clause *clause)
{
	if (strcmp(read_text(document, "load_scope"), "interface") != 0)
		return MISSING_BECAUSE("The document does not say what its loads are of.");
	return MET_BECAUSE(clause->met);
}

static struct finding judge_factor(const json_t *document, const struct clause *clause)
{
	double factor = read_number(document, "aggregate_factor");

	if (!(factor >= 1))
		return MISSING_BECAUSE("The document does not say it.");
	if (factor > 1)
		return MET_BECAUSE("Totals are per-interface loads times the aggregate factor.");
	return sends_frames(document) ? MET_BECAUSE(clause->met) : NOT_APPLICABLE_AS("No load is reported in aggregate.");
}

/* What an option makes of the traffic, and where the profile has to say so. */
static bool profile_is_whole(const json_t *document)
{
	const json_t *profile = profile_of(document);
	const char *direction = option_of(document, "direction");
	bool modified = json_object_get(json_object_get(document, "configuration"), "modifier");

	return json_is_boolean(json_object_get(profile, "bidirectional")) && *read_text(profile, "pattern") &&
	       !(strcmp(direction, "mesh") == 0 && !strstr(read_text(profile, "pattern"), "meshed")) &&
	       !(strcmp(direction, "both") == 0 && !read_truth(profile, "bidirectional")) &&
	       !(strcmp(option_of(document, "ip"), "mixed") == 0 && !strstr(read_text(profile, "protocol"), " and ")) &&
	       !(modified && json_array_size(json_object_get(profile, "modifiers")) == 0);
}

static struct finding judge_profile(const json_t *document, const struct clause *)
{
	if (!profile_is_whole(document))
		return MISSING_BECAUSE(
			"The Traffic Profile lacks direction or pattern, or something that an option made of it.");
	if (strstr(read_text(profile_of(document), "pattern"), "meshed"))
		return MET_BECAUSE("Fully meshed, as RFC 2285 section 3.3.3 says. Further properties stand in the profile "
				   "where they apply.");
	if (read_truth(profile_of(document), "bidirectional"))
		return MET_BECAUSE("Bidirectional, as RFC 2544 section 14 says; not meshed. Further properties stand in the "
				   "profile where they apply.");
	return MET_BECAUSE("One direction only; not meshed. Further properties stand in the profile where they apply.");
}

static bool has_other_duration(const json_t *object, const json_t *)
{
	double effective_s = read_number(object, "trial_effective_duration");

	return !isnan(effective_s) && effective_s != read_number(object, "trial_duration");
}

static struct finding judge_effective_duration(const json_t *document, const struct clause *clause)
{
	bool differs = any_object(document, document, has_other_duration);

	if (differs && is_measured_by(document, "exec"))
		return MISSING_BECAUSE("How an external measurer computes them is not known here; let it say it of itself, "
				       "with its first answer.");
	if (differs && strcmp(option_of(document, "effective-duration"), "wall") != 0)
		return MISSING_BECAUSE("Some are not the Trial Duration, and it is not said why.");
	if (!differs)
		return NOT_APPLICABLE_AS("Every Trial Effective Duration is the Trial Duration.");
	return judge_stated(document, clause);
}

static struct finding judge_conditional(const json_t *document, const struct clause *clause)
{
	size_t results = json_array_size(json_object_get(document, "search_result"));
	size_t unbounded = count_results(document, true, "relevant_lower_bound", false) +
			   count_results(document, false, "relevant_lower_bound", false);

	if (results == unbounded)
		return NOT_APPLICABLE_AS("No goal has a Relevant Lower Bound.");
	if (count_results(document, true, "conditional_throughput", false) +
		    count_results(document, false, "conditional_throughput", false) >
	    unbounded)
		return MISSING_BECAUSE("A goal with a Relevant Lower Bound has none.");
	return MET_BECAUSE(clause->met);
}

/* The last part of the first pointer names the bound. */
static struct finding judge_bound(const json_t *document, const struct clause *clause)
{
	if (!regular_results(document, true))
		return NOT_APPLICABLE_AS("No result is regular.");
	if (count_results(document, true, strrchr(clause->where[0], '/') + 1, false))
		return MISSING_BECAUSE("A result that is not irregular lacks it.");
	return MET_BECAUSE(clause->met);
}

static struct finding judge_irregular(const json_t *document, const struct clause *clause)
{
	size_t irregular = regular_results(document, false);

	if (!irregular)
		return NOT_APPLICABLE_AS("No result is irregular.");
	if (count_results(document, false, "relevant_lower_bound", false) == irregular &&
	    count_results(document, false, "relevant_upper_bound", false) == irregular)
		return NOT_APPLICABLE_AS("No irregular result has a bound.");
	for (size_t i = 0; i < POINTERS_MAX && clause->where[i]; i++)
		if (count_results(document, false, strrchr(clause->where[i], '/') + 1, true))
			return MISSING_BECAUSE("An irregular result does not say it.");
	return MET_BECAUSE(clause->met);
}

static bool is_unmarked(const json_t *object, const json_t *)
{
	const json_t *regular = json_object_get(object, "regular");

	return json_object_get(object, "goal") && !json_is_true(regular) &&
	       !(json_is_false(regular) && *read_text(object, "irregular_reason"));
}

static struct finding judge_marked(const json_t *document, const struct clause *clause)
{
	json_auto_t *results = goal_results(document);

	if (any_object(results, document, is_unmarked))
		return MISSING_BECAUSE("An irregular result is not marked, or without its reason.");
	return regular_results(document, false) ? MET_BECAUSE(clause->met) : NOT_APPLICABLE_AS("No result is irregular.");
}

static struct finding judge_every_goal(const json_t *document, const struct clause *clause)
{
	const json_t *goals = json_at(document, "/controller_input/goals");
	const json_t *results = json_object_get(document, "search_result");
	size_t count = json_array_size(goals);

	if (json_array_size(results) != count)
		return MISSING_BECAUSE("A goal has no result.");
	for (size_t i = 0; i < count; i++)
		if (!json_equal(json_array_get(goals, i), json_object_get(json_array_get(results, i), "goal")))
			return MISSING_BECAUSE("A result is of another goal.");
	return MET_BECAUSE(clause->met);
}

static struct finding judge_freedoms(const json_t *document, const struct clause *clause)
{
	for (size_t i = 0; i < POINTERS_MAX && clause->where[i]; i++)
		if (!says(json_at(document, clause->where[i])))
			return MISSING_BECAUSE("The document does not say it of both.");
	if (strncmp(read_text(json_object_get(document, "definitions"), "duplicates"), "Not told apart", 14) == 0)
		return MET_BECAUSE("Neither is told apart (--no-seq), and it is said what follows.");
	return MET_BECAUSE(clause->met);
}

static bool has_floor(const json_t *object, const json_t *)
{
	return *read_text(object, "floor_source");
}

/* A document or frame size whose loads no self-test chose, and whose latencies none can be held against. */
static bool is_untested(const json_t *part)
{
	return strcmp(read_text(part, "max_load_source"), "self-test") != 0 && !any_object(part, NULL, has_floor);
}

static struct finding judge_self_test(const json_t *document, const struct clause *clause)
{
	const json_t *sizes = json_object_get(document, "frame_sizes");
	bool untested = !json_array_size(sizes) && is_untested(document);

	json_each (size, sizes)
		untested = untested || is_untested(size);
	if (!untested)
		return MET_BECAUSE(clause->met);
	return MISSING_BECAUSE(
		"There was no fresh self-test of these ports: connect them directly and run 'xdp-mlr selftest'.");
}

/* A trial in which more stayed unsent than is tolerated, and which is not marked. */
static bool hides_unsent(const json_t *object, const json_t *document)
{
	double tolerated = read_number(object, "trial_load") * read_number(document, "aggregate_factor") *
			   read_number(document_measurer(document), "unsent_tolerance_s");

	return read_number(json_object_get(object, "counts"), "unsent") > tolerated * (1 + 1e-9) &&
	       !read_truth(object, "tester_limited");
}

static struct finding judge_unsent(const json_t *document, const struct clause *clause)
{
	if (any_object(document, document, hides_unsent))
		return MISSING_BECAUSE("A trial with more unsent frames than that is not marked.");
	return judge_stated(document, clause);
}

static bool is_cut(const json_t *object, const json_t *)
{
	return read_truth(object, "truncated");
}

/* Whether a text of a list, or a member of its objects, is more than blanks. */
static bool has_text(const json_t *list, const char *member)
{
	bool found = false;

	json_each (item, list) {
		const char *text = member ? read_text(item, member) : json_string_value(item);

		found = found || (text && text[strspn(text, BLANKS)]);
	}
	return found;
}

static struct finding judge_sut(const json_t *document, const struct clause *)
{
	const json_t *sut = json_object_get(document, "sut"), *configuration = json_object_get(sut, "configuration");

	if (is_measured_by(document, "sim"))
		return MET_BECAUSE("The SUT is simulated; its model is its configuration.");
	if (any_object(configuration, document, is_cut))
		return MISSING_BECAUSE("The SUT's configuration was too long, and is cut.");
	if (json_array_size(configuration) && !has_text(configuration, "text"))
		return MISSING_BECAUSE("What was given as the SUT's configuration is empty.");
	if (json_array_size(configuration) && has_text(json_object_get(sut, "changes"), NULL))
		return MET_BECAUSE("The default configuration is embedded, and so is what was changed for this test.");
	if (json_array_size(configuration))
		return MET_BECAUSE("The configuration is embedded; no change for this test was named (--sut-change).");
	return MISSING_BECAUSE("Give the SUT's configuration with --sut-config FILE or --sut-config-command COMMAND, and "
			       "what was changed for this test with --sut-change.");
}

/* A goal of which an attribute is not reported. */
static bool is_partial_goal(const json_t *object, const json_t *)
{
	return json_object_get(object, "loss_ratio") &&
	       isnan(read_number(object, "exceed_ratio") + read_number(object, "initial_trial_duration") +
		     read_number(object, "final_trial_duration") + read_number(object, "duration_sum") +
		     read_number(object, "width"));
}

static struct finding judge_attributes(const json_t *document, const struct clause *clause)
{
	bool partial = any_object(json_at(document, "/controller_input/goals"), document, is_partial_goal);

	json_each (size, json_object_get(document, "frame_sizes"))
		partial = partial || any_object(json_at(size, "/throughput/goal_result/goal"), document, is_partial_goal);
	if (partial)
		return MISSING_BECAUSE("An attribute of a goal is not reported.");
	return MET_BECAUSE(clause->met);
}

/* A port of a driver whose links have no medium. */
static bool is_virtual(const json_t *object, const json_t *)
{
	return is_one_of(read_text(object, "driver"), "veth macvlan tun dummy virtio_net");
}

static struct finding judge_media_limit(const json_t *document, const struct clause *clause)
{
	if (!isnan(read_number(document, "line_rate")))
		return MET_BECAUSE(clause->met);
	if (any_object(document_measurer(document), document, is_virtual))
		return NOT_APPLICABLE_AS("The ports are virtual: there is no medium.");
	return MISSING_BECAUSE("The link does not tell its rate.");
}

/* A latency that was measured; whether its definition is missing, too. */
static bool is_latency(const json_t *object, const json_t *)
{
	return json_is_number(json_object_get(object, "p50_ns")) && json_is_string(json_object_get(object, "clock"));
}

static bool is_undefined_latency(const json_t *object, const json_t *document)
{
	return is_latency(object, document) && !*read_text(object, "definition");
}

/* In a suite only the test of latency has latencies. A frame size without latencies does not show how they are defined. */
static struct finding judge_latency_definition(const json_t *document, const struct clause *clause)
{
	const json_t *sizes = json_object_get(document, "frame_sizes");
	bool found = !sizes && any_object(document, document, is_latency);
	bool undefined = !sizes && any_object(document, document, is_undefined_latency);

	json_each (size, sizes) {
		const json_t *latency = json_object_get(size, "latency");
		bool measured = json_is_number(json_object_get(latency, "average_of_means_ns"));

		found = found || measured;
		undefined = undefined || (measured && !*read_text(latency, "definition"));
	}
	if (undefined)
		return MISSING_BECAUSE("A latency does not say what it is.");
	return found ? MET_BECAUSE(clause->met) : NOT_APPLICABLE_AS("No latency was measured.");
}

static size_t frame_sizes_asked(const json_t *document)
{
	char frame_size[FRAME_SIZE_TEXT];
	unsigned int count = 0;

	while (frame_sizes_part(option_of(document, "frame-size"), count, frame_size))
		count++;
	return count;
}

/* Whether a test of the suite was asked for; its member in the document has the name with other strokes. */
static bool is_asked(const json_t *document, const char *member)
{
	char name[32];

	json_each (test, json_object_get(document, "tests")) {
		snprintf(name, sizeof(name), "%s", json_string_value(test));
		for (char *c = name; (c = strchr(c, '-'));)
			*c = '_';
		if (strcmp(name, member) == 0)
			return true;
	}
	return false;
}

static bool is_regular(const json_t *result, const json_t *)
{
	return read_truth(result, "regular");
}

/* Also where nothing was lost at the maximum rate of the medium, which then is the throughput; but not what is the tester's own
 * limit. */
static bool is_throughput(const json_t *result, const json_t *size)
{
	bool at_most = is_line_rate(read_number(result, "throughput"), read_number(size, "line_rate"));

	return (is_regular(result, size) || at_most) && !read_truth(result, "tester_limited");
}

/* A curve without a load that is free of loss is a curve. */
static bool has_points(const json_t *result, const json_t *)
{
	return json_array_size(json_object_get(result, "points")) > 0;
}

/* What each test of the suite has to have come to, so that what the RFC wants to see of it is more than an empty frame. */
static const struct proof {
	const char *test;
	const char *figures[PROOF_FIGURES]; /* numbers */
	bool (*holds)(const json_t *result, const json_t *size);
} proofs[] = {
	{ "throughput", { "throughput" }, is_throughput },
	{ "latency", { "load", "average_of_means_ns" }, is_regular },
	{ "frame_loss", { "max_rate" }, has_points },
	{ "back_to_back", { "average", "measured_throughput", "corrected_buffer_time" }, is_regular },
	{ "recovery", { "overload", "average" }, is_regular },
	{ "reset", { "reset_time" }, is_regular },
};

/* Whether a test has such a result, of a frame size or (NULL) as a whole. */
static bool is_proven(const json_t *result, const char *test, const json_t *size)
{
	const struct proof *proof = proofs;

	while (strcmp(proof->test, test) != 0)
		if (++proof == proofs + COUNT(proofs))
			return false;
	for (size_t i = 0; i < PROOF_FIGURES && proof->figures[i]; i++)
		if (!json_is_number(json_object_get(result, proof->figures[i])))
			return false;
	return proof->holds(result, size);
}

/* Whether the suite did the test that the clause points to, as a whole or at every frame size, and with a result. */
static struct finding judge_test(const json_t *document, const struct clause *clause)
{
	const json_t *sizes = json_object_get(document, "frame_sizes");
	char member[32] = "";
	bool of_sizes = sscanf(clause->where[0], "/frame_sizes/0/%31[^/]", member) == 1, done, proven;

	if (!of_sizes)
		snprintf(member, sizeof(member), "%s", clause->where[0] + 1);
	if (!is_asked(document, member))
		return NOT_APPLICABLE_AS("The test was not asked for.");
	done = of_sizes ? json_array_size(sizes) >= frame_sizes_asked(document) : says(json_object_get(document, member));
	proven = of_sizes || is_proven(json_object_get(document, member), member, NULL);
	json_each (size, of_sizes ? sizes : NULL) {
		const json_t *result = json_object_get(size, member);

		done = done && says(result);
		proven = proven && is_proven(result, member, size);
	}
	if (!done)
		return MISSING_BECAUSE(of_sizes ? "The test was asked for, and not done at every frame size."
						: "The test was asked for, and not done.");
	if (!proven)
		return MISSING_BECAUSE(of_sizes ? "At a frame size the test has no result to show; it says there why."
						: "The test has no result to show; it says there why.");
	return MET_BECAUSE(clause->met);
}

/* The clauses of docs/clauses.tsv. */
static const struct clause clauses[] = {
#include "clauses.inc"
};

/* --- the checklist -------------------------------------------------------------------------------------------------- */

static unsigned int kind_of(const json_t *document)
{
	static const char *const kinds[] = { "search", "trial", "soak", "rfc2544" };
	char kind[KIND_SIZE];
	size_t place;

	document_kind(document, kind);
	place = place_of_word(kind, kinds, COUNT(kinds));
	return place < COUNT(kinds) ? 1u << place : 0;
}

#define PLACE_SIZE 128

/* Return the place that a pointer means, which may be in the buffer: with "/0/", the first item of the list that has it. NULL: it
 * is nowhere. */
static const char *place_of(const json_t *document, const char *pointer, char buffer[PLACE_SIZE])
{
	const char *first = pointer ? strstr(pointer, "/0/") : NULL;
	int before = first ? (int)(first - pointer) : 0;

	if (!pointer || json_at(document, pointer))
		return pointer;
	if (!first)
		return NULL;
	snprintf(buffer, PLACE_SIZE, "%.*s", before, pointer);
	for (size_t i = 1, count = json_array_size(json_at(document, buffer)); i < count; i++) {
		snprintf(buffer, PLACE_SIZE, "%.*s/%zu%s", before, pointer, i, first + 2);
		if (json_at(document, buffer))
			return buffer;
	}
	return NULL;
}

static json_t *pointers_json(const struct clause *clause, const json_t *document)
{
	char buffer[PLACE_SIZE];

	return json_list(i, POINTERS_MAX, json_string(place_of(document, clause->where[i], buffer)));
}

/* What an external measurer may say of itself with its first answer (docs/reference/exec.md), and which clause that
 * answers. */
static const struct described {
	const char *clause, *member;
} described[] = {
	{ "4.1.1", "deviations" },          { "4.4.3", "waits" },
	{ "4.5.2-shape", "load_shape" },    { "4.5.2-different", "load_shape" },
	{ "4.5.4", "traffic_profile" },     { "4.5.5", "loss" },
	{ "4.5.8", "effective_duration" },  { "4.3", "units" },
	{ "4.9.1-freedoms", "duplicates" }, { "4.9.1-benchmark", "limits" },
	{ "4.9.1-offered", "unsent" },      { "26.1-size", "frame_size_octets" },
	{ "26.1-limit", "line_rate" },      { "26.1-protocol", "protocol" },
	{ "26.2-definition", "latency" },
};

/* Whether the external measurer says what the clause asks for. */
static bool is_described(const struct clause *clause, const json_t *document)
{
	const json_t *says_of_itself = json_object_get(document_measurer(document), "described");

	const struct described *row = row_with(described, COUNT(described), clause, clause->clause);

	return row && says(json_object_get(says_of_itself, row->member));
}

/* What says that it is met must be able to show where; that there is none (null) may be the answer. */
static struct finding finding_of(const struct clause *clause, const json_t *document)
{
	char buffer[PLACE_SIZE];
	struct finding finding;

	if (is_measured_by(document, "exec") && is_described(clause, document))
		return MET_BECAUSE("The external measurer says it of itself, in /measurer/described.");
	if (clause->kinds & (TRIALS | FRAMES) && is_measured_by(document, "exec"))
		return MISSING_BECAUSE(
			"It is not known here of an external measurer; let it say it of itself, with its first answer.");
	if (clause->kinds & FRAMES && !sends_frames(document))
		return NOT_APPLICABLE_AS("Nothing was sent: there is no test equipment, no frame and no medium.");
	finding = clause->judge(document, clause);
	for (size_t i = 0; i < POINTERS_MAX && clause->where[i] && finding.status == MET; i++)
		if (place_of(document, clause->where[i], buffer))
			return finding;
	return finding.status == MET ? MISSING_BECAUSE("The document does not say it.") : finding;
}

static bool is_absolute(const struct clause *clause)
{
	return is_one_of(clause->level, "MUST REQUIRED");
}

static struct finding judge_all(const json_t *document, const struct clause *self)
{
	unsigned int kind = kind_of(document);

	for (size_t i = 0; i < COUNT(clauses); i++) {
		const struct clause *clause = &clauses[i];

		if (clause == self || !(clause->kinds & kind) || !is_absolute(clause))
			continue;
		if (finding_of(clause, document).status == MISSING)
			return MISSING_BECAUSE("Something absolutely required is missing: see below.");
	}
	return MET_BECAUSE(self->met);
}

void report_add_checklist(json_t *document)
{
	static const char *const statuses[] = { [MET] = "met", [NOT_APPLICABLE] = "not applicable", [MISSING] = "missing" };
	unsigned int kind = kind_of(document);
	json_t *checklist = json_array();

	json_put(document, "checklist", checklist);
	for (size_t i = 0; i < COUNT(clauses); i++) {
		const struct clause *clause = &clauses[i];
		struct finding finding;

		if (!(clause->kinds & kind))
			continue;
		finding = finding_of(clause, document);
		json_array_append_new(checklist, json_with("document", clause->document, "clause", clause->clause, "level",
							   clause->level, "requirement", clause->requirement, "status",
							   statuses[finding.status], "why", finding.why, "where",
							   pointers_json(clause, document)));
	}
}
