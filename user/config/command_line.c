/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/command_line.h"

#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "base/text_stream.h"
#include "config/given.h"

#define NAME_COLUMNS 30
#define TEXT_COLUMNS 76
#define DEFAULT_SIZE 128

/* --- --help and --version, written from the option table ---------------------------------------------------------- */

/* Write a text in a column, broken at spaces, after the `column` octets that the line has. Return how many it has then. */
static size_t put_wrapped(FILE *stream, const char *text, size_t column)
{
	while (*text) {
		size_t word = strcspn(text, " ");

		if (column && column + 1 + word > TEXT_COLUMNS) {
			fprintf(stream, "\n%*s", NAME_COLUMNS, "");
			column = 0;
		}
		column += (size_t)fprintf(stream, "%s%.*s", column ? " " : "", (int)word, text);
		text += word + strspn(text + word, " ");
	}
	return column;
}

static void put_option(FILE *stream, const struct option *option, enum verb verb)
{
	const char *fallback = option_fallback(option, verb);
	char name[80], letter[8] = "    ";
	size_t column;

	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	snprintf(name, sizeof(name), "  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
		 option->argument ? option->argument : "");
	if (strlen(name) >= NAME_COLUMNS)
		fprintf(stream, "%s\n%*s", name, NAME_COLUMNS, "");
	else
		fprintf(stream, "%-*s", NAME_COLUMNS, name);
	column = put_wrapped(stream, option->help, 0);
	if (fallback)
		put_wrapped(stream, TEXT_OF(DEFAULT_SIZE, "(default %s)", fallback), column);
	fputc('\n', stream);
}

#define OPTIONS_SHORT 16 /* --help shows all options of a verb with at most so many */

/* Whether any of the verbs has it, and a user wants to see it. */
static bool is_shown(const struct option *option, enum verb first, enum verb last, bool all)
{
	for (enum verb verb = first; verb <= last; verb++)
		if (option_belongs(option, verb))
			return all || option->flags & OPTION_USUAL;
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
	fputs("\nExit codes: 0 done; 1 done, but a result is irregular, limited by the tester, or misses a --require; 2 "
	      "bad usage,\n"
	      "configuration or input; 3 this machine, kernel or NIC cannot do it; 4 refused as unsafe; 5 a measurement is "
	      "invalid;\n"
	      "130 interrupted.\n",
	      stream);
}

/* Show what exit codes mean for a verb that judges something else than a measurement. */
static void put_own_exit_codes(FILE *stream, enum verb verb)
{
	const char *codes = verb_exit_codes(verb);

	if (codes)
		fprintf(stream, "%s: %s.\n", verb_name(verb), codes);
}

static size_t count_options(enum verb first, enum verb last, bool all)
{
	size_t count = 0;

	for (size_t i = 0; i < option_count; i++)
		count += is_shown(&options[i], first, last, all);
	return count;
}

/* Show the options of the verbs, in their groups. */
static void put_options(FILE *stream, enum verb first, enum verb last, bool all)
{
	const char *heading = NULL, *shown = NULL;

	for (size_t i = 0; i < option_count; i++) {
		if (options[i].group)
			heading = options[i].group;
		if (!is_shown(&options[i], first, last, all))
			continue;
		if (heading != shown)
			fprintf(stream, "\n%s:\n", heading);
		shown = heading;
		put_option(stream, &options[i], first);
	}
}

static void put_verbs(FILE *stream, enum verb first, enum verb last)
{
	for (enum verb verb = first; verb <= last; verb++)
		fprintf(stream, "  %-17s%s\n", verb_name(verb), verb_summary(verb));
}

static void put_verb_help(FILE *stream, enum verb first, enum verb last, bool wants_all)
{
	size_t count = count_options(first, last, true);
	bool all = wants_all || count <= OPTIONS_SHORT;

	for (enum verb verb = first; verb <= last; verb++)
		put_usage(stream, verb == first ? "Usage:" : "      ", verb);
	fputc('\n', stream);
	put_verbs(stream, first, last);
	put_options(stream, first, last, all);
	if (!all)
		fprintf(stream,
			"\nThese are %zu of %zu options: 'xdp-mlr %s --help=all' and xdp-mlr-%s(8) have all of them.\n",
			count_options(first, last, false), count, verb_name(first), verb_word(first, ROOM(VERB_WORD_SIZE)));
	put_exit_codes(stream);
	for (enum verb verb = first; verb <= last; verb++)
		put_own_exit_codes(stream, verb);
}

