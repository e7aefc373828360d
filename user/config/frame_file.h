/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A frame to make others like: the first one of a pcap or pcapng file of Ethernet frames.
 *
 * Kept are VLAN tags, tunnels, the fields of the IP header that do not follow from lengths and addresses, UDP ports, and the
 * payload behind its first 18 octets, where the tag will be; of tunnels all but the lengths and checksums that follow from what
 * is in them. Both formats are simple and only their first frame is wanted, so they
 * are read here, without libpcap.
 */
#pragma once

#include "base/message.h"
#include "mlr/frame.h"

struct frame_file {
	struct mlr_frame_spec spec; /* without MAC addresses, addresses and size; its payload is owned by this struct */
	uint16_t source_port, destination_port;
	unsigned int size_octets; /* of the frame in the file, FCS included */
	uint8_t *payload;
	/* the headers between VLAN tags and innermost IP header, from the outside: "MPLS, IPv4, GRE". The shortest have four octets */
	char tunnels[2 * MLR_OUTER_MAX_OCTETS];
};

/* EXIT_USAGE_ERROR, with the reason said, where the file cannot be read, is no such file, or its first frame is not UDP. */
enum exit_code frame_file_read(const char *path, struct frame_file **ret);
void frame_file_free(struct frame_file *file);

/* Read the frame itself. NULL, or the reason why it cannot be used. For tests, too. */
const char *frame_file_parse(const uint8_t *frame, size_t octets, size_t wire_octets, struct frame_file *ret);
