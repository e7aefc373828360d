/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One trial: what goes into it, what comes out of it, and how frame counts become a Trial Loss Ratio.
 *
 * Terms and ranges are those of draft-ietf-bmwg-mlrsearch-15, sections 4.5.1 to 4.5.10. All loads are per interface, in
 * frames per second; all durations in seconds; all ratios dimensionless. Every function here is pure.
 */
#ifndef MLR_TRIAL_H
#define MLR_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

/* Trial Input (4.5.3). Nothing may ever be added here: the draft forbids more attributes than these two. */
struct mlr_trial_input {
	double duration_s; /* Trial Duration (4.5.1), > 0 */
	double load_fps;   /* Trial Load (4.5.2), > 0, one interface */
};

/* Trial Output (4.5.9), the required attributes. */
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

/* What a tester counted in one trial, summed over all directions. */
struct mlr_trial_counts {
	uint64_t intended;     /* load times duration, over all transmitting ports */
	uint64_t sent;         /* handed to the kernel and completed by it; at most intended */
	uint64_t received;     /* unique frames of this trial */
	uint64_t duplicate;    /* further copies of frames already received, and frames too old to tell */
	uint64_t reordered;    /* unique frames that came after a frame sent later in their flow */
	uint64_t late;         /* frames of an earlier trial */
	uint64_t foreign;      /* frames that are not the tester's */
	uint64_t malformed;    /* the tester's by their magic, but with lengths or numbers that cannot be */
	uint64_t wrong_length; /* of this trial, but cut or padded: not received */
	uint64_t damaged;      /* the tester's, but a checksum is wrong: not received */
	uint64_t misdirected;  /* of this trial, but at a port that they were not sent to: not received */
	uint64_t verified;     /* of those received: their checksums were */
	uint64_t fragmented;   /* fragments of the tester's frames */
	uint64_t overtagged;   /* the tester's, but behind VLAN tags that it does not send: not received */
};

/* Add `more` to `sum`: counts of one trial from another direction, port or machine (4.5.5: frame counts are aggregates). */
void mlr_trial_counts_add(struct mlr_trial_counts *sum, const struct mlr_trial_counts *more);

/* What the counts mean. */
struct mlr_trial_verdict {
	uint64_t unsent;     /* intended - sent */
	int64_t lost;        /* sent - received; negative if more came back than went out */
	double loss_ratio;   /* Trial Loss Ratio, clamped to 0 .. 1 */
	bool tester_limited; /* more than the tolerance stayed unsent, so unsent frames count as loss (4.9.1) */
	bool negative_loss;  /* the ratio was below 0 and has been clamped: an anomaly to show */
};

/* The worth of traffic that may stay unsent without making the trial tester-limited, in seconds. */
#define MLR_UNSENT_TOLERANCE_S 10e-6

/* Frames that one port is to send in a trial: load times duration to the nearest integer, at least 1.
 * 0 if the input is not finite, not positive, or the count is beyond 2^63. */
uint64_t mlr_trial_intended(const struct mlr_trial_input *input);

/* Judge the counts of a trial at this load, sent by `transmitters` ports.
 * Trial Loss Ratio = 1 - received / denominator; the denominator is `sent` where at most MLR_UNSENT_TOLERANCE_S worth of
 * the load (over all transmitters) stayed unsent, else `intended`. With a denominator of 0 the ratio is 1. */
struct mlr_trial_verdict mlr_trial_judge(double load_fps, unsigned int transmitters, const struct mlr_trial_counts *counts);

/* A Trial Output from a loss ratio: the Forwarding Rate is derived from it as section 4.5.7 says. */
struct mlr_trial_output mlr_trial_output(const struct mlr_trial_input *input, double loss_ratio,
					 double effective_duration_s);

/* Whether a Trial Result keeps the ranges of section 4.5; anything else must not reach a controller. */
bool mlr_trial_result_valid(const struct mlr_trial_result *result);

#endif
