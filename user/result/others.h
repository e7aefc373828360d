/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions read results of other programs, for an audit: trials with goals as JSON or CSV, and the JSON of FD.io
 * CSIT. Results that have trials become a document of a search. The caller owns what is returned. docs/reference/schemas.md
 * describes the forms.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/message.h"
#include "result/audit.h"

/* Return trials with goals as the document of a search; NULL if it is something else. A new reference. */
json_t *others_search(const json_t *json);
/* Read the same from a CSV. EXIT_DONE with *ret, NULL if it is no such CSV; EXIT_USAGE_ERROR with the line. */
enum exit_code others_csv(const char *path, json_t **ret);
/* Whether a document is a test of CSIT, and the audit of one. */
bool others_is_csit(const json_t *json);
void others_audit_csit(struct audit *audit, const json_t *json);
