/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This file looks at what lies below the critical load.
 *
 * PLRsearch assumes that the loss ratio is a curve that rises with the load, and asks for loads near the place where it
 * meets the target. Some SUTs have no such curve. One may lose some frames at every load (bad optics). Another may lose many
 * at middle loads and none at higher ones (a receive livelock that polling ends). Trials near one crossing cannot show that,
 * so a few trials look elsewhere.
 *
 * For several crossings, the trials are ordered by load: many in a row miss the target, then many meet it. For no crossing,
 * trials of near loads are grouped into bands of as many trials. The counts of a band are compared with the target, and with
 * those of the bands that miss it. A SUT may also lose about as much as the target at every load, so that no band tells it
 * from the target. Then all trials far below are taken together. No load meets the target if they miss it beyond chance, and
 * if each half of them by load does. Else nothing tells whether a load meets it.
 *
 * That is wrong in 300 000 soaks once, if all loads lose as much as the target. It is wrong in 160 once, if those of one half
 * do and the others lose more. Where losses come in bursts, the sum of their squares says how much less a frame tells.
 *
 * A narrow range of loads may lie between all trials. So the widest gap between them is told, too.
 */
#include <math.h>

#include "plrsearch/plr_private.h"

#define BANDS        8
#define HALVES       2
#define LOOKED_AT    0.9  /* part of the critical load: smaller loads say nothing of the curve near it */
#define NEAREST      0.99 /* part of the critical load: no scan is nearer to it */
#define STDEVS_OFF   8.0 /* standard deviations of the critical load: a nearer load may rightly lose as much as the target */
#define SURELY_MORE  4.0 /* standard deviations: one band in 30 000 reaches this by chance */
#define SURELY_LESS  3.0
#define SURELY_FLOOR 4.5 /* all trials far below: one soak in 300 000 reaches this by chance */
#define SURELY_HALF  2.5 /* each half of them: one in 160 */
#define RUN_LEAST    6   /* trials */
#define LOST_LEAST   5.0 /* frames: fewer may be one mishap */
#define CONTINUITY   0.5 /* frames; a count stands for all numbers that round to it */
#define RATIO_MARGIN 0.5 /* ratio of a band's loss ratio that the band has with near certainty */

/* Trials at near loads. */
struct band {
	double offered_frames, lost_frames;
	double load_frames;         /* the sum of load times frames offered */
	double least_fps, most_fps; /* range of its loads */
};

static double ratio_of(const struct band *band)
{
	return band->lost_frames / band->offered_frames;
}

static double load_of(const struct band *band)
{
	return band->load_frames / band->offered_frames;
}

/* Return by how many standard deviations more frames were lost than a loss ratio lets expect; 0: not more. */
static double excess_of(const struct band *band, double loss_ratio)
{
	double mean = band->offered_frames * loss_ratio, edge = band->lost_frames - CONTINUITY;

	return mean > 0 && edge > mean ? sqrt(2 * plr_half_deviance(edge, mean)) : 0;
}

/* Whether more frames were lost than a loss ratio lets expect, beyond chance. */
static bool loses_more(const struct band *band, double loss_ratio)
{
	return excess_of(band, loss_ratio) > SURELY_MORE;
}

static bool loses_less(const struct band *band, double loss_ratio)
{
	double mean = band->offered_frames * loss_ratio, edge = band->lost_frames + CONTINUITY;

	return edge < mean && 2 * plr_half_deviance(edge, mean) > SURELY_LESS * SURELY_LESS;
}

static void add_to(struct band *band, const struct band *more)
{
	if (!(more->offered_frames > 0))
		return;
	band->least_fps = band->offered_frames > 0 ? fmin(band->least_fps, more->least_fps) : more->least_fps;
	band->most_fps = fmax(band->most_fps, more->most_fps);
	band->offered_frames += more->offered_frames;
	band->lost_frames += more->lost_frames;
	band->load_frames += more->load_frames;
}

static struct band band_of(const struct mlr_plr_step *step)
{
	double load_fps = step->input.load_fps;

