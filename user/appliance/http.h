/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The HTTP server listens on one address that no test port has. The appliance owns it, and starts it whenever the settings
 * ask for one. It answers GET and HEAD of a fixed set of paths; no path is a file's name. Whoever has the token to control
 * may also begin a round and stop a run.
 *
 * A client may be anybody, so everything that a client can use up has a limit. There are limits on connections in all,
 * connections from one address, the size of a head, and the time of a request and a connection. A connection has one
 * request, and a second has a limited number of questions. A process without privileges reads requests (http_server.h). This
 * program answers what that process asks for, in its one thread, which never waits for a client.
 */
#pragma once

#include <stdio.h>

#include "appliance/appliance.h"

/* Listen as the settings say, or stop. A fault is reported, and everything else goes on without it. */
void http_configure(struct appliance *appliance);
void http_stop(struct appliance *appliance);
/* Return the descriptor to wait for, or -1 if nothing listens. */
int http_fd(const struct appliance *appliance);
uint64_t http_due_ns(const struct appliance *appliance);
void http_work(struct appliance *appliance);

/* These functions write what browsers and collectors get: pages in the style of the report, without script, and
 * OpenMetrics text. They are in pages.c. */
void page_index(FILE *stream, const struct appliance *appliance);
void page_view(FILE *stream, const struct appliance *appliance);
void page_log(FILE *stream, const struct appliance *appliance);
void page_metrics(FILE *stream, const struct appliance *appliance);
