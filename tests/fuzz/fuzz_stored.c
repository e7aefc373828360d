/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --resume and --replay: a stored search, its options and its trials. */
#include "config/configure.h"
#include "json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[] = { "xdp-mlr", "search", "--replay", (char *)fuzz_file(data, size), NULL };
	struct config config;
	bool finished;

	if (config_read(4, argv, &config, &finished) == EXIT_DONE)
		config_free(&config);
	return 0;
}
