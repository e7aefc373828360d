/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration file: a YAML mapping whose keys are the names of options. */
#ifndef XDP_MLR_CONFIG_FILE_H
#define XDP_MLR_CONFIG_FILE_H

#include "config.h"
#include "options.h"

/* Add every value of the file to the list, but those of options that the list has already (from the command line). `run`, where it
 * is not NULL, names a run of the schedule in the file, whose values win over the file's own.
 * A value is a scalar; or a sequence: of the values of an option that repeats, or of the parts of "A,B"; or a mapping of the
 * keys of "K=V,...". */
enum exit_code config_file_read(const char *path, enum verb verb, const char *run, struct given_list *list);

#endif
