/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file tests what one port can do, and what about it would make a result worse. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpulist.h"
#include "base/files.h"
#include "base/json_value.h"
#include "base/text_stream.h"
#include "mlr/frame.h"
#include "netdev/ethtool.h"
#include "port/journal.h"
#include "port/port.h"
#include "port/setting.h"
#include "probe/parts.h"

#define TEXT_SIZE              256
#define PATH_SIZE              160
#define ETHERNET_HEADER_OCTETS 14
#define MTU_USUAL_OCTETS       1500
#define ONE_BUFFER_OCTETS      3500 /* about what a page has room for beside XDP's own needs */
#define RING_FEW               1024
#define RING_MANY              4096
#define FIRMWARE_LLDP                                                                                                       \
	"the NIC's firmware speaks LLDP by itself: it sends frames of its own, and takes those of the SUT; --prepare lldp " \
	"switches it off for a run"
#define CARRIER_NS      (5 * NS_PER_S)
#define CARRIER_POLL_NS (NS_PER_S / 50)

/* The port being probed. */
struct subject {
	struct mnl_socket *netlink;
	struct ethtool *ethtool;
	const struct link_info *link;
	const char *name;
	const cpu_set_t *transmit;
	bool named, used;
	bool tried;
	int native_error, zero_copy_error; /* errors of the attempts */
	bool is_told;                      /* The kernel tells `xdp`. */
	struct link_xdp xdp;
	struct link_driver driver;
	unsigned int receive_queues, transmit_queues; /* transmit_queues 0: not told */
	json_t *object, *checks;
};

/* Add a fault. It fails on a port that somebody wants to use, and warns on any other. */
static enum probe_state fault(const struct subject *subject)
{
	return subject->named ? PROBE_FAIL : PROBE_WARN;
}

/* Set a member of the port's object; null where it is not known. */
static void add_member(struct subject *subject, const char *name, bool known, json_t *value)
{
	json_put(subject->object, name, known ? value : json_null());
	if (!known)
		json_decref(value);
}

/* --- who uses it ---------------------------------------------------------------------------------------------------- */

static void say_used(struct subject *subject, const char *what, const char *remedy)
{
	json_t *check = probe_say(subject->checks, fault(subject), "use", "in use: it %s", what);

	subject->used = true;
	json_put(subject->object, "used_by", what);
	if (subject->named && *remedy)
		probe_fix(check, "%s", remedy);
}

static void check_use(struct subject *subject)
{
	int owner = journal_owner(subject->link->ifindex);
	struct port_use use;

	if (owner > 0) {
		const char *process = TEXT_OF(TEXT_SIZE, "belongs to another run of this program, process %d", owner);

		say_used(subject, process, TEXT_OF(TEXT_SIZE, "kill %d", owner));
	} else if (owner < 0) {
		subject->used = true;
		probe_fix(WARN(subject->checks, "use", "a run that died left it changed"), "xdp-mlr clean");
	} else if (!port_find_use(subject->netlink, subject->link, &use) && *use.what) {
		say_used(subject, use.what, use.remedy);
	} else {
		OK(subject->checks, "use", "nobody uses it");
	}
}

/* --- the link ------------------------------------------------------------------------------------------------------- */

/* Suggest to set the link up. A veth's other end may be down, too, if it is in this network namespace. */
static void suggest_carrier(const struct subject *subject, json_t *check)
{
	struct link_info other;

	if (!strcmp(subject->link->kind, "veth") && subject->link->lower_ifindex &&
	    !netlink_link_by_index(subject->netlink, subject->link->lower_ifindex, &other) && !other.up)
		probe_fix(check, "ip link set dev %s up", other.name);
}

static void check_link(struct subject *subject)
{
	if (!subject->link->up)
		probe_fix(probe_say(subject->checks, fault(subject), "link", "down"), "ip link set dev %s up",
			  subject->name);
	else if (!subject->link->carrier)
		suggest_carrier(subject, probe_say(subject->checks, fault(subject), "link",
						   "no carrier: check the cable and the other end"));
	else
		OK(subject->checks, "link", "up");
}

/* A driver may tell old facts of a port that is down, or none. Report that, and return true. */
static bool is_down(const struct subject *subject, const char *name)
{
	if (!subject->link->up)
		OK(subject->checks, name, "not known while the port is down");
	return !subject->link->up;
}

