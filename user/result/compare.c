/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/standing.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "mlr/welch.h"

#define TEXT_SIZE 512

enum side { A, B, SIDES };

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

/* A member that differs, as a sentence. */
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
	json_t *copy, *item;
	const char *name;
	size_t i;

	if (json_is_object(value)) {
		copy = json_object();
		json_object_foreach ((json_t *)value, name, item)
			if (!is_place(name))
				json_object_set_new(copy, name, without_places(item));
		return copy;
	}
	if (!json_is_array(value))
		return json_incref((json_t *)value);
	copy = json_array();
	json_array_foreach (value, i, item)
		json_array_append_new(copy, without_places(item));
	return copy;
}

/* Members of either object that differ in the other. */
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

/* The goal of a result, by its name. */
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

/* Goals that only one of them has, or that differ in their attributes. */
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

/* What else is not the same, and may be why the results are not. */
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

/* --- what a document says of a goal --------------------------------------------------------------------------------- */

/* One goal in one document, over all of its searches. */
struct findings {
	size_t runs;
	double lower_least_fps, lower_most_fps; /* Relevant Lower Bounds; without one: 0 */
	double upper_least_fps, upper_most_fps; /* Relevant Upper Bounds; without one: infinite */
	struct mlr_sample throughput;           /* Conditional Throughputs, of those that have one */
	double resolution_variance;             /* of the mean throughput: what the width between the bounds leaves open */
	bool tester_limited, irregular;
	json_t *each; /* the throughputs */
};

static void add_results(json_t *by_goal, const json_t *results)
{
	json_each (result, results)
		json_array_append(json_list_at(by_goal, goal_name(result)), result);
}

/* The results of all searches of a document. A new object, of an array a goal. */
static json_t *results_by_goal(const json_t *document)
{
	json_t *runs = json_object_get(json_object_get(document, "repeats"), "runs"), *by_goal = json_object();

	json_each (run, runs)
		add_results(by_goal, json_object_get(run, "search_result"));
	if (!json_object_size(by_goal))
		add_results(by_goal, json_object_get(document, "search_result"));
	return by_goal;
}

/* Take one Goal Result into the findings. */
static void add_result(struct findings *findings, const json_t *result, double *throughputs, double *width_fps)
{
	double lower_fps = read_number(result, "relevant_lower_bound"),
	       upper_fps = read_number(result, "relevant_upper_bound");
	double throughput_fps = read_number(result, "conditional_throughput");

	findings->irregular |= !read_truth(result, "regular");
	findings->tester_limited |= read_truth(result, "tester_limited");
	findings->runs++;
	if (!isnan(throughput_fps)) {
		throughputs[findings->throughput.count++] = throughput_fps;
		json_array_append_new(findings->each, json_real(throughput_fps));
		if (upper_fps > lower_fps)
			*width_fps = fmax(*width_fps, (upper_fps - lower_fps) / lower_fps * throughput_fps);
	}
	lower_fps = isnan(lower_fps) ? 0 : lower_fps;
	upper_fps = isnan(upper_fps) ? INFINITY : upper_fps;
	findings->lower_least_fps = fmin(findings->lower_least_fps, lower_fps);
	findings->lower_most_fps = fmax(findings->lower_most_fps, lower_fps);
	findings->upper_least_fps = fmin(findings->upper_least_fps, upper_fps);
	findings->upper_most_fps = fmax(findings->upper_most_fps, upper_fps);
}

/* Without memory: no throughputs. */
static struct findings find_goal_results(const json_t *results)
{
	struct findings findings = { .lower_least_fps = INFINITY, .upper_least_fps = INFINITY, .each = json_array() };
	double width_fps = 0;
	owned double *throughputs = memory_noticed(calloc(json_array_size(results) + 1, sizeof(*throughputs)));

	for (size_t i = 0; throughputs && i < json_array_size(results); i++)
		add_result(&findings, json_array_get(results, i), throughputs, &width_fps);
	findings.throughput = mlr_sample_of(throughputs, findings.throughput.count);
	/* the truth lies anywhere between the bounds with the same probability: the variance of that */
	findings.resolution_variance = width_fps * width_fps / 12;
	return findings;
}