	return (struct band){
		.offered_frames = step->counts.offered_frames,
		.lost_frames = step->counts.lost_frames,
		.load_frames = load_fps * step->counts.offered_frames,
		.least_fps = load_fps,
		.most_fps = load_fps,
	};
}

/* Return the trial that follows one by load. It is the first of all if `last` is `count`, and `count` behind the last. */
static size_t next_by_load(const struct mlr_plr_step *steps, size_t count, size_t last)
{
	double from_fps = last < count ? steps[last].input.load_fps : 0;
	size_t next = count;

	for (size_t i = 0; i < count; i++) {
		double load_fps = steps[i].input.load_fps;
		bool follows = last == count || load_fps > from_fps || (load_fps == from_fps && i > last);

		if (follows && (next == count || load_fps < steps[next].input.load_fps))
			next = i;
	}
	return next;
}

/* Fill the bands with all trials up to a load, as many in each band. */
static void fill(struct band bands[BANDS], double up_to_fps, const struct mlr_plr_step *steps, size_t count)
{
	size_t total = 0, rank = 0;

	for (size_t i = 0; i < count; i++)
		total += steps[i].input.load_fps <= up_to_fps;
	for (size_t i = next_by_load(steps, count, count); rank < total; i = next_by_load(steps, count, i)) {
		const struct band trial = band_of(&steps[i]);

		add_to(&bands[rank++ * BANDS / total], &trial);
	}
}

/* Divide all trials up to a load by load, so that about as many frames were offered in each half. */
static void halve(struct band halves[HALVES], double up_to_fps, const struct mlr_plr_step *steps, size_t count)
{
	double total = 0, before = 0;

	for (size_t i = 0; i < count; i++)
		total += steps[i].input.load_fps <= up_to_fps ? steps[i].counts.offered_frames : 0;
	for (size_t i = next_by_load(steps, count, count); i < count && steps[i].input.load_fps <= up_to_fps;
	     i = next_by_load(steps, count, i)) {
		const struct band trial = band_of(&steps[i]);

		add_to(&halves[before >= total / 2], &trial);
		before += trial.offered_frames;
	}
}

/* Return the band with the least loss ratio among those that surely miss the target, or NULL. */
static const struct band *least_lossy(const struct band bands[BANDS], double target_loss_ratio)
{
	const struct band *least = NULL;

	for (size_t i = 0; i < BANDS; i++)
		if (loses_more(&bands[i], target_loss_ratio) && (!least || ratio_of(&bands[i]) < ratio_of(least)))
			least = &bands[i];
	return least;
}

/* Whether a band, or all bands up to one, surely lose less. */
static bool any_loses_less(const struct band bands[BANDS], double loss_ratio)
{
	struct band below = { 0 };

	for (size_t i = 0; i < BANDS; i++) {
		add_to(&below, &bands[i]);
		if (loses_less(&bands[i], loss_ratio) || loses_less(&below, loss_ratio))
			return true;
	}
	return false;
}

/* --- several crossings ---------------------------------------------------------------------------------------------- */

/* Trials in a row by load that all met the target, or all missed it. */
struct run {
	struct band band;
	size_t trials;
};

static bool misses(const struct mlr_plr_step *step, double target_loss_ratio)
{
	return step->counts.lost_frames > step->counts.offered_frames * target_loss_ratio;
}

/* The state while trials are visited by rising load. */
struct climb {
	struct run met, missed; /* the last runs */
	double before_fps;      /* the largest load before `missed` that met the target; NAN: none did */
	bool is_missed;         /* `missed` is a run that surely misses the target, and is kept */
};

static void take_met(struct climb *climb, const struct band *trial, double target_loss_ratio)
{
	climb->is_missed |= climb->missed.trials >= RUN_LEAST && loses_more(&climb->missed.band, target_loss_ratio);
	if (!climb->is_missed) {
		climb->missed = (struct run){ 0 };
		climb->before_fps = trial->most_fps;
	}
	add_to(&climb->met.band, trial);
	climb->met.trials++;
}

