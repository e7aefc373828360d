/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/echo.h"

#include "config/options.h"
#include "config/options_read.h"

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
