/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This file finds peaks of curves that are expensive to evaluate. It needs no derivatives, and few evaluations where the
 * curve is near a parabola. The result is good enough to lay a quadrature around it. Sharp steps, plateaus and maxima at an
 * end are allowed.
 */
#include <math.h>

#include "plrsearch/plr_private.h"

#define LOOSE       4.0 /* nats: three samples around a peak are near enough if the outer ones are lower by no more */
#define TIGHT       0.1 /* nats: they are too near if both are lower by less */
#define CLIMB_MAX   200 /* doublings of a step: more than a double can hold */
#define TIGHTEN_MAX 100 /* halvings of a bracket */

struct sample {
	double at, value;
};

/* Three samples in ascending order. An outer one equals the middle one where that is at an end of the curve. */
struct bracket {
	struct sample low, top, high;
};

static struct sample sample_at(const struct plr_curve *curve, double at)
{
	double inside = fmin(fmax(at, curve->low), curve->high);

	return (struct sample){ inside, curve->value(curve->context, inside) };
}

/* Return a neighbour of `from`. At an end of the curve that is `from` itself. */
static struct sample sample_beside(const struct plr_curve *curve, struct sample from, double step)
{
	if ((step < 0 && from.at <= curve->low) || (step > 0 && from.at >= curve->high))
		return from;
	return sample_at(curve, from.at + step);
}

/* Go uphill with steps of growing length until the curve falls on both sides. */
static struct bracket bracket_climb(const struct plr_curve *curve, double start, double step)
{
	struct bracket b;

	b.top = sample_at(curve, start);
	b.low = sample_beside(curve, b.top, -step);
	b.high = sample_beside(curve, b.top, step);
	for (int i = 0; i < CLIMB_MAX && (b.low.value > b.top.value || b.high.value > b.top.value); i++) {
		step *= 2;
		if (b.high.value > b.low.value) {
			b.low = b.top;
			b.top = b.high;
			b.high = sample_beside(curve, b.top, step);
		} else {
			b.high = b.top;
			b.top = b.low;
			b.low = sample_beside(curve, b.top, -step);
		}
	}
	return b;
}

static double fall_low(const struct bracket *b)
{
	return b->top.value - b->low.value;
}

static double fall_high(const struct bracket *b)
{
	return b->top.value - b->high.value;
}

/* If the samples are too near to tell the curvature, take others further away. */
static void bracket_widen(const struct plr_curve *curve, struct bracket *b)
{
	for (int i = 0; i < CLIMB_MAX && fmax(fall_low(b), fall_high(b)) < TIGHT; i++) {
		struct sample low = sample_beside(curve, b->top, 4 * (b->low.at - b->top.at));
		struct sample high = sample_beside(curve, b->top, 4 * (b->high.at - b->top.at));

		if (fmax(low.value, high.value) > b->top.value || (low.at == b->low.at && high.at == b->high.at))
			return;
		b->low = low;
		b->high = high;
	}
}

/* Return the second derivative of the parabola through the samples, and where its vertex is. Returns 0 if it has no
 * vertex. */
static double bracket_curvature(const struct bracket *b, double *ret_vertex)
{
	double left = b->top.at - b->low.at, right = b->high.at - b->top.at;
	double slope_left, slope_right, curvature;

	if (!(left > 0 && right > 0))
		return 0;
	slope_left = fall_low(b) / left;
	slope_right = -fall_high(b) / right;
	curvature = 2 * (slope_right - slope_left) / (left + right);
	if (!(curvature < 0))
		return 0;
	*ret_vertex = b->top.at - (slope_left * right + slope_right * left) / (left + right) / curvature;
	return curvature;
}

/* Return where to look next for a tighter bracket. It is in turn the vertex, and a place nearer to the top on the side that
 * fell more. */
static double bracket_probe(const struct bracket *b, int round)
{
	bool low_side = fall_low(b) > fall_high(b);
	double reach = low_side ? b->low.at - b->top.at : b->high.at - b->top.at;
	double fall = fmax(fall_low(b), fall_high(b)), vertex;

	if (round % 2 == 0 && bracket_curvature(b, &vertex) < 0 && fabs(vertex - b->top.at) > 1e-3 * fabs(reach))
		return vertex;
	return b->top.at + reach * fmax(1e-3, sqrt(LOOSE / 2 / fall));
}

static void bracket_take(struct bracket *b, struct sample sample)
{
	if (sample.at < b->top.at) {
		if (sample.value > b->top.value) {
			b->high = b->top;
			b->top = sample;
		} else {
			b->low = sample;
		}
	} else if (sample.value > b->top.value) {
		b->low = b->top;
		b->top = sample;
	} else {
		b->high = sample;
	}
}

static void bracket_tighten(const struct plr_curve *curve, struct bracket *b)
{
	for (int i = 0; i < TIGHTEN_MAX && fmax(fall_low(b), fall_high(b)) > LOOSE; i++) {
		double at = bracket_probe(b, i);

		if (!(at > b->low.at && at < b->high.at) || at == b->top.at)
			return;
		bracket_take(b, sample_at(curve, at));
	}
}

struct plr_peak plr_peak_climb(const struct plr_curve *curve, double start, double step)
{
	struct bracket b = bracket_climb(curve, start, step);
	struct plr_peak peak;
	double curvature, vertex;

	bracket_widen(curve, &b);
	bracket_tighten(curve, &b);
	peak = (struct plr_peak){ b.top.at, b.top.value, fmax((b.high.at - b.low.at) / 2, 1e-15 * fabs(b.top.at)) };
	curvature = bracket_curvature(&b, &vertex);
	if (curvature < 0 && vertex >= b.low.at && vertex <= b.high.at && fmax(fall_low(&b), fall_high(&b)) <= LOOSE) {
		peak.value -= curvature / 2 * (vertex - b.top.at) * (vertex - b.top.at);
		peak.at = vertex;
		peak.width = fmin(peak.width * 4, 1 / sqrt(-curvature));
	}
	return peak;
}

double plr_peak_edge(const struct plr_curve *curve, const struct plr_peak *peak, int direction)
{
	double end = direction < 0 ? curve->low : curve->high, limit = fabs(end - peak->at);
	double inside = 0, outside = limit, reach = fmin(limit, 6.5 * peak->width);
	bool fell = false;

	for (int i = 0; i < CLIMB_MAX && outside - inside > 1e-3 * outside; i++) {
		double fall = peak->value - curve->value(curve->context, reach < limit ? peak->at + direction * reach : end);

		if (fall >= PLR_FALL && fall <= 1.2 * PLR_FALL)
			return reach < limit ? peak->at + direction * reach : end;
		if (fall >= PLR_FALL) {
			outside = reach;
			fell = true;
		} else {
			inside = reach;
		}
		reach *= fmin(fmax(sqrt(1.08 * PLR_FALL / fmax(fall, 1e-9)), 0.02), 4);
		if (reach <= inside || reach >= outside || (fell && i % 2))
			reach = fell ? inside + (outside - inside) / 2 : limit;
	}
	return outside < limit ? peak->at + direction * outside : end;
}
