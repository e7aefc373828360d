/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --help and --version, written from the option table. */
#ifndef XDP_MLR_CONFIG_HELP_H
#define XDP_MLR_CONFIG_HELP_H

#include "config/config.h"

enum exit_code help_program(void);
/* The verbs from `first` to `last`, which share a first word. */
enum exit_code help_verb(enum verb first, enum verb last);
enum exit_code help_version(void);

#endif
