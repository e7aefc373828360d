/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/markup.h"

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

void markup_escape(FILE *stream, const char *text)
{
	for (; *text; text++) {
		const char *replacement = escaped((unsigned char)*text);
		size_t control = plain_control(text);

		if (control)
			fputs("\xef\xbf\xbd", stream);
		else if (replacement)
			fputs(replacement, stream);
		else
			fputc(*text, stream);
		text += control ? control - 1 : 0;
	}
}
