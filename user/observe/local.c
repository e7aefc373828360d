/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This source has counters of this machine, for a SUT that is a part of it: softnet, CPUs, interrupts, links, IP, connection
 * tracking, nftables and tc. "local:" is the tester's own network namespace, "local:NAME" the one of that name (ip netns).
 * CPUs, interrupts and softnet are of the whole machine. What the tester's own ports drop as they receive is left out: the
 * receiver drops each frame that it has counted, and what it missed is none of the SUT's loss.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/message.h"
#include "mlr/cause.h"
#include "netdev/ethtool.h"
#include "netdev/filters.h"
#include "netdev/namespace.h"
#include "observe/rapl.h"
#include "observe/source.h"

#define LINKS_MOST 64
#define LINE_SIZE  8192 /* /proc/interrupts has a column a CPU */
#define CPUS_MOST  256

/* The counters of a link's driver. */
struct driver_counters {
	char link[IF_NAMESIZE];
	int ifindex;
	bool is_port; /* of the tester */
	uint32_t count;
	char (*names)[COUNTER_NAME_SIZE];
	uint64_t *values;
};

struct local_state {
	bool is_of_tester; /* The network namespace is the tester's own. */
	struct filters *filters;
	struct ethtool *ethtool; /* NULL: there is none */
	struct driver_counters links[LINKS_MOST];
	size_t link_count;
	struct rapl rapl;
};

/* --- opening -------------------------------------------------------------------------------------------------------- */

static const char *enter(struct source *source)
{
	const char *path = TEXT_OF(256, "/run/netns/%.200s", source->argument);
	int fd, error;

	if (!*source->argument)
		return NULL;
	if (strchr(source->argument, '/'))
		return "a namespace's name has no '/'";
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return source_refuse(source, "there is no network namespace %.60s: %s", source->argument, strerror(errno));
	error = setns(fd, CLONE_NEWNET) ? errno : 0;
	close(fd);
	return error ? source_refuse(source, "network namespace %.60s: %s", source->argument, strerror(error)) : NULL;
}

/* Whether a link is a port of the tester, which has its ports in its own network namespace. */
static bool is_port(const struct source *source, const char *link)
{
	const struct local_state *state = source->state;
	const struct config *config = source->config;

	for (unsigned int i = 0; state->is_of_tester && i < config->port_count; i++)
		if (!*config->ports[i].host && strcmp(config->ports[i].name, link) == 0)
			return true;
	return false;
}

/* Whether a counter of a port tells what it dropped as it received. */
static bool is_receive_drop(const char *name)
{
	return mlr_cause_name_is_of_loss(name) && !strstr(name, "tx");
}

static void add_link(const struct source *source, const struct if_nameindex *link)
{
	struct local_state *state = source->state;
	struct driver_counters *counters = &state->links[state->link_count];

	*counters = (struct driver_counters){ .ifindex = (int)link->if_index, .is_port = is_port(source, link->if_name) };
	snprintf(counters->link, sizeof(counters->link), "%s", link->if_name);
	if (ethtool_counter_names(state->ethtool, counters->ifindex, COUNTERS_DRIVER, &counters->count, &counters->names))
		return;
	counters->values = calloc(counters->count + 1, sizeof(*counters->values));
	state->link_count += counters->values != NULL;
}

static const char *local_open(struct source *source)
{
	unsigned long own = network_namespace_inode();
	const char *trouble = enter(source);
	struct local_state *state = trouble ? NULL : calloc(1, sizeof(*state));
	struct if_nameindex *links;

	if (!state)
		return trouble ?: "out of memory";
	source->state = state;
	state->is_of_tester = network_namespace_inode() == own;
	if (filters_open(&state->filters))
		state->filters = NULL;
	if (ethtool_open(&state->ethtool))
		state->ethtool = NULL;
	links = state->ethtool ? if_nameindex() : NULL;
	for (size_t i = 0; links && links[i].if_index && state->link_count < LINKS_MOST; i++)
		add_link(source, &links[i]);
	if (links)
		if_freenameindex(links);
	rapl_open(&state->rapl, RAPL_DIRECTORY);
	return NULL;
}

static void local_close(struct source *source)
{
	struct local_state *state = source->state;

	for (size_t i = 0; i < state->link_count; i++) {
		free(state->links[i].names);
		free(state->links[i].values);
	}
	if (state->ethtool)
		ethtool_close(state->ethtool);
	filters_close(state->filters);
	free(state);
	source->state = NULL;
}

/* --- /proc ---------------------------------------------------------------------------------------------------------- */

#define ADD(recorder, value, ...) recorder_add(recorder, TEXT_OF(RECORDER_NAME_SIZE, __VA_ARGS__), RECORDER_COUNTER, value)

