/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SUT, as its user describes it: the report has to encompass its configuration (draft-ietf-bmwg-mlrsearch-15, section
 * 4.9.3), which nobody but the user knows. Files are read and commands are run before the measurement.
 */
#ifndef XDP_MLR_RESULT_SUT_H
#define XDP_MLR_RESULT_SUT_H

#include <jansson.h>

#include "base/message.h"
#include "config/config.h"

/* The result document's "sut": a new reference, json_null() where nothing was given. EXIT_USAGE_ERROR where a file cannot be
 * read or a command fails. Where a stop comes while a command runs, EXIT_DONE without what it said. */
enum exit_code report_sut(const struct config *config, json_t **ret);

#endif
