/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/given.h"

#include <stdio.h>
#include <string.h>

#include "base/text_stream.h"
#include "base/units.h"
#include "config/options_read.h"
#include "config/options_suite.h"
#include "config/requirement.h"
#include "mlr/controller.h"
#include "mlr/profile.h"

#define FIELD(member) offsetof(struct config, member)

#define POSITIVE    1e-9
#define EXEC        "exec:"
#define NAME_OCTETS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

#define OBSERVED_SOURCES "exec:COMMAND, local:[NETNS], prometheus:http://HOST[:PORT][/PATH] or snmp:[COMMUNITY@]HOST[:PORT]"

#define SEARCH   (1u << VERB_SEARCH)
#define TRIAL    (1u << VERB_TRIAL)
#define SWEEP    (1u << VERB_SWEEP)
#define SOAK     (1u << VERB_SOAK)
#define SELFTEST (1u << VERB_SELFTEST)
#define RFC2544  (1u << VERB_RFC2544)
#define Y1564    (1u << VERB_Y1564)
#define FRAMES   (MEASURES | SELFTEST)                             /* verbs that send frames over ports */
#define MEASURES (SEARCH | TRIAL | SWEEP | SOAK | RFC2544 | Y1564) /* verbs that end with a Test Report */
#define PROBE    (1u << VERB_PROBE)
#define CONNECT  (1u << VERB_CONNECT)
#define TRAFFIC  (FRAMES | CONNECT | 1u << VERB_PROFILE_SHOW) /* verbs that make frames, or show them */
#define LAB_UP   (1u << VERB_LAB_UP)
#define LAB_ON   (1u << VERB_LAB_ON)
#define LAB      (LAB_UP | 1u << VERB_LAB_DOWN | 1u << VERB_LAB_STATUS)
#define COMPARE  (1u << VERB_COMPARE)
#define REPORT   (1u << VERB_REPORT)
#define VERIFY   (1u << VERB_VERIFY)
#define TAKES_UP (1u << VERB_CAMPAIGN_RUN | 1u << VERB_CAMPAIGN_SUBMIT) /* verbs that take up points of a campaign */
#define MERGES   (1u << VERB_CAMPAIGN_REPORT)
#define CAMPAIGN (TAKES_UP | 1u << VERB_CAMPAIGN_STATUS | MERGES)
#define ALL      (TRAFFIC | PROBE | LAB | LAB_ON | 1u << VERB_CLEAN | COMPARE | REPORT | VERIFY | CAMPAIGN)

/* --- reading -------------------------------------------------------------------------------------------------------- */

static void *field_of(const struct given *given, struct config *config)
{
	return (char *)config + given->option->offset;
}

static enum exit_code read_switch(const struct given *given, struct config *config)
{
	bool *field = field_of(given, config);

	if (strcmp(given->text, "true") == 0 || strcmp(given->text, "yes") == 0)
		*field = true;
	else if (strcmp(given->text, "false") == 0 || strcmp(given->text, "no") == 0)
		*field = false;
	else
		return refuse_given(given, "must be true or false");
	return EXIT_DONE;
}

/* Switches that the waits go with: those of the RFC, or hardly any. */
static enum exit_code read_fast(const struct given *given, struct config *config)
{
	static const struct waits fast_waits = { .residual_s = 0.5 };
	enum exit_code code = read_switch(given, config);

	if (code == EXIT_DONE)
		config->waits = config->fast ? fast_waits : RFC2544_WAITS;
	return code;
}

static enum exit_code read_choice(const struct given *given, struct config *config)
{
	const struct option *option = given->option;
	size_t i;

	for (i = 0; option->choices[i]; i++) {
		if (strcmp(option->choices[i], given->text) == 0) {
			*(unsigned int *)field_of(given, config) = (unsigned int)i;
			return EXIT_DONE;
		}
	}
	return refuse_given(given, "must be %s%s", text_of_words(option->choices, ROOM(WORDS_SIZE)),
			    nearest_hint(given->text, option->choices, i, HINT_ROOM));
}

static enum exit_code read_ratio(const struct given *given, struct config *config)
{
	double ratio;

	if (!parse_ratio(given->text, &ratio) || ratio <= 0 || ratio >= 1)
		return refuse_given(given, "must be a ratio above 0 and below 1, as 1e-7 or 0.1%%");
	*(double *)field_of(given, config) = ratio;
	return EXIT_DONE;
}

static enum exit_code read_count(const struct given *given, struct config *config)
{
	const struct option *option = given->option;

	if (!parse_whole(given->text, option->least, option->most, field_of(given, config)))
		return refuse_given(given, "must be a whole number from %.10g to %.10g", option->least, option->most);
	return EXIT_DONE;
}

static enum exit_code read_real(const struct given *given, struct config *config)
{
	const struct option *option = given->option;
	double number;

	if (!parse_number(given->text, &number) || !(number >= option->least && number <= option->most))
		return refuse_given(given, "must be a number from %.10g to %.10g", option->least, option->most);
	*(double *)field_of(given, config) = number;
	return EXIT_DONE;
}

static enum exit_code read_duration(const struct given *given, struct config *config)
{
	const struct option *option = given->option;
	double duration_s;

	if (!parse_duration(given->text, &duration_s))
		return refuse_given(given, "not a duration; write it as %s", DURATION_FORMS);
	if (duration_s < option->least || duration_s > option->most)
		return refuse_given(given, "must be %s 0 and at most %.0f s", option->least > 0 ? "above" : "at least",
				    option->most);
	*(double *)field_of(given, config) = duration_s;
	return EXIT_DONE;
}

static enum exit_code read_load(const struct given *given, struct config *config)
{
	struct load_spec *field = field_of(given, config);
	struct load_spec load;

	if (!parse_load(given->text, &load))
		return refuse_given(given, "not a load; write it as %s",
				    load_spellings(given->text, LOAD_FORMS, ROOM(LOAD_SPELLINGS_SIZE)));
	if (load.unit == LOAD_MAX && given->option->offset != FIELD(load) && given->option->offset != FIELD(hostile_load))
		return refuse_given(given, "'max' is for trials only; write a load as %s", LOAD_FORMS);
	if (load.unit != LOAD_MAX && load.value <= 0)
		return refuse_given(given, "must be above 0");
	if (load.value > given->option->most)
		return refuse_given(given, "must be at most %.0f frames/s (or bit/s)", given->option->most);
	if (load.unit == LOAD_LINE_RATIO && load.value > 1)
		return refuse_given(given, "must be at most 100%% of the line rate");
	*field = load;
	return EXIT_DONE;
}

