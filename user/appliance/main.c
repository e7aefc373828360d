/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xdp-mlr-appliance: the program of the appliance that runs xdp-mlr. docs/appliance.md.
 *
 *	xdp-mlr-appliance --settings FILE     the `appliance:` section for a shell script, as NAME=VALUE
 */
#include <getopt.h>
#include <stdio.h>

#include "say.h"
#include "settings.h"

static enum exit_code show_settings(const char *path)
{
	static struct settings settings;
	char error[SETTINGS_ERROR_SIZE];

	if (!settings_read(path, &settings, error)) {
		fprintf(stderr, "%s\n", error);
		return EXIT_USAGE_ERROR;
	}
	settings_print(stdout, &settings);
	settings_free(&settings);
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "settings", required_argument, NULL, 's' }, { 0 } };

	if (getopt_long(argc, argv, "", options, NULL) == 's' && optind == argc)
		return show_settings(optarg);
	fputs("Usage: xdp-mlr-appliance --settings FILE\n", stderr);
	return EXIT_USAGE_ERROR;
}
