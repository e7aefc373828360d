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

void markup_base64(FILE *stream, const unsigned char *data, size_t length, size_t line)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < length; i += 3) {
		size_t rest = length - i;
		unsigned int bits = (unsigned int)data[i] << 16 | (rest > 1 ? (unsigned int)data[i + 1] << 8 : 0) |
				    (rest > 2 ? data[i + 2] : 0);

		if (line && i && i % (line / 4 * 3) == 0)
			fputc('\n', stream);
		fputc(digits[bits >> 18], stream);
		fputc(digits[bits >> 12 & 63], stream);
		fputc(rest > 1 ? digits[bits >> 6 & 63] : '=', stream);
		fputc(rest > 2 ? digits[bits & 63] : '=', stream);
	}
}