static enum exit_code read_text(const struct given *given, struct config *config)
{
	if (!given->text[0])
		return refuse_given(given, "must not be empty");
	*(const char **)field_of(given, config) = given->text;
	return EXIT_DONE;
}

static enum exit_code read_measurer(const struct given *given, struct config *config)
{
	static const struct measurer_form {
		const char *prefix;
		enum measurer_kind kind;
		const char *lacks;
	} forms[] = {
		{ EXEC, MEASURER_EXEC, "a command after 'exec:'" },
		{ "sim:", MEASURER_SIM, "a model after 'sim:', for example sim:hard,capacity=1e6" },
	};

	if (strcmp(given->text, "xdp") == 0 || strcmp(given->text, "mpi") == 0) {
		config->measurer = given->text[0] == 'x' ? MEASURER_XDP : MEASURER_MPI;
		return EXIT_DONE;
	}
	for (size_t i = 0; i < COUNT(forms); i++) {
		size_t length = strlen(forms[i].prefix);

		if (strncmp(given->text, forms[i].prefix, length) != 0)
			continue;
		if (!given->text[length])
			return refuse_given(given, "lacks %s", forms[i].lacks);
		config->measurer = forms[i].kind;
		config->measurer_argument = given->text + length;
		return EXIT_DONE;
	}
	return refuse_given(given, "must be xdp, mpi, exec:COMMAND or sim:MODEL");
}

static enum exit_code add_report(const struct given *given, enum document_form form, struct config *config)
{
	if (config->report_count == REPORT_FILES_MAX)
		return refuse_given(given, "is one file too many, at most %d are written", REPORT_FILES_MAX);
	config->reports[config->report_count].form = form;
	config->reports[config->report_count++].path = given->text;
	return EXIT_DONE;
}

static enum exit_code read_report_path(const struct given *given, struct config *config)
{
	enum document_form form;

	if (!document_form(given->text, &form))
		return refuse_given(given, "the ending chooses the form of the report: " DOCUMENT_ENDINGS);
	return add_report(given, form, config);
}

static enum exit_code read_junit_path(const struct given *given, struct config *config)
{
	return given->text[0] ? add_report(given, DOCUMENT_JUNIT, config) : refuse_given(given, "must not be empty");
}

static enum exit_code read_certificate_path(const struct given *given, struct config *config)
{
	const char *ending = strrchr(given->text, '.');

	if (!ending || (strcmp(ending, ".html") && strcmp(ending, ".pdf")))
		return refuse_given(given, "the ending chooses the form of the certificate: .html or .pdf");
	return add_report(given, strcmp(ending, ".pdf") ? DOCUMENT_CERTIFICATE : DOCUMENT_CERTIFICATE_PDF, config);
}

/* A text that stands in the result as it is. */
static enum exit_code read_word(const struct given *given, struct config *)
{
	return given->text[0] ? EXIT_DONE : refuse_given(given, "must not be empty");
}

/* "NAME=SOURCE" */
static enum exit_code read_observed(const struct given *given, struct config *config)
{
	static const char *const kinds[] = { "exec:", "local:", "prometheus:http://", "snmp:" };
	struct observed *observed = &config->observed[config->observed_count];
	const char *source = strchr(given->text, '=');
	size_t length = source ? (size_t)(source - given->text) : 0;

	if (!length || length >= OBSERVED_NAME_SIZE || strspn(given->text, NAME_OCTETS) < length)
		return refuse_given(given,
				    "must be NAME=SOURCE, with a name of at most %d letters, digits, '_', '.' and '-'",
				    OBSERVED_NAME_SIZE - 1);
	if (config->observed_count == OBSERVED_MOST)
		return refuse_given(given, "is one source too many, at most %d are observed", OBSERVED_MOST);
	for (unsigned int i = 0; i < config->observed_count; i++)
		if (strlen(config->observed[i].name) == length &&
		    strncmp(config->observed[i].name, given->text, length) == 0)
			return refuse_given(given, "is the second source of this name");
	source++;
	snprintf(observed->name, sizeof(observed->name), "%.*s", (int)length, given->text);
	observed->source = source;
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (strncmp(source, kinds[i], strlen(kinds[i])) == 0)
			return source[strlen(kinds[i])] || strcmp(kinds[i], "local:") == 0
				       ? (config->observed_count++, EXIT_DONE)
				       : refuse_given(given, "lacks what follows '%s'", kinds[i]);
	return refuse_given(given, "the source must be " OBSERVED_SOURCES);
}

/* --- the table ------------------------------------------------------------------------------------------------------ */

static const char *const directions[] = { "a-to-b", "b-to-a", "both", "mesh", NULL };
static const char *const tx_choices[] = { "auto", "xsk", "live", NULL };
static const char *const switch_choices[] = { "auto", "on", "off", NULL };
static const char *const verify_choices[] = { "auto", "all", "doubts", NULL };
static const char *const timestamps_choices[] = { "auto", "software", "hardware", NULL };
static const char *const ip_choices[] = { "4", "6", "mixed", NULL };
static const char *const vlan_outers[] = { "802.1ad", "802.1Q", NULL };
static const char *const payloads[] = { "zeros", "ones", "alternating", "prbs", "random", NULL };
static const char *const flow_orders[] = { "incrementing", "random", NULL };
static const char *const formats[] = { "text", "json", "jsonl", NULL };
static const char *const algorithms[] = { "mlr", "phased", "binary", "tst009", NULL };
static const char *const effective_durations[] = { "trial", "wall", NULL };
static const char *const engines[] = { "slurm", NULL };

