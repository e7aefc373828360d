/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header defines one trial: its input, its output, and how frame counts become a Trial Loss Ratio. The caller owns all
 * structures; every function is pure and keeps nothing. A trial begins as a Trial Input, is measured to counts, and becomes
 * a Trial Result.
 *
 * Terms and ranges are those of RFC 9971, sections 4.5.1 to 4.5.10. All loads are in frames per second
 * of one interface, all durations in seconds, and all ratios without dimension.
 */
#ifndef MLR_TRIAL_H
#define MLR_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

/* Trial Input (4.5.3). Never add a member: the draft forbids more attributes than these two. */
struct mlr_trial_input {
	double duration_s; /* Trial Duration (4.5.1), > 0 */
	double load_fps;   /* Trial Load (4.5.2) of one interface, > 0 */
};

/* The required attributes of a Trial Output (4.5.9). */
struct mlr_trial_output {
	double loss_ratio;           /* Trial Loss Ratio (4.5.6), 0 to 1, both inclusive */
	double effective_duration_s; /* Trial Effective Duration (4.5.8), > 0; the Trial Duration unless the measurer says otherwise */
	double forwarding_rate_fps; /* Trial Forwarding Rate (4.5.7): Trial Load times Trial Forwarding Ratio */
};

/* Trial Result (4.5.10). */
struct mlr_trial_result {
	struct mlr_trial_input input;
	struct mlr_trial_output output;
};

/* What the tester counted in one trial, over all directions. mlr/counters.def says what each counter is. */
struct mlr_trial_counts {
#define TX_COUNTER(name, figure, meaning)              uint64_t name;
#define RX_COUNTER(name, figure, kind, known, meaning) uint64_t name;
#define RX_DERIVED(name, figure, value, meaning)       uint64_t name;
#include "mlr/counters.def"
};

/* Add the counts of one trial from another direction, port or machine to `sum` (4.5.5: frame counts are aggregates). */
void mlr_trial_counts_add(struct mlr_trial_counts *sum, const struct mlr_trial_counts *more);

/* What the counts mean. */
struct mlr_trial_verdict {
	uint64_t unsent;     /* intended - sent */
	int64_t lost;        /* sent - received; negative if more frames arrived than were sent */
	double loss_ratio;   /* Trial Loss Ratio, clamped to 0 .. 1 */
	bool tester_limited; /* more frames than tolerated stayed unsent, so unsent frames count as loss (4.9.1) */
	bool negative_loss;  /* the ratio was below 0 and has been clamped: the report shows this anomaly */
};

/* So many seconds' worth of traffic may stay unsent without making the trial tester-limited. */
#define MLR_UNSENT_TOLERANCE_S 10e-6

/* Return how many frames one port sends in a trial: load times duration, to the nearest integer, at least 1. Returns 0 if
 * the input is not finite, not positive, or the count is above 2^63. */
uint64_t mlr_trial_intended(const struct mlr_trial_input *input);

/* Judge the counts of a trial at this load, which `transmitters` ports sent. Trial Loss Ratio = 1 - received / denominator.
 * The denominator is `sent` if at most MLR_UNSENT_TOLERANCE_S worth of the load (over all transmitters) stayed unsent.
 * Otherwise it is `intended`. With a denominator of 0 the ratio is 1. */
struct mlr_trial_verdict mlr_trial_judge(double load_fps, unsigned int transmitters, const struct mlr_trial_counts *counts);

/* Return the Trial Output for a loss ratio. The Forwarding Rate is derived from it as section 4.5.7 says. */
struct mlr_trial_output mlr_trial_output(const struct mlr_trial_input *input, double loss_ratio,
					 double effective_duration_s);

/* Whether a Trial Result keeps the ranges of section 4.5. Only such results may be given to a controller. */
bool mlr_trial_result_valid(const struct mlr_trial_result *result);

#endif
