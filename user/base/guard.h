/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guard is a process between us and a program, which ends all that the program started, also what left its group and
 * session. process_start() makes it where its plan asks for one (is_guarded). It belongs to the program that it started, and
 * ends after the last process that is left, as the program itself ended. SIGTERM makes it end them all at once: it comes from us, or
 * from the kernel when we die.
 */
#pragma once

#include <signal.h>
#include <sys/types.h>

/* Become a guard, before the program is started: what its descendants leave behind comes to us. The signals that it waits for
 * are blocked; *ret_mask is what the program has instead. Returns 0 or -errno. */
int guard_begin(sigset_t *ret_mask);
/* Guard the program that was started. Never returns. */
_Noreturn void guard_program(pid_t program);
