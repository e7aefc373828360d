/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* This header finds the tag in a frame, for every XDP program that handles test traffic. The program owns the frame. A frame
 * is parsed once when it arrives, and nothing is kept. */
#pragma once

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "bpf/shared.h"

#define IPV4_FRAGMENT_MASK   0x3fff /* fragment offset and "more fragments" */
#define IPV4_MORE_FRAGMENTS  0x2000
#define IPV6_NEXT_HOP_BY_HOP 0  /* MLD carries it */
#define IPV6_NEXT_ICMPV6     58 /* neighbour discovery */
#define IPV6_BEHIND          40 /* offset in an IPv6 packet of what follows its header */
#define ICMPV6_TYPE          40 /* offset in an IPv6 packet of an echo's type; then request and reply */
#define ICMPV6_ECHO          0x80

#define OFFSET_MASK 0xff /* headers start before it, behind all tags and options */

/* The tunnels in which frames are sent, if any. They are set before loading: the octets from behind the VLAN tags to the IP
 * header inside, its type in network byte order, and the octets from there to the tag. */
const volatile __u32 inner_offset = 0; /* 0: no tunnel */
const volatile __u32 inner_type = 0;
const volatile __u32 inner_tag = 0;

enum frame_kind {
	FRAME_FOREIGN,
	FRAME_HOUSEKEEPING,
	FRAME_MALFORMED, /* it has the magic, but its lengths do not fit or it ends within the tag */
	FRAME_TAGGED,
};

/* The place of the IP header, behind at most VLANS_MAX tags. */
struct network {
	const void *header;
	__u32 type; /* network byte order; of 32 bits, so that the compiler does not mask them */
};

/* Skip one VLAN tag, if there is one. Returns false if the frame ends within it. */
static __always_inline int skip_tag(struct network *network, const void *end)
{
	const __be16 *tag = network->header; /* control, then the EtherType of what follows */

	if (network->type != bpf_htons(ETH_P_8021Q) && network->type != bpf_htons(ETH_P_8021AD))
		return 1;
	if ((const void *)(tag + 2) > end)
		return 0;
	network->type = tag[1];
	network->header = tag + 2;
	return 1;
}

/* Whether a frame is one of the tester's without the tunnels. */
static __always_inline int is_plain(const struct network *network, const void *end)
{
	const __u8 *protocol = network->header + (inner_type == bpf_htons(ETH_P_IPV6) ? 6 : 9);
	const __be16 *magic = network->header + inner_tag - inner_offset;

	return network->type == inner_type && (const void *)(magic + 1) <= end && *magic == bpf_htons(MLR_TAG_MAGIC) &&
	       *protocol == IPPROTO_UDP;
}

/* Whether a packet is ICMP. The packet that ICMP quotes may have the magic where the tag is in tunnels. */
static __always_inline int is_icmp(const struct network *network)
{
	const __u8 *ip = network->header;

	return (network->type == bpf_htons(ETH_P_IP) && ip[9] == IPPROTO_ICMP) ||
	       (network->type == bpf_htons(ETH_P_IPV6) && ip[6] == IPV6_NEXT_ICMPV6);
}

/* Go on inside of the tunnels, where a frame has them as they are sent and the magic is in its place. A SUT that ends the
 * tunnels makes a plain frame. A time or a number in its tag may look like the magic in that place. */
static __always_inline int enter_tunnels(struct network *network, const void *end)
{
	const __be16 *magic = network->header + inner_tag;

	if (!inner_offset || (const void *)(magic + 1) > end || *magic != bpf_htons(MLR_TAG_MAGIC) ||
	    is_plain(network, end) || is_icmp(network))
		return 0;
	network->header += inner_offset;
	network->type = inner_type;
	return 1;
}

