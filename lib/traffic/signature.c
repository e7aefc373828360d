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
	uint64_t digest = mlr_signature_digest_start(key->mixing, (uint32_t)octets), multiplier = key->digest_first;

	given = given < octets ? given : octets;
	for (size_t at = 0; at < given; at += WORD_OCTETS, multiplier += key->digest_step) {
		uint64_t word = 0;

		memcpy(&word, payload + at, given - at < WORD_OCTETS ? given - at : WORD_OCTETS);
		digest += mlr_signature_digest_word(word, multiplier);
	}
	return digest;
}
