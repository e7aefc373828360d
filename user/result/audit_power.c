/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This audit is of power and energy: they follow from what the meters said in the trials. */
#include <math.h>

#include "base/json_read.h"
#include "result/audit.h"
#include "result/report.h"

void audit_value(struct audit *audit, const struct place *place, const json_t *stated, const json_t *follows)
{
	if (json_is_object(follows))
		json_each_member (name, value, follows)
			if (json_is_object(value) || json_is_array(value) || json_is_string(value))
				audit_value(audit, MEMBER(place, name), json_object_get(stated, name), value);
			else
				audit_number(audit, place, stated, name, read_number(follows, name));
	else if (json_is_string(follows) && !json_equal(stated, follows))
		contradict(audit, place, "'%.160s' is what follows", json_string_value(follows));
	else if (json_is_array(follows) && json_array_size(stated) != json_array_size(follows))
		contradict(audit, place, "%zu are stated, %zu follow", json_array_size(stated), json_array_size(follows));
	else
		json_each (item, follows)
			audit_value(audit, ITEM(place, item_at), json_array_get(stated, item_at), item);
}

void audit_power(struct audit *audit, const json_t *document)
{
	const json_t *power = json_object_get(document, "power"), *trials = json_object_get(document, "trials");
	const json_t *profile = json_object_get(document, "traffic_profile");
	json_auto_t *alone = json_pack("[O?]", json_object_get(document, "trial_result")), *follows = NULL;
	double octets = read_number(profile, "mean_frame_size_octets");

	if (!json_is_object(power))
		return;
	if (isnan(octets))
		octets = read_number(profile, "frame_size_octets");
	if (isnan(octets)) /* the external measurer's own */
		octets = read_number(power, "frame_size_octets");
	follows = report_power(trials ? trials : alone, octets, read_number(document, "aggregate_factor"));
	if (follows)
		audit_value(audit, MEMBER(NULL, "power"), power, follows);
	else
		contradict(audit, MEMBER(NULL, "power"), "no trial has what a meter said");
}
