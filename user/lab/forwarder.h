/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process of a SUT that has one: in the lab's namespace, on the machine's last CPU, with nothing of whoever started it
 * but two sockets. */
#pragma once

#include <sys/types.h>

#include "config/config.h"

/* Start it under this name; it ends when forward() returns, which it should when a link is gone. 0 or -errno. */
int forwarder_fork(const char *name, const int sockets[PORT_COUNT], void (*forward)(void *context), void *context,
		   pid_t *ret);
