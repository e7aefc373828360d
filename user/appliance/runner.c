/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/runner.h"

#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "appliance/console.h"
#include "appliance/http.h"
#include "base/clock.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/message.h"
#include "base/reader.h"
#include "base/text_stream.h"
#include "base/units.h"

#define TRIES_MOST      4   /* most tries of a run */
#define BACK_OFF_FACTOR 4   /* factor by which the wait before each further try is longer */
#define DEADLINE_S      120 /* longest time for rendering, handing over, or cleaning */
#define DRAIN_S         10  /* time for the consoles to take what was written, before other programs write there */
#define CLOCK_JUMP_S    30
#define PORT_LIST_SIZE  1024

/* --- jobs ------------------------------------------------------------------------------------------------------------ */

static bool is_progress(const char *line)
{
	return strstr(line, " elapsed") && strstr(line, ", trial ");
}

/* Log a line of standard error, and show it on the consoles. If a console draws the view, the lines of xdp-mlr that say the
 * same are left out there. */
static void take_words(struct appliance *appliance, const char *text)
{
	if (is_progress(text)) {
		console_progress(appliance, text);
		return;
	}
	snprintf(appliance->last_words, sizeof(appliance->last_words), "%s", text);
	appliance_say(appliance, "%s", text);
}

/* Read "ports: a,b" of --dump-config: nothing may listen there. */
static void take_ports(struct appliance *appliance, char *line)
{
	static const char key[] = "ports:";
	char *rest = NULL;

	if (strncmp(line, key, sizeof(key) - 1) != 0)
		return;
	for (char *name = strtok_r(line + sizeof(key) - 1, " \",", &rest); name; name = strtok_r(NULL, " \",", &rest))
		json_put(appliance->test_ports, name, true);
}

static void on_line(void *context, enum job_stream stream, char *text, size_t length)
{
	struct appliance *appliance = context;
	json_auto_t *object = NULL;

	if (stream == JOB_ERR) {
		take_words(appliance, text);
		return;
	}
	if (appliance->phase == PHASE_CHECKING)
		take_ports(appliance, text);
	if (appliance->phase == PHASE_HANDING_OVER)
		appliance_say(appliance, "%s", text);
	if (appliance->phase != PHASE_RUNNING)
		return;
	object = reader_json(text, length, 0);
	if (json_object_get(object, "event")) {
		watch_event(&appliance->watch, object);
	} else if (json_object_get(object, "schema")) {
		free(appliance->document);
		appliance->document = strndup(text, length);
		appliance->document_length = length;
	}
	if (!object && run_is_sut(appliance_run(appliance)))
		appliance_say(appliance, "%s", text);
}

/* Enter a phase in which nothing runs, and nothing will by itself. */
static bool is_idle(const struct appliance *appliance)
{
	return appliance->phase == PHASE_UNCONFIGURED || appliance->phase == PHASE_WRONG || appliance->phase == PHASE_DONE;
}

/* Start the job of a phase. What cannot be started counts as ended with exit code 127, as in a shell. */
static void start(struct appliance *appliance, enum phase phase, struct command *command, double deadline_s)
{
	int error;

	appliance->phase = phase;
	appliance->due_ns = UINT64_MAX;
	keep_idle(appliance, is_idle(appliance));
	error = job_start(&appliance->job, command->words, on_line, appliance);
	if (error) {
		appliance_say(appliance, "cannot start %s: %s", command->words[0], strerror(-error));
		appliance->job = (struct job){ .status = 127 };
		appliance->due_ns = 0; /* Call the phase at once: it finds no job running. */
		return;
	}
	if (deadline_s > 0)
		appliance->job.stop_ns = clock_ns() + (uint64_t)(deadline_s * NS_PER_S);
}

/* No job runs in this phase. */
static void rest(struct appliance *appliance, enum phase phase)
{
	appliance->phase = phase;
	appliance->due_ns = UINT64_MAX;
	keep_idle(appliance, is_idle(appliance));
	console_refresh(appliance);
}

/* Go on once nothing runs any more. */
static void switch_off(struct appliance *appliance)
{
	keep_no_position(appliance);
	job_stop(&appliance->probe_job, SIGTERM);
	rest(appliance, PHASE_ENDING);
	appliance->due_ns = 0;
}

/* --- reading the configuration --------------------------------------------------------------------------------------- */

