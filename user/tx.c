/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tx.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "stop.h"

/* Ahead of whatever else wants this CPU, short of a real-time policy, whose throttling makes gaps of tens of ms. */
#define TRANSMITTER_NICENESS -20
#define INTERRUPT_PAUSE_NS   200000

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

/* Go on with the second part of a trial, and report both as one. */
static void run_then(struct tx *tx, struct tx_report *report)
{
	struct tx_report then = { 0 };

	tx->ops->run(tx, tx->trial.then, &then);
	tx_report_add(report, &then);
}

static void *run(void *argument)
{
	struct tx *tx = argument;

	setpriority(PRIO_PROCESS, 0,
		    TRANSMITTER_NICENESS); /* on Linux: of this thread. Where it is refused, gaps are longer */
	tx->report = (struct tx_report){ 0 };
	tx->departures = (struct tx_departures){ 0 };
	tx->ops->run(tx, &tx->trial, &tx->report);
	if (tx->trial.then && !tx->report.error)
		run_then(tx, &tx->report);
	return NULL;
}

/* Signals are for the main thread; a transmitter looks at the stop flag. */
static int start_thread(struct tx *tx, const pthread_attr_t *attributes)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&tx->thread, attributes, run, tx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

enum exit_code tx_start(struct tx *tx, const struct tx_trial *trial)
{
	pthread_attr_t attributes;
	cpu_set_t cpus;
	int error;

	tx->trial = *trial;
	pthread_attr_init(&attributes);
	if (tx->cpu >= 0) {
		CPU_ZERO(&cpus);
		CPU_SET(tx->cpu, &cpus);
		pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus);
	}
	error = start_thread(tx, &attributes);
	pthread_attr_destroy(&attributes);
	if (error)
		return refuse(EXIT_INCAPABLE, "cannot start a transmit thread: %s", strerror(error));
	return EXIT_DONE;
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
	if (tx->ops->interrupt)
		interrupt(tx);
	else
		pthread_join(tx->thread, NULL);
	return &tx->report;
}
