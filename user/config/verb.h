/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verbs: what the first word, or two, of the command line may be. */
#ifndef XDP_MLR_CONFIG_VERB_H
#define XDP_MLR_CONFIG_VERB_H

#include <stdbool.h>
#include <stddef.h>

enum verb {
	VERB_SEARCH,
	VERB_TRIAL,
	VERB_SOAK,
	VERB_RFC2544,
	VERB_SELFTEST,
	VERB_PROBE,
	VERB_LAB_UP,
	VERB_LAB_DOWN,
	VERB_LAB_STATUS,
	VERB_LAB_ON,
	VERB_PROFILE_SHOW,
	VERB_CLEAN,
	VERB_COMPARE,
	VERB_REPORT,
	VERB_CAMPAIGN_RUN,
	VERB_CAMPAIGN_SUBMIT,
	VERB_CAMPAIGN_STATUS,
	VERB_CAMPAIGN_REPORT
};

/* Files that a verb takes by their place on the command line, without an option's name. */
#define FILES_MAX 2

extern const size_t verb_count;
const char *verb_name(enum verb verb);
const char *verb_summary(enum verb verb);
/* What --help calls a file that the verb takes by its place on the command line; NULL if it takes no more. */
const char *verb_file(enum verb verb, size_t index);

/* Whether the verb runs the same over a list of frame sizes (options_suite.h). */
static inline bool frame_sizes_are_a_list(enum verb verb)
{
	return verb == VERB_SELFTEST || verb == VERB_RFC2544;
}

#endif
