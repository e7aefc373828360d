/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/files.h"
#include "base/json_file.h"
#include "base/keeper.h"
#include "base/memory.h"
#include "base/stop.h"
#include "base/text_stream.h"

#define REASON_SIZE  1024
#define VERDICT_MARK 0x7665726469637400ull

/* What a reader's output ends with. The steps of its value stand before it. */
struct verdict {
	uint64_t mark; /* VERDICT_MARK; something else, where the steps were not read to their end */
	int32_t code;  /* enum exit_code */
	char reason[REASON_SIZE];
};

static bool parse_here;

void reader_parse_here(void)
{
	parse_here = true;
}

void reader_buffer(FILE *stream)
{
	setvbuf(stream, NULL, _IOFBF, BUFSIZ);
}

/* --- the reader ----------------------------------------------------------------------------------------------------- */

/* Reading, writing, and memory. */
static const int calls[] = {
	__NR_read,   __NR_write,       __NR_readv,          __NR_writev,       __NR_lseek,
	__NR_close,  __NR_fstat,       __NR_newfstatat,     __NR_fcntl,        __NR_mmap,
	__NR_munmap, __NR_mremap,      __NR_mprotect,       __NR_madvise,      __NR_brk,
	__NR_futex,  __NR_getrandom,   __NR_clock_gettime,  __NR_gettimeofday, __NR_getpid,
	__NR_gettid, __NR_sched_yield, __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_restart_syscall,
	__NR_exit,   __NR_exit_group,
#ifdef __x86_64__
	__NR_time,
#endif
};

_Static_assert(COUNT(calls) <= 28, "docs/SECURITY.md says so many");

static void say_nothing(enum message_kind kind, const char *text)
{
	(void)kind;
	(void)text;
}

/* Its only files are what it reads, and the pipe. Sanitizers write to standard error. */
static void keep_two(int input, int output)
{
#ifdef __SANITIZE_ADDRESS__
	unsigned int from = STDERR_FILENO + 1;
#else
	unsigned int from = 0;
#endif
	const int kept[] = { input < output ? input : output, input < output ? output : input };

	for (size_t i = 0; i < COUNT(kept); i++) {
		if (kept[i] > (int)from)
			close_range(from, (unsigned int)kept[i] - 1, 0);
		if (kept[i] >= (int)from)
			from = (unsigned int)kept[i] + 1;
	}
	close_range(from, ~0u, 0);
}

/* A container may forbid the filter, or the kernel may lack it. */
static int confine(pid_t parent)
{
	int error = confine_to_nobody();

	if (!error && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)) /* a change of the user takes it back */
		error = -ESRCH;
	if (!error)
		confine_system_calls(calls, COUNT(calls), NULL, 0);
	return error;
}

/* Parse, and write the steps, or an end without a value, and the verdict. */
static bool write_all(const struct reader_plan *plan, bool wants_value, FILE *stream)
{
	struct verdict verdict = { .mark = VERDICT_MARK, .code = (int32_t)plan->parse(plan->context, stream) };

	if (memory_ran_out() || ferror(stream))
		verdict.code = EXIT_INCAPABLE;
	if (verdict.code || !wants_value)
		flat_end(stream);
	snprintf(verdict.reason, sizeof(verdict.reason), "%s", memory_ran_out() ? "out of memory" : message_refused());
	return fwrite(&verdict, sizeof(verdict), 1, stream) == 1 && !fflush(stream);
}

static _Noreturn void be_reader(const struct reader_plan *plan, bool wants_value, int output, pid_t parent)
{
	FILE *stream = fdopen(output, "w");

	message_pass(say_nothing);
	keep_two(plan->fd, output);
	if (!stream || confine(parent))
		_exit(EXIT_INCAPABLE);
	_exit(write_all(plan, wants_value, stream) ? EXIT_DONE : EXIT_INCAPABLE);
}

/* --- who asks it ---------------------------------------------------------------------------------------------------- */

static enum exit_code report(const struct reader_plan *plan, enum exit_code code, const char *reason)
{
	if (!plan->error)
		return refuse(code, "%s", reason);
	snprintf(plan->error, plan->error_size, "%s", reason);
	return code;
}

/* Read what a reader wrote. Whatever it is, it is a value that can be used, or a refusal. */
static enum exit_code take(const struct reader_plan *plan, FILE *stream, json_t **ret, struct flat_lines *lines)
{
	json_t *value = flat_read(stream, JSON_MEMORY_MOST, lines);
	struct verdict verdict;
	enum exit_code code = EXIT_DONE;

