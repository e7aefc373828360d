/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SNMP queries, and what is an answer to one. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../test.h"
#include "port/snmp.h"

/* As net-snmp's agent answers query number 0x01020304: 1.3.6.1.2.1.1.3.0 = 1000 ticks. */
static const uint8_t answer[] = {
	0x30, 45,   0x02, 1, 0,    0x04, 6,    'p', 'u',  'b', 'l',  'i', 'c', 0xa2, 32, 0x02, 4, 1, 2,    3, 4, 0x02, 1,
	0,    0x02, 1,    0, 0x30, 18,   0x30, 16,  0x06, 8,   0x2b, 6,   1,   2,    1,  1,    3, 0, 0x43, 2, 3, 0xe8,
};

static void a_query_is_the_message_of_the_rfc(void **state)
{
	static const uint8_t object[] = { 0x06, 7, 0x2b, 6, 1, 2, 1, 1, 3, 0x05, 0 };
	uint8_t query[SNMP_QUERY_OCTETS];

	(void)state;
	snmp_query(0x81020304, query);
	assert_int_equal(query[0], 0x30);
	assert_int_equal(query[1], sizeof(query) - 2);
	assert_memory_equal(query + 5, "\x04\x06public", 8);
	assert_int_equal(query[13], 0xa1);
	assert_int_equal(query[14], sizeof(query) - 15);
	assert_memory_equal(query + 15, "\x02\x04\x01\x02\x03\x04", 6);
	assert_int_equal(query[28], sizeof(query) - 29);
	assert_memory_equal(query + 31, object, sizeof(object));
}

static void an_answer_is_known_by_its_number(void **state)
{
	uint8_t message[sizeof(answer)];
	uint32_t number = 0;

	(void)state;
	memcpy(message, answer, sizeof(answer));
	message[1] = sizeof(answer) - 2;
	message[14] = sizeof(answer) - 15;
	assert_true(snmp_is_answer(message, sizeof(message), &number));
	assert_int_equal(number, 0x01020304);
	message[23] = 2; /* noSuchName */
	assert_false(snmp_is_answer(message, sizeof(message), &number));
	message[23] = 0;
	message[13] = 0xa1; /* a query, not a response */
	assert_false(snmp_is_answer(message, sizeof(message), &number));
}

static void what_is_cut_or_damaged_is_survived(void **state)
{
	unsigned int seed = (unsigned int)time(NULL);
	uint32_t number;

	(void)state;
	print_message("seed %u\n", seed);
	srandom(seed);
	for (size_t cut = 0; cut < 24; cut++)
		assert_false(snmp_is_answer(answer, cut, &number));
	for (int i = 0; i < 300000; i++) {
		size_t octets = (size_t)random() % (sizeof(answer) + 1);
		uint8_t *message = malloc(octets + 1);

		assert_non_null(message);
		memcpy(message, answer, octets);
		for (long damage = random() % 4; octets && damage > 0; damage--)
			message[(size_t)random() % octets] = (uint8_t)random();
		snmp_is_answer(message, octets, &number);
		free(message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_query_is_the_message_of_the_rfc),
		cmocka_unit_test(an_answer_is_known_by_its_number),
		cmocka_unit_test(what_is_cut_or_damaged_is_survived),
	};

	return cmocka_run_group_tests_name("snmp", tests, NULL, NULL);
}
