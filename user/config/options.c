/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/units.h"
#include "config/options_read.h"
#include "config/requirement.h"
#include "mlr/controller.h"
#include "mlr/profile.h"

#define COUNT(array)  (sizeof(array) / sizeof((array)[0]))
#define FIELD(member) offsetof(struct config, member)

#define LOAD_MOST_FPS 1e12 /* as DURATION_MOST_S */
#define POSITIVE      1e-9

#define SEARCH   (1u << VERB_SEARCH)
#define TRIAL    (1u << VERB_TRIAL)
#define SOAK     (1u << VERB_SOAK)
#define SELFTEST (1u << VERB_SELFTEST)
#define RFC2544  (1u << VERB_RFC2544)
#define FRAMES   (SEARCH | TRIAL | SOAK | RFC2544 | SELFTEST) /* verbs that send frames over ports */
#define MEASURES (SEARCH | TRIAL | SOAK | RFC2544)            /* verbs that end with a Test Report */
#define PROBE    (1u << VERB_PROBE)
#define TRAFFIC  (FRAMES | 1u << VERB_PROFILE_SHOW) /* verbs that make frames, or show them */
#define LAB_UP   (1u << VERB_LAB_UP)
#define LAB_ON   (1u << VERB_LAB_ON)
#define LAB      (LAB_UP | 1u << VERB_LAB_DOWN | 1u << VERB_LAB_STATUS)
#define COMPARE  (1u << VERB_COMPARE)
#define REPORT   (1u << VERB_REPORT)
#define TAKES_UP (1u << VERB_CAMPAIGN_RUN | 1u << VERB_CAMPAIGN_SUBMIT) /* verbs that take up points of a campaign */
#define MERGES   (1u << VERB_CAMPAIGN_REPORT)
#define CAMPAIGN (TAKES_UP | 1u << VERB_CAMPAIGN_STATUS | MERGES)
#define ALL      (TRAFFIC | PROBE | LAB | LAB_ON | 1u << VERB_CLEAN | COMPARE | REPORT | CAMPAIGN)

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

/* "a, b or c" */
static const char *join_words(const char *const *words, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; words[i] && used < size; i++) {
		const char *joint = i == 0 ? "" : words[i + 1] ? ", " : " or ";

		used += (size_t)snprintf(buffer + used, size - used, "%s%s", joint, words[i]);
	}
	return buffer;
}

static enum exit_code read_choice(const struct given *given, struct config *config)
{
	const struct option *option = given->option;
	char allowed[128], hint[64];
	size_t i;

	for (i = 0; option->choices[i]; i++) {
		if (strcmp(option->choices[i], given->text) == 0) {
			*(unsigned int *)field_of(given, config) = (unsigned int)i;
			return EXIT_DONE;
		}
	}
	join_words(option->choices, allowed, sizeof(allowed));
	return refuse_given(given, "must be %s%s", allowed,
			    nearest_hint(given->text, option->choices, i, hint, sizeof(hint)));
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
	double count;

