/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lab's hostile SUTs: a process that forwards frames between the lab's links, and does one thing to some of the test
 * frames. What it did to how many stands in a log that lives as long as the lab, so that what a tester counts can be
 * compared with it, to the frame.
 *
 * Frames without the tester's tag are forwarded as they are, and not logged. The process sees frames by packet sockets: it
 * is made for some thousand frames a second, and its log says what its sockets had no room for.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <sys/types.h>

#include "config/config.h"
#include "lab/sut.h"

/* Frames of both directions since the lab is up. What the SUT sees is one of intact to late in it, or nothing where it was
 * dropped. */
struct hostile_log {
	uint64_t seen;        /* test frames that came */
	uint64_t unheard;     /* frames that the kernel had no room for before the SUT saw them */
	uint64_t intact;      /* sent on with all that a tester verifies unchanged */
	uint64_t dropped;     /* not sent on */
	uint64_t copies;      /* sent beside a frame that was sent on */
	uint64_t reordered;   /* sent on after a later one */
	uint64_t damaged;     /* changed under a checksum */
	uint64_t resized;     /* cut or padded */
	uint64_t malformed;   /* headers and lengths made to contradict each other, or a number that no trial has */
	uint64_t fragmented;  /* fragments sent */
	uint64_t overtagged;  /* behind more VLAN tags than two */
	uint64_t misdirected; /* sent to the wrong port, or by flow to nobody */
	uint64_t late;        /* sent after the end of the trial that they are of */
	uint64_t foreign;     /* made to look like another's, and others' frames sent */
	uint64_t unsent;      /* what the kernel did not take */
};

struct hostile;

/* Fills in sut->hostile, every and by (where they are not given, NAN) by the name of a kind. EXIT_USAGE_ERROR says which
 * there are. */
enum exit_code hostile_find(const char *name, struct sut_spec *sut);

/* Open two links of this network namespace, and the log of this lab. 0 or -errno. */
int hostile_open(const char *const links[PORT_COUNT], const struct sut_spec *sut, const char *lab, struct hostile **ret);
/* Start the process; close what is open here. */
int hostile_fork(struct hostile *hostile, pid_t *ret);
void hostile_close(struct hostile *hostile);

/* The log of a lab, NULL if it has none. A new reference. */
json_t *hostile_log_json(const char *lab);
/* Remove it, if there is one. */
void hostile_log_remove(const char *lab);
