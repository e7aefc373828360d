/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "observe/recorder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/json_value.h"
#include "base/plain.h"
#include "mlr/cause.h"
#include "mlr/power.h"

#define END_PARTS  10   /* a tenth of the Trial Duration: a sample that is later by so much still belongs to the trial */
#define VALUE_MOST 1e17 /* beyond that no counter is believed, so that what is computed of it stays a number of the schema */
#define SLOTS      (4 * RECORDER_COUNTERS_MOST) /* slots of the table of names: also for as many as gave up their places */
#define GONE       UINT16_MAX
#define SHARE_MOST 1000   /* a use, in percent, of ten CPUs; a load of a thousand */
#define RANGE      0x1p32 /* number of values of a counter of 32 bits (Counter32 of RFC 2578) */
#define WRAP_PARTS 4      /* A wrap grows by less than this part of the range. Else it is a reset. */

struct counter {
	char name[RECORDER_NAME_SIZE];
	enum recorder_kind kind;
	bool may_fall;   /* Its source calls it a gauge. */
	bool has_fallen; /* It is a gauge, if its kind is not known. */
	bool was_seen;   /* It had a value in an earlier trial. */
	/* In the samples so far: */
	double last;   /* value as its source told it; NAN: none */
	double offset; /* what the wraps of 32 bits add to it */
	bool is_reset;
};

struct row {
	uint64_t at_ns;
	double *values; /* values of all counters; NAN: the sample had none */
};

struct recorder {
	struct counter *counters;
	size_t count;
	size_t omitted[RECORDER_OMISSIONS];  /* by reason, of the sample that left out most */
	size_t omitting[RECORDER_OMISSIONS]; /* of the current sample */
	size_t kept_from;                    /* From here on all are called after a loss. */
	uint16_t slots[SLOTS];               /* 1 + the place of a counter; 0: free; GONE: it gave up its place */
	struct row rows[RECORDER_SAMPLES_MOST];
	size_t row_count;
	uint64_t begin_ns;
	size_t value_count; /* number of values of the current sample */
};

struct recorder *recorder_new(void)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	bool complete = recorder && (recorder->counters = calloc(RECORDER_COUNTERS_MOST, sizeof(*recorder->counters)));

	for (size_t i = 0; complete && i < RECORDER_SAMPLES_MOST; i++)
		complete = (recorder->rows[i].values = calloc(RECORDER_COUNTERS_MOST, sizeof(double)));
	if (complete)
		return recorder;
	recorder_free(recorder);
	return NULL;
}

void recorder_free(struct recorder *recorder)
{
	for (size_t i = 0; recorder && i < RECORDER_SAMPLES_MOST; i++)
		free(recorder->rows[i].values);
	if (recorder)
		free(recorder->counters);
	free(recorder);
}

void recorder_empty(struct recorder *recorder)
{
	recorder->row_count = 0;
	memset(recorder->omitted, 0, sizeof(recorder->omitted));
	for (size_t i = 0; i < recorder->count; i++) {
		recorder->counters[i].last = NAN;
		recorder->counters[i].offset = 0;
		recorder->counters[i].is_reset = false;
		recorder->counters[i].was_seen = true;
	}
}

/* --- names ---------------------------------------------------------------------------------------------------------- */

/* Return what kind of value a name stands for. A rate is no count, whatever it is of. Most values that have no unit are counts, also
 * a "load" of more than any share. */
static enum recorder_kind kind_of_name(const char *name, double value)
{
	static const struct {
		const char *word;
		double most;
	} gauges[] = {
		{ "ratio", INFINITY },      { "percent", INFINITY }, { "celsius", INFINITY }, { "volts", INFINITY },
		{ "amperes", INFINITY },    { "rate", INFINITY },    { "pps", INFINITY },     { "bps", INFINITY },
		{ "per_second", INFINITY }, { "per_s", INFINITY },   { "use", SHARE_MOST },   { "load", SHARE_MOST }
	};

	if (mlr_power_kind(name) != MLR_POWER_NONE)
		return mlr_power_kind(name) == MLR_POWER_WATTS ? RECORDER_GAUGE : RECORDER_COUNTER;
	for (size_t i = 0; i < COUNT(gauges); i++)
		if (mlr_cause_ends_with_word(name, gauges[i].word) && value <= gauges[i].most)
			return RECORDER_GAUGE;
	return RECORDER_UNKNOWN;
}

