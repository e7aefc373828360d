/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header checks what this machine and a port can do. Each check is OK, WARN or FAIL, with the command that mends it.
 * The caller owns the document.
 *
 *	CHECK = {"name", "state": "OK"|"WARN"|"FAIL", "value": text, "fix": a command for a shell of root's, or null}
 *
 * A check that fails says that a run would be refused, or that its result would be wrong. A check that warns says that a
 * result may be worse than necessary, or that something is not known. Nothing lasting is changed. A port is tried (an XDP
 * program attached and detached, an AF_XDP socket bound and closed) only where that is asked for and nobody uses it.
 */
#pragma once

#include <jansson.h>

#include "base/message.h"

enum probe_state { PROBE_OK, PROBE_WARN, PROBE_FAIL };

/* Return the whole document (schema xdp-mlr/probe/1). The names of ports are "A,B,..."; NULL: all that may be meant.
 * EXIT_USAGE_ERROR for a port that does not exist. */
enum exit_code probe(const char *ports, json_t **ret_document);
/* Compare the line rates of ports as probe_port() describes them. Each port that has one gets a further check. */
void probe_compare_speeds(json_t *ports);

/* Return the worst state in a list of checks, or in a document. */
enum probe_state probe_worst(const json_t *checks);
/* "OK", "WARN" or "FAIL" */
const char *probe_state_name(enum probe_state state);
