/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/units.h"
#include "render/text_rfc2544.h"
#include "render/text_selftest.h"
#include "render/text_setting.h"

#define LABEL_COLUMNS SETTING_LABEL_COLUMNS
#define CELL_COLUMNS  14
#define NS_PER_US     1000.0

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A text while it is written. */
struct page {
	FILE *stream;
	bool terminal, explain;
	double frame_size_octets; /* on average; 0: not known */
};

enum style { BOLD, GOOD, BAD };

static void put_styled(const struct page *page, enum style style, const char *text)
{
	static const char *const sequences[] = { [BOLD] = "\033[1m", [GOOD] = "\033[32m", [BAD] = "\033[1;31m" };

	if (!text)
		return;
	if (page->terminal)
		fprintf(page->stream, "%s%s\033[0m", sequences[style], text);
	else
		fputs(text, page->stream);
}

/* "  label                 ...\n" */
__attribute__((format(printf, 3, 4))) static void put_row(const struct page *page, const char *label, const char *format,
							  ...)
{
	va_list arguments;

	fprintf(page->stream, "  %-*s", LABEL_COLUMNS, label);
	va_start(arguments, format);
	vfprintf(page->stream, format, arguments);
	va_end(arguments);
	fputc('\n', page->stream);
}

/* --- reading the document; what is missing or null is NAN, NULL or false -------------------------------------------- */

