/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requirements on a suite, judged by a stored result: one verdict for each frame size that is meant. */
#include "../test.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/given.h"
#include "config/requirement.h"
#include "result/report.h"

#define GOLDEN "tests/golden/rfc2544-1-xdp.json"

/* The verb whose --frame-size is a list. */
#define SUITE VERB_SELFTEST

static struct given givens[8];

/* A suite's configuration with these requirements, NULL at the end. What was refused leaves *ret_code. */
static struct config configure(const char *const *texts, enum exit_code *ret_code)
{
	struct config config = { .verb = SUITE, .frame_size_text = "64,512,1518" };

	*ret_code = EXIT_DONE;
	for (size_t i = 0; texts[i] && *ret_code == EXIT_DONE; i++) {
		givens[i] = (struct given){ .option = option_find("require"), .text = (char *)texts[i] };
		*ret_code = read_requirement(&givens[i], &config);
	}
	if (*ret_code == EXIT_DONE)
		*ret_code = require_check(&config);
	for (size_t i = 0; i < config.requirement_count; i++)
		if (config.requirements[i].load.unit == LOAD_FPS)
			config.requirements[i].threshold = config.requirements[i].load.value;
	return config;
}

/* The verdicts over the golden result; a new reference. */
static json_t *judged(const char *const *texts, enum exit_code *ret_code)
{
	json_t *document = json_load_file(GOLDEN, 0, NULL), *verdicts;
	struct config config;

	assert_non_null(document);
	config = configure(texts, ret_code);
	assert_int_equal(*ret_code, EXIT_DONE);
	*ret_code = report_judge(document, &config, EXIT_DONE);
	verdicts = json_incref(json_object_get(document, "requirements"));
	json_decref(document);
	free(config.requirements);
	return verdicts;
}

static const char *figure(const json_t *verdicts, size_t i)
{
	return json_string_value(json_object_get(json_array_get(verdicts, i), "figure"));
}

static bool met(const json_t *verdicts, size_t i)
{
	return json_is_true(json_object_get(json_array_get(verdicts, i), "met"));
}

static double number(const json_t *verdicts, size_t i, const char *name)
{
	return json_number_value(json_object_get(json_array_get(verdicts, i), name));
}

static void without_a_size_every_one_is_judged(void **state)
{
	enum exit_code code;
	json_t *verdicts = judged((const char *const[]){ "throughput>=49kfps", NULL }, &code);

	(void)state;
	assert_int_equal(code, EXIT_DONE);
	assert_int_equal(json_array_size(verdicts), 3);
	assert_string_equal(figure(verdicts, 0), "throughput@64");
	assert_string_equal(figure(verdicts, 2), "throughput@1518");
	for (size_t i = 0; i < 3; i++)
		assert_true(met(verdicts, i));
	json_decref(verdicts);
}

static void one_size_that_does_not_keep_to_it_is_enough(void **state)
{
	enum exit_code code;
	/* the mean latency is 1.863, 1.868 and 2.397 us */
	json_t *verdicts = judged((const char *const[]){ "latency<=2us", NULL }, &code);

	(void)state;
	assert_int_equal(code, EXIT_UNMET);
	assert_true(met(verdicts, 0) && met(verdicts, 1) && !met(verdicts, 2));
	json_decref(verdicts);
}

static void a_size_that_is_said_is_judged_alone(void **state)
{
	enum exit_code code;
	json_t *verdicts = judged((const char *const[]){ "latency@64<=2us", "back-to-back@512>=76", NULL }, &code);

	(void)state;
	assert_int_equal(code, EXIT_UNMET);
	assert_int_equal(json_array_size(verdicts), 2);
	assert_string_equal(figure(verdicts, 0), "latency@64");
	assert_true(met(verdicts, 0) && !met(verdicts, 1));
	assert_true(number(verdicts, 1, "measured") == 75);
	json_decref(verdicts);
}

