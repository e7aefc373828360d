/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/hostile.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define ETHERNET_OCTETS 14
#define TYPE_OFFSET     12
#define VLAN_OCTETS     4
#define IPV4_OCTETS     20
#define IPV6_OCTETS     40
#define UDP_OCTETS      8
#define ICMP_OCTETS     8
#define TAG_OCTETS      ((unsigned int)sizeof(struct mlr_tag))
#define SHORTEST        60 /* Hardware makes shorter frames as long as this, with zeros. */

#define TYPE_IPV4   0x0800
#define TYPE_IPV6   0x86dd
#define TYPE_8021Q  0x8100
#define TYPE_8021AD 0x88a8
#define TYPE_OTHER  0x88b6 /* local experimental (IEEE 802) */

#define NEXT_HOP_BY_HOP 0
#define NEXT_ICMP       1
#define NEXT_IGMP       2
#define NEXT_UDP        17
#define NEXT_FRAGMENT   44
#define NEXT_ICMPV6     58

#define MORE_FRAGMENTS 0x2000
#define LOOPBACK       0x7f000001u

/* UDP of a short frame: long enough for a signature, and for Ethernet's shortest frame behind either IP header. */
#define SMALL_UDP_OCTETS 40

/* Sources of fragments that the first of them announce, and of those of others (RFC 5737). */
#define SOURCE_4     0xc6336401u
#define SOURCE_6     0xc6336402u
#define SOURCE_OTHER 0xc6336410u

#define TAGS_SENT      2 /* VLAN tags of frames of a tester, at most */
#define TAGS_KNOWN     8 /* most VLAN tags behind which a receiver knows a frame of a tester */
#define TAGS_MOST      20
#define EXTENSIONS     6
#define OPTIONS_MOST   10 /* words of IPv4 options */
#define APPENDED_MOST  64
#define RUNT_LEAST     ETHERNET_OCTETS
#define SEQUENCES_AWAY 1000

/* A frame that is being made. */
struct making {
	const struct mlr_hostile *hostile;
	uint64_t random;
	uint8_t *frame;
	unsigned int octets;
	/* Of a frame with UDP and a tag: */
	unsigned int version, network, udp, udp_octets;
};

/* --- randomness ------------------------------------------------------------------------------------------------------ */

/* The generator splitmix64. */
static uint64_t random_bits(struct making *making)
{
	uint64_t word = making->random += 0x9e3779b97f4a7c15ull;

	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9ull;
	word = (word ^ word >> 27) * 0x94d049bb133111ebull;
	return word ^ word >> 31;
}

/* A number from `least` to `most`. */
static unsigned int between(struct making *making, unsigned int least, unsigned int most)
{
	return least + (unsigned int)(random_bits(making) % (most - least + 1u));
}

static bool by_chance(struct making *making)
{
	return random_bits(making) & 1;
}

static void put_random(struct making *making, unsigned int from, unsigned int octets)
{
	mlr_payload_write(MLR_PAYLOAD_RANDOM, random_bits(making), making->frame + from, octets);
}

/* --- frames of the tester -------------------------------------------------------------------------------------------- */

/* How a frame is to be unlike those that the trial sends. */
struct wish {
	unsigned int version, udp_octets;
	unsigned int option_words; /* of IPv4 */
	uint16_t trial;
	uint32_t flow, sequence;
	bool is_signed; /* with the run's key; otherwise with another one */
};

static unsigned int header_octets(unsigned int version)
{
	return ETHERNET_OCTETS + (version == 6 ? IPV6_OCTETS : IPV4_OCTETS);
}

/* Return UDP's length in a frame of the profile. */
static unsigned int udp_of(const struct mlr_stream *stream, unsigned int size_octets)
{
	return size_octets - MLR_FCS_OCTETS - header_octets(stream->ip_version);
}

static bool is_sent(const struct mlr_profile *profile, unsigned int udp_octets)
{
	for (unsigned int i = 0; i < profile->stream_count; i++) {
		const struct mlr_size_mix *sizes = mlr_profile_sizes(profile, &profile->streams[i]);

		for (unsigned int size = 0; size < sizes->size_count; size++)
			if (udp_of(&profile->streams[i], sizes->sizes_octets[size]) == udp_octets)
				return true;
	}
	return false;
}

/* A frame that the receiver takes for one of the trial, until it looks at the signature. */
static struct wish forged(struct making *making, unsigned int version, unsigned int udp_octets)
{
	const struct mlr_hostile *hostile = making->hostile;

