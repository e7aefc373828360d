/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phase d waits for residual frames once all frames were sent (RFC 2544 section 23). xdp_wait_residual() does all of it for the
 * ports of this machine. Where several machines perform a trial, rank 0 adds up the progress of all and ends the phase.
 */
#pragma once

#include "measurer/snapshot.h"
#include "measurer/xdp_private.h"

/* Frames of the trial that were sent and that arrived so far, and the flows that should arrive and did arrive. */
struct xdp_progress {
	uint64_t sent, unique, all;
	uint64_t flows, flows_seen;
	uint64_t late;           /* frames of earlier trials that arrived since the ports were opened */
	uint64_t latency_max_ns; /* 0: not known */
};

/* The state of phase d: how long frames may still be on their way. */
struct xdp_residual {
	uint64_t limit_ns, start_ns, quiet_since_ns;
	uint64_t interval_ns; /* time between two frames of the trial */
	uint64_t last;        /* number of frames that had arrived at the last reading */
	struct sut_delay *delay;
	const char *ended_by; /* NULL: phase d goes on */
};

/*
 * What has become of the frames, and whether to wait on for the rest, or for copies: until the time is up, or nothing has
 * come for a part of it. A short one (WAIT_COPIES_PART) once every sent frame is there. Silence says something of missing
 * ones only where half of all have come, and one of every flow, as they do where frames are lost and not delayed, and once a
 * trial of the run that was not all lost has waited for missing ones until its time was up; then it is WAIT_QUIET_PART, and
 * at least the time between some frames and longer than the slowest of this trial and of that one took. Once frames came
 * after their trial, silence says nothing any more.
 */
struct xdp_progress xdp_run_progress(const struct measurer_xdp *xdp, const struct xdp_run *run);
struct xdp_residual xdp_residual_begin(struct measurer_xdp *xdp, const struct mlr_trial_input *input);
bool xdp_residual_is_over(struct xdp_residual *residual, const struct xdp_progress *progress);
/* Return how long phase d was and why it ended, once it is over. */
struct residual_summary xdp_residual_summary(const struct xdp_residual *residual);
/* Wait until phase d is over. EXIT_INTERRUPTED by a stop that ends the trial. */
enum exit_code xdp_wait_residual(struct measurer_xdp *xdp, const struct xdp_run *run, struct residual_summary *ret);
