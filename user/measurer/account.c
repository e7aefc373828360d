/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/account.h"

#include <math.h>
#include <string.h>

#include "dataplane/rx.h"

#define LINK_REPEATS_MOST 5 /* of one trial */
#define LINK_CHANGED      "port %s: its link went down, or its driver was reset, within %s (%llu changes)"

#define PPM                 1e6
#define PACING_SHARE        10    /* of the Goal Width: how far the load may be off */
#define DEFAULT_WIDTH_RATIO 0.005 /* where there is no goal */

/* --- counts --------------------------------------------------------------------------------------------------------- */

static unsigned int transmitters(const struct account *account)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < account->port_count; i++)
		count += account->ports[i].counts.transmits;
	return count;
}

struct rx_counters account_received(const struct account *account)
{
	struct rx_counters sum = { 0 };

	for (unsigned int i = 0; i < account->port_count; i++)
		rx_add(&sum, &account->ports[i].received);
	return sum;
}

static void add_ports(const struct account *account, struct measurement *measurement)
{
	measurement->port_count = account->port_count;
	for (unsigned int i = 0; i < account->port_count; i++) {
		measurement->ports[i] = account->ports[i].counts;
		mlr_trial_counts_add(&measurement->counts, &account->ports[i].counts.counts);
	}
	measurement->has_counts = true;
}

/* What arrived of all that a port sent to others; *ret_to is one of those. */
static uint64_t received_from(const struct account *account, unsigned int port, unsigned int *ret_to)
{
	uint64_t received = 0;

	for (unsigned int i = 0; i < account->profile->stream_count; i++) {
		if (account->profile->streams[i].from != port)
			continue;
		*ret_to = account->profile->streams[i].to;
		received += account->ports[*ret_to].received.received;
	}
	return received;
}

/* All frames of a port came back where they started, and none where they should be. */
static enum exit_code check_cabling(const struct account *account)
{
	for (unsigned int i = 0; i < account->port_count; i++) {
		const struct port_trial *port = &account->ports[i];
		uint64_t back = port->received.misdirected;
		unsigned int to = i;

		if (back && port->counts.transmits && !received_from(account, i, &to))
			return refuse(EXIT_INVALID,
				      "ports crossed: %llu frames that port %s sent came back to it, none reached port %s",
				      (unsigned long long)back, port->counts.name, account->ports[to].counts.name);
	}
	return EXIT_DONE;
}

/* --- attribution ---------------------------------------------------------------------------------------------------- */

static uint64_t at_most(uint64_t value, uint64_t limit)
{
	return value < limit ? value : limit;
}

static void add_drops(const struct port_trial *port, uint64_t *tx_dropped, uint64_t *rx_missed)
{
	if (port->counts.transmits && port->tx_drops == TX_DROPS_BEFORE_WIRE)
		*tx_dropped += port->counts.nic_tx_dropped;
	if (port->counts.transmits && port->tx_drops == TX_DROPS_AT_RECEIVER)
		*rx_missed += port->counts.nic_tx_dropped;
	if (port->counts.receives)
		*rx_missed += port->counts.nic_rx_missed;
}

static struct loss_attribution attribute(const struct account *account, const struct mlr_trial_verdict *verdict)
{
	uint64_t missing = verdict->lost > 0 ? (uint64_t)verdict->lost : 0, tx_dropped = 0, rx_missed = 0;

	for (unsigned int i = 0; i < account->port_count; i++)
		add_drops(&account->ports[i], &tx_dropped, &rx_missed);
	tx_dropped = at_most(tx_dropped, missing);
	rx_missed = at_most(rx_missed, missing - tx_dropped);
	return (struct loss_attribution){
		.unsent = verdict->unsent,
		.dropped_before_wire = tx_dropped,
		.receiver_missed = rx_missed,
		.sut = verdict->lost - (int64_t)(tx_dropped + rx_missed),
	};
}

/* --- pacing --------------------------------------------------------------------------------------------------------- */

/* The mean over the ports that send. */
static double achieved_fps(const struct account *account)
{
	double sum_fps = 0.0;

	for (unsigned int i = 0; i < account->port_count; i++)
		if (account->ports[i].counts.transmits)
			sum_fps += (double)account->ports[i].sent.sent / account->ports[i].busy_s;
	return sum_fps / transmitters(account);
}