	return (struct wish){
		.version = version,
		.udp_octets = udp_octets,
		.trial = hostile->trial,
		.flow = hostile->stream->first_flow + (uint32_t)(random_bits(making) % hostile->stream->flow_count),
		.sequence = hostile->first_sequence + (uint32_t)(random_bits(making) % hostile->sequence_count),
	};
}

/* The same, as long as one of the frames that are sent. */
static struct wish forged_own(struct making *making)
{
	const struct mlr_stream *stream = making->hostile->stream;
	const struct mlr_size_mix *sizes = mlr_profile_sizes(making->hostile->profile, stream);
	unsigned int size_octets = sizes->sizes_octets[between(making, 0, sizes->size_count - 1)];

	return forged(making, stream->ip_version, udp_of(stream, size_octets));
}

static struct wish forged_small(struct making *making)
{
	return forged(making, by_chance(making) ? 4 : 6, SMALL_UDP_OCTETS);
}

static struct mlr_frame_spec spec_of(struct making *making, const struct wish *wish, struct mlr_signature_key *other)
{
	const struct mlr_profile *profile = making->hostile->profile;
	struct mlr_stream stream = *making->hostile->stream;
	struct mlr_frame_spec spec;
	uint8_t seed[MLR_KEY_SEED_OCTETS];

	stream.ip_version = wish->version;
	spec = mlr_profile_frame(profile, &stream,
				 header_octets(wish->version) + 4 * wish->option_words + wish->udp_octets + MLR_FCS_OCTETS);
	spec.ip_options_octets = 4 * wish->option_words;
	mlr_payload_write(MLR_PAYLOAD_RANDOM, random_bits(making), spec.ip_options, sizeof(spec.ip_options));
	mlr_payload_write(MLR_PAYLOAD_RANDOM, random_bits(making), seed, sizeof(seed));
	mlr_signature_key_init(seed, other);
	if (!wish->is_signed)
		spec.key = other;
	return spec;
}

/* Write such a frame, whose lengths and checksums are right. */
static bool put_frame(struct making *making, const struct wish *wish)
{
	const struct mlr_profile *profile = making->hostile->profile;
	struct mlr_stream stream = *making->hostile->stream;
	struct mlr_signature_key other;
	struct mlr_frame_spec spec = spec_of(making, wish, &other);
	struct mlr_frame_template template;
	uint64_t time_ns = random_bits(making) & MLR_TAG_DEPARTURE_MASK;
	struct mlr_flow flow;

	stream.ip_version = wish->version;
	flow = mlr_profile_flow(profile, &stream, 0);
	flow.id = wish->flow;
	if (spec.size_octets - MLR_FCS_OCTETS > making->hostile->most_octets || mlr_frame_template_init(&spec, &template))
		return false;
	mlr_frame_write(&spec, &template, &flow, wish->trial, wish->sequence, time_ns,
			time_ns + between(making, 0, UINT16_MAX), making->frame);
	making->octets = template.memory_octets;
	making->version = wish->version;
	making->network = template.network_offset;
	making->udp = template.transport_offset;
	making->udp_octets = wish->udp_octets;
	return true;
}

static bool put_small(struct making *making)
{
	const struct wish wish = forged_small(making);

	return put_frame(making, &wish);
}

static bool put_small_4(struct making *making)
{
	const struct wish wish = forged(making, 4, SMALL_UDP_OCTETS);

	return put_frame(making, &wish);
}

static bool put_small_6(struct making *making)
{
	const struct wish wish = forged(making, 6, SMALL_UDP_OCTETS);

	return put_frame(making, &wish);
}

static bool put_own(struct making *making)
{
	const struct wish wish = forged_own(making);

	return put_frame(making, &wish);
}

/* --- changing them --------------------------------------------------------------------------------------------------- */

/* Where IP's own length and the protocol are. */
static uint8_t *ip_length(struct making *making)
{
	return making->frame + making->network + (making->version == 6 ? 4 : 2);
}

static uint8_t *ip_protocol(struct making *making)
{
	return making->frame + making->network + (making->version == 6 ? 6 : 9);
}

static uint8_t *tag_of(struct making *making)
{
	return making->frame + making->udp + UDP_OCTETS;
}

/* Address an IP packet to the host that gets it: nobody takes that from a wire. */
static void address_to_loopback(uint8_t *network, unsigned int version)
{
	if (version == 4) {
		mlr_put32(network + 16, LOOPBACK);
		return;
	}
	memset(network + 24, 0, MLR_ADDRESS6_OCTETS);
	network[39] = 1;
}

static enum mlr_hostile_count make_foreign(struct making *making)
{
	address_to_loopback(making->frame + making->network, making->version);
	return MLR_HOSTILE_foreign;
}

