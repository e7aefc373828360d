/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Capacities that come again.
 *
 * What trials of a SUT with two modes (a clock that steps down, a busy neighbour) lose shows few capacities, each exact to
 * the frame; chance hardly repeats one. So where a capacity is met again, it is no draw from a broad zone: the loss was not as
 * likely as any other.
 */
#include "mlr_private.h"

#include <math.h>

#define ATOM_LOST   30    /* frames; fewer come again by chance */
#define ATOM_WIDTH  0.002 /* widths within which two capacities are one, */
#define ATOM_FRAMES 2     /* beside these frames */

static bool is_telling(const struct mlr_observation *seen)
{
	return seen->is_bad && seen->lost > ATOM_LOST;
}

static bool is_at(const struct mlr_atoms *atoms, const struct mlr_observation *seen, double capacity)
{
	return is_telling(seen) && fabs(seen->forwarded - capacity) <= ATOM_WIDTH * atoms->unit + ATOM_FRAMES * seen->frame;
}

bool mlr_atoms_has_met(const struct mlr_atoms *atoms, const struct mlr_observation *seen)
{
	for (size_t i = 0; i < atoms->count && &atoms->seen[i] != seen; i++) {
		if (is_telling(&atoms->seen[i]) && is_at(atoms, seen, atoms->seen[i].forwarded))
			return true;
	}
	return false;
}

void mlr_atoms_add(struct mlr_atoms *atoms, const struct mlr_observation *seen)
{
	if (atoms->count == MLR_ATOMS_SEEN_MAX)
		return;
	atoms->seen[atoms->count++] = *seen;
}
