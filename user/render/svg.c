/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/svg.h"

#include <math.h>
#include <string.h>

#include "render/markup.h"

#define LANE        34.0 /* width of the lane of value 0 beside a logarithmic scale */
#define TICKS_X     8.0  /* approximate number of ticks */
#define TICKS_Y     5.0
#define TICKS_MAX   64
#define CHARACTER   6.0 /* approximate width of a character in a label */
#define TICK_HEIGHT 12.0
#define LARGER      1.83 /* times that is text on a phone and on paper (style.css), where a figure is small */
#define TICK_TEXT   32
#define LOG_LEAST   1e-30 /* least value of a logarithmic scale, whose lower end must not become 0 */
#define KEY_WIDTH   22.0
#define KEY_HEIGHT  14.0

/* --- axes ----------------------------------------------------------------------------------------------------------- */

void svg_axis_none(struct svg_axis *axis)
{
	axis->min = INFINITY;
	axis->max = -INFINITY;
}

void svg_axis_cover(struct svg_axis *axis, double value)
{
	if (!isfinite(value) || (axis->scale == SVG_LOG && value < LOG_LEAST))
		return;
	axis->min = fmin(axis->min, value);
	axis->max = fmax(axis->max, value);
}

void svg_axis_cover_all(struct svg_axis *axis, const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		svg_axis_cover(axis, values[i]);
}

void svg_axis_pad(struct svg_axis *axis, double share)
{
	if (!(axis->min <= axis->max)) {
		axis->min = axis->scale == SVG_LOG ? 0.1 : 0;
		axis->max = 1;
	}
	if (axis->scale == SVG_LOG) {
		double factor = axis->min == axis->max ? 2 : pow(axis->max / axis->min, share);

		axis->min /= factor;
		axis->max *= factor;
	} else {
		double room = axis->min == axis->max ? fmax(fabs(axis->max) * 0.1, 0.5) : (axis->max - axis->min) * share;

		axis->min -= room;
		axis->max += room;
	}
}

/* 1, 2 or 5 times a power of ten: about `wanted` of them make the range. */
static double round_step(double range, double wanted)
{
	double step = pow(10, floor(log10(range / wanted))), ratio = range / wanted / step;

	return step * (ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1);
}

void svg_axis_round(struct svg_axis *axis)
{
	double step;

	if (axis->scale == SVG_LOG) {
		axis->min = pow(10, floor(log10(axis->min) + 1e-9));
		axis->max = pow(10, ceil(log10(axis->max) - 1e-9));
		return;
	}
	step = round_step(axis->max - axis->min, TICKS_Y);
	axis->min = floor(axis->min / step + 1e-9) * step;
	axis->max = ceil(axis->max / step - 1e-9) * step;
}

/* 0 at the beginning of the scale, 1 at its end. */
static double share_of(const struct svg_axis *axis, double value)
{
	if (axis->scale == SVG_LOG)
		return log(value / axis->min) / log(axis->max / axis->min);
	return (value - axis->min) / (axis->max - axis->min);
}

double svg_x(const struct svg_panel *panel, double value)
{
	double lane = panel->x.zero_lane ? LANE : 0;

	if (panel->x.zero_lane && value <= 0)
		return panel->left + LANE / 2;
	return panel->left + lane + share_of(&panel->x, value) * (panel->width - lane);
}

double svg_y(const struct svg_panel *panel, double value)
{
	double lane = panel->y.zero_lane ? LANE : 0;

	if (panel->y.zero_lane && value <= 0)
		return panel->top + panel->height - LANE / 2;
	return panel->top + (1 - share_of(&panel->y, value)) * (panel->height - lane);
}

/* --- ticks ---------------------------------------------------------------------------------------------------------- */

struct tick {
	double value;
	char text[TICK_TEXT];
};

struct ticks {
	struct tick items[TICKS_MAX];
	size_t count;
	const char *prefix; /* SI, common to all */
};

static struct tick *add_tick(struct ticks *ticks, double value)
{
	struct tick *tick;

	if (ticks->count == TICKS_MAX)
		return NULL;
	tick = &ticks->items[ticks->count++];
	tick->value = value;
	tick->text[0] = '\0';
	return tick;
}

static const struct prefix {
	const char *text;
	double factor;
} prefixes[] = { { "T", 1e12 }, { "G", 1e9 },  { "M", 1e6 },         { "k", 1e3 },
		 { "", 1 },     { "m", 1e-3 }, { "\xc2\xb5", 1e-6 }, { "n", 1e-9 } };

/* The largest prefix that the value reaches. */
static const struct prefix *prefix_of(double value)
{
	size_t i = 0;

	while (i + 1 < sizeof(prefixes) / sizeof(*prefixes) && fabs(value) < prefixes[i].factor * 0.9999)
		i++;
	return &prefixes[i];
}

