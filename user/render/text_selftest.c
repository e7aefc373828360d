/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/text_selftest.h"

#include <math.h>

#include "base/json_read.h"
#include "base/units.h"

#define NS_PER_US 1000.0

static void put_one(FILE *stream, const json_t *test)
{
	const json_t *floor = json_object_get(test, "floor"), *confirmation = json_object_get(test, "confirmation");
	const json_t *pacing = json_object_get(test, "pacing");
	const char *limit = read_text(test, "limit");
	char load[UNIT_TEXT_SIZE], fastest[UNIT_TEXT_SIZE];

	fprintf(stream, "%12s  %-4s %-9s  ", read_text(test, "frame_size"), read_text(test, "tx_backend"),
		read_text(test, "transmit_mode"));
	if (!json_is_true(json_object_get(test, "regular"))) {
		fprintf(stream, "IRREGULAR: %s%s%s\n", read_text(test, "irregular_reason"), *limit ? ": " : "", limit);
		return;
	}
	fprintf(stream, "%12s %12s  %5.0f of %-2.0f %9.3f %9.3f %9.3f  %s%s%s\n",
		format_si(read_number(test, "clean_load"), "fps", load),
		format_si(read_number(test, "fastest_load"), "fps", fastest), read_number(confirmation, "clean"),
		read_number(confirmation, "trials"), read_number(floor, "p50_ns") / NS_PER_US,
		read_number(floor, "p99_ns") / NS_PER_US, read_number(pacing, "gap_p99_ns") / NS_PER_US,
		read_text(test, "limited_by"), *limit ? ": " : "", limit);
}

void render_selftest(FILE *stream, const json_t *document)
{
	const json_t *tests = json_object_get(document, "self_tests");
	const json_t *environment = json_object_get(document, "environment");
	const char *reason = json_string_value(json_object_get(document, "irregular_reason"));

	fprintf(stream, "Self-test of the tester, port to port%s%s\n\n", reason ? ": IRREGULAR, " : "",
		reason ? reason : "");
	fprintf(stream, "%12s  %-14s  %12s %12s  %11s %9s %9s %9s  %s\n", "frame size", "transmitter", "clean load",
		"unpaced", "confirmed", "floor p50", "floor p99", "gap p99", "limited by");
	for (size_t i = 0; i < json_array_size(tests); i++)
		put_one(stream, json_array_get(tests, i));
	fprintf(stream, "\nLoads are per interface; floor (latency of a lightly loaded tester) and gap (between departures "
			"at the clean "
			"load) in us.\n");
	fprintf(stream, "No SUT: %s.\n", read_text(json_object_get(document, "sut_check"), "evidence"));
	for (size_t i = 0; i < json_array_size(json_object_get(document, "notes")); i++)
		fprintf(stream, "Note: %s\n", json_string_value(json_array_get(json_object_get(document, "notes"), i)));
	fprintf(stream, "Tester: xdp-mlr %s, Linux %s on %s\n", read_text(environment, "version"),
		read_text(environment, "kernel"), read_text(environment, "hostname"));
}
