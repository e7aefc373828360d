/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/y1564.h"

#include <math.h>

#define POLICING_FACTOR  1.25
#define HAIR             1e-12 /* by which part of itself a figure may be off for being computed: less than a frame makes */
#define SMALL_EIR_FACTOR 0.2   /* part of CIR: for a smaller EIR, 25 % more of EIR would hardly be a higher load */

/* --- service configuration test ------------------------------------------------------------------------------------------- */

/* What has to come through of the committed rate. */
static double committed_fps(const struct mlr_y1564_service *service)
{
	double loss_ratio = service->sla.loss_ratio;

	return service->cir_fps * (1 - (isnan(loss_ratio) ? 0 : loss_ratio));
}

static double policing_fps(const struct mlr_y1564_service *service)
{
	if (service->eir_fps < SMALL_EIR_FACTOR * service->cir_fps)
		return POLICING_FACTOR * service->cir_fps + service->eir_fps;
	return service->cir_fps + POLICING_FACTOR * service->eir_fps;
}

size_t mlr_y1564_steps(const struct mlr_y1564_service *service, const double *cir_ratios, size_t cir_count,
		       struct mlr_y1564_step ret[MLR_Y1564_STEPS_MAX])
{
	double all_fps = service->cir_fps + service->eir_fps;
	size_t count = 0;

	for (size_t i = 0; i < cir_count; i++)
		ret[count++] = (struct mlr_y1564_step){ MLR_Y1564_CIR, cir_ratios[i] * service->cir_fps, NAN, NAN };
	if (service->eir_fps > 0)
		ret[count++] = (struct mlr_y1564_step){ MLR_Y1564_EIR, all_fps, committed_fps(service), NAN };
	ret[count++] = (struct mlr_y1564_step){ MLR_Y1564_POLICING, policing_fps(service), committed_fps(service),
						all_fps * (1 + service->margin_ratio) };
	return count;
}

static bool is_above(double figure, double most)
{
	return figure > most + HAIR * fabs(most);
}

/* The bit where a figure is above what is asked; nothing where nothing is. */
static unsigned int judge_most(double figure, double most, enum mlr_y1564_fault fault)
{
	if (isnan(most))
		return 0;
	return isnan(figure) ? MLR_Y1564_UNKNOWN : is_above(figure, most) ? fault : 0;
}

static unsigned int judge_least(double figure, double least, enum mlr_y1564_fault fault)
{
	if (isnan(least))
		return 0;
	return isnan(figure) ? MLR_Y1564_UNKNOWN : is_above(least, figure) ? fault : 0;
}

/* Loss is asked for in any case: where the SLA has none, there must be none. */
static unsigned int judge_frames(const struct mlr_y1564_sla *sla, const struct mlr_y1564_outcome *outcome)
{
	return judge_most(outcome->loss_ratio, isnan(sla->loss_ratio) ? 0 : sla->loss_ratio, MLR_Y1564_LOSS) |
	       judge_most(outcome->delay_ns, sla->delay_ns, MLR_Y1564_DELAY) |
	       judge_most(outcome->delay_max_ns, sla->delay_max_ns, MLR_Y1564_DELAY_MAX) |
	       judge_most(outcome->variation_ns, sla->variation_ns, MLR_Y1564_VARIATION);
}

unsigned int mlr_y1564_judge_step(const struct mlr_y1564_service *service, const struct mlr_y1564_step *step,
				  const struct mlr_y1564_outcome *outcome)
{
	if (step->kind == MLR_Y1564_CIR)
		return judge_frames(&service->sla, outcome);
	return judge_least(outcome->received_fps, step->least_fps, MLR_Y1564_TOO_LITTLE) |
	       judge_most(outcome->received_fps, step->most_fps, MLR_Y1564_TOO_MUCH);
}

/* --- directions ----------------------------------------------------------------------------------------------------------- */

static const struct {
	size_t offset; /* offset of the figure in the outcome */
	bool least;    /* The smallest value is the worst. */
} figures[MLR_Y1564_FIGURES] = {
	[MLR_Y1564_RECEIVED_FPS] = { offsetof(struct mlr_y1564_outcome, received_fps), true },
	[MLR_Y1564_LOSS_RATIO] = { offsetof(struct mlr_y1564_outcome, loss_ratio), false },
	[MLR_Y1564_DELAY_NS] = { offsetof(struct mlr_y1564_outcome, delay_ns), false },
	[MLR_Y1564_DELAY_MAX_NS] = { offsetof(struct mlr_y1564_outcome, delay_max_ns), false },
	[MLR_Y1564_VARIATION_NS] = { offsetof(struct mlr_y1564_outcome, variation_ns), false },
	[MLR_Y1564_AVAILABILITY_RATIO] = { offsetof(struct mlr_y1564_outcome, availability_ratio), true },
};

static double figure_of(const struct mlr_y1564_outcome *outcome, enum mlr_y1564_figure figure)
{
	return *(const double *)((const char *)outcome + figures[figure].offset);
}

