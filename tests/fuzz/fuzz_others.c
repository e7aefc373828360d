/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verify: a CSV of trials with goals that another program wrote, and the same as JSON, as far as it becomes a search. */
#include "fuzz.h"
#include "result/others.h"
#include "result/verify.h"

static void audit(json_t *search)
{
	json_t *contradictions = search ? verify_document(search) : NULL;

	json_decref(contradictions);
	json_decref(search);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *search = NULL, *json;

	if (others_csv(fuzz_file(data, size), &search) == EXIT_DONE)
		audit(search);
	json = json_loadb((const char *)data, size, 0, NULL);
	if (json)
		audit(others_search(json));
	json_decref(json);
	return 0;
}