/* Make room at an offset, for an even number of octets. What lies behind moves. */
static bool insert(struct making *making, unsigned int at, unsigned int octets)
{
	if (making->octets + octets > making->hostile->most_octets)
		return false;
	memmove(making->frame + at + octets, making->frame + at, making->octets - at);
	making->octets += octets;
	making->network += making->network >= at ? octets : 0;
	making->udp += making->udp >= at ? octets : 0;
	return true;
}

/* Whether the tag of the trial is where it is in frames of a tester: behind none to two VLAN tags and IPv4 or IPv6. */
static bool is_tag_in_place(const struct making *making)
{
	for (unsigned int vlans = 0; vlans <= TAGS_SENT; vlans++)
		for (unsigned int version = 4; version <= 6; version += 2) {
			unsigned int at = header_octets(version) + vlans * VLAN_OCTETS + UDP_OCTETS;

			if (at + 4 <= making->octets &&
			    mlr_get32(making->frame + at) == ((uint32_t)MLR_TAG_MAGIC << 16 | making->hostile->trial))
				return true;
		}
	return false;
}

/* Where a frame ends whose headers do not lead to its tag. */
static enum mlr_hostile_count untagged(struct making *making)
{
	return is_tag_in_place(making) ? MLR_HOSTILE_damaged : make_foreign(making);
}

/* Where a forged frame ends that the receiver finds the tag of. */
static enum mlr_hostile_count tagged(const struct making *making)
{
	return is_sent(making->hostile->profile, making->udp_octets) && making->octets == making->udp + making->udp_octets
		       ? MLR_HOSTILE_wrong_signature
		       : MLR_HOSTILE_wrong_length;
}

/* No octets behind this offset look like the beginning of a tag, wherever they are. */
static void take_magic(struct making *making, unsigned int from)
{
	for (unsigned int at = from; at + 2 <= making->octets; at++)
		if (mlr_get16(making->frame + at) == MLR_TAG_MAGIC)
			making->frame[at] ^= 0xff;
}

/* --- fragments ------------------------------------------------------------------------------------------------------- */

static uint32_t own_source(const struct making *making)
{
	return making->version == 4 ? SOURCE_4 : SOURCE_6;
}

/* Make the frame a fragment, of this source; `first` begins the packet. */
static bool put_fragment(struct making *making, uint32_t source, bool is_first, bool has_more)
{
	uint8_t *network = making->frame + making->network;
	unsigned int offset = is_first ? 0 : between(making, 1, 0x1fff);

	if (making->version == 4) {
		mlr_put16(network + 6, (uint16_t)(offset | (has_more ? MORE_FRAGMENTS : 0)));
		mlr_put32(network + 12, source);
		return true;
	}
	mlr_put32(network + 20, source);
	network[6] = NEXT_FRAGMENT;
	if (!insert(making, making->network + IPV6_OCTETS, 8))
		return false;
	mlr_put16(network + IPV6_OCTETS, NEXT_UDP << 8);
	mlr_put16(network + IPV6_OCTETS + 2, (uint16_t)(offset << 3 | has_more));
	mlr_put32(network + IPV6_OCTETS + 4, (uint32_t)random_bits(making));
	return true;
}

static enum mlr_hostile_count fragment_first(struct making *making)
{
	return put_fragment(making, own_source(making), true, true) ? MLR_HOSTILE_fragmented : MLR_HOSTILE_NONE;
}

static enum mlr_hostile_count fragment_later(struct making *making)
{
	bool has_more = by_chance(making);

	return put_fragment(making, own_source(making), false, has_more) ? MLR_HOSTILE_fragmented : MLR_HOSTILE_NONE;
}

static enum mlr_hostile_count fragment_other(struct making *making)
{
	bool is_first = by_chance(making);

	if (!put_small(making))
		return MLR_HOSTILE_NONE;
	mlr_put16(tag_of(making), 0);
	if (!put_fragment(making, SOURCE_OTHER + between(making, 0, 99), is_first, is_first || by_chance(making)))
		return MLR_HOSTILE_NONE;
	return make_foreign(making);
}

/* A first fragment that ends before the tag. */
static enum mlr_hostile_count fragment_tiny(struct making *making)
{
	if (!put_fragment(making, SOURCE_OTHER, true, true))
		return MLR_HOSTILE_NONE;
	making->octets = making->udp + UDP_OCTETS;
	return make_foreign(making);
}

/* --- lengths --------------------------------------------------------------------------------------------------------- */

/* A length that is not `right`. */
static uint16_t wrong_length(struct making *making, unsigned int right)
{
	const unsigned int lengths[] = {
		0,          between(making, 1, 25),         right - between(making, 1, 8), right + between(making, 1, 100),
		UINT16_MAX, between(making, 0, UINT16_MAX),
	};
	uint16_t length = (uint16_t)lengths[between(making, 0, COUNT_OF(lengths) - 1)];

	return length == right ? 0 : length;
}

