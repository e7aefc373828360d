/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that take one value a port: "A,B", or more. */
#include <arpa/inet.h>
#include <netinet/ether.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "config/options_read.h"

#define PART_SIZE       128
#define PREFIX_LEAST    1
#define PREFIX_MOST     30
#define PREFIX_DEFAULT  24
#define PREFIX6_DEFAULT 64
#define PREFIX6_MOST    126
#define PREFIX6_BITS    128
#define MAC_TEXT_LENGTH 17

typedef enum exit_code (*read_part)(const struct given *given, const char *part, struct port_config *port);

/* Split "A,B,..." and read each part into its port; how many there are. */
static enum exit_code read_parts(const struct given *given, struct config *config, read_part read, unsigned int *ret_count)
{
	const char *part = given->text;
	enum exit_code code = EXIT_DONE;
	unsigned int count = 0;

	for (const char *end = part; end && !code; part = end + 1) {
		char text[PART_SIZE];

		end = strchr(part, ',');
		if (part == end || !*part)
			return refuse_given(given, "must be A,B or more: one for each port");
		if (count == MLR_PORTS_MAX)
			return refuse_given(given, "at most %d ports", MLR_PORTS_MAX);
		if ((end ? (size_t)(end - part) : strlen(part)) >= sizeof(text))
			return refuse_given(given, "number %u is too long", count + 1);
		snprintf(text, sizeof(text), "%.*s", end ? (int)(end - part) : PART_SIZE, part);
		code = read(given, text, &config->ports[count++]);
		if (!end)
			break;
	}
	*ret_count = count;
	return code;
}

/* As many as there are ports. */
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

/* [HOST:]PORT[:ROLE]; no interface has a colon in its name. */
static enum exit_code read_name(const struct given *given, const char *part, struct port_config *port)
{
	char text[PART_SIZE];
	const char *colon, *name;

	snprintf(text, sizeof(text), "%s", part);
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

/* All ports have a role, and both roles are there; or none has. */
static enum exit_code check_roles(const struct given *given, const struct config *config)
{
	unsigned int counts[] = { [ROLE_OPEN] = 0, [ROLE_TRANSMIT] = 0, [ROLE_RECEIVE] = 0 };

	for (unsigned int i = 0; i < config->port_count; i++)
		counts[config->ports[i].role]++;
	if (counts[ROLE_OPEN] == config->port_count)
		return config->port_count % 2 ? refuse_given(given, "must be two, or another even number of ports: A,B,C,D "
								    "are the pairs A,B and C,D")
					      : EXIT_DONE;
	if (counts[ROLE_OPEN] || !counts[ROLE_TRANSMIT] || !counts[ROLE_RECEIVE])
		return refuse_given(given, "where a port has a role all must have one, and one at least must transmit and "
					   "one receive");
	return EXIT_DONE;
}

/* Any number of names, for probe. */
static enum exit_code read_port_list(const struct given *given, struct config *config)
{
	const char *name = given->text, *comma;

	do {
		comma = strchr(name, ',');
		if (!strcspn(name, ",") || strcspn(name, ",") >= IF_NAMESIZE)
			return refuse_given(given, "must be names of interfaces, A,B,...: of 1 to %d characters each",
					    IF_NAMESIZE - 1);
		name = comma ? comma + 1 : name;
	} while (comma);
	config->port_list = given->text;
	return EXIT_DONE;
}

enum exit_code read_ports(const struct given *given, struct config *config)
{
	enum exit_code code;

	if (config->verb == VERB_PROBE)
		return read_port_list(given, config);
	code = read_parts(given, config, read_name, &config->port_count);

	if (code != EXIT_DONE)
		return code;
	for (unsigned int i = 0; i < config->port_count; i++)
		for (unsigned int j = 0; j < i; j++)
			if (same_port(&config->ports[i], &config->ports[j]))
				return refuse_given(given, "the same port twice; give different ones");
	return check_roles(given, config);
}

/* A unicast address that a host can have. */
static bool parse_host(const char *text, struct in_addr *ret)
{
	struct in_addr address;
	uint32_t host;

	if (inet_pton(AF_INET, text, &address) != 1)
		return false;
	host = ntohl(address.s_addr);
	if (host >> 24 == 0 || host >> 28 >= 14) /* 0/8, multicast, reserved, broadcast */
		return false;
	*ret = address;
	return true;
}

/* The first address of a network, or the second for the host that has the first. */
static struct in_addr default_gateway(struct in_addr address, unsigned int prefix_length)
{
	uint32_t network = ntohl(address.s_addr) & ~0u << (32 - prefix_length);
	uint32_t gateway = network + 1 == ntohl(address.s_addr) ? network + 2 : network + 1;

	return (struct in_addr){ .s_addr = htonl(gateway) };
}

static enum exit_code read_address(const struct given *given, const char *part, struct port_config *port)
{
	const char *slash = strchr(part, '/');
	double prefix_length = PREFIX_DEFAULT;
	char text[INET_ADDRSTRLEN];

