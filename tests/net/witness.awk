# SPDX-License-Identifier: GPL-2.0-or-later
# What a witness (tests/tools/witness.c) wrote down, as JSON: by trial, in the order of trials, what came of each direction, of
# each flow, and of each part of `part` ns of the schedule. A frame that was not given, or given with another payload, is lost.
# Numbers of a flow begin at the smallest that came in its trial.

$1 == "in" {
	if (!($3 in seen)) {
		seen[$3] = 1
		trials[++trial_count] = $3
	}
	way = $3 SUBSEP $2
	flow = $3 SUBSEP $4
	if (!(way in sent)) {
		start[way] = $6
		ways[$3] = ways[$3] " " $2
	}
	if (!(flow in flow_sent)) {
		first[flow] = expected[flow] = $5
		flows[$3] = flows[$3] " " $4
		flow_way[flow] = $2
	}
	sent[way]++
	flow_sent[flow]++
	number = int(($6 - start[way] + 1) / part)
	part_sent[way, number]++
	if (number > last[way])
		last[way] = number
	end[way] = $6
	count = ++came[way]
	came_due[way, count] = $6
	came_as[way, count] = flow SUBSEP $5
	flow_part[flow, number]++
}

$1 == "out" {
	way = $3 SUBSEP $2
	flow = $3 SUBSEP $4
	if ($7 == "payload") {
		kinds[way, $7]++
		next
	}
	if ((flow, $5) in given) {
		duplicate[way]++
		flow_duplicate[flow]++
		next
	}
	given[flow, $5] = 1
	received[way]++
	flow_received[flow]++
	kinds[way, $7 == "dei" ? "priority" : $7]++
	number = int(($6 - start[way] + 1) / part)
	part_received[way, number]++
	flow_part_received[flow, number]++
	flow_held[flow] += $8
	given_at[flow, $5] = $9
	held[way] += $8
	held_of[way, received[way]] = $8
	if ($5 < expected[flow]) {
		reordered[way]++
		flow_reordered[flow]++
		next
	}
	if ($5 > expected[flow]) {
		gaps[way]++
		gap_frames[way] += $5 - expected[flow]
	}
	expected[flow] = $5 + 1
}

# The time in which frames were lost: when the first and the last of them were due, after the start, how long nobody that was due was
# given, and how long nobody was.
function put_outage(way,    i, first_lost, last_lost, before, after) {
	for (i = 1; i <= came[way]; i++)
		if (!(came_as[way, i] in given_at)) {
			last_lost = i
			if (!first_lost)
				first_lost = i
		}
	if (!first_lost)
		return
	before = first_lost - 1
	after = last_lost + 1
	printf ", \"first_lost_ns\": %.0f, \"last_lost_ns\": %.0f", came_due[way, first_lost] - start[way], came_due[way, last_lost] - start[way]
	if (before >= 1 && after <= came[way])
		printf ", \"due_gap_ns\": %.0f, \"arrival_gap_ns\": %.0f", came_due[way, after] - came_due[way, before],
			given_at[came_as[way, after]] - given_at[came_as[way, before]]
}

function put_way(trial, name,    way, i, all, kind_count, names) {
	way = trial SUBSEP name
	printf "\"%s\": {\"sent\": %d, \"received\": %d, \"lost\": %d, \"duplicate\": %d, \"reordered\": %d", name, sent[way], received[way],
		sent[way] - received[way], duplicate[way], reordered[way]
	put_outage(way)
	printf ", \"gaps\": %d, \"gap_frames\": %d, \"duration_ns\": %d", gaps[way], gap_frames[way], end[way] - start[way]
	printf ", \"held_mean_ns\": %d", received[way] ? held[way] / received[way] : 0
	printf ", \"held_ns\": ["
	for (i = 1; i <= received[way]; i++)
		printf "%s%d", (i > 1 ? ", " : ""), held_of[way, i]
	printf "]"
	kind_count = split("vlan priority dscp ecn ttl address port payload", names, " ")
	for (i = 1; i <= kind_count; i++) {
		printf ", \"changed_%s\": %d", names[i], kinds[way, names[i]]
		if (names[i] != "payload")
			all += kinds[way, names[i]]
	}
	printf ", \"changed\": %d, \"parts\": [", all
	for (i = 0; i <= last[way]; i++)
		printf "%s[%d, %d]", i ? ", " : "", part_sent[way, i], part_received[way, i]
	printf "]}"
}

END {
	printf "["
	for (i = 1; i <= trial_count; i++) {
		trial = trials[i]
		printf "%s{\"trial\": %d, \"directions\": {", (i > 1 ? ",\n" : ""), trial
		count = split(ways[trial], names, " ")
		for (j = 1; j <= count; j++) {
			printf "%s", (j > 1 ? ", " : "")
			put_way(trial, names[j])
		}
		printf "}, \"flows\": ["
		count = split(flows[trial], names, " ")
		for (j = 1; j <= count; j++) {
			flow = trial SUBSEP names[j]
			printf "%s{\"flow\": %d, \"way\": \"%s\", \"sent\": %d, \"received\": %d, \"lost\": %d, \"duplicate\": %d, \"reordered\": %d, \"held_mean_ns\": %d", (j > 1 ? ", " : ""),
				names[j], flow_way[flow], flow_sent[flow], flow_received[flow], flow_sent[flow] - flow_received[flow],
				flow_duplicate[flow], flow_reordered[flow], flow_received[flow] ? flow_held[flow] / flow_received[flow] : 0
			printf ", \"parts\": ["
			for (k = 0; k <= last[trial, flow_way[flow]]; k++)
				printf "%s[%d, %d]", (k ? ", " : ""), flow_part[flow, k], flow_part_received[flow, k]
			printf "]}"
		}
		printf "]}"
	}
	print "]"
}
