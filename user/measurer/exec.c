/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This measurer is a process of the user's, with JSON lines on its standard input and output. The question is the Trial
 * Input and nothing else. The answer is the Trial Output, and whatever the measurer likes to add.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/reader.h"
#include "base/starter.h"
#include "base/units.h"
#include "config/requirement.h"
#include "measurer/measurer_new.h"
#include "observe/observe.h"

#define RATE_ROUNDING_RATIO 1e-4 /* rounding of a rate, as a part of the load */
#define UNSENT_RATIO        0.01 /* part of the frames intended: fewer unsent frames are rounding */
#define DECIMALS_USUAL      6    /* decimals assumed for a ratio of exactly 0 or 1 */
#define RATIO_ROUNDING_MOST 0.005
#define OVERSENT_RATIO      0.01 /* part of the frames intended that a generator may send beyond them */
#define INTERFACES_MOST     16   /* most interfaces that an external measurer may count together */
#define ANSWER_SLACK_S      60   /* time for an answer beyond the Trial Duration */
#define END_GRACE_S         2
#define LATENCY_ROUNDING    0.01 /* relative rounding of a latency: percentiles often come from buckets */
#define SIZE_ROUNDING       0.01 /* relative rounding of the mean size of frames */
#define SHORTEST_RATIO      0.5  /* part of the Trial Duration: a shorter effective duration gets a warning */
#define LONGEST_RATIO       10.0 /* multiple of the Trial Duration: a longer one gets a warning, beyond ANSWER_SLACK_S */

struct measurer_exec {
	struct measurer base;
	struct child child;
	json_t *described; /* its description of itself, from the first answer; NULL: none */
};

/* An answer while it is read. */
struct answer {
	const char *line;
	size_t length;
	json_t *object;
};

/* Report "the external measurer ...: what it said" (the first line of it). Returns EXIT_INVALID. */
static enum exit_code refuse_line(const char *fault, const char *line, size_t length)
{
	const char *end = length ? memchr(line, '\n', length) : NULL;
	char quoted[QUOTE_SIZE];

	if (end)
		length = (size_t)(end - line);
	if (length == 0)
		return refuse(EXIT_INVALID, "the external measurer %s", fault);
	return refuse(EXIT_INVALID, "the external measurer %s: %s", fault, quote(line, length, quoted, sizeof(quoted)));
}

static enum exit_code refuse_answer(const struct answer *answer, const char *fault)
{
	return refuse_line(fault, answer->line, answer->length);
}

/* Return a number of the answer, and remove it there; `missing` if it is absent or null. */
static enum exit_code take_number(const struct answer *answer, const char *name, double missing, double *ret)
{
	json_t *value = json_object_get(answer->object, name);

	if (value && !json_is_null(value) && !json_is_number(value)) {
		return refuse_answer(answer, TEXT_OF(128, "gave a %s that is not a number", name));
	}
	*ret = json_is_number(value) ? json_number_value(value) : missing;
	json_object_del(answer->object, name);
	return EXIT_DONE;
}

static bool is_count(const json_t *value)
{
	return json_is_integer(value) && json_integer_value(value) >= 0;
}

/* Return the decimals of a number as it is printed. */
static int decimals_of(const char *number)
{
	const char *point = strchr(number, '.'), *exponent = strpbrk(number, "eE");
	int decimals = point ? (int)strspn(point + 1, "0123456789") : 0;

	return exponent ? decimals - atoi(exponent + 1) : decimals;
}

/* Return the decimals of a ratio in the line. The same member of an object within has another value. */
static int printed_decimals(const struct answer *answer, const char *member, double ratio)
{
	const char *at = answer->line, *end = answer->line + answer->length;
	const char *name = TEXT_OF(64, "\"%s\"", member);

	while ((at = memmem(at, (size_t)(end - at), name, strlen(name))) != NULL) {
		char text[64] = "", *number;

		at += strlen(name);
		snprintf(text, sizeof(text), "%.*s", (int)(end - at), at);
		number = text + strspn(text, ": \t");
		number[strcspn(number, ",} \t\r\n")] = '\0';
		if (strtod(number, NULL) == ratio)
			return decimals_of(number);
	}
	return DECIMALS_USUAL;
}

