/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "observe/observe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/confine.h"
#include "base/files.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/message.h"
#include "base/reader.h"
#include "base/stop.h"
#include "mlr/power.h"
#include "observe/source.h"

#define ANSWER_MOST    (4u << 20) /* octets of a trial's JSON from a source */
#define PERIOD_NS      (NS_PER_S / 10)
#define DUTY           10   /* a source sleeps ten times as long as a sample takes, at least */
#define LATE_MOST      2    /* A source that was late so often in a row is not waited for any more. */
#define LATE_WAIT_S    0.02 /* wait for such a source, to see whether it answers again */
#define MEMORY_MOST    (256u << 20)
#define END_MARGIN_NS  (NS_PER_S / 100) /* time between the beginning and the first frame */
#define GROUP_NICENESS "-10"
#define CLOSE_WAIT_S   1.0

/* An order of the tester to a source. */
struct order {
	uint32_t number;
	enum { ORDER_BEGIN, ORDER_END } kind;
	uint64_t start_ns, end_ns; /* times of the trial that ended; for one that begins, its expected end */
	cpu_set_t spared;
};

/* The answer of a source. Its text is in the memory that both share. */
struct answer {
	uint32_t number;
	uint32_t octets;
};

struct observer {
	const struct observed *observed;
	int fd; /* -1: it is gone */
	pid_t pid;
	char *text;        /* shared */
	unsigned int late; /* times in a row */
	bool is_begun;     /* The source had a sample before the trial. */
	json_t *idle;      /* readings of its power meters without load; NULL: not known */
};

struct observers {
	const struct config *config;
	cpu_set_t spared;
	uint32_t number; /* number of the last order */
	bool was_idle;   /* The step without load is over. */
	size_t count;
	struct observer list[OBSERVED_MOST];
};

/* --- the process of a source ------------------------------------------------------------------------------------------ */

struct listener {
	struct source source;
	struct recorder *recorder;
	const char *trouble; /* reason why the last sample failed; NULL: none */
	char *text;
	bool series, is_recording;
	uint64_t period_ns, next_ns, end_ns;
	cpu_set_t spared;
};

static void spare_cpus(struct listener *listener, const cpu_set_t *spared)
{
	cpu_set_t mine;

	if (CPU_EQUAL(&listener->spared, spared) || sched_getaffinity(0, sizeof(mine), &mine))
		return;
	listener->spared = *spared;
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, spared))
			CPU_CLR(i, &mine);
	if (CPU_COUNT(&mine))
		sched_setaffinity(0, sizeof(mine), &mine);
}

/* Return the CPU time that this process has used. */
static uint64_t used_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

/* Plan when the next sample is due: after a period, or when the last frame is. Later samples would include idle time. */
static void plan_next(struct listener *listener, uint64_t start_ns, uint64_t rest_ns)
{
	listener->next_ns = start_ns + (rest_ns > listener->period_ns ? rest_ns : listener->period_ns);
	if (start_ns < listener->end_ns && listener->next_ns > listener->end_ns)
		listener->next_ns = listener->end_ns;
}

/* Take a sample. A source that is not open, or was lost, is opened anew for each sample. */
static void take_sample(struct listener *listener)
{
	struct source *source = &listener->source;
	uint64_t start_ns = clock_ns(), used = used_ns();

	listener->trouble = source->state ? NULL : source->ops->open(source);
	if (!listener->trouble) {
		recorder_begin(listener->recorder, clock_ns());
		listener->trouble = source->ops->take(source, listener->recorder);
	}
	if (!listener->trouble && !recorder_has_values(listener->recorder))
		listener->trouble = "its answer had no number";
	if (!listener->trouble && recorder_end(listener->recorder, clock_ns()))
		listener->period_ns *= 2;
	plan_next(listener, start_ns, DUTY * (used_ns() - used));
}

static uint32_t write_summary(const struct listener *listener, const struct order *order)
{
	json_auto_t *summary = recorder_summary(listener->recorder, order->start_ns, order->end_ns, listener->series);
	size_t octets;

	if (listener->trouble && summary)
		json_put(summary, "trouble", listener->trouble);
	octets = summary ? json_dumpb(summary, listener->text, ANSWER_MOST, JSON_COMPACT) : 0;
	return octets <= ANSWER_MOST ? (uint32_t)octets : 0;
}

