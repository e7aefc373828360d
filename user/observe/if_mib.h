/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions write requests for columns of the IF-MIB (RFC 2863) by SNMPv2c, and read the answers. They are pure, and
 * buffers belong to the caller. GetBulk asks for a column from its beginning, and then from behind the last row of each
 * answer. An answer with fewer rows than asked for is the last.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IF_MIB_MESSAGE_MOST 1472 /* octets: a message fits a frame */
#define IF_MIB_ROWS         16   /* rows of an answer */

struct if_mib_column {
	const char *name;
	bool is_extension; /* The column belongs to ifXTable; otherwise to ifTable. */
	uint8_t number;
};

/* A row of an answer. */
struct if_mib_row {
	uint32_t index;      /* ifIndex */
	uint64_t value;      /* value of a counter */
	bool is_64;          /* It is a Counter64. Others wrap at 2^32. */
	const uint8_t *text; /* text of a name, inside the message */
	size_t text_octets;
};

/* Write the request with this number for rows behind `after` (0: the first). Returns its octets; 0: the community is too long. */
size_t if_mib_request(const char *community, uint32_t number, const struct if_mib_column *column, uint32_t after,
		      uint8_t ret[IF_MIB_MESSAGE_MOST]);
/* Read an answer. Returns how many rows of the column it has, or -1: it is no answer to this request. */
int if_mib_answer(const uint8_t *message, size_t octets, uint32_t number, const struct if_mib_column *column,
		  struct if_mib_row ret[IF_MIB_ROWS]);
