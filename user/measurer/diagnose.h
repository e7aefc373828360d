/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This header warns, once a run, of what is most likely wrong when frames are lost, or frames of others come. The measurer
 * owns the state. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>

#include "config/config.h"
#include "measurer/measurement.h"
#include "port/neighbour.h"

/* The state of a run. Zeros: nothing is known yet. */
struct diagnosis {
	bool ports_meet;    /* The ports see each other by ARP or neighbour discovery: no router is between them. */
	const char *port;   /* the first that transmits; NULL: none does */
	const char *option; /* "gateway" or "gateway6", by which nobody answers that port; NULL: somebody does by each */
	char gateway[INET6_ADDRSTRLEN]; /* address of that gateway */
	char own[512];                  /* explanation, if the foreign frames come from this machine; else empty */
	size_t own_at;                  /* the port where those arrive */
	bool has_broken;                /* foreign frames have the address of a port by which nobody else sends */
	bool said_silence, said_foreign, said_nothing_came, said_broken, said_window, said_late, said_checksums,
		said_unknown_trial, said_icmp, said_storm, said_changed, said_slow;
};

/* What was learned for a port that transmits: nobody need answer where there is no gateway, as over a bridge, for the other
 * port's address is then right. And forget what was learned of all ports. */
void diagnose_learned(struct diagnosis *diagnosis, const struct neighbour_port *port, const struct neighbour_answer *answer);
void diagnose_forget_silence(struct diagnosis *diagnosis);

/* Warn about what the counts of a trial show. All frames of an IP version may be lost whose gateway did not answer. Other
 * stations may have begun to send after listen.h. A link may carry unusually many frames of housekeeping. The SUT may have
 * damaged frames, or delayed them for longer than the receiver remembers their numbers. */
void diagnose_measured(struct diagnosis *diagnosis, const struct config *config, const struct measurement *measurement);
