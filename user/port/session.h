/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * While frames flow, this session has precedence over others. The kernel owns the value, for each session; a file says who
 * raised it. It is raised when ports are opened, and restored when they are closed, by the next run, or by `xdp-mlr clean`.
 *
 * Some kernels share the CPUs between sessions first (kernel.sched_autogroup_enabled, as in Debian). A niceness then counts
 * only within a session. A compiler in another terminal would get half the CPU of a transmitter with niceness -20. So the
 * session itself has a niceness, too (/proc/PID/autogroup).
 */
#pragma once

#include "base/keeper.h"

/* Raise the session. Nothing happens if the kernel does not have it or does not allow it. Of several runs in a session the
 * last one restores it. */
void session_raise(void);
/* Keep the CPUs of this machine out of idle states that take time to leave, until session_restore(). The kernel ends it with
 * the process. Returns 0 or -errno. */
int session_stay_awake(void);
/* Restore what session_raise() and session_stay_awake() changed, if they did. */
void session_restore(void);
/* Call it before keeper_split(): the keeper restores the session. */
void session_hold(struct keeper_plan *plan);
/* Restore what dead runs changed. */
void session_clean(void);
