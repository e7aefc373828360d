/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/stored.h"

#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/json_file.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/keeper.h"
#include "base/reader.h"
#include "base/schema.h"

#define SCHEMA "xdp-mlr/search/1"

/* --- the file: one document, or events ------------------------------------------------------------------------------ */

static bool is_event(const json_t *line, const char *name)
{
	return !strcmp(read_text(line, "event"), name);
}

/* The state of a run that its events have told so far. */
struct told {
	json_t *document; /* document that the finished run would have written */
	json_t *bounds;   /* the last event of the bounds of a goal, by its name */
	bool repeated;    /* The run has several searches; the result is one of them. */
};

static void add_event(struct told *told, const json_t *line)
{
	json_t *trial = json_object_get(line, "trial_result");
	const char *goal = read_string(line, "goal");

	if (is_event(line, "run_started")) {
		told->repeated = true;
		json_put(told->document, "trials", json_array());
	}
	if (json_object_get(line, "configuration"))
		json_object_update(told->document, (json_t *)line);
	if (is_event(line, "trial_finished") && trial)
		json_append_packed(json_object_get(told->document, "trials"), json_incref(trial));
	if (is_event(line, "bounds") && goal)
		json_object_set(told->bounds, goal, (json_t *)line);
}

static enum exit_code refuse_line(const char *path, size_t line, const char *what)
{
	return refuse(EXIT_USAGE_ERROR,
		      "%s:%zu: this line is not as it was written: %s; go on from those before it ('head -n %zu'), or, if "
		      "you changed it yourself, take its crc32 out",
		      path, line, what, line - 1);
}

static bool has_other_bounds(const json_t *result, const json_t *bounds)
{
	if (!strcmp(read_text(result, "algorithm"), "phased")) /* Its result follows draft-01, and its events RFC 9971. */
		return false;
	json_each (of_goal, json_object_get(result, "search_result")) {
		const char *name = read_string(json_object_get(of_goal, "goal"), "name");
		const json_t *told = name ? json_object_get(bounds, name) : NULL;

		if (told && (json_differ(told, of_goal, "relevant_lower_bound") ||
			     json_differ(told, of_goal, "relevant_upper_bound")))
			return true;
	}
	return false;
}

/* Return what of a result, which has no checksum, contradicts the events before it, which have theirs; NULL: nothing. */
static const char *other_than_told(const json_t *result, const struct told *told)
{
	static const char *const setting[] = { "configuration", "algorithm", "controller_input", "max_load_source" };
	const json_t *trials = json_object_get(told->document, "trials");

	for (size_t i = 0; i < (told->repeated ? 1 : COUNT(setting)); i++)
		if (json_differ(told->document, result, setting[i]))
			return setting[i];
	if (told->repeated || !json_array_size(trials) ||
	    json_array_size(trials) != json_array_size(json_object_get(result, "trials")))
		return NULL;
	return json_differ(told->document, result, "trials") ? "trials"
	       : has_other_bounds(result, told->bounds)      ? "bounds"
							     : NULL;
}

/* Check one line, of an event or of the result, which is the last. */
static enum exit_code check_line(const char *path, size_t number, const json_t *line, const struct told *told)
{
	const char *other = json_object_get(line, "schema") ? other_than_told(line, told) : NULL;

	if (!checksum_holds(line))
		return refuse_line(path, number, "its checksum (crc32) is another");
	if (!other)
		return EXIT_DONE;
	return refuse_line(path, number, TEXT_OF(64, "its %s: the events before it say otherwise", other));
}

/* Get the document of an event stream, of which the first line was read: its last line if the run ended, otherwise what its
 * events amount to. A line that was cut short ends it. *ret is NULL if there is none. */
static enum exit_code assemble(const char *path, struct json_file *file, json_t *line, json_t **ret)
{
	struct told told = { .document = json_with("schema", SCHEMA, "trials", json_array()), .bounds = json_object() };
	enum exit_code code = EXIT_DONE;
	size_t number = 0;

