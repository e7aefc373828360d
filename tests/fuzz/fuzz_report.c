/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: a stored document of anybody's, held against its schema, and rendered in every form. */
#include "cli/verb_report.c"
#include "json.h"
#include "render/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	json_t *document;

	if (stored_document(path, &document) != EXIT_DONE)
		return 0;
	if (check(path, document) == EXIT_DONE)
		for (int form = 0; form <= (int)DOCUMENT_TEXT; form++)
			free(render(document, (enum document_form)form, (struct render_style){ .columns = 80 }, &size));
	json_decref(document);
	return 0;
}
