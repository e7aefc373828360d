/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/standing.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "mlr/evidence.h"
#include "mlr/plr.h"
#include "result/findings.h"

#define SAME_LOAD       1e-9 /* a ratio: loads that differ by less are the same */
#define TEXT_SIZE       768
#define VALUE_TEXT_SIZE 160
#define REPEATS_USUAL   5

/* --- may they be compared? ------------------------------------------------------------------------------------------ */

static void quote_value(const json_t *value, char buffer[QUOTE_SIZE])
{
	size_t length = 0;
	owned char *text = json_text(value, false, &length);

	if (text)
		quote(text, length - 1, buffer, QUOTE_SIZE); /* without the line end */
	else
		snprintf(buffer, QUOTE_SIZE, "nothing");
}

/* Write a member that differs, as a sentence. */
static void note_difference(json_t *sentences, const char *name, const json_t *a, const json_t *b)
{
	char in_a[QUOTE_SIZE], in_b[QUOTE_SIZE];

	if ((!a && !b) || json_equal(a, b))
		return;
	quote_value(a, in_a);
	quote_value(b, in_b);
	append_sentence(sentences, "%s: %s in A, %s in B", name, in_a, in_b);
}

static bool is_place(const char *name)
{
	return is_one_of(name, "from to name mac address gateway") || strstr(name, "_mac") || strstr(name, "_address");
}

/* A copy without who sends to whom: that another port or address carries the traffic does not make it another traffic. A new
 * reference. */
static json_t *without_places(const json_t *value)
{
	json_t *copy;

	if (json_is_array(value))
		return json_list(i, json_array_size(value), without_places(json_array_get(value, i)));
	if (!json_is_object(value))
		return json_incref((json_t *)value);
	copy = json_object();
	json_each_member (name, member, value)
		if (!is_place(name))
			json_put(copy, name, without_places(member));
	return copy;
}

/* Add members of either object that differ in the other. */
static void note_differences(json_t *sentences, const char *prefix, const json_t *a, const json_t *b,
			     bool (*skip)(const char *name))
{
	json_auto_t *both = json_object();

	json_object_update(both, (json_t *)a);
	json_object_update_missing(both, (json_t *)b);
	json_each_member (name, value, both) {
		if (skip && skip(name))
			continue;
		note_difference(sentences, TEXT_OF(TEXT_SIZE, "%s%s", prefix, name), json_object_get(a, name),
				json_object_get(b, name));
	}
}

/* Return the goal of a result, by its name. */
static const json_t *goal_of(const json_t *result)
{
	return json_object_get(result, "goal");
}

static const char *goal_name(const json_t *result)
{
	return read_text(goal_of(result), "name");
}

static const json_t *find_goal(const json_t *document, const char *name)
{
	json_each (result, json_object_get(document, "search_result"))
		if (strcmp(goal_name(result), name) == 0)
			return result;
	return NULL;
}

/* Report goals that only one of them has, or that differ in their attributes. */
static void note_goals(json_t *sentences, const json_t *a, const json_t *b)
{
	json_each (result, json_object_get(a, "search_result")) {
		const json_t *other = find_goal(b, goal_name(result));

		if (find_goal(a, goal_name(result)) != result)
			append_sentence(sentences, "goal %s: twice in A", goal_name(result));
		else if (other)
			note_differences(sentences, TEXT_OF(TEXT_SIZE, "goal %s, ", goal_name(result)), goal_of(result),
					 goal_of(other), NULL);
		else
			append_sentence(sentences, "goal %s: only in A", goal_name(result));
	}
	json_each (result, json_object_get(b, "search_result"))
		if (find_goal(b, goal_name(result)) != result)
			append_sentence(sentences, "goal %s: twice in B", goal_name(result));
		else if (!find_goal(a, goal_name(result)))
			append_sentence(sentences, "goal %s: only in B", goal_name(result));
}

