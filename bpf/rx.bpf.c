// SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
/*
 * The receiver: recognise, count, order, timestamp, drop. One instance a port, on all of its queues.
 *
 * Counters and histograms are a copy a CPU, without atomics, in memory that user space maps: reading them costs no system
 * call. Sequence state must not be a copy a CPU: NAPI moves between CPUs, and then every frame of a flow looks new or lost.
 * It is shared, and needs one atomic exchange a frame: each flow has the number expected next, and `window` slots that hold
 * the last number seen in each residue class. An exchange that gives back the very number just put in is a duplicate. A number
 * older than the window cannot be told from a duplicate and is counted as one, so that duplicates never hide a loss. Two CPUs
 * that receive one flow at the same moment may disagree about what comes next, and so about the order of those few frames;
 * what is unique they never disagree about.
 *
 * Sequence numbers go on from trial to trial, so nothing has to be cleared: the first frame of a flow in a trial sets the
 * number expected next to the trial's first. In a trial of at most 2^32 - 1 numbers a flow the distance between two of them is
 * exact; in a longer one it is taken modulo 2^32, which is right unless more than 2^31 in a row are lost.
 *
 * What user space switches off before loading, the verifier removes from the program.
 */
#include "bpf/parse.h"
#include "mlr/frame.h"

char _license[] SEC("license") = "Dual BSD/GPL";

/* set before loading */
const volatile __u32 first_flow = 0;  /* flows that should arrive at this port: */
const volatile __u32 flow_count = 1;  /* first_flow .. first_flow + flow_count - 1 */
const volatile __u32 window_mask = 0; /* slots a flow, a power of two, less one */
const volatile __u8 with_order = 1;   /* tell duplicates and reordering */
const volatile __u8 with_latency = 1;

/* the trial whose frames count, and the sequence numbers it may use in each flow; written by user space between trials */
volatile __u32 accepted_trial = 0;
volatile __u32 generation =
	0; /* how many trials were accepted before: unlike the trial's number it does not wrap in a run */
volatile __u32 first_sequence = 0;
volatile __u32 sequence_count = 0;      /* 2^32 - 1: that many or more */
volatile __u64 nic_clock_offset_ns = 0; /* to add to the NIC's clock for CLOCK_MONOTONIC; 0: do not use it */
volatile __u64 tag_offset_ns = 0;       /* to add to CLOCK_MONOTONIC for the clock that tags are in */

/* one entry a CPU; their number is set before loading */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rx_cpu);
} cpus SEC(".maps");

/* As much of `seen` as the window needs: the map's value size is set before loading. */
struct flow_state {
	__u32 generation; /* of the trial that `next` belongs to */
	__u32 next;       /* the sequence number expected next */
	__u32 seen[RX_WINDOW_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* flow_count, set before loading */
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct flow_state));
} flows SEC(".maps");

extern int bpf_xdp_metadata_rx_timestamp(const struct xdp_md *context, __u64 *ret_ns) __weak __ksym;

/* How far a number is ahead of the one expected next. */
static __always_inline __s64 distance(__u32 sequence, __u32 next)
{
	if (sequence_count == 0xffffffff)
		return (__s32)(sequence - next);
	return (__s64)(sequence - first_sequence) - (__s64)(next - first_sequence);
}

static __always_inline void count_reordered(struct rx_cpu *cpu, struct rx_trial *trial, __u32 depth)
{
	cpu->counters.reordered++;
	cpu->counters.reorder_depth += depth;
	trial->reorder_depths[mlr_log2(depth) & (RX_DEPTH_BUCKETS - 1)]++;
	if (depth > trial->reorder_depth_max)
		trial->reorder_depth_max = depth;
}

static __always_inline void count_gap(struct rx_cpu *cpu, struct rx_trial *trial, __u32 frames)
{
	cpu->counters.gaps++;
	cpu->counters.gap_frames += frames;
	if (frames > trial->gap_max)
		trial->gap_max = frames;
}

