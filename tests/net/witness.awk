# SPDX-License-Identifier: GPL-2.0-or-later
# What a witness (tests/tools/witness.c) wrote down, as JSON: by trial, in the order of trials, what came of each direction, of
# each flow, and of each part of `part` ns of the schedule. A frame that was not given, or given in a way that no tester takes, is lost.
# Numbers of a flow begin at the smallest that came in its trial. A latency lies between two times, which witness.jq makes figures of. It reads
# the log twice: of several queues the first frame that came need not be the first that was due.

BEGIN {
	kind_count = split("vlan priority dscp ecn ttl address port payload due trial magic damage pad fragment length tags back icmp unsummed", kind_names, " ")
	unreceived_count = split("payload due trial magic damage pad fragment length tags back icmp unsent", unreceived_names, " ")
	for (i = 1; i <= unreceived_count; i++)
		unreceived[unreceived_names[i]] = 1
	of_tag["dei"] = of_tag["inner-priority"] = "priority"
	of_tag["inner"] = "vlan"
}

FNR == NR {
	if ($1 == "in" && (!(($3, $2) in start) || $6 < start[$3, $2]))
		start[$3, $2] = $6
	next
}

$1 == "in" {
	if (!($3 in seen)) {
		seen[$3] = 1
		trials[++trial_count] = $3
	}
	way = $3 SUBSEP $2
	flow = $3 SUBSEP $4
	if (!(way in sent))
		ways[$3] = ways[$3] " " $2
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
	flow_part[flow, number]++
	marked[way] += $9
	departed[way, count] = $6 + $7
	departure_error[way] = greatest($8, departure_error[way], 0)
}

