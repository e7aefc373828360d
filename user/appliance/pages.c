/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/http.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "appliance/runner.h"
#include "base/exit_code.h"
#include "base/json_read.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "render/markup.h"

#define REFRESH_S      2  /* refresh period of the page of a run */
#define INDEX_S        10 /* refresh period of the list of results */
#define VIEW_LOG_LINES 12
#define BAR_COLUMNS    1000.0

/* What the report has no need of. */
static const char own_style[] =
	".strip{font:15px/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,\"Liberation Mono\",\"DejaVu Sans "
	"Mono\",monospace;letter-spacing:.12em;overflow-wrap:anywhere;max-width:none;background:var(--card);border:1px "
	"solid var(--rule);border-radius:10px;padding:12px 18px}.strip .g{color:var(--good)}.strip "
	".b{color:var(--bad);font-weight:700}.strip .w{color:var(--soft)}.strip "
	".t{color:var(--warn);font-weight:700}svg.bar{display:block;width:100%;height:14px;margin:12px 0 "
	"4px;border-radius:4px}svg.bar .pass{fill:var(--good)}svg.bar .open{fill:var(--rule)}svg.bar "
	".fail{fill:var(--bad)}.bounds{font-size:1.5rem;font-weight:660;letter-spacing:-.015em;line-height:1.2;margin:4px 0 "
	"0}nav{margin:16px 0 0;font-size:.92rem}nav "
	"a{margin-right:20px}.scale{display:flex;justify-content:space-between;color:var(--soft);font-size:.78rem;margin:0}"
	"\n";

/* --- elements --------------------------------------------------------------------------------------------------------- */

static void put(FILE *stream, const char *open, const char *text, const char *close)
{
	fprintf(stream, "<%s>", open);
	markup_escape(stream, text);
	fprintf(stream, "</%s>", close);
}

static void put_fact(FILE *stream, const char *label, const char *value)
{
	put(stream, "dt", label, "dt");
	put(stream, "dd", value, "dd");
	fputc('\n', stream);
}

static const char *banner_of(const struct appliance *appliance)
{
	switch (appliance->phase) {
	case PHASE_WRONG:
		return "p class=\"banner bad\"";
	case PHASE_CLEANING:
	case PHASE_BACKING_OFF:
		return "p class=\"banner warn\"";
	case PHASE_DONE:
		return "p class=\"banner good\"";
	default:
		return "p class=\"banner plain\"";
	}
}

static void put_head(FILE *stream, const struct appliance *appliance, const char *title, unsigned int refresh_s)
{
	fprintf(stream,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n<meta http-equiv=\"refresh\" content=\"%u\">\n",
		refresh_s);
	put(stream, "title", title, "title");
	fprintf(stream, "\n<style>\n%s%s</style>\n</head>\n<body>\n<main>\n<header><p class=\"brand\">xdp-mlr appliance</p>",
		html_style, own_style);
	put(stream, "h1", title, "h1");
	fputs("<nav><a href=\"/\">Results</a><a href=\"/live\">Live</a><a href=\"/log\">Log</a><a "
	      "href=\"/metrics\">Metrics</a></nav></header>\n",
	      stream);
	put(stream, banner_of(appliance), appliance_status(appliance, ROOM(APPLIANCE_STATUS_SIZE)), "p");
	if (appliance->phase == PHASE_WRONG)
		put(stream, "p class=\"banner bad\"", appliance->error, "p");
	fputc('\n', stream);
}

static void put_foot(FILE *stream, unsigned int refresh_s)
{
	fprintf(stream,
		"<footer>As of %s, renewed every %u s by itself. xdp-mlr " XDP_MLR_VERSION
		"; read-only: nothing can be changed here.</footer>\n</main>\n</body>\n</html>\n",
		format_utc(time(NULL), UNIT_ROOM), refresh_s);
}

/* --- results ----------------------------------------------------------------------------------------------------------- */

static const char *row_of(const struct result *result)
{
	if (!result->has_document)
		return "tr class=\"bad\"";
	return result->exit_code == 0 ? "tr class=\"good\"" : "tr class=\"warn\"";
}