json_t *compare_obstacles(const json_t *a, const json_t *b)
{
	static const char *const members[] = { "algorithm", "target_loss_ratio", "load_scope", "aggregate_factor" };
	static const char *const options[] = { "frame-size", "direction", "effective-duration" };
	/* what an external measurer says of its frames */
	static const char *const described[] = { "frame_size_octets", "protocol" };
	const json_t *described_a = json_object_get(document_measurer(a), "described"),
		     *described_b = json_object_get(document_measurer(b), "described");
	const json_t *options_a = json_object_get(a, "configuration"), *options_b = json_object_get(b, "configuration");
	json_t *sentences = json_array();
	json_auto_t *profile_a = NULL, *profile_b = NULL;

	if (!json_object_get(a, "critical_load") != !json_object_get(b, "critical_load")) {
		append_sentence(sentences, "one is a soak, the other a search");
		return sentences;
	}
	for (size_t i = 0; i < COUNT(members); i++)
		note_difference(sentences, members[i], json_object_get(a, members[i]), json_object_get(b, members[i]));
	for (size_t i = 0; i < COUNT(options); i++)
		note_difference(sentences, options[i], json_object_get(options_a, options[i]),
				json_object_get(options_b, options[i]));
	note_difference(sentences, "measurer", json_object_get(json_object_get(a, "measurer"), "name"),
			json_object_get(json_object_get(b, "measurer"), "name"));
	for (size_t i = 0; i < COUNT(described); i++)
		note_difference(sentences, described[i], json_object_get(described_a, described[i]),
				json_object_get(described_b, described[i]));
	profile_a = without_places(json_object_get(a, "traffic_profile"));
	profile_b = without_places(json_object_get(b, "traffic_profile"));
	note_differences(sentences, "traffic_profile.", profile_a, profile_b, NULL);
	note_goals(sentences, a, b);
	return sentences;
}

/* "--frame-size" and the like decide above. */
static bool is_no_setting(const char *name)
{
	return is_one_of(name, "goal preset frame-size direction effective-duration ports require repeat algorithm address "
			       "gateway");
}

static bool is_moment(const char *name)
{
	return strcmp(name, "start_time") == 0;
}

/* Add other differences, which may be why the results differ. */
static json_t *other_differences(const json_t *a, const json_t *b)
{
	json_t *sentences = json_array();

	note_differences(sentences, "", json_object_get(a, "configuration"), json_object_get(b, "configuration"),
			 is_no_setting);
	note_difference(sentences, "tx_backend", json_object_get(json_object_get(a, "measurer"), "tx_backend"),
			json_object_get(json_object_get(b, "measurer"), "tx_backend"));
	note_differences(sentences, "environment.", json_object_get(a, "environment"), json_object_get(b, "environment"),
			 is_moment);
	return sentences;
}

/* --- the verdict ---------------------------------------------------------------------------------------------------- */

struct verdict {
	const char *word;             /* "slower", "faster", "same" (no fall is shown), "unknown" (it cannot be told) */
	const char *method;           /* "repeats", "spread", "single searches", "estimates" or NULL */
	struct mlr_evidence evidence; /* change_ratio NAN: nothing was compared */
	char text[TEXT_SIZE];
};

__attribute__((format(printf, 2, 3))) static void explain(struct verdict *verdict, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(verdict->text, sizeof(verdict->text), format, arguments);
	va_end(arguments);
}

/* Decide whether a fall is shown, none is seen, or what is seen may be chance. Searches that show no fall at all tell
 * nothing. */
static const char *word_of(const struct mlr_evidence *evidence, const struct config *config)
{
	if (evidence->p_slower < config->significance_ratio)
		return "slower";
	if (evidence->p_faster < config->significance_ratio)
		return "faster";
	return evidence->change_ratio >= -config->tolerance_ratio && evidence->detectable_ratio < 1 ? "same" : "unknown";
}

