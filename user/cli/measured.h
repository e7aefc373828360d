/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the verbs that measure have in common. */
#ifndef XDP_MLR_CLI_MEASURED_H
#define XDP_MLR_CLI_MEASURED_H

#include <jansson.h>

#include "config/config.h"
#include "result/deliver.h"

/* Measure, with the file of --report open meanwhile. */
enum exit_code measure_for_report(const struct config *config,
				  enum exit_code (*measure)(const struct config *config, struct report_file *file));
/* Tell the end as an event, then deliver the document, as report_deliver() does. */
enum exit_code deliver_measured(json_t *document, const struct config *config, double duration_s, struct report_file *file,
				enum exit_code code);

#endif
