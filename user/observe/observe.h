/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Observers listen to the SUT (--observe): they sample counters of other programs and machines before, within and after each
 * trial. The caller owns the handle. It is opened before the process has threads or gives up privileges, begun and ended
 * around each trial, and closed.
 *
 * Each source has a process of its own, which does everything that may take time or fail. The tester waits for it at most for
 * OBSERVE_WAIT_S before and after a trial, and not at all within. A source that is late, gone or hostile costs its own
 * samples, and the result says so.
 */
#pragma once

#include <jansson.h>
#include <sched.h>
#include <stdint.h>

#include "config/config.h"

#define OBSERVE_WAIT_S 1.5

struct observers;

/* Start the sources. *ret is NULL without any. EXIT_INCAPABLE where a process cannot be started. */
enum exit_code observers_open(const struct config *config, struct observers **ret);
void observers_close(struct observers *observers);

/* Set the CPUs that the sources do not use, from the next trial on. */
void observers_spare_cpus(struct observers *observers, const cpu_set_t *cpus);

/* Call it before the first trial: it observes the SUT without load (--idle-duration). Later, or without the option, it does
 * nothing. */
void observers_idle(struct observers *observers);

/* Begin a trial of this duration. Every source takes a sample, then one about every tenth of a second, and one at the end of
 * the trial. */
void observers_begin(struct observers *observers, double duration_s);

/* End a trial whose frames were sent between these times of CLOCK_MONOTONIC. Every source takes a last sample. Returns the
 * trial's "observed", a new reference. NULL without sources or memory. */
json_t *observers_end(struct observers *observers, uint64_t start_ns, uint64_t end_ns);
