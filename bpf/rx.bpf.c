// SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
/*
 * The receiver recognises, counts, orders, timestamps and drops test frames. A port has one instance, on all of its queues.
 *
 * Counters and histograms are a copy a CPU, without atomics, in memory that user space maps: reading them costs no system
 * call. Sequence state must not be a copy a CPU: NAPI moves between CPUs, and then every frame of a flow looks new or lost.
 * It is shared, and needs one atomic exchange a frame: each flow has the number expected next, and `window` slots that hold
 * the last number seen in each residue class. An exchange that gives back the very number just put in is a duplicate. A
 * number older than the window cannot be told from a duplicate and is counted as one, so that duplicates never hide a loss.
 * Two CPUs that receive one flow at the same moment may disagree about what comes next, and so about the order of those few
 * frames; what is unique they never disagree about.
 *
 * Sequence numbers go on from trial to trial, so nothing has to be cleared: the first frame of a flow in a trial sets the
 * number expected next to the trial's first. In a trial of at most 2^32 - 1 numbers a flow the distance between two of them
 * is exact; in a longer one it is taken modulo 2^32, which is right unless more than 2^31 in a row are lost.
 *
 * A frame in which a bit was flipped must not be believed: a number far ahead would make all that follow look old. Where the
 * checksum of every frame is not verified, it still is wherever a frame is unlike the one expected: another trial, flow or
 * number, or a latency beyond any before, or the first of its flow. So in the common case this costs a comparison. A frame
 * whose UDP checksum the SUT took away counts as received. Where it has no signature it is not verified, and times nothing.
 *
 * Nearly all frames are alike: the next of their flow, of a length that is sent, behind plain headers, with a latency
 * between the extremes, not below the base that they are counted from (bpf/shared.h). They go a short way, count_usual(), of
 * few loads and comparisons; all others go the long one, receive_any(), which would count those, too, and the same.
 *
 * What user space switches off before loading, the verifier removes from the program.
 */
#include "mlr/frame.h"

#include "bpf/changed.h"
#include "bpf/icmp.h"
#include "bpf/intact.h"
#include "bpf/mangled.h"
#include "bpf/map.h"
#include "bpf/parse.h"

char _license[] SEC("license") = "Dual BSD/GPL";

/* set before loading */
const volatile __u32 first_flow = 0;  /* flows that should arrive at this port: */
const volatile __u32 flow_count = 1;  /* first_flow .. first_flow + flow_count - 1 */
const volatile __u32 window_mask = 0; /* slots of a flow, a power of two, less one */
const volatile __u8 with_order = 1;   /* tell duplicates and reordering */
const volatile __u8 with_latency = 1;
const volatile __u8 with_variation = 0;  /* differences of latency between successive frames of a flow; needs both */
const volatile __u8 with_lengths = 0;    /* compare them with `lengths` */
const volatile __u8 verify_samples = 0;  /* verify every frame whose payload is the tag alone, and others whose */
const volatile __u32 verify_spacing = 0; /* sequence number has none of these bits: a power of two, less one */
const volatile __u64 lengths[RX_LENGTH_WORDS] = { 0 };
const volatile __u32 usual_length = 0;  /* a length for which `lengths` need not be looked up; 0: none */
const volatile __u32 capture_most = 0;  /* most wrong frames to keep, the first ones of a trial */
const volatile __u64 interval_ns = 0;   /* count by intervals so long of the trial's schedule, verified all; 0: do not */
const volatile __u32 service_count = 0; /* count by service, too; 0: do not */
const volatile __u32 service_ends[MLR_SERVICES_MAX] = { 0 }; /* the flow behind the last of each; none is above the last's */
/* The number of parts of the trial's schedule, each part_ns long: count the frames due in each, by service; 0: do not. */
const volatile __u32 part_count = 0;

const volatile __u8 with_flow_figures = 0; /* count by flow, too */
const volatile __u8 counts_more = 0;       /* One of the last four is set, so that one load tests all of them. */

/* The trial whose frames count, and the sequence numbers it may use in each flow. User space writes them between trials. */
volatile __u32 accepted_trial = 0;
volatile __u32 generation =
	0; /* how many trials were accepted before: unlike the trial's number it does not wrap in a run */
volatile __u32 first_sequence = 0;
volatile __u32 sequence_count = 0;      /* number of sequence numbers; 2^32 - 1: so many or more */
volatile __u64 nic_clock_offset_ns = 0; /* CLOCK_MONOTONIC minus the NIC's clock; 0: do not use that clock */
volatile __u64 tag_offset_ns = 0;       /* clock of tags minus CLOCK_MONOTONIC */
volatile __u64 start_ns = 0;            /* start of the trial's schedule, or of the parts that are counted, by that clock */
volatile __u64 part_ns = 0;             /* 0: parts are not counted in this trial */
volatile __u32 part_numbers_before = 0; /* the first numbers of a flow in the trial, which are not counted in parts */

