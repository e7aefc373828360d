/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/power.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define BITS_PER_OCTET 8

struct unit {
	const char *name;
	enum mlr_power_kind kind;
	double factor; /* watts or joules in one of them */
};

/* Whether these octets are the word, in small letters or capitals. */
static bool is_word(const char *text, const char *word)
{
	size_t same = 0;

	while (word[same] && tolower((unsigned char)text[same]) == word[same])
		same++;
	return !word[same];
}

/* The place of a word within so many octets; `length`: it is not there. */
static size_t find_word(const char *name, size_t length, const char *word)
{
	size_t word_length = strlen(word);

	for (size_t i = 0; i + word_length <= length; i++)
		if (is_word(name + i, word))
			return i;
	return length;
}

/* Whether a word ends between these two letters: in "capWatts" before "W". */
static bool is_boundary(char before, char after)
{
	return !isalpha((unsigned char)before) || !isalpha((unsigned char)after) ||
	       (islower((unsigned char)before) && isupper((unsigned char)after));
}

/* Whether a name has one of these as a word of its own: "max" in "max_watts" and "psuMaxWatts", but not in "maximal_watts". */
static bool has_word(const char *name, size_t length, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t octets = strlen(words[i]);

		for (size_t at = 0; at + octets <= length; at++)
			if (is_word(name + at, words[i]) && (!at || is_boundary(name[at - 1], name[at])) &&
			    (at + octets == length || is_boundary(name[at + octets - 1], name[at + octets])))
				return true;
	}
	return false;
}
#define HAS_WORD(name, length, words) has_word(name, length, words, sizeof(words) / sizeof(*(words)))

/* Return the factor of a prefix that ends here: 1e-3 before "watts" in "milliwatts". A prefix of one letter begins a word. */
static double prefix_factor(const char *name, size_t end)
{
	static const struct {
		const char *name;
		double factor;
	} prefixes[] = { { "milli", 1e-3 }, { "micro", 1e-6 }, { "nano", 1e-9 }, { "deci", 0.1 },
			 { "centi", 0.01 }, { "kilo", 1e3 },   { "mega", 1e6 },  { "m", 1e-3 },
			 { "u", 1e-6 },     { "n", 1e-9 },     { "k", 1e3 } };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t length = strlen(prefixes[i].name);

		if (length <= end && is_word(name + end - length, prefixes[i].name) &&
		    (length > 1 || end == 1 || !isalnum((unsigned char)name[end - 2])))
			return prefixes[i].factor;
	}
	return 1;
}

/* Find the unit as the end of a word: "psu_milliwatts", "powerWatts", "rack_watt_hours". Its kind is none if there is none. */
static struct unit word_unit(const char *name, size_t length)
{
	static const struct unit words[] = {
		{ "watthours", MLR_POWER_JOULES, 3600 },  { "watthour", MLR_POWER_JOULES, 3600 },
		{ "watt_hours", MLR_POWER_JOULES, 3600 }, { "watt_hour", MLR_POWER_JOULES, 3600 },
		{ "watts", MLR_POWER_WATTS, 1 },          { "watt", MLR_POWER_WATTS, 1 },
		{ "wattage", MLR_POWER_WATTS, 1 },        { "joules", MLR_POWER_JOULES, 1 },
		{ "joule", MLR_POWER_JOULES, 1 },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t at = find_word(name, length, words[i].name), end = at + strlen(words[i].name);

		if (at < length && (end == length || is_boundary(name[end - 1], name[end])))
			return (struct unit){ words[i].name, words[i].kind, words[i].factor * prefix_factor(name, at) };
	}
	return (struct unit){ 0 };
}

/* Find the unit as an end: "energy_uj" (powercap of Linux), "pdu_w". Letters may stand for other things, so that the name must
 * speak of power. */
static struct unit end_unit(const char *name, size_t length)
{
	static const struct unit ends[] = { { "_w", MLR_POWER_WATTS, 1 },       { "_mw", MLR_POWER_WATTS, 1e-3 },
					    { "_uw", MLR_POWER_WATTS, 1e-6 },   { "_kw", MLR_POWER_WATTS, 1e3 },
					    { "_j", MLR_POWER_JOULES, 1 },      { "_mj", MLR_POWER_JOULES, 1e-3 },
					    { "_uj", MLR_POWER_JOULES, 1e-6 },  { "_wh", MLR_POWER_JOULES, 3600 },
					    { "_kwh", MLR_POWER_JOULES, 3.6e6 } };

	static const char *const of_power[] = { "power",  "pwr",  "energy", "psu",        "pdu",     "ups",
						"supply", "rapl", "board",  "outlet",     "package", "pkg",
						"gpu",    "rack", "meter",  "chassis",    "node",    "server",
						"system", "dram", "socket", "consumption" };

	for (size_t i = 0; HAS_WORD(name, length, of_power) && i < sizeof(ends) / sizeof(*ends); i++) {
		size_t end_length = strlen(ends[i].name);

		if (length > end_length && is_word(name + length - end_length, ends[i].name))
			return ends[i];
	}
	return (struct unit){ 0 };
}

static struct unit unit_of(const char *name)
{
	static const char *const others[] = { "limit",    "limits",    "max",        "maximum", "cap",     "capped",
					      "capacity", "threshold", "thresholds", "rated",   "nominal", "per" };
	static const char total[] = "_total";
	size_t length = strcspn(name, "{");
	struct unit unit;

	if (HAS_WORD(name, length, others))
		return (struct unit){ 0 };
	if (length >= strlen(total) && is_word(name + length - strlen(total), total))
		length -= strlen(total);
	unit = word_unit(name, length);
	return unit.kind == MLR_POWER_NONE ? end_unit(name, length) : unit;
}

enum mlr_power_kind mlr_power_kind(const char *name)
{
	return unit_of(name).kind;
}

double mlr_power_si(const char *name, double value)
{
	return unit_of(name).factor * value;
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
