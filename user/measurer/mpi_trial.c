/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/mpi_private.h"

#include "base/clock.h"
#include "base/stop.h"
#include "measurer/xdp_trial.h"

#define CLOCK_ROUNDS     16
#define START_MARGIN_NS  (20 * NS_PER_S / 1000) /* time in which all ranks learn the start, and begin to sleep */
#define WAKE_MARGIN_NS   500000                 /* Threads start this long before the start, and spin until then. */
#define RESIDUAL_WAIT_NS 1000000                /* pause between two exchanges in phase d */

enum exit_code mpi_agree(enum exit_code code, uint64_t own, uint64_t *ret_most)
{
	struct {
		enum exit_code code;
		uint64_t number;
	} mine = { .code = code, .number = own }, all[JOB_RANKS_MAX];
	uint64_t most = 0;

	code = job_share(&mine, sizeof(mine), all);
	for (unsigned int rank = 0; rank < job_size() && !code; rank++) {
		code = all[rank].code;
		if (all[rank].number > most)
			most = all[rank].number;
	}
	if (!code && ret_most)
		*ret_most = most;
	return code;
}

bool mpi_port_is_here(const struct measurer_mpi *mpi, unsigned int port, unsigned int *ret_index)
{
	for (unsigned int i = 0; i < mpi->xdp.port_count; i++) {
		if (mpi->xdp.ends[i].number == port) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

/* Offset of our clock to that of rank 0 is known anew: let tags be in that. */
static void take_clocks(struct measurer_mpi *mpi, bool before)
{
	mpi_clocks_take(&mpi->clocks, before);
	if (!before)
		return;
	mpi->xdp.clock_offset_ns = mpi->clocks.before[job_rank()].offset_ns;
	for (unsigned int i = 0; i < mpi->xdp.port_count; i++)
		rx_set_tag_offset(mpi->xdp.ends[i].rx, mpi->xdp.clock_offset_ns);
}

static enum exit_code measure_clocks(struct measurer_mpi *mpi, bool before)
{
	enum exit_code code = mpi_clocks_measure(&mpi->clocks, CLOCK_ROUNDS);

	if (!code)
		take_clocks(mpi, before);
	return code;
}

/* The moment of the start, by the clock of this host. */
static enum exit_code agree_on_start(const struct measurer_mpi *mpi, uint64_t *ret_start_ns)
{
	uint64_t start_ns = clock_ns() + START_MARGIN_NS; /* by the clock of rank 0 */
	enum exit_code code = job_broadcast(0, &start_ns, sizeof(start_ns));

	*ret_start_ns = start_ns - (uint64_t)mpi->clocks.before[job_rank()].offset_ns;
	return code;
}

/* Phase c. Who only receives sleeps meanwhile. */
static enum exit_code transmit(struct measurer_mpi *mpi, const struct xdp_run *run, uint64_t start_ns)
{
	enum exit_code code;

	if (stop_sleep_until(start_ns - WAKE_MARGIN_NS))
		return EXIT_INTERRUPTED;
	code = xdp_run_transmit(&mpi->xdp, run, start_ns);
	if (!code && stop_sleep_until(start_ns + clock_ns_of(run->input.duration_s)))
		code = EXIT_INTERRUPTED;
	return code;
}

/* What all ranks know of the frames, and whether it is enough, as rank 0 sees it. */
struct residual_step {
	enum exit_code code;
	bool over;
	struct xdp_progress progress;
};

static enum exit_code add_steps(struct residual_step *sum)
{
	struct residual_step steps[JOB_RANKS_MAX];
	enum exit_code code = job_share(sum, sizeof(*sum), steps);

	if (code)
		return code;
	*sum = steps[0];
	for (unsigned int rank = 1; rank < job_size(); rank++) {
		if (!sum->code)
			sum->code = steps[rank].code;
		sum->progress.sent += steps[rank].progress.sent;
		sum->progress.unique += steps[rank].progress.unique;
		sum->progress.all += steps[rank].progress.all;
		sum->progress.flows += steps[rank].progress.flows;
		sum->progress.flows_seen += steps[rank].progress.flows_seen;
		sum->progress.late += steps[rank].progress.late;
		if (steps[rank].progress.latency_max_ns > sum->progress.latency_max_ns)
			sum->progress.latency_max_ns = steps[rank].progress.latency_max_ns;
	}
	return sum->code;
}

/* Phase d: rank 0 judges the sum of what all saw, and says so in the next exchange. */
static enum exit_code wait_residual(struct measurer_mpi *mpi, const struct xdp_run *run, struct residual_summary *ret)
{
	struct xdp_residual residual = xdp_residual_begin(&mpi->xdp, &run->input);
	struct residual_step step = { .over = false };
	enum exit_code code = EXIT_DONE;

	for (;;) {
		step.code = code;
		step.progress = xdp_run_progress(&mpi->xdp, run);
		code = add_steps(&step);
		if (code || step.over) {
			*ret = xdp_residual_summary(&residual);
			return code;
		}
		step.over = xdp_residual_is_over(&residual, &step.progress);
		code = stop_sleep_until(clock_ns() + (step.over ? 0 : RESIDUAL_WAIT_NS)) ? EXIT_INTERRUPTED : EXIT_DONE;
	}
}

/* Each port's owner tells all others what it did. */
static enum exit_code exchange_ports(struct measurer_mpi *mpi)
{
	struct port_trial *all = mpi->xdp.account.ports;
	enum exit_code code = EXIT_DONE;

	for (unsigned int port = 0; port < mpi->port_count && !code; port++) {
		unsigned int index;

		if (mpi_port_is_here(mpi, port, &index))
			all[port] = mpi->own_trials[index];
		code = job_broadcast(mpi->owners[port], &all[port], sizeof(all[port]));
	}
	return code;
}

/* Ready to transmit: frames of the trial count from now on. */
static enum exit_code arm(struct measurer_mpi *mpi, const struct mpi_order *order, struct xdp_run *run)
{
	uint64_t sequences = 0;
	enum exit_code code = xdp_run_begin(&order->input, run);

	mpi->xdp.trial = order->trial;
	mpi->xdp.next_sequence = order->first_sequence;
	code = mpi_agree(code, code ? 0 : xdp_run_sequences(&mpi->xdp, run), &sequences);
	if (code)
		return code;
	job_set_patience(TRIAL_PATIENCE_NS + LINKS_WAIT_NS);
	code = mpi_agree(xdp_run_arm(&mpi->xdp, sequences, run), 0, NULL);
	job_set_patience(TRIAL_PATIENCE_NS);
	return code;
}

/* Send the frames, between the two comparisons of the clocks. Phase d begins when all have sent. */
static enum exit_code send_frames(struct measurer_mpi *mpi, struct xdp_run *run, struct residual_summary *ret)
{
	uint64_t start_ns;
	enum exit_code code;

	if ((code = measure_clocks(mpi, true)) || (code = agree_on_start(mpi, &start_ns)))
		return code;
	if ((code = mpi_agree(transmit(mpi, run, start_ns), 0, NULL)) || (code = wait_residual(mpi, run, ret)))
		return code;
	return measure_clocks(mpi, false);
}

enum exit_code mpi_trial(struct measurer_mpi *mpi, const struct mpi_order *order, struct mpi_result *ret)
{
	const struct waits *waits = &mpi->config->waits;
	struct xdp_run run;
	enum exit_code code;

	if ((code = arm(mpi, order, &run)) || (code = send_frames(mpi, &run, &ret->residual)))
		return code;
	code = xdp_run_end(&mpi->xdp, &run, mpi->own_trials);
	code = mpi_agree(code, xdp_run_sequences_used(&mpi->xdp), &ret->sequences_used);
	if (code || (code = exchange_ports(mpi)))
		return code;
	ret->waits_s = waits_always_s(waits) + ret->residual.waited_s;
	if (stop_sleep_until(clock_ns() + clock_ns_of(waits->stabilize_s)))
		code = EXIT_INTERRUPTED;
	return mpi_agree(code, 0, NULL);
}
