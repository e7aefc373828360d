/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nothing is reset: every count is the difference of two snapshots. */
#include "measurer/snapshot.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"

/* How often the kernel gave the driver's transmit queues up and had them reset; not told in another namespace's /sys. */
static uint64_t read_resets(const char *port)
{
	char pattern[sizeof("/sys/class/net//queues/tx-*/tx_timeout") + IF_NAMESIZE];
	char line[32];
	uint64_t sum = 0;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "/sys/class/net/%s/queues/tx-*/tx_timeout", port);
	if (glob(pattern, 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		file_read_line(found.gl_pathv[i], line, sizeof(line));
		sum += strtoull(line, NULL, 10);
	}
	globfree(&found);
	return sum;
}

enum exit_code xdp_find_link(struct measurer_xdp *xdp, unsigned int port, struct link_info *ret)
{
	int error = netlink_link_by_index(xdp->netlink, xdp->ports[port].link.ifindex, ret);

	if (error)
		return refuse(EXIT_INVALID, "port %s disappeared during a trial: %s", xdp->ports[port].link.name,
			      strerror(-error));
	return EXIT_DONE;
}

/* A link that was lost, or a port that was set down, says so by its changes: one more where there was none to begin with, or
 * the port is down in the end. */
enum exit_code xdp_read_link(struct measurer_xdp *xdp, unsigned int port, bool before, struct xdp_snapshot *snapshot)
{
	struct link_info link;
	enum exit_code code;
	bool is_lost;

	ledger_read(xdp->ends[port].ledger, before);
	code = xdp_find_link(xdp, port, &link);
	if (code)
		return code;
	is_lost = !link.up || !link.carrier;
	snapshot->link[port] = link.stats;
	link_sent_read(link.ifindex, link.stats.tx_packets, xdp_is_zero_copy(xdp, port), &snapshot->sent[port]);
	snapshot->link_changes[port] =
		link.carrier_changes - (before && is_lost) + (!before && !link.up) + read_resets(xdp->ports[port].link.name);
	return EXIT_DONE;
}

/* Frames that found the kernel's backlog full, on all CPUs (the second column of softnet_stat); 0 if it cannot be read. */
static uint64_t read_backlog_dropped(void)
{
	closing FILE *file = fopen("/proc/net/softnet_stat", "re");
	unsigned int dropped;
	uint64_t sum = 0;

	while (file && fscanf(file, "%*x %x%*[^\n]", &dropped) == 1)
		sum += dropped;
	return sum;
}

/* Between two snapshots an interface can only count more frames than our programs, if its counters are read first before the
 * trial and last after it. */
enum exit_code xdp_take_snapshot(struct measurer_xdp *xdp, bool before, struct xdp_snapshot *ret)
{
	enum exit_code code = EXIT_DONE;

	ret->backlog_dropped = read_backlog_dropped();
	for (unsigned int i = 0; i < xdp->port_count; i++)
		ret->announcements[i] = neighbours_announcements(xdp->neighbours, i);
	for (unsigned int i = 0; i < xdp->port_count && !code; i++) {
		if (!before)
			rx_snapshot(xdp->ends[i].rx, &ret->rx[i]);
		code = xdp_read_link(xdp, i, before, ret);
		if (before)
			rx_snapshot(xdp->ends[i].rx, &ret->rx[i]);
	}
	return code;
}
