/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "observe/if_mib.h"

#include <string.h>

#include "base/ber.h"

#define COMMUNITY_MOST 64
#define INDEX_OCTETS   5 /* octets of a number of 32 bits, seven bits in each */
#define GET_BULK       0xa5
#define RESPONSE       0xa2
#define COUNTER_64     0x46

/* The objects 1.3.6.1.2.1.2.2.1 and 1.3.6.1.2.1.31.1.1.1, without the column. */
static const uint8_t table[] = { 0x2b, 6, 1, 2, 1, 2, 2, 1 };
static const uint8_t extension[] = { 0x2b, 6, 1, 2, 1, 31, 1, 1, 1 };

static size_t put_object(const struct if_mib_column *column, uint8_t *ret)
{
	size_t octets = column->is_extension ? sizeof(extension) : sizeof(table);

	memcpy(ret, column->is_extension ? extension : table, octets);
	ret[octets] = column->number;
	return octets + 1;
}

static size_t put_index(uint32_t index, uint8_t *ret)
{
	size_t octets = 0;

	for (int shift = 28; shift >= 0; shift -= 7)
		if (index >> shift || !shift)
			ret[octets++] = (uint8_t)((index >> shift & 0x7f) | (shift ? 0x80 : 0));
	return octets;
}

/* Put a header of less than 128 octets before the content, which moves. */
static size_t wrap(uint8_t type, uint8_t *content, size_t octets)
{
	memmove(content + 2, content, octets);
	content[0] = type;
	content[1] = (uint8_t)octets;
	return octets + 2;
}

static size_t put_variable(const struct if_mib_column *column, uint32_t after, uint8_t *ret)
{
	size_t octets = put_object(column, ret);

	if (after)
		octets += put_index(after, ret + octets);
	octets = wrap(BER_OBJECT, ret, octets);
	ret[octets++] = BER_NULL;
	ret[octets++] = 0;
	return wrap(BER_SEQUENCE, ret, wrap(BER_SEQUENCE, ret, octets));
}

size_t if_mib_request(const char *community, uint32_t number, const struct if_mib_column *column, uint32_t after,
		      uint8_t ret[IF_MIB_MESSAGE_MOST])
{
	const uint8_t head[] = { BER_INTEGER,
				 4,
				 number >> 24 & 0x7f,
				 (uint8_t)(number >> 16),
				 (uint8_t)(number >> 8),
				 (uint8_t)number,
				 BER_INTEGER,
				 1,
				 0,
				 BER_INTEGER,
				 1,
				 IF_MIB_ROWS };
	size_t length = strlen(community), octets = 0;
	uint8_t *pdu;

	if (!length || length > COMMUNITY_MOST)
		return 0;
	ret[octets++] = BER_INTEGER;
	ret[octets++] = 1;
	ret[octets++] = 1; /* version 2c */
	ret[octets++] = BER_TEXT;
	ret[octets++] = (uint8_t)length;
	memcpy(ret + octets, community, length);
	pdu = ret + octets + length;
	memcpy(pdu, head, sizeof(head));
	octets = wrap(GET_BULK, pdu, sizeof(head) + put_variable(column, after, pdu + sizeof(head)));
	return wrap(BER_SEQUENCE, ret, (size_t)(pdu - ret) + octets);
}

/* Read the index of a row. Returns false if the object is not one of the column. */
static bool read_index(struct ber object, const struct if_mib_column *column, uint32_t *ret)
{
	uint8_t beginning[16];
	size_t octets = put_object(column, beginning), left;

	if ((size_t)(object.end - object.at) <= octets || memcmp(object.at, beginning, octets))
		return false;
	object.at += octets;
	left = (size_t)(object.end - object.at);
	if (left > INDEX_OCTETS || object.end[-1] & 0x80)
		return false;
	*ret = 0;
	for (; object.at < object.end; object.at++) {
		if (object.at + 1 < object.end && !(*object.at & 0x80))
			return false; /* two numbers */
		*ret = *ret << 7 | (*object.at & 0x7f);
	}
	return true;
}

/* Read the next variable. Returns false if it is not one of the column. */
static bool read_row(struct ber *variables, const struct if_mib_column *column, struct if_mib_row *ret)
{
	struct ber variable, object, value;
	uint8_t type;

	*ret = (struct if_mib_row){ 0 };
	if (!ber_take(variables, BER_SEQUENCE, &variable) || !ber_take(&variable, BER_OBJECT, &object) ||
	    !ber_take_any(&variable, &type, &value) || !read_index(object, column, &ret->index))
		return false;
	ret->is_64 = type == COUNTER_64;
	ret->text = value.at;
	ret->text_octets = (size_t)(value.end - value.at);
	for (size_t i = 0; i < ret->text_octets && ret->text_octets <= 9; i++)
		ret->value = ret->value << 8 | value.at[i];
	return type != 0x80 && type != 0x81 && type != 0x82; /* noSuchObject, noSuchInstance, endOfMibView */
}

int if_mib_answer(const uint8_t *message, size_t octets, uint32_t number, const struct if_mib_column *column,
		  struct if_mib_row ret[IF_MIB_ROWS])
{
	struct ber ber = { message, message + octets }, content, community, response, variables;
	uint32_t version, found, error, index;
	int count = 0;

	if (!ber_take(&ber, BER_SEQUENCE, &content) || !ber_take_number(&content, &version) || version != 1 ||
	    !ber_take(&content, BER_TEXT, &community) || !ber_take(&content, RESPONSE, &response) ||
	    !ber_take_number(&response, &found) || found != (number & 0x7fffffff) || !ber_take_number(&response, &error) ||
	    error || !ber_take_number(&response, &index) || !ber_take(&response, BER_SEQUENCE, &variables))
		return -1;
	while (count < IF_MIB_ROWS && read_row(&variables, column, &ret[count]))
		count++;
	return count;
}
