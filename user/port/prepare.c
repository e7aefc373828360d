/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/port.h"

#include <errno.h>
#include <glob.h>
#include <linux/net_tstamp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/files.h"
#include "base/text_stream.h"
#include "port/journal.h"
#include "port/setting.h"
#include "port/steering.h"

#define SETTING_SIZE 96
#define CPUS_SIZE    256
#define BIT(item)    (1u << (item))
/* The items that 'latency' and 'throughput' stand for. Few ports have all of them. */
#define EXPERT                                                                                                              \
	(BIT(PREPARE_RSS) | BIT(PREPARE_RINGS) | BIT(PREPARE_COALESCE) | BIT(PREPARE_EEE) | BIT(PREPARE_LLDP) |             \
	 BIT(PREPARE_FLAGS))

/* The needs of a run on a port. */
struct needs {
	const struct prepare *prepare;
	unsigned int mtu_octets;
	unsigned int queues; /* transmit queues that the run needs */
};

/* --- offloads ------------------------------------------------------------------------------------------------------- */

static const char *const merging[] = { "rx-lro", "rx-gro-hw", "rx-gro-list", "rx-udp-gro-forwarding", NULL };
static const char *const gro[] = { "rx-gro", NULL };
/* A NIC puts a stripped tag beside the frame, where an XDP program does not see it. */
static const char *const tags[] = { "rx-vlan-hw-parse", "rx-vlan-stag-hw-parse", NULL };
/* These features drop frames with a tag that nobody asked for, but not on a promiscuous port, as a tester's is. */
static const char *const tag_filters[] = { "rx-vlan-filter", "rx-vlan-stag-filter", NULL };

/* Switch offloads off. One that this kernel does not know is off. */
static int switch_off(struct port *port, const char *const *names)
{
	char setting[SETTING_SIZE];
	int error = 0;

	for (; *names && !error; names++) {
		owned char *value = NULL;

		snprintf(setting, sizeof(setting), "feature:%s", *names);
		value = claim_read(port->claim, setting, &error);
		if (error == -EOPNOTSUPP)
			error = 0;
		else if (!error)
			error = claim_change(port->claim, setting, "off");
	}
	return error;
}

/* A filter that cannot be switched off, as igb's, does no harm. */
static int keep_tags(struct port *port, const struct needs *)
{
	int error = switch_off(port, tags);

	if (!error)
		switch_off(port, tag_filters);
	return error;
}

/* --- the rest ------------------------------------------------------------------------------------------------------- */

/* The kernel forgets addresses and routes of IPv6 where it is switched off. --allow-unsafe lets us use a port that has some. */
static int silence_ipv6(struct port *port, const struct needs *)
{
	int error = port->uses_ipv6 ? -EADDRINUSE
				    : claim_change(port->claim, "sysctl:net/ipv6/conf/%s/disable_ipv6", "1");

	return error == -ENOENT ? 0 : error; /* the kernel has no IPv6 */
}

/* A port that obeys pause frames sends less than it should, and one that sends them slows the SUT down. */
static int switch_pause_off(struct port *port, const struct needs *)
{
	int error;
	owned char *value = claim_read(port->claim, "pause", &error);

	if (error == -EOPNOTSUPP)
		return 0;
	if (!error && (strstr(value, "rx on") || strstr(value, "tx on")))
		return claim_change(port->claim, "pause", "autoneg off rx off tx off");
	return error;
}

static int raise_mtu(struct port *port, const struct needs *needs)
{
	int error;

	if (port->link.mtu_octets >= needs->mtu_octets)
		return 0;
	error = claim_change(port->claim, "mtu", TEXT_OF(16, "%u", needs->mtu_octets));
	if (!error)
		port->link.mtu_octets = needs->mtu_octets;
	return error;
}