/* Whether a frame is of a kind that every link has without any user's doing. It is not foreign traffic. */
static __always_inline int is_housekeeping(const struct ethhdr *ethernet, const struct network *network, const void *end)
{
	const __u8 *mac = ethernet->h_dest, *ip = network->header;

	switch (network->type) {
	case bpf_htons(ETH_P_ARP):
	case bpf_htons(ETH_P_LLDP):
	case bpf_htons(ETH_P_LOOPBACK): /* a switch finds loops by it */
		return 1;
	case bpf_htons(ETH_P_IPV6):
		/* It is behind options hop by hop, too. */
		if ((const void *)(ip + 7) > end || ip[6] != IPV6_NEXT_ICMPV6)
			return (const void *)(ip + IPV6_BEHIND + 1) <= end && ip[6] == IPV6_NEXT_HOP_BY_HOP &&
			       ip[IPV6_BEHIND] == IPV6_NEXT_ICMPV6;
		/* somebody asked for an echo. */
		return (const void *)(ip + ICMPV6_TYPE + 1) > end || (ip[ICMPV6_TYPE] & 0xfe) != ICMPV6_ECHO;
	case bpf_htons(ETH_P_IP):
		/* A bridge that snoops sends it by itself, as it sends MLD. */
		return (const void *)(ip + 10) <= end && ip[9] == IPPROTO_IGMP;
	default:
		/* These are 802.1D's reserved group addresses, of STP, pause, LACP and of registration, and Cisco's, of
		 * PVST+, CDP and UDLD. */
		return mac[0] == 0x01 && ((mac[1] == 0x80 && mac[2] == 0xc2 && !mac[3] && !mac[4] && (mac[5] & 0xd0) == 0) ||
					  (mac[1] == 0x00 && mac[2] == 0x0c && mac[3] == 0xcc && mac[4] == 0xcc));
	}
}

/* Return the octets of a frame whose linear part has `linear`. The rest of a long frame may be in fragments. */
static __always_inline __u32 frame_octets(struct xdp_md *context, __u32 linear, __u32 wanted)
{
	return wanted <= linear ? linear : (__u32)bpf_xdp_get_buff_len(context);
}

/* The kind and length of IP headers as one number: octets, which are multiples of four, and a bit for IPv6. */
#define HEADER_NONE        0
#define HEADER_IPV4        sizeof(struct iphdr) /* without options */
#define HEADER_IPV6        (sizeof(struct ipv6hdr) | 1)
#define HEADER_OCTETS_MASK 0xfcu

/* Read the header of an IPv4 packet that has a UDP header behind it, and how many octets it says there are behind itself. */
static __always_inline __u32 find_header4(const void *header, const void *end, __u32 *ret_octets)
{
	const struct iphdr *ip = header;
	__u32 header_octets;

	if ((const void *)(ip + 1) > end || ip->version != 4 || ip->ihl < 5 || ip->protocol != IPPROTO_UDP ||
	    (ip->frag_off & bpf_htons(IPV4_FRAGMENT_MASK)))
		return HEADER_NONE;
	header_octets = ip->ihl * 4;
	*ret_octets = bpf_ntohs(ip->tot_len) - header_octets; /* wraps where the length is damaged, and then fits no frame */
	return header_octets;
}

/* Do the same for either version. The tester sends no extension headers of IPv6. */
static __always_inline __u32 find_header(const struct network *network, const void *end, __u32 *ret_octets)
{
	const struct ipv6hdr *ip = network->header;

	if (network->type == bpf_htons(ETH_P_IP))
		return find_header4(network->header, end, ret_octets);
	if (network->type != bpf_htons(ETH_P_IPV6) || (const void *)(ip + 1) > end || ip->version != 6 ||
	    ip->nexthdr != IPPROTO_UDP)
		return HEADER_NONE;
	*ret_octets = bpf_ntohs(ip->payload_len);
	return HEADER_IPV6;
}

/* The parts of a frame of the tester. */
struct frame {
	const struct mlr_tag *tag;
	const struct udphdr *udp;
	__u32 octets;     /* octets of the whole frame */
	__u32 udp_octets; /* octets of UDP, as its header says */
	__u32 udp_offset; /* offset of UDP from the frame's start */
	__u32 header;     /* kind of the IP header, HEADER_... */
};

/* A frame as most are: without VLAN tags and IPv4 options, in one piece, with a UDP checksum, and nothing behind the UDP
 * packet. */
struct usual_frame {
	const __u32 *network; /* all of the IP header and the tag are there */
	const struct udphdr *udp;
	__u32 octets;
	__u32 udp_octets;
	__u32 is_ipv6;
};

/* Whether a frame of so many octets has such an IPv4 header, and a UDP header behind it. */
static __always_inline int is_usual4(const __u32 *ip, __u32 octets)
{
	__u32 version_and_length = bpf_ntohl(ip[0]) & 0xff00ffff;

	return version_and_length == 0x45000000 + octets - sizeof(struct ethhdr) &&
	       !(ip[1] & bpf_htonl(IPV4_FRAGMENT_MASK)) && (ip[2] & bpf_htonl(0x00ff0000)) == bpf_htonl(IPPROTO_UDP << 16);
}

