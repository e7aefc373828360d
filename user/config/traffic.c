/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/traffic.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_value.h"
#include "config/frame_file.h"
#include "config/given.h"
#include "mlr/imix.h"

#define ETHERNET_HEADER_OCTETS 14
#define VLAN_OCTETS            4

/* --- making it ------------------------------------------------------------------------------------------------------ */

/* Count the ports before this one, or of all, that have a role. */
static unsigned int count_role(const struct config *config, enum port_role role, unsigned int before)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < before; i++)
		count += config->ports[i].role == role;
	return count;
}

/* Pair transmitters and receivers in turns: transmitter 1 sends to receiver 1, 2 to 2, and so on. If one kind ends first, it
 * begins anew. */
static bool roles_meet(const struct config *config, unsigned int from, unsigned int to)
{
	unsigned int senders = count_role(config, ROLE_TRANSMIT, config->port_count);
	unsigned int receivers = count_role(config, ROLE_RECEIVE, config->port_count);
	unsigned int sender = count_role(config, ROLE_TRANSMIT, from), receiver = count_role(config, ROLE_RECEIVE, to);

	if (config->ports[from].role != ROLE_TRANSMIT || config->ports[to].role != ROLE_RECEIVE)
		return false;
	for (unsigned int turn = 0; turn < senders || turn < receivers; turn++)
		if (turn % senders == sender && turn % receivers == receiver)
			return true;
	return false;
}

/* Whether one port sends to another: to the other one of its pair, in a mesh to all, or as their roles say. */
static bool sends(const struct config *config, unsigned int from, unsigned int to)
{
	if (config_has_roles(config))
		return roles_meet(config, from, to);
	switch (config->direction) {
	case DIRECTION_MESH:
		return from != to;
	case DIRECTION_BOTH:
		return to == (from ^ 1);
	case DIRECTION_A_TO_B:
		return to == (from ^ 1) && from % 2 == 0;
	case DIRECTION_B_TO_A:
		return to == (from ^ 1) && from % 2 == 1;
	}
	return false;
}

/* Add a stream of each service that is sent at once. Streams that there is no room for are counted. */
static void add_stream(const struct config *config, unsigned int from, unsigned int to, unsigned int ip_version,
		       struct mlr_profile *profile)
{
	unsigned int service = 0;

	do {
		if (profile->stream_count < MLR_STREAMS_MAX)
			profile->streams[profile->stream_count] =
				(struct mlr_stream){ .from = from, .to = to, .ip_version = ip_version, .service = service };
		profile->stream_count++;
	} while (++service < config->at_once_count);
}

static void add_streams(const struct config *config, struct mlr_profile *profile)
{
	for (unsigned int from = 0; from < profile->port_count; from++)
		for (unsigned int to = 0; to < profile->port_count; to++)
			for (unsigned int ip_version = 4; ip_version <= 6; ip_version += 2)
				if (sends(config, from, to) && config_uses_ip(config, ip_version))
					add_stream(config, from, to, ip_version, profile);
}

/* Choose the UDP ports of RFC 4814: as many as are needed, one after the other, or any of them. */
static void vary_ports(const struct config *config, struct mlr_profile *profile)
{
	uint32_t flows = profile->flow_count;
	uint32_t source_ports =
		config->flow_order == FLOWS_RANDOM || flows > MLR_SOURCE_PORT_COUNT ? MLR_SOURCE_PORT_COUNT : flows;
	uint32_t destination_ports =
		config->flow_order == FLOWS_RANDOM ? MLR_DESTINATION_PORT_COUNT : (flows - 1) / MLR_SOURCE_PORT_COUNT + 1;

	profile->ranges[MLR_SOURCE_PORT] = (struct mlr_range){ source_ports, 1 };
	profile->ranges[MLR_DESTINATION_PORT] = (struct mlr_range){ destination_ports, 1 };
}

