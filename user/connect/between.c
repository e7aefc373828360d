/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "connect/between.h"

#include "base/json_value.h"
#include "base/text_stream.h"

#define BLOCKED_LEAST 3 /* Of so many frames sent of a kind, one would have arrived. */
#define KINDS_SAID    4
#define SPANNING_FIX  "make the switch's port an edge port"

/* --- judging -------------------------------------------------------------------------------------------------------- */

static bool is_blocked(const struct between_port *port)
{
	return port->transmits && port->sent && !port->came;
}

bool between_passes(const struct between *between)
{
	for (unsigned int i = 0; i < between->port_count; i++)
		if (is_blocked(&between->ports[i]))
			return false;
	return true;
}

const struct between_port *between_spanning(const struct between *between)
{
	for (unsigned int i = 0; i < between->port_count; i++) {
		const struct spanning_tree *spanning = &between->ports[i].heard.spanning;

		if (spanning->frames && spanning->state != SPANNING_FORWARDING)
			return &between->ports[i];
	}
	return NULL;
}

/* Not only switches send LLDP. */
static bool hears_switch(const struct between *between)
{
	for (unsigned int i = 0; i < between->port_count; i++)
		if (between->ports[i].heard.spanning.frames)
			return true;
	return false;
}

static bool has_router(const struct between *between)
{
	for (unsigned int i = 0; i < between->port_count; i++)
		if (between->ports[i].has_answer)
			return true;
	return false;
}

static enum between_kind kind_of(const struct between *between)
{
	if (has_router(between))
		return BETWEEN_ROUTER;
	if (between->passes_reserved && !hears_switch(between)) /* some bridges pass such a frame on, too */
		return BETWEEN_CABLE;
	if (between->ports_meet || hears_switch(between) || between_passes(between))
		return BETWEEN_SWITCH;
	return BETWEEN_NOTHING_KNOWN;
}

/* --- the sentence --------------------------------------------------------------------------------------------------- */

static void add_routers(const struct between *between, char buffer[BETWEEN_TEXT_SIZE])
{
	const char *word = "the router ";

	for (unsigned int i = 0; i < between->port_count; i++) {
		if (!between->ports[i].has_answer)
			continue;
		text_add(buffer, BETWEEN_TEXT_SIZE, "%s%s", word, between->ports[i].gateway);
		word = " and ";
	}
}

static void add_kind(const struct between *between, char buffer[BETWEEN_TEXT_SIZE])
{
	switch (kind_of(between)) {
	case BETWEEN_ROUTER:
		add_routers(between, buffer);
		break;
	case BETWEEN_CABLE:
		text_add(buffer, BETWEEN_TEXT_SIZE, "a cable, or what passes every frame on as a cable does");
		break;
	case BETWEEN_SWITCH:
		text_add(buffer, BETWEEN_TEXT_SIZE, "a switch");
		break;
	case BETWEEN_NOTHING_KNOWN:
		text_add(buffer, BETWEEN_TEXT_SIZE, "nothing answers");
		break;
	}
}

/* "eth1's frames leave, none arrive at eth2" */
static void add_blocked(const struct between *between, char buffer[BETWEEN_TEXT_SIZE])
{
	const char *sign = ": ";

	for (unsigned int i = 0; i < between->port_count; i++) {
		const struct between_port *port = &between->ports[i];

		if (!is_blocked(port))
			continue;
		text_add(buffer, BETWEEN_TEXT_SIZE, "%s%s's frames %s, none arrive at %s", sign, port->name,
			 port->left ? "leave" : "do not even leave", between->ports[port->to].name);
		sign = "; ";
	}
}

static void add_lost(const struct between *between, char buffer[BETWEEN_TEXT_SIZE])
{
	unsigned long long sent = 0, came = 0;

	for (unsigned int i = 0; i < between->port_count; i++) {
		sent += between->ports[i].sent;
		came += between->ports[i].came;
	}
	if (came < sent)
		text_add(buffer, BETWEEN_TEXT_SIZE, "; of %llu frames at a small rate %llu did not come", sent, sent - came);
}

/* Whether some frames of a kind were sent and none came, though others did. */
static bool is_blocked_kind(const struct between *between, const struct between_kind_of_frame *kind)
{
	return kind->sent >= BLOCKED_LEAST && !kind->came && between_passes(between);
}

