/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_file.h"
#include "frame_file.h"
#include "help.h"
#include "mlr/controller.h"
#include "nearest.h"
#include "options.h"
#include "require.h"
#include "stored.h"
#include "suite_options.h"
#include "traffic.h"
#include "units.h"

#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))
#define CLOCK_BUDGET_S 1e-6

/* --- the verb ------------------------------------------------------------------------------------------------------- */

static const struct verb_word {
	const char *word;
	enum verb first, last;      /* verbs of two words share the first */
	const char *const *seconds; /* their second words, in the order of the verbs; NULL: verbs of one word */
} verb_words[] = {
	{ "search", VERB_SEARCH, VERB_SEARCH, NULL },
	{ "trial", VERB_TRIAL, VERB_TRIAL, NULL },
	{ "soak", VERB_SOAK, VERB_SOAK, NULL },
	{ "rfc2544", VERB_RFC2544, VERB_RFC2544, NULL },
	{ "selftest", VERB_SELFTEST, VERB_SELFTEST, NULL },
	{ "probe", VERB_PROBE, VERB_PROBE, NULL },
	{ "lab", VERB_LAB_UP, VERB_LAB_ON, (const char *const[]){ "up", "down", "status", "on" } },
	{ "profile", VERB_PROFILE_SHOW, VERB_PROFILE_SHOW, (const char *const[]){ "show" } },
	{ "clean", VERB_CLEAN, VERB_CLEAN, NULL },
	{ "compare", VERB_COMPARE, VERB_COMPARE, NULL },
	{ "report", VERB_REPORT, VERB_REPORT, NULL },
	{ "campaign", VERB_CAMPAIGN_RUN, VERB_CAMPAIGN_REPORT,
	  (const char *const[]){ "run", "submit", "status", "report" } },
};

static bool asks_for(const char *argument, const char *name, char letter)
{
	return (argument[0] == '-' && argument[1] == letter && !argument[2]) ||
	       (strncmp(argument, "--", 2) == 0 && strcmp(argument + 2, name) == 0);
}

/* --help and --version where no verb, or half a verb, stands before them. */
static bool finished_early(const char *argument, enum exit_code (*help)(const struct verb_word *),
			   const struct verb_word *word, enum exit_code *ret)
{
	if (asks_for(argument, "help", 'h'))
		*ret = help(word);
	else if (asks_for(argument, "version", 'V'))
		*ret = help_version();
	else
		return false;
	return true;
}

static enum exit_code help_of_program(const struct verb_word *word)
{
	(void)word;
	return help_program();
}

static enum exit_code help_of_word(const struct verb_word *word)
{
	return help_verb(word->first, word->last);
}

static enum exit_code refuse_verb(const char *text)
{
	const char *words[COUNT(verb_words)];
	char quoted[QUOTE_SIZE], hint[64];

	for (size_t i = 0; i < COUNT(verb_words); i++)
		words[i] = verb_words[i].word;
	return refuse(EXIT_USAGE_ERROR, "no verb '%s'%s ('xdp-mlr --help' lists the verbs)",
		      quote(text, strlen(text), quoted, sizeof(quoted)),
		      nearest_hint(text, words, COUNT(words), hint, sizeof(hint)));
}

/* "'lab up', 'lab down' or 'lab status'" */
static const char *list_verbs(const struct verb_word *word, char *buffer, size_t size)
{
	size_t used = 0;

	for (enum verb verb = word->first; verb <= word->last && used < size; verb++)
		used += (size_t)snprintf(buffer + used, size - used, "%s'%s'",
					 verb == word->first  ? ""
					 : verb == word->last ? " or "
							      : ", ",
					 verb_name(verb));
	return buffer;
}

