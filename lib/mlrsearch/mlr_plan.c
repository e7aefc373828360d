/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan chooses the load that promises the cheapest end of the goal.
 *
 * For a candidate and one hypothesis, it follows a chain. Measure at the candidate until the load is decided. If it became a
 * Lower Bound, go one width up and measure there until an Upper Bound is found. Otherwise go one width down until a Lower
 * Bound is found. Decided loads cost nothing, and loads with some trials cost only the rest.
 *
 * No search must follow a chain that turned out hopeless. So the price at each load is limited by the price of a fresh start
 * at the hypothesis's own critical load. The candidate with the smallest mean price over the posterior is measured once.
 * Then everything is computed again.
 */
#include "mlrsearch/mlr_private.h"

#include <math.h>

#define DEPTH          4 /* Goal Widths that a chain is followed to each side */
#define NODES          (2 * DEPTH + 1)
#define CANDIDATES_MAX 24
#define RESTART_SHARE                                                                                                       \
	0.75 /* the part of the price of a Lower and an Upper Bound that is spent before a chain is known to be hopeless */
#define FRESH_MOST   1000 /* the largest price of a fresh start */
#define SHAPE_STARTS 5    /* places near the critical load where a fresh start may begin */

/* A load of a chain. */
struct node {
	double position;
	enum mlr_load_class class;
	const struct mlr_outlook *outlooks; /* outlooks by level */
	bool is_corrected;                  /* Capacities that were met correct the levels. */
	unsigned char levels[MLR_LEVELS];   /* corrected level for each level that a hypothesis gives */
};

struct chain {
	int64_t index;
	struct node nodes[NODES]; /* the candidate in the middle */
};

struct plan {
	const struct mlr_view *view;
	const struct mlr_race *race;
	const struct mlr_model *model;
	const struct mlr_outlook *fresh; /* the outlooks of a load without trials */
	double balance[MLR_SHAPES]; /* steps from where half of the trials exceed to the goal's critical load, by shape */
	double fresh_price[MLR_SHAPES]; /* the price of a start at the critical load, by shape; 0 if it is not known yet */
	size_t count;
	struct chain chains[CANDIDATES_MAX];
};

/* Return the outlooks of a load without trials. Where the goal has short trials, one of them spares the last bad trial. */
static const struct mlr_outlook *balance_outlooks(const struct mlr_view *view, const struct mlr_race *race)
{
	struct mlr_need need = view->fresh;

	if (view->goal->initial_trial_duration_s < view->goal->final_trial_duration_s)
		need.bad = fmax(1, need.bad - 1);
	return mlr_race_outlooks(race, need);
}

/* Return the z at which a load becomes a Lower or an Upper Bound with the same probability. */
static double balance_z(const struct mlr_outlook *outlooks, const struct mlr_hypothesis *hypothesis)
{
	size_t low = 0, high = MLR_CURVE_CELLS - 1;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (outlooks[hypothesis->levels[middle]].lower_probability > 0.5)
			low = middle + 1;
		else
			high = middle;
	}
	return (double)low / MLR_CURVE_STEPS_A_Z - MLR_CURVE_Z_MAX;
}

/* Find how far the goal's critical load is from where half of the trials exceed. The Goal Exceed Ratio moves it. Hypotheses
 * of one shape stand together. */
static void set_balances(struct plan *plan, const struct mlr_hypothesis *hypotheses, size_t count)
{
	const struct mlr_outlook *outlooks = balance_outlooks(plan->view, plan->race);

	for (size_t h = 0; h < count; h++) {
		if (h == 0 || hypotheses[h].shape != hypotheses[h - 1].shape)
			plan->balance[hypotheses[h].shape] =
				balance_z(outlooks, &hypotheses[h]) / hypotheses[h].inverse_spread;
	}
}

/* Return the position where a hypothesis puts the goal's critical load. */
static double balance_of(const struct plan *plan, const struct mlr_hypothesis *hypothesis)
{
	return hypothesis->critical + plan->balance[hypothesis->shape];
}

