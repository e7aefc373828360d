/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The identity of a NIC stays the same across reboots and renaming, so what is stored about a port goes by it. The caller
 * owns it. It is read once, and compared with a stored one. */
#pragma once

#include <net/if.h>

#define NIC_TEXT_SIZE 64

struct nic {
	char name[IF_NAMESIZE];
	char id[NIC_TEXT_SIZE]; /* the bus address, else the permanent MAC address, else the name */
	char driver[NIC_TEXT_SIZE], driver_version[NIC_TEXT_SIZE], firmware[NIC_TEXT_SIZE];
	unsigned int queues; /* channels that transmit; 0: the driver does not tell */
};

/* Read the identity of a port. What is not known stays empty. */
void nic_identify(const char *port, struct nic *ret);