static void take_missed(struct climb *climb, const struct band *trial)
{
	climb->met = (struct run){ 0 };
	if (climb->is_missed)
		return;
	add_to(&climb->missed.band, trial);
	climb->missed.trials++;
}

/* Whether the target is met again above a run that misses it. */
static bool is_met_again(const struct climb *climb)
{
	return climb->is_missed && climb->met.trials >= RUN_LEAST &&
	       loses_less(&climb->met.band, RATIO_MARGIN * ratio_of(&climb->missed.band));
}

/* Find several crossings. Losses may come in bursts. So several trials in a row must miss the target, and several must meet
 * it. */
static bool find_several(const struct mlr_plr_parameters *parameters, const struct mlr_plr_step *steps, size_t count,
			 double up_to_fps, struct mlr_plr_crossings *crossings)
{
	struct climb climb = { .before_fps = NAN };

	for (size_t i = next_by_load(steps, count, count); i < count && steps[i].input.load_fps <= up_to_fps;
	     i = next_by_load(steps, count, i)) {
		const struct band trial = band_of(&steps[i]);

		if (misses(&steps[i], parameters->target_loss_ratio))
			take_missed(&climb, &trial);
		else
			take_met(&climb, &trial, parameters->target_loss_ratio);
		if (!is_met_again(&climb))
			continue;
		crossings->kind = MLR_PLR_CROSSES_SEVERAL;
		crossings->lowest_above_fps = climb.before_fps;
		crossings->lowest_below_fps = climb.missed.band.least_fps;
		crossings->again_fps = load_of(&climb.met.band);
		return true;
	}
	return false;
}

/* --- none ------------------------------------------------------------------------------------------------------------- */

static void tell_least(const struct band *band, struct mlr_plr_crossings *crossings)
{
	crossings->least_loss_ratio = ratio_of(band);
	crossings->least_load_fps = load_of(band);
	crossings->least_offered_frames = band->offered_frames;
	crossings->least_lost_frames = band->lost_frames;
}

/* Whether each half of the trials misses the target beyond chance, where a lost frame tells so much less. */
static bool halves_miss(const struct band halves[HALVES], double target_loss_ratio, double dispersion)
{
	double least = SURELY_HALF * sqrt(dispersion);

	return excess_of(&halves[0], target_loss_ratio) > least && excess_of(&halves[1], target_loss_ratio) > least;
}

/* Find losses at every load: a band surely misses the target, each half of the trials does, and no band surely loses less than
 * half of the least lossy one. */
static bool find_none(const struct mlr_plr_parameters *parameters, const struct mlr_plr_step *steps, size_t count,
		      double up_to_fps, struct mlr_plr_crossings *crossings)
{
	struct band bands[BANDS] = { 0 }, halves[HALVES] = { 0 };
	const struct band *least;

	fill(bands, up_to_fps, steps, count);
	halve(halves, up_to_fps, steps, count);
	least = least_lossy(bands, parameters->target_loss_ratio);
	if (!least || !halves_miss(halves, parameters->target_loss_ratio, 1) ||
	    any_loses_less(bands, RATIO_MARGIN * ratio_of(least)))
		return false;
	crossings->kind = MLR_PLR_NEVER_BELOW;
	tell_least(least, crossings);
	return true;
}

/* --- about the target ------------------------------------------------------------------------------------------------- */

static struct band sum_up_to(double up_to_fps, const struct mlr_plr_step *steps, size_t count)
{
	struct band sum = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct band trial = band_of(&steps[i]);

		if (trial.most_fps <= up_to_fps)
			add_to(&sum, &trial);
	}
	return sum;
}

/* Return the factor by which a lost frame tells less than one that is lost independently of all others. It comes from how much
 * the trials up to a load differ from the loss ratio of their half. */
