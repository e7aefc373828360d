/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header loads XDP programs for one device (BPF_F_XDP_DEV_BOUND_ONLY, Linux 6.3), past a fault of the kernel.
 * The caller owns objects and programs. It calls the first function before an object is opened, the second after loading.
 *
 * The kernel stores the program's address with the device before the verifier rewrites the program. If the program then
 * needs more pages, the kernel moves it, but does not update the stored address. When the device disappears while the
 * program is loaded, the kernel reads freed memory and holds the network's lock. From then on no link, address or namespace
 * can be made or removed until the machine is restarted. So a program is loaded with additional instructions behind a jump
 * that is always taken. The verifier removes them, and their pages stay.
 */
#pragma once

#include <bpf/libbpf.h>
#include <stdbool.h>

/* Call it before an object is opened that has such programs, in BOUND_SECTION. Returns 0 or -errno. Only one thread may call
 * it at a time. */
int bound_program_expect(void);

/* Whether a loaded one has no more pages than it was given at first. One that has must be closed at once: that is safe as
 * long as its device is there. */
bool bound_program_stayed(const struct bpf_program *program);
