/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forwarder is the process of a SUT that has one. It owns two files, and nothing else of its parent. It is started by
 * `lab up`, and runs in the lab's namespace on the machine's last CPU until a link is gone or `lab down` kills it. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct forwarder_plan {
	const char *name;               /* name of the process */
	int fds[2];                     /* the files that it keeps; both may be the same */
	void (*forward)(void *context); /* the process ends when it returns, which must happen when a link is gone */
	void *context;
	bool is_confined; /* The process may do no more than send and receive on the two files. */
};

/* Start the process. Returns 0 or -errno. */
int forwarder_fork(const struct forwarder_plan *plan, pid_t *ret);
