/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of hostile frames send them beside: a trial from port 0 to port 1. */
#pragma once

#include "mlr/hostile.h"
#include "test.h"

#define TRIAL       7
#define MOST_OCTETS 1514 /* without FCS */

/* Fill in the profile, and describe the trial. */
static struct mlr_hostile hostile_beside(struct mlr_profile *profile, const struct mlr_size_mix *sizes,
					 unsigned int ip_version, uint64_t seed)
{
	static const uint8_t key[] = "a key of forty octets, and not one more.";

	*profile = (struct mlr_profile){
		.sizes = *sizes,
		.port_count = 2,
		.ports = { { .mac = { 2, 0, 0, 0, 0, 1 }, .address = 0xc6120002, .address6 = { 0x20, 1, [15] = 1 } },
			   { .mac = { 2, 0, 0, 0, 0, 2 }, .address = 0xc6130002, .address6 = { 0x20, 1, [15] = 2 } } },
		.stream_count = 1,
		.streams = { { .from = 0, .to = 1, .ip_version = ip_version, .destination_mac = { 2, 0, 0, 0, 0, 2 } } },
		.flow_count = 4,
		.source_port = MLR_UDP_SOURCE_PORT,
		.destination_port = MLR_UDP_DESTINATION_PORT,
	};
	mlr_signature_key_init(key, &profile->key);
	assert_int_equal(mlr_profile_number(profile), 0);
	return (struct mlr_hostile){
		.profile = profile,
		.stream = &profile->streams[0],
		.trial = TRIAL,
		.earlier_trial = TRIAL - 1,
		.unknown_trial = TRIAL + 0x8000,
		.first_sequence = 1000,
		.sequence_count = 500,
		.most_octets = MOST_OCTETS,
		.seed = seed,
	};
}
