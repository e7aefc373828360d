/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steering of received frames: the rules themselves, and their way into a NIC's table and out again.
 *
 * No NIC here has such a table. What a driver would answer is played by an ioctl() of this file's, in memory that a killed
 * child leaves behind; all else (netlink, the journal, clean) is real, on a veth pair, and needs root.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../test.h"
#include "port/journal.h"
#include "port/port.h"
#include "port/setting.h"
#include "port/steering.h"

/* --- the rules ---------------------------------------------------------------------------------------------------- */

static struct link_rule rules[STEERING_RULES_MAX];

static struct mlr_profile profile_of(unsigned int ip_version, uint32_t source_ports, uint32_t destination_ports)
{
	struct mlr_profile profile = {
		.port_count = 2,
		.source_port = 49184,
		.destination_port = 49151, /* after the last of RFC 4814's comes the first, 1 */
		.stream_count = 1,
		.streams = { { .from = 0, .to = 1, .ip_version = ip_version } },
		.flow_count = 1,
		.ranges = { [MLR_SOURCE_PORT] = { source_ports, 1 }, [MLR_DESTINATION_PORT] = { destination_ports, 1 } },
	};

	return profile;
}

static void assert_rule(size_t i, unsigned int ip_version, enum link_rule_field field, uint32_t value, uint32_t mask,
			uint32_t queue)
{
	assert_int_equal(rules[i].ip_version, ip_version);
	assert_int_equal(rules[i].field, field);
	assert_int_equal(rules[i].value, value);
	assert_int_equal(rules[i].mask, mask);
	assert_int_equal(rules[i].queue, queue);
}

static void frames_that_do_not_differ_have_one_queue(void **state)
{
	struct mlr_profile profile = profile_of(4, 0, 0);

	(void)state;
	assert_int_equal(steering_rules(&profile, 1, 4, rules), 1);
	assert_rule(0, 4, RULE_DESTINATION_PORT, 49151, 0xffff, 0);
	assert_int_equal(steering_rules(&profile, 0, 4, rules), 0);
}

static void few_values_have_a_rule_each(void **state)
{
	struct mlr_profile profile = profile_of(6, 2, 5);

	(void)state;
	assert_int_equal(steering_rules(&profile, 1, 3, rules), 5);
	assert_rule(0, 6, RULE_DESTINATION_PORT, 49151, 0xffff, 0);
	assert_rule(1, 6, RULE_DESTINATION_PORT, 1, 0xffff, 1);
	assert_rule(2, 6, RULE_DESTINATION_PORT, 2, 0xffff, 2);
	assert_rule(3, 6, RULE_DESTINATION_PORT, 3, 0xffff, 0);
}

static void many_values_are_told_by_the_bits_that_change(void **state)
{
	struct mlr_profile profile = profile_of(4, 1000, 0);

	(void)state;
	profile.ranges[MLR_SOURCE_PORT].step = 4;
	assert_int_equal(steering_rules(&profile, 1, 7, rules), 4);
	for (uint32_t k = 0; k < 4; k++)
		assert_rule(k, 4, RULE_SOURCE_PORT, 4 * k, 0xc, k);
	assert_int_equal(steering_rules(&profile, 1, 1, rules), 0);
	assert_int_equal(steering_rules(&profile, 1, 100000, rules), STEERING_QUEUES_MAX);
}

static void both_ip_versions_have_rules(void **state)
{
	struct mlr_profile profile = profile_of(4, 0, 0);

	(void)state;
	profile.streams[profile.stream_count++] = (struct mlr_stream){ .from = 0, .to = 1, .ip_version = 6 };
	profile.ranges[MLR_DESTINATION_ADDRESS] = (struct mlr_range){ 3, 1 };
	assert_int_equal(steering_rules(&profile, 1, 2, rules), 4);
	assert_rule(1, 4, RULE_DESTINATION_ADDRESS, 1, 1, 1);
	assert_rule(2, 6, RULE_DESTINATION_ADDRESS, 0, 1, 0);
}

/* Every flow of a profile matches one rule, and the queues get the same number of them. */
static void flows_are_dealt_out_evenly(void **state)
{
	struct mlr_profile profile = profile_of(4, 64, 0);
	unsigned int per_queue[8] = { 0 };
	size_t count;

	(void)state;
	count = steering_rules(&profile, 1, 8, rules);
	for (uint32_t k = 0; k < 64; k++)
		for (size_t i = 0; i < count; i++)
			if ((mlr_profile_udp_port(&profile, MLR_SOURCE_PORT, k) & rules[i].mask) == rules[i].value)
				per_queue[rules[i].queue]++;
	for (size_t queue = 0; queue < 8; queue++)
		assert_int_equal(per_queue[queue], 8);
}

