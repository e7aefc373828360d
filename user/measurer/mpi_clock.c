/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/mpi_clock.h"

#include <stdio.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json_value.h"

#define BOOT_SIZE 40
#define LINK_SIZE 40

/* --- what a host says ----------------------------------------------------------------------------------------------- */

static void name_clock(char ret_name[CLOCK_NAME_SIZE])
{
	char boot[BOOT_SIZE], time[LINK_SIZE] = "";

	file_read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
	/* without time namespaces there is no such link, and one clock */
	if (readlink("/proc/self/ns/time", time, sizeof(time) - 1) < 0)
		time[0] = '\0';
	snprintf(ret_name, CLOCK_NAME_SIZE, "%s %s", boot, time);
}

struct clock_state clock_state_here(void)
{
	struct timex now = { .modes = 0 };
	struct clock_state state = { .known = adjtimex(&now) >= 0 };

	name_clock(state.name);
	if (!state.known)
		return state;
	state.synchronized = !(now.status & STA_UNSYNC);
	state.max_error_us = now.maxerror;
	state.estimated_error_us = now.esterror;
	return state;
}

/* --- the arithmetic ------------------------------------------------------------------------------------------------- */

struct clock_offset clock_offset_of(const struct job_reading *reading)
{
	struct clock_offset offset = {
		.monotonic =
			phc_bracket((int64_t)reading->before_ns, (int64_t)reading->monotonic_ns, (int64_t)reading->after_ns),
	};
	int64_t here_ns = (int64_t)(reading->reference_realtime_ns - reading->after_ns);
	int64_t there_ns = (int64_t)(reading->realtime_ns - reading->monotonic_ns);

	offset.realtime_ns = offset.monotonic.offset_ns + here_ns - there_ns;
	return offset;
}

/* Whether two ranks have one clock. Virtual machines that were made of one snapshot have one name for clocks of their own, and only
 * the measurement tells them apart. */
static bool is_one_clock(const struct mpi_clocks *clocks, unsigned int a, unsigned int b)
{
	const struct phc_offset *of_a = &clocks->measured[a].monotonic, *of_b = &clocks->measured[b].monotonic;
	int64_t apart_ns = of_a->offset_ns - of_b->offset_ns;

	return a == b || (strcmp(clocks->states[a].name, clocks->states[b].name) == 0 &&
			  (uint64_t)(apart_ns < 0 ? -apart_ns : apart_ns) <= of_a->bound_ns + of_b->bound_ns);
}

/* Return the rank whose offset is valid for this rank: the lowest with the same clock. */
static unsigned int clock_of(const struct mpi_clocks *clocks, unsigned int rank)
{
	unsigned int lowest = 0;

	while (!is_one_clock(clocks, lowest, rank))
		lowest++;
	return lowest;
}

void mpi_clocks_take(struct mpi_clocks *clocks, bool before)
{
	struct phc_offset *to = before ? clocks->before : clocks->after;

	for (unsigned int rank = 0; rank < clocks->rank_count; rank++) {
		unsigned int clock = clock_of(clocks, rank);

		to[rank] = clock ? clocks->measured[clock].monotonic : (struct phc_offset){ .offset_ns = 0 };
	}
}

uint64_t mpi_clocks_bound_ns(const struct mpi_clocks *clocks, unsigned int from, unsigned int to)
{
	if (clock_of(clocks, from) == clock_of(clocks, to))
		return 0;
	return phc_bound_over_ns(&clocks->before[from], &clocks->after[from]) +
	       phc_bound_over_ns(&clocks->before[to], &clocks->after[to]);
}

/* --- measuring ------------------------------------------------------------------------------------------------------ */

enum exit_code mpi_clocks_measure(struct mpi_clocks *clocks, unsigned int rounds)
{
	struct job_reading reading;
	enum exit_code code = EXIT_DONE;

	for (unsigned int rank = 1; rank < clocks->rank_count && !code; rank++) {
		code = job_read_clocks(rank, rounds, &reading);
		if (!code && job_rank() == 0)
			clocks->measured[rank] = clock_offset_of(&reading);
	}
	return code ?: job_broadcast(0, clocks->measured, sizeof(clocks->measured));
}

json_t *mpi_clock_json(const struct mpi_clocks *clocks, unsigned int rank)
{
	const struct clock_state *state = &clocks->states[rank];
	const struct clock_offset *offset = &clocks->measured[rank];
	json_t *json = json_with("same_as_rank_0", json_boolean(clock_of(clocks, rank) == 0), "monotonic_offset_ns",
				 offset->monotonic.offset_ns, "offset_bound_ns", offset->monotonic.bound_ns,
				 "realtime_offset_ns", offset->realtime_ns);

	json_put(json, "synchronized", state->known ? json_boolean(state->synchronized) : json_null());
	json_put(json, "max_error_us", state->known ? json_integer(state->max_error_us) : json_null());
	json_put(json, "estimated_error_us", state->known ? json_integer(state->estimated_error_us) : json_null());
	return json;
}