static enum mlr_hostile_count wrong_ip_length(struct making *making)
{
	mlr_put16(ip_length(making), wrong_length(making, mlr_get16(ip_length(making))));
	return MLR_HOSTILE_malformed;
}

static enum mlr_hostile_count wrong_udp_length(struct making *making)
{
	mlr_put16(making->frame + making->udp + 4, wrong_length(making, making->udp_octets));
	return MLR_HOSTILE_malformed;
}

/* Both lengths agree, and say more than there is. */
static enum mlr_hostile_count too_long_lengths(struct making *making)
{
	unsigned int more = by_chance(making) ? between(making, 1, 100) : between(making, 101, UINT16_MAX - 200);

	mlr_put16(ip_length(making), (uint16_t)(mlr_get16(ip_length(making)) + more));
	mlr_put16(making->frame + making->udp + 4, (uint16_t)(making->udp_octets + more));
	return MLR_HOSTILE_malformed;
}

/* The frame ends anywhere behind the magic. */
static enum mlr_hostile_count cut(struct making *making)
{
	making->octets = between(making, making->udp + UDP_OCTETS + 2, making->octets - 1);
	return MLR_HOSTILE_malformed;
}

static enum mlr_hostile_count padded(struct making *making)
{
	unsigned int octets = between(making, 1, APPENDED_MOST), from;

	if (!put_small(making) || making->octets + octets > making->hostile->most_octets)
		return MLR_HOSTILE_NONE;
	from = making->octets;
	making->octets += octets;
	put_random(making, from, octets);
	return MLR_HOSTILE_wrong_length;
}

static enum mlr_hostile_count never_sent_length(struct making *making)
{
	struct wish wish = forged_small(making);

	wish.udp_octets += between(making, 0, APPENDED_MOST);
	while (is_sent(making->hostile->profile, wish.udp_octets))
		wish.udp_octets++;
	return put_frame(making, &wish) ? MLR_HOSTILE_wrong_length : MLR_HOSTILE_NONE;
}

/* --- runts ----------------------------------------------------------------------------------------------------------- */

/* An Ethernet header of the tester, and random octets. */
static bool put_other(struct making *making, uint16_t type, unsigned int octets)
{
	if (!put_small(making))
		return false;
	mlr_put16(making->frame + TYPE_OFFSET, type);
	making->octets = octets;
	put_random(making, ETHERNET_OCTETS, octets - ETHERNET_OCTETS);
	take_magic(making, ETHERNET_OCTETS);
	return true;
}

static enum mlr_hostile_count runt(struct making *making)
{
	return put_other(making, TYPE_OTHER, between(making, RUNT_LEAST, SHORTEST - 1)) ? MLR_HOSTILE_foreign
											: MLR_HOSTILE_NONE;
}

/* It ends within the IP header. */
static enum mlr_hostile_count runt_ip(struct making *making)
{
	make_foreign(making);
	making->octets = between(making, ETHERNET_OCTETS, making->udp - 1);
	return MLR_HOSTILE_foreign;
}

/* --- VLAN tags ------------------------------------------------------------------------------------------------------- */

static bool is_sent_type(uint16_t type)
{
	return type == TYPE_8021Q || type == TYPE_8021AD;
}

static bool is_known_type(uint16_t type)
{
	return is_sent_type(type) || type == 0x9100;
}

/* Whether the receiving port takes such a tag off, where it is the first one. */
static bool is_taken(const struct mlr_hostile *hostile, uint16_t type)
{
	return (type == TYPE_8021Q && hostile->takes_tag) || (type == TYPE_8021AD && hostile->takes_outer_tag);
}

/* Where a forged frame ends behind these tags. */
static enum mlr_hostile_count behind_tags(struct making *making, const uint16_t *types, unsigned int count)
{
	unsigned int sent = 0, known = 0;

	if (is_taken(making->hostile, types[0])) {
		types++;
		count--;
	}
	while (sent < count && sent < TAGS_SENT && is_sent_type(types[sent]))
		sent++;
	while (known < count && known < TAGS_KNOWN && is_known_type(types[known]))
		known++;
	if (sent == count)
		return tagged(making);
	return known == count ? MLR_HOSTILE_overtagged : untagged(making);
}

