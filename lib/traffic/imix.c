/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/imix.h"

#include <errno.h>

struct mlr_size_mix mlr_size_one(unsigned int size_octets)
{
	return (struct mlr_size_mix){
		.sizes_octets = { (uint16_t)size_octets },
		.size_count = 1,
		.schedule_length = 1,
	};
}

double mlr_size_mean_octets(const struct mlr_size_mix *mix)
{
	double sum_octets = 0.0;

	for (unsigned int i = 0; i < mix->schedule_length; i++)
		sum_octets += mix->sizes_octets[mix->schedule[i]];
	return sum_octets / mix->schedule_length;
}

unsigned int mlr_size_least_octets(const struct mlr_size_mix *mix)
{
	unsigned int least_octets = UINT16_MAX;

	for (unsigned int i = 0; i < mix->size_count; i++)
		if (mix->sizes_octets[i] < least_octets)
			least_octets = mix->sizes_octets[i];
	return least_octets;
}

unsigned int mlr_size_most_octets(const struct mlr_size_mix *mix)
{
	unsigned int most_octets = 0;

	for (unsigned int i = 0; i < mix->size_count; i++)
		if (mix->sizes_octets[i] > most_octets)
			most_octets = mix->sizes_octets[i];
	return most_octets;
}

unsigned int mlr_size_weight(const struct mlr_size_mix *mix, unsigned int index)
{
	unsigned int weight = 0;

	for (unsigned int i = 0; i < mix->schedule_length; i++)
		weight += mix->schedule[i] == index;
	return weight;
}

/* Return the index of a size, and add it if it is new. Returns -E2BIG if there is no room. */
static int index_of(struct mlr_size_mix *mix, unsigned int size_octets)
{
	for (unsigned int i = 0; i < mix->size_count; i++)
		if (mix->sizes_octets[i] == size_octets)
			return (int)i;
	if (mix->size_count == MLR_SIZES_MAX)
		return -E2BIG;
	mix->sizes_octets[mix->size_count] = (uint16_t)size_octets;
	return (int)mix->size_count++;
}

/* --- weights -------------------------------------------------------------------------------------------------------- */

static unsigned int common_divisor(unsigned int a, unsigned int b)
{
	while (b) {
		unsigned int rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Frame k of a kind with this weight may come from place k * length / weight on, rounded down. It must have come before
 * place (k + 1) * length / weight, rounded up. Of those that may come, the one with the earliest end is next. Each then
 * comes in time, because together they ask for one frame at each place. */
unsigned int mlr_spread_next(const unsigned int *weights, const unsigned int *sent, unsigned int count, unsigned int place,
			     uint64_t length)
{
	uint64_t earliest = UINT64_MAX;
	unsigned int next = 0;

	for (unsigned int i = 0; i < count; i++) {
		uint64_t from = sent[i] * length / weights[i],
			 before = ((sent[i] + 1) * length + weights[i] - 1) / weights[i];

		if (from <= place && before < earliest) {
			earliest = before;
			next = i;
		}
	}
	return next;
}

static void spread(struct mlr_size_mix *mix, const unsigned int *weights)
{
	unsigned int sent[MLR_SIZES_MAX] = { 0 };

	for (unsigned int place = 0; place < mix->schedule_length; place++) {
		unsigned int next = mlr_spread_next(weights, sent, mix->size_count, place, mix->schedule_length);

		sent[next]++;
		mix->schedule[place] = (uint16_t)next;
	}
}

int mlr_size_from_weights(const struct mlr_size_weight *weights, unsigned int count, struct mlr_size_mix *ret)
{
	unsigned int sums[MLR_SIZES_MAX] = { 0 }, divisor = 0;
	struct mlr_size_mix mix = { 0 };
	uint64_t total = 0;

	for (unsigned int i = 0; i < count; i++) {
		int index;

		if (!weights[i].weight || !weights[i].size_octets || weights[i].size_octets > MLR_FRAME_MAX_OCTETS)
			return -EINVAL;
		index = index_of(&mix, weights[i].size_octets);
		if (index < 0 || __builtin_add_overflow(sums[index], weights[i].weight, &sums[index]))
			return -E2BIG;
	}
	for (unsigned int i = 0; i < mix.size_count; i++)
		divisor = common_divisor(divisor, sums[i]);
	for (unsigned int i = 0; i < mix.size_count; i++)
		total += sums[i] /= divisor;
	if (!total)
		return -EINVAL;
	if (total > MLR_SCHEDULE_MAX)
		return -E2BIG;
	mix.schedule_length = (unsigned int)total;
	spread(&mix, sums);
	*ret = mix;
	return 0;
}

/* --- genomes -------------------------------------------------------------------------------------------------------- */

/* The table of RFC 6985, section 4, without z. */
unsigned int mlr_genome_letter_octets(char letter)
{
	static const unsigned int sizes_octets[] = { 64, 128, 256, 512, 1024, 1280, 1518, 2112, 9000, 16000 };
	unsigned int index = (unsigned int)(letter - 'a');

	return index < sizeof(sizes_octets) / sizeof(sizes_octets[0]) ? sizes_octets[index] : 0;
}

static unsigned int letter_octets(char letter, const unsigned int own_octets[MLR_GENOME_LETTERS])
{
	unsigned int standard_octets = mlr_genome_letter_octets(letter);

	if (standard_octets)
		return standard_octets;
	if (letter >= 'a' && letter <= 'z')
		return own_octets[letter - 'a'];
	if (letter >= 'A' && letter <= 'Z')
		return own_octets[26 + letter - 'A'];
	return 0;
}

int mlr_size_from_genome(const char *genome, const unsigned int own_octets[MLR_GENOME_LETTERS], struct mlr_size_mix *ret)
{
	struct mlr_size_mix mix = { 0 };

	for (; *genome; genome++) {
		unsigned int size_octets = letter_octets(*genome, own_octets);
		int index;

		if (!size_octets || size_octets > MLR_FRAME_MAX_OCTETS)
			return -EINVAL;
		index = index_of(&mix, size_octets);
		if (index < 0 || mix.schedule_length == MLR_SCHEDULE_MAX)
			return -E2BIG;
		mix.schedule[mix.schedule_length++] = (uint16_t)index;
	}
	if (!mix.schedule_length)
		return -EINVAL;
	*ret = mix;
	return 0;
}
