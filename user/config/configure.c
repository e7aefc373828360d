/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/configure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/destination.h"
#include "base/json_read.h"
#include "config/command_line.h"
#include "config/config_file.h"
#include "config/frame_file.h"
#include "config/given.h"
#include "config/options_suite.h"
#include "config/requirement.h"
#include "config/stored.h"
#include "config/traffic.h"
#include "mlr/controller.h"
#include "mlr/imix.h"

#define CLOCK_BUDGET_S       1e-6
#define CAPTURE_FOREIGN_MOST 100000

/* Values are read in the order of the table; an option that does not repeat counts as it was given last. */
static enum exit_code read_values(const struct given_list *list, struct config *config)
{
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < option_count && code == EXIT_DONE; i++) {
		const struct option *option = &options[i];

		if (!option->read)
			continue;
		for (size_t j = 0; j < list->count && code == EXIT_DONE; j++) {
			const struct given *given = &list->items[j];

			if (given->option == option &&
			    (option->flags & OPTION_REPEATS || given == given_find(list, option->name)))
				code = option->read(given, config);
		}
	}
	return code;
}

static enum exit_code add_fallbacks(enum verb verb, struct given_list *list)
{
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < option_count && code == EXIT_DONE; i++) {
		const struct option *option = &options[i];

		const char *fallback = option_fallback(option, verb);

		if (fallback && option_belongs(option, verb) && !given_find(list, option->name))
			code = given_add(list,
					 &(struct given){ .option = option, .text = (char *)fallback, .fallback = true });
	}
	return code;
}

/* Of the options that name a command, a replay takes only the measurer's name. */
static enum exit_code take_stored_value(struct given_list *list, const struct option *option, const char *path, bool replay,
					const json_t *value)
{
	const char *text = json_string_value(value);

	if (!text)
		return refuse(EXIT_USAGE_ERROR, "%s: configuration: %s is not a text", path, option->name);
	if (!replay && option_acts(option, text))
		return refuse(EXIT_USAGE_ERROR,
			      "%s: configuration: %s '%s': " NOT_FROM_A_RESULT "; say --%s on the command line", path,
			      option->name, QUOTED(text), option->name);
	if (option_acts(option, text) && strcmp(option->name, "measurer") != 0)
		return EXIT_DONE;
	return given_add(list, &(struct given){ .option = option, .text = (char *)text, .path = path });
}

/* Take the options of a stored search that were not given anew. */
static enum exit_code take_stored_options(const struct stored *stored, const char *path, bool replay, enum verb verb,
					  struct given_list *list)
{
	enum exit_code code = EXIT_DONE;

	json_each_member (name, value, stored->configuration) {
		const struct option *option = option_find(name);

		if (!option || !option_belongs(option, verb) || option->flags & OPTION_COMMAND_LINE)
			return refuse(EXIT_USAGE_ERROR, "%s: configuration: there is no option '%s'", path, name);
		/* The file has one of the repeated searches, and that is the one to go on with. */
		if (given_find(list, name) || strcmp(name, "repeat") == 0)
			continue;
		if (!json_is_array(value))
			code = take_stored_value(list, option, path, replay, value);
		json_each (item, value)
			code = code ?: take_stored_value(list, option, path, replay, item);
		if (code != EXIT_DONE)
			break;
	}
	return code;
}

/* What test frames are, and which ways they go. */
#define OF_TRAFFIC "direction frame-size ip vlan vlan-outer flows vary flow-order seed modifier template payload"

/* Check that what goes on is the same search: trials with other frames than those of the file are not. */
static enum exit_code check_same_traffic(const struct stored *stored, const char *path, const struct given_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct given *given = &list->items[i];
		const char *then = read_string(stored->configuration, given->option->name);

		if (is_one_of(given->option->name, OF_TRAFFIC) && strcmp(then ? then : "", given->text) != 0)
			return refuse_given(given, "the trials in %s were measured %s%s%s; leave it out, or search anew", path,
					    then ? "with '" : "without it", then ? QUOTED(then) : "", then ? "'" : "");
	}
	return EXIT_DONE;
}

/* Read the stored search of --resume or --replay, and the options that it was run with. */
static enum exit_code read_stored(struct config *config)
{
	const struct given *resume = given_find(config->given, "resume"), *replay = given_find(config->given, "replay");
	const char *path = resume ? resume->text : replay ? replay->text : NULL;

