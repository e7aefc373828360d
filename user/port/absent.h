/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header finds network devices of the PCI bus that make no port here. They are bound to vfio-pci or another driver for
 * user space, or to none, or their port is in another network namespace. Files are read below `root`, "" for the real ones.
 * The caller owns what is returned.
 */
#pragma once

#define ABSENT_TEXT_SIZE 640

/* Write what became of a missing port of this name, and the command that brings it back, into the buffer. It names the
 * device with the address that the name stands for ("0000:03:00.0", "enp3s0f1"), else all devices without a port. Return the
 * buffer; an empty text where there is nothing to say. */
const char *absent_explain(const char *root, const char *name, char *buffer, unsigned int size);
