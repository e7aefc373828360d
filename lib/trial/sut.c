/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/sut.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define KEY_SIZE          32 /* octets of the longest KEY, with the closing NUL */

/* --- randomness: xoshiro256++, seeded by splitmix64 (Blackman and Vigna, public domain) --- */

struct random {
	uint64_t state[4];
};

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void random_seed(struct random *random, uint64_t seed)
{
	for (size_t i = 0; i < ARRAY_SIZE(random->state); i++)
		random->state[i] = splitmix64(&seed);
}

static uint64_t rotate_left(uint64_t value, int bits)
{
	return value << bits | value >> (64 - bits);
}

static uint64_t random_bits(struct random *random)
{
	uint64_t *s = random->state;
	uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

/* Return a uniform number in (0, 1), without both ends. */
static double random_uniform(struct random *random)
{
	return ((double)(random_bits(random) >> 12) + 0.5) * 0x1p-52;
}

/* Return an exponential number with this mean. */
static double random_exponential(struct random *random, double mean)
{
	return -mean * log(random_uniform(random));
}

/* Return a standard normal number (Box and Muller). */
static double random_normal(struct random *random)
{
	double radius = sqrt(-2 * log(random_uniform(random)));

	return radius * cos(2 * M_PI * random_uniform(random));
}

/* Return a Poisson number; a large mean uses the normal approximation. */
static double random_poisson(struct random *random, double mean)
{
	double limit = exp(-mean), product = 1, count = -1;

	if (mean > 50)
		return fmax(0, round(mean + sqrt(mean) * random_normal(random)));
	do {
		product *= random_uniform(random);
		count++;
	} while (product > limit);
	return count;
}

/* --- the models --- */

enum key {
	KEY_CAPACITY, /* frames/s */
	KEY_SPREAD,   /* frames/s */
	KEY_PER_S,    /* stalls a second */
	KEY_STALL,    /* seconds, mean */
	KEY_BUFFER,   /* frames */
	KEY_SIGMA,    /* standard deviation of the logarithm */
	KEY_RATIO,    /* loss ratio */
	KEY_LOW,      /* frames/s */
	KEY_HIGH,     /* frames/s */
	KEY_QUEUES,   /* an integer, by rounding */
	KEY_SKEW,     /* how much fuller than the mean the fullest queue is */
	KEY_SLOW,     /* the capacity at the slow clock, as a ratio */
	KEY_P,        /* probability of the slow clock */
	KEY_KNEE,     /* frames/s */
	KEY_COST,     /* the ratio of capacity that an overloaded second costs */
	KEY_BACK,     /* the ratio of capacity that another second restores */
	KEYS,
};

struct mlr_sut {
	const struct model *model;
	struct random random;
	double value[KEYS];
	double heat; /* the ratio of the capacity that earlier trials cost */
};

/* The range of a key, with both ends, and the same in words. */
static const struct {
	const char *name;
	double least, most;
	const char *range;
} keys[KEYS] = {
	[KEY_CAPACITY] = { "capacity", 1e-3, 1e15, "0.001 to 1e15 frames/s" },
	[KEY_SPREAD] = { "spread", 1e-6, 1e15, "1e-6 to 1e15 frames/s" },
	[KEY_PER_S] = { "per_s", 0, 1e4, "0 to 10000 stalls a second" },
	[KEY_STALL] = { "stall", 0, 1e3, "0 to 1000 seconds" },
	[KEY_BUFFER] = { "buffer", 0, 1e15, "0 to 1e15 frames" },
	[KEY_SIGMA] = { "sigma", 0, 10, "0 to 10" },
	[KEY_RATIO] = { "ratio", 0, 1, "0 to 1" },
	[KEY_LOW] = { "low", 0, 1e15, "0 to 1e15 frames/s" },
	[KEY_HIGH] = { "high", 0, 1e15, "0 to 1e15 frames/s" },
	[KEY_QUEUES] = { "queues", 1, 1024, "1 to 1024" },
	[KEY_SKEW] = { "skew", 0, 1, "0 to 1" },
	[KEY_SLOW] = { "slow", 0, 1, "0 to 1" },
	[KEY_P] = { "p", 0, 1, "0 to 1" },
	[KEY_KNEE] = { "knee", 0, 1e15, "0 to 1e15 frames/s" },
	[KEY_COST] = { "cost", 0, 1, "0 to 1" },
	[KEY_BACK] = { "back", 0, 1, "0 to 1" },
};

#define STALLS_MAX 1e6  /* most stalls in one trial; more would only cost time */
#define HEAT_MAX   0.05 /* most heat, as a ratio of the capacity */

/* Return the loss of a hard limit, which is everything above it. */
static double overload(double load_fps, double capacity_fps, double duration_s)
{
	return fmax(0, load_fps - capacity_fps) * duration_s;
}

static double lost_hard(struct mlr_sut *sut, const struct mlr_trial_input *input)
{
	return overload(input->load_fps, sut->value[KEY_CAPACITY], input->duration_s);
}

/* Poisson loss. Its mean rate is the softplus of (load - capacity). */
static double lost_stretch(struct mlr_sut *sut, const struct mlr_trial_input *input)
{
	double spread_fps = sut->value[KEY_SPREAD];
	double x = (input->load_fps - sut->value[KEY_CAPACITY]) / spread_fps;
	double softplus = fmax(0, x) + log1p(exp(-fabs(x)));

	return random_poisson(&sut->random, spread_fps * softplus * input->duration_s);
}

/* A hard limit with stalls. Frames that arrive in a stall and exceed a buffer are lost. */
static double lost_spikes(struct mlr_sut *sut, const struct mlr_trial_input *input)
{
	double stalls = fmin(random_poisson(&sut->random, sut->value[KEY_PER_S] * input->duration_s), STALLS_MAX);
	double lost = lost_hard(sut, input);

	while (stalls-- > 0) {
		double stall_s = random_exponential(&sut->random, sut->value[KEY_STALL]);

		lost += fmax(0, stall_s * input->load_fps - sut->value[KEY_BUFFER]);
	}
	return lost;
}

/* The capacity varies from trial to trial, with a log-normal distribution. */
static double lost_jitter(struct mlr_sut *sut, const struct mlr_trial_input *input)
{
	double capacity_fps = sut->value[KEY_CAPACITY] * exp(sut->value[KEY_SIGMA] * random_normal(&sut->random));

	return overload(input->load_fps, capacity_fps, input->duration_s);
}

/* A large buffer hides the overload of a short trial. */
static double lost_buffered(struct mlr_sut *sut, const struct mlr_trial_input *input)
{
	return lost_hard(sut, input) - sut->value[KEY_BUFFER];
}

/* Poisson loss. Its mean rate is the double primitive of a Gaussian. */
static double lost_erf(struct mlr_sut *sut, const struct mlr_trial_input *input)
{
	double spread_fps = sut->value[KEY_SPREAD];
	double x = (input->load_fps - sut->value[KEY_CAPACITY]) / spread_fps;
	double rate_fps = spread_fps * 0.5 * (exp(-x * x) / sqrt(M_PI) + x * erfc(-x));

	return random_poisson(&sut->random, fmax(0, rate_fps) * input->duration_s);
}

/* The SUT loses a constant ratio at every load. */
static double lost_residual(struct mlr_sut *sut, const struct mlr_trial_input *input)
{
	double mean = input->load_fps * input->duration_s * sut->value[KEY_RATIO];

	return lost_hard(sut, input) + random_poisson(&sut->random, mean);
}

/* The SUT loses a little between two loads, and nothing above them up to the capacity. */
static double lost_inversion(struct mlr_sut *sut, const struct mlr_trial_input *input)
{
	if (input->load_fps > sut->value[KEY_LOW] && input->load_fps < sut->value[KEY_HIGH])
		return lost_residual(sut, input);
	return lost_hard(sut, input);
}

/* Several queues have unequal shares, in even steps. The fullest queue is full at the capacity, the others follow. There is
 * no noise. */
static double lost_unbalanced(struct mlr_sut *sut, const struct mlr_trial_input *input)
{
	double queues = round(sut->value[KEY_QUEUES]), skew = queues > 1 ? sut->value[KEY_SKEW] : 0, lost = 0;
	double queue_fps = sut->value[KEY_CAPACITY] * (1 + skew) / queues;

	for (double queue = 0; queue < queues; queue++) {
		double share = (1 + skew * (1 - 2 * queue / fmax(1, queues - 1))) / queues;

		lost += overload(input->load_fps * share, queue_fps, input->duration_s);
	}
	return lost;
}

/* Each trial runs at one of two clocks. */
static double lost_clocks(struct mlr_sut *sut, const struct mlr_trial_input *input)
{
	double clock = random_uniform(&sut->random) < sut->value[KEY_P] ? sut->value[KEY_SLOW] : 1;

	return overload(input->load_fps, sut->value[KEY_CAPACITY] * clock, input->duration_s);
}

/* From a knee on, the SUT may lose its fast clock for a trial. The probability rises with the load, and is 1 from a quarter
 * of the capacity above the knee. */
static double lost_turbo(struct mlr_sut *sut, const struct mlr_trial_input *input)
{
	double p = 4 * (input->load_fps - sut->value[KEY_KNEE]) / sut->value[KEY_CAPACITY];
	double clock = random_uniform(&sut->random) < p ? sut->value[KEY_SLOW] : 1;

	return overload(input->load_fps, sut->value[KEY_CAPACITY] * clock, input->duration_s);
}

/* The SUT loses a share of what exceeds a knee, frame by frame, and everything above the capacity. */
static double lost_early(struct mlr_sut *sut, const struct mlr_trial_input *input)
{
	double beyond_fps = fmax(0, fmin(input->load_fps, sut->value[KEY_CAPACITY]) - sut->value[KEY_KNEE]);

	return lost_hard(sut, input) + random_poisson(&sut->random, beyond_fps * sut->value[KEY_RATIO] * input->duration_s);
}

/* The SUT remembers: each overloaded second costs some of the capacity, and each other second restores some. */
static double lost_overheating(struct mlr_sut *sut, const struct mlr_trial_input *input)
{
	double capacity_fps = sut->value[KEY_CAPACITY] * (1 - sut->heat);
	double change = input->load_fps > capacity_fps ? sut->value[KEY_COST] : -sut->value[KEY_BACK];

	sut->heat = fmin(HEAT_MAX, fmax(0, sut->heat + change * input->duration_s));
	return overload(input->load_fps, capacity_fps, input->duration_s);
}

/* A key that a model takes, and its default: absolute, or as a multiple of the capacity. */
struct parameter {
	enum key key;
	double value;
	bool of_capacity;
};

static const struct model {
	const char *name;
	double (*lost)(struct mlr_sut *sut, const struct mlr_trial_input *input);
	size_t parameter_count;
	struct parameter parameters[5];
} models[] = {
	{ "hard", lost_hard, 1, { { KEY_CAPACITY, 1e6, false } } },
	{ "stretch", lost_stretch, 2, { { KEY_CAPACITY, 1e6, false }, { KEY_SPREAD, 0.01, true } } },
	{ "spikes",
	  lost_spikes,
	  4,
	  { { KEY_CAPACITY, 1e6, false },
	    { KEY_PER_S, 1, false },
	    { KEY_STALL, 0.0005, false },
	    { KEY_BUFFER, 256, false } } },
	{ "jitter", lost_jitter, 2, { { KEY_CAPACITY, 1e6, false }, { KEY_SIGMA, 0.01, false } } },
	{ "buffered", lost_buffered, 2, { { KEY_CAPACITY, 1e6, false }, { KEY_BUFFER, 0.02, true } } },
	{ "erf", lost_erf, 2, { { KEY_CAPACITY, 1e6, false }, { KEY_SPREAD, 0.01, true } } },
	{ "residual", lost_residual, 2, { { KEY_CAPACITY, 1e6, false }, { KEY_RATIO, 1e-5, false } } },
	{ "inversion",
	  lost_inversion,
	  4,
	  { { KEY_CAPACITY, 1e6, false }, { KEY_LOW, 0.4, true }, { KEY_HIGH, 0.5, true }, { KEY_RATIO, 1e-4, false } } },
	{ "unbalanced",
	  lost_unbalanced,
	  3,
	  { { KEY_CAPACITY, 1e6, false }, { KEY_QUEUES, 4, false }, { KEY_SKEW, 0.12, false } } },
	{ "clocks", lost_clocks, 3, { { KEY_CAPACITY, 1e6, false }, { KEY_SLOW, 0.97, false }, { KEY_P, 0.25, false } } },
	{ "turbo", lost_turbo, 3, { { KEY_CAPACITY, 1e6, false }, { KEY_KNEE, 0.9, true }, { KEY_SLOW, 0.95, false } } },
	{ "early", lost_early, 3, { { KEY_CAPACITY, 1e6, false }, { KEY_KNEE, 0.85, true }, { KEY_RATIO, 0.02, false } } },
	{ "overheating",
	  lost_overheating,
	  3,
	  { { KEY_CAPACITY, 1e6, false }, { KEY_COST, 0.004, false }, { KEY_BACK, 0.002, false } } },
};

void mlr_sut_trial(struct mlr_sut *sut, const struct mlr_trial_input *input, uint64_t *ret_sent, uint64_t *ret_lost)
{
	uint64_t sent = mlr_trial_intended(input);
	double lost = floor(sut->model->lost(sut, input));

	*ret_sent = sent;
	if (!(lost > 0))
		*ret_lost = 0;
	else
		*ret_lost = lost < (double)sent ? (uint64_t)lost : sent;
}

/* --- the specification --- */

/* Where errors are written: a sentence in a buffer of the caller. */
struct complaint {
	char *text;
	size_t size;
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void complain(struct complaint *complaint, const char *format, ...)
{
	size_t left = complaint->used < complaint->size ? complaint->size - complaint->used : 0;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(left ? complaint->text + complaint->used : NULL, left, format, args);
	va_end(args);
	if (length > 0)
		complaint->used += (size_t)length;
}

static size_t least(size_t a, size_t b, size_t c)
{
	size_t least_ab = a < b ? a : b;

	return least_ab < c ? least_ab : c;
}

/* Return how many letters must be inserted, removed or changed to turn one word into the other (Levenshtein). Both are
 * shorter than KEY_SIZE. */
static size_t distance(const char *from, const char *to)
{
	size_t row[KEY_SIZE], columns = strlen(to);

	for (size_t i = 0; i <= columns; i++)
		row[i] = i;
	for (size_t line = 0; from[line]; line++) {
		size_t diagonal = row[0];

		row[0] = line + 1;
		for (size_t i = 0; i < columns; i++) {
			size_t above = row[i + 1];

			row[i + 1] = least(above + 1, row[i] + 1, diagonal + (from[line] != to[i]));
			diagonal = above;
		}
	}
	return row[columns];
}

static const struct model *find_model(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		if (strlen(models[i].name) == length && !strncmp(models[i].name, name, length))
			return &models[i];
	}
	return NULL;
}

static void complain_model(struct complaint *complaint, const char *name, size_t length)
{
	complain(complaint, "unknown SUT model '%.*s'; the models are", (int)length, name);
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		complain(complaint, "%s %s", i ? "," : "", models[i].name);
}

static const char *nearest_key(const struct model *model, const char *name)
{
	const char *nearest = "seed";

	for (size_t i = 0; i < model->parameter_count; i++) {
		const char *candidate = keys[model->parameters[i].key].name;

		if (distance(name, candidate) < distance(name, nearest))
			nearest = candidate;
	}
	return nearest;
}

static void complain_key(struct complaint *complaint, const struct model *model, const char *name)
{
	complain(complaint, "SUT model %s has no key '%s'; did you mean '%s'? Its keys are", model->name, name,
		 nearest_key(model, name));
	for (size_t i = 0; i < model->parameter_count; i++)
		complain(complaint, " %s,", keys[model->parameters[i].key].name);
	complain(complaint, " seed");
}

static const struct parameter *find_parameter(const struct model *model, const char *name)
{
	for (size_t i = 0; i < model->parameter_count; i++) {
		if (!strcmp(keys[model->parameters[i].key].name, name))
			return &model->parameters[i];
	}
	return NULL;
}

/* Parse an integer decimal number, and nothing else. */
static bool parse_seed(const char *text, uint64_t *ret_seed)
{
	unsigned long long seed;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	seed = strtoull(text, &end, 10);
	if (*end || errno)
		return false;
	*ret_seed = seed;
	return true;
}

static bool parse_value(const char *text, enum key key, double *ret_value)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= keys[key].least && value <= keys[key].most))
		return false;
	*ret_value = value;
	return true;
}

