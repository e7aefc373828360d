/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stored search comes from a result document (`search --format json`) or an event stream (`--format jsonl`), which may be
 * incomplete if its run died. It owns its document, and its other members point into that. It is read with the options, and
 * freed with the configuration.
 *
 * `--resume` continues the search. `--replay` asks a controller the same questions again.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "mlr/trial.h"

/* The reason for a tester-limited trial whose mean load was not the Trial Load. */
#define LOAD_WAS_OFF "the load was off by more than a tenth of the Goal Width"
#define NOBODY_ANSWERED                                                                                                     \
	"nobody answered for the gateway, and nothing came of what was sent to the other port's MAC address instead"

struct stored_trial {
	struct mlr_trial_result result;
	bool warmup, tester_limited;
	bool offered_less;     /* Less than the Trial Load was offered. */
	double sut_loss_ratio; /* loss ratio of the SUT, as in struct measurement; 0: not stored */
	json_t *json;          /* the trial as it was reported; stored_read_trial() leaves it alone */
};

struct stored {
	json_t *configuration;    /* the options in force, as echoed */
	json_t *controller_input; /* Min Load, Max Load and the goals */
	const char *max_load_source;
	double duration_s; /* the duration of the search so far */
	struct stored_trial *trials;
	size_t trial_count;
	json_t *document; /* the other members point into it */
};

/* Read the document in a file of any schema: the whole file, the last line of an event stream, or what the events of an
 * unfinished search amount to. *ret is NULL if it is not JSON; the caller releases it. */
enum exit_code stored_document(const char *path, json_t **ret);
/* The same for a process without privileges, which reads a file once. If it begins with the JSON of another program, which has
 * neither a schema of ours nor events, *ret_other is that, and *ret NULL. */
enum exit_code stored_or_other(const char *path, json_t **ret, json_t **ret_other);
/* Read a trial of a document. False if it lacks a value, or has one out of range. */
bool stored_read_trial(const json_t *json, struct stored_trial *ret);
/* Whether the stored result of a goal touched the tester's own limit. Its trials do not tell what a self-test had found. */
bool stored_is_limited(const struct stored *stored, const char *goal);
/* Read a file. EXIT_USAGE_ERROR says what is wrong and where. Free the result with stored_free(). */
enum exit_code stored_read(const char *path, struct stored *ret);
void stored_free(struct stored *stored);
