/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/frame.h"

#include <errno.h>
#include <string.h>

#define ETHERNET_OCTETS 14
#define VLAN_OCTETS     4
#define IPV4_OCTETS     20
#define IPV6_OCTETS     40
#define UDP_OCTETS      8
#define ETHERTYPE_IPV4  0x0800
#define ETHERTYPE_IPV6  0x86dd
#define PROTOCOL_UDP    17
#define DONT_FRAGMENT   0x4000

_Static_assert(ETHERNET_OCTETS + IPV4_OCTETS + UDP_OCTETS + sizeof(struct mlr_tag) + MLR_FCS_OCTETS == MLR_FRAME_MIN_OCTETS,
	       "the smallest frame holds the tag");
_Static_assert(ETHERNET_OCTETS + MLR_VLANS_MAX * VLAN_OCTETS + IPV4_OCTETS + MLR_IP_OPTIONS_MAX_OCTETS + UDP_OCTETS +
			       sizeof(struct mlr_tag) <=
		       MLR_HEADER_MAX_OCTETS,
	       "the longest header fits into a template");

/* The ones' complement sum of RFC 1071 over big-endian 16-bit words, not yet folded. */
static uint32_t checksum_add(uint32_t sum, const uint8_t *data, size_t octets)
{
	for (size_t i = 0; i + 1 < octets; i += 2)
		sum += (uint32_t)data[i] << 8 | data[i + 1];
	if (octets % 2)
		sum += (uint32_t)data[octets - 1] << 8;
	return sum;
}

static unsigned int header_octets(unsigned int ip_version, unsigned int vlan_count, unsigned int ip_options_octets)
{
	unsigned int ip_octets = ip_version == 6 ? IPV6_OCTETS : IPV4_OCTETS + ip_options_octets;

	return ETHERNET_OCTETS + vlan_count * VLAN_OCTETS + ip_octets + UDP_OCTETS + (unsigned int)sizeof(struct mlr_tag);
}

unsigned int mlr_frame_least_octets(unsigned int ip_version, unsigned int vlan_count, unsigned int ip_options_octets)
{
	return header_octets(ip_version, vlan_count, ip_options_octets) + MLR_FCS_OCTETS;
}

static bool spec_valid(const struct mlr_frame_spec *spec)
{
	return (spec->ip_version == 4 || spec->ip_version == 6) && spec->vlan_count <= MLR_VLANS_MAX &&
	       spec->ip_options_octets <= MLR_IP_OPTIONS_MAX_OCTETS && spec->ip_options_octets % 4 == 0 &&
	       (spec->ip_version == 4 || !spec->ip_options_octets) && !(spec->fragment & ~DONT_FRAGMENT) &&
	       spec->size_octets >= mlr_frame_least_octets(spec->ip_version, spec->vlan_count, spec->ip_options_octets) &&
	       spec->size_octets <= MLR_FRAME_MAX_OCTETS;
}

/* Ethernet header and VLAN tags; where the IP header starts. */
static uint8_t *put_ethernet(uint8_t *at, const struct mlr_frame_spec *spec)
{
	memcpy(at, spec->destination_mac, MLR_MAC_OCTETS);
	memcpy(at + MLR_MAC_OCTETS, spec->source_mac, MLR_MAC_OCTETS);
	at += (size_t)2 * MLR_MAC_OCTETS;
	for (unsigned int i = 0; i < spec->vlan_count; i++, at += VLAN_OCTETS) {
		mlr_put16(at, spec->vlans[i].type);
		mlr_put16(at + 2, spec->vlans[i].control);
	}
	mlr_put16(at, spec->ip_version == 6 ? ETHERTYPE_IPV6 : ETHERTYPE_IPV4);
	return at + 2;
}

static uint8_t *put_ipv4(uint8_t *at, const struct mlr_frame_spec *spec, unsigned int ip_octets)
{
	unsigned int octets = IPV4_OCTETS + spec->ip_options_octets;

	at[0] = (uint8_t)(0x40 | octets / 4);
	at[1] = spec->traffic_class;
	mlr_put16(at + 2, (uint16_t)ip_octets);
	mlr_put16(at + 4, spec->identification);
	mlr_put16(at + 6, spec->fragment);
	at[8] = spec->hop_limit;
	at[9] = PROTOCOL_UDP;
	memcpy(at + IPV4_OCTETS, spec->ip_options, spec->ip_options_octets);
	return at + octets;
}

