/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sweep measures one trial at each of several loads, which are known beforehand: the curve of a SUT. This header makes its
 * loads, and takes the figures of the curve from its trials. The caller owns all arrays; the functions keep nothing.
 *
 * Loads and rates are in frames/s of one interface. A figure that does not exist is NAN.
 */
#ifndef MLR_SWEEP_H
#define MLR_SWEEP_H

#include <stddef.h>

#include "mlr/trial.h"

/* Return load `index` of `count` loads that are evenly spaced. Both ends are exact. One load alone is the first. */
double mlr_sweep_load(double from_fps, double to_fps, size_t count, size_t index);

struct mlr_sweep_figures {
	double lossless_load_fps;   /* the largest load up to which no trial lost a frame */
	double first_loss_load_fps; /* the smallest load at which a trial lost frames */
	double most_rate_fps;       /* largest Trial Forwarding Rate: MFR of RFC 2285, section 3.6.3 */
	double most_rate_load_fps;  /* load at which most_rate_fps was measured; the smallest if there are several */
	/* The smallest forwarding rate at the largest load: FRMOL of RFC 2285, section 3.6.2. */
	double last_rate_fps;
};

/* Get the figures of trials in any order. A load may have several trials. */
struct mlr_sweep_figures mlr_sweep_figures(const struct mlr_trial_result *trials, size_t count);

#endif
