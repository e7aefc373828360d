/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header has the inside of the mlr controller: how one goal sees what was measured, and how the next load is chosen.
 * The controller owns a struct mlr_situation and a struct mlr_focus for each goal; a view is made for each decision and
 * borrows nothing. All of it lives as long as the controller (mlr.c).
 *
 *	mlr.c		the controller: warm-up, order of goals, limits, bookkeeping
 *	mlr_choose.c	where and how long the next trial for one goal is
 *	mlr_free.c	the search without a model, which always ends
 *	mlr_view.c	the measured loads as one goal sees them
 *	mlr_digest.c	the trials at each load, counted once
 *	mlr_draws.c	whether short trials tell as much as long ones, or less
 *	mlr_locate.c	finds a bracket of a good and a bad load by few single trials
 *	mlr_memory.c	detects a SUT that remembers overload
 *	mlr_race.c	how many trials one load still takes, and how likely it becomes a Lower Bound
 *	mlr_atoms.c	capacities that are met again and again
 *	mlr_model.c	the posterior of the goal's critical load, and of the noise near it
 *	mlr_watch.c	compares what the model foretells with what happens
 *	mlr_plan.c	chooses the load that promises the cheapest end of the search
 *	mlr_ahead.c	how long the search still takes
 *
 * Positions are real numbers, in steps of the grid above Min Load. Indices are integer positions.
 */
#ifndef MLR_PRIVATE_H
#define MLR_PRIVATE_H

#include "controller/controller_private.h"
#include "mlr/grid.h"

/* The difference of a sum over independent trials from its mean, with its variance. */
struct mlr_excess {
	double sum, variance;
};

/* What the order of the trials shows. */
struct mlr_memory {
	struct mlr_trial_result last;
	double rises;          /* trials that lost more than the one before at the same load, which lost frames, too */
	double falls;          /* trials that lost less than the one before, likewise */
	double stunned_trials; /* number of last trials in a row in which the SUT was stunned */
	double stunned_s;      /* sum of the durations of these trials */
	bool is_noticed;
};

/* What is known for the whole search. */
struct mlr_situation {
	const struct mlr_results *results;
	struct mlr_grid grid;
	double warmup_rate_fps; /* the forwarding rate of the warm-up */
	double overhead_s;      /* time by which the last trial exceeded its Trial Duration */
	struct mlr_memory memory;
	struct mlr_digest *digests; /* one for each goal */
};

/* --- the digest --- */

/* Trials that are at least as long as some duration. */
struct mlr_full_length {
	double good;
	double full_length; /* good or bad */
};

#define MLR_STAGES 3 /* stages of the search without a model; the last one is the goal itself */

/* The trials at one load, counted for one goal. */
struct mlr_load_digest {
	double load_fps;
	double counted; /* trials */
	double bad;
	double changes;                                  /* trials that were good after a bad one, or bad after a good one */
	double worse;                                    /* trials that were bad after a good one */
	struct mlr_excess missing_changes;               /* how many changes less than by chance */
	struct mlr_full_length final;                    /* trials of the goal's final Trial Duration */
	double longest_s;                                /* longest Trial Duration of the load */
	double longest;                                  /* number of trials of this duration */
	double loss_sum;                                 /* sum of the loss ratios of these trials */
	struct mlr_duration_sums stages[MLR_STAGES - 1]; /* sums for the stages before the last */
};

/* Trials by length: less than `telling_s` of the goal's view, less than the final Trial Duration, or that. */
enum mlr_length { MLR_SHORT, MLR_TELLING, MLR_FULL, MLR_LENGTHS };

/* What each length of trials has shown. 0 stands for nothing. */
struct mlr_draws {
	double highest_fps[MLR_LENGTHS];   /* the highest load at which one was good */
	double surpassed_fps[MLR_LENGTHS]; /* a good trial above this surpassed a capacity that one of them met */
};

/* The trials, counted for one goal. It starts as zeros. */
struct mlr_digest {
	size_t count, capacity;
	struct mlr_load_digest *loads;     /* the smallest load first, as in the results */
	int repeats;                       /* trials that lost exactly the share of the trial before at their load */
	int contradictions;                /* trials that lost another share */
	struct mlr_excess missing_changes; /* changes between good and bad, over all loads */
	struct mlr_draws draws;
};