static void obey(struct listener *listener, int fd, const struct order *order)
{
	struct answer answer = { .number = order->number };

	if (order->kind == ORDER_BEGIN) {
		spare_cpus(listener, &order->spared);
		recorder_empty(listener->recorder);
		listener->period_ns = PERIOD_NS;
		listener->end_ns = order->end_ns;
	}
	take_sample(listener);
	listener->is_recording = order->kind == ORDER_BEGIN;
	if (order->kind == ORDER_END)
		answer.octets = write_summary(listener, order);
	else
		answer.octets = listener->trouble == NULL;
	send(fd, &answer, sizeof(answer), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Sleep until an order comes, or the next sample is due. Returns false at the end of the tester. */
static bool await(struct listener *listener, int fd)
{
	uint64_t now_ns = clock_ns();
	struct timespec left = clock_timespec(listener->next_ns > now_ns ? listener->next_ns - now_ns : 0);
	struct pollfd file = { .fd = fd, .events = POLLIN };
	struct order order;

	if (ppoll(&file, 1, listener->is_recording ? &left : NULL, NULL) <= 0) {
		if (listener->is_recording && clock_ns() >= listener->next_ns)
			take_sample(listener);
		return true;
	}
	if (recv(fd, &order, sizeof(order), 0) != sizeof(order))
		return false;
	obey(listener, fd, &order);
	return true;
}

/* Keep nothing of the tester's open but one socket and standard error: not its locks, ports and pipes. */
static int keep_only(int fd)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(fd, 3) < 0)
		return -errno;
	fcntl(3, F_SETFD, FD_CLOEXEC);
	return close_range(4, ~0u, 0) ? -errno : 0;
}

/* End when the tester does. */
static void end_with(pid_t tester)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != tester)
		_exit(EXIT_DONE);
}

static void become_source(pid_t tester)
{
	const struct rlimit memory = { MEMORY_MOST, MEMORY_MOST }, none = { 0, 0 };

	end_with(tester);
	prctl(PR_SET_NAME, "mlr-observe");
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	setrlimit(RLIMIT_DATA, &memory);
	setrlimit(RLIMIT_CORE, &none);
	/* Give the process a session of its own, which is a group of its own to the scheduler. In the tester's session it
	 * would take weight from the transmitters, on whichever CPU it waits. */
	setsid();
	file_set("/proc/self/autogroup", GROUP_NICENESS); /* The kernel may have such groups; a sample that waits is late. */
	if (getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, 0);
}

static _Noreturn void live_as_source(const struct observers *observers, const struct observer *observer, int fd,
				     pid_t tester)
{
	struct listener listener = {
		.source = { .ops = source_of(observer->observed->source), .config = observers->config },
		.text = observer->text,
		.series = observers->config->interval_s > 0,
	};

	become_source(tester);
	listener.source.argument = observer->observed->source + strlen(listener.source.ops->prefix);
	listener.recorder = recorder_new();
	if (keep_only(fd) || !listener.recorder)
		_exit(EXIT_INCAPABLE);
	/* A source that reads what others send gives up everything. A change of the user takes the signal at the end back. */
	if (!listener.source.ops->needs_privileges) {
		if (confine_to_nobody())
			_exit(EXIT_INCAPABLE);
		end_with(tester);
	}
	while (await(&listener, 3))
		;
	if (listener.source.state)
		listener.source.ops->close(&listener.source);
	_exit(EXIT_DONE);
}

/* --- the tester's side ------------------------------------------------------------------------------------------------ */

static enum exit_code start(struct observers *observers, struct observer *observer)
{
	pid_t tester = getpid();
	int fds[2];