volatile __u64 nothing = 0; /* The value stays 0, which the verifier does not know: forgotten(). */

volatile __u32 captured_count = 0; /* frames of the accepted trial; above capture_most where there were more */

/* Frames that came when another trial, or none, was accepted, by the trial of their tag. All CPUs share them. */
__u32 late_frames[RX_TRIAL_NUMBERS] = { 0 };

/* The trials that were accepted, a bit each. */
__u64 used_trials[RX_TRIAL_WORDS] = { 0 };

/* There is one entry for each CPU. Their number is set before loading. */
MAPPED_ARRAY(cpus, 1, struct rx_cpu);

/* The state of a flow. It has as much of `seen` as the window needs: the map's value size is set before loading. */
struct flow_state {
	__u32 generation;        /* the trial that `next` belongs to */
	__u32 next;              /* the sequence number expected next */
	struct rx_header header; /* header of the last frame without VLAN tags in this trial that took the long path */
	__u32 changes;           /* changes of that header. Before there is one, `header` equals no header */
	__u32 reserved;
	__u64 timed;  /* latency of the frame before `next`, with variation (timed_as()) */
	__u32 seen[]; /* slot_of() */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* flow_count, set before loading */
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct flow_state));
} flows SEC(".maps");

/* There are RX_CPU_INTERVALS for each CPU, or one where nobody asked for them. The number is set before loading. */
MAPPED_ARRAY(intervals, 1, struct rx_interval);

/* There are service_count for each CPU, or one in all. The number is set before loading. */
MAPPED_ARRAY(services, 1, struct rx_service);

/* Frames by the part in which they were due: part_count for each service, or for all. All CPUs share them. */
MAPPED_ARRAY(parts, 1, __u64);

/* There are flow_count of them, or one where nobody asked for them. The number is set before loading. */
MAPPED_ARRAY(flow_figures, 1, struct rx_flow_figures);

/* There are capture_most of them. The number is set before loading. */
ARRAY(captured, 1, struct rx_captured);

/* Return how far a number is ahead of the one expected next. In the common case it is 0. */
static __always_inline __s64 distance(__u32 sequence, __u32 next)
{
	__u32 first = first_sequence;

	if (sequence == next)
		return 0;
	if (sequence_count == 0xffffffff)
		return (__s32)(sequence - next);
	return (__s64)(sequence - first) - (__s64)(next - first);
}

static __always_inline void count_reordered(struct rx_cpu *cpu, struct rx_trial *trial, __u32 depth)
{
	cpu->counters.reordered++;
	cpu->counters.reorder_depth += depth;
	trial->reorder_depths[mlr_log2(depth) & (RX_DEPTH_BUCKETS - 1)]++;
	if (depth > trial->reorder_depth_max)
		trial->reorder_depth_max = depth;
}

/* Count a gap, and the run that it begins. After an outage over many flows the next frame of each shows a gap, one after the other. In a
 * single flow each gap is an outage. */
static __always_inline void count_gap(struct rx_cpu *cpu, struct rx_trial *trial, __u32 frames)
{
	cpu->counters.gaps++;
	if (flow_count == 1 || cpu->counters.received + 1 != cpu->gap_at)
		cpu->counters.gap_runs++;
	cpu->gap_at = cpu->counters.received + 2;
	cpu->counters.gap_frames += frames;
	if (frames > trial->gap_max)
		trial->gap_max = frames;
}

/* A frame on its way through the receiver. */
struct arrival {
	struct xdp_md *context;
	struct rx_cpu *cpu;
	struct frame frame;
	__s64 latency_ns; /* negative where clocks disagree */
	__u32 is_timed;   /* The latency of the frame is known. */
};

/* Keep a frame while there is room. The function is not static, and is called only where captures were asked for. */
__noinline int capture(struct xdp_md *context, __u32 why)
{
	struct rx_captured *to;
	__u32 number, octets;

	if (!capture_most || !context || accepted_trial >= RX_TRIAL_NUMBERS || captured_count >= capture_most)
		return 0;
	number = __sync_fetch_and_add(&captured_count, 1);
	to = bpf_map_lookup_elem(&captured, &number);
	if (!to)
		return 0;
	to->arrival_ns = bpf_ktime_get_ns();
	to->why = why;
	to->octets = (__u32)bpf_xdp_get_buff_len(context);
	octets = (to->octets < RX_CAPTURED_OCTETS ? to->octets : RX_CAPTURED_OCTETS) - 1;
	barrier_var(octets);
	return (int)bpf_xdp_load_bytes(context, 0, to->frame, (octets & (RX_CAPTURED_OCTETS - 1)) + 1);
}

/* Count a wrong frame, for this reason. */
static __always_inline void count_wrong(struct xdp_md *context, uint64_t *counter, enum rx_wrong why)
{
	(*counter)++;
	if (capture_most)
		capture(context, why);
}

