/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "observe/exposition.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/text_stream.h"

#define NUMBER_SIZE  64
#define CPUS_MOST    256
#define SECONDS_MOST 1e11 /* A time below is in seconds, as OpenMetrics has it. */
#define LABELS_MOST  64   /* Those of a series with more do not fit a counter's name. */

/* The seconds of a CPU, by mode. */
enum cpu_time { CPU_PROGRAMS, CPU_INTERRUPTS, CPU_STEAL, CPU_IDLE, CPU_TIMES };

/* A part of a line. */
struct piece {
	const char *text;
	size_t octets;
};

/* The name of a counter, in parts. */
struct series {
	struct piece metric;
	struct label {
		struct piece name, value; /* with quotes, if they have some; a metric in quotes is a label without value */
	} labels[LABELS_MOST];
	size_t count;
};

struct reading {
	exposition_visit *visit;
	void *context;
	struct piece family; /* the metric that the last TYPE line is of */
	enum recorder_kind kind;
	bool is_left_out; /* The family is a histogram or a summary. */
	int count;
	size_t lines, wrong;
	double cpus[CPUS_MOST][CPU_TIMES]; /* times of the CPUs that are known */
	bool has_cpu[CPUS_MOST];
};

/* --- parts of a line ------------------------------------------------------------------------------------------------ */

static bool is_piece(struct piece piece, const char *text)
{
	return piece.octets == strlen(text) && memcmp(piece.text, text, piece.octets) == 0;
}

static void skip(struct piece *line, size_t octets)
{
	line->text += octets;
	line->octets -= octets;
}

static void skip_blanks(struct piece *line)
{
	while (line->octets && (*line->text == ' ' || *line->text == '\t'))
		skip(line, 1);
}

/* Take this character, and blanks before it, from a line. Returns false if another is there. */
static bool take_character(struct piece *line, char character)
{
	skip_blanks(line);
	if (!line->octets || *line->text != character)
		return false;
	skip(line, 1);
	return true;
}

/* Take the next word of a line, which blanks end. */
static struct piece take_word(struct piece *line)
{
	struct piece word;

	skip_blanks(line);
	word = (struct piece){ line->text, 0 };
	while (line->octets && *line->text != ' ' && *line->text != '\t')
		skip(line, 1), word.octets++;
	return word;
}

static bool is_name_octet(unsigned char octet, bool is_first)
{
	return isalpha(octet) || octet == '_' || octet == ':' || octet >= 0x80 ||
	       (!is_first && (isdigit(octet) || octet == '.' || octet == '-' || octet == '/'));
}

/* Take a name, which is empty if there is none. */
static struct piece take_name(struct piece *line)
{
	struct piece name;

	skip_blanks(line);
	name = (struct piece){ line->text, 0 };
	while (line->octets && is_name_octet((unsigned char)*line->text, !name.octets))
		skip(line, 1), name.octets++;
	return name;
}

/* Take a text in quotes, with them. It is empty if there is none, or its end is not there. */
static struct piece take_quoted(struct piece *line)
{
	size_t at = 1;

	skip_blanks(line);
	if (!line->octets || *line->text != '"')
		return (struct piece){ line->text, 0 };
	while (at < line->octets && line->text[at] != '"')
		at += line->text[at] == '\\' ? 2 : 1;
	if (at >= line->octets)
		return (struct piece){ line->text, 0 };
	skip(line, at + 1);
	return (struct piece){ line->text - at - 1, at + 1 };
}

static struct piece without_quotes(struct piece piece)
{
	return piece.octets >= 2 && *piece.text == '"' ? (struct piece){ piece.text + 1, piece.octets - 2 } : piece;
}

static bool take_number(struct piece *line, double *ret)
{
	struct piece word = take_word(line);
	char number[NUMBER_SIZE], *end;

	if (!word.octets || word.octets >= sizeof(number))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)word.octets, word.text);
	*ret = strtod(number, &end);
	return end != number && !*end;
}

/* --- families ------------------------------------------------------------------------------------------------------- */