static void go_wrong(struct appliance *appliance)
{
	appliance_say(appliance, "%s", appliance->error);
	appliance_say(appliance, "the configuration is wrong, and nothing was sent");
	appliance_say(appliance, "waiting for another configuration (key r: read this one again)");
	rest(appliance, PHASE_WRONG);
}

/* Check the options of a run: xdp-mlr reads them as it will for the run itself. */
static void check_run(struct appliance *appliance)
{
	struct command command;

	command_of_run(appliance, &command);
	command_add(&command, "--dump-config", NULL);
	appliance->last_words[0] = '\0';
	start(appliance, PHASE_CHECKING, &command, DEADLINE_S);
}

static void begin_round(struct appliance *appliance);
static void clean_first(struct appliance *appliance);
static void wait_for_round(struct appliance *appliance);

static void checked_run(struct appliance *appliance)
{
	const struct run_settings *run = appliance_run(appliance);

	if (appliance->ending) {
		switch_off(appliance);
		return;
	}
	if (appliance->job.status) {
		snprintf(appliance->error, sizeof(appliance->error), "%s%s%s%.400s", *run->name ? "run '" : "", run->name,
			 *run->name ? "': " : "", *appliance->last_words ? appliance->last_words : "xdp-mlr cannot read it");
		go_wrong(appliance);
		return;
	}
	if (++appliance->run < appliance->settings.run_count) {
		check_run(appliance);
		return;
	}
	http_configure(appliance);
	if (appliance->resumes) {
		clean_first(appliance);
		return;
	}
	appliance->run = 0;
	if (appliance->begins_now)
		begin_round(appliance);
	else
		wait_for_round(appliance);
}

/* Make the options of --override words: "--name=value". */
static void put_overrides(FILE *to, FILE *from)
{
	static const char section[] = "appliance.";
	char line[RECORD_LINE_MOST];

	while (fgets(line, sizeof(line), from)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line && strncmp(line, section, strlen(section)) != 0)
			fprintf(to, "--%s%c", line, '\0');
	}
}

static void read_overrides(struct appliance *appliance)
{
	FILE *from = appliance->places.override ? fopen(appliance->places.override, "re") : NULL;

	free(appliance->overrides);
	appliance->overrides = NULL;
	if (!from)
		return;
	appliance->overrides = TEXT_WRITTEN(to, NULL, put_overrides(to, from));
	fclose(from);
}

/* Read the section; false: it is wrong, and that was said. */
static bool read_configuration(struct appliance *appliance)
{
	static struct settings settings;

	read_overrides(appliance);
	if (!settings_read(appliance->places.config, appliance->places.override, &settings, appliance->error)) {
		go_wrong(appliance);
		return false;
	}
	settings_free(&appliance->settings);
	appliance->settings = settings;
	appliance->store.keep_octets = settings.keep_octets > 0 ? settings.keep_octets : results_free_memory();
	return true;
}

static void begin(struct appliance *appliance)
{
	appliance->rounds = (struct rounds){ .begun = 0 };
	appliance->run = 0;
	appliance->tries = 0;
	appliance->error[0] = '\0';
	if (!appliance->places.config)
		rest(appliance, PHASE_UNCONFIGURED);
	else if (read_configuration(appliance))
		check_run(appliance);
}

/* --- rounds ----------------------------------------------------------------------------------------------------------- */

static void run_next(struct appliance *appliance);

static void finish(struct appliance *appliance)
{
	if (strcmp(appliance->settings.at_end, "power-off") == 0) {
		appliance_say(appliance, "done; switching off");
		switch_off(appliance);
		return;
	}
	appliance_say(appliance, "done; waiting for another configuration, or to be switched off (h: help)");
	rest(appliance, PHASE_DONE);
}

static void begin_round(struct appliance *appliance)
{
	time_t now = time(NULL);

	appliance->rounds.begun++;
	appliance->rounds.last_begun = now;
	if (appliance->rounds.begun == 1)
		appliance->rounds.first_begun = now;
	appliance->run = 0;
	appliance->tries = 0;
	run_next(appliance);
}

static void wait_for_round(struct appliance *appliance)
{
	time_t now = time(NULL);

	appliance->next_round = schedule_next(&appliance->settings.schedule, &appliance->rounds, now);
	if (appliance->next_round == SCHEDULE_OVER) {
		finish(appliance);
		return;
	}
	if (appliance->next_round <= now) {
		begin_round(appliance);
		return;
	}
	appliance_say(appliance, "the next round begins at %s", format_utc(appliance->next_round, UNIT_ROOM));
	rest(appliance, PHASE_WAITING);
	appliance->due_ns = clock_ns() + NS_PER_S;
}

