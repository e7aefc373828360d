/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/command.h"

#include <stdio.h>
#include <string.h>

void command_add(struct command *command, const char *word)
{
	if (command->count == COMMAND_WORDS_MAX)
		return;
	command->words[command->count++] = word;
	command->words[command->count] = NULL;
}

void command_option(struct command *command, const char *name, const char *value)
{
	command_add(command, name);
	command_add(command, value);
}

bool run_is_sut(const struct run_settings *run)
{
	return strcmp(run->verb, "sut") == 0;
}

bool run_takes_notes(const struct run_settings *run)
{
	return strcmp(run->verb, "probe") != 0 && !run_is_sut(run);
}

void command_of_run(const struct appliance *appliance, struct command *ret)
{
	const struct run_settings *run = appliance_run(appliance);

	ret->count = 0;
	command_add(ret, appliance->places.xdp_mlr);
	if (run_is_sut(run))
		command_option(ret, "lab", "on");
	else
		command_add(ret, run->verb);
	command_option(ret, "--config", appliance->places.config);
	if (*run->name)
		command_option(ret, "--run", run->name);
	if (run->ports.count)
		command_option(ret, "--ports", settings_port_list(&run->ports, ret->ports));
	for (const char *word = appliance->overrides; word && *word; word += strlen(word) + 1)
		command_add(ret, word);
}

void command_say(struct appliance *appliance, const struct command *command)
{
	char text[RECORD_LINE_MOST];
	size_t used = (size_t)snprintf(text, sizeof(text), "running: xdp-mlr");

	for (size_t i = 1; i < command->count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " %s", command->words[i]);
	appliance_say(appliance, "%s", text);
}