static void check_speed(struct subject *subject)
{
	bool is_virtual = strcmp(subject->link->kind, "veth") == 0 || strcmp(subject->link->kind, "tun") == 0;
	struct link_mode mode = { 0 };
	bool known = subject->link->up && subject->link->carrier && !is_virtual &&
		     !ethtool_mode(subject->ethtool, subject->link->ifindex, &mode) && mode.speed_mbps;

	add_member(subject, "link_bps", known, json_real(mode.speed_mbps * 1e6));
	if (is_down(subject, "speed"))
		return;
	if (!subject->link->carrier)
		OK(subject->checks, "speed", "not known without carrier");
	else if (!known)
		OK(subject->checks, "speed", "no line rate known: a search finds its Max Load itself");
	else if (!mode.full_duplex)
		probe_fix(probe_say(subject->checks, fault(subject), "speed", "%u Mbit/s, half duplex: %s", mode.speed_mbps,
				    mode.autonegotiated ? "the other end does not negotiate, or offers no more; let it do so"
							: "nothing is negotiated; let both ends do so"),
			  "ethtool -s %s autoneg on", subject->name);
	else
		OK(subject->checks, "speed", "%u Mbit/s, full duplex", mode.speed_mbps);
}

static void check_driver(struct subject *subject)
{
	struct link_driver *driver = &subject->driver;

	if (ethtool_driver(subject->ethtool, subject->link->ifindex, driver)) {
		WARN(subject->checks, "driver", "cannot be told");
		return;
	}
	OK(subject->checks, "driver", "%s %s%s%s%s%s", driver->name, driver->version, *driver->firmware ? ", firmware " : "",
	   driver->firmware, *driver->bus ? ", at " : "", driver->bus);
	json_put(subject->object, "driver", driver->name);
	json_put(subject->object, "driver_version", driver->version);
	json_put(subject->object, "firmware", driver->firmware);
	json_put(subject->object, "bus", driver->bus);
}

static void check_mtu(struct subject *subject)
{
	unsigned int mtu_octets = subject->link->mtu_octets, max_octets = subject->link->max_mtu_octets;
	unsigned int frame_octets = mtu_octets + ETHERNET_HEADER_OCTETS + MLR_FCS_OCTETS;
	json_t *check;

	if (mtu_octets < MTU_USUAL_OCTETS)
		check = WARN(subject->checks, "mtu", "%u: frames of at most %u octets", mtu_octets, frame_octets);
	else if (mtu_octets > ONE_BUFFER_OCTETS && subject->is_told && subject->xdp.native && !subject->xdp.rx_frags)
		check = WARN(subject->checks, "mtu", "%u: more than this driver's native XDP takes, about %u", mtu_octets,
			     ONE_BUFFER_OCTETS);
	else {
		OK(subject->checks, "mtu", "%u: frames of up to %u octets; it may be raised to %u", mtu_octets, frame_octets,
		   max_octets ? max_octets : mtu_octets);
		return;
	}
	probe_fix(check, "ip link set dev %s mtu %d", subject->name, MTU_USUAL_OCTETS);
}

/* --- XDP ------------------------------------------------------------------------------------------------------------ */

static void wait_for_carrier(const struct subject *subject)
{
	const struct timespec gap = { .tv_nsec = CARRIER_POLL_NS };
	uint64_t deadline_ns = clock_ns() + CARRIER_NS;
	struct link_info link;

	while (subject->link->carrier && !netlink_link_by_index(subject->netlink, subject->link->ifindex, &link) &&
	       !link.carrier && clock_ns() < deadline_ns)
		nanosleep(&gap, NULL);
}

/* Attach and bind, under a claim so that no run begins meanwhile. */
static void try_xdp(struct subject *subject)
{
	struct claim *claim;

	subject->is_told = !ethtool_xdp(subject->ethtool, subject->link->ifindex, &subject->xdp);
	if (!subject->named || subject->used || !subject->link->up || probe_try_load() || claim_port(subject->link, &claim))
		return;
	subject->tried = true;
	subject->native_error = probe_try_native(subject->link->ifindex);
	subject->zero_copy_error = -EOPNOTSUPP;
	if (!subject->native_error && (!subject->is_told || subject->xdp.zero_copy))
		subject->zero_copy_error = probe_try_zero_copy(subject->link->ifindex);
	claim_release(claim);
	wait_for_carrier(subject);
}

