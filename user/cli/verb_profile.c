/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile show prints the first frames of a Traffic Profile, in hex and by field. It needs neither root nor ports. */
#include <arpa/inet.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/output.h"
#include "cli/verbs.h"
#include "config/traffic.h"

#define HEX_COLUMNS    16
#define SHOWN_TRIAL    1
#define FIRST_SEQUENCE 1

/* The key of the signatures that are shown. A run draws its own. */
static const uint8_t shown_key_seed[MLR_KEY_SEED_OCTETS] = { 0 };

/* Set MAC addresses that nobody has, where none are given: the port's letter, and 1 for the tester or 2 for the SUT. */
static void set_macs(const struct config *config, struct mlr_profile *profile)
{
	for (unsigned int i = 0; i < profile->port_count; i++)
		memcpy(profile->ports[i].mac, (const uint8_t[]){ 2, 0, 0, 0, (uint8_t)(0xa + i), 1 }, MLR_MAC_OCTETS);
	for (unsigned int i = 0; i < profile->stream_count; i++) {
		struct mlr_stream *stream = &profile->streams[i];
		const struct port_config *port = &config->ports[stream->from];

		memcpy(stream->destination_mac,
		       port->destination_mac_given ? port->destination_mac.ether_addr_octet
						   : (const uint8_t[]){ 2, 0, 0, 0, (uint8_t)(0xa + stream->from), 2 },
		       MLR_MAC_OCTETS);
	}
}

/* A frame that is shown. */
struct shown {
	const char *port, *tunnels;
	unsigned long number; /* number of the frame on its port */
	unsigned int octets;
	uint8_t frame[MLR_FRAME_MAX_OCTETS];
	const struct mlr_frame_template *template;
	const struct mlr_flow *flow;
	uint32_t sequence;
	bool extra;
};

static json_t *mac_json(const uint8_t *mac)
{
	return json_sprintf("%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
}

static json_t *address_json(int family, const uint8_t *at)
{
	char text[INET6_ADDRSTRLEN];

	return json_string(inet_ntop(family, at, text, sizeof(text)));
}

static json_t *hex_json(const uint8_t *octets, unsigned int count)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * MLR_FRAME_MAX_OCTETS];

	for (unsigned int i = 0; i < count; i++) {
		text[2 * i] = digits[octets[i] >> 4];
		text[2 * i + 1] = digits[octets[i] & 15];
	}
	return json_stringn(text, 2 * (size_t)count);
}

static json_t *vlans_json(const struct shown *shown)
{
	json_t *vlans = json_array();

	for (const uint8_t *tag = shown->frame + 12; mlr_get16(tag) == 0x8100 || mlr_get16(tag) == VLAN_TYPE_SERVICE;
	     tag += 4)
		json_array_append_new(vlans, json_sprintf("0x%04x vid %u priority %u", mlr_get16(tag),
							  mlr_get16(tag + 2) & 0xfff, mlr_get16(tag + 2) >> 13));
	return vlans;
}

/* Null where the frame has no room for one. */
static json_t *signature_json(const struct shown *shown)
{
	const uint8_t *at = shown->frame + shown->template->tag_offset + sizeof(struct mlr_tag);

	return shown->template->is_signed ? json_sprintf("0x%04x%04x", mlr_get16(at), mlr_get16(at + 2)) : json_null();
}

/* Describe a frame from its octets alone, not from what they were made of. */
static json_t *frame_json(const struct shown *shown)
{
	const uint8_t *frame = shown->frame, *ip = frame + shown->template->network_offset;
	const uint8_t *udp = frame + shown->template->transport_offset;
	bool v4 = ip[0] >> 4 == 4;

	return json_with("port", shown->port, "frame", shown->number, "size_octets", shown->octets + MLR_FCS_OCTETS, "extra",
			 shown->extra, "destination_mac", mac_json(frame), "source_mac", mac_json(frame + MLR_MAC_OCTETS),
			 "vlans", vlans_json(shown), "ip_version", ip[0] >> 4, "source_address",
			 v4 ? address_json(AF_INET, ip + 12) : address_json(AF_INET6, ip + 8), "destination_address",
			 v4 ? address_json(AF_INET, ip + 16) : address_json(AF_INET6, ip + 24), "traffic_class",
			 (v4 ? ip[1] : (mlr_get16(ip) >> 4 & 0xff)), "hop_limit", v4 ? ip[8] : ip[7], "ip_checksum",
			 v4 ? json_sprintf("0x%04x", mlr_get16(ip + 10)) : json_null(), "source_port", mlr_get16(udp),
			 "destination_port", mlr_get16(udp + 2), "udp_checksum", json_sprintf("0x%04x", mlr_get16(udp + 6)),
			 "flow", shown->extra ? json_null() : json_integer(shown->flow->id), "sequence", shown->sequence,
			 "signature", signature_json(shown), "hex", hex_json(frame, shown->octets));
}