/* Whether a figure is worse than another. One that is not known is the worst. */
static bool is_worse(double figure, double other, bool least)
{
	if (isnan(figure) || isnan(other))
		return isnan(figure) && !isnan(other);
	return least ? figure < other : figure > other;
}

/* Return the direction whose figure is the worst; `count` if all are equal. */
static size_t worst_of(const struct mlr_y1564_outcome *directions, size_t count, enum mlr_y1564_figure figure, bool least,
		       double *ret)
{
	double worst = figure_of(directions, figure);
	bool differ = false;
	size_t which = 0;

	for (size_t i = 1; i < count; i++) {
		double here = figure_of(&directions[i], figure);

		differ |= is_worse(here, worst, least) || is_worse(worst, here, least);
		if (!is_worse(here, worst, least))
			continue;
		which = i;
		worst = here;
	}
	*ret = worst;
	return differ ? which : count;
}

/* Return the largest error of the directions with the worst variation. */
static double variation_error_of(const struct mlr_y1564_outcome *directions, size_t count, double worst_ns)
{
	double most_ns = NAN;

	for (size_t i = 0; i < count; i++)
		if (!is_worse(worst_ns, directions[i].variation_ns, false))
			most_ns = fmax(most_ns, directions[i].variation_error_ns);
	return most_ns;
}

struct mlr_y1564_outcome mlr_y1564_worst(const struct mlr_y1564_outcome *directions, const unsigned int *faults,
					 size_t count, size_t ret_which[MLR_Y1564_FIGURES])
{
	struct mlr_y1564_outcome worst = directions[0];
	unsigned int all = 0;

	for (size_t i = 0; i < count; i++)
		all |= faults[i];
	for (enum mlr_y1564_figure figure = 0; figure < MLR_Y1564_FIGURES; figure++) {
		bool is_too_much =
			figure == MLR_Y1564_RECEIVED_FPS && all & MLR_Y1564_TOO_MUCH && !(all & MLR_Y1564_TOO_LITTLE);

		ret_which[figure] = worst_of(directions, count, figure, figures[figure].least && !is_too_much,
					     (double *)((char *)&worst + figures[figure].offset));
	}
	worst.variation_error_ns = variation_error_of(directions, count, worst.variation_ns);
	return worst;
}

bool mlr_y1564_variation_within_error(const struct mlr_y1564_outcome *directions, size_t count, double agreed_ns)
{
	bool may_pass = true, may_fail = false, fails = false;

	for (size_t i = 0; i < count; i++) {
		double variation_ns = directions[i].variation_ns, error_ns = directions[i].variation_error_ns;

		fails |= is_above(variation_ns, agreed_ns);
		may_fail |= is_above(variation_ns + error_ns, agreed_ns);
		may_pass &= !is_above(variation_ns - error_ns, agreed_ns);
	}
	return fails ? may_pass : may_fail;
}

enum mlr_y1564_verdict mlr_y1564_verdict(const enum mlr_y1564_verdict *directions, size_t count)
{
	enum mlr_y1564_verdict worst = MLR_Y1564_PASSED;

	for (size_t i = 0; i < count; i++)
		if (directions[i] > worst)
			worst = directions[i];
	return worst;
}

/* --- service performance test --------------------------------------------------------------------------------------------- */

static bool is_severe(uint64_t due, uint64_t received)
{
	return (double)received < (1 - MLR_Y1564_SEVERE_RATIO) * (double)due;
}

/* Whether the state changes with this second: whether all of a window from it on are of the other kind. */
static bool turns(const uint64_t *due, const uint64_t *received, size_t from, size_t seconds, bool to_severe)
{
	if (seconds - from < MLR_Y1564_WINDOW_S)
		return false;
	for (size_t i = from; i < from + MLR_Y1564_WINDOW_S; i++)
		if (is_severe(due[i], received[i]) != to_severe)
			return false;
	return true;
}

struct mlr_y1564_availability mlr_y1564_availability(const uint64_t *due, const uint64_t *received, size_t seconds)
{
	struct mlr_y1564_availability found = { .seconds = seconds };
	bool unavailable = false;

	for (size_t i = 0; i < seconds; i++) {
		if (turns(due, received, i, seconds, !unavailable))
			unavailable = !unavailable;
		found.severely_errored += is_severe(due[i], received[i]);
		found.unavailable += unavailable;
		if (unavailable)
			continue;
		found.available_sent += due[i];
		found.available_lost += due[i] > received[i] ? due[i] - received[i] : 0;
	}
	found.ratio = seconds ? (double)(seconds - found.unavailable) / (double)seconds : NAN;
	return found;
}

unsigned int mlr_y1564_judge_performance(const struct mlr_y1564_service *service, const struct mlr_y1564_outcome *outcome)
{
	return judge_frames(&service->sla, outcome) |
	       judge_least(outcome->availability_ratio, service->sla.availability_ratio, MLR_Y1564_AVAILABILITY);
}
