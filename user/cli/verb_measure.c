/* SPDX-License-Identifier: GPL-2.0-or-later */
/* search, soak, sweep, trial, rfc2544, y1564 and selftest are the verbs that measure. What was measured is shown even if
 * they could not go on. */
#include <errno.h>
#include <math.h>
#include <time.h>

#include "base/clock.h"
#include "base/destination.h"
#include "base/json_read.h"
#include "base/reader.h"
#include "base/signing.h"
#include "base/starter.h"
#include "base/stop.h"
#include "benchmark/rfc2544.h"
#include "benchmark/search.h"
#include "benchmark/selftest.h"
#include "benchmark/soak.h"
#include "benchmark/sweep.h"
#include "benchmark/y1564.h"
#include "cli/verbs.h"
#include "config/given.h"
#include "config/stored.h"
#include "measurer/apart.h"
#include "measurer/foreign.h"
#include "measurer/lost.h"
#include "measurer/measurer.h"
#include "port/privileges.h"
#include "progress/events.h"
#include "progress/metrics.h"
#include "progress/progress.h"
#include "result/deliver.h"
#include "result/report.h"
#include "result/verify.h"

/* A measurement by a measurer. */
struct run {
	const struct config *config;
	time_t start_time;
	struct measurer *measurer; /* NULL: a suite chooses its own */
	struct report_file file;   /* the file of --report, open during the measurement */
	bool began;                /* the trial of the verb `trial` */
};

/* Tell the end as an event, then deliver the document, as report_deliver() does: also where nobody hears events any more. */
static enum exit_code deliver(struct run *run, json_t *document, double duration_s, enum exit_code code)
{
	enum exit_code told = event_finished(run->config, duration_s, read_string(document, "irregular_reason"));
	enum exit_code delivered = report_deliver(document, run->config, &run->file, code);

	return told != EXIT_DONE ? told : delivered;
}

/* Write a file of the frames that a trial lost, or of foreign ones. */
struct capture {
	const char *option, *path; /* path NULL: the file was not asked for */
	bool of_a_part;            /* also write the file for a trial that was interrupted */
	enum exit_code (*make)(const struct run *run, char **ret_text, size_t *ret_length); /* *ret_text NULL: no memory */
	struct destination destination;
};

/* Divide the process: everything is open, and the keeper keeps what the end needs. Then the measurer gets ready. A stop
 * ends that, and later the run. */
static enum exit_code divide(struct run *run, struct capture *captures, size_t count)
{
	struct keeper_plan plan = { .answer = destination_answer };
	enum exit_code code;

	for (size_t i = 0; i < REPORT_FILES_MAX; i++)
		destination_hold(&run->file.destinations[i], &plan);
	for (size_t i = 0; i < count; i++)
		destination_hold(&captures[i].destination, &plan);
	metrics_hold(&plan);
	if (run->config->verb == VERB_SELFTEST)
		selftest_hold(run->config, &plan);
	if (!run->measurer) {
		code = starter_begin((const char *[]){ run->config->reset_command, run->config->reconf_command }, 2);
		if (code != EXIT_DONE)
			return code;
		measurer_hold_parts(run->config, &plan);
		return privileges_divide(run->config, &plan);
	}
	code = measurer_divide(run->measurer, &plan);
	return code == EXIT_INTERRUPTED ? EXIT_DONE : code;
}

/* --- search --------------------------------------------------------------------------------------------------------- */

static enum exit_code perform_search(struct run *run)
{
	struct search search;
	enum exit_code code;

	if (run->config->repeats > 1)
		return repeat_searches(run->config, run->measurer, &run->file);
	code = search_run(run->config, run->measurer, &search);
	if (search.end != SEARCH_RUNNING && (search.end != SEARCH_FAILED || search.trial_count))
		code = deliver(run, report_search(&search), search.duration_s, code);
	search_free(&search);
	return code;
}

/* --- soak ----------------------------------------------------------------------------------------------------------- */

static enum exit_code perform_soak(struct run *run)
{
	struct soak soak;
	enum exit_code code = soak_run(run->config, run->measurer, &soak);

	if (soak.end != SOAK_RUNNING && (soak.end != SOAK_FAILED || soak.series.trial_count))
		code = deliver(run, report_soak(&soak), soak.series.duration_s, code);
	soak_free(&soak);
	return code;
}

/* --- sweep ---------------------------------------------------------------------------------------------------------- */