static enum exit_code help_verb(enum verb first, enum verb last, bool wants_all)
{
	size_t length;
	char *text = TEXT_WRITTEN(stream, &length, put_verb_help(stream, first, last, wants_all));

	return output_text(text, length);
}

static void put_program_help(FILE *stream)
{
	fputs("xdp-mlr: how much traffic a system forwards, measured as RFC 9971 says (MLRsearch).\n\n"
	      "Usage: xdp-mlr VERB [options]\n\nVerbs:\n",
	      stream);
	put_verbs(stream, 0, VERB_COUNT - 1);
	fputs("\n'xdp-mlr VERB --help' lists the usual options of a verb, --help=all all of them; 'xdp-mlr --version' shows "
	      "the version.\n",
	      stream);
	put_exit_codes(stream);
}

static enum exit_code help_program(void)
{
	size_t length;
	char *text = TEXT_WRITTEN(stream, &length, put_program_help(stream));

	return output_text(text, length);
}

static enum exit_code help_version(void)
{
	static const char version[] = "xdp-mlr " XDP_MLR_VERSION "\n";

	return output_write(version, sizeof(version) - 1);
}

/* --- the verb ------------------------------------------------------------------------------------------------------- */

static bool asks_for(const char *argument, const char *name, char letter)
{
	return (argument[0] == '-' && argument[1] == letter && !argument[2]) ||
	       (strncmp(argument, "--", 2) == 0 && strcmp(argument + 2, name) == 0);
}

/* Show the verbs that share their first word. */
struct verbs {
	enum verb first, last;
};

/* Handle --help and --version if no verb (NULL), or half a verb, stands before them. */
static bool finished_early(const char *argument, const struct verbs *verbs, enum exit_code *ret)
{
	if (asks_for(argument, "help", 'h'))
		*ret = verbs ? help_verb(verbs->first, verbs->last, false) : help_program();
	else if (verbs && strcmp(argument, "--help=all") == 0)
		*ret = help_verb(verbs->first, verbs->last, true);
	else if (asks_for(argument, "version", 'V'))
		*ret = help_version();
	else
		return false;
	return true;
}

static enum exit_code refuse_verb(const char *text)
{
	char words[VERB_COUNT][VERB_WORD_SIZE];
	const char *candidates[VERB_COUNT];

	for (enum verb verb = 0; verb < VERB_COUNT; verb++)
		candidates[verb] = verb_word(verb, words[verb]);
	return refuse(EXIT_USAGE_ERROR, "no verb '%s'%s ('xdp-mlr --help' lists the verbs)", QUOTED(text),
		      nearest_hint(text, candidates, VERB_COUNT, HINT_ROOM));
}

/* "'lab up', 'lab down' or 'lab status'" */
static const char *list_verbs(const struct verbs *verbs, char *buffer, size_t size)
{
	buffer[0] = '\0';
	for (enum verb verb = verbs->first; verb <= verbs->last; verb++)
		text_join(buffer, size, verb == verbs->last ? " or " : ", ", "'%s'", verb_name(verb));
	return buffer;
}

/* Find the second word of a verb of two. argv[1] is the first. */
static enum exit_code read_second_word(const struct verbs *verbs, char **argv, struct config *config, bool *ret_finished)
{
	char list[128];
	const char *seconds[VERB_COUNT];
	enum exit_code code;
	size_t count = 0;

	list_verbs(verbs, list, sizeof(list));
	if (!argv[2])
		return refuse(EXIT_USAGE_ERROR, "%s what? Say %s", argv[1], list);
	if (finished_early(argv[2], verbs, &code)) {
		*ret_finished = true;
		return code;
	}
	for (enum verb verb = verbs->first; verb <= verbs->last; verb++) {
		seconds[count++] = verb_second_word(verb);
		if (strcmp(argv[2], verb_second_word(verb)) == 0) {
			config->verb = verb;
			return EXIT_DONE;
		}
	}
	return refuse(EXIT_USAGE_ERROR, "no '%s %s'%s; say %s", argv[1], QUOTED(argv[2]),
		      nearest_hint(argv[2], seconds, count, HINT_ROOM), list);
}

