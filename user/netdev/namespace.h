/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions find the network namespaces of this machine that a file or a process shows. They own nothing but a
 * temporary descriptor. A thread that visits other namespaces is always back in its own afterwards.
 *
 * The inode of a namespace may be used again once it is gone. Its cookie is never used again until the next boot.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Return the inode of this thread's network namespace, or 0 if it is not known. */
unsigned long network_namespace_inode(void);
/* Return the cookie of it, or 0 if the kernel does not tell it. */
uint64_t network_namespace_cookie(void);

/* Call `visit` once in each network namespace that can be found and entered, beginning with this thread's own, until it
 * returns true. Returns 1 if it did, 0 if it did not. Returns -EPERM if it did not, and some namespaces must not be
 * entered. */
int namespaces_visit(bool (*visit)(void *context), void *context);

/* Return to the namespace of an open file. It ends the process if that fails, because work in a wrong namespace is worse. */
void namespace_return(int own_fd);
