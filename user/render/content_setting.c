/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file writes how something was measured: by which transmitter and receiver, with what frames, at how constant a
 * load. */
#include <math.h>
#include <string.h>

#include "base/json_read.h"
#include "base/terms.h"
#include "base/text_stream.h"
#include "render/kinds.h"
#include "render/parts.h"
#include "render/phrase.h"

#define LINE_SIZE (2 * SETTING_TEXT_SIZE)

static void add_line(struct facts *facts, const char *label, const char *line)
{
	if (*line)
		facts_add(facts, label, "%s", line);
}

/* --- who transmits and receives -------------------------------------------------------------------------------------- */

static void add_transmitter(char line[LINE_SIZE], const char *backend, const json_t *port)
{
	double queues = read_number(port, "transmit_queues");
	const char *mode = read_string(port, "transmit_mode");

	if (strcmp(backend, "live") == 0)
		text_add(line, LINE_SIZE, "XDP live frames (live)");
	else
		text_add(line, LINE_SIZE, "AF_XDP (%s)%s%s%s", backend, mode ? ", " : "", mode ? mode : "",
			 mode ? " mode" : "");
	if (queues > 0)
		text_add(line, LINE_SIZE, ", %g queue%s%s", queues, queues == 1 ? "" : "s", queues == 1 ? "" : " a port");
	if (read_truth(port, "launch_time"))
		text_add(line, LINE_SIZE, ", at launch times of the NIC");
}

static const json_t *ports_of(const json_t *document)
{
	return json_object_get(json_object_get(document, "measurer"), "ports");
}

const char *setting_transmitter(const json_t *document, char text[SETTING_TEXT_SIZE])
{
	const char *backend = read_string(json_object_get(document, "measurer"), "tx_backend");
	const json_t *ports = ports_of(document);
	char line[LINE_SIZE] = "";
	size_t first = 0;

	while (first + 1 < json_array_size(ports) && !read_truth(json_array_get(ports, first), "transmits"))
		first++;
	if (backend)
		add_transmitter(line, backend, json_array_get(ports, first));
	snprintf(text, SETTING_TEXT_SIZE, "%.*s", SETTING_TEXT_SIZE - 1, line);
	return text;
}

/* Each port that transmits otherwise than the first one on a line of its own. */
static void add_transmitters(struct facts *facts, const json_t *document)
{
	const char *backend = read_string(json_object_get(document, "measurer"), "tx_backend");
	const json_t *ports = ports_of(document);
	char common[SETTING_TEXT_SIZE];
	char all[LINE_SIZE] = "";

	text_add(all, LINE_SIZE, "%s", setting_transmitter(document, common));
	json_each (port, ports) {
		char line[LINE_SIZE] = "";

		if (!backend || !read_truth(port, "transmits"))
			continue;
		add_transmitter(line, backend, port);
		if (strcmp(line, common))
			text_add(all, LINE_SIZE, "\nport %s: %s", read_text(port, "name"), line);
	}
	add_line(facts, "Transmitter", all);
}

static void add_receiver(struct facts *facts, const json_t *document)
{
	const json_t *ports = ports_of(document);
	const char *first = read_string(json_array_get(ports, 0), "receive_mode");
	char line[LINE_SIZE] = "";
	bool differ = false;

	json_each (port, ports)
		differ |= first && strcmp(read_text(port, "receive_mode"), first);
	for (size_t i = 0; first && i < (differ ? json_array_size(ports) : 1); i++) {
		const json_t *port = json_array_get(ports, i);

		text_join(line, LINE_SIZE, ", ", "%s XDP", read_text(port, "receive_mode"));
		if (differ)
			text_add(line, LINE_SIZE, " on %s", read_text(port, "name"));
	}
	if (strcmp(read_text(json_object_get(document, "configuration"), "no-seq"), "true") == 0)
		text_join(line, LINE_SIZE, ", ", "sequence numbers not looked at (--no-seq)");
	add_line(facts, "Receiver", line);
}

/* The destination MAC addresses, and how they were found: wrong ones explain that nothing arrives. */
static const struct fact destination_facts[] = {
	{ "Destination MAC", "<measurer/ports|, |[transmits? [from {name} {destination_mac} ({destination_mac_source})]]>" },
	{ "Between the ports", "{connection/sentence}" },
	{ "Checksums verified", "{measurer/checksums_verified}" },
};

