/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A campaign on Slurm: an array of jobs, one element a point; testbeds are generic resources (GRES) of nodes, SUTs that
 * several testbeds share are licences; a job that depends on all of them merges the results. Written for sbatch(1), and run
 * by it.
 *
 * Elements of one array ask for the same resources. So points are put into arrays by what they ask for, and an array is at
 * most as long as Slurm allows.
 */
#include "campaign/campaign.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/output.h"
#include "base/reader.h"
#include "base/text_stream.h"
#include "campaign/store.h"

#define DIRECTORY     "slurm"
#define JOBS          "jobs.json"
#define ARRAY_MOST    1000 /* elements of an array: Slurm's MaxArraySize is 1001 unless a site changes it */
#define COMMAND_SIZE  (PATH_MAX + 256)
#define JOB_TEXT_SIZE 64

/* The paths that job scripts name. */
struct places {
	char self[PATH_MAX];      /* path of this program */
	char file[PATH_MAX];      /* file of the campaign */
	char directory[PATH_MAX]; /* folder of the results */
	char here[PATH_MAX];      /* working directory of the user, which the options' paths are relative to */
	char scripts[PATH_MAX];   /* folder of this submission's scripts */
};

/* What has been submitted so far. */
struct submission {
	const struct config *config;
	const struct campaign *campaign;
	struct places places;
	json_t *arrays;        /* {"job", "points"} of each */
	char dependency[4096]; /* ":1:2:3" */
	unsigned int count;
};

/* Points that ask for the same, as the elements of one array. */
struct array {
	const json_t *slurm; /* Slurm options that the points ask for */
	const json_t *names; /* names of the points */
	size_t first, count; /* elements of `names` */
	unsigned int number;
};

/* --- where things are ----------------------------------------------------------------------------------------------- */

/* What stands in an #SBATCH line or is a job's argument must have no blanks, quotes, or patterns of Slurm. */
static enum exit_code check_path(const char *what, const char *path)
{
	if (!strpbrk(path, " \t\r\n'\"\\%$`"))
		return EXIT_DONE;
	return refuse(EXIT_USAGE_ERROR,
		      "%s, '%s', goes into job scripts, and must have no blanks, quotes, '$', '%%' or '\\'", what, path);
}

static enum exit_code find_places(const struct campaign *campaign, struct places *places)
{
	snprintf(places->directory, sizeof(places->directory), "%s", campaign->directory); /* --dry-run makes none */
	if (!realpath("/proc/self/exe", places->self) || !realpath(campaign->path, places->file) ||
	    (!realpath(campaign->directory, places->directory) && errno != ENOENT) ||
	    !getcwd(places->here, sizeof(places->here)))
		return refuse(EXIT_INCAPABLE, "cannot tell where %s is: %s", campaign->directory, strerror(errno));
	return check_path("the path of this program", places->self)
		       ?: check_path("the path of the campaign's file", places->file)
		       ?: check_path("the path of the results", places->directory)
		       ?: check_path("the working directory", places->here);
}

/* Return the directory of submission `number`, from 1. */
static const char *submission_path(const char *directory, unsigned int number, char buffer[PATH_MAX])
{
	if (snprintf(buffer, PATH_MAX, "%s/" DIRECTORY "/%u", directory, number) >= PATH_MAX - 64)
		buffer[0] = '\0'; /* too long to be there */
	return buffer;
}

/* Make the directory of a new submission. */
static enum exit_code make_scripts_directory(struct places *places)
{
	char parent[PATH_MAX + sizeof(DIRECTORY) + 1];

	snprintf(parent, sizeof(parent), "%s/" DIRECTORY, places->directory);
	if (mkdir(parent, 0777) && errno != EEXIST)
		return refuse(EXIT_USAGE_ERROR, "cannot make the directory %s: %s", parent, strerror(errno));
	for (unsigned int number = 1;; number++) {
		if (mkdir(submission_path(places->directory, number, places->scripts), 0777) == 0)
			return EXIT_DONE;
		if (errno != EEXIST)
			return refuse(EXIT_USAGE_ERROR, "cannot make the directory %s: %s", places->scripts,
				      strerror(errno));
	}
}

/* --- grouping ------------------------------------------------------------------------------------------------------- */

