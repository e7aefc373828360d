/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of a trial, in their order. */
#include "measurer/xdp_trial.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "base/stop.h"
#include "measurer/connection.h"
#include "measurer/departure.h"
#include "measurer/destinations.h"
#include "measurer/hostile.h"
#include "measurer/icmp.h"
#include "measurer/timestamps.h"
#include "measurer/xdp_ports.h"
#include "observe/observe.h"

#define START_MARGIN_NS 300000          /* time for the transmit threads to begin to spin */
#define GRACE_RATIO     0.0005          /* part of the Trial Duration for which frames may still be sent after its end */
#define GRACE_MAX_NS    1000000         /* longest such time */
#define GRANT_RATIO     0.5             /* part of the Trial Duration by which stops may prolong the trial */
#define GRANT_LEAST_NS  (NS_PER_S / 10) /* least time by which stops may prolong the trial */
#define CLOCK_READS     100

#define LINKS_SETTLED_NS NS_PER_S /* time without a link change before a trial is performed again */

/* Sleep for a phase, if it has a length. */
static enum exit_code wait_phase(double wait_s)
{
	if (wait_s > 0.0 && stop_sleep_until(clock_ns() + clock_ns_of(wait_s)))
		return EXIT_INTERRUPTED;
	return EXIT_DONE;
}

/* --- a trial with load steps ------------------------------------------------------------------------------------------ */

#define WATCH_NS (NS_PER_S / 1000)

/* Frames of a load, as the time they take. */
static uint64_t step_ns(double load_fps, uint64_t frame_count)
{
	return clock_ns_of((double)frame_count / load_fps);
}

/* Give the trial its steps; what follows its first part is in *then. */
static void follow_steps(struct load_steps *steps, struct tx_trial *trial, struct tx_trial *then)
{
	uint64_t grace_ns = clock_ns_of(steps->grace_s);

	trial->load_fps = steps->load_fps;
	trial->frame_count = steps->frame_count;
	steps->ret_start_ns = trial->start_ns;
	steps->ret_change_ns = steps->ret_end_ns = trial->start_ns + step_ns(steps->load_fps, steps->frame_count);
	trial->deadline_ns = steps->ret_change_ns + grace_ns;
	if (steps->then_load_fps <= 0.0)
		return;
	*then = *trial;
	then->load_fps = steps->then_load_fps;
	then->frame_count = steps->then_frame_count;
	then->first_sequence += (uint32_t)steps->first_sequences;
	then->start_ns = steps->ret_change_ns;
	steps->ret_end_ns += step_ns(steps->then_load_fps, steps->then_frame_count);
	then->deadline_ns = steps->ret_end_ns + grace_ns;
	trial->then = then;
}

/* Look while frames are sent. */
static void watch_steps(struct measurer_xdp *xdp)
{
	if (!xdp->steps || !xdp->steps->watch)
		return;
	while (clock_ns() < xdp->steps->ret_end_ns && !stop_sleep_until(clock_ns() + WATCH_NS)) {
		xdp->steps->watch(xdp->steps->context, clock_ns());
		for (unsigned int i = 0; i < xdp->port_count; i++)
			if (xdp->ends[i].transmits)
				tx_port_interrupt(xdp->ends[i].tx);
	}
}

/* --- phase c: traffic ----------------------------------------------------------------------------------------------- */

static enum exit_code start_all(struct measurer_xdp *xdp, const struct tx_trial *trial)
{
	enum exit_code code = EXIT_DONE;

	for (unsigned int i = 0; i < xdp->port_count && !code; i++)
		if (xdp->ends[i].transmits)
			code = tx_port_start(xdp->ends[i].tx, trial);
	return code;
}

/* Also where one could not be started: the threads that run use the trial. */
static void wait_for_all(struct measurer_xdp *xdp)
{
	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (xdp->ends[i].transmits)
			tx_port_wait(xdp->ends[i].tx);
}

void xdp_send(struct measurer_xdp *xdp, const struct tx_trial *trial)
{
	start_all(xdp, trial);
	wait_for_all(xdp);
}

