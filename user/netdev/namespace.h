/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network namespaces of this machine, as far as a file or a process shows them.
 *
 * A namespace's inode may be used again once it is gone; its cookie never is, until the next boot.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The inode of this thread's network namespace, 0 if it cannot be told. */
unsigned long network_namespace_inode(void);
/* Its cookie, 0 where the kernel does not tell. */
uint64_t network_namespace_cookie(void);

/* Call `visit` once in each network namespace that can be found and entered, beginning with this thread's own, until it
 * returns true. 1 if it did; 0 if it did in none; -EPERM if it did in none of those that may be entered. The thread is back
 * in its own namespace afterwards. */
int namespaces_visit(bool (*visit)(void *context), void *context);

/* Go back to the namespace of an open file; ends the process where that fails, for there is nothing sensible to do in the
 * wrong one. */
void namespace_return(int own_fd);
