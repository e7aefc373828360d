/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hostile SUT is a process that forwards frames between the lab's links, and does one thing to some of the test frames.
 * The process owns its sockets; its log is a file of the lab. It is opened and started by `lab up`, and the log is removed
 * by `lab down`.
 *
 * The log counts what was done to how many frames. So a test can compare it with what a tester counts, to the frame. Frames
 * without the tester's tag are forwarded unchanged and not logged. The process uses packet sockets and is made for some
 * thousand frames a second. Its log also counts the frames for which its sockets had no room.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <sys/types.h>

#include "config/config.h"
#include "lab/sut.h"

/* Frames of both directions since the lab is up. A test frame counts as one of `intact` to `late`, or as `dropped`. */
struct hostile_log {
	uint64_t seen;             /* test frames that arrived */
	uint64_t unheard;          /* frames that were lost in the kernel before the SUT saw them */
	uint64_t intact;           /* forwarded without a change that a tester verifies */
	uint64_t dropped;          /* not forwarded */
	uint64_t without_checksum; /* intact frames whose UDP checksum was removed, as IPv4 allows */
	uint64_t copies;           /* sent in addition to a forwarded frame */
	uint64_t reordered;        /* forwarded after a later frame */
	uint64_t damaged;          /* changed without a new checksum */
	uint64_t resized;          /* cut or padded */
	uint64_t malformed;        /* with headers and lengths that contradict each other, or a number that no trial has */
	uint64_t fragmented;       /* fragments sent */
	uint64_t overtagged;       /* behind more than two VLAN tags */
	uint64_t misdirected;      /* sent to the wrong port, or with a flow that belongs to nobody */
	uint64_t late;             /* sent after the end of their trial */
	uint64_t unknown_trial;    /* given the number of a trial that the run does not have */
	uint64_t foreign;          /* changed to look like another sender's, and such frames added */
	uint64_t unsent;           /* frames that the kernel did not accept */
};

struct hostile;

/* Set sut->hostile by the name of a kind, with period and amount where they are NAN. EXIT_USAGE_ERROR lists the kinds. */
enum exit_code hostile_find(const char *name, struct sut_spec *sut);

/* Open two links of this network namespace, and the log of this lab. Returns 0 or -errno. */
int hostile_open(const char *const links[PORT_COUNT], const struct sut_spec *sut, const char *lab, struct hostile **ret);
/* Start the process, or close what is open here. */
int hostile_fork(struct hostile *hostile, pid_t *ret);
void hostile_close(struct hostile *hostile);

/* Return the log of a lab as a new reference, or NULL if it has none. */
json_t *hostile_log_json(const char *lab);
/* Remove the log, if there is one. */
void hostile_log_remove(const char *lab);
