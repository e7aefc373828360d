/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the measurer of frames over real ports: its state, which its parts work on. */
#ifndef XDP_MLR_MEASURER_XDP_PRIVATE_H
#define XDP_MLR_MEASURER_XDP_PRIVATE_H

#include <string.h>

#include "dataplane/rx.h"
#include "dataplane/tx_port.h"
#include "measurer/account.h"
#include "measurer/diagnose.h"
#include "measurer/measurer.h"
#include "mlr/profile.h"
#include "netdev/netlink.h"
#include "netdev/nic_clock.h"
#include "port/neighbour.h"
#include "port/port.h"
#include "port/snmp.h"

/* How a port's destination MAC was found. */
enum mac_source { MAC_GIVEN, MAC_ARP, MAC_DISCOVERY, MAC_OTHER_PORT };

/* Who stamps departures of a port (departure.h). */
struct departure {
	bool stamped;
	struct nic_clock clock; /* without fd the kernel does, by CLOCK_TAI */
};

/* Everything of one port. */
struct endpoint {
	unsigned int number; /* of the port in the profile: other hosts may have ports, too */
	bool transmits, receives;
	struct rx *rx;          /* always: it also shows what is foreign or misdirected */
	struct tx_port *tx;     /* NULL if it does not transmit */
	struct nic_clock clock; /* without fd it does not tell when frames arrive */
	struct departure departure;
	uint8_t destination_mac[MLR_MAC_OCTETS];
	enum mac_source mac_source;
};

/* How long the SUT holds frames, as far as a trial has shown whose phase d took all of its time. */
struct sut_delay {
	bool is_known;
	uint64_t longest_ns;
};

struct measurer_xdp {
	struct measurer measurer;
	const struct config *config;
	struct mnl_socket *netlink;
	unsigned int port_count;
	struct port ports[MLR_PORTS_MAX];
	struct endpoint ends[MLR_PORTS_MAX];
	struct neighbours *neighbours;
	struct snmp *snmp;      /* NULL: no queries */
	unsigned int snmp_port; /* which of the ports sends them */
	struct mlr_profile profile;
	uint32_t next_sequence;        /* of the next trial, in every flow; goes on from trial to trial */
	uint32_t trial_first_sequence; /* of the last trial, likewise */
	bool said_no_departures;       /* that nobody stamps them (departure.h) */
	struct account account;        /* of the last trial */
	uint64_t trial_count;          /* performed so far */
	uint64_t late_in_trials;       /* late frames that are among a trial's counts */
	struct diagnosis diagnosis;    /* what would explain frames that are lost, or not ours */
	bool by_nic_clock;             /* all receiving ports' NICs tell when frames arrive (timestamps.h) */
	bool links_unsteady;           /* one changed in the last trial */
	struct sut_delay delay;        /* of phases d that rank 0, which judges them, has seen */
	struct load_steps *steps;      /* of the trial that runs; NULL: its load is constant */
	int64_t clock_offset_ns;       /* to add to CLOCK_MONOTONIC for the clock that tags are in; 0 where it is that */
	uint16_t trial; /* number of the last trial; starts at random, so that frames of an earlier process are late */
};

/* The first port that sends test frames. */
static inline unsigned int xdp_first_transmitter(const struct measurer_xdp *xdp)
{
	unsigned int port = 0;

	while (!xdp->ends[port].transmits)
		port++;
	return port;
}

/* Whether a NIC takes the frames that a port sends from the tester's own memory. */
static inline bool xdp_is_zero_copy(const struct measurer_xdp *xdp, unsigned int port)
{
	const struct tx_port *tx = xdp->ends[port].tx;

	return tx && strcmp(tx->mode, TX_MODE_ZERO_COPY) == 0;
}

#endif
