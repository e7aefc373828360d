/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header reads the energy that the CPUs of this machine used, from the counters of RAPL that the kernel shows in
 * /sys/class/powercap. The caller owns the handle: it is opened, added to each sample, and needs no closing. A machine
 * without any has none.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "observe/recorder.h"

#define RAPL_DIRECTORY "/sys/class/powercap"

struct rapl {
	size_t count;
	struct rapl_zone {
		char path[160], name[64];
		uint64_t last_uj, range_uj, grown_uj;
	} zones[16]; /* packages; what lies within one is a part of it */
};

void rapl_open(struct rapl *rapl, const char *directory);
/* Add "power/PACKAGE/joules" of each, which counts from the opening on and does not wrap around. */
void rapl_add(struct rapl *rapl, struct recorder *recorder);
