/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the drafts require of a Test Report (every MUST and REQUIRED of draft-ietf-bmwg-mlrsearch-15 about it, what it
 * RECOMMENDS, and the reporting formats of RFC 2544 section 26 and RFC 9004), and whether a document answers it.
 * docs/clauses.tsv has the words; tools/check-clauses holds both to each other and to the draft.
 */
#ifndef XDP_MLR_RESULT_CHECKLIST_H
#define XDP_MLR_RESULT_CHECKLIST_H

#include <jansson.h>

/* Add "checklist" by what else stands in the document: { document, clause, level, requirement, status, why, where }. */
void report_add_checklist(json_t *document);

#endif
