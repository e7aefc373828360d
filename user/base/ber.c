/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/ber.h"

#include <stddef.h>

bool ber_take(struct ber *ber, uint8_t type, struct ber *ret_content)
{
	size_t octets, room = (size_t)(ber->end - ber->at), header = 2;

	if (room < header || ber->at[0] != type)
		return false;
	octets = ber->at[1];
	if (octets == 0x81 || octets == 0x82) {
		header += octets - 0x80;
		if (room < header)
			return false;
		octets = header == 3 ? ber->at[2] : (size_t)ber->at[2] << 8 | ber->at[3];
	} else if (octets > 0x80) {
		return false;
	}
	if (octets > room - header)
		return false;
	*ret_content = (struct ber){ ber->at + header, ber->at + header + octets };
	ber->at = ret_content->end;
	return true;
}

bool ber_take_any(struct ber *ber, uint8_t *ret_type, struct ber *ret_content)
{
	if (ber->at == ber->end)
		return false;
	*ret_type = *ber->at;
	return ber_take(ber, *ret_type, ret_content);
}

bool ber_take_number(struct ber *ber, uint32_t *ret)
{
	struct ber content;

	if (!ber_take(ber, BER_INTEGER, &content) || content.at == content.end || content.end - content.at > 4)
		return false;
	*ret = 0;
	for (; content.at < content.end; content.at++)
		*ret = *ret << 8 | *content.at;
	return true;
}
