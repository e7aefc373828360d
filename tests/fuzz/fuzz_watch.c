/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of a run, a line each, and its metrics, as the appliance takes them; and the view that it draws of them. */
#include "appliance/watch.h"
#include "json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = text, *line, summary[WATCH_SUMMARY_SIZE];
	struct watch watch;

	watch_begin(&watch, "search");
	watch_metrics(&watch, text);
	while ((line = strsep(&rest, "\n"))) {
		json_t *event = json_loads(line, JSON_REJECT_DUPLICATES, NULL);

		watch_event(&watch, event);
		watch_summary(event, summary);
		json_decref(event);
	}
	free(view_render(&watch.view, (struct view_style){ .columns = 80, .rows = 24 }));
	free(text);
	return 0;
}
