/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/values.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/units.h"

#define MICRO        "\xc2\xb5"
#define ELLIPSIS     "\xe2\x80\xa6"
#define SIGNIFICANT  3  /* digits */
#define DIGITS_MOST  16 /* most decimal digits of a double */
#define POINTER_SIZE 128

#define CHANGE_DECIMALS 2 /* of a change in percent */
#define CHANGE_MOST     6 /* where fewer tell of none */

/* --- numbers -------------------------------------------------------------------------------------------------------- */

const char *text_number(double value, int decimals, char buffer[VALUE_SIZE])
{
	char plain[64];
	size_t whole, used = 0;
	const char *digits = plain;

	if (!isfinite(value) || fabs(value) >= 1e30) {
		snprintf(buffer, VALUE_SIZE, "%s", DASH);
		return buffer;
	}
	snprintf(plain, sizeof(plain), "%.*f", decimals, value);
	whole = strcspn(plain, ".");
	if (strspn(plain + whole, ".0") == strlen(plain + whole))
		plain[whole] = '\0';
	if (strcmp(plain, "-0") == 0)
		digits++;
	if (*digits == '-')
		buffer[used++] = *digits++;
	whole = strspn(digits, "0123456789");
	for (size_t i = 0; i < whole; i++) {
		if (i && (whole - i) % 3 == 0 && whole > 4)
			used += (size_t)snprintf(buffer + used, VALUE_SIZE - used, NARROW_SPACE);
		buffer[used++] = digits[i];
	}
	snprintf(buffer + used, VALUE_SIZE - used, "%s", digits + whole);
	return buffer;
}

const char *text_rate(double value, char buffer[VALUE_SIZE])
{
	return text_number(value, 1, buffer);
}

const char *text_count(double value, char buffer[VALUE_SIZE])
{
	return text_number(value, value == floor(value) ? 0 : 1, buffer);
}

const char *text_plain(double value, char buffer[VALUE_SIZE])
{
	snprintf(buffer, VALUE_SIZE, isnan(value) ? DASH : "%g", value);
	return buffer;
}

const char *text_fps(double value, char buffer[VALUE_SIZE])
{
	snprintf(buffer, VALUE_SIZE, isnan(value) ? "%s" : "%.70s frames/s", text_number(value, 1, VALUE_ROOM));
	return buffer;
}

/* So many significant digits, never with an exponent. What is next to nothing is nothing. */
static void put_percent(double percent, int digits, char buffer[VALUE_SIZE])
{
	static const double nothing = 1e-12, exponent_below = 1e-4;
	double size = fabs(percent);

	if (size < nothing)
		snprintf(buffer, VALUE_SIZE, "0 %%");
	else if (size < exponent_below)
		snprintf(buffer, VALUE_SIZE, "%.*f %%", digits - 1 - (int)floor(log10(size)), percent);
	else
		snprintf(buffer, VALUE_SIZE, size < pow(10, digits) - 0.5 ? "%.*g %%" : "%.*f %%",
			 size < pow(10, digits) - 0.5 ? digits : 0, percent);
}

/* A share below the whole is told with so many digits that it is not 100 %. */
const char *text_percent_within(double ratio, int digits, char buffer[VALUE_SIZE])
{
	if (isnan(ratio) || ratio >= 10) {
		snprintf(buffer, VALUE_SIZE, isnan(ratio) ? DASH : "%.0f %%", ratio * 100);
		return buffer;
	}
	do
		put_percent(ratio * 100, digits++, buffer);
	while (ratio < 1 && ratio > 0.5 && digits < DIGITS_MOST && strcmp(buffer, "100 %") == 0);
	return buffer;
}

const char *text_percent(double ratio, char buffer[VALUE_SIZE])
{
	return text_percent_within(ratio, SIGNIFICANT, buffer);
}

static double rounded(double value, int decimals)
{
	double scale = pow(10, decimals);

	return round(value * scale) / scale;
}

