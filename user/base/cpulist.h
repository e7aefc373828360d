/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs as the kernel writes them: "0-3,8". */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* False if it is not such a list, or names a CPU beyond CPU_SETSIZE; an empty one is fine. */
bool cpulist_parse(const char *text, cpu_set_t *ret);
/* As the kernel would write it. */
const char *cpulist_format(const cpu_set_t *cpus, char *buffer, size_t size);
/* The CPUs of `cpus` without those of `taken`. */
cpu_set_t cpulist_without(const cpu_set_t *cpus, const cpu_set_t *taken);
