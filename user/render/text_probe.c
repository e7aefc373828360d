/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/text_probe.h"
#include "base/json_read.h"

#include <stdio.h>
#include <string.h>

#define STATE_COLUMNS 4
#define NAME_COLUMNS  15
#define INDENT        (2 + STATE_COLUMNS + 2 + NAME_COLUMNS + 1)
#define TEXT_COLUMNS  78

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A table while it is written. */
struct table {
	FILE *stream;
	bool terminal;
	size_t counts[3]; /* of checks, as `styles` */
};

static const struct style {
	const char *state, *colour;
} styles[] = { { "OK", "\033[32m" }, { "WARN", "\033[33m" }, { "FAIL", "\033[1;31m" } };

static void put_styled(const struct table *table, const char *style, const char *text)
{
	fprintf(table->stream, "%s%s%s", table->terminal ? style : "", text, table->terminal ? "\033[0m" : "");
}

/* Text in the last column, broken at spaces. */
static void put_wrapped(const struct table *table, const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (column && column + 1 + word > TEXT_COLUMNS) {
			fprintf(table->stream, "\n%*s", INDENT, "");
			column = 0;
		}
		column += (size_t)fprintf(table->stream, "%s%.*s", column ? " " : "", (int)word, text);
		text += word + strspn(text + word, " ");
	}
	fputc('\n', table->stream);
}

static void put_state(struct table *table, const char *state)
{
	for (size_t i = 0; i < COUNT(styles); i++) {
		if (strcmp(styles[i].state, state))
			continue;
		table->counts[i]++;
		put_styled(table, styles[i].colour, state);
	}
	fprintf(table->stream, "%*s", STATE_COLUMNS + 2 - (int)strlen(state), "");
}

/* A command stands on a line of its own, whole, to be copied. */
static void put_check(struct table *table, const json_t *check)
{
	const char *fix = read_text(check, "fix");

	fputs("  ", table->stream);
	put_state(table, read_text(check, "state"));
	fprintf(table->stream, "%-*s ", NAME_COLUMNS, read_text(check, "name"));
	put_wrapped(table, read_text(check, "value"));
	if (*fix) {
		fprintf(table->stream, "%*s", INDENT, "");
		put_styled(table, "\033[1m", fix);
		fputc('\n', table->stream);
	}
}

static void put_checks(struct table *table, const json_t *checks)
{
	for (size_t i = 0; i < json_array_size(checks); i++)
		put_check(table, json_array_get(checks, i));
}

static void put_port(struct table *table, const json_t *port)
{
	fputc('\n', table->stream);
	put_styled(table, "\033[1m", "Port ");
	put_styled(table, "\033[1m", read_text(port, "name"));
	fputc('\n', table->stream);
	put_checks(table, json_object_get(port, "checks"));
}

static void put_document(struct table *table, const json_t *document)
{
	const json_t *ports = json_object_get(document, "ports");

	put_styled(table, "\033[1m", "Machine ");
	put_styled(table, "\033[1m", read_text(document, "hostname"));
	fputc('\n', table->stream);
	put_checks(table, json_object_get(document, "machine"));
	for (size_t i = 0; i < json_array_size(ports); i++)
		put_port(table, json_array_get(ports, i));
	if (!json_array_size(ports))
		fputs("\nNo port here: 'xdp-mlr lab up' makes two, with a system under test between them\n", table->stream);
	fprintf(table->stream, "\n%zu OK, %zu WARN, %zu FAIL%s\n", table->counts[0], table->counts[1], table->counts[2],
		table->counts[1] + table->counts[2] ? "; the commands, run as root, mend what they stand below" : "");
}

void render_probe(FILE *stream, const json_t *document, bool terminal)
{
	struct table table = { .stream = stream, .terminal = terminal };

	put_document(&table, document);
}
