/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forwarder is the process of a SUT that has one. It owns two sockets, and nothing else of its parent. It is started by
 * `lab up`, and runs in the lab's namespace on the machine's last CPU until a link is gone. */
#pragma once

#include <sys/types.h>

#include "config/config.h"

/* Start it under this name. It ends when forward() returns, which must happen when a link is gone. Returns 0 or -errno. */
int forwarder_fork(const char *name, const int sockets[PORT_COUNT], void (*forward)(void *context), void *context,
		   pid_t *ret);
