/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The signature is 4 octets behind the tag of a frame (mlr/tag.h), over the tag and all of the payload that follows. It is
 * made under a key that the tester draws anew for each run. So the receiver knows a frame of this run that arrived as it was
 * sent, even where a SUT removed the UDP checksum or made it anew. The caller owns all memory. A key is made once, and read
 * until the run ends.
 *
 * Words are those of this machine, products and sums are modulo 2^64:
 *
 *	digest     octets * mixing + the sum over i of (w[i] ^ w[i] >> 32) * (first + i * step)
 *	           w[i] is word i of 8 octets of the payload behind the signature; the last one is filled up with zeros
 *	mix        (sequence + a) * (departure_ns + b) + (departure_high and flow + c) * (trial and lateness + d) + digest
 *	           the sums in brackets are modulo 2^32 (the hash NH of RFC 4418)
 *	signature  the upper 32 bits of (mix ^ mix >> 32) * mixing
 *
 * `first` is odd and `step` twice an odd number, so each multiplier is odd: one changed word always changes the digest, and
 * so do two that changed places. The digest is the same for all frames of a template. So a frame costs three
 * multiplications, and only the receiver of a frame that is verified looks at the payload again.
 *
 * Any other change is missed once in 2^32 times. That is a protection against faults, other testers and earlier runs. It is
 * none against somebody who computes the key from many frames.
 *
 * Transmitters in C and in BPF share this header. It includes nothing but fixed-size integers, calls nothing, and has no loop.
 */
#ifndef MLR_SIGNATURE_H
#define MLR_SIGNATURE_H

#include <stddef.h>
#include <stdint.h>

#define MLR_SIGNATURE_OCTETS 4
#define MLR_KEY_SEED_OCTETS  40

struct mlr_signature_key {
	uint64_t mixing; /* odd; 0: there is no key, and nothing is signed */
	uint64_t digest_first, digest_step;
	uint32_t tag[4]; /* a, b, c, d */
};

/* What a signature is of, as the tag has it. */
struct mlr_signed_tag {
	uint32_t sequence, departure_ns;
	uint32_t high_and_flow;      /* departure_high, 8 bits, and flow, 24 bits */
	uint32_t trial_and_lateness; /* 16 bits each */
};

/* Make a key from octets that nobody can guess. */
void mlr_signature_key_init(const uint8_t seed[MLR_KEY_SEED_OCTETS], struct mlr_signature_key *ret);

/* Return the digest of a payload of `octets`. Behind the `given` ones that are at `payload` it has zeros. */
uint64_t mlr_signature_digest(const struct mlr_signature_key *key, const uint8_t *payload, size_t given, size_t octets);

/* What a digest is made of, without a multiplication for each word: the sum of the mixed words, and the sum of what that sum was
 * after each of them. In the latter the first of n words counts n times, and the last one once. Zeros are the beginning. */
struct mlr_digest_sums {
	uint64_t words, sums;
};

/* Add to a sum. For BPF the compiler would copy the sum first, and read words ahead for which there are no registers. */
static inline void mlr_add(uint64_t *sum, uint64_t more)
{
#ifdef __bpf__
	uint64_t in_register = *sum;

	__asm__ volatile("%0 += %1" : "+r"(in_register) : "r"(more));
	*sum = in_register;
#else
	*sum += more;
#endif
}

/* Add the next word of a payload. */
static inline void mlr_digest_add(struct mlr_digest_sums *sums, uint64_t word)
{
	mlr_add(&sums->words, word ^ word >> 32);
	mlr_add(&sums->sums, sums->words);
}

/* Return the digest of a payload of `octets`, of which `count` words were added: all of them, and any number of zeros. */
static inline uint64_t mlr_digest_of(const struct mlr_digest_sums *sums, uint64_t mixing, uint64_t first, uint64_t step,
				     uint32_t octets, uint32_t count)
{
	return octets * mixing + sums->words * first + (sums->words * count - sums->sums) * step;
}

/* Return what the tag adds to the mix. */
static inline uint64_t mlr_signature_tag(const uint32_t key[4], const struct mlr_signed_tag *tag)
{
	uint32_t sequence = tag->sequence + key[0], departure_ns = tag->departure_ns + key[1];
	uint32_t flow = tag->high_and_flow + key[2], trial = tag->trial_and_lateness + key[3];

	return (uint64_t)sequence * departure_ns + (uint64_t)flow * trial;
}

/* Return the signature of a mix. */
static inline uint32_t mlr_signature_of(uint64_t mix, uint64_t mixing)
{
	return (uint32_t)(((mix ^ mix >> 32) * mixing) >> 32);
}

#endif
