/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Launch time, as probe tells of it: the kernel's answers about qdiscs, made by hand as sch_etf makes them, and those of a
 * veth; and each state of a port, with the command that mends it. No NIC here has launch time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../test.h"
#include <libmnl/libmnl.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "probe/parts.h"
#include "probe_check.h"

#define IFINDEX  7
#define ROOT     0x80010000u
#define ETF      "etf offload clockid CLOCK_TAI delta 500000"
#define CLASS(q) (ROOT + (q) + 1)

/* --- what the kernel says ------------------------------------------------------------------------------------------- */

/* Tell of one qdisc; flags of an etf, or a negative number for options that are none of etf's. */
static void tell(struct link_queueing *queueing, int ifindex, const char *kind, uint32_t handle, uint32_t parent, int flags)
{
	char buffer[512];
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct tcmsg *message = mnl_nlmsg_put_extra_header(header, sizeof(*message));
	const struct tc_etf_qopt etf = { .delta = 500000, .clockid = 11, .flags = flags < 0 ? 0 : (uint32_t)flags };
	struct nlattr *options;

	header->nlmsg_type = RTM_NEWQDISC;
	*message = (struct tcmsg){ .tcm_ifindex = ifindex, .tcm_handle = handle, .tcm_parent = parent };
	mnl_attr_put_strz(header, TCA_KIND, kind);
	options = mnl_attr_nest_start(header, TCA_OPTIONS);
	if (flags >= 0)
		mnl_attr_put(header, TCA_ETF_PARMS, sizeof(etf), &etf);
	else
		mnl_attr_put_u32(header, TCA_ETF_PARMS, TC_ETF_OFFLOAD_ON);
	mnl_attr_nest_end(header, options);
	netlink_read_qdisc(header, IFINDEX, queueing);
}

static void offloaded_queues_are_found(void **state)
{
	struct link_queueing queueing = { 0 };

	(void)state;
	tell(&queueing, IFINDEX, "mqprio", ROOT, TC_H_ROOT, -1);
	tell(&queueing, IFINDEX, "etf", 0, CLASS(0), TC_ETF_OFFLOAD_ON);
	tell(&queueing, IFINDEX, "etf", 0x10000, CLASS(2), TC_ETF_OFFLOAD_ON | TC_ETF_DEADLINE_MODE_ON);
	tell(&queueing, IFINDEX, "etf", 0, CLASS(63), TC_ETF_OFFLOAD_ON);
	assert_string_equal(queueing.root_kind, "mqprio");
	assert_int_equal(queueing.root_handle, ROOT);
	assert_true(queueing.launch_queues == (1ull << 63 | 5));
}

static void others_are_not(void **state)
{
	struct link_queueing queueing = { 0 };

	(void)state;
	tell(&queueing, IFINDEX + 1, "etf", ROOT, TC_H_ROOT, TC_ETF_OFFLOAD_ON); /* another link */
	tell(&queueing, IFINDEX, "etf", 0, CLASS(0), TC_ETF_DEADLINE_MODE_ON);   /* in software */
	tell(&queueing, IFINDEX, "fq", 0, CLASS(1), TC_ETF_OFFLOAD_ON);   /* whose second attribute is something else */
	tell(&queueing, IFINDEX, "etf", 0, CLASS(2), -1);                 /* too short to have flags */
	tell(&queueing, IFINDEX, "etf", 0, CLASS(64), TC_ETF_OFFLOAD_ON); /* no queue of ours */
	tell(&queueing, IFINDEX, "etf", 0, ROOT, TC_ETF_OFFLOAD_ON);      /* no class at all */
	assert_true(queueing.launch_queues == 0);
	assert_string_equal(queueing.root_kind, "");
}

static void an_etf_as_root_is_that_of_queue_0(void **state)
{
	struct link_queueing queueing = { 0 };

	(void)state;
	tell(&queueing, IFINDEX, "etf", ROOT, TC_H_ROOT, TC_ETF_OFFLOAD_ON);
	assert_true(queueing.launch_queues == 1);
	assert_string_equal(queueing.root_kind, "etf");
}

static void a_veth_is_asked(void **state)
{
	char name[IFNAMSIZ], command[256];
	struct link_queueing queueing;
	struct mnl_socket *netlink;
	struct link_info link;

	(void)state;
	if (geteuid())
		skip();
	snprintf(name, sizeof(name), "pl%d", getpid());
	snprintf(command, sizeof(command),
		 "ip link add %s numtxqueues 4 type veth && tc qdisc replace dev %s root handle 8001: mq && "
		 "tc qdisc replace dev %s parent 8001:1 pfifo",
		 name, name, name);
	assert_int_equal(system(command), 0);
	assert_int_equal(netlink_open(&netlink), 0);
	assert_int_equal(netlink_link(netlink, name, &link), 0);
	assert_int_equal(netlink_queueing(netlink, link.ifindex, &queueing), 0);
	assert_string_equal(queueing.root_kind, "mq");
	assert_int_equal(queueing.root_handle, ROOT);
	assert_true(queueing.launch_queues == 0);
	assert_int_equal(netlink_delete(netlink, name), 0);
	netlink_close(netlink);
}