/* Whether a value is called after what is counted, so that a fall of it is a reset. */
static bool counts_by_name(const char *name)
{
	static const char *const words[] = { "packets", "pkts",    "frames", "drop", "discard", "Discard", "err",
					     "Err",     "Packets", "Pkts",   "lost", "miss",    "overrun", "_total" };

	for (size_t i = 0; i < COUNT(words); i++)
		if (strstr(name, words[i]))
			return true;
	return mlr_cause_name_is_of_loss(name);
}

/* Whether a value is called after frames that were lost, and nothing else of them: not after their ratio, or their rate. */
static bool counts_losses(const char *name)
{
	static const char *const words[] = { "drop", "drops",  "dropped", "discard", "discards", "discarded", "lost",
					     "miss", "misses", "missed",  "overrun", "overruns", "errors",    "rejects" };
	char metric[RECORDER_NAME_SIZE];
	size_t length = strcspn(name, "{");

	if (length > strlen("_total") && strncmp(name + length - strlen("_total"), "_total", strlen("_total")) == 0)
		length -= strlen("_total");
	snprintf(metric, sizeof(metric), "%.*s", (int)length, name);
	for (size_t i = 0; i < COUNT(words); i++)
		if (mlr_cause_ends_with_word(metric, words[i]))
			return true;
	return false;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u;

	while (*name)
		hash = (hash ^ (uint8_t)*name++) * 16777619u;
	return hash;
}

/* Return the slot of a name, or the free one where its place is to stand. */
static uint16_t *slot_of(struct recorder *recorder, const char *name)
{
	uint32_t slot = hash_of(name) % SLOTS;

	for (; recorder->slots[slot]; slot = (slot + 1) % SLOTS)
		if (recorder->slots[slot] != GONE && strcmp(recorder->counters[recorder->slots[slot] - 1].name, name) == 0)
			break;
	return &recorder->slots[slot];
}

/* Have a counter give up its place. */
static void give_up(struct recorder *recorder, size_t place)
{
	*slot_of(recorder, recorder->counters[place].name) = GONE;
	if (isnan(recorder->rows[recorder->row_count].values[place]))
		return;
	recorder->value_count--;
	recorder_omit(recorder, RECORDER_NO_ROOM, 1);
}

/* Return a place for a new counter. One that is called after a loss takes that of another one that is not, wherever it stands in
 * what the source says. RECORDER_COUNTERS_MOST: there is no room. */
static size_t new_place(struct recorder *recorder, const char *name)
{
	if (recorder->count < RECORDER_COUNTERS_MOST) {
		recorder->kept_from = recorder->count + 1;
		return recorder->count++;
	}
	if (!recorder->kept_from || !mlr_cause_name_is_of_loss(name))
		return RECORDER_COUNTERS_MOST;
	while (recorder->kept_from && mlr_cause_name_is_of_loss(recorder->counters[recorder->kept_from - 1].name))
		recorder->kept_from--;
	if (!recorder->kept_from)
		return RECORDER_COUNTERS_MOST;
	give_up(recorder, --recorder->kept_from);
	return recorder->kept_from;
}

/* Return the place of a counter, and add it if it is new. RECORDER_COUNTERS_MOST: there is no room. */
static size_t place_of(struct recorder *recorder, const char *name, enum recorder_kind kind, double value)
{
	uint16_t *slot = slot_of(recorder, name);
	size_t place = *slot ? *slot - 1u : new_place(recorder, name);
	struct counter *counter = &recorder->counters[place];

	if (*slot || place == RECORDER_COUNTERS_MOST)
		return place;
	*counter = (struct counter){ .kind = kind, .may_fall = kind == RECORDER_GAUGE, .last = NAN };
	if (kind == RECORDER_UNKNOWN)
		counter->kind = kind_of_name(name, value);
	else if (kind == RECORDER_GAUGE && counts_losses(name))
		counter->kind = RECORDER_UNKNOWN;
	snprintf(counter->name, sizeof(counter->name), "%s", name);
	for (size_t i = 0; i <= recorder->row_count; i++)
		recorder->rows[i].values[place] = NAN;
	*slot = (uint16_t)(place + 1);
	return place;
}

/* --- samples -------------------------------------------------------------------------------------------------------- */

/* Keep a row, in the place of one that is dropped. */
static void keep_row(struct recorder *recorder, size_t kept, size_t from)
{
	struct row row = recorder->rows[kept];

	recorder->rows[kept] = recorder->rows[from];
	recorder->rows[from] = row;
}

/* Drop every second row, but not the first, nor the last, which may end the trial. */
static void thin(struct recorder *recorder)
{
	size_t kept = 1, last = recorder->row_count - 1;

	for (size_t i = 2; i < last; i += 2)
		keep_row(recorder, kept++, i);
	keep_row(recorder, kept++, last);
	recorder->row_count = kept;
}

