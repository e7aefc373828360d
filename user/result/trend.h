/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `report FOLDER` shows the results of one kind in a folder, in the order of their dates. It says when the SUT became slower
 * or faster. The caller owns the document.
 *
 * The thresholds of the results (mlr/threshold.h) are cut into levels (mlr/segments.h). So a slow change of many small steps
 * is found, too. A result that the tester limited is part of no level.
 */
#pragma once

#include <jansson.h>

#include "config/config.h"

/* Whether `report` is given a folder. */
bool trend_is_folder(const char *path);
/* Make the document "xdp-mlr/trend/1" of the folder that `report` was given, a new reference. A file that is no such
 * result, or that cannot be compared with the first, is left out, and the document names it. Returns EXIT_USAGE_ERROR
 * after a message if no result is left, or one contradicts itself. */
enum exit_code trend_document(const struct config *config, json_t **ret);
