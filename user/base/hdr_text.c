/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/hdr_text.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/base64.h"
#include "base/exit_code.h"

#define COOKIE    0x1c849314u /* V2, compressed */
#define HEADER    8           /* octets of cookie and length */
#define TEXT_MOST (4 * MLR_HDR_OCTETS_MAX)

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
