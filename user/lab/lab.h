/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lab is a SUT in a network namespace of its own, joined to the tester's namespace by two veth pairs. A state file and
 * the kernel own it, not a process. It lives from lab_up() to lab_down(), longer than the program; its XDP programs are
 * attached to its links.
 *
 *	NAME-a ---- sut-a  [ SUT ]  sut-b ---- NAME-b        (sut-a, sut-b in the namespace xdp-mlr-NAME)
 *
 * Nothing outside the namespace and the two ports is changed, and no machine-wide setting.
 */
#pragma once

#include <jansson.h>
#include <net/if.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/message.h"
#include "config/config.h"
#include "lab/sut.h"

#define LAB_NAME_SIZE 12 /* octets with the closing NUL: a port name must hold it and "-a" */

struct lab {
	char name[LAB_NAME_SIZE];
	char ports[PORT_COUNT][IF_NAMESIZE];
	char namespace[32]; /* empty for SUT_WIRE */
	char sut[LAB_SUT_SIZE];
	pid_t forwarder; /* the process of the SUT, or 0 */
	bool complete;   /* false: its `lab up` did not finish */
	pid_t maker;     /* the process of that `lab up` */
};

enum exit_code lab_up(const char *name, const struct sut_spec *sut, struct lab *ret);
/* Remove a lab. It is no error if it does not exist. */
enum exit_code lab_down(const char *name);
/* Read the lab of this name from its state file. Returns false if there is none. */
bool lab_find(const char *name, struct lab *ret);
/* Call `visit` for each lab that has a state file, until a call returns another code than EXIT_DONE. Returns the last
 * code. */
enum exit_code lab_each(enum exit_code (*visit)(const char *name, void *context), void *context);
/* Whether a part of the lab is gone: its namespace, a port, or the process of its SUT. It says which. */
#define LAB_LOST_SIZE 64
bool lab_has_lost(const struct lab *lab, char ret_what[LAB_LOST_SIZE]);
/* Return what its policer counted in both directions (counts.h), or NULL. It is a new reference. */
json_t *lab_counts(const struct lab *lab);
/* Remove every lab whose `lab up` died, and count them. */
enum exit_code lab_clean(unsigned int *ret_removed);

/* A SUT on two ports of this machine, for a tester on another machine. */
/* Be the SUT until a stop is requested. Nothing stays on the ports, whatever ends the process. */
enum exit_code lab_on(const struct config *config, const struct sut_spec *sut);