/* Return as many flows as were asked for, or as --vary makes. */
static uint64_t flows_asked(const struct config *config)
{
	if (config->flow_count)
		return config->flow_count;
	if (given_by_user(config->given, "vary"))
		return mlr_ranges_combinations(config->ranges);
	return config->queues > 1 ? config->queues : 1; /* a queue sends flows of its own */
}

/* Return how many flows are needed: each stream of a port has one, and each stream of a service has one on each queue. */
static unsigned int flows_needed(const struct config *config, const struct mlr_profile *profile, unsigned int port)
{
	unsigned int streams = mlr_profile_streams_from(profile, port);

	return config->at_once_count ? streams / config->at_once_count * config->queues : streams;
}

static enum exit_code count_flows(const struct config *config, struct mlr_profile *profile)
{
	uint64_t flows = flows_asked(config), combinations = mlr_ranges_combinations(config->ranges);

	if (!flows || flows > MLR_FLOWS_MAX)
		return refuse(EXIT_USAGE_ERROR,
			      "--vary makes more flows than there can be, %u; give --flows for how many of them to send",
			      MLR_FLOWS_MAX);
	profile->flow_count = (uint32_t)flows;
	for (unsigned int port = 0; port < profile->port_count; port++)
		if (flows_needed(config, profile, port) > profile->flow_count)
			profile->flow_count = flows_needed(config, profile, port);
	if (config->queues > profile->flow_count)
		profile->flow_count = config->queues;
	if (!given_by_user(config->given, "vary")) {
		if (profile->flow_count > 1)
			vary_ports(config, profile);
		return EXIT_DONE;
	}
	memcpy(profile->ranges, config->ranges, sizeof(profile->ranges));
	if (flows > combinations)
		return refuse(EXIT_USAGE_ERROR, "--flows: %llu flows, but --vary makes only %llu different ones",
			      (unsigned long long)flows, (unsigned long long)combinations);
	return EXIT_DONE;
}

static void set_addresses(const struct config *config, struct mlr_profile *profile)
{
	for (unsigned int i = 0; i < profile->port_count; i++) {
		profile->ports[i].address = ntohl(config->ports[i].address.s_addr);
		memcpy(profile->ports[i].address6, &config->ports[i].address6, MLR_ADDRESS6_OCTETS);
	}
}

static void set_tags(const struct config *config, struct mlr_vlan vlans[MLR_VLANS_MAX])
{
	memcpy(vlans, config->vlans, sizeof(config->vlans));
	if (given_by_user(config->given, "vlan") && config->vlan_count > 1 && config->vlan_outer == VLAN_OUTER_SERVICE)
		vlans[0].type = VLAN_TYPE_SERVICE;
}

struct mlr_service_frames traffic_service(const struct config *config)
{
	struct mlr_service_frames frames = {
		.sizes = config->sizes,
		.vlan_count = config->vlan_count,
		.traffic_class = config->traffic_class,
	};

	set_tags(config, frames.vlans);
	return frames;
}

static enum exit_code make(const struct config *config, struct mlr_profile *ret)
{
	const struct frame_file *file = config->template;
	struct mlr_profile profile = {
		.sizes = config->sizes,
		.vlan_count = config->vlan_count,
		.traffic_class = config->traffic_class,
		.service_count = config->at_once_count,
		.services = config->at_once,
		.port_count = config->port_count,
		.source_port = file ? file->source_port : MLR_UDP_SOURCE_PORT,
		.destination_port = file ? file->destination_port : MLR_UDP_DESTINATION_PORT,
		.random = config->flow_order == FLOWS_RANDOM,
		.seed = config->seed,
		.like = file ? &file->spec : NULL,
		.broadcast_every = config->broadcast_every,
	};
	enum exit_code code;

	profile.payload = config->payload;
	mlr_payload_write(config->payload, config->seed, profile.pattern, sizeof(profile.pattern));
	set_addresses(config, &profile);
	set_tags(config, profile.vlans);
	add_streams(config, &profile);
	if (profile.stream_count > MLR_STREAMS_MAX)
		return refuse(EXIT_USAGE_ERROR, "--service: at most %d streams of services at once, and these are %u",
			      MLR_STREAMS_MAX, profile.stream_count);
	code = count_flows(config, &profile);
	if (config->at_once_count)
		profile.flow_count *= config->at_once_count;
	if (!code && mlr_profile_number(&profile))
		code = refuse(EXIT_USAGE_ERROR, "--flows: no traffic profile can be made of these flows");
	if (!code)
		*ret = profile;
	return code;
}

