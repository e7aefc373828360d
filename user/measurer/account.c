/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/account.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/hdr_text.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "config/stored.h"
#include "dataplane/rx.h"
#include "mlr/spoilt.h"

#define LINK_REPEATS_MOST 5 /* most repetitions of one trial in which a link changes */
#define LINK_CHANGED      "port %s: its link went down, or its driver was reset, within %s (%llu changes)"

#define PPM                 1e6
#define PACING_SHARE        10    /* the mean load may be off by a tenth of the Goal Width */
#define DEFAULT_WIDTH_RATIO 0.005 /* Goal Width of a run without goals */
#define HICCUP_RATIO        0.01  /* largest part of the frames sent that an interface drops now and then */
#define LOSS_FRAMES_TELLING 5     /* from so many lost frames on, a counter hardly equals it by chance */
#define REPEAT_CHANCE_LEAST 0.1   /* least probability that one of the remaining repetitions is not spoilt */

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

uint64_t account_came_from(const struct account *account, unsigned int port, unsigned int *ret_to)
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

/* Refuse a trial if all frames of a port came back where they started, and none where they should be. */
static enum exit_code check_cabling(const struct account *account)
{
	for (unsigned int i = 0; i < account->port_count; i++) {
		const struct port_trial *port = &account->ports[i];
		uint64_t back = port->received.misdirected;
		unsigned int to = i;

		if (back && port->counts.transmits && !account_came_from(account, i, &to))
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

/* Take as much of what is still missing as a counter tells. */
static uint64_t take(uint64_t told, uint64_t *missing)
{
	uint64_t taken = at_most(told, *missing);

	*missing -= taken;
	return taken;
}

/* Count what is missing of the frames that were sent to each port. */
static void find_missing(const struct account *account, uint64_t missing[MLR_PORTS_MAX])
{
	for (unsigned int to = 0; to < account->port_count; to++) {
		uint64_t sent = 0, received = account->ports[to].received.received;

		for (unsigned int i = 0; i < account->port_count; i++)
			sent += account->ports[i].sent_to[to];
		missing[to] = sent > received ? sent - received : 0;
	}
}

/* Take as much of what is missing where a port sends to as its transmit counters tell. */
static uint64_t take_sent(const struct port_trial *port, uint64_t missing[MLR_PORTS_MAX])
{
	uint64_t taken = 0;

	for (unsigned int to = 0; to < MLR_PORTS_MAX; to++)
		if (port->sent_to[to])
			taken += take(port->counts.nic_tx_dropped - taken, &missing[to]);
	return taken;
}

/* Add the frames that interfaces dropped by their counters, in the order of their way. They may have dropped others than those of the
 * trial, so they explain what is missing on their own way alone, and each missing frame once. */
static void add_drops(const struct account *account, struct loss_attribution *told)
{
	uint64_t missing[MLR_PORTS_MAX] = { 0 };

	find_missing(account, missing);
	for (unsigned int i = 0; i < account->port_count; i++)
		if (account->ports[i].tx_drops == TX_DROPS_BEFORE_WIRE)
			told->dropped_before_wire += take_sent(&account->ports[i], missing);
	for (unsigned int i = 0; i < account->port_count; i++) {
		told->receiver_damaged += take(account->ports[i].counts.nic_rx_damaged, &missing[i]);
		if (account->ports[i].tx_drops == TX_DROPS_AT_RECEIVER)
			told->receiver_missed += take_sent(&account->ports[i], missing);
		told->receiver_missed += take(account->ports[i].counts.nic_rx_missed, &missing[i]);
	}
}

/* Return how many of the lost frames the tester's own bursts cost. */
static uint64_t lost_in_bursts(const struct account *account, uint64_t sent, uint64_t lost)
{
	struct mlr_burst_counts counts = { .sent = sent, .lost = lost };
	uint64_t marked_received = 0;

	for (unsigned int i = 0; i < account->port_count; i++) {
		counts.marked_sent += account->ports[i].sent.marked;
		marked_received += account->ports[i].received.marked;
		counts.runs += account->ports[i].received.gap_runs;
	}
	if (!account->config->no_seq)
		counts.runs = greater(counts.runs, 1); /* no gap is seen where the last frames are lost */
	if (marked_received < counts.marked_sent)
		counts.marked_lost = at_most(counts.marked_sent - marked_received, lost);
	return mlr_burst_loss(&counts);
}

static struct loss_attribution attribute(const struct account *account, const struct mlr_trial_counts *counts,
					 const struct mlr_trial_verdict *verdict)
{
	uint64_t missing = verdict->lost > 0 ? (uint64_t)verdict->lost : 0;
	struct loss_attribution places = { .unsent = verdict->unsent };

	add_drops(account, &places);
	places.dropped_before_wire = take(places.dropped_before_wire, &missing);
	places.receiver_damaged = take(places.receiver_damaged, &missing);
	places.receiver_missed = take(places.receiver_missed, &missing);
	places.tester_burst = lost_in_bursts(account, counts->sent, missing);
	places.sut = verdict->lost - (int64_t)(places.dropped_before_wire + places.receiver_damaged +
					       places.receiver_missed + places.tester_burst);
	return places;
}

/* --- pacing --------------------------------------------------------------------------------------------------------- */

/* Return the mean over the ports that send. */
static double achieved_fps(const struct account *account)
{
	double sum_fps = 0.0;

	for (unsigned int i = 0; i < account->port_count; i++)
		if (account->ports[i].counts.transmits)
			sum_fps += (double)account->ports[i].sent.sent / account->ports[i].busy_s;
	return sum_fps / transmitters(account);
}

/* Fill in, from the departures of a port, how constant its load was. */
static void add_departures(const struct port_trial *port, struct pacing_summary *pacing)
{
	const struct tx_report *sent = &port->sent;

	if (sent->excess_frames_max > pacing->excess_frames_max) {
		pacing->excess_frames_max = sent->excess_frames_max;
		pacing->excess_at_s = (double)sent->excess_at_ns / NS_PER_S;
	}
	pacing->transmit_s = fmax(pacing->transmit_s, port->busy_s);
	pacing->burst_max = greater(pacing->burst_max, sent->burst_max);
	pacing->excess_s = fmax(pacing->excess_s, (double)sent->excess_ns / NS_PER_S);
	pacing->marked_frames += sent->marked;
	tx_stops_merge(&pacing->stops, &sent->stops);
	pacing->moves = greater(pacing->moves, port->schedule.moves);
	pacing->moved_ns = greater(pacing->moved_ns, port->schedule.stopped_ns);
}

/* Return the pacing error (ppm) that does not matter: a tenth of the narrowest Goal Width. */
static double pacing_error_most_ppm(const struct config *config)
{
	double width_ratio = DEFAULT_WIDTH_RATIO;

	for (size_t i = 0; i < config->goal_count; i++)
		if (config->goals[i].width_ratio < width_ratio || i == 0)
			width_ratio = config->goals[i].width_ratio;
	return width_ratio / PACING_SHARE * PPM;
}

/* Whether the load was below or above the one asked for, -1 or 1, by more than what says nothing about the SUT; else 0. Where the
 * duration has no whole number of frames, the nearest one is right as well. */
static int load_off(const struct account *account, const struct pacing_summary *pacing)
{
	double whole_fps = (double)mlr_trial_intended(&account->input) / account->input.duration_s;
	double most_ppm = pacing_error_most_ppm(account->config);

	if (fabs(pacing->error_ppm) <= most_ppm || fabs(pacing->achieved_fps / whole_fps - 1.0) * PPM <= most_ppm)
		return 0;
	return pacing->error_ppm > 0 ? 1 : -1;
}

static struct pacing_summary summarize_pacing(const struct account *account)
{
	double sent_fps = achieved_fps(account), load_fps = account->input.load_fps;
	double intended_fps = load_fps > 0.0 ? load_fps : sent_fps;
	struct mlr_histogram gaps = { 0 };
	struct pacing_summary pacing;

	for (unsigned int i = 0; i < account->port_count; i++)
		mlr_histogram_merge(&gaps, &account->ports[i].sent.gaps);
	pacing = (struct pacing_summary){
		.intended_fps = intended_fps,
		.achieved_fps = sent_fps,
		.error_ppm = intended_fps > 0.0 ? (sent_fps / intended_fps - 1.0) * PPM : 0.0,
		.gap_p50_ns = (uint64_t)mlr_histogram_quantile_ns(&gaps, 0.5),
		.gap_p99_ns = (uint64_t)mlr_histogram_quantile_ns(&gaps, 0.99),
		.gap_max_ns = gaps.max_ns,
		.is_paced = load_fps > 0.0,
	};
	if (pacing.is_paced) {
		pacing.burst_asked = mlr_burst_of(load_fps, account->config->burst_frames).asked_frames;
		pacing.catch_up_ns = mlr_histogram_cut_ns(&gaps, pacing_error_most_ppm(account->config) / PPM *
									 account->input.duration_s * NS_PER_S);
	}
	for (unsigned int i = 0; i < account->port_count; i++)
		add_departures(&account->ports[i], &pacing);
	return pacing;
}

/* The transmit counters of a veth count what its peer, the SUT, had no room for. */
static bool is_of_sut(const struct port_trial *port, const char *counter)
{
	return port->counts.transmits && port->tx_drops == TX_DROPS_IN_SUT && strstr(counter, "tx");
}

/* Warn if the SUT seems to have lost exactly as many frames as a counter of one of our own ports counts. Most likely it was
 * not the SUT. */
static void find_loss_counter(const struct account *account, struct measurement *measurement)
{
	int64_t lost = measurement->attribution.sut;

	for (size_t i = 0; i < measurement->port_count && lost >= LOSS_FRAMES_TELLING; i++) {
		const struct port_counts *counts = &measurement->ports[i];

		for (unsigned int j = 0; j < counts->moved_count; j++) {
			if (counts->moved[j].moved != (uint64_t)lost || is_of_sut(&account->ports[i], counts->moved[j].name))
				continue;
			measurement->loss_counter = (struct loss_counter){ .is_there = true, .port = i, .at = j };
			return;
		}
	}
}

/* Count what ports sent to MAC addresses that may be nobody's, if none of it came. */
static uint64_t sent_to_nobody(const struct account *account)
{
	uint64_t sent = 0;

	for (unsigned int i = 0; i < account->port_count; i++) {
		const struct port_trial *port = &account->ports[i];
		double misaddressed = (double)port->sent.sent * port->misaddressed_ratio;
		unsigned int to;

		if (misaddressed > 0 && (double)account_came_from(account, i, &to) <= (double)port->sent.sent - misaddressed)
			sent += (uint64_t)misaddressed;
	}
	return sent;
}

/* Find out whether the tester itself was the limit, and by what. */
static void judge_tester(const struct account *account, struct measurement *measurement)
{
	uint64_t misaddressed = sent_to_nobody(account);
	int64_t sut_lost = measurement->attribution.sut - (int64_t)misaddressed;

	if (misaddressed)
		measurement->tester_limited_reason = NOBODY_ANSWERED;
	else if (measurement->verdict.tester_limited)
		measurement->tester_limited_reason = "frames stayed unsent";
	else if (measurement->attribution.dropped_before_wire)
		measurement->tester_limited_reason = "the transmitting interface dropped frames";
	else if (measurement->attribution.tester_burst)
		measurement->tester_limited_reason = "frames were lost in a burst of the tester's own";
	else if (measurement->attribution.receiver_missed)
		measurement->tester_limited_reason = "the receiving interface missed frames";
	else if (measurement->attribution.receiver_damaged)
		measurement->tester_limited_reason = "frames arrived damaged at the receiving interface";
	else if (measurement->loss_counter.is_there)
		measurement->tester_limited_reason = "the SUT's loss equals a counter of our own port";
	else if (load_off(account, &measurement->pacing))
		measurement->tester_limited_reason = LOAD_WAS_OFF;
	measurement->tester_limited = measurement->tester_limited_reason;
	measurement->offered_less = load_off(account, &measurement->pacing) < 0;
	measurement->sut_loss_ratio = sut_lost > 0 ? (double)sut_lost / (double)measurement->counts.sent : 0.0;
}

/* Return at most how many frames of the trial were not sent because of stops: beyond what the trial became longer by, and in
 * a stop at its end. */
static double stopped_frames(const struct account *account)
{
	double frames = 0.0, load_fps = account->input.load_fps;

	for (unsigned int i = 0; i < account->port_count; i++) {
		const struct tx_schedule *schedule = &account->ports[i].schedule;
		uint64_t granted_ns = schedule->granted_ns - schedule->before_ns;
		double stopped_ns = (double)account->ports[i].sent.stops.longest_ns;

		if (schedule->stopped_ns > granted_ns)
			stopped_ns += (double)(schedule->stopped_ns - granted_ns);
		frames += stopped_ns / NS_PER_S * load_fps;
	}
	return frames;
}

/* Whether an interface dropped only a few frames. One that cannot take the load at all drops more. */
static bool is_hiccup(uint64_t frames, const struct mlr_trial_counts *counts)
{
	return frames && (double)frames <= HICCUP_RATIO * (double)counts->sent;
}

/* Return by what the tester spoilt a trial that it might perform well another time. What the SUT lost by itself does not
 * matter here. */
static enum spoilt_by find_spoiler(const struct account *account, const struct measurement *measurement)
{
	const struct loss_attribution *attribution = &measurement->attribution;
	const struct pacing_summary *pacing = &measurement->pacing;

	if (!pacing->is_paced)
		return SPOILT_NOT;
	if (measurement->verdict.tester_limited)
		return (double)measurement->verdict.unsent <= stopped_frames(account) ? SPOILT_BY_STOPS : SPOILT_NOT;
	if (pacing->moves && measurement->offered_less)
		return SPOILT_BY_STOPS;
	if (attribution->tester_burst)
		return SPOILT_BY_BURST;
	if (is_hiccup(attribution->dropped_before_wire, &measurement->counts))
		return SPOILT_BY_DROPS;
	return is_hiccup(attribution->receiver_missed, &measurement->counts) ? SPOILT_BY_MISSES : SPOILT_NOT;
}

bool account_may_repeat(const struct account *account, const struct measurement *measurement, unsigned int most)
{
	const struct pacing_summary *pacing = &measurement->pacing;
	double allowed_s = pacing_error_most_ppm(account->config) / PPM * account->input.duration_s, chance;

	if (measurement->spoilt == SPOILT_NOT || measurement->tester_repeats >= most)
		return false;
	if (measurement->spoilt != SPOILT_BY_STOPS)
		return true;
	chance = mlr_repeat_chance(pacing->moves, (double)pacing->moved_ns / NS_PER_S, allowed_s);
	return 1.0 - pow(1.0 - chance, (double)(most - measurement->tester_repeats)) >= REPEAT_CHANCE_LEAST;
}

unsigned int account_next_repeats(const struct config *config, const struct measurement *measurement, unsigned int most)
{
	if (measurement->spoilt == SPOILT_NOT)
		return config->tester_repeats;
	return measurement->spoilt == SPOILT_BY_STOPS || most < 2 ? most : most / 2;
}

/* --- reception ------------------------------------------------------------------------------------------------------ */

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

/* Get percentiles from what is known best: how far latencies are above the smallest. The PDV of each is that distance, and
 * it is known as well. */
static void add_percentiles(const struct mlr_delays *delays, struct latency_summary *latency)
{
	const struct {
		double quantile, *latency_ns, *pdv_ns, *error_ns;
	} figures[] = {
		{ 0.5, &latency->p50_ns, &latency->pdv_p50_ns, NULL },
		{ 0.9, &latency->p90_ns, NULL, NULL },
		{ 0.99, &latency->p99_ns, &latency->pdv_p99_ns, NULL },
		{ 0.999, &latency->p99_9_ns, &latency->pdv_p99_9_ns, &latency->pdv_p99_9_error_ns },
		{ 0.9999, &latency->p99_99_ns, NULL, NULL },
	};
	double most_ns = 0;

	for (size_t i = 0; i < COUNT(figures); i++) {
		double error_ns, pdv_ns = mlr_delays_quantile_ns(&delays, 1, figures[i].quantile, &error_ns);

		*figures[i].latency_ns = (double)latency->min_ns + pdv_ns;
		most_ns = fmax(most_ns, error_ns);
		if (figures[i].pdv_ns) {
			*figures[i].pdv_ns = pdv_ns;
			latency->pdv_error_ns = fmax(latency->pdv_error_ns, error_ns);
		}
		if (figures[i].error_ns)
			*figures[i].error_ns = error_ns;
	}
	latency->error_bound_ns += most_ns;
}

/* Fill in the latency of what a port received. */
static struct latency_summary summarize_latency(const struct account *account, const struct port_trial *port)
{
	const struct mlr_histogram *all = &port->seen.latency;
	double lateness_error_ns = mlr_lateness_error_ns((uint16_t)port->seen.lateness_max);
	struct latency_summary latency = {
		.clock = "CLOCK_MONOTONIC of the tester, software timestamps at both ends",
		.definition = "from the actual departure, stamped before the frame is handed to the kernel, to the XDP "
			      "program of the receiving port (RFC 1242, 3.8)",
		.source = "software",
		.error_bound_ns = 2.0 * account->clock_read_ns + lateness_error_ns,
		.count = all->count,
		.min_ns = mlr_histogram_min_ns(all),
		.max_ns = all->max_ns,
		.mean_ns = mlr_histogram_mean_ns(all),
		.has_variation = account->config->ipdv,
		.variation = summarize_variation(&port->seen.variation),
	};

	latency.pdv_max_ns = (double)(latency.max_ns - latency.min_ns);
	add_percentiles(&port->delays, &latency);
	return latency;
}

/* The figures of which the greater one is worse. */
static const size_t latency_figures[] = {
	offsetof(struct latency_summary, error_bound_ns),
	offsetof(struct latency_summary, mean_ns),
	offsetof(struct latency_summary, p50_ns),
	offsetof(struct latency_summary, p90_ns),
	offsetof(struct latency_summary, p99_ns),
	offsetof(struct latency_summary, p99_9_ns),
	offsetof(struct latency_summary, p99_99_ns),
	offsetof(struct latency_summary, pdv_p50_ns),
	offsetof(struct latency_summary, pdv_p99_ns),
	offsetof(struct latency_summary, pdv_p99_9_ns),
	offsetof(struct latency_summary, pdv_max_ns),
	offsetof(struct latency_summary, pdv_error_ns),
	offsetof(struct latency_summary, pdv_p99_9_error_ns),
	offsetof(struct latency_summary, variation.mean_ns),
	offsetof(struct latency_summary, variation.p50_ns),
	offsetof(struct latency_summary, variation.p99_ns),
	offsetof(struct latency_summary, variation.p99_9_ns),
	offsetof(struct latency_summary, variation.max_ns),
};

/* Make each figure of a latency the worse one of two directions. Smallest and count are those of both. */
static void worsen_latency(struct latency_summary *worst, const struct latency_summary *other)
{
	for (size_t i = 0; i < COUNT(latency_figures); i++) {
		double *figure = (double *)((char *)worst + latency_figures[i]);

		*figure = fmax(*figure, *(const double *)((const char *)other + latency_figures[i]));
	}
	worst->count += other->count;
	worst->variation.count += other->variation.count;
	worst->min_ns = at_most(worst->min_ns, other->min_ns);
	worst->max_ns = greater(worst->max_ns, other->max_ns);
}

static struct order_summary summarize_order(const struct rx_trial *all, const struct rx_counters *received, uint64_t window)
{
	struct order_summary order = {
		.window = window,
		.beyond_window = received->beyond_window,
		.reorder_depth_mean =
			received->reordered ? (double)received->reorder_depth / (double)received->reordered : NAN,
		.reorder_depth_max = all->reorder_depth_max,
		.gaps = received->gaps,
		.gap_frames = received->gap_frames,
		.gap_max = all->gap_max,
	};

	memcpy(order.reorder_depths, all->reorder_depths, sizeof(order.reorder_depths));
	return order;
}

/* Fill in the order in which frames came to all ports. */
static void order_of_all(const struct account *account, const struct rx_counters *received, struct measurement *measurement)
{
	uint64_t window = UINT64_MAX;
	struct rx_trial all = { 0 };

	for (unsigned int i = 0; i < account->port_count; i++) {
		rx_trial_merge(&all, &account->ports[i].seen);
		window = at_most(account->ports[i].window, window);
	}
	measurement->has_order = true;
	measurement->order_unknown = account->config->no_seq;
	measurement->order = summarize_order(&all, received, window);
}

/* The latency of the trial is that of its worst direction, figure by figure. */
static void latency_of_all(const struct account *account, const struct rx_counters *received,
			   struct measurement *measurement)
{
	measurement->has_latency = false;
	for (size_t i = 0; i < measurement->direction_count; i++) {
		const struct direction_figures *figures = &measurement->by_direction[i];

		if (figures->has_latency && measurement->has_latency)
			worsen_latency(&measurement->latency, &figures->latency);
		else if (figures->has_latency)
			measurement->latency = figures->latency;
		measurement->has_latency |= figures->has_latency;
	}
	if (!measurement->has_latency && received->without_checksum)
		snprintf(measurement->latency_refused, REFUSED_SIZE,
			 "the frames came without their UDP checksum and have no signature: nothing tells whether the times "
			 "in them are right");
	measurement->latency.has_variation = account->config->ipdv;
}

/* Fill in what the receivers know of the trial beyond counts. */
static void summarize_reception(const struct account *account, struct measurement *measurement)
{
	struct rx_counters received = account_received(account);

	order_of_all(account, &received, measurement);
	latency_of_all(account, &received, measurement);
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

/* --- directions ----------------------------------------------------------------------------------------------------- */

/* Return which ports send to one. */
static uint32_t senders_to(const struct mlr_profile *profile, unsigned int to)
{
	uint32_t from = 0;

	for (unsigned int i = 0; i < profile->stream_count; i++)
		if (profile->streams[i].to == to)
			from |= 1u << profile->streams[i].from;
	return from;
}

/* Order directions by the ports that send; of several ports the lowest counts. */
static void find_directions(const struct account *account, struct measurement *measurement)
{
	measurement->direction_count = 0;
	for (unsigned int from = 0; from < account->port_count; from++)
		for (unsigned int to = 0; to < account->port_count; to++) {
			uint32_t senders = senders_to(account->profile, to);

			if (senders && (unsigned int)__builtin_ctz(senders) == from)
				measurement->directions[measurement->direction_count++] =
					(struct trial_direction){ to, senders };
		}
}

/* Count the frames of a direction. Its senders' other frames are not among them. */
static struct direction_figures figures_of(const struct account *account, const struct trial_direction *direction)
{
	const struct port_trial *port = &account->ports[direction->to];
	struct direction_figures figures = { .counts = port->counts.counts };

	figures.counts.intended = figures.counts.sent = 0;
	for (unsigned int i = 0; i < account->port_count; i++) {
		figures.counts.intended += account->ports[i].intended_to[direction->to];
		figures.counts.sent += account->ports[i].sent_to[direction->to];
	}
	figures.verdict =
		mlr_trial_judge(account->input.load_fps, (unsigned int)__builtin_popcount(direction->from), &figures.counts);
	figures.order = summarize_order(&port->seen, &port->received, port->window);
	figures.has_latency = port->seen.latency.count;
	if (figures.has_latency)
		figures.latency = summarize_latency(account, port);
	return figures;
}

static void add_directions(const struct account *account, struct measurement *measurement)
{
	find_directions(account, measurement);
	measurement_forget_histograms(measurement);
	for (size_t i = 0; i < measurement->direction_count; i++) {
		measurement->by_direction[i] = figures_of(account, &measurement->directions[i]);
		if (account->config->latency_at_count && measurement->by_direction[i].has_latency)
			measurement->histograms[i] =
				memory_noticed(hdr_text(&account->ports[measurement->directions[i].to].delays));
	}
}

/* --- all of it ------------------------------------------------------------------------------------------------------ */

enum exit_code account_for(const struct account *account, struct measurement *measurement)
{
	enum exit_code code = check_cabling(account);

	if (code)
		return code;
	add_ports(account, measurement);
	add_directions(account, measurement);
	measurement->verdict = mlr_trial_judge(account->input.load_fps, transmitters(account), &measurement->counts);
	measurement->attribution = attribute(account, &measurement->counts, &measurement->verdict);
	measurement->pacing = summarize_pacing(account);
	measurement->has_attribution = measurement->has_pacing = true;
	find_loss_counter(account, measurement);
	judge_tester(account, measurement);
	measurement->spoilt = find_spoiler(account, measurement);
	summarize_reception(account, measurement);
	return EXIT_DONE;
}