/* Read "# TYPE name counter". Other lines that begin so are for people. */
static void read_type(struct reading *reading, struct piece line)
{
	struct piece type;

	take_word(&line);
	if (!is_piece(take_word(&line), "TYPE"))
		return;
	reading->family = take_quoted(&line);
	if (!reading->family.octets)
		reading->family = take_word(&line);
	reading->family = without_quotes(reading->family);
	type = take_word(&line);
	reading->kind = is_piece(type, "counter") ? RECORDER_COUNTER
			: is_piece(type, "gauge") ? RECORDER_GAUGE
						  : RECORDER_UNKNOWN;
	reading->is_left_out = is_piece(type, "histogram") || is_piece(type, "gaugehistogram") || is_piece(type, "summary");
}

/* Whether a metric is one of the family: the family itself, or with what stands behind the name of one of its type. */
static bool is_of_family(const struct reading *reading, struct piece metric)
{
	static const char *const of_counters[] = { "_total", "_created", NULL };
	static const char *const of_others[] = { "_bucket", "_sum", "_count", "_created", "_gsum", "_gcount", NULL };
	const char *const *ends = reading->is_left_out                ? of_others
				  : reading->kind == RECORDER_COUNTER ? of_counters
								      : of_counters + COUNT(of_counters) - 1;
	size_t length = reading->family.octets;

	if (!length || metric.octets < length || memcmp(metric.text, reading->family.text, length) != 0)
		return false;
	skip(&metric, length);
	for (; metric.octets && *ends; ends++)
		if (is_piece(metric, *ends))
			return true;
	return !metric.octets;
}

/* --- series --------------------------------------------------------------------------------------------------------- */

/* Whether a label stands before another: a metric in quotes before all, and the others by their names. */
static bool is_before(const struct label *a, const struct label *b)
{
	size_t common = a->name.octets < b->name.octets ? a->name.octets : b->name.octets;
	int order = memcmp(a->name.text, b->name.text, common);

	if (!a->value.octets || !b->value.octets)
		return b->value.octets;
	return order < 0 || (order == 0 && a->name.octets < b->name.octets);
}

static void put_label(struct series *series, struct label label)
{
	size_t at = series->count++;

	for (; at && is_before(&label, &series->labels[at - 1]); at--)
		series->labels[at] = series->labels[at - 1];
	series->labels[at] = label;
	if (!label.value.octets)
		series->metric = without_quotes(label.name);
}

/* Take the labels behind the brace that opens them, and the one that closes them. */
static bool take_labels(struct piece *line, struct series *series)
{
	while (!take_character(line, '}')) {
		struct label label = { .name = take_quoted(line) };
		bool is_quoted = label.name.octets;

		if (!is_quoted)
			label.name = take_name(line);
		if (take_character(line, '=')) {
			label.value = take_quoted(line);
			if (!label.name.octets || !label.value.octets)
				return false;
		} else if (!is_quoted || series->metric.octets) {
			return false;
		}
		if (series->count < LABELS_MOST)
			put_label(series, label);
		if (!take_character(line, ',') && (!line->octets || *line->text != '}'))
			return false;
	}
	return true;
}

static bool take_series(struct piece *line, struct series *ret)
{
	ret->count = 0;
	ret->metric = take_name(line);
	if (take_character(line, '{') && !take_labels(line, ret))
		return false;
	return ret->metric.octets;
}

/* Write the name of a series, with its labels in the order of their names, because exporters may change it. What has no
 * room is cut. */
static void write_series(const struct series *series, char *ret, size_t size)
{
	*ret = '\0';
	if (!series->count || series->labels[0].value.octets)
		text_add(ret, size, "%.*s", (int)series->metric.octets, series->metric.text);
	for (size_t i = 0; i < series->count; i++) {
		const struct label *label = &series->labels[i];

		text_add(ret, size, "%s%.*s%s%.*s", i ? "," : "{", (int)label->name.octets, label->name.text,
			 label->value.octets ? "=" : "", (int)label->value.octets, label->value.text);
	}
	if (series->count)
		text_add(ret, size, "}");
}

/* --- values --------------------------------------------------------------------------------------------------------- */

/* Collect node_exporter's seconds of CPUs. A series with more labels is of one machine of several. */
static bool read_cpu(struct reading *reading, const char *name, double value)
{
	static const struct {
		const char *mode;
		enum cpu_time time;
	} modes[] = { { "user", CPU_PROGRAMS },  { "nice", CPU_PROGRAMS },      { "system", CPU_PROGRAMS },
		      { "irq", CPU_INTERRUPTS }, { "softirq", CPU_INTERRUPTS }, { "steal", CPU_STEAL },
		      { "idle", CPU_IDLE },      { "iowait", CPU_IDLE } };
	unsigned int cpu;
	char mode[16];
	int length = 0;

	if (sscanf(name, "node_cpu_seconds_total{cpu=\"%u\",mode=\"%15[a-z]\"}%n", &cpu, mode, &length) != 2 || !length ||
	    cpu >= CPUS_MOST)
		return false;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(mode, modes[i].mode) == 0)
			reading->cpus[cpu][modes[i].time] += value;
	reading->has_cpu[cpu] = true;
	return true;
}

