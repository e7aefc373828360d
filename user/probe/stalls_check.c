/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file makes a check of the stalls that were measured. */
#include "base/clock.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/text_stream.h"
#include "port/journal.h"
#include "port/session.h"
#include "probe/parts.h"
#include "probe/stalls.h"

#define SPIN_NS     (NS_PER_S / 5)
#define EXAMPLE_FPS 100e3
#define NS_PER_MS   1e6
#define UNRAISED    " without the priority of a run"

static json_t *known_ns(bool known, uint64_t ns)
{
	return known ? json_integer((json_int_t)ns) : json_null();
}

static json_t *describe(const struct stalls *stalls)
{
	return json_with("cpu", stalls->cpu < 0 ? json_null() : json_integer(stalls->cpu), "duration_s",
			 (double)stalls->spun_ns / (double)NS_PER_S, "threshold_ns", STALL_NS, "count", stalls->count,
			 "longest_ns", stalls->longest_ns, "sum_ns", stalls->sum_ns, "others_ns",
			 known_ns(stalls->others_known, stalls->others_ns), "stolen_ns",
			 known_ns(stalls->stolen_known, stalls->stolen_ns), "raised", stalls->is_raised);
}

static void measure(int cpu, json_t *list)
{
	struct stalls stalls;

	if (!stalls_measure(cpu, SPIN_NS, &stalls))
		json_array_append_new(list, describe(&stalls));
}

json_t *probe_measure_stalls(const cpu_set_t *transmit)
{
	json_t *list;

	if (journal_any_owner())
		return json_null();
	list = json_array();
	session_raise();
	if (!CPU_COUNT(transmit))
		measure(-1, list);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, transmit))
			measure(cpu, list);
	session_restore();
	return list;
}

/* The sums over all CPUs. */
struct total {
	double duration_s, longest_ns, sum_ns;
	double others_ns, stolen_ns; /* NAN where one is not known */
	json_int_t count;
	bool raised;
};

static struct total add_up(const json_t *measured)
{
	struct total total = { .raised = true };

	json_each (one, measured) {
		total.duration_s += read_number(one, "duration_s");
		total.longest_ns = fmax(total.longest_ns, read_number(one, "longest_ns"));
		total.sum_ns += read_number(one, "sum_ns");
		total.others_ns += read_number(one, "others_ns");
		total.stolen_ns += read_number(one, "stolen_ns");
		total.count += read_integer(one, "count");
		total.raised = total.raised && read_truth(one, "raised");
	}
	return total;
}

/* "; 3.1 ms went to other processes", or nothing where that is not known. */
static void add_share(char *text, size_t size, double ns, const char *whose)
{
	if (!isnan(ns))
		text_add(text, size, "%s %.1f ms %sto %s", *text ? "," : ";", ns / NS_PER_MS, *text ? "" : "went ", whose);
}

static void say_stalled(json_t *checks, const struct total *total)
{
	char shares[96] = "";
	json_t *check;

	add_share(shares, sizeof(shares), total->others_ns, "other processes");
	add_share(shares, sizeof(shares), total->stolen_ns, "the hypervisor");
	check = WARN(checks, "stalls", "%lld above 0.1 ms in %.1f s%s, the longest %.2f ms (%.0f frames at 100 kfps)%s",
		     (long long)total->count, total->duration_s, total->raised ? "" : UNRAISED,
		     total->longest_ns / NS_PER_MS, total->longest_ns / (double)NS_PER_S * EXAMPLE_FPS, shares);
	if (total->others_ns > total->sum_ns / 2)
		probe_fix(check, "top -b -n1 -o %%CPU | head -20");
}

void probe_say_stalls(json_t *checks, const json_t *measured)
{
	struct total total = add_up(measured);

	if (json_is_null(measured))
		OK(checks, "stalls", "not known: measuring them would stop the transmit threads of a run that goes on");
	else if (!json_array_size(measured))
		WARN(checks, "stalls", "not known: no thread could be started that measures them");
	else if (total.count)
		say_stalled(checks, &total);
	else
		OK(checks, "stalls", "none above 0.1 ms in %.1f s%s", total.duration_s, total.raised ? "" : UNRAISED);
}