/* The points by what they ask for: texts of the options of sbatch to {"slurm", "names"}. A new reference. */
static json_t *group_points(const struct campaign *campaign, const bool *chosen)
{
	json_t *groups = json_object();

	for (size_t i = 0; i < campaign->point_count; i++) {
		json_t *group;
		json_auto_t *slurm = chosen[i] ? campaign_slurm(campaign, i) : NULL;
		owned char *key = slurm ? json_dumps(slurm, JSON_SORT_KEYS | JSON_COMPACT) : NULL;

		group = key ? json_object_get(groups, key) : NULL;
		if (key && !group) {
			group = json_with("slurm", json_incref(slurm), "names", json_array());
			json_put(groups, key, group);
		}
		if (key)
			json_array_append_new(json_object_get(group, "names"), json_string(campaign->names[i]));
	}
	return groups;
}

/* --- scripts -------------------------------------------------------------------------------------------------------- */

/* Options of sbatch but those. */
static void put_options(FILE *stream, const json_t *slurm, const char *without)
{
	json_each_member (name, value, slurm)
		if (!is_one_of(name, without))
			fprintf(stream, "#SBATCH --%s=%s\n", name, json_string_value(value));
}

static void put_head(FILE *stream, const struct submission *submission, const char *what, const char *log)
{
	const struct places *places = &submission->places;

	fprintf(stream,
		"#!/bin/bash\n# %s of the campaign %s, by xdp-mlr campaign submit\n"
		"#SBATCH --chdir=%s\n#SBATCH --output=%s/%s\n#SBATCH --open-mode=append\n",
		what, submission->campaign->name, places->here, places->scripts, log);
}

/* The job of an array's element. It may be killed at any moment: what it leaves on ports is undone by whatever comes
 * next. */
static void put_array(FILE *stream, const struct submission *submission, const struct array *array)
{
	const struct places *places = &submission->places;

	put_head(stream, submission, "Points", "%A_%a.log");
	fprintf(stream, "#SBATCH --array=1-%zu\n#SBATCH --requeue\n#SBATCH --signal=B:USR1@60\n", array->count);
	if (!json_object_get(array->slurm, "job-name"))
		fprintf(stream, "#SBATCH --job-name=%s\n", submission->campaign->name);
	if (!json_object_get(array->slurm, "gres"))
		fputs("#SBATCH --gres=testbed:1\n", stream);
	put_options(stream, array->slurm, "");
	fprintf(stream,
		"mlr=%s\n"
		"point=$(sed -n \"${SLURM_ARRAY_TASK_ID}p\" %s/array-%u.points)\n"
		"echo \"$(date -u +%%FT%%TZ) $(hostname) ${SLURM_RESTART_COUNT:-0}: $point\"\n\n"
		"# what a job that was killed has left on this node's ports\n"
		"\"$mlr\" clean --quiet\n"
		"trap '\"$mlr\" clean --quiet' EXIT\n"
		"find \"${XDP_MLR_STATE_DIRECTORY:-/var/lib/xdp-mlr}/selftest\" -name '*.json' -mtime -7 2>/dev/null | grep "
		"-q . ||\n"
		"  echo \"warning: no self-test of this testbed is younger than a week\"\n\n",
		places->self, places->scripts, array->number);
	fprintf(stream,
		"run= late= again=yes\n"
		"trap 'again=yes; kill -TERM $run' TERM INT\n"
		"trap 'again=yes late=yes; kill -TERM $run' USR1 # the time limit is near\n"
		"\"$mlr\" campaign run %s --quiet --only \"$point\"%s &\n"
		"run=$!\n"
		"while [ -n \"$again\" ]; do # a signal ends the wait, and not what is waited for\n"
		"  again=\n"
		"  wait $run\n"
		"  ended=$?\n"
		"  [ $ended -eq 127 ] || code=$ended\n"
		"done\n"
		"if [ -n \"$late\" ] && [ $code -eq 130 ]; then\n"
		"  scontrol requeue \"$SLURM_JOB_ID\" # and go on from the last trial\n"
		"fi\n"
		"[ $code -ne 1 ] || code=0 # an irregular result is a result\n"
		"exit $code\n",
		places->file, submission->config->retry_failed ? " --retry-failed" : "");
}

/* Write the job that merges, once all others have ended in any way. */
static void put_merge(FILE *stream, const struct submission *submission, const struct array *)
{
	const struct campaign *campaign = submission->campaign;
	const struct places *places = &submission->places;
	static const char of_testbeds[] = "gres licenses constraint nodelist exclusive job-name time nodes requeue";

	put_head(stream, submission, "Report", "report.log");
	fprintf(stream, "#SBATCH --job-name=%s-report\n", campaign->name);
	put_options(stream, campaign->common.slurm, of_testbeds);
	fprintf(stream,
		"mlr=%s report=%s/%s\n"
		"\"$mlr\" campaign report %s --report \"$report.json\"\n"
		"code=$?\n"
		"[ $code -le 1 ] || exit $code\n"
		"\"$mlr\" report \"$report.json\" --report \"$report.html\" && \"$mlr\" report \"$report.json\" --report "
		"\"$report.csv\"\n",
		places->self, places->directory, campaign->name, places->file);
}

