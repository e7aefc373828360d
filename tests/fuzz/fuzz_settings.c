/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The appliance's section of a configuration. */
#include "appliance/settings.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[SETTINGS_ERROR_SIZE];
	struct settings settings;

	if (!settings_read(fuzz_file(data, size), NULL, &settings, error))
		return 0;
	settings_print(stdout, &settings);
	settings_free(&settings);
	return 0;
}
