/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xdp-mlr-appliance: runs xdp-mlr as a configuration says, shows it on consoles and over HTTP, and keeps the results.
 * docs/guide/appliance.md. In the appliance init starts it, and starts it anew should it die; it runs on any other machine,
 * too.
 */
#include "appliance/appliance.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "appliance/console.h"
#include "appliance/http.h"
#include "appliance/runner.h"
#include "base/clock.h"
#include "base/message.h"
#include "base/stop.h"
#include "base/units.h"

#define BACK_OFF_S        1
#define NS_PER_MS         1000000ull
#define FILES_MOST        (2 + 2 * JOB_FILES + CONSOLES_MAX * CONSOLE_FILES)
#define DESCRIPTORS_LEAST 64

_Static_assert(FILES_MOST <= DESCRIPTORS_LEAST, "poll(2) takes no more files than RLIMIT_NOFILE");

/* --- the loop ----------------------------------------------------------------------------------------------------- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Wait until something happens. */
static void wait_for_anything(const struct appliance *appliance)
{
	struct pollfd files[FILES_MOST] = { { .fd = stop_fd(), .events = POLLIN },
					    { .fd = http_fd(appliance), .events = POLLIN } };
	uint64_t now_ns = clock_ns();
	uint64_t due_ns = least(least(runner_due_ns(appliance), http_due_ns(appliance)), console_due_ns(appliance));
	size_t count = 2;
	int wait_ms = -1;

	if (stop_requested())
		files[0].fd = -1; /* known; it stays readable */
	job_files(&appliance->job, files + count);
	job_files(&appliance->probe_job, files + count + JOB_FILES);
	count += 2 * JOB_FILES;
	for (unsigned int i = 0; i < appliance->console_count; i++, count += CONSOLE_FILES)
		console_files(appliance->consoles[i], files + count);
	if (due_ns != UINT64_MAX)
		wait_ms = due_ns <= now_ns ? 0 : (int)least((due_ns - now_ns) / NS_PER_MS + 1, 60000);
	poll(files, count, wait_ms);
}

static void work(struct appliance *appliance)
{
	runner_work(appliance);
	http_work(appliance);
	for (unsigned int i = 0; i < appliance->console_count; i++)
		console_work(appliance, appliance->consoles[i]);
}

static enum exit_code loop(struct appliance *appliance)
{
	bool abandoned = false;

	runner_start(appliance);
	while (!appliance->power_off) {
		wait_for_anything(appliance);
		if (stop_requested() && !abandoned) {
			abandoned = true;
			runner_abandon(appliance);
		}
		work(appliance);
	}
	return abandoned ? EXIT_INTERRUPTED : EXIT_DONE;
}

/* --- the command line --------------------------------------------------------------------------------------------- */

static const char usage[] =
	"Usage: xdp-mlr-appliance [options]\n"
	"       xdp-mlr-appliance [--override FILE] --settings FILE\n\n"
	"Runs xdp-mlr as the configuration says, shows it on consoles and over HTTP, and keeps the results.\n\n"
	"  --config FILE         the configuration: options of xdp-mlr, and a section `appliance:`; without it, show the "
	"ports\n"
	"  --state DIRECTORY     where results and state are kept (default /run/xdp-mlr-appliance)\n"
	"  --console DEVICE      a console, repeatable; - is standard input and output\n"
	"  --hand-over PROGRAM   is called for every result: PROGRAM RESULT.json REPORT.html EXIT-CODE\n"
	"  --override FILE       lines from the kernel's command line, which win over the file: appliance.NAME=VALUE for "
	"its section,\n"
	"                        NAME=VALUE for options\n"
	"  --xdp-mlr PROGRAM     the program to run (default xdp-mlr, from PATH)\n"
	"  --back-off TIME       before a run that died is tried again (default 1 s); four times as long each further time\n"
	"  --settings FILE       print the section `appliance:` as lines NAME=VALUE, for a shell script\n"
	"  --version, --help\n\n"
	"Exit codes: 0 the machine is to be switched off; 2 bad usage; 3 this machine cannot do it; 130 interrupted.\n";

static enum exit_code show_settings(const char *path, const char *override)
{
	static struct settings settings;
	char error[SETTINGS_ERROR_SIZE];

	if (!settings_read(path, override, &settings, error)) {
		fprintf(stderr, "%s\n", error);
		return EXIT_USAGE_ERROR;
	}
	settings_print(stdout, &settings);
	settings_free(&settings);
	return EXIT_DONE;
}

