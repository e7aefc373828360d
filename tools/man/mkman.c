/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Man pages and completion, from the option table that --help shows too: mkman TEMPLATES DIRECTORY.
 *
 * Writes a page for each verb's first word, with DESCRIPTION and more from TEMPLATES/xdp-mlr-WORD.8.in where there is one, every
 * other TEMPLATES/NAME.in as page NAME, and the completions for bash and zsh. In a template a line @OPTIONS@ is where the options
 * go (in the page of a verb), @VERBS@ the verbs, @KEYS@ what a configuration file may hold, @EXIT@ the exit codes.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/given.h"
#include "config/requirement.h"
#include "lab/sut.h"

#define PATH_SIZE 4096
#define LINE_SIZE 4096

static void fail(const char *what)
{
	fprintf(stderr, "mkman: %s: %s\n", what, strerror(errno));
	exit(1);
}

static FILE *create(const char *directory, const char *name)
{
	char path[PATH_SIZE];
	FILE *stream;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	stream = fopen(path, "w");
	if (!stream)
		fail(path);
	return stream;
}

static void finish(FILE *stream, const char *name)
{
	if (ferror(stream) || fclose(stream))
		fail(name);
}

/* --- verbs ---------------------------------------------------------------------------------------------------------- */

/* Whether it is the first verb that has its first word. */
static bool leads(enum verb verb)
{
	char word[VERB_WORD_SIZE];

	verb_word(verb, word);
	for (enum verb before = 0; before < verb; before++)
		if (verb_has_word(before, word))
			return false;
	return true;
}

static bool of_word(const struct option *option, const char *word)
{
	for (enum verb verb = 0; verb < VERB_COUNT; verb++)
		if (verb_has_word(verb, word) && option_belongs(option, verb))
			return true;
	return false;
}

/* --- roff ----------------------------------------------------------------------------------------------------------- */

/* Text of one paragraph: what roff would read is escaped. */
static void put_text(FILE *stream, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stream);
	for (; *text; text++) {
		if (*text == '-')
			fputs("\\-", stream);
		else if (*text == '\\')
			fputs("\\e", stream);
		else
			fputc(*text, stream);
	}
}

static void put_synopsis(FILE *stream, const char *word)
{
	fputs(".SH SYNOPSIS\n", stream);
	for (enum verb verb = 0; verb < VERB_COUNT; verb++) {
		if (!verb_has_word(verb, word))
			continue;
		fputs(".B xdp\\-mlr ", stream);
		put_text(stream, verb_name(verb));
		for (size_t i = 0; verb_file(verb, i); i++) {
			fputs("\n.I ", stream);
			put_text(stream, verb_file(verb, i));
		}
		fputs("\n.RI [ options ]\n.br\n", stream);
	}
}

static void put_option(FILE *stream, const struct option *option, enum verb verb)
{
	const char *fallback = option_fallback(option, verb);

	fputs(".TP\n", stream);
	if (option->letter)
		fprintf(stream, "\\fB\\-%c\\fR, ", option->letter);
	fputs("\\fB", stream);
	put_text(stream, "--");
	put_text(stream, option->name);
	fputs("\\fR", stream);
	if (option->argument) {
		fputs(" \\fI", stream);
		put_text(stream, option->argument);
		fputs("\\fR", stream);
	}
	fputc('\n', stream);
	put_text(stream, option->help);
	fputs(".\n", stream);
	if (fallback) {
		fputs("Default: ", stream);
		put_text(stream, fallback);
		fputs(".\n", stream);
	}
}

/* The options of a verb; with several verbs under one word, whose each is. */
static void put_options(FILE *stream, const char *word)
{
	enum verb verb = 0;

	while (!verb_has_word(verb, word))
		verb++;
	fputs(".SH OPTIONS\nA long option may be cut short where no other one begins so. A value may follow as the next "
	      "argument, "
	      "or after =.\n",
	      stream);
	for (size_t i = 0; i < option_count; i++)
		if (of_word(&options[i], word))
			put_option(stream, &options[i], verb);
}

static void put_verbs(FILE *stream)
{
	char word[VERB_WORD_SIZE];

	for (enum verb verb = 0; verb < VERB_COUNT; verb++) {
		fputs(".TP\n.B ", stream);
		put_text(stream, verb_name(verb));
		fputc('\n', stream);
		put_text(stream, verb_summary(verb));
		fprintf(stream, ". See\n.BR xdp\\-mlr\\-%s (8).\n", verb_word(verb, word));
	}
}

