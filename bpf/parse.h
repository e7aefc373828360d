/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Find the tag in a frame. Shared by every XDP program that looks at test traffic. */
#ifndef XDP_MLR_PARSE_H
#define XDP_MLR_PARSE_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "bpf/shared.h"

#define IPV4_FRAGMENT_MASK   0x3fff /* offset and "more fragments" */
#define IPV6_NEXT_HOP_BY_HOP 0      /* MLD carries it */
#define IPV6_NEXT_ICMPV6     58     /* neighbour discovery */

enum frame_kind {
	FRAME_FOREIGN,
	FRAME_HOUSEKEEPING,
	FRAME_MALFORMED, /* carries the magic, but its lengths do not fit or it ends within the tag */
	FRAME_TAGGED,
};

/* What every link carries without anybody's asking: it is no traffic of somebody else's. */
static __always_inline int is_housekeeping(const struct ethhdr *ethernet, const void *end)
{
	const __u8 *mac = ethernet->h_dest;
	const __u8 *ipv6 = (const void *)(ethernet + 1);

	switch (ethernet->h_proto) {
	case bpf_htons(ETH_P_ARP):
	case bpf_htons(ETH_P_LLDP):
		return 1;
	case bpf_htons(ETH_P_IPV6):
		return (const void *)(ipv6 + 7) <= end && (ipv6[6] == IPV6_NEXT_HOP_BY_HOP || ipv6[6] == IPV6_NEXT_ICMPV6);
	default:
		/* 802.1D's reserved group addresses: STP, pause, LACP */
		return mac[0] == 0x01 && mac[1] == 0x80 && mac[2] == 0xc2 && !mac[3] && !mac[4] && (mac[5] & 0xf0) == 0;
	}
}

/* Octets of a frame, whose linear part has `linear`: the rest of a long one may be in fragments. */
static __always_inline __u32 frame_octets(struct xdp_md *context, __u32 linear, __u32 wanted)
{
	return wanted <= linear ? linear : (__u32)bpf_xdp_get_buff_len(context);
}

/* Classify a frame; *ret_tag and *ret_octets, of the whole frame, are set for FRAME_TAGGED only. */
static __always_inline enum frame_kind find_frame(struct xdp_md *context, const struct mlr_tag **ret_tag, __u32 *ret_octets)
{
	const void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	const struct ethhdr *ethernet = data;
	const struct iphdr *ip = (const void *)(ethernet + 1);
	const struct udphdr *udp;
	const struct mlr_tag *tag;
	__u32 header_octets, ip_octets, udp_octets, octets;

	if ((const void *)(ethernet + 1) > end)
		return FRAME_FOREIGN;
	if (ethernet->h_proto != bpf_htons(ETH_P_IP))
		return is_housekeeping(ethernet, end) ? FRAME_HOUSEKEEPING : FRAME_FOREIGN;
	if ((const void *)(ip + 1) > end || ip->version != 4 || ip->ihl < 5 || ip->protocol != IPPROTO_UDP ||
	    (ip->frag_off & bpf_htons(IPV4_FRAGMENT_MASK)))
		return FRAME_FOREIGN;
	header_octets = ip->ihl * 4;
	udp = (const void *)ip + header_octets;
	tag = (const void *)(udp + 1);
	if ((const void *)tag + sizeof(tag->magic) > end || tag->magic != bpf_htons(MLR_TAG_MAGIC))
		return FRAME_FOREIGN;

	ip_octets = bpf_ntohs(ip->tot_len);
	udp_octets = bpf_ntohs(udp->len);
	if ((const void *)(tag + 1) > end || udp_octets < sizeof(*udp) + sizeof(*tag) ||
	    ip_octets != header_octets + udp_octets)
		return FRAME_MALFORMED;
	octets = frame_octets(context, (__u32)(end - data), sizeof(*ethernet) + ip_octets);
	if (sizeof(*ethernet) + ip_octets > octets)
		return FRAME_MALFORMED;
	*ret_octets = octets;
	*ret_tag = tag;
	return FRAME_TAGGED;
}

/* The same, where its length does not matter. */
static __always_inline enum frame_kind find_tag(struct xdp_md *context, const struct mlr_tag **ret_tag)
{
	__u32 octets;

	return find_frame(context, ret_tag, &octets);
}

#endif
