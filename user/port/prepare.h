/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preparing a claimed port: what --prepare names, each change journalled (journal.h). docs/safety.md lists them.
 *
 * What is asked for by name and cannot be done ends the run (EXIT_INCAPABLE); what `auto` stands for is a warning then. What a
 * port does not have need not be switched off.
 */
#ifndef XDP_MLR_PORT_PREPARE_H
#define XDP_MLR_PORT_PREPARE_H

#include <sched.h>

#include "base/message.h"
#include "config/config.h"
#include "mlr/profile.h"
#include "port/state.h"

/* All but interrupts. `mtu_octets` is what the frames need. */
enum exit_code port_prepare(struct port *port, const struct config *config, unsigned int mtu_octets);
/* Have the NIC deal out to its receive queues what port number `number` of the profile receives. */
enum exit_code port_steer(struct port *port, const struct config *config, const struct mlr_profile *profile,
			  unsigned int number);
/* Keep the port's interrupts off these CPUs. */
enum exit_code port_spare_cpus(struct port *port, const struct config *config, const cpu_set_t *cpus);
/* Have the NIC stamp every frame that it receives. 0 or -errno, unsaid: -EPERM if --prepare does not allow it. */
int port_stamp_received(struct port *port, const struct config *config);
/* Have it stamp frames that it sends, where they ask for it. Likewise. */
int port_stamp_sent(struct port *port, const struct config *config);

#endif