	if (!path)
		return EXIT_DONE;
	if (resume && replay)
		return refuse(EXIT_USAGE_ERROR, "--resume and --replay exclude each other; give one of them");
	for (size_t i = 0; i < config->given->count; i++)
		if (config->given->items[i].option->flags & OPTION_OF_SEARCH)
			return refuse_given(&config->given->items[i], "the stored search in %s says that; leave it out",
					    path);
	config->stored = calloc(1, sizeof(*config->stored));
	if (!config->stored)
		return out_of_memory();
	return stored_read(path, config->stored)
		       ?: check_same_traffic(config->stored, path, config->given)
		       ?: take_stored_options(config->stored, path, replay, config->verb, config->given);
}

static bool asks_hostile(const struct given_list *list)
{
	return given_says(list, "hostile", "true") || given_says(list, "hostile", "yes");
}

/* Add defaults that another option brings: those of the phased algorithm, as in section 5.1.1 of
 * draft-ietf-bmwg-mlrsearch-01, and those of --hostile. */
static enum exit_code add_dependent_fallbacks(struct given_list *list)
{
	bool phased = given_says(list, "algorithm", "phased"),
	     stored = given_find(list, "resume") || given_find(list, "replay"), hostile = asks_hostile(list);
	const struct {
		bool applies;
		const char *name, *text;
	} fallbacks[] = {
		{ phased && !stored, "max-time", "600" },
		{ phased, "intermediate-phases", "2" },
		{ phased, "expansion-coefficient", "4" },
		{ hostile, "frame-size", HOSTILE_FRAME_SIZE },
		{ hostile, "verify", "all" },
	};
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < COUNT(fallbacks) && code == EXIT_DONE; i++)
		if (fallbacks[i].applies && !given_find(list, fallbacks[i].name))
			code = given_add(list, &(struct given){ .option = option_find(fallbacks[i].name),
								.text = (char *)fallbacks[i].text,
								.fallback = true });
	return code;
}

/* Read --config, and --run in it. */
static enum exit_code read_file(struct config *config)
{
	const struct given *file = given_find(config->given, "config"), *run = given_find(config->given, "run");

	if (file)
		return config_file_read(file->text, config->verb, run ? run->text : NULL, config->given);
	return run ? refuse_given(run, "names a run in the schedule of a file, and no --config names the file") : EXIT_DONE;
}

/* --- what one value alone cannot show ----------------------------------------------------------------------------- */

static void take_preset_goals(struct config *config)
{
	const struct mlr_goal *goals;

	if (config->algorithm == ALGORITHM_PHASED && !given_by_user(config->given, "preset"))
		config->goal_count = mlr_phased_goals(&goals);
	else
		config->goal_count = mlr_goal_preset(config->preset, &goals);
	memcpy(config->goals, goals, config->goal_count * sizeof(*goals));
}

#define MIN_LOAD_SHARE 0.1 /* part of Max Load that is suggested as Min Load */

/* Check Min Load and Max Load, as far as they can be compared before the line rate is known. */
static enum exit_code check_loads(struct config *config)
{
	const struct given *min = given_find(config->given, "min-load"), *max = given_find(config->given, "max-load");
	double octets = config->frame_size_octets;

	if (!max && !config_uses_ports(config) && !config->stored)
		return refuse(EXIT_USAGE_ERROR, "--max-load is missing: a measurer other than xdp knows no line rate; give "
						"it, for example --max-load 10Mfps");
	if (!max || !load_is_absolute(&config->min_load) || !load_is_absolute(&config->max_load))
		return EXIT_DONE;
	if (load_fps(&config->min_load, octets, 0) < load_fps(&config->max_load, octets, 0))
		return EXIT_DONE;
	return refuse_given(
		max,
		"must be above Min Load, which is '%s'%s; raise it or give a smaller --min-load, too: --min-load "
		"%.12gfps --max-load %s",
		min->text, min->fallback ? " by default" : "", load_fps(&config->max_load, octets, 0) * MIN_LOAD_SHARE,
		max->text);
}