void recorder_begin(struct recorder *recorder, uint64_t now_ns)
{
	struct row *row = &recorder->rows[recorder->row_count];

	recorder->begin_ns = now_ns;
	recorder->value_count = 0;
	memset(recorder->omitting, 0, sizeof(recorder->omitting));
	for (size_t i = 0; i < RECORDER_COUNTERS_MOST; i++)
		row->values[i] = NAN;
}

void recorder_omit(struct recorder *recorder, enum recorder_omission reason, size_t count)
{
	recorder->omitting[reason] += count;
}

/* Write the name as JSON may have it. Returns false if there is no room. */
static bool write_name(char ret[RECORDER_NAME_SIZE], const char *name)
{
	owned char *plain = NULL;

	for (const char *octet = name; *octet && !plain; octet++)
		if ((unsigned char)*octet >= 0x80 && !(plain = plain_text(name)))
			return false;
	return snprintf(ret, RECORDER_NAME_SIZE, "%s", plain ?: name) < RECORDER_NAME_SIZE;
}

static bool is_wrap(double before, double now)
{
	return before < RANGE && now >= 0 && RANGE - before + now < RANGE / WRAP_PARTS;
}

/* Judge a value that is smaller than the one before. */
static void take_fall(struct counter *counter, double value)
{
	if (counter->kind == RECORDER_GAUGE || counter->has_fallen)
		return;
	if (counter->kind != RECORDER_COUNTER_64 && is_wrap(counter->last, value))
		counter->offset += RANGE;
	else if (counter->kind != RECORDER_UNKNOWN ||
		 (counts_by_name(counter->name) && !counter->is_reset && !counter->may_fall))
		counter->is_reset = true;
	else
		counter->has_fallen = true;
}

void recorder_add(struct recorder *recorder, const char *name, enum recorder_kind kind, double value)
{
	struct row *row = &recorder->rows[recorder->row_count];
	struct counter *counter;
	char written[RECORDER_NAME_SIZE];
	size_t place;

	if (!isfinite(value))
		return;
	if (!write_name(written, name)) {
		recorder_omit(recorder, RECORDER_NAME_TOO_LONG, 1);
		return;
	}
	place = place_of(recorder, written, kind, value);
	if (place == RECORDER_COUNTERS_MOST || fabs(value) > VALUE_MOST || !isnan(row->values[place])) {
		recorder_omit(recorder, place == RECORDER_COUNTERS_MOST ? RECORDER_NO_ROOM : RECORDER_BAD_VALUE, 1);
		return;
	}
	counter = &recorder->counters[place];
	if (value < counter->last)
		take_fall(counter, value);
	counter->last = value;
	row->values[place] = value + counter->offset;
	recorder->value_count++;
}

bool recorder_has_values(const struct recorder *recorder)
{
	return recorder->value_count;
}

bool recorder_end(struct recorder *recorder, uint64_t now_ns)
{
	for (size_t i = 0; i < RECORDER_OMISSIONS; i++)
		if (recorder->omitting[i] > recorder->omitted[i])
			recorder->omitted[i] = recorder->omitting[i];
	if (!recorder_has_values(recorder))
		return false;
	recorder->rows[recorder->row_count++].at_ns = recorder->begin_ns + (now_ns - recorder->begin_ns) / 2;
	if (recorder->row_count < RECORDER_SAMPLES_MOST)
		return false;
	thin(recorder);
	return true;
}

/* --- what became of them -------------------------------------------------------------------------------------------- */

/* The samples that are summarized, and those of them within the trial, from the last before it on. */
struct span {
	const struct recorder *recorder;
	uint64_t start_ns, end_ns;
	size_t first, last;
	bool series;
};

/* Whether a sample soon after the end tells more of the trial than the one before it. */
static bool is_nearer(const struct row *after, const struct row *before, uint64_t start_ns, uint64_t end_ns)
{
	return after->at_ns - end_ns <= (end_ns - start_ns) / END_PARTS &&
	       (int64_t)(after->at_ns - end_ns) < (int64_t)(end_ns - before->at_ns);
}

static struct span span_of(const struct recorder *recorder, uint64_t start_ns, uint64_t end_ns, bool series)
{
	struct span span = { recorder, start_ns, end_ns, 0, recorder->row_count - 1, series };

	while (span.first + 1 < recorder->row_count && recorder->rows[span.first + 1].at_ns <= start_ns)
		span.first++;
	while (span.last > span.first + 1 && recorder->rows[span.last].at_ns > end_ns &&
	       !is_nearer(&recorder->rows[span.last], &recorder->rows[span.last - 1], start_ns, end_ns))
		span.last--;
	return span;
}

