/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This session ahead of others, while frames flow.
 *
 * Where the kernel shares the CPUs out between sessions first (kernel.sched_autogroup_enabled, as Debian has it), a niceness
 * counts within a session only: a compiler in another terminal would get half the CPU of a transmitter of niceness -20. So
 * the session has a niceness, too (/proc/PID/autogroup). It is raised for as long as ports are open, and given back; what a
 * run that was killed left raised, the next run or `xdp-mlr clean` gives back.
 */
#pragma once

/* Go ahead. Nothing happens where the kernel has no such thing or does not allow it, or where another run has done it. */
void session_raise(void);
/* Give back what session_raise() took, if it did. */
void session_restore(void);
/* Give back what dead runs took. */
void session_clean(void);