static void wait_on(struct appliance *appliance)
{
	if (time(NULL) >= appliance->next_round)
		begin_round(appliance);
	else
		appliance->due_ns = clock_ns() + NS_PER_S;
}

static void next_run(struct appliance *appliance)
{
	appliance->tries = 0;
	if (appliance->ending) {
		switch_off(appliance);
		return;
	}
	if (++appliance->run < appliance->settings.run_count) {
		run_next(appliance);
		return;
	}
	keep_no_position(appliance);
	appliance->rounds.last_ended = time(NULL);
	appliance->run = 0;
	wait_for_round(appliance);
}

/* --- a run ------------------------------------------------------------------------------------------------------------ */

static void begin_watch(struct appliance *appliance)
{
	const struct run_settings *run = appliance_run(appliance);
	const char *title =
		TEXT_OF(VIEW_TITLE_SIZE, "%.24s%s%.12s%s%.36s", run->name, *run->name ? ": " : "", run->verb,
			run->ports.count ? " " : "", settings_port_list(&run->ports, ROOM(SETTINGS_PORT_LIST_SIZE)));

	watch_begin(&appliance->watch, title);
}

static void run_next(struct appliance *appliance)
{
	char metrics[FILES_PATH_SIZE];
	struct command command;

	command_of_run(appliance, &command);
	command_say(appliance, &command);
	if (!run_is_sut(appliance_run(appliance)))
		command_add(&command, "--format", "jsonl", NULL);
	if (run_takes_notes(appliance_run(appliance))) {
		command_add(&command, "--metrics", keep_path(appliance, KEEP_METRICS, metrics), NULL);
		json_each (note, appliance->pending_notes)
			command_add(&command, "--note", json_string_value(note), NULL);
	}
	free(appliance->document);
	appliance->document = NULL;
	appliance->last_words[0] = '\0';
	appliance->run_started = time(NULL);
	appliance->run_began_ns = clock_ns();
	begin_watch(appliance);
	keep_position(appliance, appliance->run, appliance->run_started);
	start(appliance, PHASE_RUNNING, &command, 0);
	console_refresh(appliance);
}

static void say_told(void *context, const char *sentence)
{
	struct appliance *appliance = context;

	appliance_say(appliance, "%s", sentence);
}

/* Make the run's entry in the list of results, with the document if there is one. Returns whether it could be kept. */
static bool store_run(struct appliance *appliance)
{
	const struct run_settings *run = appliance_run(appliance);
	time_t now = time(NULL);
	/* The calendar may have been set meanwhile. What it says now counts, and how long the run took does not depend on
	 * it. */
	struct result result = { .started = now - (time_t)((clock_ns() - appliance->run_began_ns) / NS_PER_S),
				 .ended = now,
				 .exit_code =
					 appliance->run_status < 0 ? 128 - appliance->run_status : appliance->run_status };
	json_auto_t *document = appliance->document ? reader_json(appliance->document, appliance->document_length, 0) : NULL;
	int error;

	snprintf(result.run, sizeof(result.run), "%s", run->name);
	snprintf(result.verb, sizeof(result.verb), "%s", run->verb);
	if (document)
		watch_summary(document, result.summary);
	else
		snprintf(result.summary, sizeof(result.summary), "no result: %.200s",
			 *appliance->last_words ? appliance->last_words : "it said nothing");
	error = results_add(&appliance->store, &result, appliance->document, appliance->document_length, say_told,
			    appliance);
	if (error)
		appliance_say(appliance, "cannot keep the result: %s", strerror(-error));
	else
		appliance_say(appliance, "result %u: %s", result.number, result.summary);
	keep_position(appliance, appliance->run + 1, 0); /* This run is not made again. */
	return !error;
}

static void render(struct appliance *appliance, enum results_form form)
{
	unsigned int number = appliance->store.last_number;
	struct command command = { .count = 0 };

	command_add(&command, appliance->places.xdp_mlr, "report",
		    results_path(&appliance->store, number, RESULTS_JSON, ROOM(FILES_PATH_SIZE)), "--report",
		    results_path(&appliance->store, number, form, ROOM(FILES_PATH_SIZE)), NULL);
	appliance->form = form;
	start(appliance, PHASE_RENDERING, &command, DEADLINE_S);
}

