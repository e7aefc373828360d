/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phase d waits for residual frames once all frames were sent (RFC 2544 section 23). The caller owns the
 * state: it begins once per trial, is asked again and again whether phase d is over, and is then summarized.
 *
 * xdp_wait_residual() does all of this for the ports of this machine. Where several machines perform a trial, rank 0 adds up
 * the progress of all, and ends the phase.
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
 * Phase d waits for missing frames, and for copies. It ends when its time is up, or when no frame has arrived for a part of
 * its time. That part is short (WAIT_COPIES_PART) once every sent frame has arrived. Where frames are missing, the part is
 * WAIT_QUIET_PART, at least QUIET_FRAMES intervals, and longer than the slowest latency. Such a silence ends phase d only if
 * half of all frames have arrived, and one of every flow: then frames are lost, not delayed. Also, an earlier trial with
 * received frames must have waited for its full time. Once frames have arrived after their trial, silence no longer ends
 * phase d.
 */
struct xdp_progress xdp_run_progress(const struct measurer_xdp *xdp, const struct xdp_run *run);
struct xdp_residual xdp_residual_begin(struct measurer_xdp *xdp, const struct mlr_trial_input *input);
bool xdp_residual_is_over(struct xdp_residual *residual, const struct xdp_progress *progress);
/* Return how long phase d was and why it ended, once it is over. */
struct residual_summary xdp_residual_summary(const struct xdp_residual *residual);
/* Wait until phase d is over. EXIT_INTERRUPTED by a stop that ends the trial. */
enum exit_code xdp_wait_residual(struct measurer_xdp *xdp, const struct xdp_run *run, struct residual_summary *ret);
