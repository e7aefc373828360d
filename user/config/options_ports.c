/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file reads options of the ports: those that take one value for each port, "A,B" or more, and what may be changed on
 * them. */
#include <arpa/inet.h>
#include <netinet/ether.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "config/options_read.h"

#define PART_SIZE       128
#define PREFIX_LEAST    1
#define MAC_TEXT_LENGTH 17
#define FIELD(member)   offsetof(struct port_config, member)

typedef enum exit_code (*read_part)(const struct given *given, char *part, struct port_config *port);

/* The state while each part of "A,B,..." is read into its port. */
struct parts {
	struct port_config *ports;
	read_part read;
	unsigned int count;
};

static enum exit_code take_part(const struct given *given, char *part, void *into)
{
	struct parts *parts = into;

	if (!*part)
		return refuse_given(given, "must be A,B or more: one for each port");
	if (parts->count == MLR_PORTS_MAX)
		return refuse_given(given, "at most %d ports", MLR_PORTS_MAX);
	if (strlen(part) >= PART_SIZE)
		return refuse_given(given, "number %u is too long", parts->count + 1);
	return parts->read(given, part, &parts->ports[parts->count++]);
}

static enum exit_code read_parts(const struct given *given, struct config *config, read_part read, unsigned int *ret_count)
{
	struct parts parts = { .ports = config->ports, .read = read };
	enum exit_code code = read_list(given, given->text, take_part, &parts);

	*ret_count = parts.count;
	return code;
}

/* Read as many values as there are ports. */
static enum exit_code read_one_each(const struct given *given, struct config *config, read_part read)
{
	static const char *const words[MLR_PORTS_MAX + 1] = { "none", "one", "two",   "three", "four",
							      "five", "six", "seven", "eight" };
	unsigned int count;
	enum exit_code code = read_parts(given, config, read, &count);

	if (code == EXIT_DONE && count != config->port_count)
		return refuse_given(given, "must be %s, separated by commas: one for each port", words[config->port_count]);
	return code;
}

/* Take ":transmit" or ":receive" off the end of a text. */
static enum port_role take_role(char *text)
{
	static const char *const words[] = { [ROLE_TRANSMIT] = ":transmit", [ROLE_RECEIVE] = ":receive" };

	for (enum port_role role = ROLE_TRANSMIT; role <= ROLE_RECEIVE; role++) {
		size_t length = strlen(text), word = strlen(words[role]);

		if (length > word && strcmp(text + length - word, words[role]) == 0) {
			text[length - word] = '\0';
			return role;
		}
	}
	return ROLE_OPEN;
}

/* Parse [HOST:]PORT[:ROLE]. No interface has a colon in its name. */
static enum exit_code read_name(const struct given *given, char *text, struct port_config *port)
{
	const char *colon, *name;

	port->role = take_role(text);
	colon = strrchr(text, ':');
	name = colon ? colon + 1 : text;
	if (!*name || strlen(name) >= sizeof(port->name))
		return refuse_given(given, "'%s' cannot be an interface: names have at most %d characters", name,
				    IF_NAMESIZE - 1);
	if (colon && (colon == text || (size_t)(colon - text) >= sizeof(port->host)))
		return refuse_given(given, "'%s' names no host: its name has 1 to %d characters", text, HOST_SIZE - 1);
	strcpy(port->name, name);
	strcpy(port->label, text);
	snprintf(port->host, sizeof(port->host), "%.*s", colon ? (int)(colon - text) : 0, text);
	return EXIT_DONE;
}

static bool same_port(const struct port_config *a, const struct port_config *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->host, b->host) == 0;
}

/* Check that all ports have a role and both roles are there, or that none has. */
static enum exit_code check_roles(const struct given *given, const struct config *config)
{
	unsigned int counts[] = { [ROLE_OPEN] = 0, [ROLE_TRANSMIT] = 0, [ROLE_RECEIVE] = 0 };

	for (unsigned int i = 0; i < config->port_count; i++)
		counts[config->ports[i].role]++;
	if (counts[ROLE_OPEN] == config->port_count)
		return config->port_count % 2
			       ? refuse_given(
					 given,
					 "must be two, or another even number of ports: A,B,C,D are the pairs A,B and C,D")
			       : EXIT_DONE;
	if (counts[ROLE_OPEN] || !counts[ROLE_TRANSMIT] || !counts[ROLE_RECEIVE])
		return refuse_given(
			given, "where a port has a role all must have one, and one at least must transmit and one receive");
	return EXIT_DONE;
}

