/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a stored search is read as, whole or as the events of one that died. */
#include "../test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/json_read.h"
#include "config/stored.h"

#define SEARCH "tests/golden/search-1-sim.json"
#define EVENTS "tests/golden/events-1-search.jsonl"
#define LINES  64

static char path[] = "/tmp/xdp-mlr-test-stored-XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static json_t *parse(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);

	assert_non_null(json);
	return json;
}

static json_t *golden(void)
{
	json_t *document = json_load_file(SEARCH, 0, NULL);

	assert_non_null(document);
	return document;
}

/* Store a document, read it, and release it. */
static enum exit_code read_back(json_t *document, struct stored *ret)
{
	assert_int_equal(json_dump_file(document, path, JSON_COMPACT), 0);
	json_decref(document);
	return stored_read(path, ret);
}

static json_t *trial_at(json_t *document, size_t i)
{
	return json_array_get(json_object_get(document, "trials"), i);
}

static void a_search_has_its_trials(void **state)
{
	struct stored stored;
	const struct mlr_trial_result *second;

	(void)state;
	assert_int_equal(stored_read(SEARCH, &stored), EXIT_DONE);
	assert_true(stored.trial_count > 2 &&
		    stored.trial_count == json_array_size(json_object_get(stored.document, "trials")));
	second = &stored.trials[1].result;
	assert_true(second->input.load_fps == 1008365.4985041976 && second->input.duration_s == 1);
	assert_true(second->output.loss_ratio == 0.015518190337824101);
	assert_true(second->output.forwarding_rate_fps == 992717.4907683146 && second->output.effective_duration_s == 1);
	assert_true(stored.trials[0].warmup && !stored.trials[1].warmup);
	assert_true(stored.trials[1].sut_loss_ratio == 15648 / 1008365.0);
	assert_false(stored.trials[1].tester_limited || stored.trials[1].offered_less);
	assert_ptr_equal(stored.trials[1].json, trial_at(stored.document, 1));
	assert_true(json_is_object(stored.configuration) && json_is_object(stored.controller_input));
	assert_string_equal(stored.max_load_source, "option");
	assert_true(stored.duration_s == read_number(stored.document, "search_duration"));
	stored_free(&stored);
	assert_null(stored.document);
}

static void a_limited_trial_says_why(void **state)
{
	struct stored stored;
	json_t *document = golden();

	(void)state;
	json_object_update_new(trial_at(document, 1),
			       json_pack("{s:b, s:s}", "tester_limited", 1, "tester_limited_reason", LOAD_WAS_OFF));
	json_object_update_new(trial_at(document, 2), json_pack("{s:b, s:s}", "tester_limited", 1, "tester_limited_reason",
								"frames stayed unsent"));
	json_object_set_new(json_object_get(trial_at(document, 2), "counts"), "sent", json_integer(0));
	json_object_set_new(json_object_get(trial_at(document, 2), "loss_attribution"), "sut", json_integer(1));
	json_object_set_new(json_object_get(trial_at(document, 0), "loss_attribution"), "sut", json_integer(-1));
	assert_int_equal(read_back(document, &stored), EXIT_DONE);
	assert_true(stored.trials[1].tester_limited && stored.trials[1].offered_less);
	assert_true(stored.trials[2].tester_limited && !stored.trials[2].offered_less);
	assert_true(stored.trials[2].sut_loss_ratio == 0);
	assert_true(stored.trials[0].sut_loss_ratio == 0);
	stored_free(&stored);
}

/* What limited a trial first is its reason; that less was offered stands beside it, and is read whatever the reason is. */
static void a_limited_trial_says_whether_less_was_offered(void **state)
{
	struct stored stored;
	json_t *document = golden();

	(void)state;
	json_object_update_new(trial_at(document, 1), json_pack("{s:b, s:s, s:b}", "tester_limited", 1, "tester_limited_reason",
								"frames stayed unsent", "offered_less", 1));
	json_object_update_new(trial_at(document, 2), json_pack("{s:b, s:s, s:b}", "tester_limited", 1, "tester_limited_reason",
								LOAD_WAS_OFF, "offered_less", 0));
	assert_int_equal(read_back(document, &stored), EXIT_DONE);
	assert_true(stored.trials[1].offered_less);
	assert_false(stored.trials[2].offered_less);
	stored_free(&stored);
}

