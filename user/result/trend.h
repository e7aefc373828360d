/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `report FOLDER` shows the results of one kind in a folder in the order of their dates, and when the SUT became slower or
 * faster. The caller owns the document.
 *
 * A result is compared, as `compare` does (compare.h), with the one from which its level began: the first, or the last that
 * differed. So a change of many small steps is found as well, once it is as large as the tolerance.
 */
#pragma once

#include <jansson.h>

#include "config/config.h"

/* Whether `report` is given a folder. */
bool trend_is_folder(const char *path);
/* The document, "xdp-mlr/trend/1", of the folder that `report` was given; a new reference. EXIT_USAGE_ERROR where nothing in it can be
 * shown, or a result contradicts itself, which was said. What is no such result, or cannot be compared with the first, is left out, and the document says so. */
enum exit_code trend_document(const struct config *config, json_t **ret);
