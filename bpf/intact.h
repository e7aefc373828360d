/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * This header tells whether a frame of the tester arrived as it was sent. User space owns the key and the digests, and sets
 * them before loading. The receiver asks once for each frame that it verifies, and keeps nothing.
 *
 * It verifies the checksums of the IPv4 header and of UDP, and the signature (mlr/signature.h). None of them covers MAC
 * addresses and VLAN tags. Small frames, whose payload is the tag alone, are summed up in place. The headers of other frames
 * are copied first, and the payload is summed up by blocks. A block is read in place, unless it lies in fragments or is not
 * full.
 */
#pragma once

#include "bpf/map.h"
#include "bpf/parse.h"
#include "mlr/signature.h"

enum verdict { VERDICT_INTACT, VERDICT_CHECKSUM, VERDICT_SIGNATURE, VERDICT_PAYLOAD };

/* The key of signatures, set before loading. Without a key frames have none. */
const volatile struct mlr_signature_key signature_key = { 0 };

/* The digests of payloads that are sent, RX_DIGESTS_MAX for each length of a UDP packet. Zeros are no digest. They are set
 * before loading. */
ARRAY(digests, 1, struct rx_digests);

/* The program that includes this defines it: the memory that its CPU writes to. */
static __always_inline struct rx_cpu *this_cpu(void);

/* Whether a sum is that of a whole with a right checksum. The ones' complement sum of such a whole is all ones (RFC 1071):
 * its words, in whatever units, add up to a multiple of 0xffff. Those are the numbers that 2^64 modulo the inverse of 0xffff
 * makes small. */
static __always_inline int is_all_ones(__u64 sum)
{
	return sum * 0xfffefffefffeffff <= 0x0001000100010001;
}

/* Return the sum of protocol and length in UDP's pseudo-header. */
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

/* Whether a frame with so many octets of UDP has a signature behind its tag. */
static __always_inline int has_signature(__u32 udp_octets)
{
	return signature_key.mixing && udp_octets >= SIGNED_UDP_OCTETS;
}

/* Whether anything in a frame can show that its tag is intact. */
static __always_inline int can_be_verified(const struct frame *frame)
{
	return has_checksum(frame->udp) || has_signature(frame->udp_octets);
}

/* --- in place ------------------------------------------------------------------------------------------------------- */

#define SMALL_UDP_OCTETS (sizeof(struct udphdr) + sizeof(struct mlr_tag))
#define IP_OCTETS_MASK   0x3cu /* no header has more */

/* Whether the payload is the tag alone, behind a header without options. */
static __always_inline int is_small(const struct frame *frame)
{
	return frame->udp_octets == SMALL_UDP_OCTETS && (frame->header == HEADER_IPV4 || frame->header == HEADER_IPV6);
}

/* Return the sum of the UDP header and the tag. */
static __always_inline __u64 sum_small(const __u32 *udp)
{
	return (__u64)udp[0] + udp[1] + udp[2] + udp[3] + udp[4] + udp[5] + ((const __u16 *)udp)[12];
}

/* Verify a frame that consists of both headers and the tag, and nothing else. */
static __always_inline int are_words_intact(const __u32 *network, const __u32 *udp, __u32 is_ipv6)
{
	__u64 sum = pseudo_sum(SMALL_UDP_OCTETS) + sum_small(udp);
	__u64 addresses, header;

	if (is_ipv6) {
		sum += (__u64)network[2] + network[3] + network[4] + network[5];
		return is_all_ones(sum + network[6] + network[7] + network[8] + network[9]);
	}
	addresses = (__u64)network[3] + network[4];
	header = addresses + network[0] + network[1] + network[2];
	/* The two sums are tested one by one: a fault in both could add up to all ones again. */
	return is_all_ones(header) && (is_all_ones(sum + addresses) || !has_checksum((const struct udphdr *)udp));
}

/* Verify a frame for which is_small() is true. */
static __always_inline int is_small_intact(const struct xdp_md *context, __u32 udp_offset, __u32 header)
{
	__u64 network_offset = (udp_offset - (header & HEADER_OCTETS_MASK)) & OFFSET_MASK;
	const __u32 *network = (const void *)(long)context->data + network_offset;
	const __u32 *udp = (const void *)(long)context->data + (udp_offset & OFFSET_MASK);

	if ((const void *)(network + 10) > (const void *)(long)context->data_end ||
	    (const void *)udp + SMALL_UDP_OCTETS > (const void *)(long)context->data_end)
		return 0; /* never, but the verifier has forgotten it */
	if (header == HEADER_IPV6 && !has_checksum((const struct udphdr *)udp))
		return 0; /* IPv6 does not allow it */
	return are_words_intact(network, udp, header == HEADER_IPV6);
}

/* --- by blocks ------------------------------------------------------------------------------------------------------ */

