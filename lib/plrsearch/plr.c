/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/plr.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plrsearch/plr_private.h"

#define OPENING_TRIALS 4     /* trials whose loads do not come from the estimate (5.6) */
#define LOSSY_COPIES   4     /* entries of the list for each trial at or above the target */
#define LOSSY_DRAINED  3     /* entries that each trial without loss removes */
#define SCANS_LEAST    2     /* scans that are needed before an estimate is sharp */
#define SCAN_OFTEN     2     /* One trial in so many is a scan, once a scan found losses. */
#define NO_FRAMES      -1000 /* a logarithm that stands for too few frames to tell anything */
#define UNSEEN         2 /* the factor of a dispersion: where losses are skewed, the largest ones were probably not seen */

struct mlr_plr {
	struct mlr_plr_parameters parameters;
	struct plr_posterior *posteriors[MLR_PLR_FITTINGS];
	struct plr_posterior *robust[MLR_PLR_FITTINGS]; /* posteriors of dispersed data; not used where the model fits */
	double misfit, dispersion, least_loss_ratio;    /* the smallest of all trials with loss; INFINITY without any */
	struct plr_datum *data;                         /* one for each trial */
	struct plr_datum *merged;    /* one for each load: for a Poisson likelihood, trials at one load are one long trial */
	struct plr_datum *dispersed; /* the merged data with a larger dispersion */
	size_t merged_count;
	struct mlr_plr_step *steps;
	double *lossy_fps; /* the lossy loads of 5.6, the smallest first */
	size_t trial_count, trial_capacity;
	size_t lossy_count;
	size_t scan_count;
	bool scan_lost;     /* a scan lost more than the target */
	size_t zeros;       /* number of last trials without loss */
	double drained_fps; /* the smallest lossy load when the last trial had no loss; 0 if there is none */
};

/* --- life ----------------------------------------------------------------------------------------------------------- */

static bool is_positive(double value)
{
	return isfinite(value) && value > 0;
}

static bool parameters_valid(const struct mlr_plr_parameters *p)
{
	return is_positive(p->min_load_fps) && isfinite(p->max_load_fps) && p->max_load_fps > p->min_load_fps &&
	       is_positive(p->target_loss_ratio) && p->target_loss_ratio < 1 && is_positive(p->first_duration_s) &&
	       isfinite(p->duration_step_s) && p->duration_step_s >= 0;
}

static struct plr_data all_data(const struct mlr_plr *plr)
{
	return (struct plr_data){ &plr->parameters, plr->data, plr->trial_count };
}

static void update_posteriors(struct mlr_plr *plr)
{
	struct plr_data data = { &plr->parameters, plr->merged, plr->merged_count };

	for (int fitting = 0; fitting < MLR_PLR_FITTINGS; fitting++)
		plr_posterior_update(plr->posteriors[fitting], &data);
}

int mlr_plr_new(const struct mlr_plr_parameters *parameters, struct mlr_plr **ret)
{
	struct mlr_plr *plr;
	int err = 0;

	if (!parameters_valid(parameters))
		return -EINVAL;
	plr = calloc(1, sizeof(*plr));
	if (!plr)
		return -ENOMEM;
	plr->parameters = *parameters;
	plr->dispersion = 1;
	plr->least_loss_ratio = INFINITY;
	for (int fitting = 0; fitting < MLR_PLR_FITTINGS && !err; fitting++) {
		err = plr_posterior_new(fitting, &plr->posteriors[fitting]);
		if (!err)
			err = plr_posterior_new(fitting, &plr->robust[fitting]);
	}
	if (err) {
		mlr_plr_free(plr);
		return err;
	}
	update_posteriors(plr);
	*ret = plr;
	return 0;
}

void mlr_plr_free(struct mlr_plr *plr)
{
	if (!plr)
		return;
	for (int fitting = 0; fitting < MLR_PLR_FITTINGS; fitting++) {
		plr_posterior_free(plr->posteriors[fitting]);
		plr_posterior_free(plr->robust[fitting]);
	}
	free(plr->dispersed);
	free(plr->data);
	free(plr->merged);
	free(plr->steps);
	free(plr->lossy_fps);
	free(plr);
}

/* --- estimates ------------------------------------------------------------------------------------------------------ */

static const struct plr_summary *summary(const struct mlr_plr *plr, int fitting)
{
	return plr_posterior_summary(plr->posteriors[fitting]);
}

