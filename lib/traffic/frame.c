/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/frame.h"

#include <errno.h>
#include <string.h>

#define ETHERNET_OCTETS  14
#define ETHERTYPE_OCTETS 2
#define VLAN_OCTETS      4
#define IPV4_OCTETS      20
#define IPV6_OCTETS      40
#define UDP_OCTETS       8
#define ETHERTYPE_IPV4   0x0800
#define ETHERTYPE_IPV6   0x86dd
#define PROTOCOL_UDP     17
#define DONT_FRAGMENT    0x4000

_Static_assert(ETHERNET_OCTETS + IPV4_OCTETS + UDP_OCTETS + sizeof(struct mlr_tag) + MLR_FCS_OCTETS == MLR_FRAME_MIN_OCTETS,
	       "the smallest frame holds the tag");
_Static_assert(2 * MLR_MAC_OCTETS + MLR_VLANS_MAX * VLAN_OCTETS + MLR_OUTER_MAX_OCTETS + IPV4_OCTETS +
			       MLR_IP_OPTIONS_MAX_OCTETS + UDP_OCTETS + sizeof(struct mlr_tag) <=
		       MLR_HEADER_MAX_OCTETS,
	       "the longest header fits into a template");

/* Add big-endian 16-bit words to the ones' complement sum of RFC 1071, without folding it. */
static uint32_t checksum_add(uint32_t sum, const uint8_t *data, size_t octets)
{
	for (size_t i = 0; i + 1 < octets; i += 2)
		sum += (uint32_t)data[i] << 8 | data[i + 1];
	if (octets % 2)
		sum += (uint32_t)data[octets - 1] << 8;
	return sum;
}

static unsigned int header_octets(const struct mlr_frame_spec *spec)
{
	unsigned int outer_octets = spec->outer_octets ? spec->outer_octets : ETHERTYPE_OCTETS;
	unsigned int ip_octets = spec->ip_version == 6 ? IPV6_OCTETS : IPV4_OCTETS + spec->ip_options_octets;

	return 2 * MLR_MAC_OCTETS + spec->vlan_count * VLAN_OCTETS + outer_octets + ip_octets + UDP_OCTETS +
	       (unsigned int)sizeof(struct mlr_tag);
}

unsigned int mlr_frame_least_octets(const struct mlr_frame_spec *spec)
{
	return header_octets(spec) + MLR_FCS_OCTETS;
}

unsigned int mlr_frame_signed_octets(const struct mlr_frame_spec *spec)
{
	unsigned int octets = header_octets(spec) + MLR_SIGNATURE_OCTETS;

	return octets > MLR_HEADER_MAX_OCTETS ? 0 : octets + MLR_FCS_OCTETS;
}

static bool is_signed(const struct mlr_frame_spec *spec)
{
	unsigned int least_octets = mlr_frame_signed_octets(spec);

	return spec->key && least_octets && spec->size_octets >= least_octets;
}

static bool spec_valid(const struct mlr_frame_spec *spec)
{
	return (spec->ip_version == 4 || spec->ip_version == 6) && spec->vlan_count <= MLR_VLANS_MAX &&
	       spec->ip_options_octets <= MLR_IP_OPTIONS_MAX_OCTETS && spec->ip_options_octets % 4 == 0 &&
	       (spec->ip_version == 4 || !spec->ip_options_octets) && !(spec->fragment & ~DONT_FRAGMENT) &&
	       spec->outer_octets <= MLR_OUTER_MAX_OCTETS && spec->outer_octets % 2 == 0 &&
	       spec->size_octets >= mlr_frame_least_octets(spec) && spec->size_octets <= MLR_FRAME_MAX_OCTETS;
}