/* A bound; null for what does not exist. */
static json_t *bound_json(double load_fps)
{
	return load_fps > 0 ? json_number_or_null(load_fps) : json_null();
}

static json_t *findings_json(const struct findings *findings)
{
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:O, s:b, s:b}", "searches", (json_int_t)findings->runs,
			 "relevant_lower_bound_min", bound_json(findings->lower_least_fps), "relevant_lower_bound_max",
			 bound_json(findings->lower_most_fps), "relevant_upper_bound_min",
			 bound_json(findings->upper_least_fps), "relevant_upper_bound_max",
			 bound_json(findings->upper_most_fps), "conditional_throughput_mean",
			 json_number_or_null(findings->throughput.mean), "conditional_throughput_stdev",
			 json_number_or_null(findings->throughput.stdev), "conditional_throughputs", findings->each,
			 "tester_limited", (int)findings->tester_limited, "regular", !findings->irregular);
}

/* --- the verdict ---------------------------------------------------------------------------------------------------- */

struct verdict {
	const char *word;       /* "slower", "faster", "same" (nothing shows a difference), "unknown" */
	const char *method;     /* "bounds", "repeats", "estimates" or NULL */
	double change_ratio;    /* of the mean throughput, (B - A) / A; NAN: not known */
	struct mlr_welch welch; /* of the direction in which B lies from A */
	bool tested;
	char evidence[TEXT_SIZE];
};

__attribute__((format(printf, 2, 3))) static void explain(struct verdict *verdict, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(verdict->evidence, sizeof(verdict->evidence), format, arguments);
	va_end(arguments);
}

/* Whether all bounds of `slow` lie below all of `fast`. */
static bool bounds_below(const struct findings *fast, const struct findings *slow, double tolerance_ratio)
{
	return slow->upper_most_fps < fast->lower_least_fps * (1 - tolerance_ratio);
}

/* Whether the mean of `slow` lies below that of `fast`. */
static bool test_below(const struct findings *fast, const struct findings *slow, const struct config *config,
		       struct verdict *verdict)
{
	double margin_fps = config->tolerance_ratio * fast->throughput.mean;

	if (fast->throughput.count < 2 || slow->throughput.count < 2)
		return false;
	verdict->tested = true;
	verdict->welch = mlr_welch_below(&fast->throughput, &slow->throughput, margin_fps,
					 fast->resolution_variance + slow->resolution_variance);
	return verdict->welch.p_value < config->significance_ratio;
}

static void explain_bounds(struct verdict *verdict, const char *fast_name, const struct findings *fast,
			   const char *slow_name, const struct findings *slow)
{
	bool several = fast->runs > 1 || slow->runs > 1;

	verdict->method = "bounds";
	explain(verdict, "%s%s Relevant Upper Bound, %s, is %.2f %% below %s%s Relevant Lower Bound, %s", slow_name,
		several ? "'s largest" : "'s", format_si(slow->upper_most_fps, "fps", UNIT_ROOM),
		100 * (1 - slow->upper_most_fps / fast->lower_least_fps), fast_name, several ? "'s smallest" : "'s",
		format_si(fast->lower_least_fps, "fps", UNIT_ROOM));
}

/* Look for evidence that `slow` is below `fast`; true if there is. */
static bool find_evidence(struct verdict *verdict, const struct config *config, const char *fast_name,
			  const struct findings *fast, const char *slow_name, const struct findings *slow)
{
	bool tested = test_below(fast, slow, config, verdict);

	if (bounds_below(fast, slow, config->tolerance_ratio)) {
		explain_bounds(verdict, fast_name, fast, slow_name, slow);
		return true;
	}
	if (!tested)
		return false;
	verdict->method = "repeats";
	explain(verdict,
		"%s's mean Conditional Throughput of %zu searches, %s, is below %s's of %zu, %s, by more than %g %% "
		"(Welch's test, p = %.2g)",
		slow_name, slow->throughput.count, format_si(slow->throughput.mean, "fps", UNIT_ROOM), fast_name,
		fast->throughput.count, format_si(fast->throughput.mean, "fps", UNIT_ROOM), 100 * config->tolerance_ratio,
		verdict->welch.p_value);
	return true;
}

