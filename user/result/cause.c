/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file finds where the SUT lost frames, by the counters that trials have as "observed". */
#include "mlr/cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/schema.h"
#include "result/audit.h"
#include "result/report.h"

#define RULES       3   /* version of the rules of lib/cause; documents of others were made by other ones */
#define NAMES_MOST  100 /* counters of a source that were reset, or are known in part */
#define FAMILY_SIZE 256

/* All counters of the observed trials, and their values in each trial. */
struct observed_trials {
	json_t *places; /* places of counters, by source and then name */
	struct mlr_cause_counter *counters;
	bool *appeared; /* of each counter: it began within a trial, at 0 */
	size_t counter_count, trial_count;
	struct mlr_cause_trial *trials;
	double *values; /* changes and levels, a row of each a trial */
};

static const char *const kinds[] = {
	[MLR_CAUSE_SHARED] = "shared", [MLR_CAUSE_EXACT] = "exact", [MLR_CAUSE_SATURATED] = "saturated",
	[MLR_CAUSE_GROWS] = "grows",   [MLR_CAUSE_PART] = "part",   [MLR_CAUSE_DIRECTION] = "direction",
};

static bool is_observed(const json_t *trial)
{
	return json_array_size(json_object_get(trial, "observed")) && !read_truth(trial, "warmup");
}

/* --- names ---------------------------------------------------------------------------------------------------------- */

/* Make the places of a source's counters. They begin as none. */
static json_t *places_of(const struct observed_trials *observed, const json_t *source)
{
	const char *name = read_text(source, "source");

	if (!json_object_get(observed->places, name))
		json_put(observed->places, name, json_object());
	return json_object_get(observed->places, name);
}

/* Return the names of a source's counters that were reset in a trial, as members. A new reference. */
static json_t *reset_counters(const json_t *source)
{
	json_t *names = json_object();

	json_each (name, json_object_get(source, "reset"))
		if (json_is_string(name))
			json_put(names, json_string_value(name), true);
	return names;
}

static void number_members(struct observed_trials *observed, json_t *places, const json_t *members)
{
	json_each_member (name, value, members)
		if (!json_object_get(places, name))
			json_put(places, name, observed->counter_count++);
}

static void number_counters(struct observed_trials *observed, const json_t *trial)
{
	json_each (source, json_object_get(trial, "observed")) {
		json_auto_t *reset = reset_counters(source);

		number_members(observed, places_of(observed, source), json_object_get(source, "counters"));
		number_members(observed, places_of(observed, source), json_object_get(source, "gauges"));
		number_members(observed, places_of(observed, source), json_object_get(source, "partial"));
		number_members(observed, places_of(observed, source), reset);
	}
}

static void name_counters(struct observed_trials *observed)
{
	json_each_member (source, places, observed->places)
		json_each_member (name, place, places) {
			struct mlr_cause_counter *counter = &observed->counters[json_integer_value(place)];

			counter->source = source;
			counter->name = name;
		}
}

/* --- values --------------------------------------------------------------------------------------------------------- */

/* The frames that the SUT lost, as far as that is known by itself: also of the tester's own bursts. */
static double lost_by_sut(const json_t *trial)
{
	const json_t *attribution = json_object_get(trial, "loss_attribution");
	double sut = read_number(attribution, "sut"), burst = read_number(attribution, "tester_burst");

	return isnan(sut) ? read_number(json_object_get(trial, "counts"), "lost") : sut + (isnan(burst) ? 0 : burst);
}

/* Return the growth of a counter that lacks its first or last value; NAN: it is not known. */
static double growth_of_partial(const char *name, const json_t *partial, double lost)
{
	if (!read_truth(partial, "new"))
		return NAN;
	return mlr_cause_appeared(name, read_number(partial, "first"), read_number(partial, "after"), lost);
}

/* Whether a source may know more counters that moved than it tells of. */
static bool is_cut(const json_t *source)
{
	return read_number(source, "omitted") > 0 && json_object_size(json_object_get(source, "counters")) +
								     json_object_size(json_object_get(source, "gauges")) +
								     json_object_size(json_object_get(source, "partial")) +
								     json_array_size(json_object_get(source, "reset")) >=
							     SCHEMA_OBSERVED_MOST;
}

static bool has_other_than_loss(const json_t *list)
{
	json_each_member (name, value, list)
		if (!mlr_cause_name_is_of_loss(name))
			return true;
	return false;
}

/* Whether such a source tells of all that are called after a loss and moved: it leaves these out last. */
static bool tells_losses(const json_t *source)
{
	return json_object_get(source, "omitted_reason") && (has_other_than_loss(json_object_get(source, "counters")) ||
							     has_other_than_loss(json_object_get(source, "gauges")));
}

