/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify tells whether a result document says what follows from its own trials. Counts, loss ratios, Load Classification,
 * bounds, Conditional Throughput, regularity, verdicts and statistics are computed again by the functions that computed them
 * first. The caller owns the document. A document is audited once, after it is read and before anything in it is shown.
 *
 * What a document does not contain cannot contradict it, so documents of earlier versions pass.
 */
#pragma once

#include <jansson.h>

#include "base/message.h"
#include "config/config.h"

/* Return what in a document contradicts its trials, or its other figures: an array of sentences, each with its place. It is
 * empty if nothing does. A new reference. */
json_t *verify_document(const json_t *document);

/* Refuse a document that contradicts itself. EXIT_USAGE_ERROR with the first contradiction, else EXIT_DONE. */
enum exit_code verify_refuse(const char *path, const json_t *document);

/* Audit the files of `xdp-mlr verify`, and print a line for each contradiction. Returns EXIT_DONE, EXIT_UNMET if something
 * contradicts, or EXIT_USAGE_ERROR if a file cannot be read. With --vectors another implementation answers vectors; with
 * --answer we do. `trusted` has the fingerprints of --trust, or is NULL. */
enum exit_code verify_files(const struct config *config, const json_t *trusted);