enum exit_code traffic_profile_of(const struct config *config, struct mlr_profile *ret)
{
	enum exit_code code = make(config, ret);

	if (!code && !config->at_once_count && ret->flow_count > flows_asked(config))
		note("%u flows instead of %llu: a port sends that many streams, or from that many queues", ret->flow_count,
		     (unsigned long long)flows_asked(config));
	return code;
}

/* --- checking it ---------------------------------------------------------------------------------------------------- */

const char *traffic_port_name(const struct config *config, unsigned int port)
{
	static const char *const letters[] = { "A", "B", "C", "D", "E", "F", "G", "H" };

	return *config->ports[port].name ? config->ports[port].label : letters[port];
}

static const char *version_name(const struct config *config)
{
	return config->ip == IP_MIXED ? "IPv4 and IPv6" : config->ip == IP_6 ? "IPv6" : "IPv4";
}

const char *traffic_tunnels(const struct config *config)
{
	return config->template ? config->template->tunnels : "";
}

unsigned int traffic_link_octets(const struct config *config)
{
	return ETHERNET_HEADER_OCTETS + (config->vlan_count ? VLAN_OCTETS : 0) + MLR_FCS_OCTETS;
}

unsigned int traffic_mtu(const struct config *config)
{
	return mlr_size_most_octets(&config->sizes) - traffic_link_octets(config);
}

/* Write what its frames are, inside of what. */
#define PROTOCOL(config) version_name(config), *traffic_tunnels(config) ? " inside " : "", traffic_tunnels(config)

static enum exit_code check_sizes(const struct config *config, const struct mlr_profile *profile)
{
	unsigned int least_octets = mlr_profile_least_octets(profile), octets = mlr_size_least_octets(&profile->sizes);

	if (octets >= least_octets)
		return EXIT_DONE;
	return refuse(EXIT_USAGE_ERROR,
		      "--frame-size: %u octets are too few: UDP over %s%s%s with %u VLAN tag%s, and the tester's tag of 18 "
		      "octets in it, needs %u",
		      octets, PROTOCOL(config), profile->vlan_count, profile->vlan_count == 1 ? "" : "s", least_octets);
}

/* Let the smallest of a default's list of sizes grow to what the frames need. */
static enum exit_code fit_default(struct config *config, unsigned int least_octets)
{
	struct given *given = (struct given *)given_find(config->given, "frame-size");
	unsigned long octets;
	char *text, *rest;

	if (!given || !given->fallback || !frame_sizes_are_a_list(config->verb))
		return EXIT_DONE;
	octets = strtoul(given->text, &rest, 10);
	if (octets >= least_octets)
		return EXIT_DONE;
	if (asprintf(&text, "%u%s", least_octets, rest) < 0)
		return out_of_memory();
	note("frame size %u octets instead of %lu: the least that these frames need", least_octets, octets);
	free(given->text);
	given->text = text;
	return given->option->read(given, config);
}

/* Let the sizes of a mix grow, too; a genome is sent to the letter. */
static void fit_mix(struct config *config, unsigned int least_octets)
{
	struct mlr_size_mix *mix = &config->sizes;
	unsigned int octets = mlr_size_least_octets(mix);

	if (octets >= least_octets || strncmp(config->frame_size_text, "imix", strlen("imix")) != 0)
		return;
	config->padded_octets = octets;
	note("--frame-size %s: %u octets instead of %u, the least that these frames need", config->frame_size_text,
	     least_octets, octets);
	for (unsigned int i = 0; i < mix->size_count; i++)
		if (mix->sizes_octets[i] < least_octets)
			mix->sizes_octets[i] = (uint16_t)least_octets;
	config->frame_size_octets = mlr_size_mean_octets(mix);
}

