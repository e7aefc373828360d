/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/markup.h"

#include <stdbool.h>

#include "base/plain.h"

const char html_style[] =
#include "style.inc"
	;

static const char *escaped(unsigned char character)
{
	switch (character) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* Return how many octets of a character stand here that XML does not have: a control, U+FFFE or U+FFFF; 0: of none. */
static size_t foreign(const char *text)
{
	bool is_none = *text == '\xef' && text[1] == '\xbf' && (text[2] == '\xbe' || text[2] == '\xbf');

	return is_none ? 3 : plain_control(text);
}

void markup_escape(FILE *stream, const char *text)
{
	for (; *text; text++) {
		const char *replacement = escaped((unsigned char)*text);
		size_t octets = foreign(text);

		if (octets)
			fputs("\xef\xbf\xbd", stream);
		else if (replacement)
			fputs(replacement, stream);
		else
			fputc(*text, stream);
		text += octets ? octets - 1 : 0;
	}
}