	snprintf(text, sizeof(text), "%.*s", slash ? (int)(slash - part) : (int)sizeof(text), part);
	if (!parse_host(text, &port->address) || (slash && slash - part >= INET_ADDRSTRLEN))
		return refuse_given(given, "'%s' is not the IPv4 address of a host; write it as 198.18.0.2/24", part);
	if (slash && (!parse_number(slash + 1, &prefix_length) || prefix_length < PREFIX_LEAST ||
		      prefix_length > PREFIX_MOST || prefix_length != (unsigned int)prefix_length))
		return refuse_given(given, "the prefix length of '%s' must be %d to %d", part, PREFIX_LEAST, PREFIX_MOST);
	port->prefix_length = (unsigned int)prefix_length;
	port->gateway = default_gateway(port->address, port->prefix_length);
	return EXIT_DONE;
}

/* Ports C, D, ... have the next networks of the same blocks: 198.18.1.2, 198.19.1.2, ... (RFC 2544, C.2.2). */
static void default_address(struct port_config *ports, unsigned int port)
{
	const struct port_config *base = &ports[port % 2];

	ports[port].prefix_length = base->prefix_length;
	ports[port].address.s_addr = htonl(ntohl(base->address.s_addr) + (port / 2 << 8));
	ports[port].gateway = default_gateway(ports[port].address, base->prefix_length);
}

enum exit_code read_addresses(const struct given *given, struct config *config)
{
	unsigned int count;
	enum exit_code code = given->fallback ? read_parts(given, config, read_address, &count)
					      : read_one_each(given, config, read_address);

	for (unsigned int i = PORT_COUNT; i < config->port_count && given->fallback; i++)
		default_address(config->ports, i);
	for (unsigned int i = 0; i < config->port_count && !code; i++)
		for (unsigned int j = 0; j < i; j++)
			if (config->ports[i].address.s_addr == config->ports[j].address.s_addr)
				return refuse_given(given, "the same address twice; give different ones");
	return code;
}

static enum exit_code read_gateway(const struct given *given, const char *part, struct port_config *port)
{
	if (!parse_host(part, &port->gateway))
		return refuse_given(given, "'%s' is not the IPv4 address of a host; write it as 198.18.0.1", part);
	return EXIT_DONE;
}

enum exit_code read_gateways(const struct given *given, struct config *config)
{
	return read_one_each(given, config, read_gateway);
}

/* --- IPv6 ----------------------------------------------------------------------------------------------------------- */

/* A unicast address that a host can have on a network. */
static bool parse_host6(const char *text, struct in6_addr *ret)
{
	struct in6_addr address;

	if (inet_pton(AF_INET6, text, &address) != 1 || IN6_IS_ADDR_UNSPECIFIED(&address) ||
	    IN6_IS_ADDR_LOOPBACK(&address) || IN6_IS_ADDR_MULTICAST(&address) || IN6_IS_ADDR_LINKLOCAL(&address) ||
	    IN6_IS_ADDR_V4MAPPED(&address))
		return false;
	*ret = address;
	return true;
}

/* The first address of a network, or the second for the host that has the first. */
static struct in6_addr default_gateway6(const struct in6_addr *address, unsigned int prefix_length)
{
	struct in6_addr gateway = *address;

	for (unsigned int bit = prefix_length; bit < PREFIX6_BITS; bit++)
		gateway.s6_addr[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
	gateway.s6_addr[15] |= 1;
	if (IN6_ARE_ADDR_EQUAL(&gateway, address))
		gateway.s6_addr[15] ^= 3;
	return gateway;
}

static enum exit_code read_address6(const struct given *given, const char *part, struct port_config *port)
{
	const char *slash = strchr(part, '/');
	double prefix_length = PREFIX6_DEFAULT;
	size_t length = slash ? (size_t)(slash - part) : strlen(part);
	char text[INET6_ADDRSTRLEN] = "";

	if (length < sizeof(text))
		memcpy(text, part, length);
	if (!parse_host6(text, &port->address6))
		return refuse_given(given, "'%s' is not the IPv6 address of a host; write it as 2001:2:0:1::2/64", part);
	if (slash && (!parse_number(slash + 1, &prefix_length) || prefix_length < PREFIX_LEAST ||
		      prefix_length > PREFIX6_MOST || prefix_length != (unsigned int)prefix_length))
		return refuse_given(given, "the prefix length of '%s' must be %d to %d", part, PREFIX_LEAST, PREFIX6_MOST);
	port->prefix6_length = (unsigned int)prefix_length;
	port->gateway6 = default_gateway6(&port->address6, port->prefix6_length);
	return EXIT_DONE;
}

/* Ports C, D, ... have 2001:2:0:3::2, 2001:2:0:4::2, ... (RFC 5180, section 8). */
static void default_address6(struct port_config *ports, unsigned int port)
{
	const struct port_config *base = &ports[port % 2];

	ports[port].prefix6_length = base->prefix6_length;
	ports[port].address6 = base->address6;
	ports[port].address6.s6_addr[7] = (uint8_t)(port + 1);
	ports[port].gateway6 = default_gateway6(&ports[port].address6, base->prefix6_length);
}

enum exit_code read_addresses6(const struct given *given, struct config *config)
{
	unsigned int count;
	enum exit_code code = given->fallback ? read_parts(given, config, read_address6, &count)
					      : read_one_each(given, config, read_address6);

	for (unsigned int i = PORT_COUNT; i < config->port_count && given->fallback; i++)
		default_address6(config->ports, i);
	for (unsigned int i = 0; i < config->port_count && !code; i++)
		for (unsigned int j = 0; j < i; j++)
			if (IN6_ARE_ADDR_EQUAL(&config->ports[i].address6, &config->ports[j].address6))
				return refuse_given(given, "the same address twice; give different ones");
	return code;
}

static enum exit_code read_gateway6(const struct given *given, const char *part, struct port_config *port)
{
	if (!parse_host6(part, &port->gateway6))
		return refuse_given(given, "'%s' is not the IPv6 address of a host; write it as 2001:2:0:1::1", part);
	return EXIT_DONE;
}

enum exit_code read_gateways6(const struct given *given, struct config *config)
{
	return read_one_each(given, config, read_gateway6);
}

/* --- MAC addresses -------------------------------------------------------------------------------------------------- */

static enum exit_code read_mac(const struct given *given, const char *part, struct port_config *port)
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