/* Read one of any number of names, for probe. */
static enum exit_code check_name(const struct given *given, char *name, void *into)
{
	((struct config *)into)->port_list = given->text;
	return *name && strlen(name) < IF_NAMESIZE
		       ? EXIT_DONE
		       : refuse_given(given, "must be names of interfaces, A,B,...: of 1 to %d characters each",
				      IF_NAMESIZE - 1);
}

enum exit_code read_ports(const struct given *given, struct config *config)
{
	enum exit_code code;

	if (config->verb == VERB_PROBE)
		return read_list(given, given->text, check_name, config);
	code = read_parts(given, config, read_name, &config->port_count);

	if (code != EXIT_DONE)
		return code;
	for (unsigned int i = 0; i < config->port_count; i++)
		for (unsigned int j = 0; j < i; j++)
			if (same_port(&config->ports[i], &config->ports[j]))
				return refuse_given(given, "the same port twice; give different ones");
	return check_roles(given, config);
}

/* --- addresses ------------------------------------------------------------------------------------------------------ */

/* The differences between the options of IPv4 and of IPv6. */
static const struct family {
	int number;
	size_t octets, address, gateway, prefix_length; /* the last three are fields of struct port_config */
	unsigned int prefix_default, prefix_most;
	unsigned int network; /* the octet that tells apart the networks of ports, by default */
	const char *name, *example, *gateway_example;
} four = { AF_INET, sizeof(struct in_addr), FIELD(address), FIELD(gateway), FIELD(prefix_length), 24, 30, 2,
	   "IPv4",  "198.18.0.2",           "198.18.0.1" },
  six = { AF_INET6, sizeof(struct in6_addr), FIELD(address6), FIELD(gateway6), FIELD(prefix6_length), 64, 126, 7,
	  "IPv6",   "2001:2:0:1::2",         "2001:2:0:1::1" };

/* Read --address or --gateway, or --address6 or --gateway6. */
static const struct family *family_of(const struct given *given)
{
	return strchr(given->option->name, '6') ? &six : &four;
}

static uint8_t *address_at(struct port_config *port, size_t field)
{
	return (uint8_t *)port + field;
}

static unsigned int *prefix_at(struct port_config *port, const struct family *family)
{
	return (unsigned int *)((char *)port + family->prefix_length);
}

/* Whether a unicast address is one that a host can have on a network. */
static bool is_host(const struct family *family, const uint8_t *octets)
{
	const struct in6_addr *address = (const struct in6_addr *)octets;

	if (family == &four)
		return octets[0] != 0 && octets[0] < 224; /* 0/8, multicast, reserved, broadcast */
	return !IN6_IS_ADDR_UNSPECIFIED(address) && !IN6_IS_ADDR_LOOPBACK(address) && !IN6_IS_ADDR_MULTICAST(address) &&
	       !IN6_IS_ADDR_LINKLOCAL(address) && !IN6_IS_ADDR_V4MAPPED(address);
}

static bool parse_host(const struct family *family, const char *text, void *ret)
{
	struct in6_addr address;

	if (inet_pton(family->number, text, &address) != 1 || !is_host(family, address.s6_addr))
		return false;
	memcpy(ret, &address, family->octets);
	return true;
}