	for (; line; line = json_file_next(file)) {
		code = check_line(path, ++number, line, &told);
		if (json_object_get(line, "schema") || code != EXIT_DONE)
			break;
		json_object_del(line, "crc32");
		add_event(&told, line);
		json_decref(line);
	}
	if (code == EXIT_DONE && line && !json_file_ended(file))
		code = refuse(EXIT_USAGE_ERROR, "%s: something stands behind the result, which must be the last", path);
	if (file->exceeded)
		code = refuse(EXIT_USAGE_ERROR, "%s:%zu: %s", path, number + 1, file->exceeded);
	else if (code == EXIT_DONE && !line && number && !feof(file->stream)) /* The last line may be cut short. */
		code = refuse_line(path, number + 1, "it is no JSON");
	if (line || !number)
		json_decref(told.document);
	*ret = line || !number ? line : told.document;
	json_decref(told.bounds);
	return code;
}

/* A file, and who reads it: we, or a reader. */
struct source {
	const char *path;
	struct json_file *file;
};

/* Assemble the document in the reader: null if there is none. */
static enum exit_code write_document(void *context, FILE *flat)
{
	const struct source *source = context;
	json_auto_t *document = NULL;
	enum exit_code code = assemble(source->path, source->file, json_file_next(source->file), &document);

	if (code == EXIT_DONE)
		flat_write(flat, document ? document : json_null());
	return code;
}

/* Have a process without privileges read the file. One that has none, and so has a keeper, reads it by itself. */
static enum exit_code read_apart(const char *path, struct json_file *file, json_t **ret)
{
	struct source source = { .path = path, .file = file };
	const struct reader_plan plan = { .parse = write_document, .context = &source, .fd = file->fd, .name = path };
	enum exit_code code;

	if (keeper_is_there())
		return assemble(path, file, json_file_next(file), ret);
	code = reader_run(&plan, ret, NULL);
	if (code == EXIT_DONE && json_is_null(*ret))
		*ret = NULL;
	return code;
}

/* Close the file that a document came from, and hand the document over if it fits its schema. */
static enum exit_code end(const char *path, struct json_file *file, enum exit_code code, json_t *document, json_t **ret)
{
	char problem[SCHEMA_PROBLEM_SIZE];

	json_file_close(file);
	if (code == EXIT_DONE && document && !schema_fits(document, problem))
		code = refuse(EXIT_USAGE_ERROR, "%s: %s", path, problem);
	if (code == EXIT_DONE)
		*ret = document;
	else
		json_decref(document);
	return code;
}

static enum exit_code begin(const char *path, struct json_file *ret)
{
	int error = json_file_open(path, ret);

	return error ? refuse(EXIT_USAGE_ERROR, "cannot read %s: %s", path, strerror(-error)) : EXIT_DONE;
}

enum exit_code stored_document(const char *path, json_t **ret)
{
	struct json_file file;
	enum exit_code code = begin(path, &file);
	json_t *document = NULL;

	if (code != EXIT_DONE)
		return code;
	code = read_apart(path, &file, &document);
	return end(path, &file, code, document, ret);
}

enum exit_code stored_or_other(const char *path, json_t **ret, json_t **ret_other)
{
	struct json_file file;
	enum exit_code code = begin(path, &file);
	json_t *document = NULL, *first;

	if (code != EXIT_DONE)
		return code;
	first = json_file_next(&file);
	if (!first || read_string(first, "schema") || read_string(first, "event"))
		code = assemble(path, &file, first, &document);
	else
		*ret_other = first;
	return end(path, &file, code, document, ret);
}

static enum exit_code read_document(const char *path, json_t **ret)
{
	const char *schema;
	json_t *document = NULL;
	enum exit_code code = stored_document(path, &document);

	if (code != EXIT_DONE)
		return code;
	schema = read_string(document, "schema");
	if (schema && !strcmp(schema, SCHEMA)) {
		*ret = document;
		return EXIT_DONE;
	}
	if (schema)
		refuse(EXIT_USAGE_ERROR, "%s is a document '%s'; a stored search, '%s', is needed", path, schema, SCHEMA);
	else
		refuse(EXIT_USAGE_ERROR, "%s is no stored search: write one by 'search --format json' or jsonl", path);
	json_decref(document);
	return EXIT_USAGE_ERROR;
}

/* --- its parts ------------------------------------------------------------------------------------------------------ */

/* Return what the SUT lost of the frames sent, as an external measurer says, or by the counts. It is 0 if they are missing,
 * or it is not known whether they can be used. */
