/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions send management frames in addition to the load (RFC 2544, 11.2): SNMP queries to the SUT, whose answers
 * are verified. The caller owns the handle, which owns a raw socket and a thread. It is opened once, started and stopped in
 * each trial, and closed.
 *
 * A query is the GetNextRequest for sysUpTime of SNMPv1, community "public". The thread sends the first at the start of a
 * trial, and reads the answers until it is stopped.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/message.h"
#include "port/neighbour.h"

struct snmp;

/* The result of the queries of one trial. */
struct snmp_report {
	uint64_t queries, answers;
};

/* Open queries from a port to its gateway, whose MAC address snmp_readdress() sets. They use IPv4 if the port does. */
enum exit_code snmp_open(const struct neighbour_port *port, unsigned int queries_per_s, struct snmp **ret);
/* Call it between two trials if the gateway has another MAC address. */
void snmp_readdress(struct snmp *snmp, const uint8_t *gateway_mac);
/* Send queries from one time until another (CLOCK_MONOTONIC). */
enum exit_code snmp_start(struct snmp *snmp, uint64_t start_ns, uint64_t until_ns);
/* Stop, and return the result. */
struct snmp_report snmp_stop(struct snmp *snmp);
void snmp_close(struct snmp *snmp);

/* Write the query with this number, or tell whether a message is its answer. Tests use these, too. */
#define SNMP_QUERY_OCTETS 42
void snmp_query(uint32_t number, uint8_t ret[SNMP_QUERY_OCTETS]);
bool snmp_is_answer(const uint8_t *message, size_t octets, uint32_t *ret_number);
