/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Measurer (RFC 9971, section 4.9.1) performs one trial when given a Trial Input. The caller owns it; it lives from
 * measurer_new() to measurer_free().
 *
 * Implementations: xdp.c (frames over real ports), mpi.c (over ports of several hosts), exec.c (a process of the user's),
 * sim.c (a simulated SUT of libmlr). Everything that varies between two trials of one measurer is the Trial Input.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/keeper.h"
#include "base/message.h"
#include "config/config.h"
#include "measurer/measurement.h"
#include "measurer/selftest_store.h"
#include "mlr/trial.h"

struct load_steps;
struct measurer;
struct observers;
struct tx_stops;

/* An implementation. Every function gets the measurer itself. */
struct measurer_ops {
	/* Find out what lies between the ports. May be NULL. */
	enum exit_code (*connect)(struct measurer *measurer);
	/* Begin anew, for another search of --repeat. May be NULL. */
	enum exit_code (*renew)(struct measurer *measurer);
	/* Perform one trial. EXIT_DONE; EXIT_INTERRUPTED after a stop (ret untouched); else the reason was said. */
	enum exit_code (*measure)(struct measurer *measurer, const struct mlr_trial_input *input, struct measurement *ret);
	/* Return the result document's "measurer" and "traffic_profile" objects; new references. */
	json_t *(*describe)(struct measurer *measurer);
	json_t *(*traffic_profile)(struct measurer *measurer);
	/* Add sentences to the document's "deviations" (from RFC 2544) array. May be NULL. */
	void (*deviations)(struct measurer *measurer, json_t *deviations);
	/* Call it before keeper_split(): it says what the keeper is to undo. May be NULL. */
	void (*hold)(struct measurer *measurer, struct keeper_plan *plan);
	/* These belong to ports; the functions measurer_xdp_... say what each does. */
	enum exit_code (*steps)(struct measurer *measurer, struct load_steps *steps, struct measurement *ret);
	bool (*queue_stops)(struct measurer *measurer, unsigned int port, unsigned int queue, struct tx_stops *ret);
	struct selftest_way (*way)(struct measurer *measurer);
	json_t *(*connection)(struct measurer *measurer);
	/* Free it. NULL: it has nothing beside its own memory. */
	void (*free)(struct measurer *measurer);
};

struct measurer {
	const struct measurer_ops *ops;
	const struct config *config; /* configuration that it was made for */
	bool virtual_time;           /* no real time passes: limits count effective durations */
	unsigned int transmitters;   /* the factor between per-interface and aggregate load, >= 1 */
	double line_rate_fps;        /* line rate of the slower port at the profile's frame size; 0: not known */
	double frame_size_octets; /* mean size of its frames, as an external measurer says; 0: it says none; NAN: nobody knows */
	struct selftest_figure selftest; /* figures of the last self-test, for `xdp` */
	uint64_t last_trial;             /* the number of the last one, where trials have numbers */
	struct observers *observers;     /* observers of the SUT during trials; NULL: none. Owned */
};

/* Create what the configuration asks for. After a stop it returns EXIT_INTERRUPTED, and *ret measures nothing, but describes
 * itself for a result without trials. */
enum exit_code measurer_new(const struct config *config, struct measurer **ret);

/* Get ready for the first trial. What arrives at ports is parsed from now on. So first, where the run is divided, the
 * keeper of this plan takes over the privileges. Returns EXIT_INTERRUPTED after a stop, or another code after a message. */
enum exit_code measurer_divide(struct measurer *measurer, struct keeper_plan *plan);
/* Do the same where the run is not divided. */
enum exit_code measurer_connect(struct measurer *measurer);

void measurer_free(struct measurer *measurer);

/*
 * A trial that is more than a load for a time: a burst, or one load and then, without a pause, another; watched meanwhile; or
 * one beside hostile frames.
 * Only `xdp` performs it. It counts as one trial, of the mean load.
 */
struct load_steps {
	double load_fps;
	uint64_t frame_count; /* frames for each transmitting port */
	double then_load_fps; /* 0: nothing follows */
	uint64_t then_frame_count;
	bool links_may_change; /* Links may go down and up again as a part of the test, and the trial counts. */
	bool keeps_part;       /* If a stop ends the trial, what was sent until then is measured. */
	double hostile_fps;    /* hostile frames that each port sends beside it; INFINITY: as many as can be; 0: none */
	double grace_s;        /* time after the end in which the last frames may still be sent */
	bool by_due_time;      /* Count frames by their due time: all, or with a second load only those from that load on. */
	/* A function that is called about every ms while frames are sent; may be NULL. */
	void (*watch)(void *context, uint64_t now_ns);
	/* The trial is performed again, because a link changed in it: forget what was watched. May be NULL. */
	void (*again)(void *context);
	void *context;
	/* Due times of the first frame, of the first after the change, and of the end. */
	uint64_t ret_start_ns, ret_change_ns, ret_end_ns;
	bool ret_is_part;         /* A stop ended the trial. */
	uint64_t first_sequences; /* for the measurer alone */
};

/* Return how long the frames of all steps take, in seconds. */
static inline double load_steps_duration_s(const struct load_steps *steps)
{
	double first_s = (double)steps->frame_count / steps->load_fps;

	return steps->then_load_fps > 0 ? first_s + (double)steps->then_frame_count / steps->then_load_fps : first_s;
}
enum exit_code measurer_xdp_measure_steps(struct measurer *measurer, struct load_steps *steps, struct measurement *ret);

/* Return how fast this measurer can transmit (frames/s for each transmitter), by a short calibration. Only `xdp` has one. */
enum exit_code measurer_xdp_calibrate(struct measurer *measurer, double *ret_max_load_fps);
/* Get the stops of one transmit queue of a port in the last trial, for `xdp`. Returns false if there is no such queue. */
bool measurer_xdp_queue_stops(struct measurer *measurer, unsigned int port, unsigned int queue, struct tx_stops *ret);
/* Return what lies between the ports, for `xdp`, as the member "connection", a new reference; NULL: it was not found out.
 * The second function tells whether as many frames in a row have passed as were wanted. */
json_t *measurer_xdp_connection(struct measurer *measurer);
bool measurer_xdp_is_connected(const struct measurer *measurer);
/* Return how frames are sent and timed, for the store of self-tests of `xdp`. */
struct selftest_way measurer_xdp_way(struct measurer *measurer);
/* Perform one trial with --load max: as fast as the transmitter can. What was intended becomes what was sent. */
enum exit_code measurer_xdp_measure_max(struct measurer *measurer, double duration_s, struct measurement *ret);
/* Check, for --dry-run, what `xdp` would refuse, as far as the ports and their drivers say without being changed. It also
 * gets the line rate: 0 if it is not known, INFINITY if no port has carrier. */
enum exit_code measurer_xdp_check(const struct config *config, double *ret_line_rate_fps);
/* For `exec`: whether a Trial Loss Ratio agrees with counts, given its rounding. The second function returns the largest
 * rounding of a ratio. */
bool measurer_counts_agree(const struct mlr_trial_input *input, double ratio, double rounding, double sent, double lost);
double measurer_ratio_rounding(double ratio);
/* Whether what the SUT alone lost of the frames sent can be part of a loss ratio; each may be rounded by so much. */
bool measurer_sut_loss_agrees(double ratio, double rounding, double sut_ratio, double sut_rounding);
/* Whether a loss ratio says that no frame came back, of which a latency could be. `received` is NAN where it is not known. */
bool measurer_nothing_came(const struct mlr_trial_input *input, double ratio, double received);
/* Whether this is the latency of at least one frame. */
bool measurer_has_latency(const json_t *latency);
/* Whether the trial has no more intervals (--interval) than `xdp` can count: EXIT_USAGE_ERROR if it has. Done where none are to be counted, or frames
 * are sent as fast as they can be, as for a calibration. */
enum exit_code intervals_check(const struct config *config, const struct mlr_trial_input *input);