static enum exit_code check_reports(const struct measurer_xdp *xdp)
{
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		int error = xdp->ends[i].transmits ? xdp->ends[i].tx->report.error : 0;

		if (error)
			return refuse(EXIT_INVALID, "port %s: the transmitter failed in a trial: %s",
				      xdp->ports[i].link.name,
				      error == -ETIMEDOUT ? "the kernel did not complete its frames" : strerror(-error));
	}
	return EXIT_DONE;
}

enum exit_code xdp_run_transmit(struct measurer_xdp *xdp, const struct xdp_run *run, uint64_t start_ns)
{
	const struct mlr_trial_input *input = &run->input;
	double grace_ns = input->duration_s * GRACE_RATIO * (double)NS_PER_S;
	struct tx_trial then, trial = {
		.number = xdp->trial,
		.load_fps = input->load_fps,
		.frame_count = run->frame_count,
		.first_sequence = xdp->next_sequence,
		.start_ns = start_ns,
		.tag_offset_ns = xdp->clock_offset_ns,
	};
	enum exit_code code = EXIT_DONE;

	trial.deadline_ns = trial.start_ns + clock_ns_of(input->duration_s);
	if (run->frame_count != TX_NO_LIMIT) {
		trial.burst = mlr_burst_of(input->load_fps, xdp->config->burst_frames);
		trial.deadline_ns += (uint64_t)fmin(grace_ns, GRACE_MAX_NS);
		trial.grant_most_ns = greater(clock_ns_of(input->duration_s * GRANT_RATIO), GRANT_LEAST_NS);
	}
	if (xdp->steps)
		follow_steps(xdp->steps, &trial, &then);
	intervals_begin(xdp, start_ns);
	if (xdp->snmp)
		code = snmp_start(xdp->snmp, trial.start_ns, trial.start_ns + clock_ns_of(input->duration_s));
	if (code)
		return code;
	code = start_all(xdp, &trial);
	if (!code)
		watch_steps(xdp);
	wait_for_all(xdp);
	if (!code)
		code = check_reports(xdp);
	return stop_requested() ? EXIT_INTERRUPTED : code;
}

/* How many sequence numbers a trial of so many frames a port may use in a flow. */
static uint64_t sequences_wanted(const struct measurer_xdp *xdp, uint64_t frame_count)
{
	uint64_t most = 0;

	if (frame_count == TX_NO_LIMIT)
		return UINT32_MAX;
	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (xdp->ends[i].tx)
			most = greater(most, tx_port_sequences(xdp->ends[i].tx, frame_count));
	return most;
}

/* Return the sequence numbers of a trial with load steps, whose second part begins anew. */
static uint64_t sequences_of_steps(const struct measurer_xdp *xdp)
{
	struct load_steps *steps = xdp->steps;

	steps->first_sequences = sequences_wanted(xdp, steps->frame_count);
	return steps->first_sequences + sequences_wanted(xdp, steps->then_frame_count);
}

uint64_t xdp_run_sequences(const struct measurer_xdp *xdp, const struct xdp_run *run)
{
	return xdp->steps ? sequences_of_steps(xdp) : sequences_wanted(xdp, run->frame_count);
}

uint64_t xdp_run_sequences_used(const struct measurer_xdp *xdp)
{
	uint64_t most = 0;

	if (xdp->steps)
		return sequences_of_steps(xdp);
	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (xdp->ends[i].tx)
			most = greater(most, tx_port_sequences_used(xdp->ends[i].tx));
	return most;
}

/* --- the end of a trial ---------------------------------------------------------------------------------------------- */

static bool links_changed(const struct xdp_run *run)
{
	return memcmp(run->after.link_changes, run->before.link_changes, sizeof(run->after.link_changes));
}

/* Counters of links that changed are held to nothing: such a trial is not believed, but where links may change. */
enum exit_code xdp_run_end(struct measurer_xdp *xdp, struct xdp_run *run, struct port_trial *ret_ports)
{
	enum exit_code code;