static void put_links(FILE *stream, const struct result *result)
{
	if (result->has_document)
		fprintf(stream,
			"<td><a href=\"/results/%u.html\">report</a> &middot; <a href=\"/results/%u.json\">JSON</a></td>",
			result->number, result->number);
	else
		fputs("<td></td>", stream);
}

static void put_result(FILE *stream, const struct result *result)
{
	const char *name =
		TEXT_OF(2 * SETTINGS_VALUE_SIZE + 4, "%s%s%s", result->run, *result->run ? ": " : "", result->verb);

	fprintf(stream, "<%s><td class=\"n\">%u</td>", row_of(result), result->number);
	put(stream, "td", name, "td");
	put(stream, "td", format_utc(result->started, UNIT_ROOM), "td");
	put(stream, "td class=\"n\"", format_clock(difftime(result->ended, result->started), UNIT_ROOM), "td");
	put(stream, "td", result->summary, "td");
	fprintf(stream, "<td class=\"n\">%d</td>", result->exit_code);
	put_links(stream, result);
	put(stream, "td", result->fetched ? "yes" : "", "td");
	fputs("</tr>\n", stream);
}

static void put_deleted(FILE *stream, const struct results *store)
{
	char sentence[200];

	if (!store->deleted)
		return;
	snprintf(sentence, sizeof(sentence),
		 "%u results were deleted, %u of them before anybody had fetched them: all may take %s of memory.",
		 store->deleted, store->deleted_unfetched, format_si(store->keep_octets, "octets", UNIT_ROOM));
	put(stream, store->deleted_unfetched ? "p class=\"banner warn\"" : "p class=\"banner plain\"", sentence, "p");
}

static void put_results(FILE *stream, const struct results *store)
{
	put(stream, "h2 id=\"results\"", "Results", "h2");
	put_deleted(stream, store);
	if (!store->count) {
		fputs("<p>There are none yet.</p>\n", stream);
		return;
	}
	fputs("<div class=\"sheet\"><table id=\"result-table\"><thead><tr><th "
	      "class=\"n\">No.</th><th>Run</th><th>Started</th><th class=\"n\">Took</th><th>Result</th><th class=\"n\">Exit "
	      "code</th><th>Documents</th><th>Fetched</th></tr></thead><tbody>\n",
	      stream);
	for (size_t i = store->count; i-- > 0;)
		put_result(stream, &store->results[i]);
	fputs("</tbody></table></div>\n", stream);
}

static void put_ports(FILE *stream, const json_t *ports)
{
	if (!json_array_size(ports))
		return;
	put(stream, "h2 id=\"ports\"", "Ports", "h2");
	fputs("<div class=\"sheet\"><table><thead><tr><th>Port</th><th>Driver</th><th>Link</th><th "
	      "class=\"n\">Speed</th><th>Can do</th></tr></thead><tbody>\n",
	      stream);
	json_each (port, ports) {
		double link_bps = read_number(port, "link_bps");
		char speed[UNIT_TEXT_SIZE] = "";

		fputs("<tr>", stream);
		put(stream, "td", read_text(port, "name"), "td");
		put(stream, "td", read_text(port, "driver"), "td");
		put(stream, "td", read_truth(port, "carrier") ? "up" : "no link", "td");
		put(stream, "td class=\"n\"", isnan(link_bps) ? "" : format_si(link_bps, "bit/s", speed), "td");
		put(stream, "td", appliance_port_verdict(port), "td");
		fputs("</tr>\n", stream);
	}
	fputs("</tbody></table></div>\n", stream);
}

void page_index(FILE *stream, const struct appliance *appliance)
{
	put_head(stream, appliance, "Tester", INDEX_S);
	put_results(stream, &appliance->store);
	put_ports(stream, json_object_get(appliance->probe, "ports"));
	put_foot(stream, INDEX_S);
}

/* --- the page of a run -------------------------------------------------------------------------------------------- */

