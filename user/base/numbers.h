/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small functions of numbers, which C lacks. */
#pragma once

#include <stdint.h>

static inline uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}
