/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "classic/phased_private.h"

#include <math.h>

/* A width goal is met in spite of rounding by up to this ratio. */
#define MET_TOLERANCE 1e-9

/* Return the largest loss ratio of the trials of this duration at one load. */
static double largest_loss_ratio(const struct mlr_phased_level *level, size_t load)
{
	bool is_forgotten = mlr_results_load_fps(level->results, load) == level->forgotten_fps;
	double loss_ratio = NAN;
	size_t count;
	const struct mlr_trial_result *trials = mlr_results_trials(level->results, load, &count);

	for (size_t i = 0; i < count; i++) {
		if (trials[i].input.duration_s != level->duration_s)
			continue;
		if (!is_forgotten)
			loss_ratio = fmax(loss_ratio, trials[i].output.loss_ratio);
		is_forgotten = false;
	}
	return loss_ratio;
}

double mlr_phased_loss_ratio(const struct mlr_phased_level *level, double load_fps)
{
	return largest_loss_ratio(level, mlr_results_find(level->results, load_fps));
}

/* Update the bounds with the next larger load. Returns true while a larger load can still matter. */
static bool extend_bounds(struct mlr_phased_bounds *bounds, double load_fps, bool is_lower)
{
	if (is_lower) {
		bounds->second_lower_fps = bounds->lower_fps;
		bounds->lower_fps = load_fps;
		return true;
	}
	if (isnan(bounds->upper_fps)) {
		bounds->upper_fps = load_fps;
		return true;
	}
	bounds->second_upper_fps = load_fps;
	return false;
}

struct mlr_phased_bounds mlr_phased_bounds(const struct mlr_phased_level *level, double loss_ratio)
{
	struct mlr_phased_bounds bounds = { NAN, NAN, NAN, NAN };
	double effective_loss_ratio = 0;

	for (size_t load = 0; load < mlr_results_load_count(level->results); load++) {
		double largest = largest_loss_ratio(level, load);

		if (isnan(largest))
			continue;
		effective_loss_ratio = fmax(effective_loss_ratio, largest);
		if (!extend_bounds(&bounds, mlr_results_load_fps(level->results, load), effective_loss_ratio <= loss_ratio))
			break;
	}
	return bounds;
}

/* Whether a bound exists, lies between two others, and is the same load as neither. Each of the others may be missing. */
static bool improves(const struct mlr_phased_question *question, double bound_fps, double lower_fps, double upper_fps)
{
	double same = mlr_phased_same(question->width);

	return !isnan(bound_fps) && !(log(bound_fps / lower_fps) < same) && !(log(upper_fps / bound_fps) < same);
}

/*
 * Return where to split an interval (2.5.3), or NAN if its width goal is met. The lower part is an integer number of goals,
 * so halving it never ends with an interval narrower than needed. It is one goal less where it would end at the upper bound
 * itself.
 */
static double bisect(const struct mlr_phased_question *question, double lower_fps, double upper_fps)
{
	double multiple = log(upper_fps / lower_fps) / question->width;
	double even = 2 * ceil((multiple - MLR_PHASED_TOLERANCE) / 2), goals = even / 2;

	if (multiple <= 1 + MET_TOLERANCE)
		return NAN;
	if (multiple <= 2 || fabs(even - multiple) <= MLR_PHASED_TOLERANCE)
		return sqrt(lower_fps) * sqrt(upper_fps);
	if ((multiple - goals) * question->width < mlr_phased_same(question->width))
		goals--;
	return lower_fps * exp(goals * question->width);
}

/* Return how far the external search goes from the tightest bound, with the bound beyond it, if there is one. */
static double external_width(const struct mlr_phased_question *question, double lower_fps, double upper_fps)
{
	double width = isnan(lower_fps) || isnan(upper_fps) ? 0 : log(upper_fps / lower_fps);

	return fmax(width, question->width) * question->expansion * MLR_PHASED_ROUNDING;
}

static double within(const struct mlr_phased_question *question, double load_fps)
{
	return mlr_phased_within(load_fps, question->min_load_fps, question->max_load_fps, question->width);
}

/* Search downwards outside the bounds (2.3). NAN at Min Load. */
static double extend_down(const struct mlr_phased_question *question)
{
	const struct mlr_phased_bounds *current = &question->current;
	double second_fps = current->second_upper_fps;

	if (!(current->upper_fps > question->min_load_fps))
		return NAN;
	if (improves(question, question->previous.upper_fps, current->upper_fps, current->second_upper_fps))
		second_fps = question->previous.upper_fps;
	return within(question, current->upper_fps * exp(-external_width(question, current->upper_fps, second_fps)));
}

/* Search upwards outside the bounds (2.4). NAN at Max Load. */
static double extend_up(const struct mlr_phased_question *question)
{
	const struct mlr_phased_bounds *current = &question->current;
	double second_fps = current->second_lower_fps;

	if (!(current->lower_fps < question->max_load_fps))
		return NAN;
	if (improves(question, question->previous.lower_fps, current->second_lower_fps, current->lower_fps))
		second_fps = question->previous.lower_fps;
	return within(question, current->lower_fps * exp(external_width(question, second_fps, current->lower_fps)));
}

/* Choose where both bounds exist (2.5): bisect, unless the external search downwards would measure a larger load. */
static double narrow(const struct mlr_phased_question *question, const char **ret_rule)
{
	double bisecting_fps = bisect(question, question->current.lower_fps, question->current.upper_fps);
	double extending_fps = extend_down(question);

	if (extending_fps > bisecting_fps) {
		*ret_rule = "external search down";
		return extending_fps;
	}
	*ret_rule = "bisection";
	return bisecting_fps;
}

/* Return a bound of the previous phase that is tighter than the current one (2.1, 2.2), or NAN if there is none. */
static double confirm(const struct mlr_phased_question *question, const char **ret_rule)
{
	const struct mlr_phased_bounds *current = &question->current, *previous = &question->previous;
	bool has_lower = improves(question, previous->lower_fps, current->lower_fps, current->upper_fps);
	bool has_upper = improves(question, previous->upper_fps, current->lower_fps, current->upper_fps);

	if (has_lower && has_upper) {
		double middle_fps = bisect(question, previous->lower_fps, previous->upper_fps);

		*ret_rule = "bisection of the previous phase's interval";
		if (!isnan(middle_fps))
			return middle_fps;
	}
	*ret_rule = has_lower ? "the previous phase's lower bound again" : "the previous phase's upper bound again";
	if (has_lower)
		return previous->lower_fps;
	return has_upper ? previous->upper_fps : NAN;
}

double mlr_phased_select(const struct mlr_phased_question *question, const char **ret_rule)
{
	double load_fps = confirm(question, ret_rule);

	if (!isnan(load_fps))
		return load_fps;
	if (isnan(question->current.lower_fps)) {
		*ret_rule = "external search down";
		return extend_down(question);
	}
	if (isnan(question->current.upper_fps)) {
		*ret_rule = "external search up";
		return extend_up(question);
	}
	return narrow(question, ret_rule);
}
