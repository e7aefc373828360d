/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netlink's answers, cut: every attribute of an answer at every length below its own, each right before memory that must not
 * be touched. What is cut says nothing, and nothing behind it is read.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../test.h"
#include "netdev/ethtool.c"
#include "netdev/netlink.c"

#define PAGE_OCTETS 4096

static char *wall; /* nothing may be read from here on */

static struct request *for_answers_with(size_t family_octets)
{
	static struct request request;

	request_start(&request, RTM_GETLINK, 0, family_octets);
	return &request;
}

/* A copy of an answer that ends at the wall, so many octets of its last attribute left; the attribute is alone in the
 * answer. */
static int tell_cut(const struct nlmsghdr *answer, size_t family_octets, size_t left, mnl_cb_t callback, void *context)
{
	size_t before = mnl_nlmsg_size(MNL_ALIGN(family_octets)), octets = MNL_ALIGN(before + sizeof(struct nlattr) + left);
	struct nlmsghdr *copy = (struct nlmsghdr *)(wall - octets);

	memcpy(copy, answer, octets);
	copy->nlmsg_len = (uint32_t)octets;
	((struct nlattr *)((char *)copy + before))->nla_len = (uint16_t)(sizeof(struct nlattr) + left);
	return take_answers(for_answers_with(family_octets), copy, octets, 0, callback, context);
}

/* Each attribute of a family alone, at each length up to 12 octets, of octets that are neither zero nor an end of text. */
static void tell_all(size_t family_octets, unsigned int types, mnl_cb_t callback, void *context)
{
	_Alignas(struct nlmsghdr) char buffer[256];

	for (unsigned int type = 0; type < types; type++) {
		struct nlmsghdr *answer = mnl_nlmsg_put_header(buffer);

		answer->nlmsg_type = RTM_NEWLINK;
		mnl_nlmsg_put_extra_header(answer, family_octets);
		mnl_attr_put(answer, (uint16_t)type, 12, "\x08\x01\x01\x01\x08\x01\x02\x01\x01\x01\x01\x01");
		for (size_t left = 0; left <= 12; left++)
			assert_int_equal(tell_cut(answer, family_octets, left, callback, context), 1);
		/* what ends between multiples of four octets is an error, and a family's own header that is not whole */
		answer->nlmsg_len -= 3;
		assert_int_equal(
			take_answers(for_answers_with(family_octets), answer, answer->nlmsg_len, 0, callback, context),
			-EBADMSG);
		for (size_t octets = 0; octets < family_octets; octets += 4) {
			struct nlmsghdr *copy = (struct nlmsghdr *)(wall - mnl_nlmsg_size(octets));

			memcpy(copy, answer, mnl_nlmsg_size(octets));
			copy->nlmsg_len = (uint32_t)mnl_nlmsg_size(octets);
			assert_int_equal(
				take_answers(for_answers_with(family_octets), copy, copy->nlmsg_len, 0, callback, context),
				-EBADMSG);
		}
	}
}

static void answers_of_rtnetlink(void **state)
{
	struct link_info link = { 0 };
	struct use_search uses = { .link = &link };
	struct queueing_search queueing = { 0 };

	(void)state;
	tell_all(sizeof(struct ifinfomsg), 64, read_link_callback, &link);
	tell_all(sizeof(struct ifinfomsg), 64, find_upper, &uses);
	tell_all(sizeof(struct ifaddrmsg), 16, find_address, &uses);
	tell_all(sizeof(struct rtmsg), 32, find_route, &uses);
	tell_all(sizeof(struct nhmsg), 16, find_nexthop, &uses);
	tell_all(sizeof(struct tcmsg), 16, find_qdisc, &queueing);
}

static void answers_of_ethtool(void **state)
{
	struct feature_search feature = { .name = "rx-gro" };
	struct link_clock clock = { 0 };
	struct numbers numbers = { 0 };
	uint16_t family = 0;

	(void)state;
	tell_all(sizeof(struct genlmsghdr), 16, read_family, &family);
	tell_all(sizeof(struct genlmsghdr), 40, read_numbers, &numbers);
	tell_all(sizeof(struct genlmsghdr), 16, find_feature, &feature);
	tell_all(sizeof(struct genlmsghdr), 16, read_clock, &clock);
}

static void what_is_cut_says_nothing(void **state)
{
	_Alignas(struct nlmsghdr) char buffer[256];
	struct nlmsghdr *answer = mnl_nlmsg_put_header(buffer);
	struct nlattr *attribute;

	(void)state;
	mnl_attr_put_u32(answer, 1, 77);
	attribute = mnl_nlmsg_get_payload(answer);
	assert_int_equal(attribute_number(attribute), 77);
	attribute->nla_len = sizeof(*attribute) + 3;
	assert_int_equal(attribute_number(attribute), 0);
	attribute->nla_len = sizeof(*attribute);
	assert_int_equal(attribute_number(attribute), 0);
	answer = mnl_nlmsg_put_header(buffer);
	mnl_attr_put_strz(answer, 1, "veth");
	attribute = mnl_nlmsg_get_payload(answer);
	assert_string_equal(attribute_text(attribute), "veth");
	attribute->nla_len--;
	assert_string_equal(attribute_text(attribute), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_of_rtnetlink),
		cmocka_unit_test(answers_of_ethtool),
		cmocka_unit_test(what_is_cut_says_nothing),
	};
	char *pages = mmap(NULL, 2 * PAGE_OCTETS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + PAGE_OCTETS, PAGE_OCTETS, PROT_NONE))
		return 1;
	wall = pages + PAGE_OCTETS;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
