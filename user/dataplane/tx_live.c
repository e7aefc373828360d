/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The transmitter of XDP live frames: the kernel runs bpf/tx.bpf.c over and over in one system call a trial, and redirects
 * the frames that it wrote through a devmap to the port. There is no skb, no copy and no ring on our side: pacing and
 * stamping happen in the program.
 *
 * What the kernel asks for, and what follows from it:
 *
 *  - A program that is attached nowhere is added to the kernel's XDP dispatcher at the beginning of every call and taken out
 * of
 *    it at the end, which waits for all CPUs twice, some 20 ms. So it is attached to a spare veth pair, in a network
 * namespace
 *    that has no name: it lives as long as our file descriptor of it, and dies with us whatever kills us.
 *  - A call ends after so many runs or by a signal. Runs are also spent on waiting, so it is a signal: tx_wait() sends it
 * when
 *    the time is up or a stop was requested. Until then the program sends nothing after the deadline.
 *  - A frame and its metadata fit into one page, which limits frames to some 3.4 KB. The kernel says how much it takes.
 *  - The driver chooses the transmit queue by the CPU that we run on.
 *  - Whether a driver takes redirected frames is known by trying. So one frame is sent when the transmitter is opened: it
 *    carries sequence number 0, which no trial uses.
 *
 * Threads: tx_live_open() and close from the main thread; a trial in a thread of its own. Program, maps, links and namespace
 * hang on file descriptors.
 */
#include "dataplane/tx.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "dataplane/live_program.h"

#define WAKE_SIGNAL     SIGUSR1
#define REASON_SIZE     256
#define SPARE_VETH      "spare"
#define SPARE_VETH_PEER "spare-peer"

struct tx_live {
	struct tx tx;
	struct live_program *program;
	int spare_namespace_fd, spare_link_fd; /* descriptors of the spare namespace and link; -1: none */
	struct tx_report *report;              /* report of the running trial */
};

/* --- the spare veth --------------------------------------------------------------------------------------------------- */

static int attach_to_spare(struct tx_live *live)
{
	DECLARE_LIBBPF_OPTS(bpf_link_create_opts, options, .flags = XDP_FLAGS_DRV_MODE);
	struct mnl_socket *netlink;
	struct link_info link;
	int error = netlink_open(&netlink);

	if (error)
		return error;
	error = netlink_add_veth(netlink, SPARE_VETH, SPARE_VETH_PEER, -1, 1) ?: netlink_link(netlink, SPARE_VETH, &link);
	if (!error) {
		live->spare_link_fd = bpf_link_create(live_program_fd(live->program), link.ifindex, BPF_XDP, &options);
		error = live->spare_link_fd < 0 ? live->spare_link_fd : 0;
	}
	netlink_close(netlink);
	return error;
}

/* Run in a thread of its own: only that changes its namespace. */
static void *make_spare(void *argument)
{
	struct tx_live *live = argument;

	if (unshare(CLONE_NEWNET))
		return (void *)(intptr_t)-errno;
	live->spare_namespace_fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (live->spare_namespace_fd < 0)
		return (void *)(intptr_t)-errno;
	return (void *)(intptr_t)attach_to_spare(live);
}

static int open_spare(struct tx_live *live)
{
	pthread_t thread;
	void *result;
	int error = pthread_create(&thread, NULL, make_spare, live);

	if (error)
		return -error;
	pthread_join(thread, &result);
	return (int)(intptr_t)result;
}

/* --- whether the port can -------------------------------------------------------------------------------------------- */

/* Find the longest frame that the kernel takes, by bisection. Nothing is sent. */
static uint32_t longest_frame(struct live_program *program)
{
	uint32_t fits = 0, too_long;

	live_program_frame(program, &too_long);
	live_program_queue(program)->left = 0;
	while (too_long - fits > 1) {
		uint32_t middle = fits + (too_long - fits) / 2;

		if (live_program_run(program, middle, 1))
			too_long = middle;
		else
			fits = middle;
	}
	return fits;
}

static void explain_error(int error, const struct link_info *link, char reason[REASON_SIZE])
{
	bool veth = !strcmp(link->kind, "veth");

	if (veth && (error == -EOPNOTSUPP || error == -ENXIO))
		snprintf(
			reason, REASON_SIZE,
			"the other end of this veth takes no redirected frames; it does with an XDP program on it, or after "
			"'ethtool -K PEER gro on'");
	else if (error == -EOPNOTSUPP || error == -ENXIO)
		snprintf(reason, REASON_SIZE, "the driver takes no redirected frames (%s)", strerror(-error));
	else
		snprintf(reason, REASON_SIZE, "a redirected frame was not sent: %s", strerror(-error));
}

/* Send one frame, and see what becomes of it. */
static int try_one_frame(struct live_program *program, const struct link_info *link, char reason[REASON_SIZE])
{
	const struct live_queue *queue = live_program_queue(program);
	uint32_t octets;
	int error;

	live_program_frame(program, &octets);
	live_program_start_one(program);
	error = live_program_run(program, octets, 1);
	if (error == -EINVAL) {
		snprintf(reason, REASON_SIZE,
			 "a frame and what the kernel keeps of it must fit into one page, so at most %u octets, not %u",
			 longest_frame(program) + MLR_FCS_OCTETS, octets + MLR_FCS_OCTETS);
	} else if (error) {
		snprintf(reason, REASON_SIZE, "the kernel does not run a program on live frames: %s", strerror(-error));
	} else if (queue->refused) {
		error = queue->error ? (int)queue->error : -ENXIO;
		explain_error(error, link, reason);
	} else if (queue->handed != 1) {
		error = -EIO;
		snprintf(reason, REASON_SIZE, "the program sends nothing");
	}
	return error;
}

