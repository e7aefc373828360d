/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/vectors.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/reader.h"
#include "config/stored.h"
#include "mlr/results.h"
#include "result/audit.h"
#include "result/others.h"

#define ANSWER_S    60.0
#define END_GRACE_S 2
#define REPEAT_MOST 100000

/* --- our answers ---------------------------------------------------------------------------------------------------- */

static const char *class_name(enum mlr_load_class class)
{
	static const char *const names[] = { [MLR_LOAD_UNDECIDED] = "undecided",
					     [MLR_LOAD_LOWER_BOUND] = "lower bound",
					     [MLR_LOAD_UPPER_BOUND] = "upper bound" };

	return names[class];
}

static json_t *answer_json(const struct mlr_results *results)
{
	struct mlr_goal_result result;

	if (mlr_results_goal_result(results, 0, NAN, NAN, &result))
		return NULL;
	return json_with("loads",
			 json_list(i, mlr_results_load_count(results),
				   json_with("load", mlr_results_load_fps(results, i), "class",
					     class_name(mlr_results_class(results, i, 0)))),
			 "relevant_lower_bound", result.relevant_lower_bound_fps, "relevant_upper_bound",
			 result.relevant_upper_bound_fps, "conditional_throughput", result.conditional_throughput_fps,
			 "regular", json_boolean(result.irregularity == MLR_REGULAR));
}

/* Answer one question, {"goal", "trials"}; NULL: it is none. */
static json_t *answer(const json_t *question)
{
	json_auto_t *goals = json_pack("{s:[O?], s:O?}", "goals", json_object_get(question, "goal"), "trials",
				       json_object_get(question, "trials"));
	json_auto_t *search = others_search(goals);
	struct mlr_results *results = NULL;
	struct mlr_goal goal;
	json_t *answered = NULL;
	bool right = search && audit_read_goal(json_at(search, "/search_result/0/goal"), &goal) &&
		     mlr_results_new(&goal, 1, &results) == 0;

	json_each (trial, json_object_get(search, "trials")) {
		struct stored_trial one;

		right = right && stored_read_trial(trial, &one) && mlr_results_add(results, &one.result) == 0;
	}
	if (right)
		answered = answer_json(results);
	mlr_results_free(results);
	return answered;
}

static enum exit_code answer_line(const char *path, size_t number, const char *line)
{
	json_auto_t *question = json_loads(line, 0, NULL), *answered = answer(question);
	owned char *text = NULL;
	size_t length;

	if (!answered)
		return refuse(EXIT_USAGE_ERROR, "%s:%zu: this is no goal with trials", path, number);
	text = json_text(answered, false, &length);
	if (!text || fputs(text, stdout) == EOF || fflush(stdout))
		return refuse(EXIT_INCAPABLE, "cannot write to standard output: %s", strerror(errno));
	return EXIT_DONE;
}

static enum exit_code answer_file(const char *path)
{
	bool is_input = strcmp(path, "-") == 0;
	FILE *stream = is_input ? stdin : fopen(path, "re");
	enum exit_code code = EXIT_DONE;
	owned char *line = NULL;
	size_t size = 0, number = 0;

	if (!stream)
		return refuse(EXIT_USAGE_ERROR, "cannot read %s: %s", path, strerror(errno));
	while (code == EXIT_DONE && getline(&line, &size, stream) > 0)
		code = answer_line(is_input ? "standard input" : path, ++number, line);
	if (!is_input)
		fclose(stream);
	return code;
}

enum exit_code vectors_answer(const struct config *config)
{
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < config->file_count && code == EXIT_DONE; i++)
		code = answer_file(config->all_files[i]);
	return code;
}

/* --- another implementation ----------------------------------------------------------------------------------------- */

/* Read a fraction as a text, "333/10", or a number. */
static double fraction_of(const json_t *value)
{
	const char *text = json_string_value(value);
	char *slash;
	double above;

	if (!text)
		return json_is_number(value) ? json_number_value(value) : NAN;
	above = strtod(text, &slash);
	return *slash == '/' ? above / strtod(slash + 1, NULL) : above;
}

static void audit_answer(struct audit *audit, const json_t *expected, const json_t *answered)
{
	const json_t *loads = json_object_get(expected, "loads"), *classes = json_object_get(answered, "loads");

	json_each (load, loads) {
		const json_t *other = json_array_get(classes, load_at);

		if (read_number(load, "load") != read_number(other, "load") ||
		    strcmp(read_text(load, "class"), read_text(other, "class")) != 0)
			contradict(audit, ITEM(MEMBER(NULL, "loads"), load_at),
				   "%s follows of a load of %g, '%.32s' is stated", read_text(load, "class"),
				   read_number(load, "load"), read_text(other, "class"));
	}
	audit_number(audit, NULL, answered, "relevant_lower_bound", read_number(expected, "relevant_lower_bound"));
	audit_number(audit, NULL, answered, "relevant_upper_bound", read_number(expected, "relevant_upper_bound"));
	audit_number(audit, NULL, answered, "conditional_throughput",
		     fraction_of(json_object_get(expected, "conditional_throughput")));
	audit_truth(audit, NULL, answered, "regular", read_truth(expected, "regular"));
}