/* "B's threshold, 963 kfps over 3 searches" */
static const char *value_text(const char *name, const struct findings *findings, char buffer[VALUE_TEXT_SIZE])
{
	size_t count = findings->compared.count;

	return text_print(buffer, VALUE_TEXT_SIZE, "%s's %s, %s%s", name,
			  findings->by_trials ? "threshold" : "Conditional Throughput",
			  format_si(findings->compared.mean, "fps", UNIT_ROOM),
			  count > 1 ? TEXT_OF(VALUE_TEXT_SIZE, " over %zu searches", count) : "");
}

static void explain_difference(struct verdict *verdict, const struct config *config, const struct findings *a,
			       const struct findings *b)
{
	const struct mlr_evidence *evidence = &verdict->evidence;
	bool down = evidence->change_ratio < 0;
	double p_value = down ? evidence->p_slower : evidence->p_faster;

	explain(verdict,
		"%s, is %.2f %% %s %s; that it is no more than %g %% has p = %.2g, with a spread of %.2g %% between "
		"searches%s",
		value_text("B", b, ROOM(VALUE_TEXT_SIZE)), 100 * fabs(evidence->change_ratio), down ? "below" : "above",
		value_text("A", a, ROOM(VALUE_TEXT_SIZE)), 100 * config->tolerance_ratio, p_value,
		100 * evidence->stdev_ratio, evidence->source == MLR_SPREAD_ASSUMED ? ", which is assumed" : "");
}

/* Say what would decide it. */
static const char *remedy_text(const struct mlr_evidence *evidence, char buffer[VALUE_TEXT_SIZE])
{
	if (evidence->source == MLR_SPREAD_ASSUMED && evidence->repeats > REPEATS_USUAL)
		text_print(
			buffer, VALUE_TEXT_SIZE,
			"; --repeat %d on both sides shows the true spread, and if it is as assumed, --repeat %zu decides",
			REPEATS_USUAL, evidence->repeats);
	else if (evidence->source == MLR_SPREAD_ASSUMED)
		text_print(buffer, VALUE_TEXT_SIZE, "; --repeat %d on both sides shows smaller ones", REPEATS_USUAL);
	else if (evidence->repeats)
		text_print(buffer, VALUE_TEXT_SIZE, "; %zu searches on each side (--repeat) would decide it",
			   evidence->repeats);
	else
		buffer[0] = '\0';
	return buffer;
}

static void explain_nothing_shown(struct verdict *verdict, const struct config *config)
{
	const struct mlr_evidence *evidence = &verdict->evidence;
	bool is_unknown = strcmp(verdict->word, "unknown") == 0;
	char change[VALUE_TEXT_SIZE],
		shown[VALUE_TEXT_SIZE] = "the trials of these searches scatter so much that no fall is shown";

	if (is_unknown)
		text_print(change, sizeof(change), "B is %.2f %% %s A, which may be chance",
			   100 * fabs(evidence->change_ratio), evidence->change_ratio < 0 ? "below" : "above");
	else
		text_print(change, sizeof(change), "the same within %.2g %% (confidence %g %%)",
			   100 * evidence->within_ratio, 100 * (1 - config->significance_ratio));
	if (evidence->detectable_ratio < 1)
		text_print(shown, sizeof(shown), "these searches show falls of more than %.2g %%",
			   100 * evidence->detectable_ratio);
	explain(verdict, "%s: %s%s", change, shown,
		is_unknown || evidence->source == MLR_SPREAD_ASSUMED ? remedy_text(evidence, ROOM(VALUE_TEXT_SIZE)) : "");
}

static const char *method_of(enum mlr_spread_source source)
{
	static const char *const methods[] = {
		[MLR_SPREAD_ASSUMED] = "single searches",
		[MLR_SPREAD_GIVEN] = "spread",
		[MLR_SPREAD_MEASURED] = "repeats",
	};

	return methods[source];
}

/* Return the side whose SUT may do more than is known, because the tester limited all of its searches; NULL: neither. It
 * matters for a slower B, and for an A that a fall may be hidden of: not where B reaches as far, and may do more, too. */