static double dispersion_of(const struct band halves[HALVES], double up_to_fps, const struct mlr_plr_step *steps,
			    size_t count)
{
	double squares = 0;
	size_t trials = 0;

	for (size_t i = 0; i < count; i++) {
		const struct band *half = &halves[steps[i].input.load_fps >= halves[1].least_fps];
		double mean = steps[i].counts.offered_frames * ratio_of(half);

		if (steps[i].input.load_fps > up_to_fps || !(mean > 0))
			continue;
		squares += pow(steps[i].counts.lost_frames - mean, 2) / mean;
		trials++;
	}
	return trials < RUN_LEAST ? INFINITY : fmax(1, squares / (double)(trials - HALVES));
}

/* Whether all trials up to a load, and each half of them by load, miss the target beyond chance. Also get the half that loses
 * less. */
static bool is_sure_floor(double target_loss_ratio, double up_to_fps, const struct mlr_plr_step *steps, size_t count,
			  struct band *ret_least)
{
	struct band halves[HALVES] = { 0 }, sum;
	double dispersion;

	halve(halves, up_to_fps, steps, count);
	sum = halves[0];
	add_to(&sum, &halves[1]);
	dispersion = dispersion_of(halves, up_to_fps, steps, count);
	*ret_least = halves[ratio_of(&halves[1]) < ratio_of(&halves[0])];
	return excess_of(&sum, target_loss_ratio) > SURELY_FLOOR * sqrt(dispersion) &&
	       halves_miss(halves, target_loss_ratio, dispersion);
}

/* Find losses far below the critical load that are about as many as the target allows: no band, and no bands up to one, surely
 * lose less. */
static void find_untold(const struct mlr_plr_parameters *parameters, const struct mlr_plr_step *steps, size_t count,
			double up_to_fps, struct mlr_plr_crossings *crossings)
{
	struct band sum = sum_up_to(LOOKED_AT * up_to_fps, steps, count), bands[BANDS] = { 0 }, least;

	if (sum.lost_frames < LOST_LEAST)
		return;
	fill(bands, up_to_fps, steps, count);
	if (any_loses_less(bands, parameters->target_loss_ratio))
		return;
	if (is_sure_floor(parameters->target_loss_ratio, LOOKED_AT * up_to_fps, steps, count, &least)) {
		crossings->kind = MLR_PLR_NEVER_BELOW;
		tell_least(&least, crossings);
		return;
	}
	crossings->kind = MLR_PLR_CROSSES_UNTOLD;
	tell_least(&sum, crossings);
}

double plr_scan_unsure(const struct mlr_plr_parameters *parameters, const struct mlr_plr_step *steps, size_t count,
		       double critical_fps)
{
	const struct band floor = sum_up_to(LOOKED_AT * critical_fps, steps, count);
	struct band above = { 0 };

	if (floor.lost_frames < LOST_LEAST || loses_more(&floor, parameters->target_loss_ratio))
		return 0;
	for (size_t i = next_by_load(steps, count, count); i < count; i = next_by_load(steps, count, i)) {
		const struct band trial = band_of(&steps[i]);

		if (trial.least_fps <= critical_fps)
			continue;
		add_to(&above, &trial);
		if (loses_more(&above, parameters->target_loss_ratio))
			break;
	}
	return fmin(ratio_of(&floor) / parameters->target_loss_ratio, 1) *
	       (above.offered_frames > 0 ? above.most_fps - critical_fps : 0);
}

/* --- the widest gap ----------------------------------------------------------------------------------------------------- */

static void find_untried(const struct mlr_plr_parameters *parameters, const struct mlr_plr_step *steps, size_t count,
			 double up_to_fps, struct mlr_plr_crossings *crossings)
{
	double from_fps = parameters->min_load_fps, widest_fps = 0;

	for (size_t i = next_by_load(steps, count, count); from_fps < up_to_fps; i = next_by_load(steps, count, i)) {
		double to_fps = i < count ? fmin(steps[i].input.load_fps, up_to_fps) : up_to_fps;

		if (to_fps - from_fps > widest_fps) {
			widest_fps = to_fps - from_fps;
			crossings->untried_from_fps = from_fps;
			crossings->untried_to_fps = to_fps;
		}
		from_fps = to_fps;
	}
}