/* Write the Ethernet header, VLAN tags and tunnels. Returns where the IP header starts. */
static uint8_t *put_ethernet(uint8_t *at, const struct mlr_frame_spec *spec)
{
	memcpy(at, spec->destination_mac, MLR_MAC_OCTETS);
	memcpy(at + MLR_MAC_OCTETS, spec->source_mac, MLR_MAC_OCTETS);
	at += (size_t)2 * MLR_MAC_OCTETS;
	for (unsigned int i = 0; i < spec->vlan_count; i++, at += VLAN_OCTETS) {
		mlr_put16(at, spec->vlans[i].type);
		mlr_put16(at + 2, spec->vlans[i].control);
	}
	if (!spec->outer_octets) {
		mlr_put16(at, spec->ip_version == 6 ? ETHERTYPE_IPV6 : ETHERTYPE_IPV4);
		return at + ETHERTYPE_OCTETS;
	}
	memcpy(at, spec->outer, spec->outer_octets);
	return at + spec->outer_octets;
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

/* Return how many octets of the payload this frame has room for. Behind the payload it has zeros. */
static unsigned int payload_used(const struct mlr_frame_spec *spec, const struct mlr_frame_template *template)
{
	unsigned int room = (unsigned int)(template->memory_octets - template->header_octets);

	return !spec->payload ? 0 : spec->payload_octets < room ? spec->payload_octets : room;
}

/* Return how many octets at the beginning of the payload the signature takes the place of. */
static unsigned int payload_replaced(const struct mlr_frame_spec *spec, const struct mlr_frame_template *template)
{
	unsigned int used = payload_used(spec, template);

	return !template->is_signed ? 0 : used < MLR_SIGNATURE_OCTETS ? used : MLR_SIGNATURE_OCTETS;
}

/* Return the sum over the pseudo-header of RFC 768 or RFC 8200 without the last four octets of the addresses, and over
 * header, tag and payload. */
static uint32_t transport_sum(const struct mlr_frame_spec *spec, const struct mlr_frame_template *template)
{
	unsigned int udp_octets = (unsigned int)(template->memory_octets - template->transport_offset);
	const uint8_t *header = template->header;
	uint32_t sum = PROTOCOL_UDP + udp_octets;

	if (spec->ip_version == 6)
		sum = checksum_add(sum, header + template->network_offset + 8, (size_t)2 * MLR_ADDRESS6_OCTETS);
	sum = checksum_add(sum, header + template->transport_offset,
			   (size_t)(template->header_octets - template->transport_offset));
	if (payload_used(spec, template) > payload_replaced(spec, template))
		sum = checksum_add(sum, spec->payload + payload_replaced(spec, template),
				   payload_used(spec, template) - payload_replaced(spec, template));
	return mlr_words(sum);
}

static void set_key(const struct mlr_frame_spec *spec, struct mlr_frame_template *template)
{
	unsigned int replaced, room;

	template->is_signed = is_signed(spec);
	if (!template->is_signed)
		return;
	replaced = payload_replaced(spec, template);
	room = (unsigned int)(template->memory_octets - template->header_octets - MLR_SIGNATURE_OCTETS);
	template->mixing = spec->key->mixing;
	memcpy(template->signature_key, spec->key->tag, sizeof(template->signature_key));
	template->digest = mlr_signature_digest(spec->key, replaced ? spec->payload + replaced : NULL,
						payload_used(spec, template) - replaced, room);
}

/* Return what is missing to a multiple of 0xffff, which is zero in this arithmetic. */
static uint32_t negative(uint32_t sum)
{
	return 0xffff - mlr_words(mlr_words(sum));
}

/* Return what the innermost packet adds to the checksum of a tunnel, without the addresses of IPv4. A UDP packet with a
 * right checksum adds up to the negative of its pseudo-header, and an IPv4 header to nothing. */
static uint32_t innermost_sum(const struct mlr_frame_template *template)
{
	uint32_t pseudo = PROTOCOL_UDP + (uint32_t)(template->memory_octets - template->transport_offset);

	return negative(pseudo) +
	       (template->ip_version == 6 ? checksum_add(0, template->header + template->network_offset, 8) : 0);
}

/* Return the sum over the pseudo-header of UDP in a tunnel. */
static uint32_t pseudo_sum(const uint8_t *network, uint32_t udp_octets)
{
	bool is_ipv6 = network[0] >> 4 == 6;

	return checksum_add(PROTOCOL_UDP + udp_octets, network + (is_ipv6 ? 8 : 12), is_ipv6 ? 32 : 8);
}

/* Exchange two addresses that stand one after the other. */
static void exchange(uint8_t *first, uint8_t *second)
{
	for (ptrdiff_t octets = second - first; octets > 0; octets--, first++, second++) {
		uint8_t octet = *first;

		*first = *second;
		*second = octet;
	}
}

/* Write lengths and checksums of tunnels, from the innermost outwards. Only the innermost checksum varies, with the
 * addresses of IPv4. For the checksums around it, what they cover adds up to a constant. */
static void put_outer_fields(const struct mlr_frame_spec *spec, struct mlr_frame_template *template)
{
	uint8_t *outer = template->header + template->network_offset - spec->outer_octets;
	uint32_t inside = innermost_sum(template), inside_from = spec->outer_octets;
	bool varies = template->ip_version == 4;

	for (unsigned int i = spec->outer_field_count; i-- > 0;) {
		const struct mlr_outer_field *field = &spec->outer_fields[i];
		uint8_t *at = outer + field->at, *from = outer + field->from;
		uint16_t octets = (uint16_t)(template->memory_octets - (from - template->header));
		uint32_t pseudo = 0;

		if (field->kind == MLR_OUTER_ADDRESSES) {
			if (spec->way_back)
				exchange(at, from);
			continue;
		}
		mlr_put16(at, 0);
		switch (field->kind) {
		case MLR_OUTER_LENGTH:
			mlr_put16(at, octets);
			break;
		case MLR_OUTER_HEADER:
			mlr_put16(at, mlr_checksum_fold(checksum_add(0, from, (size_t)(from[0] & 15) * 4)));
			break;
		case MLR_OUTER_TRANSPORT:
			pseudo = pseudo_sum(outer + field->network, octets);
			/* fallthrough */
		case MLR_OUTER_ALL:
			inside = checksum_add(inside + pseudo, from, inside_from - field->from);
			if (varies) {
				template->outer_checksum_offset = (uint16_t)(at - template->header);
				template->outer_checksum_base =
					mlr_words(inside) + 4 * 0xffff; /* it is more than the addresses add up to */
			} else {
				mlr_put_sum(at, inside);
			}
			varies = false;
			inside = negative(pseudo);
			inside_from = field->from;
			break;
		}
	}
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
	template.header_octets = (uint16_t)header_octets(spec);
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
	set_key(spec, &template);
	template.transport_checksum_base = transport_sum(spec, &template);
	put_outer_fields(spec, &template);
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
