// SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
/*
 * The receiver on a port for long frames, whose driver may have all of a frame in fragments, its headers, too. It is an object of
 * its own for the same reason as rx_hardware.bpf.c.
 */
#define WITH_GATHERED_HEADERS
#include "bpf/rx.bpf.c"
