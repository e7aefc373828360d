/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A suite opens its ports again for each of its parts, and has no privileges to do so. So a part's measurer is a process of
 * its own, which the keeper (base/keeper.h) starts. The process opens the ports, and gives up its privileges as a search
 * does, with a keeper of its own. Only then it performs trials, when the suite asks for them.
 *
 * The keeper believes nothing but which part it is: the configuration of a part follows from that of the run, which it has had
 * since before the split. Suite and process are of one program and equal in rights, so what they exchange are structures.
 *
 * The caller owns the measurer, as one of measurer_new(). It ends its process, and waits for the ports to be as before.
 */
#pragma once

#include "base/keeper.h"
#include "config/config.h"
#include "measurer/measurer.h"

enum part_kind { PART_FRAME_SIZE, PART_SERVICE, PART_SERVICES };

/* The name of one part of a suite. */
struct part_name {
	enum part_kind kind;
	unsigned int number; /* index of the frame size or service, from 0; for PART_SERVICES, one bit for each service */
	double link_bps;     /* PART_SERVICES: link speed that the rates of services_rates() follow from */
};

/* Create the measurer of a part with this configuration: in a process of its own where there is a keeper to start it, else here.
 * Returns what measurer_new() does. */
enum exit_code measurer_new_part(const struct config *config, const struct part_name *part, struct measurer **ret);

/* Prepare the keeper for parts of a suite. Call it before keeper_split(). */
void measurer_hold_parts(const struct config *config, struct keeper_plan *plan);
