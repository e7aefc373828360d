/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/writer.h"

FILE *writer_no_figure(struct writer *writer, const char *caption)
{
	(void)writer;
	(void)caption;
	return NULL;
}

void writer_no_figure_end(struct writer *writer, const char *explanation)
{
	(void)writer;
	(void)explanation;
}
