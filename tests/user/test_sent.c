/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By which counter a NIC's frames are counted, of readings as drivers give them. */
#include "../test.h"
#include "netdev/sent.h"

/* A reading before and after, by each counter. */
static uint64_t between(struct link_sent before, struct link_sent after, uint64_t expected)
{
	return link_sent_between(&before, &after, expected);
}

static void the_standard_counter_is_believed_first(void **state)
{
	(void)state;
	/* igb: all is in it; what else moved meanwhile says no more */
	assert_int_equal(between((struct link_sent){ { 10, 3, 0 } }, (struct link_sent){ { 110, 500, 700 } }, 100), 100);
	assert_int_equal(between((struct link_sent){ { 10, 0, 0 } }, (struct link_sent){ { 114, 0, 0 } }, 100), 104);
}

static void zero_copy_frames_may_be_in_another(void **state)
{
	(void)state;
	/* virtio_net: 14 frames of the kernel's, and ours by name only */
	assert_int_equal(between((struct link_sent){ { 0, 0, 250 } }, (struct link_sent){ { 14, 14, 500 } }, 250), 250);
	/* by queue: names are not looked at */
	assert_int_equal(between((struct link_sent){ { 5, 5, 0 } }, (struct link_sent){ { 5, 105, 300 } }, 100), 100);
}

static void who_sent_too_few_is_found_out(void **state)
{
	(void)state;
	assert_int_equal(between((struct link_sent){ { 7, 7, 250 } }, (struct link_sent){ { 7, 7, 250 } }, 100), 0);
	assert_int_equal(between((struct link_sent){ { 7, 7, 250 } }, (struct link_sent){ { 9, 8, 349 } }, 100), 99);
	/* different counters may have the same frames, so they are never added */
	assert_int_equal(between((struct link_sent){ { 0, 0, 0 } }, (struct link_sent){ { 60, 60, 60 } }, 100), 60);
}

static void a_counter_that_began_anew_counts_nothing(void **state)
{
	(void)state;
	assert_int_equal(between((struct link_sent){ { 0, 900, 900 } }, (struct link_sent){ { 0, 100, 0 } }, 100), 0);
}

static void names_are_those_of_queues(void **state)
{
	(void)state;
	assert_true(is_zero_copy_counter("tx0_xdp_tx"));
	assert_true(is_zero_copy_counter("tx12_xsk_xmit"));
	assert_true(is_zero_copy_counter("tx_xsk_sent[3]"));
	/* sums of those, what was dropped, and what came back by XDP_TX */
	assert_false(is_zero_copy_counter("tx_xdp_tx"));
	assert_false(is_zero_copy_counter("tx_xsk_xmit"));
	assert_false(is_zero_copy_counter("tx0_xdp_tx_drops"));
	assert_false(is_zero_copy_counter("rx0_xdp_tx"));
	assert_false(is_zero_copy_counter("tx_xsk_sent[]"));
	assert_false(is_zero_copy_counter("tx0_packets"));
	assert_false(is_zero_copy_counter(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_standard_counter_is_believed_first),
		cmocka_unit_test(zero_copy_frames_may_be_in_another),
		cmocka_unit_test(who_sent_too_few_is_found_out),
		cmocka_unit_test(a_counter_that_began_anew_counts_nothing),
		cmocka_unit_test(names_are_those_of_queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
