/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stop ends a run early and in order: results are reported, and every port is restored. The process owns one flag for
 * whoever polls, and one file descriptor for whoever waits. Signal handlers are set at start-up; stop_in_order() begins the
 * orderly part, and a stop is never taken back.
 *
 * SIGINT, SIGTERM and every other signal that asks a program to end request a stop, but not those of a crash. A second
 * signal changes nothing. Before stop_in_order(), for example while a configuration is read, a signal ends the process at
 * once.
 *
 * System calls that wait are not restarted after a signal: they fail with EINTR. SIGHUP stays ignored if it was ignored
 * before (nohup).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

int stop_install(
	void); /* call it before threads start; SIGPIPE and SIGXFSZ are ignored then, so writing fails. 0 or -errno */
void stop_in_order(void);  /* call it when there is something to end in order */
bool stop_requested(void); /* async-signal-safe, callable from any thread */
void stop_set(void);       /* for a process that signals do not reach, when another process was told to stop */
int stop_fd(void);         /* Readable once a stop was requested (level-triggered, never drained). */

/* Sleep until this time of CLOCK_MONOTONIC, or until a stop. Returns true if a stop was requested. */
bool stop_sleep_until(uint64_t monotonic_ns);

/* Open standard files that were closed. Call it first, so that no other file gets their numbers and what is meant for them.
 * Reading such a file gives its end, and writing fails as before. Returns 0 or -errno. */
int standard_open(void);
