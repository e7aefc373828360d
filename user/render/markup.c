/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/markup.h"

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
		break;
	}
	if ((character < ' ' && character != '\n' && character != '\t') || character == 0x7f)
		return "\xef\xbf\xbd";
	return NULL;
}

void markup_escape(FILE *stream, const char *text)
{
	for (; *text; text++) {
		const char *replacement = escaped((unsigned char)*text);

		if (replacement)
			fputs(replacement, stream);
		else
			fputc(*text, stream);
	}
}
