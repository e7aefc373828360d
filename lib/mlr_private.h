/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of the mlr controller: how one goal sees what was measured, and how the next load is chosen.
 *
 *	mlr.c		the controller: warm-up, order of goals, limits, bookkeeping
 *	mlr_choose.c	where and how long the next trial for one goal should be; the model-free way that always ends
 *	mlr_view.c	the measured loads as one goal sees them
 *	mlr_draws.c	whether short trials tell as much as long ones, or less
 *	mlr_locate.c	brings a bracket of a good and a bad load, by few single trials
 *	mlr_memory.c	notices a SUT that remembers overload
 *	mlr_race.c	how many trials one load still takes, and how likely it becomes a Lower Bound
 *	mlr_atoms.c	capacities that come again and again
 *	mlr_model.c	what the trials say about where the goal's critical load is, and how noisy its neighbourhood
 *	mlr_watch.c	holds what the model foretells against what happens
 *	mlr_plan.c	chooses the load that promises the cheapest end of the search
 *	mlr_ahead.c	how long the search still takes
 *
 * Positions are real numbers, in steps of the grid above Min Load; indices are whole positions.
 */
#ifndef MLR_PRIVATE_H
#define MLR_PRIVATE_H

#include "controller_private.h"
#include "mlr/grid.h"

/* How far a sum over independent trials has come from its mean. */
struct mlr_excess {
	double sum, variance;
};

/* What the order of the trials says. */
struct mlr_memory {
	struct mlr_trial_result last;
	double rises; /* trials that lost more than the one before, which was at the same load and lost frames, too */
	double falls; /* the same, that lost less */
	struct mlr_excess missing_changes; /* from good to bad and back, over all loads */
	bool is_noticed;
};

/* What the whole search knows. */
struct mlr_situation {
	const struct mlr_results *results;
	struct mlr_grid grid;
	double warmup_rate_fps; /* the warm-up's forwarding rate */
	double overhead_s;      /* what the last trial took beyond its Trial Duration */
	struct mlr_memory memory;
};

/* --- the view --- */

/* What a load still needs, in full-length trials: so many good ones in sum make it a Lower Bound, so many bad ones an Upper.
 */
struct mlr_need {
	double good;
	double bad;
	double short_bad_s; /* bad trials that are too short make it an Upper Bound, too, if they sum up to more than this */
};

/* A measured load. Trials are good (low-loss) or bad (high-loss), and of full length if as long as the view's duration. */
struct mlr_point {
	double load_fps;
	double position;
	bool on_grid;
	double good;        /* good trials of full length */
	double bad;         /* bad trials of any length */
	double full_length; /* trials of full length, good or bad */
	double longest_s;   /* the longest Trial Duration */
	double loss_ratio;  /* mean of the longest trials */
	double lost;        /* frames lost in a full-length trial by that ratio */
	enum mlr_load_class class;
	struct mlr_need need;
};

struct mlr_view {
	const struct mlr_results *results;
	const struct mlr_goal *goal;
	const struct mlr_grid *grid;
	double duration_s;     /* of the trials that count: the goal's final or initial Trial Duration */
	double telling_s;      /* a bad trial as long as this is more than a probe */
	double whole_s;        /* a trial as long as this tells a model as much as a longer one */
	bool is_buffered;      /* short trials are good where longer ones lack capacity */
	double bracket;        /* a bracket of good and bad loads this narrow is located, steps */
	int repeats;           /* trials that lost the very share that the one before at their load did */
	int contradictions;    /* trials that lost another */
	int64_t unit;          /* steps of the grid within the Goal Width */
	double hint;           /* position where the warm-up puts the goal's critical load */
	struct mlr_need fresh; /* need of a load without trials */
	int64_t lower;         /* index of the Relevant Lower Bound, -1 where there is none */
	int64_t upper;         /* index of the Relevant Upper Bound, beyond the last where there is none */
	size_t count;          /* points, smallest load first */
	struct mlr_point *points;
};

/* How a goal sees the results, by trials of this duration; the bracket is left to the caller. 0 or -ENOMEM. */
int mlr_view_new(const struct mlr_situation *now, size_t goal, double duration_s, struct mlr_view *ret_view);
void mlr_view_free(struct mlr_view *view);

