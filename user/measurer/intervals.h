/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trial by intervals of its schedule (--interval): frames count for the interval in which they were due, by the tags of those
 * that came and by the pacer of those that were sent. So the sums of both are the trial's, and what an interval lacks was lost
 * of the frames that were due in it, whatever the SUT did to the others. Services that are sent at once are counted each by itself, and
 * by whole seconds likewise.
 */
#ifndef XDP_MLR_MEASURER_INTERVALS_H
#define XDP_MLR_MEASURER_INTERVALS_H

#include "measurer/xdp_private.h"

/* Whether the trial has no more than can be counted: EXIT_USAGE_ERROR if it has. Done where none are to be counted, or frames
 * are sent as fast as they can be, as for a calibration. */
enum exit_code intervals_check(const struct config *config, const struct mlr_trial_input *input);

/* The schedule begins then. Before the first frame is sent. */
void intervals_begin(struct measurer_xdp *xdp, uint64_t start_ns);

/* How many seconds of a schedule are counted by service. */
uint32_t services_seconds(const struct config *config);

/* After a trial of so many frames a port, that was judged: fill in what came of each service, if it had any. EXIT_INCAPABLE without
 * memory. */
enum exit_code services_end(const struct measurer_xdp *xdp, double load_fps, uint64_t frame_count,
			    struct measurement *measurement);

/* After a trial of so many frames a port: fill in what it came to. EXIT_INCAPABLE without memory. */
enum exit_code intervals_end(const struct measurer_xdp *xdp, const struct mlr_trial_input *input, uint64_t frame_count,
			     struct measurement *measurement);

#endif
