/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trial is spoilt if the tester itself caused its loss; this header says which lost frames that concerns, and whether a
 * repeat is worth its time. The caller owns all counts; the functions keep nothing. They are called once, after a trial.
 *
 * Both answers depend only on what the tester did. So a SUT that really loses frames cannot hide its loss behind repeats.
 */
#ifndef MLR_SPOILT_H
#define MLR_SPOILT_H

#include <stdbool.h>
#include <stdint.h>

/* Frames sent and lost between the ports, and how many of them were marked. A marked frame departed in a burst that nobody
 * asked for (mlr/envelope.h). */
struct mlr_burst_counts {
	uint64_t sent, marked_sent;
	uint64_t lost, marked_lost; /* marked_lost is at most `lost` and at most marked_sent */
	uint64_t runs; /* the lost frames are so many runs of consecutive ones, over all flows; 0: that is not known */
};

/* Return how many frames were lost because of the bursts. That is the loss of marked frames beyond the loss that they would
 * have if the SUT lost them as often as others. It is 0 unless chance would produce such a loss less often than once in a
 * thousand trials. Frames of one run are lost together, so a run counts as one event of chance. Where it is not known how many
 * runs there are, each lost frame is one. */
uint64_t mlr_burst_loss(const struct mlr_burst_counts *counts);

/* Return the probability that another trial loses at most the allowed time to stops. In this trial `moves` stops moved the
 * schedule by `moved_s` in all, which is more than allowed. The other trial is expected to have as many stops of that
 * length. */
double mlr_repeat_chance(uint64_t moves, double moved_s, double allowed_s);

/* Whether the tester's own limit decided a bad trial: without it the Goal Loss Ratio would have been kept. If the SUT alone
 * lost more than that, the trial is bad whatever the tester did. */
bool mlr_spoils_upper_bound(bool tester_limited, double sut_loss_ratio, double goal_loss_ratio);

/* Whether a good trial shows less than it seems to, because the tester offered less than the Trial Load. */
bool mlr_spoils_lower_bound(bool offered_less, double loss_ratio, double goal_loss_ratio);

#endif
