/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPUs the transmit threads of a port run on. */
#pragma once

#include <sched.h>

/* The next CPU for a thread that drives this port, added to `taken`: one that this process may use, of the port's NUMA node
 * if it can be, not taken if it can be. -1 if there is but one: then threads are better left alone. */
int tx_cpu_take(const char *port, cpu_set_t *taken);

/* The same, of the CPUs allowed and those near the port, both given: the lowest number that fits best. */
int tx_cpu_choose(const cpu_set_t *allowed, const cpu_set_t *near, const cpu_set_t *taken);

/* The allowed CPUs less the poor ones; all of them where few are allowed, where no other is free, or where only poor ones are near. */
cpu_set_t tx_cpu_better(const cpu_set_t *allowed, const cpu_set_t *near, const cpu_set_t *taken, const cpu_set_t *poor);
