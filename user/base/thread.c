/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/thread.h"

#include <sched.h>
#include <signal.h>

int thread_start(pthread_t *ret, int cpu, void *(*run)(void *argument), void *argument)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	cpu_set_t cpus;
	int error;

	pthread_attr_init(&attributes);
	if (cpu >= 0) {
		CPU_ZERO(&cpus);
		CPU_SET(cpu, &cpus);
		pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus);
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(ret, &attributes, run, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return -error;
}
