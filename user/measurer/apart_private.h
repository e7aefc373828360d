/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This header is private to apart*.c. It defines the messages of a suite and the process of its measurer, over a stream.
 * Each side owns its end of the stream, which lives as long as the process. */
#pragma once

#include "bpf/pace.h"
#include "measurer/apart.h"

/* What the keeper is told of a part. */
struct part_request {
	struct part_name name;
	enum tx_choice tx;
	struct prepare prepare;
	struct waits waits;
	struct trial_numbers earlier;
	struct {
		bool given;
		struct ether_addr mac;
	} facing[MLR_PORTS_MAX];
};

enum apart_what {
	APART_MEASURE,
	APART_STEPS,
	APART_STOPS,
	APART_WAY,
	APART_DESCRIBE,
	APART_PROFILE,
	APART_DEVIATIONS,
	APART_CONNECTION,
	APART_FREE
};

struct apart_request {
	enum apart_what what;
	struct mlr_trial_input input;
	struct load_steps steps;
	unsigned int port, queue;
};

/* What goes before each thing that the process says: a text of a message, steps that have begun or begin again, or the answer. */
struct apart_block {
	enum { BLOCK_ANSWER, BLOCK_MESSAGE, BLOCK_BEGUN, BLOCK_AGAIN } kind;
	enum message_kind message;
	uint32_t length;
};

/* A measurement follows one to APART_MEASURE and APART_STEPS, if it is EXIT_DONE; a text one to those that ask for JSON. */
struct apart_answer {
	enum exit_code code;
	struct load_steps steps;
	struct tx_stops stops;
	bool has_stops;
	struct selftest_way way;
	unsigned int transmitters;
	double line_rate_fps;
	struct selftest_figure selftest;
};

/* Send or receive all of something. 0 or -errno; -EPIPE where the other side is gone. */
int apart_put(int fd, const void *octets, size_t length);
int apart_get(int fd, void *octets, size_t length);
/* A text with its length; NULL is one, too. */
int apart_put_text(int fd, const char *text);
int apart_get_text(int fd, char **ret);
int apart_put_measurement(int fd, const struct measurement *measurement);
/* The memory of what is received belongs to the measurement, whether all of it came or not. Floors of latency become this one. */
int apart_get_measurement(int fd, const struct selftest_figure *floor, struct measurement *ret);

/* Serve the suite until it closes the stream. Called in the process of the measurer; never returns. */
void apart_serve(const struct config *all, const struct part_request *part, int channel, int stop);
