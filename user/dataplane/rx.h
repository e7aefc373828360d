/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The receiver of one port is the XDP program of bpf/rx.bpf.c, attached by a bpf_link. The caller owns it. It is opened
 * once, accepts one trial after another, and is closed.
 *
 * Link, maps and program hang on file descriptors of this process: when it dies, by whatever signal, the kernel detaches the
 * program. Needs CAP_NET_ADMIN and CAP_BPF. All functions are for one thread; the kernel counts meanwhile, into memory that
 * is mapped here, so reading costs no system call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/message.h"
#include "bpf/shared.h"
#include "mlr/delays.h"

struct rx;

/* Lengths that UDP packets may have, in octets, header included. */
struct rx_lengths {
	uint64_t bits[RX_LENGTH_WORDS];
};

/* Allow a length. One above RX_LENGTHS_MAX is ignored. */
void rx_lengths_add(struct rx_lengths *lengths, unsigned int udp_octets);

/* The choice of frames to verify. Frames that differ from what is expected are verified in any case. */
enum rx_verify {
	RX_VERIFY_SMALL, /* every frame whose payload is the tag alone, of others one in RX_VERIFY_SPACING of a flow */
	RX_VERIFY_ALL,
	RX_VERIFY_DOUBTS, /* no others */
};

#define RX_VERIFY_SPACING 64

/* The frames to receive, and what to find out about them. */
struct rx_options {
	uint32_t first_flow, flow_count; /* flows first_flow .. first_flow + flow_count - 1; at least one */
	uint32_t window; /* frames of a flow that may come late and still be told from copies; more where memory is cheap */
	bool no_order;   /* do not tell duplicates and reordering */
	bool no_latency;
	bool variation; /* measure the variation of latency between successive frames of a flow; needs order and latency */
	enum rx_verify verify;
	/* Profile that is sent, to verify signatures and compare headers. NULL: do neither. */
	const struct mlr_profile *profile;
	bool tags_stay;                   /* the port takes no VLAN tags off frames */
	const uint8_t *mac;               /* compare destination MAC addresses of the trial's frames with it; NULL: do not */
	const struct rx_lengths *lengths; /* NULL: do not compare them; copied */
	/* Kind of frame whose tunnels frames are sent in, to find them there. NULL: none. */
	const struct mlr_frame_spec *like;
	/* Numbers of trials of this run that other receivers had: their frames are late from the first one on. */
	struct {
		uint16_t first;
		uint32_t count;
	} earlier;
	uint32_t capture_most; /* frames that are wrong to keep, the first ones of a trial; 0: none */
	uint64_t interval_ns;  /* also count by intervals so long of a trial's schedule, and verify all frames; 0: do not */
	/* Also count by service. The flows of a service are those below its end and not below that of the one before. 0: do
	 * not. */
	uint32_t service_count;
	uint32_t part_count; /* parts of a trial's schedule: count what is due in each, of each service; 0: do not */
	uint32_t service_ends[MLR_SERVICES_MAX];
	bool flow_figures;   /* also count by flow */
	bool long_frames;    /* the port takes frames that its driver may have in fragments altogether, headers included */
	bool hardware_clock; /* the NIC stamps what it receives: use that, where the driver tells the program */
};

/* A port, and what its receiver is opened with. */
struct rx_plan {
	int ifindex;
	const char *port;
	struct rx_options options;
};
/* Receive on `count` ports. Each is in native mode, or in generic mode with a note if the driver has no native one. It takes frames
 * in several buffers and times of the NIC's clock if the driver gives them. The kernel takes milliseconds to verify the program of
 * each, and verifies them side by side. On an error the first receivers may be open, and the others are NULL. */
enum exit_code rx_open_all(const struct rx_plan *plans, size_t count, struct rx *ret[]);
void rx_close(struct rx *rx);

bool rx_is_generic(const struct rx *rx);
bool rx_has_hardware_clock(const struct rx *rx);
/* Return how many sequence numbers of a flow are remembered. A frame that comes later than that counts as a duplicate. */
uint32_t rx_window(const struct rx *rx);

/* Set what to add to the NIC's clock for CLOCK_MONOTONIC (ns), from now on; 0: its times are not used. It has no effect on a
 * receiver without hardware clock. */
void rx_set_clock_offset(struct rx *rx, int64_t offset_ns);

/* Set what to add to CLOCK_MONOTONIC for the clock that departures in tags are in (ns), from now on. */
void rx_set_tag_offset(struct rx *rx, int64_t offset_ns);

/* Accept a trial: from now on its frames count, those of an earlier trial are late, and those of any other are of an unknown
 * trial. In each flow its frames have at most sequence_count numbers from first_sequence on. It empties the trial's
 * histograms; the trial before must be over. */
void rx_accept_trial(struct rx *rx, uint16_t trial, uint32_t first_sequence, uint64_t sequence_count);

