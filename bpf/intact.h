/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Whether a frame of the tester arrived as it was sent, by the IPv4 header's checksum, UDP's, and the signature (mlr/signature.h).
 * None of them covers MAC addresses and VLAN tags. Small frames, whose payload is the tag alone, are summed up in place; of
 * others the octets are copied first, which also reaches those that lie in fragments.
 *
 * Where the checksums are right, or the SUT took UDP's away, a wrong signature is one of two things. With the digest of the
 * payload that was sent it is right, or it is not: then the payload was changed, or the tag.
 */
#pragma once

#include "bpf/parse.h"
#include "mlr/signature.h"

enum verdict { VERDICT_INTACT, VERDICT_CHECKSUM, VERDICT_SIGNATURE, VERDICT_PAYLOAD };

/* Set before loading: the key of signatures; without one frames have none. */
const volatile struct mlr_signature_key signature_key = { 0 };

/* Digests of payloads that are sent, RX_DIGESTS_MAX for each length that UDP may say. Zeros are none. Set before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rx_digests);
} digests SEC(".maps");

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

#define SIGNED_UDP_OCTETS (sizeof(struct udphdr) + sizeof(struct mlr_tag) + MLR_SIGNATURE_OCTETS)

/* Whether a frame with so much UDP has a signature behind its tag. */
static __always_inline int has_signature(__u32 udp_octets)
{
	return signature_key.mixing && udp_octets >= SIGNED_UDP_OCTETS;
}

