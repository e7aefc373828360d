/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * This header recognises what routers report about frames of the tester: ICMP and ICMPv6 errors, and redirects, that quote
 * one. The receiver's program owns `icmp_errors`, the list of different reports. It asks for each frame without a tag; user
 * space reads the list, and empties it between trials.
 *
 * Such a report may have a tag in it, but is no damaged frame, and no foreign one. The list keeps the sender, the
 * type, the destination and the flow, of the first reports that fit. A router may quote as little as RFC 792 asks for, which
 * is less than the tag. Then the quoted packet must have a length that the tester sends. Reports are rare, so everything is
 * read by a helper of the kernel, which knows the end of the frame.
 */
#pragma once

#include "bpf/mangled.h"

/* The program that includes this defines it. */
static __always_inline struct rx_cpu *this_cpu(void);
static __always_inline int is_sent(__u32 udp_octets);
static __always_inline void count_wrong(struct xdp_md *context, uint64_t *counter, enum rx_wrong why);

#define ICMP4_UNREACHABLE    3
#define ICMP4_SOURCE_QUENCH  4
#define ICMP4_REDIRECT       5
#define ICMP4_TIME_EXCEEDED  11
#define ICMP4_PARAMETER      12
#define ICMP4_CODE_TOO_BIG   4 /* code of "destination unreachable" */
#define ICMP6_TOO_BIG        2
#define ICMP6_ERROR_FIRST    1 /* destination unreachable, packet too big, time exceeded, */
#define ICMP6_ERROR_LAST     4 /* parameter problem */
#define ICMP6_REDIRECT       137
#define ICMP6_REDIRECT_FIXED 40 /* octets of a redirect before its options */
#define ND_OPTION_REDIRECTED 4
#define ND_OPTIONS_MOST      3 /* options that are read */

#define ICMP_OCTETS 8

/* The errors of all ports and CPUs. The CPU that takes an entry writes it once. */
struct rx_icmp_error icmp_errors[RX_ICMP_ERRORS] = { 0 };

/* An IP packet in a frame. */
struct packet {
	__u32 is_ipv6;
	__u32 offset; /* offset of its header in the frame */
	__u32 behind; /* offset of what follows its headers */
	__u32 protocol;
	__u32 octets; /* octets of the packet, as its header says */
	__u32 is_later_fragment;
};

/* Read so many octets of the frame, which is a constant. It is false if the frame ends before them. */
#define TAKE(context, offset, to) (!bpf_xdp_load_bytes(context, offset, to, sizeof(*(to))))

static __always_inline int take_packet4(struct xdp_md *context, struct packet *packet)
{
	struct iphdr ip;

	if (!TAKE(context, packet->offset, &ip) || ip.version != 4 || ip.ihl < 5)
		return 0;
	packet->behind = packet->offset + ip.ihl * 4;
	packet->protocol = ip.protocol;
	packet->octets = bpf_ntohs(ip.tot_len);
	packet->is_later_fragment = (ip.frag_off & bpf_htons(IPV4_FRAGMENT_MASK & ~IPV4_MORE_FRAGMENTS)) != 0;
	return 1;
}

static __always_inline int take_packet6(struct xdp_md *context, struct packet *packet)
{
	__u16 fragment[4];
	struct ipv6hdr ip;

	if (!TAKE(context, packet->offset, &ip) || ip.version != 6)
		return 0;
	packet->behind = packet->offset + sizeof(ip);
	packet->protocol = ip.nexthdr;
	packet->octets = bpf_ntohs(ip.payload_len) + sizeof(ip);
	if (ip.nexthdr != IPPROTO_FRAGMENT)
		return 1;
	if (!TAKE(context, packet->behind, &fragment))
		return 0;
	packet->behind += sizeof(fragment);
	packet->protocol = *(const __u8 *)fragment;
	packet->is_later_fragment = (fragment[1] & bpf_htons(IPV6_MORE_OFFSET & ~IPV6_FIRST)) != 0;
	return 1;
}

static __always_inline int take_packet(struct xdp_md *context, struct packet *packet)
{
	return packet->is_ipv6 ? take_packet6(context, packet) : take_packet4(context, packet);
}

/* Copy an address of a packet; that of IPv4 is in the first of the four words. The stack has no room for both addresses of
 * both packets: Linux 6.1 allows 512 octets for all functions that call each other. */