static double read_sut_loss_ratio(const json_t *trial)
{
	const json_t *stated = json_object_get(trial, "sut_loss_ratio");
	double sut = json_number_value(json_at(trial, "/loss_attribution/sut"));
	double sent = json_number_value(json_at(trial, "/counts/sent"));

	if (json_is_number(stated))
		return json_number_value(stated);
	if (strcmp(read_text(trial, "tester_limited_reason"), NOBODY_ANSWERED) == 0)
		return 0;
	return sut > 0 && sent > 0 ? sut / sent : 0;
}

/* Whether less than the Trial Load was offered. Documents of earlier versions say so by the reason alone. */
static bool read_offered_less(const json_t *trial)
{
	const json_t *stated = json_object_get(trial, "offered_less");

	if (json_is_boolean(stated))
		return json_is_true(stated);
	return strcmp(read_text(trial, "tester_limited_reason"), LOAD_WAS_OFF) == 0;
}

bool stored_read_trial(const json_t *json, struct stored_trial *ret)
{
	struct mlr_trial_result *result = &ret->result;
	int error = json_unpack((json_t *)json, "{s:F, s:F, s:F, s:F, s:F}", "trial_load", &result->input.load_fps,
				"trial_duration", &result->input.duration_s, "trial_loss_ratio", &result->output.loss_ratio,
				"trial_effective_duration", &result->output.effective_duration_s, "trial_forwarding_rate",
				&result->output.forwarding_rate_fps);

	ret->warmup = read_truth(json, "warmup");
	ret->tester_limited = read_truth(json, "tester_limited");
	ret->offered_less = ret->tester_limited && read_offered_less(json);
	ret->sut_loss_ratio = read_sut_loss_ratio(json);
	return !error && mlr_trial_result_valid(result);
}

bool stored_is_limited(const struct stored *stored, const char *goal)
{
	json_each (result, json_object_get(stored->document, "search_result"))
		if (strcmp(read_text(json_object_get(result, "goal"), "name"), goal) == 0)
			return read_truth(result, "tester_limited");
	return false;
}

static enum exit_code read_trials(const char *path, struct stored *stored)
{
	const json_t *trials = json_object_get(stored->document, "trials");
	size_t count = json_array_size(trials);

	stored->trials = calloc(count + 1, sizeof(*stored->trials));
	if (!stored->trials)
		return out_of_memory();
	json_each (trial, trials) {
		struct stored_trial *one = &stored->trials[stored->trial_count++];

		one->json = json_incref(trial);
		if (!stored_read_trial(trial, one))
			return refuse(EXIT_USAGE_ERROR, "%s: trial %zu lacks a value, or has one out of range", path,
				      stored->trial_count);
	}
	return EXIT_DONE;
}

/* Return how long the search took so far: as it says, or else the sum of its trials. */
static double read_duration_s(const struct stored *stored)
{
	double duration_s = read_number(stored->document, "search_duration"), sum_s = 0.0;

	for (size_t i = 0; i < stored->trial_count; i++)
		sum_s += read_either(stored->trials[i].json, "wall_duration", "trial_effective_duration");
	return isnan(duration_s) ? sum_s : duration_s;
}

enum exit_code stored_read(const char *path, struct stored *ret)
{
	struct stored stored = { 0 };
	enum exit_code code = read_document(path, &stored.document);

	if (code)
		return code;
	stored.configuration = json_object_get(stored.document, "configuration");
	stored.controller_input = json_object_get(stored.document, "controller_input");
	stored.max_load_source = read_string(stored.document, "max_load_source");
	if (!json_is_object(stored.configuration) || !json_is_object(stored.controller_input) || !stored.max_load_source)
		code = refuse(EXIT_USAGE_ERROR,
			      "%s does not say how its search was set up (configuration, controller_input)", path);
	else
		code = read_trials(path, &stored);
	if (code) {
		stored_free(&stored);
		return code;
	}
	stored.duration_s = read_duration_s(&stored);
	*ret = stored;
	return EXIT_DONE;
}

void stored_free(struct stored *stored)
{
	for (size_t i = 0; i < stored->trial_count; i++)
		json_decref(stored->trials[i].json);
	free(stored->trials);
	json_decref(stored->document);
	*stored = (struct stored){ 0 };
}