static void bits_are_other_frames_at_each_size(void **state)
{
	enum exit_code code;
	json_t *verdicts = judged((const char *const[]){ "throughput>=100Mbps-l2", NULL }, &code);

	(void)state;
	/* some 49.9 kfps are 25.5, 204 and 606 Mbit/s */
	assert_int_equal(code, EXIT_UNMET);
	assert_true(!met(verdicts, 0) && met(verdicts, 1) && met(verdicts, 2));
	assert_true(fabs(number(verdicts, 0, "required") - 100e6 / 512) < 1e-6);
	assert_true(fabs(number(verdicts, 1, "required") - 100e6 / 4096) < 1e-6);
	json_decref(verdicts);
}

static void times_in_seconds_are_judged_as_such(void **state)
{
	json_t *document = json_load_file(GOLDEN, 0, NULL);
	double reset_s = json_number_value(json_object_get(json_object_get(document, "reset"), "reset_time"));
	enum exit_code code;
	json_t *verdicts = judged((const char *const[]){ "reset<=10s", "reset<1ms", NULL }, &code);

	(void)state;
	assert_true(reset_s > 0.001 && reset_s < 10);
	assert_int_equal(code, EXIT_UNMET);
	assert_true(met(verdicts, 0) && !met(verdicts, 1));
	assert_true(fabs(number(verdicts, 0, "measured") - reset_s * 1e9) < 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(verdicts, 0), "unit")), "ns");
	json_decref(verdicts);
	json_decref(document);
}

static void what_the_suite_does_not_have_is_refused(void **state)
{
	static const char *const wrong[] = { "ndr>=5", "throughput@128>=5", "reset@64<=1s", "latency<=5fps",
					     "throughput>=1us" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		enum exit_code code;
		struct config config = configure((const char *const[]){ wrong[i], NULL }, &code);

		assert_int_equal(code, EXIT_USAGE_ERROR);
		free(config.requirements);
	}
}

