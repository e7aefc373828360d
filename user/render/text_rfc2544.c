/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/text_rfc2544.h"

#include <math.h>

#include "base/json_read.h"
#include "base/units.h"
#include "render/text_setting.h"

#define NS_PER_US    1e3
#define MS_PER_S     1e3
#define US_PER_S     1e6
#define CELL_COLUMNS 13

/* --- reading the document; what is missing or null is NAN or "" ------------------------------------------------------------ */

static bool truth(const json_t *object, const char *name)
{
	return json_is_true(json_object_get(object, name));
}

/* --- cells ------------------------------------------------------------------------------------------------------------------ */

static void put_text(FILE *stream, const char *text)
{
	fprintf(stream, " %*s", CELL_COLUMNS, text);
}

static void put_number(FILE *stream, double value, int decimals)
{
	if (isnan(value))
		put_text(stream, "-");
	else
		fprintf(stream, " %*.*f", CELL_COLUMNS, decimals, value);
}

static void put_load(FILE *stream, double fps)
{
	char text[UNIT_TEXT_SIZE];

	put_text(stream, isnan(fps) ? "-" : format_si(fps, "fps", text));
}

static void put_ratio(FILE *stream, double ratio)
{
	char text[UNIT_TEXT_SIZE];

	put_text(stream, isnan(ratio) ? "-" : format_percent(ratio, text));
}

/* What a row ends with: what is not as it should be. */
static void put_remark(FILE *stream, const json_t *result)
{
	if (!truth(result, "regular"))
		fprintf(stream, "  IRREGULAR: %s", read_text(result, "irregular_reason"));
	if (truth(result, "tester_limited"))
		fprintf(stream, "  (tester-limited)");
	fputc('\n', stream);
}

/* --- the rows of each test -------------------------------------------------------------------------------------------------- */

static void throughput_row(FILE *stream, const json_t *size, const json_t *result)
{
	char text[UNIT_TEXT_SIZE];
	double l2 = read_number(result, "l2_bps"), l1 = read_number(result, "l1_bps");

	put_load(stream, read_number(result, "throughput"));
	put_load(stream, read_number(size, "line_rate"));
	put_ratio(stream, read_number(result, "line_rate_ratio"));
	put_text(stream, isnan(l2) ? "-" : format_si(l2, "bit/s", text));
	put_text(stream, isnan(l1) ? "-" : format_si(l1, "bit/s", text));
	put_number(stream, read_number(result, "trial_count"), 0);
}

static void latency_row(FILE *stream, const json_t *size, const json_t *result)
{
	(void)size;
	put_load(stream, read_number(result, "load"));
	put_number(stream, read_number(result, "repeats"), 0);
	put_number(stream, read_number(result, "average_of_means_ns") / NS_PER_US, 3);
	put_number(stream, read_number(result, "average_of_medians_ns") / NS_PER_US, 3);
	put_number(stream, read_number(result, "mean_of_all_frames_ns") / NS_PER_US, 3);
	put_number(stream, read_number(result, "min_ns") / NS_PER_US, 3);
	put_number(stream, read_number(result, "max_ns") / NS_PER_US, 3);
	put_number(stream, read_number(result, "error_bound_ns") / NS_PER_US, 3);
}

static void burst_row(FILE *stream, const json_t *size, const json_t *result)
{
	(void)size;
	put_load(stream, read_number(result, "burst_rate"));
	put_number(stream, read_number(result, "tests"), 0);
	put_number(stream, read_number(result, "average"), 1);
	put_number(stream, read_number(result, "min"), 0);
	put_number(stream, read_number(result, "max"), 0);
	put_number(stream, read_number(result, "stdev"), 2);
	put_number(stream, read_number(result, "corrected_buffer_time") * US_PER_S, 3);
}

static void recovery_row(FILE *stream, const json_t *size, const json_t *result)
{
	(void)size;
	put_load(stream, read_number(result, "overload"));
	put_load(stream, read_number(result, "reduced_load"));
	put_number(stream, (double)json_array_size(json_object_get(result, "runs")), 0);
	put_number(stream, read_number(result, "average") * MS_PER_S, 3);
	put_number(stream, read_number(result, "min") * MS_PER_S, 3);
	put_number(stream, read_number(result, "max") * MS_PER_S, 3);
}

static const struct table {
	const char *member, *title;
	const char *headings[8];
	void (*row)(FILE *stream, const json_t *size, const json_t *result);
} tables[] = {
	{ "throughput",
	  "Throughput (RFC 2544, 26.1), frames/s per interface",
	  { "throughput", "line rate", "of it", "L2", "L1", "trials" },
	  throughput_row },
	{ "latency",
	  "Latency (26.2) at the throughput, in us: averages over the repeats, and the mean of all frames",
	  { "load", "repeats", "mean", "median", "all frames", "min", "max", "error bound" },
	  latency_row },
	{ "back_to_back",
	  "Back-to-back frames (26.4, RFC 9004): the longest burst without loss, in frames; buffer time in us, corrected",
	  { "burst rate", "tests (N)", "average", "min", "max", "stdev", "buffer time" },
	  burst_row },
	{ "recovery",
	  "System recovery (26.5), in ms, from the drop of the load to the last lost frame",
	  { "overload", "reduced load", "runs", "average", "min", "max" },
	  recovery_row },
};

static void put_heading(FILE *stream, const struct table *table)
{
	fprintf(stream, "\n%s\n%12s", table->title, "octets");
	for (size_t i = 0; i < 8 && table->headings[i]; i++)
		put_text(stream, table->headings[i]);
	fputc('\n', stream);
}