/* Nothing was found: neither bounds nor a throughput. */
static bool is_empty(const struct findings *findings)
{
	return findings->lower_most_fps == 0 && isinf(findings->upper_least_fps) && !findings->throughput.count;
}

static struct verdict judge_goal(const struct config *config, const struct findings *a, const struct findings *b)
{
	struct verdict verdict = { .word = "same",
				   .change_ratio = (b->throughput.mean - a->throughput.mean) / a->throughput.mean };
	bool down = !(b->throughput.mean > a->throughput.mean || isnan(a->throughput.mean));
	const struct findings *fast = down ? a : b, *slow = down ? b : a;

	if (is_empty(a) || is_empty(b)) {
		verdict.word = "unknown";
		explain(&verdict, "%s has no bound at all", is_empty(a) ? "A" : "B");
		return verdict;
	}
	if (find_evidence(&verdict, config, down ? "A" : "B", fast, down ? "B" : "A", slow))
		verdict.word = down ? "slower" : "faster";
	if (strcmp(verdict.word, "same") != 0 && slow->tester_limited) {
		verdict.word = "unknown";
		explain(&verdict, "the tester's own limit set the bounds of %s, so its SUT may be faster than they say",
			slow == a ? "A" : "B");
	} else if (strcmp(verdict.word, "same") == 0) {
		explain(&verdict, "%s no change above %g %%%s",
			verdict.tested ? "bounds and repeats show" : "the bounds show", 100 * config->tolerance_ratio,
			verdict.tested ? "" : "; repeats on both sides (search --repeat) would show smaller ones");
	}
	return verdict;
}

static json_t *verdict_json(const struct verdict *verdict, const char *goal)
{
	json_t *json =
		json_pack("{s:s?, s:s, s:s?, s:o, s:s}", "goal", goal, "verdict", verdict->word, "method", verdict->method,
			  "change", json_number_or_null(verdict->change_ratio), "evidence", verdict->evidence);

	if (verdict->tested)
		json_object_set_new(json, "test",
				    json_pack("{s:s, s:o, s:o, s:f}", "name", "Welch, one-sided", "t",
					      json_number_or_null(verdict->welch.t), "degrees_of_freedom",
					      json_number_or_null(verdict->welch.degrees_of_freedom), "p_value",
					      verdict->welch.p_value));
	return json;
}

static json_t *compare_goal(const struct config *config, json_t *const results[SIDES], const char *goal)
{
	struct findings a = find_goal_results(json_object_get(results[A], goal)),
			b = find_goal_results(json_object_get(results[B], goal));
	struct verdict verdict = judge_goal(config, &a, &b);
	json_t *json = verdict_json(&verdict, goal);

	json_object_set_new(json, "a", findings_json(&a));
	json_object_set_new(json, "b", findings_json(&b));
	json_decref(a.each);
	json_decref(b.each);
	return json;
}

static json_t *compare_goals(const struct config *config, const json_t *const documents[SIDES])
{
	json_t *list = json_array(), *results[SIDES] = { results_by_goal(documents[A]), results_by_goal(documents[B]) };

	json_each (result, json_object_get(documents[A], "search_result"))
		json_array_append_new(list, compare_goal(config, results, goal_name(result)));
	json_decref(results[A]);
	json_decref(results[B]);
	return list;
}

/* --- soaks ---------------------------------------------------------------------------------------------------------- */

/* The estimate of a soak, and how it stands. */
static json_t *soak_findings(const json_t *document)
{
	json_t *findings = json_copy(json_object_get(document, "critical_load"));

	json_object_update_new(findings, json_pack("{s:b, s:b}", "regular", standing_of(document) != STANDING_IRREGULAR,
						   "tester_limited", (int)read_truth(document, "tester_limited")));
	return findings;
}