void traffic_addresses(const struct mlr_profile *profile, unsigned int port, struct mlr_range ret[TRAFFIC_RANGES])
{
	const struct mlr_range one = { 1, 1 }, *ranges = profile->ranges;

	ret[0] = ret[1] = one;
	for (unsigned int i = 0; i < profile->stream_count; i++) {
		if (profile->streams[i].from == port && ranges[MLR_SOURCE_ADDRESS].count)
			ret[0] = ranges[MLR_SOURCE_ADDRESS];
		if (profile->streams[i].to == port && ranges[MLR_DESTINATION_ADDRESS].count)
			ret[1] = ranges[MLR_DESTINATION_ADDRESS];
	}
}

static bool in_range(uint64_t number, uint64_t first, const struct mlr_range *range)
{
	return number >= first && (number - first) % range->step == 0 && (number - first) / range->step < range->count;
}

static enum exit_code check_range4(const struct port_config *port, const char *name, const struct mlr_range *range)
{
	uint64_t first = ntohl(port->address.s_addr), last = first + (uint64_t)(range->count - 1) * range->step;
	uint64_t broadcast = first | (0xffffffffull >> port->prefix_length);

	if (range->count > 1 && last >= broadcast)
		return refuse(
			EXIT_USAGE_ERROR,
			"--vary: %u addresses, %u apart, do not fit the network of port %s, %s/%u; widen it: --address",
			range->count, range->step, name, inet_ntoa(port->address), port->prefix_length);
	if (in_range(ntohl(port->gateway.s_addr), first, range))
		return refuse(EXIT_USAGE_ERROR,
			      "--vary: among the addresses of port %s is its gateway, %s; choose others: --address", name,
			      inet_ntoa(port->gateway));
	return EXIT_DONE;
}

uint32_t traffic_low_word(const struct in6_addr *address)
{
	uint32_t word;

	memcpy(&word, &address->s6_addr[TRAFFIC_LOW_WORD], sizeof(word));
	return ntohl(word);
}

static enum exit_code check_range6(const struct port_config *port, const char *name, const struct mlr_range *range)
{
	uint64_t first = traffic_low_word(&port->address6), last = first + (uint64_t)(range->count - 1) * range->step;
	unsigned int host_bits = 128 - port->prefix6_length;
	uint64_t end = host_bits >= 32 ? UINT32_MAX : first | ((1ull << host_bits) - 1);

	if (range->count > 1 && last > end)
		return refuse(EXIT_USAGE_ERROR,
			      "--vary: %u addresses, %u apart, do not fit the network of port %s, or the last four octets "
			      "of its address; choose others: --address6",
			      range->count, range->step, name);
	if (!memcmp(&port->gateway6, &port->address6, TRAFFIC_LOW_WORD) &&
	    in_range(traffic_low_word(&port->gateway6), first, range))
		return refuse(EXIT_USAGE_ERROR,
			      "--vary: among the addresses of port %s is its gateway; choose others: --address6", name);
	return EXIT_DONE;
}

static enum exit_code check_ranges(const struct config *config, const struct mlr_profile *profile)
{
	enum exit_code code = EXIT_DONE;

	for (unsigned int i = 0; i < profile->port_count && !code; i++) {
		struct mlr_range ranges[TRAFFIC_RANGES];

		traffic_addresses(profile, i, ranges);
		for (int range = 0; range < TRAFFIC_RANGES && !code; range++) {
			if (config_uses_ip(config, 4))
				code = check_range4(&config->ports[i], traffic_port_name(config, i), &ranges[range]);
			if (!code && config_uses_ip(config, 6))
				code = check_range6(&config->ports[i], traffic_port_name(config, i), &ranges[range]);
		}
	}
	return code;
}

/* Take what a template says where no option does. */
static enum exit_code take_template(struct config *config)
{
	const struct frame_file *file = config->template;
	struct mlr_frame_spec spec = file->spec;
	unsigned int least_octets;

