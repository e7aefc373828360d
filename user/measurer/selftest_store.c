/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/selftest_store.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/destination.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "config/given.h"
#include "netdev/nic.h"

#define SCHEMA          "xdp-mlr/selftest-store/1"
#define STATE_DEFAULT   "/var/lib/xdp-mlr"
#define STATE_VARIABLE  "XDP_MLR_STATE_DIRECTORY"
#define PATH_SIZE       512
#define SECONDS_PER_DAY (24 * 3600)

/* Options that a self-test has, and that do not change what the tester can do. Of frame size, direction and backend every
 * combination has an entry of its own; who tells when frames arrive, and whether the NIC paces, counts as it came out, not as
 * it was asked for. */
static const char indifferent[] =
	"ports direction frame-size tx duration address gateway address6 gateway6 dst-mac learning-frames "
	"burst tester-repeats metrics format allow-unsafe timestamps departure-delay launch-time connect "
	"load hostile hostile-load";

/* --- what it belongs to --------------------------------------------------------------------------------------------- */

static bool matters(const struct option *option)
{
	return option_belongs(option, VERB_SELFTEST) && !(option->flags & (OPTION_OUTPUT | OPTION_COMMAND_LINE)) &&
	       !is_one_of(option->name, indifferent);
}

/* The options in force that matter. */
static json_t *options_json(const struct config *config)
{
	json_t *object = json_object();

	for (size_t i = 0; i < option_count; i++) {
		const struct given *given = matters(&options[i]) ? given_find(config->given, options[i].name) : NULL;

		if (given)
			json_put(object, options[i].name, given->text);
	}
	return object;
}

static json_t *nic_json(const char *port)
{
	struct nic nic;

	nic_identify(port, &nic);
	return json_of_members(&nic, name, id, driver, driver_version, firmware, queues);
}

/* What self-tests with this configuration belong to. A new reference. */
static json_t *subject_of(const struct config *config, const struct selftest_way *way)
{
	struct utsname machine;

	uname(&machine);
	return json_pack("{s:[o,o], s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:o}", "ports", nic_json(config->ports[PORT_A].name),
			 nic_json(config->ports[PORT_B].name), "kernel", machine.release, "frame_size",
			 config->frame_size_text, "direction", direction_name(config->direction), "tx_backend", way->backend,
			 "transmit_mode", way->mode, "timestamps", way->by_nic_clock ? "hardware" : "software",
			 "launch_time", (int)way->by_launch_time, "options", options_json(config));
}

static bool same_member(const json_t *a, const json_t *b, const char *name)
{
	return json_equal(json_object_get(a, name), json_object_get(b, name));
}

