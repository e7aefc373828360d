/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model says what the trials tell about a goal's critical load: a posterior over a small family of curves, computed on a
 * grid.
 *
 * A curve gives the probability p(x) that a full-length trial at position x exceeds the Goal Loss Ratio. The number of
 * frames that a bad trial lost says more, but its meaning depends on the reason of the loss. So there are kinds of curves:
 *
 *	blind		p(x) = logistic(1.7 * z), z = (x - critical) / spread; any loss is as likely, but for a capacity
 *			that comes again (mlr_atoms.c).
 *	counted		frames are lost one by one, so that their number is a Poisson count of mean ln(2) * exp(z).
 *	capacity	each trial draws its own capacity, and loses what exceeds it: p(x) = logistic(1.7 * z) again, but a
 *			bad trial tells the very capacity that it met.
 *
 * The trials themselves tell the kinds apart. The grid is fixed once the critical load is located. It is fine near the root
 * and coarser away from it. So the posterior is exact on its grid, repeatable, and cheap to update with one more trial.
 * Nothing here decides what is a bound: the model only chooses where to measure.
 */
#include "mlrsearch/mlr_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define KIND_BLIND    0
#define KIND_CAPACITY 1
#define KIND_COUNTED  2 /* kind that is used only where no loss is tolerated */
#define KINDS         3
#define SPREADS       20
#define SIDE_OFFSETS  68 /* critical loads on each side of the root */
#define OFFSETS       (2 * SIDE_OFFSETS + 1)
#define HYPOTHESES    (KINDS * SPREADS * OFFSETS)
#define SPREAD_MIN    0.08 /* in Goal Widths */
#define PROPORTIONAL                                                                                                        \
	(SPREADS - 2)         /* the index of the spread for which a count is proportional to the load, as on a lossy link */
#define PROPORTIONAL_SAY 10   /* factor by which PROPORTIONAL is likelier than the prior of its spread alone */
#define SPREAD_MEDIAN    2    /* median of the spread in Goal Widths, if the loss tells nothing */
#define SPREAD_DEVIATION 1.5  /* the standard deviation of its logarithm */
#define SPREAD_TRUST     0.85 /* the part of the prior that trusts what the growth of the loss predicts */
#define OFFSET_STEP      0.25 /* in Goal Widths */
#define OFFSET_GROWTH    0.13
#define MASS_NEGLECTED   1e-2 /* hypotheses below this part of the heaviest one are neglected */

_Static_assert(KINDS *SPREADS <= MLR_SHAPES, "a shape has an index of its own");

static const double kind_weights[KINDS] = { 0.5, 0.1, 0.34 };

#define P_MIN          0.004 /* no curve is more certain */
#define COUNTS         8     /* larger counts are taken as equal, because the curve may bend far from the median */
#define LOSS_RANGE     16.0  /* natural logarithm of the range of losses */
#define NOVEL_LOSSES   2     /* After so many losses, the next one is as likely to repeat one of them as to be new. */
#define OUTLIER_WEIGHT 0.02  /* the weight of losses that a kind does not explain */
#define DRAWN_DOUBT    2.5   /* factor by which the root is less certain where trials draw capacities */
#define CURVE_TRIALS   3     /* trials that a curve is worth, besides capacities that were met again */
#define AGAIN_LOG      -1.5 /* the logarithm of the probability that a loss puts the capacity where an earlier trial met it */

struct curve_cell {
	double log_good;
	double log_bad;
};

struct mlr_model {
	size_t kinds; /* number of kinds that this goal has */
	double critical[OFFSETS];
	double inverse_spread[SPREADS];
	struct curve_cell curves[KINDS][MLR_CURVE_CELLS];
	unsigned char levels[KINDS][MLR_CURVE_CELLS];
	double densities[MLR_CURVE_CELLS]; /* of the capacity that a trial draws, for a spread of one step */
	double means[MLR_CURVE_CELLS];     /* of the frames that a full-length trial loses, where they are lost one by one */
	double log_weight[KINDS][SPREADS][OFFSETS];
	bool has_atoms;  /* The model looks for capacities that are met again. */
	bool has_sample; /* Capacities are a sample. */
	struct mlr_atoms atoms;
	double probabilities[MLR_LEVELS]; /* the exceed probability of each level */
	struct mlr_hypothesis hypotheses[HYPOTHESES];
};