/* Suggest a remedy for what usually keeps a driver that has native XDP from attaching it. */
static void suggest_native(const struct subject *subject, json_t *check)
{
	struct link_feature lro = { 0 };
	struct link_numbers channels = { 0 };

	ethtool_feature(subject->ethtool, subject->link->ifindex, "rx-lro", &lro);
	ethtool_numbers(subject->ethtool, subject->link->ifindex, LINK_CHANNELS, &channels);
	if (lro.active && !lro.fixed)
		probe_fix(check, "ethtool -K %s lro off", subject->name);
	else if (subject->link->mtu_octets > MTU_USUAL_OCTETS)
		probe_fix(check, "ip link set dev %s mtu %d", subject->name, MTU_USUAL_OCTETS);
	else if (channels.value[CHANNELS_COMBINED] > 1)
		probe_fix(check, "ethtool -L %s combined %u", subject->name, channels.value[CHANNELS_COMBINED] / 2);
}

static void check_native(struct subject *subject)
{
	static const char generic[] = "receiving goes in generic mode, which is slower and may itself lose frames";
	bool has = subject->tried ? !subject->native_error : subject->xdp.native;

	add_member(subject, "native_xdp", subject->tried || subject->is_told, json_boolean(has));
	if (!subject->tried && !subject->is_told)
		probe_fix(WARN(subject->checks, "native-xdp",
			       "cannot be told without trying it, as root, on a port that nobody uses"),
			  "xdp-mlr probe -p %s", subject->name);
	else if (has)
		OK(subject->checks, "native-xdp", subject->tried ? "yes, tried" : "yes, says the driver");
	else if (!subject->tried || subject->native_error == -EOPNOTSUPP)
		WARN(subject->checks, "native-xdp", "the driver has none: %s", generic);
	else
		suggest_native(subject, WARN(subject->checks, "native-xdp", "refused as the port is now (%s): %s",
					     strerror(-subject->native_error), generic));
}

static void check_zero_copy(struct subject *subject)
{
	bool known = subject->tried || subject->is_told;
	bool has = subject->tried ? !subject->zero_copy_error : subject->xdp.zero_copy;

	add_member(subject, "zero_copy", known, json_boolean(has));
	if (!known)
		OK(subject->checks, "zero-copy", "cannot be told without trying it");
	else if (has)
		OK(subject->checks, "zero-copy", subject->tried ? "yes, tried" : "yes, says the driver");
	else if (!subject->tried || subject->zero_copy_error == -EOPNOTSUPP || subject->native_error)
		OK(subject->checks, "zero-copy", "none: AF_XDP copies each frame");
	else
		WARN(subject->checks, "zero-copy", "refused as the port is now: %s", strerror(-subject->zero_copy_error));
}

/* "a, b" of the names whose flag is set, or "none". */
struct ability {
	bool has;
	const char *name;
};

static const char *list_abilities(const struct ability *abilities, size_t count, char text[TEXT_SIZE])
{
	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		if (abilities[i].has)
			text_join(text, TEXT_SIZE, ", ", "%s", abilities[i].name);
	return *text ? text : "none";
}

static json_t *abilities_json(const struct ability *abilities, size_t count)
{
	return json_list(i, count, abilities[i].has ? json_string(abilities[i].name) : NULL);
}

static void check_metadata(struct subject *subject)
{
	const struct ability receive[] = { { subject->xdp.rx_timestamp, "timestamp" },
					   { subject->xdp.rx_hash, "hash" },
					   { subject->xdp.rx_vlan, "VLAN tag" } };
	const struct ability transmit[] = { { subject->xdp.tx_timestamp, "timestamp" },
					    { subject->xdp.tx_checksum, "checksum" },
					    { subject->xdp.tx_launch_time, "launch time" } };
	bool tx_told = subject->is_told && subject->xdp.tx_is_told;
	char text[TEXT_SIZE];

	add_member(subject, "rx_metadata", subject->is_told, abilities_json(receive, COUNT(receive)));
	add_member(subject, "tx_metadata", tx_told, abilities_json(transmit, COUNT(transmit)));
	OK(subject->checks, "rx-metadata", "%s",
	   subject->is_told ? list_abilities(receive, COUNT(receive), text) : "not told by kernels before 6.3");
	OK(subject->checks, "tx-metadata", "%s",
	   tx_told ? list_abilities(transmit, COUNT(transmit), text) : "not told by kernels before 6.8");
}

