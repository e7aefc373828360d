/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This header tells which kinds of frames (sizes, VLAN tags, priorities) come and which never do, from the numbers that the
 * receivers remember. The caller owns the counts. */
#pragma once

#include "measurer/xdp_private.h"

/* Count in what has come of frames that all transmitting ports have just sent: so many each, from this number on. Nothing
 * where sequence numbers are not looked at. */
void kinds_count(struct measurer_xdp *xdp, uint32_t first_sequence, uint64_t count);