	if (fread(&verdict, sizeof(verdict), 1, stream) != 1) {
		code = stop_requested() ? EXIT_INTERRUPTED
					: report(plan, EXIT_INCAPABLE,
						 TEXT_OF(REASON_SIZE, "%s: the process that reads it has died", plan->name));
	} else if (verdict.code && verdict.mark == VERDICT_MARK) {
		verdict.reason[REASON_SIZE - 1] = '\0';
		code = report(plan, verdict.code == EXIT_USAGE_ERROR ? EXIT_USAGE_ERROR : EXIT_INCAPABLE, verdict.reason);
	} else if (verdict.mark != VERDICT_MARK || (ret && !value)) {
		code = report(plan, EXIT_INCAPABLE,
			      TEXT_OF(REASON_SIZE, "%s: the process that reads it handed back no value", plan->name));
	}
	if (code == EXIT_DONE && ret)
		*ret = value;
	else
		json_decref(value);
	return code;
}

/* Start the reader. Signals are for us alone: it ends when we do. */
static pid_t start(const struct reader_plan *plan, bool wants_value, const int fds[2])
{
	pid_t parent = getpid(), pid;
	sigset_t all, before;

	json_object_seed(0); /* the reader may open no file for it */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0)
		be_reader(plan, wants_value, fds[1], parent);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static void end(pid_t pid)
{
	/* Where it may not be killed, it is not waited for, as it may hang. */
	int flags = kill(pid, SIGKILL) && errno == EPERM ? WNOHANG : 0;

	while (waitpid(pid, NULL, flags) < 0 && errno == EINTR)
		;
}

static enum exit_code run_apart(const struct reader_plan *plan, json_t **ret, struct flat_lines *lines)
{
	enum exit_code code;
	FILE *stream = NULL;
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return report(plan, EXIT_INCAPABLE, TEXT_OF(REASON_SIZE, "cannot make a pipe: %s", strerror(errno)));
	pid = start(plan, ret, fds);
	close(fds[1]);
	if (pid > 0)
		stream = fdopen(fds[0], "r");
	code = stream ? take(plan, stream, ret, lines)
		      : report(plan, EXIT_INCAPABLE, TEXT_OF(REASON_SIZE, "cannot start a process: %s", strerror(errno)));
	if (stream)
		fclose(stream);
	else
		close(fds[0]);
	if (pid > 0)
		end(pid);
	return code;
}

/* Parse, and build the value from its steps as if another process had written them. */
static enum exit_code run_here(const struct reader_plan *plan, json_t **ret, struct flat_lines *lines)
{
	owned char *steps = NULL;
	size_t length;
	FILE *stream = text_stream_open(&steps, &length);
	enum exit_code code = stream ? plan->parse(plan->context, stream) : out_of_memory();

	if (stream && !text_stream_end(stream, &steps) && code == EXIT_DONE)
		code = out_of_memory();
	if (code != EXIT_DONE && plan->error)
		snprintf(plan->error, plan->error_size, "%s", message_refused());
	if (code != EXIT_DONE || !ret)
		return code;
	stream = fmemopen(steps, length, "r");
	*ret = stream ? flat_read(stream, JSON_MEMORY_MOST, lines) : NULL;
	if (stream)
		fclose(stream);
	return *ret ? EXIT_DONE : refuse(EXIT_INCAPABLE, "%s: it takes too much memory", plan->name);
}

enum exit_code reader_run(const struct reader_plan *plan, json_t **ret, struct flat_lines *lines)
{
	if (lines)
		*lines = (struct flat_lines){ 0 };
	return parse_here || keeper_is_there() ? run_here(plan, ret, lines) : run_apart(plan, ret, lines);
}

enum exit_code reader_run_through(const struct reader_plan *plan, json_t **ret)
{
	enum exit_code code;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = reader_run(plan, ret, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code;
}

/* --- a text ----------------------------------------------------------------------------------------------------------- */

struct json_source {
	const char *text;
	size_t length, flags;
};

static enum exit_code parse_json(void *context, FILE *flat)
{
	const struct json_source *source = context;
	json_t *value;

	memory_bound(memory_used() + JSON_MEMORY_MOST);
	value = json_loadb(source->text, source->length, source->flags, NULL);
	memory_bound(0);
	if (!value)
		return EXIT_USAGE_ERROR;
	flat_write(flat, value);
	json_decref(value);
	return EXIT_DONE;
}

json_t *reader_json(const char *text, size_t length, size_t flags)
{
	struct json_source source = { text, length, flags };
	char ignored[REASON_SIZE];
	const struct reader_plan plan = { .parse = parse_json,
					  .context = &source,
					  .fd = -1,
					  .name = "",
					  .error = ignored,
					  .error_size = sizeof(ignored) };
	json_t *value = NULL;

	if (parse_here || keeper_is_there())
		return json_loadb(text, length, flags, NULL);
	reader_run_through(&plan, &value);
	return value;
}

json_t *reader_json_file(const char *path)
{
	size_t length = 0;
	owned char *text = NULL;

	return file_read(path, JSON_OCTETS_MOST, &text, &length) ? NULL : reader_json(text, length, 0);
}
