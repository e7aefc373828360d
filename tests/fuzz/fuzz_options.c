/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of options, a line each: "search", then "load=80%", "vary=..." and so on. Those that name files are left
 * out. */
#include "config/configure.h"
#include "config/given.h"
#include "fuzz.h"

static const struct option *option_of(const char *line, size_t *ret_length)
{
	*ret_length = strcspn(line, "=");
	for (size_t i = 0; i < option_count; i++)
		if (strlen(options[i].name) == *ret_length && !strncmp(options[i].name, line, *ret_length))
			return options[i].argument && !strstr(options[i].argument, "FILE") &&
					       !strstr(options[i].argument, "DIR")
				       ? &options[i]
				       : NULL;
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum verb verbs[] = { VERB_SEARCH, VERB_TRIAL, VERB_SOAK, VERB_RFC2544, VERB_COMPARE, VERB_PROBE };
	struct given_list *list = calloc(1, sizeof(*list));
	char *text = fuzz_text(data, size), *rest = text, *line;
	enum verb verb = verbs[size ? data[0] % (sizeof(verbs) / sizeof(*verbs)) : 0];
	struct config config;
	size_t length;

	for (line = strsep(&rest, "\n"); (line = strsep(&rest, "\n"));) {
		const struct option *option = option_of(line, &length);

		if (option && option_belongs(option, verb) && line[length] == '=')
			given_add(list, &(struct given){ .option = option, .text = line + length + 1 });
	}
	if (config_of_values(verb, list, &config) == EXIT_DONE)
		config_free(&config);
	free(text);
	return 0;
}
