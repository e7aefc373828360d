/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a result document keeps to the requirements (config/requirement.h). */
#ifndef XDP_MLR_RESULT_JUDGE_H
#define XDP_MLR_RESULT_JUDGE_H

#include <jansson.h>

#include "config/config.h"

/* Put "requirements" into the document: each with its verdict, in a suite one for each frame size that it means. Returns the code, or
 * EXIT_UNMET in place of EXIT_DONE where one is not met. Nothing without requirements. */
enum exit_code judge(json_t *document, const struct config *config, enum exit_code code);

#endif
