/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of an HTTP request the appliance reads itself: the path, and the secret. libmicrohttpd reads the rest. */
#include "appliance/http_server.c"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), same[64];
	enum results_form form;
	unsigned int number = parse_result(text, &form);

	if (number) {
		snprintf(same, sizeof(same), "/results/%u.%s", number, form == RESULTS_JSON ? "json" : "html");
		if (strcmp(same, text) != 0)
			abort();
	}
	if (same_secret(text, "0123456789abcdef") != !strcmp(text, "0123456789abcdef"))
		abort();
	free(text);
	return 0;
}