/* Set what the algorithm does not use to what it applies instead. */
static void apply_phased(struct mlr_goal *goal)
{
	struct mlr_goal applied = *goal;

	mlr_phased_goal(&applied);
	if (applied.exceed_ratio != goal->exceed_ratio || applied.duration_sum_s != goal->duration_sum_s)
		warn("goal '%s': --algorithm phased judges a load by one trial; exceed=%g and sum=%g are not applied, but "
		     "exceed=0 and sum=%g",
		     goal->name, goal->exceed_ratio, goal->duration_sum_s, applied.duration_sum_s);
	*goal = applied;
}

static void complete_goals(struct config *config)
{
	if (config->goal_count == 0)
		take_preset_goals(config);
	for (size_t i = 0; config->algorithm == ALGORITHM_TST009 && config->max_r && i < config->goal_count; i++)
		mlr_tst009_goal(&config->goals[i], config->max_r);
	for (size_t i = 0; config->algorithm == ALGORITHM_PHASED && i < config->goal_count; i++)
		apply_phased(&config->goals[i]);
}

/* Check that frames of each service can be made, and which MTU they need. Check all services together, as far as their rates
 * are known without the ports. */
static enum exit_code check_services(struct config *config)
{
	struct service_rates rates[SERVICES_MAX];
	enum exit_code code = services_rates(config, INFINITY, rates);

	for (unsigned int i = 0; i < config->service_count && code == EXIT_DONE; i++)
		if (rates[i].mtu > config->suite_mtu)
			config->suite_mtu = rates[i].mtu;
	return code;
}

/* Return the first service whose delay was agreed; NULL: none. */
static const char *service_with_delay(const struct config *config)
{
	for (unsigned int i = 0; i < config->service_count; i++) {
		const struct service *service = &config->services[i];

		if (!isnan(service->delay_s) || !isnan(service->delay_max_s) || !isnan(service->variation_s))
			return service->name;
	}
	return NULL;
}

/* Whether a port is named as one of another host, or with what it is to do. */
static bool names_places(const struct config *config)
{
	bool places = config_has_roles(config);

	for (unsigned int i = 0; i < config->port_count; i++)
		places |= config->ports[i].host[0] != '\0';
	return places;
}

#define BIT(verb) (1u << (verb))
#define MEASURING                                                                                                           \
	(BIT(VERB_SEARCH) | BIT(VERB_TRIAL) | BIT(VERB_SWEEP) | BIT(VERB_SOAK) | BIT(VERB_RFC2544) | BIT(VERB_Y1564) |      \
	 BIT(VERB_SELFTEST) | BIT(VERB_CONNECT))
#define REASON_SIZE 256

