/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This file computes the posterior of one fitting function, by deterministic quadrature over its two parameters.
 *
 * The coordinates are x = ln(spread) and t = ln(mrr). At a given x the likelihood has one maximum in t. The inner integral
 * finds that peak, and lays a Gauss-Legendre rule over each of its flanks. The outer integral does the same with the
 * profile, which is the height of the inner peak as a function of x. The profile may have several maxima; a coarse scan over
 * all of x finds them. A panel whose nodes differ too much to be smooth is halved, within a limit of work.
 *
 * All nodes are placed again after each trial, so they are where the mass is, however narrow it is. Only the inner peaks are
 * kept, as a first guess.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "plrsearch/plr_private.h"

#define LOG_MRR_MIN     0.01   /* the draft has mrr > 1 frame/s; the prior of x given t has a pole at ln(mrr) = 0 */
#define SCAN_NODES      16     /* nodes over the whole range of x */
#define SCAN_HOPELESS   1000.0 /* nats below the peak: such a node is evaluated only every SCAN_PERIOD updates */
#define SCAN_PERIOD     8
#define KINK_HALVINGS   40
#define VALLEY          1.0 /* nats: a shallower valley does not count */
#define PEAKS_MAX       4
#define HINTS_MAX       512
#define NODES_MAX       16384
#define NODES_SPLIT_MAX 8192 /* no panel is halved beyond this */
#define SPLIT_DEPTH     4
#define WORK_SPLIT_MAX  120000 /* most evaluations of the fitting function before a split */
#define KNEE            5.0    /* widths of a peak: a flank of more than twice that is divided there */
#define MEAN_MIN        1e-300 /* frames lost: the least mean, so that it has a logarithm */
#define ROUGH           10.0   /* nats between neighbouring nodes: a larger difference is not smooth */
#define ROUGH_BELOW     12.0   /* nats below the peak: roughness there does not matter */

/* A node of the quadrature: parameters, and the logarithm of density times weight. */
struct node {
	double log_spread, log_mrr;
	double log_weight;
	double log_density;
	double critical_fps;
};

/* The position of the inner peak at some spread. */
struct hint {
	double log_spread, log_mrr, width;
};

struct hints {
	struct hint hints[HINTS_MAX];
	size_t count;
};

/* A node of the coarse scan. */
struct scan {
	double profile; /* value at the last evaluation */
	bool fresh;     /* The point was evaluated in this update. */
};

struct plr_posterior {
	enum mlr_plr_fitting fitting;
	struct plr_summary summary;
	struct node nodes[NODES_MAX];
	size_t node_count;
	struct hints old, new;
	struct scan scan[SCAN_NODES];
	bool known; /* a peak of an earlier update is known */
	struct plr_peak peak;
};

/* The state of one update. */
struct work {
	struct plr_posterior *posterior;
	const struct plr_data *data;
	double log_mrr_max;
	double log_spread;  /* the current x */
	double log_weight;  /* the weight of the current node of the outer integral */
	double evaluations; /* evaluations of the fitting function */
};

int plr_posterior_new(enum mlr_plr_fitting fitting, struct plr_posterior **ret)
{
	struct plr_posterior *posterior = calloc(1, sizeof(*posterior));

	if (!posterior)
		return -ENOMEM;
	posterior->fitting = fitting;
	*ret = posterior;
	return 0;
}

void plr_posterior_free(struct plr_posterior *posterior)
{
	free(posterior);
}

const struct plr_summary *plr_posterior_summary(const struct plr_posterior *posterior)
{
	return &posterior->summary;
}

/* --- the density ---------------------------------------------------------------------------------------------------- */

/* Return the Lomax scale of mrr. */
static double prior_scale(const struct plr_data *data)
{
	return data->parameters->max_load_fps / 2;
}

/* Return the priors (5.4) as a density in x and t: mrr - 1 is Lomax with alpha 1, and ln(spread) is uniform between 0 and
 * ln(mrr). */
static double log_prior(const struct plr_data *data, double log_mrr)
{
	double scale = prior_scale(data);

	return log_mrr + log(scale) - 2 * log(expm1(log_mrr) + scale) - log(log_mrr);
}

/* The curve of the inner integral: ln of the density at the current x. */
static double density_value(void *context, double log_mrr)
{
	struct work *work = context;
	struct plr_shape shape = plr_shape_make(work->posterior->fitting, log_mrr, work->log_spread);

	work->evaluations += (double)work->data->count + 10;
	return log_prior(work->data, log_mrr) + plr_log_likelihood(&shape, work->data);
}