	for (unsigned int i = 0; i < xdp->port_count; i++)
		rx_end_trial(xdp->ends[i].rx);
	if ((code = departure_end(xdp)) || (code = departure_check_launches(xdp)) ||
	    (code = xdp_take_snapshot(xdp, false, &run->after)))
		return code;
	xdp->links_unsteady = links_changed(run);
	xdp->delay.is_known &= !xdp->links_unsteady;
	if (!xdp->links_unsteady && (code = xdp_check_counters(xdp, run)))
		return code;
	for (unsigned int i = 0; i < xdp->port_count && !code; i++)
		code = xdp_describe_port(xdp, i, run, &ret_ports[i]);
	return code;
}

/* --- links that change ------------------------------------------------------------------------------------------------ */

/* Wait until all links have been up, without a change, for a while. */
static enum exit_code settle_links(struct measurer_xdp *xdp)
{
	uint64_t now_ns = clock_ns(), deadline_ns = now_ns + LINKS_WAIT_NS, since_ns = now_ns, last = 0;

	do {
		struct link_info link;
		uint64_t changes = 0;
		bool up = true;

		for (unsigned int i = 0; i < xdp->port_count; i++) {
			enum exit_code code = xdp_find_link(xdp, i, &link);

			if (code)
				return code;
			up &= link.up && link.carrier;
			changes += link.carrier_changes;
		}
		now_ns = clock_ns();
		if (!up || changes != last)
			since_ns = now_ns;
		last = changes;
		if (now_ns - since_ns >= LINKS_SETTLED_NS)
			return EXIT_DONE;
		if (now_ns >= deadline_ns)
			return refuse(EXIT_INVALID,
				      "after a link went down in a trial, the links were not up for %.0f s on end within "
				      "%.0f s; look at cables and at the SUT",
				      LINKS_SETTLED_NS / 1e9, LINKS_WAIT_NS / 1e9);
	} while (!stop_sleep_until(now_ns + NIC_POLL_NS));
	return EXIT_INTERRUPTED;
}

/* What was seen of the trial until then is forgotten. */
static void begin_steps_again(struct load_steps *steps)
{
	if (!steps)
		return;
	steps->ret_start_ns = steps->ret_change_ns = 0;
	if (steps->again)
		steps->again(steps->context);
}

/* --- the trial ------------------------------------------------------------------------------------------------------ */

enum exit_code xdp_run_begin(const struct mlr_trial_input *input, struct xdp_run *ret)
{
	uint64_t frame_count = input->load_fps > 0.0 ? mlr_trial_intended(input) : TX_NO_LIMIT;

	if (!frame_count)
		return refuse(EXIT_USAGE_ERROR,
			      "a trial of %g s at %g frames/s cannot be counted; use a smaller load or duration",
			      input->duration_s, input->load_fps);
	*ret = (struct xdp_run){ .input = *input, .frame_count = frame_count };
	return EXIT_DONE;
}

enum exit_code xdp_run_arm(struct measurer_xdp *xdp, uint64_t sequences, struct xdp_run *run)
{
	const struct waits *waits = &xdp->config->waits;
	enum exit_code code;

	bool ignored;

	observers_idle(xdp->measurer.observers);
	if (xdp->links_unsteady && ((code = settle_links(xdp)) || (xdp->connects && (code = connection_make(xdp)))))
		return code;
	if ((code = destinations_ask_again(xdp, &ignored)))
		return code;
	xdp->performed_ns = clock_ns();
	for (unsigned int i = 0; i < xdp->port_count; i++)
		rx_accept_trial(xdp->ends[i].rx, xdp->trial, xdp->next_sequence, sequences);
	if ((code = wait_phase(waits->routing_s)))
		return code;
	neighbours_announce_silent(xdp->neighbours);
	neighbours_announce(xdp->neighbours, xdp->config->learning_frames);
	if ((code = wait_phase(waits->learning_s)))
		return code;
	observers_spare_cpus(xdp->measurer.observers, &xdp->transmit_cpus);
	observers_begin(xdp->measurer.observers, run->input.duration_s);
	if ((code = timestamps_begin(xdp)) || (code = departure_begin(xdp)) ||
	    (code = xdp_take_snapshot(xdp, true, &run->before)))
		return code;
	for (unsigned int i = 0; i < xdp->port_count; i++)
		rx_capture_anew(xdp->ends[i].rx);
	return EXIT_DONE;
}