/* --- a trial ---------------------------------------------------------------------------------------------------------- */

/* A program that was stopped when its time was up must have read the clock since: the stop may move the end. */
static bool is_over(const struct tx_live *live, const struct live_queue *queue)
{
	uint64_t now_ns = queue->unpaced ? clock_ns() : queue->pace.looked_ns;

	return !queue->left || now_ns >= tx_pace_deadline_ns(&queue->pace, live->tx.schedule, queue->deadline_ns) ||
	       stop_requested();
}

static void summarize(const struct live_queue *queue, struct tx_report *report)
{
	report->extra = queue->extra;
	report->sent = queue->handed - queue->extra; /* Each has its number, which no later frame has. */
	report->refused = queue->refused;
	tx_report_pace(report, &queue->pace);
	report->last_departure_ns = queue->burst_start_ns;
	report->gaps = queue->gaps;
	if (queue->handed) {
		/* Departures in one batch have no gap. */
		uint64_t none = queue->handed - 1 - queue->gaps.count;

		report->gaps.count += none;
		report->gaps.buckets[0] += none;
		if (none)
			report->gaps.inverted_min_ns = UINT64_MAX;
	}
}

static void begin_live(struct tx *tx, const struct tx_trial *trial, struct tx_report *report)
{
	struct tx_live *live = (struct tx_live *)tx;
	sigset_t wake;

	sigemptyset(&wake);
	sigaddset(&wake, WAKE_SIGNAL);
	pthread_sigmask(SIG_UNBLOCK, &wake, NULL);
	live->report = report;
	report->error = live_program_start(live->program, trial);
}

/* Run all of a trial. */
static enum tx_step step_live(struct tx *tx)
{
	struct tx_live *live = (struct tx_live *)tx;
	const struct live_queue *queue = live_program_queue(live->program);
	struct tx_report *report = live->report;
	uint32_t octets;

	live_program_frame(live->program, &octets);
	while (!report->error && !is_over(live, queue)) {
		report->error = live_program_run(live->program, octets, UINT32_MAX);
		if (report->error == -EINTR)
			report->error = 0;
	}
	summarize(queue, report);
	return TX_ENDED;
}

static void interrupt_live(struct tx *tx)
{
	pthread_kill(tx->thread, WAKE_SIGNAL);
}

/* --- opening and closing --------------------------------------------------------------------------------------------- */

static void close_live(struct tx *tx)
{
	struct tx_live *live = (struct tx_live *)tx;

	if (live->spare_link_fd >= 0)
		close(live->spare_link_fd);
	if (live->spare_namespace_fd >= 0)
		close(live->spare_namespace_fd); /* the pair goes with it */
	live_program_free(live->program);
	free(live);
}

static int renew_live(struct tx *tx)
{
	return live_program_renew(((struct tx_live *)tx)->program);
}

static void on_wake(int signal_number)
{
	(void)signal_number; /* The signal only ends the system call. */
}

static int fail(char reason[REASON_SIZE], const char *what, int error)
{
	snprintf(reason, REASON_SIZE, "cannot %s: %s", what, why(-error));
	return error;
}

static int open_parts(struct tx_live *live, const struct link_info *link, const struct mlr_queue_plan *plan,
		      const struct tx *first, char reason[REASON_SIZE])
{
	const struct live_program *shared = first ? ((const struct tx_live *)first)->program : NULL;
	const struct sigaction action = { .sa_handler = on_wake };
	int error;

	if ((error = live_program_load(plan, link->ifindex, shared, &live->program)))
		return fail(reason, "load the transmitting program (Linux 6.1 or later is needed)", error);
	live->tx.schedule = live_program_schedule(live->program);
	live->tx.moves = live_program_moves(live->program);
	if ((error = open_spare(live)))
		return fail(reason, "keep the program attached to a spare veth pair in a network namespace", error);
	if ((error = live_program_watch(live->program)))
		return fail(reason, "watch what the driver refuses (raw tracepoints)", error);
	if ((error = try_one_frame(live->program, link, reason)))
		return error;
	if (!strcmp(link->kind, "veth"))
		live_program_unwatch(live->program); /* The program counts its own drops exactly. */
	return sigaction(WAKE_SIGNAL, &action, NULL) ? fail(reason, "handle a signal", -errno) : 0;
}

enum exit_code tx_live_open(const struct link_info *link, const struct mlr_queue_plan *plan, int cpu, bool required,
			    const struct tx *first, struct tx **ret)
{
	static const struct tx_ops ops = {
		.name = "live",
		.begin = begin_live,
		.step = step_live,
		.interrupt = interrupt_live,
		.renew = renew_live,
		.close = close_live,
	};
	char reason[REASON_SIZE];
	struct tx_live *live = calloc(1, sizeof(*live));

	if (!live)
		return out_of_memory();
	live->tx.ops = &ops;
	live->tx.mode = "live frames";
	live->tx.cpu = cpu;
	live->spare_namespace_fd = live->spare_link_fd = -1;
	*ret = &live->tx;
	if (!open_parts(live, link, plan, first, reason))
		return EXIT_DONE;
	close_live(&live->tx);
	*ret = NULL;
	if (required)
		return refuse(EXIT_INCAPABLE, "port %s: --tx live cannot be used: %s; use --tx xsk", link->name, reason);
	note("port %s: live frames cannot be used: %s", link->name, reason);
	return EXIT_DONE;
}
