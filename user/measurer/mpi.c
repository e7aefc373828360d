/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/mpi.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/destination.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/reader.h"
#include "base/text_stream.h"
#include "config/echo.h"
#include "config/traffic.h"
#include "measurer/icmp.h"
#include "measurer/measurer_new.h"
#include "measurer/mpi_private.h"
#include "measurer/xdp_private.h"
#include "measurer/xdp_trial.h"
#include "port/privileges.h"

#define CLOCK_ROUNDS     200
#define OPEN_PATIENCE_NS (60 * NS_PER_S) /* ports are prepared, and may restart */
#define NS_PER_US        1e3

static const struct measurer_ops ops;

/* --- sharing -------------------------------------------------------------------------------------------------------- */

/* A value of `root`, for all; it is taken over. What another host wrote is parsed without privileges. */
static enum exit_code share_json(unsigned int root, json_t *own, json_t **ret)
{
	owned char *text = own ? json_dumps(own, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
	uint64_t octets = text && job_rank() == root ? strlen(text) + 1 : 0;
	enum exit_code code = job_broadcast(root, &octets, sizeof(octets));

	json_decref(own);
	if (code)
		return code;
	if (job_rank() != root) {
		free(text);
		text = calloc(1, octets + 1);
	}
	if (octets && !text)
		return out_of_memory();
	code = job_broadcast(root, text, octets);
	if (code)
		return code;
	*ret = octets ? reader_json(text, octets - 1, JSON_DECODE_ANY) : NULL;
	return *ret ? EXIT_DONE : out_of_memory();
}

/* --- who is there --------------------------------------------------------------------------------------------------- */

static struct mpi_rank this_rank(void)
{
	struct mpi_rank rank = {
		.version = XDP_MLR_VERSION,
		.port_trial_octets = sizeof(struct port_trial),
		.clock = clock_state_here(),
	};
	struct utsname system;

	gethostname(rank.host, sizeof(rank.host) - 1);
	if (!uname(&system))
		snprintf(rank.kernel, sizeof(rank.kernel), "%.64s", system.release);
	return rank;
}

/* "h1.lab" and "h1" are one host; "h1.lab" and "h1.office" are two. */
static bool same_host(const char *a, const char *b)
{
	size_t a_length = strcspn(a, "."), b_length = strcspn(b, ".");

	if (a[a_length] && b[b_length])
		return strcasecmp(a, b) == 0;
	return a_length == b_length && strncasecmp(a, b, a_length) == 0;
}

static enum exit_code check_ranks(const struct measurer_mpi *mpi)
{
	for (unsigned int i = 1; i < job_size(); i++) {
		const struct mpi_rank *rank = &mpi->ranks[i];

		if (strcmp(rank->version, mpi->ranks[0].version) ||
		    rank->port_trial_octets != mpi->ranks[0].port_trial_octets)
			return refuse_once("--measurer mpi: %s runs another xdp-mlr (%s) than %s (%s); install the same one",
					   rank->host, rank->version, mpi->ranks[0].host, mpi->ranks[0].version);
		for (unsigned int j = 0; j < i; j++)
			if (same_host(rank->host, mpi->ranks[j].host))
				return refuse_once("--measurer mpi: ranks %u and %u are both on host %s; start one a host "
						   "(mpirun --map-by node)",
						   j, i, rank->host);
	}
	return EXIT_DONE;
}

/* All must have read the same options, files included: else each would measure something else. */
static enum exit_code check_options(const struct measurer_mpi *mpi)
{
	json_auto_t *own = config_describe(mpi->config), *first = NULL;
	enum exit_code code = share_json(0, json_incref(own), &first);

