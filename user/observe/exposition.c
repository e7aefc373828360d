/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "observe/exposition.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_SIZE 64
#define CPUS_MOST   256

/* The seconds of a CPU, by mode. */
enum cpu_time { CPU_PROGRAMS, CPU_INTERRUPTS, CPU_STEAL, CPU_IDLE, CPU_TIMES };

struct reading {
	exposition_visit *visit;
	void *context;
	char family[RECORDER_NAME_SIZE]; /* the metric that the last TYPE line is of */
	enum recorder_kind kind;
	bool is_left_out; /* The family is a histogram or a summary. */
	int count;
	double cpus[CPUS_MOST][CPU_TIMES]; /* times of the CPUs that are known */
	bool has_cpu[CPUS_MOST];
};

/* A part of a line. */
struct piece {
	const char *text;
	size_t octets;
};

static bool is_piece(struct piece piece, const char *text)
{
	return piece.octets == strlen(text) && memcmp(piece.text, text, piece.octets) == 0;
}

/* Take the next word of a line, which blanks end. */
static struct piece read_word(struct piece *line)
{
	struct piece word;

	while (line->octets && (*line->text == ' ' || *line->text == '\t'))
		line->text++, line->octets--;
	word = (struct piece){ line->text, 0 };
	while (line->octets && *line->text != ' ' && *line->text != '\t')
		line->text++, line->octets--, word.octets++;
	return word;
}

/* Read "# TYPE name counter". Other lines that begin so are for people. */
static void read_type(struct reading *reading, struct piece line)
{
	struct piece name, type;

	read_word(&line);
	if (!is_piece(read_word(&line), "TYPE"))
		return;
	name = read_word(&line);
	type = read_word(&line);
	snprintf(reading->family, sizeof(reading->family), "%.*s", (int)(name.octets < 159 ? name.octets : 159), name.text);
	reading->kind = is_piece(type, "counter") ? RECORDER_COUNTER
			: is_piece(type, "gauge") ? RECORDER_GAUGE
						  : RECORDER_UNKNOWN;
	reading->is_left_out = is_piece(type, "histogram") || is_piece(type, "gaugehistogram") || is_piece(type, "summary");
}

/* Read the metric and its labels, if there are any. A quoted text in them may have any character. */
static bool read_name(struct piece *line, struct piece *ret)
{
	bool in_labels = false, in_quotes = false;
	size_t at = 0;

	for (; at < line->octets; at++) {
		char c = line->text[at];

		if (in_quotes && c == '\\')
			at++;
		else if (c == '"' && in_labels)
			in_quotes = !in_quotes;
		else if (c == '{' && !in_labels)
			in_labels = true;
		else if (c == '}' && in_labels && !in_quotes)
			in_labels = false;
		else if ((c == ' ' || c == '\t') && !in_labels)
			break;
	}
	if (in_labels || !at || at >= line->octets)
		return false;
	*ret = (struct piece){ line->text, at };
	line->text += at;
	line->octets -= at;
	return true;
}

static bool take_number(struct piece *line, double *ret)
{
	struct piece word = read_word(line);
	char number[NUMBER_SIZE], *end;

	if (!word.octets || word.octets >= sizeof(number))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)word.octets, word.text);
	*ret = strtod(number, &end);
	return end != number && !*end;
}

/* Whether a name is one of the family: the family itself, with labels, or with what OpenMetrics puts behind a counter. */
static bool is_of_family(const struct reading *reading, struct piece name)
{
	size_t length = strlen(reading->family);

	return length && name.octets >= length && memcmp(name.text, reading->family, length) == 0;
}

/* Collect node_exporter's seconds of CPUs. */
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

	if (sscanf(name, "node_cpu_seconds_total{cpu=\"%u\",mode=\"%15[a-z]\"}", &cpu, mode) != 2 || cpu >= CPUS_MOST)
		return false;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(mode, modes[i].mode) == 0)
			reading->cpus[cpu][modes[i].time] += value;
	reading->has_cpu[cpu] = true;
	return true;
}

static void hand_over(struct reading *reading, const char *name, double value)
{
	char renamed[RECORDER_NAME_SIZE], what[32];
	unsigned int cpu;

	reading->count++;
	if (read_cpu(reading, name, value))
		return;
	if (sscanf(name, "node_softnet_%31[a-z_]{cpu=\"%u\"}", what, &cpu) == 2 && strlen(what) > strlen("_total") &&
	    strcmp(what + strlen(what) - strlen("_total"), "_total") == 0) {
		snprintf(renamed, sizeof(renamed), "softnet/cpu%u/%.*s", cpu, (int)(strlen(what) - strlen("_total")), what);
		name = renamed;
	}
	reading->visit(name, reading->kind, value, reading->context);
}

/* Read the value and, perhaps, a time. Returns false if the line does not have the format. */
static bool read_sample(struct reading *reading, struct piece line)
{
	struct piece name;
	char text[RECORDER_NAME_SIZE];
	double value;

	if (!read_name(&line, &name) || !take_number(&line, &value))
		return false;
	if (!is_of_family(reading, name)) {
		reading->kind = RECORDER_UNKNOWN;
		reading->is_left_out = false;
		reading->family[0] = '\0';
	}
	if (reading->is_left_out || name.octets >= sizeof(text))
		return true;
	snprintf(text, sizeof(text), "%.*s", (int)name.octets, name.text);
	hand_over(reading, text, value);
	return true;
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
		reading->visit(name, RECORDER_COUNTER, values_s[i], reading->context);
	}
}

static void visit_cpus(const struct reading *reading)
{
	for (unsigned int cpu = 0; cpu < CPUS_MOST; cpu++)
		if (reading->has_cpu[cpu])
			visit_cpu(reading, cpu);
}

int exposition_read(const char *text, size_t octets, exposition_visit *visit, void *context)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	bool is_one = reading;
	int count = -1;

	while (octets && is_one) {
		const char *end = memchr(text, '\n', octets);
		struct piece line = { text, end ? (size_t)(end - text) : octets };

		text += line.octets + (end != NULL);
		octets -= line.octets + (end != NULL);
		if (line.octets && line.text[line.octets - 1] == '\r')
			line.octets--;
		reading->visit = visit;
		reading->context = context;
		if (line.octets && *line.text == '#')
			read_type(reading, line);
		else if (line.octets)
			is_one = read_sample(reading, line);
	}
	if (is_one) {
		visit_cpus(reading);
		count = reading->count;
	}
	free(reading);
	return count;
}
