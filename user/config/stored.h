/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stored search: the result document of `search --format json`, or the event stream of `--format jsonl`, of which a run
 * that died may have written a part only. `--resume` goes on from it, `--replay` asks a controller the same questions again.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "mlr/trial.h"

struct stored_trial {
	struct mlr_trial_result result;
	bool warmup, tester_limited;
	double sut_loss_ratio; /* as in struct measurement; 0 if not stored */
	const json_t *json;    /* as it was reported; belongs to the document */
};

struct stored {
	json_t *configuration;    /* the options in force, as they were echoed */
	json_t *controller_input; /* Min and Max Load as they were found, and the goals */
	const char *max_load_source;
	double duration_s; /* of the search so far */
	struct stored_trial *trials;
	size_t trial_count;
	json_t *document; /* what the above points into */
};

/* The document in a file of any schema: the whole of it, the last line of an event stream, or what the events of a search
 * that did not end amount to. *ret is NULL where there is no JSON; the caller releases it. */
enum exit_code stored_document(const char *path, json_t **ret);
/* Read a file; EXIT_USAGE_ERROR with what is wrong and where. Free with stored_free. */
enum exit_code stored_read(const char *path, struct stored *ret);
void stored_free(struct stored *stored);