	if (!code && !json_equal(own, first)) {
		code = refuse(EXIT_USAGE_ERROR,
			      "--measurer mpi: other options here than on %s; is a --config file another one?",
			      mpi->ranks[0].host);
		json_each_member (name, value, first)
			if (!json_equal(value, json_object_get(own, name)))
				refuse(code, "--measurer mpi: --%s differs", name);
	}
	return mpi_agree(code, 0, NULL);
}

static void list_hosts(const struct measurer_mpi *mpi, char *ret, size_t size)
{
	*ret = '\0';
	for (unsigned int rank = 0; rank < job_size(); rank++)
		text_join(ret, size, ", ", "%s", mpi->ranks[rank].host);
}

/* Find the rank that owns this port. Without a host's name it is that of the only rank. */
static enum exit_code find_owner(struct measurer_mpi *mpi, unsigned int port)
{
	const struct port_config *config = &mpi->config->ports[port];
	char hosts[512];

	if (!*config->host && job_size() > 1)
		return refuse_once("--ports: on which host is '%s'? With several ranks, write HOST:%s", config->name,
				   config->name);
	for (unsigned int rank = 0; rank < job_size(); rank++) {
		if (*config->host && !same_host(config->host, mpi->ranks[rank].host))
			continue;
		mpi->owners[port] = rank;
		return EXIT_DONE;
	}
	list_hosts(mpi, hosts, sizeof(hosts));
	return refuse_once("--ports: no rank runs on host '%s' of %s; mpirun started: %s", config->host, config->label,
			   hosts);
}

/* The configuration of this host: the same, with its own ports only. */
static void take_own_ports(struct measurer_mpi *mpi)
{
	unsigned int numbers[MLR_PORTS_MAX];

	mpi->own = *mpi->config;
	mpi->own.port_count = 0;
	mpi->own.timestamps = TIMESTAMPS_SOFTWARE;
	for (unsigned int port = 0; port < mpi->port_count; port++) {
		if (mpi->owners[port] != job_rank())
			continue;
		numbers[mpi->own.port_count] = port;
		mpi->own.ports[mpi->own.port_count++] = mpi->config->ports[port];
	}
	xdp_init(&mpi->own, &mpi->xdp);
	for (unsigned int i = 0; i < mpi->own.port_count; i++)
		mpi->xdp.ends[i].number = numbers[i];
}

static enum exit_code meet(struct measurer_mpi *mpi)
{
	struct mpi_rank own = this_rank();
	enum exit_code code = job_share(&own, sizeof(own), mpi->ranks);

	if (code || (code = check_ranks(mpi)) || (code = check_options(mpi)))
		return code;
	mpi->clocks.rank_count = job_size();
	for (unsigned int rank = 0; rank < job_size(); rank++)
		mpi->clocks.states[rank] = mpi->ranks[rank].clock;
	for (unsigned int port = 0; port < mpi->port_count && !code; port++)
		code = find_owner(mpi, port);
	if (!code)
		take_own_ports(mpi);
	return code;
}

/* --- opening -------------------------------------------------------------------------------------------------------- */

/* What this host can say of a port of its own. */
static struct mpi_port describe_port(const struct measurer_mpi *mpi, unsigned int index)
{
	const struct port *port = &mpi->xdp.ports[index];
	const struct tx_port *tx = mpi->xdp.ends[index].tx;
	struct mpi_port description = { .link_bps = port->link_bps };

	memcpy(description.mac, port->link.mac, MLR_MAC_OCTETS);
	snprintf(description.tx_backend, sizeof(description.tx_backend), "%s", tx ? tx->backend : "");
	return description;
}

static enum exit_code share_ports(struct measurer_mpi *mpi)
{
	enum exit_code code = EXIT_DONE;

	for (unsigned int port = 0; port < mpi->port_count && !code; port++) {
		unsigned int index;

		if (mpi_port_is_here(mpi, port, &index))
			mpi->ports[port] = describe_port(mpi, index);
		code = job_broadcast(mpi->owners[port], &mpi->ports[port], sizeof(mpi->ports[port]));
	}
	return code;
}

static enum exit_code make_profile(struct measurer_mpi *mpi)
{
	enum exit_code code = job_broadcast(0, mpi->xdp.key_seed, sizeof(mpi->xdp.key_seed))
				      ?: xdp_make_profile(&mpi->xdp, mpi->config);