static void put_table(FILE *stream, const json_t *sizes, const struct table *table)
{
	bool begun = false;

	for (size_t i = 0; i < json_array_size(sizes); i++) {
		const json_t *size = json_array_get(sizes, i), *result = json_object_get(size, table->member);

		if (!json_is_object(result))
			continue;
		if (!begun)
			put_heading(stream, table);
		begun = true;
		fprintf(stream, "%12s", read_text(size, "frame_size"));
		table->row(stream, size, result);
		put_remark(stream, result);
	}
}

/* --- frame loss rate --------------------------------------------------------------------------------------------------------- */

static void put_points(FILE *stream, const json_t *size, const json_t *result)
{
	const json_t *points = json_object_get(result, "points");

	for (size_t i = 0; i < json_array_size(points); i++) {
		const json_t *point = json_array_get(points, i);

		fprintf(stream, "%12s", i ? "" : read_text(size, "frame_size"));
		put_ratio(stream, read_number(point, "load_ratio"));
		put_load(stream, read_number(point, "load"));
		put_ratio(stream, read_number(point, "loss_ratio"));
		put_number(stream, read_number(point, "input_frames"), 0);
		put_number(stream, read_number(point, "output_frames"), 0);
		fprintf(stream, "%s\n", truth(point, "tester_limited") ? "  (tester-limited)" : "");
	}
	if (!truth(result, "regular"))
		fprintf(stream, "%12s  IRREGULAR: %s\n", "", read_text(result, "irregular_reason"));
}

static void put_frame_loss(FILE *stream, const json_t *sizes)
{
	static const struct table table = {
		.title = "Frame loss rate (26.3), by load as part of the maximum rate",
		.headings = { "of maximum", "load", "frame loss", "frames in", "frames out" },
	};
	bool begun = false;

	for (size_t i = 0; i < json_array_size(sizes); i++) {
		const json_t *size = json_array_get(sizes, i), *result = json_object_get(size, "frame_loss");

		if (!json_is_object(result))
			continue;
		if (!begun)
			put_heading(stream, &table);
		begun = true;
		put_points(stream, size, result);
	}
}

/* Which definition of latency was used, and by which clock, has to be said (26.2); it is the same for every size. */
static void put_definition(FILE *stream, const json_t *sizes)
{
	const json_t *latency = NULL;

	for (size_t i = 0; i < json_array_size(sizes) && !read_string(latency, "definition"); i++)
		latency = json_object_get(json_array_get(sizes, i), "latency");
	if (read_string(latency, "definition"))
		fprintf(stream, "  %s;\n  clock: %s\n", read_text(latency, "definition"), read_text(latency, "clock"));
}

/* --- reset ------------------------------------------------------------------------------------------------------------------- */

static void put_reset(FILE *stream, const json_t *reset)
{
	const char *command = read_text(reset, "command");
	double reset_s = read_number(reset, "reset_time"), by_loss_s = read_number(reset, "reset_time_by_loss");

	if (!json_is_object(reset))
		return;
	fprintf(stream, "\nReset (26.6, RFC 6201), %s octets, by %s%s\n", read_text(reset, "frame_size"),
		*command ? "command: " : "the operator", command);
	if (isnan(reset_s))
		fputs("  no reset time", stream);
	else
		fprintf(stream, "  reset time %.1f ms (within %.1f ms), by frames lost %.1f ms", reset_s * MS_PER_S,
			read_number(reset, "resolution") * MS_PER_S, by_loss_s * MS_PER_S);
	put_remark(stream, reset);
}

static void put_sentences(FILE *stream, const char *heading, const json_t *sentences)
{
	if (json_array_size(sentences))
		fprintf(stream, "\n%s\n", heading);
	for (size_t i = 0; i < json_array_size(sentences); i++)
		fprintf(stream, "  - %s\n", json_string_value(json_array_get(sentences, i)));
}

/* --- all --------------------------------------------------------------------------------------------------------------------- */

void render_rfc2544(FILE *stream, const json_t *document)
{
	const json_t *sizes = json_object_get(document, "frame_sizes");
	const json_t *environment = json_object_get(document, "environment");
	const json_t *deviations = json_object_get(document, "deviations");
	const char *reason = read_text(document, "irregular_reason");
	char duration[UNIT_TEXT_SIZE];

	fprintf(stream, "RFC 2544 section 26%s: %zu frame size%s in %s%s%s\n",
		truth(document, "fast") ? ", shortened (--fast)" : "", json_array_size(sizes),
		json_array_size(sizes) == 1 ? "" : "s", format_clock(read_number(document, "suite_duration"), duration),
		*reason ? ", IRREGULAR: " : "", reason);
	put_table(stream, sizes, &tables[0]);
	put_table(stream, sizes, &tables[1]);
	put_definition(stream, sizes);
	put_frame_loss(stream, sizes);
	put_table(stream, sizes, &tables[2]);
	put_table(stream, sizes, &tables[3]);
	put_reset(stream, json_object_get(document, "reset"));
	fputs("\nSetting\n", stream);
	render_setting(stream, document);
	fprintf(stream, "\nLoads are per interface; times %g for the sum over the transmitting interfaces.\n",
		read_number(document, "aggregate_factor"));
	fprintf(stream, "Tester: xdp-mlr %s, Linux %s on %s\n", read_text(environment, "version"),
		read_text(environment, "kernel"), read_text(environment, "hostname"));
	put_sentences(stream, "Notes", json_object_get(document, "notes"));
	put_sentences(stream, "Warnings", json_object_get(document, "warnings"));
	put_sentences(stream, "Deviations from RFC 2544", deviations);
}
