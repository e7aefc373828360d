/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration file is a YAML mapping whose keys are the names of options. The list of given values owns what is read.
 * The file is read once, after the command line. */
#pragma once

#include "base/yaml_read.h"
#include "config/given.h"

/* Add every value of the file to the list, without those of options that the list has already from the command line. `run`
 * names a run of the schedule in the file, whose values win over the file's own; it may be NULL. A value is a scalar, a
 * sequence or a mapping. A sequence has the values of an option that repeats, or the parts of "A,B". A mapping has the keys
 * of "K=V,...". */
enum exit_code config_file_read(const char *path, enum verb verb, const char *run, struct given_list *list);

/* These are for files that hold options among other things. */
/* Open a file and read its YAML. `what` is its name in errors if it cannot be read ("--config"). Free it with
 * yaml_file_free(). */
enum exit_code config_file_open(const char *path, const char *what, struct yaml_file *ret);
/* Add the values of an option to the list, which must have none of it yet. `key` is its name, in a mapping of the file. */
enum exit_code config_file_add(struct yaml_file *yaml, enum verb verb, const json_t *mapping, const char *key,
			       const json_t *value, struct given_list *list);