static enum exit_code perform_sweep(struct run *run)
{
	struct sweep sweep;
	enum exit_code code = sweep_run(run->config, run->measurer, &sweep);

	if (sweep.end != SWEEP_RUNNING && (sweep.end != SWEEP_FAILED || sweep.series.trial_count))
		code = deliver(run, report_sweep(&sweep), sweep.series.duration_s, code);
	sweep_free(&sweep);
	return code;
}

/* --- trial ---------------------------------------------------------------------------------------------------------- */

static enum exit_code measure_trial(struct run *run, struct measurement *ret)
{
	const struct config *config = run->config;
	struct measurer *measurer = run->measurer;
	struct mlr_trial_input input = { .duration_s = config->duration_s, .load_fps = NAN };
	enum exit_code code = EXIT_DONE;

	if (stop_requested())
		return EXIT_INTERRUPTED;
	if (config->load.unit != LOAD_MAX)
		code = option_load_fps(config, "load", &config->load, measurer->line_rate_fps, &input.load_fps);
	if (code == EXIT_DONE)
		code = event_trial_started(config, 1, &input, NULL);
	if (code != EXIT_DONE)
		return code;
	progress_show_trial(config, &input, 0);
	run->began = true;
	if (config->load.unit == LOAD_MAX)
		return measurer_xdp_measure_max(measurer, config->duration_s, ret);
	return measurer->ops->measure(measurer, &input, ret);
}

/* Show the result. `measurement` is NULL for an interrupted trial. */
static enum exit_code show_trial(struct run *run, const struct measurement *measurement, enum exit_code code)
{
	enum exit_code told = measurement ? event_trial_finished(run->config, 1, report_trial(measurement)) : EXIT_DONE;

	if (told != EXIT_DONE)
		return told;
	return deliver(run, report_one_trial(run->config, run->measurer, measurement, run->start_time),
		       measurement ? measurement->wall_s : 0, code);
}

static enum exit_code make_lost(const struct run *run, char **ret_text, size_t *ret_length)
{
	const struct config *config = run->config;
	struct lost_frames lost;
	enum exit_code code = measurer_xdp_lost(run->measurer, config->capture_count, &lost);

	if (code != EXIT_DONE)
		return code;
	*ret_text = lost_frames_csv(&lost, config, ret_length);
	note("%s: %zu of %llu lost frames", config->lost_path, lost.count, (unsigned long long)lost.lost);
	if (lost.unknown)
		warn("--capture-lost: of %llu frames, the earliest of their flows, the receiver no longer knows whether "
		     "they came",
		     (unsigned long long)lost.unknown);
	lost_frames_free(&lost);
	return EXIT_DONE;
}

static enum exit_code make_foreign(const struct run *run, char **ret_text, size_t *ret_length)
{
	size_t count = 0;

	*ret_text = measurer_xdp_foreign(run->measurer, ret_length, &count);
	note("%s: %zu foreign or damaged frames", run->config->foreign_path, count);
	return EXIT_DONE;
}

/* Call it once it was seen that the file can be written. */
static enum exit_code write_capture(const struct run *run, struct capture *capture)
{
	size_t length;
	owned char *text = NULL;
	enum exit_code code = capture->make(run, &text, &length);
	int error;

	if (code != EXIT_DONE)
		return code;
	error = text ? destination_write(&capture->destination, text, length, 0644, true, false) : -ENOMEM;
	return error ? destination_refuse(capture->option, capture->path, error) : EXIT_DONE;
}

static enum exit_code open_capture(struct capture *capture)
{
	int error;

	capture->destination = (struct destination){ .directory_fd = -1, .fd = -1 };
	error = capture->path ? destination_ready(capture->path, &capture->destination) : 0;
	return error ? destination_refuse(capture->option, capture->path, error) : EXIT_DONE;
}

/* Perform the trial, and write the files that it was asked for. Whether they can be written is tested before it. */
static enum exit_code measure_and_capture(struct run *run, struct capture *captures, size_t count,
					  struct measurement *measurement)
{
	enum exit_code code = EXIT_DONE, written;
	size_t opened = 0;

	for (; opened < count && code == EXIT_DONE; opened++)
		code = open_capture(&captures[opened]);
	if (code == EXIT_DONE)
		code = divide(run, captures, count);
	if (code == EXIT_DONE)
		code = measure_trial(run, measurement);
	while (opened > 0) {
		struct capture *capture = &captures[--opened];

		if (capture->path && (code == EXIT_DONE || (code == EXIT_INTERRUPTED && run->began && capture->of_a_part))) {
			progress_end();
			written = write_capture(run, capture);
			code = code ?: written;
		}
		destination_close(&capture->destination);
	}
	return code;
}

