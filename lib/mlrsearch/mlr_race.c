/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The race at one load: good trials against bad ones, each with a number of trials still to go.
 *
 * While the trials of a load add up to at most the Goal Duration Sum, Appendix A decides for the side that first has what it
 * needs. Beyond that sum every load is decided. Let the exceed probability p be constant. Then the expected number of trials
 * and the chance of either end follow from the two states after one more trial.
 */
#include "mlrsearch/mlr_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define LOGIT_MAX 5.5
#define NEED_MAX  32 /* longer races are computed in proportion */

struct mlr_race {
	double scale; /* trials for each cell */
	size_t good_most, bad_most;
	struct mlr_outlook outlooks[]; /* outlooks by good trials needed, bad trials needed, and level */
};

double mlr_level_probability(unsigned int level)
{
	double logit = LOGIT_MAX * (2.0 * level / (MLR_LEVELS - 1) - 1);

	return 1 / (1 + exp(-logit));
}

unsigned int mlr_probability_level(double probability)
{
	double logit = log(probability / (1 - probability));
	double level = round((logit / LOGIT_MAX + 1) / 2 * (MLR_LEVELS - 1));

	if (!(level > 0))
		return 0;
	return level < MLR_LEVELS - 1 ? (unsigned int)level : MLR_LEVELS - 1;
}

static size_t row_of(const struct mlr_race *race, size_t good, size_t bad)
{
	return (good * (race->bad_most + 1) + bad) * MLR_LEVELS;
}

/* Compute the outlooks of one need at all levels of the exceed probability, from needs with one trial less. */
static void fill_row(struct mlr_race *race, const double *p, size_t good, size_t bad)
{
	struct mlr_outlook *row = &race->outlooks[row_of(race, good, bad)];
	const struct mlr_outlook *if_good, *if_bad;

	for (unsigned int level = 0; level < MLR_LEVELS; level++) {
		if (!good || !bad) {
			row[level] = (struct mlr_outlook){ 0, good ? 0 : 1 };
			continue;
		}
		if_good = &race->outlooks[row_of(race, good - 1, bad) + level];
		if_bad = &race->outlooks[row_of(race, good, bad - 1) + level];
		row[level].trials = race->scale + (1 - p[level]) * if_good->trials + p[level] * if_bad->trials;
		row[level].lower_probability =
			(1 - p[level]) * if_good->lower_probability + p[level] * if_bad->lower_probability;
	}
}

int mlr_race_new(struct mlr_need most, struct mlr_race **ret)
{
	double scale = fmax(1, fmax(most.good, most.bad) / NEED_MAX);
	size_t good_most = (size_t)ceil(most.good / scale), bad_most = (size_t)ceil(most.bad / scale);
	double p[MLR_LEVELS];
	struct mlr_race *race;

	race = calloc(1, sizeof(*race) + MLR_LEVELS * (good_most + 1) * (bad_most + 1) * sizeof(race->outlooks[0]));
	if (!race)
		return -ENOMEM;
	race->scale = scale;
	race->good_most = good_most;
	race->bad_most = bad_most;
	for (unsigned int level = 0; level < MLR_LEVELS; level++)
		p[level] = mlr_level_probability(level);
	for (size_t good = 0; good <= good_most; good++) {
		for (size_t bad = 0; bad <= bad_most; bad++)
			fill_row(race, p, good, bad);
	}
	*ret = race;
	return 0;
}

void mlr_race_free(struct mlr_race *race)
{
	free(race);
}

static size_t scaled(double need, double scale, size_t most)
{
	double cells = ceil(need / scale);

	return cells < (double)most ? (size_t)cells : most;
}

const struct mlr_outlook *mlr_race_outlooks(const struct mlr_race *race, struct mlr_need need)
{
	size_t good = scaled(need.good, race->scale, race->good_most), bad = scaled(need.bad, race->scale, race->bad_most);

	return &race->outlooks[row_of(race, good, bad)];
}