/* A stop ended the trial while frames were sent: whether it goes on as if they had been all. */
static bool take_part(struct measurer_xdp *xdp, struct xdp_run *run)
{
	uint64_t sent = xdp_sent_by_all(xdp);

	if (!xdp_keeps_part(xdp) || !sent)
		return false;
	xdp->steps->ret_is_part = run->is_part = true;
	run->input.duration_s = (double)sent / run->input.load_fps / xdp->measurer.transmitters;
	return true;
}

/* When the last frame of a trial that began then was sent: at its planned end, or later where stops moved the schedule. */
static uint64_t sent_until_ns(const struct measurer_xdp *xdp, const struct xdp_run *run, uint64_t start_ns)
{
	uint64_t end_ns = start_ns + clock_ns_of(run->input.duration_s);

	for (unsigned int i = 0; i < xdp->port_count; i++)
		end_ns = greater(end_ns, xdp_report(xdp, i)->last_departure_ns);
	return end_ns;
}

/* What was seen of the SUT in the trial that began then, in place of what an earlier performance saw. */
static void observe_end(struct measurer_xdp *xdp, const struct xdp_run *run, uint64_t start_ns,
			struct measurement *measurement)
{
	json_decref(measurement->observed);
	measurement->observed = observers_end(xdp->measurer.observers, start_ns, sent_until_ns(xdp, run, start_ns));
}

static enum exit_code perform(struct measurer_xdp *xdp, struct xdp_run *run, struct measurement *measurement)
{
	const struct waits *waits = &xdp->config->waits;
	uint64_t sequences = xdp_run_sequences(xdp, run), start_ns;
	enum exit_code code, ended;

	xdp->trial++;
	measurement->number = xdp->measurer.last_trial = ++xdp->trial_count;
	if ((code = xdp_run_arm(xdp, sequences, run)))
		return code;
	code = hostile_begin(xdp, sequences, &measurement->hostile);
	start_ns = clock_ns() + START_MARGIN_NS + departure_lead_ns(xdp);
	if (!code)
		code = xdp_run_transmit(xdp, run, start_ns);
	ended = hostile_end(xdp, &measurement->hostile);
	if ((code && (code != EXIT_INTERRUPTED || !take_part(xdp, run))) || (code = ended))
		return code;
	xdp->trial_first_sequence = xdp->next_sequence;
	xdp->next_sequence += (uint32_t)xdp_run_sequences_used(xdp) + 1;
	code = xdp_wait_residual(xdp, run, &measurement->residual);
	if (xdp->snmp)
		run->snmp = snmp_stop(xdp->snmp);
	if (code || (code = timestamps_end(xdp)))
		return code;
	measurement->waits_s = waits_always_s(waits) + measurement->residual.waited_s;
	code = xdp_run_end(xdp, run, xdp->account.ports);
	observe_end(xdp, run, start_ns, measurement);
	if (!code && wait_phase(waits->stabilize_s) && !xdp_keeps_part(xdp))
		code = EXIT_INTERRUPTED;
	return code;
}

/* What each of the two readings of CLOCK_MONOTONIC costs (ns). */
static double clock_read_ns(void)
{
	uint64_t least_ns = UINT64_MAX;

	for (int i = 0; i < CLOCK_READS; i++) {
		uint64_t first_ns = clock_ns(), difference_ns = clock_ns() - first_ns;

		if (difference_ns < least_ns)
			least_ns = difference_ns;
	}
	return (double)least_ns;
}

void xdp_account(struct measurer_xdp *xdp, const struct config *config, const struct mlr_trial_input *input,
		 unsigned int port_count)
{
	xdp->account.config = config;
	xdp->account.profile = &xdp->profile;
	xdp->account.input = *input;
	xdp->account.clock_read_ns = clock_read_ns();
	xdp->account.port_count = port_count;
}

void xdp_trial_conclude(const struct measurer_xdp *xdp, const struct mlr_trial_input *input, uint64_t start_ns,
			struct measurement *measurement)
{
	struct mlr_trial_input performed = *input;
	bool is_wall = xdp->config->effective_duration == EFFECTIVE_WALL;
	double effective_s = is_wall ? clock_since_s(xdp->performed_ns) : input->duration_s;

