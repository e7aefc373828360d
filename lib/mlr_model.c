/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the trials say about a goal's critical load: a posterior over a small family of curves, summed up on a grid.
 *
 * A curve gives the probability that a full-length trial exceeds the Goal Loss Ratio, as a function of the position x:
 *
 *	p(x) = floor + (1 - floor) * logistic(1.7 * (x - critical) / spread)
 *
 * The floor stands for interference that does not care about the load. The grid is fixed once the critical load is located,
 * fine near the root and coarser away from it; so the posterior is exact on its grid, repeatable, and cheap to bring up to
 * date with one more trial. Nothing here decides what is a bound: the model only chooses where to measure.
 */
#include "mlr_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define FLOORS           3
#define SPREADS          13
#define SIDE_OFFSETS     68 /* critical loads on each side of the root */
#define OFFSETS          (2 * SIDE_OFFSETS + 1)
#define HYPOTHESES       (FLOORS * SPREADS * OFFSETS)
#define SPREAD_MIN       0.08 /* widths */
#define SPREAD_RATIO     1.95 /* of neighbours on the grid */
#define SPREAD_MEDIAN    2    /* widths, where the loss tells nothing */
#define SPREAD_DEVIATION 1.5  /* of its logarithm */
#define SPREAD_TRUST     0.85 /* in what the growth of the loss predicts */
#define OFFSET_STEP      0.25 /* widths */
#define OFFSET_GROWTH    0.13
#define MASS_NEGLECTED   1e-2 /* of the heaviest hypothesis */

_Static_assert(FLOORS *SPREADS <= MLR_SHAPES, "a shape has an index of its own");

static const double floors[FLOORS] = { 0, 0.15, 0.36 };
static const double floor_weights[FLOORS] = { 0.9, 0.05, 0.05 };

/* A curve as a table over z = (x - critical) / spread. */
#define CURVE_STEPS_A_Z 16
#define CURVE_Z_MAX     6
#define CURVE_CELLS     (2 * CURVE_Z_MAX * CURVE_STEPS_A_Z + 1)

struct curve_cell {
	double log_good;
	double log_bad;
	unsigned int level;
};

struct mlr_model {
	double critical[OFFSETS];
	double inverse_spread[SPREADS];
	struct curve_cell curves[FLOORS][CURVE_CELLS];
	double log_weight[FLOORS][SPREADS][OFFSETS];
	struct mlr_hypothesis hypotheses[HYPOTHESES];
};

static size_t curve_cell_of(double z)
{
	double cell = (z + CURVE_Z_MAX) * CURVE_STEPS_A_Z + 0.5;

	if (!(cell > 0))
		return 0;
	return cell < CURVE_CELLS - 1 ? (size_t)cell : CURVE_CELLS - 1;
}

static double exceed_probability(double floor_ratio, double z)
{
	double p = floor_ratio + (1 - floor_ratio) / (1 + exp(-1.7 * z));

	return fmin(fmax(p, 0.004), 0.996);
}

static void set_curves(struct mlr_model *model)
{
	for (size_t f = 0; f < FLOORS; f++) {
		for (size_t i = 0; i < CURVE_CELLS; i++) {
			double p = exceed_probability(floors[f], (double)i / CURVE_STEPS_A_Z - CURVE_Z_MAX);

			model->curves[f][i] = (struct curve_cell){ log(1 - p), log(p), mlr_probability_level(p) };
		}
	}
}

static void set_critical(struct mlr_model *model, double root, double unit)
{
	double offset = 0;

	model->critical[SIDE_OFFSETS] = root;
	for (size_t i = 1; i <= SIDE_OFFSETS; i++) {
		offset += fmax(OFFSET_STEP, OFFSET_GROWTH * offset);
		model->critical[SIDE_OFFSETS + i] = root + offset * unit;
		model->critical[SIDE_OFFSETS - i] = root - offset * unit;
	}
}

/* Log of the prior mass of the i-th critical load: a Laplace density with a heavy tail, times the cell of the grid. */
static double critical_prior(const struct mlr_model *model, size_t i, const struct mlr_root *root, double unit)
{
	size_t below = i ? i - 1 : i, above = i + 1 < OFFSETS ? i + 1 : i;
	double cell = (model->critical[above] - model->critical[below]) / (double)(above - below);
	double scale = 2 * fmax(root->uncertainty, 0.5 * unit);
	double distance = fabs(model->critical[i] - root->position) / scale;

	return log(cell / scale * (0.85 * exp(-distance) + 0.15 / (1 + distance * distance / 25) / 5));
}

