/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A console shows lines as things happen, the view of a run below them, and takes keys. The appliance owns all consoles,
 * opens them at its start, and closes them at its end. All of them show the same. The lines are those of the log; what a key
 * asks for is left to the runner, as a request.
 *
 * A screen (/dev/tty1) draws the view anew each second. A serial line may be a dumb terminal, or a file: it gets plain
 * lines, until key v asks for the view there. Writing never blocks: what a console has not taken yet is kept, up to a bound.
 */
#pragma once

#include <poll.h>

#include "appliance/appliance.h"

#define CONSOLE_FILES 2 /* files that each console is polled with */

/* Open a console. The path "-" means standard input and output. Returns 0 or -errno. */
int console_open(struct appliance *appliance, const char *path);
void console_close_all(struct appliance *appliance);

/* Write a text of several lines on every console. */
void console_text(struct appliance *appliance, const char *text);
/* Write a line about progress, where no view is drawn. */
void console_progress(struct appliance *appliance, const char *text);
/* Note that the view is out of date. */
void console_refresh(struct appliance *appliance);
/* Note that the ports have been probed. */
void console_ports(struct appliance *appliance);
/* Keep lines back while others write to the consoles, and write them then. */
void console_hold(struct appliance *appliance, bool hold);
/* Whether all consoles have taken everything that was written. */
bool console_drained(const struct appliance *appliance);

void console_files(const struct console *console, struct pollfd files[CONSOLE_FILES]);
/* Take keys, write what waits, draw what is due. */
void console_work(struct appliance *appliance, struct console *console);
/* Return when it wants to be called at the latest. */
uint64_t console_due_ns(const struct appliance *appliance);