static void set_node(const struct plan *plan, struct node *node, int64_t index)
{
	const struct mlr_view *view = plan->view;
	const struct mlr_point *point;

	*node = (struct node){ .position = (double)index, .outlooks = plan->fresh };
	if (index >= view->upper) {
		node->class = MLR_LOAD_UPPER_BOUND;
	} else if (index <= view->lower) {
		node->class = MLR_LOAD_LOWER_BOUND;
	} else {
		node->is_corrected = mlr_model_correct(plan->model, node->position, node->levels);
		point = mlr_view_at(view, index);
		if (point) {
			node->class = point->class;
			node->outlooks = mlr_race_outlooks(plan->race, point->need);
		}
	}
}

/* Return the index, or that of Min or Max Load if it is less than a width beyond: that load must then be decided, too. */
static int64_t within_reach(const struct mlr_view *view, int64_t index)
{
	int64_t last = view->grid->last;

	if (index > last && index - view->unit < last)
		return last;
	return index < 0 && index + view->unit > 0 ? 0 : index;
}

static void add_candidate(struct plan *plan, double position)
{
	int64_t index = mlr_view_clamp(plan->view, position);
	struct chain *chain = &plan->chains[plan->count];
	const struct mlr_point *point;

	if (plan->count == CANDIDATES_MAX || index <= plan->view->lower || index >= plan->view->upper)
		return;
	for (size_t i = 0; i < plan->count; i++) {
		if (plan->chains[i].index == index)
			return;
	}
	point = mlr_view_at(plan->view, index);
	if (point && point->class != MLR_LOAD_UNDECIDED)
		return;
	*chain = (struct chain){ .index = index };
	for (int i = 0; i < NODES; i++)
		set_node(plan, &chain->nodes[i], within_reach(plan->view, index + (i - DEPTH) * plan->view->unit));
	plan->count++;
}

static unsigned int level_of(const struct mlr_hypothesis *hypothesis, const struct node *node)
{
	unsigned int level = mlr_hypothesis_level(hypothesis, node->position);

	return node->is_corrected ? node->levels[level] : level;
}

static const struct mlr_outlook *outlook_of(const struct mlr_hypothesis *hypothesis, const struct node *node)
{
	return &node->outlooks[level_of(hypothesis, node)];
}

/* Return how many trials find an Upper Bound above the middle (direction 1), or a Lower Bound below it (-1). It is never
 * more than the cap. */
static double side_price(const struct mlr_hypothesis *hypothesis, const struct node *nodes, int direction, double cap)
{
	enum mlr_load_class wanted = direction > 0 ? MLR_LOAD_UPPER_BOUND : MLR_LOAD_LOWER_BOUND;
	double price = cap;

	for (int i = DEPTH + direction * DEPTH; i != DEPTH; i -= direction) {
		const struct mlr_outlook *outlook;
		double further;

		if (nodes[i].class == wanted)
			price = 0;
		if (nodes[i].class != MLR_LOAD_UNDECIDED)
			continue;
		outlook = outlook_of(hypothesis, &nodes[i]);
		further = direction > 0 ? outlook->lower_probability : 1 - outlook->lower_probability;
		price = outlook->trials + further * price;
		price = price < cap ? price : cap;
	}
	return price;
}

static double chain_price(const struct mlr_hypothesis *hypothesis, const struct node *nodes, double cap)
{
	const struct mlr_outlook *here = outlook_of(hypothesis, &nodes[DEPTH]);
	double price = here->trials;

	if (here->lower_probability > 0.001)
		price += here->lower_probability * side_price(hypothesis, nodes, 1, cap);
	if (here->lower_probability < 0.999)
		price += (1 - here->lower_probability) * side_price(hypothesis, nodes, -1, cap);
	return price < cap ? price : cap;
}