	if (given_by_user(config->given, "ip") &&
	    (config->ip == IP_MIXED || config_uses_ip(config, 4) != (file->spec.ip_version == 4)))
		return refuse(EXIT_USAGE_ERROR, "--ip: the frame of %s is IPv%u; leave --ip out", config->template_path,
			      file->spec.ip_version);
	config->ip = file->spec.ip_version == 4 ? IP_4 : IP_6;
	if (!given_by_user(config->given, "vlan")) {
		config->vlan_count = file->spec.vlan_count;
		memcpy(config->vlans, file->spec.vlans, sizeof(config->vlans));
	}
	if (given_by_user(config->given, "frame-size") || frame_sizes_are_a_list(config->verb))
		return EXIT_DONE;
	spec.vlan_count = config->vlan_count;
	least_octets = mlr_frame_least_octets(&spec);
	if (file->size_octets > MLR_FRAME_MAX_OCTETS)
		return refuse(EXIT_USAGE_ERROR,
			      "--template: the frame of %s has %u octets; give a --frame-size of at most %d",
			      config->template_path, file->size_octets, MLR_FRAME_MAX_OCTETS);
	config->sizes = mlr_size_one(file->size_octets > least_octets ? file->size_octets : least_octets);
	config->frame_size_octets = mlr_size_mean_octets(&config->sizes);
	return EXIT_DONE;
}

enum exit_code traffic_check(struct config *config)
{
	struct mlr_profile profile;
	enum exit_code code = config->template ? take_template(config) : EXIT_DONE;

	if (!code)
		code = make(config, &profile);
	if (!code)
		code = fit_default(config, mlr_profile_least_octets(&profile));
	if (code)
		return code;
	fit_mix(config, mlr_profile_least_octets(&profile));
	profile.sizes = config->sizes;
	return check_sizes(config, &profile) ?: check_ranges(config, &profile);
}

enum exit_code traffic_check_services(const struct config *config, bool *ret_meet)
{
	struct mlr_profile profile;
	enum exit_code code = make(config, &profile);
	int error = 0;

	for (unsigned int port = 0; port < config->port_count && !code; port++)
		for (unsigned int queue = 0; queue < config->queues && mlr_profile_streams_from(&profile, port) && !error;
		     queue++) {
			struct mlr_queue_plan *plan = NULL;

			error = mlr_queue_plan_new(&profile, port, queue, config->queues, &plan);
			mlr_queue_plan_free(plan);
		}
	*ret_meet = error != -E2BIG;
	if (code || !error || !*ret_meet)
		return code;
	return refuse(error == -ENOMEM ? EXIT_INCAPABLE : EXIT_USAGE_ERROR, "--service: cannot send these at once: %s",
		      strerror(-error));
}

/* --- stating it ----------------------------------------------------------------------------------------------------- */

static json_t *address_json(const struct mlr_profile_port *port, unsigned int ip_version)
{
	struct in_addr address = { .s_addr = htonl(port->address) };
	char text[INET6_ADDRSTRLEN];

	if (ip_version == 4)
		return json_string(inet_ntop(AF_INET, &address, text, sizeof(text)));
	return json_string(inet_ntop(AF_INET6, port->address6, text, sizeof(text)));
}

static json_t *stream_json(const struct mlr_profile *profile, const struct mlr_stream *stream, const char *const *names)
{
	return json_with("from", names[stream->from], "to", names[stream->to], "ip_version", stream->ip_version,
			 "source_address", address_json(&profile->ports[stream->from], stream->ip_version),
			 "destination_address", address_json(&profile->ports[stream->to], stream->ip_version), "source_port",
			 profile->source_port, "destination_port", profile->destination_port, "flows", stream->flow_count);
}

static json_t *varied_json(const struct mlr_profile *profile)
{
	json_t *varied = json_object();

	for (unsigned int i = 0; i < MLR_FIELD_COUNT; i++)
		if (profile->ranges[i].count > 1)
			json_put(varied, mlr_field_names[i],
				 json_with("count", profile->ranges[i].count, "step", profile->ranges[i].step));
	return varied;
}