/* The second word of a verb of two. */
static enum exit_code read_second_word(const struct verb_word *word, const char *text, struct config *config,
				       bool *ret_finished)
{
	size_t count = (size_t)(word->last - word->first) + 1;
	char quoted[QUOTE_SIZE], hint[64], verbs[128];
	enum exit_code code;

	if (!text)
		return refuse(EXIT_USAGE_ERROR, "%s what? Say %s", word->word, list_verbs(word, verbs, sizeof(verbs)));
	if (finished_early(text, help_of_word, word, &code)) {
		*ret_finished = true;
		return code;
	}
	for (size_t i = 0; i < count; i++) {
		if (strcmp(text, word->seconds[i]) == 0) {
			config->verb = word->first + (enum verb)i;
			return EXIT_DONE;
		}
	}
	return refuse(EXIT_USAGE_ERROR, "no '%s %s'%s; say %s", word->word,
		      quote(text, strlen(text), quoted, sizeof(quoted)),
		      nearest_hint(text, word->seconds, count, hint, sizeof(hint)), list_verbs(word, verbs, sizeof(verbs)));
}

/* The verb in argv; *ret_next is the first argument after it. */
static enum exit_code read_verb(char **argv, struct config *config, int *ret_next, bool *ret_finished)
{
	enum exit_code code;

	if (!argv[1])
		return refuse(EXIT_USAGE_ERROR, "no verb; say for example 'xdp-mlr search -p A,B', or see 'xdp-mlr --help'");
	if (finished_early(argv[1], help_of_program, NULL, &code)) {
		*ret_finished = true;
		return code;
	}
	for (size_t i = 0; i < COUNT(verb_words); i++) {
		const struct verb_word *word = &verb_words[i];

		if (strcmp(argv[1], word->word) != 0)
			continue;
		config->verb = word->first;
		*ret_next = 2;
		if (!word->seconds)
			return EXIT_DONE;
		*ret_next = 3;
		return read_second_word(word, argv[2], config, ret_finished);
	}
	return refuse_verb(argv[1]);
}

/* --- the command line ----------------------------------------------------------------------------------------------- */

/* Where in argv we are. */
struct arguments {
	char **next;
	enum verb verb;
	struct given_list *list;
	bool *ret_finished;
	const char **files; /* room for FILES_MAX */
	size_t file_count;
};

/* --help and --version act at once; all else goes onto the list. */
static enum exit_code take(struct arguments *arguments, const struct option *option, const char *text)
{
	const struct given *before = option->flags & OPTION_LIST ? given_find(arguments->list, option->name) : NULL;

	if (before)
		return refuse(EXIT_USAGE_ERROR, "--%s is given twice, and is a list; write it once, as --%s %s,%s",
			      option->name, option->name, before->text, text);
	if (option->letter == 'h' || option->letter == 'V') {
		*arguments->ret_finished = true;
		return option->letter == 'h' ? help_verb(arguments->verb, arguments->verb) : help_version();
	}
	return given_add(arguments->list, &(struct given){ .option = option, .text = (char *)text });
}

/* An option whose value, if it takes one, is `attached` or the next argument. */
static enum exit_code take_with_value(struct arguments *arguments, const struct option *option, const char *attached)
{
	if (!option->argument && attached)
		return refuse(EXIT_USAGE_ERROR, "--%s takes no value, but got '%s'", option->name, attached);
	if (!option->argument)
		return take(arguments, option, "true");
	if (!attached)
		attached = *arguments->next ? *arguments->next++ : NULL;
	if (!attached)
		return refuse(EXIT_USAGE_ERROR, "--%s lacks its value: --%s %s", option->name, option->name,
			      option->argument);
	return take(arguments, option, attached);
}

static void refuse_name(const char *name, enum verb verb)
{
	char hint[64], quoted[QUOTE_SIZE];

	quote(name, strlen(name), quoted, sizeof(quoted));
	if (option_find(name))
		refuse(EXIT_USAGE_ERROR, "--%s is no option of %s", quoted, verb_name(verb));
	else
		refuse(EXIT_USAGE_ERROR, "no option --%s%s ('xdp-mlr %s --help' lists the options)", quoted,
		       option_hint(name, verb, "--", hint, sizeof(hint)), verb_name(verb));
}

