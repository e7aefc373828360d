/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is warned of after a trial. Warnings go to standard error, too. */
#include <string.h>

#include "../test.h"
#include "measurer/diagnose.h"

/* Of a trial of a second and so many frames, with so much housekeeping at its second port: whether that was warned of. */
static bool warns(struct diagnosis *diagnosis, uint64_t sent, uint64_t housekeeping)
{
	static const struct config config = { .port_count = 2 };
	struct measurement measurement = {
		.wall_s = 1,
		.port_count = 2,
		.counts = { .sent = sent, .received = sent },
		.ports = { { .name = "a" }, { .name = "b", .housekeeping = housekeeping } },
	};
	char *const *texts;
	size_t before = message_warnings(&texts), count;

	diagnose_measured(diagnosis, &config, &measurement);
	count = message_warnings(&texts);
	if (count > before)
		assert_non_null(strstr(texts[before], "port b: "));
	return count > before;
}

static void a_storm_of_housekeeping_is_warned_of_once(void **state)
{
	struct diagnosis diagnosis = { 0 };

	(void)state;
	assert_false(warns(&diagnosis, 1000, 100));      /* a link does that */
	assert_false(warns(&diagnosis, 1000000, 10000)); /* and this is little beside the frames of the trial */
	assert_true(warns(&diagnosis, 1000000, 10001));
	assert_false(warns(&diagnosis, 1000000, 10002));
	diagnosis = (struct diagnosis){ 0 };
	assert_true(warns(&diagnosis, 1000, 101));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_storm_of_housekeeping_is_warned_of_once) };

	return cmocka_run_group_tests_name("diagnose", tests, NULL, NULL);
}