/* Set the gateway: the first address of the network, or the second for the host that has the first. */
static void set_gateway(struct port_config *port, const struct family *family)
{
	const uint8_t *address = address_at(port, family->address);
	uint8_t *gateway = address_at(port, family->gateway);
	size_t last = family->octets - 1;

	memcpy(gateway, address, family->octets);
	for (size_t bit = *prefix_at(port, family); bit < 8 * family->octets; bit++)
		gateway[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
	gateway[last] |= 1;
	if (memcmp(gateway, address, family->octets) == 0)
		gateway[last] ^= 3;
}

static enum exit_code read_address(const struct given *given, char *part, struct port_config *port)
{
	const struct family *family = family_of(given);
	const char *slash = strchr(part, '/');
	size_t length = slash ? (size_t)(slash - part) : strlen(part);
	unsigned int prefix_length = family->prefix_default;
	char text[INET6_ADDRSTRLEN] = "";

	if (length < sizeof(text))
		memcpy(text, part, length);
	if (!parse_host(family, text, address_at(port, family->address)))
		return refuse_given(given, "'%s' is not the %s address of a host; write it as %s/%u", part, family->name,
				    family->example, family->prefix_default);
	if (slash && !parse_whole(slash + 1, PREFIX_LEAST, family->prefix_most, &prefix_length))
		return refuse_given(given, "the prefix length of '%s' must be %d to %u", part, PREFIX_LEAST,
				    family->prefix_most);
	*prefix_at(port, family) = prefix_length;
	set_gateway(port, family);
	return EXIT_DONE;
}

/* Ports C, D, ... have the next networks: 198.18.1.2, 198.19.1.2, ... of the same blocks (RFC 2544, C.2.2), and
 * 2001:2:0:3::2, 2001:2:0:4::2, ... (RFC 5180, section 8). */
static void set_default(struct port_config *ports, unsigned int port, const struct family *family)
{
	struct port_config *base = &ports[port % 2];
	uint8_t *address = address_at(&ports[port], family->address);

	memcpy(address, address_at(base, family->address), family->octets);
	address[family->network] = (uint8_t)(family == &four ? port / 2 : port + 1);
	*prefix_at(&ports[port], family) = *prefix_at(base, family);
	set_gateway(&ports[port], family);
}

enum exit_code read_addresses(const struct given *given, struct config *config)
{
	const struct family *family = family_of(given);
	unsigned int count;
	enum exit_code code = given->fallback ? read_parts(given, config, read_address, &count)
					      : read_one_each(given, config, read_address);

	for (unsigned int i = PORT_COUNT; i < config->port_count && given->fallback; i++)
		set_default(config->ports, i, family);
	for (unsigned int i = 0; i < config->port_count && !code; i++)
		for (unsigned int j = 0; j < i; j++)
			if (memcmp(address_at(&config->ports[i], family->address),
				   address_at(&config->ports[j], family->address), family->octets) == 0)
				return refuse_given(given, "the same address twice; give different ones");
	return code;
}

static enum exit_code read_gateway(const struct given *given, char *part, struct port_config *port)
{
	const struct family *family = family_of(given);

	if (!parse_host(family, part, address_at(port, family->gateway)))
		return refuse_given(given, "'%s' is not the %s address of a host; write it as %s", part, family->name,
				    family->gateway_example);
	return EXIT_DONE;
}

enum exit_code read_gateways(const struct given *given, struct config *config)
{
	return read_one_each(given, config, read_gateway);
}

/* --- MAC addresses -------------------------------------------------------------------------------------------------- */

static enum exit_code read_mac(const struct given *given, char *part, struct port_config *port)
{
	if (strlen(part) != MAC_TEXT_LENGTH || strspn(part, "0123456789abcdefABCDEF:") != MAC_TEXT_LENGTH ||
	    !ether_aton_r(part, &port->destination_mac))
		return refuse_given(given, "'%s' is not a MAC address; write it as 02:00:00:00:00:01", part);
	port->destination_mac_given = true;
	return EXIT_DONE;
}

enum exit_code read_macs(const struct given *given, struct config *config)
{
	return read_one_each(given, config, read_mac);
}

/* --- --prepare: what may be changed on the ports ------------------------------------------------------------------ */

#define BIT(item) (1u << (item))
#define AUTOMATIC                                                                                                           \
	(BIT(PREPARE_IPV6) | BIT(PREPARE_MERGE) | BIT(PREPARE_PAUSE) | BIT(PREPARE_IRQ) | BIT(PREPARE_VLAN) |               \
	 BIT(PREPARE_QUEUES) | BIT(PREPARE_TIMESTAMPS))
#define EITHER                 (BIT(PREPARE_COALESCE) | BIT(PREPARE_EEE) | BIT(PREPARE_LLDP) | BIT(PREPARE_RSS) | BIT(PREPARE_FLAGS))
#define LATENCY                (EITHER | BIT(PREPARE_WAKE))
#define THROUGHPUT             (EITHER | BIT(PREPARE_RINGS) | BIT(PREPARE_AFFINITY))
#define NUMBERED               (BIT(PREPARE_CHANNELS) | BIT(PREPARE_COALESCE) | BIT(PREPARE_RINGS))
#define THROUGHPUT_COALESCE_US 50
#define THROUGHPUT_RINGS       4096

static const char *const items[] = {
	[PREPARE_IPV6] = "ipv6",         [PREPARE_MERGE] = "merge",
	[PREPARE_PAUSE] = "pause",       [PREPARE_IRQ] = "irq",
	[PREPARE_VLAN] = "vlan",         [PREPARE_GRO] = "gro",
	[PREPARE_MTU] = "mtu",           [PREPARE_CHANNELS] = "channels",
	[PREPARE_RSS] = "rss",           [PREPARE_TIMESTAMPS] = "timestamps",
	[PREPARE_QUEUES] = "queues",     [PREPARE_STEER] = "steer",
	[PREPARE_COALESCE] = "coalesce", [PREPARE_RINGS] = "rings",
	[PREPARE_EEE] = "eee",           [PREPARE_LLDP] = "lldp",
	[PREPARE_WAKE] = "wake",         [PREPARE_FLAGS] = "flags",
	[PREPARE_AFFINITY] = "affinity", [PREPARE_ANY_CPU] = "any-cpu",
};

static enum exit_code refuse_item(const struct given *given, const char *word)
{
	return refuse_given(given,
			    "there is no '%s'%s; say none, or a list of auto, ipv6, merge, pause, irq, vlan, queues, "
			    "timestamps, gro, mtu, channels=N, any-cpu, rss, steer, coalesce=US, rings=N, eee, lldp, flags, "
			    "affinity, wake, "
			    "latency and throughput, or auto and no-ITEM",
			    word, nearest_hint(word, items, COUNT(items), HINT_ROOM));
}

/* The item that takes a number, and the least and the greatest. */
static const struct numbered {
	enum prepare_item item;
	double least, most;
	size_t offset; /* offset of the number in struct prepare */
} numbered[] = {
	{ PREPARE_CHANNELS, 1, 4096, offsetof(struct prepare, channels) },
	{ PREPARE_COALESCE, 0, 1000, offsetof(struct prepare, coalesce_us) },
	{ PREPARE_RINGS, 64, 65536, offsetof(struct prepare, rings) },
};

static enum exit_code read_item_number(const struct given *given, enum prepare_item item, const char *number,
				       struct prepare *prepare)
{
	const struct numbered *kind = numbered;

	while (kind->item != item)
		kind++;
	if (!number || !parse_whole(number, kind->least, kind->most, (unsigned int *)((char *)prepare + kind->offset)))
		return refuse_given(given, "%s takes a number from %.0f to %.0f, as %s=%.0f", items[item], kind->least,
				    kind->most, items[item], kind->least > 4 ? kind->least : 4);
	return EXIT_DONE;
}

/* Words that stand for several items, each as far as the port has it. */
static bool read_aim(const char *word, struct prepare *prepare)
{
	if (strcmp(word, "auto") == 0) {
		prepare->automatic |= AUTOMATIC;
	} else if (strcmp(word, "latency") == 0) {
		prepare->automatic |= LATENCY;
		prepare->coalesce_us = 0;
	} else if (strcmp(word, "throughput") == 0) {
		prepare->automatic |= THROUGHPUT;
		prepare->coalesce_us = THROUGHPUT_COALESCE_US;
		prepare->rings = THROUGHPUT_RINGS;
	} else if (strcmp(word, "try") == 0) {
		prepare->try_items = true;
	} else {
		return false;
	}
	return true;
}

static enum exit_code read_item(const struct given *given, char *word, void *into)
{
	struct prepare *prepare = into;
	char *number = strchr(word, '=');
	bool not = strncmp(word, "no-", 3) == 0;

	if (read_aim(word, prepare))
		return EXIT_DONE;
	if (number)
		*number++ = '\0';
	for (unsigned int item = 0; item < COUNT(items); item++) {
		if (strcmp(word + (not ? 3 : 0), items[item]))
			continue;
		if (number && (not || !(NUMBERED & BIT(item))))
			return refuse_given(given, "'%s' takes no number", word);
		if (not )
			prepare->automatic &= ~BIT(item);
		else
			prepare->asked |= BIT(item);
		return NUMBERED & BIT(item) && !not ? read_item_number(given, (enum prepare_item)item, number, prepare)
						    : EXIT_DONE;
	}
	return refuse_item(given, word);
}

enum exit_code read_prepare(const struct given *given, struct config *config)
{
	struct prepare prepare = { 0 };
	enum exit_code code = EXIT_DONE;

	if (strcmp(given->text, "none") != 0)
		code = read_list(given, given->text, read_item, &prepare);
	if (code == EXIT_DONE && prepare.try_items && config->verb != VERB_SELFTEST)
		return refuse_given(given, "'try' is for selftest, which then says what helps");
	if (code == EXIT_DONE)
		config->prepare = prepare;
	return code;
}
