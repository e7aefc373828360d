/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verbs are what the first words of the command line may be. They are constants. The command line chooses one of them,
 * for the whole run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Every verb once: its constant, its function (verbs.h), its name, its summary, and the names in --help of the files that it
 * takes by position. Verbs of two words with the same first word stand together. */
#define VERBS(X)                                                                                                            \
	X(VERB_SEARCH, verb_measure, "search", "one MLRsearch benchmark over real ports or another measurer")               \
	X(VERB_TRIAL, verb_measure, "trial", "one trial: the one-shot throughput test")                                     \
	X(VERB_SWEEP, verb_measure, "sweep",                                                                                \
	  "a trial at each of several loads: the curve of loss, forwarding rate, latency and order over load")              \
	X(VERB_SOAK, verb_measure, "soak",                                                                                  \
	  "PLRsearch: the load that loses a target ratio in the long run, with its error bar")                              \
	X(VERB_RFC2544, verb_measure, "rfc2544",                                                                            \
	  "the suite of RFC 2544 section 26: throughput, latency, frame loss, bursts, recovery, reset")                     \
	X(VERB_Y1564, verb_measure, "y1564",                                                                                \
	  "ITU-T Y.1564: whether services deliver what was agreed: rates, policing, loss, delay, availability")             \
	X(VERB_SELFTEST, verb_measure, "selftest",                                                                          \
	  "benchmark the tester itself, port to port: its clean maximum load and latency floor")                            \
	X(VERB_CONNECT, verb_connect, "connect",                                                                            \
	  "what lies between the ports, and whether frames pass: a cable, a switch, a router, nothing")                     \
	X(VERB_PROBE, verb_probe, "probe",                                                                                  \
	  "what this machine and its ports can do, and the command that mends what they cannot")                            \
	X(VERB_LAB_UP, verb_lab_up, "lab up", "start a SUT of its own in a network namespace, joined to this one by veth")  \
	X(VERB_LAB_DOWN, verb_lab_down, "lab down", "remove the lab")                                                       \
	X(VERB_LAB_STATUS, verb_lab_status, "lab status", "show the labs that are up, or that of a name")                   \
	X(VERB_LAB_ON, verb_lab_on, "lab on",                                                                               \
	  "make two ports of this machine a SUT for another tester, until it is interrupted")                               \
	X(VERB_PROFILE_SHOW, verb_profile_show, "profile show",                                                             \
	  "the first frames of a Traffic Profile, in hex and by field")                                                     \
	X(VERB_CLEAN, verb_clean, "clean", "undo whatever an earlier run that died left behind")                            \
	X(VERB_COMPARE, verb_compare, "compare",                                                                            \
	  "whether the SUT of result B is slower than that of result A, with the evidence", "A.json", "B.json")             \
	X(VERB_REPORT, verb_report, "report",                                                                               \
	  "show a stored JSON result, or render it as HTML, Markdown, CSV or text; or a folder's trend", "FILE|FOLDER")     \
	X(VERB_VERIFY, verb_verify, "verify",                                                                               \
	  "whether results say what follows from their trials; a line for what does not", "FILE...")                        \
	X(VERB_CAMPAIGN_RUN, verb_campaign, "campaign run",                                                                 \
	  "run every point of a campaign here, one after the other; go on with one that was interrupted", "FILE")           \
	X(VERB_CAMPAIGN_SUBMIT, verb_campaign, "campaign submit",                                                           \
	  "hand the points of a campaign to a batch system, which has the testbeds", "FILE")                                \
	X(VERB_CAMPAIGN_STATUS, verb_campaign, "campaign status",                                                           \
	  "how far a campaign is: points done, running, failed, waiting", "FILE")                                           \
	X(VERB_CAMPAIGN_REPORT, verb_campaign, "campaign report",                                                           \
	  "one result of all points of a campaign: spread over repeats, and which build is slower", "FILE")

#define VERB_CONSTANT(CONSTANT, ...) CONSTANT,
enum verb { VERBS(VERB_CONSTANT) };
#define VERB_ONE(...) +1
#define VERB_COUNT    ((enum verb)(VERBS(VERB_ONE)))

#define FILES_MAX      2 /* files that a verb takes by position */
#define VERB_WORD_SIZE 16

const char *verb_name(enum verb verb);
const char *verb_summary(enum verb verb);
/* Return what exit codes 0, 1 and 2 mean for a verb that judges something else than a measurement; NULL: nothing else. */
const char *verb_exit_codes(enum verb verb);
/* Return the name in --help of a file that the verb takes by position, or NULL if there are no more. The last name may be
 * "FILE...", for one file or several. */
const char *verb_file(enum verb verb, size_t index);
/* Whether the verb takes a file at this place, counted from 0. */
bool verb_takes_file(enum verb verb, size_t index);
/* Write the first word of a verb into the buffer and return it. The other function returns the second word, or NULL. */
const char *verb_word(enum verb verb, char buffer[VERB_WORD_SIZE]);
const char *verb_second_word(enum verb verb);
/* Whether this is the first word of the verb. */
bool verb_has_word(enum verb verb, const char *word);

/* Whether the verb runs the same test over a list of frame sizes (options_suite.h). */
static inline bool frame_sizes_are_a_list(enum verb verb)
{
	return verb == VERB_SELFTEST || verb == VERB_RFC2544;
}
