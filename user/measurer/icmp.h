/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This header puts ICMP and ICMPv6 errors about frames of a trial into words. The measurement owns the list. */
#pragma once

#include "measurer/account.h"

/* Fill in the errors that all ports received, the most frequent first. EXIT_INCAPABLE without memory. */
enum exit_code icmp_summarize(const struct account *account, struct measurement *measurement);

/* Write "192.0.2.1 says: network unreachable, about frames to 198.19.0.3 (flow 2), 1200 times" into the room, and return
 * it. */
const char *icmp_sentence(const struct icmp_report *report, char *room, size_t size);