/* Put tags of these types into the frame, the outer one first. */
static bool put_tags(struct making *making, const uint16_t *types, unsigned int count)
{
	if (!insert(making, TYPE_OFFSET, VLAN_OCTETS * count))
		return false;
	for (unsigned int i = 0; i < count; i++) {
		uint8_t *at = making->frame + TYPE_OFFSET + VLAN_OCTETS * (size_t)i;

		mlr_put16(at, types[i]);
		mlr_put16(at + 2, (uint16_t)random_bits(making));
		if (mlr_get16(at + 2) == MLR_TAG_MAGIC)
			at[2] ^= 1;
	}
	return true;
}

static enum mlr_hostile_count put_stack(struct making *making, unsigned int least, unsigned int most, const uint16_t of[3])
{
	uint16_t types[TAGS_MOST] = { 0 };
	unsigned int count = between(making, least, most);

	for (unsigned int i = 0; i < count; i++)
		types[i] = of[between(making, 0, 2)];
	return put_tags(making, types, count) ? behind_tags(making, types, count) : MLR_HOSTILE_NONE;
}

static const uint16_t sent_types[] = { TYPE_8021Q, TYPE_8021AD, TYPE_8021Q };
static const uint16_t known_types[] = { TYPE_8021Q, TYPE_8021AD, 0x9100 };
static const uint16_t other_types[] = { 0x9200, 0x9300, 0x9200 };

/* As many as a tester sends. */
static enum mlr_hostile_count vlan(struct making *making)
{
	return put_stack(making, 1, TAGS_SENT, sent_types);
}

static enum mlr_hostile_count vlan_stack(struct making *making)
{
	return put_stack(making, 1, TAGS_KNOWN, known_types);
}

static enum mlr_hostile_count vlan_deep(struct making *making)
{
	return put_stack(making, TAGS_KNOWN + 1, TAGS_MOST, known_types);
}

static enum mlr_hostile_count vlan_type(struct making *making)
{
	return put_stack(making, 1, TAGS_KNOWN, other_types);
}

/* It ends within a tag. Whoever takes tags off drops it before it is counted. */
static enum mlr_hostile_count runt_vlan(struct making *making)
{
	uint16_t type = known_types[between(making, 0, 2)];

	if (is_taken(making->hostile, type))
		type = 0x9100;
	if (!put_other(making, type, between(making, RUNT_LEAST, RUNT_LEAST + VLAN_OCTETS - 1)))
		return MLR_HOSTILE_NONE;
	/* Padding completes half a type. 0x90 would become 0x9000, the loop detection of switches, which is housekeeping. */
	making->frame[ETHERNET_OCTETS + 2] &= 0x7f;
	return MLR_HOSTILE_foreign;
}

/* Behind the tags is no frame of a tester. */
static enum mlr_hostile_count vlan_other(struct making *making)
{
	if (!put_other(making, TYPE_OTHER, between(making, SHORTEST, SHORTEST + APPENDED_MOST)) ||
	    put_stack(making, 1, TAGS_KNOWN, known_types) == MLR_HOSTILE_NONE)
		return MLR_HOSTILE_NONE;
	return MLR_HOSTILE_foreign;
}

/* --- IPv6 extension headers ------------------------------------------------------------------------------------------ */

/* Put so many extension headers behind the IP header. Their contents are random, and no option of theirs asks for an answer. */
static bool put_extensions(struct making *making, unsigned int count)
{
	/* hop-by-hop, routing, encapsulated, authenticated, destination, mobility, HIP, shim6, experimental */
	static const uint8_t headers[] = { NEXT_HOP_BY_HOP, 43, 50, 51, 60, 135, 139, 140, 253 };
	uint8_t next = NEXT_UDP;

	for (unsigned int i = 0; i < count; i++) {
		unsigned int octets = 8 * between(making, 1, 3);
		uint8_t *at = making->frame + making->network + IPV6_OCTETS;

		if (!insert(making, making->network + IPV6_OCTETS, octets))
			return false;
		memset(at, 0, octets);
		at[0] = next;
		at[1] = (uint8_t)(octets / 8 - 1);
		next = headers[between(making, 0, COUNT_OF(headers) - 1)];
	}
	*ip_protocol(making) = next;
	mlr_put16(ip_length(making), (uint16_t)(making->octets - making->network - IPV6_OCTETS));
	return true;
}

static enum mlr_hostile_count extensions(struct making *making)
{
	return put_extensions(making, between(making, 1, EXTENSIONS)) ? untagged(making) : MLR_HOSTILE_NONE;
}

/* The last header says that it is longer than the frame, or the frame ends within. */
static enum mlr_hostile_count extensions_cut(struct making *making)
{
	uint8_t *first;

	if (!put_extensions(making, between(making, 1, EXTENSIONS)))
		return MLR_HOSTILE_NONE;
	first = making->frame + making->network + IPV6_OCTETS;
	mlr_put16(tag_of(making), 0);
	if (by_chance(making))
		first[1] = UINT8_MAX;
	else
		making->octets = between(making, making->network + IPV6_OCTETS, making->udp - 1);
	return make_foreign(making);
}

