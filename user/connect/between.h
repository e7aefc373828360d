/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header says what lies between the ports, in one sentence and as a member of the result. It goes by what was heard
 * there, and by what came of frames sent at a small rate. The caller fills in a struct between and owns it; the functions
 * are pure.
 */
#pragma once

#include <net/if.h>
#include <netinet/in.h>

#include "connect/heard.h"
#include "connect/own_program.h"
#include "mlr/profile.h"

enum between_kind { BETWEEN_NOTHING_KNOWN, BETWEEN_CABLE, BETWEEN_SWITCH, BETWEEN_ROUTER };

struct between_port {
	const char *name;
	bool transmits;
	uint64_t sent, left; /* numbered frames; `left` of them left by the interface's own counter, at most those sent */
	uint64_t came;       /* frames that arrived at their receiver */
	unsigned int to;     /* a port that they were to */
	bool has_answer;     /* The gateway of the port answered. */
	char gateway[INET6_ADDRSTRLEN];
	struct heard heard;
	struct own_program program; /* a program of this machine that sends on the port, too */
};

/* Frames of one size or of one outer VLAN tag: how many were sent, and came. */
struct between_kind_of_frame {
	unsigned int size_octets; /* size with FCS */
	bool is_tagged;
	uint16_t vlan;
	uint8_t priority;
	uint64_t sent, came;
};

#define BETWEEN_KINDS 128

struct between {
	unsigned int port_count;
	struct between_port ports[MLR_PORTS_MAX];
	bool ports_meet;      /* The ports see each other by ARP or neighbour discovery. */
	bool passes_reserved; /* A frame to an address that no bridge forwards has arrived. */
	bool is_steady;       /* As many frames in a row have passed as were wanted. */
	unsigned int in_a_row;
	unsigned int kind_count; /* kinds of frames; 0: they were not distinguished */
	struct between_kind_of_frame kinds[BETWEEN_KINDS];
	double duration_s, waited_s; /* time in all; and the part of it that was a wait for spanning tree */
};

#define BETWEEN_TEXT_SIZE 1024

/* Whether any numbered frame, or every one of some port, came where it was to. */
bool between_passes(const struct between *between);

/* Return the port whose switch speaks spanning tree and does not say that it forwards; NULL: none. */
const struct between_port *between_spanning(const struct between *between);

/* Write the sentence, without a full stop. */
const char *between_sentence(const struct between *between, char buffer[BETWEEN_TEXT_SIZE]);
/* Return the member "connection", a new reference. */
json_t *between_json(const struct between *between);
