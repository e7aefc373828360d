/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These functions say what the name of a counter means. They are pure and keep nothing.
 *
 * A name is read as words. A word ends at anything but a letter, and before a capital. "rxq3_drops", "RXDropped" and
 * "q-drop" have a word of loss. "frames_transferred" and "rx_interrupts" have none. A word of loss may follow one of traffic
 * without a gap: "rxdrops".
 */
#ifndef MLR_CAUSE_NAMES_H
#define MLR_CAUSE_NAMES_H

#include <stdbool.h>

/* Whether it counts octets or bits, which repeat what a counter of frames says. */
bool mlr_cause_name_is_octets(const char *name);
/* Whether it counts events of a CPU, which are no frames, however many there are. */
bool mlr_cause_name_is_of_cpu(const char *name);
/* Whether it is a sum over all places of a link, a tree of queues, or a list of filters. */
bool mlr_cause_name_is_sum(const char *name);
/* Whether a gauge tells what is used of a whole; what is idle or free is none. */
bool mlr_cause_name_is_use(const char *name);
/* Compare two names; numbers in them are all the same. */
int mlr_cause_name_compare(const char *a, const char *b);
bool mlr_cause_name_has_number(const char *name);

#endif
