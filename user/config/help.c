/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/command_line.h"

#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "base/text_stream.h"
#include "config/options.h"

#define NAME_COLUMNS 30
#define TEXT_COLUMNS 76

/* A memory stream whose text goes to standard output. */
struct page {
	FILE *stream;
	char *text;
	size_t length;
};

static bool page_open(struct page *page)
{
	page->stream = text_stream_open(&page->text, &page->length);
	return page->stream;
}

static enum exit_code page_show(struct page *page)
{
	text_stream_end(page->stream, &page->text);
	return output_text(page->text, page->length);
}

/* Text in a column, broken at spaces. */
static void put_wrapped(FILE *stream, const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (column && column + 1 + word > TEXT_COLUMNS) {
			fprintf(stream, "\n%*s", NAME_COLUMNS, "");
			column = 0;
		}
		column += (size_t)fprintf(stream, "%s%.*s", column ? " " : "", (int)word, text);
		text += word + strspn(text + word, " ");
	}
}

static void put_option(FILE *stream, const struct option *option)
{
	char name[80], text[512], letter[8] = "    ";

	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	snprintf(name, sizeof(name), "  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
		 option->argument ? option->argument : "");
	snprintf(text, sizeof(text), "%s%s%s%s", option->help, option->fallback ? " (default " : "",
		 option->fallback ? option->fallback : "", option->fallback ? ")" : "");
	if (strlen(name) >= NAME_COLUMNS)
		fprintf(stream, "%s\n%*s", name, NAME_COLUMNS, "");
	else
		fprintf(stream, "%-*s", NAME_COLUMNS, name);
	put_wrapped(stream, text);
	fputc('\n', stream);
}

static bool belongs_to_any(const struct option *option, enum verb first, enum verb last)
{
	for (enum verb verb = first; verb <= last; verb++)
		if (option_belongs(option, verb))
			return true;
	return false;
}

static void put_usage(FILE *stream, const char *label, enum verb verb)
{
	fprintf(stream, "%s xdp-mlr %s", label, verb_name(verb));
	for (size_t i = 0; verb_file(verb, i); i++)
		fprintf(stream, " %s", verb_file(verb, i));
	fputs(" [options]\n", stream);
}

static void put_exit_codes(FILE *stream)
{
	fputs("\nExit codes: 0 done; 1 done, but a result is irregular or met the tester's own limit; 2 bad usage, "
	      "configuration or\n"
	      "input; 3 this machine, kernel or NIC cannot do it; 4 refused as unsafe; 5 a measurement is invalid; 130 "
	      "interrupted.\n",
	      stream);
}

enum exit_code help_verb(enum verb first, enum verb last)
{
	struct page page;

	if (!page_open(&page))
		return refuse(EXIT_INCAPABLE, "out of memory");
	for (enum verb verb = first; verb <= last; verb++)
		put_usage(page.stream, verb == first ? "Usage:" : "      ", verb);
	fputc('\n', page.stream);
	for (enum verb verb = first; verb <= last; verb++)
		fprintf(page.stream, "  %-17s%s\n", verb_name(verb), verb_summary(verb));
	fputs("\nOptions:\n", page.stream);
	for (size_t i = 0; i < option_count; i++)
		if (belongs_to_any(&options[i], first, last))
			put_option(page.stream, &options[i]);
	put_exit_codes(page.stream);
	return page_show(&page);
}

enum exit_code help_program(void)
{
	struct page page;

	if (!page_open(&page))
		return refuse(EXIT_INCAPABLE, "out of memory");
	fputs("xdp-mlr: how much traffic a system forwards, measured as draft-ietf-bmwg-mlrsearch-15 says.\n\n"
	      "Usage: xdp-mlr VERB [options]\n\nVerbs:\n",
	      page.stream);
	for (enum verb verb = 0; verb < VERB_COUNT; verb++)
		fprintf(page.stream, "  %-17s%s\n", verb_name(verb), verb_summary(verb));
	fputs("\n'xdp-mlr VERB --help' lists the options of a verb; 'xdp-mlr --version' shows the version.\n", page.stream);
	put_exit_codes(page.stream);
	return page_show(&page);
}

enum exit_code help_version(void)
{
	static const char version[] = "xdp-mlr " XDP_MLR_VERSION "\n";

	return output_write(version, sizeof(version) - 1);
}