/* The point at an index of the grid, or NULL. */
const struct mlr_point *mlr_view_at(const struct mlr_view *view, int64_t index);

/* The lowest load that is bad, or NULL. */
const struct mlr_point *mlr_view_lowest_bad(const struct mlr_view *view);

/* The index nearest to a position among those strictly between the Relevant Bounds. */
int64_t mlr_view_clamp(const struct mlr_view *view, double position);

/* Find out what short trials tell: `whole_s` and `is_buffered`. */
void mlr_draws_look(struct mlr_view *view);

/* --- locating --- */

/* Where the critical load seems to be once it is located. */
struct mlr_root {
	double position;
	double uncertainty;     /* steps */
	double steepness;       /* growth of the logarithm of lost frames a step, 0 if unknown */
	double steepness_ratio; /* its standard deviation, relative */
	bool is_final;          /* bad trials are known, so that more trials will not move it */
};

/* True, and *ret_index is to be measured next; or false, and *ret_root tells where the goal's critical load is. */
bool mlr_locate(const struct mlr_view *view, int64_t *ret_index, const char **ret_rule, struct mlr_root *ret_root);

/* --- SUTs that remember --- */

/* Take note of a trial that is among the results already. */
void mlr_memory_note(struct mlr_memory *memory, const struct mlr_results *results, size_t goal,
		     const struct mlr_trial_result *trial);

/* --- the race at one load --- */

#define MLR_LEVELS 64 /* exceed probabilities that are told apart */

struct mlr_race;

/* Tables up to this need. 0 or -ENOMEM. The caller frees. */
int mlr_race_new(struct mlr_need most, struct mlr_race **ret);
void mlr_race_free(struct mlr_race *race);
/* Expected trials until the load is decided, and the probability that it becomes a Lower Bound. */
struct mlr_outlook {
	double trials;
	double lower_probability;
};
/* The outlooks of a load with this need, by level. */
const struct mlr_outlook *mlr_race_outlooks(const struct mlr_race *race, struct mlr_need need);
/* The level nearest to an exceed probability. */
unsigned int mlr_probability_level(double probability);
/* The exceed probability of a level. */
double mlr_level_probability(unsigned int level);

/* --- what a model sees --- */

/* A trial, as a model of one goal sees it. */
struct mlr_observation {
	double position;
	double forwarded; /* position where its forwarding rate puts the goal's critical load */
	double lost;      /* frames */
	double frame;     /* steps that one more lost frame moves `forwarded` */
	double length;    /* of a full-length trial */
	double good;      /* if it is good, what that says, in good trials of full length: the less the shorter it is */
	bool is_bad;
};

/* Whether a bad trial forwarded enough to show the capacity that it met: one frame more would have been less than a step. */
static inline bool mlr_shows_capacity(const struct mlr_observation *seen)
{
	return seen->is_bad && seen->frame < 1;
}

/* How a goal sees a trial, if those of this duration tell as much as any. */
struct mlr_observation mlr_observe(const struct mlr_grid *grid, const struct mlr_goal *goal, double duration_s,
				   const struct mlr_trial_result *trial);

/* --- atoms --- */

#define MLR_ATOMS_SEEN_MAX 128

/* The trials so far: as many as fit. */
struct mlr_atoms {
	double unit;   /* steps within the Goal Width */
	bool has_mode; /* trials at different loads met the same capacity */
	size_t count;
	struct mlr_observation seen[MLR_ATOMS_SEEN_MAX]; /* by their capacities, the lowest first */
};

void mlr_atoms_add(struct mlr_atoms *atoms, const struct mlr_observation *seen);
/* Whether a trial that was not added yet met a capacity that another met. */
bool mlr_atoms_has_met(const struct mlr_atoms *atoms, const struct mlr_observation *seen);

/* What the sample of capacities says of a position. */
struct mlr_sample {
	double trials;            /* whose capacity is known to lie below or not */
	double below_probability; /* of a capacity */
};
struct mlr_sample mlr_atoms_sample(const struct mlr_atoms *atoms, double position);

/* --- the model --- */

struct mlr_model;

