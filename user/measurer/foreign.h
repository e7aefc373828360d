/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This header writes the first foreign and damaged frames that came to the ports in the last trial (--capture-foreign). Only
 * the measurer `xdp` has them. The caller owns and frees the text. */
#pragma once

#include "measurer/measurer.h"

/* Return them as pcapng, each with its port, its time in ns, and why it was not received. *ret_count: how many; NULL without
 * memory. */
char *measurer_xdp_foreign(struct measurer *measurer, size_t *ret_length, size_t *ret_count);
