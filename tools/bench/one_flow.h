/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traffic of benches and tests that drive a transmitter by itself: one flow of frames of one size, as `trial` sends by default. */
#ifndef BENCH_ONE_FLOW_H
#define BENCH_ONE_FLOW_H

#include "mlr/imix.h"
#include "mlr/profile.h"

/* The plan of the one queue, of frames of this size, FCS included; the caller frees it. 0 or -errno. */
static inline int one_flow_plan(unsigned int size_octets, struct mlr_queue_plan **ret)
{
	struct mlr_profile profile = {
		.sizes = mlr_size_one(size_octets),
		.port_count = 2,
		.ports = { { .mac = { 2, [5] = 1 }, .address = 0xc6120002 },
			   { .mac = { 2, [5] = 2 }, .address = 0xc6130002 } },
		.stream_count = 1,
		.streams = { { .from = 0, .to = 1, .ip_version = 4, .destination_mac = { 2, [5] = 2 } } },
		.flow_count = 1,
		.source_port = MLR_UDP_SOURCE_PORT,
		.destination_port = MLR_UDP_DESTINATION_PORT,
	};
	int error = mlr_profile_number(&profile);

	return error ? error : mlr_queue_plan_new(&profile, 0, 0, 1, ret);
}

#endif