static void put_points(FILE *stream, const struct submission *, const struct array *array)
{
	for (size_t i = 0; i < array->count; i++)
		fprintf(stream, "%s\n", json_string_value(json_array_get(array->names, array->first + i)));
}

/* A file of a submission, or with --dry-run standard output. */
static enum exit_code deliver(const struct config *config, const char *path, const char *text, size_t length)
{
	if (!config->dry_run)
		return store_write(path, text, length);
	printf("--- %s\n", path);
	fflush(stdout);
	return output_write(text, length);
}

static enum exit_code write_file(const struct submission *submission, const char *path, const struct array *array,
				 void (*put)(FILE *stream, const struct submission *submission, const struct array *array))
{
	size_t length;
	owned char *text = TEXT_WRITTEN(stream, &length, put(stream, submission, array));

	return text ? deliver(submission->config, path, text, length) : out_of_memory();
}

/* --- submitting ----------------------------------------------------------------------------------------------------- */

/* Run sbatch. Get the number of the job. */
static enum exit_code sbatch(const char *script, const char *dependency, char job[JOB_TEXT_SIZE])
{
	FILE *stream;
	bool told;
	int status;
	const char *command = TEXT_OF(COMMAND_SIZE, "sbatch --parsable %s%s '%s'",
				      *dependency ? "--dependency=afterany" : "", dependency, script);

	stream = popen(command, "re");
	if (!stream)
		return refuse(EXIT_INCAPABLE, "cannot run sbatch: %s", strerror(errno));
	told = fgets(job, JOB_TEXT_SIZE, stream);
	status = pclose(stream);
	if (status || !told)
		return refuse(EXIT_INCAPABLE, "sbatch did not take %s (exit status %d)", script, status >> 8);
	job[strcspn(job, ";\n")] = '\0'; /* With several clusters, the name of the cluster follows. */
	return EXIT_DONE;
}

static enum exit_code submit_array(struct submission *submission, struct array *array)
{
	char script[PATH_MAX + 64], points[PATH_MAX + 64], job[JOB_TEXT_SIZE] = "";
	const char *scripts = submission->places.scripts;
	size_t used = strlen(submission->dependency);
	enum exit_code code;

	array->number = ++submission->count;
	snprintf(points, sizeof(points), "%s/array-%u.points", scripts, array->number);
	snprintf(script, sizeof(script), "%s/array-%u.sh", scripts, array->number);
	code = write_file(submission, points, array, put_points) ?: write_file(submission, script, array, put_array);
	if (code == EXIT_DONE && !submission->config->dry_run)
		code = sbatch(script, "", job);
	if (code != EXIT_DONE)
		return code;
	if (used + strlen(job) + 2 > sizeof(submission->dependency))
		return refuse(EXIT_USAGE_ERROR, "%s: more arrays of jobs than one job can wait for",
			      submission->campaign->path);
	snprintf(submission->dependency + used, sizeof(submission->dependency) - used, ":%s", job);
	json_array_append_new(submission->arrays, json_with("job", job, "points", points + strlen(scripts) + 1));
	return EXIT_DONE;
}

static enum exit_code submit_group(struct submission *submission, const json_t *group)
{
	const json_t *names = json_object_get(group, "names");
	enum exit_code code = EXIT_DONE;

	for (size_t first = 0; first < json_array_size(names) && code == EXIT_DONE; first += ARRAY_MOST) {
		size_t left = json_array_size(names) - first;
		struct array array = { .slurm = json_object_get(group, "slurm"),
				       .names = names,
				       .first = first,
				       .count = left < ARRAY_MOST ? left : ARRAY_MOST };

		code = submit_array(submission, &array);
	}
	return code;
}

/* Keep what was submitted, also where the rest could not be. */
static enum exit_code keep_jobs(const struct submission *submission, const char *merge)
{
	json_auto_t *jobs = json_with("arrays", json_incref(submission->arrays), "merge", merge);
	size_t length;
	owned char *text = json_text(jobs, true, &length);

	if (!text)
		return out_of_memory();
	return store_write(TEXT_OF(PATH_MAX + 64, "%s/" JOBS, submission->places.scripts), text, length);
}

static enum exit_code submit_merge(struct submission *submission, char job[JOB_TEXT_SIZE])
{
	enum exit_code code;
	const char *script = TEXT_OF(PATH_MAX + 64, "%s/merge.sh", submission->places.scripts);

