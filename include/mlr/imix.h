/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header makes mixes of frame sizes, with the order in which their frames are sent. The caller owns the mix. It is made
 * once, from weights or from a genome, and then read by the Traffic Profile.
 *
 * A list of weights says how often each size comes, but not when. Its frames are spread as evenly as possible: at every
 * place of the schedule each size is less than one frame ahead of its share or behind it. A genome (RFC 6985, section 4)
 * gives the order itself, with one letter for each frame.
 */
#ifndef MLR_IMIX_H
#define MLR_IMIX_H

#include "mlr/profile.h"

#define MLR_GENOME_LETTERS 52 /* a to z and A to Z */

struct mlr_size_weight {
	unsigned int weight;
	unsigned int size_octets;
};

/* Return which of `count` kinds comes at a place of a schedule that spreads each kind as evenly as possible. `length` is the
 * sum of their weights, and `sent` says how often each kind came before. */
unsigned int mlr_spread_next(const unsigned int *weights, const unsigned int *sent, unsigned int count, unsigned int place,
			     uint64_t length);

/* Return a mix of one size only. */
struct mlr_size_mix mlr_size_one(unsigned int size_octets);

/* Make a mix from weights. Returns 0. Returns -EINVAL if there are no weights, a weight is 0 or a size is above
 * MLR_FRAME_MAX_OCTETS. Returns -E2BIG if there are more than MLR_SIZES_MAX sizes. It also returns -E2BIG if the weights,
 * divided by their greatest common divisor, add up to more than MLR_SCHEDULE_MAX. */
int mlr_size_from_weights(const struct mlr_size_weight *weights, unsigned int count, struct mlr_size_mix *ret);

/* Return the size that RFC 6985, section 4, gives a letter, FCS included: from 64 for a to 16000 for j. Returns 0 for other
 * letters: z is the MTU, whose length the tester must report; capitals are the tester's own (section 5); k to y are not
 * defined. */
unsigned int mlr_genome_letter_octets(char letter);

/* Make a mix from a genome. `own_octets` has the sizes of the letters that the RFC leaves open, a to z and then A to Z; 0
 * means not given. Returns 0. Returns -EINVAL for an empty genome, a character that is no letter, a letter without a size,
 * or a size above MLR_FRAME_MAX_OCTETS. Returns -E2BIG for more letters than MLR_SCHEDULE_MAX. */
int mlr_size_from_genome(const char *genome, const unsigned int own_octets[MLR_GENOME_LETTERS], struct mlr_size_mix *ret);

/* Return the mean, smallest or largest size of a frame over the schedule, FCS included. */
double mlr_size_mean_octets(const struct mlr_size_mix *mix);
unsigned int mlr_size_least_octets(const struct mlr_size_mix *mix);
unsigned int mlr_size_most_octets(const struct mlr_size_mix *mix);
/* Return how many frames of the schedule have size number `index`. */
unsigned int mlr_size_weight(const struct mlr_size_mix *mix, unsigned int index);

#endif
