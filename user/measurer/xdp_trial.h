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
#include "measurer/residual.h"
#include "measurer/snapshot.h"
#include "measurer/xdp_private.h"

#define LINKS_WAIT_NS (20 * NS_PER_S) /* longest wait for links to settle after one changed in a trial */

/* Begin a run; no frame is sent yet. EXIT_USAGE_ERROR where the input's frames cannot be counted. */
enum exit_code xdp_run_begin(const struct mlr_trial_input *input, struct xdp_run *ret);

/* Return how many sequence numbers of a flow the trial may use. The second function returns how many it used, once its
 * frames are sent. */
uint64_t xdp_run_sequences(const struct measurer_xdp *xdp, const struct xdp_run *run);
uint64_t xdp_run_sequences_used(const struct measurer_xdp *xdp);

/* Wait until links that changed in the last trial have settled. Accept frames of trial xdp->trial from xdp->next_sequence
 * on, at most so many numbers of a flow; wait; count from now on. */
enum exit_code xdp_run_arm(struct measurer_xdp *xdp, uint64_t sequences, struct xdp_run *run);

/* Send this trial on all ports that transmit, and wait until it is sent. The ports' reports tell what became of it. */
void xdp_send(struct measurer_xdp *xdp, const struct tx_trial *trial);

/* Transmit from start_ns (CLOCK_MONOTONIC) on, until all is sent or the time is up. */
enum exit_code xdp_run_transmit(struct measurer_xdp *xdp, const struct xdp_run *run, uint64_t start_ns);

/* End the trial: from now on no frame counts for it. *ret_ports gets what each of xdp's ports did. Returns EXIT_INVALID if
 * the counts are impossible. */
enum exit_code xdp_run_end(struct measurer_xdp *xdp, struct xdp_run *run, struct port_trial *ret_ports);

/* Make xdp->account, whose ports are filled in, the account of this trial. */
void xdp_account(struct measurer_xdp *xdp, const struct config *config, const struct mlr_trial_input *input,
		 unsigned int port_count);

/* Fill in the durations and the Trial Result of a trial that was accounted for and began at this time. Performances before the one
 * that counts add nothing to its Trial Effective Duration. */
void xdp_trial_conclude(const struct measurer_xdp *xdp, const struct mlr_trial_input *input, uint64_t start_ns,
			struct measurement *measurement);

/* Perform one trial, all of it. */
enum exit_code xdp_trial(struct measurer_xdp *xdp, const struct mlr_trial_input *input, struct measurement *ret);
