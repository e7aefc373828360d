/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verbs: each takes a configuration that was read and checked, and returns the program's exit code. */
#ifndef XDP_MLR_CLI_VERBS_H
#define XDP_MLR_CLI_VERBS_H

#include "base/say.h"
#include "config/config.h"

enum exit_code verb_search(const struct config *config);
enum exit_code verb_soak(const struct config *config);
enum exit_code verb_probe(const struct config *config);
enum exit_code verb_trial(const struct config *config);
enum exit_code verb_rfc2544(const struct config *config);
enum exit_code verb_selftest(const struct config *config);
enum exit_code verb_lab(const struct config *config);
enum exit_code verb_profile(const struct config *config);
enum exit_code verb_clean(const struct config *config);
enum exit_code verb_compare(const struct config *config);
enum exit_code verb_report(const struct config *config);
enum exit_code verb_campaign(const struct config *config);

#endif