/* Read a setting that is numbers, as the run has it by now. */
static int read_numbers(const struct port *port, const char *name, enum link_setting setting, struct link_numbers *ret)
{
	int error;
	owned char *value = claim_read(port->claim, name, &error);

	return error ?: setting_parse_numbers(setting, value, ret);
}

static int change_numbers(struct port *port, const char *name, enum link_setting setting, const struct link_numbers *numbers)
{
	owned char *wanted = NULL;

	return setting_numbers_text(setting, numbers, &wanted) ?: claim_change(port->claim, name, wanted);
}

static int set_channels(struct port *port, const struct needs *needs)
{
	struct link_numbers channels;
	int error = read_numbers(port, "channels", LINK_CHANNELS, &channels);

	if (error)
		return error;
	if (channels.value[CHANNELS_COMBINED])
		channels.value[CHANNELS_COMBINED] = needs->prepare->channels;
	else
		channels.value[CHANNELS_RX] = channels.value[CHANNELS_TX] = needs->prepare->channels;
	return change_numbers(port, "channels", LINK_CHANNELS, &channels);
}

/* Where it cannot be done, the function that opens the queues reports how many there are. */
static int raise_queues(struct port *port, const struct needs *needs)
{
	bool asked = needs->prepare->asked & BIT(PREPARE_QUEUES), is_set = needs->prepare->asked & BIT(PREPARE_CHANNELS);
	struct link_numbers channels;
	uint32_t *value = channels.value;
	int error = read_numbers(port, "channels", LINK_CHANNELS, &channels);

	if (error || is_set || value[CHANNELS_TX] + value[CHANNELS_COMBINED] >= needs->queues)
		return asked ? error : 0;
	if (value[CHANNELS_COMBINED]) {
		value[CHANNELS_COMBINED] = needs->queues - value[CHANNELS_TX];
	} else {
		/* A veth wants its peer to receive on as many queues as it transmits on. */
		value[CHANNELS_RX] = value[CHANNELS_RX] > needs->queues ? value[CHANNELS_RX] : needs->queues;
		value[CHANNELS_TX] = needs->queues;
	}
	error = change_numbers(port, "channels", LINK_CHANNELS, &channels);
	return asked ? error : 0;
}

static unsigned int receive_queues(const struct port *port)
{
	struct link_numbers channels;

	if (read_numbers(port, "channels", LINK_CHANNELS, &channels))
		return 1;
	return channels.value[CHANNELS_RX] + channels.value[CHANNELS_COMBINED];
}

/* Deal the entries of a table to all queues in turn. */
static void deal(struct link_rss *table, unsigned int queues)
{
	for (uint32_t i = 0; i < table->count; i++)
		table->queue[i] = i % queues;
}

/* Return whether each queue has as many entries, in whatever order. */
static bool is_even(const struct link_rss *table, unsigned int queues)
{
	uint32_t share = table->count / queues, dealt = 0;

	for (unsigned int queue = 0; queue < queues; queue++) {
		uint32_t entries = 0;

		for (uint32_t i = 0; i < table->count; i++)
			entries += table->queue[i] == queue;
		if (entries < share || entries > share + 1)
			return false;
		dealt += entries;
	}
	return dealt == table->count;
}

/* Have the hash distinguish flows by their UDP ports, too. Our flows differ in those, and many NICs hash only the addresses
 * of UDP. A field that cannot be read is left as it is. */
static int hash_by_ports(struct port *port, const char *setting)
{
	int error;
	owned char *fields = claim_read(port->claim, setting, &error);

	if (error || (strchr(fields, 'f') && strchr(fields, 'n')))
		return 0;
	return claim_change(port->claim, setting, "sdfn");
}

/* An even table stays. One that was written counts as its user's, and the kernel then refuses fewer channels than it names, even if
 * what was written is the driver's default. */