	for (unsigned int port = 0; port < mpi->port_count && !code; port++)
		memcpy(mpi->xdp.profile.ports[port].mac, mpi->ports[port].mac, MLR_MAC_OCTETS);
	return code;
}

/* A port as the result document has it, said by its owner. */
static json_t *port_json(const struct measurer_mpi *mpi, unsigned int port)
{
	unsigned int index;
	json_t *json;

	if (!mpi_port_is_here(mpi, port, &index))
		return NULL;
	json = xdp_port_json(&mpi->xdp, index);
	json_put(json, "interface", mpi->config->ports[port].name);
	json_put(json, "name", mpi->config->ports[port].label);
	json_put(json, "host", mpi->ranks[job_rank()].host);
	json_put(json, "rank", job_rank());
	return json;
}

static unsigned int first_transmitter(const struct measurer_mpi *mpi)
{
	unsigned int port = 0;

	while (!*mpi->ports[port].tx_backend)
		port++;
	return port;
}

static enum exit_code share_descriptions(struct measurer_mpi *mpi)
{
	unsigned int port, index;
	enum exit_code code = share_ports(mpi);
	json_t *load = NULL;

	mpi->port_descriptions = json_array();
	for (port = 0; port < mpi->port_count && !code; port++) {
		json_t *json = NULL;

		code = share_json(mpi->owners[port], port_json(mpi, port), &json);
		if (!code)
			json_array_append_new(mpi->port_descriptions, json);
	}
	if (code)
		return code;
	port = first_transmitter(mpi);
	if (mpi_port_is_here(mpi, port, &index))
		load = xdp_load_json(mpi->xdp.ends[index].tx);
	return share_json(mpi->owners[port], load, &mpi->load_description);
}

static double slowest_link_bps(const struct measurer_mpi *mpi)
{
	double slowest_bps = mpi->ports[0].link_bps;

	for (unsigned int port = 1; port < mpi->port_count; port++)
		slowest_bps = fmin(slowest_bps, mpi->ports[port].link_bps);
	return slowest_bps;
}

/* Open what is here; every step is taken by all or by none. */
static enum exit_code open_together(struct measurer_mpi *mpi)
{
	enum exit_code code = meet(mpi) ?: mpi_agree(xdp_open_ports(&mpi->xdp), 0, NULL) ?: share_ports(mpi);

	if (code || (code = mpi_agree(make_profile(mpi) ?: xdp_open_frames(&mpi->xdp), 0, NULL)))
		return code;
	mpi->measurer.transmitters = mpi->xdp.measurer.transmitters;
	mpi->measurer.line_rate_fps = xdp_line_rate_fps(&mpi->xdp, slowest_link_bps(mpi));
	return EXIT_DONE;
}

static void hold_ports(struct measurer *measurer, struct keeper_plan *plan)
{
	xdp_hold_ports(&((struct measurer_mpi *)measurer)->xdp, plan);
}

/* Divide this process, unless it is rank 0: that has files to keep as well (measurer_divide()). */
static enum exit_code divide(struct measurer_mpi *mpi)
{
	struct keeper_plan plan = { .answer = destination_answer };

	if (job_rank() == 0)
		return EXIT_DONE;
	hold_ports(&mpi->measurer, &plan);
	return privileges_divide(mpi->config, &plan);
}

/* Get ready for the first trial. From now on ranks read what arrives at their ports. */
static enum exit_code look_together(struct measurer_mpi *mpi)
{
	enum exit_code code;

	job_set_patience(OPEN_PATIENCE_NS);
	code = mpi_agree(divide(mpi) ?: xdp_look_around(&mpi->xdp), 0, NULL)
		       ?: share_descriptions(mpi)
		       ?: mpi_clocks_measure(&mpi->clocks, CLOCK_ROUNDS);
	job_set_patience(TRIAL_PATIENCE_NS);
	return code;
}

static enum exit_code connect_all(struct measurer *measurer)
{
	struct mpi_order order = { .kind = ORDER_LOOK };

	return job_broadcast(0, &order, sizeof(order)) ?: look_together((struct measurer_mpi *)measurer);
}

static void close_ports(struct measurer_mpi *mpi)
{
	xdp_close(&mpi->xdp);
	json_decref(mpi->port_descriptions);
	json_decref(mpi->load_description);
	free(mpi);
}

static enum exit_code open_new(const struct config *config, struct measurer_mpi **ret)
{
	struct measurer_mpi *mpi = calloc(1, sizeof(*mpi));
	enum exit_code code = mpi_agree(mpi ? EXIT_DONE : out_of_memory(), 0, NULL);