static double log_normal(double value, double median, double deviation)
{
	double distance = log(value / median) / deviation;

	return exp(-distance * distance / 2) / deviation;
}

/*
 * Log of the prior mass of a spread: about what the growth of the loss predicts, if that is known. It may mislead (a
 * capacity that varies from trial to trial makes a wide zone with steep losses), so a part is left to spreads of any size.
 */
static double spread_prior(double spread, const struct mlr_root *root, double unit)
{
	double broad = log_normal(spread, SPREAD_MEDIAN * unit, SPREAD_DEVIATION);

	if (!(root->steepness > 0))
		return log(broad);
	return log((1 - SPREAD_TRUST) * broad +
		   SPREAD_TRUST * log_normal(spread, 1 / root->steepness, hypot(0.6, root->steepness_ratio)) + 1e-12);
}

static void set_prior(struct mlr_model *model, const struct mlr_root *root, double unit)
{
	double critical_log[OFFSETS];

	for (size_t i = 0; i < OFFSETS; i++)
		critical_log[i] = critical_prior(model, i, root, unit);
	for (size_t s = 0; s < SPREADS; s++) {
		double spread_log = spread_prior(1 / model->inverse_spread[s], root, unit);

		for (size_t f = 0; f < FLOORS; f++) {
			for (size_t i = 0; i < OFFSETS; i++)
				model->log_weight[f][s][i] = log(floor_weights[f]) + spread_log + critical_log[i];
		}
	}
}

int mlr_model_new(const struct mlr_root *root, double unit, struct mlr_model **ret)
{
	struct mlr_model *model = calloc(1, sizeof(*model));

	if (!model)
		return -ENOMEM;
	for (size_t s = 0; s < SPREADS; s++)
		model->inverse_spread[s] = 1 / (SPREAD_MIN * unit * pow(SPREAD_RATIO, (double)s));
	set_curves(model);
	set_critical(model, root->position, unit);
	set_prior(model, root, unit);
	*ret = model;
	return 0;
}

void mlr_model_free(struct mlr_model *model)
{
	free(model);
}

void mlr_model_learn(struct mlr_model *model, double position, const struct mlr_evidence *evidence)
{
	for (size_t f = 0; f < FLOORS; f++) {
		for (size_t s = 0; s < SPREADS; s++) {
			for (size_t i = 0; i < OFFSETS; i++) {
				double z = (position - model->critical[i]) * model->inverse_spread[s];
				const struct curve_cell *cell = &model->curves[f][curve_cell_of(z)];

				model->log_weight[f][s][i] +=
					evidence->good * cell->log_good + evidence->bad * cell->log_bad;
			}
		}
	}
}

static double heaviest(const struct mlr_model *model)
{
	const double *log_weight = &model->log_weight[0][0][0];
	double most = log_weight[0];

	for (size_t i = 1; i < HYPOTHESES; i++)
		most = fmax(most, log_weight[i]);
	return most;
}

size_t mlr_model_hypotheses(struct mlr_model *model, const struct mlr_hypothesis **ret)
{
	double most = heaviest(model), least = most + log(MASS_NEGLECTED), sum = 0;
	size_t count = 0;

	for (size_t f = 0; f < FLOORS; f++) {
		for (size_t s = 0; s < SPREADS; s++) {
			for (size_t i = 0; i < OFFSETS; i++) {
				double log_weight = model->log_weight[f][s][i];

				if (log_weight < least)
					continue;
				model->hypotheses[count] = (struct mlr_hypothesis){
					.weight = exp(log_weight - most),
					.critical = model->critical[i],
					.inverse_spread = model->inverse_spread[s],
					.floor = (unsigned int)f,
					.shape = (unsigned int)(f * SPREADS + s),
				};
				sum += model->hypotheses[count++].weight;
			}
		}
	}
	for (size_t i = 0; i < count; i++)
		model->hypotheses[i].weight /= sum;
	*ret = model->hypotheses;
	return count;
}

unsigned int mlr_model_level(const struct mlr_model *model, const struct mlr_hypothesis *hypothesis, double position)
{
	double z = (position - hypothesis->critical) * hypothesis->inverse_spread;

	return model->curves[hypothesis->floor][curve_cell_of(z)].level;
}