$1 == "out" {
	way = $3 SUBSEP $2
	flow = $3 SUBSEP $4
	if ($7 in unreceived) {
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
	kinds[way, $7 in of_tag ? of_tag[$7] : $7]++
	number = int(($6 - start[way] + 1) / part)
	part_received[way, number]++
	flow_part_received[flow, number]++
	least[way, received[way]] = $10
	most[way, received[way]] = $11
	span(way SUBSEP number)
	span(flow)
	if ($5 < expected[flow]) {
		reordered[way]++
		flow_reordered[flow]++
		reorder_depth[way] += expected[flow] - 1 - $5
		depths[way, int(log(expected[flow] - 1 - $5) / log(2) + 1e-9)]++
		if (expected[flow] - 1 - $5 > reorder_depth_max[way])
			reorder_depth_max[way] = expected[flow] - 1 - $5
		next
	}
	if ($5 > expected[flow]) {
		gaps[way]++
		gap_frames[way] += $5 - expected[flow]
		if ($5 - expected[flow] > gap_max[way])
			gap_max[way] = $5 - expected[flow]
	} else if (flow in flow_least) {
		pair_least[way, ++pairs[way]] = greatest(0, $10 - flow_most[flow], flow_least[flow] - $11)
		pair_most[way, pairs[way]] = greatest(0, $11 - flow_least[flow], flow_most[flow] - $10)
	}
	flow_least[flow] = $10
	flow_most[flow] = $11
	expected[flow] = $5 + 1
}

function greatest(a, b, c) {
	return a > b ? (a > c ? a : c) : (b > c ? b : c)
}

# Smallest, sum and largest latency of a flow, or a part of a direction.
function span(of) {
	if (!(of in span_count) || $10 < span_min_least[of])
		span_min_least[of] = $10
	if (!(of in span_count) || $11 < span_min_most[of])
		span_min_most[of] = $11
	span_max_least[of] = greatest($10, span_max_least[of], 0)
	span_max_most[of] = greatest($11, span_max_most[of], 0)
	span_least[of] += $10
	span_most[of] += $11
	span_count[of]++
}

# How the frames of a direction departed: the gaps between them, the longest run of those that left less than half an interval after the one
# before, and the longest queue before a server at the load. What left at one time, to the error of its stamps, may have been spread: if the
# call that sent it took long, as late as the next frame. So a run is as long as one call's frames, or longer.
function put_departures(way,    i, interval, error, gap, run, run_most, run_max, run_max_most, until, empty, excess, queue, excess_most) {
	for (i = 2; i <= came[way]; i++) # a stop of the tester makes some longer
		if (!interval || came_due[way, i] - came_due[way, i - 1] < interval)
			interval = came_due[way, i] - came_due[way, i - 1]
	if (!interval)
		interval = 1
	error = departure_error[way]
	printf ", \"departures\": {\"error_ns\": %d, \"gaps_ns\": [", error
	for (i = 1; i <= came[way]; i++) {
		gap = departed[way, i] - (i > 1 ? departed[way, i - 1] : 0)
		if (i > 1)
			printf "%s%.0f", (i > 2 ? ", " : ""), gap
		queue = i > 1 && gap > error ? greatest(queue - gap, run * interval, 0) : queue
		queue += interval
		excess_most = greatest(excess_most, queue, 0)
		run = i > 1 && gap <= error ? run + 1 : 1
		run_most = i > 1 && departed[way, i] < until + error ? run_most + 1 : 1
		until = (i > 1 && gap <= error ? until : departed[way, i]) + interval / 2
		run_max = greatest(run_max, run, 0)
		run_max_most = greatest(run_max_most, run_most, 0)
		empty = greatest(empty, departed[way, i], 0) + interval
		excess = greatest(excess, empty - departed[way, i], 0)
	}
	printf "], \"burst_max\": [%d, %d], \"excess_frames\": [%.3f, %.3f], \"marked\": %d}", run_max, run_max_most, (excess - error) / interval - 0.5,
		(excess_most + error) / interval + 0.5, marked[way]
}

# Three frames of it may be 0.2 s later, as witness.jq says.
function put_span(name, of) {
	if (of in span_count)
		printf ", \"%s\": {\"min_ns\": [%.0f, %.0f], \"mean_ns\": [%.3f, %.3f], \"max_ns\": [%.0f, %.0f]}", name, span_min_least[of],
			span_min_most[of] + 20000, span_least[of] / span_count[of], (span_most[of] + 6e8) / span_count[of], span_max_least[of],
			span_max_most[of] + 2e8
}

function put_array(name, values, way, count,    i) {
	printf ", \"%s\": [", name
	for (i = 1; i <= count; i++)
		printf "%s%.0f", (i > 1 ? ", " : ""), values[way, i]
	printf "]"
}

function put_way(trial, name,    way, i, all) {
	way = trial SUBSEP name
	printf "\"%s\": {\"sent\": %d, \"received\": %d, \"lost\": %d, \"duplicate\": %d, \"reordered\": %d", name, sent[way], received[way],
		sent[way] - received[way], duplicate[way], reordered[way]
	printf ", \"gaps\": %d, \"gap_frames\": %d, \"duration_ns\": %d", gaps[way], gap_frames[way], end[way] - start[way]
	printf ", \"gap_max_frames\": %d, \"reorder_depth\": %d, \"reorder_depth_max\": %d, \"reorder_depths_by_power_of_2\": [", gap_max[way],
		reorder_depth[way], reorder_depth_max[way]
	for (i = 0; i < 32; i++)
		printf "%s%d", (i ? ", " : ""), depths[way, i]
	printf "]"
	put_array("least_ns", least, way, received[way])
	put_array("most_ns", most, way, received[way])
	put_array("pair_least_ns", pair_least, way, pairs[way])
	put_array("pair_most_ns", pair_most, way, pairs[way])
	put_departures(way)
	for (i = 1; i <= kind_count; i++) {
		printf ", \"changed_%s\": %d", kind_names[i], kinds[way, kind_names[i]]
		if (!(kind_names[i] in unreceived) && kind_names[i] != "unsummed")
			all += kinds[way, kind_names[i]]
	}
	printf ", \"changed\": %d, \"part_spans\": [", all
	for (i = 0; i <= last[way]; i++) {
		printf "%s{\"number\": %d", (i ? ", " : ""), i
		put_span("latency", way SUBSEP i)
		printf "}"
	}
	printf "], \"parts\": ["
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
			printf "%s{\"flow\": %d, \"way\": \"%s\", \"sent\": %d, \"received\": %d, \"lost\": %d, \"duplicate\": %d, \"reordered\": %d", (j > 1 ? ", " : ""),
				names[j], flow_way[flow], flow_sent[flow], flow_received[flow], flow_sent[flow] - flow_received[flow],
				flow_duplicate[flow], flow_reordered[flow]
			put_span("latency", flow)
			printf ", \"parts\": ["
			for (k = 0; k <= last[trial, flow_way[flow]]; k++)
				printf "%s[%d, %d]", (k ? ", " : ""), flow_part[flow, k], flow_part_received[flow, k]
			printf "]}"
		}
		printf "]}"
	}
	print "]"
}
