/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header chooses the trials that are evidence of a cause, and adds up what counters did in them. mlr_cause_find() owns
 * the evidence, from mlr_cause_open() until mlr_cause_close(); trials and counters stay the caller's.
 *
 *	cause.c		judges counters, families and splits, and sorts the causes
 *	evidence.c	chooses the trials, and adds up what counters did in them
 *	names.c		what the names of counters say
 */
#ifndef MLR_CAUSE_PRIVATE_H
#define MLR_CAUSE_PRIVATE_H

#include "mlr/cause.h"

#define MLR_CAUSE_LOST_ENOUGH    100.0 /* frames: fewer may agree with a counter by chance */
#define MLR_CAUSE_KNOWN_RATIO    0.5   /* part of the lost frames for which a counter must be known to say anything */
#define MLR_CAUSE_CONTRAST_RATIO 0.5   /* part of the loss ratio up to which other trials lose much less */

struct mlr_cause_trials {
	const struct mlr_cause_trial **list;
	size_t count;
};

struct mlr_cause_evidence {
	const struct mlr_cause_input *input;
	struct mlr_cause_trials above;   /* with loss, the nearest to the Upper Bound first */
	struct mlr_cause_trials nearest; /* the first of them */
	struct mlr_cause_trials lower;   /* at the Lower Bound */
	struct mlr_cause_trials calm;    /* that lose much less, at the highest such load below the nearest */
	double lost;                     /* in the nearest */
};

/* One counter, or several whose growth is added up. */
struct mlr_cause_candidate {
	const size_t *counters;
	size_t count;
};

/* The frames that a trial lost: all, or those of a direction. */
enum mlr_cause_scope { MLR_CAUSE_FIRST, MLR_CAUSE_SECOND, MLR_CAUSE_ALL };

/* What is known of a candidate over some trials, as sums. */
struct mlr_cause_known {
	size_t count;
	double sent, seconds, lost, change, level;
	double difference; /* between its change and the lost frames, without sign */
};

/* Choose the trials. -ENOMEM without memory. */
int mlr_cause_open(const struct mlr_cause_input *input, struct mlr_cause_evidence *ret);
void mlr_cause_close(struct mlr_cause_evidence *evidence);

/* Add up one value of all counters of a candidate. NAN: one is not known. */
double mlr_cause_sum_of(const double *values, const struct mlr_cause_candidate *candidate);
struct mlr_cause_known mlr_cause_known_of(const struct mlr_cause_trials *trials, const struct mlr_cause_candidate *candidate,
					  enum mlr_cause_scope scope);
/* Return the trials with loss that judge a candidate: the nearest, and where it is not known in these, others above them. */
struct mlr_cause_trials mlr_cause_judges_of(const struct mlr_cause_evidence *evidence,
					    const struct mlr_cause_candidate *candidate);

#endif