static enum exit_code perform_trial(struct run *run)
{
	measurement_auto_t measurement = { 0 };
	struct capture captures[] = {
		{ .option = "capture-lost", .path = run->config->lost_path, .make = make_lost },
		{ .option = "capture-foreign", .path = run->config->foreign_path, .of_a_part = true, .make = make_foreign },
	};
	enum exit_code code = measure_and_capture(run, captures, COUNT(captures), &measurement);

	if (code == EXIT_DONE)
		progress_trial_ended(&measurement.counts, measurement.verdict.lost, measurement.result.output.loss_ratio);
	progress_end();
	if (code == EXIT_DONE)
		code = show_trial(run, &measurement, measurement.tester_limited ? EXIT_UNMET : EXIT_DONE);
	else if (code == EXIT_INTERRUPTED)
		code = show_trial(run, NULL, code);
	return code;
}

/* --- suites, which choose their measurers themselves ---------------------------------------------------------------- */

static enum exit_code perform_rfc2544(struct run *run)
{
	struct rfc2544 suite;
	enum exit_code code = rfc2544_run(run->config, &suite);
	json_t *document = report_rfc2544(&suite);

	if (document)
		code = deliver(run, document, suite.common.duration_s, code);
	rfc2544_free(&suite);
	return code;
}

static enum exit_code perform_y1564(struct run *run)
{
	struct y1564 suite;
	enum exit_code code = y1564_run(run->config, &suite);
	json_t *document = report_y1564(&suite);

	if (document)
		code = deliver(run, document, suite.common.duration_s, code);
	y1564_free(&suite);
	return code;
}

static enum exit_code perform_selftest(struct run *run)
{
	struct selftest selftest;
	enum exit_code code = selftest_run(run->config, &selftest);

	if (code == EXIT_INTERRUPTED || json_array_size(selftest.self_tests) || json_array_size(selftest.hostile_tests))
		code = deliver(run, report_selftest(&selftest), clock_since_s(selftest.start_ns), code);
	selftest_free(&selftest);
	return code;
}

/* --- the verbs ------------------------------------------------------------------------------------------------------ */

static const struct manner {
	enum exit_code (*perform)(struct run *run);
	bool is_suite;        /* A suite opens measurers of its own. */
	bool divides_process; /* It has files to open before. */
} manners[] = {
	[VERB_SEARCH] = { perform_search },
	[VERB_TRIAL] = { perform_trial, .divides_process = true },
	[VERB_SWEEP] = { perform_sweep },
	[VERB_SOAK] = { perform_soak },
	[VERB_RFC2544] = { perform_rfc2544, .is_suite = true },
	[VERB_Y1564] = { perform_y1564, .is_suite = true },
	[VERB_SELFTEST] = { perform_selftest, .is_suite = true },
};

/* A search, and the file that it was read from. */
struct stored_file {
	const char *path;
	const json_t *document;
};

static enum exit_code verify_stored(void *context, FILE *)
{
	const struct stored_file *file = context;

	return verify_refuse(file->path, file->document);
}

/* A search that is replayed or resumed must not contradict its own trials. A process without privileges looks. */
static enum exit_code check_stored(const struct config *config)
{
	const struct given *given = given_find(config->given, "resume") ?: given_find(config->given, "replay");
	struct stored_file file;
	struct reader_plan plan = { .parse = verify_stored, .context = &file, .fd = -1 };

	if (!config->stored)
		return EXIT_DONE;
	file = (struct stored_file){ given->text, config->stored->document };
	plan.name = file.path;
	signing_prepare(file.document);
	return reader_run(&plan, NULL, NULL);
}

enum exit_code verb_measure(const struct config *config)
{
	const struct manner *manner = &manners[config->verb];
	struct run run = { .config = config, .start_time = time(NULL) };
	enum exit_code code = check_stored(config) ?: report_file_open(config, &run.file);

	if (code != EXIT_DONE)
		return code;
	if (!manner->is_suite)
		code = measurer_new(config, &run.measurer);
	if (code == EXIT_DONE || code == EXIT_INTERRUPTED) {
		code = manner->divides_process ? EXIT_DONE : divide(&run, NULL, 0);
		if (code == EXIT_DONE)
			code = manner->perform(&run);
		measurer_free(run.measurer);
	}
	report_file_close(&run.file);
	return code;
}