static uint8_t *put_ipv6(uint8_t *at, const struct mlr_frame_spec *spec, unsigned int ip_octets)
{
	mlr_put32(at, 6u << 28 | (uint32_t)spec->traffic_class << 20 | (spec->flow_label & 0xfffff));
	mlr_put16(at + 4, (uint16_t)(ip_octets - IPV6_OCTETS));
	at[6] = PROTOCOL_UDP;
	at[7] = spec->hop_limit;
	memcpy(at + 8, spec->source_address6, MLR_ADDRESS6_OCTETS - sizeof(uint32_t));
	memcpy(at + 24, spec->destination_address6, MLR_ADDRESS6_OCTETS - sizeof(uint32_t));
	return at + IPV6_OCTETS;
}

/* Octets of the payload that this frame has room for; behind them it is zeros. */
static unsigned int payload_used(const struct mlr_frame_spec *spec, const struct mlr_frame_template *template)
{
	unsigned int room = (unsigned int)(template->memory_octets - template->header_octets);

	return !spec->payload ? 0 : spec->payload_octets < room ? spec->payload_octets : room;
}

/* The pseudo-header of RFC 768 or RFC 8200 without the last four octets of the addresses; header, tag and payload. */
static uint32_t transport_sum(const struct mlr_frame_spec *spec, const struct mlr_frame_template *template)
{
	unsigned int udp_octets = (unsigned int)(template->memory_octets - template->transport_offset);
	const uint8_t *header = template->header;
	uint32_t sum = PROTOCOL_UDP + udp_octets;

	if (spec->ip_version == 6)
		sum = checksum_add(sum, header + template->network_offset + 8, (size_t)2 * MLR_ADDRESS6_OCTETS);
	sum = checksum_add(sum, header + template->transport_offset,
			   (size_t)(template->header_octets - template->transport_offset));
	return mlr_words(checksum_add(sum, spec->payload, payload_used(spec, template)));
}

static void put_payload(const struct mlr_frame_spec *spec, struct mlr_frame_template *template)
{
	unsigned int octets = payload_used(spec, template), room = MLR_HEADER_MAX_OCTETS - template->header_octets;

	if (octets)
		memcpy(template->header + template->header_octets, spec->payload, octets < room ? octets : room);
}

int mlr_frame_template_init(const struct mlr_frame_spec *spec, struct mlr_frame_template *ret)
{
	struct mlr_frame_template template = { .ip_version = (uint8_t)spec->ip_version };
	unsigned int ip_octets;
	uint8_t *network, *transport;

	if (!spec_valid(spec))
		return -EINVAL;
	template.memory_octets = (uint16_t)(spec->size_octets - MLR_FCS_OCTETS);
	template.header_octets = (uint16_t)header_octets(spec->ip_version, spec->vlan_count, spec->ip_options_octets);
	network = put_ethernet(template.header, spec);
	template.network_offset = (uint8_t)(network - template.header);
	ip_octets = (unsigned int)(template.memory_octets - template.network_offset);
	transport = spec->ip_version == 6 ? put_ipv6(network, spec, ip_octets) : put_ipv4(network, spec, ip_octets);
	template.transport_offset = (uint8_t)(transport - template.header);
	template.tag_offset = (uint8_t)(template.transport_offset + UDP_OCTETS);
	mlr_put16(transport + 4, (uint16_t)(template.memory_octets - template.transport_offset));
	mlr_put16(template.header + template.tag_offset, MLR_TAG_MAGIC);
	if (spec->ip_version == 4)
		template.network_checksum_base = checksum_add(0, network, (size_t)(transport - network));
	template.transport_checksum_base = transport_sum(spec, &template);
	put_payload(spec, &template);
	*ret = template;
	return 0;
}

void mlr_frame_write(const struct mlr_frame_spec *spec, const struct mlr_frame_template *template,
		     const struct mlr_flow *flow, uint16_t trial, uint32_t sequence, uint64_t intended_ns,
		     uint64_t actual_ns, uint8_t *frame)
{
	memset(frame, 0, template->memory_octets);
	if (spec->payload)
		memcpy(frame + template->header_octets, spec->payload, payload_used(spec, template));
	memcpy(frame, template->header, template->header_octets);
	mlr_frame_fill(frame, template, flow, trial, sequence, intended_ns, actual_ns);
}

double mlr_line_rate_fps(double link_bps, double size_octets)
{
	return link_bps / (8.0 * (size_octets + MLR_FRAME_L1_OVERHEAD_OCTETS));
}
