/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of self-tests, and when it counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../test.h"
#include "config/given.h"
#include "measurer/selftest_store.h"

static char directory[] = "/tmp/xdp-mlr-test-XXXXXX";

/* Of ports that do not exist: they are known by their names. */
static struct config new_config(struct given_list *given, const char *a, const char *b)
{
	struct config config = { .verb = VERB_SEARCH, .frame_size_text = "64", .given = given };

	strcpy(config.ports[PORT_A].name, a);
	strcpy(config.ports[PORT_B].name, b);
	return config;
}

static json_t *figures(double clean_load_fps, time_t moment)
{
	char text[32];
	struct tm parts;

	gmtime_r(&moment, &parts);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	return json_pack("{s:f, s:s, s:{s:f, s:f}, s:s}", "clean_load", clean_load_fps, "limited_by", "tester", "floor",
			 "p50_ns", 700.0, "p99_ns", 1500.0, "time", text);
}

static void keep(const struct config *config, const char *backend, double clean_load_fps, time_t moment)
{
	json_t *measured = figures(clean_load_fps, moment);
	const struct selftest_way way = { backend, "copy", false, false };
	char path[512];

	assert_true(selftest_keep(config, &way, measured, path, sizeof(path)));
	assert_int_equal(strncmp(path, directory, strlen(directory)), 0);
	json_decref(measured);
}

static struct selftest_figure find(const struct config *config, const char *backend, const char *mode)
{
	const struct selftest_way way = { backend, mode, false, false };

	return selftest_find(config, &way);
}

static void what_was_kept_is_found(void **state)
{
	struct given_list given = { 0 };
	struct config config = new_config(&given, "found-a", "found-b");
	struct selftest_figure figure = find(&config, "xsk", "copy");

	(void)state;
	assert_int_equal(figure.state, SELFTEST_NONE);
	keep(&config, "xsk", 1e6, time(NULL));
	figure = find(&config, "xsk", "copy");
	assert_int_equal(figure.state, SELFTEST_FRESH);
	assert_true(figure.clean_load_fps == 1e6 && figure.floor_p50_ns == 700 && figure.floor_p99_ns == 1500);
	assert_false(figure.line_limited);
	assert_int_equal(find(&config, "live", "copy").state, SELFTEST_NONE);
	assert_int_equal(find(&config, "xsk", "zero-copy").state, SELFTEST_CHANGED);
	config.direction = DIRECTION_BOTH;
	assert_int_equal(find(&config, "xsk", "copy").state, SELFTEST_NONE);
	config.direction = DIRECTION_A_TO_B;
	config.frame_size_text = "128";
	assert_int_equal(find(&config, "xsk", "copy").state, SELFTEST_NONE);
}

/* Whoever asked for what: it counts who told when frames arrived. */
static void it_belongs_to_the_clock_that_timed_it(void **state)
{
	static const struct selftest_way by_nic = { "xsk", "copy", true, false };
	struct given asked = { .option = option_find("timestamps"), .text = (char *)"auto" };
	struct given_list given = { 0 }, asking = { .items = &asked, .count = 1 };
	struct config config = new_config(&given, "clock-a", "clock-b");
	json_t *measured = figures(3e6, time(NULL));
	char path[512];

	(void)state;
	keep(&config, "xsk", 1e6, time(NULL));
	config.given = &asking;
	assert_int_equal(find(&config, "xsk", "copy").state, SELFTEST_FRESH);
	assert_int_equal(selftest_find(&config, &by_nic).state, SELFTEST_CHANGED);
	assert_non_null(strstr(selftest_find(&config, &by_nic).what, "who tells when frames arrive"));
	assert_true(selftest_keep(&config, &by_nic, measured, path, sizeof(path)));
	assert_true(selftest_find(&config, &by_nic).clean_load_fps == 3e6);
	assert_true(find(&config, "xsk", "copy").clean_load_fps == 1e6);
	json_decref(measured);
}

static void a_later_one_replaces_it(void **state)
{
	struct given_list given = { 0 };
	struct config config = new_config(&given, "later-a", "later-b");

	(void)state;
	keep(&config, "xsk", 1e6, time(NULL));
	keep(&config, "xsk", 2e6, time(NULL));
	assert_true(find(&config, "xsk", "copy").clean_load_fps == 2e6);
}

static void it_counts_for_a_week(void **state)
{
	struct given_list given = { 0 };
	struct config config = new_config(&given, "week-a", "week-b");

	(void)state;
	keep(&config, "xsk", 1e6, time(NULL) - SELFTEST_FRESH_S + 60);
	assert_int_equal(find(&config, "xsk", "copy").state, SELFTEST_FRESH);
	keep(&config, "xsk", 1e6, time(NULL) - SELFTEST_FRESH_S - 60);
	assert_int_equal(find(&config, "xsk", "copy").state, SELFTEST_OLD);
	keep(&config, "xsk", 1e6, time(NULL) + 3600);
	assert_int_equal(find(&config, "xsk", "copy").state, SELFTEST_OLD);
}

static void the_faster_backend_needs_two_that_count(void **state)
{
	struct given_list given = { 0 };
	struct config config = new_config(&given, "faster-a", "faster-b");

	(void)state;
	assert_null(selftest_faster_backend(&config, "xsk", "live", false));
	keep(&config, "xsk", 1e6, time(NULL));
	assert_null(selftest_faster_backend(&config, "xsk", "live", false));
	keep(&config, "live", 5e6, time(NULL));
	assert_string_equal(selftest_faster_backend(&config, "xsk", "live", false), "live");
	keep(&config, "xsk", 6e6, time(NULL));
	assert_string_equal(selftest_faster_backend(&config, "xsk", "live", false), "xsk");
	keep(&config, "live", 9e6, time(NULL) - 2 * SELFTEST_FRESH_S);
	assert_null(selftest_faster_backend(&config, "xsk", "live", false));
}

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) && !setenv("XDP_MLR_STATE_DIRECTORY", directory, 1) ? 0 : -1;
}

static int remove_directory(void **state)
{
	static const char *const pairs[] = { "found", "clock", "later", "week", "faster" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		snprintf(path, sizeof(path), "%s/selftest/%s-a+%s-b.json", directory, pairs[i], pairs[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/selftest", directory);
	rmdir(path);
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_kept_is_found),
		cmocka_unit_test(it_belongs_to_the_clock_that_timed_it),
		cmocka_unit_test(a_later_one_replaces_it),
		cmocka_unit_test(it_counts_for_a_week),
		cmocka_unit_test(the_faster_backend_needs_two_that_count),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
