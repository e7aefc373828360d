/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The receiver on anybody's frames, several times: bpf/rx.bpf.c compiled for user space, right before memory that must not be
 * touched, and in the kernel by BPF_PROG_TEST_RUN. Verdicts and all counters are the same after every frame. Without root,
 * in user space only. There, with latencies and lengths, the short way counts the same as the long one.
 *
 * An input is frames, each behind its length (16 bits). Trials begin anew with every input.
 */
#include <errno.h>
#include <sched.h>

/* the kernel's compiler has no such warnings */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wincompatible-pointer-types-discards-qualifiers"
#else
#pragma GCC diagnostic ignored "-Wdiscarded-qualifiers"
#endif

#include "bpf/parse.h"
#include "dataplane/rx.h"
#include "fuzz.h"
#include "mlr/imix.h"

/* What user space sets before loading can be set here, too. */
#define const
#include "bpf/rx.bpf.c"
#undef const
#undef bpf_map_lookup_elem

#include "../bpf/run.h"

#define TRIAL            7
#define FLOW             3
#define FLOWS            2
#define WAY_FRAMES       12
#define FRAME_OCTETS     2000
#define AREA             0x10000000ul /* addresses in an xdp_md have 32 bits */
#define AREA_OCTETS      8192
#define LOOPBACK_IFINDEX 1
#define SIGNED_SIZE      100 /* of a frame, whose payload the receivers know */

static struct rx *in_kernel; /* NULL: no root */
static uint8_t *wall;        /* the end of what may be read; below 4 GB, because a program's pointers have 32 bits */

/* What a receiver in user space knows: as the kernel's, by the short way and the long one. */
static struct memory {
	struct rx_cpu cpu;
	struct {
		struct flow_state state;
		__u32 seen[RX_WINDOW_USUAL];
	} flows[FLOWS];
} as_kernel, by_short_way, by_long_way, *here;
static __u64 now_here_ns;

/* What is sent: of one size, which is signed. */
static struct mlr_profile profile;

/* --- in place of the kernel -------------------------------------------------------------------------------------------- */

static struct rx_digests *digests_here(__u32 udp_octets)
{
	static struct rx_digests none, of_profile;

	of_profile.of[0] = mlr_profile_digest(&profile, profile.streams, SIGNED_SIZE);
	return udp_octets >= RX_LENGTHS_MAX                                                   ? NULL
	       : udp_octets == mlr_profile_udp_octets(&profile, profile.streams, SIGNED_SIZE) ? &of_profile
											      : &none;
}

static struct rx_sent *sent_here(__u32 number)
{
	static struct rx_sent of_flow;

	if (number >= FLOWS)
		return NULL;
	of_flow = rx_sent_of(&profile, profile.streams, FLOW + number);
	return &of_flow;
}

void *map_lookup_here(void *map, const void *key)
{
	__u32 number = *(const __u32 *)key;

	if (map == &cpus)
		return number ? NULL : &here->cpu;
	if (map == &digests)
		return digests_here(number);
	if (map == &sent)
		return sent_here(number);
	return number < FLOWS ? &here->flows[number].state : NULL;
}

__u64 bpf_ktime_get_ns(void)
{
	return now_here_ns;
}

static unsigned int cpus_asked; /* how often a program asked for its CPU */

__u32 bpf_get_smp_processor_id(void)
{
	cpus_asked++;
	return 0;
}

int bpf_xdp_metadata_rx_timestamp(struct xdp_md *context, __u64 *ret_ns)
{
	(void)context;
	(void)ret_ns;
	return -EOPNOTSUPP;
}

__u64 bpf_xdp_get_buff_len(struct xdp_md *context)
{
	return context->data_end - context->data;
}

long bpf_xdp_load_bytes(struct xdp_md *context, __u32 offset, void *to, __u32 octets)
{
	if ((__u64)offset + octets > bpf_xdp_get_buff_len(context))
		return -EINVAL;
	memcpy(to, (const void *)(long)(context->data + offset), octets);
	return 0;
}

__s64 bpf_csum_diff(__be32 *from, __u32 from_octets, __be32 *to, __u32 to_octets, __wsum seed)
{
	__u64 sum = (__u32)seed;

	(void)from;
	(void)from_octets;
	for (__u32 i = 0; i < to_octets / 4; i++)
		sum += to[i];
	sum = (sum & UINT32_MAX) + (sum >> 32);
	return (__s64)((sum & UINT32_MAX) + (sum >> 32));
}

long bpf_loop(__u32 times, void *step, void *argument, __u64 flags)
{
	long (*take)(__u32 number, void *argument) = (long (*)(__u32, void *))step;

	(void)flags;
	for (__u32 i = 0; i < times; i++)
		if (take(i, argument))
			return i + 1;
	return times;
}

