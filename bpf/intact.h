/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Whether a frame of the tester arrived as it was sent, by the IPv4 header's checksum and UDP's. Neither covers MAC
 * addresses and VLAN tags. Small frames, whose payload is the tag alone, are summed up in place; of others the octets are
 * copied first, which also reaches those that lie in fragments.
 */
#pragma once

#include "bpf/parse.h"

/* Of the program that includes this: what its CPU writes to. */
static __always_inline struct rx_cpu *this_cpu(void);

/* What is summed up at once: more the helper does not take. */
#define CHUNK_OCTETS 512
#define CHUNKS_MAX   (MLR_FRAME_MAX_OCTETS / CHUNK_OCTETS + 1)

_Static_assert(sizeof(((struct rx_cpu *)0)->scratch) >= CHUNK_OCTETS + 3,
	       "a chunk fits, rounded up as the verifier sees it");

/* The ones' complement sum of a whole that covers its own checksum is all ones (RFC 1071): its words, in whatever units, add
 * up to a multiple of 0xffff. Those are the numbers that 2^64 modulo the inverse of 0xffff makes small. */
static __always_inline int is_all_ones(__u64 sum)
{
	return sum * 0xfffefffefffeffff <= 0x0001000100010001;
}

/* Protocol and length of UDP's pseudo-header. */
static __always_inline __u64 pseudo_sum(__u32 udp_octets)
{
	return (__u64)bpf_htons(IPPROTO_UDP) + bpf_htons((__u16)udp_octets);
}

/* Whether UDP's checksum is there, as in all that the tester sends. Over IPv4 a SUT may take it away; then nothing tells whether
 * the tag is as it was. */
static __always_inline int has_checksum(const struct udphdr *udp)
{
	return udp->check != 0;
}

/* --- in place ------------------------------------------------------------------------------------------------------- */

#define SMALL_UDP_OCTETS (sizeof(struct udphdr) + sizeof(struct mlr_tag))

/* Whether the payload is the tag alone, behind a header without options. */
static __always_inline int is_small(const struct frame *frame)
{
	return frame->udp_octets == SMALL_UDP_OCTETS && (frame->header == HEADER_IPV4 || frame->header == HEADER_IPV6);
}

/* Of a frame of which both headers and the tag, and nothing else, are there. */
static __always_inline int are_words_intact(const __u32 *network, const __u32 *udp, __u32 is_ipv6)
{
	__u64 sum = pseudo_sum(SMALL_UDP_OCTETS) + udp[0] + udp[1] + udp[2] + udp[3] + udp[4] + udp[5] +
		    ((const __u16 *)udp)[12];
	__u64 addresses, header;

	if (is_ipv6) {
		sum += (__u64)network[2] + network[3] + network[4] + network[5];
		return is_all_ones(sum + network[6] + network[7] + network[8] + network[9]);
	}
	addresses = (__u64)network[3] + network[4];
	header = addresses + network[0] + network[1] + network[2];
	/* not both at once: what breaks both could sum up to all ones again */
	return is_all_ones(header) && (is_all_ones(sum + addresses) || !has_checksum((const struct udphdr *)udp));
}

/* The same of one that is_small(). Not static: so the verifier looks at it once, and not again for each way that leads here. */
__noinline int is_small_intact(struct xdp_md *context, __u32 udp_offset, __u32 header)
{
	const __u32 *network, *udp;
	__u64 network_offset;

	if (!context)
		return 0;
	network_offset = (udp_offset - (header & HEADER_OCTETS_MASK)) & OFFSET_MASK;
	network = (const void *)(long)context->data + network_offset;
	udp = (const void *)(long)context->data + (udp_offset & OFFSET_MASK);
	if ((const void *)(network + 10) > (const void *)(long)context->data_end ||
	    (const void *)udp + SMALL_UDP_OCTETS > (const void *)(long)context->data_end)
		return 0; /* never, but the verifier does not know any more */
	return are_words_intact(network, udp, header == HEADER_IPV6);
}

/* --- copied --------------------------------------------------------------------------------------------------------- */

/* The sum of so many octets, 1 to CHUNK_OCTETS; negative: they are not there. Not static, as what follows and goes before. */
__noinline __s64 sum_octets(struct xdp_md *context, __u32 offset, __u32 octets)
{
	struct rx_cpu *cpu = this_cpu();

	if (!context || !cpu)
		return -1;
	/* Their bounds in the arithmetic that the verifier of each kernel follows, whatever the compiler knows of them and
	 * compares. */
	octets--;
	barrier_var(octets);
	octets = (octets & (CHUNK_OCTETS - 1)) + 1;
	*(__u32 *)&cpu->scratch[(octets - 1) & (CHUNK_OCTETS - 4)] = 0; /* a last word that is not full */
	if (bpf_xdp_load_bytes(context, offset, cpu->scratch, octets))
		return -1;
	return bpf_csum_diff(0, 0, (__be32 *)cpu->scratch, (octets + 3) & ~3u, 0);
}

/* A sum on its way through a frame. */
struct summing {
	struct xdp_md *context;
	__u32 offset, octets; /* what is left; none where it failed, too */
	__s64 sum;            /* negative: it failed */
};

static long sum_chunk(__u32 number, void *argument)
{
	struct summing *summing = argument;
	__u32 octets = summing->octets < CHUNK_OCTETS ? summing->octets : CHUNK_OCTETS;
	__s64 more = sum_octets(summing->context, summing->offset, octets);

	(void)number; /* of the chunk */
	summing->sum = more < 0 ? -1 : summing->sum + more;
	summing->offset += octets;
	summing->octets -= octets;
	return more < 0 || !summing->octets;
}

__noinline int is_copy_intact(struct xdp_md *context, __u32 udp_offset, __u32 udp_octets, __u32 header)
{
	__u32 is_ipv6 = header & 1, header_octets = header & HEADER_OCTETS_MASK, network_offset;
	struct summing summing;
	__u16 checksum;
	__s64 sum;

	if (!context)
		return 0;
	udp_offset &= OFFSET_MASK;
	network_offset = udp_offset - header_octets;
	if (!is_ipv6) {
		sum = sum_octets(context, network_offset, header_octets);
		if (sum < 0 || !is_all_ones((__u64)sum))
			return 0;
		if (bpf_xdp_load_bytes(context, udp_offset + offsetof(struct udphdr, check), &checksum, sizeof(checksum)))
			return 0;
		if (!checksum)
			return 1; /* somebody took it away, as IPv4 allows */
	}
	sum = sum_octets(context, network_offset + (is_ipv6 ? 8 : 12), is_ipv6 ? 32 : 8);
	if (sum < 0)
		return 0;
	summing = (struct summing){ context, udp_offset, udp_octets, (__s64)pseudo_sum(udp_octets) + sum };
	bpf_loop(CHUNKS_MAX, sum_chunk, &summing, 0);
	return summing.sum >= 0 && is_all_ones((__u64)summing.sum);
}

static __always_inline int is_intact(struct xdp_md *context, const struct frame *frame)
{
	if (!has_checksum(frame->udp) && frame->header == HEADER_IPV6)
		return 0; /* IPv6 does not allow it */
	if (is_small(frame))
		return is_small_intact(context, frame->udp_offset, frame->header);
	return is_copy_intact(context, frame->udp_offset, frame->udp_octets, frame->header);
}
