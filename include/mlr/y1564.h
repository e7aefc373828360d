/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These are the decisions and computations of ITU-T Y.1564 (EtherSAM). The caller owns all structures; the functions keep
 * nothing. A service is turned into steps, each step is measured by the caller and judged here, and then the performance
 * test is.
 *
 * They say which loads the service configuration test asks for, what each step must achieve, and whether a service kept its
 * agreement (SLA). Like a controller, nothing here measures.
 *
 * Rates are in frames/s of one transmitting port. Y.1564 has information rates in bit/s, which differ by a constant factor
 * at one frame size. An outcome belongs to one direction. A service passes if each of its directions passes.
 */
#ifndef MLR_Y1564_H
#define MLR_Y1564_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a service must keep (its service acceptance criteria). NAN: nothing is required. */
struct mlr_y1564_sla {
	double loss_ratio;         /* FLR, upper limit */
	double delay_ns;           /* mean FTD, upper limit */
	double delay_max_ns;       /* FTD of any frame, upper limit */
	double variation_ns;       /* FDV: p99.9 of the delay less its minimum, upper limit */
	double availability_ratio; /* AVAIL, lower limit */
};

struct mlr_y1564_service {
	double cir_fps;      /* committed rate, above 0 */
	double eir_fps;      /* excess rate beyond it; 0: none */
	double margin_ratio; /* ratio by which traffic policing may forward more than CIR + EIR */
	struct mlr_y1564_sla sla;
};

/* --- service configuration test (8.1) ----------------------------------------------------------------------------------- */

enum mlr_y1564_kind {
	MLR_Y1564_CIR,      /* a part of CIR, at last all of it: everything is within the SLA */
	MLR_Y1564_EIR,      /* CIR + EIR: at least CIR is forwarded, and no more than was sent */
	MLR_Y1564_POLICING, /* more than that: at least CIR is forwarded, and no more than CIR + EIR */
};

struct mlr_y1564_step {
	enum mlr_y1564_kind kind;
	double load_fps;
	double least_fps, most_fps; /* limits of the forwarded rate, both inclusive; NAN: not judged by it */
};

#define MLR_Y1564_CIR_STEPS_MAX 16
#define MLR_Y1564_STEPS_MAX     (MLR_Y1564_CIR_STEPS_MAX + 2)

/* Make the steps of a service from parts of CIR, which are above 0, increasing, and end with 1. The EIR step exists only
 * where there is an EIR. The policing step has the load CIR + 125 % of EIR, or 125 % of CIR + EIR where EIR is less than a
 * fifth of CIR. Returns the number of steps. */
size_t mlr_y1564_steps(const struct mlr_y1564_service *service, const double *cir_ratios, size_t cir_count,
		       struct mlr_y1564_step ret[MLR_Y1564_STEPS_MAX]);

/* The measured outcome of a step or of a performance test. NAN: not known. */
struct mlr_y1564_outcome {
	double received_fps;
	double loss_ratio;
	double delay_ns, delay_max_ns, variation_ns;
	double variation_error_ns; /* error bound of variation_ns */
	double availability_ratio; /* availability; only for a performance test */
};

/* The figures of an outcome. */
enum mlr_y1564_figure {
	MLR_Y1564_RECEIVED_FPS,
	MLR_Y1564_LOSS_RATIO,
	MLR_Y1564_DELAY_NS,
	MLR_Y1564_DELAY_MAX_NS,
	MLR_Y1564_VARIATION_NS,
	MLR_Y1564_AVAILABILITY_RATIO,
	MLR_Y1564_FIGURES,
};

/* The faults of an outcome, one bit each. 0: it passed. */
enum mlr_y1564_fault {
	MLR_Y1564_LOSS = 1 << 0,
	MLR_Y1564_DELAY = 1 << 1,
	MLR_Y1564_DELAY_MAX = 1 << 2,
	MLR_Y1564_VARIATION = 1 << 3,
	MLR_Y1564_AVAILABILITY = 1 << 4,
	MLR_Y1564_TOO_LITTLE = 1 << 5, /* too low a rate was forwarded */
	MLR_Y1564_TOO_MUCH = 1 << 6,
	MLR_Y1564_UNKNOWN = 1 << 7, /* a required figure was not measured */
};
#define MLR_Y1564_FAULTS 8

/* Return the worst of each figure over `count` directions, at least one, with the faults of each direction. Every direction
 * is judged by itself, so no figure is a sum or a mean of several. The worst received rate is the smallest one. It is the
 * largest one if too much was forwarded and nowhere too little. An unknown figure (NAN) is the worst, because it may be
 * worse than all known ones. ret_which[figure] is the direction of the worst; `count` if all have the same figure. */
struct mlr_y1564_outcome mlr_y1564_worst(const struct mlr_y1564_outcome *directions, const unsigned int *faults,
					 size_t count, size_t ret_which[MLR_Y1564_FIGURES]);

/* Whether the verdict on the variation of all directions could be the opposite without the error of measurement. It is false
 * where no variation was agreed (NAN). */
bool mlr_y1564_variation_within_error(const struct mlr_y1564_outcome *directions, size_t count, double agreed_ns);

/* Return the verdict on all directions: failed if one of them failed, passed if all passed. */
enum mlr_y1564_verdict { MLR_Y1564_PASSED, MLR_Y1564_UNDECIDED, MLR_Y1564_FAILED };
enum mlr_y1564_verdict mlr_y1564_verdict(const enum mlr_y1564_verdict *directions, size_t count);

unsigned int mlr_y1564_judge_step(const struct mlr_y1564_service *service, const struct mlr_y1564_step *step,
				  const struct mlr_y1564_outcome *outcome);

/* --- service performance test (8.2) --------------------------------------------------------------------------------------- */

/* A second is severely errored if more than this ratio of its frames was lost. MLR_Y1564_WINDOW_S of them in a row begin a
 * time of unavailability, and so many other seconds in a row end it (Y.1563, 9). */
#define MLR_Y1564_SEVERE_RATIO 0.5
#define MLR_Y1564_WINDOW_S     10

struct mlr_y1564_availability {
	uint64_t seconds, severely_errored, unavailable;
	double ratio;                            /* the ratio of seconds that were available; NAN without a second */
	uint64_t available_sent, available_lost; /* frames of the available seconds */
};

/* Compute availability from the frames that were due in each second, and how many of those were received. More frames than
 * due are not a negative loss. */
struct mlr_y1564_availability mlr_y1564_availability(const uint64_t *due, const uint64_t *received, size_t seconds);

unsigned int mlr_y1564_judge_performance(const struct mlr_y1564_service *service, const struct mlr_y1564_outcome *outcome);

#endif