/* Whether this frame is the first of its number; counts duplicates, reordering and gaps. */
static __always_inline int is_unique(struct rx_cpu *cpu, struct rx_trial *trial, __u32 flow, __u32 sequence)
{
	struct flow_state *state = bpf_map_lookup_elem(&flows, &flow);
	__s64 ahead;

	if (!state)
		return 0;
	if (state->generation != generation) {
		if (!state->generation)
			state->seen[0] = 1; /* memory of zeros would take number 0 for a copy; 1 never stands here */
		state->next = first_sequence;
		state->generation = generation;
	}
	ahead = distance(sequence, state->next);
	if (ahead < -(__s64)window_mask ||
	    __sync_lock_test_and_set(&state->seen[sequence & window_mask], sequence) == sequence) {
		cpu->counters.duplicate++;
		return 0;
	}
	if (ahead < 0) {
		count_reordered(cpu, trial, (__u32)(-1 - ahead));
		return 1;
	}
	if (ahead > 0)
		count_gap(cpu, trial, (__u32)ahead);
	state->next = sequence + 1;
	return 1;
}

static __always_inline void measure_latency(struct rx_cpu *cpu, struct rx_trial *trial, const struct mlr_tag *tag,
					    __u32 now_ns)
{
	__u32 departure_ns = bpf_ntohl(tag->departure_ns) + mlr_lateness_decode_ns(bpf_ntohs(tag->lateness));
	__u32 latency_ns = now_ns + (__u32)tag_offset_ns -
			   departure_ns; /* modulo 2^32: right for latencies below 2.1 s, and shows negative ones */

	if (tag->lateness == (__u16)MLR_LATENESS_SATURATED)
		return; /* it departed later than a tag can tell: nobody knows when */
	if ((__s32)latency_ns < 0)
		cpu->counters.negative_latency++;
	else
		mlr_histogram_add(&trial->latency, latency_ns);
}

static __always_inline void count_tagged(struct rx_cpu *cpu, const struct mlr_tag *tag, __u32 octets, __u32 now_ns,
					 __u32 is_nic_time)
{
	__u32 number = bpf_ntohs(tag->trial), flow = bpf_ntohl(tag->flow) - first_flow;
	struct rx_trial *trial = &cpu->trials[number & (RX_TRIAL_SLOTS - 1)];
	__u32 sequence = bpf_ntohl(tag->sequence);

	if (tag->flow == (__u32)MLR_FLOW_EXTRA) {
		cpu->counters.extra++;
	} else if (number != accepted_trial) {
		cpu->counters.late++;
	} else if (flow >= flow_count) {
		cpu->counters.misdirected++;
	} else if (sequence - first_sequence >= sequence_count) {
		cpu->counters.malformed++;
	} else if (!with_order || is_unique(cpu, trial, flow, sequence)) {
		cpu->counters.received++;
		cpu->counters.received_octets += octets;
		cpu->counters.hardware_timed += is_nic_time;
		if (with_latency)
			measure_latency(cpu, trial, tag, now_ns);
	}
}

/* A frame that arrived at now_ns, by the NIC's clock (1) or this machine's (0). */
static __always_inline int receive(struct xdp_md *context, struct rx_cpu *cpu, __u32 now_ns, __u32 is_nic_time)
{
	const struct mlr_tag *tag;
	__u32 octets;

	switch (find_frame(context, &tag, &octets)) {
	case FRAME_TAGGED:
		count_tagged(cpu, tag, octets, now_ns, is_nic_time);
		return XDP_DROP;
	case FRAME_MALFORMED:
		cpu->counters.malformed++;
		return XDP_DROP;
	case FRAME_HOUSEKEEPING:
		cpu->counters.housekeeping++;
		return XDP_PASS;
	default:
		cpu->counters.foreign++;
		return XDP_PASS;
	}
}

static __always_inline struct rx_cpu *this_cpu(void)
{
	__u32 number = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpus, &number);
}

SEC("xdp")
int rx(struct xdp_md *context)
{
	__u32 now_ns = with_latency ? (__u32)bpf_ktime_get_ns() : 0;
	struct rx_cpu *cpu = this_cpu();

	return cpu ? receive(context, cpu, now_ns, 0) : XDP_PASS;
}

/* The same by the NIC's clock, where the frame has a time of it: 0 and errors are none. Loaded for one device only. */
SEC("?xdp")
int rx_hardware(struct xdp_md *context)
{
	__u64 now_ns = bpf_ktime_get_ns(), nic_ns = 0;
	struct rx_cpu *cpu = this_cpu();
	__u32 is_nic_time = 0;

	if (!cpu)
		return XDP_PASS;
	if (nic_clock_offset_ns && !bpf_xdp_metadata_rx_timestamp(context, &nic_ns) && nic_ns) {
		now_ns = nic_ns + nic_clock_offset_ns;
		is_nic_time = 1;
	}
	return receive(context, cpu, (__u32)now_ns, is_nic_time);
}
