/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe, lab and clean act on this machine and its ports, and measure nothing. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/output.h"
#include "cli/verbs.h"
#include "config/given.h"
#include "lab/lab.h"
#include "port/journal.h"
#include "port/session.h"
#include "probe/probe.h"
#include "result/deliver.h"

/* --- probe -------------------------------------------------------------------------------------------------------- */

static enum exit_code show_probe(const struct config *config, json_t *document)
{
	enum exit_code code;

	if (config->format != FORMAT_TEXT)
		return output_json(document);
	code = report_show(document, config);
	json_decref(document);
	return code;
}

enum exit_code verb_probe(const struct config *config)
{
	json_t *document;
	enum exit_code code = probe(config->port_list, &document), shown;
	enum probe_state worst;

	if (code)
		return code;
	worst = probe_worst(document);
	shown = show_probe(config, document);
	return shown ? shown : worst == PROBE_FAIL ? EXIT_INCAPABLE : EXIT_DONE;
}

/* --- lab ---------------------------------------------------------------------------------------------------------- */

static enum exit_code check_name(const char *name)
{
	size_t length = strlen(name);

	if (!length || length >= LAB_NAME_SIZE || *name == '-' ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != length)
		return refuse(EXIT_USAGE_ERROR,
			      "--name: '%s' is no name of a lab; use 1 to %d of a-z, 0-9 and '-', which does not begin it",
			      name, LAB_NAME_SIZE - 1);
	return EXIT_DONE;
}

static void print_policer(const json_t *direction)
{
	printf("  %s to %s: %lld frames passed, %lld dropped; at most %lld waited at once\n", read_text(direction, "from"),
	       read_text(direction, "to"), (long long)read_integer(direction, "passed"),
	       (long long)read_integer(direction, "dropped"), (long long)read_integer(direction, "queue_max_frames"));
}

static enum exit_code print_lab(const struct lab *lab, enum format format)
{
	json_t *counts = lab_counts(lab);

	if (format != FORMAT_TEXT)
		return output_json(json_pack("{s:s, s:[s,s], s:s, s:s, s:o*}", "name", lab->name, "ports",
					     lab->ports[PORT_A], lab->ports[PORT_B], "sut", lab->sut, "namespace",
					     lab->namespace, "policer", counts));
	printf("Lab '%s' is up: %s\n", lab->name, lab->sut);
	printf("  ports      %s,%s\n", lab->ports[PORT_A], lab->ports[PORT_B]);
	if (*lab->namespace)
		printf("  namespace  %s\n", lab->namespace);
	json_each (direction, counts)
		print_policer(direction);
	json_decref(counts);
	return EXIT_DONE;
}

enum exit_code verb_lab_up(const struct config *config)
{
	struct sut_spec sut;
	struct lab lab;
	enum exit_code code = check_name(config->lab_name) ?: sut_parse(config->sut, &sut);

	if (code)
		return code;
	if (sut.kind == SUT_DELAY && config->queues > 1)
		return refuse(EXIT_USAGE_ERROR, "--queues: a delay takes frames of one queue only, %u were given",
			      config->queues);
	sut.queues = config->queues;
	return lab_up(config->lab_name, &sut, &lab) ?: print_lab(&lab, config->format);
}

enum exit_code verb_lab_on(const struct config *config)
{
	struct sut_spec sut;

	return sut_parse(config->sut, &sut) ?: lab_on(config, &sut);
}

enum exit_code verb_lab_down(const struct config *config)
{
	struct lab lab;
	enum exit_code code = check_name(config->lab_name);

	if (!code && !lab_find(config->lab_name, &lab))
		note("lab: '%s' is not up", config->lab_name);
	return code ?: lab_down(config->lab_name);
}

static enum exit_code show_lab(const char *name, enum format format)
{
	char lost[LAB_LOST_SIZE];
	struct lab lab;

	if (!lab_find(name, &lab) || !lab.complete)
		return refuse(EXIT_UNMET, "lab: '%s' is not up; 'xdp-mlr lab up' starts it", name);
	if (lab_has_lost(&lab, lost))
		return refuse(EXIT_UNMET, "lab: '%s' is up, but %s is gone; take it down and up again", lab.name, lost);
	return print_lab(&lab, format);
}

/* Show all labs. A fault of one does not hide the others. */
struct shown_labs {
	enum format format;
	unsigned int count;
	enum exit_code code;
};

static enum exit_code show_one(const char *name, void *context)
{
	struct shown_labs *shown = context;
	enum exit_code code = show_lab(name, shown->format);

	shown->count++;
	shown->code = shown->code ? shown->code : code;
	return EXIT_DONE;
}

enum exit_code verb_lab_status(const struct config *config)
{
	struct shown_labs shown = { .format = config->format };
	enum exit_code code = check_name(config->lab_name);

	if (code)
		return code;
	if (config->format == FORMAT_JSON || given_by_user(config->given, "name"))
		return show_lab(config->lab_name, config->format);
	lab_each(show_one, &shown);
	return shown.count ? shown.code : refuse(EXIT_UNMET, "lab: none is up; 'xdp-mlr lab up' starts one");
}

/* --- clean -------------------------------------------------------------------------------------------------------- */

enum exit_code verb_clean(const struct config *config)
{
	struct journal_cleaned ports;
	unsigned int labs = 0;
	enum exit_code code = state_directory_check(), labs_code;

	if (code)
		return code;
	code = journal_clean(&ports);
	session_clean();
	labs_code = lab_clean(&labs);
	code = code ?: labs_code;
	if (code)
		return code;
	if (config->format != FORMAT_TEXT)
		return output_json(
			json_with("ports_restored", ports.restored, "ports_gone", ports.gone, "labs_removed", labs));
	printf("%u ports restored, %u gone, %u unfinished labs removed\n", ports.restored, ports.gone, labs);
	return EXIT_DONE;
}
