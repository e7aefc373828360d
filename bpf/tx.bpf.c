// SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
/*
 * The transmitter of live frames paces, writes and redirects them. A queue has one instance.
 *
 * The kernel runs `tx` over and over (BPF_PROG_TEST_RUN with BPF_F_TEST_XDP_LIVE_FRAMES), each time on a page that holds the
 * longest frame of the plan, and after every `batch` runs it flushes what was redirected. A run either sends the next frame
 * or drops its page, which costs nothing but time: with nothing to do yet, the program gives the kernel a chance to see
 * signals and other work.
 *
 *	batch 1	the program itself waits for the moment that a frame is due, if it is near, and each frame leaves alone;
 *	batch n	what is not due ends the batch (all further runs of it drop), and what is due leaves in one burst.
 *
 * Pages come back from the SUT with its edits, so the whole header is written into every frame.
 */
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/map.h"
#include "bpf/shared.h"

char _license[] SEC("license") = "Dual BSD/GPL";

#define NEAR_NS         100000    /* The program waits for a frame that is due within this time. */
#define LOOKS_NEAR      (1 << 15) /* most readings of the clock in such a wait */
#define LOOKS_FAR       512       /* readings of the clock after which a run without such a frame ends */
#define BULK            16        /* DEV_MAP_BULK_SIZE of the kernel */
#define WORD_OCTETS     8
#define HEADER_WORDS    (MLR_HEADER_MAX_OCTETS / WORD_OCTETS)
#define IPV4_OCTETS     20
#define IPV6_OCTETS     40
#define UDP_OCTETS      8
#define VLAN_OCTETS     4
#define ETHERNET_OCTETS 14
#define TAG_OCTETS      sizeof(struct mlr_tag)
#define MAGIC_OCTETS    offsetof(struct mlr_tag, trial)

struct live_queue queue;

/* The place where headers of odd lengths are put together. The template's own words come first, so that it is copied in
 * whole words. */
static __u64 scratch[MLR_HEADER_SCRATCH_OCTETS / WORD_OCTETS];

MAP(port, BPF_MAP_TYPE_DEVMAP, 0, 1, __u32);

/* The templates of the plan, and the extra one behind them. */
ARRAY(templates, 1, struct mlr_frame_template); /* set before loading */

ARRAY(schedule, MLR_SCHEDULE_MAX, __u16);

/* The flows of the plan. */
MAPPED_ARRAY(flows, 1, struct mlr_flow); /* set before loading */

/* The schedule that all queues of the port share. The program of the first queue has it, and the others use that one's. In a
 * section of its own it is a map without a lookup. */
struct tx_schedule port_schedule SEC(".data.schedule") = { 0 };

/* The moves of the schedule between the frames of this queue. */
MAPPED_ARRAY(queue_moves, 1, struct mlr_moves);

/* --- waiting -------------------------------------------------------------------------------------------------------- */

struct wait {
	__u64 due_ns, now_ns;
};

static __always_inline __u64 look(void)
{
	__u64 now_ns = bpf_ktime_get_ns();

	if (!queue.unpaced)
		tx_pace_look(&queue.pace, now_ns, -queue.left);
	return now_ns;
}

static long look_again(__u32 index, struct wait *wait)
{
	(void)index;
	wait->now_ns = look();
	return wait->now_ns >= wait->due_ns;
}

struct moment {
	__u64 due_ns, now_ns;
};

/* Set when the next frame is due by this reading of the clock, on a schedule that moves when too much is behind. Returns by
 * how much it has moved. */
static __always_inline __u64 set_due(struct moment *moment)
{
	__u64 moved_ns = 0;

	if (!queue.unpaced)
		moved_ns = tx_pace_keep(&queue.pace, &port_schedule, queue.due_ns - queue.pace.start_ns, moment->now_ns);
	moment->due_ns = queue.due_ns + moved_ns;
	return moved_ns;
}

/* Wait some time for a frame that is not due yet. Returns by how much the schedule has moved. */
static __always_inline __u64 look_often(struct moment *moment)
{
	struct wait wait = { .due_ns = moment->due_ns, .now_ns = moment->now_ns };

	bpf_loop(wait.due_ns - wait.now_ns < NEAR_NS ? LOOKS_NEAR : LOOKS_FAR, look_again, &wait, 0);
	moment->now_ns = wait.now_ns;
	return set_due(moment);
}

/* Move this frame by what moved the schedule since the last frame. */
static __always_inline void note_move(__u64 moved_ns)
{
	struct mlr_moves *moves;
	__u32 key = 0;

	if (moved_ns == queue.moved_ns)
		return;
	queue.moved_ns = moved_ns;
	moves = bpf_map_lookup_elem(&queue_moves, &key);
	if (moves)
		mlr_moves_add(moves, queue.handed - queue.extra, moved_ns);
}