	measurement->wall_s = clock_since_s(start_ns);
	performed.load_fps = measurement->pacing.intended_fps;
	measurement->result.input = performed;
	measurement->result.output = mlr_trial_output(&performed, measurement->verdict.loss_ratio, effective_s);
}

/* Perform a trial until no link changes in it, unless links may. */
static enum exit_code perform_steadily(struct measurer_xdp *xdp, struct xdp_run *run, struct measurement *measurement)
{
	bool may_change = xdp->steps && xdp->steps->links_may_change;
	struct account *account = &xdp->account;
	enum exit_code code;

	while (!(code = perform(xdp, run, measurement))) {
		xdp_account(xdp, xdp->config, &run->input, xdp->port_count);
		if (may_change)
			account_note_links(account);
		if (may_change || !account_changed_link(account))
			return EXIT_DONE;
		begin_steps_again(xdp->steps);
		if ((code = account_judge_links(account, measurement->link_repeats++)))
			return code;
	}
	return code;
}

/* One performance of a trial, and one more where a gateway has answered since; what its frames came to. */
static enum exit_code perform_and_account(struct measurer_xdp *xdp, const struct mlr_trial_input *input, struct xdp_run *run,
					  struct measurement *measurement)
{
	bool again = true;
	enum exit_code code;

	if ((code = xdp_run_begin(input, run)) || (code = perform_steadily(xdp, run, measurement)))
		return code;
	if (!(code = destinations_judge(xdp, &xdp->account, &again)) && again) {
		begin_steps_again(xdp->steps);
		code = perform_steadily(xdp, run, measurement);
	}
	return code ?: account_for(&xdp->account, measurement);
}

/* Perform a trial until the tester does not spoil it, or there is no hope of that. One with load steps its caller repeats. */
static enum exit_code perform_unspoilt(struct measurer_xdp *xdp, const struct mlr_trial_input *input, struct xdp_run *run,
				       struct measurement *measurement)
{
	for (;;) {
		uint64_t start_ns = clock_ns();
		enum exit_code code = perform_and_account(xdp, input, run, measurement);

		if (code || xdp->steps)
			return code;
		if (!account_may_repeat(&xdp->account, measurement, xdp->repeats_most)) {
			xdp->repeats_most = account_next_repeats(xdp->config, measurement, xdp->repeats_most);
			return EXIT_DONE;
		}
		if (measurement_repeat(measurement, clock_since_s(start_ns)))
			return out_of_memory();
	}
}

static enum exit_code describe_reception(struct measurer_xdp *xdp, const struct xdp_run *run,
					 struct measurement *measurement)
{
	struct rx_counters received = account_received(&xdp->account);
	const struct sent_load load = { run->input.load_fps, run->frame_count };
	enum exit_code code = timestamps_judge(xdp, &received, xdp->account.clock_read_ns, measurement);

	if (code)
		return code;
	departure_judge(xdp, measurement);
	if ((code = icmp_summarize(&xdp->account, measurement)) ||
	    (code = intervals_end(xdp, &load, run->input.duration_s, measurement)) ||
	    (code = services_end(xdp, &load, run->is_part, measurement)) || (code = parts_end(xdp, measurement)))
		return code;
	return flows_end(xdp, &load, measurement);
}

enum exit_code xdp_trial(struct measurer_xdp *xdp, const struct mlr_trial_input *input, struct measurement *ret)
{
	struct measurement measurement = { .tx_backend = xdp_backend(xdp) };
	uint64_t start_ns = clock_ns();
	struct xdp_run run;
	enum exit_code code = intervals_check(xdp->config, input);

	if (code)
		return code;
	code = perform_unspoilt(xdp, input, &run, &measurement) ?: describe_reception(xdp, &run, &measurement);
	if (code) {
		measurement_free(&measurement);
		return code;
	}
	xdp_trial_conclude(xdp, &run.input, start_ns, &measurement);
	*ret = measurement;
	return EXIT_DONE;
}