double measurer_ratio_rounding(double ratio)
{
	if (ratio == 0 || ratio == 1)
		return pow(10, -DECIMALS_USUAL);
	return fmin(pow(10, -decimals_of(format_number(ratio, UNIT_ROOM))), RATIO_ROUNDING_MOST);
}

/* Return by how much the ratio may be off for its digits: by half of the last digit, or all of it if it has more than two,
 * because some cut digits off. The ratios 0 and 1 tell nothing of their digits. */
static double ratio_rounding(const struct answer *answer, const char *member, double ratio)
{
	if (ratio == 0 || ratio == 1)
		return measurer_ratio_rounding(ratio);
	return fmin(pow(10, -printed_decimals(answer, member, ratio)), measurer_ratio_rounding(ratio));
}

bool measurer_sut_loss_agrees(double ratio, double rounding, double sut_ratio, double sut_rounding)
{
	return sut_ratio <= ratio + rounding + sut_rounding;
}

bool measurer_nothing_came(const struct mlr_trial_input *input, double ratio, double received)
{
	if (!isnan(received))
		return received == 0;
	return ratio == 1 && measurer_ratio_rounding(ratio) / 2 * input->load_fps * input->duration_s < 1;
}

static const char *const latency_names[] = { "min_ns", "p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "p99_99_ns", "max_ns" };

bool measurer_has_latency(const json_t *latency)
{
	bool has = json_number_value(json_object_get(latency, "count")) > 0 ||
		   json_is_number(json_object_get(latency, "mean_ns"));

	for (size_t i = 0; i < COUNT(latency_names); i++)
		has |= json_is_number(json_object_get(latency, latency_names[i]));
	return has;
}

/* Whether a ratio follows from counts and from so many frames to send: from the frames that arrived, or from those that are said
 * to be lost, where these can include the unsent ones. */
static bool follows(double ratio, double slack, double sent, double lost, double intended)
{
	return (intended - sent <= lost + 1 && fabs(ratio - lost / intended) <= slack) ||
	       fabs(ratio - (1 - (sent - lost) / intended)) <= slack;
}

/* Return the frames intended on all interfaces whose frames are counted together. They are the fewest that can have sent so
 * many, or a little less. More would explain any ratio, by interfaces that sent nothing. */
static double intended_of(const struct mlr_trial_input *input, double sent)
{
	double intended = round(input->load_fps * input->duration_s);
	double interfaces = ceil(sent / (intended + 1) - OVERSENT_RATIO);

	return fmax(sent, intended * fmin(fmax(interfaces, 1), INTERFACES_MOST));
}

/* Whether the ratio agrees with the counts. Generators compute it of the frames sent or the frames intended, of one
 * interface or of all together. It may be a frame off either, but 0 and 1 are exact. */
bool measurer_counts_agree(const struct mlr_trial_input *input, double ratio, double rounding, double sent, double lost)
{
	double intended = intended_of(input, sent);

	if (sent == 0 || ratio == 0 || ratio == 1)
		return sent == 0 ? ratio == 0 || ratio == 1 : fabs(ratio - lost / sent) <= rounding;
	return follows(ratio, rounding + 1 / sent, sent, lost, sent) ||
	       follows(ratio, rounding + 1 / intended, sent, lost, intended);
}

static enum exit_code check_counts(const struct answer *answer, const struct measurement *measurement)
{
	double ratio = measurement->result.output.loss_ratio, rounding = ratio_rounding(answer, "trial_loss_ratio", ratio);
	double sent = (double)measurement->counts.sent, lost = (double)measurement->verdict.lost;

	if (measurer_counts_agree(&measurement->result.input, ratio, rounding, sent, lost))
		return EXIT_DONE;
	return refuse_answer(answer, TEXT_OF(256,
					     "gave frame counts that contradict its trial_loss_ratio of %s: of %.0f frames "
					     "sent %.0f were lost, a ratio of %s",
					     format_number(ratio, UNIT_ROOM), sent, lost,
					     format_number(sent > 0 ? lost / sent : 0, UNIT_ROOM)));
}

/* Read the frame counts, if both are given. One alone passes through. */
static enum exit_code read_counts(const struct answer *answer, struct measurement *measurement)
{
	json_t *sent = json_object_get(answer->object, "frames_sent");
	json_t *lost = json_object_get(answer->object, "frames_lost");

	if (!sent || !lost || json_is_null(sent) || json_is_null(lost))
		return EXIT_DONE;
	if (!is_count(sent) || !is_count(lost) || json_integer_value(lost) > json_integer_value(sent))
		return refuse_answer(answer, "gave frame counts that are impossible");
	measurement->has_counts = true;
	measurement->counts_are_partial = true;
	measurement->counts.sent = (uint64_t)json_integer_value(sent);
	measurement->counts.received = (uint64_t)(json_integer_value(sent) - json_integer_value(lost));
	measurement->verdict.lost = (int64_t)json_integer_value(lost);
	json_object_del(answer->object, "frames_sent");
	json_object_del(answer->object, "frames_lost");
	return check_counts(answer, measurement);
}

/* Read the measurer's statement that it cannot go on. */
static enum exit_code read_error(const struct answer *answer)
{
	const json_t *error = json_object_get(answer->object, "error");

	if (error && !json_is_null(error))
		return refuse_answer(answer, "reports an error");
	json_object_del(answer->object, "error");
	return EXIT_DONE;
}

/* Whether it sent too few frames, and neither its ratio nor its word says so: its loss is then that of a smaller load. */
static bool sent_too_few(const struct measurement *measurement)
{
	const struct mlr_trial_input *input = &measurement->result.input;
	double intended = input->load_fps * input->duration_s, sent = (double)measurement->counts.sent;
	double came = (double)measurement->counts.received;

	return measurement->has_counts && sent < intended * (1 - UNSENT_RATIO) - 1 &&
	       measurement->result.output.loss_ratio < 1 - came / intended - UNSENT_RATIO;
}

/* Read its statement that the generator, not the SUT, was the limit. Where nothing was lost it can only have offered less. */
static enum exit_code read_limit(const struct answer *answer, struct measurement *measurement)
{
	json_t *limited = json_object_get(answer->object, "tester_limited");

	if (limited && !json_is_null(limited) && !json_is_boolean(limited))
		return refuse_answer(answer, "gave a tester_limited that is neither true nor false");
	measurement->tester_limited = json_is_true(limited);
	measurement->tester_limited_reason = measurement->tester_limited ? "the external measurer says so" : NULL;
	measurement->offered_less = sent_too_few(measurement) ||
				    (measurement->tester_limited && measurement->result.output.loss_ratio <= 0);
	if (!measurement->tester_limited && measurement->offered_less) {
		measurement->tester_limited = true;
		measurement->tester_limited_reason = "the external measurer sent fewer frames than Trial Load asks for";
	}
	json_object_del(answer->object, "tester_limited");
	return EXIT_DONE;
}

/* Read what the SUT alone lost. It stays in the trial, as a bound may follow from it. */
static enum exit_code read_sut_loss(const struct answer *answer, struct measurement *measurement)
{
	static const char member[] = "sut_loss_ratio";
	double ratio = measurement->result.output.loss_ratio, sut_ratio;
	enum exit_code code = take_number(answer, member, NAN, &sut_ratio);

	if (code != EXIT_DONE || isnan(sut_ratio))
		return code;
	if (!(sut_ratio >= 0 && sut_ratio <= 1))
		return refuse_answer(answer, "gave a sut_loss_ratio outside 0 to 1");
	if (!measurer_sut_loss_agrees(ratio, ratio_rounding(answer, "trial_loss_ratio", ratio), sut_ratio,
				      ratio_rounding(answer, member, sut_ratio)))
		return refuse_answer(answer, TEXT_OF(160, "gave a sut_loss_ratio of %s, above its trial_loss_ratio of %s",
						     format_number(sut_ratio, UNIT_ROOM), format_number(ratio, UNIT_ROOM)));
	measurement->sut_loss_ratio = sut_ratio;
	json_put(answer->object, member, sut_ratio);
	return EXIT_DONE;
}

static enum exit_code read_output(const struct answer *answer, const struct mlr_trial_input *input,
				  struct mlr_trial_output *ret)
{
	double loss_ratio, effective_duration_s, forwarding_rate_fps;
	enum exit_code code = take_number(answer, "trial_loss_ratio", NAN, &loss_ratio);

	if (code == EXIT_DONE)
		code = take_number(answer, "trial_effective_duration", input->duration_s, &effective_duration_s);
	if (code == EXIT_DONE)
		code = take_number(answer, "trial_forwarding_rate", NAN, &forwarding_rate_fps);
	if (code != EXIT_DONE)
		return code;
	if (isnan(loss_ratio))
		return refuse_answer(answer, "gave no trial_loss_ratio");
	if (loss_ratio < 0 || loss_ratio > 1)
		return refuse_answer(answer, "gave a trial_loss_ratio outside 0 to 1");
	if (effective_duration_s <= 0)
		return refuse_answer(answer, "gave a trial_effective_duration that is not above 0");
	if (forwarding_rate_fps < 0)
		return refuse_answer(answer, "gave a trial_forwarding_rate below 0");
	*ret = mlr_trial_output(input, loss_ratio, effective_duration_s);
	/* The rate follows from load and loss (RFC 9971, 4.5.7), but may be rounded. */
	if (fabs(forwarding_rate_fps - ret->forwarding_rate_fps) > 1 + RATE_ROUNDING_RATIO * input->load_fps)
		return refuse_answer(answer, "gave a trial_forwarding_rate that contradicts its load and trial_loss_ratio");
	if (!isnan(forwarding_rate_fps))
		ret->forwarding_rate_fps = forwarding_rate_fps;
	return EXIT_DONE;
}

/* The effective duration counts for every limit and every sum of durations, so warn of an unlikely one. */
static void warn_of_duration(const struct measurement *measurement)
{
	double duration_s = measurement->result.input.duration_s;
	double effective_s = measurement->result.output.effective_duration_s;

	if (effective_s < duration_s * SHORTEST_RATIO || effective_s > duration_s * LONGEST_RATIO + ANSWER_SLACK_S)
		warn("the external measurer gave a trial_effective_duration of %s s for a Trial Duration of %s s: the trial "
		     "counts for so long",
		     format_number(effective_s, UNIT_ROOM), format_number(duration_s, UNIT_ROOM));
}

/* Latencies that are given as those of a trial here are in the order of their names, and their mean is among them. */
static enum exit_code check_latency(const struct answer *answer, const struct measurement *measurement)
{
	const char *const *names = latency_names;
	const json_t *latency = json_object_get(answer->object, "latency"), *mean;
	const char *last = NULL;
	double last_ns = 0, least_ns = 0;

	if (measurer_has_latency(latency) &&
	    measurer_nothing_came(&measurement->result.input, measurement->result.output.loss_ratio,
				  measurement->has_counts ? (double)measurement->counts.received : NAN))
		return refuse_answer(answer,
				     TEXT_OF(128, "gave a latency beside a trial_loss_ratio of %s: no frame came back",
					     format_number(measurement->result.output.loss_ratio, UNIT_ROOM)));
	for (size_t i = 0; json_is_object(latency) && i < COUNT(latency_names); i++) {
		const json_t *value = json_object_get(latency, names[i]);
		double here_ns = json_number_value(value);

		if (!json_is_number(value))
			continue;
		if (here_ns < 0)
			return refuse_answer(answer, TEXT_OF(128, "gave a latency whose %s is below 0", names[i]));
		if (here_ns < last_ns * (1 - LATENCY_ROUNDING))
			return refuse_answer(answer,
					     TEXT_OF(128, "gave a latency whose %s is below its %s", names[i], last));
		least_ns = last ? least_ns : here_ns;
		last_ns = fmax(here_ns, last_ns);
		last = names[i];
	}
	mean = json_object_get(latency, "mean_ns");
	if (!json_is_number(mean) || !json_is_number(json_object_get(latency, "min_ns")) ||
	    !json_is_number(json_object_get(latency, "max_ns")))
		return EXIT_DONE;
	if (json_number_value(mean) < least_ns * (1 - LATENCY_ROUNDING) ||
	    json_number_value(mean) > last_ns * (1 + LATENCY_ROUNDING))
		return refuse_answer(answer, "gave a latency whose mean_ns is not between its min_ns and its max_ns");
	return EXIT_DONE;
}

/* Turn a parsed answer into a measurement. What is left of the object passes through. */
static enum exit_code parse_answer(const struct answer *answer, const struct mlr_trial_input *input, struct measurement *ret)
{
	struct measurement measurement = { .result.input = *input };
	enum exit_code code = read_error(answer)
				      ?: read_output(answer, input, &measurement.result.output)
				      ?: read_counts(answer, &measurement)
				      ?: read_limit(answer, &measurement)
				      ?: read_sut_loss(answer, &measurement)
				      ?: check_latency(answer, &measurement);

	if (code != EXIT_DONE)
		return code;
	warn_of_duration(&measurement);
	if (!mlr_trial_result_valid(&measurement.result))
		return refuse_answer(answer, "gave a result out of range");
	if (json_object_size(answer->object) > 0)
		measurement.passed_through = json_incref(answer->object);
	*ret = measurement;
	return EXIT_DONE;
}

static enum exit_code read_answer(const char *line, size_t length, const struct mlr_trial_input *input,
				  struct measurement *ret)
{
	json_auto_t *object = reader_json(line, length, JSON_REJECT_DUPLICATES);
	const struct answer answer = { line, length, object };

	if (json_is_object(object))
		return parse_answer(&answer, input, ret);
	return refuse_answer(&answer,
			     length ? "answered with a line that is not a JSON object" : "answered with an empty line");
}

static enum exit_code refuse_event(struct measurer_exec *exec, enum child_event event, const struct mlr_trial_input *input)
{
	const struct child *child = &exec->child;
	char fault[128];

	switch (event) {
	case CHILD_STOPPED:
		return EXIT_INTERRUPTED;
	case CHILD_TIMEOUT:
		snprintf(fault, sizeof(fault), "gave no answer within %g s", input->duration_s + ANSWER_SLACK_S);
		break;
	case CHILD_GONE:
		snprintf(fault, sizeof(fault), "%s before it answered%s", child_fate(child, ROOM(CHILD_FATE_SIZE)),
			 child->received_count ? ", after" : "");
		break;
	case CHILD_TALKATIVE:
		snprintf(fault, sizeof(fault), "spoke before it was asked");
		break;
	case CHILD_TOO_LONG:
		snprintf(fault, sizeof(fault), "sent a line longer than %u octets", CHILD_LINE_MAX);
		break;
	default:
		return out_of_memory();
	}
	return refuse_line(fault, child->received, child->received_count);
}

/* Return the mean size of the frames that it says it sends; NAN: it says none. */
static double described_octets(const json_t *described)
{
	const json_t *profile = json_object_get(described, "traffic_profile");
	double octets = read_either(profile, "mean_frame_size_octets", "frame_size_octets");

	return isnan(octets) ? read_number(described, "frame_size_octets") : octets;
}

static bool is_of_bits(const struct load_spec *load)
{
	return load->unit == LOAD_BPS_L1 || load->unit == LOAD_BPS_L2;
}

/* Whether the user gave some load in bit/s, which is so many frames by their size. */
static bool has_loads_in_bits(const struct config *config)
{
	bool has = is_of_bits(&config->min_load) || is_of_bits(&config->max_load);

	for (unsigned int i = 0; i < config->sweep_part_count; i++)
		has |= is_of_bits(&config->sweep_parts[i].from);
	for (size_t i = 0; i < config->requirement_count; i++)
		has |= config->requirements[i].quantity == QUANTITY_LOAD && is_of_bits(&config->requirements[i].load);
	return has;
}

/* Take the size of its frames. It must be the one by which loads in bit/s became frames. */
static enum exit_code take_frame_size(struct measurer_exec *exec)
{
	const struct config *config = exec->base.config;
	double octets = described_octets(exec->described);

	if (!(octets > 0))
		return EXIT_DONE;
	exec->base.frame_size_octets = octets;
	if (fabs(octets / config->frame_size_octets - 1) <= SIZE_ROUNDING || !has_loads_in_bits(config))
		return EXIT_DONE;
	return refuse(EXIT_INVALID,
		      "the external measurer sends frames of %g octets, and loads in bit/s were taken to be of %g: say "
		      "--frame-size",
		      octets, config->frame_size_octets);
}

/* Take what the measurer says of itself ("measurer"), which is not about the trial. Its first statement counts. */
static enum exit_code read_description(struct measurer_exec *exec, struct measurement *measurement)
{
	json_t *described = json_object_get(measurement->passed_through, "measurer");
	enum exit_code code = EXIT_DONE;

	if (!json_is_object(described))
		return EXIT_DONE;
	if (!exec->described) {
		exec->described = json_incref(described);
		code = take_frame_size(exec);
	}
	json_object_del(measurement->passed_through, "measurer");
	if (json_object_size(measurement->passed_through))
		return code;
	json_decref(measurement->passed_through);
	measurement->passed_through = NULL;
	return code;
}

static enum exit_code exec_measure(struct measurer *measurer, const struct mlr_trial_input *input, struct measurement *ret)
{
	struct measurer_exec *exec = (struct measurer_exec *)measurer;
	uint64_t start_ns, deadline_ns;
	char question[160];
	enum child_event event;
	enum exit_code code;
	size_t length;
	char *line;

	int question_length =
		snprintf(question, sizeof(question), "{\"trial_duration\": %s, \"trial_load\": %s}\n",
			 format_number(input->duration_s, UNIT_ROOM), format_number(input->load_fps, UNIT_ROOM));
	observers_idle(measurer->observers);
	observers_begin(measurer->observers, input->duration_s);
	start_ns = clock_ns();
	deadline_ns = start_ns + (uint64_t)((input->duration_s + ANSWER_SLACK_S) * NS_PER_S);
	event = child_ask(&exec->child, question, (size_t)question_length, deadline_ns, &line, &length);
	if (event != CHILD_LINE)
		return refuse_event(exec, event, input);
	code = read_answer(line, length, input, ret);
	if (code == EXIT_DONE && (code = read_description(exec, ret)) != EXIT_DONE)
		measurement_free(ret);
	if (code == EXIT_DONE)
		ret->observed = observers_end(measurer->observers, start_ns, clock_ns());
	child_taken(&exec->child, length);
	return code;
}

static json_t *exec_describe(struct measurer *measurer)
{
	const struct measurer_exec *exec = (const struct measurer_exec *)measurer;
	json_t *json = json_with("name", "exec", "command", measurer->config->measurer_argument);

	if (exec->described)
		json_object_set(json, "described", exec->described);
	return json;
}

static json_t *exec_traffic_profile(struct measurer *measurer)
{
	const json_t *described = json_object_get(((const struct measurer_exec *)measurer)->described, "traffic_profile");

	return json_is_object(described) ? json_copy((json_t *)described)
					 : json_with("description", "the external measurer's own");
}

static void exec_deviations(struct measurer *measurer, json_t *deviations)
{
	const json_t *described = json_object_get(((const struct measurer_exec *)measurer)->described, "deviations");

	json_each (sentence, described)
		if (json_is_string(sentence))
			json_array_append(deviations, sentence);
	if (json_is_array(described))
		return;
	json_array_append_new(deviations, json_string("Trials are performed by an external measurer; how it keeps the "
						      "phases of RFC 2544 section 23 is not known here."));
}

static void exec_free(struct measurer *measurer)
{
	struct measurer_exec *exec = (struct measurer_exec *)measurer;

	child_end(&exec->child, END_GRACE_S);
	json_decref(exec->described);
	free(exec);
}

static enum exit_code start_command(struct measurer_exec *exec, const char *command)
{
	int error = child_start(&exec->child, command);

	return error ? refuse(EXIT_INCAPABLE, "cannot start the external measurer: %s", strerror(-error)) : EXIT_DONE;
}

/* End the command, and start it again. What it said of itself is forgotten. */
static enum exit_code exec_renew(struct measurer *measurer)
{
	struct measurer_exec *exec = (struct measurer_exec *)measurer;

	child_end(&exec->child, END_GRACE_S);
	exec->child = (struct child){ .process = { .fd = -1 }, .to_fd = -1, .from_fd = -1, .is_elsewhere = true };
	json_decref(exec->described);
	exec->described = NULL;
	measurer->frame_size_octets = 0;
	return start_command(exec, measurer->config->measurer_argument);
}

static const struct measurer_ops exec_ops = {
	.renew = exec_renew,
	.measure = exec_measure,
	.describe = exec_describe,
	.traffic_profile = exec_traffic_profile,
	.deviations = exec_deviations,
	.free = exec_free,
};

enum exit_code measurer_exec_new(const struct config *config, struct measurer **ret)
{
	struct measurer_exec *exec = calloc(1, sizeof(*exec));
	enum exit_code code;

	if (!exec)
		return out_of_memory();
	code = starter_begin(&config->measurer_argument, 1);
	if (code == EXIT_DONE)
		code = start_command(exec, config->measurer_argument);
	if (code != EXIT_DONE) {
		free(exec);
		return code;
	}
	exec->base = (struct measurer){ .ops = &exec_ops, .virtual_time = true, .transmitters = 1 };
	*ret = &exec->base;
	return EXIT_DONE;
}
