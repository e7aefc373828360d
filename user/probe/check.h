/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A check of probe, and lists of them (probe.h has their form). */
#ifndef XDP_MLR_PROBE_CHECK_H
#define XDP_MLR_PROBE_CHECK_H

#include <jansson.h>

enum probe_state { PROBE_OK, PROBE_WARN, PROBE_FAIL };

/* Append a check; what comes back is the list's. */
__attribute__((format(printf, 4, 5))) json_t *probe_say(json_t *checks, enum probe_state state, const char *name,
							const char *format, ...);
/* The command that mends it. */
__attribute__((format(printf, 2, 3))) void probe_fix(json_t *check, const char *format, ...);

/* The worst state in a list of checks, or in all of a document. */
enum probe_state probe_worst(const json_t *checks);
/* "OK", "WARN" or "FAIL" */
const char *probe_state_name(enum probe_state state);

#endif