	if (code) {
		free(mpi);
		return code;
	}
	mpi->measurer.ops = &ops;
	mpi->config = config;
	mpi->port_count = config->port_count;
	job_set_patience(OPEN_PATIENCE_NS);
	code = open_together(mpi);
	job_set_patience(TRIAL_PATIENCE_NS);
	if (code)
		close_ports(mpi);
	else
		*ret = mpi;
	return code;
}

static enum exit_code (*rank_0)(const struct config *config); /* the verb; NULL: there is no job */

enum exit_code measurer_mpi_new(const struct config *config, struct measurer **ret)
{
	struct mpi_order order = { .kind = ORDER_OPEN };
	struct measurer_mpi *mpi;
	enum exit_code code;

	if (!rank_0)
		return refuse(EXIT_USAGE_ERROR, "--measurer mpi is for one search, sweep or soak, started by mpirun");
	code = job_broadcast(0, &order, sizeof(order));
	if (code || (code = open_new(config, &mpi)))
		return code;
	*ret = &mpi->measurer;
	return EXIT_DONE;
}

static void free_mpi(struct measurer *measurer)
{
	struct mpi_order order = { .kind = ORDER_CLOSE };

	close_ports((struct measurer_mpi *)measurer);
	job_broadcast(0, &order, sizeof(order));
}

/* --- measuring, on rank 0 ------------------------------------------------------------------------------------------- */

/* The worst of all streams: how far the clocks of sender and receiver may have been off; *ret_from and *ret_to are their
 * ranks. */
static double clock_bound_ns(const struct measurer_mpi *mpi, unsigned int *ret_from, unsigned int *ret_to)
{
	uint64_t most_ns = 0;

	for (unsigned int i = 0; i < mpi->xdp.profile.stream_count; i++) {
		unsigned int from = mpi->owners[mpi->xdp.profile.streams[i].from];
		unsigned int to = mpi->owners[mpi->xdp.profile.streams[i].to];
		uint64_t bound_ns = mpi_clocks_bound_ns(&mpi->clocks, from, to);

		if (bound_ns >= most_ns) {
			most_ns = bound_ns;
			*ret_from = from;
			*ret_to = to;
		}
	}
	return (double)most_ns;
}

/* No latency of this trial, though frames were timed. */
__attribute__((format(printf, 2, 3))) static void refuse_latency(struct measurement *measurement, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(measurement->latency_refused, REFUSED_SIZE, format, arguments);
	va_end(arguments);
	measurement->has_latency = false;
}

/* Latency has the clocks' error beside it, and is none where that is beyond the budget, or beyond latency itself: what is
 * below 0 is in no histogram, so the rest would look longer than it is. */
static void judge_latency(const struct measurer_mpi *mpi, const struct account *account, struct measurement *measurement)
{
	unsigned int from = 0, to = 0;
	double bound_ns = clock_bound_ns(mpi, &from, &to), budget_ns = mpi->config->clock_budget_s * (double)NS_PER_S;
	uint64_t negative = account_received(account).negative_latency;

	measurement->clock_bound_ns = bound_ns;
	measurement_add_latency_error(measurement, bound_ns);
	measurement->latency.clock =
		bound_ns > 0 ? "CLOCK_MONOTONIC of each host, as that of rank 0's: by offsets measured before and after the "
			       "trial; software timestamps at both ends"
			     : "CLOCK_MONOTONIC of the machine that both ends are on, software timestamps at both ends";
	if (bound_ns > budget_ns && (measurement->has_latency || negative))
		refuse_latency(measurement,
			       "the clocks of %s and %s may be off by %.3g us, and --clock-budget allows %.3g us",
			       mpi->ranks[from].host, mpi->ranks[to].host, bound_ns / NS_PER_US, budget_ns / NS_PER_US);
	else if (bound_ns > 0 && negative)
		refuse_latency(measurement,
			       "%llu frames seem to have arrived before they left: the clocks of %s and %s, which may be "
			       "off by %.3g us, are off by more than the latency",
			       (unsigned long long)negative, mpi->ranks[from].host, mpi->ranks[to].host,
			       bound_ns / NS_PER_US);
}

/* Return the span of the first departures, relative to each port's start; ports that tell none do not count. */
static double start_skew_ns(const struct measurer_mpi *mpi, const struct account *account)
{
	double first_ns = INFINITY, last_ns = -INFINITY;

	for (unsigned int port = 0; port < mpi->port_count; port++) {
		const struct port_trial *trial = &account->ports[port];
		double late_ns = (double)(int64_t)(trial->sent.first_departure_ns - trial->start_ns);

		if (!trial->sent.first_departure_ns)
			continue;
		first_ns = fmin(first_ns, late_ns);
		last_ns = fmax(last_ns, late_ns);
	}
	return last_ns >= first_ns ? last_ns - first_ns : NAN;
}

static enum exit_code account_together(struct measurer_mpi *mpi, const struct mlr_trial_input *input,
				       struct measurement *measurement)
{
	enum exit_code code;

