/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration file: a YAML mapping whose keys are the names of options. */
#pragma once

#include "base/yaml_read.h"
#include "config/given.h"

/* Add every value of the file to the list, but those of options that the list has already (from the command line). `run`,
 * where it is not NULL, names a run of the schedule in the file, whose values win over the file's own.
 * A value is a scalar; or a sequence: of the values of an option that repeats, or of the parts of "A,B"; or a mapping of the
 * keys of "K=V,...". */
enum exit_code config_file_read(const char *path, enum verb verb, const char *run, struct given_list *list);

/* For files that hold options among other things. */
/* Open one and read its YAML; `what` is how errors call the file where it cannot be read ("--config"). Free with
 * yaml_file_free(). */
enum exit_code config_file_open(const char *path, const char *what, struct yaml_file *ret);
/* Add the value, or the values, of an option to the list, which has no other value of it; `key` and `value` are nodes of the
 * file. */
enum exit_code config_file_add(struct yaml_file *yaml, enum verb verb, const yaml_node_t *key, const yaml_node_t *value,
			       struct given_list *list);
