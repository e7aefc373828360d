/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `selftest --prepare try` finds out which of the items that 'latency' and 'throughput' stand for help on these ports. The
 * caller owns the findings. The items are tried once, before the frame sizes.
 *
 * Each item that the ports have is measured in turns, without and with it. Measured are the rate that arrives of frames sent
 * as fast as possible, and the p99 of latency at a low load. It is kept where one of the two is better by Welch's test and
 * the other is not worse. The next item is then measured beside those that were kept.
 */
#pragma once

#include <jansson.h>

#include "base/message.h"
#include "config/config.h"
#include "measurer/apart.h"

/* What a figure was without an item and with it, in TRY_PAIRS turns. */
#define TRY_PAIRS 5
struct try_figure {
	double without[TRY_PAIRS], with[TRY_PAIRS];
};
/* Whether an item is worth it: the rate is better where it is higher, the latency where it is lower (NAN: not measured). */
bool selftest_item_helps(const struct try_figure *rate, const struct try_figure *latency);

/* Try the items with frames of this configuration of a part, beside what `config->prepare` prepares. Add those that help to it.
 * *ret_json is a new reference with the findings. */
enum exit_code selftest_try_items(struct config *config, const struct part_name *part, json_t **ret_json);