/* Find the verb in argv. *ret_next is the first argument after it. */
static enum exit_code read_verb(char **argv, struct config *config, int *ret_next, bool *ret_finished)
{
	struct verbs verbs = { 0, 0 };
	enum exit_code code;

	if (!argv[1])
		return refuse(EXIT_USAGE_ERROR, "no verb; say for example 'xdp-mlr search -p A,B', or see 'xdp-mlr --help'");
	if (finished_early(argv[1], NULL, &code)) {
		*ret_finished = true;
		return code;
	}
	while (verbs.first < VERB_COUNT && !verb_has_word(verbs.first, argv[1]))
		verbs.first++;
	if (verbs.first == VERB_COUNT)
		return refuse_verb(argv[1]);
	config->verb = verbs.last = verbs.first;
	*ret_next = 2;
	if (!verb_second_word(verbs.first))
		return EXIT_DONE;
	*ret_next = 3;
	while (verbs.last + 1 < VERB_COUNT && verb_has_word(verbs.last + 1, argv[1]))
		verbs.last++;
	return read_second_word(&verbs, argv, config, ret_finished);
}

/* --- the arguments -------------------------------------------------------------------------------------------------- */

/* The position in argv. */
struct arguments {
	char **next;
	enum verb verb;
	struct given_list *list;
	bool *ret_finished;
	struct config *config; /* takes the files */
	char **files; /* all of them, moved to the front of argv, where there is room: each was an argument itself */
};

/* --help and --version act at once; all other options go onto the list. */
static enum exit_code read_value(struct arguments *arguments, const struct option *option, const char *text)
{
	const struct given *before = option->flags & OPTION_LIST ? given_find(arguments->list, option->name) : NULL;

	if (before)
		return refuse(EXIT_USAGE_ERROR, "--%s is given twice, and is a list; write it once, as --%s %s,%s",
			      option->name, option->name, before->text, text);
	if (option->letter == 'h' || option->letter == 'V') {
		*arguments->ret_finished = true;
		return option->letter == 'h' ? help_verb(arguments->verb, arguments->verb, strcmp(text, "all") == 0)
					     : help_version();
	}
	return given_add(arguments->list, &(struct given){ .option = option, .text = (char *)text });
}

/* Read an option. Its value, if it takes one, is `attached` or the next argument. */
static enum exit_code take_with_value(struct arguments *arguments, const struct option *option, const char *attached)
{
	if (option->letter == 'h' && attached && strcmp(attached, "all") == 0)
		return read_value(arguments, option, attached);
	if (!option->argument && attached)
		return refuse(EXIT_USAGE_ERROR, "--%s takes no value, but got '%s'", option->name, attached);
	if (!option->argument)
		return read_value(arguments, option, "true");
	if (!attached)
		attached = *arguments->next ? *arguments->next++ : NULL;
	if (!attached)
		return refuse(EXIT_USAGE_ERROR, "--%s lacks its value: --%s %s", option->name, option->name,
			      option->argument);
	return read_value(arguments, option, attached);
}

static void refuse_name(const char *name, enum verb verb)
{
	const char *quoted = QUOTED(name);
	const struct option *option = option_find(name);

	if (option)
		refuse(EXIT_USAGE_ERROR, "--%s is no option of %s; it is one of %s", quoted, verb_name(verb),
		       option_verbs(option, VERBS_ROOM));
	else
		refuse(EXIT_USAGE_ERROR, "no option --%s%s ('xdp-mlr %s --help=all' lists the options)", quoted,
		       option_hint(name, verb, "--", HINT_ROOM), verb_name(verb));
}

/* Return the option of this verb that a name means: in full, or a beginning that no other option has. NULL: it was reported
 * what is wrong. */
