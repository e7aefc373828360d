/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The measurers that measurer_new() chooses from. The header is private to this room. Functions return EXIT_DONE, or another
 * code after a message. */
#pragma once

#include "measurer/measurer.h"

enum exit_code measurer_xdp_new(const struct config *config, struct measurer **ret);
enum exit_code measurer_exec_new(const struct config *config, struct measurer **ret);
/* A measurer on one of several hosts, under mpirun. */
enum exit_code measurer_mpi_new(const struct config *config, struct measurer **ret);
enum exit_code measurer_sim_new(const struct config *config, struct measurer **ret);
/* A measurer that measures nothing, in place of `xdp`, `mpi` or `exec`, if a stop came before that was ready. */
enum exit_code measurer_stopped_new(const struct config *config, struct measurer **ret);
/* A measurer that measures nothing, for a replay, which only has stored trials. */
enum exit_code measurer_replay_new(const struct config *config, struct measurer **ret);
