// SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
/*
 * SUTs of the lab that are XDP programs: `forward` redirects every frame to the other port, `police` does so too, but lets
 * test frames through at a known rate only, `stretch` loses some at random, the more the higher the load. `hand_over` gives
 * each frame, with its arrival, to the process that delays it.
 *
 * The policer is a queue in front of a server of constant rate (GCRA). A frame that comes while more than `burst` of work is
 * queued is dropped. By default a frame comes at the *intended* departure that it carries, not by the clock of this machine:
 * so the throughput is exact, however late the tester or the machine is. With `wall_clock` a frame comes when it arrives, as
 * at a real device: a tester that stalls, and then sends what is late in one burst, loses what the queue has no room for.
 *
 * `stretch` takes the load from the intended departures: frames since the first of the trial, by time since then, with
 * both halved now and then so that neither overflows. It draws from a seeded sequence, one number a frame.
 *
 * Each direction has an instance of its own.
 */
#include "bpf/map.h"
#include "bpf/parse.h"

char _license[] SEC("license") = "Dual BSD/GPL";

/* set before loading */
const volatile __u32 out_ifindex = 0;
const volatile struct policer_config policer = { 0 };
const volatile struct stretch_config curve = { 0 };

struct policer_state {
	struct bpf_spin_lock lock;
	__u32 trial;         /* trial of the last frame; by the tag's clock another trial starts afresh */
	__u64 last_ns;       /* arrival of the last frame; the 32 bits of a tag are continued to 64 */
	__u64 queued_q16_ns; /* the work that was queued then, 48.16 fixed point */
};

ARRAY(state, 1, struct policer_state);

/* The counts of a policer. They are written under the lock of the state. User space finds the map by its name. */
ARRAY(policer_counts, 1, struct policer_counts);

/* A start far enough from zero that an earlier departure does not wrap. */
#define TIME_ORIGIN_NS (1ull << 33)

/* Return the departure of a tag, which has 32 bits, as 64 bits near the last one. */
static __always_inline __u64 continued(__u64 last_departure_ns, __u32 departure_ns)
{
	return last_departure_ns + (__s32)(departure_ns - (__u32)last_departure_ns);
}

/* Return when a frame comes, by its tag. */
static __always_inline __u64 intended_ns(struct policer_state *queue, __u32 trial, __u32 departure_ns)
{
	if (queue->trial != trial || !queue->last_ns) {
		queue->trial = trial;
		queue->last_ns = TIME_ORIGIN_NS + departure_ns;
		queue->queued_q16_ns = 0;
	}
	return continued(queue->last_ns, departure_ns);
}

/* Let the server work until now. A frame that comes out of order finds the work that was queued when it should have come. */
static __always_inline void serve_until(struct policer_state *queue, __u64 now_ns)
{
	__s64 elapsed_ns = (__s64)(now_ns - queue->last_ns);

	queue->last_ns = now_ns;
	if (elapsed_ns > (__s64)(queue->queued_q16_ns >> 16))
		queue->queued_q16_ns = 0;
	else
		queue->queued_q16_ns -= (__u64)elapsed_ns << 16;
}

static __always_inline int admit(struct policer_state *queue, struct policer_counts *counts)
{
	if (queue->queued_q16_ns > policer.burst_q16_ns) {
		counts->dropped++;
		return 0;
	}
	queue->queued_q16_ns += policer.interval_q16_ns;
	counts->passed++;
	if (queue->queued_q16_ns > (counts->queue_max_frames + 1) * policer.interval_q16_ns)
		counts->queue_max_frames = (queue->queued_q16_ns - 1) / policer.interval_q16_ns;
	return 1;
}

/* Police a frame without a tag. It comes when it arrives. */
static __always_inline int conforms(const struct mlr_tag *tag)
{
	__u32 key = 0, trial = tag ? bpf_ntohs(tag->trial) : 0, departure_ns = tag ? bpf_ntohl(tag->departure_ns) : 0;
	struct policer_counts *counts = bpf_map_lookup_elem(&policer_counts, &key);
	struct policer_state *queue = bpf_map_lookup_elem(&state, &key);
	__u64 arrival_ns = policer.wall_clock ? bpf_ktime_get_ns() : 0;
	int admitted;

	if (!queue || !counts)
		return 0;
	bpf_spin_lock(&queue->lock);
	serve_until(queue, policer.wall_clock ? arrival_ns : intended_ns(queue, trial, departure_ns));
	admitted = admit(queue, counts);
	bpf_spin_unlock(&queue->lock);
	return admitted;
}

SEC("xdp")
int forward(struct xdp_md *context)
{
	(void)context;
	return bpf_redirect(out_ifindex, 0);
}

/* Whether the policer is about this frame of the tester. */
static __always_inline int is_policed(const struct xdp_md *context)
{
	const void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	const __be16 *tag = data + 2 * ETH_ALEN; /* type of the tag, then control */

	if (!policer.control_mask)
		return 1;
	return (const void *)(tag + 2) <= end && (tag[0] == bpf_htons(ETH_P_8021Q) || tag[0] == bpf_htons(ETH_P_8021AD)) &&
	       (bpf_ntohs(tag[1]) & policer.control_mask) == policer.control;
}