/* The option of this verb that a name of the command line means: in full, or a beginning that no other one has.
 * NULL: it was said what is wrong. */
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
			return refuse(EXIT_USAGE_ERROR, "no option -%c ('xdp-mlr %s --help' lists the options)", *letters,
				      verb_name(arguments->verb));
		letters++;
		if (option->argument)
			return take_with_value(arguments, option, *letters ? letters : NULL);
		code = take(arguments, option, "true");
	}
	return code;
}

/* An argument that is no option: a file, where the verb takes one more. */
static enum exit_code read_file_name(struct arguments *arguments, const char *argument)
{
	char quoted[QUOTE_SIZE];

	if (verb_file(arguments->verb, arguments->file_count)) {
		arguments->files[arguments->file_count++] = argument;
		return EXIT_DONE;
	}
	quote(argument, strlen(argument), quoted, sizeof(quoted));
	if (arguments->file_count)
		return refuse(EXIT_USAGE_ERROR, "'%s' is one argument too many for %s", quoted, verb_name(arguments->verb));
	return refuse(EXIT_USAGE_ERROR, "'%s' is one argument too many; %s takes options only", quoted,
		      verb_name(arguments->verb));
}

static enum exit_code check_file_count(const struct arguments *arguments)
{
	const char *missing = verb_file(arguments->verb, arguments->file_count);

	if (!missing)
		return EXIT_DONE;
	return refuse(EXIT_USAGE_ERROR, "%s lacks a file, %s ('xdp-mlr %s --help' says more)", verb_name(arguments->verb),
		      missing, verb_name(arguments->verb));
}

static enum exit_code read_arguments(struct arguments *arguments)
{
	enum exit_code code = EXIT_DONE;

	while (*arguments->next && code == EXIT_DONE && !*arguments->ret_finished) {
		const char *argument = *arguments->next++;

		if (strncmp(argument, "--", 2) == 0 && argument[2])
			code = read_long(arguments, argument + 2);
		else if (argument[0] == '-' && argument[1] && argument[1] != '-')
			code = read_letters(arguments, argument + 1);
		else
			code = read_file_name(arguments, argument);
	}
	return code == EXIT_DONE && !*arguments->ret_finished ? check_file_count(arguments) : code;
}

/* --- from values to a configuration --------------------------------------------------------------------------------- */

/* Values are read in the order of the table; an option that does not repeat counts as it was given last. */
static enum exit_code read_values(const struct given_list *list, struct config *config)
{
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < option_count && code == EXIT_DONE; i++) {
		const struct option *option = &options[i];

		if (!option->read)
			continue;
		for (size_t j = 0; j < list->count && code == EXIT_DONE; j++) {
			const struct given *given = &list->items[j];

			if (given->option == option &&
			    (option->flags & OPTION_REPEATS || given == given_find(list, option->name)))
				code = option->read(given, config);
		}
	}
	return code;
}

static enum exit_code add_fallbacks(enum verb verb, struct given_list *list)
{
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < option_count && code == EXIT_DONE; i++) {
		const struct option *option = &options[i];

		if (option->fallback && option_belongs(option, verb) && !given_find(list, option->name))
			code = given_add(
				list,
				&(struct given){ .option = option, .text = (char *)option->fallback, .fallback = true });
	}
	return code;
}

static void take_preset_goals(struct config *config)
{
	const struct mlr_goal *goals;

	config->goal_count = mlr_goal_preset(config->preset, &goals);
	memcpy(config->goals, goals, config->goal_count * sizeof(*goals));
}

/* Min Load and Max Load, as far as they can be compared before the line rate is known. */
static enum exit_code check_loads(const struct config *config)
{
	const struct given *min = given_find(config->given, "min-load"), *max = given_find(config->given, "max-load");
	double octets = config->frame_size_octets;

	if (!max && !config_uses_ports(config))
		return refuse(EXIT_USAGE_ERROR, "--max-load is missing: a measurer other than xdp knows no line rate; "
						"give it, for example --max-load 10Mfps");
	if (!max || !load_is_absolute(&config->min_load) || !load_is_absolute(&config->max_load))
		return EXIT_DONE;
	if (load_fps(&config->min_load, octets, 0) < load_fps(&config->max_load, octets, 0))
		return EXIT_DONE;
	return refuse_given(max, "must be above Min Load, which is '%s'; raise it or give a smaller --min-load", min->text);
}