static struct pacing_summary summarize_pacing(const struct account *account)
{
	double sent_fps = achieved_fps(account);
	double intended_fps = account->input.load_fps > 0.0 ? account->input.load_fps : sent_fps;
	struct mlr_histogram gaps = { 0 };
	uint64_t burst_max = 0;

	for (unsigned int i = 0; i < account->port_count; i++) {
		mlr_histogram_merge(&gaps, &account->ports[i].sent.gaps);
		if (account->ports[i].sent.burst_max > burst_max)
			burst_max = account->ports[i].sent.burst_max;
	}
	return (struct pacing_summary){
		.intended_fps = intended_fps,
		.achieved_fps = sent_fps,
		.error_ppm = intended_fps > 0.0 ? (sent_fps / intended_fps - 1.0) * PPM : 0.0,
		.gap_p50_ns = (uint64_t)mlr_histogram_quantile_ns(&gaps, 0.5),
		.gap_p99_ns = (uint64_t)mlr_histogram_quantile_ns(&gaps, 0.99),
		.gap_max_ns = gaps.max_ns,
		.burst_max = burst_max,
	};
}

/* The pacing error (ppm) that says nothing about the SUT: a tenth of the narrowest Goal Width. */
static double pacing_error_most_ppm(const struct config *config)
{
	double width_ratio = DEFAULT_WIDTH_RATIO;

	for (size_t i = 0; i < config->goal_count; i++)
		if (config->goals[i].width_ratio < width_ratio || i == 0)
			width_ratio = config->goals[i].width_ratio;
	return width_ratio / PACING_SHARE * PPM;
}

/* Whether the tester itself was the limit, and by what. */
static void judge_tester(const struct config *config, struct measurement *measurement)
{
	int64_t sut_lost = measurement->attribution.sut;

	if (measurement->verdict.tester_limited)
		measurement->tester_limited_reason = "frames stayed unsent";
	else if (measurement->attribution.dropped_before_wire)
		measurement->tester_limited_reason = "the transmitting interface dropped frames";
	else if (measurement->attribution.receiver_missed)
		measurement->tester_limited_reason = "the receiving interface missed frames";
	else if (fabs(measurement->pacing.error_ppm) > pacing_error_most_ppm(config))
		measurement->tester_limited_reason = "the load was off by more than a tenth of the Goal Width";
	measurement->tester_limited = measurement->tester_limited_reason;
	measurement->sut_loss_ratio = sut_lost > 0 ? (double)sut_lost / (double)measurement->counts.sent : 0.0;
}

/* --- reception ------------------------------------------------------------------------------------------------------ */

/* By how much the coarsest of the percentiles may be off for the histogram's buckets. */
static double resolution_ns(const struct mlr_histogram *all)
{
	static const double quantiles[] = { 0.5, 0.9, 0.99, 0.999, 0.9999 };
	double most_ns = 0.0;

	for (size_t i = 0; i < COUNT(quantiles); i++)
		most_ns = fmax(most_ns, mlr_histogram_quantile_error_ns(all, quantiles[i]));
	return most_ns;
}

static struct variation_summary summarize_variation(const struct mlr_histogram *all)
{
	if (!all->count)
		return (struct variation_summary){ 0, NAN, NAN, NAN, NAN, NAN };
	return (struct variation_summary){
		.count = all->count,
		.mean_ns = mlr_histogram_mean_ns(all),
		.p50_ns = mlr_histogram_quantile_ns(all, 0.5),
		.p99_ns = mlr_histogram_quantile_ns(all, 0.99),
		.p99_9_ns = mlr_histogram_quantile_ns(all, 0.999),
		.max_ns = (double)all->max_ns,
	};
}

static struct latency_summary summarize_latency(const struct rx_trial *trial, double clock_read_ns)
{
	const struct mlr_histogram *all = &trial->latency;
	double lateness_error_ns = mlr_lateness_error_ns((uint16_t)trial->lateness_max);

