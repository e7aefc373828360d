/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mixes of frame sizes, and the order in which their frames are sent.
 *
 * A list of weights says how often each size comes, not when. Its frames are spread as evenly as can be: at every place of
 * the schedule each size is less than one frame ahead of its share or behind it. A genome (RFC 6985,
 * section 4) says the order itself, a letter a frame, and is kept to the letter.
 */
#ifndef MLR_IMIX_H
#define MLR_IMIX_H

#include "mlr/profile.h"

#define MLR_GENOME_LETTERS 52 /* a to z, A to Z */

struct mlr_size_weight {
	unsigned int weight;
	unsigned int size_octets;
};

/* Which of several comes at a place of a schedule of `length`, the sum of their weights, that spreads each as evenly as can be;
 * `sent` says how often each came before. */
unsigned int mlr_spread_next(const unsigned int *weights, const unsigned int *sent, unsigned int count, unsigned int place,
			     uint64_t length);

/* One size, again and again. */
struct mlr_size_mix mlr_size_one(unsigned int size_octets);

/* 0; -EINVAL where there is no weight, a weight is 0 or a size above MLR_FRAME_MAX_OCTETS; -E2BIG where there are more sizes
 * than MLR_SIZES_MAX or the weights, divided by what they have in common, add up to more than MLR_SCHEDULE_MAX. */
int mlr_size_from_weights(const struct mlr_size_weight *weights, unsigned int count, struct mlr_size_mix *ret);

/* The size that RFC 6985, section 4, gives a letter, FCS included: a 64 to j 16000; 0 where it gives none: z is the MTU,
 * whose length the tester must report, capitals are the tester's own (section 5), and k to y mean nothing. */
unsigned int mlr_genome_letter_octets(char letter);

/* `own_octets` has the sizes of letters that the RFC leaves open, a to z first, then A to Z; 0: not given. 0; -EINVAL for an
 * empty genome, a character that is no letter, a letter without a size, or a size above MLR_FRAME_MAX_OCTETS; -E2BIG for
 * more letters than MLR_SCHEDULE_MAX. */
int mlr_size_from_genome(const char *genome, const unsigned int own_octets[MLR_GENOME_LETTERS], struct mlr_size_mix *ret);

/* Octets of a frame on average over the schedule, FCS included. */
double mlr_size_mean_octets(const struct mlr_size_mix *mix);
unsigned int mlr_size_least_octets(const struct mlr_size_mix *mix);
unsigned int mlr_size_most_octets(const struct mlr_size_mix *mix);
/* How many of the schedule's frames have size number `index`. */
unsigned int mlr_size_weight(const struct mlr_size_mix *mix, unsigned int index);

#endif