/* Whether a run is tried again: only if it did not end as it should. A run that the operator stopped is no crash. */
static bool is_crash(const struct appliance *appliance)
{
	int status = appliance->job.status;

	return !appliance->document && !appliance->job.stopped &&
	       (status < EXIT_DONE || (status > EXIT_INVALID && status != EXIT_INTERRUPTED) || status == EXIT_DONE ||
		status == EXIT_UNMET);
}

static void start_cleaning(struct appliance *appliance)
{
	struct command command = { .count = 0 };

	command_add(&command, appliance->places.xdp_mlr, "clean", NULL);
	start(appliance, PHASE_CLEANING, &command, DEADLINE_S);
}

static void crash(struct appliance *appliance)
{
	appliance->crashes++;
	appliance->tries++;
	keep_note(appliance, "The program died of %s at %s, after %zu trials of this run, and was started anew.",
		  job_fate(appliance->job.status, ROOM(JOB_FATE_SIZE)), format_utc(time(NULL), UNIT_ROOM),
		  appliance->watch.view.trial_count);
	start_cleaning(appliance);
}

static void conclude_run(struct appliance *appliance)
{
	appliance_say(appliance, "xdp-mlr ended with %s", job_fate(appliance->run_status, ROOM(JOB_FATE_SIZE)));
	if (!store_run(appliance) || !appliance->document) {
		next_run(appliance);
		return;
	}
	keep_no_notes(appliance);
	render(appliance, RESULTS_HTML);
}

static void ended_run(struct appliance *appliance)
{
	appliance->run_status = appliance->job.status;
	appliance->killed = appliance->run_status < 0 && !is_crash(appliance);
	if (is_crash(appliance))
		crash(appliance);
	else if (appliance->killed)
		start_cleaning(appliance);
	else
		conclude_run(appliance);
}

static void cleaned(struct appliance *appliance)
{
	double back_off_s = appliance->places.back_off_s * pow(BACK_OFF_FACTOR, appliance->tries ? appliance->tries - 1 : 0);

	if (appliance->killed) {
		appliance->killed = false;
		conclude_run(appliance);
		return;
	}
	if (appliance->ending) {
		next_run(appliance);
		return;
	}
	if (appliance->tries >= TRIES_MOST) {
		appliance_say(appliance, "it died %u times, and is not tried again", appliance->tries);
		snprintf(appliance->last_words, sizeof(appliance->last_words), "the program died %u times",
			 appliance->tries);
		store_run(appliance);
		next_run(appliance);
		return;
	}
	if (!appliance->tries)
		back_off_s = 0;
	rest(appliance, PHASE_BACKING_OFF);
	appliance->due_ns = clock_ns() + (uint64_t)(back_off_s * NS_PER_S);
}

/* --- what becomes of a result ------------------------------------------------------------------------------------------ */

/* Write the text on every console, then start the operator's own program, which may write there, too. */
static void begin_hand_over(struct appliance *appliance)
{
	char *text;
	size_t length;

	results_settle(&appliance->store, say_told, appliance);
	if (!file_read(results_path(&appliance->store, appliance->store.last_number, RESULTS_TEXT, ROOM(FILES_PATH_SIZE)),
		       JOB_LINE_MAX, &text, &length)) {
		console_text(appliance, text);
		free(text);
	}
	if (!appliance->places.hand_over) {
		next_run(appliance);
		return;
	}
	rest(appliance, PHASE_HANDING_OVER);
	console_hold(appliance, true);
	appliance->run_began_ns = clock_ns();
	appliance->due_ns = 0;
}

/* Go on once the consoles have taken what we wrote. */
static void hand_over(struct appliance *appliance)
{
	const struct results *store = &appliance->store;
	const struct result *result = &store->results[store->count - 1];
	struct command command = { .count = 0 };

	if (!console_drained(appliance) && clock_ns() - appliance->run_began_ns < DRAIN_S * NS_PER_S) {
		appliance->due_ns = clock_ns() + NS_PER_S / 20;
		return;
	}
	command_add(&command, appliance->places.hand_over,
		    results_path(store, result->number, RESULTS_JSON, ROOM(FILES_PATH_SIZE)),
		    results_path(store, result->number, RESULTS_HTML, ROOM(FILES_PATH_SIZE)),
		    TEXT_OF(16, "%d", result->exit_code), NULL);
	start(appliance, PHASE_HANDING_OVER, &command, DEADLINE_S);
}