/* As long as it says, or as its trials took, or as they were to take. */
static void a_search_took_as_long_as_it_says(void **state)
{
	struct stored stored;
	json_t *document = golden();
	size_t count = json_array_size(json_object_get(document, "trials"));

	(void)state;
	json_object_set_new(document, "search_duration", json_real(12.5));
	assert_int_equal(read_back(document, &stored), EXIT_DONE);
	assert_true(stored.duration_s == 12.5);
	stored_free(&stored);
	document = golden();
	json_object_del(document, "search_duration");
	json_object_set_new(trial_at(document, 0), "wall_duration", json_real(3.5));
	assert_int_equal(read_back(document, &stored), EXIT_DONE);
	assert_true(fabs(stored.duration_s - (3.5 + (double)(count - 1))) < 1e-9);
	stored_free(&stored);
}

static void what_is_no_search_is_refused(void **state)
{
	static const char *const needed[] = { "configuration", "controller_input", "max_load_source" };
	struct stored stored = { .trial_count = 77 };
	json_t *document;

	(void)state;
	for (size_t i = 0; i < COUNT(needed); i++) {
		document = golden();
		json_object_del(document, needed[i]);
		assert_int_equal(read_back(document, &stored), EXIT_USAGE_ERROR);
	}
	document = golden();
	json_object_set_new(trial_at(document, 3), "trial_load", json_real(-1));
	assert_int_equal(read_back(document, &stored), EXIT_USAGE_ERROR);
	document = golden();
	json_object_del(trial_at(document, 3), "trial_loss_ratio");
	assert_int_equal(read_back(document, &stored), EXIT_USAGE_ERROR);
	assert_int_equal(stored_read("tests/golden/trial-1-xdp.json", &stored), EXIT_USAGE_ERROR);
	assert_int_equal(stored_read("/nowhere", &stored), EXIT_USAGE_ERROR);
	assert_int_equal(read_back(json_object(), &stored), EXIT_USAGE_ERROR);
	assert_int_equal(stored.trial_count, 77);
}

/* --- events --------------------------------------------------------------------------------------------------------------- */

/* A stream of events while it is made wrong. */
struct stream {
	json_t *lines[LINES];
	size_t count;
};

static struct stream read_events(void)
{
	struct stream stream = { .count = 0 };
	FILE *file = fopen(EVENTS, "r");
	json_t *line;

	assert_non_null(file);
	while ((line = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL))) {
		assert_true(stream.count < LINES);
		stream.lines[stream.count++] = line;
	}
	fclose(file);
	return stream;
}

/* The number of a line of this kind; the last of all where there is none. */
static size_t find(const struct stream *stream, const char *event)
{
	size_t i = 0;

	while (i + 1 < stream->count && strcmp(read_text(stream->lines[i], "event"), event))
		i++;
	return i;
}

/* Store the first lines with checksums as the program writes them, and release all. `tail` stands behind them. */
static void store(struct stream *stream, size_t count, const char *tail)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	for (size_t i = 0; i < stream->count; i++) {
		if (i < count) {
			if (read_string(stream->lines[i], "event"))
				checksum_set(stream->lines[i]);
			json_dumpf(stream->lines[i], file, JSON_COMPACT);
			fputc('\n', file);
		}
		json_decref(stream->lines[i]);
	}
	fputs(tail, file);
	assert_int_equal(fclose(file), 0);
}

static void assert_refused(struct stream *stream)
{
	struct stored stored;

	store(stream, stream->count, "");
	assert_int_equal(stored_read(path, &stored), EXIT_USAGE_ERROR);
}

static void a_stream_ends_with_its_result(void **state)
{
	struct stream stream = read_events();
	struct stored stored;

	(void)state;
	assert_non_null(json_object_get(stream.lines[stream.count - 1], "schema"));
	store(&stream, stream.count, "");
	assert_int_equal(stored_read(path, &stored), EXIT_DONE);
	assert_non_null(json_object_get(stored.document, "search_result"));
	stored_free(&stored);
}

/* All trials that had finished, and not the one that had begun; also where the last line was cut. */
static void a_search_that_died_is_what_its_events_told(void **state)
{
	static const char *const tails[] = { "", "{\"event\": \"trial_fini" };

	(void)state;
	for (size_t i = 0; i < COUNT(tails); i++) {
		struct stream stream = read_events();
		struct stored stored;

		store(&stream, 3, tails[i]);
		assert_int_equal(stored_read(path, &stored), EXIT_DONE);
		assert_null(json_object_get(stored.document, "search_result"));
		assert_int_equal(stored.trial_count, 1);
		assert_true(stored.trials[0].result.input.load_fps == 2e6 && stored.trials[0].warmup);
		assert_null(json_object_get(stored.document, "crc32"));
		stored_free(&stored);
	}
}

/* Of several searches the last one that had begun goes on. */
static void a_run_that_begins_has_no_trials_yet(void **state)
{
	struct stream stream = read_events();
	struct stored stored;

	(void)state;
	json_decref(stream.lines[2]);
	stream.lines[2] = parse("{\"event\": \"run_started\", \"run\": 2}");
	store(&stream, 3, "");
	assert_int_equal(stored_read(path, &stored), EXIT_DONE);
	assert_int_equal(stored.trial_count, 0);
	stored_free(&stored);
}

