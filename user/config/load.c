/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/load.h"

enum exit_code option_load_fps(const struct config *config, const char *option, const struct load_spec *load,
			       double line_rate_fps, double *ret_fps)
{
	double in_fps = load_fps(load, config->frame_size_octets, line_rate_fps);

	if (in_fps <= 0)
		return refuse(EXIT_USAGE_ERROR,
			      "--%s in %%: the line rate is not known here; give it in frames/s, as 250kfps", option);
	*ret_fps = in_fps;
	return EXIT_DONE;
}
