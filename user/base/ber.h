/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These functions read elements of a message in BER, as SNMP has them. The message belongs to the caller. A reader begins with all of it,
 * and each call takes the next element. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { BER_INTEGER = 0x02, BER_TEXT = 0x04, BER_NULL = 0x05, BER_OBJECT = 0x06, BER_SEQUENCE = 0x30 };

/* The rest of a message, or of an element. */
struct ber {
	const uint8_t *at, *end;
};

/* Go into, and past, an element of this type with a length of one or two octets. */
bool ber_take(struct ber *ber, uint8_t type, struct ber *ret_content);
/* Take an element of any type. */
bool ber_take_any(struct ber *ber, uint8_t *ret_type, struct ber *ret_content);
/* Take an INTEGER of at most four octets, as a number without a sign. */
bool ber_take_number(struct ber *ber, uint32_t *ret);
