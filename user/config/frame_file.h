/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A frame file provides a frame that others are made like: the first one of a pcap or pcapng file of Ethernet frames. The
 * caller owns it, and it owns the payload. It is read once, with the options, by a process without privileges, and used by
 * the Traffic Profile until the run ends.
 *
 * These parts are kept: VLAN tags, tunnels, UDP ports, and the payload behind its first 18 octets, where the tag goes. Of
 * the IP header those fields are kept that do not depend on lengths and addresses. Of tunnels, lengths and checksums are
 * computed again.
 *
 * Both formats are simple and only the first frame is wanted, so no libpcap is needed.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/message.h"
#include "mlr/frame.h"

struct frame_file {
	struct mlr_frame_spec spec; /* without MAC addresses, addresses and size; this structure owns its payload */
	uint16_t source_port, destination_port;
	unsigned int size_octets; /* the size of the frame in the file, FCS included */
	uint8_t *payload;
	/* the headers between VLAN tags and innermost IP header, the outermost first: "MPLS, IPv4, GRE". The shortest has
	 * four octets */
	char tunnels[2 * MLR_OUTER_MAX_OCTETS];
};

/* Read a file. EXIT_USAGE_ERROR, already reported, if it cannot be read, has another format, or its first frame is not
 * UDP. */
enum exit_code frame_file_read(const char *path, struct frame_file **ret);
void frame_file_free(struct frame_file *file);

/* Parse the frame itself. Returns NULL, or the reason why it cannot be used. Tests use it, too. */
const char *frame_file_parse(const uint8_t *frame, size_t octets, size_t wire_octets, struct frame_file *ret);
/* Make the form in which a reader (base/reader.h) hands a frame file over, a new reference, and read it. The latter is false
 * if a length or offset is out of range, which none of frame_file_parse() is. Tests use them, too. */
json_t *frame_file_pack(const struct frame_file *file);
bool frame_file_unpack(const json_t *packed, struct frame_file *ret);