struct mlr_plr_crossings plr_scan_crossings(const struct mlr_plr_parameters *parameters, const struct mlr_plr_step *steps,
					    size_t count, double up_to_fps)
{
	struct mlr_plr_crossings crossings = { MLR_PLR_CROSSES_ONCE, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };

	if (!(up_to_fps > parameters->min_load_fps))
		return crossings;
	find_untried(parameters, steps, count, up_to_fps, &crossings);
	if (!find_several(parameters, steps, count, up_to_fps, &crossings) &&
	    !find_none(parameters, steps, count, up_to_fps, &crossings))
		find_untold(parameters, steps, count, up_to_fps, &crossings);
	return crossings;
}

/* --- the next scan ---------------------------------------------------------------------------------------------------- */

/* Return the next larger load of a scan, or `end_fps`. */
static double next_above(double load_fps, double end_fps, const struct mlr_plr_step *steps, size_t count)
{
	double next_fps = end_fps;

	for (size_t i = 0; i < count; i++)
		if (steps[i].scan && steps[i].input.load_fps > load_fps)
			next_fps = fmin(next_fps, steps[i].input.load_fps);
	return next_fps;
}

/* Whether all trials at this load missed the target, and how many they are. */
static bool all_missed_at(double load_fps, const struct mlr_plr_step *steps, size_t count, double target_loss_ratio,
			  size_t *ret_trials)
{
	*ret_trials = 0;
	for (size_t i = 0; i < count; i++) {
		if (steps[i].input.load_fps != load_fps)
			continue;
		if (!misses(&steps[i], target_loss_ratio))
			return false;
		(*ret_trials)++;
	}
	return true;
}

/* Return the smallest load whose scan surely missed the target, if too few trials there say so; else NAN. One trial may have met
 * a burst of losses, and one narrow range of loads may lie between all other trials. */
static double load_to_confirm(const struct mlr_plr_parameters *parameters, const struct mlr_plr_step *steps, size_t count,
			      double end_fps)
{
	for (size_t i = next_by_load(steps, count, count); i < count && steps[i].input.load_fps < end_fps;
	     i = next_by_load(steps, count, i)) {
		const struct band trial = band_of(&steps[i]);
		size_t trials;

		if (steps[i].scan && loses_more(&trial, parameters->target_loss_ratio) &&
		    all_missed_at(trial.least_fps, steps, count, parameters->target_loss_ratio, &trials))
			return trials < RUN_LEAST ? trial.least_fps : NAN;
	}
	return NAN;
}

double plr_scan_end(const struct mlr_plr_parameters *parameters, double critical_fps, double stdev_fps)
{
	double near_fps = fmin(NEAREST * critical_fps, critical_fps - STDEVS_OFF * stdev_fps);

	return fmax(fmax(near_fps, LOOKED_AT * critical_fps), parameters->min_load_fps);
}

bool plr_scan_missed(const struct mlr_plr_parameters *parameters, const struct mlr_plr_step *step, double critical_fps)
{
	const struct band trial = band_of(step);

	return step->input.load_fps > LOOKED_AT * critical_fps ? loses_more(&trial, parameters->target_loss_ratio)
							       : misses(step, parameters->target_loss_ratio);
}

double plr_scan_load(const struct mlr_plr_parameters *parameters, const struct mlr_plr_step *steps, size_t count,
		     double end_fps)
{
	double from_fps = parameters->min_load_fps, widest_fps = -1, load_fps = from_fps;
	double confirm_fps = load_to_confirm(parameters, steps, count, end_fps);

	if (!isnan(confirm_fps))
		return confirm_fps;
	while (from_fps < end_fps) {
		double to_fps = next_above(from_fps, end_fps, steps, count);

		if (to_fps - from_fps > widest_fps) {
			widest_fps = to_fps - from_fps;
			load_fps = from_fps + widest_fps / 2;
		}
		from_fps = to_fps;
	}
	return load_fps;
}