/* Whether a frame is UDP over IPv4 without a VLAN tag, as another generator sends. */
static __always_inline int is_udp(const struct xdp_md *context)
{
	const void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	const struct ethhdr *ethernet = data;
	const struct iphdr *ip = (const void *)(ethernet + 1);

	return (const void *)(ip + 1) <= end && ethernet->h_proto == bpf_htons(ETH_P_IP) && ip->protocol == IPPROTO_UDP;
}

SEC("xdp")
int police(struct xdp_md *context)
{
	const struct mlr_tag *tag;

	if (find_tag(context, &tag) == FRAME_TAGGED) {
		if (is_policed(context) && !conforms(tag))
			return XDP_DROP;
	} else if (policer.any_udp && is_udp(context) && !conforms(NULL)) {
		return XDP_DROP;
	}
	return bpf_redirect(out_ifindex, 0);
}

/* --- stretch -------------------------------------------------------------------------------------------------------- */

#define FRAMES_REMEMBERED (1ull << 20)  /* most frames: their product with MFPS_NS fits into 64 bits */
#define MFPS_NS           1000000000000 /* ns between two frames at a thousandth of a frame/s */
#define LOAD_MAX_MFPS     (1ull << 38)  /* 274 Mfps */

struct stretch_state {
	struct bpf_spin_lock lock;
	__u32 trial;              /* trial of the last frame; another trial measures its load afresh */
	__u64 last_departure_ns;  /* departure of the last frame; the tag's 32 bits are continued to 64 */
	__u64 first_departure_ns; /* departure of the frame from which the load is measured */
	__u64 frames;             /* frames since that frame */
	__u64 load_mfps;          /* the load as measured; 0 at the first frame */
	__u64 drawn;              /* random numbers drawn in all */
};

ARRAY(stretching, 1, struct stretch_state);

/* Measure the load by one frame more; *ret_draw numbers the frame. */
static __always_inline __u64 measure_load_mfps(struct stretch_state *state, __u32 trial, __u32 departure_ns, __u64 *ret_draw)
{
	__u64 elapsed_ns, load_mfps;

	bpf_spin_lock(&state->lock);
	*ret_draw = state->drawn++;
	if (state->trial != trial || !state->last_departure_ns) {
		state->trial = trial;
		state->last_departure_ns = state->first_departure_ns = TIME_ORIGIN_NS + departure_ns;
		state->frames = state->load_mfps = 0;
	} else {
		state->last_departure_ns = continued(state->last_departure_ns, departure_ns);
		state->frames++;
	}
	elapsed_ns = state->last_departure_ns - state->first_departure_ns;
	if ((__s64)elapsed_ns > 0)
		state->load_mfps = state->frames * MFPS_NS / elapsed_ns;
	if (state->frames >= FRAMES_REMEMBERED) {
		state->frames /= 2;
		state->first_departure_ns += elapsed_ns / 2;
	}
	load_mfps = state->load_mfps;
	bpf_spin_unlock(&state->lock);
	return load_mfps < LOAD_MAX_MFPS ? load_mfps : LOAD_MAX_MFPS;
}

/* Return the loss ratio of the curve at this load, in 0.64 fixed point. */
static __always_inline __u64 loss_ratio_q64(__u64 load_mfps)
{
	__u64 step, rest, below, above;

	if (load_mfps <= curve.low_mfps || !curve.step_mfps)
		return 0;
	step = (load_mfps - curve.low_mfps) / curve.step_mfps;
	rest = (load_mfps - curve.low_mfps) % curve.step_mfps;
	if (step >= STRETCH_STEPS) /* 1 - critical / load, by 26 bits: 2^38 times 2^26 just fits */
		return ((load_mfps - curve.critical_mfps) << 26) / load_mfps << 38;
	below = curve.loss_ratio_q64[step];
	above = curve.loss_ratio_q64[step + 1];
	return below + (above - below) / curve.step_mfps * rest;
}

/* Return the n-th number of the sequence, 64 random bits (splitmix64 of Steele, Lea and Flood; public domain). */
static __always_inline __u64 random_bits(__u64 n)
{
	__u64 z = curve.seed + (n + 1) * 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

SEC("xdp")
int stretch(struct xdp_md *context)
{
	struct stretch_state *state;
	const struct mlr_tag *tag;
	__u64 draw, load_mfps;
	__u32 key = 0;

	if (find_tag(context, &tag) == FRAME_TAGGED) {
		state = bpf_map_lookup_elem(&stretching, &key);
		if (!state)
			return XDP_DROP;
		load_mfps = measure_load_mfps(state, bpf_ntohs(tag->trial), bpf_ntohl(tag->departure_ns), &draw);
		if (random_bits(draw) < loss_ratio_q64(load_mfps))
			return XDP_DROP;
	}
	return bpf_redirect(out_ifindex, 0);
}

/* --- delay ---------------------------------------------------------------------------------------------------------- */

MAP(forwarder, BPF_MAP_TYPE_XSKMAP, 0, 1, __u32);

SEC("xdp")
int hand_over(struct xdp_md *context)
{
	struct delay_metadata *metadata;

	if (bpf_xdp_adjust_meta(context, -(int)sizeof(*metadata)))
		return XDP_DROP;
	metadata = (void *)(long)context->data_meta;
	if ((void *)(metadata + 1) > (void *)(long)context->data)
		return XDP_DROP;
	metadata->arrival_ns = bpf_ktime_get_ns();
	return bpf_redirect_map(&forwarder, 0, XDP_DROP);
}