	xdp_account(&mpi->xdp, mpi->config, input, mpi->port_count);
	if (account_changed_link(&mpi->xdp.account))
		return account_judge_links(&mpi->xdp.account, measurement->link_repeats++);
	code = account_for(&mpi->xdp.account, measurement);
	if (code)
		return code;
	measurement->has_hosts = true;
	measurement->start_skew_ns = start_skew_ns(mpi, &mpi->xdp.account);
	judge_latency(mpi, &mpi->xdp.account, measurement);
	return icmp_summarize(&mpi->xdp.account, measurement);
}

/* One performance of a trial. Where a link changed in it, all that is known is that it is performed again. */
static enum exit_code perform(struct measurer_mpi *mpi, const struct mlr_trial_input *input, struct measurement *measurement)
{
	struct mpi_order order = {
		.kind = ORDER_TRIAL,
		.input = *input,
		.trial = (uint16_t)(mpi->xdp.trial + 1),
		.first_sequence = mpi->xdp.next_sequence,
	};
	struct mpi_result result;
	enum exit_code code = job_broadcast(0, &order, sizeof(order));

	if (code || (code = mpi_trial(mpi, &order, &result)))
		return code;
	mpi->xdp.next_sequence += (uint32_t)result.sequences_used + 1;
	measurement->waits_s = result.waits_s;
	measurement->residual = result.residual;
	measurement->number = ++mpi->xdp.trial_count;
	return account_together(mpi, input, measurement);
}

/* Perform a trial until no link changes in it and the tester does not spoil it, or there is no hope of that. */
static enum exit_code perform_unspoilt(struct measurer_mpi *mpi, const struct mlr_trial_input *input,
				       struct measurement *measurement)
{
	unsigned int *most = &mpi->xdp.repeats_most;

	for (;;) {
		uint64_t start_ns = clock_ns();
		enum exit_code code;

		do {
			code = perform(mpi, input, measurement);
			if (code)
				return code;
		} while (!measurement->has_counts);
		if (!account_may_repeat(&mpi->xdp.account, measurement, *most)) {
			*most = account_next_repeats(mpi->config, measurement, *most);
			return EXIT_DONE;
		}
		if (measurement_repeat(measurement, clock_since_s(start_ns)))
			return out_of_memory();
	}
}

static enum exit_code measure(struct measurer *measurer, const struct mlr_trial_input *input, struct measurement *ret)
{
	struct measurer_mpi *mpi = (struct measurer_mpi *)measurer;
	struct measurement measurement = { .tx_backend = mpi->ports[first_transmitter(mpi)].tx_backend };
	uint64_t start_ns = clock_ns();
	enum exit_code code = perform_unspoilt(mpi, input, &measurement);

