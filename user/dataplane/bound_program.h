/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header loads XDP programs for one device (BPF_F_XDP_DEV_BOUND_ONLY, Linux 6.3), past a fault of the kernel.
 *
 * The kernel keeps with the device where such a program is, from before the verifier rewrites it. A program that comes to
 * need more pages than it was given at first is moved, what is kept with the device is not told, and when the device goes
 * while the program is loaded, the kernel reads freed memory with the network's lock held: from then on no link, address or
 * namespace can be made or removed until the machine is started anew. So a program is loaded with more instructions than it
 * has: behind a jump that the verifier knows to be taken, it never comes to them and removes them, and their pages stay.
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