static struct plr_curve density_curve(struct work *work)
{
	return (struct plr_curve){ density_value, work, fmax(work->log_spread, LOG_MRR_MIN), work->log_mrr_max };
}

/* --- hints: where the inner peak may be ----------------------------------------------------------------------------- */

static void hints_add(struct hints *hints, const struct hint *hint)
{
	if (hints->count < HINTS_MAX)
		hints->hints[hints->count++] = *hint;
}

/* Find the nearest hints on either side of x. Later hints have precedence. NULL if there is none. */
static void hints_find(const struct hints *hints, double log_spread, const struct hint **below, const struct hint **above)
{
	for (size_t i = 0; i < hints->count; i++) {
		const struct hint *hint = &hints->hints[i];

		if (hint->log_spread <= log_spread && (!*below || hint->log_spread >= (*below)->log_spread))
			*below = hint;
		if (hint->log_spread >= log_spread && (!*above || hint->log_spread <= (*above)->log_spread))
			*above = hint;
	}
}

/* Interpolate between two hints by a straight line. Outside of all hints, return the nearest one. */
static struct hint hint_between(const struct hint *below, const struct hint *above, double log_spread)
{
	struct hint hint = log_spread - below->log_spread < above->log_spread - log_spread ? *below : *above;
	double gap = above->log_spread - below->log_spread;

	if (gap > 0)
		hint.log_mrr = below->log_mrr + (above->log_mrr - below->log_mrr) * (log_spread - below->log_spread) / gap;
	hint.log_spread = log_spread;
	return hint;
}

static struct hint hint_at(const struct work *work, double log_spread)
{
	const struct hint *below = NULL, *above = NULL;

	hints_find(&work->posterior->old, log_spread, &below, &above);
	hints_find(&work->posterior->new, log_spread, &below, &above);
	if (below || above)
		return hint_between(below ? below : above, above ? above : below, log_spread);
	return (struct hint){ log_spread, fmax(log_spread, log(work->data->parameters->max_load_fps / 2)), 1 };
}

/* --- the profile ---------------------------------------------------------------------------------------------------- */

/* Return the inner peak at a spread. */
static struct plr_peak inner_peak(struct work *work, double log_spread)
{
	struct hint hint = hint_at(work, log_spread);
	struct plr_curve curve;
	struct plr_peak peak;

	work->log_spread = log_spread;
	curve = density_curve(work);
	peak = plr_peak_climb(&curve, hint.log_mrr, hint.width);
	hint.log_mrr = peak.at;
	hint.width = peak.width;
	hints_add(&work->posterior->new, &hint);
	return peak;
}

/* The curve of the outer integral: approximately the logarithm of the inner one. */
static double profile_value(void *context, double log_spread)
{
	struct plr_peak peak = inner_peak(context, log_spread);

	return peak.value + log(peak.width);
}

static struct plr_curve profile_curve(struct work *work)
{
	return (struct plr_curve){ profile_value, work, 0, work->log_mrr_max - 1 };
}

static void peaks_add(struct plr_peak *peaks, size_t *count, const struct plr_peak *peak)
{
	for (size_t i = 0; i < *count; i++) {
		if (fabs(peaks[i].at - peak->at) < fmax(peaks[i].width, peak->width))
			return;
	}
	if (*count < PEAKS_MAX)
		peaks[(*count)++] = *peak;
}

static double scan_at(const struct plr_curve *curve, int i)
{
	return curve->low + (curve->high - curve->low) * (i + 0.5) / SCAN_NODES;
}

/* Evaluate the profile at a node. */
static void scan_look(struct work *work, const struct plr_curve *curve, int i)
{
	work->posterior->scan[i] = (struct scan){ .profile = profile_value(work, scan_at(curve, i)), .fresh = true };
}

/* Do not evaluate a node in this update, and keep its old value. Trials can only have made it less likely. */
static void scan_skip(struct work *work, const struct plr_curve *curve, int i)
{
	struct hint hint = hint_at(work, scan_at(curve, i));

	hints_add(&work->posterior->new, &hint);
	work->posterior->scan[i].fresh = false;
}

/* Evaluate the profile on a coarse grid over all of x. */
static void scan_profile(struct work *work, const struct plr_curve *curve)
{
	struct plr_posterior *posterior = work->posterior;
	double hopeless = posterior->peak.value - SCAN_HOPELESS;

	for (int i = 0; i < SCAN_NODES; i++) {
		bool turn = (work->data->count + (size_t)i) % SCAN_PERIOD == 0;

		if (turn || !posterior->known || posterior->scan[i].profile > hopeless)
			scan_look(work, curve, i);
		else
			scan_skip(work, curve, i);
	}
}

