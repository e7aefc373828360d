/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "campaign/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_file.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/output.h"
#include "base/process.h"
#include "base/reader.h"
#include "base/standing.h"
#include "base/stop.h"
#include "base/units.h"
#include "campaign/point_result.h"
#include "campaign/store.h"
#include "config/configure.h"

#define LOCK_WAIT_S  60.0 /* wait for the rest of an earlier attempt */
#define STOP_GRACE_S 30.0 /* time from SIGTERM to SIGKILL, in which a run restores its ports */
#define ARGUMENTS    12   /* most arguments, without the acting options that a resumed point is given again */
#define COMMAND_SIZE 4096
#define SELF         "/proc/self/exe"

/* --- a child -------------------------------------------------------------------------------------------------------- */

/* Wait until it has ended; a stop is passed on to it. Its status as waitpid() has it. */
static int wait_for(const struct process *process)
{
	uint64_t kill_ns = UINT64_MAX;
	int status = 0;

	for (;;) {
		struct pollfd files[] = { { .fd = process->fd, .events = POLLIN },
					  { .fd = kill_ns == UINT64_MAX ? stop_fd() : -1, .events = POLLIN } };

		if (waitpid(process->pid, &status, WNOHANG) == process->pid)
			break;
		poll(files, 2, 1000);
		if (stop_requested() && kill_ns == UINT64_MAX) {
			kill(process->pid, SIGTERM);
			kill_ns = clock_ns() + clock_ns_of(STOP_GRACE_S);
		}
		if (clock_ns() > kill_ns)
			kill(process->pid, SIGKILL);
	}
	close(process->fd);
	return status;
}