/* What a source knows of none that grew is that they did not; of those that were reset it knows nothing. */
static void fill_source(const struct observed_trials *observed, const json_t *trial, const json_t *source, double *changes,
			double *levels)
{
	const json_t *counters = json_object_get(source, "counters"), *gauges = json_object_get(source, "gauges");
	const json_t *partials = json_object_get(source, "partial");
	json_auto_t *reset = reset_counters(source);
	bool is_known = read_truth(source, "whole"), cut = is_cut(source), losses = !cut || tells_losses(source);

	json_each_member (name, place, json_object_get(observed->places, read_text(source, "source"))) {
		const json_t *counter = json_object_get(counters, name), *gauge = json_object_get(gauges, name);
		const json_t *partial = json_object_get(partials, name);
		size_t at = (size_t)json_integer_value(place);

		if (!is_known || json_object_get(reset, name))
			continue;
		if (partial) {
			changes[at] = growth_of_partial(name, partial, lost_by_sut(trial));
			levels[at] = changes[at] / read_number(trial, "trial_duration");
			observed->appeared[at] |= !isnan(changes[at]);
		} else if (counter || gauge || !cut || (losses && mlr_cause_name_is_of_loss(name))) {
			changes[at] = counter ? read_number(counter, "change") : gauge ? read_number(gauge, "max") : 0;
			levels[at] = counter ? read_number(counter, "per_second") : gauge ? read_number(gauge, "mean") : 0;
		}
		observed->counters[at].is_gauge |= gauge != NULL;
	}
}

/* Of which direction the frames were that the tester itself lost is not known. 0: nor is how many the SUT lost of this one. */
static double lost_in_direction(const json_t *trial, size_t direction)
{
	const json_t *directions = json_object_get(trial, "directions");
	double lost = read_number(json_object_get(json_array_get(directions, direction), "counts"), "lost");
	bool by_sut = read_number(json_object_get(trial, "counts"), "lost") == lost_by_sut(trial);

	return by_sut && json_array_size(directions) == 2 && lost > 0 ? lost : 0;
}

static void fill_trial(struct observed_trials *observed, const json_t *trial)
{
	double *changes = observed->values + 2 * observed->trial_count * observed->counter_count;
	double *levels = changes + observed->counter_count;

	for (size_t i = 0; i < 2 * observed->counter_count; i++)
		changes[i] = NAN;
	json_each (source, json_object_get(trial, "observed"))
		fill_source(observed, trial, source, changes, levels);
	observed->trials[observed->trial_count++] = (struct mlr_cause_trial){
		.load_fps = read_number(trial, "trial_load"),
		.sent = read_number(json_object_get(trial, "counts"), "sent"),
		.lost = lost_by_sut(trial),
		.changes = changes,
		.levels = levels,
		.lost_of_direction = { lost_in_direction(trial, 0), lost_in_direction(trial, 1) },
	};
}

static void free_trials(struct observed_trials *observed)
{
	json_decref(observed->places);
	free(observed->counters);
	free(observed->appeared);
	free(observed->trials);
	free(observed->values);
}

/* Returns false without memory. */
static bool read_trials(const json_t *trials, struct observed_trials *ret)
{
	size_t count = 0;

	*ret = (struct observed_trials){ .places = json_object() };
	json_each (trial, trials) {
		if (!is_observed(trial))
			continue;
		number_counters(ret, trial);
		count++;
	}
	ret->counters = calloc(ret->counter_count + 1, sizeof(*ret->counters));
	ret->appeared = calloc(ret->counter_count + 1, sizeof(*ret->appeared));
	ret->trials = calloc(count + 1, sizeof(*ret->trials));
	ret->values = calloc(2 * count * ret->counter_count + 1, sizeof(*ret->values));
	if (!ret->places || !ret->counters || !ret->appeared || !ret->trials || !ret->values)
		return false;
	name_counters(ret);
	json_each (trial, trials)
		if (is_observed(trial))
			fill_trial(ret, trial);
	return true;
}

/* --- the document --------------------------------------------------------------------------------------------------- */

static json_t *largest_json(const struct observed_trials *observed, const struct mlr_cause *cause)
{
	return json_list(
		i, cause->largest_count,
		json_with("counter", observed->counters[cause->largest[i]].name, "change", cause->largest_changes[i]));
}

/* Add what only some rows have. */
static void add_rest(json_t *row, const struct observed_trials *observed, const struct mlr_cause *cause,
		     const struct mlr_causes *causes, const json_t *trials)
{
	json_auto_t *first = json_item(trials, 0);
	const json_t *direction = json_at(first, TEXT_OF(32, "/directions/%zu", cause->direction));

	if (cause->members) {
		json_put(row, "members", cause->members);
		json_put(row, "largest", largest_json(observed, cause));
	}
	if (cause->background > 0)
		json_put(row, "background", cause->background);
	if (cause->kind == MLR_CAUSE_DIRECTION && direction) {
		json_put(row, "from", read_text(direction, "from"));
		json_put(row, "to", read_text(direction, "to"));
	}
	if (cause->trials && cause->lost > 0 && cause->lost != causes->lost &&
	    !observed->counters[cause->counter].is_gauge) {
		json_put_members(row, cause, trials, lost);
	}
	if (observed->appeared[cause->counter])
		json_put(row, "appeared", true);
}

