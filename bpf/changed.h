/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * This header finds what a SUT changed in the headers of a frame. User space owns `sent`, the headers that each flow is sent
 * with, and fills it before the first trial. The receiver compares when a frame arrives.
 *
 * A full comparison is made on the receiver's long path. The flow then keeps the header and the result. So the next frame
 * with the same header costs one comparison, however much the SUT changes in all frames.
 */
#pragma once

#include "bpf/map.h"
#include "bpf/parse.h"

/* The program that includes this defines it: the memory that its CPU writes to. */
static __always_inline struct rx_cpu *this_cpu(void);

#define CHANGES_TAGGED (1u << 30)            /* flag beside the changes: the frame has VLAN tags */
#define HEADER_UNLIKE  UINT32_MAX            /* no header has such a class and limit */
#define HEADER_CHANGED bpf_htonl(0x00000100) /* flag beside the class and limit that a flow keeps: something changed */

/* These are set before loading. */
const volatile __u8 with_headers = 0; /* compare headers with `sent` */
const volatile __u8 tags_stay = 0;    /* the SUT, not the port, took a VLAN tag that is missing */
const volatile __u8 with_mac = 0;     /* compare destination MAC addresses with the next two */
const volatile __u32 mac_begin = 0;   /* the first four octets, in network byte order */
const volatile __u16 mac_end = 0;     /* the last two */

/* Kinds of change that are expected. User space writes them between trials. */
volatile __u32 expected_changes = 0;

/* The headers that each flow is sent with. Their number is set before loading. */
MAPPED_ARRAY(sent, 1, struct rx_sent);

/* Whether a frame that has an Ethernet header goes to another destination than it is sent to. */
static __always_inline int is_readdressed(const void *data)
{
	return with_mac && (*(const __u32 *)data != mac_begin || *(const __u16 *)(data + sizeof(mac_begin)) != mac_end);
}

/* Read the fields to compare, from headers that are whole. */
static __always_inline struct rx_header header_of(const __u32 *network, const __u32 *udp, __u32 is_ipv6)
{
	const __u64 *addresses = (const void *)(network + (is_ipv6 ? 2 : 3));

	if (is_ipv6)
		return (struct rx_header){
			.addresses = RX_FOLD_ADDRESSES(addresses),
			.ports = udp[0],
			.class_and_limit = (network[0] & bpf_htonl(0x0ff00000)) | (network[1] & bpf_htonl(0x000000ff)),
		};
	return (struct rx_header){
		.addresses = addresses[0],
		.ports = udp[0],
		.class_and_limit = (network[0] & bpf_htonl(0x00ff0000)) | (network[2] & bpf_htonl(0xff000000)),
	};
}

/* Compare a header with the one that its flow keeps. Return 0 where they are the same, HEADER_CHANGED where they are and
 * something changed in them, and else a number with other bits. */
static __always_inline __u32 compare_kept(const struct rx_header *kept, const __u32 *network, const __u32 *udp,
					  __u32 is_ipv6)
{
	struct rx_header now = header_of(network, udp, is_ipv6);

	if (kept->addresses != now.addresses || kept->ports != now.ports)
		return HEADER_UNLIKE;
	return kept->class_and_limit ^ now.class_and_limit;
}

static __always_inline __u32 compare_class_and_limit(const struct rx_sent *flow, __u32 class_and_limit, __u32 is_ipv6)
{
	__u32 word = bpf_ntohl(class_and_limit), difference;
	__u32 traffic_class = is_ipv6 ? word >> 20 & 0xff : word >> 16 & 0xff, limit = is_ipv6 ? word & 0xff : word >> 24;

	difference = traffic_class ^ flow->traffic_class;
	return (difference & 0xfc ? MLR_CHANGE_DSCP : 0) | (difference & 3 ? MLR_CHANGE_ECN : 0) |
	       (limit != flow->hop_limit ? MLR_CHANGE_TTL : 0);
}

/* Compare the VLAN tags in front. The frame has none to two. */
static __always_inline __u32 compare_tags(const struct rx_sent *flow, const void *data, const void *end)
{
	const __u16 *type = data + offsetof(struct ethhdr, h_proto);
	__u32 count = 0, difference = 0;

	for (__u32 i = 0; i < MLR_VLANS_MAX; i++, type += 2) {
		if ((const void *)(type + 2) > end || (*type != bpf_htons(ETH_P_8021Q) && *type != bpf_htons(ETH_P_8021AD)))
			break;
		difference |= bpf_ntohs(type[1]) ^ flow->vlans[i];
		count++;
	}
	if (count != flow->vlan_count)
		return (count > flow->vlan_count || tags_stay ? MLR_CHANGE_VLAN : 0) | (count ? CHANGES_TAGGED : 0);
	return (difference & 0x0fff ? MLR_CHANGE_VLAN : 0) | (difference & 0xf000 ? MLR_CHANGE_PRIORITY : 0) |
	       (count ? CHANGES_TAGGED : 0);
}

/* Return what a SUT changed in a frame of a flow. The frame's header is left with the CPU. The function is not static, so
 * the verifier checks it once. */
__noinline int find_changes(struct xdp_md *context, __u32 udp_offset, __u32 header, __u32 flow)
{
	const struct rx_sent *as_sent = bpf_map_lookup_elem(&sent, &flow);
	struct rx_cpu *cpu = this_cpu();
	const __u32 *network, *udp;
	const void *data, *end;
	__u32 is_ipv6 = header & 1, changes;
	__u64 network_offset;

	if (!context || !cpu || !as_sent)
		return 0;
	data = (const void *)(long)context->data;
	end = (const void *)(long)context->data_end;
	network_offset = (udp_offset - (header & HEADER_OCTETS_MASK)) & OFFSET_MASK;
	network = data + network_offset;
	udp = data + (udp_offset & OFFSET_MASK);
	/* before the bounds that include this one: a compiler would drop it behind them, and the verifier would miss it */
	changes = data + sizeof(struct ethhdr) <= end && is_readdressed(data) ? MLR_CHANGE_MAC : 0;
	if ((const void *)(network + 5) > end || (const void *)(udp + 1) > end ||
	    (is_ipv6 && (const void *)(network + 10) > end))
		return 0; /* never, but the verifier has forgotten it */
	cpu->header = header_of(network, udp, is_ipv6);
	changes |= compare_tags(as_sent, data, end) | compare_class_and_limit(as_sent, cpu->header.class_and_limit, is_ipv6);
	if (cpu->header.addresses != as_sent->addresses)
		changes |= MLR_CHANGE_ADDRESS;
	if (cpu->header.ports != as_sent->ports)
		changes |= MLR_CHANGE_PORT;
	return (int)changes;
}

/* Count a received frame by the changes of its headers. It is not inlined, because most frames are as they were sent. */
static __noinline int count_changes(struct rx_counters *counters, __u32 changes)
{
	changes &= ~CHANGES_TAGGED;
	if (!changes)
		return 0;
	counters->changed += (changes & ~expected_changes) != 0;
	counters->changed_vlan += !!(changes & MLR_CHANGE_VLAN);
	counters->changed_priority += !!(changes & MLR_CHANGE_PRIORITY);
	counters->changed_dscp += !!(changes & MLR_CHANGE_DSCP);
	counters->changed_ecn += !!(changes & MLR_CHANGE_ECN);
	counters->changed_ttl += !!(changes & MLR_CHANGE_TTL);
	counters->changed_address += !!(changes & MLR_CHANGE_ADDRESS);
	counters->changed_port += !!(changes & MLR_CHANGE_PORT);
	return 0;
}