/* A row: what every option has, and what its kind adds; flags and the letter may follow the help. */
#define OPTION(NAME, ARGUMENT, VERBS, FALLBACK, READ, HELP, ...)                                                            \
	{                                                                                                                   \
		.name = NAME, .argument = ARGUMENT, .verbs = VERBS, .fallback = FALLBACK, .read = READ, .help = HELP,       \
		##__VA_ARGS__                                                                                               \
	}
#define VALUE(NAME, ARGUMENT, VERBS, FALLBACK, READ, MEMBER, ...)                                                           \
	OPTION(NAME, ARGUMENT, VERBS, FALLBACK, READ, __VA_ARGS__, .offset = FIELD(MEMBER))
#define NUMBER(NAME, ARGUMENT, VERBS, FALLBACK, MEMBER, LEAST, MOST, ...)                                                   \
	VALUE(NAME, ARGUMENT, VERBS, FALLBACK, read_count, MEMBER, __VA_ARGS__, .least = LEAST, .most = MOST)
#define DURATION(NAME, ARGUMENT, VERBS, FALLBACK, MEMBER, LEAST, ...)                                                       \
	VALUE(NAME, ARGUMENT, VERBS, FALLBACK, read_duration, MEMBER, __VA_ARGS__, .least = LEAST, .most = DURATION_MOST_S)
#define CHOICE(NAME, ARGUMENT, VERBS, FALLBACK, MEMBER, CHOICES, ...)                                                       \
	VALUE(NAME, ARGUMENT, VERBS, FALLBACK, read_choice, MEMBER, __VA_ARGS__, .choices = CHOICES)
#define LOAD(NAME, ARGUMENT, VERBS, FALLBACK, MEMBER, ...)                                                                  \
	VALUE(NAME, ARGUMENT, VERBS, FALLBACK, read_load, MEMBER, __VA_ARGS__, .most = LOAD_MOST_FPS)
#define RATIO(NAME, ARGUMENT, VERBS, FALLBACK, MEMBER, ...)                                                                 \
	VALUE(NAME, ARGUMENT, VERBS, FALLBACK, read_ratio, MEMBER, __VA_ARGS__)
#define TEXT(NAME, ARGUMENT, VERBS, FALLBACK, MEMBER, ...)                                                                  \
	VALUE(NAME, ARGUMENT, VERBS, FALLBACK, read_text, MEMBER, __VA_ARGS__)
#define SWITCH(NAME, VERBS, MEMBER, ...) VALUE(NAME, NULL, VERBS, NULL, read_switch, MEMBER, __VA_ARGS__)

