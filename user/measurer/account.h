/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header makes a measurement from what each port did and saw in a trial. The caller owns both; the functions keep
 * nothing.
 *
 * Ports may be those of one machine or of several. The Trial Loss Ratio comes from frame counts summed over all of them (RFC
 * 9971, sections 4.5.5 and 4.5.6), while the Trial Load stays that of one interface. Missing frames are attributed in the
 * order in which a frame travels: not sent, dropped by the transmitting interface, damaged when it reached the receiving
 * interface, missed by the receiving interface. The rest was lost in the SUT. No function here acts on anything.
 */
#pragma once

#include "bpf/shared.h"
#include "config/config.h"
#include "dataplane/tx.h"
#include "measurer/measurement.h"
#include "mlr/delays.h"
#include "mlr/profile.h"

/* The meaning of drops in a port's transmit counters. */
enum tx_drops { TX_DROPS_BEFORE_WIRE, TX_DROPS_AT_RECEIVER, TX_DROPS_IN_SUT };

/* The facts of one port after a trial. They are plain data, which may come from another machine of the same kind. */
struct port_trial {
	uint64_t link_changes; /* changes of carrier, resets of the driver; if any, nothing else here concerns the SUT */
	struct port_counts counts;
	struct rx_counters received; /* counters of its receiver in the trial */
	struct rx_icmp_error icmp_errors[RX_ICMP_ERRORS];
	struct tx_report sent;                                       /* zeros if the port does not transmit */
	uint64_t intended_to[MLR_PORTS_MAX], sent_to[MLR_PORTS_MAX]; /* its frames, by the port that is to receive them */
	uint64_t start_ns; /* intended start of the trial: CLOCK_MONOTONIC of its host, like the departures in `sent` */
	struct tx_schedule schedule; /* schedule with the time that stops moved it by */
	double busy_s;               /* time it transmitted: the Trial Duration, or longer where the last frame left late */
	enum tx_drops tx_drops;
	double misaddressed_ratio; /* part of its frames that goes to an address not yet confirmed */
	uint32_t window;           /* sequence numbers that its receiver remembers of a flow (rx.h) */
	/* The receiver's figures of the trial that cannot be subtracted. They are large, and stand last. */
	struct rx_trial seen;
	struct mlr_delays delays; /* latency of every frame */
};

/* A trial to be accounted for. It is too large for a stack. Ports are in the order of the profile. */
struct account {
	const struct config *config;
	const struct mlr_profile *profile;
	struct mlr_trial_input input; /* a load of 0: as fast as possible */
	double clock_read_ns;         /* time that each of the two readings of the clock takes */
	unsigned int port_count;
	struct port_trial ports[MLR_PORTS_MAX];
};

/* Return what all ports received. */
struct rx_counters account_received(const struct account *account);

/* Count what arrived of all that a port of the profile sent to others. *ret_to is one of those. */
uint64_t account_came_from(const struct account *account, unsigned int port, unsigned int *ret_to);

/* Return a port whose link changed in the trial, NULL if none did. The second function says whether to perform it
 * once more (EXIT_DONE) or, after so many performances, no more (EXIT_INVALID). */
const struct port_trial *account_changed_link(const struct account *account);
enum exit_code account_judge_links(const struct account *account, unsigned int repeats);
/* Report that a link changed, in a trial in which links may change. */
void account_note_links(const struct account *account);

/* Whether a trial that was accounted for is to be performed again, because the tester spoilt it: at most so often, and only where
 * another performance has a chance. It depends on what the tester did, not on what the SUT lost by itself. */
bool account_may_repeat(const struct account *account, const struct measurement *measurement, unsigned int most);
/* Return how often the next trial may be performed again after this one. It is fewer times if all performances were spoilt
 * by what stops do not explain. So an interface which cannot take a load does not cost a search all repeats at each
 * trial. */
unsigned int account_next_repeats(const struct config *config, const struct measurement *measurement, unsigned int most);

/* Fill in counts, verdict, attribution, pacing, order and latency (by software, on one clock), and whether the tester was
 * the limit. EXIT_INVALID if the ports are crossed. */
enum exit_code account_for(const struct account *account, struct measurement *measurement);