/* Set one KEY=VALUE in the SUT. */
static int set_key(struct mlr_sut *sut, const char *name, const char *text, struct complaint *complaint)
{
	const struct parameter *parameter = find_parameter(sut->model, name);
	uint64_t seed;

	if (!strcmp(name, "seed")) {
		if (!parse_seed(text, &seed)) {
			complain(complaint, "SUT key seed: '%s' is not a whole number from 0 to 18446744073709551615", text);
			return -EINVAL;
		}
		random_seed(&sut->random, seed);
		return 0;
	}
	if (!parameter) {
		complain_key(complaint, sut->model, name);
		return -EINVAL;
	}
	if (!parse_value(text, parameter->key, &sut->value[parameter->key])) {
		complain(complaint, "SUT key %s: '%s' is not a number in the range %s", name, text,
			 keys[parameter->key].range);
		return -EINVAL;
	}
	return 0;
}

/* Split "KEY=VALUE" in place, and set it. */
static int set_assignment(struct mlr_sut *sut, char *assignment, struct complaint *complaint)
{
	char *equals = strchr(assignment, '=');

	if (!equals || equals == assignment || equals - assignment >= KEY_SIZE) {
		complain(complaint, "'%.64s' in a SUT is not KEY=VALUE, as in capacity=1e6", assignment);
		return -EINVAL;
	}
	*equals = '\0';
	return set_key(sut, assignment, equals + 1, complaint);
}

