// SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
/*
 * The receiver by the NIC's clock, loaded for one device only. An object of its own: for a program that asks a driver
 * something, libbpf reads the types of the whole kernel, which takes as long as all else that a receiver needs.
 */
#define WITH_HARDWARE_CLOCK
#define WITH_GATHERED_HEADERS
#include "bpf/rx.bpf.c"