static const char *hidden_side(const struct verdict *verdict, const struct findings *a, const struct findings *b)
{
	bool hides_a = a->limited == a->runs, hides_b = b->limited == b->runs;

	if (strcmp(verdict->word, "slower") == 0 && hides_b)
		return "B";
	if (strcmp(verdict->word, "same") == 0 && (hides_b || b->at_least))
		return NULL;
	return is_one_of(verdict->word, "faster same") && hides_a ? "A" : NULL;
}

/* Return the side whose SUT may do less than is known, because all of its searches offered less than they say. */
static const char *overstated_side(const struct verdict *verdict, const struct findings *a, const struct findings *b)
{
	if (strcmp(verdict->word, "slower") == 0)
		return a->offered_less == a->runs ? "A" : NULL;
	return is_one_of(verdict->word, "faster same") && b->offered_less == b->runs ? "B" : NULL;
}

/* "B is only at least 2 Mfps" */
static const char *bound_text(const char *name, const struct findings *findings, char buffer[VALUE_TEXT_SIZE])
{
	return text_print(buffer, VALUE_TEXT_SIZE, "%s is %s%s", name,
			  findings->at_least  ? "only at least "
			  : findings->at_most ? "only at most "
					      : "",
			  format_si(findings->compared.mean, "fps", UNIT_ROOM));
}

/* Whether the true change may be further down than the values say (`down`), or further up. */
static bool may_go_on(const struct findings *a, const struct findings *b, bool down)
{
	return down ? a->at_least || b->at_most : a->at_most || b->at_least;
}

/* A threshold that lies above Max Load or below Min Load is known from one side only. Withdraw what it may contradict. */
static void weigh_one_sided(struct verdict *verdict, const struct findings *a, const struct findings *b)
{
	bool down = may_go_on(a, b, true), up = may_go_on(a, b, false);
	bool shown = strcmp(verdict->word, "slower") == 0 ? !up : is_one_of(verdict->word, "faster same") && !down;
	bool least = a->at_least || b->at_least, most = a->at_most || b->at_most;
	char in_a[VALUE_TEXT_SIZE], in_b[VALUE_TEXT_SIZE];

	if (!down && !up)
		return;
	if (a->at_least && b->at_least && fabs(b->compared.mean / a->compared.mean - 1) < SAME_LOAD) {
		verdict->word = "same";
		verdict->evidence.within_ratio = NAN;
		explain(verdict, "no fall is shown: both reach Max Load, %s, and what lies beyond it is not seen",
			format_si(b->compared.mean, "fps", UNIT_ROOM));
		return;
	}
	bound_text("A", a, in_a);
	bound_text("B", b, in_b);
	if (shown && (a->at_least || a->at_most))
		text_join(verdict->text, sizeof(verdict->text), "; ", "%s", in_a);
	if (shown && (b->at_least || b->at_most))
		text_join(verdict->text, sizeof(verdict->text), "; ", "%s", in_b);
	if (shown)
		return;
	verdict->word = "unknown";
	explain(verdict, "%s, and %s: %s%s%s", in_a, in_b, least ? "raise --max-load" : "", least && most ? " and " : "",
		most ? "lower --min-load" : "");
}

/* Withdraw what the values do not show, because a SUT may do more, or less, than they say. */
static void weigh_limits(struct verdict *verdict, const struct findings *a, const struct findings *b)
{
	const char *hidden = hidden_side(verdict, a, b), *overstated = overstated_side(verdict, a, b);

	if (!hidden && !overstated) {
		weigh_one_sided(verdict, a, b);
		return;
	}
	verdict->word = "unknown";
	if (overstated)
		explain(verdict, "less was offered than the Lower Bound of %s, so its SUT may be slower than that says",
			overstated);
	else
		explain(verdict, "the tester's own limit set the bounds of %s, so its SUT may be faster than they say", hidden);
}