static enum exit_code print(const char *text)
{
	fputs(text, stdout);
	return EXIT_DONE;
}

struct arguments {
	struct places places;
	const char *consoles[CONSOLES_MAX];
	unsigned int console_count;
	const char *settings;
	bool help, version;
};

static enum exit_code refuse_usage(void)
{
	fputs("xdp-mlr-appliance: bad usage; see xdp-mlr-appliance --help\n", stderr);
	return EXIT_USAGE_ERROR;
}

static enum exit_code read_arguments(int argc, char **argv, struct arguments *arguments)
{
	/* The options whose value is a text, by their number in `options`. */
	const char **const texts[] = { &arguments->places.config,   &arguments->places.state,   &arguments->places.hand_over,
				       &arguments->places.override, &arguments->places.xdp_mlr, &arguments->settings };
	static const struct option options[] = {
		{ "config", required_argument, NULL, 0 },
		{ "state", required_argument, NULL, 1 },
		{ "hand-over", required_argument, NULL, 2 },
		{ "override", required_argument, NULL, 3 },
		{ "xdp-mlr", required_argument, NULL, 4 },
		{ "settings", required_argument, NULL, 5 },
		{ "console", required_argument, NULL, 'C' },
		{ "back-off", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option < (int)COUNT(texts))
			*texts[option] = optarg;
		else if (option == 'C' && arguments->console_count < CONSOLES_MAX)
			arguments->consoles[arguments->console_count++] = optarg;
		else if (option == 'b' && parse_duration(optarg, &arguments->places.back_off_s))
			continue;
		else if (option == 'h')
			arguments->help = true;
		else if (option == 'V')
			arguments->version = true;
		else
			return refuse_usage();
	}
	return optind == argc ? EXIT_DONE : refuse_usage();
}

/* A console that does not exist is no reason to end: others may exist. */
static void open_consoles(struct appliance *appliance, const struct arguments *arguments)
{
	for (unsigned int i = 0; i < arguments->console_count; i++) {
		int error = console_open(appliance, arguments->consoles[i]);

		if (error)
			appliance_say(appliance, "console %s: %s", arguments->consoles[i], strerror(-error));
	}
}

/* poll(2) fails at once where it is asked for more files than the limit, and we would never wait. */
static enum exit_code check_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= DESCRIPTORS_LEAST)
		return EXIT_DONE;
	return refuse(EXIT_INCAPABLE, "it needs %d descriptors, and RLIMIT_NOFILE allows %llu: ulimit -n", DESCRIPTORS_LEAST,
		      (unsigned long long)limit.rlim_cur);
}

static enum exit_code run(const struct arguments *arguments)
{
	static struct appliance appliance;
	char why_not[DIRECTORY_WHY_SIZE] = "";
	enum exit_code code;
	int error;

	code = check_limit();
	if (code)
		return code;
	appliance.places = arguments->places;
	error = stop_install();
	stop_in_order();
	if (error)
		return refuse(EXIT_INCAPABLE, "cannot handle signals: %s", strerror(-error));
	error = results_open(&appliance.store, appliance.places.state, why_not);
	if (error)
		return refuse(error == -ENOMEM ? EXIT_INCAPABLE : EXIT_USAGE_ERROR, "--state '%s': %s",
			      appliance.places.state, why_not);
	open_consoles(&appliance, arguments);
	code = loop(&appliance);
	http_stop(&appliance);
	console_close_all(&appliance);
	results_close(&appliance.store);
	settings_free(&appliance.settings);
	json_decref(appliance.pending_notes);
	json_decref(appliance.probe);
	json_decref(appliance.test_ports);
	free(appliance.document);
	free(appliance.overrides);
	record_free(&appliance.record);
	return code;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {
		.places = { .xdp_mlr = "xdp-mlr", .state = "/run/xdp-mlr-appliance", .back_off_s = BACK_OFF_S }
	};
	enum exit_code code = standard_open() ? EXIT_INCAPABLE : read_arguments(argc, argv, &arguments);

	if (code != EXIT_DONE)
		return code;
	if (arguments.help)
		return print(usage);
	if (arguments.version)
		return print("xdp-mlr-appliance " XDP_MLR_VERSION "\n");
	if (arguments.settings)
		return show_settings(arguments.settings, arguments.places.override);
	return run(&arguments);
}
