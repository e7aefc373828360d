/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first frames that came to the ports in the last trial and were none that it sent, or not as it sent them. Only `xdp` has this. */
#pragma once

#include "measurer/measurer.h"

/* As pcapng, each with its port, its time in ns, and why it was not received. *ret_count: how many; NULL without memory. */
char *measurer_xdp_foreign(struct measurer *measurer, size_t *ret_length, size_t *ret_count);