/* Return the equal-weight mixture of both fitting functions. */
static struct mlr_plr_moments mixture(const struct mlr_plr_moments *a, const struct mlr_plr_moments *b)
{
	double half_gap = (a->mean_fps - b->mean_fps) / 2;
	double variance = (a->stdev_fps * a->stdev_fps + b->stdev_fps * b->stdev_fps) / 2 + half_gap * half_gap;

	return (struct mlr_plr_moments){ a->mean_fps - half_gap, sqrt(variance) };
}

static struct mlr_plr_moments together(const struct mlr_plr *plr)
{
	return mixture(&summary(plr, MLR_PLR_STRETCH)->critical_load, &summary(plr, MLR_PLR_ERF)->critical_load);
}

/* Return how far the estimate extrapolates: the distance from the load of the smallest loss ratio to the critical load, by
 * both fitting functions. No trial covers that range. */
static double extrapolated(const struct mlr_plr *plr)
{
	struct mlr_plr_parameters seen = plr->parameters;
	double sum_fps = 0;

	seen.target_loss_ratio =
		fmin(plr->least_loss_ratio, 0.5); /* a SUT that loses more than half at every load cannot be estimated */
	if (!(seen.target_loss_ratio > plr->parameters.target_loss_ratio))
		return 0;
	for (int fitting = 0; fitting < MLR_PLR_FITTINGS; fitting++) {
		const struct plr_summary *of = summary(plr, fitting);
		struct plr_shape shape = plr_shape_make(fitting, of->log_mrr, of->log_spread);

		sum_fps += plr_shape_critical_load(&shape, &seen) - plr_shape_critical_load(&shape, &plr->parameters);
	}
	return sum_fps / MLR_PLR_FITTINGS;
}

/* Return the stdev about the mean of the mixture. It is the root of several squares. If the model does not fit, these are
 * the posterior of dispersed data, the distance to its mean, and the movement of the estimate in the second half of the
 * trials. Half of the extrapolated distance always counts, and half of that by which losses far below make the estimate unsure. */
static double robust_stdev(const struct mlr_plr *plr)
{
	struct mlr_plr_moments plain = together(plr), moments;
	double stdev_fps = plain.stdev_fps;

	if (plr->dispersion > 1) {
		moments = mixture(&plr_posterior_summary(plr->robust[MLR_PLR_STRETCH])->critical_load,
				  &plr_posterior_summary(plr->robust[MLR_PLR_ERF])->critical_load);
		stdev_fps = fmax(stdev_fps, hypot(moments.stdev_fps, moments.mean_fps - plain.mean_fps));
		stdev_fps = hypot(stdev_fps, plr->steps[plr->trial_count / 2].together.mean_fps - plain.mean_fps);
	}
	stdev_fps = hypot(stdev_fps, extrapolated(plr) / 2);
	return hypot(stdev_fps, plr_scan_unsure(&plr->parameters, plr->steps, plr->trial_count, plain.mean_fps) / 2);
}

bool mlr_plr_sharp(const struct mlr_plr *plr, double stdev_ratio)
{
	return plr->trial_count > OPENING_TRIALS && (!plr->parameters.scan_every || plr->scan_count >= SCANS_LEAST) &&
	       robust_stdev(plr) <= stdev_ratio * together(plr).mean_fps;
}

/* Find how often the loss ratio crosses the target. Where the critical load is probably at Min Load, all loads are above
 * it. */
static struct mlr_plr_crossings crossings(const struct mlr_plr *plr, double min_load_probability)
{
	double up_to_fps = min_load_probability > MLR_PLR_LIKELY ? plr->parameters.max_load_fps : together(plr).mean_fps;

	if (!plr->parameters.scan_every)
		up_to_fps = 0;
	return plr_scan_crossings(&plr->parameters, plr->steps, plr->trial_count, up_to_fps);
}

static size_t count_anomalies(const struct mlr_plr *plr)
{
	size_t count = 0;

	for (size_t i = 0; i < plr->trial_count; i++)
		count += plr->steps[i].anomaly;
	return count;
}

