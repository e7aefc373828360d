/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: a stored document of anybody's, held against its schema, and rendered. In one form each, by its length: to render in all
 * of them takes most of the time. */
#include "cli/verb_report.c"
#include "json.h"
#include "render/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	json_t *document = NULL, *other = NULL;

	/* as a command that has left its privileges reads it, so its trials are packed */
	if (stored_or_other(path, &document, &other) != EXIT_DONE)
		return 0;
	json_decref(other);
	if (document && check(path, document) == EXIT_DONE)
		free(render(document, (enum document_form)(size % (DOCUMENT_JUNIT + 1)),
			    (struct render_style){ .columns = 80 }, &size));
	json_decref(document);
	return 0;
}
