/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A journal of which a part was lost, after a crash of the machine or a write of somebody else. */
#ifndef XDP_MLR_PORT_JOURNAL_DAMAGED_H
#define XDP_MLR_PORT_JOURNAL_DAMAGED_H

#include <jansson.h>

/* The journal in an open file, from its beginning. Where it is no JSON document: said, with `path` as its name; a copy is kept at PATH.damaged, and
 * the document is made of the members and the changes that are whole in it. NULL: the file is empty (nothing was changed yet), or holds nothing. */
json_t *journal_load(int fd, const char *path);

#endif
