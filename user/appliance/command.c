/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/runner.h"

#include <stdarg.h>
#include <string.h>

#include "base/message.h"
#include "base/text_stream.h"

void command_add(struct command *command, ...)
{
	va_list words;
	const char *word;

	va_start(words, command);
	while ((word = va_arg(words, const char *)) && command->count < COMMAND_WORDS_MAX)
		command->words[command->count++] = word;
	va_end(words);
	command->words[command->count] = NULL;
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
	command_add(ret, appliance->places.xdp_mlr, run_is_sut(run) ? "lab" : run->verb, NULL);
	if (run_is_sut(run))
		command_add(ret, "on", NULL);
	command_add(ret, "--config", appliance->places.config, NULL);
	if (*run->name)
		command_add(ret, "--run", run->name, NULL);
	if (run->ports.count)
		command_add(ret, "--ports", settings_port_list(&run->ports, ret->ports), NULL);
	for (const char *word = appliance->overrides; word && *word; word += strlen(word) + 1)
		command_add(ret, word, NULL);
}

void command_say(struct appliance *appliance, const struct command *command)
{
	char text[RECORD_LINE_MOST] = "running: xdp-mlr";

	for (size_t i = 1; i < command->count; i++)
		text_add(text, sizeof(text), " %s", command->words[i]);
	appliance_say(appliance, "%s", text);
}