	if (code) {
		measurement_free(&measurement);
		return code;
	}
	xdp_trial_conclude(&mpi->xdp, input, start_ns, &measurement);
	*ret = measurement;
	return EXIT_DONE;
}

/* --- what it is, for the report ------------------------------------------------------------------------------------- */

static json_t *rank_json(const struct measurer_mpi *mpi, unsigned int rank)
{
	return json_with("rank", rank, "host", mpi->ranks[rank].host, "kernel", mpi->ranks[rank].kernel, "ports",
			 json_list(port, mpi->port_count,
				   mpi->owners[port] == rank ? json_string(mpi->config->ports[port].label) : NULL),
			 "clock", mpi_clock_json(&mpi->clocks, rank));
}

static json_t *describe(struct measurer *measurer)
{
	const struct measurer_mpi *mpi = (const struct measurer_mpi *)measurer;

	return json_with("name", "mpi", "tx_backend", mpi->ports[first_transmitter(mpi)].tx_backend, "ports",
			 json_incref(mpi->port_descriptions), "unsent_tolerance_s", MLR_UNSENT_TOLERANCE_S, "allow_unsafe",
			 mpi->config->unsafe_reason, "checksums_verified", xdp_verification_json(mpi->config), "library",
			 job_library(), "ranks", json_list(rank, job_size(), rank_json(mpi, (unsigned int)rank)),
			 "clock_budget_s", mpi->config->clock_budget_s);
}

static json_t *traffic_profile(struct measurer *measurer)
{
	const struct measurer_mpi *mpi = (const struct measurer_mpi *)measurer;
	const char *names[MLR_PORTS_MAX];
	json_t *json;

	for (unsigned int port = 0; port < mpi->port_count; port++)
		names[port] = mpi->config->ports[port].label;
	json = traffic_describe(mpi->config, &mpi->xdp.profile, names);
	if (mpi->config->load.unit != LOAD_MAX)
		json_object_set(json, "load", mpi->load_description);
	return json;
}

static const struct measurer_ops ops = {
	.connect = connect_all,
	.hold = hold_ports,
	.measure = measure,
	.describe = describe,
	.traffic_profile = traffic_profile,
	.deviations = xdp_deviations,
	.free = free_mpi,
};

/* --- the ranks ------------------------------------------------------------------------------------------------------ */

static enum exit_code await_order(struct mpi_order *ret)
{
	enum exit_code code;

	job_set_patience(JOB_NO_LIMIT);
	code = job_broadcast(0, ret, sizeof(*ret));
	job_set_patience(TRIAL_PATIENCE_NS);
	return code;
}

/* Do as rank 0 says, until it says that this is all. What fails in a trial or in opening is rank 0's to tell. */
static enum exit_code serve(const struct config *config)
{
	struct measurer_mpi *mpi = NULL;
	struct mpi_order order;
	enum exit_code code;

	while (!(code = await_order(&order)) && order.kind != ORDER_END) {
		struct mpi_result result;

		if (order.kind == ORDER_OPEN)
			open_new(config, &mpi);
		else if (order.kind == ORDER_LOOK)
			look_together(mpi);
		else if (order.kind == ORDER_TRIAL)
			mpi_trial(mpi, &order, &result);
		else if (mpi)
			close_ports(mpi);
		if (order.kind == ORDER_CLOSE)
			mpi = NULL;
	}
	if (mpi)
		close_ports(mpi);
	return code;
}

static enum exit_code run_rank(const struct config *config)
{
	static char host[HOST_SIZE];
	struct mpi_order end = { .kind = ORDER_END };
	/* MPI has threads of its own, which keep what they begin with. */
	enum exit_code code = privileges_reduce(config);

	if (code || (code = job_begin()))
		return code;
	gethostname(host, sizeof(host) - 1);
	if (job_rank()) {
		message_subject = host;
		code = serve(config);
	} else {
		code = rank_0(config);
		job_broadcast(0, &end, sizeof(end));
	}
	job_end(code);
	return job_is_lost() ? EXIT_INVALID : code;
}

enum exit_code mpi_run(const struct config *config, enum exit_code (*verb)(const struct config *config))
{
	enum exit_code code = job_find();

	if (code)
		return code;
	rank_0 = verb;
	return supervisor_run(run_rank, config);
}