/* Return the price of a fresh start near the critical load, at the best of some places. */
static double fresh_price(struct plan *plan, const struct mlr_hypothesis *hypothesis)
{
	double *price = &plan->fresh_price[hypothesis->shape], unit = (double)plan->view->unit;
	struct node nodes[NODES];

	if (*price > 0)
		return *price;
	*price = INFINITY;
	for (int start = 0; start < SHAPE_STARTS; start++) {
		for (int i = 0; i < NODES; i++) {
			double offset = (i - DEPTH) + (start - (SHAPE_STARTS - 1) / 2) / 2.0;

			nodes[i] = (struct node){ .position = balance_of(plan, hypothesis) + offset * unit,
						  .outlooks = plan->fresh };
		}
		*price = fmin(*price, chain_price(hypothesis, nodes, FRESH_MOST));
	}
	return *price;
}

static void add_quantiles(struct plan *plan, const struct mlr_hypothesis *hypotheses, size_t count)
{
	static const double quantiles[] = { 0.1, 0.3, 0.5, 0.7, 0.9 };
	double unit = (double)plan->view->unit;

	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
		double low = (double)plan->view->lower, high = (double)plan->view->upper;

		for (int round = 0; round < 40 && high - low > unit / 4; round++) {
			double middle = (low + high) / 2, mass = 0;

			for (size_t h = 0; h < count; h++)
				mass += balance_of(plan, &hypotheses[h]) <= middle ? hypotheses[h].weight : 0;
			if (mass < quantiles[i])
				low = middle;
			else
				high = middle;
		}
		add_candidate(plan, high - unit / 2);
		add_candidate(plan, high + unit / 2);
	}
}

static void add_candidates(struct plan *plan, const struct mlr_hypothesis *hypotheses, size_t count)
{
	const struct mlr_view *view = plan->view;

	if (view->lower >= 0)
		add_candidate(plan, (double)(view->lower + view->unit));
	if (view->upper <= view->grid->last)
		add_candidate(plan, (double)(view->upper - view->unit));
	add_quantiles(plan, hypotheses, count);
	for (size_t i = view->count; i-- > 0;) {
		const struct mlr_point *point = &view->points[i];

		if (point->class == MLR_LOAD_UNDECIDED && point->on_grid)
			add_candidate(plan, point->position);
	}
}

/* Return the exceed probability at a load, over all hypotheses. */
static double exceed_probability(const struct mlr_hypothesis *hypotheses, size_t count, const struct node *node)
{
	double probability = 0;

	for (size_t h = 0; h < count; h++)
		probability += hypotheses[h].weight * mlr_level_probability(level_of(&hypotheses[h], node));
	return probability;
}

/* Return the mean price of a candidate over all hypotheses. The result may be too small once it has reached the limit. */
static double mean_price(struct plan *plan, const struct chain *chain, const struct mlr_hypothesis *hypotheses, size_t count,
			 double limit)
{
	double restart = RESTART_SHARE * (plan->view->fresh.good + plan->view->fresh.bad), price = 0;

	for (size_t h = 0; h < count && price < limit; h++)
		price += hypotheses[h].weight *
			 chain_price(&hypotheses[h], chain->nodes, fresh_price(plan, &hypotheses[h]) + restart);
	return price;
}

bool mlr_plan(const struct mlr_view *view, struct mlr_model *model, const struct mlr_race *race, int64_t *ret_index,
	      struct mlr_opinion *ret_opinion)
{
	struct plan plan = { .view = view, .race = race, .model = model, .fresh = mlr_race_outlooks(race, view->fresh) };
	const struct mlr_hypothesis *hypotheses;
	size_t count = mlr_model_hypotheses(model, &hypotheses);
	const struct chain *best = NULL;
	double best_price = INFINITY;

	set_balances(&plan, hypotheses, count);
	add_candidates(&plan, hypotheses, count);
	for (size_t i = 0; i < plan.count; i++) {
		double price = mean_price(&plan, &plan.chains[i], hypotheses, count, best_price);

		if (!best || price < best_price) {
			best = &plan.chains[i];
			best_price = price;
		}
	}
	if (!best)
		return false;
	*ret_index = best->index;
	*ret_opinion = (struct mlr_opinion){
		.exceed_probability = exceed_probability(hypotheses, count, &best->nodes[DEPTH]),
		.trials_ahead = best_price,
	};
	return true;
}
