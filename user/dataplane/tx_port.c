/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dataplane/tx_port.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/tx_cpu.h"
#include "netdev/ethtool.h"

#define PATH_SIZE 128

/* Return how many queues a link transmits by; 0: not known. */
static unsigned int count_queues(const char *port)
{
	struct dirent *entry;
	unsigned int count = 0;
	DIR *directory;

	directory = opendir(TEXT_OF(PATH_SIZE, "/sys/class/net/%s/queues", port));
	if (!directory)
		return 0;
	while ((entry = readdir(directory)))
		count += strncmp(entry->d_name, "tx-", 3) == 0;
	closedir(directory);
	return count;
}

/* Whether --prepare may, and as far as the driver says can, give a link that many. Where it is to by name, the run says why it could not. */
static bool may_be_raised(const struct config *config, const struct link_info *link)
{
	struct link_numbers channels = { 0 };
	struct ethtool *ethtool;

	if (config->prepare.asked & (1u << PREPARE_QUEUES | 1u << PREPARE_CHANNELS))
		return true;
	if (!(config->prepare.automatic & 1u << PREPARE_QUEUES) || ethtool_open(&ethtool))
		return false;
	ethtool_numbers(ethtool, link->ifindex, LINK_CHANNELS, &channels); /* What cannot be told stays as it is. */
	ethtool_close(ethtool);
	return config->queues <= (channels.value[CHANNELS_COMBINED]
					  ? channels.value[CHANNELS_TX] + channels.most[CHANNELS_COMBINED]
					  : channels.most[CHANNELS_TX]);
}

enum exit_code tx_port_check(const struct config *config, const struct link_info *link)
{
	const char *port = link->name;
	unsigned int there = count_queues(port), wanted = config->queues;

	if (there && wanted > there && !(config->dry_run && may_be_raised(config, link)))
		return refuse(
			EXIT_INCAPABLE,
			"--queues: port %s transmits by %u queue%s, not %u; ask for fewer, or give it more ('ethtool -l %s' "
			"says whether it can have them)",
			port, there, there == 1 ? "" : "s", wanted, port);
	return EXIT_DONE;
}

static enum exit_code make_plan(const struct link_info *link, const struct mlr_profile *profile, unsigned int number,
				struct tx_port *port, uint32_t queue)
{
	int error = mlr_queue_plan_new(profile, number, queue, port->queue_count, &port->plans[queue]);

	if (error)
		return refuse(error == -ENOMEM ? EXIT_INCAPABLE : EXIT_USAGE_ERROR, "port %s: cannot plan its frames: %s",
			      link->name, strerror(-error));
	return EXIT_DONE;
}

/* All queues of a port use one backend, which the first decides. */
static enum tx_choice choice_after(enum tx_choice choice, const struct tx_port *port)
{
	if (!port->backend)
		return choice;
	return strcmp(port->backend, "live") == 0 ? TX_LIVE : TX_XSK;
}

static void describe_port(struct tx_port *port, const struct tx *queue)
{
	port->backend = queue->ops->name;
	port->memory = queue->memory;
	if (!port->mode || strcmp(port->mode, TX_MODE_ZERO_COPY) == 0)
		port->mode = queue->mode;
	port->metadata = queue->metadata; /* All queues have the same metadata. */
}

/* Transmitters on one CPU take turns there, if they can. */
static void share_cpu(struct tx *tx, struct tx_cpus *cpus)
{
	struct tx **first = &cpus->first[tx->cpu + 1];

	if (!*first) {
		*first = tx;
	} else if (tx->ops->takes_turns) {
		tx_share(*first, tx);
	} else if (!cpus->crowded) {
		cpus->crowded = true;
		warn("there are more transmitters than CPUs, and by '--tx %s' they contend: frames will stay unsent; "
		     "use '--tx xsk', whose transmitters take turns, or fewer queues or directions",
		     tx->ops->name);
	}
}