/* Values that do not go together, or lack another. The first rule that is broken is shown. */
static enum exit_code check_rules(const struct config *config)
{
	const struct given_list *list = config->given;
	const struct given *measurer = given_find(list, "measurer"), *direction = given_find(list, "direction");
	const char *with_delay = service_with_delay(config);
	bool replay = config->measurer == MEASURER_REPLAY, mpi = config->measurer == MEASURER_MPI;
	bool phased = config->algorithm == ALGORITHM_PHASED, over_ports = config_uses_ports(config);
	const struct {
		unsigned int verbs;
		bool is_broken;
		const struct given *given; /* the value at fault; NULL: the reason names it */
		const char *reason;
	} rules[] = {
		{ BIT(VERB_SEARCH), !phased && given_find(list, "intermediate-phases"),
		  given_find(list, "intermediate-phases"), "is for --algorithm phased" },
		{ BIT(VERB_SEARCH), !phased && given_find(list, "expansion-coefficient"),
		  given_find(list, "expansion-coefficient"), "is for --algorithm phased" },
		{ BIT(VERB_TRIAL), config->load.unit == LOAD_UNSET, NULL,
		  "--load is missing: give frames/s, or max for as fast as the tester can" },
		{ BIT(VERB_SWEEP), !config->sweep_part_count, NULL,
		  "--loads is missing: the loads to measure, for example --loads 100kfps..1Mfps/10" },
		{ MEASURING | BIT(VERB_PROFILE_SHOW), config->payload != MLR_PAYLOAD_ZEROS && config->template_path,
		  given_find(list, "payload"), "contradicts --template: frames like the template's have its payload" },
		{ BIT(VERB_TRIAL), config->lost_path && config->no_seq, NULL,
		  "--capture-lost goes by sequence numbers; leave --no-seq out" },
		{ BIT(VERB_TRIAL), config->foreign_path && config->capture_count > CAPTURE_FOREIGN_MOST, NULL,
		  TEXT_OF(REASON_SIZE, "--capture-count: --capture-foreign keeps at most %d frames", CAPTURE_FOREIGN_MOST) },
		{ BIT(VERB_RFC2544), config->tests & 1u << TEST_RECONF && !config->reconf_command, NULL,
		  "--tests reconf needs a --reconf-command" },
		{ BIT(VERB_Y1564), !config->service_count, NULL,
		  "--service is missing: what was agreed, for example --service "
		  "name=voice,vlan=100:5,cir=10Mbps,loss=0.1%,delay=5ms" },
		{ BIT(VERB_Y1564), config->no_latency && with_delay, NULL,
		  TEXT_OF(REASON_SIZE, "--no-latency measures none of the delay that is agreed for service '%s'",
			  with_delay ? with_delay : "") },
		{ MEASURING, !replay && !mpi && names_places(config), given_find(list, "ports"),
		  "hosts and roles of ports, HOST:PORT:ROLE, are for --measurer mpi" },
		{ MEASURING, !replay && !mpi && given_find(list, "clock-budget"), given_find(list, "clock-budget"),
		  "clocks are compared by --measurer mpi only" },
		{ MEASURING, mpi && config_has_roles(config) && !direction->fallback, direction,
		  "--ports says which ports transmit; leave --direction out" },
		{ MEASURING,
		  mpi && (config->timestamps == TIMESTAMPS_HARDWARE || config->prepare.asked & BIT(PREPARE_TIMESTAMPS)),
		  NULL,
		  "--measurer mpi has software timestamps only; leave --timestamps and 'timestamps' of --prepare out" },
		{ MEASURING, mpi && config->queries_per_s, NULL, "--modifier: --measurer mpi sends no management queries" },
		{ MEASURING, config->effective_duration == EFFECTIVE_WALL && !over_ports && !replay, NULL,
		  "--effective-duration wall is for trials over ports: what exec performs, it times itself "
		  "(trial_effective_duration), and sim takes no time" },
		{ BIT(VERB_TRIAL), config->interval_s > 0 && config->load.unit == LOAD_MAX, NULL,
		  TEXT_OF(REASON_SIZE, "--interval %g is for frames that are due at a time; at --load max none is",
			  config->interval_s) },
		{ MEASURING, config->interval_s > 0 && config->measurer != MEASURER_XDP && !replay, NULL,
		  TEXT_OF(REASON_SIZE,
			  "--interval %g is for trials over ports of this machine, which --measurer %s does not perform",
			  config->interval_s, measurer ? measurer->text : "") },
		{ MEASURING,
		  config->observed_count && config->measurer != MEASURER_XDP && config->measurer != MEASURER_EXEC && !replay,
		  NULL,
		  TEXT_OF(REASON_SIZE,
			  "--observe is for trials of this machine or of exec:COMMAND, not for --measurer %.60s",
			  measurer ? measurer->text : "") },
		{ MEASURING, config->idle_duration_s > 0 && !config->observed_count && !replay,
		  given_find(list, "idle-duration"), "needs a source that tells of the SUT, --observe" },
		{ MEASURING, config->timestamps == TIMESTAMPS_HARDWARE && config->no_latency, NULL,
		  "--timestamps hardware is for latency, and --no-latency measures none" },
		{ BIT(VERB_TRIAL), config->per_flow && config->no_seq, NULL,
		  "--per-flow is of sequence numbers of flows, which --no-seq does not look at" },
		{ BIT(VERB_TRIAL), config->per_flow && config->measurer != MEASURER_XDP, NULL,
		  "--per-flow is of flows over ports of this machine, which this measurer does not look at" },
		{ BIT(VERB_SEARCH), config->latency_at_count && config->no_latency, NULL,
		  "--latency-at is of latencies, which --no-latency does not look at" },
		{ BIT(VERB_SEARCH), config->latency_at_count && !over_ports && !replay, given_find(list, "latency-at"),
		  "is for trials over ports: exec and sim have no latencies of frames" },
		{ MEASURING | BIT(VERB_REPORT), config->logo_path && !given_find(list, "certificate"),
		  given_find(list, "logo"), "is for --certificate FILE, which is not asked for" },
		{ MEASURING, config->ipdv && config->no_latency, NULL,
		  "--ipdv is of the latencies of successive frames, which --no-latency does not look at" },
		{ MEASURING, config->ipdv && config->no_seq, NULL,
		  "--ipdv is of the latencies of successive frames, which --no-seq does not look at" },
		{ MEASURING, over_ports && !config->ports[PORT_A].name[0], NULL,
		  "--ports is missing: give the tester's two ports, for example -p eth1,eth2" },
		{ BIT(VERB_SELFTEST), !config->hostile && config->load.unit != LOAD_UNSET, given_find(list, "load"),
		  "is of the trial of --hostile; without that a self-test finds its loads itself" },
		{ BIT(VERB_SELFTEST), !config->hostile && config->hostile_load.unit != LOAD_UNSET,
		  given_find(list, "hostile-load"), "is of --hostile, which is not asked for" },
		{ BIT(VERB_SELFTEST), config->hostile && config->load.unit == LOAD_MAX, given_find(list, "load"),
		  "must be a load beside which there is room for hostile frames" },
		{ BIT(VERB_SELFTEST), config->hostile && config->verify != VERIFY_ALL, given_find(list, "verify"),
		  "leaves frames unverified, and --hostile sends forged ones: leave it out" },
		{ BIT(VERB_SELFTEST), config->hostile && config->no_seq, NULL,
		  "--no-seq does not tell copies, and --hostile certifies that there are none" },
		{ BIT(VERB_SELFTEST), config->hostile && config->prepare.try_items, NULL,
		  "--prepare try finds out what helps at the tester's own limit: leave --hostile out" },
		{ BIT(VERB_SELFTEST),
		  config->hostile && (config->vlan_count || config->template_path || given_find(list, "modifier")), NULL,
		  "--hostile is of plain frames: leave --vlan, --template and --modifier out" },
		{ BIT(VERB_SELFTEST), config->port_count != PORT_COUNT || config->direction == DIRECTION_MESH, NULL,
		  "selftest takes two ports at a time, which are connected to each other: -p A,B" },
	};