const char *text_change(double ratio, char buffer[VALUE_SIZE])
{
	int decimals = CHANGE_DECIMALS;

	while (decimals < CHANGE_MOST && rounded(ratio * 100, decimals) == 0)
		decimals++;
	if (rounded(ratio * 100, decimals) == 0)
		decimals = CHANGE_DECIMALS;
	snprintf(buffer, VALUE_SIZE, isnan(ratio) ? DASH : "%+.*f %%", decimals,
		 rounded(ratio * 100, decimals) + 0.0); /* -0 becomes 0 */
	return buffer;
}

/* How many decimals the first significant digits of a value take. */
static int decimals_of(double value)
{
	return value > 0 ? SIGNIFICANT - 1 - (int)floor(log10(value)) : 0;
}

/* How many decimals a value has, at most so many, that is known to the decimal of `resolution`; three significant digits are
 * always told, of the value as it is told: 9.9996 is 10.0. */
static int decimals_within(double value, double resolution, int most)
{
	int known = resolution > 0 ? -(int)floor(log10(resolution)) : 0;
	int significant = decimals_of(rounded(value, decimals_of(value)));
	int decimals = significant > known ? significant : known;

	return decimals < 0 ? 0 : decimals > most ? most : decimals;
}

struct ns_unit {
	double factor;
	int decimals; /* that show the value to the ns */
	const char *unit;
};

static const struct ns_unit ns_units[] = { { 1e3, 3, MICRO "s" }, { 1e6, 6, "ms" }, { 1e9, 9, "s" } };

/* Return the unit in which a time is told, and with how many decimals. */
static const struct ns_unit *ns_unit_of(double ns, double bound_ns, int *ret_decimals)
{
	const struct ns_unit *unit = ns_units;

	for (;; unit++) {
		double value = fabs(ns / unit->factor);

		*ret_decimals = decimals_within(value, bound_ns / unit->factor, unit->decimals);
		if (unit == ns_units + COUNT(ns_units) - 1 || rounded(value, *ret_decimals) < 1000)
			return unit;
	}
}

static const char *put_ns(double ns, double bound_ns, int more, char buffer[VALUE_SIZE])
{
	const struct ns_unit *unit;
	int decimals;

	if (!isfinite(ns)) {
		snprintf(buffer, VALUE_SIZE, DASH);
		return buffer;
	}
	unit = ns_unit_of(ns, bound_ns, &decimals);
	snprintf(buffer, VALUE_SIZE, "%.*f %s", decimals + more, ns / unit->factor, unit->unit);
	return buffer;
}

const char *text_ns_within(double ns, double bound_ns, char buffer[VALUE_SIZE])
{
	return put_ns(ns, bound_ns, 0, buffer);
}

const char *text_ns(double ns, char buffer[VALUE_SIZE])
{
	return text_ns_within(ns, NAN, buffer);
}

/* --- figures beside what was asked ------------------------------------------------------------------------------------- */

#define MORE_MOST 13    /* digits */
#define EXACT     1e-12 /* what computing may change */

const char *text_unlike(double value, double other, text_with_more *text, const void *context, char buffer[VALUE_SIZE])
{
	int more = 0;

	while (value != other && more < MORE_MOST &&
	       !strcmp(text(context, value, more, buffer), text(context, other, more, VALUE_ROOM)))
		more++;
	return text(context, value, more, buffer);
}

static const char *text_of_kind(const void *context, double value, int more, char buffer[VALUE_SIZE])
{
	const enum text_kind *kind = context;

	switch (*kind) {
	case TEXT_PERCENT:
		return text_percent_within(value, SIGNIFICANT + more, buffer);
	case TEXT_NS:
		return put_ns(value, NAN, more, buffer);
	case TEXT_RATE:
		break;
	}
	return text_number(value, 1 + more, buffer);
}

const char *text_beside(double value, double asked, enum text_kind kind, char buffer[VALUE_SIZE])
{
	return text_unlike(value, asked, text_of_kind, &kind, buffer);
}