/* --- both --------------------------------------------------------------------------------------------------------- */

/* Here there is one CPU. What the kernel counts by CPU, as runs of gaps, must not be of two. */
static void stay_on_cpu(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		abort();
}

static void begin(void)
{
	static const struct rx_plan plan = {
		.ifindex = LOOPBACK_IFINDEX,
		.port = "lo",
		.options = { .first_flow = FLOW, .flow_count = FLOWS, .no_latency = true, .profile = &profile },
	};

	stay_on_cpu();
	profile.stream_count = 1;
	profile.flow_count = FLOW + FLOWS;
	profile.source_port = 49184;
	profile.destination_port = 7;
	profile.port_count = 2;
	profile.sizes = mlr_size_one(SIGNED_SIZE);
	profile.streams[0] = (struct mlr_stream){ .to = 1, .ip_version = 4, .flow_count = FLOW + FLOWS };
	mlr_signature_key_init((const uint8_t *)"a key of forty octets, and not one more.", &profile.key);
	signature_key = profile.key;
	with_headers = 1;

	wall = mmap((void *)AREA, AREA_OCTETS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		    0);
	if (wall == MAP_FAILED || mprotect(wall + AREA_OCTETS / 2, AREA_OCTETS / 2, PROT_NONE))
		abort();
	wall += AREA_OCTETS / 2;
	first_flow = FLOW;
	flow_count = FLOWS;
	window_mask = RX_WINDOW_USUAL - 1;
	verify_samples = 1;
	memset(lengths, 0xfe, sizeof(lengths)); /* most of them */
	usual_length = SMALL_UDP_OCTETS;
	/* of a program that is attached, to a link of our own that is down, the kernel runs some ten times as many a
	 * second */
	if (unshare(CLONE_NEWNET) || rx_open_all(&plan, 1, &in_kernel) != EXIT_DONE)
		in_kernel = NULL;
}

static void accept_trial(void)
{
	accepted_trial = TRIAL;
	generation++;
	first_sequence = 1;
	if (in_kernel)
		rx_accept_trial(in_kernel, TRIAL, 1, UINT32_MAX);
	/* these have not seen the numbers before */
	memset(by_short_way.flows, 0, sizeof(by_short_way.flows));
	memset(by_long_way.flows, 0, sizeof(by_long_way.flows));
}

/* The same frame by both ways. */
static void compare_ways(struct xdp_md *context)
{
	int verdict;

	with_latency = with_variation = with_lengths = 1;
	sequence_count = WAY_FRAMES - 2;
	verify_spacing = 3;
	now_here_ns += 1000 + now_here_ns % 999983;
	here = &by_short_way;
	verdict = rx(context);
	here = &by_long_way;
	if (receive_long(context, now_here_ns, 0) != verdict)
		abort();
	if (memcmp(&by_short_way.cpu.counters, &by_long_way.cpu.counters, sizeof(by_short_way.cpu.counters)) != 0)
		abort();
}

/* And after all of them, latencies and numbers seen are the same. */
static void compare_memories(void)
{
	if (memcmp(by_short_way.cpu.trials, by_long_way.cpu.trials, sizeof(by_short_way.cpu.trials)) != 0 ||
	    memcmp(by_short_way.flows, by_long_way.flows, sizeof(by_short_way.flows)) != 0)
		abort();
}

static void run_all(const uint8_t *frame, uint32_t octets)
{
	struct xdp_md context = { .data = (uint32_t)(uintptr_t)(wall - octets), .data_end = (uint32_t)(uintptr_t)wall };
	struct rx_counters counters;
	int verdict;

	memcpy(wall - octets, frame, octets);
	if (octets < sizeof(struct ethhdr))
		return; /* the kernel does not run a program on less, and no link carries it */
	compare_ways(&context);
	with_latency = with_variation = with_lengths = 0;
	sequence_count = UINT32_MAX;
	verify_spacing = RX_VERIFY_SPACING - 1;
	here = &as_kernel;
	verdict = rx(&context);
	if (!in_kernel)
		return;
	if (run_program(rx_program_fd(in_kernel), frame, octets) != verdict)
		abort();
	rx_snapshot(in_kernel, &counters);
	if (memcmp(&counters, &as_kernel.cpu.counters, sizeof(counters)) != 0)
		abort();
}

/* --- the short way is taken ------------------------------------------------------------------------------------------------ */

