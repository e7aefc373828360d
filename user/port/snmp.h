/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Management frames beside the load (RFC 2544, 11.2): SNMP queries to the SUT, each answer verified.
 *
 * A query is the GetNextRequest for sysUpTime of SNMPv1, community "public". A thread of its own sends them during a trial,
 * the first at its start, and takes the answers, until it is stopped. Everything hangs on a raw socket.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/message.h"
#include "port/neighbour.h"

struct snmp;

/* What became of the queries of one trial. */
struct snmp_report {
	uint64_t queries, answers;
};

/* Queries from a port to its gateway, over IPv4 where the port uses it, at this MAC address. */
enum exit_code snmp_open(const struct neighbour_port *port, const uint8_t *gateway_mac, unsigned int queries_per_s,
			 struct snmp **ret);
/* Send from one time until another (CLOCK_MONOTONIC). */
enum exit_code snmp_start(struct snmp *snmp, uint64_t start_ns, uint64_t until_ns);
/* End it, and say what came of it. */
struct snmp_report snmp_stop(struct snmp *snmp);
void snmp_close(struct snmp *snmp);

/* The query with this number, and whether a message is the answer to it. For tests, too. */
#define SNMP_QUERY_OCTETS 42
void snmp_query(uint32_t number, uint8_t ret[SNMP_QUERY_OCTETS]);
bool snmp_is_answer(const uint8_t *message, size_t octets, uint32_t *ret_number);
