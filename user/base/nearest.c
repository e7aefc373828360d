/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/message.h"

#include <stdio.h>
#include <string.h>

#define WORD_MAX 40 /* longer words are not worth a guess */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Return the distance by optimal string alignment. */
static size_t distance(const char *a, const char *b)
{
	size_t table[WORD_MAX + 1][WORD_MAX + 1];
	size_t a_length = strlen(a), b_length = strlen(b);

	for (size_t i = 0; i <= a_length; i++) {
		for (size_t j = 0; j <= b_length; j++) {
			if (i == 0 || j == 0) {
				table[i][j] = i + j;
				continue;
			}
			table[i][j] = least(table[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
					    least(table[i - 1][j], table[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				table[i][j] = least(table[i][j], table[i - 2][j - 2] + 1);
		}
	}
	return table[a_length][b_length];
}

const char *nearest(const char *word, const char *const *candidates, size_t candidate_count)
{
	size_t word_length = strlen(word);
	size_t best_distance = (word_length + 1) / 3; /* a farther word is not meant */
	const char *best = NULL;

	if (word_length > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < candidate_count; i++) {
		size_t here;

		if (!candidates[i] || strlen(candidates[i]) > WORD_MAX)
			continue;
		here = distance(word, candidates[i]);
		if (here < best_distance || (here == best_distance && !best)) {
			best_distance = here;
			best = candidates[i];
		}
	}
	return best;
}

size_t place_of_word(const char *word, const char *const *words, size_t count)
{
	size_t place = 0;

	while (place < count && strcmp(words[place], word) != 0)
		place++;
	return place;
}

bool is_one_of(const char *word, const char *words)
{
	size_t length = strlen(word);

	for (const char *at = words; at && length && !strchr(word, ' ') && (at = strstr(at, word)); at += length)
		if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

const char *nearest_hint(const char *word, const char *const *candidates, size_t candidate_count, char buffer[HINT_SIZE])
{
	const char *best = nearest(word, candidates, candidate_count);

	buffer[0] = '\0';
	if (best)
		snprintf(buffer, HINT_SIZE, ", did you mean '%s'?", best);
	return buffer;
}