static void check_frags(struct subject *subject)
{
	add_member(subject, "frags", subject->is_told, json_boolean(subject->xdp.rx_frags));
	if (!subject->is_told)
		OK(subject->checks, "frags", "not told by kernels before 6.3");
	else if (subject->xdp.rx_frags)
		OK(subject->checks, "frags", "yes: native XDP takes frames of several buffers");
	else
		OK(subject->checks, "frags", "none: native XDP takes frames of about %d octets at most", ONE_BUFFER_OCTETS);
}

static void check_live_frames(struct subject *subject)
{
	add_member(subject, "redirect_target", subject->is_told, json_boolean(subject->xdp.is_redirect_target));
	if (!subject->is_told)
		OK(subject->checks, "live-frames", "not told by kernels before 6.3");
	else if (subject->xdp.is_redirect_target)
		OK(subject->checks, "live-frames", "takes redirected frames: --tx live can use it");
	else
		OK(subject->checks, "live-frames", "takes no redirected frames as it is%s",
		   strcmp(subject->link->kind, "veth") ? "" : ": its peer needs gro on, or an XDP program");
}

static void check_xdp(struct subject *subject)
{
	try_xdp(subject);
	check_native(subject);
	check_zero_copy(subject);
	check_frags(subject);
	check_live_frames(subject);
	check_metadata(subject);
}

/* --- queues --------------------------------------------------------------------------------------------------------- */

static void check_queues(struct subject *subject)
{
	struct link_numbers channels;
	const uint32_t *value = channels.value, *most = channels.most;

	subject->receive_queues = 1;
	if (ethtool_numbers(subject->ethtool, subject->link->ifindex, LINK_CHANNELS, &channels)) {
		OK(subject->checks, "queues", "the driver does not tell");
		json_put(subject->object, "channels", json_null());
		return;
	}
	subject->receive_queues = value[CHANNELS_RX] + value[CHANNELS_COMBINED];
	subject->transmit_queues = value[CHANNELS_TX] + value[CHANNELS_COMBINED];
	json_put(subject->object, "channels",
		 json_with("rx", value[CHANNELS_RX], "tx", value[CHANNELS_TX], "combined", value[CHANNELS_COMBINED],
			   "rx_max", most[CHANNELS_RX], "tx_max", most[CHANNELS_TX], "combined_max",
			   most[CHANNELS_COMBINED]));
	OK(subject->checks, "queues", "receive %u of %u, transmit %u of %u", subject->receive_queues,
	   most[CHANNELS_RX] + most[CHANNELS_COMBINED], subject->transmit_queues,
	   most[CHANNELS_TX] + most[CHANNELS_COMBINED]);
}

/* Count the queues that a table names. */
static unsigned int queues_named(const struct link_rss *rss)
{
	unsigned int count = 0;

	for (uint32_t i = 0; i < rss->count; i++) {
		uint32_t before = 0;

		while (before < i && rss->queue[before] != rss->queue[i])
			before++;
		count += before == i;
	}
	return count;
}

/* Write the commands by which the hash uses UDP ports. The text is empty if it does, or if that is not told. */
static void find_hash_fixes(const struct subject *subject, char fixes[TEXT_SIZE])
{
	static const unsigned int ip_versions[] = { 4, 6 };

	fixes[0] = '\0';
	for (size_t i = 0; i < COUNT(ip_versions); i++) {
		uint64_t fields;

		if (!ethtool_udp_hash(subject->ethtool, subject->link->ifindex, ip_versions[i], &fields) &&
		    (fields & LINK_HASH_PORTS) != LINK_HASH_PORTS)
			text_join(fixes, TEXT_SIZE, " && ", "ethtool -N %s rx-flow-hash udp%u sdfn", subject->name,
				  ip_versions[i]);
	}
}

static void say_spread(const struct subject *subject)
{
	char fixes[TEXT_SIZE];

	find_hash_fixes(subject, fixes);
	if (*fixes && subject->receive_queues > 1)
		probe_fix(WARN(subject->checks, "rss",
			       "over all %u receive queues, but by addresses alone: flows of one pair of addresses all come "
			       "to "
			       "one queue; --prepare rss changes that for a run, and --vary src-address makes other flows",
			       subject->receive_queues),
			  "%s", fixes);
	else
		OK(subject->checks, "rss", "over all %u receive queues", subject->receive_queues);
}

