/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The receiver of one port: the XDP program of bpf/rx.bpf.c, attached by a bpf_link.
 *
 * Link, maps and program hang on file descriptors of this process: when it dies, by whatever signal, the kernel detaches the
 * program. Needs CAP_NET_ADMIN and CAP_BPF. All functions are for one thread; the kernel counts meanwhile.
 */
#ifndef XDP_MLR_RX_H
#define XDP_MLR_RX_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/shared.h"
#include "say.h"

struct rx;

/* Receive the flows first_flow .. first_flow + flow_count - 1 on a port. Native mode, or generic mode where the driver has no
 * native one, which is announced. */
enum exit_code rx_open(int ifindex, const char *port, uint32_t first_flow, uint32_t flow_count, struct rx **ret);
void rx_close(struct rx *rx);

bool rx_is_generic(const struct rx *rx);

/* From now on the frames of this trial count, and those of any other are late. In each flow they have the sequence numbers
 * from first_sequence on, at most sequence_count of them. Empties the trial's latency histogram; the trial before must be
 * over. */
enum exit_code rx_accept_trial(struct rx *rx, uint16_t trial, uint32_t first_sequence, uint64_t sequence_count);

/* All counters since the program was attached, summed over CPUs. */
enum exit_code rx_snapshot(struct rx *rx, struct rx_counters *ret);
struct rx_counters rx_subtract(const struct rx_counters *after, const struct rx_counters *before);

/* The latency of the trial, merged over CPUs. */
enum exit_code rx_latency(struct rx *rx, uint16_t trial, struct mlr_histogram *ret);

/* The program's file descriptor, to run it on test frames. */
int rx_program_fd(const struct rx *rx);
/* Load without attaching it to a port: for tests. */
enum exit_code rx_load(uint32_t first_flow, uint32_t flow_count, struct rx **ret);

#endif
