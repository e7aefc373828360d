/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netdev/ledger.h"

#include <errno.h>
#include <stdlib.h>

#include "base/message.h"

#define SETS 2

/* The counters of a set, and two readings of each. */
struct named_counters {
	uint32_t count;
	char (*names)[COUNTER_NAME_SIZE];
	uint64_t *before, *after;
	bool is_whole; /* both readings are there */
};

struct ledger {
	struct ethtool *ethtool;
	int ifindex;
	struct named_counters sets[SETS];
	uint64_t before[STANDARD_COUNTERS], after[STANDARD_COUNTERS];
};

static const char *const standard_names[STANDARD_COUNTERS] = {
	[COUNTER_PAUSE_SENT] = "pause frames sent",
	[COUNTER_PAUSE_RECEIVED] = "pause frames received",
	[COUNTER_FEC_CORRECTED] = "FEC blocks corrected",
	[COUNTER_FEC_UNCORRECTABLE] = "FEC blocks uncorrectable",
};

static int open_set(struct ledger *ledger, enum counter_set set)
{
	struct named_counters *counters = &ledger->sets[set];
	int error = ethtool_counter_names(ledger->ethtool, ledger->ifindex, set, &counters->count, &counters->names);

	if (error)
		return error == -ENOMEM ? error : 0; /* The port has no such counters. */
	counters->before = calloc(counters->count, sizeof(*counters->before));
	counters->after = calloc(counters->count, sizeof(*counters->after));
	return counters->before && counters->after ? 0 : -ENOMEM;
}

int ledger_open(int ifindex, struct ledger **ret)
{
	struct ledger *ledger = calloc(1, sizeof(*ledger));
	int error;

	if (!ledger)
		return -ENOMEM;
	ledger->ifindex = ifindex;
	error = ethtool_open(&ledger->ethtool);
	for (int set = 0; set < SETS && !error; set++)
		error = open_set(ledger, (enum counter_set)set);
	if (error)
		ledger_close(ledger);
	else
		*ret = ledger;
	return error;
}

void ledger_close(struct ledger *ledger)
{
	if (!ledger)
		return;
	for (int set = 0; set < SETS; set++) {
		free(ledger->sets[set].names);
		free(ledger->sets[set].before);
		free(ledger->sets[set].after);
	}
	ethtool_close(ledger->ethtool);
	free(ledger);
}

void ledger_read(struct ledger *ledger, bool before)
{
	if (!ledger)
		return;
	for (int set = 0; set < SETS; set++) {
		struct named_counters *counters = &ledger->sets[set];
		int error = 0;

		if (counters->count)
			error = ethtool_counters(ledger->ethtool, ledger->ifindex, (enum counter_set)set, counters->count,
						 before ? counters->before : counters->after);
		counters->is_whole = !error && (before || counters->is_whole);
	}
	ethtool_standard_counters(ledger->ethtool, ledger->ifindex, before ? ledger->before : ledger->after);
}

static void visit_one(const char *name, uint64_t before, uint64_t after, ledger_visit *visit, void *context)
{
	if (after > before)
		visit(name, after - before, context);
}

static void visit_link(const struct rtnl_link_stats64 *a, const struct rtnl_link_stats64 *b, ledger_visit *visit,
		       void *context)
{
#define COUNTER(name)                                                                                                       \
	{                                                                                                                   \
#name, a->name, b->name                                                                                     \
	}
	const struct {
		const char *name;
		uint64_t before, after;
	} own[] = {
		COUNTER(rx_packets),       COUNTER(tx_packets),          COUNTER(rx_bytes),
		COUNTER(tx_bytes),         COUNTER(rx_errors),           COUNTER(tx_errors),
		COUNTER(rx_dropped),       COUNTER(tx_dropped),          COUNTER(multicast),
		COUNTER(collisions),       COUNTER(rx_length_errors),    COUNTER(rx_over_errors),
		COUNTER(rx_crc_errors),    COUNTER(rx_frame_errors),     COUNTER(rx_fifo_errors),
		COUNTER(rx_missed_errors), COUNTER(tx_aborted_errors),   COUNTER(tx_carrier_errors),
		COUNTER(tx_fifo_errors),   COUNTER(tx_heartbeat_errors), COUNTER(tx_window_errors),
		COUNTER(rx_nohandler),
	};
#undef COUNTER

	for (size_t i = 0; i < COUNT(own); i++)
		visit_one(own[i].name, own[i].before, own[i].after, visit, context);
}

void ledger_each(const struct ledger *ledger, const struct rtnl_link_stats64 *before, const struct rtnl_link_stats64 *after,
		 ledger_visit *visit, void *context)
{
	visit_link(before, after, visit, context);
	for (int set = 0; set < SETS && ledger; set++) {
		const struct named_counters *counters = &ledger->sets[set];

		for (uint32_t i = 0; i < counters->count && counters->is_whole; i++)
			visit_one(counters->names[i], counters->before[i], counters->after[i], visit, context);
	}
	for (int i = 0; i < STANDARD_COUNTERS && ledger; i++)
		visit_one(standard_names[i], ledger->before[i], ledger->after[i], visit, context);
}
