/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locating brings the search from the warm-up's hint to a bracket of a good and a bad load, by single trials.
 *
 * Far from the critical load one trial tells enough. It tells more than good or bad, because it shows how many frames were
 * lost. Near the critical load the loss grows like a power of the load, and two bad loads show the exponent. So their line,
 * in logarithms, is followed down to where every second trial would still lose a frame. The exponent also tells how wide the
 * noisy zone is.
 */
#include "mlrsearch/mlr_private.h"

#include <math.h>

#define JUMP_UNITS    4    /* the first step up after a good trial at the hint, in Goal Widths */
#define DESCENT_STEPS 8    /* long trials go down by at most so many times the least step */
#define MEDIAN_LOST   0.69 /* the mean of a Poisson count that is zero in every second trial */
#define STEEPNESS_MIN 1e-4
#define LOSS_FLOOR    0.1 /* the part of the Goal Loss Ratio that a good load without loss counts as */
#define CHANCE        3   /* squared deviations from a Poisson count; that much for each of three counts is rare */
#define SHARP_RATIO   0.3 /* a power law is good enough with this ratio of deviation to exponent */

/* An overview of the trials of a goal, for loads far from the critical one. */
struct survey {
	const struct mlr_point *good;     /* the highest load with only good trials, below every bad load */
	const struct mlr_point *bad;      /* the lowest load with a bad trial */
	const struct mlr_point *next_bad; /* the next higher load with more loss */
	int64_t good_beyond_hint;         /* good loads above the hint */
	const struct mlr_point *failed;   /* the lowest load that failed in a trial of telling length */
	int64_t failed_count;             /* the number of such loads */
	int64_t probed_count;             /* the number of bad loads below that */
	bool mixed;                       /* good and bad loads overlap */
};

static struct survey survey_of(const struct mlr_view *view)
{
	struct survey survey = { 0 };

	for (size_t i = 0; i < view->count; i++) {
		const struct mlr_point *point = &view->points[i];
		bool is_failed;

		if (point->good > 0 && survey.bad)
			survey.mixed = true;
		if (point->good > 0 && point->bad > 0)
			survey.mixed = true;
		if (point->good > 0 && !survey.bad)
			survey.good = point;
		if (point->good > 0 && point->position > view->hint)
			survey.good_beyond_hint++;
		is_failed = point->bad > 0 && !(point->good > 0) && point->longest_s >= view->telling_s;
		survey.failed_count += is_failed;
		if (is_failed && !survey.failed)
			survey.failed = point;
		survey.probed_count += point->bad > 0 && !survey.failed;
		if (survey.bad && !survey.next_bad && point->bad > 0 && point->lost > survey.bad->lost)
			survey.next_bad = point;
		if (point->bad > 0 && !survey.bad)
			survey.bad = point;
	}
	return survey;
}

/* The power law through two bad loads. */
struct power_law {
	double steepness; /* how much the logarithm of the lost frames grows for each step; 0 if there is no law */
	double deviation; /* the standard deviation of that, because lost frames are counts */
};

static struct power_law power_law_between(const struct mlr_point *low, const struct mlr_point *high)
{
	double distance = high->position - low->position;

	return (struct power_law){
		.steepness = log(high->lost / low->lost) / distance,
		.deviation = sqrt(1 / low->lost + 1 / high->lost) / distance,
	};
}

/* Return the power law through the lowest bad load and the nearest one that gives a sharp exponent, or else the sharpest.
 * There is none if a short trial was bad at the lowest bad load, but the longest lost nothing. */
static struct power_law power_law_of(const struct mlr_view *view, const struct survey *survey)
{
	struct power_law best = { 0 };

	if (!survey->bad || !(survey->bad->lost > 0))
		return best;
	for (const struct mlr_point *high = survey->next_bad; high && high < view->points + view->count; high++) {
		struct power_law law;

		if (!(high->lost > survey->bad->lost))
			continue;
		law = power_law_between(survey->bad, high);
		if (best.steepness == 0 || law.deviation / law.steepness < best.deviation / best.steepness)
			best = law;
		if (best.deviation < SHARP_RATIO * best.steepness)
			break;
	}
	return best;
}

/* Return where the power law through the bad loads comes down to the median count. NAN without a law. */
static double power_root(const struct mlr_view *view, const struct survey *survey, bool careful)
{
	struct power_law law = power_law_of(view, survey);

	if (!(law.steepness > STEEPNESS_MIN))
		return NAN;
	return survey->bad->position -
	       log(survey->bad->lost / MEDIAN_LOST) / (law.steepness + (careful ? law.deviation : 0));
}

/* Return where a loss in proportion to the load comes down to the median count, as on a lossy link. NAN if the counts of the
 * failed loads differ from that by more than chance. */
static double proportional_root(const struct mlr_view *view, const struct survey *survey)
{
	double lost = 0, load_fps = 0, deviations = 0, count = 0;

	for (const struct mlr_point *point = survey->bad; point < view->points + view->count; point++) {
		lost += point->lost;
		load_fps += point->load_fps;
		count++;
	}
	for (const struct mlr_point *point = survey->bad; point < view->points + view->count; point++) {
		double mean = lost / load_fps * point->load_fps;

		deviations += (point->lost - mean) * (point->lost - mean) / mean;
	}
	return deviations < CHANCE * count ? mlr_grid_position(view->grid, MEDIAN_LOST / lost * load_fps) : NAN;
}

/* Return where the straight line through the two lowest bad loads comes down to no loss. NAN without a line. */
static double linear_root(const struct mlr_view *view, const struct survey *survey)
{
	double slope, root_fps;

	if (!survey->next_bad)
		return NAN;
	slope = (survey->next_bad->lost - survey->bad->lost) / (survey->next_bad->load_fps - survey->bad->load_fps);
	root_fps = survey->bad->load_fps - survey->bad->lost / slope;
	return root_fps > 0 ? mlr_grid_position(view->grid, root_fps) : NAN;
}

