/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ARP and neighbour discovery, as a port receives them. What is believed is a station's address. */
#include <fcntl.h>

#include "fuzz.h"
#include "port/neighbour.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct neighbour_port port = {
		.name = "p0",
		.ip4 = true,
		.ip6 = true,
		.address = { 1 },
		.gateway = { 0 },
		.ranges = { { .count = 1 }, { .step = 1, .count = 9 } },
	};
	struct neighbours neighbours = { .port_count = 1, .heard = -1, .lock = PTHREAD_MUTEX_INITIALIZER };
	const struct resolution *known = &neighbours.known;
	uint8_t nothing[MLR_MAC_OCTETS] = { 0 };

	neighbours.ports[0] = port;
	neighbours.sockets[0] = open(fuzz_file(data, size), O_RDONLY | O_CLOEXEC);
	read_messages(&neighbours, 0);
	close(neighbours.sockets[0]);
	if (known->answers[0].found4 &&
	    (known->answers[0].mac4[0] & 1 || !memcmp(known->answers[0].mac4, nothing, sizeof(nothing))))
		abort();
	if (known->answers[0].found6 &&
	    (known->answers[0].mac6[0] & 1 || !memcmp(known->answers[0].mac6, nothing, sizeof(nothing))))
		abort();
	return 0;
}