/* Frames with this number are of this run, though no trial of this receiver had it: they are late. */
void rx_use_number(struct rx *rx, uint16_t trial);

/* Set when the schedule of the accepted trial starts, by the clock that tags are in. Call it before its first frame is sent,
 * if intervals or parts are counted. */
void rx_set_start(struct rx *rx, uint64_t start_ns);
/* Set how long its parts are; 0: none is counted. Frames that are due before the start are in no part, nor are the first
 * numbers of each flow. */
void rx_set_parts(struct rx *rx, uint64_t part_ns, uint64_t numbers_before);

/* Get the counts of an interval (0 to RX_INTERVALS_MAX - 1; the last one has all that follows) of a trial, over CPUs. They
 * are zeros if intervals are not counted. */
struct rx_interval rx_interval(const struct rx *rx, uint16_t trial, unsigned int interval);
void rx_interval_merge(struct rx_interval *sum, const struct rx_interval *more);

/* Get the counts of a flow (its id on the wire, one that the port receives) in the accepted or last trial. They are zeros if
 * flows are not counted. */
struct rx_flow_figures rx_flow_figures(const struct rx *rx, uint32_t flow);

/* Get the counts of a service in the accepted or last trial, over CPUs, and of the frames that were due in one of its parts.
 * Without services there is service 0. Call it only if they are counted. */
void rx_service(const struct rx *rx, unsigned int service, struct rx_service *ret);
uint64_t rx_part(const struct rx *rx, unsigned int service, uint32_t part);

/* Set the changes that are expected (mlr/change.h), from now on. */
void rx_expect_changes(struct rx *rx, unsigned int changes);

/* Set the headers with which the frames of a flow of a stream are sent. */
struct rx_sent rx_sent_of(const struct mlr_profile *profile, const struct mlr_stream *stream, uint32_t number);

/* From now on all frames are late, until the next trial is accepted. */
void rx_end_trial(struct rx *rx);

/* Return how many frames of this trial came when it was not the accepted one, since its number was first used. */
uint32_t rx_late(const struct rx *rx, uint16_t trial);

/* Get the latencies of a trial, over CPUs. rx_trial() has their count, sum, minimum and maximum. */
void rx_delays(const struct rx *rx, uint16_t trial, struct mlr_delays *ret);

/* Frames with trial numbers that had not been accepted when they came: how many numbers, and which of them most frames have. */
struct rx_unknown {
	uint64_t frames, most_frames;
	uint32_t numbers;
	uint16_t most;
};

/* Since rx_capture_anew(), or since the program was attached. */
struct rx_unknown rx_unknown_trials(const struct rx *rx, bool in_trial);

/* Get the ICMP errors that came since rx_capture_anew(): those in the state RX_ICMP_READY. */
void rx_icmp_errors(const struct rx *rx, struct rx_icmp_error ret[RX_ICMP_ERRORS]);

/* Get all counters since the program was attached, summed over CPUs. */
void rx_snapshot(const struct rx *rx, struct rx_counters *ret);
void rx_add(struct rx_counters *sum, const struct rx_counters *more);
struct rx_counters rx_subtract(const struct rx_counters *after, const struct rx_counters *before);

/* Return the frames of the accepted trial among them. Frames that only look foreign are not included. */
uint64_t rx_ours(const struct rx_counters *counters);

/* Return all frames that the program saw. */
uint64_t rx_seen(const struct rx_counters *counters);

/* Return the largest latency of the trial so far; 0: none was taken. */
uint64_t rx_latency_max_ns(const struct rx *rx, uint16_t trial);

/* Get latency and order of the trial, merged over CPUs. */
void rx_trial(const struct rx *rx, uint16_t trial, struct rx_trial *ret);
void rx_trial_merge(struct rx_trial *sum, const struct rx_trial *more);

/* Get the numbers of a flow (its id on the wire) that were received last, each at its number modulo the window, which the
 * array has room for. *ret_came says that a frame of it came in the last trial; otherwise they are of earlier ones. It needs
 * order. Returns 0 or -errno. */
int rx_flow(const struct rx *rx, uint32_t flow, uint32_t *ret_seen, bool *ret_came);

/* Forget the wrong frames that were kept, the trial numbers that were never accepted, and the ICMP errors, and keep new ones
 * from now on. */
void rx_capture_anew(struct rx *rx);
/* Return the first wrong frames of the accepted trial, *ret_count of them. The caller frees them; NULL without memory. */
struct rx_captured *rx_captured(const struct rx *rx, size_t *ret_count);

/* Return the program's file descriptor, to run it on test frames. */
int rx_program_fd(const struct rx *rx);
/* Load without attaching it to a port: for tests. */
enum exit_code rx_load(const struct rx_options *options, struct rx **ret);