static void add_blocked_kinds(const struct between *between, char buffer[BETWEEN_TEXT_SIZE])
{
	unsigned int said = 0;

	for (unsigned int i = 0; i < between->kind_count && said < KINDS_SAID; i++) {
		const struct between_kind_of_frame *kind = &between->kinds[i];

		if (!is_blocked_kind(between, kind))
			continue;
		text_add(buffer, BETWEEN_TEXT_SIZE, "%s%u octets", said++ ? ", nor of " : "; none come of ",
			 kind->size_octets);
		if (kind->is_tagged)
			text_add(buffer, BETWEEN_TEXT_SIZE, " with VLAN %u and priority %u", kind->vlan, kind->priority);
	}
}

static void add_neighbour(const struct between_port *port, const struct lldp *says, const char *protocol,
			  char buffer[BETWEEN_TEXT_SIZE])
{
	if (says->frames)
		text_add(buffer, BETWEEN_TEXT_SIZE, "; the neighbour on %s says it is %s of %s (%s)", port->name, says->port,
			 says->system, protocol);
}

/* Report the neighbour that a port is plugged into, as it calls itself. */
static void add_neighbours(const struct between *between, char buffer[BETWEEN_TEXT_SIZE])
{
	for (unsigned int i = 0; i < between->port_count; i++) {
		const struct between_port *port = &between->ports[i];

		add_neighbour(port, &port->heard.lldp, "LLDP", buffer);
		if (!port->heard.lldp.frames)
			add_neighbour(port, &port->heard.cdp, "CDP", buffer);
	}
}

static void add_spanning(const struct between *between, bool passes, char buffer[BETWEEN_TEXT_SIZE])
{
	const struct between_port *port = between_spanning(between);

	if (port && !passes)
		text_add(buffer, BETWEEN_TEXT_SIZE, "; it speaks spanning tree on %s and may still listen and learn: %s",
			 port->name, SPANNING_FIX);
	else if (between->waited_s > 0 && !passes)
		text_add(buffer, BETWEEN_TEXT_SIZE, "; its spanning tree is not the reason: it says that it forwards");
	else if (between->waited_s > 0)
		text_add(buffer, BETWEEN_TEXT_SIZE, "; its spanning tree let frames pass after %.0f s: %s",
			 between->waited_s, SPANNING_FIX);
	else if (port)
		text_add(buffer, BETWEEN_TEXT_SIZE, "; it speaks spanning tree on %s", port->name);
}

static void add_programs(const struct between *between, char buffer[BETWEEN_TEXT_SIZE])
{
	for (unsigned int i = 0; i < between->port_count; i++) {
		const struct own_program *program = &between->ports[i].program;

		if (program->process)
			text_add(buffer, BETWEEN_TEXT_SIZE, "; %s (process %d) has a packet socket on %s",
				 *program->name ? program->name : "a program", (int)program->process,
				 between->ports[i].name);
	}
}

const char *between_sentence(const struct between *between, char buffer[BETWEEN_TEXT_SIZE])
{
	bool passes = between_passes(between);

	buffer[0] = '\0';
	add_kind(between, buffer);
	if (passes && !between->is_steady)
		add_lost(between, buffer);
	else if (!passes)
		add_blocked(between, buffer);
	add_blocked_kinds(between, buffer);
	add_spanning(between, passes, buffer);
	add_neighbours(between, buffer);
	add_programs(between, buffer);
	return buffer;
}

/* --- the result ----------------------------------------------------------------------------------------------------- */

static json_t *port_json(const struct between_port *port)
{
	json_t *json = json_with("port", port->name, "gateway", port->has_answer ? json_string(port->gateway) : json_null(),
				 "heard", heard_json(&port->heard));

	if (port->transmits)
		json_put_members(json, port, sent, came);
	if (port->program.process)
		json_put(json, "program", json_of_members(&port->program, name, process));
	return json;
}

static json_t *blocked_json(const struct between *between)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < between->kind_count; i++) {
		const struct between_kind_of_frame *kind = &between->kinds[i];
		json_t *json;

		if (!is_blocked_kind(between, kind))
			continue;
		json = json_object();
		json_put(json, "frame_size", kind->size_octets);
		json_put_members(json, kind, sent);
		if (kind->is_tagged)
			json_put_members(json, kind, vlan, priority);
		json_array_append_new(list, json);
	}
	return list;
}

json_t *between_json(const struct between *between)
{
	static const char *const kinds[] = { "unknown", "cable", "switch", "router" };

	return json_with("sentence", between_sentence(between, ROOM(BETWEEN_TEXT_SIZE)), "kind", kinds[kind_of(between)],
			 "passes", between_passes(between), "steady", between->is_steady, "in_a_row", between->in_a_row,
			 "duration", between->duration_s, "spanning_tree_wait", between->waited_s, "blocked",
			 blocked_json(between), "ports", json_list(i, between->port_count, port_json(&between->ports[i])));
}
