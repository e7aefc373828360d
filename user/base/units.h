/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers with units, as users write them and as they read them. Independent of the locale, and strict: a text is a value
 * from its first character to its last, or an error.
 */
#pragma once

#include <stdbool.h>
#include <time.h>

#include "base/text_stream.h"

/* A load as the user wrote it. Turned into frames/s once frame size and line rate are known. */
enum load_unit { LOAD_UNSET, LOAD_FPS, LOAD_BPS_L1, LOAD_BPS_L2, LOAD_LINE_RATIO, LOAD_MAX };
struct load_spec {
	enum load_unit unit;
	double value; /* frames/s, bit/s, or a ratio of the line rate */
};

/* A plain decimal number ("12", "0.5", "1e-7"); no infinity, no NaN, no hexadecimal. */
bool parse_number(const char *text, double *ret);
/* "0.005" or "0.5%". */
bool parse_ratio(const char *text, double *ret);
/* Seconds ("60"), or with a unit: ns, us, ms, s, min, h. */
bool parse_duration(const char *text, double *ret_s);
/* 250000, 250kfps, 1.5Mfps or 1.5Mpps, 5Gbps-l1, which are 5Gbps, 5Gbit/s, 5Gbit or 5G, 5Gbps-l2, 80%, max. */
bool parse_load(const char *text, struct load_spec *ret);

/* What parse_load and parse_duration take, for error messages and --help. */
#define LOAD_FORMS     "250000, 250kfps, 1.5Mfps, 5Gbps-l1 (5G: of a link), 5Gbps-l2 or 80%"
#define DURATION_FORMS "60, 60s, 500ms or 2min"
/* How to write what parse_load() did not take: where that might be frames or bits, as "250k", in both ways, else LOAD_FORMS. */
#define LOAD_SPELLINGS_SIZE 112
const char *load_spellings(const char *text, char buffer[LOAD_SPELLINGS_SIZE]);

/* Whether frames/s follow from the load without knowing the line rate. */
bool load_is_absolute(const struct load_spec *load);
/* Frames/s of a load that is not LOAD_UNSET or LOAD_MAX; 0 if the line rate (0: not known) is needed and not known. */
double load_fps(const struct load_spec *load, double frame_size_octets, double line_rate_fps);

/* bit/s of a load: what occupies the link (L1), or the frames alone (L2). */
double l1_bps(double load_fps, double frame_size_octets);
double l2_bps(double load_fps, double frame_size_octets);

/* Every function below writes into the buffer and returns it. */
#define UNIT_TEXT_SIZE 48
#define UNIT_ROOM      ROOM(UNIT_TEXT_SIZE)
/* The shortest text that reads back as exactly this number. */
const char *format_number(double number, char buffer[UNIT_TEXT_SIZE]);
/* "1.235 Mfps", "9.88 Gbit/s": four digits and a prefix. */
const char *format_si(double value, const char *unit, char buffer[UNIT_TEXT_SIZE]);
/* "0.5 %" */
const char *format_percent(double ratio, char buffer[UNIT_TEXT_SIZE]);
/* "1:02:03", "2:03", of elapsed time. */
const char *format_clock(double duration_s, char buffer[UNIT_TEXT_SIZE]);
/* "2026-11-21T16:00:00Z" */
const char *format_utc(time_t moment, char buffer[UNIT_TEXT_SIZE]);