#define TAKE_ADDRESS(context, packet, member4, member6, to)                                                                 \
	((packet)->is_ipv6 ? TAKE(context, (packet)->offset + offsetof(struct ipv6hdr, member6), to)                        \
			   : TAKE(context, (packet)->offset + offsetof(struct iphdr, member4), &(*(to))[0]))

/* Whether the tag of the tester is this far behind the quoted packet's header. Where the quote ends before, the packet's
 * length decides. *ret_flow is set if the quote reaches as far as the flow. */
static __always_inline int is_tag_at(struct xdp_md *context, const struct packet *quoted, __u32 tag_offset, __u32 *ret_flow)
{
	__u32 at = quoted->offset + tag_offset, flow;
	__u16 magic;

	if (!TAKE(context, at, &magic)) {
		__u32 udp_octets = quoted->octets - (tag_offset - sizeof(struct udphdr));

		return udp_octets < RX_LENGTHS_MAX && is_sent(udp_octets);
	}
	if (magic != bpf_htons(MLR_TAG_MAGIC))
		return 0;
	if (TAKE(context, at + offsetof(struct mlr_tag, departure_high), &flow)) {
		flow = bpf_ntohl(flow) & MLR_FLOW_EXTRA;
		*ret_flow = flow == MLR_FLOW_EXTRA ? RX_NO_FLOW : flow;
	}
	return 1;
}

/* Whether the quoted packet is one of the tester's, as it is sent or without the tunnels in which it is sent. */
static __always_inline int is_tester_s(struct xdp_md *context, const struct packet *quoted, __u32 *ret_flow)
{
	__u32 plain = quoted->behind - quoted->offset + sizeof(struct udphdr);

	if (quoted->is_later_fragment)
		return 0;
	if (inner_offset && is_tag_at(context, quoted, inner_tag, ret_flow))
		return 1;
	return quoted->protocol == IPPROTO_UDP && is_tag_at(context, quoted, plain, ret_flow);
}

/* The head of an ICMP message of either version. */
struct icmp {
	__u8 type, code;
	__u16 checksum;
	__u32 rest;
};

static __always_inline int is_error4(__u32 type)
{
	return (type >= ICMP4_UNREACHABLE && type <= ICMP4_REDIRECT) || type == ICMP4_TIME_EXCEEDED ||
	       type == ICMP4_PARAMETER;
}

/* Return where the packet is that a redirect quotes, behind options. 0: there is none. */
static __always_inline __u32 find_redirected(struct xdp_md *context, __u32 at)
{
	__u8 option[2]; /* its type, and its length in units of 8 octets */

	at += ICMP6_REDIRECT_FIXED;
	for (__u32 i = 0; i < ND_OPTIONS_MOST && TAKE(context, at, &option); i++) {
		if (option[0] == ND_OPTION_REDIRECTED)
			return at + 8;
		at += option[1] * 8;
	}
	return 0;
}

/* Return where the packet is that an ICMP message quotes. 0: the message is no error. */
static __always_inline __u32 find_quoted(struct xdp_md *context, const struct packet *packet, const struct icmp *icmp)
{
	if (!packet->is_ipv6)
		return is_error4(icmp->type) ? packet->behind + ICMP_OCTETS : 0;
	if (icmp->type == ICMP6_REDIRECT)
		return find_redirected(context, packet->behind);
	return icmp->type >= ICMP6_ERROR_FIRST && icmp->type <= ICMP6_ERROR_LAST ? packet->behind + ICMP_OCTETS : 0;
}

/* Return the MTU that the message names. 0: none. */
static __always_inline __u32 mtu_of(const struct packet *packet, const struct icmp *icmp)
{
	if (packet->is_ipv6)
		return icmp->type == ICMP6_TOO_BIG ? bpf_ntohl(icmp->rest) : 0;
	return icmp->type == ICMP4_UNREACHABLE && icmp->code == ICMP4_CODE_TOO_BIG ? bpf_ntohl(icmp->rest) & 0xffff : 0;
}

static __always_inline int says_the_same(const struct rx_icmp_error *a, const struct rx_icmp_error *b)
{
	return a->ip_version == b->ip_version && a->type == b->type && a->code == b->code && a->from[0] == b->from[0] &&
	       a->from[1] == b->from[1] && a->from[2] == b->from[2] && a->from[3] == b->from[3];
}