/* Whether it has such an IPv6 header. */
static __always_inline int is_usual6(const __u32 *ip, __u32 octets)
{
	__u32 udp_octets = octets - sizeof(struct ethhdr) - sizeof(struct ipv6hdr);

	return (ip[0] & bpf_htonl(0xf0000000)) == bpf_htonl(0x60000000) &&
	       bpf_ntohl(ip[1]) >> 8 == (udp_octets << 8 | IPPROTO_UDP);
}

/* Whether a UDP header has this length, and a checksum. The two are read as one word: it is above that of no checksum. */
static __always_inline int is_usual_udp(const struct udphdr *udp, __u32 octets)
{
	return bpf_ntohl(((const __u32 *)udp)[1]) - (octets << 16) - 1 < UINT16_MAX;
}

/* Find a usual frame of IPv4 or of IPv6. The version is a constant, so all offsets are constants. Returns false if it is
 * another frame, which find_frame() classifies. */
static __always_inline int find_usual_frame(const struct xdp_md *context, __u32 is_ipv6, struct usual_frame *ret)
{
	const void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	const void *network = data + sizeof(struct ethhdr);
	const __u32 udp_offset = sizeof(struct ethhdr) + (is_ipv6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr));
	const struct udphdr *udp = data + udp_offset;
	const struct mlr_tag *tag = (const void *)(udp + 1);
	__u32 octets = (__u32)(end - data), udp_octets = octets - udp_offset;

	if ((const void *)(tag + 1) > end ||
	    *(const __u16 *)(data + offsetof(struct ethhdr, h_proto)) != bpf_htons(is_ipv6 ? ETH_P_IPV6 : ETH_P_IP) ||
	    !(is_ipv6 ? is_usual6(network, octets) : is_usual4(network, octets)) || !is_usual_udp(udp, udp_octets) ||
	    tag->magic != bpf_htons(MLR_TAG_MAGIC))
		return 0;
	*ret = (struct usual_frame){ network, udp, octets, udp_octets, is_ipv6 };
	return 1;
}

/* Classify a frame; *ret is set for FRAME_TAGGED only. */
static __always_inline enum frame_kind find_frame(struct xdp_md *context, struct frame *ret)
{
	const void *data = (void *)(long)context->data, *end = (void *)(long)context->data_end;
	const struct ethhdr *ethernet = data;
	struct network network = { .header = ethernet + 1 };
	const struct udphdr *udp;
	const struct mlr_tag *tag;
	__u32 header, ip_octets = 0, udp_octets, octets;
	__u64 udp_offset;

	if ((const void *)(ethernet + 1) > end)
		return FRAME_FOREIGN;
	/* One access reads it, not one for each octet. */
	network.type = *(const __u16 *)(data + offsetof(struct ethhdr, h_proto));
	if (!skip_tag(&network, end) || !skip_tag(&network, end))
		return FRAME_FOREIGN;
	enter_tunnels(&network, end);
	header = find_header(&network, end, &ip_octets);
	/* The difference makes the verifier forget on which path it was found, so it checks what follows once. */
	udp_offset = (__u64)(network.header - data) + (header & HEADER_OCTETS_MASK);
	barrier_var(udp_offset);
	udp_offset &= OFFSET_MASK;
	udp = data + udp_offset;
	tag = (const void *)(udp + 1);
	if (!header || (const void *)tag + sizeof(tag->magic) > end || tag->magic != bpf_htons(MLR_TAG_MAGIC))
		return is_housekeeping(ethernet, &network, end) ? FRAME_HOUSEKEEPING : FRAME_FOREIGN;

	udp_octets = bpf_ntohs(udp->len);
	if ((const void *)(tag + 1) > end || udp_octets < sizeof(*udp) + sizeof(*tag) || ip_octets != udp_octets)
		return FRAME_MALFORMED;
	octets = frame_octets(context, (__u32)(end - data), (__u32)udp_offset + udp_octets);
	if (udp_offset + udp_octets > octets)
		return FRAME_MALFORMED;
	*ret = (struct frame){ tag, udp, octets, udp_octets, (__u32)udp_offset, header };
	return FRAME_TAGGED;
}

/* Do the same, where only the frame's tag matters. */
static __always_inline enum frame_kind find_tag(struct xdp_md *context, const struct mlr_tag **ret_tag)
{
	struct frame frame;
	enum frame_kind kind = find_frame(context, &frame);

	if (kind == FRAME_TAGGED)
		*ret_tag = frame.tag;
	return kind;
}