static json_t *compare_soaks(const struct config *config, const json_t *const documents[SIDES])
{
	const json_t *load[SIDES] = { json_object_get(documents[A], "critical_load"),
				      json_object_get(documents[B], "critical_load") };
	struct mlr_sample mean[SIDES] = { { .count = 1, .mean = read_number(load[A], "mean") },
					  { .count = 1, .mean = read_number(load[B], "mean") } };
	double variance = pow(read_either(load[A], "robust_stdev", "stdev"), 2) +
			  pow(read_either(load[B], "robust_stdev", "stdev"), 2);
	struct verdict verdict = {
		.word = "same", .method = "estimates", .change_ratio = mean[B].mean / mean[A].mean - 1, .tested = true
	};
	bool down = mean[B].mean < mean[A].mean;
	json_t *json;

	verdict.welch = mlr_welch_below(&mean[!down], &mean[down], config->tolerance_ratio * mean[!down].mean, variance);
	if (!(variance >= 0))
		verdict.word = "unknown";
	else if (verdict.welch.p_value < config->significance_ratio)
		verdict.word = down ? "slower" : "faster";
	explain(&verdict,
		"the estimates differ by %.3f %%, that is %.1f standard deviations; that it is not above %g %% has p = %.2g",
		100 * fabs(verdict.change_ratio), fabs(mean[B].mean - mean[A].mean) / sqrt(variance),
		100 * config->tolerance_ratio, verdict.welch.p_value);
	json = verdict_json(&verdict, NULL);
	json_object_set_new(json, "a", soak_findings(documents[A]));
	json_object_set_new(json, "b", soak_findings(documents[B]));
	return json_pack("[o]", json);
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

static size_t count_verdicts(const json_t *goals, const char *word)
{
	size_t count = 0;

	json_each (goal, goals)
		count += strcmp(read_string(goal, "verdict"), word) == 0;
	return count;
}

/* What makes it impossible to tell, of the goals. */
static enum exit_code refuse_unknown(const struct config *config, const json_t *goals)
{
	json_each (goal, goals) {
		const char *name = read_string(goal, "goal");

		if (strcmp(read_string(goal, "verdict"), "unknown") == 0)
			return refuse(EXIT_USAGE_ERROR, "%s and %s cannot be compared: %s%s%s", config->files[A],
				      config->files[B], name ? name : "", name ? ": " : "", read_string(goal, "evidence"));
	}
	return EXIT_DONE;
}

static enum exit_code refuse_obstacles(const struct config *config, json_t *sentences)
{
	char text[TEXT_SIZE] = "";

	for (size_t i = 0; i < json_array_size(sentences); i++)
		text_join(text, sizeof(text), "; ", "%s", json_string_value(json_array_get(sentences, i)));
	json_decref(sentences);
	return *text ? refuse(EXIT_USAGE_ERROR, "%s and %s cannot be compared: %s", config->files[A], config->files[B], text)
		     : EXIT_DONE;
}

json_t *compare_results(const struct config *config, const json_t *a, const json_t *b)
{
	const json_t *documents[SIDES] = { a, b };

	return json_object_get(a, "critical_load") ? compare_soaks(config, documents) : compare_goals(config, documents);
}

enum exit_code compare_documents(const struct config *config, const json_t *a, const json_t *b, json_t **ret_document)
{
	enum exit_code code = refuse_obstacles(config, compare_obstacles(a, b));
	json_auto_t *goals = NULL;
	bool slower;

	if (code != EXIT_DONE)
		return code;
	goals = compare_results(config, a, b);
	slower = count_verdicts(goals, "slower") > 0;
	if (!slower)
		code = refuse_unknown(config, goals);
	if (code != EXIT_DONE)
		return code;
	*ret_document = json_pack("{s:s, s:s, s:o, s:o, s:f, s:f, s:O, s:o}", "schema", "xdp-mlr/compare/1", "verdict",
				  slower ? "regression" : "no regression", "a", side_json(config->files[A], a), "b",
				  side_json(config->files[B], b), "tolerance", config->tolerance_ratio, "significance",
				  config->significance_ratio, "goals", goals, "differences", other_differences(a, b));
	if (!*ret_document)
		return refuse(EXIT_INCAPABLE, "out of memory");
	return slower ? EXIT_UNMET : EXIT_DONE;
}
