/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netdev/sent.h"

#include <ctype.h>
#include <stddef.h>

#include "netdev/ethtool.h"

/* Patterns of names of counters. '#' is a queue's number. */
static bool matches(const char *pattern, const char *name)
{
	for (; *pattern; pattern++) {
		if (*pattern != '#') {
			if (*pattern != *name++)
				return false;
			continue;
		}
		if (!isdigit((unsigned char)*name))
			return false;
		while (isdigit((unsigned char)*name))
			name++;
	}
	return !*name;
}

bool is_zero_copy_counter(const char *name)
{
	static const char *const patterns[] = {
		"tx#_xdp_tx",     /* virtio_net */
		"tx#_xsk_xmit",   /* mlx5_core */
		"tx_xsk_sent[#]", /* gve */
	};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (matches(patterns[i], name))
			return true;
	return false;
}

void link_sent_read(int ifindex, uint64_t packets, bool zero_copy, struct link_sent *ret)
{
	struct ethtool *ethtool;

	*ret = (struct link_sent){ .frames[SENT_PACKETS] = packets };
	if (!zero_copy || ethtool_open(&ethtool))
		return;
	ethtool_queue_packets(ethtool, ifindex, &ret->frames[SENT_QUEUE_PACKETS]);
	ethtool_sum(ethtool, ifindex, is_zero_copy_counter, &ret->frames[SENT_BY_NAME]);
	ethtool_close(ethtool);
}

uint64_t link_sent_between(const struct link_sent *before, const struct link_sent *after, uint64_t expected)
{
	uint64_t most = 0;

	for (size_t i = 0; i < SENT_COUNTERS && (i == 0 || most < expected); i++) {
		uint64_t frames = after->frames[i] - before->frames[i];

		if (after->frames[i] >= before->frames[i] && frames > most)
			most = frames;
	}
	return most;
}