static bool is_local_maximum(const struct scan scan[SCAN_NODES], int i)
{
	return scan[i].fresh && (i == 0 || scan[i].profile >= scan[i - 1].profile) &&
	       (i + 1 == SCAN_NODES || scan[i].profile >= scan[i + 1].profile);
}

/* Find every local maximum of the profile that the coarse scan and the last update lead to. */
static size_t peaks_find(struct work *work, struct plr_peak peaks[PEAKS_MAX])
{
	struct plr_posterior *posterior = work->posterior;
	struct plr_curve curve = profile_curve(work);
	double spacing = (curve.high - curve.low) / SCAN_NODES;
	size_t count = 0;

	if (posterior->known) {
		posterior->peak = plr_peak_climb(&curve, posterior->peak.at, posterior->peak.width);
		peaks_add(peaks, &count, &posterior->peak);
	}
	scan_profile(work, &curve);
	for (int i = 0; i < SCAN_NODES; i++) {
		double at = scan_at(&curve, i);
		struct plr_peak peak;

		if (!is_local_maximum(posterior->scan, i) || (posterior->known && fabs(posterior->peak.at - at) < spacing))
			continue;
		peak = plr_peak_climb(&curve, at, spacing / 2);
		peaks_add(peaks, &count, &peak);
	}
	return count;
}

static int compare_peaks(const void *a, const void *b)
{
	const struct plr_peak *left = a, *right = b;

	return (left->at > right->at) - (left->at < right->at);
}

/* Whether a lower peak belongs to the flank or plateau of a higher one: it is too near, or no valley is between them. */
static bool is_part_of(const struct plr_posterior *posterior, const struct plr_curve *curve, const struct plr_peak *lower,
		       const struct plr_peak *higher)
{
	double low = fmin(lower->at, higher->at), high = fmax(lower->at, higher->at), valley = INFINITY;

	for (int i = 0; i < SCAN_NODES; i++) {
		if (scan_at(curve, i) > low && scan_at(curve, i) < high)
			valley = fmin(valley, posterior->scan[i].profile);
	}
	return high - low < 2 * lower->width || (valley < INFINITY && valley > lower->value - VALLEY);
}

/* Keep the highest peak and all others that matter, in ascending order. */
static size_t peaks_select(struct work *work, struct plr_peak *peaks, size_t count)
{
	struct plr_curve curve = profile_curve(work);
	struct plr_peak highest = peaks[0];
	size_t kept = 0;

	for (size_t i = 1; i < count; i++) {
		if (peaks[i].value > highest.value)
			highest = peaks[i];
	}
	for (size_t i = 0; i < count; i++) {
		bool part = peaks[i].at != highest.at && is_part_of(work->posterior, &curve, &peaks[i], &highest);

		if (!part && peaks[i].value > highest.value - PLR_FALL)
			peaks[kept++] = peaks[i];
	}
	qsort(peaks, kept, sizeof(*peaks), compare_peaks);
	work->posterior->peak = highest;
	return kept;
}

/* --- the integrals -------------------------------------------------------------------------------------------------- */

/* An integral of exp(value). The function is called at each node and returns the value there. */
struct rule {
	struct work *work;
	double (*visit)(struct work *work, double at, double log_weight);
	double top; /* approximately the largest value */
};

static double visit_inner(struct work *work, double log_mrr, double log_weight)
{
	struct plr_posterior *posterior = work->posterior;
	double log_density = density_value(work, log_mrr);

	if (posterior->node_count < NODES_MAX) {
		posterior->nodes[posterior->node_count++] = (struct node){
			.log_spread = work->log_spread,
			.log_mrr = log_mrr,
			.log_weight = log_density + log_weight + work->log_weight,
			.log_density = log_density,
		};
	}
	return log_density;
}

static bool is_rough(const double *values, size_t count, double top)
{
	for (size_t i = 1; i < count; i++) {
		double larger = fmax(values[i - 1], values[i]), smaller = fmin(values[i - 1], values[i]);

		if (larger > top - ROUGH_BELOW && smaller < larger - ROUGH)
			return true;
	}
	return false;
}

static bool may_split(const struct work *work, int depth)
{
	return depth < SPLIT_DEPTH && work->posterior->node_count < NODES_SPLIT_MAX && work->evaluations < WORK_SPLIT_MAX;
}