/* Give every parameter that is still NAN its default. */
static void set_defaults(struct mlr_sut *sut)
{
	for (size_t i = 0; i < sut->model->parameter_count; i++) {
		const struct parameter *parameter = &sut->model->parameters[i];
		double unit = parameter->of_capacity ? sut->value[KEY_CAPACITY] : 1;

		if (isnan(sut->value[parameter->key]))
			sut->value[parameter->key] = parameter->value * unit;
	}
}

static int parse(struct mlr_sut *sut, char *specification, struct complaint *complaint)
{
	char *rest = specification, *word = strsep(&rest, ",");
	int err = 0;

	sut->model = find_model(word, strlen(word));
	if (!sut->model) {
		complain_model(complaint, word, strlen(word));
		return -EINVAL;
	}
	random_seed(&sut->random, 1);
	for (size_t key = 0; key < KEYS; key++)
		sut->value[key] = NAN;
	while (!err && (word = strsep(&rest, ",")))
		err = set_assignment(sut, word, complaint);
	if (!err)
		set_defaults(sut);
	if (!err && sut->value[KEY_LOW] > sut->value[KEY_HIGH]) {
		complain(complaint, "SUT key low: %g is above high, which is %g", sut->value[KEY_LOW], sut->value[KEY_HIGH]);
		return -EINVAL;
	}
	return err;
}

int mlr_sut_new(const char *specification, struct mlr_sut **ret, char *ret_error, size_t error_size)
{
	struct complaint complaint = { .text = ret_error, .size = error_size };
	struct mlr_sut *sut = calloc(1, sizeof(*sut));
	char *copy = strdup(specification);
	int err = sut && copy ? parse(sut, copy, &complaint) : -ENOMEM;

	free(copy);
	if (err) {
		free(sut);
		return err;
	}
	*ret = sut;
	return 0;
}

void mlr_sut_free(struct mlr_sut *sut)
{
	free(sut);
}