/* Whether the time of the trial is up. How far the deadline has moved matters only after the deadline. */
static __always_inline int is_over(__u64 now_ns)
{
	if (now_ns < queue.deadline_ns)
		return 0;
	return queue.unpaced || now_ns >= tx_pace_deadline_ns(&queue.pace, &port_schedule, queue.deadline_ns);
}

/* Wait for the next frame's moment. Returns false if it is not due, or the time is up. */
static __always_inline int await_by_clock(struct moment *ret)
{
	__u64 moved_ns;

	ret->now_ns = look();
	moved_ns = set_due(ret);
	if (ret->now_ns < ret->due_ns) {
		if (queue.batch > 1)
			return 0;
		moved_ns = look_often(ret);
		if (ret->now_ns < ret->due_ns)
			return 0;
	}
	if (is_over(ret->now_ns)) {
		queue.left = 0;
		return 0;
	}
	note_move(moved_ns);
	queue.now_ns = ret->now_ns;
	return 1;
}

/* The same. The kernel hands a batch on in bulks. In the longest batches the clock is read once for each bulk, because reading
 * it costs most here; so deadline and schedule matter once for each bulk, too. */
static __always_inline int await(struct moment *ret)
{
	ret->now_ns = queue.now_ns;
	ret->due_ns = queue.due_ns + queue.moved_ns;
	if (queue.burst % BULK && ret->now_ns >= ret->due_ns)
		return 1;
	return await_by_clock(ret);
}

/* --- writing -------------------------------------------------------------------------------------------------------- */

struct stamp {
	__u32 sequence;
	__u64 intended_ns;
	__u16 lateness;
};

/* Put a header together apart from the frame, and copy it to its place. */
static __always_inline int write_odd_header(struct xdp_md *context, const struct mlr_frame_template *template,
					    const struct mlr_flow *flow, const struct stamp *stamp)
{
	__u32 *to = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	const __u32 *from = (const __u32 *)scratch;
	const int octets = template->header_octets + (template->is_signed ? MLR_SIGNATURE_OCTETS : 0);

	for (int i = 0; i < HEADER_WORDS; i++)
		scratch[i] = ((const __u64 *)template->header)[i];
	mlr_frame_fill_late((__u8 *)scratch, template, flow, queue.trial, stamp->sequence, stamp->intended_ns,
			    stamp->lateness);
	for (int i = 0; i < MLR_HEADER_MAX_OCTETS / 4; i++) {
		if (i * 4 >= octets)
			return 0;
		if (to + i + 1 <= end) {
			to[i] = from[i];
			continue;
		}
		/* Behind an Ethernet header in a tunnel the shortest frame ends with half a word. */
		if (i * 4 + 2 < octets || (void *)(to + i) + 2 > (void *)end)
			return -1;
		*(__u16 *)(to + i) = *(const __u16 *)(from + i);
		return 0;
	}
	return 0;
}

/* Copy the header from its template, and fill it in. All that is behind the magic is filled in, so it is not copied, and the last
 * word need not be a whole one. Where the fields are is known when this is compiled, so no buffer is needed in between. */
static __always_inline int write_header(struct xdp_md *context, const struct mlr_frame_template *template,
					const struct mlr_flow *flow, const struct stamp *stamp, __u32 ip_version,
					__u32 vlan_count)
{
	__u64 *to = (void *)(long)context->data;
	const __u64 *from = (const __u64 *)template->header;
	const __u32 network_offset = ETHERNET_OCTETS + vlan_count * VLAN_OCTETS;
	const __u32 transport_offset = network_offset + (ip_version == 6 ? IPV6_OCTETS : IPV4_OCTETS);
	const __u32 header_octets = transport_offset + UDP_OCTETS + TAG_OCTETS;
	const struct mlr_frame_template known = {
		.network_offset = network_offset,
		.transport_offset = transport_offset,
		.tag_offset = transport_offset + UDP_OCTETS,
		.ip_version = ip_version,
		.network_checksum_base = template->network_checksum_base,
		.transport_checksum_base = template->transport_checksum_base,
	};

	__u64 sum;

	if ((void *)to + header_octets > (void *)(long)context->data_end)
		return -1;
#pragma unroll
	for (__u32 i = 0; i < HEADER_WORDS; i++)
		if (i * WORD_OCTETS < known.tag_offset + MAGIC_OCTETS && (i + 1) * WORD_OCTETS <= header_octets)
			to[i] = from[i];
	sum = mlr_frame_flow((__u8 *)to, &known, flow);
	sum = mlr_frame_number((__u8 *)to, &known, sum, queue.trial, stamp->sequence);
	if (template->is_signed) {
		if ((void *)to + header_octets + MLR_SIGNATURE_OCTETS > (void *)(long)context->data_end)
			return -1;
		sum += mlr_frame_sign((__u8 *)to + header_octets, template, flow->id, queue.trial, stamp->sequence,
				      stamp->intended_ns, stamp->lateness);
	}
	mlr_frame_stamp((__u8 *)to, &known, sum, stamp->intended_ns, stamp->lateness);
	return 0;
}