static void check_rss(struct subject *subject)
{
	struct link_rss rss = { 0 };

	if (is_down(subject, "rss"))
		return;
	if (ethtool_rss(subject->ethtool, subject->link->ifindex, &rss) || !rss.count)
		OK(subject->checks, "rss", "no receive hash to set");
	else if (queues_named(&rss) < subject->receive_queues)
		probe_fix(WARN(subject->checks, "rss", "over %u of %u receive queues", queues_named(&rss),
			       subject->receive_queues),
			  "ethtool -X %s equal %u", subject->name, subject->receive_queues);
	else
		say_spread(subject);
}

static void check_rings(struct subject *subject)
{
	struct link_numbers rings;
	const uint32_t *value = rings.value, *most = rings.most;

	if (ethtool_numbers(subject->ethtool, subject->link->ifindex, LINK_RINGS, &rings) || !most[RINGS_RX])
		OK(subject->checks, "rings", "the driver does not tell");
	else if (value[RINGS_RX] < RING_FEW && value[RINGS_RX] < most[RINGS_RX])
		probe_fix(WARN(subject->checks, "rings",
			       "receive %u of %u, transmit %u of %u: a stall of this machine soon loses frames",
			       value[RINGS_RX], most[RINGS_RX], value[RINGS_TX], most[RINGS_TX]),
			  "ethtool -G %s rx %u", subject->name, most[RINGS_RX] < RING_MANY ? most[RINGS_RX] : RING_MANY);
	else
		OK(subject->checks, "rings", "receive %u of %u, transmit %u of %u", value[RINGS_RX], most[RINGS_RX],
		   value[RINGS_TX], most[RINGS_TX]);
}

/* --- what distorts -------------------------------------------------------------------------------------------------- */

/* An offload, and what ethtool -K calls it. */
struct offload {
	const char *feature, *word;
};

static void check_offloads(struct subject *subject, const char *name, const struct offload *offloads, size_t count,
			   const char *harm, const char *meanwhile)
{
	char on[TEXT_SIZE] = "", words[TEXT_SIZE] = "";
	bool fixed = false;
	json_t *check;

	for (size_t i = 0; i < count; i++) {
		struct link_feature feature;

		if (ethtool_feature(subject->ethtool, subject->link->ifindex, offloads[i].feature, &feature) ||
		    !feature.active)
			continue;
		text_join(on, sizeof(on), ", ", "%s%s", offloads[i].feature, feature.fixed ? " (fixed)" : "");
		fixed |= feature.fixed;
		if (!feature.fixed)
			text_add(words, sizeof(words), " %s off", offloads[i].word);
	}
	if (!*on) {
		OK(subject->checks, name, "off");
		return;
	}
	check = WARN(subject->checks, name, "%s on: %s%s", on, harm, fixed ? "" : meanwhile);
	if (*words)
		probe_fix(check, "ethtool -K %s%s", subject->name, words);
}

static void check_distortion(struct subject *subject)
{
	static const struct offload lro[] = { { "rx-lro", "lro" }, { "rx-gro-hw", "rx-gro-hw" } };
	static const struct offload gro[] = { { "rx-gro", "gro" },
					      { "rx-gro-list", "rx-gro-list" },
					      { "rx-udp-gro-forwarding", "rx-udp-gro-forwarding" } };
	static const struct offload vlan[] = { { "rx-vlan-hw-parse", "rxvlan" },
					       { "rx-vlan-stag-hw-parse", "rx-vlan-stag-hw-parse" } };

	check_offloads(subject, "lro", lro, COUNT(lro), "it merges received frames, and may keep native XDP out",
		       "; a run switches it off meanwhile");
	check_offloads(subject, "gro", gro, COUNT(gro), "it may merge what is received in generic mode", "");
	check_offloads(subject, "vlan-strip", vlan, COUNT(vlan),
		       "tags are taken out of received frames before XDP sees them",
		       "; a run with VLAN frames switches it off meanwhile");
}

