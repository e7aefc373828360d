/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/delays.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "mlr/profile.h"

#define OCTAVE      (1u << MLR_DELAYS_OCTAVE_BITS)
#define BOUND_RATIO 0.01

static uint32_t bucket_of(uint64_t distance_ns)
{
	uint32_t below;

	if (distance_ns < OCTAVE)
		return (uint32_t)distance_ns;
	if (distance_ns >> (MLR_DELAYS_TOP_BIT + 1))
		return MLR_DELAYS_BUCKETS - 1;
	below = 63 - (uint32_t)__builtin_clzll(distance_ns) - MLR_DELAYS_OCTAVE_BITS;
	return below * OCTAVE + (uint32_t)(distance_ns >> below);
}

uint64_t mlr_delays_bucket_start_ns(uint32_t bucket)
{
	uint32_t octave = bucket / OCTAVE;

	return octave ? (uint64_t)(OCTAVE + bucket % OCTAVE) << (octave - 1) : bucket;
}

void mlr_delays_add(struct mlr_delays *delays, uint64_t least_ns, uint64_t most_ns, uint64_t times)
{
	uint64_t from_ns = least_ns > delays->min_ns ? least_ns : delays->min_ns;
	uint64_t to_ns = most_ns < delays->max_ns ? most_ns : delays->max_ns;
	uint64_t middle_ns;
	float error_ns;
	uint32_t bucket;

	if (!times)
		return;
	to_ns = to_ns > from_ns ? to_ns : from_ns;
	middle_ns = from_ns + (to_ns - from_ns) / 2;
	bucket = bucket_of(middle_ns - delays->min_ns);
	error_ns = (float)(to_ns - middle_ns);
	delays->count += times;
	delays->buckets[bucket] += times;
	delays->used[bucket / 64] |= 1ull << bucket % 64;
	if (error_ns > delays->error_ns[bucket])
		delays->error_ns[bucket] = error_ns;
}

void mlr_delays_clear(struct mlr_delays *delays)
{
	delays->count = delays->min_ns = delays->max_ns = 0;
	for (uint32_t word = 0; word < MLR_DELAYS_BUCKETS / 64; word++) {
		if (!delays->used[word])
			continue;
		memset(&delays->buckets[word * 64], 0, 64 * sizeof(delays->buckets[0]));
		memset(&delays->error_ns[word * 64], 0, 64 * sizeof(delays->error_ns[0]));
		delays->used[word] = 0;
	}
}

/* One of several, while all are gone through from the smallest latency on. */
struct walk {
	const struct mlr_delays *delays;
	uint32_t bucket; /* the next one with something in it */
};

static void go_on(struct walk *walk)
{
	uint32_t word = walk->bucket / 64;
	uint64_t used;

	if (walk->bucket == MLR_DELAYS_BUCKETS)
		return;
	used = walk->delays->used[word] & ~0ull << walk->bucket % 64;
	while (!used && ++word < MLR_DELAYS_BUCKETS / 64)
		used = walk->delays->used[word];
	walk->bucket = used ? word * 64 + (uint32_t)__builtin_ctzll(used) : MLR_DELAYS_BUCKETS;
}

static uint64_t latency_of(const struct walk *walk)
{
	return walk->delays->min_ns + mlr_delays_bucket_start_ns(walk->bucket);
}

static struct walk *smallest(struct walk *walks, size_t count)
{
	struct walk *smallest = NULL;

	for (size_t i = 0; i < count; i++) {
		if (walks[i].bucket == MLR_DELAYS_BUCKETS)
			continue;
		if (!smallest || latency_of(&walks[i]) < latency_of(smallest))
			smallest = &walks[i];
	}
	return smallest;
}

/* The middle of a bucket, above `min_ns`, and how far what is in it may be from that. */
static double take_bucket(const struct walk *walk, uint64_t min_ns, double *ret_error_ns)
{
	uint64_t start_ns = mlr_delays_bucket_start_ns(walk->bucket),
		 last_ns = mlr_delays_bucket_start_ns(walk->bucket + 1) - 1;
	uint64_t most_ns = walk->delays->max_ns - walk->delays->min_ns;
	double half_ns;

	last_ns = last_ns < most_ns && walk->bucket < MLR_DELAYS_BUCKETS - 1 ? last_ns : most_ns;
	half_ns = (double)(last_ns - start_ns) / 2;
	*ret_error_ns = half_ns + (double)walk->delays->error_ns[walk->bucket];
	return (double)(walk->delays->min_ns - min_ns) + (double)start_ns + half_ns;
}

