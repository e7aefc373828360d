/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare: a document against the last one that was a result, or against itself; one of them, by its length. */
#include "cli/verb_report.c"
#include "config/configure.h"
#include "config/given.h"
#include "json.h"

static void compare_with(const struct config *config, const json_t *a, const json_t *b)
{
	json_t *document = NULL;

	compare_documents(config, a, b, &document);
	json_decref(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct config config;
	static json_t *before;
	json_t *a = NULL, *b;

	if (!config.given && config_of_values(VERB_COMPARE, calloc(1, sizeof(struct given_list)), &config) != EXIT_DONE)
		abort();
	if (read_result(fuzz_file(data, size), &a) != EXIT_DONE) {
		json_decref(a);
		return 0;
	}
	switch (size % 4) {
	case 0:
		compare_with(&config, a, a);
		break;
	case 1:
		b = json_deep_copy(a);
		json_object_del(b, "controller_input");
		compare_with(&config, a, b);
		json_decref(b);
		break;
	case 2:
		compare_with(&config, before ? before : a, a);
		break;
	default:
		compare_with(&config, a, before ? before : a);
	}
	json_decref(before);
	before = a;
	return 0;
}