static void check_pause(struct subject *subject)
{
	struct link_numbers pause;
	const uint32_t *value = pause.value;

	if (ethtool_numbers(subject->ethtool, subject->link->ifindex, LINK_PAUSE, &pause))
		OK(subject->checks, "pause", "the driver has no pause frames");
	else if (value[PAUSE_RX] || value[PAUSE_TX])
		probe_fix(WARN(subject->checks, "pause",
			       "%s%s%s on: flow control hides loss; a run switches it off meanwhile",
			       value[PAUSE_RX] ? "rx" : "", value[PAUSE_RX] && value[PAUSE_TX] ? " and " : "",
			       value[PAUSE_TX] ? "tx" : ""),
			  "ethtool -A %s autoneg off rx off tx off", subject->name);
	else
		OK(subject->checks, "pause", "off");
}

/* "2 us, adaptive": how long a received frame may wait for its interrupt. */
static void check_coalescing(struct subject *subject)
{
	struct link_numbers coalescing;
	owned char *text = NULL;

	if (ethtool_numbers(subject->ethtool, subject->link->ifindex, LINK_COALESCING, &coalescing) ||
	    setting_numbers_text(LINK_COALESCING, &coalescing, &text))
		OK(subject->checks, "coalescing", "the driver does not tell");
	else
		OK(subject->checks, "coalescing", "%s; --prepare latency or throughput changes it for a run", text);
}

static void check_eee(struct subject *subject)
{
	struct link_numbers eee;

	if (ethtool_numbers(subject->ethtool, subject->link->ifindex, LINK_EEE, &eee))
		OK(subject->checks, "eee", "the driver has none");
	else if (eee.value[EEE_ON])
		probe_fix(WARN(subject->checks, "eee",
			       "on: the link sleeps between frames, and waking takes some us; --prepare eee switches it off "
			       "for "
			       "a run"),
			  "ethtool --set-eee %s eee off", subject->name);
	else
		OK(subject->checks, "eee", "off");
}

/* Drivers have different names for it, and one of the names means the opposite. */
static void check_firmware_lldp(struct subject *subject)
{
	bool disabled, agent;

	if (!ethtool_flag(subject->ethtool, subject->link->ifindex, "disable-fw-lldp", &disabled) && !disabled)
		probe_fix(WARN(subject->checks, "lldp", FIRMWARE_LLDP), "ethtool --set-priv-flags %s disable-fw-lldp on",
			  subject->name);
	else if (!ethtool_flag(subject->ethtool, subject->link->ifindex, "fw-lldp-agent", &agent) && agent)
		probe_fix(WARN(subject->checks, "lldp", FIRMWARE_LLDP), "ethtool --set-priv-flags %s fw-lldp-agent off",
			  subject->name);
	else
		OK(subject->checks, "lldp", "none by the NIC's firmware, as far as its driver tells");
}

/* Check private flags. */
static void check_flags(struct subject *subject)
{
	char bad[TEXT_SIZE] = "", fixes[TEXT_SIZE] = "";

	for (size_t i = 0; i < SETTING_FLAGS; i++) {
		const struct setting_flag *flag = &setting_flags[i];
		bool on;

		if (ethtool_flag(subject->ethtool, subject->link->ifindex, flag->name, &on) || on == flag->good)
			continue;
		text_join(bad, sizeof(bad), "; ", "%s %s: %s", flag->name, on ? "on" : "off", flag->harm);
		text_add(fixes, sizeof(fixes), " %s %s", flag->name, flag->good ? "on" : "off");
	}
	if (*bad)
		probe_fix(WARN(subject->checks, "flags", "%s; --prepare flags changes that for a run", bad),
			  "ethtool --set-priv-flags %s%s", subject->name, fixes);
	else
		OK(subject->checks, "flags", "no private flag of the driver that slows XDP down");
}

static void check_clock(struct subject *subject)
{
	struct link_clock clock = { .phc_index = -1 };

	if (ethtool_clock(subject->ethtool, subject->link->ifindex, &clock) || clock.phc_index < 0)
		OK(subject->checks, "hardware-clock", "none: timestamps are taken in software");
	else
		OK(subject->checks, "hardware-clock", "/dev/ptp%d, stamps %s, %s", clock.phc_index,
		   clock.stamps_every_received ? "every received frame"
		   : clock.stamps_received     ? "received PTP frames only"
					       : "no received frame",
		   clock.stamps_transmitted ? "and transmitted ones" : "no transmitted one");
}

