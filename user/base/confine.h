/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions give up privileges that a process no longer needs. What is given up belongs to the process, and to
 * everything that it starts later. They are called once each, after start-up, and nothing is ever given back.
 *
 * A filter of system calls is a few instructions for the kernel, so it needs no library. A call that is not in the list is
 * not made (SECCOMP_RET_TRAP of seccomp(2)). One line names it, and the process ends at once with exit code 3. An error code
 * instead could be taken for one of the measurement's, and make a wrong answer look right. Changes on ports are in the
 * journal, and the next run undoes them.
 *
 * Calls that are newer than the last one known here fail by ENOSYS, as on an older kernel. A newer C library then uses an
 * older call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONFINE_BIT(CAPABILITY) (1ull << (CAPABILITY))

/* Return the effective capabilities of this thread as bits (CONFINE_BIT(CAP_NET_ADMIN)), or 0 if they are not known. */
uint64_t confine_capabilities(void);
/* Keep only these capabilities, for this thread and for threads that it starts later. Returns 0 or -errno. */
int confine_keep(uint64_t capabilities);
/* Become the user nobody where we are root, without capabilities, in all threads; write no file by its name from now on, where
 * the kernel has Landlock. What is open stays open. Threads, locked memory and niceness have no limits before that. Returns 0 or
 * -errno. */
int confine_to_nobody(void);
/* Become nobody likewise, but as a process that goes on to execute a program for us; it has no network, where we are root.
 * Returns 0 or -errno. */
int confine_converter(void);
/* From now on no executed program has more privileges than we have, and being root does not give back what was dropped.
 * Returns 0 or -errno. */
int confine_no_new_privileges(void);
/* A call that is allowed only where these bits of an argument have this value. The kernel then looks at each such call. It must
 * be one of the allowed calls, too. */
struct confine_rule {
	int call;
	unsigned int argument; /* 0 to 5 */
	uint32_t bits;         /* bits of the lower half of the argument */
	uint32_t value;        /* value of these bits */
	bool refuses;          /* The call is allowed everywhere else instead. */
};

#define CONFINE_NEW_NAMESPACES 0x7e020000u /* CLONE_NEWUSER and all the others of clone(2) and unshare(2) */
#define CONFINE_WHOLE          0xffffffffu /* all bits of an argument that is a number of 32 bits */

/* Allow all threads only these system calls (their numbers, __NR_...), by these rules. Call it after
 * confine_no_new_privileges(). At most 220 calls and 7 rules. Returns 0 or -errno. */
int confine_system_calls(const int *allowed, size_t count, const struct confine_rule *rules, size_t rule_count);
