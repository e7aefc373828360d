/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the counters of an interface say beside those of our program. */
#include "../test.h"
#include "measurer/xdp_ports.h"

static const struct rtnl_link_stats64 nothing;

static void a_frame_that_found_the_backlog_full_is_missed_once(void **state)
{
	const struct rx_counters rx = { .received = 90 };

	(void)state;
	/* the kernel counts it at the link and at the CPU */
	assert_int_equal(xdp_receiver_missed(&nothing, &(struct rtnl_link_stats64){ .rx_dropped = 10 }, &rx, 10), 10);
	/* where the link below dropped it, the CPU alone tells */
	assert_int_equal(xdp_receiver_missed(&nothing, &nothing, &rx, 10), 10);
	/* the ring of native XDP */
	assert_int_equal(xdp_receiver_missed(&nothing, &(struct rtnl_link_stats64){ .rx_dropped = 10 }, &rx, 0), 10);
	/* frames that did not come as far as the backlog are others */
	assert_int_equal(xdp_receiver_missed(&nothing, &(struct rtnl_link_stats64){ .rx_missed_errors = 3, .rx_dropped = 10 },
					     &rx, 10),
			 13);
}

static void an_interface_that_received_less_than_we_saw_is_not_believed(void **state)
{
	(void)state;
	assert_int_equal(xdp_received_agree(1000, 1000, false), COUNTS_AGREE);
	assert_int_equal(xdp_received_agree(1000, 1003, false), COUNTS_AGREE);
	assert_int_equal(xdp_received_agree(0, 0, false), COUNTS_AGREE);
	assert_int_equal(xdp_received_agree(1000, 999, false), COUNTS_DISAGREE);
	assert_int_equal(xdp_received_agree(1000, 500, false), COUNTS_DISAGREE);
}

/* A driver that tells its counters once a second may have told less than half of a trial. What it had no room for is not told either,
 * and what it tells later, be it of frames that came, would be of the next trial. */
static void few_frames_may_lag(void **state)
{
	(void)state;
	assert_int_equal(xdp_received_agree(1000, 400, false), COUNTS_MAY_LAG);
	assert_int_equal(xdp_received_agree(1000, 0, false), COUNTS_MAY_LAG);
	assert_int_equal(xdp_received_agree(1, 0, false), COUNTS_MAY_LAG);
}

/* It counts what we pass on, of which there may be more than of our own frames. */
static void one_that_counts_frames_of_xdp_elsewhere_is_held_to_nothing(void **state)
{
	(void)state;
	for (uint64_t nic = 0; nic <= 1000; nic += 250)
		assert_int_equal(xdp_received_agree(1000, nic, true), COUNTS_AGREE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_that_found_the_backlog_full_is_missed_once),
		cmocka_unit_test(an_interface_that_received_less_than_we_saw_is_not_believed),
		cmocka_unit_test(few_frames_may_lag),
		cmocka_unit_test(one_that_counts_frames_of_xdp_elsewhere_is_held_to_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
