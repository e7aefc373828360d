/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The AF_XDP transmitter's loop without a kernel: rings in plain memory, of which everything is taken and completed at once. What is
 * counted by tools/bench/steps is what of a frame's cost is the program's own.
 *
 *	bench_steps FRAMES [paced|unpaced]
 *
 * Frames of 64 octets, of one flow; paced they are all overdue, so that each burst is a full one.
 */
#include "dataplane/tx_xsk.c"

#include <stdio.h>

#include "one_flow.h"

#define OVERDUE_NS NS_PER_S

static struct {
	uint32_t producer, consumer, flags;
} transmit, completion;
static struct xdp_desc descriptors[RING_FRAMES];
static uint64_t completed[RING_FRAMES];

static void make_rings(struct tx_xsk *xsk)
{
	xsk->ring = (struct xsk_ring_prod){
		.cached_cons = RING_FRAMES,
		.mask = RING_FRAMES - 1,
		.size = RING_FRAMES,
		.producer = &transmit.producer,
		.consumer = &transmit.consumer,
		.flags = &transmit.flags,
		.ring = descriptors,
	};
	xsk->completion = (struct xsk_ring_cons){
		.mask = RING_FRAMES - 1,
		.size = RING_FRAMES,
		.producer = &completion.producer,
		.consumer = &completion.consumer,
		.flags = &completion.flags,
		.ring = completed,
	};
}

/* What a kernel would do. */
static void take_all(void)
{
	while (transmit.consumer != transmit.producer)
		completed[completion.producer++ % RING_FRAMES] = descriptors[transmit.consumer++ % RING_FRAMES].addr;
}

int main(int argc, char **argv)
{
	static struct tx_xsk xsk;
	static struct tx_report report;
	static struct mlr_moves moves;
	uint64_t now_ns = clock_ns(), frames = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	bool unpaced = argc > 2 && strcmp(argv[2], "unpaced") == 0;
	struct tx_trial trial = {
		.number = 1,
		.first_sequence = 1,
		.load_fps = unpaced ? 0.0 : (double)frames / (OVERDUE_NS / 2) * NS_PER_S,
		.frame_count = unpaced ? TX_NO_LIMIT : frames,
		.start_ns = now_ns - OVERDUE_NS,
		.deadline_ns = UINT64_MAX / 2,
	};
	struct mlr_queue_plan *plan;

	if (!frames || one_flow_plan(MLR_FRAME_MIN_OCTETS, &plan)) {
		fprintf(stderr, "usage: bench_steps FRAMES [paced|unpaced]\n");
		return EXIT_USAGE_ERROR;
	}
	xsk.plan = plan;
	xsk.tx.schedule = &xsk.tx.own_schedule;
	xsk.tx.moves = &moves;
	choose_buffers(&xsk, mlr_plan_memory_octets(plan));
	if (map_area(&xsk))
		return EXIT_INCAPABLE;
	make_rings(&xsk);
	write_payloads(&xsk);
	begin_xsk(&xsk.tx, &trial, &report);
	while (report.sent < frames && step_xsk(&xsk.tx) != TX_ENDED)
		take_all();
	printf("%llu\n", (unsigned long long)report.sent);
	mlr_queue_plan_free(plan);
	return report.error ? EXIT_INVALID : EXIT_DONE;
}