static json_t *vlan_json(const struct mlr_vlan *vlan)
{
	return json_with("type", vlan->type == VLAN_TYPE_SERVICE ? "802.1ad" : "802.1Q", "vid", vlan->control & 0xfff,
			 "priority", vlan->control >> 13);
}

static json_t *modifiers_json(const struct config *config)
{
	json_t *modifiers = json_array();

	if (config->broadcast_every)
		json_array_append_new(modifiers, json_sprintf("broadcast: one frame to everybody after every %u frames of a "
							      "transmit queue, beside the load (RFC 2544, 11.1)",
							      config->broadcast_every));
	if (config->queries_per_s)
		json_array_append_new(modifiers,
				      json_sprintf("management: %u SNMP queries a second to the SUT (RFC 2544, 11.2)",
						   config->queries_per_s));
	return modifiers;
}

static const char *payload_name(const struct mlr_profile *profile)
{
	static const char *const names[MLR_PAYLOAD_COUNT] = {
		[MLR_PAYLOAD_ZEROS] = "zeros",
		[MLR_PAYLOAD_ONES] = "ones",
		[MLR_PAYLOAD_ALTERNATING] = "alternating bits",
		[MLR_PAYLOAD_PRBS] = "PRBS of 2^23 - 1 bits (ITU-T O.150)",
		[MLR_PAYLOAD_RANDOM] = "random",
	};

	return profile->like && profile->payload == MLR_PAYLOAD_ZEROS ? "the template's" : names[profile->payload];
}

/* Return which frames have a signature. */
static json_t *signature_json(const struct mlr_profile *profile)
{
	unsigned int least_octets = mlr_profile_signed_octets(profile);

	if (!least_octets)
		return json_string("none: the frames' headers leave no room for it");
	return json_sprintf(
		"4 octets behind the tag, over tag and payload, under a key of this run, in frames of %u octets or more",
		least_octets);
}

/* Whether some port both sends and receives. */
static bool bidirectional(const struct mlr_profile *profile)
{
	for (unsigned int i = 0; i < profile->stream_count; i++)
		if (mlr_profile_streams_from(profile, profile->streams[i].to))
			return true;
	return false;
}

json_t *traffic_describe(const struct config *config, const struct mlr_profile *profile, const char *const *names)
{
	const char *load = config->load.unit == LOAD_MAX
				   ? "as fast as the transmitter can, in bursts of at most 64 frames; no frame has a time "
				     "at which it is due"
				   : "constant: frame n is due at n / load after the start";
	const struct mlr_size_mix *mix = &profile->sizes;

	return json_with(
		"frame_size_octets",
		mix->size_count == 1 ? json_integer(mix->sizes_octets[0]) : json_real(mlr_size_mean_octets(mix)),
		"frame_sizes",
		json_list(i, mix->size_count,
			  json_with("size_octets", mix->sizes_octets[i], "weight", mlr_size_weight(mix, (unsigned int)i))),
		"frame_size_order", json_list(i, mix->schedule_length, json_integer(mix->sizes_octets[mix->schedule[i]])),
		"protocol", json_sprintf("UDP over %s%s%s", PROTOCOL(config)), "bidirectional", bidirectional(profile),
		"flows_per_port", profile->flow_count, "varied_fields", varied_json(profile), "flow_order",
		profile->random ? "random" : "incrementing", "streams",
		json_list(i, profile->stream_count, stream_json(profile, &profile->streams[i], names)), "pattern",
		config->direction == DIRECTION_MESH ? "every port to all others (RFC 2285, fully meshed)" : "pairs of ports",
		"seed", profile->random ? json_integer((json_int_t)profile->seed) : json_null(), "vlans",
		json_list(i, profile->vlan_count, vlan_json(&profile->vlans[i])), "modifiers", modifiers_json(config),
		"template", config->template_path, "payload", payload_name(profile), "signature", signature_json(profile),
		"learning_frames", config->learning_frames, "load", load);
}
