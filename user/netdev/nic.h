/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which NIC a port is, across reboots and renaming, and what of it can change: for what is stored about it. */
#pragma once

#include <net/if.h>

#define NIC_TEXT_SIZE 64

struct nic {
	char name[IF_NAMESIZE];
	char id[NIC_TEXT_SIZE]; /* bus address, else permanent MAC address, else the name */
	char driver[NIC_TEXT_SIZE], driver_version[NIC_TEXT_SIZE], firmware[NIC_TEXT_SIZE];
	unsigned int queues; /* channels that transmit; 0: the driver does not say */
};

/* What cannot be found out stays empty. */
void nic_identify(const char *port, struct nic *ret);