/* Return the slot in which a flow remembers a number. */
static __always_inline __u32 *slot_of(struct flow_state *state, __u32 sequence)
{
	return state->seen + (sequence & window_mask);
}

/* Begin a flow with its first frame of a trial. */
static __always_inline void begin_flow(struct rx_cpu *cpu, struct flow_state *state)
{
	if (!state->generation)
		*slot_of(state, 0) = 1; /* memory of zeros would take number 0 for a copy; 1 never stands here */
	state->header.class_and_limit = HEADER_UNLIKE;
	state->next = first_sequence;
	state->generation = generation;
	cpu->counters.flows++;
}

/* Count duplicates, reordering and gaps. Return whether this frame is the first of its number. */
static __always_inline int is_unique(struct rx_cpu *cpu, struct rx_trial *trial, struct flow_state *state, __u32 sequence,
				     __s64 ahead)
{
	if (ahead < 0 && ahead < -(__s64)window_mask) {
		cpu->counters.beyond_window++;
		cpu->counters.duplicate++;
		return 0;
	}
	if (__sync_lock_test_and_set(slot_of(state, sequence), sequence) == sequence) {
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

/* Read four octets of a tag, which starts at any even address. This is one load, where the compiler would take four. */
static __always_inline __u32 word(const void *at)
{
	return bpf_ntohl(*(const __u32 *)at);
}

/* Return the latency of a frame that is not saturated with lateness. It is unsigned, so where clocks disagree it is larger
 * than any other. */
static __always_inline __u64 latency_since(const struct mlr_tag *tag, __u32 lateness, __u64 now_ns)
{
	__u64 departure_ns = (__u64)tag->departure_high << 32 | word(&tag->departure_ns);

	return (__u64)mlr_tag_latency_ns(now_ns + tag_offset_ns, departure_ns + mlr_lateness_decode_ns((__u16)lateness));
}

/* Whether a latency is a new extreme. Minimum and maximum are only as good as the one frame that each of them is from. */
static __always_inline int is_extreme(__u64 latency_ns, const struct mlr_histogram *before)
{
	return latency_ns > before->max_ns || ~latency_ns > before->inverted_min_ns;
}

/* Pack a latency, in as many bits as times in tags have, and the lowest bits of its frame's number into one word. So CPUs
 * that share a flow never see one without the other. */
#define TIMED_SEQUENCE_BITS (64 - MLR_TAG_DEPARTURE_BITS)
#define TIMED_SEQUENCE_MASK ((1ull << TIMED_SEQUENCE_BITS) - 1)

static __always_inline __u64 timed_as(__u32 sequence, __u64 latency_ns)
{
	return latency_ns << TIMED_SEQUENCE_BITS | (sequence & TIMED_SEQUENCE_MASK);
}

#define NO_VARIATION UINT64_MAX /* larger than any */

/* Return by how much this latency differs from that of the frame before it in its flow, whose number is one less: IPDV (RFC
 * 5481, 4.1) without its sign. */
static __always_inline __u64 variation_since(const struct flow_state *state, __u32 sequence, __u64 latency_ns)
{
	__u64 before = *(const volatile __u64 *)&state->timed;
	__s64 difference_ns, sign;

	if ((before ^ (sequence - 1)) & TIMED_SEQUENCE_MASK)
		return NO_VARIATION;
	difference_ns = (__s64)(timed_as(sequence - 1, latency_ns) - before) >> TIMED_SEQUENCE_BITS;
	sign = difference_ns >> 63; /* no branch: no CPU can predict which one it is */
	barrier_var(sign);
	return (__u64)((difference_ns ^ sign) - sign);
}

static __always_inline void take_latency(struct arrival *arrival, __u64 now_ns)
{
	__u32 lateness = bpf_ntohs(arrival->frame.tag->lateness);

	if (lateness == MLR_LATENESS_SATURATED)
		return; /* The frame departed later than a tag can say, so its departure is unknown. */
	arrival->latency_ns = (__s64)latency_since(arrival->frame.tag, lateness, now_ns);
	arrival->is_timed = 1;
}

/* Count the variation of a unique frame, and remember its latency for the next frame. A frame that came late is not remembered.
 * One without latency is remembered by a number that the next frame does not ask for. */
static __always_inline void count_variation(const struct arrival *arrival, struct rx_trial *trial, struct flow_state *state,
					    __u32 sequence, __s64 ahead, __u64 variation_ns)
{
	if (ahead >= 0)
		state->timed = timed_as(sequence + !arrival->is_timed, (__u64)arrival->latency_ns);
	if (variation_ns != NO_VARIATION)
		mlr_histogram_add(&trial->variation, variation_ns);
}

/* Whether a latency has to take the long path: it is below the base, or a new extreme. A new minimum is below the base. */
static __always_inline int is_unusual(__u64 latency_ns, const struct rx_trial *trial)
{
	return latency_ns > trial->latency.max_ns || ~latency_ns > trial->relative.inverted_base_ns;
}

/* Count a latency that is not below the base. */
static __always_inline void count_relative(struct rx_trial *trial, __u64 latency_ns)
{
	__u64 bucket = mlr_histogram_bucket(latency_ns + trial->relative.inverted_base_ns + 1) + trial->relative.offset;

	trial->latency.count++;
	trial->latency.sum_ns += latency_ns;
	barrier_var(bucket); /* as in mlr_histogram_count() */
	if (bucket < RX_BASES * MLR_HISTOGRAM_BUCKETS)
		trial->relative.buckets[bucket]++;
}

/* Keep a latency that is below the base. Once there are enough of them, the smallest becomes the base. */
static __always_inline void count_exact(struct rx_trial *trial, __u64 latency_ns)
{
	struct rx_relative *relative = &trial->relative;
	__u64 number = relative->exact_count;

	if (number >= RX_BASES * RX_EXACT) {
		mlr_histogram_count(&trial->latency, latency_ns, 1);
		return;
	}
	barrier_var(number);
	relative->exact_ns[number & (RX_BASES * RX_EXACT - 1)] = latency_ns;
	relative->exact_count = ++number;
	trial->latency.count++;
	trial->latency.sum_ns += latency_ns;
	if (number % RX_EXACT)
		return;
	number = number / RX_EXACT - 1;
	relative->bases_ns[number & (RX_BASES - 1)] = ~trial->latency.inverted_min_ns;
	relative->offset = number * MLR_HISTOGRAM_BUCKETS;
	relative->inverted_base_ns = trial->latency.inverted_min_ns;
}

static __always_inline void count_any(struct rx_trial *trial, __u64 latency_ns)
{
	if (latency_ns > trial->latency.max_ns)
		trial->latency.max_ns = latency_ns;
	if (~latency_ns > trial->latency.inverted_min_ns)
		trial->latency.inverted_min_ns = ~latency_ns;
	if (~latency_ns > trial->relative.inverted_base_ns)
		count_exact(trial, latency_ns);
	else
		count_relative(trial, latency_ns);
}

static __always_inline void count_latency(const struct arrival *arrival, struct rx_trial *trial)
{
	__u32 lateness = bpf_ntohs(arrival->frame.tag->lateness);

	if (lateness > trial->lateness_max)
		trial->lateness_max = lateness;
	if (arrival->latency_ns < 0)
		arrival->cpu->counters.negative_latency++;
	else
		count_any(trial, (__u64)arrival->latency_ns);
}

/* Return when a frame was due, after the start of the schedule. The tag says it exactly, so a lost frame is missing where it
 * was due, however late the others are. The bits that the tag has no room for follow from the arrival. */
static __always_inline __u64 due_after_ns(const struct arrival *arrival, __u64 now_ns)
{
	const struct mlr_tag *tag = arrival->frame.tag;
	__u64 due_ns = (__u64)tag->departure_high << 32 | word(&tag->departure_ns);

	now_ns += tag_offset_ns;
	return now_ns - (__u64)mlr_tag_latency_ns(now_ns, due_ns) - start_ns;
}

static __always_inline void count_interval(const struct arrival *arrival, __u32 slot, __u64 now_ns)
{
	__u64 number = due_after_ns(arrival, now_ns) / interval_ns;
	__u32 index = bpf_get_smp_processor_id() * RX_CPU_INTERVALS + slot * RX_INTERVALS_MAX;
	struct rx_interval *interval;

	index += number < RX_INTERVALS_MAX ? (__u32)number : RX_INTERVALS_MAX - 1;
	interval = bpf_map_lookup_elem(&intervals, &index);
	if (!interval)
		return;
	interval->received++;
	if (!arrival->is_timed || arrival->latency_ns < 0)
		return;
	interval->timed++;
	interval->latency_sum_ns += (__u64)arrival->latency_ns;
	if ((__u64)arrival->latency_ns > interval->latency_max_ns)
		interval->latency_max_ns = (__u64)arrival->latency_ns;
	if (~(__u64)arrival->latency_ns > interval->latency_inverted_min_ns)
		interval->latency_inverted_min_ns = ~(__u64)arrival->latency_ns;
}

static __always_inline int counts_parts(void)
{
	return part_count && part_ns;
}

static __always_inline void count_part(const struct arrival *arrival, __u32 number, __u64 now_ns)
{
	__u32 before = word(&arrival->frame.tag->sequence) - first_sequence;
	/* A frame due before the start gets a part beyond all others. */
	__u64 part = due_after_ns(arrival, now_ns) / part_ns;
	__u32 index = number * part_count + (__u32)part;
	__u64 *frames;

	if (part >= part_count || before < part_numbers_before)
		return;
	frames = bpf_map_lookup_elem(&parts, &index);
	if (frames)
		__sync_fetch_and_add(frames, 1);
}

static __always_inline void count_service(const struct arrival *arrival, __u32 flow, __u64 now_ns)
{
	__u32 number = 0, index;
	struct rx_service *service;

	for (int i = 0; i < MLR_SERVICES_MAX - 1; i++)
		number += flow >= service_ends[i];
	index = bpf_get_smp_processor_id() * service_count + number;
	service = bpf_map_lookup_elem(&services, &index);
	if (!service)
		return;
	service->received++;
	if (arrival->is_timed && arrival->latency_ns >= 0)
		mlr_histogram_add(&service->latency, (__u64)arrival->latency_ns);
	if (counts_parts())
		count_part(arrival, number, now_ns);
}

/* CPUs that share a flow may miss each other's largest latency, but no frame. */
static __always_inline void count_flow(const struct arrival *arrival, __u32 flow, int is_unique, int is_reordered)
{
	struct rx_flow_figures *figures = bpf_map_lookup_elem(&flow_figures, &flow);

	if (!figures)
		return;
	if (!is_unique) {
		__sync_fetch_and_add(&figures->duplicate, 1);
		return;
	}
	__sync_fetch_and_add(&figures->received, 1);
	if (is_reordered)
		__sync_fetch_and_add(&figures->reordered, 1);
	if (!arrival->is_timed || arrival->latency_ns < 0)
		return;
	__sync_fetch_and_add(&figures->timed, 1);
	__sync_fetch_and_add(&figures->latency_sum_ns, (__u64)arrival->latency_ns);
	if ((__u64)arrival->latency_ns > figures->latency_max_ns)
		figures->latency_max_ns = (__u64)arrival->latency_ns;
}

static __always_inline int is_sent(__u32 udp_octets)
{
	return !with_lengths || __builtin_expect(udp_octets == usual_length, 1) ||
	       lengths[udp_octets / 64 & (RX_LENGTH_WORDS - 1)] >> (udp_octets & 63) & 1;
}

/* Whether a frame of the trial has a length that the trial sends, and nothing behind it. The shortest frame, whose payload
 * is the tag alone, needs no Ethernet padding, with or without VLAN tags. */
static __always_inline int has_right_length(const struct frame *frame)
{
	return !with_lengths || (is_sent(frame->udp_octets) && frame->octets == frame->udp_offset + frame->udp_octets);
}

/* Whether to verify the checksums of a frame that is in no doubt. */
static __always_inline int is_sample(const struct frame *frame, __u32 sequence)
{
	return verify_samples && (is_small(frame) || !(sequence & verify_spacing));
}

/* Count what became of the headers of a received frame, and keep it for the next frames with the same headers. */
static __always_inline void count_header(struct arrival *arrival, struct flow_state *state, __u32 flow)
{
	__u32 changes = (__u32)find_changes(arrival->context, arrival->frame.udp_offset, arrival->frame.header, flow);

	count_changes(&arrival->cpu->counters, changes);
	if (changes & (CHANGES_TAGGED | MLR_CHANGE_MAC))
		return;
	state->header = arrival->cpu->header;
	if (changes)
		state->header.class_and_limit |= HEADER_CHANGED;
	state->changes = changes;
}

/* Count a frame of the tester that is not as it was sent. */
static __always_inline void count_broken(struct xdp_md *context, struct rx_counters *counters, enum verdict verdict)
{
	if (verdict == VERDICT_SIGNATURE)
		count_wrong(context, &counters->wrong_signature, RX_WRONG_SIGNATURE);
	else if (verdict == VERDICT_PAYLOAD)
		count_wrong(context, &counters->changed_payload, RX_WRONG_PAYLOAD);
	else
		count_wrong(context, &counters->damaged, RX_WRONG_CHECKSUM);
}

/* Return the same value. The verifier then no longer knows on which path it was found, so it checks what follows only
 * once. */
static __always_inline __u64 forgotten(__u64 value)
{
	value += nothing;
	barrier_var(value);
	return value;
}

/* Count a frame of the accepted trial. */
static __always_inline void count_accepted(struct arrival *arrival, struct rx_trial *trial, __u32 flow, __u32 sequence,
					   __u64 now_ns, __u32 is_nic_time)
{
	struct rx_counters *counters = &arrival->cpu->counters;
	struct flow_state *state = with_order ? bpf_map_lookup_elem(&flows, &flow) : 0;
	__u32 is_first = state && state->generation != generation, is_verified;
	__u32 is_checked = has_checksum(arrival->frame.udp), can_be_trusted = can_be_verified(&arrival->frame);
	enum verdict verdict;
	__s64 ahead = state ? distance(sequence, is_first ? first_sequence : state->next) : 0;
	__u64 variation_ns = NO_VARIATION;

	if (with_order && !state)
		return; /* never */
	is_first = (__u32)forgotten(is_first);
	is_checked = (__u32)forgotten(is_checked);
	can_be_trusted = (__u32)forgotten(can_be_trusted);
	ahead = (__s64)forgotten((__u64)ahead);
	if (!has_right_length(&arrival->frame)) {
		count_wrong(arrival->context, &counters->wrong_length, RX_NOT_SENT_SO_LONG);
		return;
	}
	if (with_latency && can_be_trusted)
		take_latency(arrival, now_ns);
	arrival->is_timed = (__u32)forgotten(arrival->is_timed);
	if (with_variation && state && !is_first && !ahead && arrival->is_timed)
		variation_ns = variation_since(state, sequence, (__u64)arrival->latency_ns);
	is_verified = interval_ns || is_first || ahead || !is_checked || is_sample(&arrival->frame, sequence) ||
		      (arrival->is_timed && is_extreme((__u64)arrival->latency_ns, &trial->latency)) ||
		      (with_variation && is_extreme(variation_ns, &trial->variation));
	is_verified = (__u32)forgotten(is_verified);
	verdict = is_verified ? judge(arrival->context, &arrival->frame) : VERDICT_INTACT;
	if (verdict != VERDICT_INTACT) {
		count_broken(arrival->context, counters, verdict);
		return;
	}
	if (state && is_first)
		begin_flow(arrival->cpu, state);
	if (state && !is_unique(arrival->cpu, trial, state, sequence, ahead)) {
		if (with_flow_figures)
			count_flow(arrival, flow, 0, 0);
		return;
	}
	if (with_flow_figures)
		count_flow(arrival, flow, 1, ahead < 0);
	counters->received++;
	counters->received_octets += arrival->frame.octets;
	counters->hardware_timed += is_nic_time;
	counters->unverified += !is_verified || !can_be_trusted;
	counters->without_checksum += !is_checked;
	if (with_headers && state)
		count_header(arrival, state, flow);
	counters->marked += mlr_lateness_is_marked(bpf_ntohs(arrival->frame.tag->lateness));
	if (arrival->is_timed)
		count_latency(arrival, trial);
	if (with_variation && state)
		count_variation(arrival, trial, state, sequence, ahead, variation_ns);
	if (interval_ns)
		count_interval(arrival, accepted_trial & (RX_TRIAL_SLOTS - 1), now_ns);
	if (service_count)
		count_service(arrival, flow, now_ns);
	else if (counts_parts())
		count_part(arrival, 0, now_ns);
}

static __always_inline void count_late(struct xdp_md *context, struct rx_counters *counters, __u32 trial)
{
	barrier_var(trial); /* Linux 6.1 forgets the bounds of swapped octets; the compiler knows them and drops the mask */
	trial &= RX_TRIAL_NUMBERS - 1;
	__sync_fetch_and_add(&late_frames[trial], 1);
	if (used_trials[trial / 64] >> (trial & 63) & 1)
		counters->late++;
	else
		count_wrong(context, &counters->unknown_trial, RX_UNKNOWN_TRIAL);
}

static __always_inline void count_tagged(struct arrival *arrival, __u64 now_ns, __u32 is_nic_time)
{
	const struct mlr_tag *tag = arrival->frame.tag;
	struct rx_cpu *cpu = arrival->cpu;
	__u32 number = bpf_ntohs(tag->trial), sequence = word(&tag->sequence);
	__u32 id = word(&tag->departure_high) & MLR_FLOW_EXTRA, flow = id - first_flow;
	enum verdict verdict;

	if (id != MLR_FLOW_EXTRA && number == accepted_trial && flow < flow_count &&
	    sequence - first_sequence < sequence_count) {
		count_accepted(arrival, &cpu->trials[number & (RX_TRIAL_SLOTS - 1)], flow, sequence, now_ns, is_nic_time);
		return;
	}
	verdict = judge(arrival->context, &arrival->frame);
	if (verdict == VERDICT_CHECKSUM || (verdict && id != MLR_FLOW_EXTRA && number == accepted_trial))
		count_broken(arrival->context, &cpu->counters, verdict);
	else if (id == MLR_FLOW_EXTRA)
		cpu->counters.extra++;
	else if (number != accepted_trial)
		count_late(arrival->context, &cpu->counters, number);
	else if (flow >= flow_count)
		count_wrong(arrival->context, &cpu->counters.misdirected, RX_WRONG_PORT);
	else
		count_wrong(arrival->context, &cpu->counters.malformed, RX_WRONG_NUMBER);
}

/* Count a frame in which the tag is not where it should be. */
static __always_inline int count_untagged(struct xdp_md *context, struct rx_counters *counters)
{
	switch (find_mangling(context, accepted_trial)) {
	case MANGLED_HEADER:
		count_wrong(context, &counters->damaged, RX_WRONG_HEADER);
		return XDP_DROP;
	case MANGLED_FRAGMENT:
		count_wrong(context, &counters->fragmented, RX_FRAGMENT);
		return XDP_DROP;
	case MANGLED_TAGS:
		count_wrong(context, &counters->overtagged, RX_MORE_TAGS);
		return XDP_DROP;
	default:
		count_wrong(context, &counters->foreign, RX_FOREIGN);
		return XDP_PASS;
	}
}

static __always_inline struct rx_cpu *this_cpu(void)
{
	__u32 number = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpus, &number);
}

/* Classify a frame that does not lead to a tag. Like the next function it is not static, so the verifier checks it once. */
__noinline int count_other(struct xdp_md *context, __u32 kind)
{
	struct rx_cpu *cpu = this_cpu();

	if (!context || !cpu)
		return XDP_PASS;
	if (is_icmp_error(context)) {
		count_wrong(context, &cpu->counters.icmp_errors, RX_ICMP_ERROR);
		return XDP_DROP;
	}
	if (kind != FRAME_HOUSEKEEPING)
		return count_untagged(context, &cpu->counters);
	cpu->counters.housekeeping++;
	return XDP_PASS;
}

/* Take a frame that arrived at now_ns, by the NIC's clock (1) or this machine's (0). Return its kind. A frame that does not
 * lead to a tag is not counted. */
__noinline int receive_any(struct xdp_md *context, __u64 now_ns, __u32 is_nic_time)
{
	struct arrival arrival = { .context = context, .cpu = this_cpu() };
	enum frame_kind kind;

	if (!context || !arrival.cpu)
		return FRAME_FOREIGN;
	kind = find_frame(context, &arrival.frame);
	if (kind == FRAME_TAGGED)
		count_tagged(&arrival, now_ns, is_nic_time);
	else if (kind == FRAME_MALFORMED)
		count_wrong(context, &arrival.cpu->counters.malformed, RX_WRONG_LENGTHS);
	return (int)kind;
}

/* Some drivers have all of a frame in fragments. Linux 6.18 can put its headers where they can be read. */
#ifdef WITH_GATHERED_HEADERS
extern int bpf_xdp_pull_data(struct xdp_md *context, __u32 octets) __weak __ksym;

static __always_inline void gather_headers(struct xdp_md *context)
{
	__u32 readable = (__u32)(context->data_end - context->data), octets;

	if (readable >= MLR_HEADER_MAX_OCTETS || !bpf_xdp_pull_data)
		return;
	octets = (__u32)bpf_xdp_get_buff_len(context);
	if (octets > readable)
		bpf_xdp_pull_data(context, octets < MLR_HEADER_MAX_OCTETS ? octets : MLR_HEADER_MAX_OCTETS);
}
#else
static __always_inline void gather_headers(struct xdp_md *context)
{
	(void)context;
}
#endif

static __always_inline int receive_long(struct xdp_md *context, __u64 now_ns, __u32 is_nic_time)
{
	int kind;

	gather_headers(context);
	kind = receive_any(context, now_ns, is_nic_time);
	return kind == FRAME_TAGGED || kind == FRAME_MALFORMED ? XDP_DROP : count_other(context, (__u32)kind);
}

/* --- the short way --------------------------------------------------------------------------------------------------- */

/* Count the next frame of a flow. Returns false if it is a copy, or not the next, or without the usual variation, or if its
 * headers are not those of a frame before it. */
static __always_inline int take_next(const struct usual_frame *frame, struct rx_cpu *cpu, struct rx_trial *trial, __u32 flow,
				     __u32 sequence, __u64 latency_ns)
{
	struct flow_state *state = bpf_map_lookup_elem(&flows, &flow);
	__u64 variation_ns = 0;
	__u32 difference = 0;

	if (!state || state->generation != generation || state->next != sequence)
		return 0;
	if (with_headers)
		difference = compare_kept(&state->header, frame->network, (const __u32 *)frame->udp, frame->is_ipv6);
	if (difference & ~HEADER_CHANGED || is_readdressed((const void *)frame->network - sizeof(struct ethhdr)))
		return 0;
	if (with_variation) {
		variation_ns = variation_since(state, sequence, latency_ns);
		if (is_extreme(variation_ns, &trial->variation))
			return 0;
	}
	if (__sync_lock_test_and_set(slot_of(state, sequence), sequence) == sequence)
		return 0;
	state->next = sequence + 1;
	if (__builtin_expect(with_variation, 0)) {
		state->timed = timed_as(sequence, latency_ns);
		mlr_histogram_count(&trial->variation, variation_ns, 1);
	}
	if (__builtin_expect(difference, 0)) /* last, because a call takes the registers */
		count_changes(&cpu->counters, state->changes);
	return 1;
}

/* Whether a burst of the tester may have marked a frame. A frame without a mark and below a lateness of 4096 ns is plain. */
static __always_inline int is_marked(const struct mlr_tag *tag)
{
	return __builtin_expect(tag->lateness & bpf_htons(MLR_LATENESS_MARKABLE), 0) &&
	       mlr_lateness_is_marked(bpf_ntohs(tag->lateness));
}

/* Take the short path. Returns false, and has counted nothing, if the frame must take the long one. A copy must, too: its
 * number is in `seen`. Values are read where they are needed, because there are few registers. */
static __always_inline int count_usual(struct xdp_md *context, const struct usual_frame *frame, struct rx_cpu *cpu,
				       __u64 now_ns, __u32 is_nic_time)
{
	const struct mlr_tag *tag = (const void *)(frame->udp + 1);
	__u32 number = bpf_ntohs(tag->trial), is_unverified = 1, flow, sequence;
	struct rx_trial *trial;
	__u64 latency_ns = 0;

	if (number != accepted_trial || !is_sent(frame->udp_octets))
		return 0;
	sequence = word(&tag->sequence);
	if (sequence - first_sequence >= sequence_count)
		return 0;
	trial = &cpu->trials[number & (RX_TRIAL_SLOTS - 1)];
	barrier_var(trial); /* The value is computed once. */
	if (with_latency) {
		latency_ns = latency_since(tag, bpf_ntohs(tag->lateness), now_ns);
		if (tag->lateness == MLR_LATENESS_SATURATED || is_unusual(latency_ns, trial))
			return 0;
	}
	if (verify_samples && (frame->udp_octets == SMALL_UDP_OCTETS || !(sequence & verify_spacing))) {
		is_unverified = 0;
		if (!is_usual_intact(context, frame))
			return 0;
	}
	flow = (word(&tag->departure_high) & MLR_FLOW_EXTRA) - first_flow;
	if (flow >= flow_count)
		return 0;
	if (with_order && !take_next(frame, cpu, trial, flow, sequence, latency_ns))
		return 0;
	cpu->counters.received++;
	cpu->counters.received_octets += frame->octets;
	cpu->counters.hardware_timed += is_nic_time;
	cpu->counters.unverified += is_unverified;
	if (is_marked(tag))
		cpu->counters.marked++;
	if (with_latency) {
		if (bpf_ntohs(tag->lateness) > trial->lateness_max)
			trial->lateness_max = bpf_ntohs(tag->lateness);
		count_relative(trial, latency_ns);
	}
	return 1;
}

static __always_inline int receive_usual(struct xdp_md *context, __u32 is_ipv6, struct rx_cpu *cpu, __u64 now_ns,
					 __u32 is_nic_time)
{
	struct usual_frame frame;

	return find_usual_frame(context, is_ipv6, &frame) && count_usual(context, &frame, cpu, now_ns, is_nic_time);
}

/* Whether a frame is counted in further ways, for which the short path has no room. */
static __always_inline int counts_more_now(void)
{
	return counts_more && (interval_ns || service_count || with_flow_figures || counts_parts());
}

/* Take a frame that arrived at now_ns, by the NIC's clock (1) or this machine's (0). */
static __always_inline int receive(struct xdp_md *context, struct rx_cpu *cpu, __u64 now_ns, __u32 is_nic_time)
{
	if (!counts_more_now() &&
	    (receive_usual(context, 0, cpu, now_ns, is_nic_time) || receive_usual(context, 1, cpu, now_ns, is_nic_time)))
		return XDP_DROP;
	return receive_long(context, now_ns, is_nic_time);
}

/* Whether a stamp of the NIC can be true. A stamp later than now is too late, or the clock was set. One of long ago belongs
 * to another frame, or lacks bits. */
#define STAMP_AHEAD_MOST_NS  200000ull /* far beyond the errors of comparing clocks */
#define STAMP_BEHIND_MOST_NS 1000000000ull

/* Return when the frame arrived by the NIC's clock, where it has a stamp that can be true. */
#ifdef WITH_HARDWARE_CLOCK
#define RX_SECTION BOUND_SECTION

extern int bpf_xdp_metadata_rx_timestamp(const struct xdp_md *context, __u64 *ret_ns) __weak __ksym;

static __always_inline int is_hardware_timed(struct xdp_md *context, __u64 *now_ns)
{
	__u64 nic_ns = 0;

	if (!nic_clock_offset_ns || bpf_xdp_metadata_rx_timestamp(context, &nic_ns) || !nic_ns)
		return 0;
	nic_ns += nic_clock_offset_ns;
	if (*now_ns + STAMP_AHEAD_MOST_NS - nic_ns > STAMP_AHEAD_MOST_NS + STAMP_BEHIND_MOST_NS)
		return 0;
	*now_ns = nic_ns;
	return 1;
}
#else
#define RX_SECTION "xdp"

static __always_inline int is_hardware_timed(struct xdp_md *context, __u64 *now_ns)
{
	(void)context;
	(void)now_ns;
	return 0;
}
#endif

SEC(RX_SECTION)
int rx(struct xdp_md *context)
{
	__u64 now_ns = with_latency || counts_more ? bpf_ktime_get_ns() : 0;
	struct rx_cpu *cpu = this_cpu();

	__u32 is_nic_time;

	if (!cpu)
		return XDP_PASS;
	is_nic_time = (__u32)is_hardware_timed(context, &now_ns);
	return receive(context, cpu, now_ns, is_nic_time);
}
