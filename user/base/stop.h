/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGINT, SIGTERM and every other signal that asks a program to end (not those of a crash) end a run early and in order:
 * what was measured is reported, every port restored. One flag for whoever spins, one file descriptor for whoever waits. A
 * second signal changes nothing.
 *
 * As long as nothing was begun, while a configuration is read, say, a signal ends the process at once, whatever it waits
 * for.
 *
 * System calls that wait are not taken up again after a signal: they fail by EINTR. SIGHUP stays ignored where it was
 * (nohup).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

int stop_install(
	void); /* before any thread is started; SIGPIPE and SIGXFSZ are ignored as well: writing fails. 0 or -errno */
void stop_in_order(void);  /* from now on: something was begun that must be ended */
bool stop_requested(void); /* async-signal-safe, callable from any thread */
int stop_fd(void);         /* readable (level-triggered, never drained) once a stop was requested */

/* Sleep until this moment of CLOCK_MONOTONIC or until a stop: true if a stop was requested. */
bool stop_sleep_until(uint64_t monotonic_ns);

/* First thing: what was closed is opened, so that no file of ours gets its number and what is meant for somebody else.
 * Reading gives the end of a file, writing fails as it did. 0 or -errno. */
int standard_open(void);