void mlr_plr_estimate(const struct mlr_plr *plr, struct mlr_plr_estimate *ret)
{
	struct plr_data data = all_data(plr);

	*ret = (struct mlr_plr_estimate){ .together = together(plr), .trial_count = plr->trial_count };
	ret->anomaly_count = count_anomalies(plr);
	ret->misfit = plr->misfit;
	ret->model_fits = plr->misfit <= MLR_PLR_MISFIT_MOST;
	ret->dispersion = plr->dispersion;
	ret->robust_stdev_fps = robust_stdev(plr);
	for (int fitting = 0; fitting < MLR_PLR_FITTINGS; fitting++) {
		const struct plr_summary *of = summary(plr, fitting);

		ret->fittings[fitting] = of->critical_load;
		ret->log_evidence[fitting] = of->log_evidence;
		ret->min_load_probability += of->min_load_probability / MLR_PLR_FITTINGS;
		ret->max_load_probability += of->max_load_probability / MLR_PLR_FITTINGS;
		ret->trends[fitting] = plr_trend(fitting, of, &data, plr->steps);
	}
	ret->crossings = crossings(plr, ret->min_load_probability);
	ret->trend = ret->trends[ret->trends[MLR_PLR_STRETCH].p_value < ret->trends[MLR_PLR_ERF].p_value];
}

const struct mlr_plr_step *mlr_plr_timeline(const struct mlr_plr *plr, size_t *ret_count)
{
	*ret_count = plr->trial_count;
	return plr->steps;
}

/* --- the next load (5.6) -------------------------------------------------------------------------------------------- */

/* Return a load that is less than the last one by as much as the loss must fall to reach the target. It assumes that each
 * frame less offered is a frame less lost. */
static double load_like_mrr(const struct mlr_plr *plr)
{
	const struct mlr_plr_step *last = &plr->steps[plr->trial_count - 1];
	double received_ratio = 1 - last->counts.lost_frames / last->counts.offered_frames;

	return last->input.load_fps * received_ratio / (1 - plr->parameters.target_loss_ratio);
}

/* Return the largest critical load that a fitting function still finds plausible. */
static double largest_plausible(const struct mlr_plr *plr)
{
	double largest_fps = 0;

	for (int fitting = 0; fitting < MLR_PLR_FITTINGS; fitting++) {
		const struct mlr_plr_moments *moments = &summary(plr, fitting)->critical_load;

		largest_fps = fmax(largest_fps, moments->mean_fps + 2 * moments->stdev_fps);
	}
	return largest_fps;
}

/* Return the estimate, moved towards the smallest lossy load by trials without loss. The first of them has the weight 1 : 1,
 * and each further one doubles the weight. */
static double load_by_estimate(const struct mlr_plr *plr)
{
	double load_fps = together(plr).mean_fps;
	double lossy_fps = fmin(plr->drained_fps, largest_plausible(plr)), weight;

	if (lossy_fps <= load_fps)
		return load_fps;
	weight = ldexp(1, 1 - (int)fmin((double)plr->zeros, 100));
	return (lossy_fps + weight * load_fps) / (1 + weight);
}

/* Whether the next trial looks below the critical load. */
static bool is_scan(const struct mlr_plr *plr)
{
	size_t every = plr->scan_lost && plr->parameters.scan_every ? SCAN_OFTEN : plr->parameters.scan_every;

	return every && plr->trial_count >= OPENING_TRIALS && plr->trial_count % every == every - 1 &&
	       together(plr).mean_fps > plr->parameters.min_load_fps;
}

static double next_load(const struct mlr_plr *plr)
{
	if (is_scan(plr))
		return plr_scan_load(&plr->parameters, plr->steps, plr->trial_count,
				     plr_scan_end(&plr->parameters, together(plr).mean_fps, robust_stdev(plr)));
	switch (plr->trial_count) {
	case 0:
		return (plr->parameters.min_load_fps + plr->parameters.max_load_fps) / 2;
	case 1:
		return plr->parameters.max_load_fps;
	case 2:
	case 3:
		return load_like_mrr(plr);
	default:
		return load_by_estimate(plr);
	}
}

void mlr_plr_next(const struct mlr_plr *plr, struct mlr_trial_input *ret)
{
	const struct mlr_plr_parameters *p = &plr->parameters;

	ret->duration_s = p->first_duration_s + p->duration_step_s * (double)plr->trial_count;
	ret->load_fps = fmin(fmax(next_load(plr), p->min_load_fps), p->max_load_fps);
}

/* --- taking a trial ------------------------------------------------------------------------------------------------- */

static int reserve(void **array, size_t count, size_t size)
{
	void *grown = reallocarray(*array, count, size);

	if (!grown)
		return -ENOMEM;
	*array = grown;
	return 0;
}

