/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header finds another program of this machine that sends on a port by a packet socket, as DHCP clients and network
 * managers do. It must be called while the process may still read which files other processes have open. The caller owns the
 * answer.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct own_program {
	pid_t process; /* 0: none */
	char name[32];
};

/* Find the first program with a packet socket on the port; sockets of this process are none. */
void own_program_find(int ifindex, struct own_program *ret);

/* Return the command that makes it leave the port alone. */
#define OWN_PROGRAM_REMEDY_SIZE 160
const char *own_program_remedy(const struct own_program *program, const char *port, char buffer[OWN_PROGRAM_REMEDY_SIZE]);