static void put_field(const char *name, const json_t *value)
{
	if (json_is_string(value))
		printf("  %-20s %s\n", name, json_string_value(value));
	else if (json_is_integer(value))
		printf("  %-20s %lld\n", name, (long long)json_integer_value(value));
	json_each (item, value)
		printf("  %-20s %s\n", name, json_string_value(item));
}

static void print_frame(const struct shown *shown, json_t *json)
{
	printf("port %s, frame %lu%s\n", shown->port, shown->number, shown->extra ? " (beside the load: broadcast)" : "");
	if (!shown->extra && *shown->tunnels)
		printf("  %-20s %s\n", "tunnels", shown->tunnels);
	json_each_member (name, value, json)
		if (strcmp(name, "port") != 0 && strcmp(name, "frame") != 0 && strcmp(name, "hex") != 0)
			put_field(name, value);
	for (unsigned int i = 0; i < shown->octets; i++)
		printf("%s%02x%s", i % HEX_COLUMNS ? " " : "  ", shown->frame[i],
		       i % HEX_COLUMNS == HEX_COLUMNS - 1 || i + 1 == shown->octets ? "\n" : "");
	putchar('\n');
}

static void write_frame(const struct mlr_queue_plan *plan, struct shown *shown)
{
	const struct mlr_frame_template *template = shown->template;

	memset(shown->frame, 0, sizeof(shown->frame));
	memcpy(shown->frame, template->header, sizeof(template->header));
	if (!shown->extra && plan->payload)
		memcpy(shown->frame + MLR_HEADER_MAX_OCTETS, plan->payload, plan->payload_octets);
	mlr_frame_fill(shown->frame, template, shown->flow, SHOWN_TRIAL, shown->sequence, 0, 0);
	shown->octets = template->memory_octets;
}

/* Show the first frames of one port, as its transmitter makes them. */
static enum exit_code show_port(const struct config *config, const struct mlr_profile *profile, unsigned int port,
				const char *name, json_t *list)
{
	struct mlr_plan_cursor cursor;
	struct mlr_queue_plan *plan;
	int error = mlr_queue_plan_new(profile, port, 0, 1, &plan);

	if (error)
		return refuse(EXIT_USAGE_ERROR, "port %s: cannot plan its frames: %s", name, strerror(-error));
	cursor = mlr_plan_start(plan, FIRST_SEQUENCE);
	for (unsigned int i = 0; i < config->show_count; i++) {
		struct shown shown = {
			.port = name, .tunnels = traffic_tunnels(config), .number = i, .extra = mlr_plan_extra_due(&cursor)
		};
		json_t *json;

		shown.template = shown.extra ? plan->extra : mlr_plan_template(plan, &cursor);
		shown.flow = shown.extra ? &plan->extra_flow : mlr_plan_flow(plan, &cursor);
		shown.sequence = shown.extra ? 0 : mlr_plan_sequence(&cursor, shown.flow);
		write_frame(plan, &shown);
		json = frame_json(&shown);
		if (config->format == FORMAT_TEXT) {
			print_frame(&shown, json);
			json_decref(json);
		} else {
			json_array_append_new(list, json);
		}
		if (shown.extra)
			mlr_plan_take_extra(plan, &cursor);
		else
			mlr_plan_take(plan, &cursor);
	}
	mlr_queue_plan_free(plan);
	return EXIT_DONE;
}

enum exit_code verb_profile_show(const struct config *config)
{
	const char *names[MLR_PORTS_MAX];
	struct mlr_profile profile;
	json_t *frames = json_array();
	enum exit_code code = traffic_profile_of(config, &profile);

	for (unsigned int i = 0; !code && i < profile.port_count; i++)
		names[i] = traffic_port_name(config, i);
	if (!code) {
		set_macs(config, &profile);
		mlr_signature_key_init(shown_key_seed, &profile.key);
	}
	for (unsigned int i = 0; !code && i < profile.port_count; i++)
		if (mlr_profile_streams_from(&profile, i))
			code = show_port(config, &profile, i, names[i], frames);
	if (!code && config->format != FORMAT_TEXT)
		return output_json(json_with("schema", "xdp-mlr/profile/1", "traffic_profile",
					     traffic_describe(config, &profile, names), "frames", frames));
	json_decref(frames);
	return code;
}
