/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --config: YAML. */
#include "config/configure.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[] = { "xdp-mlr", "search", "--config", (char *)fuzz_file(data, size), NULL };
	struct config config;
	bool finished;

	/* what other files it names is not to be found out here */
	if (memmem(data, size, "/", 1))
		return 0;
	if (config_read(4, argv, &config, &finished) == EXIT_DONE)
		config_free(&config);
	return 0;
}
