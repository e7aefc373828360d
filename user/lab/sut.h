/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SUTs of the lab: what `--sut KIND[:key=value,...]` says, and what is made of it. docs/lab.md tells how each kind
 * behaves. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "config/config.h"

#define LAB_SUT_SIZE 128

enum sut_kind { SUT_ROUTER, SUT_BRIDGE, SUT_XDP, SUT_POLICER, SUT_STRETCH, SUT_DELAY, SUT_HOSTILE, SUT_WIRE, SUT_KINDS };

/* What to put between the ports. */
struct sut_spec {
	enum sut_kind kind;
	double rate_fps;      /* policer */
	double burst_s;       /* policer */
	double vlan;          /* policer: of the frames that it is about; -1: any, and frames without a tag */
	double priority;      /* likewise */
	double critical_fps;  /* stretch: the mrr of PLRsearch's stretch function */
	double spread_fps;    /* stretch */
	double seed;          /* stretch, hostile; a whole number */
	double every, by;     /* hostile: which frames, and how much; whole numbers */
	unsigned int hostile; /* which of its kinds */
	double delay_us;      /* delay */
	uint32_t queues;      /* of the links to it, each way */
	char text[LAB_SUT_SIZE];
};

/* What a kind is called. */
const char *sut_kind_name(enum sut_kind kind);

/* Read "KIND[:k=v,...]". */
enum exit_code sut_parse(const char *text, struct sut_spec *ret);

/* --- what is set up inside the namespace ------------------------------------------------------------------------------ */

#define SUT_PORT_A "sut-a"
#define SUT_PORT_B "sut-b"

struct stretch_config;
struct sut_attachment;

/* Make a SUT of the two links. Call it inside the namespace; /proc/sys/net must be that of the namespace. *ret_forwarder is
 * set for a SUT that has a process. The log of a hostile one has the lab's name. */
enum exit_code sut_build(const struct sut_spec *sut, const char *lab, pid_t *ret_forwarder);

/* Attach the XDP programs of a SUT that consists of them (xdp, policer, stretch) to two links of the current namespace. They
 * are gone with sut_detach(), or when this process ends, however it does. */
bool sut_is_program(const struct sut_spec *sut);
enum exit_code sut_attach(const struct sut_spec *sut, const int ifindex[PORT_COUNT], struct sut_attachment **ret);
void sut_detach(struct sut_attachment *attachment); /* NULL is fine */

/* The loss ratio of a stretch SUT as its XDP program wants it, for frames from port A (0) or B (1). */
void sut_stretch_curve(const struct sut_spec *sut, unsigned int direction, struct stretch_config *ret);

/* Write a value to a file under /proc/sys, of the current namespace. */
enum exit_code sysctl_write(const char *path, const char *value);