static double value_at(const struct span *span, size_t row, size_t counter)
{
	return span->recorder->rows[row].values[counter];
}

static double rate_per_s(const struct span *span, size_t counter)
{
	double from = value_at(span, span->first, counter), to = value_at(span, span->last, counter);
	uint64_t ns = span->recorder->rows[span->last].at_ns - span->recorder->rows[span->first].at_ns;

	return ns ? (to - from) / ((double)ns / (double)NS_PER_S) : NAN;
}

static json_t *number(double value)
{
	if (!isfinite(value) || fabs(value) > SCHEMA_NUMBER_MOST)
		return json_null();
	return value == rint(value) && fabs(value) < 0x1p53 ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *series_of(const struct span *span, size_t counter, double base)
{
	json_t *series = json_array();

	for (size_t i = 0; i < span->recorder->row_count; i++)
		json_array_append_new(series, number(value_at(span, i, counter) - base));
	return series;
}

static bool is_gauge(const struct counter *counter)
{
	return counter->kind == RECORDER_GAUGE || (counter->kind == RECORDER_UNKNOWN && counter->has_fallen);
}

/* Summarize a counter. NULL: it did not grow. */
static json_t *counter_json(const struct span *span, size_t counter)
{
	double first = value_at(span, 0, counter), last = value_at(span, span->recorder->row_count - 1, counter);
	json_t *json;

	if (!(last > first))
		return NULL;
	json = json_with("change", number(last - first), "per_second", number(rate_per_s(span, counter)));
	if (span->series)
		json_put(json, "series", series_of(span, counter, first));
	return json;
}

/* The samples while there is load: without those before and after, where there are others. */
static struct span while_loaded(struct span span)
{
	struct span within = span;

	while (within.first < within.last && within.recorder->rows[within.first].at_ns < span.start_ns)
		within.first++;
	while (within.last > within.first && within.recorder->rows[within.last].at_ns > span.end_ns)
		within.last--;
	return within;
}

/* Summarize a gauge. NULL: it had no value but 0. */
static json_t *gauge_json(const struct span *span, size_t counter)
{
	double least = INFINITY, most = -INFINITY, sum = 0;
	size_t count = 0;
	json_t *json;

	for (size_t i = span->first; i <= span->last; i++) {
		double value = value_at(span, i, counter);

		if (isnan(value))
			continue;
		least = fmin(least, value);
		most = fmax(most, value);
		sum += value;
		count++;
	}
	if (!count || (least == 0 && most == 0))
		return NULL;
	json = json_with("min", number(least), "mean", number(sum / (double)count), "max", number(most));
	if (span->series)
		json_put(json, "series", series_of(span, counter, 0));
	return json;
}

static json_t *times_of(const struct span *span)
{
	json_t *times = json_array();

	for (size_t i = 0; i < span->recorder->row_count; i++) {
		int64_t ns = (int64_t)(span->recorder->rows[i].at_ns - span->start_ns);

		json_array_append_new(times, json_real((double)(ns / 1000) / 1e6));
	}
	return times;
}

/* Return the first value that a counter has in the samples; NAN: it has none. */
static double first_value(const struct span *span, size_t counter)
{
	double value = NAN;

	for (size_t i = 0; i < span->recorder->row_count && isnan(value); i++)
		value = value_at(span, i, counter);
	return value;
}

/* Return what is summarized of a gauge: the samples under load, or all if it has no value in these. */
static const struct span *span_of_gauge(const struct span *span, const struct span *loaded, size_t counter)
{
	for (size_t i = loaded->first; i <= loaded->last; i++)
		if (!isnan(value_at(loaded, i, counter)))
			return loaded;
	return span;
}

/* Say what is known of a counter that lacks its first or last value, or of a gauge without any. NULL: it lacks none. */
static json_t *partial_json(const struct span *span, size_t at)
{
	const struct counter *counter = &span->recorder->counters[at];
	double before = value_at(span, 0, at), after = value_at(span, span->recorder->row_count - 1, at),
	       first = first_value(span, at);

	if (is_gauge(counter) ? !isnan(first) : !isnan(before) && !isnan(after))
		return NULL;
	return json_with("before", number(before), "first", number(first), "after", number(after), "new",
			 json_boolean(!counter->was_seen));
}

/* What became of all counters: of each the value that tells, or NULL where it did nothing. */
struct told {
	json_t *ones[RECORDER_COUNTERS_MOST];
	bool are_partial[RECORDER_COUNTERS_MOST];
	size_t count;
};

static void tell_all(const struct span *span, struct told *ret)
{
	const struct recorder *recorder = span->recorder;
	struct span loaded = while_loaded(*span);

	ret->count = 0;
	for (size_t i = 0; i < recorder->count; i++) {
		const struct counter *counter = &recorder->counters[i];
		bool is_reset = counter->is_reset && !is_gauge(counter);
		json_t *lacking = is_reset ? NULL : partial_json(span, i);

		ret->ones[i] = is_reset            ? json_string(counter->name)
			       : lacking           ? lacking
			       : is_gauge(counter) ? gauge_json(span_of_gauge(span, &loaded, i), i)
						   : counter_json(span, i);
		ret->are_partial[i] = lacking;
		ret->count += ret->ones[i] != NULL;
	}
}

/* Leave out those for which there is no room, and of these last what is called after a loss. Return how many they are. */
static size_t leave_out(const struct recorder *recorder, struct told *told)
{
	size_t omitted = 0;

	for (int of_loss = 0; of_loss <= 1; of_loss++)
		for (size_t i = recorder->count; i-- && told->count > RECORDER_SHOWN_MOST;)
			if (told->ones[i] && mlr_cause_name_is_of_loss(recorder->counters[i].name) == of_loss) {
				json_decref(told->ones[i]);
				told->ones[i] = NULL;
				told->count--;
				omitted++;
			}
	return omitted;
}

/* Put the counters into the lists. Return how many of them did nothing. */
static size_t put_values(const struct span *span, json_t *counters, json_t *gauges, json_t *reset, json_t *partial,
			 size_t *omitted)
{
	const struct recorder *recorder = span->recorder;
	struct told told;
	size_t unchanged;

	tell_all(span, &told);
	unchanged = recorder->count - told.count;
	*omitted = leave_out(recorder, &told);
	for (size_t i = 0; i < recorder->count; i++)
		if (told.ones[i] && json_is_string(told.ones[i]))
			json_array_append_new(reset, told.ones[i]);
		else if (told.ones[i])
			json_put(told.are_partial[i]                ? partial
				 : is_gauge(&recorder->counters[i]) ? gauges
								    : counters,
				 recorder->counters[i].name, told.ones[i]);
	return unchanged;
}

/* Add how many counters the trial lacks, and why most of them. */
static void put_omitted(json_t *summary, const size_t omitted[RECORDER_OMISSIONS])
{
	static const char *const reasons[] = {
		[RECORDER_NAME_TOO_LONG] = "their names have more than 255 octets",
		[RECORDER_NO_ROOM] = "it has more than 4096",
		[RECORDER_NOT_SHOWN] = "more than 1000 moved",
		[RECORDER_BAD_VALUE] = "they had two values, or one of more than 1e17",
		[RECORDER_BAD_LINE] = "their lines are none of the format",
		[RECORDER_OLD] = "their source had read them some seconds before",
		[RECORDER_FAR_PORT] = "they are of interfaces beyond the first 64",
		[RECORDER_NO_NAME] = "they stand in lists, or below five objects",
	};
	size_t all = 0, most = 0;

	_Static_assert(RECORDER_NAME_SIZE == 256 && RECORDER_COUNTERS_MOST == 4096 && RECORDER_SHOWN_MOST == 1000,
		       "reasons");
	for (size_t i = 0; i < RECORDER_OMISSIONS; i++) {
		all += omitted[i];
		most = omitted[i] > omitted[most] ? i : most;
	}
	json_put(summary, "omitted", all);
	if (all)
		json_put(summary, "omitted_reason", reasons[most]);
}

json_t *recorder_summary(const struct recorder *recorder, uint64_t start_ns, uint64_t end_ns, bool series)
{
	json_auto_t *counters = json_object(), *gauges = json_object(), *reset = json_array(), *partial = json_object();
	struct span span = span_of(recorder, start_ns, end_ns, series);
	size_t unchanged = 0, omitted[RECORDER_OMISSIONS];
	json_t *json;

	memcpy(omitted, recorder->omitted, sizeof(omitted));
	if (recorder->row_count)
		unchanged = put_values(&span, counters, gauges, reset, partial, &omitted[RECORDER_NOT_SHOWN]);
	json = json_with("samples", recorder->row_count, "counters", json_incref(counters), "gauges", json_incref(gauges),
			 "unchanged", unchanged);
	if (json)
		put_omitted(json, omitted);
	if (json && json_array_size(reset))
		json_object_set(json, "reset", reset);
	if (json && json_object_size(partial))
		json_object_set(json, "partial", partial);
	if (json && series && recorder->row_count)
		json_put(json, "times", times_of(&span));
	return json;
}