/* Count the last trial at a load for a goal. Returns 0 or -ENOMEM. */
int mlr_digest_note(const struct mlr_situation *now, size_t goal, double load_fps);
void mlr_digest_free(struct mlr_digest *digest);

/* --- the view --- */

/* What a load still needs, in full-length trials. So many good ones in sum make it a Lower Bound, and so many bad ones an
 * Upper Bound. */
struct mlr_need {
	double good;
	double bad;
	double short_bad_s; /* bad trials that are too short also make it an Upper Bound if they add up to more than this */
};

/* A measured load. Trials are good (low-loss) or bad (high-loss). A full-length trial is at least as long as the view's
 * duration. */
struct mlr_point {
	double load_fps;
	double position;
	bool on_grid;
	double good;        /* good trials of full length */
	double bad;         /* bad trials of any length */
	double full_length; /* trials of full length, good or bad */
	double longest_s;   /* the longest Trial Duration */
	double loss_ratio;  /* the mean over the longest trials */
	double lost;        /* frames that a full-length trial loses by that ratio */
	enum mlr_load_class class;
	const struct mlr_duration_sums *stages; /* those of the digest, which are valid until the next trial is counted */
	struct mlr_need need;
};

struct mlr_view {
	const struct mlr_results *results;
	const struct mlr_goal *goal;
	const struct mlr_grid *grid;
	double duration_s;     /* the length of the trials that count: the goal's final Trial Duration, or any shorter one */
	double telling_s;      /* a bad trial of this length is more than a short test */
	double whole_s;        /* a trial of this length tells a model as much as a longer one */
	bool is_buffered;      /* short trials are good where longer ones are not */
	double bracket;        /* a bracket of good and bad loads is located if it is this narrow, in steps */
	int repeats;           /* copy of the member of the digest */
	int contradictions;    /* copy of the member of the digest */
	int64_t unit;          /* steps of the grid within the Goal Width */
	double hint;           /* the position where the warm-up puts the goal's critical load */
	struct mlr_need fresh; /* what a load without trials needs */
	int64_t lower;         /* index of the Relevant Lower Bound, or -1 */
	int64_t upper;         /* index of the Relevant Upper Bound, or beyond the last if there is none */
	size_t count;          /* the points, the smallest load first */
	struct mlr_point *points;
};

/* Return how many steps of the grid the Goal Width has, at least one. */
int64_t mlr_unit(const struct mlr_grid *grid, const struct mlr_goal *goal);

/* Make the view that a goal has of the results, by trials of this duration. The caller sets the bracket. Returns 0 or
 * -ENOMEM. */
int mlr_view_new(const struct mlr_situation *now, size_t goal, double duration_s, struct mlr_view *ret_view);
void mlr_view_free(struct mlr_view *view);

/* Return the point at an index of the grid, or NULL. */
const struct mlr_point *mlr_view_at(const struct mlr_view *view, int64_t index);

/* Return the lowest load that is bad, or NULL. */
const struct mlr_point *mlr_view_lowest_bad(const struct mlr_view *view);

/* Return the index nearest to a position, among those strictly between the Relevant Bounds. */
int64_t mlr_view_clamp(const struct mlr_view *view, double position);

/* Note a trial. The loads at both ends of a Goal Width differ by `width_log` in their natural logarithms. */
void mlr_draws_note(struct mlr_draws *draws, const struct mlr_goal *goal, double width_log,
		    const struct mlr_trial_result *trial);
/* Find out what short trials tell: set `whole_s` and `is_buffered`. */
void mlr_draws_look(const struct mlr_draws *draws, struct mlr_view *view);

/* --- locating --- */

/* Where the critical load seems to be, once it is located. */
struct mlr_root {
	double position;
	double uncertainty;     /* in steps */
	double steepness;       /* how much the logarithm of the lost frames grows for each step; 0 if unknown */
	double steepness_ratio; /* the standard deviation of that, as a ratio */
	bool is_final;          /* bad trials are known, so more trials will not move it */
};

/* Locate the critical load. Returns true if *ret_index is to be measured next, or false if *ret_root is where the critical
 * load is. */
bool mlr_locate(const struct mlr_view *view, int64_t *ret_index, const char **ret_rule, struct mlr_root *ret_root);

/* --- SUTs that remember --- */

