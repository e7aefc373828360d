/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header loads the transmitting program of bpf/tx.bpf.c for one queue's plan, and runs it. The caller owns it. It is
 * loaded once, started for each trial, run again and again until the trial is over, and freed.
 *
 * Functions return 0 or -errno. Only one thread at a time may call them. While the program runs, its state may be read, but
 * not changed.
 */
#pragma once

#include <stdint.h>

#include "bpf/shared.h"
#include "dataplane/tx.h"

#define LIVE_BATCH_MAX 64

struct live_program;

/* Load the program that sends what the plan says to a port. The plan must outlive it. `first` is the program of the port's first
 * queue, with which it shares the schedule; NULL: this is that one. */
int live_program_load(const struct mlr_queue_plan *plan, int ifindex, const struct live_program *first,
		      struct live_program **ret);
void live_program_free(struct live_program *program);

int live_program_fd(const struct live_program *program);
struct live_queue *live_program_queue(struct live_program *program);

/* Return what all queues of the port share, and how the schedule moved under this queue's frames. The program owns both. */
struct tx_schedule *live_program_schedule(const struct live_program *program);
struct mlr_moves *live_program_moves(const struct live_program *program);

/* Return the page that every run starts with: the longest frame, its payload, and some header. */
const uint8_t *live_program_frame(const struct live_program *program, uint32_t *ret_octets);

/* Send one frame of trial 0 at the next run. */
void live_program_start_one(struct live_program *program);
/* Load the headers again, after the plan's have changed. */
int live_program_renew(struct live_program *program);
/* Begin a trial. */
int live_program_start(struct live_program *program, const struct tx_trial *trial);

/* Run it so many times on live frames of this length. -EINTR: a signal came. */
int live_program_run(struct live_program *program, uint32_t octets, uint32_t runs);

/* Count what the driver refuses, from now on or no longer. It costs some 60 ns a flush. */
int live_program_watch(struct live_program *program);
void live_program_unwatch(struct live_program *program);
