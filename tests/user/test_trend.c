/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report FOLDER: which results are taken, in what order, and when a goal changed. */
#include "../test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_read.h"
#include "base/text_stream.h"
#include "result/trend.h"

#define SEARCH  "tests/golden/search-1-sim.json"
#define SOAK    "tests/golden/soak-1-sim.json"
#define NAMES   32
#define PATH_OF 512

static char folder[] = "/tmp/xdp-mlr-test-trend-XXXXXX";
static char names[NAMES][64];
static size_t name_count;
static struct config config;

static const char *path_of(const char *name, char path[PATH_OF])
{
	snprintf(path, PATH_OF, "%s/%s", folder, name);
	return path;
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	config = (struct config){
		.verb = VERB_REPORT, .files = { folder }, .tolerance_ratio = 0.01, .significance_ratio = 0.05
	};
	return 0;
}

static int remove_folder(void **state)
{
	char path[PATH_OF];

	(void)state;
	while (name_count)
		if (remove(path_of(names[--name_count], path)))
			return -1;
	return rmdir(folder);
}

static void remember(const char *name)
{
	assert_true(name_count < NAMES);
	snprintf(names[name_count++], sizeof(names[0]), "%s", name);
}

/* Put a result into the folder, and release it. */
static void put(const char *name, json_t *document)
{
	char path[PATH_OF];

	assert_int_equal(json_dump_file(document, path_of(name, path), JSON_COMPACT), 0);
	json_decref(document);
	remember(name);
}

static json_t *load(const char *file, const char *date)
{
	json_t *document = json_load_file(file, 0, NULL);

	assert_non_null(document);
	json_object_set_new(json_object_get(document, "environment"), "start_time", json_string(date));
	return document;
}

/* A search whose goals came to this. Its trials are left out, because they would contradict it. */
static json_t *search(const char *date, double load_fps)
{
	json_t *document = load(SEARCH, date);

	json_object_del(document, "trials");

	json_each (result, json_object_get(document, "search_result"))
		json_object_update_new((json_t *)result,
				       json_pack("{s:f, s:f, s:f}", "relevant_lower_bound", load_fps, "relevant_upper_bound",
						 load_fps * 1.001, "conditional_throughput", load_fps));
	return document;
}

static json_t *document(void)
{
	json_t *made = NULL;

	assert_int_equal(trend_document(&config, &made), EXIT_DONE);
	assert_non_null(made);
	return made;
}

/* The texts of a member of each, joined. */
static void assert_each(const json_t *array, const char *member, const char *expected)
{
	char texts[512] = "";

	json_each (one, array)
		snprintf(texts + strlen(texts), sizeof(texts) - strlen(texts), "%s ", read_text(one, member));
	assert_string_equal(texts, expected);
}

static const char *why_skipped(const json_t *trend, const char *file)
{
	json_each (one, json_object_get(trend, "skipped"))
		if (!strcmp(read_text(one, "file"), file))
			return read_text(one, "why");
	return "";
}

/* Nights of one value each, some days in a row; files come in another order than dates. */
static void a_level_begins_where_results_change(void **state)
{
	static const struct {
		unsigned int days;
		double load_fps;
	} levels[] = { { 6, 1000000 }, { 3, 992000 }, { 3, 980000 }, { 2, 1040000 } };
	const json_t *goal;
	unsigned int day = 0;
	json_t *trend;

	(void)state;
	for (size_t i = 0; i < COUNT(levels); i++)
		for (unsigned int end = day + levels[i].days; day < end; day++)
			put(TEXT_OF(32, "of-%c.json", 'z' - day),
			    search(TEXT_OF(32, "2026-11-%02uT00:00:00Z", day + 1), levels[i].load_fps));
	trend = document();
	assert_int_equal(read_integer(trend, "results"), 14);
	assert_int_equal(json_array_size(json_object_get(trend, "goals")), 2);
	assert_string_equal(read_text(trend, "quantity"), "Conditional Throughput");
	assert_string_equal(read_text(trend, "verb"), "search");
	assert_string_equal(read_text(trend, "folder"), folder);
	assert_non_null(json_object_get(trend, "traffic_profile"));
	goal = json_at(trend, "/goals/0");
	assert_string_equal(read_text(goal, "goal"), "ndr");
	assert_string_equal(read_text(json_at(goal, "/points/0"), "file"), "of-z.json");
	assert_string_equal(read_text(json_at(goal, "/points/13"), "file"), "of-m.json");
	assert_each(json_object_get(goal, "points"), "verdict",
		    "first same same same same same slower same same slower same same faster same ");
	assert_int_equal(read_integer(goal, "slower"), 2);
	assert_int_equal(read_integer(goal, "faster"), 1);
	assert_string_equal(read_text(json_object_get(goal, "last_change"), "file"), "of-n.json");
	assert_true(fabs(read_number(json_object_get(goal, "last_change"), "change") - (1040.0 / 980 - 1)) < 1e-9);
	assert_true(fabs(read_number(goal, "change") - 0.04) < 1e-9);
	assert_int_equal(json_array_size(json_object_get(goal, "levels")), COUNT(levels));
	for (size_t i = 0; i < COUNT(levels); i++) {
		const json_t *level = json_array_get(json_object_get(goal, "levels"), i);

		assert_int_equal(read_integer(level, "results"), levels[i].days);
		assert_true(fabs(read_number(level, "mean") - levels[i].load_fps) < 1e-3);
	}
	json_decref(trend);
}