	return (struct latency_summary){
		.clock = "CLOCK_MONOTONIC of the tester, software timestamps at both ends",
		.definition = "from the actual departure, stamped before the frame is handed to the kernel, to the XDP "
			      "program of the receiving port (RFC 1242, 3.8)",
		.source = "software",
		.error_bound_ns = 2.0 * clock_read_ns + resolution_ns(all) + lateness_error_ns,
		.count = all->count,
		.min_ns = mlr_histogram_min_ns(all),
		.max_ns = all->max_ns,
		.mean_ns = mlr_histogram_mean_ns(all),
		.p50_ns = mlr_histogram_quantile_ns(all, 0.5),
		.p90_ns = mlr_histogram_quantile_ns(all, 0.9),
		.p99_ns = mlr_histogram_quantile_ns(all, 0.99),
		.p99_9_ns = mlr_histogram_quantile_ns(all, 0.999),
		.p99_99_ns = mlr_histogram_quantile_ns(all, 0.9999),
	};
}

static struct order_summary summarize_order(const struct account *account, const struct rx_trial *all,
					    const struct rx_counters *received)
{
	struct order_summary order = {
		.window = UINT64_MAX,
		.beyond_window = received->beyond_window,
		.reorder_depth_mean =
			received->reordered ? (double)received->reorder_depth / (double)received->reordered : NAN,
		.reorder_depth_max = all->reorder_depth_max,
		.gaps = received->gaps,
		.gap_frames = received->gap_frames,
		.gap_max = all->gap_max,
	};

	for (unsigned int i = 0; i < account->port_count; i++)
		order.window = at_most(account->ports[i].window, order.window);
	memcpy(order.reorder_depths, all->reorder_depths, sizeof(order.reorder_depths));
	return order;
}

/* What the receivers know of the trial beyond counts. */
static void summarize_reception(const struct account *account, struct measurement *measurement)
{
	struct rx_counters received = account_received(account);
	struct rx_trial all = { 0 };

	for (unsigned int i = 0; i < account->port_count; i++)
		rx_trial_merge(&all, &account->ports[i].seen);
	measurement->has_order = true;
	measurement->order_unknown = account->config->no_seq;
	measurement->order = summarize_order(account, &all, &received);
	measurement->has_latency = all.latency.count;
	measurement->latency = summarize_latency(&all, account->clock_read_ns);
	measurement->latency.has_variation = account->config->ipdv;
	measurement->latency.variation = summarize_variation(&all.variation);
}

/* --- links ---------------------------------------------------------------------------------------------------------- */

const struct port_trial *account_changed_link(const struct account *account)
{
	for (unsigned int i = 0; i < account->port_count; i++)
		if (account->ports[i].link_changes)
			return &account->ports[i];
	return NULL;
}

void account_note_links(const struct account *account)
{
	const struct port_trial *port = account_changed_link(account);

	if (port)
		warn(LINK_CHANGED "; what was lost by that counts", port->counts.name, "a trial",
		     (unsigned long long)port->link_changes);
}

enum exit_code account_judge_links(const struct account *account, unsigned int repeats)
{
	const struct port_trial *port = account_changed_link(account);

	if (account->config->verb == VERB_TRIAL || repeats == LINK_REPEATS_MOST)
		return refuse(EXIT_INVALID,
			      LINK_CHANGED
			      ": what was lost says nothing of the SUT's forwarding; look at the cable and at the SUT",
			      port->counts.name, repeats ? "each performance of a trial" : "the trial",
			      (unsigned long long)port->link_changes);
	warn(LINK_CHANGED "; the trial is performed again", port->counts.name, "a trial",
	     (unsigned long long)port->link_changes);
	return EXIT_DONE;
}

/* --- all of it ------------------------------------------------------------------------------------------------------ */

enum exit_code account_for(const struct account *account, struct measurement *measurement)
{
	enum exit_code code = check_cabling(account);

	if (code)
		return code;
	add_ports(account, measurement);
	measurement->verdict = mlr_trial_judge(account->input.load_fps, transmitters(account), &measurement->counts);
	measurement->attribution = attribute(account, &measurement->verdict);
	measurement->pacing = summarize_pacing(account);
	measurement->has_attribution = measurement->has_pacing = true;
	judge_tester(account->config, measurement);
	summarize_reception(account, measurement);
	return EXIT_DONE;
}