/* --- a NIC with a table ------------------------------------------------------------------------------------------- */

#define PLACES 16

/* Shared with children, so that it survives them as a NIC does. */
static struct table {
	bool is_there, full, stubborn; /* the last: it puts every frame into queue 0 */
	struct {
		bool used;
		struct ethtool_rx_flow_spec spec;
	} rules[PLACES];
} * table;

static uint32_t used_places(void)
{
	uint32_t count = 0;

	for (size_t i = 0; i < PLACES; i++)
		count += table->rules[i].used;
	return count;
}

static int answer(struct ethtool_rxnfc *command)
{
	uint32_t place = command->fs.location, listed = 0;

	if (!table->is_there)
		return -EOPNOTSUPP;
	switch (command->cmd) {
	case ETHTOOL_GRXCLSRLCNT:
		command->rule_cnt = used_places();
		command->data = PLACES | RX_CLS_LOC_SPECIAL;
		return 0;
	case ETHTOOL_GRXCLSRLALL:
		for (uint32_t i = 0; i < PLACES; i++)
			if (table->rules[i].used)
				command->rule_locs[listed++] = i;
		command->rule_cnt = listed;
		command->data = PLACES;
		return 0;
	case ETHTOOL_GRXCLSRULE:
		if (place >= PLACES || !table->rules[place].used)
			return place % 2 ? -ENOENT : -EINVAL; /* drivers differ */
		command->fs = table->rules[place].spec;
		return 0;
	case ETHTOOL_SRXCLSRLINS:
		if (table->full)
			return -ENOSPC;
		table->rules[place].used = true;
		table->rules[place].spec = command->fs;
		if (table->stubborn)
			table->rules[place].spec.ring_cookie = 0;
		return 0;
	case ETHTOOL_SRXCLSRLDEL:
		table->rules[place].used = false;
		return 0;
	}
	return -EOPNOTSUPP;
}

static bool is_about_rules(uint32_t command)
{
	return command >= ETHTOOL_GRXCLSRLCNT && command <= ETHTOOL_SRXCLSRLINS;
}

/* In place of the C library's. */
int ioctl(int fd, unsigned long what, ...)
{
	va_list arguments;
	void *argument;

	va_start(arguments, what);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	if (what == SIOCETHTOOL && is_about_rules(*(const uint32_t *)(const void *)((struct ifreq *)argument)->ifr_data)) {
		int error = answer((struct ethtool_rxnfc *)(void *)((struct ifreq *)argument)->ifr_data);

		errno = -error;
		return error ? -1 : 0;
	}
	return (int)syscall(SYS_ioctl, fd, what, argument);
}

static char port_name[IF_NAMESIZE];

static int set_up(void **state)
{
	char command[128];

	(void)state;
	if (geteuid())
		return 0;
	table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (table == MAP_FAILED)
		return -1;
	table->is_there = true;
	snprintf(port_name, sizeof(port_name), "st%d", getpid());
	snprintf(command, sizeof(command), "ip link add %s numrxqueues 4 numtxqueues 4 type veth peer name %sp", port_name,
		 port_name);
	return system(command);
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	if (geteuid())
		return 0;
	snprintf(command, sizeof(command), "ip link del %s", port_name);
	munmap(table, sizeof(*table));
	return system(command);
}

static void need_root(void)
{
	if (geteuid())
		skip();
}

static struct port claimed_port(void)
{
	struct port port = { .listening_fd = -1 };
	struct mnl_socket *netlink;

	assert_int_equal(netlink_open(&netlink), 0);
	assert_int_equal(netlink_link(netlink, port_name, &port.link), 0);
	netlink_close(netlink);
	assert_int_equal(claim_port(&port.link, &port.claim), EXIT_DONE);
	return port;
}

static const struct config asking = { .prepare = { .asked = 1u << PREPARE_STEER } };

static void a_run_puts_rules_and_takes_them_away(void **state)
{
	struct mlr_profile profile = profile_of(4, 3, 0);
	struct port port;
	json_t *changes;

	(void)state;
	need_root();
	port = claimed_port();
	table->rules[15].used = true; /* somebody else's */
	table->rules[15].spec = (struct ethtool_rx_flow_spec){ .flow_type = TCP_V4_FLOW, .location = 15 };
	assert_int_equal(port_steer(&port, &asking, &profile, 1), EXIT_DONE);
	assert_int_equal(used_places(), 4);
	for (uint32_t k = 0; k < 3; k++) {
		const struct ethtool_rx_flow_spec *spec = &table->rules[14 - k].spec;

		assert_int_equal(spec->flow_type, UDP_V4_FLOW);
		assert_int_equal(spec->location, 14 - k);
		assert_int_equal(ntohs(spec->h_u.udp_ip4_spec.psrc), 49184 + k);
		assert_int_equal(spec->m_u.udp_ip4_spec.psrc, 0xffff);
		assert_int_equal(spec->m_u.udp_ip4_spec.pdst, 0);
		assert_int_equal(spec->ring_cookie, k);
	}
	changes = claim_changes(port.claim);
	assert_int_equal(json_array_size(changes), 3);
	assert_string_equal(json_string_value(json_object_get(json_array_get(changes, 1), "setting")), "rule:13");
	assert_string_equal(json_string_value(json_object_get(json_array_get(changes, 1), "was")), "none");
	assert_string_equal(json_string_value(json_object_get(json_array_get(changes, 1), "now")),
			    "udp4 source-port 0xc021/0xffff queue 1");
	json_decref(changes);
	claim_release(port.claim);
	assert_int_equal(used_places(), 1);
	assert_true(table->rules[15].used);
}