static void a_point_has_its_figures(void **state)
{
	json_t *trend, *limited = search("2026-11-02T00:00:00Z", 900000);
	const json_t *first, *second;

	(void)state;
	put("a.json", search("2026-11-01T00:00:00Z", 1000000));
	json_object_set_new(limited, "sut", json_pack("{s:s}", "name", "box"));
	json_object_set_new(json_array_get(json_object_get(limited, "search_result"), 0), "tester_limited", json_true());
	put("b.json", limited);
	trend = document();
	first = json_at(trend, "/goals/0/points/0");
	second = json_at(trend, "/goals/0/points/1");
	assert_true(read_number(first, "value") == 1000000 && read_number(first, "lower_bound") == 1000000);
	assert_true(fabs(read_number(first, "upper_bound") - 1001000) < 1e-6);
	assert_true(json_is_null(json_object_get(first, "change")) && json_is_null(json_object_get(first, "evidence")));
	assert_true(json_is_null(json_object_get(first, "sut")));
	assert_true(read_truth(first, "regular") && !read_truth(first, "tester_limited"));
	assert_string_equal(read_text(second, "sut"), "box");
	assert_true(read_truth(second, "regular") && read_truth(second, "tester_limited"));
	/* which of the two was the limit nobody knows */
	assert_string_equal(read_text(second, "verdict"), "unknown");
	assert_true(json_is_null(json_object_get(second, "change")));
	assert_int_equal(read_integer(json_at(trend, "/goals/0"), "slower"), 0);
	json_decref(trend);
}

/* By name where the dates are the same. */
static void what_begins_at_once_is_in_the_order_of_names(void **state)
{
	json_t *trend;

	(void)state;
	put("b.json", search("2026-11-01T00:00:00Z", 2));
	put("c.json", search("2025-12-31T23:59:59Z", 2));
	put("a.json", search("2026-11-01T00:00:00Z", 2));
	trend = document();
	assert_each(json_at(trend, "/goals/0/points"), "file", "c.json a.json b.json ");
	json_decref(trend);
}

static json_t *search_without_upper_bound(const char *date, double load_fps)
{
	json_t *document = search(date, load_fps);

	json_each (result, json_object_get(document, "search_result"))
		json_object_set_new((json_t *)result, "relevant_upper_bound", json_null());
	return document;
}

/* What is at least as much as the most that was found says something, and what is less does not. */
static void at_least_so_much_says_something_at_the_top(void **state)
{
	const json_t *points;
	json_t *trend;

	(void)state;
	put("a.json", search("2026-11-01T00:00:00Z", 1000000));
	put("b.json", search_without_upper_bound("2026-11-02T00:00:00Z", 500000));
	put("c.json", search_without_upper_bound("2026-11-03T00:00:00Z", 1000000));
	trend = document();
	points = json_at(trend, "/goals/0/points");
	assert_true(json_is_null(json_object_get(json_array_get(points, 0), "evidence")));
	assert_string_equal(read_text(json_array_get(points, 1), "evidence"),
			    "the SUT does so much at least, as Max Load was no Upper Bound: it is no part of any level");
	assert_true(json_is_null(json_object_get(json_array_get(points, 1), "change")));
	assert_true(json_is_null(json_object_get(json_array_get(points, 2), "evidence")));
	assert_true(json_is_real(json_object_get(json_array_get(points, 2), "change")));
	json_decref(trend);
}

/* Names that end so, with something in front. */
static void files_are_known_by_their_ends(void **state)
{
	json_t *trend;

	(void)state;
	put("a.json", search("2026-11-01T00:00:00Z", 2));
	put("b.jsonl", search("2026-11-02T00:00:00Z", 2));
	put(".json", search("2026-11-03T00:00:00Z", 2));
	put(".jsonl", search("2026-11-04T00:00:00Z", 2));
	put("c.txt", search("2026-11-05T00:00:00Z", 2));
	put("json", search("2026-11-06T00:00:00Z", 2));
	put("d.json~", search("2026-11-07T00:00:00Z", 2));
	put("c.jso", search("2026-11-08T00:00:00Z", 2));
	put("ejsonl", search("2026-11-08T00:00:00Z", 2));
	trend = document();
	assert_each(json_at(trend, "/goals/0/points"), "file", "a.json b.jsonl ");
	assert_int_equal(json_array_size(json_object_get(trend, "skipped")), 0);
	json_decref(trend);
}

