/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These functions choose the CPUs on which the transmit threads of a port run. The caller owns the sets. */
#pragma once

#include <sched.h>
#include <stdbool.h>

/* Return the next CPU for a thread that drives this port, and add it to `taken`. This process may use it. If possible, it is
 * of the port's NUMA node and not taken. Unless `any`, CPU 0 and CPUs that share a core with a taken one come last. Returns -1
 * if there is only one CPU: threads are not pinned then. */
int tx_cpu_take(const char *port, bool any, cpu_set_t *taken);

/* Do the same for given sets of allowed CPUs and CPUs near the port. Return the lowest number that fits best. */
int tx_cpu_choose(const cpu_set_t *allowed, const cpu_set_t *near, const cpu_set_t *taken);

/* Return the allowed CPUs without the poor ones. Return all of them where few are allowed, where no other is free, or where
 * only poor ones are near. */
cpu_set_t tx_cpu_better(const cpu_set_t *allowed, const cpu_set_t *near, const cpu_set_t *taken, const cpu_set_t *poor);
