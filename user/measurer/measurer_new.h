/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the measurers: what measurer_new() chooses from. EXIT_DONE, or the reason was said. */
#pragma once

#include "measurer/measurer.h"

enum exit_code measurer_xdp_new(const struct config *config, struct measurer **ret);
enum exit_code measurer_exec_new(const struct config *config, struct measurer **ret);
/* One of several hosts, under mpirun. */
enum exit_code measurer_mpi_new(const struct config *config, struct measurer **ret);
enum exit_code measurer_sim_new(const struct config *config, struct measurer **ret);
/* One that stands for `xdp`, `mpi` or `exec` where a stop came before it was ready, and measures nothing. */
enum exit_code measurer_stopped_new(const struct config *config, struct measurer **ret);
/* One that measures nothing: for a replay, which only has stored trials. */
enum exit_code measurer_replay_new(struct measurer **ret);