/* What is not answered is wrong. */
static void audit_members(struct audit *audit, const json_t *answered)
{
	static const char *const members[] = { "loads", "relevant_lower_bound", "relevant_upper_bound",
					       "conditional_throughput", "regular" };

	for (size_t i = 0; i < COUNT(members); i++)
		if (!json_object_get(answered, members[i]))
			contradict(audit, MEMBER(NULL, members[i]), "the answer does not have it");
}

static void show_wrong(const char *path, const json_t *vector, const json_t *contradictions)
{
	json_each (sentence, contradictions)
		printf("%s: %s: %s\n", path, QUOTED(read_text(vector, "name")), QUOTED(json_string_value(sentence)));
}

/* The trials of a vector, each as often as its "repeat" says, and with its effective duration. A new reference. */
static json_t *unfolded(const json_t *trials)
{
	json_t *all = json_array();

	json_each (trial, trials) {
		json_auto_t *one = json_copy((json_t *)trial);
		double times = fmin(fmax(read_number(trial, "repeat"), 1), REPEAT_MOST);

		json_object_del(one, "repeat");
		if (!json_object_get(one, "trial_effective_duration"))
			json_object_set(one, "trial_effective_duration", json_object_get(one, "trial_duration"));
		for (double i = 0; i < times; i++)
			json_array_append(all, one);
	}
	return all;
}

/* Ask a question, and compare the answer. EXIT_UNMET: it is wrong. */
static enum exit_code ask(struct child *child, const char *path, const json_t *vector)
{
	json_auto_t *question = json_with("goal", json_incref(json_object_get(vector, "goal")) ?: json_null(), "trials",
					  unfolded(json_object_get(vector, "trials")));
	json_auto_t *answered = NULL, *contradictions = json_array();
	struct audit audit = { .contradictions = contradictions };
	size_t length, answer_length;
	owned char *text = json_text(question, false, &length);
	enum child_event event;
	char *line;

	if (!text)
		return out_of_memory();
	event = child_ask(child, text, length, clock_ns() + (uint64_t)(ANSWER_S * NS_PER_S), &line, &answer_length);
	if (event != CHILD_LINE)
		return event == CHILD_STOPPED
			       ? EXIT_INTERRUPTED
			       : refuse(EXIT_INVALID, "--vectors: the command did not answer vector '%s' (it %s)",
					QUOTED(read_text(vector, "name")), child_fate(child, ROOM(CHILD_FATE_SIZE)));
	answered = reader_json(line, answer_length, 0);
	child_taken(child, answer_length);
	audit_answer(&audit, json_object_get(vector, "expected"), answered);
	audit_members(&audit, answered);
	show_wrong(path, vector, contradictions);
	return json_array_size(contradictions) ? EXIT_UNMET : EXIT_DONE;
}

static enum exit_code ask_file(struct child *child, const char *path, size_t *asked, size_t *wrong)
{
	json_auto_t *document = reader_json_file(path);
	const json_t *vectors = json_object_get(document, "vectors");
	enum exit_code code = EXIT_DONE;

	if (!json_is_array(vectors))
		return refuse(EXIT_USAGE_ERROR, "%s holds no vectors", path);
	json_each (vector, vectors) {
		code = ask(child, path, vector);
		++*asked;
		*wrong += code == EXIT_UNMET;
		if (code != EXIT_DONE && code != EXIT_UNMET)
			return code;
	}
	return EXIT_DONE;
}

enum exit_code vectors_ask(const struct config *config)
{
	enum exit_code code = EXIT_DONE;
	size_t asked = 0, wrong = 0;
	struct child child;
	int error = child_start(&child, config->vectors_command);

	if (error)
		return refuse(EXIT_INCAPABLE, "cannot start the command of --vectors: %s", strerror(-error));
	for (size_t i = 0; i < config->file_count && code == EXIT_DONE; i++)
		code = ask_file(&child, config->all_files[i], &asked, &wrong);
	child_end(&child, END_GRACE_S);
	if (code == EXIT_DONE)
		note("%zu vectors, %zu answered wrong", asked, wrong);
	return code == EXIT_DONE && wrong ? EXIT_UNMET : code;
}
