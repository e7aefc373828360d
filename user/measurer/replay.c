/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The measurer of a replay: it is what the stored search had, and measures nothing. */
#include <stdlib.h>

#include "config/stored.h"
#include "measurer/measurer_new.h"

struct measurer_replay {
	struct measurer base;
	const struct stored *stored;
};

static enum exit_code replay_measure(struct measurer *measurer, const struct mlr_trial_input *input, struct measurement *ret)
{
	(void)measurer;
	(void)input;
	(void)ret;
	return refuse(EXIT_INVALID, "a replay cannot measure");
}

/* A member of the stored document; null if it has none. */
static json_t *stored_member(const struct measurer *measurer, const char *name)
{
	const struct measurer_replay *replay = (const struct measurer_replay *)measurer;
	json_t *member = json_object_get(replay->stored->document, name);

	return member ? json_incref(member) : json_null();
}

static json_t *replay_describe(struct measurer *measurer)
{
	return json_pack("{s:s, s:o}", "name", "replay", "replayed", stored_member(measurer, "measurer"));
}

static json_t *replay_traffic_profile(struct measurer *measurer)
{
	return stored_member(measurer, "traffic_profile");
}

static void replay_free(struct measurer *measurer)
{
	free(measurer);
}

static const struct measurer_ops replay_ops = {
	.measure = replay_measure,
	.describe = replay_describe,
	.traffic_profile = replay_traffic_profile,
	.free = replay_free,
};

enum exit_code measurer_replay_new(const struct config *config, struct measurer **ret)
{
	struct measurer_replay *replay = calloc(1, sizeof(*replay));

	if (!replay)
		return refuse(EXIT_INCAPABLE, "out of memory");
	replay->base = (struct measurer){ .ops = &replay_ops, .virtual_time = true, .transmitters = 1 };
	replay->stored = config->stored;
	*ret = &replay->base;
	return EXIT_DONE;
}
