/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/verb.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct verb_text {
	const char *name;
	const char *summary;
	const char *files[FILES_MAX]; /* what it takes by place, by the names that --help gives them */
} verbs[] = {
	[VERB_SEARCH] = { "search", "one MLRsearch benchmark over real ports or another measurer" },
	[VERB_TRIAL] = { "trial", "one trial: the one-shot throughput test" },
	[VERB_SOAK] = { "soak", "PLRsearch: the load that loses a target ratio in the long run, with its error bar" },
	[VERB_RFC2544] = { "rfc2544",
			   "the suite of RFC 2544 section 26: throughput, latency, frame loss, bursts, recovery, reset" },
	[VERB_SELFTEST] = { "selftest",
			    "benchmark the tester itself, port to port: its clean maximum load and latency floor" },
	[VERB_PROBE] = { "probe", "what this machine and its ports can do, and the command that mends what they cannot" },
	[VERB_LAB_UP] = { "lab up", "start a SUT of its own in a network namespace, joined to this one by veth" },
	[VERB_LAB_DOWN] = { "lab down", "remove the lab" },
	[VERB_LAB_STATUS] = { "lab status", "show the lab that is up" },
	[VERB_LAB_ON] = { "lab on", "make two ports of this machine a SUT for another tester, until it is interrupted" },
	[VERB_PROFILE_SHOW] = { "profile show", "the first frames of a Traffic Profile, in hex and by field" },
	[VERB_CLEAN] = { "clean", "undo whatever an earlier run that died left behind" },
	[VERB_COMPARE] = { "compare",
			   "whether the SUT of result B is slower than that of result A, with the evidence",
			   { "A.json", "B.json" } },
	[VERB_REPORT] = { "report", "show a stored JSON result, or render it as HTML, Markdown, CSV or text", { "FILE" } },
	[VERB_CAMPAIGN_RUN] = { "campaign run",
				"run every point of a campaign here, one after the other; go on with one that "
				"was interrupted",
				{ "FILE" } },
	[VERB_CAMPAIGN_SUBMIT] = { "campaign submit",
				   "hand the points of a campaign to a batch system, which has the testbeds",
				   { "FILE" } },
	[VERB_CAMPAIGN_STATUS] = { "campaign status",
				   "how far a campaign is: points done, running, failed, waiting",
				   { "FILE" } },
	[VERB_CAMPAIGN_REPORT] = { "campaign report",
				   "one result of all points of a campaign: spread over repeats, and which "
				   "build is slower",
				   { "FILE" } },
};

const size_t verb_count = COUNT(verbs);

const char *verb_name(enum verb verb)
{
	return verbs[verb].name;
}

const char *verb_summary(enum verb verb)
{
	return verbs[verb].summary;
}

const char *verb_file(enum verb verb, size_t index)
{
	return index < FILES_MAX ? verbs[verb].files[index] : NULL;
}
