/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lab: a SUT of its own in a network namespace, joined to the tester's by two veth pairs.
 *
 *	NAME-a ---- sut-a  [ SUT ]  sut-b ---- NAME-b        (sut-a, sut-b in the namespace xdp-mlr-NAME)
 *
 * Nothing outside the namespace and the two ports is changed, no machine-wide setting either. A lab lives on after the
 * program ends, until it is taken down; its XDP programs hang on its links.
 */
#pragma once

#include <jansson.h>
#include <net/if.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/message.h"
#include "config/config.h"
#include "lab/sut.h"

#define LAB_NAME_SIZE 12 /* octets, with the closing NUL: a port name has to hold it and "-a" */

struct lab {
	char name[LAB_NAME_SIZE];
	char ports[PORT_COUNT][IF_NAMESIZE];
	char namespace[32]; /* empty for SUT_WIRE */
	char sut[LAB_SUT_SIZE];
	pid_t forwarder; /* the process of a SUT that has one, else 0 */
	bool complete;   /* false: the `lab up` that made it did not finish */
	pid_t maker;     /* the process of that */
};

enum exit_code lab_up(const char *name, const struct sut_spec *sut, struct lab *ret);
/* Remove it; what is not there is no error. */
enum exit_code lab_down(const char *name);
/* The lab of this name as its state file tells; false if there is none. */
bool lab_find(const char *name, struct lab *ret);
/* Call for each lab that has a state file, by name, until a call returns another code than EXIT_DONE; that code. */
enum exit_code lab_each(enum exit_code (*visit)(const char *name, void *context), void *context);
/* Whether something of it is gone: its namespace, a port, the SUT's own process. What, in words. */
#define LAB_LOST_SIZE 64
bool lab_has_lost(const struct lab *lab, char ret_what[LAB_LOST_SIZE]);
/* What its SUT did to which frames, where it keeps a log (hostile.h); else NULL. A new reference. */
json_t *lab_log(const struct lab *lab);
/* Remove every lab whose `lab up` died; counts them. */
enum exit_code lab_clean(unsigned int *ret_removed);

/* A SUT on two ports of this machine, for another tester. */
/* Be the SUT until a stop is requested. Nothing stays on the ports, however the process ends. */
enum exit_code lab_on(const struct config *config, const struct sut_spec *sut);
