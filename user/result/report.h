/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result document is everything that is known of a run, in JSON, with the names and units of the published schema. The
 * caller owns each object. Every other form of a result is a rendering of it (render/forms.h).
 */
#pragma once

#include <jansson.h>
#include <time.h>

#include "base/message.h"
#include "config/config.h"
#include "measurer/measurer.h"
#include "mlr/results.h"
#include "mlr/sweep.h"
#include "mlr/welch.h"

/* Each function returns a new reference, or NULL without memory. */

/* One trial. */
json_t *report_trial(const struct measurement *measurement);
/* The ports of a direction: {"from": "a, b", "to": "c"}. */
json_t *report_direction(const struct measurement *measurement, size_t number);
/* Add what every document says of how it was measured: measurer, Traffic Profile, environment, deviations, configuration. */
void report_add_setting(json_t *document, const struct config *config, struct measurer *measurer, time_t start_time);
/* The deviations alone: sentences. A new reference. */
json_t *report_deviations(const struct config *config, struct measurer *measurer);
/* A Search Goal, as in "controller_input". */
json_t *report_goal(const struct mlr_goal *goal);

/* Put "latency" into a Goal Result: the worst of each figure among the full-length trials at its Relevant Lower Bound.
 * Nothing if no such trial has any. */
void report_add_goal_latency(json_t *result, const json_t *trials);

/* Return what the SUT changed in the headers of frames, summed over all trials of a document: "trials" in which that was
 * looked at, "received" and the counts of changes. NULL: there is no such trial. */
json_t *report_changes(const json_t *document);

/* Put "cause" into each Goal Result, each test of a suite that has trials, and any other document with trials: where the SUT
 * lost frames, by the counters that were observed (--observe). Nothing where no trial was observed. */
void report_add_causes(json_t *document);

/* Power and energy of these trials, by the meters that they observed, at the mean size of frames and so many interfaces that
 * send. A new reference; NULL where no trial observed a meter, or without memory. */
json_t *report_power(const json_t *trials, double frame_octets, double transmitters);
/* Put it into a document as "power". */
void report_add_power(json_t *document, double frame_octets);

/* --- figures.c: figures that follow from other parts of a document. A run puts them there, and an audit makes them again. */

/* Get the sample of the numbers to which a JSON pointer leads in each item of a list; NULL: of the items themselves. */
struct mlr_sample report_sample_of(const json_t *list, const char *pointer);
/* The Conditional Throughputs of a goal in several searches: {"count", "mean", "stdev", "min", "max"}. */
json_t *report_statistics(const json_t *searches, size_t goal);
/* The figures of a sweep's "curve". */
json_t *report_curve(const struct mlr_trial_result *results, size_t count);
/* What the results of a goal over the runs of a campaign's cell come to; and the values that count. */
json_t *report_spread(const json_t *results);
struct mlr_sample report_values(const json_t *results);
/* The figures of a latency test of RFC 2544, over all directions. */
json_t *report_latency_test(const json_t *trials);

/* Return the mean size of the frames of a run: as a measurer of the user's says, or else by --frame-size. NAN: that measurer says
 * none, and the user neither. */
double report_frame_octets(const struct config *config, const struct measurer *measurer);

/* Return the mean size of the frames of a trial that came: that of the run, unless some of a mix were lost. A SUT may lose the large
 * ones alone. */
double report_came_octets(const struct config *config, const struct measurement *measurement, double octets);

/* Put "<name>_l1_bps" and "<name>_l2_bps" beside a load: what it takes of the link, and without preamble and gap. NAN gives
 * null. */
void report_add_bps(json_t *object, const char *name, double load_fps, double frame_size_octets);
/* Put those of a trial into its JSON: of its load, and of what came. */
void report_add_trial_bps(json_t *trial, const struct config *config, const struct measurement *measurement, double octets);

/* The result document's own explanations (definitions.c): its units, and what its quantities mean where the drafts leave
 * that open. */
json_t *report_units(void);
json_t *report_definitions(const struct config *config);

/* Describe the machine and the software of a run that started at this time (environment.c). */
json_t *environment_describe(time_t start);

/* --- warnings.c: what RFC 9971 advises against in the goals and loads of a search, and what RFC 2544 makes of its
 * results */

/* The result document's "warnings": sentences, each with its section. A new reference. NAN: Min Load is not known. */
json_t *warnings_describe(const struct config *config, double min_load_fps);

/* Whether the result of a goal is the throughput of RFC 2544 section 24 (4.10.2): "unconditional", "conditional" (but for
 * the length of trials) or "none". What is irregular, or where the tester was the limit, is the throughput of nothing. */
const char *rfc2544_compliance(const struct mlr_goal *goal, const struct mlr_goal_result *result, bool tester_limited);

/* The length of a trial by RFC 2544 section 24. */
#define RFC2544_TRIAL_S 60

/* "xdp-mlr/trial/1"; `measurement` is NULL where the trial was interrupted. */
json_t *report_one_trial(const struct config *config, struct measurer *measurer, const struct measurement *measurement,
			 time_t start_time);

/* --- what a document is given before it is delivered ----------------------------------------------------------------- */

/*
 * Make the result document's "sut": the SUT as its user describes it. The report must encompass the SUT's configuration (RFC
 * 9971, section 4.9.3), which only the user knows. Files are read and commands are run before the measurement.
 *
 * *ret is a new reference; it is json_null() if nothing was given. Returns EXIT_USAGE_ERROR if a file cannot be read or a
 * command fails. If a stop comes while a command runs, it returns EXIT_DONE without that command's output.
 */
enum exit_code report_sut(const struct config *config, json_t **ret);

/*
 * Add "checklist": what the drafts require of a Test Report, and whether the rest of the document answers it. That is every
 * MUST and REQUIRED of RFC 9971 about it, what it RECOMMENDS, and the reporting formats of RFC 2544 section 26 and RFC 9004.
 *
 * An item is { document, clause, level, requirement, status, why, where }. docs/clauses.tsv has the words;
 * tools/check-clauses compares both with each other and with the draft.
 */
void report_add_checklist(json_t *document);

/* Judge a document by the requirements (config/requirement.h), and add the verdicts as "requirements". A suite has a
 * verdict for each frame size that a requirement means. Returns `code`, or EXIT_UNMET in place of EXIT_DONE if a
 * requirement is not met. Without requirements it adds nothing. */
enum exit_code report_judge(json_t *document, const struct config *config, enum exit_code code);
/* Return what a figure of a trial of several directions comes to in the worst of them, because all frames together hide what
 * one direction loses. NAN for other figures (`path` is a JSON pointer) and other trials: latencies are those of the worst
 * direction already. */
double judge_worst_direction(const char *path, const json_t *document);