/* Make room for one more trial. */
static int reserve_trial(struct mlr_plr *plr)
{
	size_t capacity = plr->trial_capacity ? plr->trial_capacity * 2 : 64;
	int err;

	if (plr->trial_count < plr->trial_capacity)
		return 0;
	err = reserve((void **)&plr->data, capacity, sizeof(*plr->data));
	if (!err)
		err = reserve((void **)&plr->merged, capacity, sizeof(*plr->merged));
	if (!err)
		err = reserve((void **)&plr->dispersed, capacity, sizeof(*plr->dispersed));
	if (!err)
		err = reserve((void **)&plr->steps, capacity, sizeof(*plr->steps));
	if (!err)
		err = reserve((void **)&plr->lossy_fps, LOSSY_COPIES * capacity, sizeof(*plr->lossy_fps));
	if (!err)
		plr->trial_capacity = capacity;
	return err;
}

static struct mlr_plr_counts derive_counts(const struct mlr_trial_result *result)
{
	double offered = fmax(1, round(result->input.load_fps * result->input.duration_s));

	return (struct mlr_plr_counts){ offered, round(result->output.loss_ratio * offered) };
}

static bool counts_valid(const struct mlr_plr_counts *counts)
{
	return is_positive(counts->offered_frames) && counts->lost_frames >= 0 &&
	       counts->lost_frames <= counts->offered_frames;
}

static bool load_valid(const struct mlr_plr *plr, double load_fps)
{
	return load_fps >= plr->parameters.min_load_fps && load_fps <= plr->parameters.max_load_fps;
}

static struct plr_datum make_datum(double load_fps, const struct mlr_plr_counts *counts)
{
	return (struct plr_datum){
		.load_fps = load_fps,
		.log_load = log(load_fps),
		.log_frames_per_fps = log(counts->offered_frames / load_fps),
		.lost_frames = counts->lost_frames,
		.log_lost = counts->lost_frames > 0 ? log(counts->lost_frames) : 0,
	};
}

/* Add a trial to those at its load. */
static void merge(struct mlr_plr *plr, double load_fps, const struct mlr_plr_counts *counts)
{
	size_t i = 0;

	while (i < plr->merged_count && plr->merged[i].load_fps != load_fps)
		i++;
	if (i < plr->merged_count) {
		const struct plr_datum *before = &plr->merged[i];
		struct mlr_plr_counts sum = {
			.offered_frames = exp(before->log_frames_per_fps) * load_fps + counts->offered_frames,
			.lost_frames = before->lost_frames + counts->lost_frames,
		};

		plr->merged[i] = make_datum(load_fps, &sum);
	} else {
		plr->merged[plr->merged_count++] = make_datum(load_fps, counts);
	}
}

/* Insert a load into the ordered list of lossy loads. */
static void lossy_insert(struct mlr_plr *plr, double load_fps)
{
	size_t at = plr->lossy_count;

	while (at && plr->lossy_fps[at - 1] > load_fps)
		at--;
	memmove(plr->lossy_fps + at + LOSSY_COPIES, plr->lossy_fps + at, (plr->lossy_count - at) * sizeof(*plr->lossy_fps));
	for (size_t i = 0; i < LOSSY_COPIES; i++)
		plr->lossy_fps[at + i] = load_fps;
	plr->lossy_count += LOSSY_COPIES;
}

static void lossy_drain(struct mlr_plr *plr)
{
	size_t drained = plr->lossy_count < LOSSY_DRAINED ? plr->lossy_count : LOSSY_DRAINED;

	plr->drained_fps = drained ? plr->lossy_fps[0] : 0;
	plr->lossy_count -= drained;
	memmove(plr->lossy_fps, plr->lossy_fps + drained, plr->lossy_count * sizeof(*plr->lossy_fps));
}

static void lossy_update(struct mlr_plr *plr, double load_fps, const struct mlr_plr_counts *counts)
{
	plr->drained_fps = 0;
	plr->zeros = counts->lost_frames > 0 ? 0 : plr->zeros + 1;
	if (counts->lost_frames > 0 && counts->lost_frames >= plr->parameters.target_loss_ratio * counts->offered_frames)
		lossy_insert(plr, load_fps);
	if (plr->zeros &&
	    plr->trial_count + 1 >= OPENING_TRIALS) /* Before that, no estimate is asked for, so nothing is moved. */
		lossy_drain(plr);
}

/* Take a trial that looked below the critical load. It tells whether there is more than one crossing. It tells nothing about
 * where the critical load is. */