static struct verdict judge_goal(const struct config *config, const struct mlr_spread *spread, const struct findings *a,
				 const struct findings *b)
{
	struct mlr_comparison comparison = {
		.tolerance_ratio = config->tolerance_ratio,
		.significance = config->significance_ratio,
		.resolution_ratio = hypot(a->resolution_ratio, b->resolution_ratio),
		.error_ratio = { a->error_ratio, b->error_ratio },
		.spread = *spread,
	};
	struct verdict verdict = { .word = "unknown", .evidence.change_ratio = NAN };

	if (!a->compared.count || !b->compared.count) {
		explain(&verdict, "%s has no bound at all", a->compared.count ? "B" : "A");
		return verdict;
	}
	verdict.evidence = mlr_evidence_of(&a->compared, &b->compared, &comparison);
	verdict.word = word_of(&verdict.evidence, config);
	verdict.method = method_of(verdict.evidence.source);
	if (is_one_of(verdict.word, "slower faster"))
		explain_difference(&verdict, config, a, b);
	else
		explain_nothing_shown(&verdict, config);
	weigh_limits(&verdict, a, b);
	return verdict;
}

static json_t *test_json(const struct mlr_evidence *evidence)
{
	bool down = evidence->change_ratio < 0;
	json_t *json = json_object();

	json_put(json, "name", "Student, one-sided");
	json_put(json, "t", down ? evidence->t_slower : evidence->t_faster);
	json_put_members(json, evidence, degrees_of_freedom);
	json_put(json, "p_value", down ? evidence->p_slower : evidence->p_faster);
	json_put_members(json, evidence, p_slower, p_faster);
	json_put(json, "spread", evidence->stdev_ratio);
	json_put(json, "detectable_fall", evidence->detectable_ratio);
	json_put(json, "within", evidence->within_ratio);
	json_put(json, "repeats_needed", evidence->repeats ? json_of(evidence->repeats) : json_null());
	return json;
}

static json_t *verdict_json(const struct verdict *verdict, const char *goal)
{
	json_t *json = json_with("goal", goal, "verdict", verdict->word, "method", verdict->method, "change",
				 verdict->evidence.change_ratio, "evidence", verdict->text);

	if (!isnan(verdict->evidence.change_ratio))
		json_put(json, "test", test_json(&verdict->evidence));
	return json;
}

static json_t *compare_goal(const struct config *config, const struct mlr_spread *spread, json_t *const results[SIDES],
			    const char *name)
{
	const json_t *of_goal[SIDES] = { json_object_get(results[A], name), json_object_get(results[B], name) };
	struct findings findings[SIDES];
	struct verdict verdict;
	json_t *json;

	findings_find(of_goal, findings);
	verdict = judge_goal(config, spread, &findings[A], &findings[B]);
	json = verdict_json(&verdict, name);
	json_put(json, "a", findings_json(&findings[A]));
	json_put(json, "b", findings_json(&findings[B]));
	findings_free(findings);
	return json;
}

static json_t *compare_goals(const struct config *config, const struct mlr_spread *spread,
			     const json_t *const documents[SIDES])
{
	json_t *list = json_array(), *results[SIDES] = { findings_results(documents[A]), findings_results(documents[B]) };

	json_each (result, json_object_get(documents[A], "search_result"))
		json_array_append_new(list, compare_goal(config, spread, results, goal_name(result)));
	json_decref(results[A]);
	json_decref(results[B]);
	return list;
}

/* --- soaks ---------------------------------------------------------------------------------------------------------- */

/* What a soak says: its estimate. At Max Load the SUT may do more, and at Min Load less. Cells of a campaign say that by bounds. */
static struct findings soak_findings(const json_t *document)
{
	const json_t *load = json_object_get(document, "critical_load");
	bool limited = read_truth(document, "tester_limited"),
	     never = strcmp(read_text(json_object_get(document, "crossings"), "kind"), "never") == 0;
	struct findings findings = {
		.runs = 1,
		.limited = limited,
		.at_least = !limited && (read_number(document, "max_load_probability") > MLR_PLR_LIKELY ||
					 read_number(load, "lower_bound") > 0),
		.at_most = never || read_number(document, "min_load_probability") > MLR_PLR_LIKELY ||
			   read_number(load, "upper_bound") > 0,
		.compared = { .count = 1, .mean = read_number(load, "mean") },
	};

