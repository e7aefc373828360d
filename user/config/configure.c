/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/configure.h"

#include <stdlib.h>
#include <string.h>

#include "config/check.h"
#include "config/command_line.h"
#include "config/config_file.h"
#include "config/frame_file.h"
#include "config/options.h"
#include "config/options_suite.h"
#include "config/stored.h"

#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))
#define CLOCK_BUDGET_S 1e-6

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
	return code == EXIT_DONE ? config_check(config) : code;
}

static enum exit_code read_all(char **argv, struct config *config, bool *ret_finished)
{
	enum exit_code code = command_line_read(argv, config, ret_finished);

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
		.port_count = PORT_COUNT, .waits = { .residual_s = RFC2544_WAITS.residual_s },                              \
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
		message_quiet = config.quiet;
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
