/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netdev/phc.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "base/clock.h"
#include "base/text_stream.h"

#define READINGS      5  /* readings of the NIC's clock, of SAMPLES each */
#define SAMPLES       10 /* readings of the device; each costs some microseconds */
#define CLOCK_SAMPLES 20 /* readings of the system's two clocks, tens of nanoseconds each */

#define BASE_NS   (NS_PER_S / 2)  /* time between two comparisons that a drift is computed from */
#define LEAST_NS  (NS_PER_S / 20) /* least such time; below it the errors of readings are larger */
#define DRIFT_MAX 1e-3            /* largest drift; more means that somebody set the clock */

/* --- the arithmetic ------------------------------------------------------------------------------------------------- */

struct phc_offset phc_bracket(int64_t before_ns, int64_t read_ns, int64_t after_ns)
{
	int64_t window_ns = after_ns - before_ns;

	return (struct phc_offset){
		.offset_ns = before_ns + window_ns / 2 - read_ns,
		.bound_ns = ((uint64_t)window_ns + 1) / 2,
	};
}

static int64_t ns_of(const struct ptp_clock_time *time)
{
	return time->sec * (int64_t)NS_PER_S + time->nsec;
}

bool phc_of_extended(const struct ptp_sys_offset_extended *samples, struct phc_offset *ret)
{
	struct phc_offset best = { .bound_ns = UINT64_MAX };

	for (unsigned int i = 0; i < samples->n_samples && i < PTP_MAX_SAMPLES; i++) {
		int64_t before_ns = ns_of(&samples->ts[i][0]), after_ns = ns_of(&samples->ts[i][2]);
		struct phc_offset one = phc_bracket(before_ns, ns_of(&samples->ts[i][1]), after_ns);

		if (after_ns >= before_ns && one.bound_ns < best.bound_ns)
			best = one;
	}
	if (best.bound_ns == UINT64_MAX)
		return false;
	*ret = best;
	return true;
}

void phc_extend(const struct ptp_sys_offset *samples, struct ptp_sys_offset_extended *ret)
{
	ret->n_samples = samples->n_samples < PTP_MAX_SAMPLES ? samples->n_samples : PTP_MAX_SAMPLES;
	for (unsigned int i = 0; i < ret->n_samples; i++)
		memcpy(ret->ts[i], &samples->ts[2 * i], sizeof(ret->ts[i]));
}

struct phc_offset phc_of_precise(const struct ptp_sys_offset_precise *pair)
{
	return (struct phc_offset){ .offset_ns = ns_of(&pair->sys_realtime) - ns_of(&pair->device) };
}

struct phc_offset phc_chain(const struct phc_offset *first, const struct phc_offset *second)
{
	return (struct phc_offset){
		.offset_ns = first->offset_ns + second->offset_ns,
		.bound_ns = first->bound_ns + second->bound_ns,
	};
}

static uint64_t off_ns(int64_t one_ns, int64_t other_ns)
{
	return (uint64_t)(one_ns > other_ns ? one_ns - other_ns : other_ns - one_ns);
}

bool phc_agree(const struct phc_offset *one, const struct phc_offset *other)
{
	return off_ns(one->offset_ns, other->offset_ns) <= one->bound_ns + other->bound_ns;
}

uint64_t phc_bound_over_ns(const struct phc_offset *before, const struct phc_offset *after)
{
	uint64_t at_end_ns = off_ns(before->offset_ns, after->offset_ns) + after->bound_ns;

	return at_end_ns > before->bound_ns ? at_end_ns : before->bound_ns;
}

/* Return the offset, extrapolated to this moment. */
static int64_t carried_on_ns(const struct phc_track *track, uint64_t at_ns)
{
	return track->last.offset_ns + (int64_t)(track->drift * (double)(int64_t)(at_ns - track->last.at_ns));
}

static void note_worst(uint64_t *worst_ns, uint64_t one_ns)
{
	if (one_ns > *worst_ns)
		*worst_ns = one_ns;
}

