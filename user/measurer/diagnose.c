/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/diagnose.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/message.h"
#include "base/text_stream.h"
#include "measurer/icmp.h"

#define FOREIGN_MANY 20   /* frames of a trial that are worth a warning, */
#define FOREIGN_PART 1000 /* if they are at least this part of what was received */

/* Frames of housekeeping that are a load: more a second than a link sends by itself, where a SUT asks once a second for each of some
 * neighbours, and this part of those sent, which the receiver has to bear anyway. */
#define HOUSEKEEPING_FPS  100
#define HOUSEKEEPING_PART 100

#define RESIDUAL_PART 10 /* frames that arrive in the last tenth of phase d are hardly the last */

#define ICMP_ERRORS_SAID 3 /* most different ICMP errors that are told of a trial */

#define BLACK_HOLE_FRAMES 20 /* Of so many frames sent for each port, one would have arrived. */

/* --- nobody answers ------------------------------------------------------------------------------------------------- */

/* Warn that nobody answers a port by this gateway. */
static void take_silence(struct diagnosis *diagnosis, const struct neighbour_port *port, const char *option, int family,
			 const void *address)
{
	if (port->name != diagnosis->port || diagnosis->option)
		return;
	diagnosis->option = option;
	inet_ntop(family, address, diagnosis->gateway, sizeof(diagnosis->gateway));
}

void diagnose_learned(struct diagnosis *diagnosis, const struct neighbour_port *port, const struct neighbour_answer *answer)
{
	if (!diagnosis->port)
		diagnosis->port = port->name;
	if (port->ip4 && !answer->found4)
		take_silence(diagnosis, port, "gateway", AF_INET, &port->gateway);
	if (port->ip6 && !answer->found6)
		take_silence(diagnosis, port, "gateway6", AF_INET6, &port->gateway6);
}

void diagnose_forget_silence(struct diagnosis *diagnosis)
{
	diagnosis->port = diagnosis->option = NULL;
}

static void check_for_silence(struct diagnosis *diagnosis, const struct mlr_trial_counts *counts)
{
	if (diagnosis->said_silence || diagnosis->ports_meet || !diagnosis->option || !counts->sent ||
	    counts->received > counts->sent / 2)
		return;
	diagnosis->said_silence = true;
	warn("port %s: %s arrived, and nobody answers for its gateway, %s: its frames went to the other port's MAC address, "
	     "and a router drops them; see --%s, --address%s and --dst-mac",
	     diagnosis->port, counts->received ? "at most half of what was sent" : "nothing that was sent",
	     diagnosis->gateway, diagnosis->option, strcmp(diagnosis->option, "gateway6") == 0 ? "6" : "");
}

/* Return a port that nothing came to, though others sent to it; NULL: none. */
static const struct port_counts *find_black_hole(const struct measurement *measurement)
{
	if (measurement->counts.sent / (measurement->port_count + 1) < BLACK_HOLE_FRAMES)
		return NULL; /* In a mesh, maybe none was sent to this port. */
	for (size_t i = 0; i < measurement->port_count; i++)
		if (measurement->ports[i].receives && !measurement->ports[i].counts.received)
			return &measurement->ports[i];
	return NULL;
}

/* Warn of a trial from which nothing came back, in all or by one port. It is one line, unless a better guess was made
 * before. */
static void check_for_black_hole(struct diagnosis *diagnosis, const struct measurement *measurement)
{
	const struct mlr_trial_counts *counts = &measurement->counts;
	const struct port_counts *port = find_black_hole(measurement);

	if (diagnosis->said_silence || diagnosis->said_nothing_came || diagnosis->said_broken || !counts->sent ||
	    (counts->received && !port))
		return;
	diagnosis->said_nothing_came = true;
	if (counts->received)
		warn("port %s: no frame that was sent to it came back, and frames to other ports did: look at what the SUT "
		     "does to this direction (--dst-mac, its routes, VLANs and firewall)",
		     port->name);
	else
		warn("no frame of %llu sent came back: look at the cabling, at MAC addresses (--dst-mac), at the SUT's "
		     "routes, VLANs and firewall, and at whether its delay is longer than phase d (--wait d=S)",
		     (unsigned long long)counts->sent);
}

/* --- what came back is not what was sent ------------------------------------------------------------------------------ */