static bool is_percent(const struct svg_axis *axis)
{
	return axis->unit && strcmp(axis->unit, "%") == 0;
}

static bool takes_prefix(const struct svg_axis *axis)
{
	return axis->unit && !axis->plain && !is_percent(axis);
}

/* Ticks at multiples of a step, with as many decimals as the step needs. */
static void linear_ticks(const struct svg_axis *axis, double wanted, struct ticks *ret)
{
	const struct prefix *prefix = prefix_of(takes_prefix(axis) ? fmax(fabs(axis->max), fabs(axis->min)) : 1);
	double factor = is_percent(axis) ? 0.01 : prefix->factor, step = round_step(axis->max - axis->min, wanted);
	const int most = 1000; /* an axis has some ten */
	int decimals, count = 0;

	if (axis->whole && step < 1)
		step = 1;
	decimals = (int)fmax(0, -floor(log10(step / factor) + 1e-9));
	for (double n = ceil(axis->min / step - 1e-9); n * step <= axis->max + step * 1e-9 && count < most; n++, count++) {
		struct tick *tick = add_tick(ret, n * step);

		if (!tick)
			break;
		snprintf(tick->text, sizeof(tick->text), "%.*f", decimals, n == 0 ? 0 : n * step / factor);
	}
	ret->prefix = prefix->text;
}

/* Ticks at powers of ten, and at 2 and 5 times those where there are few; every tick has its own prefix. */
static void log_ticks(const struct svg_axis *axis, double wanted, struct ticks *ret)
{
	double decades = log10(axis->max / axis->min), every = fmax(1, ceil(decades / wanted / 1.6));
	static const double fine[] = { 1, 2, 5 };
	size_t count = decades * 3 <= wanted * 1.3 ? 3 : 1;

	for (double power = floor(log10(axis->min)); power <= log10(axis->max) + 1e-9; power++) {
		for (size_t i = 0; i < count; i++) {
			double value = pow(10, power) * fine[i];
			const struct prefix *prefix = prefix_of(takes_prefix(axis) ? value : 1);
			struct tick *tick;

			if (value < axis->min * 0.9999 || value > axis->max * 1.0001 || fmod(power, every) != 0)
				continue;
			tick = add_tick(ret, value);
			if (!tick)
				return;
			snprintf(tick->text, sizeof(tick->text), "%g%s%s",
				 is_percent(axis) ? value * 100 : value / prefix->factor, *prefix->text ? " " : "",
				 prefix->text);
		}
	}
	ret->prefix = "";
}

static void given_ticks(const struct svg_axis *axis, struct ticks *ret)
{
	for (size_t i = 0; i < axis->tick_count; i++) {
		bool outside = axis->ticks[i] < axis->min || axis->ticks[i] > axis->max;
		struct tick *tick = outside ? NULL : add_tick(ret, axis->ticks[i]);

		if (tick && axis->tick_names)
			snprintf(tick->text, sizeof(tick->text), "%s", axis->tick_names[i]);
		else if (tick)
			snprintf(tick->text, sizeof(tick->text), "%g", axis->ticks[i]);
	}
	ret->prefix = "";
}

static void find_ticks(const struct svg_axis *axis, double wanted, struct ticks *ret)
{
	*ret = (struct ticks){ .count = 0, .prefix = "" };
	if (axis->tick_count)
		given_ticks(axis, ret);
	else if (axis->scale == SVG_LOG && axis->max / axis->min > 4)
		log_ticks(axis, wanted, ret);
	else
		linear_ticks(axis, wanted, ret);
}

/* --- drawing axes --------------------------------------------------------------------------------------------------- */

