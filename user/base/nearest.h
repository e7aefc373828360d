/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Did you mean": the known word nearest to one that is not known. */
#ifndef XDP_MLR_BASE_NEAREST_H
#define XDP_MLR_BASE_NEAREST_H

#include <stddef.h>

/* The candidate with the fewest insertions, deletions, replacements and swaps of neighbours from `word`; NULL if none is
 * near enough to be meant. NULL candidates are passed over. */
const char *nearest(const char *word, const char *const *candidates, size_t candidate_count);

/* ", did you mean 'x'?" for that candidate, or an empty string; written into the buffer and returned. */
const char *nearest_hint(const char *word, const char *const *candidates, size_t candidate_count, char *buffer, size_t size);

#endif
