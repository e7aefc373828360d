/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tx.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

/* Ahead of whatever else wants this CPU, short of a real-time policy, whose throttling makes gaps of tens of ms. */
#define TRANSMITTER_NICENESS -20

static void *run(void *argument)
{
	struct tx *tx = argument;

	setpriority(PRIO_PROCESS, 0,
		    TRANSMITTER_NICENESS); /* on Linux: of this thread. Where it is refused, gaps are longer */
	tx->report = (struct tx_report){ 0 };
	tx->ops->run(tx, &tx->trial, &tx->report);
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

const struct tx_report *tx_wait(struct tx *tx)
{
	pthread_join(tx->thread, NULL);
	return &tx->report;
}