/* --- other headers --------------------------------------------------------------------------------------------------- */

/* Any option words are there, and the lengths fit. */
static enum mlr_hostile_count options(struct making *making)
{
	const struct mlr_stream *stream = making->hostile->stream;
	struct wish wish = stream->ip_version == 4 ? forged_own(making) : forged(making, 4, SMALL_UDP_OCTETS);

	wish.option_words = between(making, 1, OPTIONS_MOST);
	if (header_octets(4) + 4 * wish.option_words + wish.udp_octets > making->hostile->most_octets)
		wish.udp_octets = SMALL_UDP_OCTETS;
	return put_frame(making, &wish) ? tagged(making) : MLR_HOSTILE_NONE;
}

static enum mlr_hostile_count header_length(struct making *making)
{
	making->frame[making->network] = (uint8_t)(0x40 | (by_chance(making) ? 15 : between(making, 0, 4)));
	return MLR_HOSTILE_damaged;
}

static enum mlr_hostile_count ip_version(struct making *making)
{
	making->frame[making->network] ^= (uint8_t)(between(making, 1, 15) << 4);
	return MLR_HOSTILE_damaged;
}

static enum mlr_hostile_count protocol(struct making *making)
{
	static const uint8_t protocols[] = { 4, 6, 33, 41, 47, 50, 51, 59, 89, 112, 132, 136, 253, 255 };

	*ip_protocol(making) = protocols[between(making, 0, COUNT_OF(protocols) - 1)];
	return MLR_HOSTILE_damaged;
}

static enum mlr_hostile_count ethertype(struct making *making)
{
	mlr_put16(making->frame + TYPE_OFFSET, TYPE_OTHER);
	return MLR_HOSTILE_damaged;
}

/* --- forged tags ----------------------------------------------------------------------------------------------------- */

static enum mlr_hostile_count forged_signature(struct making *)
{
	return MLR_HOSTILE_wrong_signature;
}

static enum mlr_hostile_count forged_checksum(struct making *making)
{
	uint8_t *checksum = making->frame + making->udp + 6;

	mlr_put16(checksum, mlr_get16(checksum) == 1 ? 2 : 1);
	return MLR_HOSTILE_damaged;
}

/* Without a UDP checksum, which IPv6 does not allow. */
static enum mlr_hostile_count forged_unsummed(struct making *making)
{
	mlr_put16(making->frame + making->udp + 6, 0);
	return making->version == 4 ? MLR_HOSTILE_wrong_signature : MLR_HOSTILE_damaged;
}

static enum mlr_hostile_count forged_flow(struct making *making)
{
	struct wish wish = forged_own(making);

	wish.flow = between(making, MLR_FLOW_EXTRA / 2, MLR_FLOW_EXTRA - 1);
	return put_frame(making, &wish) ? MLR_HOSTILE_wrong_signature : MLR_HOSTILE_NONE;
}

static enum mlr_hostile_count forged_sequence(struct making *making)
{
	struct wish wish = forged_own(making);

	if (making->hostile->sequence_count > UINT32_MAX - SEQUENCES_AWAY)
		return MLR_HOSTILE_NONE; /* Nearly any number is one of the trial's. */
	wish.sequence = making->hostile->first_sequence - between(making, 1, SEQUENCES_AWAY);
	return put_frame(making, &wish) ? MLR_HOSTILE_wrong_signature : MLR_HOSTILE_NONE;
}

static enum mlr_hostile_count forged_trial(struct making *making)
{
	struct wish wish = forged_own(making);

	wish.trial = making->hostile->unknown_trial;
	return put_frame(making, &wish) ? MLR_HOSTILE_unknown_trial : MLR_HOSTILE_NONE;
}

static enum mlr_hostile_count forged_earlier(struct making *making)
{
	struct wish wish = forged_own(making);

	wish.trial = making->hostile->earlier_trial;
	return put_frame(making, &wish) ? MLR_HOSTILE_late : MLR_HOSTILE_NONE;
}

/* Add to a word, as checksums do. */
static void add_to_word(uint8_t *at, uint16_t more)
{
	uint32_t sum = (uint32_t)mlr_get16(at) + more;

	mlr_put16(at, (uint16_t)((sum & 0xffff) + (sum >> 16)));
}

/* The signature of the trial, and the right checksum, but another payload: one word has more and another one less. */
static enum mlr_hostile_count changed_payload(struct making *making)
{
	struct wish wish = forged_own(making);
	uint16_t more = (uint16_t)between(making, 1, UINT16_MAX - 1);
	uint8_t *payload;