/* What a file may hold, and for which verbs. */
static void put_keys(FILE *stream)
{
	for (size_t i = 0; i < option_count; i++) {
		const char *separator = "For: ";

		if (options[i].flags & OPTION_COMMAND_LINE)
			continue;
		fputs(".TP\n.B ", stream);
		put_text(stream, options[i].name);
		fputc('\n', stream);
		put_text(stream, options[i].help);
		fputs(".\n", stream);
		for (enum verb verb = 0; verb < VERB_COUNT; verb++) {
			if (!option_belongs(&options[i], verb))
				continue;
			fputs(separator, stream);
			put_text(stream, verb_name(verb));
			separator = ", ";
		}
		fprintf(stream, ".%s\n", options[i].flags & OPTION_REPEATS ? " May be a list." : "");
	}
}

static void put_exit(FILE *stream)
{
	static const struct {
		int code;
		const char *meaning;
	} codes[] = {
		{ EXIT_DONE, "Done; every result is regular, every requirement is met, and compare found no regression." },
		{ EXIT_UNMET, "Done, but a result is irregular or limited by the tester, a requirement is not met, or "
			      "compare found a regression." },
		{ EXIT_USAGE_ERROR, "Bad usage, configuration or input data; results that cannot be compared." },
		{ EXIT_INCAPABLE, "This machine, kernel or NIC cannot do it." },
		{ EXIT_UNSAFE, "Refused because it would be unsafe: a port is in use." },
		{ EXIT_INVALID, "A measurement is invalid: link lost, ports crossed, counters impossible." },
		{ EXIT_INTERRUPTED, "Interrupted; what was measured so far is on standard output, marked irregular." },
	};

	fputs(".SH EXIT STATUS\n", stream);
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		fprintf(stream, ".TP\n.B %d\n%s\n", codes[i].code, codes[i].meaning);
}

static void put_head(FILE *stream, const char *page, char section)
{
	fputs(".\\\" Written from the option table by tools/man/mkman.c\n.TH \"", stream);
	put_text(stream, page);
	fprintf(stream, "\" %c \"\" \"xdp-mlr " XDP_MLR_VERSION "\" \"xdp-mlr\"\n", section);
}

/* --- pages ---------------------------------------------------------------------------------------------------------- */

/* A directive of a template, or the line itself. `word` is NULL where the page is no verb's. */
static void put_template_line(FILE *stream, const char *line, const char *word)
{
	if (strcmp(line, "@OPTIONS@\n") == 0 && word)
		put_options(stream, word);
	else if (strcmp(line, "@VERBS@\n") == 0)
		put_verbs(stream);
	else if (strcmp(line, "@KEYS@\n") == 0)
		put_keys(stream);
	else if (strcmp(line, "@EXIT@\n") == 0)
		put_exit(stream);
	else
		fputs(line, stream);
}

static void put_template(FILE *stream, FILE *template, const char *word)
{
	char line[LINE_SIZE];

	while (fgets(line, sizeof(line), template))
		put_template_line(stream, line, word);
	fclose(template);
}

static FILE *open_template(const char *templates, const char *page)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s.in", templates, page);
	return fopen(path, "r");
}

static void put_plain_body(FILE *stream, enum verb verb, const char *word)
{
	fputs(".SH DESCRIPTION\n", stream);
	for (; verb < VERB_COUNT && verb_has_word(verb, word); verb++) {
		fputs(".PP\n.B xdp\\-mlr ", stream);
		put_text(stream, verb_name(verb));
		fputs(":\n", stream);
		put_text(stream, verb_summary(verb));
		fputs(".\n", stream);
	}
	put_options(stream, word);
}

/* Say what exit codes mean for verbs of this word that judge something else than a measurement. */
static void put_own_exit_codes(FILE *stream, const char *word)
{
	for (enum verb verb = 0; verb < VERB_COUNT; verb++) {
		if (!verb_has_word(verb, word) || !verb_exit_codes(verb))
			continue;
		fputs(".PP\n.BR ", stream);
		put_text(stream, verb_name(verb));
		fputs(" :\n", stream);
		put_text(stream, verb_exit_codes(verb));
		fputs(".\n", stream);
	}
}

