/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This file finds capacities that a SUT shows again and again.
 *
 * A SUT may have two modes, for example a clock that steps down or a busy neighbour. The losses of its trials then show few
 * capacities, each exact to the frame. Chance hardly ever repeats a capacity. So a capacity that is met again is not drawn
 * from a broad zone, and the exceed probability need not rise along a curve. It is flat between two modes, and jumps at
 * each.
 *
 * In that case all capacities are taken as a sample. Good trials are censored: their capacity was no less than their load.
 * Kaplan and Meier's estimate of the distribution is used besides the curves.
 */
#include "mlrsearch/mlr_private.h"

#include <math.h>

#define ATOM_LOST   30    /* frames that a trial must have lost; smaller losses repeat by chance */
#define ATOM_WIDTH  0.002 /* two capacities are the same within so many Goal Widths */
#define ATOM_FRAMES 2     /* plus so many frames */

static bool is_telling(const struct mlr_observation *seen)
{
	return mlr_shows_capacity(seen) && seen->lost > ATOM_LOST;
}

static bool is_at(const struct mlr_atoms *atoms, const struct mlr_observation *seen, double capacity)
{
	return is_telling(seen) && fabs(seen->forwarded - capacity) <= ATOM_WIDTH * atoms->unit + ATOM_FRAMES * seen->frame;
}

bool mlr_atoms_has_met(const struct mlr_atoms *atoms, const struct mlr_observation *seen)
{
	for (size_t i = 0; i < atoms->count; i++) {
		if (is_telling(&atoms->seen[i]) && is_at(atoms, seen, atoms->seen[i].forwarded))
			return true;
	}
	return false;
}

/* Return the capacity that a trial met, or the smallest that it may have been. */
static double capacity_of(const struct mlr_observation *seen)
{
	return seen->is_bad ? seen->forwarded : seen->position;
}

void mlr_atoms_add(struct mlr_atoms *atoms, const struct mlr_observation *seen)
{
	size_t place = atoms->count;

	if (atoms->count == MLR_ATOMS_SEEN_MAX)
		return;
	for (size_t i = 0; i < atoms->count; i++)
		atoms->has_mode |= is_telling(&atoms->seen[i]) && atoms->seen[i].position != seen->position &&
				   is_at(atoms, seen, atoms->seen[i].forwarded);
	for (; place > 0 && capacity_of(&atoms->seen[place - 1]) > capacity_of(seen); place--)
		atoms->seen[place] = atoms->seen[place - 1];
	atoms->seen[place] = *seen;
	atoms->count++;
}

struct mlr_sample mlr_atoms_sample(const struct mlr_atoms *atoms, double position)
{
	struct mlr_sample sample = { 0 };
	double not_below = 1;

	for (size_t i = 0; i < atoms->count; i++) {
		bool is_below = capacity_of(&atoms->seen[i]) < position;

		sample.trials += atoms->seen[i].is_bad || !is_below;
		if (atoms->seen[i].is_bad && is_below)
			not_below *= 1 - 1.0 / (double)(atoms->count - i);
	}
	sample.below_probability = 1 - not_below;
	return sample;
}