static int spread_table(struct port *port, unsigned int queues)
{
	struct link_rss now;
	int error;
	owned char *table = claim_read(port->claim, "rss", &error), *even = NULL;

	if (!error)
		error = setting_parse_rss(table, &now);
	if (error || is_even(&now, queues))
		return error;
	deal(&now, queues);
	even = setting_rss_text(&now);
	return even ? claim_change(port->claim, "rss", even) : -ENOMEM;
}

static int spread_rss(struct port *port, const struct needs *)
{
	unsigned int queues = receive_queues(port);
	int error = spread_table(port, queues ? queues : 1);

	if (!error && queues > 1)
		error = hash_by_ports(port, "hash:udp4");
	if (!error && queues > 1)
		error = hash_by_ports(port, "hash:udp6");
	return error;
}

/* --- for experts ----------------------------------------------------------------------------------------------------- */

/* Delay interrupts by this time, and switch adaptive coalescing off. With 0 an interrupt comes with the first frame. */
static int coalesce(struct port *port, const struct needs *needs)
{
	struct link_numbers coalescing;
	int error = read_numbers(port, "coalesce", LINK_COALESCING, &coalescing);

	if (error)
		return error;
	coalescing.value[COALESCE_ADAPTIVE_RX] = 0;
	coalescing.value[COALESCE_RX_USECS] = needs->prepare->coalesce_us;
	if (!needs->prepare->coalesce_us)
		coalescing.value[COALESCE_RX_FRAMES] = 1;
	return change_numbers(port, "coalesce", LINK_COALESCING, &coalescing);
}

static uint32_t no_more(uint32_t wanted, uint32_t most)
{
	return wanted < most ? wanted : most;
}

static int lengthen_rings(struct port *port, const struct needs *needs)
{
	struct ethtool *ethtool;
	struct link_numbers rings;
	int error = ethtool_open(&ethtool);

	if (error)
		return error;
	error = ethtool_numbers(ethtool, port->link.ifindex, LINK_RINGS, &rings);
	ethtool_close(ethtool);
	if (error)
		return error;
	for (int i = RINGS_RX; i <= RINGS_TX; i++)
		rings.value[i] = no_more(needs->prepare->rings, rings.most[i]);
	return change_numbers(port, "rings", LINK_RINGS, &rings);
}

static int switch_eee_off(struct port *port, const struct needs *)
{
	return claim_change(port->claim, "eee", "off");
}

/* Drivers have different names for it. */
static int silence_lldp(struct port *port, const struct needs *)
{
	static const char *const flags[][2] = { { "flag:disable-fw-lldp", "on" }, { "flag:fw-lldp-agent", "off" } };
	int error = -EOPNOTSUPP;

	for (size_t i = 0; i < COUNT(flags) && error == -EOPNOTSUPP; i++)
		error = claim_change(port->claim, flags[i][0], flags[i][1]);
	return error;
}

/* Set the flags that the driver has. Without any there is nothing to set. */
static int set_flags(struct port *port, const struct needs *)
{
	int error = -EOPNOTSUPP;

	for (size_t i = 0; i < SETTING_FLAGS && (!error || error == -EOPNOTSUPP); i++) {
		int one = claim_change(port->claim, TEXT_OF(SETTING_SIZE, "flag:%s", setting_flags[i].name),
				       setting_flags[i].good ? "on" : "off");

		error = one == -EOPNOTSUPP ? error : one;
	}
	return error;
}

/* --- all of them ---------------------------------------------------------------------------------------------------- */

/* The items, in the order in which they are done. A port whose MTU is below 1280 has no IPv6 until it is raised, and the
 * receive hash depends on the channels. */