#define BLOCK_WORDS  16
#define BLOCK_OCTETS (8 * BLOCK_WORDS)
#define BLOCKS_MAX   (MLR_FRAME_MAX_OCTETS / BLOCK_OCTETS + 1)
#ifdef __bpf__
#define UNROLLED _Pragma("unroll")
#else
#define UNROLLED
#endif
#define PAYLOAD_MASK 0x3fff /* payloads begin before it */

_Static_assert(sizeof(((struct rx_cpu *)0)->scratch) == BLOCK_OCTETS, "a block fits");
_Static_assert(MLR_FRAME_MAX_OCTETS <= PAYLOAD_MASK, "a frame fits");

/* The position in a payload that is being summed up. */
struct payload {
	struct xdp_md *context;
	struct rx_cpu *cpu;
	__u32 offset, octets; /* octets that are left; NOT_THERE: the payload is not there */
};

#define NOT_THERE UINT32_MAX

/* Return the next block, filled up with zeros. NULL: it is not there. */
static __always_inline const volatile __u64 *copy_block(const struct payload *payload)
{
	__u32 octets = payload->octets < BLOCK_OCTETS ? payload->octets : BLOCK_OCTETS;
	volatile __u64 *words = (void *)payload->cpu->scratch;

	UNROLLED
	for (int i = 0; i < BLOCK_WORDS; i++)
		words[i] = 0;
	/* Bound the values in arithmetic that the verifier of each kernel follows, whatever the compiler knows of them. */
	octets--;
	barrier_var(octets);
	octets = (octets & (BLOCK_OCTETS - 1)) + 1;
	return bpf_xdp_load_bytes(payload->context, payload->offset, payload->cpu->scratch, octets) ? NULL : words;
}

/* Add the next block to the sums. It takes so few instructions for a word that this costs little more than reading it. The
 * checksum needs half words, whose sum follows from those of words and of upper halves. */
static long add_block(__u32 number, void *argument)
{
	struct payload *payload = argument;
	const volatile __u64 *words = (const void *)(long)payload->context->data + (payload->offset & PAYLOAD_MASK);
	struct rx_summed *summed = &payload->cpu->summed;
	struct mlr_digest_sums digest = summed->digest;
	uint64_t sum = summed->sum, upper = summed->upper;

	if ((const volatile void *)(words + BLOCK_WORDS) > (const void *)(long)payload->context->data_end ||
	    payload->octets < BLOCK_OCTETS)
		words = copy_block(payload);
	if (!words) {
		payload->octets = NOT_THERE;
		return 1;
	}
	UNROLLED
	for (int i = 0; i < BLOCK_WORDS; i++) {
		__u64 word = words[i];

		mlr_add(&sum, word);
		mlr_add(&upper, word >> 32);
		mlr_digest_add(&digest, word);
	}
	summed->sum = sum;
	summed->upper = upper;
	summed->digest = digest;
	summed->words = (number + 1) * BLOCK_WORDS;
	payload->offset += BLOCK_OCTETS;
	if (payload->octets <= BLOCK_OCTETS)
		return 1;
	payload->octets -= BLOCK_OCTETS;
	return 0;
}

/* Sum up so many octets into what the CPU has summed. A negative result says that they are not there. The function is not
 * static, so the verifier checks it once. */
__noinline int sum_payload(struct xdp_md *context, __u32 offset, __u32 octets)
{
	struct payload payload = { context, this_cpu(), offset, octets };

	if (!context || !payload.cpu)
		return -1;
	payload.cpu->summed = (struct rx_summed){ 0 };
	if (octets)
		bpf_loop(BLOCKS_MAX, add_block, &payload, 0);
	return payload.octets == NOT_THERE ? -1 : 0;
}

/* Return what the tag adds to the mix of a signature, from memory that begins with the UDP header. */
static __always_inline __u64 mix_tag(const __u16 *udp)
{
	const __u16 *words = udp + sizeof(struct udphdr) / 2;
	const __u32 key[] = { signature_key.tag[0], signature_key.tag[1], signature_key.tag[2], signature_key.tag[3] };
	const struct mlr_signed_tag tag = {
		.sequence = (__u32)bpf_ntohs(words[4]) << 16 | bpf_ntohs(words[5]),
		.departure_ns = (__u32)bpf_ntohs(words[6]) << 16 | bpf_ntohs(words[7]),
		.high_and_flow = (__u32)bpf_ntohs(words[2]) << 16 | bpf_ntohs(words[3]),
		.trial_and_lateness = (__u32)bpf_ntohs(words[1]) << 16 | bpf_ntohs(words[8]),
	};

	return mlr_signature_tag(key, &tag);
}

/* Whether the signature would be right with one of the payloads that are sent. */
static __always_inline int is_of_sent_payload(__u32 udp_octets, __u64 mix, __u32 signature)
{
	const struct rx_digests *known = bpf_map_lookup_elem(&digests, &udp_octets);

	for (int i = 0; known && i < RX_DIGESTS_MAX; i++)
		if (known->of[i] && mlr_signature_of(mix + known->of[i], signature_key.mixing) == signature)
			return 1;
	return 0;
}