/* Frame number i of a flow, right before the wall, which took some microseconds. */
static struct xdp_md next_frame(const struct mlr_frame_spec *spec, const struct mlr_frame_template *template, uint32_t i,
				unsigned int *seed)
{
	const struct mlr_flow flow = { .id = FLOW, .source_port = 49184, .destination_port = 7 };
	static uint8_t frame[FRAME_OCTETS] __attribute__((aligned(2)));
	uint64_t departure_ns = 1000000000 + i * UINT64_C(10000);

	mlr_frame_write(spec, template, &flow, TRIAL, i, departure_ns, departure_ns, frame);
	memcpy(wall - template->memory_octets, frame, template->memory_octets);
	now_here_ns = departure_ns + 5000 + fuzz_random(seed, 1000);
	return (struct xdp_md){ .data = (uint32_t)(uintptr_t)(wall - template->memory_octets),
				.data_end = (uint32_t)(uintptr_t)wall };
}

/* The long way asks for its CPU once more. */
static bool goes_the_short_way(struct xdp_md *context)
{
	cpus_asked = 0;
	if (rx(context) != XDP_DROP)
		abort();
	return cpus_asked == 1;
}

/* Once the base of latencies is known, nearly all frames that follow one another do; of those that are not small one in
 * RX_VERIFY_SPACING is verified the long way. */
static void most_go_the_short_way(const struct mlr_frame_spec *spec)
{
	enum { BEGINNING = RX_EXACT + 100, FRAMES = BEGINNING + 1000 };
	struct mlr_frame_template template;
	unsigned int seed = 1, by_short = 0;

	if (mlr_frame_template_init(spec, &template))
		abort();
	memset(&by_short_way, 0, sizeof(by_short_way));
	here = &by_short_way;
	accepted_trial = TRIAL;
	generation++;
	first_sequence = 1;
	sequence_count = UINT32_MAX;
	verify_spacing = RX_VERIFY_SPACING - 1;
	with_latency = with_lengths = 1;
	for (uint32_t i = 1; i <= FRAMES; i++) {
		struct xdp_md context = next_frame(spec, &template, i, &seed);

		by_short += goes_the_short_way(&context) && i > BEGINNING;
	}
	if (by_short < 950 || here->cpu.counters.received != FRAMES)
		abort();
	memset(&by_short_way, 0, sizeof(by_short_way));
}

/* Without VLAN tags: frames in such go the long way. */
static void check_the_short_way(void)
{
	for (unsigned int i = 0; i < 2 * 2; i++) {
		const struct mlr_frame_spec spec = { .ip_version = i % 2 ? 6 : 4,
						     .hop_limit = 64,
						     .key = &profile.key,
						     .size_octets = 64 + i % 2 * 20 + i / 2 * 500 };

		most_go_the_short_way(&spec);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!wall) {
		begin();
		check_the_short_way();
	}
	accept_trial();
	while (size > 2) {
		size_t octets = (size_t)data[0] | (size_t)data[1] << 8;

		octets = octets > size - 2 ? size - 2 : octets;
		run_all(data + 2, (uint32_t)(octets > FRAME_OCTETS ? FRAME_OCTETS : octets));
		data += 2 + octets;
		size -= 2 + octets;
	}
	compare_memories();
	return 0;
}

/* --- frames as the tester sends them ----------------------------------------------------------------------------------- */

#define ANY_SEQUENCE 0

