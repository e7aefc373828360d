/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file polls the counters until all frames have arrived, or until longer waiting makes no sense. */
#include "measurer/residual.h"

#include "base/clock.h"
#include "base/numbers.h"

#define POLL_NS       200000 /* pause between two readings of the counters in phase d */
#define QUIET_FRAMES  3      /* A silence is significant if so many frames could have arrived in it, */
#define QUIET_LATENCY 1.25   /* and if it is longer than the slowest latency by this factor. */

/* Flows that arrive at this port; 0 where that is not looked at. */
static uint32_t flows_of(const struct measurer_xdp *xdp, unsigned int port)
{
	uint32_t first, count;

	if (xdp->config->no_seq)
		return 0;
	mlr_profile_receives(&xdp->profile, xdp->ends[port].number, &first, &count);
	return count;
}

struct xdp_progress xdp_run_progress(const struct measurer_xdp *xdp, const struct xdp_run *run)
{
	struct xdp_progress progress = { .sent = xdp_sent_by_all(xdp) };

	for (unsigned int i = 0; i < xdp->port_count; i++) {
		struct rx_counters now, since;

		rx_snapshot(xdp->ends[i].rx, &now);
		since = rx_subtract(&now, &run->before.rx[i]);
		progress.unique += since.received;
		progress.all += rx_ours(&since);
		progress.flows += flows_of(xdp, i);
		progress.flows_seen += since.flows;
		progress.late += now.late;
		progress.latency_max_ns = greater(progress.latency_max_ns, rx_latency_max_ns(xdp->ends[i].rx, xdp->trial));
	}
	return progress;
}

struct xdp_residual xdp_residual_begin(struct measurer_xdp *xdp, const struct mlr_trial_input *input)
{
	uint64_t now_ns = clock_ns();

	return (struct xdp_residual){
		.limit_ns = clock_ns_of(xdp->config->waits.residual_s),
		.start_ns = now_ns,
		.quiet_since_ns = now_ns,
		.interval_ns = input->load_fps > 0.0 ? clock_ns_of(1.0 / input->load_fps) : 0,
		.delay = &xdp->delay,
	};
}

/* How long nothing may come before phase d ends. */
static uint64_t patience_ns(const struct xdp_residual *residual, const struct xdp_progress *progress)
{
	if (progress->unique >= progress->sent)
		return residual->limit_ns / WAIT_COPIES_PART;
	if (!residual->delay->is_known || progress->late || progress->unique < progress->sent / 2 ||
	    (progress->flows_seen < progress->flows && progress->flows_seen < progress->sent))
		return residual->limit_ns;
	return greater(greater(residual->limit_ns / WAIT_QUIET_PART, QUIET_FRAMES * residual->interval_ns),
		       (uint64_t)((double)greater(progress->latency_max_ns, residual->delay->longest_ns) * QUIET_LATENCY));
}

/* The last frame came now: how long it, or another, was held at least. Where none came at all, that is not known yet. */
static void learn_delay(const struct xdp_residual *residual, const struct xdp_progress *progress)
{
	residual->delay->is_known |= progress->unique > 0;
	residual->delay->longest_ns =
		greater(residual->delay->longest_ns,
			greater(progress->latency_max_ns, residual->quiet_since_ns - residual->start_ns));
}

bool xdp_residual_is_over(struct xdp_residual *residual, const struct xdp_progress *progress)
{
	uint64_t now_ns = clock_ns();

	if (progress->all != residual->last) {
		residual->last = progress->all;
		residual->quiet_since_ns = now_ns;
	}
	if (now_ns - residual->start_ns >= residual->limit_ns) {
		residual->ended_by = "time";
		learn_delay(residual, progress);
	} else if (now_ns - residual->quiet_since_ns >= patience_ns(residual, progress)) {
		residual->ended_by = progress->unique >= progress->sent ? "all frames" : "silence";
	}
	return residual->ended_by;
}

struct residual_summary xdp_residual_summary(const struct xdp_residual *residual)
{
	return (struct residual_summary){ .waited_s = clock_since_s(residual->start_ns),
					  .quiet_s = clock_since_s(residual->quiet_since_ns),
					  .ended_by = residual->ended_by };
}

enum exit_code xdp_wait_residual(struct measurer_xdp *xdp, const struct xdp_run *run, struct residual_summary *ret)
{
	struct xdp_residual residual = xdp_residual_begin(xdp, &run->input);

	for (;;) {
		struct xdp_progress progress = xdp_run_progress(xdp, run);

		if (xdp_residual_is_over(&residual, &progress)) {
			*ret = xdp_residual_summary(&residual);
			return EXIT_DONE;
		}
		if (xdp_pause_until(xdp, clock_ns() + POLL_NS))
			return EXIT_INTERRUPTED;
	}
}
