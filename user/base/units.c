/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "mlr/frame.h"

#define BITS_PER_OCTET 8
#define RATE_ROUNDING  1e-9 /* part by which a load that is the line rate may be below it */

/* A number is multiplied by the factor, and by ten to that power. */
static const struct {
	const char *suffix;
	double factor;
	int power;
} duration_units[] = { { "", 1, 0 },    { "s", 1, 0 },    { "ms", 1, -3 }, { "us", 1, -6 },
		       { "ns", 1, -9 }, { "min", 60, 0 }, { "h", 3600, 0 } };

/* The forms of a unit: what stands behind the number and its scale, and which scales are allowed (1, k, M, G). */
static const struct load_suffix {
	const char *suffix;
	enum load_unit unit;
	double scale_least, scale_most;
} load_suffixes[] = {
	{ "", LOAD_FPS, 1, 1 },
	{ "", LOAD_BPS_L1, 1e6, 1e9 }, /* speed of a link: "100M", "10G"; "250k" might be frames */
	{ "fps", LOAD_FPS, 1, 1e9 },
	{ "pps", LOAD_FPS, 1, 1e9 },
	{ "bps", LOAD_BPS_L1, 1, 1e9 },
	{ "bit/s", LOAD_BPS_L1, 1, 1e9 },
	{ "b/s", LOAD_BPS_L1, 1, 1e9 },
	{ "bit", LOAD_BPS_L1, 1, 1e9 },
	{ "bps-l1", LOAD_BPS_L1, 1, 1e9 },
	{ "bps-l2", LOAD_BPS_L2, 1, 1e9 },
	{ "%", LOAD_LINE_RATIO, 1, 1 },
};

/* Parse the number at the start of a text. Returns false if there is none. strtod() alone would accept " 0x1p3", "inf" and
 * "nan", too. */
static bool leading_number(const char *text, double *ret, const char **ret_rest)
{
	size_t digits = strspn(text, "-0123456789.");
	char *end;
	double number;

	if (digits == 0 || strpbrk(text, "xX") == text + 1 || strpbrk(text, "xX") == text + 2)
		return false;
	number = strtod(text, &end);
	if (end == text || !isfinite(number))
		return false;
	*ret = number;
	*ret_rest = end;
	return true;
}

/* Return the number of a text up to `rest`, times ten to this power, as near as a double can be: 0.7 / 100 is not 0.007. */
static double shifted(const char *text, const char *rest, double number, int power)
{
	char digits[64];
	size_t length = (size_t)(rest - text);

	if (!power || length >= sizeof(digits) - 8 || memchr(text, 'e', length) || memchr(text, 'E', length))
		return number * pow(10, power);
	snprintf(digits, sizeof(digits), "%.*se%d", (int)length, text, power);
	return strtod(digits, NULL);
}

bool parse_number(const char *text, double *ret)
{
	const char *rest;
	double number;

	if (!leading_number(text, &number, &rest) || *rest)
		return false;
	*ret = number;
	return true;
}

bool parse_whole(const char *text, double least, double most, unsigned int *ret)
{
	double number;

	if (!parse_number(text, &number) || number < least || number > most || number != (unsigned int)number)
		return false;
	*ret = (unsigned int)number;
	return true;
}

bool parse_ratio(const char *text, double *ret)
{
	const char *rest;
	double number;

	if (!leading_number(text, &number, &rest) || (*rest && strcmp(rest, "%")))
		return false;
	*ret = shifted(text, rest, number, *rest ? -2 : 0);
	return true;
}

bool parse_duration(const char *text, double *ret_s)
{
	const char *rest;
	double number;

	if (!leading_number(text, &number, &rest))
		return false;
	for (size_t i = 0; i < COUNT(duration_units); i++) {
		if (strcmp(rest, duration_units[i].suffix) == 0) {
			*ret_s = shifted(text, rest, number, duration_units[i].power) * duration_units[i].factor;
			return isfinite(*ret_s);
		}
	}
	return false;
}

/* A thousandth of a frame is no load, so "m" means "M", as in TRex and iperf3. */
static double load_scale(char letter)
{
	switch (letter) {
	case 'k':
	case 'K':
		return 1e3;
	case 'm':
	case 'M':
		return 1e6;
	case 'g':
	case 'G':
		return 1e9;
	default:
		return 1;
	}
}