/* --- what probe says ------------------------------------------------------------------------------------------------ */

/* An i226 as it comes. */
static const struct launch_facts plain = {
	.is_told = true,
	.has = true,
	.stamps = true,
	.transmit_queues = 4,
	.may_fix = true,
	.queueing = { .root_kind = "mq" },
};

/* What probe says must be of this state, have these words, and this command (NULL: none). */
static void says(const struct launch_facts *facts, const char *wanted_state, const char *words, const char *fix)
{
	json_t *checks = json_array();
	const json_t *check;

	probe_launch_time(checks, "p1", facts);
	assert_int_equal(json_array_size(checks), 1);
	check = json_array_get(checks, 0);
	assert_string_equal(json_string_value(json_object_get(check, "name")), "launch-time");
	assert_check(check, wanted_state, words, fix);
	json_decref(checks);
}

static void queues_that_are_not_set_up_warn(void **state)
{
	struct launch_facts facts = plain;

	(void)state;
	says(&facts, "WARN", "queue 0 is not set up",
	     "tc qdisc add dev p1 handle 8001: parent root mqprio num_tc 4 map 0 1 2 3 3 3 3 3 3 3 3 3 3 3 3 3 queues 1@0 "
	     "1@1 1@2 "
	     "1@3 hw 0 && tc qdisc replace dev p1 parent 8001:1 " ETF);
	/* somebody's own root without classes for queues gives way */
	facts.queueing = (struct link_queueing){ .root_kind = "fq", .root_handle = 0x10000 };
	facts.transmit_queues = 2;
	says(&facts, "WARN", "queue 0",
	     "tc qdisc replace dev p1 handle 8001: parent root mqprio num_tc 2 map 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 queues "
	     "1@0 1@1 "
	     "hw 0 && tc qdisc replace dev p1 parent 8001:1 " ETF);
	/* more queues than priorities */
	facts.queueing = plain.queueing;
	facts.transmit_queues = 20;
	says(&facts, "WARN", "queue 0",
	     "tc qdisc add dev p1 handle 8001: parent root mqprio num_tc 16 map 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 "
	     "queues 1@0 "
	     "1@1 1@2 1@3 1@4 1@5 1@6 1@7 1@8 1@9 1@10 1@11 1@12 1@13 1@14 5@15 hw 0 && tc qdisc replace dev p1 parent "
	     "8001:1 " ETF);
	facts.transmit_queues = 1;
	says(&facts, "WARN", "queue 0", "tc qdisc replace dev p1 root " ETF);
	facts.transmit_queues = 0;
	says(&facts, "WARN", "queue 0", NULL);
}

static void a_root_with_classes_stays(void **state)
{
	static const char *const kinds[] = { "mq", "mqprio", "taprio" };
	struct launch_facts facts = plain;

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		facts.queueing = (struct link_queueing){ .root_handle = 0x640000 };
		strcpy(facts.queueing.root_kind, kinds[i]);
		says(&facts, "WARN", "queue 0", "tc qdisc replace dev p1 parent 64:1 " ETF);
	}
	facts.queueing.launch_queues = 6; /* of queues that a run begins after */
	says(&facts, "WARN", "queue 0", "tc qdisc replace dev p1 parent 64:1 " ETF);
	facts.may_fix = false;
	says(&facts, "WARN", "queue 0", NULL);
}

static void queues_that_are_set_up_do_not(void **state)
{
	struct launch_facts facts = plain;

	(void)state;
	facts.queueing.launch_queues = 5;
	says(&facts, "OK", "set up on 1 of 4 transmit queues: runs of up to 1 queue use it", NULL);
	facts.queueing.launch_queues = 7;
	says(&facts, "OK", "set up on 3 of 4 transmit queues: runs of up to 3 queues use it", NULL);
}

static void a_driver_without_it_is_no_fault(void **state)
{
	struct launch_facts facts = plain;

	(void)state;
	facts.stamps = false;
	says(&facts, "OK", "stamps no departure", NULL);
	facts.has = false;
	says(&facts, "OK", "none", NULL);
	facts.is_told = false;
	says(&facts, "OK", "before 6.8", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offloaded_queues_are_found),        cmocka_unit_test(others_are_not),
		cmocka_unit_test(an_etf_as_root_is_that_of_queue_0), cmocka_unit_test(a_veth_is_asked),
		cmocka_unit_test(queues_that_are_not_set_up_warn),   cmocka_unit_test(a_root_with_classes_stays),
		cmocka_unit_test(queues_that_are_set_up_do_not),     cmocka_unit_test(a_driver_without_it_is_no_fault),
	};

	return cmocka_run_group_tests_name("probe-launch", tests, NULL, NULL);
}
