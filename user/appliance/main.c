/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xdp-mlr-appliance: the program of the appliance that runs xdp-mlr. docs/appliance.md.
 *
 *	xdp-mlr-appliance [--override FILE] --settings FILE
 *
 * --settings shows the `appliance:` section for a shell script, as NAME=VALUE; --override is what goes on top of it (settings.h).
 */
#include <getopt.h>
#include <stdio.h>

#include "say.h"
#include "settings.h"

static enum exit_code show_settings(const char *path, const char *overrides)
{
	static struct settings settings;
	char error[SETTINGS_ERROR_SIZE];

	if (!settings_read_over(path, overrides, &settings, error)) {
		fprintf(stderr, "%s\n", error);
		return EXIT_USAGE_ERROR;
	}
	settings_print(stdout, &settings);
	settings_free(&settings);
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "settings", required_argument, NULL, 's' },
						 { "override", required_argument, NULL, 'o' },
						 { 0 } };
	const char *path = NULL, *overrides = NULL;

	for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
		if (option == 's')
			path = optarg;
		else if (option == 'o')
			overrides = optarg;
		else
			return EXIT_USAGE_ERROR;
	if (path && optind == argc)
		return show_settings(path, overrides);
	fputs("Usage: xdp-mlr-appliance [--override FILE] --settings FILE\n", stderr);
	return EXIT_USAGE_ERROR;
}
