/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that grows: open_memstream(), and its end. */
#ifndef XDP_MLR_BASE_TEXT_STREAM_H
#define XDP_MLR_BASE_TEXT_STREAM_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* End a stream of open_memstream(): its text, which the caller frees; NULL if not all of it found room. */
static inline char *text_stream_end(FILE *stream, char **text)
{
	bool failed = ferror(stream);

	if (!fclose(stream) && !failed)
		return *text;
	free(*text);
	*text = NULL;
	return NULL;
}

#endif
