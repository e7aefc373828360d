/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of a configuration: it is read, the options of all its runs are checked, then its rounds of runs begin. A run is one call of
 * xdp-mlr; its document is stored, rendered and handed over. A run that dies is cleaned up after, tried again, and the next
 * result says so.
 */
#ifndef XDP_MLR_APPLIANCE_RUNNER_H
#define XDP_MLR_APPLIANCE_RUNNER_H

#include "appliance.h"

/* After a start: go on where a process of ours that died was, or begin. */
void runner_start(struct appliance *appliance);
/* Do what is due. */
void runner_work(struct appliance *appliance);
/* When to call it at the latest. */
uint64_t runner_due_ns(const struct appliance *appliance);
/* The schedule from its beginning, and the configuration read anew; not while a run is on. */
bool runner_again(struct appliance *appliance);
/* End the run that is on; its result so far is kept. False: none is. */
bool runner_stop_run(struct appliance *appliance);
/* Switch off, once the run that is on has been stopped and its result handed over. */
void runner_power_off(struct appliance *appliance);
/* End at once: what runs is asked to end, and PHASE_ENDING lasts until it has. */
void runner_abandon(struct appliance *appliance);
/* Look at the ports anew; false while a run is on. */
bool runner_probe(struct appliance *appliance);

#endif
