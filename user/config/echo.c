/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/echo.h"

#include "base/json_value.h"
#include "base/output.h"
#include "base/text_stream.h"
#include "config/options_read.h"

static json_t *describe_goals(const struct config *config)
{
	return json_list(i, config->goal_count, json_string(format_goal(&config->goals[i], ROOM(GOAL_TEXT_SIZE))));
}

/* Return the options in force without those that have one of these flags. */
static json_t *describe(const struct config *config, unsigned int without)
{
	json_t *object = json_object();

	for (size_t i = 0; i < option_count; i++) {
		const struct option *option = &options[i];
		const struct given *given = given_find(config->given, option->name);

		if (!option_belongs(option, config->verb) || option->flags & without)
			continue;
		if (option->read == read_goal)
			json_put(object, option->name, describe_goals(config));
		else if (option->read == read_waits)
			json_put(object, option->name, format_waits(&config->waits, ROOM(GOAL_TEXT_SIZE)));
		else if (given && option->flags & OPTION_REPEATS)
			json_put(object, option->name, given_texts(config->given, option->name));
		else if (given)
			json_put(object, option->name, given->text);
	}
	return object;
}

json_t *config_describe(const struct config *config)
{
	return describe(config, OPTION_COMMAND_LINE | OPTION_OUTPUT);
}

/* --- as a file for --config --------------------------------------------------------------------------------------- */

void config_dump_to(FILE *stream, const struct config *config)
{
	json_auto_t *values = describe(config, OPTION_COMMAND_LINE);

	yaml_put(stream, values, false);
}

enum exit_code config_dump(const struct config *config)
{
	const char *verb = verb_name(config->verb);
	size_t length;
	char *text = TEXT_WRITTEN(stream, &length,
				  fprintf(stream, "# The configuration in force, for: xdp-mlr %s --config FILE\n", verb),
				  config_dump_to(stream, config));

	return output_text(text, length);
}