static const struct option *find_long(const char *name, enum verb verb)
{
	size_t length = strlen(name);
	const struct option *found = NULL;

	for (size_t i = 0; i < option_count; i++) {
		const struct option *option = &options[i];

		if (!option_belongs(option, verb) || strncmp(option->name, name, length) != 0)
			continue;
		if (!option->name[length])
			return option;
		if (found) {
			refuse(EXIT_USAGE_ERROR, "--%s could be --%s or --%s; write it in full", name, found->name,
			       option->name);
			return NULL;
		}
		found = option;
	}
	if (!found)
		refuse_name(name, verb);
	return found;
}

static enum exit_code read_long(struct arguments *arguments, const char *text)
{
	const char *equals = strchr(text, '=');
	char name[128];
	const struct option *option;

	snprintf(name, sizeof(name), "%.*s", equals ? (int)(equals - text) : (int)sizeof(name), text);
	option = find_long(name, arguments->verb);
	return option ? take_with_value(arguments, option, equals ? equals + 1 : NULL) : EXIT_USAGE_ERROR;
}

static const struct option *find_letter(char letter, enum verb verb)
{
	for (size_t i = 0; i < option_count; i++)
		if (options[i].letter == letter && option_belongs(&options[i], verb))
			return &options[i];
	return NULL;
}

/* Letters may share a dash, and the last of them may have its value attached. */
static enum exit_code read_letters(struct arguments *arguments, const char *letters)
{
	enum exit_code code = EXIT_DONE;

	while (*letters && code == EXIT_DONE && !*arguments->ret_finished) {
		const struct option *option = find_letter(*letters, arguments->verb);

		if (!option)
			return refuse(EXIT_USAGE_ERROR, "no option -%c ('xdp-mlr %s --help=all' lists the options)",
				      *letters, verb_name(arguments->verb));
		letters++;
		if (option->argument)
			return take_with_value(arguments, option, *letters ? letters : NULL);
		code = read_value(arguments, option, "true");
	}
	return code;
}

/* Read an argument that is no option: a file, if the verb takes one more. */
static enum exit_code read_file_name(struct arguments *arguments, char *argument)
{
	const char *quoted = QUOTED(argument);
	struct config *config = arguments->config;

	if (verb_takes_file(arguments->verb, config->file_count)) {
		if (config->file_count < FILES_MAX)
			config->files[config->file_count] = argument;
		arguments->files[config->file_count++] = argument;
		return EXIT_DONE;
	}
	if (config->file_count)
		return refuse(EXIT_USAGE_ERROR, "'%s' is one argument too many for %s", quoted, verb_name(arguments->verb));
	return refuse(EXIT_USAGE_ERROR, "'%s' is one argument too many; %s takes options only", quoted,
		      verb_name(arguments->verb));
}

static enum exit_code check_file_count(const struct arguments *arguments)
{
	const char *missing = verb_file(arguments->verb, arguments->config->file_count);

	if (!missing)
		return EXIT_DONE;
	return refuse(EXIT_USAGE_ERROR, "%s lacks a file, %s ('xdp-mlr %s --help' says more)", verb_name(arguments->verb),
		      missing, verb_name(arguments->verb));
}

static enum exit_code read_arguments(struct arguments *arguments)
{
	enum exit_code code = EXIT_DONE;
	bool options_end = false; /* behind "--" all are files */

	while (*arguments->next && code == EXIT_DONE && !*arguments->ret_finished) {
		char *argument = *arguments->next++;

		if (options_end)
			code = read_file_name(arguments, argument);
		else if (strcmp(argument, "--") == 0)
			options_end = true;
		else if (strncmp(argument, "--", 2) == 0)
			code = read_long(arguments, argument + 2);
		else if (argument[0] == '-' && argument[1])
			code = read_letters(arguments, argument + 1);
		else
			code = read_file_name(arguments, argument);
	}
	return code == EXIT_DONE && !*arguments->ret_finished ? check_file_count(arguments) : code;
}

enum exit_code command_line_read(char **argv, struct config *config, bool *ret_finished)
{
	struct arguments arguments = { .list = config->given, .ret_finished = ret_finished, .config = config };
	enum exit_code code;
	int next = 0;

	code = read_verb(argv, config, &next, ret_finished);
	if (code != EXIT_DONE || *ret_finished)
		return code;
	arguments.verb = config->verb;
	arguments.next = argv + next;
	arguments.files = argv + next;
	config->all_files = (const char *const *)arguments.files;
	return read_arguments(&arguments);
}
