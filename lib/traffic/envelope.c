/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/envelope.h"

#include <math.h>

#define NS_PER_S  1e9
#define ONE       (1u << MLR_ENVELOPE_PLACES)
#define UNBOUNDED (UINT64_MAX / 2)

static uint64_t worth_frames(double load_fps, double time_ns)
{
	return (uint64_t)(load_fps * time_ns / NS_PER_S);
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

struct mlr_burst mlr_burst_of(double load_fps, uint64_t frames)
{
	uint64_t asked = greater(MLR_BURST_FRAMES, worth_frames(load_fps, MLR_BURST_ASKED_NS));

	if (frames)
		return (struct mlr_burst){ frames, frames };
	return (struct mlr_burst){
		.asked_frames = asked,
		.catch_frames = greater(asked, lesser(MLR_BURST_CATCH_MOST, worth_frames(load_fps, MLR_BURST_CATCH_NS))),
	};
}

/* Return the time that so many frames of a load take. */
static uint64_t time_of(double load_fps, double frames)
{
	return (uint64_t)llround(frames * NS_PER_S / load_fps * ONE);
}

void mlr_envelope_init(struct mlr_envelope *ret, double load_fps, uint32_t transmitters, struct mlr_burst burst)
{
	uint64_t interval = time_of(load_fps, transmitters);
	uint64_t catch = burst.catch_frames ? time_of(load_fps, (double)burst.catch_frames) : UNBOUNDED;

	*ret = (struct mlr_envelope){
		.interval = interval,
		.interval_faster = interval - interval / 16,
		.asked = burst.asked_frames ? time_of(load_fps, (double)burst.asked_frames) : UNBOUNDED,
		.catch = catch,
		.lone_room = catch >= interval ? catch - interval + 1 : 0,
	};
}

uint64_t mlr_envelope_excess_frames(const struct mlr_envelope *envelope)
{
	struct mlr_envelope settled = *envelope;

	mlr_envelope_settle(&settled);
	return settled.interval ? (settled.excess_max + settled.interval / 2) / settled.interval : 0;
}

uint64_t mlr_envelope_run_frames(const struct mlr_envelope *envelope)
{
	struct mlr_envelope settled = *envelope;

	mlr_envelope_settle(&settled);
	return settled.run_max;
}
