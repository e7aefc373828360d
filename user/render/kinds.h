/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kind of document has parts of its own in a Test Report, a file for each kind (content_search.c, ...). Some parts are
 * shared. The parts are constants; the caller owns the document. */
#pragma once

#include <jansson.h>

#include "render/page.h"

/* One kind of document: verdicts stand at the beginning, then its parts. */
struct content {
	const char *kind; /* KIND in its schema "xdp-mlr/KIND/1" */
	const char *title;
	bool of_sut;       /* The document is a benchmark of a SUT, which has to be described. */
	const char *known; /* members of the document that this kind shows, as is_one_of() has them */
	void (*put_verdicts)(struct writer *writer, const json_t *document);
	const struct part *parts; /* what follows (page.h), `part_count` of them */
	size_t part_count;
};
extern const struct content content_search, content_trial, content_sweep, content_soak, content_suite, content_y1564;
extern const struct content content_trend;
extern const struct content content_compare, content_probe, content_selftest, content_campaign, content_campaign_status;

/* Return when the first point of a campaign was measured, or NULL. What the document says of itself is when they were merged. */
const char *campaign_start(const json_t *document);

/* Parts that several kinds share. */
/* A section with a trial by intervals of its schedule; nothing where it has none. */
void content_put_intervals(struct writer *writer, const json_t *trial);
/* A section with the worst flows of a trial over time; nothing where it has none. */
void content_put_flows_over_time(struct writer *writer, const json_t *trial);
/* A section on where the SUT lost frames; nothing where it was not observed. */
void content_put_cause(struct writer *writer, const json_t *document);
/* A section on the counters of the SUT at each load of a sweep; nothing where none moved. */
void content_put_observed(struct writer *writer, const json_t *document);
/* Whether a counter's growth, or a gauge of at most so much, is shown as a share: the time of a CPU is, and a gauge by its name. */
bool is_share(const char *counter, bool gauge, double most);
/* A section on power and energy; nothing where no meter was observed. */
void content_put_power(struct writer *writer, const json_t *document);
/* A section of its own, with a row a trial in a fold. */
void content_put_trials(struct writer *writer, const json_t *document);
/* The fold alone; nothing where there are no trials. Loads are also in bit/s, for frames of so many octets (NAN: not known). */
void content_put_trial_fold(struct writer *writer, const char *id, const char *summary, const json_t *trials, double octets);
/* For suites: write a fold for each of the tests of each part. `name` is the member that names a part, `names` are the names
 * of tests. */
void content_put_trial_folds(struct writer *writer, const json_t *parts, const char *name, const char *unit,
			     const char *const *tests, const char *const *names, size_t count);

#define SETTING_TEXT_SIZE 256
/* "AF_XDP (xsk), copy mode, 1 queue": what transmits frames; empty where nothing of this program's does. Of several ports
 * that differ, the first one's. */
const char *setting_transmitter(const json_t *document, char text[SETTING_TEXT_SIZE]);
/* What was sent: frame sizes, protocol, direction, VLANs, flows. */
void setting_add_conditions(struct facts *facts, const json_t *document);
/* A section on the document's measurer and Traffic Profile; what they lack is left out. */
void setting_put(struct writer *writer, const json_t *document);
