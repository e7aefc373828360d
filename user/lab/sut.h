/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SUTs of the lab: `--sut KIND[:key=value,...]` describes one, and it is built between two links. The caller owns the
 * description; the kernel owns the SUT. A description is parsed once, and the SUT lives as long as the lab.
 * docs/internals/testing.md says how each kind behaves. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "config/config.h"

#define LAB_SUT_SIZE 512

enum sut_kind { SUT_ROUTER, SUT_BRIDGE, SUT_XDP, SUT_POLICER, SUT_STRETCH, SUT_DELAY, SUT_EXEC, SUT_WIRE, SUT_KINDS };

/* The SUT between the ports. */
struct sut_spec {
	enum sut_kind kind;
	double rate_fps;     /* policer */
	double burst_s;      /* policer: how early a frame may come */
	double depth_frames; /* policer: the same as a number of waiting frames; -1: burst_s is used */
	double wall_clock;   /* policer: 1; 0 for the clock of the tags */
	double any_udp;      /* policer: 1; 0 for frames of the tester alone */
	double vlan;         /* policer: the VLAN of the frames that it polices; -1: any, and untagged frames */
	double priority;     /* the same for the VLAN priority */
	double critical_fps; /* stretch: the mrr of PLRsearch's stretch function */
	double spread_fps;   /* stretch */
	double seed;         /* stretch; an integer */
	double delay_us;     /* delay */
	uint32_t queues;     /* queues of its links, in each direction */
	char text[LAB_SUT_SIZE];
};

/* Return the name of a kind. */
const char *sut_kind_name(enum sut_kind kind);

/* Return the command of an exec SUT. */
const char *sut_command(const struct sut_spec *sut);

/* Parse "KIND[:k=v,...]" or "exec:COMMAND". */
enum exit_code sut_parse(const char *text, struct sut_spec *ret);

/* --- what is set up inside the namespace ------------------------------------------------------------------------------ */

#define SUT_PORT_A "sut-a"
#define SUT_PORT_B "sut-b"

struct policer_config;
struct stretch_config;
struct sut_attachment;

/* Build a SUT of the two links. Call it inside the namespace; /proc/sys/net must be that of the namespace. *ret_forwarder is
 * set for a SUT that has a process. */
enum exit_code sut_build(const struct sut_spec *sut, pid_t *ret_forwarder);

/* Attach a SUT that consists of XDP programs (xdp, policer, stretch) to two links of this namespace. They are gone after
 * sut_detach(), or when this process ends for any reason. */
bool sut_is_program(const struct sut_spec *sut);
enum exit_code sut_attach(const struct sut_spec *sut, const int ifindex[PORT_COUNT], struct sut_attachment **ret);
void sut_detach(struct sut_attachment *attachment); /* may be NULL */

/* Get the configuration of a policer for its XDP program. */
void sut_policer(const struct sut_spec *sut, struct policer_config *ret);
/* Get the loss ratio of a stretch SUT for its XDP program, for frames from port A (0) or B (1). */
void sut_stretch_curve(const struct sut_spec *sut, unsigned int direction, struct stretch_config *ret);

/* Write a value to a file under /proc/sys, of the current namespace. */
enum exit_code sysctl_write(const char *path, const char *value);