/* Clear what a longer header would leave behind a shorter one. */
static __always_inline void clear_rest(struct xdp_md *context, const struct mlr_frame_template *template)
{
	__u8 *to = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	int longest = queue.mixed;

	for (int i = 0; i < MLR_HEADER_MAX_OCTETS && i < longest && to + i + 1 <= end; i++)
		to[i] = template->header[i];
}

/* Where the fields of a header without options or tunnels are, as the template has it: four octets that are read at once. */
#define LAYOUT(version, vlans)                                                                                              \
	LAYOUT_OF(ETHERNET_OCTETS + (vlans)*VLAN_OCTETS, (version) == 6 ? IPV6_OCTETS : IPV4_OCTETS, version)
#define LAYOUT_OF(network, ip_octets, version)                                                                              \
	WORD((network), (network) + (ip_octets), (network) + (ip_octets) + UDP_OCTETS, (version))
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define WORD(a, b, c, d) ((__u32)(d) << 24 | (c) << 16 | (b) << 8 | (a))
#else
#define WORD(a, b, c, d) ((__u32)(a) << 24 | (b) << 16 | (c) << 8 | (d))
#endif

static __always_inline int write_frame(struct xdp_md *context, const struct mlr_frame_template *template,
				       const struct mlr_flow *flow, const struct stamp *stamp)
{
	_Static_assert(offsetof(struct mlr_frame_template, network_offset) % sizeof(__u32) == 0 &&
			       offsetof(struct mlr_frame_template, ip_version) ==
				       offsetof(struct mlr_frame_template, network_offset) + 3,
		       "");
	if (queue.mixed)
		clear_rest(context, template);
	switch (*(const __u32 *)&template->network_offset) {
	case LAYOUT(4, 0):
		return write_header(context, template, flow, stamp, 4, 0);
	case LAYOUT(4, 1):
		return write_header(context, template, flow, stamp, 4, 1);
	case LAYOUT(4, 2):
		return write_header(context, template, flow, stamp, 4, 2);
	case LAYOUT(6, 0):
		return write_header(context, template, flow, stamp, 6, 0);
	case LAYOUT(6, 1):
		return write_header(context, template, flow, stamp, 6, 1);
	case LAYOUT(6, 2):
		return write_header(context, template, flow, stamp, 6, 2);
	default:
		return write_odd_header(context, template, flow, stamp);
	}
}

/* --- old kernels ---------------------------------------------------------------------------------------------------- */

/* The part of a page of live frames that the kernel keeps, before Linux 6.3. Its members are not used; clang 19 needs
 * one. */
struct xdp_page_head___before_6_3 {
	struct {
		char any;
	} frm;
} __attribute__((preserve_access_index));

/*
 * Such a kernel hands a page out again with the frame's bounds as the last driver left them: virtio-net puts its own header
 * in front, a SUT may push a tag, and each round the frame grows, until it runs over the page. The kernel sets them anew
 * only if the program has changed the bounds of this frame. Four octets of metadata are such a change, and not part of the
 * frame.
 */
static __always_inline void renew_bounds(struct xdp_md *context)
{
	if (bpf_core_field_exists(((struct xdp_page_head___before_6_3 *)0)->frm))
		bpf_xdp_adjust_meta(context, -4);
}

/* --- a run ---------------------------------------------------------------------------------------------------------- */

/* Note that a frame leaves. Frames of one batch leave together, at the moment of its first, and on one CPU. */
static __always_inline void note_departure(__u64 now_ns)
{
	queue.handed++;
	if (queue.burst++)
		return;
	if (queue.burst_start_ns)
		mlr_histogram_add(&queue.gaps, now_ns - queue.burst_start_ns);
	queue.burst_start_ns = now_ns;
	queue.cpu = bpf_get_smp_processor_id();
	tx_schedule_begin(&port_schedule);
}

