// SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
/* The receiver of bench_floor.c: takes the time before all else, and has nothing else to do. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "mlr/histogram.h"
#include "tools/bench/floor.h"

char _license[] SEC("license") = "Dual BSD/GPL";

struct mlr_histogram latency;

SEC("xdp")
int floor_receive(struct xdp_md *context)
{
	__u64 now_ns = bpf_ktime_get_ns();
	const struct floor_frame *frame = (const void *)(long)context->data;

	if ((const void *)(frame + 1) > (const void *)(long)context->data_end || frame->magic != FLOOR_MAGIC)
		return XDP_PASS;
	mlr_histogram_add(&latency, now_ns - frame->departure_ns);
	return XDP_DROP;
}