/* Whether a value is told as it is, with so many digits more than usual. */
static bool is_exact(double value, enum text_kind kind, int more)
{
	double told = kind == TEXT_PERCENT ? value * 100 : value;
	int decimals = kind == TEXT_PERCENT ? decimals_of(fabs(told)) : 1;

	if (kind == TEXT_NS && isfinite(value))
		told /= ns_unit_of(value, NAN, &decimals)->factor;
	return !isfinite(told) || fabs(rounded(told, decimals + more) - told) <= EXACT * fabs(told);
}

const char *text_asked(double asked, enum text_kind kind, char buffer[VALUE_SIZE])
{
	int more = 0;

	while (more < MORE_MOST && !is_exact(asked, kind, more))
		more++;
	return text_of_kind(&kind, asked, more, buffer);
}

/* Return the bound that stands beside a member, or NAN. */
static double bound_beside(const json_t *object, const char *pointer)
{
	const char *slash = strrchr(pointer, '/'), *name = slash ? slash + 1 : pointer;
	char beside[POINTER_SIZE];

	if (strncmp(name, "ipdv", 4) == 0)
		return NAN;
	snprintf(beside, sizeof(beside), "%s%.*s%s", *pointer == '/' ? "" : "/", (int)(name - pointer), pointer,
		 strncmp(name, "pdv", 3) == 0 ? "pdv_error_ns" : "error_bound_ns");
	return json_is_number(json_at(object, beside)) ? json_number_value(json_at(object, beside)) : NAN;
}

const char *text_of_member(const json_t *object, const char *name, double value, text_of_number *format,
			   char buffer[VALUE_SIZE])
{
	return format == text_ns ? text_ns_within(value, bound_beside(object, name), buffer) : format(value, buffer);
}

const char *text_seconds(double seconds, char buffer[VALUE_SIZE])
{
	double ns = seconds * 1e9;

	if (isnan(ns) || ns < 1e6)
		return text_ns(ns, buffer);
	if (ns < 999.95e6) /* otherwise 999.96 ms would be shown as 1000 */
		snprintf(buffer, VALUE_SIZE, "%.4g ms", ns / 1e6);
	else
		snprintf(buffer, VALUE_SIZE, seconds < 1e4 ? "%.4g s" : "%.0f s", seconds);
	return buffer;
}

const char *text_yes_no(double truth, char[VALUE_SIZE])
{
	return truth == 1 ? "yes" : "no";
}

const char *text_growth(double per_second, bool share, char buffer[VALUE_SIZE])
{
	double size = fabs(per_second);

	if (!share)
		return text_number(per_second, size < 1 ? 3 : size < 10 ? 2 : size < 100 ? 1 : 0, buffer);
	return text_percent(isnan(per_second) ? NAN : fmin(per_second, 1), buffer);
}

const char *text_shortened(const char *text, size_t most, char buffer[SHORT_SIZE])
{
	size_t length = strlen(text), first = most / 3, last = length + strlen(ELLIPSIS) + first - most;

	if (length <= most)
		return text;
	while (first && ((unsigned char)text[first] & 0xc0) == 0x80)
		first--;
	while (((unsigned char)text[last] & 0xc0) == 0x80)
		last++;
	snprintf(buffer, SHORT_SIZE, "%.*s" ELLIPSIS "%s", (int)first, text, text + last);
	return buffer;
}

const char *text_standing(enum standing standing, char buffer[VALUE_SIZE])
{
	snprintf(buffer, VALUE_SIZE, "%s%s", standing == STANDING_REGULAR ? "" : ", ",
		 standing == STANDING_REGULAR ? "" : standing_word(standing));
	return buffer;
}