/* --- what is sent ----------------------------------------------------------------------------------------------------- */

static void add_sizes(struct facts *facts, const json_t *document)
{
	const json_t *profile = json_object_get(document, "traffic_profile");
	const json_t *sizes = json_object_get(profile, "frame_sizes");
	const char *mix = read_text(json_object_get(document, "configuration"), "frame-size");
	double mean_octets = read_number(profile, "frame_size_octets");
	size_t count = json_array_size(sizes);
	char line[LINE_SIZE] = "";

	if (count > 1 && strncmp(mix, "imix", 4) == 0 && !strpbrk(mix, ",")) /* The mix has a name. */
		text_add(line, LINE_SIZE, "%s: ", mix);
	if (count > 1)
		text_add(line, LINE_SIZE, "%s",
			 PHRASE_OF("<frame_sizes|, |{weight:plain} of {size_octets:plain}>", profile));
	if (mean_octets > 0)
		text_add(line, LINE_SIZE, "%s%.6g octets%s", count > 1 ? "; " : "", mean_octets,
			 count > 1 ? " on average" : "");
	add_line(facts, count > 1 ? "Frame sizes" : "Frame size", line);
}

static void add_vlans(char line[LINE_SIZE], const json_t *vlans)
{
	json_each (vlan, vlans) {
		double priority = read_number(vlan, "priority");

		text_join(line, LINE_SIZE, ", ", "%s VLAN %g", read_text(vlan, "type"), read_number(vlan, "vid"));
		if (priority > 0)
			text_add(line, LINE_SIZE, " priority %g", priority);
	}
}

static void add_flows(char line[LINE_SIZE], const json_t *profile)
{
	double flows = read_number(profile, "flows_per_port");
	const char *before = " by ";

	if (!(flows > 0))
		return;
	text_join(line, LINE_SIZE, ", ", "%.0f flow%s a port", flows, flows == 1 ? "" : "s");
	json_each_member (field, range, json_object_get(profile, "varied_fields")) {
		text_add(line, LINE_SIZE, "%s%s", before, field);
		before = " and ";
	}
	if (flows > 1 && strcmp(read_text(profile, "flow_order"), "random") == 0)
		text_add(line, LINE_SIZE, " at random (seed %g)", read_number(profile, "seed"));
}

/* Each has its own (y1564). */
static const struct fact service_facts[] = {
	{ "Services",
	  "<services|\n|{name}: {frame_size} octets<vlans||, VLAN {id:whole} priority {priority:whole}>[dscp? , DSCP "
	  "{dscp:whole}], CIR {cir:fps}[eir? , EIR {eir:fps}]>" },
};

static void add_traffic(struct facts *facts, const json_t *document)
{
	const json_t *profile = json_object_get(document, "traffic_profile");
	const char *pattern = read_text(profile, "pattern");
	char line[LINE_SIZE] = "";

	text_add(line, LINE_SIZE, "%s", read_text(profile, "protocol"));
	if (*pattern && strcmp(pattern, "pairs of ports"))
		text_join(line, LINE_SIZE, ", ", "%s", pattern);
	else if (json_is_boolean(json_object_get(profile, "bidirectional")))
		text_join(line, LINE_SIZE, ", ", "%s",
			  read_truth(profile, "bidirectional") ? "both directions" : "one direction");
	if (!json_object_get(document, "services")) /* those of the first */
		add_vlans(line, json_object_get(profile, "vlans"));
	add_flows(line, profile);
	if (read_string(profile, "template"))
		text_join(line, LINE_SIZE, ", ", "like the frame in %s", read_text(profile, "template"));
	if (*read_text(profile, "payload") && strcmp(read_text(profile, "payload"), "zeros"))
		text_join(line, LINE_SIZE, ", ", "payload %s", read_text(profile, "payload"));
	add_line(facts, "Traffic", line);
	add_line(facts, "Signature", read_text(profile, "signature"));
}

void setting_add_conditions(struct facts *facts, const json_t *document)
{
	if (json_object_get(document, "services"))
		facts_say(facts, document, service_facts, COUNT(service_facts));
	else if (!json_object_get(document, "frame_sizes")) /* A suite has tables of its frame sizes. */
		add_sizes(facts, document);
	add_traffic(facts, document);
}

