/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An audit collects what contradicts in a document (verify.h). The parts of an audit know one kind of document each; they
 * read, compute again, and compare. The caller owns audit, places and values. Places are linked from the inside out, on the
 * stack, and become text only for a contradiction.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "mlr/goal.h"

struct audit {
	const json_t *document;    /* the whole, for what its parts have in common */
	json_t *contradictions;    /* sentences */
	bool external;             /* a measurer of the user's performed the trials */
	unsigned int transmitters; /* interfaces that send; 0: not known */
};

/* The place of a value. The outermost place has none around it. */
struct place {
	const struct place *in;
	const char *name; /* NULL: an item of a list */
	size_t index;
};
#define MEMBER(outer, member) (&(const struct place){ (outer), (member), 0 })
#define ITEM(outer, item)     (&(const struct place){ (outer), NULL, (item) })

/* Note that something contradicts. */
__attribute__((format(printf, 3, 4))) void contradict(struct audit *audit, const struct place *place, const char *format,
						      ...);

/* Compare a member with the number that follows; NAN: none exists, so it should be null. A member that is absent is no
 * fault. */
void audit_number(struct audit *audit, const struct place *place, const json_t *object, const char *name, double follows);
/* Compare all numbers that follow; they are taken over. */
void audit_numbers(struct audit *audit, const struct place *place, const json_t *object, json_t *follows);
void audit_truth(struct audit *audit, const struct place *place, const json_t *object, const char *name, bool follows);
/* Compare a value with the one that follows, and all that is within. */
void audit_value(struct audit *audit, const struct place *place, const json_t *stated, const json_t *follows);
/* A result that is regular has no irregular_reason, and any other has one. */
void audit_reason(struct audit *audit, const struct place *place, const json_t *result);
/* A load in bit/s beside the load in frames/s. */
void audit_bps(struct audit *audit, const struct place *place, const json_t *object, const char *name);

/* Parts. audit_trial.c: one trial, its counts and what follows from them; a list of trials. */
void audit_trial(struct audit *audit, const struct place *place, const json_t *trial);
void audit_trials(struct audit *audit, const struct place *place, const json_t *trials);
/* audit_search.c: the results of a search from its trials. `input` has "min_load", "max_load"; NULL: not known. */
void audit_results(struct audit *audit, const struct place *place, const json_t *results, const struct place *trials_place,
		   const json_t *trials, const json_t *input);
/* Read a goal of a document. False if it breaks a rule of the draft. */
bool audit_read_goal(const json_t *json, struct mlr_goal *ret);
void audit_search(struct audit *audit, const json_t *document);
/* audit_soak.c, audit_sweep.c, audit_suite.c, audit_y1564.c, audit_sums.c */
void audit_sweep(struct audit *audit, const json_t *document);
void audit_soak(struct audit *audit, const json_t *document);
void audit_rfc2544(struct audit *audit, const json_t *document);
void audit_y1564(struct audit *audit, const json_t *document);
void audit_selftest(struct audit *audit, const json_t *document);
void audit_campaign(struct audit *audit, const json_t *document);
void audit_compare(struct audit *audit, const json_t *document);
void audit_trend(struct audit *audit, const json_t *document);
/* audit_power.c: power and energy, where a document has them */
void audit_power(struct audit *audit, const json_t *document);
/* cause.c: where the SUT lost frames, from what was observed in the trials */
void audit_cause(struct audit *audit, const json_t *document);
/* audit_requirements.c: what the SUT changed in all trials, and the verdicts of --require */
void audit_changes(struct audit *audit, const json_t *document);
void audit_requirements(struct audit *audit, const json_t *document);