static void handed_over(struct appliance *appliance)
{
	console_hold(appliance, false);
	if (appliance->job.status)
		appliance_say(appliance, "handing the result over failed: %s ended with %s", appliance->places.hand_over,
			      job_fate(appliance->job.status, ROOM(JOB_FATE_SIZE)));
	next_run(appliance);
}

static void rendered(struct appliance *appliance)
{
	if (appliance->job.status)
		appliance_say(appliance, "rendering the result failed: xdp-mlr report ended with %s",
			      job_fate(appliance->job.status, ROOM(JOB_FATE_SIZE)));
	if (appliance->form == RESULTS_HTML)
		render(appliance, RESULTS_TEXT);
	else
		begin_hand_over(appliance);
}

/* --- the loop ---------------------------------------------------------------------------------------------------------- */

static void read_metrics(struct appliance *appliance)
{
	owned char *text = NULL;
	size_t length;

	if (clock_ns() - appliance->metrics_read_ns < NS_PER_S)
		return;
	appliance->metrics_read_ns = clock_ns();
	if (file_read(keep_path(appliance, KEEP_METRICS, ROOM(FILES_PATH_SIZE)), KEEP_METRICS_MOST, &text, &length))
		return;
	watch_metrics(&appliance->watch, text);
}

static void take_probe_line(void *context, enum job_stream stream, char *text, size_t length)
{
	struct appliance *appliance = context;
	json_t *document;

	if (stream == JOB_ERR) {
		record_add(&appliance->record, text, false);
		return;
	}
	document = reader_json(text, length, 0);
	if (!json_object_get(document, "ports")) {
		json_decref(document);
		return;
	}
	json_decref(appliance->probe);
	appliance->probe = document;
}

/* Write the ports with hardware but the management port, "eth0,eth1", which may be tried. Empty: none. */
static const char *list_ports(const struct appliance *appliance, char *list, size_t size)
{
	const char *management = appliance->settings.management.port;
	glob_t found = { 0 };

	list[0] = '\0';
	glob("/sys/class/net/*/device", GLOB_NOSORT, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *name = found.gl_pathv[i] + strlen("/sys/class/net/");
		int length = (int)strcspn(name, "/");

		if (strncmp(name, management, (size_t)length) != 0 || management[length])
			text_join(list, size, ",", "%.*s", length, name);
	}
	globfree(&found);
	return list;
}

/* Look at the ports anew. Trying takes an XDP program onto a port for a moment, which makes some of them lose their link for
 * seconds: not before a run. */
static void look_at_ports(struct appliance *appliance)
{
	const char *words[] = { appliance->places.xdp_mlr, "probe", "--format", "jsonl", NULL, NULL, NULL };
	char ports[PORT_LIST_SIZE];

	if (!appliance_may_probe(appliance))
		return;
	if (is_idle(appliance) && *list_ports(appliance, ports, sizeof(ports))) {
		words[4] = "--ports";
		words[5] = ports;
	}
	if (job_start(&appliance->probe_job, words, take_probe_line, appliance))
		console_ports(appliance); /* Show the ports as they are known. */
}

static void ended_job(struct appliance *appliance)
{
	static void (*const ends[])(struct appliance * appliance) = {
		[PHASE_CHECKING] = checked_run, [PHASE_RUNNING] = ended_run,        [PHASE_CLEANING] = cleaned,
		[PHASE_RENDERING] = rendered,   [PHASE_HANDING_OVER] = handed_over,
	};

	if (appliance->phase < COUNT(ends) && ends[appliance->phase])
		ends[appliance->phase](appliance);
}

/* A moment for which a phase waited. */
static void come_due(struct appliance *appliance)
{
	appliance->due_ns = UINT64_MAX;
	if (appliance->phase == PHASE_WAITING)
		wait_on(appliance);
	else if (appliance->phase == PHASE_BACKING_OFF)
		run_next(appliance);
	else if (appliance->phase == PHASE_HANDING_OVER)
		hand_over(appliance);
	else
		ended_job(appliance); /* The job of the phase could not be started. */
}

