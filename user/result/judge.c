/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "config/given.h"
#include "config/options_suite.h"
#include "config/requirement.h"

#define PATH_SIZE     64
#define DOUBT_SIZE    128
#define SIZE_ROUNDING 1e-9 /* part by which a threshold may differ by rounding */

static double number_at(const json_t *object, const char *pointer)
{
	const json_t *value = json_at(object, pointer);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool is_load_max(const json_t *document)
{
	return strcmp(read_text(json_object_get(document, "configuration"), "load"), "max") == 0;
}

/* Return the worst of several directions, each of which has the load of one interface, also in a mesh. As fast as they can, ports
 * send at different loads: then it is the one in which the fewest frames came. NULL: there are not several. */
static const json_t *worst_direction(const json_t *document)
{
	const char *figure = is_load_max(document) ? "/counts/received" : "/loss_ratio";
	const json_t *worst = NULL;

	json_each (direction, json_at(document, "/trial_result/directions"))
		if (!worst || (number_at(direction, figure) < number_at(worst, figure)) == is_load_max(document))
			worst = direction;
	return worst;
}

double judge_worst_direction(const char *path, const json_t *document)
{
	double loss_ratio = number_at(document, "/trial_result/loss_ratio");

	if (isnan(loss_ratio))
		return NAN;
	if (strcmp(path, "/trial_result/trial_loss_ratio") == 0)
		return loss_ratio;
	if (strcmp(path, "/trial_result/trial_forwarding_rate") != 0)
		return NAN;
	if (is_load_max(document))
		return number_at(worst_direction(document), "/counts/received") /
		       number_at(document, "/trial_result/trial_duration");
	return (1 - loss_ratio) * number_at(document, "/trial_result/trial_load");
}

static double measured(const struct requirement *requirement, const json_t *document)
{
	double worst = judge_worst_direction(requirement->path, document);

	return isnan(worst) ? number_at(document, requirement->path) * requirement_scale(requirement->quantity) : worst;
}

/* Return by how much a percentile of the PDV may be off, which the document has beside it. NAN for other figures. */
static double error_of(const struct requirement *requirement, const json_t *document)
{
	static const char beginning[] = "pdv_p";
	const char *name = strrchr(requirement->path, '/') + 1;

	if (strncmp(name, beginning, strlen(beginning)) != 0)
		return NAN;
	return number_at(document,
			 TEXT_OF(PATH_SIZE, "%.*spdv_error_ns", (int)(name - requirement->path), requirement->path));
}

/* Return why a verdict cannot be relied on, NULL if it can. */
static const char *doubt(double value, double threshold, double error, char buffer[DOUBT_SIZE])
{
	if (isnan(value))
		return "the result has no such figure";
	if (!(fabs(value - threshold) <= error))
		return NULL;
	return text_print(buffer, DOUBT_SIZE,
			  "the figure may be off by %s ns, which is more than it is from what is required",
			  format_number(error, UNIT_ROOM));
}

/* Add a verdict; whether it is met. */
static bool add_verdict(json_t *verdicts, const struct requirement *requirement, const char *figure, double value,
			double threshold, double error)
{
	static const char *const units[] = {
		[QUANTITY_LOAD] = "fps", [QUANTITY_RATIO] = "ratio", [QUANTITY_FRAMES] = "frames",
		[QUANTITY_TIME] = "ns",  [QUANTITY_SECONDS] = "ns", /* requirement_scale() turns seconds into ns. */
	};
	bool met = comparison_holds(requirement->comparison, value, threshold);

	json_array_append_new(verdicts, json_with("requirement", requirement->given->text, "figure", figure, "comparison",
						  comparison_text(requirement->comparison), "required", threshold,
						  "measured", value, "unit", units[requirement->quantity], "met", met,
						  "reason", doubt(value, threshold, error, ROOM(DOUBT_SIZE))));
	return met;
}

/* Return the threshold for one frame size: a load in bit/s or % is another number of frames at each. */
static double size_threshold(const struct requirement *requirement, const json_t *size)
{
	double octets = read_number(size, "frame_size_octets"), line_rate_fps = read_number(size, "line_rate");
	const struct load_spec *load = &requirement->load;

	if (requirement->quantity != QUANTITY_LOAD || load->unit == LOAD_FPS || isnan(octets))
		return requirement->threshold;
	return load_fps(load, octets, isnan(line_rate_fps) ? 0 : line_rate_fps);
}

/* Add a verdict for each frame size that was measured and is meant. Returns whether there is one, and all are met. */
static bool judge_sizes(json_t *verdicts, const struct requirement *requirement, const json_t *document)
{
	const json_t *sizes = json_object_get(document, "frame_sizes");
	size_t judged = 0;
	bool met = true;

	json_each (size, sizes) {
		const char *name = read_string(size, "frame_size");
		char figure[FIGURE_NAME_SIZE + FRAME_SIZE_TEXT];

		if (requirement->frame_size_octets &&
		    read_number(size, "frame_size_octets") != requirement->frame_size_octets)
			continue;
		snprintf(figure, sizeof(figure), "%s@%s", requirement->figure, name ? name : "?");
		met &= add_verdict(verdicts, requirement, figure,
				   number_at(size, requirement->path) * requirement_scale(requirement->quantity),
				   size_threshold(requirement, size), NAN);
		judged++;
	}
	if (!judged)
		met = add_verdict(verdicts, requirement, requirement->figure, NAN, requirement->threshold, NAN);
	return met;
}

/* Return the mean size of the frames that came in the worst direction; NAN: there are not several. */
static double worst_octets(const json_t *document)
{
	const char *to = read_text(worst_direction(document), "to");

	json_each (port, json_object_get(document, "ports"))
		if (strcmp(read_text(port, "name"), to) == 0)
			return read_number(port, "received_octets") / number_at(port, "/counts/received");
	return NAN;
}

/* Return the threshold of a figure. A rate in bit/s is of the frames that came, as the one that is stated beside it: of a mix they
 * may be smaller than those that were sent. */
static double threshold_of(const struct requirement *requirement, const json_t *document)
{
	double octets = number_at(document, TEXT_OF(PATH_SIZE, "%s_l2_bps", requirement->path)) /
			l2_bps(number_at(document, requirement->path), 1);
	bool is_of_bits = requirement->load.unit == LOAD_BPS_L1 || requirement->load.unit == LOAD_BPS_L2,
	     is_of_worst = !isnan(judge_worst_direction(requirement->path, document)) && !isnan(worst_octets(document));

	if (requirement->quantity != QUANTITY_LOAD || !is_of_bits ||
	    !(fabs(load_fps(&requirement->load, octets, NAN) / requirement->threshold - 1) > SIZE_ROUNDING))
		return requirement->threshold;
	return load_fps(&requirement->load, is_of_worst ? worst_octets(document) : octets, NAN);
}

static bool judge_one(json_t *verdicts, const struct requirement *requirement, const json_t *document)
{
	if (requirement->each_size)
		return judge_sizes(verdicts, requirement, document);
	if (requirement->goal >= 0)
		document = json_array_get(json_object_get(document, "search_result"), (size_t)requirement->goal);
	return add_verdict(verdicts, requirement, requirement->figure, measured(requirement, document),
			   threshold_of(requirement, document), error_of(requirement, document));
}

enum exit_code report_judge(json_t *document, const struct config *config, enum exit_code code)
{
	json_t *verdicts;

	if (!config->requirement_count)
		return code;
	verdicts = json_array();
	for (size_t i = 0; i < config->requirement_count; i++) {
		if (!judge_one(verdicts, &config->requirements[i], document) && code == EXIT_DONE)
			code = EXIT_UNMET;
	}
	json_put(document, "requirements", verdicts);
	return code;
}
