/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The three standard files. */
#ifndef XDP_MLR_BASE_STANDARD_H
#define XDP_MLR_BASE_STANDARD_H

/* First thing: what was closed is opened, so that no file of ours gets its number and what is meant for somebody else. Reading gives the end of a
 * file, writing fails as it did. 0 or -errno. */
int standard_open(void);

#endif
