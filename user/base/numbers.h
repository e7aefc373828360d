/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This header has small functions of numbers that C lacks. They own and keep nothing. */
#pragma once

#include <stdint.h>

static inline uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}