	if (findings.at_least)
		findings.compared.mean = fmax(findings.compared.mean, read_number(document, "max_load"));
	return findings;
}

/* Put the estimate of a soak, and its standing. */
static json_t *soak_json(const json_t *document, const struct findings *findings)
{
	json_t *json = json_copy(json_object_get(document, "critical_load"));

	json_put(json, "regular", json_boolean(standing_of(document) != STANDING_IRREGULAR), "tester_limited",
		 read_truth(document, "tester_limited"));
	if (findings->at_least)
		json_put(json, "relevant_lower_bound_min", findings->compared.mean);
	else if (findings->at_most)
		json_put(json, "relevant_upper_bound_max", findings->compared.mean);
	return json;
}

static json_t *compare_soaks(const struct config *config, const json_t *const documents[SIDES])
{
	const json_t *load[SIDES] = { json_object_get(documents[A], "critical_load"),
				      json_object_get(documents[B], "critical_load") };
	struct findings findings[SIDES] = { soak_findings(documents[A]), soak_findings(documents[B]) };
	double deviation[SIDES] = { read_either(load[A], "robust_stdev", "stdev"),
				    read_either(load[B], "robust_stdev", "stdev") };
	struct mlr_comparison comparison = {
		.tolerance_ratio = config->tolerance_ratio,
		.significance = config->significance_ratio,
		.resolution_ratio =
			hypot(deviation[A] / findings[A].compared.mean, deviation[B] / findings[B].compared.mean),
		.spread = { 0, INFINITY }, /* The spread of soaks is in their estimates. */
	};
	struct verdict verdict = { .word = "unknown", .method = "estimates" };
	json_t *json;

	verdict.evidence = mlr_evidence_of(&findings[A].compared, &findings[B].compared, &comparison);
	if (comparison.resolution_ratio >= 0)
		verdict.word = word_of(&verdict.evidence, config);
	explain(&verdict,
		"the estimates differ by %.3f %%, that is %.1f standard deviations; that it is not above %g %% has p = %.2g",
		100 * fabs(verdict.evidence.change_ratio), fabs(verdict.evidence.change_ratio) / comparison.resolution_ratio,
		100 * config->tolerance_ratio, fmin(verdict.evidence.p_slower, verdict.evidence.p_faster));
	weigh_limits(&verdict, &findings[A], &findings[B]);
	json = verdict_json(&verdict, NULL);
	json_put(json, "a", soak_json(documents[A], &findings[A]));
	json_put(json, "b", soak_json(documents[B], &findings[B]));
	return json_pack("[o]", json);
}

/* --- several comparisons at once --------------------------------------------------------------------------------------- */

/* A change that is no longer believed, because it is one of so many comparisons. */
static void withdraw(json_t *comparison, size_t count)
{
	json_put(comparison, "verdict", "unknown");
	json_put(comparison, "evidence",
		 json_sprintf("one of %zu comparisons, and among so many this may be chance: %s", count,
			      read_text(comparison, "evidence")));
}

/* Believe only those comparisons with this verdict that pass a limit on false discoveries, by this p-value. */
static void limit_discoveries(const struct config *config, json_t *comparisons, const char *word, const char *p_name)
{
	size_t count = json_array_size(comparisons);
	owned double *p_values = memory_noticed(calloc(count + 1, sizeof(*p_values)));
	owned bool *is_significant = memory_noticed(calloc(count + 1, sizeof(*is_significant)));

	if (!p_values || !is_significant)
		return;
	json_each (comparison, comparisons) {
		double p_value = read_number(json_object_get(comparison, "test"), p_name);

		p_values[comparison_at] = isnan(p_value) ? 1 : p_value;
	}
	mlr_false_discovery(p_values, count, config->significance_ratio, is_significant);
	json_each (comparison, comparisons)
		if (!is_significant[comparison_at] && strcmp(read_text(comparison, "verdict"), word) == 0)
			withdraw(comparison, count);
}