static const struct step {
	enum prepare_item item;
	const char *name;
	int (*prepare)(struct port *port, const struct needs *needs);
	const char *what;            /* "cannot ..." */
	const char *look;            /* the command that shows what the port has */
	const char *const *offloads; /* offloads to switch off, in place of `prepare` */
} steps[] = {
	{ PREPARE_MTU, "mtu", raise_mtu, "raise the MTU", "ip -d link show" },
	{ PREPARE_IPV6, "ipv6", silence_ipv6, "switch automatic IPv6 addresses off", "ip -6 address show" },
	{ PREPARE_MERGE, "merge", NULL, "switch the merging of received frames off", "ethtool -k", merging },
	{ PREPARE_GRO, "gro", NULL, "switch GRO off", "ethtool -k", gro },
	{ PREPARE_VLAN, "vlan", keep_tags, "keep VLAN tags in received frames", "ethtool -k" },
	{ PREPARE_PAUSE, "pause", switch_pause_off, "switch pause frames off", "ethtool -a" },
	{ PREPARE_QUEUES, "queues", raise_queues, "raise the number of transmit queues", "ethtool -l" },
	{ PREPARE_CHANNELS, "channels", set_channels, "set the number of channels", "ethtool -l" },
	{ PREPARE_RSS, "rss", spread_rss, "spread the receive hash over all queues", "ethtool -x" },
	{ PREPARE_RINGS, "rings", lengthen_rings, "set the length of its rings", "ethtool -g" },
	{ PREPARE_COALESCE, "coalesce", coalesce, "set when it interrupts", "ethtool -c" },
	{ PREPARE_EEE, "eee", switch_eee_off, "switch energy-efficient Ethernet off", "ethtool --show-eee" },
	{ PREPARE_LLDP, "lldp", silence_lldp, "switch LLDP of its firmware off", "ethtool --show-priv-flags" },
	{ PREPARE_FLAGS, "flags", set_flags, "set its private flags", "ethtool --show-priv-flags" },
};

static const char *why_not(int error)
{
	return error == -EADDRINUSE ? "the kernel would forget what IPv6 addresses and routes it has" : why(-error);
}

static enum exit_code take_step(struct port *port, const struct needs *needs, const struct step *step)
{
	bool asked = needs->prepare->asked & BIT(step->item), automatic = needs->prepare->automatic & BIT(step->item);
	int error = 0;

	if (asked || automatic)
		error = step->prepare ? step->prepare(port, needs) : switch_off(port, step->offloads);
	if (!error || (error == -EOPNOTSUPP && !asked && BIT(step->item) & EXPERT))
		return EXIT_DONE;
	if (asked)
		return refuse(EXIT_INCAPABLE,
			      "port %s: cannot %s: %s; '%s %s' shows what it has; leave '%s' out of --prepare",
			      port->link.name, step->what, why_not(error), step->look, port->link.name, step->name);
	warn("port %s: cannot %s: %s", port->link.name, step->what, why_not(error));
	return EXIT_DONE;
}

/* Only frames with VLAN tags need care of tags, unless it is asked for. */
static struct prepare what_is_needed(const struct config *config)
{
	struct prepare prepare = config->prepare;

	if (!config->vlan_count)
		prepare.automatic &= ~BIT(PREPARE_VLAN);
	return prepare;
}

enum exit_code port_prepare(struct port *port, const struct config *config, unsigned int mtu_octets)
{
	const struct prepare prepare = what_is_needed(config);
	const struct needs needs = { .prepare = &prepare, .mtu_octets = mtu_octets, .queues = config->queues };
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < COUNT(steps) && !code; i++)
		code = take_step(port, &needs, &steps[i]);
	return code;
}

/* --- steering ------------------------------------------------------------------------------------------------------- */

/* Put rules into free places, so that the first one has the last place. */
static int put_rules(struct port *port, const struct link_rule *rules, size_t count, const uint32_t *places)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		owned char *value = NULL, *now = NULL;
		const char *setting = TEXT_OF(SETTING_SIZE, "rule:%u", places[i]);

		error = setting_rule_text(&rules[i], &value);
		if (error)
			break;
		error = claim_change(port->claim, setting, value);
		now = error ? NULL : claim_read(port->claim, setting, &error);
		if (now && strcmp(now, value))
			error = -EBUSY; /* the place has another rule than was asked for */
	}
	return error;
}

