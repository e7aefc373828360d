// SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
/*
 * SUTs of the lab that are XDP programs: `forward` redirects every frame to the other port, `police` does so too, but lets
 * test frames through at a known rate only.
 *
 * The policer is a leaky bucket (GCRA) on the *intended* departure that each frame carries, not on the clock of this
 * machine: so its throughput is exact, however late the tester or the machine is. A frame conforms if it is at most `burst`
 * earlier than the schedule of the frames before it allows. Each direction has an instance of its own.
 */
#include "bpf/parse.h"

char _license[] SEC("license") = "Dual BSD/GPL";

/* set before loading */
const volatile __u32 out_ifindex = 0;
const volatile struct policer_config policer = { 0 };

struct policer_state {
	struct bpf_spin_lock lock;
	__u32 trial;             /* of the last frame; another trial starts afresh */
	__u64 last_departure_ns; /* of the last frame, the tag's 32 bits continued to 64 */
	__u64 next_q16_ns;       /* when the next frame is due by the rate, 48.16 fixed point */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct policer_state);
} state SEC(".maps");

/* Far enough from zero that an earlier departure does not wrap. */
#define TIME_ORIGIN_NS (1ull << 33)

static __always_inline int conforms(struct policer_state *bucket, __u32 trial, __u32 departure_ns)
{
	__u64 now_q16_ns;
	int conforming;

	bpf_spin_lock(&bucket->lock);
	if (bucket->trial != trial || !bucket->last_departure_ns) {
		bucket->trial = trial;
		bucket->last_departure_ns = TIME_ORIGIN_NS + departure_ns;
		bucket->next_q16_ns = 0;
	}
	bucket->last_departure_ns += (__s32)(departure_ns - (__u32)bucket->last_departure_ns);
	now_q16_ns = bucket->last_departure_ns << 16;
	conforming = bucket->next_q16_ns <= now_q16_ns + (policer.burst_ns << 16);
	if (conforming)
		bucket->next_q16_ns =
			(bucket->next_q16_ns > now_q16_ns ? bucket->next_q16_ns : now_q16_ns) + policer.interval_q16_ns;
	bpf_spin_unlock(&bucket->lock);
	return conforming;
}

SEC("xdp")
int forward(struct xdp_md *context)
{
	(void)context;
	return bpf_redirect(out_ifindex, 0);
}

SEC("xdp")
int police(struct xdp_md *context)
{
	const struct mlr_tag *tag;
	struct policer_state *bucket;
	__u32 key = 0;

	if (find_tag(context, &tag) == FRAME_TAGGED) {
		bucket = bpf_map_lookup_elem(&state, &key);
		if (!bucket || !conforms(bucket, bpf_ntohs(tag->trial), bpf_ntohl(tag->departure_ns)))
			return XDP_DROP;
	}
	return bpf_redirect(out_ifindex, 0);
}
