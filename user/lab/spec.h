/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `--sut KIND[:key=value,...]` says. docs/lab.md tells how each kind behaves. */
#ifndef XDP_MLR_LAB_SPEC_H
#define XDP_MLR_LAB_SPEC_H

#include <stdint.h>

#include "base/message.h"

#define LAB_SUT_SIZE 128

enum sut_kind { SUT_ROUTER, SUT_BRIDGE, SUT_XDP, SUT_POLICER, SUT_STRETCH, SUT_DELAY, SUT_HOSTILE, SUT_WIRE, SUT_KINDS };

/* What to put between the ports. */
struct sut_spec {
	enum sut_kind kind;
	double rate_fps;      /* policer */
	double burst_s;       /* policer */
	double critical_fps;  /* stretch: the mrr of PLRsearch's stretch function */
	double spread_fps;    /* stretch */
	double seed;          /* stretch, hostile; a whole number */
	double every, by;     /* hostile: which frames, and how much; whole numbers */
	unsigned int hostile; /* which of its kinds */
	double delay_us;      /* delay */
	uint32_t queues;      /* of the links to it, each way */
	char text[LAB_SUT_SIZE];
};

/* Read "KIND[:k=v,...]". */
enum exit_code sut_parse(const char *text, struct sut_spec *ret);

#endif
