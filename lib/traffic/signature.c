/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/signature.h"

#include <string.h>

#define WORD_OCTETS sizeof(uint64_t)

void mlr_signature_key_init(const uint8_t seed[MLR_KEY_SEED_OCTETS], struct mlr_signature_key *ret)
{
	struct mlr_signature_key key;

	_Static_assert(sizeof(key) == MLR_KEY_SEED_OCTETS, "a key is as long as its seed");
	memcpy(&key, seed, sizeof(key));
	key.mixing |= 1;
	key.digest_first |= 1;
	key.digest_step = key.digest_step << 2 | 2; /* twice an odd number */
	*ret = key;
}

uint64_t mlr_signature_digest(const struct mlr_signature_key *key, const uint8_t *payload, size_t given, size_t octets)
{
	struct mlr_digest_sums sums = { 0 };
	uint32_t count = 0;

	given = given < octets ? given : octets;
	for (size_t at = 0; at < given; at += WORD_OCTETS, count++) {
		uint64_t word = 0;

		memcpy(&word, payload + at, given - at < WORD_OCTETS ? given - at : WORD_OCTETS);
		mlr_digest_add(&sums, word);
	}
	return mlr_digest_of(&sums, key->mixing, key->digest_first, key->digest_step, (uint32_t)octets, count);
}
