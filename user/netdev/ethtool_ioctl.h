/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These functions ask by ioctl what ethtool tells in no other way. The header is private to this room; the socket belongs to
 * struct ethtool. A request is made and answered in one call. */
#pragma once

#include "netdev/ethtool.h"

/* Make one request about a link. The answer comes in `command`. Returns 0 or -errno. */
int ethtool_ioctl(const struct ethtool *ethtool, int ifindex, unsigned long what, void *command);