_Static_assert(sizeof(((struct rx_cpu *)0)->scratch) >= sizeof(struct rx_icmp_error) &&
		       offsetof(struct rx_cpu, scratch) % _Alignof(struct rx_icmp_error) == 0,
	       "an error has room there");

/* Return where the CPU puts an error together. The stack has no room for it. */
static __always_inline struct rx_icmp_error *this_error(void)
{
	struct rx_cpu *cpu = this_cpu();

	return cpu ? (struct rx_icmp_error *)cpu->scratch : 0;
}

/* Count the error in this entry if the entry is free, or has the same error. Returns 1 if it did, and 0 if the next entry is
 * to be tried. */
static long note_in_entry(__u32 index, void *context)
{
	const struct rx_icmp_error *error = this_error();
	struct rx_icmp_error *entry = &icmp_errors[index & (RX_ICMP_ERRORS - 1)];

	(void)context;
	if (!error)
		return 1;
	if (!entry->state && !__sync_val_compare_and_swap(&entry->state, RX_ICMP_FREE, RX_ICMP_TAKEN)) {
		*entry = *error; /* the error's state is RX_ICMP_TAKEN, too */
		__sync_lock_test_and_set(&entry->state, RX_ICMP_READY);
	}
	if (entry->state != RX_ICMP_READY || !says_the_same(entry, error))
		return 0;
	__sync_fetch_and_add(&entry->frames, 1);
	if (entry->flow != error->flow)
		__sync_fetch_and_add(&entry->other_flows, 1);
	return 1;
}

/* Whether the IP packet at this offset is an error about a frame of the tester. If it is, it is noted. Like the next
 * function it is not static, so the verifier checks it once. bpf_loop() has it check one entry, not all. */
__noinline int is_icmp_error_at(struct xdp_md *context, __u32 offset, __u32 type)
{
	struct packet packet = { .is_ipv6 = type == bpf_htons(ETH_P_IPV6), .offset = offset };
	struct rx_icmp_error *error = this_error();
	struct icmp icmp;

	if (!context || !error || (!packet.is_ipv6 && type != bpf_htons(ETH_P_IP)) || !take_packet(context, &packet) ||
	    packet.protocol != (packet.is_ipv6 ? IPV6_NEXT_ICMPV6 : IPPROTO_ICMP) || packet.is_later_fragment ||
	    !TAKE(context, packet.behind, &icmp))
		return 0;
	*error = (struct rx_icmp_error){ .state = RX_ICMP_TAKEN, .flow = RX_NO_FLOW };
	error->ip_version = packet.is_ipv6 ? 6 : 4;
	error->type = icmp.type;
	error->code = icmp.code;
	error->mtu_octets = mtu_of(&packet, &icmp);
	if (!TAKE_ADDRESS(context, &packet, saddr, saddr, &error->from))
		return 0;
	/* The quoted packet is described in the same place. */
	packet = (struct packet){ .is_ipv6 = packet.is_ipv6, .offset = find_quoted(context, &packet, &icmp) };
	if (!packet.offset || !take_packet(context, &packet) || !is_tester_s(context, &packet, &error->flow) ||
	    !TAKE_ADDRESS(context, &packet, daddr, daddr, &error->about))
		return 0;
	bpf_loop(RX_ICMP_ERRORS, note_in_entry, 0, 0);
	return 1;
}

/* Do the same for a frame: behind any VLAN tags, and in the tunnels that frames are sent in. This machine's kernel did not
 * send the frame that the error is about. So the error is dropped, and cannot change the kernel's routes. */
__noinline int is_icmp_error(struct xdp_md *context)
{
	__u32 offset = sizeof(struct ethhdr);
	__u16 type;

	if (!context || !TAKE(context, offset - sizeof(type), &type))
		return 0;
	for (__u32 i = 0; i < TAGS_SOUGHT && is_tag(type); i++) {
		offset += 4;
		if (!TAKE(context, offset - sizeof(type), &type))
			return 0;
	}
	return is_icmp_error_at(context, offset, type) ||
	       (inner_offset && is_icmp_error_at(context, offset + inner_offset, inner_type));
}