/* Open a new file, whatever has the name now. */
static int open_output(const char *path)
{
	if (!path)
		return open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (unlink(path) && errno != ENOENT)
		return -1;
	return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* Run this program, its output into these files (NULL: into nothing), with a lock that it keeps (0: none); *ret_status as
 * waitpid() has it. If we are gone it is told to end, and restores its ports. */
static enum exit_code run_child(const char *const *arguments, const char *output, const char *errors, int lock_fd,
				int *ret_status)
{
	const struct process_plan plan = { .arguments = arguments,
					   .input_fd = -1,
					   .output_fd = open_output(output),
					   .errors_fd = open_output(errors),
					   .kept_fd = lock_fd,
					   .death_signal = SIGTERM };
	enum exit_code code = EXIT_DONE;
	struct process process;
	int error;

	fflush(stdout);
	if (plan.output_fd < 0 || plan.errors_fd < 0)
		code = refuse(EXIT_INCAPABLE, "cannot write %s: %s", plan.output_fd < 0 ? output : errors, strerror(errno));
	error = code ? 0 : process_start(&plan, &process);
	if (error)
		code = refuse(EXIT_INCAPABLE, "cannot start a process: %s", strerror(-error));
	close(plan.output_fd);
	close(plan.errors_fd);
	if (code == EXIT_DONE)
		*ret_status = wait_for(&process);
	return code;
}

/* Undo now what a run that was killed has left on ports, not when somebody uses them next. */
static void clean_up(void)
{
	static const char *const arguments[] = { SELF, "clean", "--quiet", NULL };
	int status;

	run_child(arguments, NULL, NULL, 0, &status);
}

/* --- event streams -------------------------------------------------------------------------------------------------- */

/* Count the trials that have ended in an event stream; 0 if there is none. */
static size_t count_trials(const char *path)
{
	static const char event[] = "{\"event\": \"trial_finished\"";
	size_t size = 0, count = 0;
	struct json_file file;
	owned char *line = NULL;
	ssize_t length;

	if (json_file_open(path, &file))
		return 0;
	while ((length = json_file_line(&file, &line, &size)) > 0)
		count += line[length - 1] == '\n' && strncmp(line, event, sizeof(event) - 1) == 0;
	json_file_close(&file);
	return count;
}

/* Of two attempts that did not end, keep the one that came further. Returns whether it can be resumed. */
static bool settle_streams(const char *stream, const char *newer)
{
	size_t trials = count_trials(stream), later = count_trials(newer);

	if (later && later >= trials)
		rename(newer, stream);
	else
		unlink(newer);
	return trials || later;
}

/* --- one point ------------------------------------------------------------------------------------------------------ */

/* A point that is taken up. */
struct work {
	const struct config *config; /* configuration of the command line */
	const struct campaign *campaign;
	size_t point;
	unsigned int attempt;
	bool anew; /* The results of an earlier attempt are not used. */
	bool resumed;
	int lock_fd;    /* lock of the point; its process holds it as well */
	json_t *acting; /* "--name=value" of its options that act, which are not taken from its stream; an array */
	char stream[PATH_MAX], output[PATH_MAX], errors[PATH_MAX], file[PATH_MAX], result[PATH_MAX];
	uint64_t start_ns;
};

/* How an attempt ended. */
struct end {
	const char *event;
	int exit_code;    /* -1: a signal ended it */
	char reason[256]; /* empty: none */
};

static json_t *event_of(const struct work *work, const char *event)
{
	const char *job = getenv("SLURM_ARRAY_JOB_ID"), *task = getenv("SLURM_ARRAY_TASK_ID");
	char host[HOST_NAME_MAX + 1] = "";
	json_t *json;

	gethostname(host, sizeof(host) - 1);
	json = json_with("event", event, "point", work->campaign->names[work->point], "time",
			 format_utc(time(NULL), UNIT_ROOM), "attempt", work->attempt, "host", host);
	if (job && task)
		json_put(json, "job", json_sprintf("%s_%s", job, task));
	return json;
}

/* Write an event into the journal, and to standard output if events are wanted. */
static enum exit_code tell(const struct work *work, json_t *event)
{
	enum exit_code code = store_note(work->campaign, json_incref(event));

	if (work->config->format == FORMAT_JSONL && code == EXIT_DONE)
		return output_json(event);
	json_decref(event);
	return code;
}

static bool can_resume(const struct config *point)
{
	return point->verb == VERB_SEARCH && point->repeats == 1;
}

static json_t *find_acting(const struct given_list *list)
{
	const struct given *items = list->items;

	return json_list(i, list->count,
			 option_acts(items[i].option, items[i].text)
				 ? json_sprintf("--%s=%s", items[i].option->name, items[i].text)
				 : NULL);
}

/* Write the point's options, and see from where it goes on. */
static enum exit_code prepare(struct work *work)
{
	const struct campaign *campaign = work->campaign;
	char newer[PATH_MAX];
	struct config point;
	enum exit_code code = campaign_configure(campaign, work->point, &point);
	size_t length;
	owned char *text = NULL;

	if (code != EXIT_DONE)
		return code;
	text = campaign_point_file(&point, campaign->names[work->point], &length);
	code = text ? store_write(work->file, text, length) : out_of_memory();
	store_point_path(campaign, work->point, ".jsonl.new", newer);
	if (work->anew || !can_resume(&point)) {
		unlink(newer);
		unlink(work->stream);
	} else {
		work->resumed = settle_streams(work->stream, newer);
	}
	if (work->resumed)
		work->acting = find_acting(point.given);
	memcpy(work->output, work->resumed ? newer : work->stream, PATH_MAX);
	config_free(&point);
	return code;
}

/* The arguments of the point's process: this program, or the command that launches it. */
static void arguments_of(const struct work *work, const char *self, char command[COMMAND_SIZE], const char **ret)
{
	const char *const launcher[] = { "/bin/sh", "-c", command, "sh", self };
	const char *const program[] = {
		verb_name(work->campaign->verb),
		work->resumed ? "--resume" : "--config",
		work->resumed ? work->stream : work->file,
		"--format",
		"jsonl",
		"--quiet",
	};
	size_t count = 0;

	snprintf(command, COMMAND_SIZE, "exec %s \"$@\"", work->campaign->launch ? work->campaign->launch : "");
	for (size_t i = 0; work->campaign->launch && i < COUNT(launcher); i++)
		ret[count++] = launcher[i];
	if (!count)
		ret[count++] = SELF;
	for (size_t i = 0; i < COUNT(program); i++)
		ret[count++] = program[i];
	json_each (option, work->acting)
		ret[count++] = json_string_value(option);
}

static enum exit_code perform(const struct work *work, int *ret_status)
{
	char command[COMMAND_SIZE], self[PATH_MAX];
	owned const char **arguments = NULL;

	if (!realpath(SELF, self))
		return refuse(EXIT_INCAPABLE, "cannot tell where this program is: %s", strerror(errno));
	arguments = calloc(ARGUMENTS + json_array_size(work->acting), sizeof(*arguments));
	if (!arguments)
		return out_of_memory();
	arguments_of(work, self, command, arguments);
	return run_child(arguments, work->output, work->errors, work->lock_fd, ret_status);
}

/* Get the last message of the point, without the program's name, or how it ended. */
static void find_reason(const struct work *work, int status, char *reason, size_t size)
{
	static const char prefix[] = "xdp-mlr: ";
	size_t length;
	owned char *line = store_last_line(work->errors, &length);

	if (WIFSIGNALED(status)) {
		snprintf(reason, size, "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	} else if (line) {
		const char *from = strncmp(line, prefix, sizeof(prefix) - 1) == 0 ? line + sizeof(prefix) - 1 : line;

		quote(from, strcspn(from, "\n"), reason, size);
	} else {
		snprintf(reason, size, "exit status %d%s", WEXITSTATUS(status),
			 WEXITSTATUS(status) > EXIT_UNMET ? "" : ", but its result is not there, or cannot be read");
	}
}

/* Whether somebody ended it, and not a fault of its own. */
static bool was_ended(int status)
{
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	return number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP ||
	       (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_INTERRUPTED);
}

struct line {
	const char *text;
	size_t length;
};

/* In the reader: refuse what is no document. */
static enum exit_code check_document(void *context, FILE *)
{
	const struct line *line = context;
	json_auto_t *document = json_loadb(line->text, line->length, 0, NULL);

	return read_string(document, "schema") ? EXIT_DONE : EXIT_USAGE_ERROR;
}

/* Have the document checked. EXIT_USAGE_ERROR: it is none. Any other code: nobody knows, and the point is to be run again. */
static enum exit_code check_apart(const char *text, size_t length)
{
	struct line line = { text, length };
	char reason[256];
	const struct reader_plan plan = { .parse = check_document,
					  .context = &line,
					  .fd = -1,
					  .name = "the result of a point",
					  .error = reason,
					  .error_size = sizeof(reason) };
	enum exit_code code = reader_run_through(&plan, NULL);

	return code == EXIT_DONE || code == EXIT_USAGE_ERROR ? code : refuse(code, "%s", reason);
}

/* Put the document that the point ended with in its place. */
static enum exit_code keep_result(const struct work *work, bool *ret_kept)
{
	size_t length = 0;
	owned char *line = store_last_line(work->output, &length);
	enum exit_code code = line ? check_apart(line, length) : EXIT_USAGE_ERROR;

	*ret_kept = code == EXIT_DONE;
	if (*ret_kept)
		return store_write(work->result, line, length);
	return code == EXIT_USAGE_ERROR ? EXIT_DONE : code;
}

/* What the attempt amounts to. */
static enum exit_code conclude(const struct work *work, int status, struct end *end)
{
	enum exit_code code = EXIT_DONE;
	bool kept = false;

	*end = (struct end){ .event = "point_failed", .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1 };
	if (end->exit_code == EXIT_DONE || end->exit_code == EXIT_UNMET)
		code = keep_result(work, &kept);
	if (kept) {
		end->event = "point_finished";
		return code;
	}
	if (was_ended(status))
		end->event = "point_interrupted";
	find_reason(work, status, end->reason, sizeof(end->reason));
	if (WIFSIGNALED(status))
		clean_up();
	return code;
}

static enum exit_code tell_end(const struct work *work, const struct end *end)
{
	json_t *event = event_of(work, end->event);

	json_put(event, "duration", clock_since_s(work->start_ns));
	json_put(event, "exit_code", end->exit_code < 0 ? json_null() : json_integer(end->exit_code));
	json_put(event, "reason", *end->reason ? json_string(end->reason) : json_null());
	return tell(work, event);
}

/* Remove what a point that is done needs no more. */
static void drop_streams(const struct work *work)
{
	struct stat status;

	unlink(work->stream);
	unlink(store_point_path(work->campaign, work->point, ".jsonl.new", ROOM(PATH_MAX)));
	if (stat(work->errors, &status) == 0 && !status.st_size)
		unlink(work->errors);
}

/* Under the point's lock. */
static enum exit_code attempt(struct work *work, struct end *end)
{
	json_t *event;
	int status;
	enum exit_code code = prepare(work);

	if (code != EXIT_DONE)
		return code;
	work->start_ns = clock_ns();
	event = event_of(work, "point_started");
	json_put(event, "resumed", work->resumed);
	code = tell(work, event) ?: perform(work, &status) ?: conclude(work, status, end) ?: tell_end(work, end);
	if (code == EXIT_DONE && strcmp(end->event, "point_finished") == 0)
		drop_streams(work);
	return code;
}

/* --- all of them ---------------------------------------------------------------------------------------------------- */

struct tally {
	size_t total, interrupted;
	uint64_t start_ns;
};

/* Show the start of a point, with the remaining time; for the first point it is not known. */
static void show_start(const struct work *work, const struct tally *tally, size_t taken)
{
	double elapsed_s = clock_since_s(tally->start_ns);
	char times[2 * UNIT_TEXT_SIZE + 32] = "";

	if (taken)
		snprintf(times, sizeof(times), ", %s elapsed, about %s to go", format_clock(elapsed_s, UNIT_ROOM),
			 format_clock(elapsed_s / (double)taken * (double)(tally->total - taken), UNIT_ROOM));
	note("point %zu of %zu: %s%s", taken + 1, tally->total, work->campaign->names[work->point], times);
}

static void tell_failure(const struct work *work, struct tally *tally, const struct end *end)
{
	bool interrupted = strcmp(end->event, "point_interrupted") == 0;

	if (strcmp(end->event, "point_finished") == 0)
		return;
	warn("%s %s: %s", work->campaign->names[work->point], interrupted ? "was interrupted" : "has failed", end->reason);
	tally->interrupted += interrupted;
}

/* Whether nobody else has done it while we waited. */
static bool is_still_needed(const struct work *work, const struct point_status *status)
{
	struct point_status now = { .state = status->state };

	if (access(work->result, F_OK) == 0)
		now.state = POINT_DONE;
	return campaign_needs_run(work->config, work->campaign, work->point, &now);
}

/* EXIT_DONE, whatever becomes of the point; else the campaign cannot go on. */
static enum exit_code take_up(const struct config *config, const struct campaign *campaign, size_t point,
			      const struct point_status *status, struct tally *tally, size_t taken)
{
	struct work work = { .config = config,
			     .campaign = campaign,
			     .point = point,
			     .attempt = status->attempts + 1,
			     .anew = status->state == POINT_FAILED || status->state == POINT_DONE };
	struct end end;
	enum exit_code code = EXIT_DONE;
	int lock = store_lock(campaign, point, LOCK_WAIT_S);

	if (lock == -EBUSY) {
		if (!stop_requested())
			warn("%s: somebody else works at it, and has for a minute", campaign->names[point]);
		return EXIT_DONE;
	}
	if (lock < 0)
		return refuse(EXIT_INCAPABLE, "cannot lock %s: %s", campaign->names[point], strerror(-lock));
	work.lock_fd = lock;
	store_point_path(campaign, point, ".jsonl", work.stream);
	store_point_path(campaign, point, ".err", work.errors);
	store_point_path(campaign, point, ".yaml", work.file);
	store_point_path(campaign, point, ".json", work.result);
	if (is_still_needed(&work, status)) {
		show_start(&work, tally, taken);
		code = attempt(&work, &end);
		if (code == EXIT_DONE)
			tell_failure(&work, tally, &end);
	}
	json_decref(work.acting);
	store_unlock(campaign, point, lock);
	return code;
}

enum exit_code campaign_run(const struct config *config, const struct campaign *campaign, const struct point_status *states,
			    const bool *chosen)
{
	struct tally tally = { .start_ns = clock_ns() };
	enum exit_code code = store_make(campaign);
	size_t taken = 0;

	for (size_t i = 0; i < campaign->point_count; i++)
		tally.total += chosen[i];
	for (size_t i = 0; i < campaign->point_count && code == EXIT_DONE && !stop_requested(); i++) {
		if (!chosen[i])
			continue;
		code = take_up(config, campaign, i, &states[i], &tally, taken);
		taken++;
	}
	return code == EXIT_DONE && (stop_requested() || tally.interrupted) ? EXIT_INTERRUPTED : code;
}

/* --- what became of them ------------------------------------------------------------------------------------------------- */

static enum exit_code failure_of(const struct point_status *status)
{
	bool tells = status->exit_code > EXIT_UNMET && status->exit_code <= EXIT_INVALID;

	return tells ? (enum exit_code)status->exit_code : EXIT_INVALID;
}

/* The result says what it misses, also where the journal does not have the end of its attempt. */
static enum exit_code outcome_of(const struct campaign *campaign, size_t point, const struct point_status *status)
{
	struct point_problem problem = { .fault = POINT_SOUND };
	json_auto_t *result = NULL;

	if (status->state != POINT_DONE)
		return status->state == POINT_FAILED ? failure_of(status) : EXIT_UNMET;
	result = point_result(campaign, point, &problem);
	if (!result) {
		warn("%s: %s", campaign->names[point], problem.text);
		return problem.fault == POINT_CONTRADICTS ? EXIT_USAGE_ERROR : EXIT_INVALID;
	}
	if (standing_of(result) != STANDING_REGULAR || json_array_size(json_object_get(result, "missed")))
		return EXIT_UNMET;
	return status->exit_code == EXIT_UNMET ? EXIT_UNMET : EXIT_DONE;
}

enum exit_code campaign_outcome(const struct config *config, const struct campaign *campaign,
				const struct point_status *states)
{
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < campaign->point_count; i++) {
		enum exit_code found = EXIT_DONE;

		if (campaign_means(config, campaign->names[i]))
			found = outcome_of(campaign, i, &states[i]);
		if (code == EXIT_DONE || (code == EXIT_UNMET && found > EXIT_UNMET))
			code = found;
	}
	return code;
}