/* Call `take` for each line of a file, with its number. */
static void each_line(const char *path, void (*take)(struct recorder *recorder, char *line, unsigned int number),
		      struct recorder *recorder)
{
	closing FILE *file = fopen(path, "re");
	char line[LINE_SIZE];

	for (unsigned int i = 0; file && fgets(line, sizeof(line), file); i++)
		take(recorder, line, i);
}

/* Read numbers of a line, to base 10 or 16. Returns how many there are. */
static size_t read_numbers(const char *text, int base, size_t most, uint64_t *ret)
{
	size_t count = 0;
	char *end;

	for (; count < most; text = end) {
		ret[count] = strtoull(text, &end, base);
		if (end == text)
			break;
		count++;
	}
	return count;
}

/* Since Linux 5.10 the 13th column is the CPU, because CPUs that are offline have no line. */
static void read_softnet(struct recorder *recorder, char *line, unsigned int number)
{
	uint64_t values[16];
	size_t count = read_numbers(line, 16, COUNT(values), values);
	unsigned int cpu = count > 12 ? (unsigned int)values[12] : number;

	if (count < 3)
		return;
	ADD(recorder, (double)values[0], "softnet/cpu%u/processed", cpu);
	ADD(recorder, (double)values[1], "softnet/cpu%u/dropped", cpu);
	ADD(recorder, (double)values[2], "softnet/cpu%u/time_squeeze", cpu);
	if (count > 10)
		ADD(recorder, (double)values[10], "softnet/cpu%u/flow_limit", cpu);
}

/* Add the time of each CPU, in seconds: for programs and their system calls, for frames and interrupts, stolen by the hypervisor,
 * the sum of these, and with what was idle. */
static void read_cpu(struct recorder *recorder, char *line, unsigned int number)
{
	enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };
	double ticks = (double)sysconf(_SC_CLK_TCK);
	uint64_t values[FIELDS] = { 0 }, busy;
	unsigned int cpu;
	int length = 0;

	(void)number;
	if (strncmp(line, "cpu ", 4) == 0) /* The line sums all CPUs. */
		return;
	if (sscanf(line, "cpu%u%n", &cpu, &length) < 1 || read_numbers(line + length, 10, FIELDS, values) < FIELDS)
		return;
	busy = values[USER] + values[NICE] + values[SYSTEM] + values[IRQ] + values[SOFTIRQ] + values[STEAL];
	ADD(recorder, (double)(values[USER] + values[NICE] + values[SYSTEM]) / ticks, "cpu%u/programs", cpu);
	ADD(recorder, (double)(values[IRQ] + values[SOFTIRQ]) / ticks, "cpu%u/interrupts", cpu);
	ADD(recorder, (double)values[STEAL] / ticks, "cpu%u/steal", cpu);
	ADD(recorder, (double)busy / ticks, "cpu%u/busy", cpu);
	ADD(recorder, (double)(busy + values[IDLE] + values[IOWAIT]) / ticks, "cpu%u/accounted", cpu);
}

/* Read "NET_RX:  12 34", which is by CPU. Other rows are summed over all CPUs. */
static void read_interrupts(struct recorder *recorder, const char *line, const char *what)
{
	const char *colon = strchr(line, ':');
	uint64_t values[CPUS_MOST], sum = 0;
	size_t count = colon ? read_numbers(colon + 1, 10, CPUS_MOST, values) : 0;
	char name[32];

	if (!count || sscanf(line, " %31[^:]", name) < 1)
		return;
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	ADD(recorder, (double)sum, "%s/%s", what, name);
	for (size_t i = 0; strncmp(name, "NET_", 4) == 0 && i < count; i++)
		ADD(recorder, (double)values[i], "%s/%s/cpu%zu", what, name, i);
}

static void read_interrupt(struct recorder *recorder, char *line, unsigned int number)
{
	(void)number;
	read_interrupts(recorder, line, "interrupt");
}

static void read_softirq(struct recorder *recorder, char *line, unsigned int number)
{
	(void)number;
	read_interrupts(recorder, line, "softirq");
}

static void read_link(const struct source *source, const char *line, struct recorder *recorder)
{
	static const char *const names[] = { "rx_bytes",  "rx_packets", "rx_errors", "rx_dropped",    "rx_fifo",
					     "rx_frame",  NULL,         NULL,        "tx_bytes",      "tx_packets",
					     "tx_errors", "tx_dropped", "tx_fifo",   "tx_collisions", "tx_carrier" };
	uint64_t values[COUNT(names)];
	const char *colon = strchr(line, ':');
	size_t count = colon ? read_numbers(colon + 1, 10, COUNT(names), values) : 0;
	char link[IF_NAMESIZE];

	if (!count || sscanf(line, " %15[^:]", link) < 1)
		return;
	for (size_t i = 0; i < count; i++)
		if (names[i] && !(is_receive_drop(names[i]) && is_port(source, link)))
			ADD(recorder, (double)values[i], "link/%s/%s", link, names[i]);
}