static void clean_takes_away_what_a_killed_run_left(void **state)
{
	struct mlr_profile profile = profile_of(6, 0, 4);
	struct journal_cleaned cleaned;
	int status;
	pid_t child;

	(void)state;
	need_root();
	child = fork();
	if (!child) {
		struct port port = claimed_port();

		if (!port_steer(&port, &asking, &profile, 1))
			raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(used_places(), 4);
	/* one of them is somebody else's by now */
	table->rules[13].spec.ring_cookie = 9;
	assert_int_equal(journal_clean(&cleaned), EXIT_DONE);
	assert_int_equal(used_places(), 1);
	assert_true(table->rules[13].used);
}

static void what_the_driver_does_not_take_is_refused_and_undone(void **state)
{
	struct mlr_profile profile = profile_of(4, 20, 0);
	struct port port;

	(void)state;
	need_root();
	port = claimed_port();
	/* more rules than places */
	assert_int_equal(port_steer(&port, &asking, &profile, 1), EXIT_INCAPABLE);
	assert_int_equal(used_places(), 0);
	profile.ranges[MLR_SOURCE_PORT].count = 2;
	table->stubborn = true;
	assert_int_equal(port_steer(&port, &asking, &profile, 1), EXIT_INCAPABLE);
	table->full = true;
	assert_int_equal(port_steer(&port, &asking, &profile, 1), EXIT_INCAPABLE);
	table->is_there = false;
	assert_int_equal(port_steer(&port, &asking, &profile, 1), EXIT_INCAPABLE);
	/* unasked nothing is tried */
	assert_int_equal(port_steer(&port, &(struct config){ .prepare.automatic = 0 }, &profile, 1), EXIT_DONE);
	claim_release(port.claim);
}

/* Every rule that can be asked for reads back as it was written; one of another kind is told as such. */
static void rules_read_back(void **state)
{
	static const char *const values[] = {
		"udp4 source-address 0x12/0xff queue 3", "udp4 destination-address 0x1000/0xf000 queue 0",
		"udp4 source-port 0x400/0xffff queue 1", "udp4 destination-port 0x1/0x7 queue 2",
		"udp6 source-address 0x12/0xff queue 3", "udp6 destination-address 0x1000/0xf000 queue 0",
		"udp6 source-port 0x400/0xffff queue 1", "udp6 destination-port 0x1/0x7 queue 2",
	};
	struct settings settings;
	int index;
	char *value;

	(void)state;
	need_root();
	index = (int)if_nametoindex(port_name);
	assert_int_equal(settings_open(&settings), 0);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		assert_int_equal(setting_write(&settings, index, "rule:7", values[i]), 0);
		assert_int_equal(setting_read(&settings, index, "rule:7", &value), 0);
		assert_string_equal(value, values[i]);
		free(value);
	}
	table->rules[7].spec.m_u.udp_ip6_spec.psrc = 1; /* two fields at once */
	assert_int_equal(setting_read(&settings, index, "rule:7", &value), 0);
	assert_string_equal(value, "other");
	free(value);
	assert_int_equal(setting_write(&settings, index, "rule:7", "other"), -EINVAL);
	assert_int_equal(setting_write(&settings, index, "rule:7", "udp4 colour 0x1/0x1 queue 1"), -EINVAL);
	settings_close(&settings);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_that_do_not_differ_have_one_queue),
		cmocka_unit_test(few_values_have_a_rule_each),
		cmocka_unit_test(many_values_are_told_by_the_bits_that_change),
		cmocka_unit_test(both_ip_versions_have_rules),
		cmocka_unit_test(flows_are_dealt_out_evenly),
		TEST(a_run_puts_rules_and_takes_them_away),
		TEST(clean_takes_away_what_a_killed_run_left),
		TEST(what_the_driver_does_not_take_is_refused_and_undone),
		TEST(rules_read_back),
	};

	return cmocka_run_group_tests_name("steering", tests, NULL, NULL);
}