	code = write_file(submission, script, NULL, put_merge);
	return code == EXIT_DONE && !submission->config->dry_run ? sbatch(script, submission->dependency, job) : code;
}

static enum exit_code submit_all(struct submission *submission, const json_t *groups)
{
	char merge[JOB_TEXT_SIZE] = "";
	enum exit_code code = EXIT_DONE, kept;

	json_each_member (key, group, groups)
		code = code ?: submit_group(submission, group);
	if (code == EXIT_DONE)
		code = submit_merge(submission, merge);
	if (submission->config->dry_run)
		return code;
	kept = keep_jobs(submission, merge);
	if (code == EXIT_DONE)
		printf("Submitted %u array%s of jobs (%s), and job %s, which merges\n", submission->count,
		       submission->count == 1 ? "" : "s", submission->dependency + 1, merge);
	return code != EXIT_DONE ? code : kept;
}

/* Take away what is in the queue; how many points are left. */
static size_t leave_queued(const struct campaign *campaign, const bool *chosen, bool *left)
{
	json_auto_t *queue = slurm_queue(campaign);
	size_t count = 0, queued = 0;

	for (size_t i = 0; i < campaign->point_count; i++) {
		bool there = chosen[i] && json_object_get(queue, campaign->names[i]);

		left[i] = chosen[i] && !there;
		count += left[i];
		queued += there;
	}
	if (queued)
		note("%zu points are in the queue already", queued);
	return count;
}

static enum exit_code submit(struct submission *submission, const bool *chosen)
{
	json_auto_t *groups = NULL;
	enum exit_code code = EXIT_DONE;

	if (submission->config->dry_run)
		submission_path(submission->places.directory, 1, submission->places.scripts);
	else
		code = make_scripts_directory(&submission->places);
	if (code != EXIT_DONE)
		return code;
	submission->arrays = json_array();
	groups = group_points(submission->campaign, chosen);
	code = submit_all(submission, groups);
	json_decref(submission->arrays);
	return code;
}

enum exit_code slurm_submit(const struct config *config, const struct campaign *campaign, const bool *chosen)
{
	struct submission submission = { .config = config, .campaign = campaign };
	owned bool *left = calloc(campaign->point_count + 1, sizeof(*left));
	enum exit_code code = left ? EXIT_DONE : out_of_memory();

	if (code == EXIT_DONE && !config->dry_run)
		code = store_make(campaign);
	if (code == EXIT_DONE)
		code = find_places(campaign, &submission.places);
	if (code == EXIT_DONE && leave_queued(campaign, chosen, left))
		code = submit(&submission, left);
	else if (code == EXIT_DONE)
		note("there is no point to submit");
	return code;
}

/* --- the queue ------------------------------------------------------------------------------------------------------ */

/* Read which point each element stands for: an array of names, the first one for element 1. */
static json_t *read_points(const char *directory, const char *file)
{
	closing FILE *stream = fopen(TEXT_OF(2 * PATH_MAX, "%s/%s", directory, file), "re");
	json_t *names = json_array();
	owned char *line = NULL;
	size_t size = 0;
	ssize_t length;

	while (stream && (length = getline(&line, &size, stream)) > 0)
		json_array_append_new(names, json_stringn(line, (size_t)length - (line[length - 1] == '\n')));
	return names;
}

/* What squeue says of the elements of one array. */
static void ask_queue(const char *job, const json_t *names, json_t *queue)
{
	char command[256], state[32];
	size_t element;
	FILE *stream;

	if (!*job || strspn(job, "0123456789") != strlen(job))
		return;
	snprintf(command, sizeof(command), "squeue --noheader --array --jobs=%.20s --format='%%K %%T' 2>/dev/null", job);
	stream = popen(command, "re");
	while (stream && fscanf(stream, "%zu %31s", &element, state) == 2) {
		const char *name = json_string_value(json_array_get(names, element - 1));

		if (name)
			json_put(queue, name, state);
	}
	if (stream)
		pclose(stream);
}

json_t *slurm_queue(const struct campaign *campaign)
{
	json_t *queue = json_object();
	char directory[PATH_MAX];

	for (unsigned int number = 1; access(submission_path(campaign->directory, number, directory), F_OK) == 0; number++) {
		json_auto_t *jobs = reader_json_file(TEXT_OF(PATH_MAX + 64, "%s/" JOBS, directory));

		json_each (array, json_object_get(jobs, "arrays")) {
			json_auto_t *names = read_points(directory, read_text(array, "points"));

			ask_queue(read_text(array, "job"), names, queue);
		}
	}
	return queue;
}