/* Read a line of each link, below two of headings. */
static void read_links(const struct source *source, struct recorder *recorder)
{
	closing FILE *file = fopen("/proc/net/dev", "re");
	char line[LINE_SIZE];

	for (unsigned int i = 0; file && fgets(line, sizeof(line), file); i++)
		if (i > 1)
			read_link(source, line, recorder);
}

/* Read two lines of each protocol: names, then values. */
static void read_protocols(struct recorder *recorder, const char *path)
{
	closing FILE *file = fopen(path, "re");
	char names[LINE_SIZE], values[LINE_SIZE];

	while (file && fgets(names, sizeof(names), file) && fgets(values, sizeof(values), file)) {
		char *name_rest = names, *value_rest = values;
		const char *protocol = strsep(&name_rest, ": "), *name, *value;

		strsep(&value_rest, ": ");
		while ((name = strsep(&name_rest, ": \n")) && (value = strsep(&value_rest, ": \n")))
			if (*name && *value != '-' && strcmp(protocol, "Tcp") && strcmp(protocol, "TcpExt"))
				ADD(recorder, strtod(value, NULL), "%s/%s", protocol, name);
	}
}

/* Read connection tracking: names, then a line of hexadecimal numbers for each CPU. The first is a gauge. */
static void read_conntrack(struct recorder *recorder)
{
	closing FILE *file = fopen("/proc/net/stat/nf_conntrack", "re");
	char names[LINE_SIZE] = "", line[LINE_SIZE], *rest = names, *name, used[32], most[32];
	uint64_t sums[32] = { 0 }, values[COUNT(sums)];

	if (file && fgets(names, sizeof(names), file))
		while (fgets(line, sizeof(line), file))
			for (size_t i = read_numbers(line, 16, COUNT(sums), values); i-- > 0;)
				sums[i] += values[i];
	for (size_t i = 0; i < COUNT(sums) && (name = strsep(&rest, " \n"));)
		if (*name && i++)
			ADD(recorder, (double)sums[i - 1], "conntrack/%s", name);
	if (file_read_line("/proc/sys/net/netfilter/nf_conntrack_count", used, sizeof(used)) ||
	    file_read_line("/proc/sys/net/netfilter/nf_conntrack_max", most, sizeof(most)) || strtod(most, NULL) <= 0)
		return;
	recorder_add(recorder, "conntrack/use", RECORDER_GAUGE, strtod(used, NULL) / strtod(most, NULL));
}

/* --- the kernel's other tables -------------------------------------------------------------------------------------- */

static void read_driver(struct recorder *recorder, struct local_state *state, const struct driver_counters *link)
{
	if (ethtool_counters(state->ethtool, link->ifindex, COUNTERS_DRIVER, link->count, link->values))
		return;
	for (uint32_t i = 0; i < link->count; i++) /* A driver may have gauges among them. */
		if (!link->is_port || !is_receive_drop(link->names[i]))
			recorder_add(recorder, TEXT_OF(RECORDER_NAME_SIZE, "ethtool/%s/%s", link->link, link->names[i]),
				     RECORDER_UNKNOWN, (double)link->values[i]);
}

static void read_filter(const char *name, bool is_gauge, uint64_t value, void *context)
{
	recorder_add(context, name, is_gauge ? RECORDER_GAUGE : RECORDER_COUNTER, (double)value);
}

static const char *local_take(struct source *source, struct recorder *recorder)
{
	struct local_state *state = source->state;

	each_line("/proc/net/softnet_stat", read_softnet, recorder);
	each_line("/proc/stat", read_cpu, recorder);
	read_links(source, recorder);
	read_protocols(recorder, "/proc/net/snmp");
	read_protocols(recorder, "/proc/net/netstat");
	read_conntrack(recorder);
	rapl_add(&state->rapl, recorder);
	filters_each(state->filters, read_filter, recorder);
	for (size_t i = 0; i < state->link_count; i++)
		read_driver(recorder, state, &state->links[i]);
	each_line("/proc/softirqs", read_softirq, recorder);
	each_line("/proc/interrupts", read_interrupt, recorder);
	return NULL;
}

const struct source_ops source_local = {
	.prefix = "local:", .needs_privileges = true, .open = local_open, .take = local_take, .close = local_close
};
