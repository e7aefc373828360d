/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/moved.h"

#include <stdio.h>
#include <string.h>

#include "base/message.h"

/* The list that is being filled in. */
struct finding {
	uint64_t taken;
	struct port_counts *counts;
};

static bool has_any(const char *name, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcasestr(name, words[i]))
			return true;
	return false;
}

bool moved_is_trouble(const char *name)
{
	static const char *const words[] = {
		"err",        "drop",    "miss",      "discard",  "crc",      "fail",  "lost",    "no_buf",  "nobuf",
		"out_of_buf", "overrun", "overflow",  "fifo",     "abort",    "coll",  "pause",   "xoff",    "uncorrect",
		"symbol",     "jabber",  "undersize", "oversize", "frag",     "bad",   "invalid", "timeout", "busy",
		"full",       "reject",  "exceed",    "illegal",  "too_long", "short", "congest", "no_desc", "starv",
	};
	/* Drops that a program of ours decides are not the port's. */
	static const char *const own[] = { "err", "fail", "full", "abort", "miss" };

	if (strcasestr(name, "xdp") && !has_any(name, own, COUNT(own)))
		return false;
	return has_any(name, words, COUNT(words));
}

/* Insert a counter in order. The last one is dropped if there is no room. */
static void note_counter(struct port_counts *counts, const char *name, uint64_t moved)
{
	unsigned int at = counts->moved_count < MOVED_MOST ? counts->moved_count++ : MOVED_MOST;

	for (; at > 0 && counts->moved[at - 1].moved < moved; at--)
		if (at < MOVED_MOST)
			counts->moved[at] = counts->moved[at - 1];
	if (at == MOVED_MOST)
		return;
	counts->moved[at].moved = moved;
	snprintf(counts->moved[at].name, sizeof(counts->moved[at].name), "%s", name);
}

static void add_counter(const char *name, uint64_t moved, void *context)
{
	struct finding *finding = context;

	if (!moved_is_trouble(name))
		return;
	if (strcasestr(name, "drop") && moved >= finding->taken)
		moved -= finding->taken;
	if (moved)
		note_counter(finding->counts, name, moved);
}

void moved_find(const struct ledger *ledger, const struct rtnl_link_stats64 *before, const struct rtnl_link_stats64 *after,
		uint64_t taken, struct port_counts *ret)
{
	struct finding finding = { .taken = taken, .counts = ret };

	ret->moved_count = 0;
	ledger_each(ledger, before, after, add_counter, &finding);
}
