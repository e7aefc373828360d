/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simulated SUT performs trials with known behaviour, for tests and for trying options. The caller owns it. It lives from
 * mlr_sut_new() to mlr_sut_free(), and performs one trial at a time.
 *
 * It is seeded: the same specification gives the same sequence of trials. A specification is "MODEL[,KEY=VALUE]...", for
 * example "jitter,capacity=1e6,sigma=0.01,seed=7".
 */
#ifndef MLR_SUT_H
#define MLR_SUT_H

#include <stddef.h>
#include <stdint.h>

#include "mlr/trial.h"

struct mlr_sut;

/* Parse a specification. Returns 0 or -ENOMEM. Returns -EINVAL with a sentence in `ret_error` that says what is wrong, which
 * value, and what would be right. The caller frees the SUT. */
int mlr_sut_new(const char *specification, struct mlr_sut **ret, char *ret_error, size_t error_size);
void mlr_sut_free(struct mlr_sut *sut);

/* Perform one trial. Returns how many frames were sent, and how many of them were lost. */
void mlr_sut_trial(struct mlr_sut *sut, const struct mlr_trial_input *input, uint64_t *ret_sent, uint64_t *ret_lost);

#endif
