/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netlink answers from octets: the first says who reads them, what follows is the family's header and attributes. With a
 * mutator that knows attributes: it changes their types and lengths, cuts them, puts them into one another and appends new
 * ones. Include it once.
 */
#ifndef TESTS_FUZZ_NETLINK_H
#define TESTS_FUZZ_NETLINK_H

#include "fuzz.h"

/* Who reads answers, and how long their family's header is. */
struct reader {
	mnl_cb_t read;
	size_t family_octets;
};

static void tell(const struct reader *readers, size_t count, void *context, const uint8_t *data, size_t size)
{
	const struct reader *reader = &readers[size ? data[0] % count : 0];
	struct nlmsghdr *answer;
	struct request request;

	if (!size)
		return;
	answer = malloc(sizeof(*answer) + size - 1); /* no more: what is read beyond is found */
	*answer = (struct nlmsghdr){ .nlmsg_len = (uint32_t)(sizeof(*answer) + size - 1), .nlmsg_type = NLMSG_MIN_TYPE };
	memcpy(answer + 1, data + 1, size - 1);
	request_start(&request, 0, 0, reader->family_octets);
	take_answers(&request, answer, answer->nlmsg_len, 0, reader->read, context);
	free(answer);
}

#define FAMILY_OCTETS_MOST 16

static size_t append_attribute(uint8_t *data, size_t size, size_t most, unsigned int *seed)
{
	static const uint8_t sizes[] = { 0, 1, 2, 4, 4, 4, 6, 8, 12, 16, 16, 24, 192 };
	struct nlattr attribute = { .nla_type = (uint16_t)fuzz_random(seed, 64) };
	size_t octets = sizes[fuzz_random(seed, sizeof(sizes))];

	size = (size + 2) / 4 * 4 + 1; /* aligned, behind the first octet */
	if (size + sizeof(attribute) + octets > most)
		return size < most ? size : most;
	attribute.nla_len = (uint16_t)(sizeof(attribute) + octets);
	memcpy(data + size, &attribute, sizeof(attribute));
	for (size_t i = 0; i < octets; i++)
		data[size + sizeof(attribute) + i] =
			(uint8_t)(fuzz_random(seed, 4) ? fuzz_random(seed, 4) : fuzz_random(seed, 256));
	return size + sizeof(attribute) + octets;
}

/* A place where an attribute may begin. */
static size_t some_place(size_t size, unsigned int *seed)
{
	return 1 + fuzz_random(seed, (uint32_t)((size - 1 - sizeof(struct nlattr)) / 4 + 1)) * 4;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	struct nlattr attribute;
	size_t at;

	if (size < 1 + FAMILY_OCTETS_MOST + sizeof(attribute)) {
		memset(data + size, 0,
		       1 + FAMILY_OCTETS_MOST - (size < 1 + FAMILY_OCTETS_MOST ? size : 1 + FAMILY_OCTETS_MOST));
		data[0] = (uint8_t)fuzz_random(&seed, 256);
		return append_attribute(data, 1 + FAMILY_OCTETS_MOST, most, &seed);
	}
	at = some_place(size, &seed);
	memcpy(&attribute, data + at, sizeof(attribute));
	switch (fuzz_random(&seed, 6)) {
	case 0:
		return LLVMFuzzerMutate(data, size, most);
	case 1:
		attribute.nla_type = (uint16_t)fuzz_random(&seed, 64);
		break;
	case 2:
		attribute.nla_len = (uint16_t)fuzz_random(&seed, 24);
		break;
	case 3: /* all that follows is in it */
		attribute.nla_len = (uint16_t)(size - at);
		attribute.nla_type |= NLA_F_NESTED;
		break;
	case 4:
		return at + sizeof(attribute) + fuzz_random(&seed, (uint32_t)(size - at - sizeof(attribute) + 1));
	default:
		return append_attribute(data, size, most, &seed);
	}
	memcpy(data + at, &attribute, sizeof(attribute));
	return size;
}

#endif