static void take_scan(struct mlr_plr *plr, const struct mlr_plr_step *step, struct plr_datum *datum)
{
	plr->scan_count++;
	plr->scan_lost |= plr_scan_missed(&plr->parameters, step, together(plr).mean_fps);
	datum->log_frames_per_fps = NO_FRAMES;
	datum->lost_frames = datum->log_lost = 0;
}

/* Set what the posteriors foresaw for this trial. */
static void foresee(const struct mlr_plr *plr, const struct plr_datum *datum, struct mlr_plr_step *step)
{
	step->anomaly = true;
	for (int fitting = 0; fitting < MLR_PLR_FITTINGS; fitting++) {
		step->tail_probability[fitting] = plr_posterior_tail(plr->posteriors[fitting], datum);
		step->anomaly &= step->tail_probability[fitting] < MLR_PLR_ANOMALY_PROBABILITY;
	}
}

/* Return the dispersion by the function that foresees the trials better. */
static double find_dispersion(const struct mlr_plr *plr, struct plr_posterior *const posteriors[], double *ret_misfit)
{
	struct plr_data data = all_data(plr);
	double least = INFINITY;

	*ret_misfit = INFINITY;
	for (int fitting = 0; fitting < MLR_PLR_FITTINGS; fitting++) {
		struct plr_misfit misfit = plr_misfit(fitting, plr_posterior_summary(posteriors[fitting]), &data);

		*ret_misfit = fmin(*ret_misfit, misfit.score);
		least = fmin(least, misfit.dispersion * (1 + misfit.repeating) / (1 - misfit.repeating));
	}
	return fmax(UNSEEN * least, 1);
}

/* Compare the trials with what is foreseen. If they differ, give all trials less weight. */
static void check_model(struct mlr_plr *plr)
{
	double dispersion = find_dispersion(plr, plr->posteriors, &plr->misfit), misfit;
	struct plr_data data = { &plr->parameters, plr->dispersed, plr->merged_count };

	if (plr->misfit <= MLR_PLR_MISFIT_MOST) {
		plr->dispersion = 1;
		return;
	}
	if (plr->dispersion <= 1)
		plr->dispersion = dispersion;
	for (size_t i = 0; i < plr->merged_count; i++)
		plr->dispersed[i] = plr_datum_dispersed(&plr->merged[i], plr->dispersion);
	for (int fitting = 0; fitting < MLR_PLR_FITTINGS; fitting++)
		plr_posterior_update(plr->robust[fitting], &data);
	plr->dispersion = find_dispersion(plr, plr->robust, &misfit);
}

/* Set the estimates after this trial. */
static void conclude(const struct mlr_plr *plr, struct mlr_plr_step *step)
{
	for (int fitting = 0; fitting < MLR_PLR_FITTINGS; fitting++)
		step->fittings[fitting] = summary(plr, fitting)->critical_load;
	step->together = together(plr);
}

/* Take a trial that counts for the estimate. */
static void take_sample(struct mlr_plr *plr, const struct mlr_plr_step *step)
{
	const struct mlr_plr_counts *counts = &step->counts;

	lossy_update(plr, step->input.load_fps, counts);
	if (counts->lost_frames > 0)
		plr->least_loss_ratio = fmin(plr->least_loss_ratio, counts->lost_frames / counts->offered_frames);
	merge(plr, step->input.load_fps, counts);
}

int mlr_plr_add(struct mlr_plr *plr, const struct mlr_trial_result *result, const struct mlr_plr_counts *counts)
{
	struct mlr_trial_input asked;
	struct mlr_plr_step *step;
	int err;

	if (!mlr_trial_result_valid(result) || !load_valid(plr, result->input.load_fps) || (counts && !counts_valid(counts)))
		return -EINVAL;
	err = reserve_trial(plr);
	if (err)
		return err;
	mlr_plr_next(plr, &asked);
	step = &plr->steps[plr->trial_count];
	*step = (struct mlr_plr_step){ .input = result->input, .counts = counts ? *counts : derive_counts(result) };
	step->scan = asked.load_fps == result->input.load_fps && is_scan(plr);
	step->end_s = (plr->trial_count ? step[-1].end_s : 0) + result->output.effective_duration_s;
	plr->data[plr->trial_count] = make_datum(result->input.load_fps, &step->counts);
	foresee(plr, &plr->data[plr->trial_count], step);
	if (step->scan)
		take_scan(plr, step, &plr->data[plr->trial_count]);
	else
		take_sample(plr, step);
	plr->trial_count++;
	if (!step->scan)
		update_posteriors(plr);
	check_model(plr);
	conclude(plr, step);
	return 0;
}