static __always_inline void take(int extra)
{
	if (extra) {
		mlr_plan_take_extra(&queue.plan, &queue.cursor);
		queue.extra++;
		return;
	}
	mlr_plan_take(&queue.plan, &queue.cursor);
	queue.left--;
	queue.due_fraction += queue.interval_fraction;
	queue.due_ns += queue.interval_ns + (queue.due_fraction < queue.interval_fraction);
}

/* Return the template of the next frame. */
static __always_inline const struct mlr_frame_template *find_template(const struct mlr_flow *flow, int extra)
{
	__u32 index = 0;

	if (extra) {
		index = queue.plan.template_count;
	} else if (queue.plan.template_count > 1) {
		__u32 slot = queue.cursor.slot;
		const __u16 *size = bpf_map_lookup_elem(&schedule, &slot);

		if (!size)
			return NULL;
		index = flow->stream * queue.plan.size_count + *size;
	}
	return bpf_map_lookup_elem(&templates, &index);
}

/* Make the frame that tests whether a port takes live frames. No SUT takes it for a frame of the load. */
static __always_inline int hide_trial_frame(struct xdp_md *context)
{
	__u8 *frame = (void *)(long)context->data;

	if ((void *)frame + ETHERNET_OCTETS > (void *)(long)context->data_end)
		return -1;
	frame[ETHERNET_OCTETS - 2] = LIVE_TRIAL_TYPE >> 8;
	frame[ETHERNET_OCTETS - 1] = LIVE_TRIAL_TYPE & 0xff;
	return 0;
}

/* Return the lateness of a frame of the load, marked where it departs in a burst. */
static __always_inline __u16 lateness_of(const struct moment *moment)
{
	__u16 lateness = mlr_lateness_encode(moment->now_ns - moment->due_ns);

	return tx_pace_take(&queue.pace, moment->now_ns) ? mlr_lateness_mark(lateness) : lateness;
}

/* Make the stamp of a frame. Extra frames are beside the load, and without a schedule each frame is due when it departs. */
static __always_inline void make_stamp(const struct moment *moment, int extra, __u32 sequence, struct stamp *ret)
{
	bool has_lateness = !queue.unpaced && !extra;

	ret->sequence = sequence;
	ret->intended_ns = (has_lateness ? moment->due_ns : moment->now_ns) + queue.tag_offset_ns;
	ret->lateness = has_lateness ? lateness_of(moment) : 0;
}

SEC("xdp")
int tx(struct xdp_md *context)
{
	int extra = mlr_plan_extra_due(&queue.cursor);
	__u32 flow_index = extra ? queue.plan.flow_count : queue.cursor.flow;
	const struct mlr_frame_template *template;
	const struct mlr_flow *flow;
	struct moment moment;
	struct stamp stamp;

	if (++queue.run >= queue.batch) {
		queue.run = 0;
		queue.burst = 0;
	}
	if (!queue.left)
		return XDP_DROP;
	flow = bpf_map_lookup_elem(&flows, &flow_index);
	template = flow ? find_template(flow, extra) : NULL;
	if (!template || !await(&moment))
		return XDP_DROP;
	make_stamp(&moment, extra, extra ? 0 : mlr_plan_sequence(&queue.cursor, flow), &stamp);
	if (write_frame(context, template, flow, &stamp) || (queue.is_trial_frame && hide_trial_frame(context)))
		return XDP_DROP;
	if (template->memory_octets != queue.memory_octets &&
	    bpf_xdp_adjust_tail(context, template->memory_octets - queue.memory_octets))
		return XDP_DROP;
	renew_bounds(context);
	take(extra);
	note_departure(moment.now_ns);
	return bpf_redirect_map(&port, 0, XDP_ABORTED);
}

/* --- what became of it ---------------------------------------------------------------------------------------------- */

/* Between a redirect and its flush nothing else runs on this CPU. */
static __always_inline int is_ours(void)
{
	return queue.handed != queue.flushed && queue.cpu == bpf_get_smp_processor_id();
}

/* The arguments are: from device, to device, frames taken, frames dropped, error. */
SEC("raw_tp/xdp_devmap_xmit")
int note_xmit(struct bpf_raw_tracepoint_args *context)
{
	int sent = (int)context->args[2], dropped = (int)context->args[3];

	if (!is_ours())
		return 0;
	queue.flushed += sent + dropped;
	queue.refused += dropped;
	if (dropped)
		queue.error = (int)context->args[4];
	return 0;
}

/* The arguments are: device, program, target, error, ... */
SEC("raw_tp/xdp_redirect_err")
int note_error(struct bpf_raw_tracepoint_args *context)
{
	if (!is_ours())
		return 0;
	queue.flushed++;
	queue.refused++;
	queue.error = (int)context->args[3];
	return 0;
}