	for (size_t i = 0; i < COUNT(rules); i++)
		if (rules[i].is_broken && rules[i].verbs & BIT(config->verb))
			return rules[i].given ? refuse_given(rules[i].given, "%s", rules[i].reason)
					      : refuse(EXIT_USAGE_ERROR, "%s", rules[i].reason);
	return EXIT_DONE;
}

/* If an option does not repeat, only its last value is in force. */
static bool names_file(const struct given_list *list, const struct given *given, unsigned int flags)
{
	return given->option->flags & flags &&
	       (given->option->flags & OPTION_REPEATS || given == given_find(list, given->option->name));
}

/* If two options name one file, only what is written last would be left of it. */
static enum exit_code check_outputs(const struct given_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct given *first = &list->items[i];

		for (size_t j = 0; j < list->count && names_file(list, first, OPTION_WRITES); j++) {
			const struct given *second = &list->items[j];

			if (names_file(list, second, OPTION_READS | (j > i ? OPTION_WRITES : 0)) &&
			    destination_same(first->text, second->text))
				return refuse_given(second, "is the file of --%s '%s', too; name another",
						    first->option->name, first->text);
		}
	}
	return EXIT_DONE;
}

/* Forged frames are known by signatures, for which frames must have room. */
static enum exit_code check_hostile(struct config *config)
{
	static struct mlr_profile profile; /* too large for the stack */
	char part[FRAME_SIZE_TEXT];
	struct config one;
	enum exit_code code = EXIT_DONE;

	for (unsigned int i = 0; config->hostile && !code && frame_sizes_part(config->frame_size_text, i, part); i++) {
		if ((code = config_for_frame_size(config, part, &one)) || (code = traffic_profile_of(&one, &profile)))
			return code;
		profile.key.mixing = 1;
		if (mlr_size_least_octets(&profile.sizes) < mlr_profile_signed_octets(&profile))
			return refuse(EXIT_USAGE_ERROR,
				      "--frame-size %s: such frames have no room for the signature by which forged ones are "
				      "known; give --hostile %u octets or more",
				      part, mlr_profile_signed_octets(&profile));
	}
	return code;
}