enum exit_code tx_port_open(const struct config *config, bool live_is_faster, const struct link_info *link,
			    const struct mlr_profile *profile, unsigned int port, const struct tx_metadata *metadata,
			    struct tx_cpus *cpus, struct tx_port **ret)
{
	struct tx_port *opened = calloc(1, sizeof(*opened));
	enum exit_code code;

	if (!opened)
		return out_of_memory();
	opened->queue_count = config->queues;
	code = tx_port_check(config, link);
	for (uint32_t i = 0; i < config->queues && !code; i++) {
		code = make_plan(link, profile, port, opened, i);
		if (!code)
			code = tx_open(choice_after(config->tx, opened), live_is_faster, link, i, opened->plans[i], metadata,
				       tx_cpu_take(link->name, cpus->any, &cpus->taken), opened->queues[0],
				       &opened->queues[i]);
		if (!code) {
			describe_port(opened, opened->queues[i]);
			share_cpu(opened->queues[i], cpus);
		}
	}
	if (code) {
		tx_port_close(opened);
		return code;
	}
	*ret = opened;
	return EXIT_DONE;
}

void tx_port_close(struct tx_port *port)
{
	if (!port)
		return;
	for (unsigned int i = port->queue_count; i-- > 0;) {
		tx_close(port->queues[i]); /* the first one last: the others use its schedule */
		mlr_queue_plan_free(port->plans[i]);
	}
	free(port);
}

void tx_port_add_cpus(const struct tx_port *port, cpu_set_t *cpus)
{
	for (unsigned int i = 0; i < port->queue_count; i++)
		if (port->queues[i]->cpu >= 0)
			CPU_SET(port->queues[i]->cpu, cpus);
}

enum exit_code tx_port_start(struct tx_port *port, const struct tx_trial *trial)
{
	enum exit_code code = EXIT_DONE;

	port->start_ns = trial->start_ns;
	*port->queues[0]->schedule = (struct tx_schedule){ 0 };
	for (unsigned int i = 0; i < port->queue_count && !code; i++)
		code = tx_start(port->queues[i], trial);
	return code;
}

void tx_port_wait(struct tx_port *port)
{
	port->report = (struct tx_report){ 0 };
	port->departures = (struct tx_departures){ 0 };
	for (unsigned int i = 0; i < port->queue_count; i++) {
		tx_report_add(&port->report, tx_wait(port->queues[i]));
		tx_departures_add(&port->departures, &port->queues[i]->departures);
	}
	port->schedule = *port->queues[0]->schedule;
}

void tx_port_set_clock_offset(struct tx_port *port, int64_t offset_ns)
{
	for (unsigned int i = 0; i < port->queue_count; i++)
		__atomic_store_n(&port->queues[i]->clock_offset_ns, offset_ns, __ATOMIC_RELAXED);
}

enum exit_code tx_port_readdress(struct tx_port *port, const struct mlr_profile *profile, unsigned int number)
{
	for (unsigned int i = 0; i < port->queue_count; i++) {
		int error;

		mlr_queue_plan_readdress(port->plans[i], profile, number);
		error = port->queues[i]->ops->renew(port->queues[i]);
		if (error)
			return refuse(EXIT_INCAPABLE, "cannot change the destination MAC address of frames: %s",
				      strerror(-error));
	}
	return EXIT_DONE;
}

void tx_port_interrupt(struct tx_port *port)
{
	for (unsigned int i = 0; i < port->queue_count; i++)
		tx_interrupt(port->queues[i]);
}

uint64_t tx_port_sequences(const struct tx_port *port, uint64_t frame_count)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < port->queue_count; i++)
		most = greater(most, mlr_plan_sequences(port->plans[i], mlr_plan_share(port->plans[i], frame_count)));
	return most;
}

uint64_t tx_port_sequences_used(const struct tx_port *port)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < port->queue_count; i++)
		most = greater(most, mlr_plan_sequences(port->plans[i], port->queues[i]->report.sent));
	return most;
}
