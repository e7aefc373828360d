/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json_value.h"
#include "benchmark/y1564.h"

#define PERFORMANCE_S 900 /* 8.2.2: 15 min, 2 h or 24 h */

static void add_deviations(const struct y1564 *suite, json_t *sentences)
{
	const struct config *config = suite->common.config;

	if (config->tests >> Y1564_PERFORMANCE & 1 && config->duration_s < PERFORMANCE_S)
		append_sentence(sentences, "ITU-T Y.1564 8.2: a performance test of 15 min, 2 h or 24 h; here of %g s.",
				config->duration_s);
	if (!(config->tests >> Y1564_CONFIGURATION & 1))
		append_sentence(sentences, "ITU-T Y.1564 8.1: the service configuration test was not asked for.");
	if (!(config->tests >> Y1564_PERFORMANCE & 1))
		append_sentence(sentences, "ITU-T Y.1564 8.2: the service performance test was not asked for.");
}

/* A test of any service that has no verdict leaves the whole without one, unless another failed. */
static json_t *passed_json(const struct y1564 *suite)
{
	if (suite->failed)
		return json_false();
	return suite->common.end_reason || suite->undecided ? json_null() : json_true();
}

json_t *report_y1564(const struct y1564 *suite)
{
	const struct suite *common = &suite->common;
	const char *reason;
	json_t *document;

	if (!common->setting)
		return NULL;
	add_deviations(suite, json_object_get(common->setting, "deviations"));
	reason = common->end_reason
			 ?: suite->undecided ? "the tester itself was the limit where a service would have been decided on"
					     : NULL;
	document = json_with("schema", "xdp-mlr/y1564/1", "passed", passed_json(suite), "regular", json_boolean(!reason),
			     "irregular_reason", reason, "tester_limited", common->tester_limited, "suite_duration",
			     common->duration_s, "services", json_incref(suite->services), "performance",
			     json_incref(suite->performance) ?: json_null(), "load_scope", "interface", "aggregate_factor",
			     common->transmitters);
	if (document)
		json_object_update(document, common->setting);
	return document;
}