/* Whether a frame can show that its tag is as it was. */
static __always_inline int can_be_verified(const struct frame *frame)
{
	return has_checksum(frame->udp) || has_signature(frame->udp_octets);
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

/* Add so many octets, 1 to CHUNK_OCTETS, to what the CPU has summed. Negative: they are not there. */
__noinline int add_octets(struct xdp_md *context, __u32 offset, __u32 octets)
{
	struct rx_cpu *cpu = this_cpu();
	const __u64 step = signature_key.digest_step;
	__u64 *words; /* of the same memory: so the compiler knows how it is aligned */
	__u64 sum = 0, digest, multiplier;

	if (!context || !cpu)
		return -1;
	words = (__u64 *)cpu->scratch;
	octets--; /* as in sum_octets() */
	barrier_var(octets);
	octets = (octets & (CHUNK_OCTETS - 1)) + 1;
	words[((octets - 1) & (CHUNK_OCTETS - 8)) / 8] = 0; /* a last word that is not full */
	if (bpf_xdp_load_bytes(context, offset, cpu->scratch, octets))
		return -1;
	/* in registers: what is kept in memory is waited for in each turn */
	digest = cpu->summed.digest;
	multiplier = cpu->summed.multiplier;
	for (__u32 at = 0; at < CHUNK_OCTETS && at < octets; at += 8) {
		__u64 word = words[at / 8];

		sum += (__u32)word;
		sum += word >> 32;
		digest += mlr_signature_digest_word(word, multiplier);
		multiplier += step;
	}
	cpu->summed.sum += sum;
	cpu->summed.digest = digest;
	cpu->summed.multiplier = multiplier;
	return 0;
}

/* The way through a payload. */
struct summing {
	struct xdp_md *context;
	__u32 offset, octets; /* what is left */
	int error;
};

static long sum_chunk(__u32 number, void *argument)
{
	struct summing *summing = argument;
	__u32 octets = summing->octets < CHUNK_OCTETS ? summing->octets : CHUNK_OCTETS;

	(void)number; /* of the chunk */
	summing->error = add_octets(summing->context, summing->offset, octets);
	summing->offset += octets;
	summing->octets -= octets;
	return summing->error || !summing->octets;
}

/* Whether the addresses and all of UDP sum up to all ones, of which `sum` is without the payload. */
static __always_inline int is_sum_right(struct xdp_md *context, __u32 network_offset, __u32 is_ipv6, __u64 sum)
{
	__s64 addresses = sum_octets(context, network_offset + (is_ipv6 ? 8 : 12), is_ipv6 ? 32 : 8);

	return addresses >= 0 && is_all_ones(sum + (__u64)addresses);
}

/* What the tag adds to the mix of a signature, from memory that begins with the UDP header. */
static __always_inline __u64 mix_tag(const __u8 *udp)
{
	const __u16 *words = (const __u16 *)udp + sizeof(struct udphdr) / 2;
	const __u32 key[] = { signature_key.tag[0], signature_key.tag[1], signature_key.tag[2], signature_key.tag[3] };
	const struct mlr_signed_tag tag = {
		.sequence = (__u32)bpf_ntohs(words[4]) << 16 | bpf_ntohs(words[5]),
		.departure_ns = (__u32)bpf_ntohs(words[6]) << 16 | bpf_ntohs(words[7]),
		.high_and_flow = (__u32)bpf_ntohs(words[2]) << 16 | bpf_ntohs(words[3]),
		.trial_and_lateness = (__u32)bpf_ntohs(words[1]) << 16 | bpf_ntohs(words[8]),
	};

	return mlr_signature_tag(key, &tag);
}

/* Whether the signature would be right with a payload that is sent. */
static __always_inline int is_of_sent_payload(__u32 udp_octets, __u64 mix, __u32 signature)
{
	const struct rx_digests *known = bpf_map_lookup_elem(&digests, &udp_octets);

	for (int i = 0; known && i < RX_DIGESTS_MAX; i++)
		if (known->of[i] && mlr_signature_of(mix + known->of[i], signature_key.mixing) == signature)
			return 1;
	return 0;
}

/* Begin with a frame whose UDP header, tag and signature were copied: the payload is to be summed up. A function of its own, not static,
 * as judge_signature(): Linux 6.1 counts 512 octets of stack for all that call one another, in steps of 32. */
__noinline int begin_signature(struct xdp_md *context, __u32 udp_octets)
{
	struct rx_cpu *cpu = this_cpu();
	const __u16 *end;

	if (!context || !cpu)
		return -1;
	end = (const __u16 *)cpu->scratch + SIGNED_UDP_OCTETS / 2;
	cpu->summed.mix = mix_tag(cpu->scratch);
	cpu->summed.signature = (__u32)bpf_ntohs(end[-2]) << 16 | bpf_ntohs(end[-1]);
	cpu->summed.digest = mlr_signature_digest_start(signature_key.mixing, udp_octets - SIGNED_UDP_OCTETS);
	cpu->summed.multiplier = signature_key.digest_first;
	return 0;
}

/* Of a frame whose payload is summed up: whether its signature is right. */
__noinline int judge_signature(struct xdp_md *context, __u32 udp_octets)
{
	const struct rx_cpu *cpu = this_cpu();
	__u64 mix;
	__u32 signature;

	if (!context || !cpu)
		return VERDICT_CHECKSUM;
	mix = cpu->summed.mix;
	signature = cpu->summed.signature;
	if (mlr_signature_of(mix + cpu->summed.digest, signature_key.mixing) == signature)
		return VERDICT_INTACT;
	return is_of_sent_payload(udp_octets, mix, signature) ? VERDICT_PAYLOAD : VERDICT_SIGNATURE;
}

__noinline int judge_copy(struct xdp_md *context, __u32 udp_offset, __u32 udp_octets, __u32 header)
{
	__u32 is_ipv6 = header & 1, header_octets = header & HEADER_OCTETS_MASK, network_offset, is_signed, has_sum;
	struct rx_cpu *cpu = this_cpu();
	struct summing summing;
	__u32 head_octets;
	__s64 sum;

	if (!context || !cpu)
		return VERDICT_CHECKSUM;
	udp_offset &= OFFSET_MASK;
	network_offset = udp_offset - header_octets;
	if (!is_ipv6) {
		sum = sum_octets(context, network_offset, header_octets);
		if (sum < 0 || !is_all_ones((__u64)sum))
			return VERDICT_CHECKSUM;
	}
	is_signed = has_signature(udp_octets);
	head_octets = is_signed ? SIGNED_UDP_OCTETS : SMALL_UDP_OCTETS;
	sum = sum_octets(context, udp_offset, head_octets);
	if (sum < 0)
		return VERDICT_CHECKSUM;
	has_sum = has_checksum((const struct udphdr *)cpu->scratch);
	if (!has_sum && !is_signed)
		return VERDICT_INTACT; /* somebody took it away, as IPv4 allows */
	cpu->summed.sum = (__u64)sum + pseudo_sum(udp_octets);
	if (is_signed && begin_signature(context, udp_octets))
		return VERDICT_CHECKSUM;
	summing = (struct summing){ context, udp_offset + head_octets, udp_octets - head_octets, 0 };
	if (summing.octets)
		bpf_loop(CHUNKS_MAX, sum_chunk, &summing, 0);
	if (summing.error || (has_sum && !is_sum_right(context, network_offset, is_ipv6, cpu->summed.sum)))
		return VERDICT_CHECKSUM;
	return is_signed ? judge_signature(context, udp_octets) : VERDICT_INTACT;
}

static __always_inline enum verdict judge(struct xdp_md *context, const struct frame *frame)
{
	if (!has_checksum(frame->udp) && frame->header == HEADER_IPV6)
		return VERDICT_CHECKSUM; /* IPv6 does not allow it */
	if (is_small(frame))
		return is_small_intact(context, frame->udp_offset, frame->header) ? VERDICT_INTACT : VERDICT_CHECKSUM;
	return (enum verdict)judge_copy(context, frame->udp_offset, frame->udp_octets, frame->header);
}