static void put_bar(FILE *stream, const struct view *view, const struct view_goal *goal)
{
	double lower = isnan(goal->lower_fps) ? 0 : view_place(view, goal->lower_fps) * BAR_COLUMNS;
	double upper = isnan(goal->upper_fps) ? BAR_COLUMNS : view_place(view, goal->upper_fps) * BAR_COLUMNS;

	if (!(view->max_load_fps > view->min_load_fps))
		return;
	fprintf(stream,
		"<svg class=\"bar\" viewBox=\"0 0 1000 14\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"what is "
		"known of the loads\"><rect class=\"open\" width=\"1000\" height=\"14\"/><rect class=\"pass\" "
		"width=\"%.1f\" height=\"14\"/><rect class=\"fail\" x=\"%.1f\" width=\"%.1f\" height=\"14\"/></svg>",
		lower, upper, BAR_COLUMNS - upper);
	fprintf(stream, "<p class=\"scale\"><span>%s</span><span>%s</span></p>",
		format_si(view->min_load_fps, "fps", UNIT_ROOM), format_si(view->max_load_fps, "fps", UNIT_ROOM));
}

static void put_goal(FILE *stream, const struct view *view, const struct view_goal *goal)
{
	fprintf(stream, "<article class=\"card%s\"><header>", goal->done ? " good" : "");
	put(stream, "h3", goal->name, "h3");
	fprintf(stream,
		"<span class=\"state\">%s</span></header>\n<p class=\"quantity\">Relevant bounds</p><p class=\"bounds\">",
		goal->done ? "\xe2\x9c\x93 done" : "searching");
	if (isnan(goal->lower_fps) && isnan(goal->upper_fps))
		fputs("not known yet</p>", stream);
	else
		fprintf(stream, "%s .. %s</p>", view_load(goal->lower_fps, UNIT_ROOM),
			view_load(goal->upper_fps, UNIT_ROOM));
	put_bar(stream, view, goal);
	if (goal->lower_fps < goal->upper_fps)
		fprintf(stream, "<dl><dt>Width</dt><dd>%s</dd></dl>",
			format_percent((goal->upper_fps - goal->lower_fps) / goal->upper_fps, UNIT_ROOM));
	fputs("</article>\n", stream);
}

static void put_goals(FILE *stream, const struct view *view)
{
	if (!view->goal_count)
		return;
	fputs("<div class=\"cards\" id=\"goals\">\n", stream);
	for (size_t i = 0; i < view->goal_count; i++)
		put_goal(stream, view, &view->goals[i]);
	fputs("</div>\n", stream);
}

static void put_marks(FILE *stream, const struct view *view)
{
	if (!*view->marks)
		return;
	fputs("<h3>Trials</h3><p class=\"strip\">", stream);
	for (const char *mark = view->marks; *mark; mark++)
		fprintf(stream, "<span class=\"%c\">%c</span>%s",
			*mark == VIEW_GOOD     ? 'g'
			: *mark == VIEW_BAD    ? 'b'
			: *mark == VIEW_WARMUP ? 'w'
					       : 't',
			*mark, "");
	fputs("</p><p class=\"explain\">. kept the loss ratio, x did not, w warmed up, t was limited by the tester</p>\n",
	      stream);
}

static void put_trial(FILE *stream, const struct view *view)
{
	char text[256];

	if (isnan(view->duration_s))
		return;
	snprintf(text, sizeof(text), "%zu, at %s for %g s%s%s", view->trial_count + 1,
		 isnan(view->load_fps) ? "as fast as it can" : format_si(view->load_fps, "fps", UNIT_ROOM), view->duration_s,
		 *view->goal ? ", for " : "", view->goal);
	put_fact(stream, "Trial", text);
}

static void put_facts(FILE *stream, const struct appliance *appliance, const struct view *view)
{
	char text[UNIT_TEXT_SIZE];

	fputs("<h3>This run</h3><dl class=\"facts\">", stream);
	put_fact(stream, "Started", format_utc(appliance->run_started, UNIT_ROOM));
	put_fact(stream, "Elapsed", format_clock(view->elapsed_s, text));
	if (!isnan(view->remaining_s))
		put_fact(stream, "To go, about", format_clock(view->remaining_s, text));
	put_trial(stream, view);
	if (!isnan(view->estimate_fps))
		put_fact(stream, "Estimate", format_si(view->estimate_fps, "fps", text));
	if (!isnan(view->last_loss_ratio))
		put_fact(stream, "The last trial lost", format_percent(view->last_loss_ratio, text));
	if (view->sent_frames > 0) {
		snprintf(text, sizeof(text), "%.0f of %.0f", view->lost_frames, view->sent_frames);
		put_fact(stream, "Frames lost", text);
	}
	for (size_t i = 0; i < appliance->watch.test_count; i++)
		put_fact(stream, i + 1 < appliance->watch.test_count ? "Test done" : "Test", appliance->watch.tests[i]);
	fputs("</dl>\n", stream);
}