const struct option options[] = {
	OPTION("ports", "A,B[,...]", TRAFFIC | PROBE | LAB_ON, NULL, read_ports,
	       "the tester's ports, by interface name: two, or the pairs A,B,C,D up to 8; probe takes any number, and "
	       "without it looks at all; with --measurer mpi HOST:PORT, or HOST:PORT:transmit and HOST:PORT:receive",
	       .letter = 'p', .flags = OPTION_USUAL, .group = "Ports and traffic"),
	CHOICE("direction", "D", TRAFFIC, "a-to-b", direction, directions,
	       "a-to-b, b-to-a or both, in each pair of ports; or mesh: every port to all others (RFC 2285). A load is that "
	       "of each port that sends",
	       .flags = OPTION_USUAL),
	OPTION("frame-size", "SIZE", TRAFFIC, "64", read_frame_sizes,
	       "octets of a frame, FCS included, 64 to 9216; or a mix: imix (7:64,4:594,1:1518), imix:csit, "
	       "imix:WEIGHT:SIZE,... or an RFC 6985 genome, as genome:aaabz,z=1518; rfc2544 and selftest take a list",
	       .flags = OPTION_USUAL),
	CHOICE("ip", "V", TRAFFIC, "4", ip, ip_choices, "the IP version: 4, 6 or mixed (flows alternate)",
	       .flags = OPTION_USUAL),
	OPTION("vlan", "VID[:PRIO],...", TRAFFIC, NULL, read_vlans,
	       "send VLAN tags: one (802.1Q) or two (QinQ, the outer one first), each with a priority if it is not 0",
	       .flags = OPTION_LIST | OPTION_USUAL),
	CHOICE("vlan-outer", "TYPE", TRAFFIC, "802.1ad", vlan_outer, vlan_outers,
	       "the outer of two VLAN tags: 802.1ad (0x88a8) or 802.1Q (0x8100)"),
	NUMBER("flows", "N", TRAFFIC, NULL, flow_count, 1, MLR_FLOWS_MAX,
	       "flows of each transmitting port, 1 to 1000000. Default: as many as --vary makes, else 1",
	       .flags = OPTION_USUAL),
	OPTION("vary", "FIELD=COUNT[:STEP],...", TRAFFIC, NULL, read_vary,
	       "what differs from flow to flow: src-address, dst-address, src-port, dst-port. Default: the UDP ports, in "
	       "the ranges of RFC 4814",
	       .flags = OPTION_LIST),
	CHOICE("flow-order", "O", TRAFFIC, "incrementing", flow_order, flow_orders,
	       "which combinations of the varied fields flows are, and in which order: incrementing or random"),
	NUMBER("seed", "N", TRAFFIC, "1", seed, 0, UINT32_MAX, "chooses the order of random flows"),
	OPTION("modifier", "M=V,...", TRAFFIC, NULL, read_modifiers,
	       "traffic beside the load (RFC 2544, section 11): broadcast=1% of the frames, management=1/s SNMP queries to "
	       "the SUT",
	       .flags = OPTION_LIST),
	TEXT("template", "FILE", TRAFFIC, NULL, template_path,
	     "make frames like the first one of a pcap or pcapng file: its VLAN tags, tunnels (MPLS, PPPoE, GRE, IP in "
	     "IP, VXLAN, GENEVE, GTP-U), and of the innermost packet IP header fields, UDP ports and payload",
	     .flags = OPTION_ACTS | OPTION_READS),
	CHOICE("connect", "C", FRAMES, "auto", connect, switch_choices,
	       "before the first trial, and after a link has changed, find out what lies between the ports, and wait until "
	       "frames pass: some seconds at most, and a minute for a switch's spanning tree. auto: ten frames that come at "
	       "once are enough; on: fifty in a row; off"),
	CHOICE("payload", "PATTERN", TRAFFIC, "zeros", payload, payloads,
	       "what frames carry behind the tester's tag: zeros, ones, alternating (bits 1 and 0 in turn), prbs (2^23 - 1 "
	       "bits, "
	       "ITU-T O.150) or random (--seed chooses)"),
	OPTION("expect", "WHAT,...", FRAMES, NULL, read_expected,
	       "the changes in headers that are right, as --require unchanged fails on all others: vlan, "
	       "priority, dscp, ecn, ttl, address, port, or nat for the last two. ttl is expected of a SUT "
	       "that routes",
	       .flags = OPTION_LIST),
	NUMBER("learning-frames", "N", FRAMES, "0", learning_frames, 0, 1000000,
	       "ARP or neighbour discovery frames that each port sends before every trial (phase b of RFC 2544 section 23)"),
	NUMBER("burst", "N", FRAMES, NULL, burst_frames, 1, 1000000,
	       "frames that a transmitter which was stopped may catch up back to back; for the rest its schedule moves. "
	       "Default: 320 "
	       "us worth of the load, at least 32 and at most 256 frames, or 50 us worth where that is more"),
	NUMBER("tester-repeats", "N", FRAMES, "5", tester_repeats, 0, 100,
	       "how often, at most, a trial is performed again that the tester itself spoilt"),
	LOAD("load", "L", TRIAL | SELFTEST, NULL, load,
	     "frames/s: " LOAD_FORMS
	     " of the line rate; or max, as fast as the tester can; of selftest --hostile: the load of "
	     "the trial, default a tenth of the fastest, and at most 100kfps",
	     .flags = OPTION_USUAL, .group = "What to measure"),
	SWITCH("hostile", SELFTEST, hostile,
	       "instead of finding its own limit, certify that the tester counts a trial exactly beside frames of a hostile "
	       "wire, of all kinds, and how many of these the receiver takes",
	       .flags = OPTION_USUAL),
	LOAD("hostile-load", "L", SELFTEST, NULL, hostile_load,
	     "hostile frames that each sending port sends, frames/s: " LOAD_FORMS
	     " of the line rate; default max, as many as can "
	     "be"),
	OPTION("loads", "L,...", SWEEP, NULL, read_loads,
	       "the loads to measure, in this order: each as --load, or FROM..TO/N for N loads that are evenly spaced, both "
	       "ends included; for example 10%..100%/10, or 50kfps,100kfps..1Mfps/10",
	       .flags = OPTION_LIST | OPTION_USUAL),
	DURATION("duration", "S", TRIAL | SWEEP | SELFTEST | Y1564 | CONNECT, "1s", duration_s, POSITIVE,
		 "how long to send: " DURATION_FORMS
		 "; of a sweep: at each load; of a self-test: each trial that confirms, the search has shorter "
		 "ones; of y1564: the performance test, of all services at once; of connect: how long to listen at "
		 "least (spanning tree speaks every 2 s, LLDP every 30 s)",
		 .flags = OPTION_USUAL),
	OPTION("preset", "P", SEARCH, "csit", read_preset,
	       "goals and waits: csit (NDR and PDR as FD.io CSIT measures them), rfc2544 or tst009",
	       .flags = OPTION_USUAL | OPTION_OF_SEARCH),
	OPTION("goal", "K=V,...", SEARCH, NULL, read_goal,
	       "a Search Goal, repeatable, instead of the preset's. Keys: name, loss (0), exceed (0.5), final (1), initial "
	       "(= final), sum (= final), width (0.5%); durations in seconds, ratios as numbers or with %. With --algorithm "
	       "phased: final 30, initial 1, no exceed and no sum",
	       .flags = OPTION_REPEATS | OPTION_USUAL | OPTION_OF_SEARCH),
	OPTION("service", "K=V,...", Y1564, NULL, read_service,
	       "a service, repeatable. Keys: cir (its committed rate, as --load, but bit/s are those of the frames, FCS "
	       "included, and with -l1 those of the line), eir (beyond it, 0), name, vlan (VID[:PRIO]), dscp (0), size (of "
	       "frames), margin (how far above CIR + EIR a policer may let through, 1%); and what it must keep to in each "
	       "direction: loss (0), delay (mean), delay-max, variation (p99.9 of the delay less its minimum), availability",
	       .flags = OPTION_REPEATS | OPTION_USUAL),
	OPTION("cir-steps", "R,...", Y1564, "25%,50%,75%,100%", read_cir_steps,
	       "the parts of CIR that the configuration test begins with, the last one all of it", .flags = OPTION_LIST),
	DURATION("step-duration", "S", Y1564, "10s", step_duration_s, POSITIVE,
		 "how long each step of the configuration test is"),
	OPTION("tests", "T,...", RFC2544 | Y1564, NULL, read_tests,
	       "which tests: throughput, latency, frame-loss, back-to-back, recovery, reset, reconf; of y1564 "
	       "configuration, performance. Default: all, reset and reconf only with their commands",
	       .flags = OPTION_LIST | OPTION_USUAL),
	VALUE("fast", NULL, RFC2544, "false", read_fast, fast,
	      "shorter and fewer trials than the RFC says, without its waits; each deviation is listed",
	      .flags = OPTION_USUAL),
	DURATION("trial-duration", "S", RFC2544, NULL, rfc2544.trial_duration_s, POSITIVE,
		 "trials of throughput (the longest) and frame loss rate; 60 s by the RFC, 1 s with --fast"),
	OPTION("latency-at", "R,...", SEARCH, NULL, read_latency_at,
	       "after the search, measure latency at these parts of each goal's Relevant Lower Bound, by direction, with "
	       "the "
	       "whole histogram; 0 is 100 frames/s; csit is 0,10%,50%,90%,100%",
	       .flags = OPTION_LIST | OPTION_USUAL),
	NUMBER("latency-repeats", "N", RFC2544, NULL, rfc2544.latency_repeats, 1, 10000,
	       "how often latency is measured; 20 by the RFC, 3 with --fast"),
	DURATION("latency-duration", "S", SEARCH | RFC2544, NULL, rfc2544.latency_duration_s, POSITIVE,
		 "for how long latency is measured; of a search, with --latency-at, 5 s; 120 s by the RFC, 2 s with --fast"),
	OPTION("loss-step", "R", RFC2544, NULL, read_loss_step,
	       "how far apart the loads of the frame loss rate are, a ratio of the maximum rate, at most 10%"),
	NUMBER("burst-tests", "N", RFC2544, NULL, rfc2544.burst_tests, 1, 10000,
	       "how often the longest burst is searched (N of RFC 9004); 50 by the RFC, 5 with --fast"),
	NUMBER("recovery-repeats", "N", RFC2544, NULL, rfc2544.recovery_repeats, 1, 10000,
	       "how often system recovery is measured; 3, with --fast 1"),
	DURATION("overload-duration", "S", RFC2544, NULL, rfc2544.overload_duration_s, POSITIVE,
		 "how long the overload before a recovery is; 60 s by the RFC, 5 s with --fast"),
	TEXT("reset-command", "COMMAND", RFC2544, NULL, reset_command,
	     "a command for /bin/sh that resets the SUT while frames are sent. Without it the operator is "
	     "asked to do so",
	     .flags = OPTION_ACTS),
	DURATION("reset-duration", "S", RFC2544, NULL, rfc2544.reset_duration_s, POSITIVE,
		 "for how long frames are sent around a reset: longer than it takes; 120 s, with --fast 10 s"),
	TEXT("reconf-command", "COMMAND", RFC2544, NULL, reconf_command,
	     "a command for /bin/sh that reconfigures the SUT under the throughput: the result has the "
	     "frames lost by it, and for how long traffic was blocked",
	     .flags = OPTION_ACTS),
	DURATION("reconf-duration", "S", RFC2544, NULL, rfc2544.reconf_duration_s, POSITIVE,
		 "for how long frames are sent around a reconfiguration: longer than it takes; 10 s"),
	LOAD("min-load", "L", SEARCH | SOAK | RFC2544, "9001", min_load,
	     "Min Load of the search, as --load; the default is CSIT's, which keeps 9000 frames/s for latency alone",
	     .flags = OPTION_USUAL | OPTION_OF_SEARCH),
	LOAD("max-load", "L", SEARCH | SOAK | RFC2544, NULL, max_load,
	     "Max Load of the search, as --load. Default: what a fresh self-test of these ports found, else the line rate, "
	     "else a short calibration; exec and sim need it",
	     .flags = OPTION_USUAL | OPTION_OF_SEARCH),
	CHOICE("algorithm", "A", SEARCH, "mlr", algorithm, algorithms,
	       "the search algorithm: mlr (RFC 9971), phased (the MLRsearch of 2021), binary (RFC 2544) or tst009 (with "
	       "loss verification)",
	       .flags = OPTION_USUAL | OPTION_OF_SEARCH),
	NUMBER("intermediate-phases", "N", SEARCH, NULL, phased.intermediate_phases, 0, MLR_PHASED_INTERMEDIATE_PHASES_MAX,
	       "phased: phases between the initial and the final one. Default: 2"),
	VALUE("expansion-coefficient", "X", SEARCH, NULL, read_real, phased.expansion_coefficient,
	      "phased: of widths, in a search outwards for a bound. Default: 4", .least = 2,
	      .most = MLR_PHASED_EXPANSION_COEFFICIENT_MAX),
	NUMBER("max-r", "N", SEARCH, NULL, max_r, 1, MLR_TST009_MAX_R,
	       "tst009: high-loss trials before a load has failed; sets Goal Exceed Ratio and Goal Duration Sum to match. "
	       "Default: 2, with the goals as they are"),
	RATIO("target-loss-ratio", "R", SOAK, "1e-7", target_loss_ratio, "the loss ratio to look for, above 0 and below 1",
	      .flags = OPTION_USUAL),
	RATIO("stdev", "RATIO", SOAK, NULL, stdev_ratio,
	      "end once the robust standard deviation of the estimate is at most this ratio of its mean",
	      .flags = OPTION_USUAL),
	DURATION("first-duration", "S", SOAK, "5.1", first_duration_s, POSITIVE, "how long the first trial is"),
	DURATION("duration-step", "S", SOAK, "0.1", duration_step_s, 0, "how much longer each further trial is"),
	SWITCH("fail-fast", SEARCH, fail_fast,
	       "end the search, irregular, once Min Load is an Upper Bound of any goal: a SUT that is broken is not "
	       "measured on"),
	SWITCH("explain", SEARCH | REPORT, explain, "also show each trial and why it was chosen",
	       .flags = OPTION_OUTPUT | OPTION_USUAL),
	OPTION("resume", "FILE", SEARCH, NULL, NULL,
	       "go on with an interrupted search, from its JSON result or its event stream, with its options; a command or "
	       "a file that it names is said again",
	       .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT),
	OPTION("replay", "FILE", SEARCH, NULL, NULL,
	       "ask the controller again what a stored search asked, and measure nothing",
	       .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT),
	DURATION("max-time", "S", SEARCH | SOAK | RFC2544 | Y1564, NULL, max_time_s, POSITIVE,
		 "end after this time with what there is: a search is then irregular, a soak is done. By default a soak "
		 "has 1800 s, a search by phased 600 s, and all others no limit",
		 .flags = OPTION_USUAL),
	OPTION("measurer", "M", SEARCH | SWEEP | SOAK, "xdp", read_measurer,
	       "who performs the trials: xdp (these ports), mpi (ports of several hosts, under mpirun), exec:COMMAND (JSON "
	       "lines on its standard input and output) or sim:MODEL (a simulated SUT, for example "
	       "sim:jitter,capacity=1e6,sigma=0.01,seed=7)",
	       .flags = OPTION_ACTS | OPTION_USUAL, .group = "How frames are sent and received"),
	DURATION("clock-budget", "S", SEARCH | SWEEP | SOAK, NULL, clock_budget_s, 0,
		 "mpi: latency between hosts is told only where their clocks are known to be off by no more than this. "
		 "Default: 1us"),
	CHOICE("tx", "T", FRAMES | CONNECT, "auto", tx, tx_choices, "the transmit backend: auto, xsk (AF_XDP) or live",
	       .flags = OPTION_USUAL),
	NUMBER("queues", "N", FRAMES | CONNECT | LAB_UP, "1", queues, 1, TX_QUEUES_MAX,
	       "transmit queues of each sending port, which share the load, each on a CPU of its own while there are "
	       "enough; of a lab: queues of its links"),
	SWITCH("no-seq", SEARCH | TRIAL | SWEEP | SOAK | SELFTEST, no_seq,
	       "only count frames: duplicates, reordering and gaps are not known, and a duplicate hides a "
	       "loss"),
	SWITCH("no-latency", FRAMES, no_latency, "do not measure latency"),
	SWITCH("ipdv", FRAMES, ipdv,
	       "also measure by how much latency differs from each frame to the next of its flow (IPDV: RFC 5481, 4.1); "
	       "costs the receiver some ns a frame"),
	NUMBER("per-flow", "N", TRIAL, NULL, per_flow, 1, PER_FLOW_MOST,
	       "also count by flow, and show the N worst ones: frames sent, received and lost, their order and "
	       "latency"),
	DURATION("interval", "S", SEARCH | TRIAL | SWEEP | SOAK, NULL, interval_s, INTERVAL_LEAST_S,
		 "also count by intervals of this length, 1ms or more, at most 1000 in a trial: frames sent, "
		 "received and lost of those due in each, and their latency. So a burst of loss shows as one"),
	CHOICE("verify", "WHICH", FRAMES, "auto", verify, verify_choices,
	       "the received frames whose checksums are verified: all, doubts (frames that differ from what is "
	       "expected) or auto (doubts, all of the smallest size, and one in 64 of others). A frame with a "
	       "wrong checksum is not received"),
	CHOICE("timestamps", "T", FRAMES, "auto", timestamps, timestamps_choices,
	       "who tells when a frame arrived, for latency: hardware (the receiving NIC's clock), software (the XDP "
	       "program) or auto (hardware where every receiving port stamps every frame)"),
	CHOICE("departure-delay", "T", FRAMES, "auto", departure_delay, switch_choices,
	       "how long frames take from their departure stamp to the wire, by a sample of them: auto (where the "
	       "transmitting NIC stamps departures of AF_XDP), on (else until the kernel was done with them) or off"),
	CHOICE("launch-time", "T", FRAMES, "auto", launch_time, switch_choices,
	       "frames are handed to the NIC early, and it lets each go when it is due: auto (where the driver has that for "
	       "AF_XDP and the port's queues are set up for it), on or off"),
	OPTION("wait", "a=S,b=S,d=S,e=S", MEASURES, NULL, read_waits,
	       "the waits of RFC 2544 section 23: after a routing update, after learning frames, for residual frames (the "
	       "most, it ends early), to restabilise. Presets set them; csit and trials: a=0,b=0,d=2,e=0",
	       .flags = OPTION_LIST | OPTION_USUAL),
	CHOICE("effective-duration", "E", SEARCH | TRIAL | SWEEP | SOAK | RFC2544, "trial", effective_duration,
	       effective_durations, "what a trial counts for: trial (its duration) or wall (the waits as well)",
	       .flags = OPTION_USUAL),
	OPTION("address", "A,B[,...]", TRAFFIC, "198.18.0.2/24,198.19.0.2/24", read_addresses,
	       "the ports' own IPv4 addresses, with prefix length if it is not 24", .flags = OPTION_USUAL,
	       .group = "Addresses"),
	OPTION("gateway", "A,B[,...]", FRAMES | CONNECT, NULL, read_gateways,
	       "the SUT's IPv4 addresses on the ports' networks. Default: the first address of each network",
	       .flags = OPTION_USUAL),
	OPTION("address6", "A,B[,...]", TRAFFIC, "2001:2:0:1::2/64,2001:2:0:2::2/64", read_addresses,
	       "the ports' own IPv6 addresses, with prefix length if it is not 64"),
	OPTION("gateway6", "A,B[,...]", FRAMES | CONNECT, NULL, read_gateways,
	       "the SUT's IPv6 addresses on the ports' networks. Default: the first address of each network"),
	OPTION("dst-mac", "A,B[,...]", TRAFFIC, NULL, read_macs,
	       "destination MAC of what each port sends. Default: asked from the gateway by ARP, else the other port's",
	       .flags = OPTION_USUAL),
	OPTION("prepare", "LIST", FRAMES | CONNECT, "auto", read_prepare,
	       "what to change on the ports for the run (all of it is restored): none, or a list. auto stands for "
	       "ipv6, merge, pause and irq, and for vlan, queues and timestamps where they are needed; auto,no-pause for "
	       "all of these but pause. Also gro, mtu, channels=N, any-cpu, rss, steer, coalesce=US, rings=N, eee, lldp, "
	       "flags, affinity, wake. latency and throughput stand for the items that serve them, as far as the port has "
	       "these; selftest with auto,try finds out which items help",
	       .flags = OPTION_LIST, .group = "What is done to the ports"),
	TEXT("allow-unsafe", "REASON", FRAMES | CONNECT | LAB_ON, NULL, unsafe_reason,
	     "use a port that is in use; the reason stands in the report", .flags = OPTION_ACTS | OPTION_USUAL),
	OPTION("require", "R", MEASURES, NULL, read_requirement,
	       "a requirement on the result, repeatable; the exit code is 1 if it is not met. Search: "
	       "GOAL>=LOAD (its Conditional Throughput), or with <=, >, <; also GOAL.lower, GOAL.upper, "
	       "GOAL.latency.p99<=100us (or min, mean, p50, p90, p99.9, p99.99, max), GOAL.pdv.p99, "
	       "GOAL.ipdv.p99. Trial: loss<=0.1%, lost, reordered, latency.p99, ... Soak: critical-load. "
	       "Suite: throughput>=LOAD, of every frame size or throughput@64, latency, back-to-back, "
	       "recovery, reset. All: unchanged, and unchanged-dscp and so on, of headers in all trials",
	       .flags = OPTION_REPEATS | OPTION_USUAL, .group = "Judging the result"),
	NUMBER("repeat", "N", SEARCH, "1", repeats, 1, REPEATS_MOST,
	       "make so many searches, one after another. The result is that of the search with the median "
	       "Conditional Throughput of the first goal, with all searches, their mean and standard deviation",
	       .flags = OPTION_USUAL | OPTION_OF_SEARCH),
	RATIO("tolerance", "RATIO", COMPARE | MERGES | REPORT, "1%", tolerance_ratio,
	      "ignore a change of the throughput up to this ratio"),
	RATIO("significance", "P", COMPARE | MERGES | REPORT, "0.01", significance_ratio,
	      "report a change only if chance would cause it with a smaller probability"),
	RATIO("spread", "RATIO", COMPARE | MERGES | REPORT, NULL, spread_ratio,
	      "the standard deviation between searches of an unchanged SUT, as a part of their mean, where earlier repeats "
	      "have shown it: with it single searches show smaller changes"),
	NUMBER("count", "N", 1u << VERB_PROFILE_SHOW, "1", show_count, 1, 10000,
	       "how many of the first frames of each port to show", .group = "What to show, or to set up"),
	TEXT("sut", "KIND[:K=V,...]", LAB_UP | LAB_ON, "router", sut,
	     "what to put between the ports: router, bridge, xdp (redirect), policer:rate=FPS,burst=100us (exactly that "
	     "throughput; depth=N says the burst as a number of frames that wait, clock=wall judges frames by their arrival "
	     "instead of their tag; with vlan=VID or priority=N of those frames only), stretch:critical=FPS,spread=FPS "
	     "(random loss that grows with the load), delay:us=N (holds each frame that long), wire (nothing) or "
	     "exec:COMMAND (a command of yours, which forwards between the links sut-a and sut-b of the lab's namespace)",
	     .flags = OPTION_ACTS | OPTION_USUAL),
	TEXT("name", "NAME", LAB, "lab", lab_name,
	     "the lab's name, so that several can be up; its ports are NAME-a and NAME-b", .flags = OPTION_USUAL),
	TEXT("trust", "FILE", VERIFY, NULL, trust_path,
	     "public keys (PEM): refuse a document that is not signed by one of them",
	     .flags = OPTION_ACTS | OPTION_READS | OPTION_USUAL),
	TEXT("vectors", "COMMAND", VERIFY, NULL, vectors_command,
	     "the files are conformance vectors: ask them of this command, another implementation of MLRsearch, in JSON "
	     "lines, and show what it answers wrong",
	     .flags = OPTION_ACTS | OPTION_USUAL),
	SWITCH("answer", VERIFY, answers_vectors,
	       "the files are the questions of --vectors: answer them, '-' is standard input", .flags = OPTION_USUAL),
	TEXT("sign", "FILE", MEASURES, NULL, sign_path,
	     "sign the result, and the events before it, by this private key: Ed25519, PEM of PKCS#8. `verify` says who "
	     "signed",
	     .flags = OPTION_ACTS | OPTION_READS),
	OPTION("sut-name", "TEXT", MEASURES, NULL, NULL, "what the SUT is, for the report", .group = "The report"),
	OPTION("sut-config", "FILE", MEASURES, NULL, NULL, "embed the SUT's default configuration in the result, repeatable",
	       .flags = OPTION_REPEATS | OPTION_ACTS | OPTION_READS),
	OPTION("sut-config-command", "COMMAND", MEASURES, NULL, NULL,
	       "embed what a shell command prints before the measurement, as the SUT's configuration; for "
	       "example 'ssh dut show running-config'",
	       .flags = OPTION_REPEATS | OPTION_ACTS),
	OPTION("sut-change", "TEXT", MEASURES, NULL, NULL,
	       "what was changed from the default configuration for this test, repeatable", .flags = OPTION_REPEATS),
	OPTION("sut-note", "TEXT", MEASURES, NULL, NULL, "anything else that the report should say of the SUT, repeatable",
	       .flags = OPTION_REPEATS),
	OPTION("operator", "TEXT", MEASURES, NULL, read_word, "who performs the test, for report and certificate"),
	OPTION("customer", "TEXT", MEASURES, NULL, read_word, "for whom the test is performed, for report and certificate"),
	OPTION("site", "TEXT", MEASURES, NULL, read_word, "where the test is performed, for report and certificate"),
	OPTION("serial", "TEXT", MEASURES, NULL, read_word, "a serial number of the SUT, repeatable",
	       .flags = OPTION_REPEATS),
	OPTION("note", "TEXT", FRAMES, NULL, NULL,
	       "anything that the result should say of this run, repeatable; it stands in `notes` and in every rendering",
	       .flags = OPTION_REPEATS | OPTION_OUTPUT),
	OPTION("report", "FILE", MEASURES | SELFTEST | COMPARE | REPORT | MERGES, NULL, read_report_path,
	       "write the Test Report to FILE, repeatable; the ending chooses: " DOCUMENT_ENDINGS,
	       .flags = OPTION_REPEATS | OPTION_OUTPUT | OPTION_ACTS | OPTION_USUAL | OPTION_WRITES),
	OPTION("junit", "FILE", MEASURES | SELFTEST | COMPARE | REPORT, NULL, read_junit_path,
	       "write what CI reads to FILE, JUnit XML: each requirement, goal, test of a suite or verdict of a comparison "
	       "as a test case",
	       .flags = OPTION_REPEATS | OPTION_OUTPUT | OPTION_ACTS | OPTION_USUAL | OPTION_WRITES),
	OPTION("certificate", "FILE", MEASURES | REPORT, NULL, read_certificate_path,
	       "write a certificate to FILE, one printed page (A4) with a block for signatures, repeatable; the ending "
	       "chooses: .html, or .pdf by the program weasyprint",
	       .flags = OPTION_REPEATS | OPTION_OUTPUT | OPTION_ACTS | OPTION_USUAL | OPTION_WRITES),
	TEXT("logo", "FILE", MEASURES | REPORT, NULL, logo_path,
	     "the logo on the certificate, a PNG or SVG of at most 256 KiB",
	     .flags = OPTION_OUTPUT | OPTION_ACTS | OPTION_READS),
	OPTION("observe", "NAME=SOURCE", MEASURES, NULL, read_observed,
	       "sample counters of the SUT before, within and after each trial, repeatable, to say where it lost frames. "
	       "The "
	       "source is " OBSERVED_SOURCES,
	       .flags = OPTION_REPEATS | OPTION_ACTS | OPTION_USUAL),
	DURATION("idle-duration", "S", SEARCH | TRIAL | SWEEP, NULL, idle_duration_s, POSITIVE,
		 "first observe the SUT without load for this time. Where a source has a meter of power, the "
		 "report then also has the energy above that without load"),
	TEXT("capture-lost", "FILE", TRIAL, NULL, lost_path,
	     "write to FILE, as CSV, which frames did not come back: port, flow, sequence number in it, when it was due. As "
	     "far back as the receiver remembers the numbers of a flow",
	     .flags = OPTION_OUTPUT | OPTION_ACTS | OPTION_WRITES),
	TEXT("capture-foreign", "FILE", TRIAL, NULL, foreign_path,
	     "write to FILE, as pcapng, the first frames that came to the ports in the trial and were foreign or damaged, "
	     "each with its time, port and why it was not counted as received",
	     .flags = OPTION_OUTPUT | OPTION_ACTS | OPTION_WRITES),
	NUMBER("capture-count", "N", TRIAL, "1000", capture_count, 1, 1000000,
	       "how many frames --capture-lost or --capture-foreign writes at most; of foreign frames each "
	       "port keeps as many, up to 100000",
	       .flags = OPTION_OUTPUT),
	TEXT("metrics", "FILE", FRAMES, NULL, metrics_path,
	     "keep FILE up to date with how the run goes, as OpenMetrics text, for the textfile collector of node_exporter "
	     "(there it must end in .prom)",
	     .flags = OPTION_OUTPUT | OPTION_ACTS | OPTION_WRITES),
	CHOICE("format", "F", ALL, "text", format, formats,
	       "standard output: text, json (one document) or jsonl (an event a line, the document last)",
	       .flags = OPTION_OUTPUT | OPTION_USUAL),
	OPTION("config", "FILE", ALL, NULL, NULL,
	       "read options from a YAML file (keys are these names), or those that a JSON result echoes; the command line "
	       "wins",
	       .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT | OPTION_USUAL, .group = "The run"),
	OPTION("run", "NAME", FRAMES | CONNECT | PROBE, NULL, NULL,
	       "take this run of the file's schedule for the appliance, by name or number: its options win "
	       "over those of the file",
	       .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT),
	SWITCH("dump-config", ALL, dump_config,
	       "print the configuration in force, as YAML for --config, and do nothing else",
	       .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT),
	OPTION("only", "PATTERN", TAKES_UP, NULL, NULL,
	       "only the points whose names match, repeatable: a name as 'campaign status' shows it, or with * and ? as the "
	       "shell has them, for example 'frame-size=64,*'",
	       .flags = OPTION_REPEATS | OPTION_COMMAND_LINE | OPTION_OUTPUT),
	SWITCH("retry-failed", TAKES_UP, retry_failed, "also the points that have failed, from their beginning",
	       .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT),
	CHOICE("engine", "E", 1u << VERB_CAMPAIGN_SUBMIT, "slurm", engine, engines, "the batch system: slurm"),
	SWITCH("dry-run", FRAMES | TAKES_UP, dry_run,
	       "print the plan, the options in force and the time it will take; send nothing. Of a campaign: the points, or "
	       "the job scripts",
	       .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT | OPTION_USUAL),
	SWITCH("quiet", ALL, quiet, "no progress and no notes on standard error", .letter = 'q',
	       .flags = OPTION_OUTPUT | OPTION_USUAL),
	OPTION("help", NULL, ALL, NULL, NULL, "show this; --help=all: every option", .letter = 'h',
	       .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT | OPTION_USUAL),
	OPTION("version", NULL, ALL, NULL, NULL, "show the version", .letter = 'V',
	       .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT),
};
const size_t option_count = COUNT(options);