/* Complete what follows from several values: the goals of a preset, the tests of a suite, the figures of requirements, what
 * a template says of the traffic. EXIT_USAGE_ERROR for values that do not go together. */
static enum exit_code check(struct config *config)
{
	const struct {
		unsigned int verbs;
		enum exit_code (*check)(struct config *config);
	} steps[] = {
		{ BIT(VERB_SEARCH) | BIT(VERB_SOAK) | BIT(VERB_RFC2544), check_loads },
		{ config_uses_ports(config) ? MEASURING : 0, traffic_check },
		{ BIT(VERB_PROFILE_SHOW), traffic_check },
		{ BIT(VERB_RFC2544) | BIT(VERB_SELFTEST), config_find_mtu },
		{ BIT(VERB_SELFTEST), check_hostile },
		{ BIT(VERB_Y1564), check_services },
		{ MEASURING, require_check },
	};
	enum exit_code code = check_rules(config);

	if (code == EXIT_DONE && config->verb == VERB_SEARCH)
		complete_goals(config);
	if (BIT(config->verb) & (BIT(VERB_RFC2544) | BIT(VERB_Y1564)))
		choose_tests(config);
	for (size_t i = 0; i < COUNT(steps) && code == EXIT_DONE; i++)
		if (steps[i].verbs & BIT(config->verb))
			code = steps[i].check(config);
	return code;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

/* Set the defaults, and make the configuration from all values. */
static enum exit_code complete(struct config *config)
{
	enum exit_code code = add_dependent_fallbacks(config->given)
				      ?: add_fallbacks(config->verb, config->given)
				      ?: read_values(config->given, config)
				      ?: check_outputs(config->given);

	if (given_find(config->given, "replay"))
		config->measurer = MEASURER_REPLAY;
	if (code == EXIT_DONE && config->template_path && config->measurer != MEASURER_REPLAY)
		code = frame_file_read(config->template_path, &config->template);
	return code ?: check(config);
}

static enum exit_code read_all(char **argv, struct config *config, bool *ret_finished)
{
	enum exit_code code = command_line_read(argv, config, ret_finished);

	if (code != EXIT_DONE || *ret_finished)
		return code;
	return read_file(config) ?: read_stored(config) ?: complete(config);
}

/* The configuration before any value was read. */
#define CONFIG_EMPTY                                                                                                        \
	{                                                                                                                   \
		.port_count = PORT_COUNT, .waits = { .residual_s = RFC2544_WAITS.residual_s },                              \
		.clock_budget_s = CLOCK_BUDGET_S                                                                            \
	}

enum exit_code config_of_values(enum verb verb, struct given_list *list, struct config *ret)
{
	struct config config = CONFIG_EMPTY;
	enum exit_code code;

	config.verb = verb;
	config.given = list;
	code = complete(&config);
	if (code == EXIT_DONE)
		*ret = config;
	else
		config_free(&config);
	return code;
}

/* The last value of an option that is given twice counts, and whoever gave it may not know of the first. */
static void warn_of_repeated(const struct given_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct given *given = &list->items[i], *last = given_find(list, given->option->name);

		if (!(given->option->flags & OPTION_REPEATS) && strcmp(given->text, last->text) != 0)
			warn("--%s is given twice: '%s' counts, and '%s' does not", given->option->name, last->text,
			     given->text);
	}
}

enum exit_code config_read(int argc, char **argv, struct config *ret, bool *ret_finished)
{
	struct config config = CONFIG_EMPTY;
	enum exit_code code;

	(void)argc; /* argv ends with NULL */
	config.given = calloc(1, sizeof(*config.given));
	if (!config.given)
		return out_of_memory();
	*ret_finished = false;
	code = read_all(argv, &config, ret_finished);
	if (code == EXIT_DONE && !*ret_finished) {
		message_quiet = config.quiet;
		warn_of_repeated(config.given);
		*ret = config;
	} else {
		config_free(&config);
	}
	return code;
}

void config_free(struct config *config)
{
	given_list_free(config->given);
	config->given = NULL;
	free(config->requirements);
	config->requirements = NULL;
	frame_file_free(config->template);
	config->template = NULL;
	if (config->stored)
		stored_free(config->stored);
	free(config->stored);
	config->stored = NULL;
}
