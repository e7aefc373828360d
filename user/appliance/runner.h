/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of a configuration: it is read, the options of all its runs are checked, then its rounds of runs begin. A run is one call of
 * xdp-mlr; its document is stored, rendered and handed over. A run that dies is cleaned up after, tried again, and the next
 * result says so.
 */
#ifndef XDP_MLR_APPLIANCE_RUNNER_H
#define XDP_MLR_APPLIANCE_RUNNER_H

#include "appliance/appliance.h"

/* After a start: go on where a process of ours that died was, or begin. */
void runner_start(struct appliance *appliance);
/* Do what is due, and what was requested. */
void runner_work(struct appliance *appliance);
/* When to call it at the latest. */
uint64_t runner_due_ns(const struct appliance *appliance);
/* End at once: what runs is asked to end, and PHASE_ENDING lasts until it has. */
void runner_abandon(struct appliance *appliance);

#endif
