/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result document: everything that is known of a run, in JSON, with the names and units of the published schema. Every
 * other form of a result is a rendering of it (render/forms.h).
 */
#ifndef XDP_MLR_RESULT_REPORT_H
#define XDP_MLR_RESULT_REPORT_H

#include <jansson.h>
#include <time.h>

#include "config/config.h"
#include "measurer/measurer.h"

/* Each returns a new reference, or NULL without memory. */

/* One trial. */
json_t *report_trial(const struct measurement *measurement);
/* What every document says of how it was measured: measurer, Traffic Profile, environment, deviations, configuration. */
void report_add_setting(json_t *document, const struct config *config, struct measurer *measurer, time_t start_time);
/* A Search Goal, as in "controller_input". */
json_t *report_goal(const struct mlr_goal *goal);

/* Put "<name>_l1_bps" and "<name>_l2_bps" beside a load: what it takes of the link, and without preamble and gap. By
 * --frame-size, also where a measurer of the user's sends the frames. NAN gives null. */
void report_add_bps(json_t *object, const char *name, double load_fps, const struct config *config);

/* "xdp-mlr/trial/1"; `measurement` is NULL where the trial was interrupted. */
json_t *report_one_trial(const struct config *config, struct measurer *measurer, const struct measurement *measurement,
			 time_t start_time);

#endif
