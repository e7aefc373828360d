/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers of the larger values, for the table of options (options.c). The configuration owns what they read. Each is called
 * once for each given value, and sets a member or refuses the value. */
#pragma once

#include "config/given.h"

/* this keeps load times duration below 2^63 frames */
#define DURATION_MOST_S  1e6
#define INTERVAL_LEAST_S 0.001
#define LOAD_MOST_FPS    1e12 /* most load, for the same reason as DURATION_MOST_S */

enum exit_code read_frame_size(const struct given *given, struct config *config); /* one size or mix */
enum exit_code read_tests(const struct given *given, struct config *config);
enum exit_code read_loss_step(const struct given *given, struct config *config);
enum exit_code read_frame_sizes(const struct given *given, struct config *config);
enum exit_code read_goal(const struct given *given, struct config *config);
enum exit_code read_service(const struct given *given, struct config *config);
enum exit_code read_cir_steps(const struct given *given, struct config *config);
enum exit_code read_latency_at(const struct given *given, struct config *config);
enum exit_code read_loads(const struct given *given, struct config *config);
enum exit_code read_waits(const struct given *given, struct config *config);
enum exit_code read_preset(const struct given *given, struct config *config);
enum exit_code read_ports(const struct given *given, struct config *config);
enum exit_code read_addresses(const struct given *given, struct config *config);
enum exit_code read_gateways(const struct given *given, struct config *config);
enum exit_code read_macs(const struct given *given, struct config *config);
enum exit_code read_prepare(const struct given *given, struct config *config);
enum exit_code read_vlans(const struct given *given, struct config *config);
enum exit_code read_vary(const struct given *given, struct config *config);
enum exit_code read_expected(const struct given *given, struct config *config);
enum exit_code read_modifiers(const struct given *given, struct config *config);

/* Write a goal, or waits, as --goal and --wait accept them. */
#define GOAL_TEXT_SIZE 512
const char *format_goal(const struct mlr_goal *goal, char buffer[GOAL_TEXT_SIZE]);
const char *format_waits(const struct waits *waits, char buffer[GOAL_TEXT_SIZE]);

/* --- options_pairs.c: values of the form "K=V,K=V,...", which keys there are, and where each one's value goes -------- */

/* The type of a key's value. */
struct key {
	const char *name;
	size_t offset; /* offset of the field: char[MLR_GOAL_NAME_SIZE], a double, or a struct load_spec */
	enum { KEY_TEXT, KEY_RATIO, KEY_DURATION, KEY_INFORMATION_RATE, KEY_OWN } kind;
	int tag; /* for the reader's own use */
	/* For KEY_OWN: read the value into the structure of the pairs. */
	enum exit_code (*store)(const struct given *given, const struct key *key, char *value, void *into);
};
#define KEYS_MAX 16

struct pairs {
	const struct key *keys;
	size_t key_count; /* number of keys, at most KEYS_MAX */
	void *into;
	const char *what;  /* a key is called so in messages; NULL: "key" */
	unsigned int seen; /* one bit for each key that was given */
};

/* Read the whole value. */
enum exit_code pairs_read(const struct given *given, struct pairs *pairs);
/* Whether a key was given. */
bool pairs_seen(const struct pairs *pairs, const char *name);
/* Write texts, ratios and durations as such a value again. */
void pairs_format(const struct key *keys, size_t key_count, const void *from, char *buffer, size_t size);