/* What a page is about: where several verbs share it, more than what the first of them does. */
static const char *word_summary(const char *word, enum verb verb)
{
	if (strcmp(word, "lab") == 0)
		return "a system under test of its own, in a network namespace";
	if (strcmp(word, "campaign") == 0)
		return "many measurements, of a matrix of options: run, submitted to a batch system, made one report of";
	return verb_summary(verb);
}

static void write_verb_page(const char *templates, const char *directory, enum verb verb)
{
	char word[VERB_WORD_SIZE], page[64];
	FILE *stream, *template;

	verb_word(verb, word);
	snprintf(page, sizeof(page), "xdp-mlr-%s.8", word);
	stream = create(directory, page);
	template = open_template(templates, page);
	page[strlen(page) - 2] = '\0';
	put_head(stream, page, '8');
	fputs(".SH NAME\n", stream);
	put_text(stream, page);
	fputs(" \\- ", stream);
	put_text(stream, word_summary(word, verb));
	fputc('\n', stream);
	put_synopsis(stream, word);
	if (template)
		put_template(stream, template, word);
	else
		put_plain_body(stream, verb, word);
	put_exit(stream);
	put_own_exit_codes(stream, word);
	fputs(".SH SEE ALSO\n.BR xdp\\-mlr (8),\n.BR xdp\\-mlr.yaml (5),\n.BR xdp\\-mlr\\-methodology (7)\n", stream);
	finish(stream, page);
}

/* Pages that are no verb's: all of them stands in the template, but the head. */
static void write_other_page(const char *templates, const char *directory, const char *page)
{
	FILE *stream = create(directory, page), *template = open_template(templates, page);
	const char *dot = strrchr(page, '.');
	char name[VERB_WORD_SIZE * 2];

	if (!template || !dot)
		fail(page);
	snprintf(name, sizeof(name), "%.*s", (int)(dot - page), page);
	put_head(stream, name, dot[1]);
	put_template(stream, template, NULL);
	finish(stream, page);
}

static void write_other_pages(const char *templates, const char *directory)
{
	static const char verb_page[] = "xdp-mlr-", ending[] = ".8.in";
	DIR *entries = opendir(templates);
	struct dirent *entry;

	if (!entries)
		fail(templates);
	while ((entry = readdir(entries))) {
		size_t length = strlen(entry->d_name);
		char page[256];

		if (length < 4 || strcmp(entry->d_name + length - 3, ".in") != 0)
			continue;
		if (strncmp(entry->d_name, verb_page, sizeof(verb_page) - 1) == 0 &&
		    strcmp(entry->d_name + length - (sizeof(ending) - 1), ending) == 0)
			continue;
		snprintf(page, sizeof(page), "%.*s", (int)(length - 3), entry->d_name);
		write_other_page(templates, directory, page);
	}
	closedir(entries);
}

/* --- completion ----------------------------------------------------------------------------------------------------- */

static bool takes_file(const struct option *option)
{
	return option->argument && strcmp(option->argument, "FILE") == 0;
}

/* Of the default preset: other goals have the user's names. */
static const char *const goal_names[] = { "ndr.", "pdr." };

/* Ports that nothing uses: no bridge or bond, no IPv4 route, no IPv6 address but a link's own; and that are not named yet.
 * `probe` shows any. */
static const char bash_ports[] =
	"    local first= used=\" lo \"\n"
	"    [[ $current != *,* ]] || first=${current%,*},\n"
	"    used+=$(awk 'FNR > 1 {print $1}' /proc/net/route 2>/dev/null; awk '$4 != 20 {print $6}' "
	"/proc/net/if_inet6 2>/dev/null)\n"
	"    used=${used//$'\\n'/ }\n"
	"    for port in /sys/class/net/*/; do\n"
	"      port=${port%/} port=${port##*/}\n"
	"      [[ \",$first\" == *\",$port,\"* ]] && continue\n"
	"      [[ $verb != probe && ( \"$used \" == *\" $port \"* || -e /sys/class/net/$port/master ) ]] "
	"|| words+=\"$first$port \"\n"
	"    done ;;\n";