void phc_track_add(struct phc_track *track, const struct phc_offset *comparison)
{
	uint64_t elapsed_ns = comparison->at_ns - track->base[0].at_ns;
	double drift = (double)(comparison->offset_ns - track->base[0].offset_ns) / (double)elapsed_ns;

	if (track->last.at_ns)
		note_worst(&track->worst_ns,
			   comparison->bound_ns + off_ns(comparison->offset_ns, carried_on_ns(track, comparison->at_ns)));
	track->last = *comparison;
	if (track->base[0].at_ns && elapsed_ns < LEAST_NS)
		return;
	if (!track->base[0].at_ns || drift > DRIFT_MAX || drift < -DRIFT_MAX) {
		track->base[0] = track->base[1] = *comparison;
		track->drift = 0.0;
		return;
	}
	track->drift = drift;
	if (comparison->at_ns - track->base[1].at_ns < BASE_NS)
		return;
	track->base[0] = track->base[1];
	track->base[1] = *comparison;
}

void phc_track_begin(struct phc_track *track, const struct phc_offset *comparison)
{
	phc_track_add(track, comparison);
	track->worst_ns = comparison->bound_ns;
	track->worst_applied_ns = 0;
	track->applied_ns = comparison->offset_ns;
}

static void note_applied(struct phc_track *track, uint64_t now_ns)
{
	note_worst(&track->worst_applied_ns, off_ns(track->applied_ns, carried_on_ns(track, now_ns)));
}

int64_t phc_track_apply(struct phc_track *track, uint64_t now_ns, uint64_t for_ns)
{
	note_applied(track, now_ns);
	track->applied_ns = carried_on_ns(track, now_ns + for_ns / 2);
	note_applied(track, now_ns);
	return track->applied_ns;
}

void phc_track_end(struct phc_track *track, const struct phc_offset *comparison)
{
	note_applied(track, comparison->at_ns);
	phc_track_add(track, comparison);
}

uint64_t phc_track_bound_ns(const struct phc_track *track)
{
	return track->worst_ns + track->worst_applied_ns;
}

/* --- the clocks ----------------------------------------------------------------------------------------------------- */

int phc_open(int index)
{
	int fd;

	fd = open(TEXT_OF(32, "/dev/ptp%d", index), O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int64_t system_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * (int64_t)NS_PER_S + now.tv_nsec;
}

struct phc_offset phc_system_offset(clockid_t clock)
{
	struct phc_offset best = { .bound_ns = UINT64_MAX };

	for (int i = 0; i < CLOCK_SAMPLES; i++) {
		int64_t before_ns = (int64_t)clock_ns(), read_ns = system_ns(clock);
		struct phc_offset one = phc_bracket(before_ns, read_ns, (int64_t)clock_ns());

		if (one.bound_ns < best.bound_ns)
			best = one;
	}
	best.at_ns = clock_ns();
	return best;
}

static int read_precise(int fd, struct phc_offset *ret)
{
	struct ptp_sys_offset_precise pair = { 0 };

	if (ioctl(fd, PTP_SYS_OFFSET_PRECISE, &pair))
		return -errno;
	*ret = phc_of_precise(&pair);
	return 0;
}

static int read_samples(int fd, struct phc_offset *ret)
{
	struct ptp_sys_offset_extended extended = { .n_samples = SAMPLES };
	struct ptp_sys_offset plain = { .n_samples = SAMPLES };

	if (ioctl(fd, PTP_SYS_OFFSET_EXTENDED, &extended)) {
		if (ioctl(fd, PTP_SYS_OFFSET, &plain)) /* all drivers have this one */
			return -errno;
		phc_extend(&plain, &extended);
	}
	return phc_of_extended(&extended, ret) ? 0 : -EAGAIN;
}

/* Take one reading of the NIC's clock between two of CLOCK_REALTIME. */
static int measure_once(int fd, struct phc_offset *ret)
{
	struct phc_offset to_realtime, before = phc_system_offset(CLOCK_REALTIME), after;
	int error = read_precise(fd, &to_realtime);

	if (error)
		error = read_samples(fd, &to_realtime);
	if (error)
		return error;
	after = phc_system_offset(CLOCK_REALTIME);
	if (!phc_agree(&before, &after))
		return -EAGAIN;
	*ret = phc_chain(&to_realtime, before.bound_ns < after.bound_ns ? &before : &after);
	ret->at_ns = before.at_ns + (after.at_ns - before.at_ns) / 2;
	return 0;
}

int phc_measure(int fd, struct phc_offset *ret)
{
	struct phc_offset best = { .bound_ns = UINT64_MAX }, one;
	int error = -EAGAIN;

	for (int i = 0; i < READINGS; i++) {
		int failed = measure_once(fd, &one);

		if (failed)
			error = failed;
		else if (one.bound_ns < best.bound_ns)
			best = one;
	}
	if (best.bound_ns == UINT64_MAX)
		return error;
	*ret = best;
	return 0;
}