/* Return the verdict on the signature of a frame whose payload has been summed up. */
static __always_inline enum verdict judge_signature(const struct rx_summed *summed, __u32 udp_octets, __u64 mix,
						    __u32 signature)
{
	const __u64 digest = mlr_digest_of(&summed->digest, signature_key.mixing, signature_key.digest_first,
					   signature_key.digest_step, udp_octets - SIGNED_UDP_OCTETS, summed->words);

	if (mlr_signature_of(mix + digest, signature_key.mixing) == signature)
		return VERDICT_INTACT;
	return is_of_sent_payload(udp_octets, mix, signature) ? VERDICT_PAYLOAD : VERDICT_SIGNATURE;
}

/* Return the sum of an IPv4 header. */
static __always_inline __u64 sum_header4(const __u32 *network, __u32 octets)
{
	__u64 sum = (__u64)network[0] + network[1] + network[2] + network[3] + network[4];

	for (__u32 i = 5; i < 15 && i * 4 < octets; i++)
		sum += network[i];
	return sum;
}

static __always_inline __u64 sum_addresses(const __u32 *network, __u32 is_ipv6)
{
	if (!is_ipv6)
		return (__u64)network[3] + network[4];
	return (__u64)network[2] + network[3] + network[4] + network[5] + network[6] + network[7] + network[8] + network[9];
}

static __always_inline enum verdict judge_blocks(struct xdp_md *context, __u32 udp_offset, __u32 udp_octets, __u32 header)
{
	__u32 is_ipv6 = header & 1, header_octets = header & IP_OCTETS_MASK, head_octets = SMALL_UDP_OCTETS, signature,
	      has_sum;
	struct rx_cpu *cpu = this_cpu();
	const __u32 *network, *udp;
	__u64 sum, mix;

	if (has_signature(udp_octets))
		head_octets = SIGNED_UDP_OCTETS;
	if (!cpu || bpf_xdp_load_bytes(context, udp_offset - header_octets, cpu->scratch, header_octets + head_octets))
		return VERDICT_CHECKSUM;
	network = (const void *)cpu->scratch;
	udp = (const void *)cpu->scratch + header_octets;
	has_sum = has_checksum((const struct udphdr *)udp);
	if (is_ipv6 ? !has_sum : !is_all_ones(sum_header4(network, header_octets)))
		return VERDICT_CHECKSUM;
	if (!has_sum && !has_signature(udp_octets))
		return VERDICT_INTACT; /* The SUT removed the checksum, as IPv4 allows. */
	sum = sum_small(udp) + sum_addresses(network, is_ipv6) + pseudo_sum(udp_octets);
	mix = mix_tag((const __u16 *)udp);
	signature = (__u32)((const __u16 *)udp)[SMALL_UDP_OCTETS / 2] | (__u32)((const __u16 *)udp)[SMALL_UDP_OCTETS / 2 + 1]
										<< 16;
	if (sum_payload(context, udp_offset + head_octets, udp_octets - head_octets))
		return VERDICT_CHECKSUM;
	if (has_signature(udp_octets))
		sum += signature;
	sum += cpu->summed.sum - (cpu->summed.upper << 32) + cpu->summed.upper;
	if (has_sum && !is_all_ones(sum))
		return VERDICT_CHECKSUM;
	return has_signature(udp_octets) ? judge_signature(&cpu->summed, udp_octets, mix, bpf_ntohl(signature))
					 : VERDICT_INTACT;
}

/* Verify a frame. The function is not static, so the verifier checks it once, and not again for each path that leads
 * here. */
__noinline int judge_frame(struct xdp_md *context, __u32 udp_offset, __u32 udp_octets, __u32 header)
{
	if (!context)
		return VERDICT_CHECKSUM;
	udp_offset &= OFFSET_MASK;
	if (udp_octets == SMALL_UDP_OCTETS && (header == HEADER_IPV4 || header == HEADER_IPV6))
		return is_small_intact(context, udp_offset, header) ? VERDICT_INTACT : VERDICT_CHECKSUM;
	return judge_blocks(context, udp_offset, udp_octets, header);
}

static __always_inline enum verdict judge(struct xdp_md *context, const struct frame *frame)
{
	return (enum verdict)judge_frame(context, frame->udp_offset, frame->udp_octets, frame->header);
}

static __always_inline int is_usual_intact(struct xdp_md *context, const struct usual_frame *frame)
{
	__u32 header = frame->is_ipv6 ? HEADER_IPV6 : HEADER_IPV4;

	if (frame->udp_octets == SMALL_UDP_OCTETS)
		return are_words_intact(frame->network, (const void *)frame->udp, frame->is_ipv6);
	return judge_frame(context, sizeof(struct ethhdr) + (header & HEADER_OCTETS_MASK), frame->udp_octets, header) ==
	       VERDICT_INTACT;
}
