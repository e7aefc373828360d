/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These constants define figures in a sentence that is the same wherever a figure is shown. Nobody owns or changes them. */
#pragma once

#define EXCESS_DEFINITION                                                                                                   \
	"The longest queue that the departures would build in front of a server that takes frames at exactly the Trial "    \
	"Load."
#define BURST_DEFINITION "The longest run of frames that left less than half an interval after the one before."