static void check_launch_time(struct subject *subject)
{
	struct link_clock clock = { .phc_index = -1 };
	bool has_clock = !ethtool_clock(subject->ethtool, subject->link->ifindex, &clock) && clock.phc_index >= 0;
	struct launch_facts facts = {
		.is_told = subject->is_told && subject->xdp.tx_is_told,
		.has = subject->xdp.tx_launch_time,
		.stamps = subject->xdp.tx_timestamp && has_clock,
		.transmit_queues = subject->transmit_queues,
		.may_fix = !subject->used,
	};
	bool listed = !netlink_queueing(subject->netlink, subject->link->ifindex, &facts.queueing);

	add_member(subject, "launch_time_queues", facts.is_told && listed,
		   json_list(i, 64, facts.queueing.launch_queues >> i & 1 ? json_integer((json_int_t)i) : NULL));
	probe_launch_time(subject->checks, subject->name, &facts);
}

/* --- where it is in the machine ------------------------------------------------------------------------------------- */

/* Find files of the device, or "" for its directory. They are not found by /sys/class/net, which may be that of another
 * network namespace. */
static void find_device_files(const struct subject *subject, const char *what, glob_t *ret)
{
	*ret = (glob_t){ 0 };
	if (*subject->driver.bus)
		glob(TEXT_OF(PATH_SIZE, "/sys/bus/*/devices/%s%s", subject->driver.bus, what), 0, NULL, ret);
}

static void check_irqs(struct subject *subject)
{
	glob_t device;

	if (is_down(subject, "interrupts"))
		return;
	find_device_files(subject, "", &device);
	probe_interrupts(subject->checks, "", device.gl_pathc ? device.gl_pathv[0] : NULL, subject->transmit);
	globfree(&device);
}

static void check_node(struct subject *subject, int node)
{
	char text[TEXT_SIZE];
	cpu_set_t own, allowed, both;

	file_read_line(TEXT_OF(PATH_SIZE, "/sys/devices/system/node/node%d/cpulist", node), text, sizeof(text));
	if (!cpulist_parse(text, &own) || sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	CPU_AND(&both, &own, &allowed);
	if (CPU_COUNT(&both))
		OK(subject->checks, "numa", "node %d, CPUs %s", node, text);
	else
		probe_fix(
			WARN(subject->checks, "numa", "node %d, but this process may use none of its CPUs, %s", node, text),
			"taskset -pc %s $$", text);
}

static void check_numa(struct subject *subject)
{
	char text[TEXT_SIZE] = "";
	glob_t files;

	find_device_files(subject, "/numa_node", &files);
	if (files.gl_pathc)
		file_read_line(files.gl_pathv[0], text, sizeof(text));
	globfree(&files);
	if (*text && atoi(text) >= 0)
		check_node(subject, atoi(text));
	else
		OK(subject->checks, "numa", "of no node");
}

/* --- all of it ------------------------------------------------------------------------------------------------------ */

static json_t *new_object(const struct link_info *link, json_t *checks)
{
	json_t *json = json_of_members(link, name, kind, up, carrier, mtu_octets, max_mtu_octets);

	json_put(json, "used_by", json_null());
	json_put(json, "checks", checks);
	return json;
}

json_t *probe_port(struct mnl_socket *netlink, const struct link_info *link, bool named, const cpu_set_t *transmit)
{
	static void (*const parts[])(struct subject * subject) = {
		check_use,    check_link,        check_speed, check_driver,        check_xdp,
		check_queues, check_rss,         check_mtu,   check_rings,         check_distortion,
		check_pause,  check_coalescing,  check_eee,   check_firmware_lldp, check_flags,
		check_clock,  check_launch_time, check_irqs,  check_numa,
	};
	struct subject subject = {
		.netlink = netlink, .link = link, .name = link->name, .named = named, .transmit = transmit
	};
	int error = ethtool_open(&subject.ethtool);

	subject.checks = json_array();
	subject.object = new_object(link, subject.checks);
	if (error) {
		probe_say(subject.checks, PROBE_WARN, "ethtool", "cannot ask the kernel: %s", strerror(-error));
		return subject.object;
	}
	for (size_t i = 0; i < COUNT(parts); i++)
		parts[i](&subject);
	ethtool_close(subject.ethtool);
	json_put(subject.object, "tried", subject.tried);
	return subject.object;
}
