/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SUTs of the lab: what is set up inside its namespace. */
#ifndef XDP_MLR_LAB_SUT_H
#define XDP_MLR_LAB_SUT_H

#include "lab.h"

#define SUT_PORT_A "sut-a"
#define SUT_PORT_B "sut-b"

/* Make a SUT of the two links. Call it inside the namespace; /proc/sys/net must be that of the namespace. */
enum exit_code sut_build(const struct sut_spec *sut);

/* Write a value to a file under /proc/sys, of the current namespace. */
enum exit_code sysctl_write(const char *path, const char *value);

#endif