/* How many latencies are, by what is known of them, so far above `min_ns` at most (side 1), or nearer to it at least (side -1). */
static double count_within(const struct mlr_delays *const *delays, size_t count, uint64_t min_ns, int side,
			   double distance_ns)
{
	double within = 0;

	for (size_t i = 0; i < count; i++) {
		struct walk walk = { delays[i], 0 };

		for (go_on(&walk); walk.bucket < MLR_DELAYS_BUCKETS; walk.bucket++, go_on(&walk)) {
			double reach_ns, middle_ns = take_bucket(&walk, min_ns, &reach_ns);

			if (side > 0 ? middle_ns + reach_ns <= distance_ns : middle_ns - reach_ns < distance_ns)
				within += (double)delays[i]->buckets[walk.bucket];
		}
	}
	return within;
}

/* Whether the latency of a rank is surely not further from a distance than that, to this side. */
static bool is_bound(const struct mlr_delays *const *delays, size_t count, uint64_t min_ns, int side, double from_ns,
		     double error_ns, double rank)
{
	double within = count_within(delays, count, min_ns, side, from_ns + side * error_ns);

	return side > 0 ? within >= rank : within < rank;
}

/* How far the latency of a rank may be from where it was found, to this side: those that are known less well may have another rank
 * than it seems. Not less than the error of what was found, and a hundredth more than it has to be. */
static double bound_ns(const struct mlr_delays *const *delays, size_t count, uint64_t min_ns, int side, double found_ns,
		       double error_ns, double rank)
{
	double less_ns = error_ns, enough_ns = error_ns;

	while (!is_bound(delays, count, min_ns, side, found_ns, enough_ns, rank)) {
		less_ns = enough_ns;
		enough_ns = 2 * enough_ns + 1;
	}
	while (enough_ns - less_ns > BOUND_RATIO * enough_ns) {
		double middle_ns = less_ns + (enough_ns - less_ns) / 2;

		if (is_bound(delays, count, min_ns, side, found_ns, middle_ns, rank))
			enough_ns = middle_ns;
		else
			less_ns = middle_ns;
	}
	return enough_ns;
}

double mlr_delays_quantile_ns(const struct mlr_delays *const *delays, size_t count, double quantile, double *ret_error_ns)
{
	struct walk walks[MLR_PORTS_MAX], *walk = NULL;
	double all = 0, below = 0, rank, error_ns = 0, pdv_ns = NAN;
	uint64_t min_ns = UINT64_MAX, max_ns = 0;

	for (size_t i = 0; i < count; i++) {
		walks[i] = (struct walk){ delays[i], 0 };
		go_on(&walks[i]);
		if (!delays[i]->count)
			continue;
		all += (double)delays[i]->count;
		min_ns = delays[i]->min_ns < min_ns ? delays[i]->min_ns : min_ns;
		max_ns = delays[i]->max_ns > max_ns ? delays[i]->max_ns : max_ns;
	}
	rank = ceil(fmin(fmax(quantile, 0), 1) * all * (1.0 - 1e-12)); /* the rank of mlr_histogram_quantile_ns() */
	if (all > 0 && rank >= all)
		pdv_ns = (double)(max_ns - min_ns);
	else if (all > 0 && rank <= 1)
		pdv_ns = 0;
	while (isnan(pdv_ns) && (walk = smallest(walks, count))) {
		below += (double)walk->delays->buckets[walk->bucket];
		if (below >= rank)
			pdv_ns = take_bucket(walk, min_ns, &error_ns);
		walk->bucket++;
		go_on(walk);
	}
	if (ret_error_ns)
		*ret_error_ns = error_ns;
	if (ret_error_ns && walk)
		*ret_error_ns = fmax(bound_ns(delays, count, min_ns, -1, pdv_ns, error_ns, rank),
				     bound_ns(delays, count, min_ns, 1, pdv_ns, error_ns, rank));
	return pdv_ns;
}