/* What a SUT does that routes: another TTL, and now and then another DSCP, with a checksum made anew. */
static void change_header(uint8_t *ip, unsigned int *seed)
{
	uint32_t sum = 0;

	ip[8]--;
	if (!fuzz_random(seed, 2))
		ip[1] ^= (uint8_t)(1 << fuzz_random(seed, 8));
	mlr_put16(ip + 10, 0);
	for (unsigned int i = 0; i < 20; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	mlr_put16(ip + 10, mlr_checksum_fold(sum));
}

static size_t append_frame(uint8_t *data, size_t size, size_t most, unsigned int *seed, uint32_t sequence)
{
	static const uint32_t ids[] = { FLOW, FLOW, FLOW, FLOW + 1, FLOW - 1, FLOW + FLOWS, MLR_FLOW_EXTRA };
	struct mlr_frame_spec spec = {
		.ip_version = fuzz_random(seed, 2) ? 4 : 6,
		.vlan_count = fuzz_random(seed, 3),
		.vlans = { { .type = 0x88a8, .control = 1 }, { .type = 0x8100, .control = 2 } },
		.hop_limit = 64,
	};
	struct mlr_flow flow = { .id = sequence ? FLOW : ids[fuzz_random(seed, 7)],
				 .source_port = 49184,
				 .destination_port = 7 };
	static uint8_t frame[FRAME_OCTETS] __attribute__((aligned(2)));
	struct mlr_frame_template template;
	uint64_t departure_ns;

	/* half of them of the tag alone; of the others a fourth is of the size that is known, and a fourth is not signed */
	spec.size_octets = 64 + spec.vlan_count * 4 + (spec.ip_version == 6 ? 20 : 0) +
			   (fuzz_random(seed, 2)   ? 0
			    : fuzz_random(seed, 4) ? fuzz_random(seed, 1300)
						   : SIGNED_SIZE - MLR_FRAME_MIN_OCTETS);
	spec.key = fuzz_random(seed, 4) ? &profile.key : NULL;
	if (mlr_frame_template_init(&spec, &template) || size + 2 + template.memory_octets > most)
		return size;
	data[size] = (uint8_t) template.memory_octets;
	data[size + 1] = (uint8_t)(template.memory_octets >> 8);
	departure_ns = (uint64_t)fuzz_random(seed, 1 << 10) << 30 | fuzz_random(seed, 1 << 30);
	mlr_frame_write(&spec, &template, &flow, (uint16_t)(TRIAL + !fuzz_random(seed, sequence ? 64 : 8)),
			sequence ? sequence : fuzz_random(seed, 70), departure_ns, departure_ns + fuzz_random(seed, 1 << 14),
			frame);
	if (!fuzz_random(seed, 8))
		mlr_put16(frame + template.transport_offset + 6, 0); /* a SUT took the checksum away */
	if (spec.ip_version == 4 && !fuzz_random(seed, 4))
		change_header(frame + template.network_offset, seed);
	memcpy(data + size + 2, frame, template.memory_octets);
	return size + 2 + template.memory_octets;
}

/* Of a frame of the tester at this place an ICMP error that quotes it, or some of it. */
static size_t quote_frame(uint8_t *data, size_t at, size_t size, size_t most, unsigned int *seed)
{
	static const uint8_t types[] = { 0, 1, 2, 3, 4, 5, 11, 12, 137 };
	uint8_t *frame = data + at + 2, *ip = frame + sizeof(struct ethhdr);
	size_t head = (*ip >> 4 == 6 ? 40 : 20) + 8u, octets = size - at - 2;

	if (octets < sizeof(struct ethhdr) + 20 || octets + head > FRAME_OCTETS || size + head > most)
		return size;
	memmove(ip + head, ip, octets - sizeof(struct ethhdr));
	memset(ip, 0, head);
	ip[0] = head == 48 ? 0x60 : 0x45;
	ip[head == 48 ? 6 : 9] = head == 48 ? IPPROTO_ICMPV6 : IPPROTO_ICMP;
	ip[head - 8] = types[fuzz_random(seed, sizeof(types))];
	ip[head - 7] = (uint8_t)fuzz_random(seed, 16);
	octets = fuzz_random(seed, 2) ? octets + head : sizeof(struct ethhdr) + head + fuzz_random(seed, 80);
	octets = octets > size - at - 2 + head ? size - at - 2 + head : octets;
	data[at] = (uint8_t)octets;
	data[at + 1] = (uint8_t)(octets >> 8);
	return at + 2 + octets;
}

/* Some bits of the frame at this place, near its beginning. */
static void damage(uint8_t *data, size_t at, size_t size, unsigned int *seed)
{
	uint32_t octets = (uint32_t)(size - at - 2) < 100 ? (uint32_t)(size - at - 2) : 100;

	for (uint32_t changes = 1 + fuzz_random(seed, 3); changes && size > at + 2; changes--)
		data[at + 2 + fuzz_random(seed, octets)] ^= (uint8_t)(1 << fuzz_random(seed, 8));
}

/* Of one flow, in order: most of them go the short way. */
static size_t append_flow(uint8_t *data, size_t most, unsigned int *seed)
{
	size_t size = 0;

	for (uint32_t sequence = 1; sequence <= WAY_FRAMES; sequence++) {
		size_t at = size;

		size = append_frame(data, size, most, seed, sequence);
		if (!fuzz_random(seed, 8))
			damage(data, at, size, seed);
	}
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	size_t at = size;

	switch (fuzz_random(&seed, 6)) {
	case 0:
		return LLVMFuzzerMutate(data, size, most);
	case 1: /* one or more damaged octets */
		size = append_frame(data, size, most, &seed, ANY_SEQUENCE);
		damage(data, at, size, &seed);
		return size;
	case 2:
		return append_frame(data, 0, most, &seed, ANY_SEQUENCE);
	case 3:
		return append_flow(data, most, &seed);
	case 4: /* which may be damaged, too */
		size = append_frame(data, size, most, &seed, ANY_SEQUENCE);
		size = size > at ? quote_frame(data, at, size, most, &seed) : size;
		if (fuzz_random(&seed, 2))
			damage(data, at, size, &seed);
		return size;
	default:
		return append_frame(data, size, most, &seed, ANY_SEQUENCE);
	}
}