/* --- looking up ----------------------------------------------------------------------------------------------------- */

const char *algorithm_name(enum algorithm algorithm)
{
	return algorithms[algorithm];
}

const char *direction_name(enum direction direction)
{
	return directions[direction];
}

const char *option_fallback(const struct option *option, enum verb verb)
{
	/* the verbs with a default of their own */
	static const struct {
		unsigned int verbs;
		const char *name, *text;
	} own[] = {
		{ SOAK, "max-time", "1800" },   { Y1564, "duration", "900" },
		{ CONNECT, "duration", "3" },   { CONNECT, "direction", "both" },
		{ Y1564, "frame-size", "512" }, { RFC2544 | SELFTEST, "frame-size", RFC2544_FRAME_SIZES },
	};

	for (size_t i = 0; i < COUNT(own); i++)
		if (own[i].verbs >> verb & 1 && strcmp(own[i].name, option->name) == 0)
			return own[i].text;
	return option->fallback;
}

bool option_belongs(const struct option *option, enum verb verb)
{
	return option->verbs >> verb & 1;
}

bool option_acts(const struct option *option, const char *text)
{
	return option->flags & OPTION_ACTS && (option->read != read_measurer || strncmp(text, EXEC, strlen(EXEC)) == 0);
}

const struct option *option_find(const char *name)
{
	return row_with(options, option_count, name, name);
}

const char *option_verbs(const struct option *option, char buffer[VERBS_SIZE])
{
	size_t length = 0;

	buffer[0] = '\0';
	for (enum verb verb = 0; verb < VERB_COUNT && length < VERBS_SIZE; verb++)
		if (option_belongs(option, verb))
			length += (size_t)snprintf(buffer + length, VERBS_SIZE - length, "%s%s", length ? ", " : "",
						   verb_name(verb));
	return buffer;
}

const char *option_hint(const char *name, enum verb verb, const char *dashes, char buffer[HINT_SIZE])
{
	const char *names[COUNT(options)];
	const char *best;

	for (size_t i = 0; i < option_count; i++)
		names[i] = option_belongs(&options[i], verb) ? options[i].name : NULL;
	best = nearest(name, names, option_count);
	buffer[0] = '\0';
	if (best)
		snprintf(buffer, HINT_SIZE, ", did you mean '%s%s'?", dashes, best);
	return buffer;
}