/* The options of a verb, or of all under one word, as words. */
static void put_bash_verb(FILE *stream, enum verb verb)
{
	fprintf(stream, "  '%s') options='", verb_name(verb));
	for (size_t i = 0; i < option_count; i++)
		if (option_belongs(&options[i], verb))
			fprintf(stream, "--%s ", options[i].name);
	fputs("' figures='", stream);
	for (size_t i = 0; requirement_figure(verb, i); i++)
		for (size_t goal = 0; goal < (verb == VERB_SEARCH ? COUNT(goal_names) : 1); goal++)
			fprintf(stream, "%s%s ", verb == VERB_SEARCH ? goal_names[goal] : "", requirement_figure(verb, i));
	fprintf(stream, "' files=%d ;;\n", verb_file(verb, 0) ? 1 : 0);
}

static void put_bash_value(FILE *stream, const struct option *option)
{
	if (option->choices) {
		fprintf(stream, "  --%s) words='", option->name);
		for (size_t i = 0; option->choices[i]; i++)
			fprintf(stream, "%s ", option->choices[i]);
		fputs("' ;;\n", stream);
	} else if (takes_file(option)) {
		fprintf(stream, "  --%s) files=1 ;;\n", option->name);
	} else if (strcmp(option->name, "ports") == 0) {
		fprintf(stream, "  --ports | -p)\n%s", bash_ports);
	} else if (strcmp(option->name, "sut") == 0) {
		fputs("  --sut) words='", stream);
		for (int kind = 0; kind < SUT_KINDS; kind++)
			fprintf(stream, "%s ", sut_kind_name(kind));
		fputs("' ;;\n", stream);
	} else if (strcmp(option->name, "require") == 0) {
		fputs("  --require) words=$figures ;;\n", stream);
	} else if (strcmp(option->name, "preset") == 0) {
		fputs("  --preset) words='csit rfc2544 tst009' ;;\n", stream);
	} else if (option->argument) {
		fprintf(stream, "  --%s) ;;\n", option->name);
	}
}

static void write_bash(const char *directory)
{
	FILE *stream = create(directory, "completion.bash");
	char word[VERB_WORD_SIZE];

	fputs("# Completion of xdp-mlr for bash, written from the option table by tools/man/mkman.c\n"
	      "_xdp_mlr() {\n"
	      "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]} "
	      "options= words= figures= "
	      "files=0 port\n"
	      "  # bash splits --option=value at the =\n"
	      "  [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
	      "  [ \"$current\" != = ] || { before=${COMP_WORDS[COMP_CWORD - 1]}; current=; }\n"
	      "  COMPREPLY=()\n"
	      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W '",
	      stream);
	for (enum verb verb = 0; verb < VERB_COUNT; verb++)
		if (leads(verb))
			fprintf(stream, "%s ", verb_word(verb, word));
	fputs("--help --version' -- \"$current\"))\n    return\n  fi\n", stream);
	for (enum verb verb = 0; verb < VERB_COUNT; verb++) {
		const char *space = strchr(verb_name(verb), ' ');

		if (!space || !leads(verb))
			continue;
		verb_word(verb, word);
		fprintf(stream,
			"  if [ \"$verb\" = %s ]; then\n    if [ \"$COMP_CWORD\" -eq 2 ]; then\n      COMPREPLY=($(compgen "
			"-W '",
			word);
		for (enum verb each = verb; each < VERB_COUNT; each++)
			if (verb_has_word(each, word))
				fprintf(stream, "%s ", strchr(verb_name(each), ' ') + 1);
		fputs("' -- \"$current\"))\n      return\n    fi\n    verb=\"$verb ${COMP_WORDS[2]}\"\n  fi\n", stream);
	}
	fputs("  case $verb in\n", stream);
	for (enum verb verb = 0; verb < VERB_COUNT; verb++)
		put_bash_verb(stream, verb);
	fputs("  *) return ;;\n  esac\n"
	      "  case $before in\n",
	      stream);
	for (size_t i = 0; i < option_count; i++)
		put_bash_value(stream, &options[i]);
	fputs("  *) words=$options ;;\n  esac\n"
	      "  [ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
	      "  if [ \"$files\" -eq 1 ] && [[ $current != -* ]]; then\n"
	      "    compopt -o filenames 2>/dev/null\n    COMPREPLY+=($(compgen -f -- \"$current\"))\n  fi\n"
	      "}\ncomplete -F _xdp_mlr xdp-mlr\n",
	      stream);
	finish(stream, "completion.bash");
}