/* What makes two searches the same: given by the stored one, and by nothing else. */
static const char *const stored_alone[] = { "goal", "preset", "min-load", "max-load", "algorithm", "repeat" };

static enum exit_code take_stored_value(struct given_list *list, const struct option *option, const char *path,
					const json_t *value)
{
	if (!json_is_string(value))
		return refuse(EXIT_USAGE_ERROR, "%s: configuration: %s is not a text", path, option->name);
	return given_add(list, &(struct given){ .option = option, .text = (char *)json_string_value(value), .path = path });
}

/* The options of a stored search that were not given anew. */
static enum exit_code take_stored_options(const struct stored *stored, const char *path, enum verb verb,
					  struct given_list *list)
{
	enum exit_code code = EXIT_DONE;
	const json_t *value;
	const char *name;

	json_object_foreach (stored->configuration, name, value) {
		const struct option *option = option_find(name);

		if (!option || !option_belongs(option, verb))
			return refuse(EXIT_USAGE_ERROR, "%s: configuration: there is no option '%s'", path, name);
		/* of repeated searches the file holds one, and that is the one to go on with */
		if (given_find(list, name) || strcmp(name, "repeat") == 0)
			continue;
		if (!json_is_array(value))
			code = take_stored_value(list, option, path, value);
		for (size_t i = 0; i < json_array_size(value) && code == EXIT_DONE; i++)
			code = take_stored_value(list, option, path, json_array_get(value, i));
		if (code != EXIT_DONE)
			break;
	}
	return code;
}

/* --resume or --replay: the stored search, and the options that it was run with. */
static enum exit_code read_stored(struct config *config)
{
	const struct given *resume = given_find(config->given, "resume"), *replay = given_find(config->given, "replay");
	const char *path = resume ? resume->text : replay ? replay->text : NULL;
	enum exit_code code;

	if (!path)
		return EXIT_DONE;
	if (resume && replay)
		return refuse(EXIT_USAGE_ERROR, "--resume and --replay exclude each other; give one of them");
	for (size_t i = 0; i < COUNT(stored_alone); i++) {
		const struct given *given = given_find(config->given, stored_alone[i]);

		if (given)
			return refuse_given(given, "the stored search in %s says that; leave it out", path);
	}
	config->stored = calloc(1, sizeof(*config->stored));
	if (!config->stored)
		return refuse(EXIT_INCAPABLE, "out of memory");
	code = stored_read(path, config->stored);
	return code == EXIT_DONE ? take_stored_options(config->stored, path, config->verb, config->given) : code;
}

static enum exit_code check_search(struct config *config)
{
	if (given_find(config->given, "replay"))
		config->measurer = MEASURER_REPLAY;
	if (config->goal_count == 0)
		take_preset_goals(config);
	for (size_t i = 0; config->algorithm == ALGORITHM_TST009 && config->max_r && i < config->goal_count; i++)
		mlr_tst009_goal(&config->goals[i], config->max_r);
	return check_loads(config);
}

static enum exit_code check_rfc2544(struct config *config)
{
	choose_tests(config);
	return check_loads(config);
}

static enum exit_code check_trial(const struct config *config)
{
	if (config->load.unit == LOAD_UNSET)
		return refuse(EXIT_USAGE_ERROR, "--load is missing: give frames/s, or max for as fast as the tester can");
	return EXIT_DONE;
}

/* Ports of other hosts, and what is different where there are some. */
static enum exit_code check_places(const struct config *config)
{
	const struct given *ports = given_find(config->given, "ports"), *budget = given_find(config->given, "clock-budget"),
			   *direction = given_find(config->given, "direction");
	bool places = config_has_roles(config);