	wish.is_signed = true;
	if (!put_frame(making, &wish) || making->udp_octets < UDP_OCTETS + TAG_OCTETS + MLR_SIGNATURE_OCTETS + 4)
		return MLR_HOSTILE_NONE;
	payload = tag_of(making) + TAG_OCTETS + MLR_SIGNATURE_OCTETS;
	add_to_word(payload, more);
	add_to_word(payload + 2, (uint16_t)~more);
	return MLR_HOSTILE_changed_payload;
}

static enum mlr_hostile_count wrong_magic(struct making *making)
{
	*tag_of(making) ^= (uint8_t)between(making, 1, UINT8_MAX);
	return make_foreign(making);
}

/* --- frames of others ------------------------------------------------------------------------------------------------ */

/* UDP of another program, by the same addresses and ports. */
static enum mlr_hostile_count other_udp(struct making *making)
{
	put_random(making, making->udp + UDP_OCTETS, making->udp_octets - UDP_OCTETS);
	take_magic(making, making->udp + UDP_OCTETS);
	return make_foreign(making);
}

static enum mlr_hostile_count random_octets(struct making *making)
{
	return put_other(making, TYPE_OTHER, between(making, SHORTEST, making->hostile->most_octets)) ? MLR_HOSTILE_foreign
												      : MLR_HOSTILE_NONE;
}

/* An IP header of random octets. Its protocol is none of those that links carry by themselves, nor that of errors. */
static enum mlr_hostile_count random_ip(struct making *making)
{
	unsigned int version = by_chance(making) ? 4 : 6;
	uint8_t *network = making->frame + ETHERNET_OCTETS, *next = network + (version == 4 ? 9 : 6);

	if (!put_other(making, version == 4 ? TYPE_IPV4 : TYPE_IPV6,
		       between(making, header_octets(6), making->hostile->most_octets)))
		return MLR_HOSTILE_NONE;
	if (*next == NEXT_HOP_BY_HOP || *next == NEXT_ICMP || *next == NEXT_IGMP || *next == NEXT_ICMPV6)
		*next = NEXT_UDP;
	mlr_put32(network + 12, SOURCE_OTHER);
	address_to_loopback(network, version);
	take_magic(making, ETHERNET_OCTETS);
	return MLR_HOSTILE_foreign;
}

/* A length of 802.3 that says something else than there is, and octets of no known protocol behind it. */
static enum mlr_hostile_count length_field(struct making *making)
{
	if (!put_other(making, (uint16_t)between(making, 0, 1500), between(making, SHORTEST, SHORTEST + APPENDED_MOST)))
		return MLR_HOSTILE_NONE;
	memset(making->frame + ETHERNET_OCTETS, 0x6e, 3);
	return MLR_HOSTILE_foreign;
}

/* Put ICMP of this type in front of the IP packet, which it then quotes. */
static bool put_icmp(struct making *making, uint8_t type)
{
	unsigned int ip_octets = making->version == 6 ? IPV6_OCTETS : IPV4_OCTETS;
	uint8_t *network = making->frame + ETHERNET_OCTETS;

	if (!insert(making, ETHERNET_OCTETS, ip_octets + ICMP_OCTETS))
		return false;
	memcpy(network, making->frame + making->network, ip_octets);
	making->network = ETHERNET_OCTETS;
	mlr_put16(ip_length(making), (uint16_t)(making->octets - ETHERNET_OCTETS - (making->version == 6 ? ip_octets : 0)));
	*ip_protocol(making) = making->version == 6 ? NEXT_ICMPV6 : NEXT_ICMP;
	memset(network + ip_octets, 0, ICMP_OCTETS);
	network[ip_octets] = type;
	return true;
}

/* Destination unreachable, or time exceeded, of a frame that looks like one of the trial. */
static enum mlr_hostile_count icmp_error(struct making *making)
{
	uint8_t type;

	if (making->version == 6)
		type = by_chance(making) ? 1 : 3;
	else
		type = by_chance(making) ? 3 : 11;
	return put_icmp(making, type) ? MLR_HOSTILE_icmp_errors : MLR_HOSTILE_NONE;
}

/* The same of another's packet. ICMPv6 would count as what links carry by themselves. */
static enum mlr_hostile_count icmp_other(struct making *making)
{
	put_random(making, making->udp + UDP_OCTETS, making->udp_octets - UDP_OCTETS);
	take_magic(making, making->udp + UDP_OCTETS);
	return put_icmp(making, by_chance(making) ? 3 : 11) ? make_foreign(making) : MLR_HOSTILE_NONE;
}

