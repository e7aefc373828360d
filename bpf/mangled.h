/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* This header recognises frames of the tester that a SUT has mangled: the magic is at the place of a tag. The receiver's
 * program owns the frame. It asks once for each foreign frame, and nothing is kept. */
#pragma once

#include "bpf/parse.h"

enum mangling { MANGLED_NOT, MANGLED_FRAGMENT, MANGLED_TAGS, MANGLED_HEADER };

#define TAGS_SOUGHT      8      /* VLAN tags that a frame of ours may have */
#define ETHERTYPE_QINQ   0x9100 /* EtherType of a VLAN tag before 802.1ad, which the tester does not send */
#define IPV6_MORE_OFFSET 0xfff9 /* fields of a fragment header: where it begins, and "more fragments" */
#define IPV6_FIRST       0x0001

#define FRAGMENTED_SOURCES 256

/* The source addresses of first fragments of frames of ours, by the last octet. A fragment without a UDP header is
 * recognised by its source. Flows may have addresses of their own, and their fragments come in any order. Of IPv6 it is the
 * last four octets, in which flows differ. */
static volatile __u32 fragmented_sources[FRAGMENTED_SOURCES] = { 0 };

static __always_inline int has_magic(const struct udphdr *udp, const void *end)
{
	const struct mlr_tag *tag = (const void *)(udp + 1);

	return (const void *)tag + sizeof(tag->magic) <= end && tag->magic == bpf_htons(MLR_TAG_MAGIC);
}

/* Whether a fragment of UDP from this address is ours. A first fragment has this behind its IP headers, and notes its
 * address for the others. */
static __always_inline int is_ours(const __u8 *source, int is_first, const void *behind, const void *end)
{
	__u32 address = *(const __u32 *)source;

	if (is_first && has_magic(behind, end))
		fragmented_sources[source[3]] = address;
	return address == fragmented_sources[source[3]];
}

static __always_inline int is_fragment4(const struct iphdr *ip, const void *end)
{
	__u32 fragment;

	if ((const void *)(ip + 1) > end || ip->protocol != IPPROTO_UDP)
		return 0;
	fragment = ip->frag_off & bpf_htons(IPV4_FRAGMENT_MASK);
	return fragment && is_ours((const __u8 *)&ip->saddr, fragment == bpf_htons(IPV4_MORE_FRAGMENTS),
				   (const void *)ip + ip->ihl * 4, end);
}

/* Routers do not fragment IPv6, but ends of tunnels may. */
static __always_inline int is_fragment6(const struct ipv6hdr *ip, const void *end)
{
	const __u16 *fragment = (const void *)(ip + 1); /* next header and 0, offset and "more", identification */

	if ((const void *)(fragment + 4) > end || ip->nexthdr != IPPROTO_FRAGMENT || *(const __u8 *)fragment != IPPROTO_UDP)
		return 0;
	return is_ours((const __u8 *)&ip->saddr + 12, (fragment[1] & bpf_htons(IPV6_MORE_OFFSET)) == bpf_htons(IPV6_FIRST),
		       fragment + 4, end);
}

static __always_inline int is_tag(__u32 type)
{
	return type == bpf_htons(ETH_P_8021Q) || type == bpf_htons(ETH_P_8021AD) || type == bpf_htons(ETHERTYPE_QINQ);
}

/* Whether a tag of this trial is where the tester's frames have it: behind none to two VLAN tags and IPv4 or IPv6. */
static __always_inline int has_tag(const void *data, const void *end, __u32 trial)
{
	__u32 wanted = MLR_TAG_MAGIC << 16 | trial;

	for (__u32 i = 0; i < 6; i++) {
		const __u16 *tag = data + sizeof(struct ethhdr) + i % 3 * 4 + sizeof(struct udphdr) +
				   (i < 3 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr));

		if ((const void *)(tag + 2) > end)
			continue;
		if (((__u32)bpf_ntohs(tag[0]) << 16 | bpf_ntohs(tag[1])) == wanted)
			return 1;
	}
	return 0;
}

/* Classify what is at this offset, behind the VLAN tags of a frame that find_frame() called foreign. Like the next function
 * it is not static, so the verifier checks it once, and not again for each number of tags. */
__noinline int find_mangling_behind(struct xdp_md *context, __u32 offset, __u32 type, __u32 trial)
{
	struct network network = { .type = type };
	const void *data, *end;
	__u32 header, octets;

	if (!context)
		return MANGLED_NOT;
	data = (void *)(long)context->data;
	end = (void *)(long)context->data_end;
	network.header = data + (offset & OFFSET_MASK);
	header = find_header(&network, end, &octets);
	if (header && has_magic(network.header + (header & HEADER_OCTETS_MASK), end))
		return MANGLED_TAGS; /* Two known VLAN tags or fewer were skipped, so the frame has more, or others. */
	if ((network.type == bpf_htons(ETH_P_IP) && is_fragment4(network.header, end)) ||
	    (network.type == bpf_htons(ETH_P_IPV6) && is_fragment6(network.header, end)))
		return MANGLED_FRAGMENT;
	/* The SUT damaged what says where the tag is: the EtherType, or the IP header's version, length or protocol. */
	return enter_tunnels(&network, end) || has_tag(data, end, trial) ? MANGLED_HEADER : MANGLED_NOT;
}

__noinline int find_mangling(struct xdp_md *context, __u32 trial)
{
	const void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	const struct ethhdr *ethernet = data;
	struct network network = { .header = ethernet + 1 };

	if ((const void *)(ethernet + 1) > end)
		return MANGLED_NOT;
	network.type = ethernet->h_proto;
	for (__u32 i = 0; i < TAGS_SOUGHT && is_tag(network.type); i++) {
		network.type = bpf_htons(ETH_P_8021Q); /* any type of a VLAN tag */
		if (!skip_tag(&network, end))
			return MANGLED_NOT;
	}
	return find_mangling_behind(context, (__u32)(network.header - data), network.type, trial);
}