/* Record a trial. The digest of the goal that is asked has counted it already. */
void mlr_memory_note(struct mlr_memory *memory, const struct mlr_digest *digest, const struct mlr_trial_result *trial);

/* --- the race at one load --- */

#define MLR_LEVELS 64 /* the number of exceed probabilities that are distinguished */

struct mlr_race;

/* Make tables up to this need. Returns 0 or -ENOMEM. The caller frees them. */
int mlr_race_new(struct mlr_need most, struct mlr_race **ret);
void mlr_race_free(struct mlr_race *race);
/* The expected number of trials until a load is decided, and the probability that it becomes a Lower Bound. */
struct mlr_outlook {
	double trials;
	double lower_probability;
};
/* Return the outlooks of a load with this need, by level. */
const struct mlr_outlook *mlr_race_outlooks(const struct mlr_race *race, struct mlr_need need);
/* Return the level nearest to an exceed probability. */
unsigned int mlr_probability_level(double probability);
/* Return the exceed probability of a level. */
double mlr_level_probability(unsigned int level);

/* --- what a model sees --- */

/* A trial as the model of one goal sees it. */
struct mlr_observation {
	double position;
	double forwarded; /* the position where its forwarding rate puts the goal's critical load */
	double lost;      /* frames */
	double frame;     /* the steps by which one more lost frame moves `forwarded` */
	double length;    /* duration, in full-length trials */
	double good;      /* if it is good, its weight in good trials of full length; a shorter trial weighs less */
	bool is_bad;
};

/* Whether a bad trial forwarded enough to show the capacity that it met: one frame less would move it by less than a
 * step. */
static inline bool mlr_shows_capacity(const struct mlr_observation *seen)
{
	return seen->is_bad && seen->frame < 1;
}

/* Return how a goal sees a trial, if trials of this duration tell as much as any. */
struct mlr_observation mlr_observe(const struct mlr_grid *grid, const struct mlr_goal *goal, double duration_s,
				   const struct mlr_trial_result *trial);

/* --- atoms --- */

#define MLR_ATOMS_SEEN_MAX 128

/* The trials so far, up to the size of the list. */
struct mlr_atoms {
	double unit;   /* steps within the Goal Width */
	bool has_mode; /* trials at different loads met the same capacity */
	size_t count;
	struct mlr_observation seen[MLR_ATOMS_SEEN_MAX]; /* ordered by capacity, the lowest first */
};

void mlr_atoms_add(struct mlr_atoms *atoms, const struct mlr_observation *seen);
/* Whether a trial that is not added yet met a capacity that another trial met. */
bool mlr_atoms_has_met(const struct mlr_atoms *atoms, const struct mlr_observation *seen);

/* What the sample of capacities says about a position. */
struct mlr_sample {
	double trials;            /* trials of which it is known whether their capacity lies below it */
	double below_probability; /* the probability of a capacity below it */
};
struct mlr_sample mlr_atoms_sample(const struct mlr_atoms *atoms, double position);

/* --- the model --- */

struct mlr_model;

/* Make a posterior around a root. `unit` is in steps. Returns 0 or -ENOMEM. The caller frees it. */
int mlr_model_new(const struct mlr_root *root, double unit, const struct mlr_goal *goal, struct mlr_model **ret);
void mlr_model_free(struct mlr_model *model);
/* Learn from one or more trials at the same load. */
void mlr_model_learn(struct mlr_model *model, const struct mlr_observation *seen, size_t count);
/* The hypotheses that matter, which are those of the largest weight. Weights add up to 1. They are valid until the next call
 * on the model. */
struct mlr_hypothesis {
	double weight;
	double critical;             /* the position where half of the trials exceed */
	double inverse_spread;       /* 1 / steps */
	const unsigned char *levels; /* levels of the exceed probability, by cells of its curve */
	unsigned int shape;          /* index of (kind, spread), below MLR_SHAPES */
};
#define MLR_SHAPES 128
size_t mlr_model_hypotheses(struct mlr_model *model, const struct mlr_hypothesis **ret);
/* Set whether the capacities that were met are a sample. They are none if trials depend on those before. */
void mlr_model_use_sample(struct mlr_model *model, bool is_sample);
/* For each level that a hypothesis may give a position, get the level by the sample of capacities. Returns false if the
 * sample says nothing, because no capacity was met again. */
