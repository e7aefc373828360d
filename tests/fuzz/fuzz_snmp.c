/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An SNMP message that may be the answer to a query. */
#include "fuzz.h"
#include "port/snmp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t number;

	snmp_is_answer(data, size, &number);
	return 0;
}

/* The answer to a query, and then something else. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	if (most < SNMP_QUERY_OCTETS || fuzz_random(&seed, 4))
		return LLVMFuzzerMutate(data, size, most);
	snmp_query(fuzz_random(&seed, UINT32_MAX), data);
	for (size_t i = 0; i < SNMP_QUERY_OCTETS; i++)
		data[i] = data[i] == 0xa1 ? 0xa2 : data[i]; /* GetNextRequest, GetResponse */
	return LLVMFuzzerMutate(data, SNMP_QUERY_OCTETS, most);
}
