/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/power.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define BITS_PER_OCTET 8

/* Whether the name has this word somewhere before its labels. */
static bool has_word(const char *name, const char *word)
{
	size_t length = strcspn(name, "{"), word_length = strlen(word);

	for (size_t i = 0; i + word_length <= length; i++) {
		size_t same = 0;

		while (same < word_length && tolower((unsigned char)name[i + same]) == word[same])
			same++;
		if (same == word_length)
			return true;
	}
	return false;
}

static bool ends_with_w(const char *name)
{
	size_t length = strcspn(name, "{");

	return length > 2 && strncmp(name + length - 2, "_w", 2) == 0;
}

enum mlr_power_kind mlr_power_kind(const char *name)
{
	static const char *const limits[] = { "limit", "max", "cap", "rated" };

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (has_word(name, limits[i]))
			return MLR_POWER_NONE;
	if (has_word(name, "watts") || ends_with_w(name))
		return MLR_POWER_WATTS;
	return has_word(name, "joules") ? MLR_POWER_JOULES : MLR_POWER_NONE;
}

uint64_t mlr_power_growth(uint64_t before, uint64_t now, uint64_t range)
{
	if (now >= before)
		return now - before;
	return range >= before ? range - before + now : now;
}

/* Energy of one of so many a second. */
static double energy(double watts, double per_second)
{
	return per_second > 0 ? watts / per_second : NAN;
}

struct mlr_power mlr_power_of(double watts, double idle_watts, double rate_fps, double frame_octets)
{
	double above = watts - idle_watts, rate_bps = rate_fps * frame_octets * BITS_PER_OCTET;

	return (struct mlr_power){
		.joules_per_frame = energy(watts, rate_fps),
		.joules_per_bit = energy(watts, rate_bps),
		.watts_above_idle = above,
		.joules_per_frame_above_idle = energy(above, rate_fps),
		.joules_per_bit_above_idle = energy(above, rate_bps),
	};
}
