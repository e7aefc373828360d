// SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
/*
 * The receiver: recognise, count, order, timestamp, drop. One instance a port, on all of its queues.
 *
 * Counters and histograms are a copy a CPU, without atomics. Sequence state must not be: NAPI moves between CPUs, and then
 * every frame of a flow looks new or lost. It is shared, and needs one atomic exchange a frame: for each flow a ring of
 * `window` slots holds the last sequence number seen in each residue class. An exchange that gives back the very number
 * just put in is a duplicate. A number older than the window cannot be told from a duplicate and is counted as one, so
 * that duplicates never hide a loss. Sequence numbers go on from trial to trial, so nothing has to be cleared.
 */
#include "bpf/parse.h"

char _license[] SEC("license") = "Dual BSD/GPL";

/* set before loading */
const volatile __u32 first_flow = 0;  /* flows that should arrive at this port: */
const volatile __u32 flow_count = 1;  /* first_flow .. first_flow + flow_count - 1 */
const volatile __u32 window_mask = 0; /* slots a flow, a power of two, less one */

/* the trial whose frames count, and the sequence numbers it may use in each flow; written by user space between trials */
volatile __u32 accepted_trial = 0;
volatile __u32 first_sequence = 0;
volatile __u32 sequence_count = 0;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rx_counters);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RX_LATENCY_SLOTS);
	__type(key, __u32);
	__type(value, struct mlr_histogram);
} latency SEC(".maps");

/* the sequence number expected next in each flow */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* flow_count, set before loading */
	__type(key, __u32);
	__type(value, __u32);
} next_sequence SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* flow_count times the window, set before loading */
	__type(key, __u32);
	__type(value, __u32);
} seen SEC(".maps");

/* Whether this frame is the first of its number; counts duplicates and reordering. */
static __always_inline int is_unique(struct rx_counters *count, __u32 flow, __u32 sequence)
{
	__u32 slot = flow * (window_mask + 1) + (sequence & window_mask);
	__u32 *next = bpf_map_lookup_elem(&next_sequence, &flow);
	__u32 *last = bpf_map_lookup_elem(&seen, &slot);
	__s32 ahead;

	if (!next || !last)
		return 0;
	ahead = (__s32)(sequence - *next);
	if (ahead < -(__s32)window_mask || __sync_lock_test_and_set(last, sequence) == sequence) {
		count->duplicate++;
		return 0;
	}
	if (ahead < 0)
		count->reordered++;
	else
		*next = sequence + 1;
	return 1;
}

static __always_inline void measure_latency(struct rx_counters *count, const struct mlr_tag *tag, __u32 now_ns, __u32 slot)
{
	__u32 departure_ns = bpf_ntohl(tag->departure_ns) + mlr_lateness_decode_ns(bpf_ntohs(tag->lateness));
	__u32 latency_ns = now_ns - departure_ns; /* modulo 2^32: right for latencies below 2.1 s, and shows negative ones */
	struct mlr_histogram *histogram = bpf_map_lookup_elem(&latency, &slot);

	if (!histogram)
		return;
	if ((__s32)latency_ns < 0)
		count->negative_latency++;
	else
		mlr_histogram_add(histogram, latency_ns);
}

static __always_inline void count_tagged(struct rx_counters *count, const struct mlr_tag *tag, __u32 octets, __u32 now_ns)
{
	__u32 trial = bpf_ntohs(tag->trial), flow = bpf_ntohl(tag->flow) - first_flow;
	__u32 sequence = bpf_ntohl(tag->sequence);

	if (trial != accepted_trial) {
		count->late++;
	} else if (flow >= flow_count) {
		count->misdirected++;
	} else if (sequence - first_sequence >= sequence_count) {
		count->malformed++;
	} else if (is_unique(count, flow, sequence)) {
		count->received++;
		count->received_octets += octets;
		measure_latency(count, tag, now_ns, trial & (RX_LATENCY_SLOTS - 1));
	}
}

SEC("xdp")
int rx(struct xdp_md *context)
{
	__u32 now_ns = (__u32)bpf_ktime_get_ns(), key = 0;
	struct rx_counters *count = bpf_map_lookup_elem(&counters, &key);
	const struct mlr_tag *tag;

	if (!count)
		return XDP_PASS;
	switch (find_tag(context, &tag)) {
	case FRAME_TAGGED:
		count_tagged(count, tag, context->data_end - context->data, now_ns);
		return XDP_DROP;
	case FRAME_MALFORMED:
		count->malformed++;
		return XDP_DROP;
	case FRAME_HOUSEKEEPING:
		count->housekeeping++;
		return XDP_PASS;
	default:
		count->foreign++;
		return XDP_PASS;
	}
}
