/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dataplane/tx.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "base/thread.h"

/* The thread goes ahead of all others on its CPU, but has no real-time policy: its throttling makes gaps of tens of ms. */
#define TRANSMITTER_NICENESS -20
#define INTERRUPT_PAUSE_NS   200000
#define DRAIN_PAUSE_NS       50000

enum exit_code tx_open(enum tx_choice choice, bool live_is_faster, const struct link_info *link, uint32_t queue,
		       const struct mlr_queue_plan *plan, const struct tx_metadata *metadata, int cpu,
		       const struct tx *first, struct tx **ret)
{
	struct tx *xsk, *live = NULL;
	enum exit_code code;

	if (choice == TX_LIVE)
		return tx_live_open(link, plan, cpu, true, first, ret);
	code = tx_xsk_open(link->name, queue, plan, metadata, cpu, first, &xsk);
	if (code)
		return code;
	if (choice == TX_AUTO && live_is_faster && strcmp(xsk->mode, TX_MODE_ZERO_COPY) != 0)
		code = tx_live_open(link, plan, cpu, false, first, &live);
	if (code || live)
		tx_close(xsk);
	if (!code)
		*ret = live ? live : xsk;
	return code;
}

/* --- the thread ----------------------------------------------------------------------------------------------------- */

static void begin(struct tx *tx, const struct tx_trial *trial)
{
	tx->part = (struct tx_report){ 0 };
	tx->state = TX_SENDING;
	if (tx->moves)
		tx->moves->count = 0;
	tx->ops->begin(tx, trial, &tx->part);
}

/* Take a trial one step further. Its second part, if it has one, begins when the first has ended. */
static void advance(struct tx *tx)
{
	const struct tx_trial *then = tx->trial.then;

	tx->state = tx->ops->step(tx);
	if (tx->state != TX_ENDED)
		return;
	tx_report_append(&tx->report, &tx->part);
	tx->trial.then = NULL;
	if (then && !tx->report.error)
		begin(tx, then);
}

/* Take one step of each transmitter. Returns the least of their progress. */
static enum tx_step advance_all(struct tx *leader)
{
	enum tx_step least = TX_ENDED;

	for (struct tx *tx = leader; tx; tx = tx->next) {
		if (tx->state != TX_ENDED)
			advance(tx);
		if (tx->state < least)
			least = tx->state;
	}
	return least;
}

static void *run(void *argument)
{
	const struct timespec pause = { .tv_nsec = DRAIN_PAUSE_NS };
	struct tx *leader = argument;
	enum tx_step least = TX_SENDING;
	bool has_own_files;

	setpriority(PRIO_PROCESS, 0,
		    TRANSMITTER_NICENESS); /* Linux sets it for this thread alone. If it is refused, gaps are longer. */
	/* A call takes a reference to the file of its descriptor, and gives it back, unless nobody shares the table of files
	 * with its thread. Where that is refused, a call takes some ns longer. */
	has_own_files = !unshare(CLONE_FILES);
	for (struct tx *tx = leader; tx; tx = tx->next)
		begin(tx, &tx->trial);
	while (least != TX_ENDED) {
		least = advance_all(leader);
		if (least == TX_DRAINING)
			nanosleep(&pause, NULL); /* If this CPU is the only one, the kernel needs it to complete frames. */
	}
	/* Whoever joins this thread does not wait until the kernel has closed its files. A program of XDP would stay attached. */
	if (has_own_files)
		close_range(0, ~0u, 0);
	return NULL;
}

static struct tx *leader_of(struct tx *tx)
{
	return tx->leader ? tx->leader : tx;
}

/* A transmitter tests the stop flag. */
static enum exit_code start_thread(struct tx *leader)
{
	int error = thread_start(&leader->thread, leader->cpu, run, leader);

	if (error)
		return refuse(EXIT_INCAPABLE, "cannot start a transmit thread: %s", strerror(-error));
	leader->runs = true;
	return EXIT_DONE;
}

void tx_share(struct tx *leader, struct tx *tx)
{
	tx->leader = leader;
	tx->next = leader->next;
	leader->next = tx;
	leader->shared_by++;
}

enum exit_code tx_start(struct tx *tx, const struct tx_trial *trial)
{
	struct tx *leader = leader_of(tx);

	tx->trial = *trial;
	tx->report = (struct tx_report){ 0 };
	tx->departures = (struct tx_departures){ 0 };
	return ++leader->started > leader->shared_by ? start_thread(leader) : EXIT_DONE;
}

/* Wait until the trial's time is up or a stop was requested. Then interrupt it until it ends. */
static void interrupt(struct tx *tx)
{
	const struct timespec pause = { .tv_nsec = INTERRUPT_PAUSE_NS };

	uint64_t deadline_ns = tx->trial.deadline_ns;

	while (clock_ns() < tx_schedule_deadline_ns(tx->schedule, deadline_ns) &&
	       !stop_sleep_until(tx_schedule_deadline_ns(tx->schedule, deadline_ns)))
		;
	while (pthread_tryjoin_np(tx->thread, NULL) == EBUSY) {
		tx->ops->interrupt(tx);
		nanosleep(&pause, NULL);
	}
}

const struct tx_report *tx_wait(struct tx *tx)
{
	struct tx *leader = leader_of(tx);

	leader->started = 0;
	if (leader->runs && leader->ops->interrupt)
		interrupt(leader);
	else if (leader->runs)
		pthread_join(leader->thread, NULL);
	leader->runs = false;
	return &tx->report;
}
