/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Giving up what is not needed any more. Nothing of it comes back, and what is started later inherits it.
 *
 * A filter of system calls is the kernel's own few instructions, so it needs no library. What it does with a call that is
 * not in the list (seccomp(2) calls it SECCOMP_RET_TRAP): the call is not made, one line names it, and the process ends with
 * exit code 3, at once. An error returned instead would be taken for one of the measurement's, and an answer would look
 * right that is not. What was changed on ports is in the journal, and the next run undoes it. Calls that are newer than the
 * last one known here fail by ENOSYS, as on an older kernel: a newer C library tries such first, and takes an older one
 * then.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CONFINE_BIT(CAPABILITY) (1ull << (CAPABILITY))

/* The effective capabilities of this thread, as bits (CONFINE_BIT(CAP_NET_ADMIN)); 0 if it cannot be told. */
uint64_t confine_capabilities(void);
/* Keep these capabilities of this thread and of threads that it starts later; others are gone. 0 or -errno. */
int confine_keep(uint64_t capabilities);
/* Nothing that is executed later has more privileges than we have then; nor does root's being root give back what was
 * dropped. 0 or -errno. */
int confine_no_new_privileges(void);
/* All threads make these system calls (their numbers, __NR_...) and no others, after confine_no_new_privileges().
 * clone(2) and unshare(2) are among them unless they ask for a namespace. At most 240. 0 or -errno. */
int confine_system_calls(const int *allowed, size_t count);