static json_t *row_of(const struct observed_trials *observed, const struct mlr_cause *cause, const struct mlr_causes *causes,
		      const json_t *trials)
{
	const struct mlr_cause_counter *counter = &observed->counters[cause->counter];
	char family[FAMILY_SIZE];
	json_t *row;

	mlr_cause_family_name(counter->name, sizeof(family), family);
	row = json_with("source", counter->source, "counter", cause->members ? family : counter->name, "kind",
			kinds[cause->kind], "gauge", counter->is_gauge, "change", cause->change, "per_lost_frame",
			cause->per_lost);
	json_put_members(row, cause, lower_level, upper_level, lower_per_frame, upper_per_frame);
	add_rest(row, observed, cause, causes, trials);
	return row;
}

static json_t *row_of_source(json_t *list, const char *name)
{
	json_t *row;

	json_each (one, list)
		if (strcmp(read_text(one, "source"), name) == 0)
			return one;
	row = json_with("source", name, "trials", 0, "whole", 0, "idle", 0);
	json_array_append_new(list, row);
	return row;
}

static bool has_counter(const json_t *list, const char *name)
{
	json_each (item, list)
		if (strcmp(json_string_value(item) ?: read_text(item, "counter"), name) == 0)
			return true;
	return false;
}

/* Return a list of counters of a source, which is made if there is none. */
static json_t *counters_of(json_t *row, const char *member)
{
	if (!json_object_get(row, member))
		json_put(row, member, json_array());
	return json_object_get(row, member);
}

/* Add those that were reset in a trial to those of earlier trials. */
static void add_reset(json_t *row, const json_t *reset)
{
	json_each_member (name, value, reset) {
		json_t *list = counters_of(row, "reset");

		if (json_array_size(list) < NAMES_MOST && !has_counter(list, name))
			json_array_append_new(list, json_string(name));
	}
}

/* Add those of which something is missing in a trial, and of one that appeared there its last value. */
static void add_partial(json_t *row, const json_t *trial, const json_t *partials)
{
	json_each_member (name, partial, partials) {
		json_t *list;

		if (!isnan(growth_of_partial(name, partial, lost_by_sut(trial))))
			continue;
		list = counters_of(row, "partial");
		if (json_array_size(list) < NAMES_MOST && !has_counter(list, name))
			json_array_append_new(
				list,
				json_with("counter", name, "appeared_at",
					  json_incref(read_truth(partial, "new") ? json_object_get(partial, "after") : NULL)
						  ?: json_null()));
	}
}

/* Keep the greatest number of counters that a trial lacks, and why. */
static void add_omitted(json_t *row, const json_t *source)
{
	json_int_t omitted = read_integer(source, "omitted");

	if (omitted <= read_integer(row, "omitted"))
		return;
	json_put(row, "omitted", omitted);
	if (json_is_string(json_object_get(source, "omitted_reason")))
		json_object_set(row, "omitted_reason", json_object_get(source, "omitted_reason"));
}

static void add_source(json_t *row, const json_t *trial, const json_t *source, size_t moved)
{
	json_auto_t *reset = reset_counters(source);
	const json_t *partial = json_object_get(source, "partial");
	const char *trouble = read_string(source, "trouble");
	bool whole = read_truth(source, "whole");
	size_t all = (size_t)read_integer(source, "unchanged") + json_object_size(json_object_get(source, "counters")) +
		     json_object_size(json_object_get(source, "gauges")) + json_object_size(reset) +
		     json_object_size(partial);

	json_put(row, "trials", read_integer(row, "trials") + 1);
	json_put(row, "whole", read_integer(row, "whole") + whole);
	if (whole && all > moved && (json_int_t)(all - moved) > read_integer(row, "idle"))
		json_put(row, "idle", all - moved);
	if (trouble)
		json_put(row, "trouble", trouble);
	add_reset(row, reset);
	if (whole)
		add_partial(row, trial, partial);
	add_omitted(row, source);
}

/* Describe each source: the number of trials that it observed completely, why not the last of the others, how many of its
 * counters never grew, which were reset or lack a value, and how many were left out. */
static json_t *sources_json(const struct observed_trials *observed, const json_t *trials)
{
	json_t *list = json_array();

	json_each (trial, trials) {
		if (!is_observed(trial))
			continue;
		json_each (source, json_object_get(trial, "observed")) {
			const char *name = read_text(source, "source");

			add_source(row_of_source(list, name), trial, source,
				   json_object_size(json_object_get(observed->places, name)));
		}
	}
	return list;
}