	for (unsigned int i = 0; i < config->port_count; i++)
		places |= config->ports[i].host[0] != '\0';
	if (places && config->measurer != MEASURER_MPI)
		return refuse_given(ports, "hosts and roles of ports, HOST:PORT:ROLE, are for --measurer mpi");
	if (budget && config->measurer != MEASURER_MPI)
		return refuse_given(budget, "clocks are compared by --measurer mpi only");
	if (config->measurer != MEASURER_MPI)
		return EXIT_DONE;
	if (config_has_roles(config) && !direction->fallback)
		return refuse_given(direction, "--ports says which ports transmit; leave --direction out");
	if (config->timestamps == TIMESTAMPS_HARDWARE || config->prepare.asked & 1u << PREPARE_TIMESTAMPS)
		return refuse(EXIT_USAGE_ERROR, "--measurer mpi has software timestamps only; leave --timestamps and "
						"'timestamps' of --prepare out");
	if (config->queries_per_s)
		return refuse(EXIT_USAGE_ERROR, "--modifier: --measurer mpi sends no management queries");
	return EXIT_DONE;
}

/* What one value alone cannot show. */
static enum exit_code check(struct config *config)
{
	enum exit_code code = EXIT_DONE;

	if (config->verb == VERB_SEARCH)
		code = check_search(config);
	else if (config->verb == VERB_TRIAL)
		code = check_trial(config);
	else if (config->verb == VERB_SOAK)
		code = check_loads(config);
	else if (config->verb == VERB_PROFILE_SHOW)
		return traffic_check(config);
	else if (config->verb == VERB_RFC2544)
		code = check_rfc2544(config);
	else if (config->verb != VERB_SELFTEST)
		return EXIT_DONE;
	if (code == EXIT_DONE)
		code = check_places(config);
	if (code == EXIT_DONE && config_uses_ports(config))
		code = traffic_check(config);
	if (code == EXIT_DONE)
		code = require_check(config);
	if (code != EXIT_DONE)
		return code;
	if (config->timestamps == TIMESTAMPS_HARDWARE && config->no_latency)
		return refuse(EXIT_USAGE_ERROR, "--timestamps hardware is for latency, and --no-latency measures none");
	if (config_uses_ports(config) && !config->ports[PORT_A].name[0])
		return refuse(EXIT_USAGE_ERROR, "--ports is missing: give the tester's two ports, for example -p eth1,eth2");
	if (config->verb == VERB_SELFTEST && (config->port_count != PORT_COUNT || config->direction == DIRECTION_MESH))
		return refuse(EXIT_USAGE_ERROR,
			      "selftest takes two ports at a time, which are connected to each other: -p A,B");
	return EXIT_DONE;
}

/* Defaults of one verb: a soak ends by itself, a suite has the frame sizes of RFC 2544. */
static enum exit_code add_verb_fallbacks(enum verb verb, struct given_list *list)
{
	const char *name = verb == VERB_SOAK ? "max-time" : frame_sizes_are_a_list(verb) ? "frame-size" : NULL;
	const char *text = verb == VERB_SOAK ? "1800" : RFC2544_FRAME_SIZES;

	if (!name || given_find(list, name))
		return EXIT_DONE;
	return given_add(list, &(struct given){ .option = option_find(name), .text = (char *)text, .fallback = true });
}

/* --config, and --run in it. */
static enum exit_code read_file(struct config *config)
{
	const struct given *file = given_find(config->given, "config"), *run = given_find(config->given, "run");

	if (file)
		return config_file_read(file->text, config->verb, run ? run->text : NULL, config->given);
	return run ? refuse_given(run, "names a run in the schedule of a file, and no --config names the file") : EXIT_DONE;
}

/* Defaults, and from all values the configuration. */
static enum exit_code complete(struct config *config)
{
	enum exit_code code = add_verb_fallbacks(config->verb, config->given);

	if (code == EXIT_DONE)
		code = add_fallbacks(config->verb, config->given);
	if (code == EXIT_DONE)
		code = read_values(config->given, config);
	if (code == EXIT_DONE && config->template_path)
		code = frame_file_read(config->template_path, &config->template);
	return code == EXIT_DONE ? check(config) : code;
}