/* --- all of them ----------------------------------------------------------------------------------------------------- */

/* First fragments come first (MLR_HOSTILE_FIRST). */
static const struct {
	const char *name;
	bool (*put)(struct making *making); /* puts the frame there that `make` changes. NULL: `make` does so itself */
	enum mlr_hostile_count (*make)(struct making *making);
} kinds[] = {
	{ "fragment-first-ipv4", put_small_4, fragment_first },
	{ "fragment-first-ipv6", put_small_6, fragment_first },
	{ "fragment-later-ipv4", put_small_4, fragment_later },
	{ "fragment-later-ipv6", put_small_6, fragment_later },
	{ "fragment-other", NULL, fragment_other },
	{ "fragment-tiny", put_small_4, fragment_tiny },
	{ "ip-length", put_small, wrong_ip_length },
	{ "udp-length", put_small, wrong_udp_length },
	{ "lengths-too-long", put_small, too_long_lengths },
	{ "cut", put_small, cut },
	{ "padded", NULL, padded },
	{ "length-never-sent", NULL, never_sent_length },
	{ "runt", NULL, runt },
	{ "runt-ip", put_small, runt_ip },
	{ "runt-vlan", NULL, runt_vlan },
	{ "vlan", put_own, vlan },
	{ "vlan-stack", put_small, vlan_stack },
	{ "vlan-deep", put_small, vlan_deep },
	{ "vlan-type", put_small, vlan_type },
	{ "vlan-other", NULL, vlan_other },
	{ "ipv6-extensions", put_small_6, extensions },
	{ "ipv6-extensions-cut", put_small_6, extensions_cut },
	{ "ipv4-options", NULL, options },
	{ "ipv4-header-length", put_small_4, header_length },
	{ "ip-version", put_small, ip_version },
	{ "ip-protocol", put_small, protocol },
	{ "ethertype", put_small, ethertype },
	{ "forged-signature", put_own, forged_signature },
	{ "forged-checksum", put_own, forged_checksum },
	{ "forged-no-checksum", put_own, forged_unsummed },
	{ "forged-flow", NULL, forged_flow },
	{ "forged-sequence", NULL, forged_sequence },
	{ "forged-trial", NULL, forged_trial },
	{ "forged-earlier-trial", NULL, forged_earlier },
	{ "changed-payload", NULL, changed_payload },
	{ "magic", put_small, wrong_magic },
	{ "other-udp", put_small, other_udp },
	{ "random", NULL, random_octets },
	{ "random-ip", NULL, random_ip },
	{ "length-field", NULL, length_field },
	{ "icmp-error", put_small, icmp_error },
	{ "icmp-other", put_small_4, icmp_other },
};

_Static_assert(COUNT_OF(kinds) == MLR_HOSTILE_KINDS, "every kind is counted");

bool mlr_hostile_write(const struct mlr_hostile *hostile, uint64_t n, uint8_t *frame, struct mlr_hostile_frame *ret)
{
	struct making making = { .hostile = hostile, .random = hostile->seed + n * 0xd1342543de82ef95ull, .frame = frame };
	unsigned int kind = (unsigned int)(n % MLR_HOSTILE_KINDS);
	bool is_put = !kinds[kind].put || kinds[kind].put(&making);
	enum mlr_hostile_count count = is_put ? kinds[kind].make(&making) : MLR_HOSTILE_NONE;

	*ret = (struct mlr_hostile_frame){ .kind = kind, .count = count, .octets = making.octets };
	return count != MLR_HOSTILE_NONE;
}

bool mlr_hostile_write_tags(const struct mlr_hostile *hostile, bool is_outer, uint8_t *frame, struct mlr_hostile_frame *ret)
{
	const uint16_t types[TAGS_SENT + 1] = { is_outer ? TYPE_8021AD : TYPE_8021Q, TYPE_8021Q, TYPE_8021Q };
	struct making making = { .hostile = hostile, .random = hostile->seed, .frame = frame };
	unsigned int kind = 0;

	while (kinds[kind].make != vlan_stack)
		kind++;
	if (!put_small(&making) || !put_tags(&making, types, COUNT_OF(types)))
		return false;
	*ret = (struct mlr_hostile_frame){ .kind = kind,
					   .count = behind_tags(&making, types, COUNT_OF(types)),
					   .octets = making.octets };
	return true;
}

const char *mlr_hostile_kind_name(unsigned int kind)
{
	return kinds[kind].name;
}

const char *mlr_hostile_count_name(enum mlr_hostile_count count)
{
	static const char *const names[] = {
#define X(name) #name,
		MLR_HOSTILE_COUNTS(X)
#undef X
	};

	return names[count];
}