static void put_text(FILE *stream, const char *style, double x, double y, const char *text)
{
	fprintf(stream, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", style, x, y);
	markup_escape(stream, text);
	fputs("</text>", stream);
}

static void put_axis_title(FILE *stream, const struct svg_axis *axis, const char *prefix)
{
	markup_escape(stream, axis->title);
	if (axis->unit) {
		fprintf(stream, " (%s", prefix);
		markup_escape(stream, axis->unit);
		fputc(')', stream);
	}
	fputs("</text>\n", stream);
}

/* The label that stands last: where its middle is, and how far it reaches. */
struct label {
	double at, half;
};

#define NO_LABEL ((struct label){ -INFINITY, 0 })

/* Whether one has room beside the last one, which it then is. */
static bool take_room(struct label *last, double at, double half)
{
	if (fabs(at - last->at) < last->half + half)
		return false;
	*last = (struct label){ at, half };
	return true;
}

/* The label of a tick, where it has room; of class "more", where it has room only while text is small. `last` is of either. */
static void put_label(FILE *stream, const char *style, double x, double y, const char *text, struct label last[2],
		      struct label label)
{
	char narrow[TICK_TEXT];

	if (!take_room(&last[0], label.at, label.half))
		return;
	snprintf(narrow, sizeof(narrow), "%s more", style);
	put_text(stream, take_room(&last[1], label.at, label.half * LARGER) ? style : narrow, x, y, text);
}

static void put_x_axis(FILE *stream, const struct svg_panel *panel)
{
	struct label last[] = { NO_LABEL, NO_LABEL };
	double bottom = panel->top + panel->height;
	struct ticks ticks;

	find_ticks(&panel->x, TICKS_X, &ticks);
	for (size_t i = 0; i < ticks.count; i++) {
		double x = svg_x(panel, ticks.items[i].value);
		double half = CHARACTER * ((double)strlen(ticks.items[i].text) + 1) / 2;

		fprintf(stream, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, panel->top, bottom);
		x = fmin(x, SVG_WIDTH - half * LARGER);
		if (!panel->hide_x)
			put_label(stream, "tick mid", x, bottom + 20, ticks.items[i].text, last, (struct label){ x, half });
	}
	if (panel->hide_x)
		return;
	if (panel->x.zero_lane)
		put_text(stream, "tick mid", panel->left + LANE / 2, bottom + 20, "0");
	fprintf(stream, "<text class=\"axis mid\" x=\"%.1f\" y=\"%.1f\">", panel->left + panel->width / 2, bottom + 46);
	put_axis_title(stream, &panel->x, ticks.prefix);
}

static void put_y_axis(FILE *stream, const struct svg_panel *panel)
{
	struct label zero = { panel->top + panel->height - LANE / 2, TICK_HEIGHT / 2 };
	struct label last[] = { NO_LABEL, NO_LABEL };
	struct ticks ticks;

	if (panel->y.zero_lane)
		last[1] = (struct label){ zero.at, zero.half * LARGER };
	find_ticks(&panel->y, panel->height / 48, &ticks);
	for (size_t i = 0; i < ticks.count; i++) {
		double y = svg_y(panel, ticks.items[i].value);

		fprintf(stream, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", panel->left, y, panel->left + panel->width);
		put_label(stream, "tick end", panel->left - 8, y + 5, ticks.items[i].text, last,
			  (struct label){ y, TICK_HEIGHT / 2 });
	}
	if (panel->y.zero_lane) {
		double y = panel->top + panel->height - LANE;

		fprintf(stream, "<path class=\"frame\" d=\"M%.1f %.1fH%.1f\"/>", panel->left, y, panel->left + panel->width);
		put_text(stream, "tick end", panel->left - 8, zero.at + 5, "0");
	}
	fprintf(stream, "<text class=\"axis\" x=\"2\" y=\"%.1f\">", panel->top - 14);
	put_axis_title(stream, &panel->y, ticks.prefix);
}

void svg_axes(FILE *stream, const struct svg_panel *panel)
{
	put_y_axis(stream, panel);
	put_x_axis(stream, panel);
	fprintf(stream, "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", panel->left,
		panel->top, panel->width, panel->height);
}

/* --- the figure ----------------------------------------------------------------------------------------------------- */

static const char *const mark_names[SVG_MARKS] = {
	[SVG_GOOD] = "good",   [SVG_BAD] = "bad",     [SVG_WARMUP] = "warmup",   [SVG_OTHER] = "other",
	[SVG_ABOVE] = "above", [SVG_BELOW] = "below", [SVG_LIMITED] = "limited",
};

void svg_put_marks(FILE *stream)
{
	static const char *const shapes[SVG_MARKS] = {
		[SVG_GOOD] = "<circle r=\"4.2\"/>",
		[SVG_BAD] = "<path d=\"M-4 -4L4 4M-4 4L4 -4\"/>",
		[SVG_WARMUP] = "<path d=\"M0 -5L5 0L0 5L-5 0Z\"/>",
		[SVG_OTHER] = "<rect x=\"-3.6\" y=\"-3.6\" width=\"7.2\" height=\"7.2\"/>",
		[SVG_ABOVE] = "<path d=\"M-4.5 3L0 -4.5L4.5 3Z\"/>",
		[SVG_BELOW] = "<path d=\"M-4.5 -3L0 4.5L4.5 -3Z\"/>",
		[SVG_LIMITED] = "<path d=\"M4.2 0A4.2 4.2 0 1 1 -4.2 0A4.2 4.2 0 1 1 4.2 0ZM-4.2 0H4.2\"/>",
	};

	fputs("<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\" focusable=\"false\"><defs>", stream);
	for (int i = 0; i < SVG_MARKS; i++)
		fprintf(stream, "<g id=\"mark-%s\"><g class=\"glyph\">%s</g></g>", mark_names[i], shapes[i]);
	fputs("</defs></svg>\n", stream);
}

void svg_open(FILE *stream, const char *id, const char *title, const char *description, double height)
{
	fprintf(stream,
		"<svg id=\"%s\" class=\"figure\" viewBox=\"0 0 %g %g\" role=\"img\" aria-labelledby=\"%s-title %s-desc\">\n"
		"<title id=\"%s-title\">",
		id, SVG_WIDTH, height, id, id, id);
	markup_escape(stream, title);
	fprintf(stream, "</title><desc id=\"%s-desc\">", id);
	markup_escape(stream, description);
	fputs("</desc>\n", stream);
}

void svg_close(FILE *stream)
{
	fputs("</svg>\n", stream);
}

static void put_key(FILE *stream, const struct svg_key *key)
{
	fprintf(stream, "<span><svg class=\"key\" viewBox=\"0 0 %g %g\" aria-hidden=\"true\">", KEY_WIDTH, KEY_HEIGHT);
	switch (key->kind) {
	case SVG_KEY_MARK:
		svg_mark(stream, KEY_WIDTH / 2, KEY_HEIGHT / 2, key->mark, key->style, NULL);
		break;
	case SVG_KEY_LINE:
		fprintf(stream, "<path class=\"line %s\" d=\"M0 %gh%g\"/>", key->style, KEY_HEIGHT / 2, KEY_WIDTH);
		break;
	case SVG_KEY_BAND:
		fprintf(stream, "<rect class=\"band %s\" y=\"1.5\" width=\"%g\" height=\"11\"/>", key->style, KEY_WIDTH);
		break;
	}
	fputs("</svg>", stream);
	markup_escape(stream, key->text);
	fputs("</span>", stream);
}

void svg_legend(FILE *stream, const struct svg_key *keys, size_t count)
{
	if (!count)
		return;
	fputs("<p class=\"legend\">", stream);
	for (size_t i = 0; i < count; i++)
		put_key(stream, &keys[i]);
	fputs("</p>\n", stream);
}

void svg_mark(FILE *stream, double x, double y, enum svg_mark mark, const char *style, const char *hint)
{
	fprintf(stream, "<use href=\"#mark-%s\" class=\"mark %s\" x=\"%.1f\" y=\"%.1f\"", mark_names[mark], style, x, y);
	if (!hint) {
		fputs("/>", stream);
		return;
	}
	fputs("><title>", stream);
	markup_escape(stream, hint);
	fputs("</title></use>\n", stream);
}

/* --- lines ---------------------------------------------------------------------------------------------------------- */

static double within(double value, double low, double high)
{
	return fmin(fmax(value, low), high);
}

/* A point of a line; lines end at the panel's edge. */
static void put_point(FILE *stream, const struct svg_panel *panel, char command, double x, double y)
{
	fprintf(stream, "%c%.1f %.1f", command, within(svg_x(panel, x), panel->left, panel->left + panel->width),
		within(svg_y(panel, y), panel->top, panel->top + panel->height));
}

void svg_line(FILE *stream, const struct svg_panel *panel, const char *style, const double *x, const double *y, size_t count)
{
	char command = 'M';

	fprintf(stream, "<path class=\"line %s\" d=\"", style);
	for (size_t i = 0; i < count; i++) {
		if (isnan(x[i]) || isnan(y[i])) {
			command = 'M';
			continue;
		}
		put_point(stream, panel, command, x[i], y[i]);
		command = 'L';
	}
	fputs("\"/>\n", stream);
}

void svg_band(FILE *stream, const struct svg_panel *panel, const char *style, const double *x, const double *low,
	      const double *high, size_t count)
{
	fprintf(stream, "<path class=\"band %s\" d=\"", style);
	for (size_t i = 0; i < count; i++)
		put_point(stream, panel, i ? 'L' : 'M', x[i], high[i]);
	for (size_t i = count; i-- > 0;)
		put_point(stream, panel, 'L', x[i], low[i]);
	fputs("Z\"/>\n", stream);
}

void svg_level(FILE *stream, const struct svg_panel *panel, const char *style, double y, const char *text)
{
	double at = svg_y(panel, y);

	fprintf(stream, "<path class=\"line %s\" d=\"M%.1f %.1fH%.1f\"/>", style, panel->left, at,
		panel->left + panel->width);
	put_text(stream, "note end", panel->left + panel->width - 6, at - 5, text);
}

void svg_upright(FILE *stream, const struct svg_panel *panel, const char *style, double x)
{
	double at = svg_x(panel, x);

	fprintf(stream, "<path class=\"line %s\" d=\"M%.1f %.1fV%.1f\"/>", style, at, panel->top,
		panel->top + panel->height);
}