/* Write the same lines as on the consoles. */
static void put_console(FILE *stream, const struct view *view)
{
	owned char *text = view_render(view, (struct view_style){ 100, 24, false });

	if (!text)
		return;
	fputs("<h3>As the console shows it</h3><pre id=\"console\">", stream);
	markup_escape(stream, text);
	fputs("</pre>\n", stream);
}

static void put_log(FILE *stream, const struct appliance *appliance)
{
	owned char *text = TEXT_WRITTEN(lines, NULL, record_put(&appliance->record, lines, VIEW_LOG_LINES));

	if (text) {
		fputs("<h2 id=\"log\">Log</h2><pre>", stream);
		markup_escape(stream, text);
		fputs("</pre>\n", stream);
	}
}

/* Write a link to the result that came last. The page of a run that has ended leads to it. */
static void put_last_result(FILE *stream, const struct appliance *appliance)
{
	const struct results *store = &appliance->store;
	const struct result *result = store->count ? &store->results[store->count - 1] : NULL;

	if (!result || appliance_measures(appliance))
		return;
	fprintf(stream, "<h3>Result %u</h3><p>", result->number);
	markup_escape(stream, result->summary);
	if (result->has_document)
		fprintf(stream, " &middot; <a href=\"/results/%u.html\">report</a>", result->number);
	fputs("</p>\n", stream);
}

void page_view(FILE *stream, const struct appliance *appliance)
{
	struct view view = appliance_view(appliance);

	put_head(stream, appliance, *view.title ? view.title : "Live", REFRESH_S);
	put_last_result(stream, appliance);
	if (*view.title) {
		put_goals(stream, &view);
		put_marks(stream, &view);
		put_facts(stream, appliance, &view);
		put_console(stream, &view);
	}
	put_log(stream, appliance);
	put_foot(stream, REFRESH_S);
}

/* --- plain text --------------------------------------------------------------------------------------------------- */

void page_log(FILE *stream, const struct appliance *appliance)
{
	record_put(&appliance->record, stream, RECORD_LINES);
}

/* Write what the run says of itself, without its end mark: our metrics follow. */
static void put_run_metrics(FILE *stream, const struct appliance *appliance)
{
	static const char mark[] = "# EOF\n";
	owned char *text = NULL;
	const char *end;
	size_t length;

	if (file_read(keep_path(appliance, KEEP_METRICS, ROOM(FILES_PATH_SIZE)), KEEP_METRICS_MOST, &text, &length))
		return;
	end = strstr(text, mark);
	fprintf(stream, "%.*s", end ? (int)(end - text) : (int)length, text);
}

static void put_metric(FILE *stream, const char *name, const char *type, const char *help, double value)
{
	fprintf(stream, "# HELP xdp_mlr_appliance_%s %s\n# TYPE xdp_mlr_appliance_%s %s\nxdp_mlr_appliance_%s%s %s\n", name,
		help, name, type, name, strcmp(type, "counter") == 0 ? "_total" : "", format_number(value, UNIT_ROOM));
}

void page_metrics(FILE *stream, const struct appliance *appliance)
{
	const struct results *store = &appliance->store;

	put_run_metrics(stream, appliance);
	put_metric(stream, "measuring", "gauge", "Whether a run is on.", appliance_measures(appliance));
	put_metric(stream, "round", "gauge", "Rounds of the schedule that have begun.", appliance->rounds.begun);
	put_metric(stream, "results", "gauge", "Results that are kept.", (double)store->count);
	put_metric(stream, "result_octets", "gauge", "Memory that they take.", store->octets);
	put_metric(stream, "result_octets_limit", "gauge", "Memory that they may take.", store->keep_octets);
	put_metric(stream, "results_deleted", "counter", "Results deleted to make room.", store->deleted);
	put_metric(stream, "results_deleted_unfetched", "counter", "Of those, before anybody had fetched them.",
		   store->deleted_unfetched);
	put_metric(stream, "crashes", "counter", "Deaths of the program.", appliance->crashes);
	fputs("# EOF\n", stream);
}