static int steer(struct port *port, const struct link_rule *rules, size_t count)
{
	uint32_t places[STEERING_RULES_MAX];
	struct ethtool *ethtool;
	int error = claim_change(port->claim, "feature:rx-ntuple-filter", "on");

	/* Not every driver that has rules has a switch for them. */
	if (error && error != -EOPNOTSUPP && error != -ENOENT)
		return error;
	error = ethtool_open(&ethtool);
	if (error)
		return error;
	error = ethtool_free_places(ethtool, port->link.ifindex, (uint32_t)count, places);
	ethtool_close(ethtool);
	return error ?: put_rules(port, rules, count, places);
}

enum exit_code port_steer(struct port *port, const struct config *config, const struct mlr_profile *profile,
			  unsigned int number)
{
	struct link_rule rules[STEERING_RULES_MAX];
	size_t count;
	int error;

	if (!(config->prepare.asked & BIT(PREPARE_STEER)))
		return EXIT_DONE;
	count = steering_rules(profile, number, receive_queues(port), rules);
	error = count ? steer(port, rules, count) : 0;
	if (!error)
		return EXIT_DONE;
	return refuse(EXIT_INCAPABLE,
		      "port %s: cannot steer received frames to its queues: %s; 'ethtool -n %s' shows what it has; leave "
		      "'steer' out of --prepare, 'rss' spreads them by the receive hash",
		      port->link.name, error == -EOPNOTSUPP ? "its driver has no such rules, or not this kind" : why(-error),
		      port->link.name);
}

/* --- timestamps ----------------------------------------------------------------------------------------------------- */

/* Change what the NIC stamps; a type of -1 stays as it is. */
static int stamp(struct port *port, const struct config *config, int wanted_tx_type, int wanted_rx_filter)
{
	unsigned int allowed = (config->prepare.automatic | config->prepare.asked) & BIT(PREPARE_TIMESTAMPS);
	int tx_type, rx_filter, error;
	char wanted[SETTING_SIZE];
	owned char *value = claim_read(port->claim, "timestamps", &error);

	if (!error && sscanf(value, "tx %d rx %d", &tx_type, &rx_filter) != 2)
		error = -EINVAL;
	if (error)
		return error;
	if (wanted_tx_type < 0)
		wanted_tx_type = tx_type;
	if (wanted_rx_filter < 0)
		wanted_rx_filter = rx_filter;
	if (wanted_tx_type == tx_type && wanted_rx_filter == rx_filter)
		return 0;
	if (!allowed)
		return -EPERM;
	snprintf(wanted, sizeof(wanted), "tx %d rx %d", wanted_tx_type, wanted_rx_filter);
	return claim_change(port->claim, "timestamps", wanted);
}

int port_stamp_received(struct port *port, const struct config *config)
{
	return stamp(port, config, -1, HWTSTAMP_FILTER_ALL);
}

int port_stamp_sent(struct port *port, const struct config *config)
{
	return stamp(port, config, HWTSTAMP_TX_ON, -1);
}

/* --- interrupts ----------------------------------------------------------------------------------------------------- */

/* Move one interrupt off CPUs that others need: to the rest of its CPUs, or of all. */
static int move_irq(struct port *port, const char *irq, const cpu_set_t *taken)
{
	cpu_set_t now, all, rest;
	char list[CPUS_SIZE];
	owned char *value = NULL;
	int error;
	const char *setting = TEXT_OF(SETTING_SIZE, "irq:%s", irq);

	value = claim_read(port->claim, setting, &error);
	if (error)
		return error;
	if (!cpulist_parse(value, &now))
		return -EINVAL;
	rest = cpulist_without(&now, taken);
	if (CPU_EQUAL(&rest, &now))
		return 0;
	if (!CPU_COUNT(&rest) && !sched_getaffinity(0, sizeof(all), &all))
		rest = cpulist_without(&all, taken);
	if (!CPU_COUNT(&rest))
		return 0;
	return claim_change(port->claim, setting, cpulist_format(&rest, list, sizeof(list)));
}