	if (!parse_number(given->text, &count) || count < option->least || count > option->most ||
	    count != (unsigned int)count)
		return refuse_given(given, "must be a whole number from %.10g to %.10g", option->least, option->most);
	*(unsigned int *)field_of(given, config) = (unsigned int)count;
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
		return refuse_given(given, "not a load; write it as %s", LOAD_FORMS);
	if (load.unit == LOAD_MAX && given->option->offset != FIELD(load))
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
		{ "exec:", MEASURER_EXEC, "a command after 'exec:'" },
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

static enum exit_code read_report_path(const struct given *given, struct config *config)
{
	if (!document_form(given->text, &config->report_form))
		return refuse_given(given, "the ending chooses the form of the report: " DOCUMENT_ENDINGS);
	return read_text(given, config);
}

/* --- the table ------------------------------------------------------------------------------------------------------ */

static const char *const directions[] = { "a-to-b", "b-to-a", "both", "mesh", NULL };
static const char *const tx_choices[] = { "auto", "xsk", "live", NULL };
static const char *const switch_choices[] = { "auto", "on", "off", NULL };
static const char *const timestamps_choices[] = { "auto", "software", "hardware", NULL };
static const char *const ip_choices[] = { "4", "6", "mixed", NULL };
static const char *const vlan_outers[] = { "802.1ad", "802.1Q", NULL };
static const char *const flow_orders[] = { "incrementing", "random", NULL };
static const char *const formats[] = { "text", "json", "jsonl", NULL };
static const char *const algorithms[] = { "mlr", "phased", "binary", "tst009", NULL };
static const char *const effective_durations[] = { "trial", "wall", NULL };
static const char *const engines[] = { "slurm", NULL };

const struct option options[] = {
	{ .name = "ports",
	  .letter = 'p',
	  .argument = "A,B[,...]",
	  .verbs = TRAFFIC | PROBE | LAB_ON,
	  .read = read_ports,
	  .help = "the tester's ports, by interface name: two, or the pairs A,B,C,D up to 8; probe takes any number, and "
		  "without it looks at all; with --measurer mpi HOST:PORT, or HOST:PORT:transmit and HOST:PORT:receive" },
	{ .name = "direction",
	  .argument = "D",
	  .verbs = TRAFFIC,
	  .fallback = "a-to-b",
	  .read = read_choice,
	  .offset = FIELD(direction),
	  .choices = directions,
	  .help = "a-to-b, b-to-a or both, in each pair of ports; or mesh: every port to all others (RFC 2285). A load "
		  "is that of each port that sends" },
	{ .name = "frame-size",
	  .argument = "SIZE",
	  .verbs = TRAFFIC,
	  .fallback = "64",
	  .read = read_frame_sizes,
	  .help = "octets of a frame, FCS included, 64 to 9216; or a mix: imix (7:64,4:594,1:1518), imix:csit, "
		  "imix:WEIGHT:SIZE,... or an RFC 6985 genome, as genome:aaabz,z=1518; of a "
		  "suite (rfc2544, selftest) a list, default the sizes of RFC 2544" },
	{ .name = "ip",
	  .argument = "V",
	  .verbs = TRAFFIC,
	  .fallback = "4",
	  .read = read_choice,
	  .offset = FIELD(ip),
	  .choices = ip_choices,
	  .help = "the IP version: 4, 6 or mixed (flows alternate)" },
	{ .name = "vlan",
	  .argument = "VID[:PRIO],...",
	  .verbs = TRAFFIC,
	  .flags = OPTION_LIST,
	  .read = read_vlans,
	  .help = "send VLAN tags: one (802.1Q) or two (QinQ, the outer one first), each with a priority if it is not 0" },
	{ .name = "vlan-outer",
	  .argument = "TYPE",
	  .verbs = TRAFFIC,
	  .fallback = "802.1ad",
	  .read = read_choice,
	  .offset = FIELD(vlan_outer),
	  .choices = vlan_outers,
	  .help = "the outer of two VLAN tags: 802.1ad (0x88a8) or 802.1Q (0x8100)" },
	{ .name = "flows",
	  .argument = "N",
	  .verbs = TRAFFIC,
	  .read = read_count,
	  .offset = FIELD(flow_count),
	  .least = 1,
	  .most = MLR_FLOWS_MAX,
	  .help = "flows of each transmitting port, 1 to 1000000. Default: as many as --vary makes, else 1" },
	{ .name = "vary",
	  .argument = "FIELD=COUNT[:STEP],...",
	  .verbs = TRAFFIC,
	  .flags = OPTION_LIST,
	  .read = read_vary,
	  .help = "what differs from flow to flow: src-address, dst-address, src-port, dst-port. Default: the UDP ports, in "
		  "the ranges of RFC 4814" },
	{ .name = "flow-order",
	  .argument = "O",
	  .verbs = TRAFFIC,
	  .fallback = "incrementing",
	  .read = read_choice,
	  .offset = FIELD(flow_order),
	  .choices = flow_orders,
	  .help = "which combinations of the varied fields flows are, and in which order: incrementing or random" },
	{ .name = "seed",
	  .argument = "N",
	  .verbs = TRAFFIC,
	  .fallback = "1",
	  .read = read_count,
	  .offset = FIELD(seed),
	  .most = UINT32_MAX,
	  .help = "chooses the order of random flows" },
	{ .name = "modifier",
	  .argument = "M=V,...",
	  .verbs = TRAFFIC,
	  .flags = OPTION_LIST,
	  .read = read_modifiers,
	  .help = "traffic beside the load (RFC 2544, section 11): broadcast=1% of the frames, management=1/s SNMP "
		  "queries to the SUT" },
	{ .name = "template",
	  .argument = "FILE",
	  .verbs = TRAFFIC,
	  .read = read_text,
	  .offset = FIELD(template_path),
	  .help = "make frames like the first one of a pcap or pcapng file: its VLAN tags, IP header fields, UDP ports and "
		  "payload" },
	{ .name = "learning-frames",
	  .argument = "N",
	  .verbs = FRAMES,
	  .fallback = "0",
	  .read = read_count,
	  .offset = FIELD(learning_frames),
	  .most = 1000000,
	  .help = "ARP or neighbour discovery frames that each port sends before every trial (phase b of RFC 2544 section "
		  "23)" },
	{ .name = "load",
	  .argument = "L",
	  .verbs = TRIAL,
	  .read = read_load,
	  .offset = FIELD(load),
	  .most = LOAD_MOST_FPS,
	  .help = "frames/s: " LOAD_FORMS " of the line rate; or max, as fast as the tester can" },
	{ .name = "duration",
	  .argument = "S",
	  .verbs = TRIAL | SELFTEST,
	  .fallback = "1s",
	  .read = read_duration,
	  .offset = FIELD(duration_s),
	  .least = POSITIVE,
	  .most = DURATION_MOST_S,
	  .help = "how long to send: " DURATION_FORMS
		  "; of a self-test: each trial that confirms, the search has shorter ones" },
	{ .name = "preset",
	  .argument = "P",
	  .verbs = SEARCH,
	  .fallback = "csit",
	  .read = read_preset,
	  .help = "goals and waits: csit (NDR and PDR as FD.io CSIT measures them), rfc2544 or tst009" },
	{ .name = "goal",
	  .argument = "K=V,...",
	  .verbs = SEARCH,
	  .flags = OPTION_REPEATS,
	  .read = read_goal,
	  .help = "a Search Goal, repeatable, instead of the preset's. Keys: name, loss (0), exceed (0.5), final (1), "
		  "initial (= final), sum (= final), width (0.5%); durations in seconds, ratios as numbers or with %" },
	{ .name = "tests",
	  .argument = "T,...",
	  .verbs = RFC2544,
	  .flags = OPTION_LIST,
	  .read = read_tests,
	  .help = "which tests: throughput, latency, frame-loss, back-to-back, recovery, reset. Default: all, the "
		  "reset only with a --reset-command" },
	{ .name = "fast",
	  .verbs = RFC2544,
	  .fallback = "false",
	  .read = read_fast,
	  .offset = FIELD(fast),
	  .help = "shorter and fewer trials than the RFC says, without its waits; each deviation is listed" },
	{ .name = "trial-duration",
	  .argument = "S",
	  .verbs = RFC2544,
	  .read = read_duration,
	  .offset = FIELD(rfc2544.trial_duration_s),
	  .least = POSITIVE,
	  .most = DURATION_MOST_S,
	  .help = "trials of throughput (the longest) and frame loss rate; 60 s by the RFC, 1 s with --fast" },
	{ .name = "latency-repeats",
	  .argument = "N",
	  .verbs = RFC2544,
	  .read = read_count,
	  .offset = FIELD(rfc2544.latency_repeats),
	  .least = 1,
	  .most = 10000,
	  .help = "how often latency is measured; 20 by the RFC, 3 with --fast" },
	{ .name = "latency-duration",
	  .argument = "S",
	  .verbs = RFC2544,
	  .read = read_duration,
	  .offset = FIELD(rfc2544.latency_duration_s),
	  .least = POSITIVE,
	  .most = DURATION_MOST_S,
	  .help = "for how long; 120 s by the RFC, 2 s with --fast" },
	{ .name = "loss-step",
	  .argument = "R",
	  .verbs = RFC2544,
	  .read = read_loss_step,
	  .help = "how far apart the loads of the frame loss rate are, a ratio of the maximum rate, at most 10%" },
	{ .name = "burst-tests",
	  .argument = "N",
	  .verbs = RFC2544,
	  .read = read_count,
	  .offset = FIELD(rfc2544.burst_tests),
	  .least = 1,
	  .most = 10000,
	  .help = "how often the longest burst is searched (N of RFC 9004); 50 by the RFC, 5 with --fast" },
	{ .name = "recovery-repeats",
	  .argument = "N",
	  .verbs = RFC2544,
	  .read = read_count,
	  .offset = FIELD(rfc2544.recovery_repeats),
	  .least = 1,
	  .most = 10000,
	  .help = "how often system recovery is measured; 3, with --fast 1" },
	{ .name = "overload-duration",
	  .argument = "S",
	  .verbs = RFC2544,
	  .read = read_duration,
	  .offset = FIELD(rfc2544.overload_duration_s),
	  .least = POSITIVE,
	  .most = DURATION_MOST_S,
	  .help = "how long the overload before a recovery is; 60 s by the RFC, 5 s with --fast" },
	{ .name = "reset-command",
	  .argument = "COMMAND",
	  .verbs = RFC2544,
	  .read = read_text,
	  .offset = FIELD(reset_command),
	  .help = "resets the SUT, by /bin/sh, while frames are sent. Without it the operator is told to" },
	{ .name = "reset-duration",
	  .argument = "S",
	  .verbs = RFC2544,
	  .read = read_duration,
	  .offset = FIELD(rfc2544.reset_duration_s),
	  .least = POSITIVE,
	  .most = DURATION_MOST_S,
	  .help = "for how long frames are sent around a reset: longer than it takes; 120 s, with --fast 10 s" },
	{ .name = "min-load",
	  .argument = "L",
	  .verbs = SEARCH | SOAK | RFC2544,
	  .fallback = "9001",
	  .read = read_load,
	  .offset = FIELD(min_load),
	  .most = LOAD_MOST_FPS,
	  .help = "Min Load of the search, as --load" },
	{ .name = "max-load",
	  .argument = "L",
	  .verbs = SEARCH | SOAK | RFC2544,
	  .read = read_load,
	  .offset = FIELD(max_load),
	  .most = LOAD_MOST_FPS,
	  .help = "Max Load of the search, as --load. Default: what a fresh self-test of these ports found, else the line "
		  "rate, else a short calibration; exec and sim "
		  "need it" },
	{ .name = "algorithm",
	  .argument = "A",
	  .verbs = SEARCH,
	  .fallback = "mlr",
	  .read = read_choice,
	  .offset = FIELD(algorithm),
	  .choices = algorithms,
	  .help = "the search algorithm: mlr (draft-15), phased (the MLRsearch of 2021), binary (RFC 2544) or tst009 (with "
		  "loss verification)" },
	{ .name = "max-r",
	  .argument = "N",
	  .verbs = SEARCH,
	  .read = read_count,
	  .offset = FIELD(max_r),
	  .least = 1,
	  .most = MLR_TST009_MAX_R,
	  .help = "tst009: high-loss trials before a load has failed; sets Goal Exceed Ratio and Duration Sum to match. "
		  "Default: 2, with the goals as they are" },
	{ .name = "target-loss-ratio",
	  .argument = "R",
	  .verbs = SOAK,
	  .fallback = "1e-7",
	  .read = read_ratio,
	  .offset = FIELD(target_loss_ratio),
	  .help = "the loss ratio to look for, above 0 and below 1" },
	{ .name = "stdev",
	  .argument = "RATIO",
	  .verbs = SOAK,
	  .read = read_ratio,
	  .offset = FIELD(stdev_ratio),
	  .help = "end once the standard deviation of the estimate is at most this ratio of its mean" },
	{ .name = "first-duration",
	  .argument = "S",
	  .verbs = SOAK,
	  .fallback = "5.1",
	  .read = read_duration,
	  .offset = FIELD(first_duration_s),
	  .least = POSITIVE,
	  .most = DURATION_MOST_S,
	  .help = "how long the first trial is" },
	{ .name = "duration-step",
	  .argument = "S",
	  .verbs = SOAK,
	  .fallback = "0.1",
	  .read = read_duration,
	  .offset = FIELD(duration_step_s),
	  .least = 0,
	  .most = DURATION_MOST_S,
	  .help = "how much longer each further trial is" },
	{ .name = "explain",
	  .verbs = SEARCH | REPORT,
	  .flags = OPTION_OUTPUT,
	  .read = read_switch,
	  .offset = FIELD(explain),
	  .help = "also show each trial and why it was chosen" },
	{ .name = "resume",
	  .argument = "FILE",
	  .verbs = SEARCH,
	  .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT,
	  .help = "go on with an interrupted search, from its JSON result or its event stream, with its options" },
	{ .name = "replay",
	  .argument = "FILE",
	  .verbs = SEARCH,
	  .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT,
	  .help = "ask the controller again what a stored search asked, and measure nothing" },
	{ .name = "max-time",
	  .argument = "S",
	  .verbs = SEARCH | SOAK | RFC2544,
	  .read = read_duration,
	  .offset = FIELD(max_time_s),
	  .least = POSITIVE,
	  .most = DURATION_MOST_S,
	  .help = "end after this time with what there is: a search is then irregular, a soak is done (default 1800)" },
	{ .name = "measurer",
	  .argument = "M",
	  .verbs = SEARCH | SOAK,
	  .fallback = "xdp",
	  .read = read_measurer,
	  .help = "who performs the trials: xdp (these ports), mpi (ports of several hosts, under mpirun), exec:COMMAND "
		  "(JSON lines on its standard input and output) or sim:MODEL (a simulated SUT, for example "
		  "sim:jitter,capacity=1e6,sigma=0.01,seed=7)" },
	{ .name = "clock-budget",
	  .argument = "S",
	  .verbs = SEARCH | SOAK,
	  .read = read_duration,
	  .offset = FIELD(clock_budget_s),
	  .least = 0,
	  .most = DURATION_MOST_S,
	  .help = "mpi: latency between hosts is told only where their clocks are known to be off by no more than this. "
		  "Default: 1us" },
	{ .name = "tx",
	  .argument = "T",
	  .verbs = FRAMES,
	  .fallback = "auto",
	  .read = read_choice,
	  .offset = FIELD(tx),
	  .choices = tx_choices,
	  .help = "the transmit backend: auto, xsk (AF_XDP) or live" },
	{ .name = "queues",
	  .argument = "N",
	  .verbs = FRAMES | LAB_UP,
	  .fallback = "1",
	  .read = read_count,
	  .offset = FIELD(queues),
	  .least = 1,
	  .most = TX_QUEUES_MAX,
	  .help = "transmit queues of each sending port, which share the load, each on a CPU of its own while there are "
		  "enough; of a lab: queues of its links" },
	{ .name = "no-seq",
	  .verbs = SEARCH | TRIAL | SOAK | SELFTEST,
	  .read = read_switch,
	  .offset = FIELD(no_seq),
	  .help = "only count what arrives: duplicates, reordering and gaps are not told, and a duplicate hides a loss" },
	{ .name = "no-latency",
	  .verbs = FRAMES,
	  .read = read_switch,
	  .offset = FIELD(no_latency),
	  .help = "do not measure latency" },
	{ .name = "timestamps",
	  .argument = "T",
	  .verbs = FRAMES,
	  .fallback = "auto",
	  .read = read_choice,
	  .offset = FIELD(timestamps),
	  .choices = timestamps_choices,
	  .help = "who tells when a frame arrived, for latency: hardware (the receiving NIC's clock), software (the XDP "
		  "program) or auto (hardware where every receiving port stamps every frame)" },
	{ .name = "departure-delay",
	  .argument = "T",
	  .verbs = FRAMES,
	  .fallback = "auto",
	  .read = read_choice,
	  .offset = FIELD(departure_delay),
	  .choices = switch_choices,
	  .help = "how long frames take from their departure stamp to the wire, by a sample of them: auto (where the "
		  "transmitting NIC stamps departures of AF_XDP), on (else until the kernel was done with them) or off" },
	{ .name = "launch-time",
	  .argument = "T",
	  .verbs = FRAMES,
	  .fallback = "auto",
	  .read = read_choice,
	  .offset = FIELD(launch_time),
	  .choices = switch_choices,
	  .help = "frames are handed to the NIC early, and it lets each go when it is due: auto (where the driver has "
		  "that for AF_XDP and the port's queues are set up for it), on or off" },
	{ .name = "wait",
	  .argument = "a=S,b=S,d=S,e=S",
	  .verbs = SEARCH | TRIAL | SOAK | RFC2544,
	  .flags = OPTION_LIST,
	  .read = read_waits,
	  .help = "the waits of RFC 2544 section 23: after a routing update, after learning frames, for residual "
		  "frames (the most, it ends early), to restabilise. Presets set them; csit and trials: "
		  "a=0,b=0,d=2,e=0" },
	{ .name = "effective-duration",
	  .argument = "E",
	  .verbs = SEARCH | TRIAL | SOAK | RFC2544,
	  .fallback = "trial",
	  .read = read_choice,
	  .offset = FIELD(effective_duration),
	  .choices = effective_durations,
	  .help = "what a trial counts for: trial (its duration) or wall (the waits as well)" },
	{ .name = "address",
	  .argument = "A,B[,...]",
	  .verbs = TRAFFIC,
	  .fallback = "198.18.0.2/24,198.19.0.2/24",
	  .read = read_addresses,
	  .help = "the ports' own IPv4 addresses, with prefix length if it is not 24" },
	{ .name = "gateway",
	  .argument = "A,B[,...]",
	  .verbs = FRAMES,
	  .read = read_gateways,
	  .help = "the SUT's IPv4 addresses on the ports' networks. Default: the first address of each network" },
	{ .name = "address6",
	  .argument = "A,B[,...]",
	  .verbs = TRAFFIC,
	  .fallback = "2001:2:0:1::2/64,2001:2:0:2::2/64",
	  .read = read_addresses6,
	  .help = "the ports' own IPv6 addresses, with prefix length if it is not 64" },
	{ .name = "gateway6",
	  .argument = "A,B[,...]",
	  .verbs = FRAMES,
	  .read = read_gateways6,
	  .help = "the SUT's IPv6 addresses on the ports' networks. Default: the first address of each network" },
	{ .name = "dst-mac",
	  .argument = "A,B[,...]",
	  .verbs = TRAFFIC,
	  .read = read_macs,
	  .help = "destination MAC of what each port sends. Default: asked from the gateway by ARP, else the other port's" },
	{ .name = "prepare",
	  .argument = "LIST",
	  .verbs = FRAMES,
	  .flags = OPTION_LIST,
	  .fallback = "auto",
	  .read = read_prepare,
	  .help = "what to change on the ports meanwhile: none, or a list of auto, ipv6, merge, pause, irq, vlan, "
		  "queues, timestamps, gro, mtu, channels=N, rss, steer; auto is the first four, and the next three "
		  "where they are needed, auto,no-pause all of those but one; everything is restored" },
	{ .name = "allow-unsafe",
	  .argument = "REASON",
	  .verbs = FRAMES | LAB_ON,
	  .read = read_text,
	  .offset = FIELD(unsafe_reason),
	  .help = "use a port that is in use; the reason stands in the report" },
	{ .name = "require",
	  .argument = "R",
	  .verbs = MEASURES,
	  .flags = OPTION_REPEATS,
	  .read = read_requirement,
	  .help = "what the result must keep to, repeatable; else the exit code is 1. Search: GOAL>=LOAD (its Conditional "
		  "Throughput), or with <=, >, <; also GOAL.lower, GOAL.upper, GOAL.latency.p99<=100us (or min, mean, p50, "
		  "p90, p99.9, p99.99, max). Trial: loss<=0.1%, lost, reordered, latency.p99, ... Soak: critical-load. "
		  "Suite: throughput>=LOAD, of every "
		  "frame size or throughput@64, latency, back-to-back, recovery, reset" },
	{ .name = "repeat",
	  .argument = "N",
	  .verbs = SEARCH,
	  .fallback = "1",
	  .read = read_count,
	  .offset = FIELD(repeats),
	  .least = 1,
	  .most = REPEATS_MOST,
	  .help = "so many searches, one after another: mean, standard deviation and each; the result proper is that of the "
		  "search with the median Conditional Throughput of the first goal" },
	{ .name = "tolerance",
	  .argument = "RATIO",
	  .verbs = COMPARE | MERGES,
	  .fallback = "1%",
	  .read = read_ratio,
	  .offset = FIELD(tolerance_ratio),
	  .help = "a change of the throughput up to this ratio is none" },
	{ .name = "significance",
	  .argument = "P",
	  .verbs = COMPARE | MERGES,
	  .fallback = "0.01",
	  .read = read_ratio,
	  .offset = FIELD(significance_ratio),
	  .help = "where both results have repeats: how likely a change may be chance and still be reported" },
	{ .name = "count",
	  .argument = "N",
	  .verbs = 1u << VERB_PROFILE_SHOW,
	  .fallback = "1",
	  .read = read_count,
	  .offset = FIELD(show_count),
	  .least = 1,
	  .most = 10000,
	  .help = "how many of the first frames of each port to show" },
	{ .name = "sut",
	  .argument = "KIND[:K=V,...]",
	  .verbs = LAB_UP | LAB_ON,
	  .fallback = "router",
	  .read = read_text,
	  .offset = FIELD(sut),
	  .help = "what to put between the ports: router, bridge, xdp (redirect), "
		  "policer:rate=FPS,burst=100us (exactly that throughput), stretch:critical=FPS,spread=FPS (random "
		  "loss that grows with the load), delay:us=N (holds each frame that long) or wire (nothing)" },
	{ .name = "name",
	  .argument = "NAME",
	  .verbs = LAB,
	  .fallback = "lab",
	  .read = read_text,
	  .offset = FIELD(lab_name),
	  .help = "the lab's name, so that several can be up; its ports are NAME-a and NAME-b" },
	{ .name = "sut-name", .argument = "TEXT", .verbs = MEASURES, .help = "what the SUT is, for the report" },
	{ .name = "sut-config",
	  .argument = "FILE",
	  .verbs = MEASURES,
	  .flags = OPTION_REPEATS,
	  .help = "embed the SUT's default configuration in the result, repeatable" },
	{ .name = "sut-config-command",
	  .argument = "COMMAND",
	  .verbs = MEASURES,
	  .flags = OPTION_REPEATS,
	  .help = "the same, as a shell command prints it, before the measurement; for example 'ssh dut show "
		  "running-config'" },
	{ .name = "sut-change",
	  .argument = "TEXT",
	  .verbs = MEASURES,
	  .flags = OPTION_REPEATS,
	  .help = "what was changed from the default configuration for this test, repeatable" },
	{ .name = "sut-note",
	  .argument = "TEXT",
	  .verbs = MEASURES,
	  .flags = OPTION_REPEATS,
	  .help = "anything else that the report should say of the SUT, repeatable" },
	{ .name = "note",
	  .argument = "TEXT",
	  .verbs = FRAMES,
	  .flags = OPTION_REPEATS | OPTION_OUTPUT,
	  .help = "anything that the result should say of this run, repeatable; it stands in `notes` and in every "
		  "rendering" },
	{ .name = "report",
	  .argument = "FILE",
	  .verbs = MEASURES | REPORT | MERGES,
	  .flags = OPTION_OUTPUT,
	  .read = read_report_path,
	  .offset = FIELD(report_path),
	  .help = "write the Test Report to FILE; the ending chooses: " DOCUMENT_ENDINGS },
	{ .name = "metrics",
	  .argument = "FILE",
	  .verbs = FRAMES,
	  .flags = OPTION_OUTPUT,
	  .read = read_text,
	  .offset = FIELD(metrics_path),
	  .help = "keep FILE up to date with how the run goes, as OpenMetrics text, for the textfile collector of "
		  "node_exporter (there it must end in .prom)" },
	{ .name = "format",
	  .argument = "F",
	  .verbs = ALL,
	  .flags = OPTION_OUTPUT,
	  .fallback = "text",
	  .read = read_choice,
	  .offset = FIELD(format),
	  .choices = formats,
	  .help = "standard output: text, json (one document) or jsonl (an event a line, the document last)" },
	{ .name = "config",
	  .argument = "FILE",
	  .verbs = ALL,
	  .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT,
	  .help = "read options from a YAML file (keys are these names), or those that a JSON result echoes; the "
		  "command line wins" },
	{ .name = "run",
	  .argument = "NAME",
	  .verbs = FRAMES | PROBE,
	  .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT,
	  .help = "of the file's schedule for the appliance, this run, by name or number: its options win over those of the "
		  "file" },
	{ .name = "dump-config",
	  .verbs = ALL,
	  .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT,
	  .read = read_switch,
	  .offset = FIELD(dump_config),
	  .help = "print the configuration in force, as YAML for --config, and do nothing else" },
	{ .name = "only",
	  .argument = "PATTERN",
	  .verbs = TAKES_UP,
	  .flags = OPTION_REPEATS | OPTION_COMMAND_LINE | OPTION_OUTPUT,
	  .help = "only the points whose names match, repeatable: a name as 'campaign status' shows it, or with * and "
		  "? as the shell has them, for example 'frame-size=64,*'" },
	{ .name = "retry-failed",
	  .verbs = TAKES_UP,
	  .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT,
	  .read = read_switch,
	  .offset = FIELD(retry_failed),
	  .help = "also the points that have failed, from their beginning" },
	{ .name = "engine",
	  .argument = "E",
	  .verbs = 1u << VERB_CAMPAIGN_SUBMIT,
	  .fallback = "slurm",
	  .read = read_choice,
	  .offset = FIELD(engine),
	  .choices = engines,
	  .help = "the batch system: slurm" },
	{ .name = "dry-run",
	  .verbs = FRAMES | TAKES_UP,
	  .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT,
	  .read = read_switch,
	  .offset = FIELD(dry_run),
	  .help = "print the plan, the options in force and the time it will take; send nothing. Of a campaign: the "
		  "points, or the job scripts" },
	{ .name = "quiet",
	  .letter = 'q',
	  .verbs = ALL,
	  .flags = OPTION_OUTPUT,
	  .read = read_switch,
	  .offset = FIELD(quiet),
	  .help = "no progress and no notes on standard error" },
	{ .name = "help", .letter = 'h', .verbs = ALL, .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT, .help = "show this" },
	{ .name = "version",
	  .letter = 'V',
	  .verbs = ALL,
	  .flags = OPTION_COMMAND_LINE | OPTION_OUTPUT,
	  .help = "show the version" },
};
const size_t option_count = COUNT(options);

/* --- looking up ----------------------------------------------------------------------------------------------------- */

const char *algorithm_name(enum algorithm algorithm)
{
	return algorithms[algorithm];
}

bool option_belongs(const struct option *option, enum verb verb)
{
	return option->verbs >> verb & 1;
}

const struct option *option_find(const char *name)
{
	for (size_t i = 0; i < option_count; i++)
		if (strcmp(options[i].name, name) == 0)
			return &options[i];
	return NULL;
}

const char *option_hint(const char *name, enum verb verb, const char *dashes, char *buffer, size_t size)
{
	const char *names[COUNT(options)];
	const char *best;

	for (size_t i = 0; i < option_count; i++)
		names[i] = option_belongs(&options[i], verb) ? options[i].name : NULL;
	best = nearest(name, names, option_count);
	buffer[0] = '\0';
	if (best)
		snprintf(buffer, size, ", did you mean '%s%s'?", dashes, best);
	return buffer;
}