/* Whether two entries are of one kind, and the later replaces the earlier. */
static bool same_kind(const json_t *a, const json_t *b)
{
	return same_member(a, b, "frame_size") && same_member(a, b, "direction") && same_member(a, b, "tx_backend") &&
	       same_member(a, b, "timestamps") && same_member(a, b, "launch_time") && same_member(a, b, "options");
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

static const char *state_directory(void)
{
	const char *named = getenv(STATE_VARIABLE);

	return named && *named ? named : STATE_DEFAULT;
}

/* An identifier fit to be part of a file name. */
static void make_slug(const char *id, char slug[NIC_TEXT_SIZE])
{
	size_t i;

	for (i = 0; id[i] && i < NIC_TEXT_SIZE - 1; i++)
		slug[i] = isalnum((unsigned char)id[i]) || strchr(".:-", id[i]) ? id[i] : '_';
	slug[i] = '\0';
}

static void make_path(const json_t *subject, char path[PATH_SIZE])
{
	const json_t *ports = json_object_get(subject, "ports");
	char a[NIC_TEXT_SIZE], b[NIC_TEXT_SIZE];

	make_slug(read_text(json_array_get(ports, PORT_A), "id"), a);
	make_slug(read_text(json_array_get(ports, PORT_B), "id"), b);
	snprintf(path, PATH_SIZE, "%s/selftest/%s+%s.json", state_directory(), a, b);
}

static bool is_entry(const json_t *entry)
{
	const json_t *floor = json_object_get(entry, "floor");

	return json_is_number(json_object_get(entry, "clean_load")) &&
	       json_number_value(json_object_get(entry, "clean_load")) > 0 &&
	       json_is_number(json_object_get(floor, "p50_ns")) && json_is_number(json_object_get(floor, "p99_ns")) &&
	       json_array_size(json_object_get(entry, "ports")) == PORT_COUNT;
}

static bool is_store(const json_t *document)
{
	const json_t *entries = json_object_get(document, "self_tests");

	if (strcmp(read_text(document, "schema"), SCHEMA) || !json_is_array(entries))
		return false;
	json_each (entry, entries)
		if (!is_entry(entry))
			return false;
	return true;
}

/* The stored document, or NULL: there is none, or it was said that it cannot be read. */
static json_t *read_store(const char *path)
{
	int fd = keeper_open(path, false);
	json_error_t fault = { 0 };
	json_t *document = NULL;

	if (fd == -ENOENT)
		return NULL;
	if (fd >= 0) {
		document = json_loadfd(fd, 0, &fault);
		close(fd);
	}
	if (document && is_store(document))
		return document;
	warn("the stored self-test %s cannot be read (%s); it counts for nothing: run 'xdp-mlr selftest' again", path,
	     fd < 0     ? strerror(-fd)
	     : document ? "it is not a list of self-tests"
			: fault.text);
	json_decref(document);
	return NULL;
}

static int make_directories(void)
{
	if (mkdir(state_directory(), 0755) && errno != EEXIST)
		return errno;
	return mkdir(TEXT_OF(PATH_SIZE, "%s/selftest", state_directory()), 0755) && errno != EEXIST ? errno : 0;
}

static struct destination kept; /* The keeper holds it open, and reads it. */

void selftest_hold(const struct config *config, struct keeper_plan *plan)
{
	static char path[PATH_SIZE];
	static const char *const paths[] = { path };
	const struct selftest_way any = { "", "", false, false };
	json_auto_t *subject = subject_of(config, &any);

	make_path(subject, path);
	if (make_directories() || destination_ready(path, &kept))
		return;
	destination_hold(&kept, plan);
	plan->paths = paths;
	plan->path_count = COUNT(paths);
}

static int write_store(const json_t *document, const char *path)
{
	int error = keeper_is_there() ? 0 : make_directories();
	size_t length;
	owned char *text = NULL;

	if (error)
		return error;
	text = json_text(document, true, &length);
	if (text && kept.held)
		return -destination_write(&kept, text, length, 0644, false, false);
	return text ? -file_replace(path, text, length, 0644, false) : ENOMEM;
}

/* --- keeping -------------------------------------------------------------------------------------------------------- */

/* A new entry; what was stored for the same is dropped. */
static json_t *with_entry(json_t *document, json_t *entry)
{
	json_t *entries;

	if (!document)
		document = json_with("schema", SCHEMA, "self_tests", json_array());
	entries = json_object_get(document, "self_tests");
	for (size_t i = json_array_size(entries); i-- > 0;)
		if (same_kind(json_array_get(entries, i), entry))
			json_array_remove(entries, i);
	json_array_append_new(entries, entry);
	return document;
}

bool selftest_keep(const struct config *config, const struct selftest_way *way, const json_t *measured, char ret_path[],
		   size_t size)
{
	json_t *entry = subject_of(config, way);
	json_auto_t *document = NULL;
	char path[PATH_SIZE];
	int error;

	json_object_update(entry, (json_t *)measured);
	make_path(entry, path);
	document = with_entry(read_store(path), entry);
	error = write_store(document, path);
	if (error) {
		warn("the self-test is not stored: cannot write %s: %s", path, why(error));
		return false;
	}
	snprintf(ret_path, size, "%s", path);
	return true;
}

/* --- looking up ----------------------------------------------------------------------------------------------------- */

/* The entry for a subject: one with the same options, else any of this frame size, direction and backend; or NULL. */
static const json_t *find_entry(const json_t *document, const json_t *subject)
{
	const json_t *entries = json_object_get(document, "self_tests"), *found = NULL;

	json_each (entry, entries) {
		if (same_kind(entry, subject))
			return entry;
		if (same_member(entry, subject, "frame_size") && same_member(entry, subject, "direction") &&
		    same_member(entry, subject, "tx_backend"))
			found = entry;
	}
	return found;
}

/* Say what differs in one member, shown as text; false if nothing does. */
static bool differs(const json_t *then, const json_t *now, const char *name, const char *what, char text[SELFTEST_TEXT_SIZE])
{
	owned char *is = NULL, *was = NULL;

	if (same_member(then, now, name))
		return false;
	was = json_dumps(json_object_get(then, name), JSON_ENCODE_ANY | JSON_COMPACT);
	is = json_dumps(json_object_get(now, name), JSON_ENCODE_ANY | JSON_COMPACT);
	snprintf(text, SELFTEST_TEXT_SIZE, "%s: then %s, now %s", what, was ? was : "none", is ? is : "none");
	return true;
}

/* Whether anything that the figures depend on is not as it was; the first difference in words. */
static bool has_changed(const json_t *entry, const json_t *subject, char text[SELFTEST_TEXT_SIZE])
{
	static const char *const of_nic[] = { "id", "driver", "driver_version", "firmware", "queues" };

	if (differs(entry, subject, "kernel", "the kernel", text) ||
	    differs(entry, subject, "transmit_mode", "the transmit mode", text) ||
	    differs(entry, subject, "timestamps", "who tells when frames arrive", text) ||
	    differs(entry, subject, "launch_time", "launch time", text) ||
	    differs(entry, subject, "options", "options", text))
		return true;
	for (size_t port = 0; port < PORT_COUNT; port++) {
		const json_t *then = json_array_get(json_object_get(entry, "ports"), port);
		const json_t *now = json_array_get(json_object_get(subject, "ports"), port);

		for (size_t i = 0; i < COUNT(of_nic); i++) {
			const char *what =
				TEXT_OF(SELFTEST_TEXT_SIZE, "the %s of port %s", of_nic[i], read_text(now, "name"));

			if (differs(then, now, of_nic[i], what, text))
				return true;
		}
	}
	return false;
}

/* Whether it is too old to be believed, and how old that is. */
static bool has_aged(const char *measured, char text[SELFTEST_TEXT_SIZE])
{
	struct tm parts = { 0 };
	double age_s;

	if (!strptime(measured, "%Y-%m-%dT%H:%M:%SZ", &parts)) {
		snprintf(text, SELFTEST_TEXT_SIZE, "of unknown age");
		return true;
	}
	age_s = difftime(time(NULL), timegm(&parts));
	if (age_s < 0)
		snprintf(text, SELFTEST_TEXT_SIZE, "dated in the future, %s", measured);
	else
		snprintf(text, SELFTEST_TEXT_SIZE, "%.0f days old", age_s / SECONDS_PER_DAY);
	return age_s < 0 || age_s > SELFTEST_FRESH_S;
}

static struct selftest_figure figure_of(const json_t *entry, const json_t *subject)
{
	const json_t *floor = json_object_get(entry, "floor");
	struct selftest_figure figure = {
		.state = SELFTEST_FRESH,
		.clean_load_fps = json_number_value(json_object_get(entry, "clean_load")),
		.line_limited = !strcmp(read_text(entry, "limited_by"), "line rate"),
		.line_rate_fps = read_number(entry, "line_rate"),
		.floor_p50_ns = json_number_value(json_object_get(floor, "p50_ns")),
		.floor_p99_ns = json_number_value(json_object_get(floor, "p99_ns")),
	};

	snprintf(figure.time, sizeof(figure.time), "%s", read_text(entry, "time"));
	if (has_changed(entry, subject, figure.what))
		figure.state = SELFTEST_CHANGED;
	else if (has_aged(figure.time, figure.what))
		figure.state = SELFTEST_OLD;
	return figure;
}

struct selftest_figure selftest_find(const struct config *config, const struct selftest_way *way)
{
	struct selftest_figure figure = { .state = SELFTEST_NONE };
	json_auto_t *subject = subject_of(config, way), *document = NULL;
	const json_t *entry;
	char path[PATH_SIZE];

	make_path(subject, path);
	document = read_store(path);
	entry = find_entry(document, subject);
	if (entry)
		figure = figure_of(entry, subject);
	return figure;
}

/* The fresh clean load of a backend in whatever mode it was measured, 0 if there is none. */
static double fresh_load_fps(const json_t *document, const struct config *config, const struct selftest_way *way)
{
	json_auto_t *subject = subject_of(config, way);
	const json_t *entry = find_entry(document, subject);
	struct selftest_figure figure = { .state = SELFTEST_NONE };

	if (entry) {
		json_object_set(subject, "transmit_mode", json_object_get(entry, "transmit_mode"));
		json_object_set(subject, "launch_time", json_object_get(entry, "launch_time"));
		figure = figure_of(entry, subject);
	}
	return figure.state == SELFTEST_FRESH ? figure.clean_load_fps : 0;
}

const char *selftest_faster_backend(const struct config *config, const char *one, const char *other, bool by_nic_clock)
{
	const struct selftest_way by_one = { one, "", by_nic_clock, false }, by_other = { other, "", by_nic_clock, false };
	json_auto_t *subject = subject_of(config, &by_one), *document = NULL;
	double one_fps, other_fps;
	char path[PATH_SIZE];

	make_path(subject, path);
	document = read_store(path);
	one_fps = fresh_load_fps(document, config, &by_one);
	other_fps = fresh_load_fps(document, config, &by_other);
	if (one_fps <= 0 || other_fps <= 0)
		return NULL;
	return one_fps >= other_fps ? one : other;
}