/* A posterior around a root. `unit` in steps. 0 or -ENOMEM. The caller frees. */
int mlr_model_new(const struct mlr_root *root, double unit, const struct mlr_goal *goal, struct mlr_model **ret);
void mlr_model_free(struct mlr_model *model);
/* Learn from trials, one or more, at the same load. */
void mlr_model_learn(struct mlr_model *model, const struct mlr_observation *seen, size_t count);
/* The hypotheses that matter, heaviest mass kept; weights sum to 1. Valid until the next call on the model. */
struct mlr_hypothesis {
	double weight;
	double critical;             /* position where half of the trials exceed */
	double inverse_spread;       /* 1 / steps */
	const unsigned char *levels; /* of the exceed probability, by cells of its curve */
	unsigned int shape;          /* index of (kind, spread), below MLR_SHAPES */
};
#define MLR_SHAPES 128
size_t mlr_model_hypotheses(struct mlr_model *model, const struct mlr_hypothesis **ret);
/* Whether the capacities that were met are a sample: not where trials depend on those before. */
void mlr_model_use_sample(struct mlr_model *model, bool is_sample);
/* For each level that a hypothesis may give a position, the level that it is by the capacities that were met, too. False where
 * they say nothing, as none came again. */
bool mlr_model_correct(const struct mlr_model *model, double position, unsigned char ret_levels[MLR_LEVELS]);

/* A curve as a table over z = (position - critical) / spread. */
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

/* Level of the exceed probability at a position. A plan asks for it some 100 000 times. */
static inline unsigned int mlr_hypothesis_level(const struct mlr_hypothesis *hypothesis, double position)
{
	return hypothesis->levels[mlr_curve_cell((position - hypothesis->critical) * hypothesis->inverse_spread)];
}

/* --- watching the model --- */

struct mlr_tally {
	double bad, all;
};

/* By how much others foretold the trials better than the model did: logarithms of products of probabilities. */
struct mlr_watch {
	double by_load;        /* by the trials at loads nearby */
	double by_time;        /* by the last trials */
	struct mlr_tally last; /* these */
};

/* Take note of the trial that a decision asked for, before it is among the results. */
void mlr_watch_note(struct mlr_watch *watch, const struct mlr_results *results, const struct mlr_decision *decision,
		    const struct mlr_trial_result *trial);
/* How many times better the last trials foretold than the model and the loads nearby together: evidence that the SUT changes with time,
 * so that no model of its loads is right. */
double mlr_watch_change(const struct mlr_watch *watch);

/* --- the plan --- */

/* What the model thinks of the load that was chosen; NAN where it was not asked. */
struct mlr_opinion {
	double exceed_probability;
	double trials_ahead; /* until the goal is done */
};

/* The index to measure next. False if there is no candidate. */
bool mlr_plan(const struct mlr_view *view, struct mlr_model *model, const struct mlr_race *race, int64_t *ret_index,
	      struct mlr_opinion *ret_opinion);

/* --- the choice --- */

/* What the controller knows of one goal beyond the results. */
struct mlr_focus {
	double trials;           /* asked for with this goal in focus */
	double limit;            /* of them */
	double spent_s;          /* their effective durations */
	int64_t lower, upper;    /* the view's, when it was looked at last */
	double steps;            /* bounds in one direction, those downwards negative */
	bool has_walked;         /* these have been too many once */
	bool is_hopeless;        /* a load that it needs cannot be decided */
	struct mlr_model *model; /* once the critical load is located */
	double whole_s;          /* the view's, as the model takes it */
	struct mlr_watch watch;  /* over the model */
	struct mlr_race *race;
};

/* Full-length trials that decide a load, if each takes its Trial Duration. */
double mlr_trials_a_load(const struct mlr_goal *goal);

/* The next trial for a goal that is not finished, or focus->is_hopeless. 0 or -ENOMEM. */
int mlr_choose(const struct mlr_situation *now, size_t goal, struct mlr_focus *focus, struct mlr_decision *ret_decision);

/* --- the time to go --- */

/* Seconds of trials that a goal may still take. The decision is the open one, or NULL. */
double mlr_ahead_s(const struct mlr_situation *now, size_t goal, const struct mlr_decision *decision);

#endif
