/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel says in /sys of a network interface. An appliance has but one network namespace, and /sys is of that one. */
#ifndef XDP_MLR_APPLIANCE_INTERFACE_H
#define XDP_MLR_APPLIANCE_INTERFACE_H

#define INTERFACE_ADDRESS_SIZE 64

/* The MAC address, "02:00:00:00:00:01", into a buffer; empty where no interface has this name. */
const char *interface_address(const char *name, char address[INTERFACE_ADDRESS_SIZE]);

#endif
