/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The address by which a link is known wherever it is moved, whatever address it is given. */
#include "../test.h"
#include "netdev/netlink.h"

static void the_permanent_address_wins_where_there_is_one(void **state)
{
	struct link_info link = { .mac = { 2, 0, 0, 0, 0, 1 } };
	char identity[MAC_TEXT_SIZE];

	(void)state;
	link_identity(&link, identity);
	assert_string_equal(identity, "02:00:00:00:00:01");
	link.permanent_mac[0] = 0xa0;
	link.permanent_mac[5] = 0xff;
	link_identity(&link, identity);
	assert_string_equal(identity, "a0:00:00:00:00:ff");
	link.mac[5] = 9;
	link_identity(&link, identity);
	assert_string_equal(identity, "a0:00:00:00:00:ff");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_permanent_address_wins_where_there_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
