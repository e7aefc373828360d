/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/spoilt.h"

#include <math.h>

#define FALSE_ALARM     1e-3
#define MOST_DEVIATIONS 40 /* So many standard deviations above the mean nothing comes, not even from one stop. */

/* Return x ln(x / y), which is 0 at x = 0. */
static double entropy_term(double x, double y)
{
	return x > 0 ? x * log(x / y) : 0;
}

/* Return a bound (Chernoff's) on a probability: of so many runs of lost frames, each marked with probability `share`, at least
 * this part is marked. */
static double chance_of_marked(double runs, double part, double share)
{
	if (part <= share)
		return 1;
	return exp(-runs * (entropy_term(part, share) + entropy_term(1 - part, 1 - share)));
}

uint64_t mlr_burst_loss(const struct mlr_burst_counts *counts)
{
	double sent = (double)counts->sent, marked_sent = (double)counts->marked_sent;
	double lost = (double)counts->lost, marked_lost = (double)counts->marked_lost, by_sut;
	double runs = counts->runs && counts->runs < counts->lost ? (double)counts->runs : lost;

	if (!counts->marked_lost || counts->marked_sent >= counts->sent ||
	    chance_of_marked(runs, marked_lost / lost, marked_sent / sent) >= FALSE_ALARM)
		return 0;
	by_sut = (lost - marked_lost) / (sent - marked_sent) * marked_sent;
	return (uint64_t)fmax(0, round(marked_lost - by_sut));
}

double mlr_repeat_chance(uint64_t moves, double moved_s, double allowed_s)
{
	double expected = (double)moves, allowed = floor(allowed_s / moved_s * expected), log_term = -expected;
	double most = expected + MOST_DEVIATIONS * sqrt(expected), sum = exp(log_term);

	for (double stops = 1; stops <= allowed && stops <= most; stops++) {
		log_term += log(expected / stops);
		sum += exp(log_term);
	}
	return fmin(sum, 1);
}

bool mlr_spoils_upper_bound(bool tester_limited, double sut_loss_ratio, double goal_loss_ratio)
{
	return tester_limited && sut_loss_ratio <= goal_loss_ratio;
}

bool mlr_spoils_lower_bound(bool offered_less, double loss_ratio, double goal_loss_ratio)
{
	return offered_less && loss_ratio <= goal_loss_ratio;
}