static void hand_over(struct reading *reading, const char *name, enum recorder_kind kind, double value, double at_ms)
{
	char renamed[RECORDER_NAME_SIZE], what[32];
	unsigned int cpu;
	int length = 0;

	reading->count++;
	if (read_cpu(reading, name, value))
		return;
	if (sscanf(name, "node_softnet_%31[a-z_]{cpu=\"%u\"}%n", what, &cpu, &length) == 2 && length &&
	    strlen(what) > strlen("_total") && strcmp(what + strlen(what) - strlen("_total"), "_total") == 0) {
		snprintf(renamed, sizeof(renamed), "softnet/cpu%u/%.*s", cpu, (int)(strlen(what) - strlen("_total")), what);
		name = renamed;
	}
	reading->visit(name, kind, value, at_ms, reading->context);
}

/* Read the value and, perhaps, a time. Returns false if the line does not have the format. */
static bool read_sample(struct reading *reading, struct piece line)
{
	char name[RECORDER_NAME_SIZE + 1]; /* One that is cut is too long for the recorder. */
	struct series series;
	bool is_of_type;
	double value, at_ms;

	if (memchr(line.text, '\0', line.octets) || !take_series(&line, &series) || !take_number(&line, &value))
		return false;
	is_of_type = is_of_family(reading, series.metric);
	if (is_of_type && reading->is_left_out)
		return true;
	write_series(&series, name, sizeof(name));
	if (!take_number(&line, &at_ms))
		at_ms = NAN;
	else if (at_ms < SECONDS_MOST)
		at_ms *= 1e3;
	hand_over(reading, name, is_of_type ? reading->kind : RECORDER_UNKNOWN, value, at_ms);
	return true;
}

static void read_line(struct reading *reading, struct piece line)
{
	if (line.octets && line.text[line.octets - 1] == '\r')
		line.octets--;
	skip_blanks(&line);
	if (!line.octets)
		return;
	if (*line.text == '#') {
		read_type(reading, line);
		return;
	}
	reading->lines++;
	reading->wrong += !read_sample(reading, line);
}

/* Tell the times of a CPU, their sum without what was idle, and the whole. */
static void visit_cpu(const struct reading *reading, unsigned int cpu)
{
	static const char *const names[] = { "programs", "interrupts", "steal", "busy", "accounted" };
	const double *times_s = reading->cpus[cpu];
	double busy_s = times_s[CPU_PROGRAMS] + times_s[CPU_INTERRUPTS] + times_s[CPU_STEAL];
	double values_s[] = { times_s[CPU_PROGRAMS], times_s[CPU_INTERRUPTS], times_s[CPU_STEAL], busy_s,
			      busy_s + times_s[CPU_IDLE] };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char name[RECORDER_NAME_SIZE];

		snprintf(name, sizeof(name), "cpu%u/%s", cpu, names[i]);
		reading->visit(name, RECORDER_COUNTER, values_s[i], NAN, reading->context);
	}
}

static void visit_cpus(const struct reading *reading)
{
	for (unsigned int cpu = 0; cpu < CPUS_MOST; cpu++)
		if (reading->has_cpu[cpu])
			visit_cpu(reading, cpu);
}

int exposition_read(const char *text, size_t octets, exposition_visit *visit, void *context, size_t *ret_wrong)
{
	owned struct reading *reading = calloc(1, sizeof(*reading));

	if (!reading)
		return -1;
	reading->visit = visit;
	reading->context = context;
	while (octets) {
		const char *end = memchr(text, '\n', octets);
		size_t length = end ? (size_t)(end - text) : octets;

		read_line(reading, (struct piece){ text, length });
		text += length + (end != NULL);
		octets -= length + (end != NULL);
	}
	if (2 * reading->wrong > reading->lines)
		return -1;
	visit_cpus(reading);
	*ret_wrong = reading->wrong;
	return reading->count;
}