/* The calendar was set. Intervals of the schedule go on as they were, and times of day are computed anew. */
static void watch_clock(struct appliance *appliance)
{
	static double offset_s = NAN;
	double now_s = (double)time(NULL) - (double)clock_ns() / (double)NS_PER_S;
	time_t jump = isnan(offset_s) ? 0 : (time_t)(now_s - offset_s);

	if (!isnan(offset_s) && labs((long)jump) < CLOCK_JUMP_S)
		return;
	offset_s = now_s;
	if (!jump)
		return;
	appliance->rounds.first_begun += jump;
	appliance->rounds.last_begun += jump;
	appliance->rounds.last_ended += jump;
	appliance_say(appliance, "the clock was set by %ld s", (long)jump);
	if (appliance->phase == PHASE_WAITING)
		wait_for_round(appliance);
}

static void power_off(struct appliance *appliance)
{
	appliance->ending = true;
	if (appliance->phase == PHASE_RUNNING)
		job_stop(&appliance->job, SIGTERM);
	else if (!job_runs(&appliance->job) && appliance->phase != PHASE_HANDING_OVER)
		switch_off(appliance);
}

/* A request to begin again waits until no port is tried any more. */
static bool may_take_requests(const struct appliance *appliance)
{
	const struct requests *requests = &appliance->requests;

	return requests->stop_run || requests->probe || requests->power_off ||
	       (requests->again && !job_runs(&appliance->probe_job));
}

static void take_requests(struct appliance *appliance)
{
	const struct requests requests = appliance->requests;

	appliance->requests = (struct requests){ .again = requests.again };
	if (requests.stop_run && appliance_may_stop_run(appliance))
		job_stop(&appliance->job, SIGINT);
	if (requests.probe)
		look_at_ports(appliance);
	if (requests.power_off)
		power_off(appliance);
	if (!requests.again || job_runs(&appliance->probe_job))
		return;
	appliance->requests.again = false;
	/* A configuration that was wrong is read again, and its schedule says when. */
	appliance->begins_now = appliance->phase == PHASE_WAITING || appliance->phase == PHASE_DONE;
	if (appliance_may_begin_again(appliance))
		begin(appliance);
	else
		appliance_say(appliance, "a run has begun meanwhile, and goes on (key c stops it)");
}

void runner_work(struct appliance *appliance)
{
	if (may_take_requests(appliance))
		take_requests(appliance);
	watch_clock(appliance);
	if (job_work(&appliance->probe_job))
		console_ports(appliance);
	if (appliance->phase == PHASE_RUNNING)
		read_metrics(appliance);
	if (job_work(&appliance->job))
		ended_job(appliance);
	if (clock_ns() >= appliance->due_ns)
		come_due(appliance);
	if (appliance->phase == PHASE_ENDING && !job_runs(&appliance->job) && !job_runs(&appliance->probe_job))
		appliance->power_off = true;
}

uint64_t runner_due_ns(const struct appliance *appliance)
{
	uint64_t due_ns = appliance->due_ns, job_ns = job_due_ns(&appliance->job),
		 probe_ns = job_due_ns(&appliance->probe_job);

	if (may_take_requests(appliance))
		return 0;
	due_ns = job_ns < due_ns ? job_ns : due_ns;
	return probe_ns < due_ns ? probe_ns : due_ns;
}

/* --- start and end ------------------------------------------------------------------------------------------------ */

/* Clean up if an earlier process died in a run, and make that run anew. Of a run that had ended the result is there. */
static void clean_first(struct appliance *appliance)
{
	const struct position position = keep_read_position(appliance);

	appliance->resumes = false;
	appliance->rounds.begun = position.round;
	appliance->rounds.first_begun = position.first_begun;
	appliance->rounds.last_begun = position.last_begun;
	appliance->crashes++;
	if (!position.started && position.run && position.run <= appliance->settings.run_count) {
		appliance_say(appliance, "the appliance's own program died once a run had ended, and goes on behind it");
		appliance->run = position.run - 1;
		next_run(appliance);
		return;
	}
	appliance->run = position.run < appliance->settings.run_count ? position.run : 0;
	keep_note(appliance, "The appliance's own program died in this run, which had begun at %s, and went on at %s.",
		  format_utc(position.started, UNIT_ROOM), format_utc(time(NULL), UNIT_ROOM));
	start_cleaning(appliance);
}

void runner_start(struct appliance *appliance)
{
	appliance->test_ports = json_object();
	keep_read_notes(appliance);
	appliance->due_ns = UINT64_MAX;
	appliance->resumes = appliance->places.config && keep_has_position(appliance);
	begin(appliance);
	look_at_ports(appliance);
}

void runner_abandon(struct appliance *appliance)
{
	job_stop(&appliance->job, SIGTERM);
	switch_off(appliance);
}