/* Return where the loss ratio reaches the goal's, between the ends of the bracket. Its logarithm is taken as linear. */
static double ratio_root(const struct mlr_view *view, const struct survey *survey)
{
	double low = log(fmax(survey->good->loss_ratio, LOSS_FLOOR * view->goal->loss_ratio)),
	       high = log(survey->bad->loss_ratio);
	double part = (log(view->goal->loss_ratio) - low) / (high - low);

	return survey->good->position + part * (survey->bad->position - survey->good->position);
}

/* Return the position of the load equal to the forwarding rate at the lowest bad load, corrected for the goal's loss
 * ratio. */
static double forwarding_position(const struct mlr_view *view, const struct mlr_point *bad)
{
	double rate_fps = bad->load_fps * (1 - bad->loss_ratio) / (1 - view->goal->loss_ratio);

	return rate_fps > 0 ? mlr_grid_position(view->grid, rate_fps) : 0;
}

/* No trial was bad yet: go to the hint, then one width above it, then farther. A hint at Min Load tells nothing: halve the
 * range. */
static double go_up(const struct mlr_view *view, const struct survey *survey)
{
	double unit = (double)view->unit;

	if (!survey->good || survey->good->position < view->hint - unit || view->hint >= (double)view->grid->last)
		return view->hint;
	if (!(view->hint > 0))
		return (survey->good->position + (double)view->grid->last) / 2;
	if (survey->good_beyond_hint < 1)
		return survey->good->position + unit;
	return survey->good->position + JUMP_UNITS * unit * exp2((double)(survey->good_beyond_hint - 1));
}

/*
 * No trial was good yet: go down. If no loss is tolerated, the forwarding rate comes first. Where short trials saw no loss,
 * a buffer may have hidden an overload, and the straight line finds its end. After that comes the power law, or the
 * proportion where it explains the losses. Each load that
 * failed doubles the least step down, because the loss may fall very slowly. So does each bad load of a short test below it.
 */
static double go_down(const struct mlr_view *view, const struct survey *survey)
{
	int64_t doublings =
		(survey->failed_count > 2 ? survey->failed_count - 2 : 0) + (survey->failed ? survey->probed_count : 0);
	double least_step = (double)view->unit * exp2((double)doublings);
	double position;

	if (!survey->failed_count)
		position = view->hint;
	else if (view->goal->loss_ratio > 0 && survey->failed_count < 4)
		position = forwarding_position(view, survey->failed) - (double)view->unit / 2;
	else if (survey->failed_count < 2)
		position = floor(forwarding_position(view, survey->failed));
	else if (survey->failed_count == 2)
		position = floor(linear_root(view, survey));
	else
		position = fmin(power_root(view, survey, true), proportional_root(view, survey));
	if (survey->failed_count >= 2 && view->goal->initial_trial_duration_s < view->goal->final_trial_duration_s)
		position = fmax(position, survey->bad->position - DESCENT_STEPS * least_step);
	return fmin(position, survey->bad->position - least_step);
}

/* There are good and bad loads with a wide gap: two secants, then the middle, in turns. */
static double narrow(const struct mlr_view *view, const struct survey *survey)
{
	double good = survey->good->position, bad = survey->bad->position, unit = (double)view->unit;
	double position = NAN;

	if (view->goal->loss_ratio > 0)
		position = view->count % 2 ? ratio_root(view, survey) : NAN;
	else if (view->count % 3 < 2)
		position = linear_root(view, survey);
	if (!isfinite(position) || position < good || position > bad)
		position = (good + bad) / 2;
	return fmin(fmax(position, good + unit), bad - unit);
}

static struct mlr_root root_of(const struct mlr_view *view, const struct survey *survey)
{
	double unit = (double)view->unit;
	struct power_law law = power_law_of(view, survey);
	struct mlr_root root = {
		.position = view->hint,
		.uncertainty = unit / 2,
		.is_final = survey->bad,
	};
	double good, bad, position;

	if (law.steepness > STEEPNESS_MIN) {
		root.steepness = law.steepness;
		root.steepness_ratio = law.deviation / law.steepness;
	}

	if (!survey->good || !survey->bad)
		return root;
	good = survey->good->position;
	bad = survey->bad->position;
	root.uncertainty = fmax(unit / 2, fabs(bad - good) / 2);
	if (root.steepness > 0 && view->goal->loss_ratio <= 0)
		root.uncertainty = fmax(root.uncertainty, 1 / root.steepness);
	position = view->goal->loss_ratio > 0 ? ratio_root(view, survey) : power_root(view, survey, false);
	if (!(position > good && position < bad))
		position = (good + bad) / 2;
	root.position = position;
	return root;
}

bool mlr_locate(const struct mlr_view *view, int64_t *ret_index, const char **ret_rule, struct mlr_root *ret_root)
{
	struct survey survey = survey_of(view);
	double position;

	if (!survey.mixed && !survey.bad) {
		position = go_up(view, &survey);
		*ret_rule = survey.good_beyond_hint ? "expanding upwards" : "the forwarding rate";
	} else if (!survey.mixed && survey.bad && !survey.good) {
		position = go_down(view, &survey);
		*ret_rule = "descending";
	} else if (!survey.mixed && survey.good && survey.bad &&
		   survey.bad->position - survey.good->position > view->bracket) {
		position = narrow(view, &survey);
		*ret_rule = "narrowing";
	} else {
		*ret_root = root_of(view, &survey);
		return false;
	}
	*ret_index = mlr_view_clamp(view, position);
	return true;
}