/* Warn of frames of ours that were changed or damaged; each kind by its name. */
static void check_for_broken(struct diagnosis *diagnosis, const struct mlr_trial_counts *counts)
{
	const struct {
		uint64_t count;
		const char *name;
	} kinds[] = {
		{ counts->damaged, "with a wrong checksum (damaged)" },
		{ counts->wrong_signature, "with a tag that this run did not sign (wrong_signature)" },
		{ counts->changed_payload, "with another payload under a right checksum or none (changed_payload)" },
		{ counts->wrong_length, "cut or padded (wrong_length)" },
		{ counts->malformed, "cut so that headers and lengths do not fit, or with a number never sent (malformed)" },
		{ counts->fragmented, "in fragments (fragmented)" },
		{ counts->overtagged, "behind VLAN tags that a tester does not send (overtagged)" },
		{ counts->misdirected, "at a port that they were not sent to (misdirected)" },
	};
	char text[512] = "";

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (kinds[i].count)
			text_join(text, sizeof(text), ", ", "%llu %s", (unsigned long long)kinds[i].count, kinds[i].name);
	if (diagnosis->said_broken || !*text)
		return;
	diagnosis->said_broken = true;
	warn("frames of a trial came back otherwise than they were sent, and do not count as received: %s; look at what the "
	     "SUT does to them",
	     text);
}

/* Warn of frames of which nobody can tell whether they came as they were sent. */
static void check_for_checksums(struct diagnosis *diagnosis, const struct mlr_trial_counts *counts)
{
	if (diagnosis->said_checksums || !counts->without_checksum)
		return;
	diagnosis->said_checksums = true;
	warn("%llu of %llu frames received in a trial came without the UDP checksum that they were sent with "
	     "(without_checksum): the SUT took it away; those that are not signed are not verified, and have no part in "
	     "latency",
	     (unsigned long long)counts->without_checksum, (unsigned long long)counts->received);
}

/* Warn of frames that came with other headers, if that is not expected. */
static void check_for_changes(struct diagnosis *diagnosis, const struct mlr_trial_counts *counts)
{
	const struct {
		uint64_t count;
		const char *name;
	} kinds[] = {
		{ counts->changed_vlan, "VLAN" },     { counts->changed_priority, "VLAN priority" },
		{ counts->changed_dscp, "DSCP" },     { counts->changed_ecn, "ECN" },
		{ counts->changed_ttl, "TTL" },       { counts->changed_address, "IP address" },
		{ counts->changed_port, "UDP port" },
	};
	char text[256] = "";

	if (diagnosis->said_changed || !counts->changed)
		return;
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (kinds[i].count)
			text_join(text, sizeof(text), ", ", "%llu with another %s", (unsigned long long)kinds[i].count,
				  kinds[i].name);
	if (!*text)
		return; /* Whoever has MAC addresses compared says it. */
	diagnosis->said_changed = true;
	warn("the SUT changed the headers of %llu of %llu frames received in a trial: %s; where that is right, say so "
	     "(--expect)",
	     (unsigned long long)counts->changed, (unsigned long long)counts->received, text);
}

/* Warn of what routers say. */
static void check_for_icmp_errors(struct diagnosis *diagnosis, const struct measurement *measurement)
{
	if (diagnosis->said_icmp)
		return;
	for (size_t i = 0; i < measurement->icmp_error_count && i < ICMP_ERRORS_SAID; i++) {
		const struct icmp_report *report = &measurement->icmp_errors[i];

		diagnosis->said_icmp = true;
		warn("port %s: %s; %s", measurement->ports[report->port].name, icmp_sentence(report, ROOM(256), 256),
		     report->advice);
	}
}

static void check_for_window(struct diagnosis *diagnosis, const struct order_summary *order)
{
	if (diagnosis->said_window || !order->beyond_window)
		return;
	diagnosis->said_window = true;
	warn("%llu frames of a trial came after %llu later ones of their flow or more: whether they are copies cannot be "
	     "told, so they count as duplicates, and may be lost, too; fewer flows, a lower --max-load or more memory make "
	     "that window larger",
	     (unsigned long long)order->beyond_window, (unsigned long long)order->window - 1);
}

/* Warn of frames that a trial counts as lost, though they came while another one ran. */
static void check_for_late(struct diagnosis *diagnosis, const struct mlr_trial_counts *counts)
{
	if (diagnosis->said_late || !counts->late)
		return;
	diagnosis->said_late = true;
	warn("%llu frames came after their trial had ended, which counts them as lost if they are no copies: the SUT held "
	     "them for longer than phase d lasted; from now on it lasts its whole time where frames are missing, and --wait "
	     "d=S makes that longer",
	     (unsigned long long)counts->late);
}