/* Integrate one panel, in halves where it is rough. */
static void integrate_panel(const struct rule *rule, double low, double high, int depth)
{
	size_t mark = rule->work->posterior->node_count;
	double values[PLR_GAUSS], middle = low + (high - low) / 2;

	if (!(high > low))
		return;
	for (int i = 0; i < PLR_GAUSS; i++) {
		double log_weight = log((high - low) * plr_gauss.weight[i]);

		values[i] = rule->visit(rule->work, low + (high - low) * plr_gauss.at[i], log_weight);
	}
	if (!is_rough(values, PLR_GAUSS, rule->top) || !may_split(rule->work, depth))
		return;
	rule->work->posterior->node_count = mark;
	integrate_panel(rule, low, middle, depth + 1);
	integrate_panel(rule, middle, high, depth + 1);
}

/* Return the logarithm of the sum of weights from a node on. */
static double log_mass(const struct plr_posterior *posterior, size_t from)
{
	double top = -INFINITY, sum = 0;

	for (size_t i = from; i < posterior->node_count; i++)
		top = fmax(top, posterior->nodes[i].log_weight);
	for (size_t i = from; i < posterior->node_count; i++)
		sum += exp(posterior->nodes[i].log_weight - top);
	return top + log(sum);
}

/* Return how far the fitted loss ratio at a load is above the target. It falls as mrr rises. */
static double excess_at(const struct work *work, double load_fps, double log_mrr)
{
	struct plr_shape shape = plr_shape_make(work->posterior->fitting, log_mrr, work->log_spread);

	return plr_shape_log_rate(&shape, load_fps) - log(load_fps * work->data->parameters->target_loss_ratio);
}

/* Return the mrr between two at which the critical load reaches a load. From there on it is clipped, so the averaged value
 * has a kink. If there is no kink, return one of the two ends. */