bool mlr_model_correct(const struct mlr_model *model, double position, unsigned char ret_levels[MLR_LEVELS]);

/* A curve is a table over z = (position - critical) / spread. */
#define MLR_CURVE_STEPS_A_Z 16
#define MLR_CURVE_Z_MAX     6
#define MLR_CURVE_CELLS     (2 * MLR_CURVE_Z_MAX * MLR_CURVE_STEPS_A_Z + 1)

static inline size_t mlr_curve_cell(double z)
{
	double cell = (z + MLR_CURVE_Z_MAX) * MLR_CURVE_STEPS_A_Z + 0.5;

	if (!(cell > 0))
		return 0;
	return cell < MLR_CURVE_CELLS - 1 ? (size_t)cell : MLR_CURVE_CELLS - 1;
}

/* Return the level of the exceed probability at a position. A plan calls it some 100 000 times. */
static inline unsigned int mlr_hypothesis_level(const struct mlr_hypothesis *hypothesis, double position)
{
	return hypothesis->levels[mlr_curve_cell((position - hypothesis->critical) * hypothesis->inverse_spread)];
}

/* --- watching the model --- */

struct mlr_tally {
	double bad, all;
};

/* How much better than the model other predictors foretold the trials. Values are logarithms of products of
 * probabilities. */
struct mlr_watch {
	double by_load;        /* the prediction by trials at near loads */
	double by_time;        /* the prediction by the last trials */
	struct mlr_tally last; /* tally of those last trials */
};

/* Record the trial that a decision asked for, before it is among the results. */
void mlr_watch_note(struct mlr_watch *watch, const struct mlr_results *results, const struct mlr_decision *decision,
		    const struct mlr_trial_result *trial);
/* Return how many times better the last trials predicted than the model and near loads together. A large number means that
 * the SUT changes with time, so no model of its loads is right. */
double mlr_watch_change(const struct mlr_watch *watch);

/* --- the plan --- */

/* What the model expects of the chosen load; NAN if it was not asked. */
struct mlr_opinion {
	double exceed_probability;
	double trials_ahead; /* trials until the goal is done */
};

/* Get the index to measure next. Returns false if there is no candidate. */
bool mlr_plan(const struct mlr_view *view, struct mlr_model *model, const struct mlr_race *race, int64_t *ret_index,
	      struct mlr_opinion *ret_opinion);

/* --- the model-free way --- */

/* The next trial, chosen by bounds alone. */
struct mlr_trial_place {
	int64_t index;
	double duration_s;
};
/* Return the goal of a stage. */
struct mlr_goal mlr_free_stage_goal(const struct mlr_goal *goal, int number);
struct mlr_trial_place mlr_free_place(const struct mlr_view *view, bool in_stages);

/* --- the choice --- */

/* What the controller knows of one goal in addition to the results. */
struct mlr_focus {
	double trials;           /* trials that were asked for with this goal in focus */
	double limit;            /* the limit of those trials */
	double spent_s;          /* the sum of their effective durations */
	int64_t lower, upper;    /* the bounds of the view when it was made last */
	double steps;            /* bounds found in a row in one direction; negative downwards */
	bool has_walked;         /* The number of steps was once too large. */
	bool is_hopeless;        /* a load that the goal needs cannot be decided */
	struct mlr_model *model; /* exists once the critical load is located */
	double whole_s;          /* `whole_s` of the view that the model was made with */
	struct mlr_watch watch;  /* watches the model */
	struct mlr_race *race;
};

/* Return how many full-length trials decide a load, if each takes its Trial Duration. */
double mlr_trials_a_load(const struct mlr_goal *goal);

/* The trials by which a goal looks around before its own long ones. */
struct mlr_scout {
	size_t goal; /* the goal that has trials of this length */
	double duration_s;
};

/* Choose the next trial for a goal that is not finished, or set focus->is_hopeless. Returns 0 or -ENOMEM. */
int mlr_choose(const struct mlr_situation *now, size_t goal, struct mlr_scout by, struct mlr_focus *focus,
	       struct mlr_decision *ret_decision);

/* --- the time to go --- */

/* Return the seconds of trials that a goal may still take. `decision` is the open one, or NULL. */
double mlr_ahead_s(const struct mlr_situation *now, size_t goal, const struct mlr_decision *decision);

#endif