/* A new reference; NULL where no trial was observed, or without memory. */
static json_t *cause_of(const json_t *trials, double lower_fps, double upper_fps)
{
	struct observed_trials observed;
	struct mlr_causes causes;
	json_t *cause = NULL;
	bool complete = read_trials(trials, &observed);

	if (complete && observed.trial_count) {
		const struct mlr_cause_input input = { observed.counters, observed.counter_count,
						       observed.trials,   observed.trial_count,
						       lower_fps,         upper_fps };

		complete = mlr_cause_find(&input, &causes) == 0;
		if (complete)
			cause = json_with("rules", RULES, "lost", causes.lost, "trials", causes.trials, "rows",
					  json_list(i, causes.count, row_of(&observed, &causes.causes[i], &causes, trials)),
					  "sources", sources_json(&observed, trials));
		if (cause && causes.parts)
			json_put(cause, "parts", causes.parts);
	}
	free_trials(&observed);
	if (!complete)
		memory_noticed(NULL);
	return cause;
}

/* --- where a document has causes ------------------------------------------------------------------------------------ */

/* One that has a cause of its own: a Goal Result, a test of a suite, or a document. */
struct holder {
	json_t *json;
	const json_t *trials;
	double lower_fps, upper_fps;
};

typedef void (*cause_visit)(void *context, const struct place *place, const struct holder *holder);

/* Where no search found bounds: the least load with loss, and the highest one below it without. */
static void find_bounds(struct holder *holder)
{
	json_each (trial, holder->trials)
		if (is_observed(trial) && lost_by_sut(trial) > 0)
			holder->upper_fps = fmin(read_number(trial, "trial_load"), holder->upper_fps);
	json_each (trial, holder->trials)
		if (is_observed(trial) && lost_by_sut(trial) == 0 &&
		    !(read_number(trial, "trial_load") >= holder->upper_fps))
			holder->lower_fps = fmax(read_number(trial, "trial_load"), holder->lower_fps);
}

static struct holder holder_of(json_t *json, const json_t *trials, const json_t *result)
{
	struct holder holder = { json, trials, read_number(result, "relevant_lower_bound"),
				 read_number(result, "relevant_upper_bound") };

	if (!result)
		find_bounds(&holder);
	return holder;
}

static void visit_one(json_t *json, const json_t *trials, const json_t *result, const struct place *place, cause_visit visit,
		      void *context)
{
	struct holder holder = holder_of(json, trials, result);

	visit(context, place, &holder);
}

/* The holders of an object itself. */
static void visit_holders(json_t *object, const struct place *place, cause_visit visit, void *context)
{
	const json_t *trials = json_object_get(object, "trials"), *results = json_object_get(object, "search_result");
	json_t *alone = json_object_get(object, "trial_result");
	json_auto_t *list = json_is_object(alone) ? json_pack("[O]", alone) : NULL;

	json_each (result, results)
		visit_one(result, trials, result, ITEM(MEMBER(place, "search_result"), result_at), visit, context);
	if (json_is_array(trials) && !results)
		visit_one(object, trials, json_object_get(object, "goal_result"), place, visit, context);
	else if (list)
		visit_one(object, list, NULL, place, visit, context);
}

static void visit_all(json_t *json, const struct place *place, cause_visit visit, void *context)
{
	json_each (item, json)
		visit_all(item, ITEM(place, item_at), visit, context);
	if (!json_is_object(json))
		return;
	visit_holders(json, place, visit, context);
	json_each_member (name, value, json)
		if (strcmp(name, "trials") != 0)
			visit_all(value, MEMBER(place, name), visit, context);
}

static void add_cause(void *context, const struct place *place, const struct holder *holder)
{
	json_t *cause = cause_of(holder->trials, holder->lower_fps, holder->upper_fps);

	(void)context;
	(void)place;
	if (cause)
		json_put(holder->json, "cause", cause);
}

void report_add_causes(json_t *document)
{
	visit_all(document, NULL, add_cause, NULL);
}

/* --- the audit of them ---------------------------------------------------------------------------------------------- */

/* What earlier versions stated followed from other rules. */
static void audit_one(void *context, const struct place *place, const struct holder *holder)
{
	const json_t *stated = json_object_get(holder->json, "cause");
	json_auto_t *follows = stated ? cause_of(holder->trials, holder->lower_fps, holder->upper_fps) : NULL;

	if (follows && read_integer(stated, "rules") == RULES)
		audit_value(context, MEMBER(place, "cause"), stated, follows);
	else if (stated && !follows)
		contradict(context, MEMBER(place, "cause"), "no trial was observed");
}

void audit_cause(struct audit *audit, const json_t *document)
{
	visit_all((json_t *)document, NULL, audit_one, audit);
}