static double find_kink(const struct work *work, double load_fps, double low, double high)
{
	if (excess_at(work, load_fps, low) <= 0)
		return low;
	if (excess_at(work, load_fps, high) >= 0)
		return high;
	for (int i = 0; i < KINK_HALVINGS; i++) {
		double middle = low + (high - low) / 2;

		if (excess_at(work, load_fps, middle) > 0)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Integrate one flank of the inner peak, in pieces without a kink inside. */
static void integrate_inner(const struct rule *rule, double low, double high)
{
	const struct mlr_plr_parameters *p = rule->work->data->parameters;
	double first = find_kink(rule->work, p->min_load_fps, low, high);
	double last = fmax(first, find_kink(rule->work, p->max_load_fps, low, high));

	integrate_panel(rule, low, first, 0);
	integrate_panel(rule, first, last, 0);
	integrate_panel(rule, last, high, 0);
}

/* Evaluate a node of the outer integral, which is an inner integral. */
static double visit_outer(struct work *work, double log_spread, double log_weight)
{
	size_t mark = work->posterior->node_count;
	struct plr_peak peak = inner_peak(work, log_spread);
	struct plr_curve curve = density_curve(work);
	struct rule rule = { work, visit_inner, peak.value };

	work->log_weight = log_weight;
	integrate_inner(&rule, plr_peak_edge(&curve, &peak, -1), peak.at);
	integrate_inner(&rule, peak.at, plr_peak_edge(&curve, &peak, 1));
	return log_mass(work->posterior, mark) - log_weight;
}

/* Integrate from a peak to where it ends on one side. A long flank (a plateau, a tail) is integrated apart from the peak
 * itself. */
static void integrate_flank(const struct rule *rule, const struct plr_peak *peak, double end)
{
	double knee = peak->at + copysign(KNEE * peak->width, end - peak->at);

	if (fabs(end - peak->at) < 2 * KNEE * peak->width)
		knee = end;
	integrate_panel(rule, fmin(end, knee), fmax(end, knee), 0);
	integrate_panel(rule, fmin(knee, peak->at), fmax(knee, peak->at), 0);
}

/* Integrate over all peaks in ascending order. If two of them are not separate, each gets half of the distance between
 * them. */
static void integrate_peaks(struct work *work, const struct plr_peak *peaks, size_t count, double top)
{
	struct plr_curve curve = profile_curve(work);
	struct rule rule = { work, visit_outer, top };
	double done = curve.low;

	for (size_t i = 0; i < count; i++) {
		double end = plr_peak_edge(&curve, &peaks[i], 1);

		integrate_flank(&rule, &peaks[i], fmax(done, plr_peak_edge(&curve, &peaks[i], -1)));
		done = i + 1 < count ? fmin(end, (peaks[i].at + peaks[i + 1].at) / 2) : end;
		integrate_flank(&rule, &peaks[i], done);
	}
}

/* --- what it says --------------------------------------------------------------------------------------------------- */

/* Turn logarithms of weights into weights that add up to 1. */
static void normalise(struct plr_posterior *posterior)
{
	double log_sum = log_mass(posterior, 0);

	for (size_t i = 0; i < posterior->node_count; i++)
		posterior->nodes[i].log_weight -= log_sum;
	posterior->summary.log_evidence = log_sum;
}

static void find_critical_loads(struct plr_posterior *posterior, const struct mlr_plr_parameters *parameters)
{
	for (size_t i = 0; i < posterior->node_count; i++) {
		struct node *node = &posterior->nodes[i];
		struct plr_shape shape = plr_shape_make(posterior->fitting, node->log_mrr, node->log_spread);

		node->critical_fps = plr_shape_critical_load(&shape, parameters);
	}
}

/* Return the densest node. */
static const struct node *find_mode(const struct plr_posterior *posterior)
{
	const struct node *mode = &posterior->nodes[0];

	for (size_t i = 1; i < posterior->node_count; i++) {
		if (posterior->nodes[i].log_density > mode->log_density)
			mode = &posterior->nodes[i];
	}
	return mode;
}

static void summarise(struct plr_posterior *posterior, const struct mlr_plr_parameters *parameters)
{
	const struct node *mode = find_mode(posterior);
	struct plr_summary *summary = &posterior->summary;
	double mean = 0, square = 0, at_min = 0, at_max = 0;

	for (size_t i = 0; i < posterior->node_count; i++) {
		const struct node *node = &posterior->nodes[i];
		double weight = exp(node->log_weight), distance = node->critical_fps - mode->critical_fps;

		mean += weight * distance;
		square += weight * distance * distance;
		at_min += node->critical_fps <= parameters->min_load_fps ? weight : 0;
		at_max += node->critical_fps >= parameters->max_load_fps ? weight : 0;
	}
	summary->critical_load.mean_fps = mode->critical_fps + mean;
	summary->critical_load.stdev_fps = sqrt(fmax(0, square - mean * mean));
	summary->min_load_probability = fmin(1, at_min); /* because of rounding the weights do not add up to exactly 1 */
	summary->max_load_probability = fmin(1, at_max);
	summary->log_mrr = mode->log_mrr;
	summary->log_spread = mode->log_spread;
}

void plr_posterior_update(struct plr_posterior *posterior, const struct plr_data *data)
{
	struct work work = { .posterior = posterior, .data = data, .log_mrr_max = log(prior_scale(data) + 1) + PLR_FALL };
	struct plr_peak peaks[PEAKS_MAX];
	size_t count;

	posterior->old = posterior->new;
	posterior->new.count = 0;
	posterior->node_count = 0;
	count = peaks_find(&work, peaks);
	count = peaks_select(&work, peaks, count);
	posterior->known = true;
	integrate_peaks(&work, peaks, count, posterior->peak.value);
	find_critical_loads(posterior, data->parameters);
	normalise(posterior);
	summarise(posterior, data->parameters);
}

/* --- tails ---------------------------------------------------------------------------------------------------------- */

double plr_half_deviance(double edge, double mean)
{
	double u = (edge - mean) / mean;

	if (edge <= 0)
		return mean;
	if (fabs(u) < 1e-3)
		return mean * u * u * (0.5 - u / 6 + u * u / 12);
	return edge * log(edge / mean) + mean - edge;
}

/* Return the standard score of the probability of at most `count` of a Poisson distribution (Peizer and Pratt's
 * approximation). */
static double poisson_score(double count, double mean)
{
	double edge = count + 0.5, shift = count + 2.0 / 3 - mean + 0.02 / (count + 1);

	if (fabs(edge - mean) < 1e-6 * mean)
		return shift / sqrt(mean);
	return shift / fabs(edge - mean) * sqrt(2 * plr_half_deviance(edge, mean));
}

static double normal_below(double score)
{
	return erfc(-score * M_SQRT1_2) / 2;
}

double plr_posterior_tail(const struct plr_posterior *posterior, const struct plr_datum *trial)
{
	double below = 0, above = 0;

	for (size_t i = 0; i < posterior->node_count; i++) {
		const struct node *node = &posterior->nodes[i];
		double weight = exp(node->log_weight);
		struct plr_shape shape = plr_shape_make(posterior->fitting, node->log_mrr, node->log_spread);
		double mean = fmax(exp(plr_log_mean_lost(&shape, trial)), MEAN_MIN);

		below += weight * normal_below(poisson_score(trial->lost_frames, mean));
		above += weight * (trial->lost_frames < 1 ? 1 : normal_below(-poisson_score(trial->lost_frames - 1, mean)));
	}
	return fmin(below, above);
}
