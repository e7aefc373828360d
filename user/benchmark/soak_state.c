/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/soak_state.h"

#include <stdlib.h>

#include "base/clock.h"

double soak_elapsed_s(const struct soak *soak)
{
	if (soak->measurer->virtual_time)
		return soak->virtual_s;
	return (double)(clock_ns() - soak->start_ns) / (double)NS_PER_S;
}

void soak_free(struct soak *soak)
{
	for (size_t i = 0; i < soak->trial_count; i++)
		measurement_free(&soak->trials[i]);
	free(soak->trials);
	mlr_plr_free(soak->plr);
}