void text_split(double value, const char *unit, char number[VALUE_SIZE], char prefixed_unit[VALUE_SIZE])
{
	char text[UNIT_TEXT_SIZE], *space;

	prefixed_unit[0] = '\0';
	snprintf(number, VALUE_SIZE, DASH);
	if (isnan(value))
		return;
	format_si(value, unit, text);
	space = strchr(text, ' ');
	if (!space)
		return;
	*space = '\0';
	snprintf(number, VALUE_SIZE, "%s", text);
	snprintf(prefixed_unit, VALUE_SIZE, "%s", space + 1);
}

const char *text_bps(double bps, char buffer[VALUE_SIZE])
{
	snprintf(buffer, VALUE_SIZE, "%s", isnan(bps) ? DASH : format_si(bps, "bit/s", UNIT_ROOM));
	return buffer;
}

/* --- the Traffic Profile -------------------------------------------------------------------------------------------- */

const char *text_quantity(const char *quantity)
{
	static const char *const texts[][2] = {
		{ "conditional_throughput", "Conditional Throughput" },
		{ "throughput", "Throughput" },
		{ "critical_load", "Critical load" },
		{ "trial_forwarding_rate", "Trial Forwarding Rate" },
	};

	for (size_t i = 0; i < COUNT(texts); i++)
		if (strcmp(texts[i][0], quantity) == 0)
			return texts[i][1];
	return quantity;
}

double frame_octets(const json_t *document)
{
	const json_t *profile = json_object_get(document, "traffic_profile");
	double octets = read_number(profile, "mean_frame_size_octets");

	return isnan(octets) ? read_number(profile, "frame_size_octets") : octets;
}

/* --- names ---------------------------------------------------------------------------------------------------------- */

/* A unit at the end of a name, and how people write it. */
static const struct suffix {
	const char *text, *unit;
} suffixes[] = {
	{ "_octets", "octets" }, { "_fps_per_s", "frames/s per s" },
	{ "_fps", "frames/s" },  { "_bps", "bit/s" },
	{ "_ns", "ns" },         { "_ppm", "ppm" },
	{ "_s", "s" },
};

/* Words that are written otherwise than in a name. */
static const struct word {
	const char *name, *text;
} words[] = {
	{ "sut", "SUT" },   { "nic", "NIC" },   { "cpu", "CPU" },   { "mac", "MAC" }, { "mtu", "MTU" }, { "udp", "UDP" },
	{ "ipv4", "IPv4" }, { "tx", "TX" },     { "rx", "RX" },     { "ip", "IP" },   { "pdv", "PDV" }, { "ipdv", "IPDV" },
	{ "icmp", "ICMP" }, { "vlan", "VLAN" }, { "dscp", "DSCP" }, { "ecn", "ECN" }, { "ttl", "TTL" },
};

/* Put each such word of a label right; both texts are of one length. */
static void correct_words(char *label)
{
	for (char *word = label; *word; word += strspn(word, " ")) {
		size_t length = strcspn(word, " ");

		for (size_t i = 0; i < COUNT(words); i++)
			if (strlen(words[i].name) == length && strncasecmp(word, words[i].name, length) == 0)
				memcpy(word, words[i].text, length);
		word += length;
	}
}

const char *text_label(const char *name, char buffer[VALUE_SIZE])
{
	size_t length = strlen(name);
	const char *unit = NULL;

	for (size_t i = 0; i < COUNT(suffixes) && !unit; i++) {
		size_t tail = strlen(suffixes[i].text);

		if (length > tail && strcmp(name + length - tail, suffixes[i].text) == 0) {
			unit = suffixes[i].unit;
			length -= tail;
		}
	}
	snprintf(buffer, VALUE_SIZE, "%.*s%s%s%s", (int)(length < 64 ? length : 64), name, unit ? " (" : "",
		 unit ? unit : "", unit ? ")" : "");
	for (size_t i = 0; i < length && i < 64; i++)
		if (buffer[i] == '_')
			buffer[i] = i && isdigit((unsigned char)buffer[i - 1]) ? '.' : ' ';
	buffer[0] = (char)toupper((unsigned char)buffer[0]);
	correct_words(buffer);
	return buffer;
}