static void what_has_no_place_is_left_out_and_named(void **state)
{
	static const char *const dates[] = { "2026-02-30T00:00:00Z", "2026-11-01", "2026-11-01T00:00:00Z ",
					     "2026-1-01T00:00:00Z",  "yesterday",  "2026-11-01T00:00:00" };
	json_t *trend, *one;
	char path[PATH_OF];

	(void)state;
	put("a.json", search("2024-02-29T00:00:00Z", 2));
	for (size_t i = 0; i < COUNT(dates); i++)
		put(TEXT_OF(32, "date%zu.json", i), search(dates[i], 2));
	put("below.json", search("2026-11-01T00:00:00Z", -1));
	put("soak.json", load(SOAK, "2026-11-01T00:00:00Z"));
	one = search("2026-11-01T00:00:00Z", 2);
	json_object_set_new(one, "search_result", json_array());
	json_object_del(one, "controller_input");
	put("none.json", one);
	one = search("2026-11-01T00:00:00Z", 2);
	json_object_del(json_object_get(one, "environment"), "start_time");
	put("dateless.json", one);
	put("other.json", json_pack("{s:s}", "schema", "xdp-mlr/search/99"));
	assert_int_equal(mkdir(path_of("folder.json", path), 0700), 0);
	remember("folder.json");
	trend = document();
	assert_int_equal(read_integer(trend, "results"), 1);
	for (size_t i = 0; i < COUNT(dates); i++)
		assert_string_equal(why_skipped(trend, TEXT_OF(32, "date%zu.json", i)), "its start_time is no date");
	assert_string_equal(why_skipped(trend, "below.json"), "a throughput is below 0");
	assert_string_equal(why_skipped(trend, "soak.json"), "one is a soak, the other a search");
	assert_string_equal(why_skipped(trend, "none.json"), "it has no figure");
	assert_string_equal(why_skipped(trend, "dateless.json"), "it has no date");
	assert_string_equal(why_skipped(trend, "folder.json"), "it is no regular file");
	assert_non_null(strstr(why_skipped(trend, "other.json"), "other.json is no result"));
	assert_int_equal(json_array_size(json_object_get(trend, "skipped")), COUNT(dates) + 6);
	json_decref(trend);
}

/* One goal below 0 is enough, whichever it is; one that found nothing is none. */
static void each_goal_is_looked_at(void **state)
{
	json_t *trend, *one;

	(void)state;
	put("a.json", search("2026-11-01T00:00:00Z", 2));
	for (unsigned int i = 0; i < 2; i++) {
		one = search("2026-11-02T00:00:00Z", 2);
		json_object_set_new(json_array_get(json_object_get(one, "search_result"), i), "conditional_throughput",
				    json_real(-0.5));
		put(TEXT_OF(32, "below%u.json", i), one);
		one = search("2026-11-03T00:00:00Z", 2);
		json_object_set_new(json_array_get(json_object_get(one, "search_result"), i), "conditional_throughput",
				    json_null());
		put(TEXT_OF(32, "half%u.json", i), one);
	}
	trend = document();
	assert_each(json_at(trend, "/goals/0/points"), "file", "a.json half0.json half1.json ");
	assert_true(json_is_null(json_at(trend, "/goals/0/points/1/value")));
	assert_true(json_is_null(json_at(trend, "/goals/1/points/2/value")));
	assert_string_equal(why_skipped(trend, "below0.json"), "a throughput is below 0");
	assert_string_equal(why_skipped(trend, "below1.json"), "a throughput is below 0");
	json_decref(trend);
}

static void a_soak_has_one_quantity(void **state)
{
	json_t *trend;

	(void)state;
	put("a.json", load(SOAK, "2026-11-01T00:00:00Z"));
	put("b.json", search("2026-11-02T00:00:00Z", 2));
	trend = document();
	assert_string_equal(read_text(trend, "quantity"), "critical load");
	assert_each(json_object_get(trend, "goals"), "goal", "critical load ");
	assert_true(read_number(json_at(trend, "/goals/0/points/0"), "value") > 0);
	assert_true(read_number(json_at(trend, "/goals/0/points/0"), "stdev") > 0);
	assert_true(json_is_null(json_at(trend, "/goals/0/last_change")));
	json_decref(trend);
}

static void nothing_to_show_is_a_usage_error(void **state)
{
	json_t *made = NULL;
	char path[PATH_OF];

	(void)state;
	assert_int_equal(trend_document(&config, &made), EXIT_USAGE_ERROR);
	put("a.json", search("never", 2));
	assert_int_equal(trend_document(&config, &made), EXIT_USAGE_ERROR);
	assert_null(made);
	assert_true(trend_is_folder(folder));
	assert_false(trend_is_folder(path_of("a.json", path)));
	assert_false(trend_is_folder(path_of("nothing", path)));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_level_begins_where_results_change),
		TEST(a_point_has_its_figures),
		TEST(what_begins_at_once_is_in_the_order_of_names),
		TEST(at_least_so_much_says_something_at_the_top),
		TEST(files_are_known_by_their_ends),
		TEST(what_has_no_place_is_left_out_and_named),
		TEST(each_goal_is_looked_at),
		TEST(a_soak_has_one_quantity),
		TEST(nothing_to_show_is_a_usage_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