/* Warn of frames that may come when nobody waits for them any more: some of those that are missing still came in the end. */
static void check_for_more(struct diagnosis *diagnosis, const struct measurement *measurement)
{
	const struct residual_summary *residual = &measurement->residual;
	bool is_cut = residual->ended_by && !strcmp(residual->ended_by, "time") &&
		      residual->quiet_s < residual->waited_s / RESIDUAL_PART;

	if (diagnosis->said_late || diagnosis->said_slow || !is_cut || measurement->verdict.lost <= 0)
		return;
	diagnosis->said_slow = true;
	warn("frames still came when phase d of a trial ended, after %.3f s: some of the %lld that count as lost may only "
	     "be "
	     "slow; --wait d=S makes it longer",
	     residual->waited_s, (long long)measurement->verdict.lost);
}

/* Warn of frames of a tester that this run did not send: they came with numbers of trials that it has not performed. */
static void check_for_other_testers(struct diagnosis *diagnosis, const struct measurement *measurement)
{
	for (size_t i = 0; i < measurement->port_count && !diagnosis->said_unknown_trial; i++) {
		const struct port_counts *port = &measurement->ports[i];
		unsigned long long frames = port->counts.unknown_trial;

		if (!frames)
			continue;
		diagnosis->said_unknown_trial = true;
		warn("port %s: %llu frame%s %s, which this run has not used: another tester sends to this port, or an "
		     "earlier "
		     "run's frames still arrive",
		     port->name, frames, frames == 1 ? "" : "s",
		     port->unknown_trials > 1 ? TEXT_OF(120, "carry %u trial numbers, %u the most often",
							port->unknown_trials, port->unknown_trial_most)
					      : TEXT_OF(120, "%s trial number %u", frames == 1 ? "carries" : "carry",
							port->unknown_trial_most));
	}
}

/* --- others talk ---------------------------------------------------------------------------------------------------- */

static const char *explain_foreign(const struct diagnosis *diagnosis, bool is_own)
{
	if (is_own)
		return diagnosis->own;
	if (diagnosis->has_broken)
		return "they have the MAC address of a port by which only the tester sends, so the SUT has probably broken "
		       "the tags of test frames";
	return "what sends them is no part of the test, and may load the SUT as well";
}

/* Do not warn if that was allowed, and was warned of then. */
static void check_for_others(struct diagnosis *diagnosis, const struct config *config, const struct measurement *measurement)
{
	uint64_t many = FOREIGN_MANY;

	for (size_t i = 0; i < measurement->port_count; i++)
		many += measurement->ports[i].queries_sent; /* Queries may arrive here, or an ICMP message for each. */
	for (size_t i = 0; i < measurement->port_count && !diagnosis->said_foreign && !config->unsafe_reason; i++) {
		uint64_t foreign = measurement->ports[i].counts.foreign;
		bool is_many = foreign >= many && foreign >= measurement->counts.received / FOREIGN_PART;
		bool is_own = *diagnosis->own && diagnosis->own_at == i;

		if (!is_many && !(foreign && is_own)) /* Frames of this machine are told even if they are few. */
			continue;
		diagnosis->said_foreign = true;
		warn("port %s: %llu foreign frames arrived in a trial: %s", config->ports[i].name,
		     (unsigned long long)foreign, explain_foreign(diagnosis, is_own));
	}
}

static void check_for_storm(struct diagnosis *diagnosis, const struct measurement *measurement)
{
	for (size_t i = 0; i < measurement->port_count && !diagnosis->said_storm; i++) {
		const struct port_counts *port = &measurement->ports[i];

		if ((double)port->housekeeping <= HOUSEKEEPING_FPS * measurement->wall_s ||
		    port->housekeeping <= measurement->counts.sent / HOUSEKEEPING_PART)
			continue;
		diagnosis->said_storm = true;
		warn("port %s: %llu frames of housekeeping (ARP, neighbour discovery, IGMP, LLDP, STP) arrived in a trial, "
		     "more than a link carries by itself (%d a second): they load the receiver; look at who sends them",
		     port->name, (unsigned long long)port->housekeeping, HOUSEKEEPING_FPS);
	}
}

void diagnose_measured(struct diagnosis *diagnosis, const struct config *config, const struct measurement *measurement)
{
	check_for_silence(diagnosis, &measurement->counts);
	check_for_icmp_errors(diagnosis, measurement);
	check_for_broken(diagnosis, &measurement->counts);
	check_for_checksums(diagnosis, &measurement->counts);
	check_for_changes(diagnosis, &measurement->counts);
	check_for_window(diagnosis, &measurement->order);
	check_for_late(diagnosis, &measurement->counts);
	check_for_more(diagnosis, measurement);
	check_for_other_testers(diagnosis, measurement);
	check_for_black_hole(diagnosis, measurement);
	check_for_others(diagnosis, config, measurement);
	check_for_storm(diagnosis, measurement);
}