void compare_limit_discoveries(const struct config *config, json_t *comparisons)
{
	limit_discoveries(config, comparisons, "slower", "p_slower");
	limit_discoveries(config, comparisons, "faster", "p_faster");
}

enum exit_code compare_outcome(const json_t *comparisons)
{
	if (json_count(comparisons, "verdict", "slower"))
		return EXIT_UNMET;
	return json_count(comparisons, "verdict", "unknown") ? EXIT_USAGE_ERROR : EXIT_DONE;
}

/* --- the document --------------------------------------------------------------------------------------------------- */

static json_t *side_json(const char *path, const json_t *document)
{
	const json_t *environment = json_object_get(document, "environment");

	return json_pack("{s:s, s:O?, s:O?, s:O?, s:O?, s:b}", "file", path, "version",
			 json_object_get(environment, "version"), "hostname", json_object_get(environment, "hostname"),
			 "start_time", json_object_get(environment, "start_time"), "irregular_reason",
			 json_object_get(document, "irregular_reason"), "tester_limited",
			 standing_of_document(document) == STANDING_LIMITED);
}

static enum exit_code refuse_obstacles(const struct config *config, json_t *sentences)
{
	char text[TEXT_SIZE] = "";

	json_each (sentence, sentences)
		text_join(text, sizeof(text), "; ", "%s", json_string_value(sentence));
	json_decref(sentences);
	return *text ? refuse(EXIT_USAGE_ERROR, "%s and %s cannot be compared: %s", config->files[A], config->files[B], text)
		     : EXIT_DONE;
}

json_t *compare_results(const struct config *config, const struct mlr_spread *spread, const json_t *a, const json_t *b)
{
	const json_t *documents[SIDES] = { a, b };

	return json_object_get(a, "critical_load") ? compare_soaks(config, documents)
						   : compare_goals(config, spread, documents);
}

/* The spread between searches that the user knows. */
static struct mlr_spread given_spread(const struct config *config)
{
	return (struct mlr_spread){ config->spread_ratio > 0 ? config->spread_ratio : NAN, INFINITY };
}

/* Report why it cannot be told, once. */
static void tell_unknown(const struct config *config, const json_t *goals)
{
	json_each (goal, goals) {
		const char *name = read_string(goal, "goal");

		if (strcmp(read_text(goal, "verdict"), "unknown") != 0)
			continue;
		refuse(EXIT_USAGE_ERROR, "cannot tell whether %s is slower than %s: %s%s%s", config->files[B],
		       config->files[A], name ? name : "", name ? ": " : "", read_text(goal, "evidence"));
		return;
	}
}

enum exit_code compare_documents(const struct config *config, const json_t *a, const json_t *b, json_t **ret_document)
{
	static const char *const verdicts[] = {
		[EXIT_DONE] = "no regression",
		[EXIT_UNMET] = "regression",
		[EXIT_USAGE_ERROR] = "cannot tell",
	};
	enum exit_code code = refuse_obstacles(config, compare_obstacles(a, b));
	struct mlr_spread spread = given_spread(config);
	json_auto_t *goals = NULL;

	if (code != EXIT_DONE)
		return code;
	goals = compare_results(config, &spread, a, b);
	compare_limit_discoveries(config, goals);
	code = compare_outcome(goals);
	*ret_document =
		json_with("schema", "xdp-mlr/compare/1", "verdict", verdicts[code], "a", side_json(config->files[A], a), "b",
			  side_json(config->files[B], b), "tolerance", config->tolerance_ratio, "significance",
			  config->significance_ratio, "goals", json_incref(goals), "differences", other_differences(a, b));
	if (!*ret_document)
		return out_of_memory();
	if (code == EXIT_USAGE_ERROR)
		tell_unknown(config, goals);
	return code;
}
