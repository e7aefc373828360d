/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This starts the threads that must hear no signals. The caller owns the thread, and joins it. */
#pragma once

#include <pthread.h>

/* Start a thread on this CPU; -1: on any. It gets no signals, which are for the main thread. Returns 0 or -errno. */
int thread_start(pthread_t *ret, int cpu, void *(*run)(void *argument), void *argument);
