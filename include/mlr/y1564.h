/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ITU-T Y.1564 (EtherSAM), as far as it decides and computes: which loads the service configuration test asks for, what each has
 * to come to, and whether a service performed as its agreement (SLA) says. As with controllers, nothing here measures.
 *
 * Rates are in frames/s of one transmitting port, where Y.1564 has information rates in bit/s: at one frame size they are the same
 * but for a factor.
 */
#ifndef MLR_Y1564_H
#define MLR_Y1564_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a service must keep to (its service acceptance criteria). NAN: nothing is asked. */
struct mlr_y1564_sla {
	double loss_ratio;         /* FLR, at most */
	double delay_ns;           /* FTD, the mean, at most */
	double delay_max_ns;       /* FTD, of any frame, at most */
	double variation_ns;       /* FDV: p99.9 of the delay less its minimum, at most */
	double availability_ratio; /* AVAIL, at least */
};

struct mlr_y1564_service {
	double cir_fps;      /* committed: above 0 */
	double eir_fps;      /* excess, beyond it; 0: none */
	double margin_ratio; /* how far above CIR + EIR traffic policing may let through */
	struct mlr_y1564_sla sla;
};

/* --- service configuration test (8.1) ----------------------------------------------------------------------------------- */

enum mlr_y1564_kind {
	MLR_Y1564_CIR,      /* a part of CIR, and at the end all of it: all within the SLA */
	MLR_Y1564_EIR,      /* CIR + EIR: at least CIR comes through, and no more than was sent */
	MLR_Y1564_POLICING, /* more than that: at least CIR comes through, and no more than CIR + EIR */
};

struct mlr_y1564_step {
	enum mlr_y1564_kind kind;
	double load_fps;
	double least_fps, most_fps; /* that have to come through, both inclusive; NAN: not judged by that */
};

#define MLR_Y1564_CIR_STEPS_MAX 16
#define MLR_Y1564_STEPS_MAX     (MLR_Y1564_CIR_STEPS_MAX + 2)

/* The steps of a service, by the parts of CIR (above 0, at most 1, increasing, the last 1). The EIR step only where there is one.
 * Policing: CIR and 125 % of EIR; where EIR is less than a fifth of CIR, 125 % of CIR and EIR. Returns the count. */
size_t mlr_y1564_steps(const struct mlr_y1564_service *service, const double *cir_ratios, size_t cir_count,
		       struct mlr_y1564_step ret[MLR_Y1564_STEPS_MAX]);

/* What was measured of a step, or of a service's performance. NAN: not known. */
struct mlr_y1564_outcome {
	double received_fps;
	double loss_ratio;
	double delay_ns, delay_max_ns, variation_ns;
	double availability_ratio; /* of a performance */
};

/* What of it is not as it has to be, a bit each; 0: it passed. */
enum mlr_y1564_fault {
	MLR_Y1564_LOSS = 1 << 0,
	MLR_Y1564_DELAY = 1 << 1,
	MLR_Y1564_DELAY_MAX = 1 << 2,
	MLR_Y1564_VARIATION = 1 << 3,
	MLR_Y1564_AVAILABILITY = 1 << 4,
	MLR_Y1564_TOO_LITTLE = 1 << 5, /* came through */
	MLR_Y1564_TOO_MUCH = 1 << 6,
	MLR_Y1564_UNKNOWN = 1 << 7, /* something that is asked for was not measured */
};
#define MLR_Y1564_FAULTS 8

unsigned int mlr_y1564_judge_step(const struct mlr_y1564_service *service, const struct mlr_y1564_step *step,
				  const struct mlr_y1564_outcome *outcome);

/* --- service performance test (8.2) --------------------------------------------------------------------------------------- */

/* A second is severely errored where more than this part of its frames was lost; so many in a row begin a time of unavailability,
 * and so many others in a row end it (Y.1563, 9). */
#define MLR_Y1564_SEVERE_RATIO 0.5
#define MLR_Y1564_WINDOW_S     10

struct mlr_y1564_availability {
	uint64_t seconds, severely_errored, unavailable;
	double ratio;                            /* of the seconds that were available; NAN without one */
	uint64_t available_sent, available_lost; /* frames of those */
};

/* From how many frames were due in each second, and how many of those were received. What more came than was due is not lost. */
struct mlr_y1564_availability mlr_y1564_availability(const uint64_t *due, const uint64_t *received, size_t seconds);

unsigned int mlr_y1564_judge_performance(const struct mlr_y1564_service *service, const struct mlr_y1564_outcome *outcome);

#endif
