/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/hdr_text.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/exit_code.h"

#define COOKIE        0x1c849314u /* V2, compressed */
#define HEADER        8           /* cookie and length */
#define TEXT_MOST     (4 * MLR_HDR_OCTETS_MAX)
#define BASE64_LENGTH 4 /* digits for three octets */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* NULL without memory. */
static char *base64_text(const uint8_t *octets, size_t length)
{
	char *text = malloc((length + 2) / 3 * BASE64_LENGTH + 1), *to = text;

	for (size_t i = 0; text && i < length; i += 3) {
		size_t rest = length - i;
		unsigned int bits = (unsigned int)octets[i] << 16 | (rest > 1 ? (unsigned int)octets[i + 1] << 8 : 0) |
				    (rest > 2 ? octets[i + 2] : 0);

		*to++ = digits[bits >> 18];
		*to++ = digits[bits >> 12 & 63];
		*to++ = rest > 1 ? digits[bits >> 6 & 63] : '=';
		*to++ = rest > 2 ? digits[bits & 63] : '=';
	}
	if (text)
		*to = '\0';
	return text;
}

/* Return how many octets the text stands for; 0: it is no base64. */
static size_t base64_read(const char *text, uint8_t *octets)
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

char *hdr_text(const struct mlr_delays *delays)
{
	owned struct mlr_hdr *hdr = calloc(1, sizeof(*hdr));
	owned uint8_t *plain = malloc(MLR_HDR_OCTETS_MAX), *packed = malloc(HEADER + compressBound(MLR_HDR_OCTETS_MAX));
	uLongf length = compressBound(MLR_HDR_OCTETS_MAX);
	uint32_t header[2];

	if (!hdr || !plain || !packed)
		return NULL;
	mlr_hdr_add(hdr, delays);
	if (compress2(packed + HEADER, &length, plain, mlr_hdr_encode(hdr, plain), Z_BEST_COMPRESSION) != Z_OK)
		return NULL;
	header[0] = htobe32(COOKIE);
	header[1] = htobe32((uint32_t)length);
	memcpy(packed, header, sizeof(header));
	return base64_text(packed, HEADER + length);
}

int hdr_read(struct mlr_hdr *hdr, const char *text)
{
	size_t text_length = strnlen(text, TEXT_MOST), length;
	owned uint8_t *packed = malloc(text_length + 1), *plain = malloc(MLR_HDR_OCTETS_MAX);
	uLongf plain_length = MLR_HDR_OCTETS_MAX;
	uint32_t header[2];

	if (!packed || !plain)
		return -ENOMEM;
	length = text_length < TEXT_MOST ? base64_read(text, packed) : 0;
	if (length < HEADER)
		return -EINVAL;
	memcpy(header, packed, sizeof(header));
	if (be32toh(header[0]) != COOKIE || be32toh(header[1]) != length - HEADER ||
	    uncompress(plain, &plain_length, packed + HEADER, length - HEADER) != Z_OK)
		return -EINVAL;
	return mlr_hdr_decode(hdr, plain, plain_length);
}
