/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Capacities that come again.
 *
 * What trials of a SUT with two modes (a clock that steps down, a busy neighbour) lose shows few capacities, each exact to
 * the frame; chance repeats none. So a capacity that bad trials met at several loads, and that a good trial surpassed, is an
 * atom: a mode that comes and goes. Below it hardly any trial is bad.
 */
#include "mlr_private.h"

#include <math.h>

#define ATOM_LOST   30    /* frames; fewer come again by chance */
#define ATOM_WIDTH  0.002 /* widths within which two capacities are one, */
#define ATOM_FRAMES 2     /* beside these frames */
#define SURPASSED   0.05  /* widths */

static bool is_telling(const struct mlr_observation *seen)
{
	return seen->is_bad && seen->lost > ATOM_LOST;
}

bool mlr_atoms_is_at(const struct mlr_atoms *atoms, const struct mlr_observation *seen, double capacity)
{
	return is_telling(seen) && fabs(seen->forwarded - capacity) <= ATOM_WIDTH * atoms->unit + ATOM_FRAMES * seen->frame;
}

bool mlr_atoms_has_met(const struct mlr_atoms *atoms, const struct mlr_observation *seen)
{
	for (size_t i = 0; i < atoms->count && &atoms->seen[i] != seen; i++) {
		if (is_telling(&atoms->seen[i]) && mlr_atoms_is_at(atoms, seen, atoms->seen[i].forwarded))
			return true;
	}
	return false;
}

/* How often a capacity was met, if at several loads. */
static size_t times_met(const struct mlr_atoms *atoms, const struct mlr_observation *first)
{
	bool is_met_elsewhere = false;
	size_t met = 0;

	for (size_t i = 0; i < atoms->count; i++) {
		if (!mlr_atoms_is_at(atoms, &atoms->seen[i], first->forwarded))
			continue;
		met++;
		is_met_elsewhere |= atoms->seen[i].position != first->position;
	}
	return is_met_elsewhere ? met : 0;
}

void mlr_atoms_add(struct mlr_atoms *atoms, const struct mlr_observation *seen)
{
	if (atoms->count == MLR_ATOMS_SEEN_MAX)
		return;
	atoms->seen[atoms->count++] = *seen;
	if (!seen->is_bad && !(seen->position <= atoms->highest_good))
		atoms->highest_good = seen->position;
}

double mlr_atoms_find(const struct mlr_atoms *atoms)
{
	double atom = NAN;
	size_t most = 0;

	for (size_t i = 0; i < atoms->count; i++) {
		const struct mlr_observation *seen = &atoms->seen[i];
		size_t met;

		if (!is_telling(seen) || !(atoms->highest_good > seen->forwarded + SURPASSED * atoms->unit))
			continue;
		met = times_met(atoms, seen);
		if (met <= most)
			continue;
		most = met;
		atom = seen->forwarded;
	}
	return atom;
}
