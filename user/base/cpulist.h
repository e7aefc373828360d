/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These functions parse and format sets of CPUs in the kernel's notation, "0-3,8". The caller owns sets and texts, and may
 * call them at any time. */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns false if the text is not such a list, or names a CPU beyond CPU_SETSIZE. An empty list is valid. */
bool cpulist_parse(const char *text, cpu_set_t *ret);
/* Write a set as the kernel does. */
const char *cpulist_format(const cpu_set_t *cpus, char *buffer, size_t size);
/* Return the CPUs of `cpus` that are not in `taken`. */
cpu_set_t cpulist_without(const cpu_set_t *cpus, const cpu_set_t *taken);