	observer->text = mmap(NULL, ANSWER_MOST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (observer->text == MAP_FAILED || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return refuse(EXIT_INCAPABLE, "--observe %s: %s", observer->observed->name, strerror(errno));
	observer->pid = fork();
	if (observer->pid == 0)
		live_as_source(observers, observer, fds[1], tester);
	close(fds[1]);
	observer->fd = fds[0];
	if (observer->pid < 0)
		return refuse(EXIT_INCAPABLE, "--observe %s: a process cannot be started: %s", observer->observed->name,
			      strerror(errno));
	return EXIT_DONE;
}

enum exit_code observers_open(const struct config *config, struct observers **ret)
{
	struct observers *observers = config->observed_count ? calloc(1, sizeof(*observers)) : NULL;
	enum exit_code code = EXIT_DONE;

	*ret = NULL;
	if (!config->observed_count)
		return EXIT_DONE;
	if (!observers)
		return out_of_memory();
	observers->config = config;
	for (unsigned int i = 0; i < config->observed_count; i++)
		observers->list[i] = (struct observer){ .observed = &config->observed[i], .fd = -1, .text = MAP_FAILED };
	observers->count = config->observed_count;
	for (size_t i = 0; i < observers->count && !code; i++)
		code = start(observers, &observers->list[i]);
	if (code)
		observers_close(observers);
	else
		*ret = observers;
	return code;
}

/* A source ends when its socket does. A run that gave up its system calls cannot kill it; the kernel does that when we
 * end. */
static void await_end(struct observer *observer)
{
	struct pollfd file = { .fd = observer->fd, .events = POLLIN };
	struct timespec left = clock_timespec((uint64_t)(CLOSE_WAIT_S * NS_PER_S));

	if (observer->fd >= 0) {
		while (ppoll(&file, 1, &left, NULL) > 0 && recv(observer->fd, ROOM(64), 64, MSG_DONTWAIT) > 0)
			;
		close(observer->fd);
	}
	if (observer->text != MAP_FAILED)
		munmap(observer->text, ANSWER_MOST);
	json_decref(observer->idle);
}

void observers_close(struct observers *observers)
{
	for (size_t i = 0; observers && i < observers->count; i++)
		if (observers->list[i].fd >= 0)
			shutdown(observers->list[i].fd, SHUT_WR);
	for (size_t i = 0; observers && i < observers->count; i++)
		await_end(&observers->list[i]);
	free(observers);
}

void observers_spare_cpus(struct observers *observers, const cpu_set_t *cpus)
{
	if (observers)
		observers->spared = *cpus;
}

static void is_gone(struct observer *observer)
{
	warn("--observe %s: its process ended; nothing more is known of it", observer->observed->name);
	close(observer->fd);
	observer->fd = -1;
}

static void tell_all(struct observers *observers, const struct order *order)
{
	for (size_t i = 0; i < observers->count; i++) {
		struct observer *observer = &observers->list[i];

		if (observer->fd >= 0 && send(observer->fd, order, sizeof(*order), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
		    errno != EAGAIN)
			is_gone(observer);
	}
}

/* Wait for the answer to the last order: its size, or -1 where none comes in time. Answers to earlier ones are late. */
static int64_t hear(struct observers *observers, struct observer *observer, uint64_t deadline_ns)
{
	struct pollfd files[] = { { .fd = observer->fd, .events = POLLIN }, { .fd = stop_fd(), .events = POLLIN } };
	struct answer answer;

	while (observer->fd >= 0) {
		uint64_t now_ns = clock_ns();
		struct timespec left = clock_timespec(deadline_ns > now_ns ? deadline_ns - now_ns : 0);
		ssize_t octets = recv(observer->fd, &answer, sizeof(answer), MSG_DONTWAIT);

		if (octets == 0 || (octets < 0 && errno != EAGAIN && errno != EINTR))
			is_gone(observer);
		else if (octets == sizeof(answer) && answer.number == observers->number)
			return answer.octets <= ANSWER_MOST ? (int64_t)answer.octets : 0;
		else if (octets < 0 && (now_ns >= deadline_ns || stop_requested()))
			return -1;
		else if (octets < 0)
			ppoll(files, COUNT(files), &left, NULL);
	}
	return -1;
}

static uint64_t deadline_of(const struct observer *observer, uint64_t now_ns)
{
	return now_ns + (uint64_t)((observer->late < LATE_MOST ? OBSERVE_WAIT_S : LATE_WAIT_S) * NS_PER_S);
}

void observers_begin(struct observers *observers, double duration_s)
{
	uint64_t now_ns = clock_ns();
	struct order order = { .kind = ORDER_BEGIN, .end_ns = now_ns + (uint64_t)(duration_s * NS_PER_S) + END_MARGIN_NS };

	if (!observers)
		return;
	order.number = ++observers->number;
	order.spared = observers->spared;
	tell_all(observers, &order);
	for (size_t i = 0; i < observers->count; i++)
		observers->list[i].is_begun =
			hear(observers, &observers->list[i], deadline_of(&observers->list[i], now_ns)) > 0;
}

/* Read what a source says of a trial, if it is valid. */
static json_t *read_summary(const struct observer *observer, int64_t octets)
{
	json_t *summary = octets > 0 ? reader_json(observer->text, (size_t)octets, JSON_REJECT_DUPLICATES) : NULL;

	if (json_is_object(summary) && json_integer_value(json_object_get(summary, "samples")) > 0)
		return summary;
	if (json_is_object(summary)) {
		json_t *said = json_with("trouble", json_incref(json_object_get(summary, "trouble")) ?: json_null());

		json_decref(summary);
		return said;
	}
	json_decref(summary);
	return json_object();
}

static json_t *end_of(struct observers *observers, struct observer *observer, uint64_t now_ns)
{
	int64_t octets = hear(observers, observer, deadline_of(observer, now_ns));
	json_t *summary = read_summary(observer, octets);
	bool has_samples = json_object_get(summary, "samples"), is_whole = observer->is_begun && octets > 0 && has_samples;

	observer->late = octets < 0 ? observer->late + 1 : 0;
	json_put(summary, "source", observer->observed->name);
	json_put(summary, "whole", json_boolean(is_whole && !json_object_get(summary, "trouble")));
	if (observer->idle)
		json_object_set(summary, "idle", observer->idle);
	if (json_is_null(json_object_get(summary, "trouble")))
		json_object_del(summary, "trouble");
	if (!is_whole && !json_object_get(summary, "trouble"))
		json_put(summary, "trouble",
			 observer->fd < 0 ? "its process ended"
			 : octets < 0     ? "it was late after the trial"
					  : "it had no sample right before the trial");
	return summary;
}

json_t *observers_end(struct observers *observers, uint64_t start_ns, uint64_t end_ns)
{
	struct order order = { .kind = ORDER_END, .start_ns = start_ns, .end_ns = end_ns };
	uint64_t now_ns = clock_ns();
	json_t *list;

	if (!observers)
		return NULL;
	order.number = ++observers->number;
	tell_all(observers, &order);
	list = json_array();
	for (size_t i = 0; i < observers->count; i++)
		json_array_append_new(list, end_of(observers, &observers->list[i], now_ns));
	return list;
}

/* --- the step without load -------------------------------------------------------------------------------------------- */

/* Return those of the values that are meters of power, a new reference. */
static json_t *meters_of(const json_t *values, enum mlr_power_kind kind)
{
	json_t *meters = json_object();

	json_each_member (name, value, values)
		if (mlr_power_kind(name) == kind)
			json_object_set(meters, name, value);
	return meters;
}

/* Return its power without load. NULL: it has no meter of power. */
static json_t *idle_of(const json_t *summary, double duration_s)
{
	json_auto_t *counters = meters_of(json_object_get(summary, "counters"), MLR_POWER_JOULES);
	json_auto_t *gauges = meters_of(json_object_get(summary, "gauges"), MLR_POWER_WATTS);

	if (!json_object_size(counters) && !json_object_size(gauges))
		return NULL;
	return json_with("duration", duration_s, "counters", json_incref(counters), "gauges", json_incref(gauges));
}

void observers_idle(struct observers *observers)
{
	json_auto_t *list = NULL;
	uint64_t start_ns, end_ns;

	if (!observers || observers->was_idle || !(observers->config->idle_duration_s > 0))
		return;
	observers->was_idle = true;
	observers_begin(observers, observers->config->idle_duration_s);
	start_ns = clock_ns();
	stop_sleep_until(start_ns + (uint64_t)(observers->config->idle_duration_s * NS_PER_S));
	end_ns = clock_ns();
	list = observers_end(observers, start_ns, end_ns);
	json_each (summary, list)
		observers->list[summary_at].idle = idle_of(summary, (double)(end_ns - start_ns) / (double)NS_PER_S);
}
