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
	struct neighbours neighbours = { .port_count = 1 };
	struct resolution state = { 0 };
	uint8_t nothing[MLR_MAC_OCTETS] = { 0 };

	neighbours.ports[0] = port;
	neighbours.sockets[0] = open(fuzz_file(data, size), O_RDONLY | O_CLOEXEC);
	learn(&neighbours, 0, &state);
	close(neighbours.sockets[0]);
	if (state.answers[0].found4 &&
	    (state.answers[0].mac4[0] & 1 || !memcmp(state.answers[0].mac4, nothing, sizeof(nothing))))
		abort();
	if (state.answers[0].found6 &&
	    (state.answers[0].mac6[0] & 1 || !memcmp(state.answers[0].mac6, nothing, sizeof(nothing))))
		abort();
	return 0;
}