static void add_beside(struct facts *facts, const json_t *profile)
{
	double learning = read_number(profile, "learning_frames");
	char line[LINE_SIZE] = "";

	json_each (modifier, json_object_get(profile, "modifiers"))
		text_join(line, LINE_SIZE, "\n", "%s", json_string_value(modifier) ?: "");
	add_line(facts, "Beside the load", line);
	line[0] = '\0';
	if (learning > 0)
		text_add(line, LINE_SIZE, "%g of each port before every trial", learning);
	add_line(facts, "Learning frames", line);
}

/* --- how constant ----------------------------------------------------------------------------------------------------- */

/* The largest of all trials of a search or soak. */
static double largest_of(const json_t *trials, const char *member)
{
	double most = NAN;

	json_each (trial, trials)
		most = fmax(most, read_number(json_object_get(trial, "pacing"), member));
	return most;
}

/* Add a number of frames, with the sentence that defines it; NULL: no sentence. */
static void add_largest(struct facts *facts, const char *label, double frames, const char *definition)
{
	if (frames > 0)
		facts_add(facts, label, "%s frame%s, in all trials%s%s", text_count(frames, VALUE_ROOM),
			  frames == 1 ? "" : "s", definition ? ". " : "", definition ?: "");
}

static void add_load_shape(struct facts *facts, const json_t *document, const json_t *profile)
{
	const json_t *trials = json_object_get(document, "trials");
	double excess = largest_of(trials, "excess_frames_max");

	facts_add_member(facts, "Load", profile, "/load", NULL);
	/* earlier versions knew no excess, and another burst_max */
	add_largest(facts, "Longest burst", largest_of(trials, "burst_max"), isnan(excess) ? NULL : BURST_DEFINITION);
	add_largest(facts, "Largest excess", excess, EXCESS_DEFINITION);
}

/* The model of a measurer, or its command. */
static void add_measurer(struct facts *facts, const json_t *measurer)
{
	const char *model = read_string(measurer, "model"), *detail = model ? model : read_text(measurer, "command");

	if (*detail)
		facts_add(facts, "Measurer", "%s: %s", read_text(measurer, "name"), detail);
}

/* What came after its trial. */
static void add_late(struct facts *facts, const json_t *late)
{
	char text[320] = "";

	if (!(read_number(late, "total") > 0))
		return;
	json_each (trial, json_object_get(late, "of_trials"))
		if (strlen(text) < sizeof(text) - 64)
			text_add(text, sizeof(text), ", %.0f of trial %.0f", read_number(trial, "frames"),
				 read_number(trial, "trial_number"));
	facts_add(facts, "Late frames", "%.0f came after their trial, %.0f of them while none ran%s",
		  read_number(late, "total"), read_number(late, "between_trials"), text);
}

/* What another tester sent, or an earlier run. */
static const struct fact other_facts[] = {
	{ "Frames of other runs", "[of_others? {of_others:whole} carry trial numbers that this run has not used[others? : "
				  "<others|, |{frames:whole} at port "
				  "{port}, the most frequent number is {most_frequent:whole}>]]" },
};

void setting_put(struct writer *writer, const json_t *document)
{
	const json_t *profile = json_object_get(document, "traffic_profile"),
		     *measurer = json_object_get(document, "measurer");
	double factor = read_number(document, "aggregate_factor");
	struct facts facts = { .count = 0 };

	add_measurer(&facts, measurer);
	add_transmitters(&facts, document);
	add_receiver(&facts, document);
	facts_say(&facts, document, destination_facts, COUNT(destination_facts));
	add_late(&facts, json_object_get(measurer, "late_frames"));
	facts_say(&facts, json_object_get(measurer, "late_frames"), other_facts, COUNT(other_facts));
	facts_add_member(&facts, "--allow-unsafe", measurer, "/allow_unsafe", NULL);
	add_beside(&facts, profile);
	add_load_shape(&facts, document, profile);
	if (!isnan(factor))
		facts_add(&facts, "Loads", "per interface; times %g for the sum over the transmitting interfaces", factor);
	facts_add_member(&facts, "Kernel", document, "/environment/kernel", NULL);
	if (facts.count)
		writer->ops->section(writer, LEVEL_MAIN, "setting", "Setting");
	facts_put(&facts, writer);
}