static enum exit_code read_all(char **argv, struct config *config, bool *ret_finished)
{
	struct arguments arguments = { .list = config->given, .ret_finished = ret_finished, .files = config->files };
	enum exit_code code;
	int next = 0;

	code = read_verb(argv, config, &next, ret_finished);
	if (code != EXIT_DONE || *ret_finished)
		return code;
	arguments.verb = config->verb;
	arguments.next = argv + next;
	code = read_arguments(&arguments);
	if (code != EXIT_DONE || *ret_finished)
		return code;
	code = read_file(config);
	if (code == EXIT_DONE)
		code = read_stored(config);
	return code == EXIT_DONE ? complete(config) : code;
}

/* What stands in a configuration before any value was read. */
#define CONFIG_EMPTY                                                                                                        \
	{                                                                                                                   \
		.port_count = PORT_COUNT, .waits = { .residual_s = rfc2544_waits.residual_s },                              \
		.clock_budget_s = CLOCK_BUDGET_S                                                                            \
	}

enum exit_code config_of_values(enum verb verb, struct given_list *list, struct config *ret)
{
	struct config config = CONFIG_EMPTY;
	enum exit_code code;

	config.verb = verb;
	config.given = list;
	code = complete(&config);
	if (code == EXIT_DONE)
		*ret = config;
	else
		config_free(&config);
	return code;
}

enum exit_code config_read(int argc, char **argv, struct config *ret, bool *ret_finished)
{
	struct config config = CONFIG_EMPTY;
	enum exit_code code;

	(void)argc; /* argv ends with NULL */
	config.given = calloc(1, sizeof(*config.given));
	if (!config.given)
		return refuse(EXIT_INCAPABLE, "out of memory");
	*ret_finished = false;
	code = read_all(argv, &config, ret_finished);
	if (code == EXIT_DONE && !*ret_finished) {
		say_quiet = config.quiet;
		*ret = config;
	} else {
		config_free(&config);
	}
	return code;
}

void config_free(struct config *config)
{
	given_list_free(config->given);
	config->given = NULL;
	free(config->requirements);
	config->requirements = NULL;
	frame_file_free(config->template);
	config->template = NULL;
	if (config->stored)
		stored_free(config->stored);
	free(config->stored);
	config->stored = NULL;
}

/* --- the echo ------------------------------------------------------------------------------------------------------- */

static json_t *describe_goals(const struct config *config)
{
	json_t *goals = json_array();
	char text[GOAL_TEXT_SIZE];

	for (size_t i = 0; i < config->goal_count; i++)
		json_array_append_new(goals, json_string(format_goal(&config->goals[i], text)));
	return goals;
}

/* Every value of an option that repeats. */
static json_t *describe_all(const struct given_list *list, const struct option *option)
{
	json_t *values = json_array();

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].option == option)
			json_array_append_new(values, json_string(list->items[i].text));
	return values;
}

/* The options in force but those that have one of these flags. */
static json_t *describe(const struct config *config, unsigned int without)
{
	json_t *object = json_object();
	char text[GOAL_TEXT_SIZE];

	for (size_t i = 0; i < option_count; i++) {
		const struct option *option = &options[i];
		const struct given *given = given_find(config->given, option->name);

		if (!option_belongs(option, config->verb) || option->flags & without)
			continue;
		if (option->read == read_goal)
			json_object_set_new(object, option->name, describe_goals(config));
		else if (option->read == read_waits)
			json_object_set_new(object, option->name, json_string(format_waits(&config->waits, text)));
		else if (given && option->flags & OPTION_REPEATS)
			json_object_set_new(object, option->name, describe_all(config->given, option));
		else if (given)
			json_object_set_new(object, option->name, json_string(given->text));
	}
	return object;
}

json_t *config_describe(const struct config *config)
{
	return describe(config, OPTION_COMMAND_LINE | OPTION_OUTPUT);
}

json_t *config_describe_all(const struct config *config)
{
	return describe(config, OPTION_COMMAND_LINE);
}
