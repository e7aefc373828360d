/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ICMP and ICMPv6 errors about frames of a trial: what they say, in words. */
#pragma once

#include "measurer/account.h"

/* Fill in what all ports were told, the most frequent first. EXIT_INCAPABLE without memory. */
enum exit_code icmp_summarize(const struct account *account, struct measurement *measurement);

/* "192.0.2.1 says: network unreachable, about frames to 198.19.0.3 (flow 2), 1200 times": written to the room, and returned. */
const char *icmp_sentence(const struct icmp_report *report, char *room, size_t size);