bool parse_load(const char *text, struct load_spec *ret)
{
	const char *rest;
	double number, scale;

	if (strcmp(text, "max") == 0) {
		*ret = (struct load_spec){ .unit = LOAD_MAX };
		return true;
	}
	if (!leading_number(text, &number, &rest))
		return false;
	scale = load_scale(*rest);
	for (size_t i = 0; i < COUNT(load_suffixes); i++) {
		const struct load_suffix *suffix = &load_suffixes[i];

		if (strcmp(rest + (scale > 1), suffix->suffix) == 0 && scale >= suffix->scale_least &&
		    scale <= suffix->scale_most) {
			*ret = (struct load_spec){ .unit = suffix->unit,
						   .value = number * (suffix->unit == LOAD_LINE_RATIO ? 1e-2 : scale) };
			return isfinite(ret->value);
		}
	}
	return false;
}

bool parse_information_rate(const char *text, struct load_spec *ret)
{
	static const char line[] = "-l1";
	size_t length = strlen(text), line_length = strlen(line);
	struct load_spec load;

	if (!parse_load(text, &load))
		return false;
	if (load.unit == LOAD_BPS_L1 && (length < line_length || strcmp(text + length - line_length, line)))
		load.unit = LOAD_BPS_L2;
	*ret = load;
	return true;
}

const char *load_spellings(const char *text, const char *forms, char buffer[LOAD_SPELLINGS_SIZE])
{
	const char *rest;
	double number;
	int octets;

	if (!leading_number(text, &number, &rest) || rest - text > 20 || (load_scale(*rest) == 1 && *rest != 'B'))
		return forms;
	octets = (int)(rest - text) + (load_scale(*rest) > 1);
	snprintf(buffer, LOAD_SPELLINGS_SIZE, "%.*sfps (frames a second) or %.*sbps (bits a second)", octets, text, octets,
		 text);
	return buffer;
}

bool load_is_absolute(const struct load_spec *load)
{
	return load->unit == LOAD_FPS || load->unit == LOAD_BPS_L1 || load->unit == LOAD_BPS_L2;
}

double load_fps(const struct load_spec *load, double frame_size_octets, double line_rate_fps)
{
	switch (load->unit) {
	case LOAD_FPS:
		return load->value;
	case LOAD_BPS_L1:
		return load->value / l1_bps(1, frame_size_octets);
	case LOAD_BPS_L2:
		return load->value / l2_bps(1, frame_size_octets);
	case LOAD_LINE_RATIO:
		return load->value * line_rate_fps;
	case LOAD_UNSET:
	case LOAD_MAX:
		break;
	}
	return 0;
}

double l1_bps(double load_in_fps, double frame_size_octets)
{
	return load_in_fps * BITS_PER_OCTET * (frame_size_octets + MLR_FRAME_L1_OVERHEAD_OCTETS);
}

double l2_bps(double load_in_fps, double frame_size_octets)
{
	return load_in_fps * BITS_PER_OCTET * frame_size_octets;
}

bool is_line_rate(double load_in_fps, double line_rate_fps)
{
	return line_rate_fps > 0 && load_in_fps >= line_rate_fps * (1 - RATE_ROUNDING);
}

const char *format_number(double number, char buffer[UNIT_TEXT_SIZE])
{
	static const int enough_digits = 17;

	for (int digits = 15; digits <= enough_digits; digits++) {
		snprintf(buffer, UNIT_TEXT_SIZE, "%.*g", digits, number);
		if (strtod(buffer, NULL) == number)
			break;
	}
	return buffer;
}

const char *format_si(double value, const char *unit, char buffer[UNIT_TEXT_SIZE])
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T" };
	size_t prefix = 0;

	/* Otherwise 999.95 would be shown as 1000. */
	while (prefix + 1 < COUNT(prefixes) && fabs(value) >= 999.95) {
		value /= 1000;
		prefix++;
	}
	snprintf(buffer, UNIT_TEXT_SIZE, "%#.4g %s%s", value, prefixes[prefix], unit);
	return buffer;
}

const char *format_percent(double ratio, char buffer[UNIT_TEXT_SIZE])
{
	snprintf(buffer, UNIT_TEXT_SIZE, "%.4g %%", ratio * 100);
	return buffer;
}

const char *format_clock(double duration_s, char buffer[UNIT_TEXT_SIZE])
{
	unsigned long long whole_s = duration_s >= 0 && duration_s < 1e15 ? (unsigned long long)duration_s : 0;
	unsigned long long minutes = whole_s / 60, hours = minutes / 60;

	if (hours)
		snprintf(buffer, UNIT_TEXT_SIZE, "%llu:%02llu:%02llu", hours, minutes % 60, whole_s % 60);
	else
		snprintf(buffer, UNIT_TEXT_SIZE, "%llu:%02llu", minutes, whole_s % 60);
	return buffer;
}

const char *format_utc(time_t moment, char buffer[UNIT_TEXT_SIZE])
{
	struct tm parts;

	if (!gmtime_r(&moment, &parts) || !strftime(buffer, UNIT_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts))
		snprintf(buffer, UNIT_TEXT_SIZE, "?");
	return buffer;
}
