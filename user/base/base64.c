/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base64.h"

#include <string.h>

#include "base/text_stream.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_put(FILE *stream, const uint8_t *octets, size_t length, size_t line)
{
	for (size_t i = 0; i < length; i += 3) {
		size_t rest = length - i;
		unsigned int bits = (unsigned int)octets[i] << 16 | (rest > 1 ? (unsigned int)octets[i + 1] << 8 : 0) |
				    (rest > 2 ? octets[i + 2] : 0);

		if (line && i && i % (line / 4 * 3) == 0)
			fputc('\n', stream);
		fputc(digits[bits >> 18], stream);
		fputc(digits[bits >> 12 & 63], stream);
		fputc(rest > 1 ? digits[bits >> 6 & 63] : '=', stream);
		fputc(rest > 2 ? digits[bits & 63] : '=', stream);
	}
}

char *base64_text(const void *octets, size_t length)
{
	return TEXT_WRITTEN(stream, NULL, base64_put(stream, octets, length, 0));
}

size_t base64_read(const char *text, uint8_t *octets)
{
	size_t length = 0;
	unsigned int bits = 0, count = 0;

	for (; *text && *text != '='; text++) {
		const char *digit = strchr(digits, *text);

		if (!digit)
			return 0;
		bits = bits << 6 | (unsigned int)(digit - digits);
		count += 6;
		if (count >= 8)
			octets[length++] = (uint8_t)(bits >> (count -= 8));
	}
	return text[strspn(text, "=")] ? 0 : length;
}