/* A trial of which the PDV is known to 20 us: what is required nearer to it than that is no safe verdict. */
static void a_verdict_within_the_error_says_so(void **state)
{
	static const struct {
		const char *text;
		bool met, safe;
	} cases[] = {
		{ "pdv.p99<=110us", true, false }, { "pdv.p99<=90us", false, false },    { "pdv.p99<=130us", true, true },
		{ "pdv.p99<=70us", false, true },  { "latency.p99<=110us", true, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct given given = { .option = option_find("require"), .text = (char *)cases[i].text };
		struct config config = { .verb = VERB_TRIAL };
		json_t *document =
			json_pack("{s:{s:f, s:f, s:f}}", "latency", "p99_ns", 1e5, "pdv_p99_ns", 1e5, "pdv_error_ns", 2e4);
		const json_t *verdict;

		assert_int_equal(read_requirement(&given, &config), EXIT_DONE);
		assert_int_equal(require_check(&config), EXIT_DONE);
		assert_int_equal(report_judge(document, &config, EXIT_DONE), cases[i].met ? EXIT_DONE : EXIT_UNMET);
		verdict = json_array_get(json_object_get(document, "requirements"), 0);
		assert_true(json_is_true(json_object_get(verdict, "met")) == cases[i].met);
		assert_true(json_is_null(json_object_get(verdict, "reason")) == cases[i].safe);
		assert_true(cases[i].safe ||
			    strstr(json_string_value(json_object_get(verdict, "reason")), "may be off by 20000 ns"));
		json_decref(document);
		free(config.requirements);
	}
}

static double rate_by(const char *load)
{
	json_t *document =
		json_pack("{s:{s:f, s:f, s:f, s:[{s:{s:i}}, {s:{s:i}}]}, s:{s:s}}", "trial_result", "trial_load", 50000.0,
			  "trial_duration", 2.0, "loss_ratio", 0.1, "directions", "counts", "received", 180000, "counts",
			  "received", 4000, "configuration", "load", load);
	double rate_fps = judge_worst_direction("/trial_result/trial_forwarding_rate", document);

	assert_true(judge_worst_direction("/trial_result/trial_loss_ratio", document) == 0.1);
	assert_true(isnan(judge_worst_direction("/trial_result/counts/lost", document)));
	json_decref(document);
	return rate_fps;
}

/* One port sends 100 kfps and the other 2 kfps: the mean less the greatest loss is the rate of neither. */
static void as_fast_as_ports_can_the_worst_rate_is_what_came(void **state)
{
	(void)state;
	assert_true(rate_by("50kfps") == 0.9 * 50000);
	assert_true(rate_by("max") == 2000);
}

/* A SUT that lets the small frames of a mix pass: as many frames come as the bit rate would need of the mix, but fewer bits. */
static void bits_are_of_the_frames_that_came(void **state)
{
	static const char *const texts[] = { "forwarding-rate>=12Mbps-l2", "forwarding-rate>=9Mbps-l1", NULL };
	json_t *document = json_pack("{s:{s:f, s:f}}", "trial_result", "trial_forwarding_rate", 5500.0,
				     "trial_forwarding_rate_l2_bps", 5500.0 * 200 * 8);
	struct config config = { .verb = VERB_TRIAL };
	const json_t *verdicts;

	(void)state;
	for (size_t i = 0; texts[i]; i++) {
		givens[i] = (struct given){ .option = option_find("require"), .text = (char *)texts[i] };
		assert_int_equal(read_requirement(&givens[i], &config), EXIT_DONE);
	}
	assert_int_equal(require_check(&config), EXIT_DONE);
	for (size_t i = 0; i < config.requirement_count; i++)
		config.requirements[i].threshold = load_fps(&config.requirements[i].load, 300, 0);
	assert_int_equal(report_judge(document, &config, EXIT_DONE), EXIT_UNMET);
	verdicts = json_object_get(document, "requirements");
	assert_true(!met(verdicts, 0) && met(verdicts, 1));
	assert_true(fabs(number(verdicts, 0, "required") - 12e6 / 8 / 200) < 1e-6);
	assert_true(fabs(number(verdicts, 1, "required") - 9e6 / 8 / 220) < 1e-6);
	/* in the worst direction they are smaller than on average */
	json_object_update_new(json_object_get(document, "trial_result"),
			       json_pack("{s:f, s:f, s:[{s:s, s:f}, {s:s, s:f}]}", "trial_load", 6000.0, "loss_ratio", 0.1,
					 "directions", "to", "b", "loss_ratio", 0.1, "to", "a", "loss_ratio", 0.0));
	json_object_set_new(document, "ports",
			    json_pack("[{s:s, s:i, s:{s:i}}, {s:s, s:i, s:{s:i}}]", "name", "a", "received_octets", 250000,
				      "counts", "received", 1000, "name", "b", "received_octets", 150000, "counts", "received",
				      1000));
	report_judge(document, &config, EXIT_DONE);
	verdicts = json_object_get(document, "requirements");
	assert_true(number(verdicts, 0, "measured") == 0.9 * 6000);
	assert_true(fabs(number(verdicts, 0, "required") - 12e6 / 8 / 150) < 1e-6);
	json_object_del(json_object_get(document, "trial_result"), "loss_ratio");
	/* those of earlier versions have no bit rate */
	json_object_del(json_object_get(document, "trial_result"), "trial_forwarding_rate_l2_bps");
	report_judge(document, &config, EXIT_DONE);
	assert_true(number(json_object_get(document, "requirements"), 0, "required") == 12e6 / 8 / 300);
	json_decref(document);
	free(config.requirements);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_fast_as_ports_can_the_worst_rate_is_what_came),
		cmocka_unit_test(bits_are_of_the_frames_that_came),
		cmocka_unit_test(without_a_size_every_one_is_judged),
		cmocka_unit_test(one_size_that_does_not_keep_to_it_is_enough),
		cmocka_unit_test(a_size_that_is_said_is_judged_alone),
		cmocka_unit_test(bits_are_other_frames_at_each_size),
		cmocka_unit_test(times_in_seconds_are_judged_as_such),
		cmocka_unit_test(a_verdict_within_the_error_says_so),
		cmocka_unit_test(what_the_suite_does_not_have_is_refused),
	};

	return cmocka_run_group_tests_name("require", tests, NULL, NULL);
}