/* A result of several searches is not what the events of one told. */
static void of_several_searches_the_configuration_is_compared(void **state)
{
	for (unsigned int other = 0; other < 3; other++) {
		static const char *const members[] = { "controller_input", "trials", "configuration" };
		struct stream stream = read_events();
		struct stored stored;
		json_t *result = stream.lines[stream.count - 1];

		(void)state;
		assert_true(stream.count < LINES);
		memmove(&stream.lines[1], &stream.lines[0], stream.count++ * sizeof(stream.lines[0]));
		stream.lines[0] = parse("{\"event\": \"run_started\", \"run\": 1}");
		if (other == 1)
			json_object_set_new(trial_at(result, 0), "trial_loss_ratio", json_real(0.25));
		else
			json_object_set_new(json_object_get(result, members[other]), "other", json_integer(1));
		if (other == 2) {
			assert_refused(&stream);
			continue;
		}
		store(&stream, stream.count, "");
		assert_int_equal(stored_read(path, &stored), EXIT_DONE);
		stored_free(&stored);
	}
}

static void what_was_changed_is_found(void **state)
{
	static const char *const settings[] = { "configuration", "controller_input" };
	struct stream stream;
	struct stored stored;
	json_t *result;

	(void)state;
	/* a result that is not what the events told */
	for (size_t i = 0; i < COUNT(settings); i++) {
		stream = read_events();
		result = stream.lines[stream.count - 1];
		json_object_set_new(json_object_get(result, settings[i]), "other", json_integer(1));
		assert_refused(&stream);
	}
	stream = read_events();
	result = stream.lines[stream.count - 1];
	json_object_set_new(trial_at(result, 0), "trial_loss_ratio", json_real(0.25));
	assert_refused(&stream);
	stream = read_events();
	result = stream.lines[stream.count - 1];
	json_object_set_new(json_array_get(json_object_get(result, "search_result"), 0), "relevant_lower_bound",
			    json_real(5.5));
	assert_refused(&stream);
	stream = read_events();
	result = stream.lines[stream.count - 1];
	json_object_set_new(json_array_get(json_object_get(result, "search_result"), 0), "relevant_upper_bound",
			    json_real(5.5));
	assert_refused(&stream);
	/* a line that is no JSON, before others */
	stream = read_events();
	store(&stream, 2, "no JSON\n{\"event\": \"note\"}\n");
	assert_int_equal(stored_read(path, &stored), EXIT_USAGE_ERROR);
	assert_non_null(strstr(message_refused(), ":3: this line"));
	assert_non_null(strstr(message_refused(), "head -n 2'"));
	/* a checksum that is another's */
	stream = read_events();
	store(&stream, 2, "{\"event\": \"note\", \"crc32\": \"00000000\"}\n");
	assert_int_equal(stored_read(path, &stored), EXIT_USAGE_ERROR);
	assert_non_null(strstr(message_refused(), ":3: this line"));
}

/* Draft-01 calls other bounds relevant than the events do. */
static void bounds_of_phased_are_its_own(void **state)
{
	struct stream stream = read_events();
	struct stored stored;
	json_t *result = stream.lines[stream.count - 1];

	(void)state;
	for (size_t i = 0; i < stream.count; i++)
		if (json_object_get(stream.lines[i], "algorithm"))
			json_object_set_new(stream.lines[i], "algorithm", json_string("phased"));
	json_object_set_new(json_array_get(json_object_get(result, "search_result"), 0), "relevant_lower_bound",
			    json_real(5.5));
	assert_true(find(&stream, "bounds") + 1 < stream.count);
	store(&stream, stream.count, "");
	assert_int_equal(stored_read(path, &stored), EXIT_DONE);
	stored_free(&stored);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_search_has_its_trials),
		cmocka_unit_test(a_limited_trial_says_why),
		cmocka_unit_test(a_limited_trial_says_whether_less_was_offered),
		cmocka_unit_test(a_search_took_as_long_as_it_says),
		cmocka_unit_test(what_is_no_search_is_refused),
		cmocka_unit_test(a_stream_ends_with_its_result),
		cmocka_unit_test(a_search_that_died_is_what_its_events_told),
		cmocka_unit_test(a_run_that_begins_has_no_trials_yet),
		cmocka_unit_test(of_several_searches_the_configuration_is_compared),
		cmocka_unit_test(what_was_changed_is_found),
		cmocka_unit_test(bounds_of_phased_are_its_own),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
