/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file tests launch time. A driver that has it uses it only on transmit queues for which a qdisc was set up. */

#include "base/text_stream.h"
#include "probe/parts.h"

#define TEXT_SIZE   512
#define PRIORITIES  16     /* priorities that mqprio maps to traffic classes */
#define NEW_ROOT    0x8001 /* the major number of a root of our making */
#define MAJOR_SHIFT 16
#define ETF         "etf offload clockid CLOCK_TAI delta 500000"

/* Count the queues from queue 0 on, as a run uses them. */
static unsigned int count_ready(const struct launch_facts *facts)
{
	unsigned int count = 0;

	while (count < 64 && facts->queueing.launch_queues >> count & 1)
		count++;
	return count;
}

/* Whether the root has a class for each transmit queue, to which a qdisc can be attached. */
static bool has_classes(const struct link_queueing *queueing)
{
	return queueing->root_handle && is_one_of(queueing->root_kind, "mq mqprio taprio");
}

/* " 0 1 2 3 3 3 ..." of 16 priorities, and " 1@0 1@1 1@2 1@3": a traffic class a queue, the last one for what is left. */
static void map_queues(unsigned int queues, char map[TEXT_SIZE], char places[TEXT_SIZE])
{
	unsigned int classes = queues < PRIORITIES ? queues : PRIORITIES;

	*map = *places = '\0';
	for (unsigned int i = 0; i < PRIORITIES; i++)
		text_add(map, TEXT_SIZE, " %u", i < classes ? i : classes - 1);
	for (unsigned int i = 0; i < classes; i++)
		text_add(places, TEXT_SIZE, " %u@%u", i + 1 < classes ? 1 : queues - i, i);
}

static void fix_with_new_root(json_t *check, const char *port, const struct launch_facts *facts)
{
	char map[TEXT_SIZE], places[TEXT_SIZE];

	map_queues(facts->transmit_queues, map, places);
	probe_fix(check,
		  "tc qdisc %s dev %s handle %x: parent root mqprio num_tc %u map%s queues%s hw 0 && tc qdisc replace dev "
		  "%s parent %x:1 " ETF,
		  facts->queueing.root_handle ? "replace" : "add", port, NEW_ROOT,
		  facts->transmit_queues < PRIORITIES ? facts->transmit_queues : PRIORITIES, map, places, port, NEW_ROOT);
}

static void fix(json_t *check, const char *port, const struct launch_facts *facts)
{
	const struct link_queueing *queueing = &facts->queueing;

	if (has_classes(queueing))
		probe_fix(check, "tc qdisc replace dev %s parent %x:1 " ETF, port, queueing->root_handle >> MAJOR_SHIFT);
	else if (facts->transmit_queues > 1)
		fix_with_new_root(check, port, facts);
	else if (facts->transmit_queues == 1)
		probe_fix(check, "tc qdisc replace dev %s root " ETF, port);
}

void probe_launch_time(json_t *checks, const char *port, const struct launch_facts *facts)
{
	unsigned int ready = count_ready(facts);
	json_t *check;

	if (!facts->is_told)
		OK(checks, "launch-time", "not told by kernels before 6.8");
	else if (!facts->has)
		OK(checks, "launch-time", "none: frames leave when they are handed over");
	else if (!facts->stamps)
		OK(checks, "launch-time", "not used: the driver has it, but stamps no departure that would prove it kept");
	else if (ready)
		OK(checks, "launch-time", "set up on %u of %u transmit queues: runs of up to %u %s use it", ready,
		   facts->transmit_queues, ready, ready == 1 ? "queue" : "queues");
	else {
		check = probe_say(
			checks, PROBE_WARN, "launch-time",
			"the driver has it, but queue 0 is not set up for it: frames leave when they are handed over");
		if (facts->may_fix)
			fix(check, port, facts);
	}
}
