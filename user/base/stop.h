/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGINT, SIGTERM and SIGHUP end a run early and in order: what was measured is reported, every port restored.
 * One flag for whoever spins, one file descriptor for whoever waits. A second signal changes nothing.
 */
#ifndef XDP_MLR_BASE_STOP_H
#define XDP_MLR_BASE_STOP_H

#include <stdbool.h>
#include <stdint.h>

int stop_install(void);    /* before any thread is started; SIGPIPE is ignored as well. 0 or -errno */
bool stop_requested(void); /* async-signal-safe, callable from any thread */
int stop_fd(void);         /* readable (level-triggered, never drained) once a stop was requested */

/* Sleep until this moment of CLOCK_MONOTONIC or until a stop: true if a stop was requested. */
bool stop_sleep_until(uint64_t monotonic_ns);

#endif