/* Return z at the middle of a cell. */
static double z_of(size_t cell)
{
	return (double)cell / MLR_CURVE_STEPS_A_Z - MLR_CURVE_Z_MAX;
}

static double logistic(double z)
{
	return 1 / (1 + exp(-1.7 * z));
}

static double exceed_probability(size_t kind, double z)
{
	double p;

	if (kind == KIND_COUNTED)
		p = 1 - exp(-M_LN2 * exp(z));
	else
		p = logistic(z);
	return fmin(fmax(p, P_MIN), 1 - P_MIN);
}

static void set_curves(struct mlr_model *model)
{
	for (unsigned int level = 0; level < MLR_LEVELS; level++)
		model->probabilities[level] = mlr_level_probability(level);
	for (size_t i = 0; i < MLR_CURVE_CELLS; i++) {
		model->densities[i] = 1.7 * logistic(z_of(i)) * logistic(-z_of(i));
		model->means[i] = M_LN2 * exp(z_of(i));
	}
	for (size_t kind = 0; kind < KINDS; kind++) {
		for (size_t i = 0; i < MLR_CURVE_CELLS; i++) {
			double p = exceed_probability(kind, z_of(i));

			model->curves[kind][i] = (struct curve_cell){ log(1 - p), log(p) };
			model->levels[kind][i] = (unsigned char)mlr_probability_level(p);
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

/* Return the logarithm of the prior mass of the i-th critical load. It is a Laplace density of this scale with a heavy tail,
 * times the cell of the grid. */
static double critical_prior(const struct mlr_model *model, size_t i, const struct mlr_root *root, double scale)
{
	size_t below = i ? i - 1 : i, above = i + 1 < OFFSETS ? i + 1 : i;
	double cell = (model->critical[above] - model->critical[below]) / (double)(above - below);
	double distance = fabs(model->critical[i] - root->position) / scale;

	return log(cell / scale * (0.85 * exp(-distance) + 0.15 / (1 + distance * distance / 25) / 5));
}

static double log_normal(double value, double median, double deviation)
{
	double distance = log(value / median) / deviation;

	return exp(-distance * distance / 2) / deviation;
}

/*
 * Return the logarithm of the prior mass of a spread. It is near what the growth of the loss predicts, if that is known.
 * This may mislead, because a capacity that varies from trial to trial has a wide zone with steep losses. So a part of the
 * mass is left to spreads of any size.
 */
static double spread_prior(double spread, const struct mlr_root *root, double unit)
{
	double broad = log_normal(spread, SPREAD_MEDIAN * unit, SPREAD_DEVIATION);

	if (!(root->steepness > 0))
		return log(broad);
	return log((1 - SPREAD_TRUST) * broad +
		   SPREAD_TRUST * log_normal(spread, 1 / root->steepness, hypot(0.6, root->steepness_ratio)) + 1e-12);
}

/* Set the spreads. The last but one is the spread of a proportional count: a load e times as high loses e times as many
 * frames. */
static void set_spreads(struct mlr_model *model, double unit, double width_ratio)
{
	double proportional = 1 / -log1p(-width_ratio); /* in Goal Widths */

	for (size_t s = 0; s < SPREADS; s++)
		model->inverse_spread[s] =
			1 / (SPREAD_MIN * unit * pow(proportional / SPREAD_MIN, (double)s / PROPORTIONAL));
}

static void set_prior(struct mlr_model *model, const struct mlr_root *root, double unit)
{
	double critical_log[OFFSETS], drawn_log[OFFSETS], scale = 2 * fmax(root->uncertainty, 0.5 * unit);

	for (size_t i = 0; i < OFFSETS; i++) {
		critical_log[i] = critical_prior(model, i, root, scale);
		drawn_log[i] = critical_prior(model, i, root, (model->kinds == KINDS ? DRAWN_DOUBT : 1) * scale);
	}
	for (size_t s = 0; s < SPREADS; s++) {
		double spread_log = spread_prior(1 / model->inverse_spread[s], root, unit);

		for (size_t kind = 0; kind < model->kinds; kind++) {
			double say = kind == KIND_COUNTED && s == PROPORTIONAL ? PROPORTIONAL_SAY : 1;
			double shape_log = log(kind_weights[kind] * say) + spread_log;
			const double *place_log = kind == KIND_CAPACITY ? drawn_log : critical_log;

			for (size_t i = 0; i < OFFSETS; i++)
				model->log_weight[kind][s][i] = shape_log + place_log[i];
		}
	}
}

int mlr_model_new(const struct mlr_root *root, double unit, const struct mlr_goal *goal, struct mlr_model **ret)
{
	struct mlr_model *model = calloc(1, sizeof(*model));

	if (!model)
		return -ENOMEM;
	model->kinds = goal->loss_ratio <= 0 ? KINDS : KIND_COUNTED;
	model->has_atoms = goal->initial_trial_duration_s >= goal->final_trial_duration_s;
	model->atoms.unit = unit;
	set_spreads(model, unit, goal->width_ratio);
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

/* Return the logarithm of the loss of a full-length trial. */
static double loss_log(const struct mlr_observation *seen)
{
	return log(fmax(1, seen->lost) / seen->length);
}

/* Return the logarithm of the probability of exactly this loss if it does not depend on the load: the loss repeats an
 * earlier one, or is any. */
static double any_loss_log(const struct mlr_model *model, const struct mlr_observation *seen)
{
	double density = NOVEL_LOSSES / LOSS_RANGE, count = NOVEL_LOSSES;

	for (size_t i = 0; i < model->atoms.count; i++) {
		double distance = loss_log(&model->atoms.seen[i]) - loss_log(seen);

		if (!model->atoms.seen[i].is_bad)
			continue;
		density += exp(-distance * distance / 2) / sqrt(2 * M_PI);
		count++;
	}
	return log(density / count / fmax(1, seen->lost));
}

/* Return the same if a loss is likelier that puts the capacity where it was before. */
static double this_loss_log(const struct mlr_model *model, const struct mlr_observation *seen)
{
	double any_loss = any_loss_log(model, seen);

	return model->has_atoms && mlr_atoms_has_met(&model->atoms, seen) ? fmax(AGAIN_LOG, any_loss) : any_loss;
}

/* Return the likelihood of a number of lost frames for a counted kind, with this mean for a full-length trial. */
static double counted_likelihood(const struct mlr_observation *seen, double any_loss, double mean)
{
	double part_mean = mean * seen->length, part = exp(-part_mean), sum = part;

	if (!seen->is_bad)
		return log(fmax(part, P_MIN));
	for (int n = 1; n <= COUNTS && n <= seen->lost; n++) {
		part *= part_mean / n;
		sum += part;
	}
	if (seen->lost > COUNTS)
		return log(fmax(1 - sum, P_MIN)) + any_loss;
	return log(part + OUTLIER_WEIGHT * exp(any_loss));
}

/* Return the logarithm of the likelihood of a trial for a kind, at this cell of the curve. A density is for a spread of one
 * step. */
static double likelihood(const struct mlr_model *model, size_t kind, size_t i, const struct mlr_observation *seen,
			 double any_loss)
{
	const struct curve_cell *cell = &model->curves[kind][i];

	if (kind == KIND_COUNTED)
		return counted_likelihood(seen, any_loss, model->means[i]);
	if (kind == KIND_CAPACITY && !seen->is_bad)
		return cell->log_good;
	if (kind == KIND_CAPACITY && mlr_shows_capacity(seen))
		return log(model->densities[i] * seen->frame);
	return seen->is_bad ? cell->log_bad + any_loss : seen->good * cell->log_good;
}

/* Add to each hypothesis the values that its curve has at a position, by cells of the curve of its kind. */
static void add_by_cells(struct mlr_model *model, double position, double by_cell[KINDS][MLR_CURVE_CELLS])
{
	for (size_t s = 0; s < SPREADS; s++) {
		for (size_t i = 0; i < OFFSETS; i++) {
			double z = (position - model->critical[i]) * model->inverse_spread[s];
			size_t cell = mlr_curve_cell(z);

			for (size_t kind = 0; kind < model->kinds; kind++)
				model->log_weight[kind][s][i] += by_cell[kind][cell];
		}
	}
}

/* Learn the capacity that a bad trial met: its density there. */
static void learn_capacity(struct mlr_model *model, const struct mlr_observation *seen)
{
	double by_cell[MLR_CURVE_CELLS], any_loss = any_loss_log(model, seen), outlier = log(OUTLIER_WEIGHT) + any_loss;

	for (size_t i = 0; i < MLR_CURVE_CELLS; i++)
		by_cell[i] = likelihood(model, KIND_CAPACITY, i, seen, any_loss);
	for (size_t s = 0; s < SPREADS; s++) {
		double factor = log(model->inverse_spread[s]);

		for (size_t i = 0; i < OFFSETS; i++) {
			double z = (seen->forwarded - model->critical[i]) * model->inverse_spread[s];
			double drawn = by_cell[mlr_curve_cell(z)] + factor;

			model->log_weight[KIND_CAPACITY][s][i] += drawn > outlier ? drawn : outlier;
		}
	}
}

/* Learn from one trial, without what is added by cells. */
static void learn_trial(struct mlr_model *model, const struct mlr_observation *seen, double by_cell[KINDS][MLR_CURVE_CELLS])
{
	double loss_log = this_loss_log(model, seen);

	for (size_t kind = 0; kind < model->kinds; kind++) {
		if (kind == KIND_CAPACITY && mlr_shows_capacity(seen)) {
			learn_capacity(model, seen);
			continue;
		}
		for (size_t i = 0; i < MLR_CURVE_CELLS; i++)
			by_cell[kind][i] += likelihood(model, kind, i, seen, loss_log);
	}
}

void mlr_model_learn(struct mlr_model *model, const struct mlr_observation *seen, size_t count)
{
	double by_cell[KINDS][MLR_CURVE_CELLS] = { 0 };

	for (size_t t = 0; t < count; t++) {
		learn_trial(model, &seen[t], by_cell);
		mlr_atoms_add(&model->atoms, &seen[t]);
	}
	add_by_cells(model, seen->position, by_cell);
}

static double heaviest(const struct mlr_model *model)
{
	const double *log_weight = &model->log_weight[0][0][0];
	double most = log_weight[0];

	for (size_t i = 1; i < model->kinds * SPREADS * OFFSETS; i++)
		most = fmax(most, log_weight[i]);
	return most;
}

size_t mlr_model_hypotheses(struct mlr_model *model, const struct mlr_hypothesis **ret)
{
	double most, least, sum = 0;
	size_t count = 0;

	most = heaviest(model);
	least = most + log(MASS_NEGLECTED);

	for (size_t kind = 0; kind < model->kinds; kind++) {
		for (size_t s = 0; s < SPREADS; s++) {
			for (size_t i = 0; i < OFFSETS; i++) {
				double log_weight = model->log_weight[kind][s][i];

				if (log_weight < least)
					continue;
				model->hypotheses[count] = (struct mlr_hypothesis){
					.weight = exp(log_weight - most),
					.critical = model->critical[i],
					.inverse_spread = model->inverse_spread[s],
					.levels = model->levels[kind],
					.shape = (unsigned int)(kind * SPREADS + s),
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

void mlr_model_use_sample(struct mlr_model *model, bool is_sample)
{
	model->has_sample = is_sample;
}

bool mlr_model_correct(const struct mlr_model *model, double position, unsigned char ret_levels[MLR_LEVELS])
{
	const double *p = model->probabilities;
	struct mlr_sample sample;
	unsigned char nearest = 0;
	double say;

	if (!model->has_atoms || !model->atoms.has_mode || !model->has_sample)
		return false;
	sample = mlr_atoms_sample(&model->atoms, position);
	say = sample.trials / (sample.trials + CURVE_TRIALS);
	for (size_t level = 0; level < MLR_LEVELS; level++) {
		double probability = say * sample.below_probability + (1 - say) * p[level];

		while (nearest + 1 < MLR_LEVELS && p[nearest + 1] - probability <= probability - p[nearest])
			nearest++;
		ret_levels[level] = nearest;
	}
	return true;
}
