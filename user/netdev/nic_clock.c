/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netdev/nic_clock.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"

#define COMPARE_NS (NS_PER_S / 10)
#define USE_NS     (NS_PER_S / 250) /* how long an offset is used: 50 ppm are 200 ns in it, so 100 ns from the middle */

int nic_clock_open(int index, struct nic_clock *ret)
{
	struct phc_offset offset;
	int fd = phc_open(index), error = fd < 0 ? fd : phc_measure(fd, &offset);

	if (error) {
		if (fd >= 0)
			close(fd);
		return error;
	}
	*ret = (struct nic_clock){ .fd = fd };
	phc_track_begin(&ret->track, &offset);
	return 0;
}

void nic_clock_close(struct nic_clock *clock)
{
	nic_clock_leave(clock);
	if (clock->fd)
		close(clock->fd);
	*clock = (struct nic_clock){ 0 };
}

static int measure(const struct nic_clock *clock, struct phc_offset *ret)
{
	if (clock->fd)
		return phc_measure(clock->fd, ret);
	*ret = phc_system_offset(CLOCK_TAI);
	return 0;
}

int nic_clock_begin(struct nic_clock *clock)
{
	struct phc_offset offset;
	int error;

	nic_clock_leave(clock);
	error = measure(clock, &offset);
	if (!error)
		phc_track_begin(&clock->track, &offset);
	return error;
}

/* If the clocks cannot be compared now, they can be later, or nic_clock_end() reports it. */
static void *follow(void *context)
{
	static const struct timespec pause = { .tv_nsec = USE_NS };
	struct nic_clock *clock = context;
	struct phc_offset offset;

	while (!__atomic_load_n(&clock->is_over, __ATOMIC_ACQUIRE)) {
		if (clock_ns() - clock->track.last.at_ns >= COMPARE_NS && !measure(clock, &offset))
			phc_track_add(&clock->track, &offset);
		clock->use(clock->context, phc_track_apply(&clock->track, clock_ns(), USE_NS));
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	}
	return NULL;
}

int nic_clock_follow(struct nic_clock *clock, void (*use)(void *context, int64_t offset_ns), void *context)
{
	int error;

	use(context, clock->track.applied_ns);
	if (!clock->fd)
		return 0;
	clock->use = use;
	clock->context = context;
	clock->is_over = false;
	error = thread_start(&clock->thread, -1, follow, clock);
	clock->is_followed = !error;
	return error;
}

void nic_clock_leave(struct nic_clock *clock)
{
	if (!clock->is_followed)
		return;
	__atomic_store_n(&clock->is_over, true, __ATOMIC_RELEASE);
	pthread_join(clock->thread, NULL);
	clock->is_followed = false;
}

int nic_clock_end(struct nic_clock *clock)
{
	struct phc_offset offset;
	int error;

	nic_clock_leave(clock);
	error = measure(clock, &offset);
	if (!error)
		phc_track_end(&clock->track, &offset);
	return error;
}