static const char *string(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

static bool truth(const json_t *object, const char *name)
{
	return json_is_true(json_object_get(object, name));
}

/* --- quantities ----------------------------------------------------------------------------------------------------- */

/* A load in every unit: "998.3 kfps   998313.5 fps", and what that is on the link. */
static void put_load(const struct page *page, const char *label, double fps, const char *mark)
{
	char rounded[UNIT_TEXT_SIZE], l2[UNIT_TEXT_SIZE], l1[UNIT_TEXT_SIZE], bits[2 * UNIT_TEXT_SIZE + 16] = "";

	if (isnan(fps)) {
		put_row(page, label, "%*s%s", CELL_COLUMNS, "none", mark);
		return;
	}
	if (page->frame_size_octets > 0)
		snprintf(bits, sizeof(bits), "   L2 %s, L1 %s", format_si(l2_bps(fps, page->frame_size_octets), "bit/s", l2),
			 format_si(l1_bps(fps, page->frame_size_octets), "bit/s", l1));
	put_row(page, label, "%*s  %*.1f fps%s%s", CELL_COLUMNS, format_si(fps, "fps", rounded), CELL_COLUMNS, fps, bits,
		mark);
}

static const char *microseconds(double ns, char buffer[UNIT_TEXT_SIZE])
{
	snprintf(buffer, UNIT_TEXT_SIZE, "%.3f us", ns / NS_PER_US);
	return buffer;
}

/* A member of an object, and the heading of its column. */
struct column {
	const char *name, *heading;
};

static void put_heading(const struct page *page, const char *text)
{
	fputc('\n', page->stream);
	put_styled(page, BOLD, text);
	fputc('\n', page->stream);
}

/* A line of headings and a line of numbers divided by `unit`; nothing for what is not an object. */
static void put_columns(const struct page *page, const json_t *object, const struct column *columns, size_t count,
			double unit, int decimals)
{
	if (!json_is_object(object))
		return;
	for (size_t i = 0; i < count; i++)
		fprintf(page->stream, "%*s", CELL_COLUMNS, columns[i].heading);
	fputc('\n', page->stream);
	for (size_t i = 0; i < count; i++) {
		double value = read_number(object, columns[i].name);

		if (isnan(value))
			fprintf(page->stream, "%*s", CELL_COLUMNS, "-");
		else
			fprintf(page->stream, "%*.*f", CELL_COLUMNS, decimals, value / unit);
	}
	fputc('\n', page->stream);
}

/* --- a search ------------------------------------------------------------------------------------------------------- */

static void put_goal_attributes(const struct page *page, const json_t *goal)
{
	char loss[UNIT_TEXT_SIZE], exceed[UNIT_TEXT_SIZE], width[UNIT_TEXT_SIZE];

	put_row(page, "Goal", "Loss Ratio %s, Exceed Ratio %s, Width %s,",
		format_percent(read_number(goal, "loss_ratio"), loss),
		format_percent(read_number(goal, "exceed_ratio"), exceed),
		format_percent(read_number(goal, "width"), width));
	put_row(page, "", "Initial and Final Trial Duration %g s and %g s, Duration Sum %g s",
		read_number(goal, "initial_trial_duration"), read_number(goal, "final_trial_duration"),
		read_number(goal, "duration_sum"));
}

/* Whether the result is the throughput of RFC 2544. */
static void put_compliance(const struct page *page, const char *compliance)
{
	if (!compliance)
		return; /* a result of an older version */
	put_row(page, "RFC 2544 section 24", "%s",
		strcmp(compliance, "unconditional") == 0 ? "unconditionally compliant: this is its throughput"
		: strcmp(compliance, "conditional") == 0
			? "conditionally compliant: its throughput, but for the length of trials"
			: "not compliant: this is not its throughput");
}

static void put_goal(const struct page *page, const json_t *result)
{
	const json_t *goal = json_object_get(result, "goal");
	double lower = read_number(result, "relevant_lower_bound"), upper = read_number(result, "relevant_upper_bound");
	bool regular = truth(result, "regular");
	const char *mark = regular ? "" : "   (irregular)";
	char width[UNIT_TEXT_SIZE];

	fputc('\n', page->stream);
	put_styled(page, BOLD, string(goal, "name"));
	fputs(": ", page->stream);
	put_styled(page, regular ? GOOD : BAD, regular ? "regular" : "IRREGULAR");
	fprintf(page->stream, "%s%s\n", regular ? "" : ", ", regular ? "" : string(result, "irregular_reason"));
	put_load(page, "Relevant Lower Bound", lower, mark);
	put_load(page, "Relevant Upper Bound", upper, mark);
	put_load(page, "Conditional Throughput", read_number(result, "conditional_throughput"), mark);
	if (!isnan(lower) && !isnan(upper))
		put_row(page, "Width", "%*s  (upper - lower) / upper", CELL_COLUMNS,
			format_percent((upper - lower) / upper, width));
	put_compliance(page, string(result, "rfc2544_compliance"));
	put_goal_attributes(page, goal);
	if (truth(result, "tester_limited")) {
		fprintf(page->stream, "  %-*s", LABEL_COLUMNS, "Tester limited");
		put_styled(page, BAD, "the tester met its own limit at this bound: the SUT may do more");
		fputc('\n', page->stream);
	}
}

static void put_search(const struct page *page, const json_t *document)
{
	const json_t *input = json_object_get(document, "controller_input");
	const json_t *results = json_object_get(document, "search_result");
	char min[UNIT_TEXT_SIZE], max[UNIT_TEXT_SIZE];

	put_styled(page, BOLD, "MLRsearch");
	fprintf(page->stream, " between %s and %s per interface: %zu trials in %.1f s\n",
		format_si(read_number(input, "min_load"), "fps", min), format_si(read_number(input, "max_load"), "fps", max),
		json_array_size(json_object_get(document, "trials")), read_number(document, "search_duration"));
	if (!results)
		put_styled(page, BAD, "\nIRREGULAR: the search ended before it had a result\n");
	for (size_t i = 0; i < json_array_size(results); i++)
		put_goal(page, json_array_get(results, i));
}

/* --- repeated searches ---------------------------------------------------------------------------------------------- */

/* Mean and spread of one goal, then every search's own value. */
static void put_statistics(const struct page *page, size_t goal, const json_t *statistics, const json_t *runs)
{
	double mean = read_number(statistics, "mean"), stdev = read_number(statistics, "stdev");
	char rounded[UNIT_TEXT_SIZE], spread[UNIT_TEXT_SIZE], ratio[UNIT_TEXT_SIZE], least[UNIT_TEXT_SIZE],
		most[UNIT_TEXT_SIZE];

	if (isnan(stdev)) {
		put_row(page, string(statistics, "goal"), "too few searches have a Conditional Throughput");
		return;
	}
	put_row(page, string(statistics, "goal"), "mean %s, stdev %s (%s), from %s to %s", format_si(mean, "fps", rounded),
		format_si(stdev, "fps", spread), format_percent(stdev / mean, ratio),
		format_si(read_number(statistics, "min"), "fps", least),
		format_si(read_number(statistics, "max"), "fps", most));
	fprintf(page->stream, "  %-*s", LABEL_COLUMNS, "  each");
	for (size_t i = 0; i < json_array_size(runs); i++) {
		const json_t *results = json_object_get(json_array_get(runs, i), "search_result");
		double fps = read_number(json_array_get(results, goal), "conditional_throughput");

		fprintf(page->stream, "%s%s", i ? ", " : "", isnan(fps) ? "none" : format_si(fps, "fps", rounded));
	}
	fputc('\n', page->stream);
}

static void put_repeats(const struct page *page, const json_t *repeats)
{
	const json_t *statistics = json_object_get(repeats, "statistics"), *runs = json_object_get(repeats, "runs");

	if (!json_is_object(repeats))
		return;
	put_heading(page, "Conditional Throughput over repeated searches");
	for (size_t goal = 0; goal < json_array_size(statistics); goal++)
		put_statistics(page, goal, json_array_get(statistics, goal), runs);
	put_row(page, "Searches", "%.0f of %.0f; above is the median one, number %.0f", read_number(repeats, "count"),
		read_number(repeats, "asked"), read_number(repeats, "median_run"));
}

/* --- the course of a search ----------------------------------------------------------------------------------------- */

static const char *bound(const json_t *decision, const char *name, char buffer[UNIT_TEXT_SIZE])
{
	double fps = read_number(decision, name);

	return isnan(fps) ? "-" : format_si(fps, "fps", buffer);
}

static void put_course_trial(const struct page *page, size_t index, const json_t *trial)
{
	const json_t *decision = json_object_get(trial, "decision");
	char load[UNIT_TEXT_SIZE], loss[UNIT_TEXT_SIZE], lower[UNIT_TEXT_SIZE], upper[UNIT_TEXT_SIZE];

	fprintf(page->stream, "%6zu%*s%8.3g s%*s  %-10s%*s ..%*s  %s", index, CELL_COLUMNS,
		format_si(read_number(trial, "trial_load"), "fps", load), read_number(trial, "trial_duration"), CELL_COLUMNS,
		format_percent(read_number(trial, "trial_loss_ratio"), loss), string(decision, "goal"), CELL_COLUMNS,
		bound(decision, "lower_bound", lower), CELL_COLUMNS, bound(decision, "upper_bound", upper),
		string(decision, "rule"));
	if (!isnan(read_number(decision, "exceed_probability")))
		fprintf(page->stream, " (exceeds with p = %.2f, %.0f trials to go)",
			read_number(decision, "exceed_probability"), read_number(decision, "trials_ahead"));
	if (!isnan(read_number(decision, "asked_load")))
		fprintf(page->stream, " (asked for %s, %g s)", format_si(read_number(decision, "asked_load"), "fps", load),
			read_number(decision, "asked_duration"));
	fputs(truth(trial, "tester_limited") ? " (tester-limited)\n" : "\n", page->stream);
}

/* Every trial: what was asked, what came back, and what was known when it was chosen. */
static void put_course(const struct page *page, const json_t *trials)
{
	put_heading(page, "Course of the search");
	fprintf(page->stream, "%6s%*s%10s%*s  %-10s%*s   %*s  %s\n", "trial", CELL_COLUMNS, "load", "duration", CELL_COLUMNS,
		"loss ratio", "goal", CELL_COLUMNS, "between", CELL_COLUMNS, "and", "why");
	for (size_t i = 0; i < json_array_size(trials); i++)
		put_course_trial(page, i + 1, json_array_get(trials, i));
}

/* --- a trial -------------------------------------------------------------------------------------------------------- */

static void put_counts(const struct page *page, const json_t *counts)
{
	static const struct column frames[] = { { "intended", "intended" },
						{ "sent", "sent" },
						{ "received", "received" },
						{ "lost", "lost" },
						{ "unsent", "unsent" } };
	static const struct column oddities[] = { { "duplicate", "duplicate" },
						  { "reordered", "reordered" },
						  { "late", "late" },
						  { "foreign", "foreign" },
						  { "malformed", "malformed" } };
	static const struct column broken[] = { { "wrong length", "wrong_length" }, { "damaged", "damaged" } };

	put_heading(page, "Frames");
	put_columns(page, counts, frames, COUNT(frames), 1, 0);
	put_columns(page, counts, oddities, COUNT(oddities), 1, 0);
	if (read_number(counts, "wrong_length") > 0 || read_number(counts, "damaged") > 0)
		put_columns(page, counts, broken, COUNT(broken), 1, 0);
}

static void put_order(const struct page *page, const json_t *order)
{
	if (read_number(order, "reorder_depth_max") > 0)
		put_row(page, "Reordering", "depth mean %.1f, max %.0f frames of a flow",
			read_number(order, "reorder_depth_mean"), read_number(order, "reorder_depth_max"));
	if (read_number(order, "gaps") > 0)
		put_row(page, "Gaps in a flow", "%.0f, of %.0f frames; the longest of %.0f", read_number(order, "gaps"),
			read_number(order, "gap_frames"), read_number(order, "gap_max_frames"));
}

static void put_attribution(const struct page *page, const json_t *trial)
{
	static const struct column fates[] = { { "unsent", "unsent" },
					       { "dropped_before_wire", "before wire" },
					       { "receiver_missed", "at receiver" },
					       { "sut", "in the SUT" } };
	const json_t *counts = json_object_get(trial, "counts");

	if (read_number(counts, "lost") == 0 && read_number(counts, "unsent") == 0)
		return;
	put_heading(page, "Where the missing frames went");
	put_columns(page, json_object_get(trial, "loss_attribution"), fates, COUNT(fates), 1, 0);
}

/* What there is to say against these numbers: how wrong, and how much of them the tester's own. */
static void put_latency_limits(const struct page *page, const json_t *latency)
{
	double bound_ns = read_number(latency, "error_bound_ns"), floor_ns = read_number(latency, "floor_p50_ns");
	char bound[UNIT_TEXT_SIZE], p50[UNIT_TEXT_SIZE], p99[UNIT_TEXT_SIZE];

	if (!isnan(bound_ns))
		fprintf(page->stream, "  wrong by at most %s\n", microseconds(bound_ns, bound));
	if (!isnan(floor_ns))
		fprintf(page->stream, "  of it the tester's own floor: p50 %s, p99 %s (%s)\n", microseconds(floor_ns, p50),
			microseconds(read_number(latency, "floor_p99_ns"), p99), read_text(latency, "floor_source"));
}

static void put_latency(const struct page *page, const json_t *document)
{
	const json_t *latency = json_object_get(document, "latency");
	char heading[64];
	static const struct column quantiles[] = { { "min_ns", "min" },       { "mean_ns", "mean" }, { "p50_ns", "p50" },
						   { "p90_ns", "p90" },       { "p99_ns", "p99" },   { "p99_9_ns", "p99.9" },
						   { "p99_99_ns", "p99.99" }, { "max_ns", "max" } };

	if (!json_is_object(latency)) {
		put_heading(page, "Latency");
		fprintf(page->stream, "  not measured%s\n",
			strcmp(read_text(json_object_get(document, "configuration"), "no-latency"), "true") == 0
				? " (--no-latency)"
				: "");
		return;
	}
	snprintf(heading, sizeof(heading), "Latency in us, of %.0f frames", read_number(latency, "count"));
	put_heading(page, isnan(read_number(latency, "count")) ? "Latency in us" : heading);
	put_columns(page, latency, quantiles, COUNT(quantiles), NS_PER_US, 3);
	fprintf(page->stream, "  %s;\n  clock: %s\n", string(latency, "definition"), string(latency, "clock"));
	put_latency_limits(page, latency);
}

static void put_pacing(const struct page *page, const json_t *document)
{
	const json_t *pacing = json_object_get(document, "pacing");
	bool unpaced = strcmp(read_text(json_object_get(document, "configuration"), "load"), "max") == 0;
	char p50[UNIT_TEXT_SIZE], p99[UNIT_TEXT_SIZE], max[UNIT_TEXT_SIZE];
	double burst = read_number(pacing, "burst_max");

	if (!json_is_object(pacing))
		return;
	put_heading(page, "Pacing");
	if (unpaced)
		put_row(page, "Load", "achieved %.1f fps, as fast as the transmitter could: not paced",
			read_number(pacing, "achieved_fps"));
	else
		put_row(page, "Load", "achieved %.1f fps, %+.1f ppm off", read_number(pacing, "achieved_fps"),
			read_number(pacing, "error_ppm"));
	put_row(page, "Gaps between frames", "p50 %s, p99 %s, max %s", microseconds(read_number(pacing, "gap_p50_ns"), p50),
		microseconds(read_number(pacing, "gap_p99_ns"), p99), microseconds(read_number(pacing, "gap_max_ns"), max));
	if (!isnan(burst))
		put_row(page, "Longest burst", "%.0f frame%s", burst,
			burst == 1 ? ""
			: unpaced  ? "s"
				   : "s, where a queue was held up");
}

/* What a port sent and received beside the load. */
static void put_port_beside(const struct page *page, const json_t *port)
{
	double extra = read_number(port, "extra_sent"), extra_received = read_number(port, "extra_received");
	double queries = read_number(port, "queries_sent");

	if (extra > 0 || extra_received > 0)
		put_row(page, "", "broadcast frames beside the load: sent %.0f, received %.0f", extra, extra_received);
	if (queries > 0)
		put_row(page, "", "management queries: sent %.0f, answered %.0f", queries,
			read_number(port, "queries_answered"));
}

static void put_port(const struct page *page, const json_t *port)
{
	const json_t *counts = json_object_get(port, "counts");

	put_row(page, string(port, "name"),
		"sent %.0f of %.0f, received %.0f, foreign %.0f; dropped by the interface: %.0f out, %.0f in",
		read_number(counts, "sent"), read_number(counts, "intended"), read_number(counts, "received"),
		read_number(counts, "foreign"), read_number(port, "nic_tx_dropped"), read_number(port, "nic_rx_missed"));
	put_port_beside(page, port);
}

static void put_trial(const struct page *page, const json_t *document)
{
	const json_t *trial = json_object_get(document, "trial_result");
	const json_t *ports = json_object_get(document, "ports");
	char load[UNIT_TEXT_SIZE], loss[UNIT_TEXT_SIZE];

	put_styled(page, BOLD, "Trial");
	if (!json_is_object(trial)) {
		fprintf(page->stream, ": %s, nothing was measured\n", string(document, "irregular_reason"));
		return;
	}
	fprintf(page->stream, " at %s per interface for %g s\n\n", format_si(read_number(trial, "trial_load"), "fps", load),
		read_number(trial, "trial_duration"));
	put_row(page, "Trial Loss Ratio", "%*s", CELL_COLUMNS, format_percent(read_number(trial, "trial_loss_ratio"), loss));
	put_load(page, "Trial Forwarding Rate", read_number(trial, "trial_forwarding_rate"), "");
	if (truth(document, "tester_limited")) {
		fprintf(page->stream, "  %-*s", LABEL_COLUMNS, "Tester limited");
		put_styled(page, BAD, string(trial, "tester_limited_reason"));
		fputc('\n', page->stream);
	}
	if (truth(trial, "negative_loss"))
		put_row(page, "Anomaly", "more frames came back than were sent: the loss ratio is taken as 0");
	put_counts(page, json_object_get(trial, "counts"));
	put_order(page, json_object_get(trial, "order"));
	put_attribution(page, trial);
	put_latency(page, document);
	put_pacing(page, document);
	if (json_array_size(ports))
		put_heading(page, "Ports");
	for (size_t i = 0; i < json_array_size(ports); i++)
		put_port(page, json_array_get(ports, i));
}

/* --- a soak --------------------------------------------------------------------------------------------------------- */

static void put_estimate(const struct page *page, const char *label, const json_t *moments)
{
	double mean = read_number(moments, "mean"), stdev = read_number(moments, "stdev");
	char rounded[UNIT_TEXT_SIZE], spread[UNIT_TEXT_SIZE], ratio[UNIT_TEXT_SIZE];

	put_row(page, label, "%*s  %*.1f fps, stdev %s (%s)", CELL_COLUMNS, format_si(mean, "fps", rounded), CELL_COLUMNS,
		mean, format_si(stdev, "fps", spread), format_percent(stdev / mean, ratio));
}

static void put_anomalies(const struct page *page, const json_t *anomalies)
{
	if (json_array_size(anomalies) == 0)
		return;
	fprintf(page->stream, "  %-*s", LABEL_COLUMNS, "Anomalies");
	put_styled(page, BAD, "trials that both functions find impossible:");
	for (size_t i = 0; i < json_array_size(anomalies); i++)
		fprintf(page->stream, " %lld", (long long)json_integer_value(json_array_get(anomalies, i)));
	fputc('\n', page->stream);
}

static void put_soak(const struct page *page, const json_t *document)
{
	const json_t *estimates = json_object_get(document, "estimates"), *trend = json_object_get(document, "trend");
	char min[UNIT_TEXT_SIZE], max[UNIT_TEXT_SIZE];

	put_styled(page, BOLD, "PLRsearch");
	fprintf(page->stream, " between %s and %s per interface: %zu trials in %.1f s%s%s\n\n",
		format_si(read_number(document, "min_load"), "fps", min),
		format_si(read_number(document, "max_load"), "fps", max),
		json_array_size(json_object_get(document, "trials")), read_number(document, "soak_duration"),
		string(document, "irregular_reason") ? ", IRREGULAR: " : "",
		string(document, "irregular_reason") ? string(document, "irregular_reason") : "");
	put_row(page, "Target loss ratio", "%*g", CELL_COLUMNS, read_number(document, "target_loss_ratio"));
	put_estimate(page, "Critical load", json_object_get(document, "critical_load"));
	for (size_t i = 0; i < json_array_size(estimates); i++) {
		char label[32];

		snprintf(label, sizeof(label), "  by %s", string(json_array_get(estimates, i), "fitting"));
		put_estimate(page, label, json_array_get(estimates, i));
	}
	put_anomalies(page, json_object_get(document, "anomalies"));
	if (json_is_object(trend))
		put_row(page, "Trend", "%+.3g fps a second (p = %.2g): the system changed while it was measured",
			read_number(trend, "slope_fps_per_s"), read_number(trend, "p_value"));
}

/* --- all ----------------------------------------------------------------------------------------------------------- */

static void put_measurer(const struct page *page, const json_t *measurer)
{
	const char *model = string(measurer, "model"), *command = string(measurer, "command");
	const char *detail = model ? model : command ? command : "";

	put_row(page, "Measurer", "%s%s%s", string(measurer, "name"), *detail ? ": " : "", detail);
}

static const char *quantity(double value, const char *unit, char buffer[UNIT_TEXT_SIZE])
{
	if (isnan(value))
		return "none";
	if (strcmp(unit, "fps") == 0)
		return format_si(value, unit, buffer);
	if (strcmp(unit, "ratio") == 0)
		return format_percent(value, buffer);
	if (strcmp(unit, "ns") == 0)
		return microseconds(value, buffer);
	snprintf(buffer, UNIT_TEXT_SIZE, "%.0f %s", value, unit);
	return buffer;
}

static void put_requirements(const struct page *page, const json_t *requirements)
{
	char value[UNIT_TEXT_SIZE];

	if (json_array_size(requirements) == 0)
		return;
	put_heading(page, "Requirements");
	for (size_t i = 0; i < json_array_size(requirements); i++) {
		const json_t *requirement = json_array_get(requirements, i);
		bool met = truth(requirement, "met");

		fputs("  ", page->stream);
		put_styled(page, met ? GOOD : BAD, met ? "met    " : "NOT MET");
		fprintf(page->stream, " %-*s measured %s\n", LABEL_COLUMNS, string(requirement, "requirement"),
			quantity(read_number(requirement, "measured"), string(requirement, "unit"), value));
	}
}

static void put_sentences(const struct page *page, const char *heading, const json_t *sentences)
{
	if (json_array_size(sentences) == 0)
		return;
	put_heading(page, heading);
	for (size_t i = 0; i < json_array_size(sentences); i++)
		fprintf(page->stream, "  - %s\n", json_string_value(json_array_get(sentences, i)));
}

static void put_setting(const struct page *page, const json_t *document)
{
	const json_t *environment = json_object_get(document, "environment");
	const json_t *deviations = json_object_get(document, "deviations");

	put_heading(page, "Setting");
	if (string(document, "max_load_source"))
		put_row(page, "Max Load", "from the %s", string(document, "max_load_source"));
	put_measurer(page, json_object_get(document, "measurer"));
	render_setting(page->stream, document);
	put_row(page, "Loads", "per interface; times %g for the sum over the transmitting interfaces",
		read_number(document, "aggregate_factor"));
	put_row(page, "Tester", "xdp-mlr %s, Linux %s on %s", string(environment, "version"), string(environment, "kernel"),
		string(environment, "hostname"));
	put_sentences(page, "Notes", json_object_get(document, "notes"));
	put_sentences(page, "Warnings", json_object_get(document, "warnings"));
	put_sentences(page, "Deviations from RFC 2544", deviations);
}

static void put_document(const struct page *page, const json_t *document)
{
	if (json_object_get(document, "frame_sizes")) {
		render_rfc2544(page->stream, document);
		return;
	}
	if (json_object_get(document, "self_tests")) {
		render_selftest(page->stream, document);
		return;
	}
	if (json_object_get(document, "controller_input"))
		put_search(page, document);
	else if (json_object_get(document, "critical_load"))
		put_soak(page, document);
	else
		put_trial(page, document);
	if (page->explain)
		put_course(page, json_object_get(document, "trials"));
	put_repeats(page, json_object_get(document, "repeats"));
	put_requirements(page, json_object_get(document, "requirements"));
	put_setting(page, document);
}

void render_text(FILE *stream, const json_t *document, struct render_style style)
{
	const json_t *profile = json_object_get(document, "traffic_profile");
	double frame_size_octets = read_number(profile, "frame_size_octets");
	struct page page = {
		.stream = stream,
		.terminal = style.terminal,
		.explain = style.explain,
		.frame_size_octets = frame_size_octets > 0 ? frame_size_octets : 0,
	};

	put_document(&page, document);
}
