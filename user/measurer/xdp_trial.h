/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These are the steps of one trial over the ports of this machine, which the measurer owns (RFC 2544 section 23; RFC 9971
 * section 4.4.3):
 *
 *	arm (waits a and b; snapshot), transmit (c), residual frames (d), end (snapshot; what each port did)
 *
 * measurer_xdp takes them one after another; where a trial is performed by several machines, all arm before the first
 * transmits, and what their ports did is accounted for together (account.h).
 */
#pragma once

#include "base/clock.h"
#include "measurer/account.h"
#include "measurer/xdp_private.h"
#include "netdev/sent.h"

/* All counters of all ports at one moment. */
struct xdp_snapshot {
	struct rx_counters rx[MLR_PORTS_MAX];
	struct rtnl_link_stats64 link[MLR_PORTS_MAX];
	struct link_sent sent[MLR_PORTS_MAX];
	uint64_t link_changes[MLR_PORTS_MAX]; /* changes of carrier and resets of the driver so far */
	uint64_t backlog_dropped;             /* frames that the whole machine has dropped */
	uint64_t announcements[MLR_PORTS_MAX];
};

#define LINKS_WAIT_NS (20 * NS_PER_S) /* longest wait for links to settle after one changed in a trial */

/* A trial that goes on. */
struct xdp_run {
	struct mlr_trial_input input; /* a load of 0: as fast as the transmitters can */
	uint64_t frame_count;         /* frames for each transmitting port, or TX_NO_LIMIT */
	bool is_part;                 /* A stop ended the trial, and `input` describes what was sent until then. */
	struct xdp_snapshot before, after;
	struct snmp_report snmp;
};

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

/* Begin a run; no frame is sent yet. EXIT_USAGE_ERROR where the input's frames cannot be counted. */
enum exit_code xdp_run_begin(const struct mlr_trial_input *input, struct xdp_run *ret);

/* How many sequence numbers of a flow the trial may use, and how many it did once its frames were sent. */
uint64_t xdp_run_sequences(const struct measurer_xdp *xdp, const struct xdp_run *run);
uint64_t xdp_run_sequences_used(const struct measurer_xdp *xdp);

/* Wait until links that changed in the last trial have settled. Accept frames of trial xdp->trial from xdp->next_sequence
 * on, at most so many numbers of a flow; wait; count from now on. */
enum exit_code xdp_run_arm(struct measurer_xdp *xdp, uint64_t sequences, struct xdp_run *run);

/* Send this trial on all ports that transmit, and wait until it is sent. The ports' reports tell what became of it. */
void xdp_send(struct measurer_xdp *xdp, const struct tx_trial *trial);

/* Transmit from start_ns (CLOCK_MONOTONIC) on, until all is sent or the time is up. */
enum exit_code xdp_run_transmit(struct measurer_xdp *xdp, const struct xdp_run *run, uint64_t start_ns);

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

/* No frame counts to the trial any more; what each of xdp's ports did. EXIT_INVALID if that is impossible. */
enum exit_code xdp_run_end(struct measurer_xdp *xdp, struct xdp_run *run, struct port_trial *ret_ports);

/* Make xdp->account, whose ports are filled in, one of this trial. */
void xdp_account(struct measurer_xdp *xdp, const struct config *config, const struct mlr_trial_input *input,
		 unsigned int port_count);

/* A trial that was accounted for, begun at this moment: its durations, and the Trial Result. */
void xdp_trial_conclude(const struct config *config, const struct mlr_trial_input *input, uint64_t start_ns,
			struct measurement *measurement);

/* Perform one trial, all of it. */
enum exit_code xdp_trial(struct measurer_xdp *xdp, const struct mlr_trial_input *input, struct measurement *ret);
