/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a document is given before it is delivered. */
#ifndef XDP_MLR_RESULT_ADDITIONS_H
#define XDP_MLR_RESULT_ADDITIONS_H

#include <jansson.h>

#include "base/message.h"
#include "config/config.h"

/*
 * The SUT, as its user describes it: the report has to encompass its configuration (draft-ietf-bmwg-mlrsearch-15, section
 * 4.9.3), which nobody but the user knows. Files are read and commands are run before the measurement.
 *
 * The result document's "sut": a new reference, json_null() where nothing was given. EXIT_USAGE_ERROR where a file cannot be
 * read or a command fails. Where a stop comes while a command runs, EXIT_DONE without what it said. */
enum exit_code report_sut(const struct config *config, json_t **ret);

/*
 * What the drafts require of a Test Report (every MUST and REQUIRED of draft-ietf-bmwg-mlrsearch-15 about it, what it
 * RECOMMENDS, and the reporting formats of RFC 2544 section 26 and RFC 9004), and whether a document answers it.
 * docs/clauses.tsv has the words; tools/check-clauses holds both to each other and to the draft.
 *
 * Add "checklist" by what else stands in the document: { document, clause, level, requirement, status, why, where }.
 */
void report_add_checklist(json_t *document);

/* Whether a document keeps to the requirements (config/requirement.h). Put "requirements" into the document: each with its
 * verdict, in a suite one for each frame size that it means. Returns the code, or EXIT_UNMET in place of EXIT_DONE where one
 * is not met. Nothing without requirements. */
enum exit_code judge(json_t *document, const struct config *config, enum exit_code code);

#endif
