/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions parse numbers with units as users write them, and format numbers as users read them. The caller owns all
 * buffers. They keep nothing, do not depend on the locale, and are strict: a text is a value from its first to its last
 * character, or an error.
 */
#pragma once

#include <stdbool.h>
#include <time.h>

#include "base/text_stream.h"

/* A load as the user wrote it. It becomes frames/s once frame size and line rate are known. */
enum load_unit { LOAD_UNSET, LOAD_FPS, LOAD_BPS_L1, LOAD_BPS_L2, LOAD_LINE_RATIO, LOAD_MAX };
struct load_spec {
	enum load_unit unit;
	double value; /* value in frames/s, in bit/s, or as a ratio of the line rate */
};

/* Parse a plain decimal number ("12", "0.5", "1e-7"). Infinity, NaN and hexadecimal numbers are refused. */
bool parse_number(const char *text, double *ret);
/* Parse a whole number from `least` to `most`, such as "12" or "4e3". *ret stays as it is if the text is none. */
bool parse_whole(const char *text, double least, double most, unsigned int *ret);
/* Parse "0.005" or "0.5%". */
bool parse_ratio(const char *text, double *ret);
/* Parse seconds ("60"), or a number with one of the units ns, us, ms, s, min, h. */
bool parse_duration(const char *text, double *ret_s);
/* Parse a load: 250000, 250kfps, 1.5Mfps or 1.5Mpps, 5Gbps-l1 (the same as 5Gbps, 5Gbit/s, 5Gbit or 5G), 5Gbps-l2, 80%,
 * max. */
bool parse_load(const char *text, struct load_spec *ret);

/* Parse a rate that was agreed for a service. It is the same, but bit/s count the frames alone (L2, an information rate)
 * unless -l1 asks for those of the line. */
bool parse_information_rate(const char *text, struct load_spec *ret);

/* What parse_load() and parse_duration() accept, for error messages and --help. */
#define LOAD_FORMS "250000, 250kfps, 1.5Mfps, 5Gbps-l1 (5G: of a link), 5Gbps-l2 or 80%"
#define INFORMATION_RATE_FORMS                                                                                              \
	"250000, 250kfps, 1.5Mfps, 5Gbps (bits of frames, FCS included), 5Gbps-l1 (bits on the line) or 80%"
#define DURATION_FORMS "60, 60s, 500ms or 2min"
/* Tell how to write what parse_load() refused. If the text might be frames or bits, such as "250k", both ways are told;
 * otherwise `forms`. */
#define LOAD_SPELLINGS_SIZE 112
const char *load_spellings(const char *text, const char *forms, char buffer[LOAD_SPELLINGS_SIZE]);

/* Whether the load gives frames/s without the line rate. */
bool load_is_absolute(const struct load_spec *load);
/* Return the frames/s of a load that is not LOAD_UNSET or LOAD_MAX. Returns 0 if the line rate is needed and is 0, which
 * means not known. */
double load_fps(const struct load_spec *load, double frame_size_octets, double line_rate_fps);

/* Return the bit/s of a load on the link (L1), or of the frames alone (L2). */
double l1_bps(double load_fps, double frame_size_octets);
double l2_bps(double load_fps, double frame_size_octets);
/* Whether a load is the line rate, but for rounding. An unknown line rate, 0 or NAN, is none. */
bool is_line_rate(double load_fps, double line_rate_fps);

/* Every function below writes into the buffer and returns it. */
#define UNIT_TEXT_SIZE 48
#define UNIT_ROOM      ROOM(UNIT_TEXT_SIZE)
/* Write the shortest text that reads back as exactly this number. */
const char *format_number(double number, char buffer[UNIT_TEXT_SIZE]);
/* "1.235 Mfps", "9.88 Gbit/s": four digits and a prefix. */
const char *format_si(double value, const char *unit, char buffer[UNIT_TEXT_SIZE]);
/* "0.5 %" */
const char *format_percent(double ratio, char buffer[UNIT_TEXT_SIZE]);
/* "1:02:03", "2:03", of elapsed time. */
const char *format_clock(double duration_s, char buffer[UNIT_TEXT_SIZE]);
/* "2026-11-21T16:00:00Z" */
const char *format_utc(time_t moment, char buffer[UNIT_TEXT_SIZE]);
