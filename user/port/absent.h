/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header finds network devices of the PCI bus that make no port here. They are bound to vfio-pci or another driver for
 * user space, or to none, or their port is in another network namespace. Files are read below `root`, "" for the real ones.
 * The caller owns what is returned.
 */
#pragma once

#include <stdbool.h>

#define ABSENT_NAME_SIZE 64
#define ABSENT_MOST      16
#define ABSENT_TEXT_SIZE 640

/* One such device. */
struct absent {
	char address[ABSENT_NAME_SIZE]; /* PCI address, such as "0000:03:00.0" */
	char driver[ABSENT_NAME_SIZE];  /* driver of the device; empty: none */
	bool is_of_user_space;          /* The driver is one of user space, and makes no port. */
};

/* Find them; return their number, at most ABSENT_MOST. */
unsigned int absent_find(const char *root, struct absent ret[ABSENT_MOST]);

/* Write what became of a missing port of this name, and the command that brings it back, into the buffer. It names the
 * device with the address that the name stands for ("0000:03:00.0", "enp3s0f1"), else all devices without a port. Return the
 * buffer; an empty text where there is nothing to say. */
const char *absent_explain(const char *root, const char *name, char *buffer, unsigned int size);

/* Return the shell command that gives a device back to the kernel's own driver. */
const char *absent_remedy(const struct absent *absent, char *buffer, unsigned int size);
