/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dataplane/tx.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/stop.h"

/* Ahead of whatever else wants this CPU, short of a real-time policy, whose throttling makes gaps of tens of ms. */
#define TRANSMITTER_NICENESS -20
#define INTERRUPT_PAUSE_NS   200000
#define DRAIN_PAUSE_NS       50000

enum exit_code tx_open(enum tx_choice choice, bool live_is_faster, const struct link_info *link, uint32_t queue,
		       const struct mlr_queue_plan *plan, const struct tx_metadata *metadata, int cpu, struct tx **ret)
{
	struct tx *xsk, *live = NULL;
	enum exit_code code;

	if (choice == TX_LIVE)
		return tx_live_open(link, plan, cpu, true, ret);
	code = tx_xsk_open(link->name, queue, plan, metadata, cpu, &xsk);
	if (code)
		return code;
	if (choice == TX_AUTO && live_is_faster && strcmp(xsk->mode, TX_MODE_ZERO_COPY) != 0)
		code = tx_live_open(link, plan, cpu, false, &live);
	if (code || live)
		tx_close(xsk);
	if (!code)
		*ret = live ? live : xsk;
	return code;
}

void tx_report_add(struct tx_report *sum, const struct tx_report *more)
{
	sum->sent += more->sent;
	sum->extra += more->extra;
	sum->refused += more->refused;
	if (more->burst_max > sum->burst_max)
		sum->burst_max = more->burst_max;
	if (more->first_departure_ns && (!sum->first_departure_ns || more->first_departure_ns < sum->first_departure_ns))
		sum->first_departure_ns = more->first_departure_ns;
	if (more->last_departure_ns > sum->last_departure_ns)
		sum->last_departure_ns = more->last_departure_ns;
	mlr_histogram_merge(&sum->gaps, &more->gaps);
	if (!sum->error)
		sum->error = more->error;
}

void tx_departures_add(struct tx_departures *sum, const struct tx_departures *more)
{
	mlr_histogram_merge(&sum->delays, &more->delays);
	sum->asked += more->asked;
	sum->early += more->early;
	if (more->earliest_ns > sum->earliest_ns)
		sum->earliest_ns = more->earliest_ns;
}

/* --- the thread ----------------------------------------------------------------------------------------------------- */

static void begin(struct tx *tx, const struct tx_trial *trial)
{
	tx->part = (struct tx_report){ 0 };
	tx->state = TX_SENDING;
	tx->ops->begin(tx, trial, &tx->part);
}

/* Take a trial one step further. Its second part, if it has one, begins when the first has ended. */
static void advance(struct tx *tx)
{
	const struct tx_trial *then = tx->trial.then;

	tx->state = tx->ops->step(tx);
	if (tx->state != TX_ENDED)
		return;
	tx_report_add(&tx->report, &tx->part);
	tx->trial.then = NULL;
	if (then && !tx->report.error)
		begin(tx, then);
}

/* One step of each; the least that any of them has come to. */
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

	setpriority(PRIO_PROCESS, 0,
		    TRANSMITTER_NICENESS); /* on Linux: of this thread. Where it is refused, gaps are longer */
	/* A call takes a reference to the file of its descriptor, and gives it back, unless nobody shares the table of files
	 * with its thread. Where that is refused, a call takes some ns longer. */
	unshare(CLONE_FILES);
	for (struct tx *tx = leader; tx; tx = tx->next)
		begin(tx, &tx->trial);
	while (least != TX_ENDED) {
		least = advance_all(leader);
		if (least == TX_DRAINING)
			nanosleep(&pause, NULL); /* where this CPU is the only one, the kernel needs it for that */
	}
	return NULL;
}

static struct tx *leader_of(struct tx *tx)
{
	return tx->leader ? tx->leader : tx;
}

/* Signals are for the main thread; a transmitter looks at the stop flag. */
static int create_thread(struct tx *leader, const pthread_attr_t *attributes)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&leader->thread, attributes, run, leader);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

static enum exit_code start_thread(struct tx *leader)
{
	pthread_attr_t attributes;
	cpu_set_t cpus;
	int error;

	pthread_attr_init(&attributes);
	if (leader->cpu >= 0) {
		CPU_ZERO(&cpus);
		CPU_SET(leader->cpu, &cpus);
		pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus);
	}
	error = create_thread(leader, &attributes);
	pthread_attr_destroy(&attributes);
	if (error)
		return refuse(EXIT_INCAPABLE, "cannot start a transmit thread: %s", strerror(error));
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

/* Until the trial's time is up or a stop was requested; then interrupt it until it ends. */
static void interrupt(struct tx *tx)
{
	const struct timespec pause = { .tv_nsec = INTERRUPT_PAUSE_NS };

	stop_sleep_until(tx->trial.deadline_ns);
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