/* Text in single quotes, inside which zsh's _arguments and _describe read brackets and colons. */
static void put_zsh_text(FILE *stream, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stream);
		else if (strchr("[]:\\", *text))
			fprintf(stream, "\\%c", *text);
		else
			fputc(*text, stream);
	}
}

static void put_zsh_option(FILE *stream, const struct option *option)
{
	fprintf(stream, "      '%s--%s%s[", option->flags & OPTION_REPEATS ? "*" : "", option->name,
		option->argument ? "=" : "");
	put_zsh_text(stream, option->help);
	fputc(']', stream);
	if (option->argument) {
		fputc(':', stream);
		put_zsh_text(stream, option->argument);
		fputc(':', stream);
	}
	if (takes_file(option))
		fputs("_files", stream);
	else if (strcmp(option->name, "preset") == 0)
		fputs("(csit rfc2544 tst009)", stream);
	else if (strcmp(option->name, "ports") == 0)
		fputs("_net_interfaces", stream);
	else if (strcmp(option->name, "sut") == 0)
		for (int kind = 0; kind < SUT_KINDS; kind++)
			fprintf(stream, "%s%s%s", kind ? " " : "(", sut_kind_name(kind), kind + 1 < SUT_KINDS ? "" : ")");
	for (size_t i = 0; option->choices && option->choices[i]; i++)
		fprintf(stream, "%s%s%s", i ? " " : "(", option->choices[i], option->choices[i + 1] ? "" : ")");
	fputs("' \\\n", stream);
}

/* The second words of verbs that share the first one. */
static void put_zsh_second_words(FILE *stream, const char *word)
{
	fprintf(stream, "  if [[ $verb == %s ]]; then\n    if (( CURRENT == 3 )); then\n      compadd", word);
	for (enum verb verb = 0; verb < VERB_COUNT; verb++)
		if (verb_has_word(verb, word))
			fprintf(stream, " %s", verb_second_word(verb));
	fprintf(stream,
		"\n      return\n    fi\n    verb=\"%s $words[3]\"\n    shift words\n    (( CURRENT-- ))\n  fi\n", word);
}

static void write_zsh(const char *directory)
{
	FILE *stream = create(directory, "completion.zsh");
	char word[VERB_WORD_SIZE];

	fputs("#compdef xdp-mlr\n# Completion of xdp-mlr for zsh, written from the option table by tools/man/mkman.c\n"
	      "_xdp_mlr() {\n  local -a verbs\n  local verb=$words[2]\n  verbs=(\n",
	      stream);
	for (enum verb verb = 0; verb < VERB_COUNT; verb++) {
		if (!leads(verb))
			continue;
		fprintf(stream, "    '%s:", verb_word(verb, word));
		put_zsh_text(stream, word_summary(word, verb));
		fputs("'\n", stream);
	}
	fputs("  )\n  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n", stream);
	for (enum verb verb = 0; verb < VERB_COUNT; verb++)
		if (verb_second_word(verb) && leads(verb))
			put_zsh_second_words(stream, verb_word(verb, word));
	fputs("  shift words\n  (( CURRENT-- ))\n  case $verb in\n", stream);
	for (enum verb verb = 0; verb < VERB_COUNT; verb++) {
		fprintf(stream, "    '%s') _arguments \\\n", verb_name(verb));
		for (size_t i = 0; i < option_count; i++)
			if (option_belongs(&options[i], verb))
				put_zsh_option(stream, &options[i]);
		fprintf(stream, "      %s ;;\n", verb_file(verb, 0) ? "'*:file:_files'" : "");
	}
	fputs("  esac\n}\n_xdp_mlr \"$@\"\n", stream);
	finish(stream, "completion.zsh");
}

int main(int count, char **arguments)
{
	if (count != 3) {
		fputs("usage: mkman TEMPLATES DIRECTORY\n", stderr);
		return 2;
	}
	for (enum verb verb = 0; verb < VERB_COUNT; verb++)
		if (leads(verb))
			write_verb_page(arguments[1], arguments[2], verb);
	write_other_pages(arguments[1], arguments[2]);
	write_bash(arguments[2]);
	write_zsh(arguments[2]);
	return 0;
}