/* Get the CPUs over which the interrupts of a port are distributed: those near it, if one of them is free; otherwise any
 * that are. */
static cpu_set_t cpus_for_interrupts(const struct port *port, const cpu_set_t *taken)
{
	cpu_set_t online, near, rest, near_rest;
	char list[CPUS_SIZE];

	if (file_read_line("/sys/devices/system/cpu/online", list, sizeof(list)) || !cpulist_parse(list, &online))
		CPU_ZERO(&online);
	if (file_read_line(TEXT_OF(SETTING_SIZE, "/sys/bus/pci/devices/%s/local_cpulist", port->bus), list, sizeof(list)) ||
	    !cpulist_parse(list, &near))
		near = online;
	rest = cpulist_without(&online, taken);
	CPU_AND(&near_rest, &near, &rest);
	return CPU_COUNT(&near_rest) ? near_rest : CPU_COUNT(&rest) ? rest : online;
}

/* Put an interrupt on the CPU whose turn it is. */
static int place_irq(struct port *port, const char *irq, const cpu_set_t *cpus, size_t turn)
{
	int left = CPU_COUNT(cpus) ? (int)(turn % (size_t)CPU_COUNT(cpus)) : -1, cpu = 0;

	while (cpu < CPU_SETSIZE && (!CPU_ISSET(cpu, cpus) || left--))
		cpu++;
	if (cpu == CPU_SETSIZE)
		return -EINVAL;
	return claim_change(port->claim, TEXT_OF(SETTING_SIZE, "irq:%s", irq), TEXT_OF(16, "%d", cpu));
}

/* Report why the interrupts cannot be found, where an item needs them. */
static enum exit_code say_interrupts(const struct port *port, bool asked, const char *item, const char *what, int error)
{
	if (!error)
		return EXIT_DONE;
	if (asked)
		return refuse(EXIT_INCAPABLE, "port %s: cannot %s: %s; leave '%s' out of --prepare", port->link.name, what,
			      why(-error), item);
	warn("port %s: cannot %s: %s", port->link.name, what, why(-error));
	return EXIT_DONE;
}

enum exit_code port_spare_cpus(struct port *port, const struct config *config, const cpu_set_t *cpus)
{
	unsigned int asked = config->prepare.asked, wanted = asked | config->prepare.automatic;
	bool each = wanted & BIT(PREPARE_AFFINITY);
	cpu_set_t places = cpus_for_interrupts(port, cpus);
	glob_t irqs = { 0 };
	int error = 0, one;

	if (!each && !(wanted & BIT(PREPARE_IRQ)))
		return EXIT_DONE;
	/* Search by the bus: /sys/class/net may be that of another network namespace. */
	if (port->bus[0])
		glob(TEXT_OF(SETTING_SIZE, "/sys/bus/*/devices/%s/msi_irqs/*", port->bus), 0, NULL, &irqs);
	for (size_t i = 0; i < irqs.gl_pathc; i++) {
		const char *irq = strrchr(irqs.gl_pathv[i], '/') + 1;

		one = each ? place_irq(port, irq, &places, i) : move_irq(port, irq, cpus);
		if (one)
			error = one; /* such as one that the driver manages itself; the others are still worth moving */
	}
	if (each && !irqs.gl_pathc && asked & BIT(PREPARE_AFFINITY))
		error = -EOPNOTSUPP;
	globfree(&irqs);
	if (each)
		return say_interrupts(port, asked & BIT(PREPARE_AFFINITY), "affinity",
				      "put its interrupts on CPUs of their own", error);
	return say_interrupts(port, asked & BIT(PREPARE_IRQ), "irq", "move its interrupts off the transmit threads' CPUs",
			      error);
}
