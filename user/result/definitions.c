/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/report.h"

#include "base/json_value.h"
#include "base/terms.h"

json_t *report_units(void)
{
	return json_with("loads, bounds, rates, throughput", "frames/s", "durations, times", "s", "ratios, width",
			 "1, from 0 to 1 (the report shows %)", "counts, loss_attribution", "frames", "*_fps", "frames/s",
			 "*_bps", "bit/s", "*_ns", "ns", "*_s", "s", "*_octets", "octets, frame check sequence included",
			 "*_ppm", "1e-6");
}

/* What the measurers `xdp` and `mpi` do where section 10 of RFC 2544 and section 4.9.1 of RFC 9971 leave it free. */
static void add_frames(json_t *definitions)
{
	static const char *const texts[][2] = {
		{ "trial_loss_ratio",
		  "1 - unique frames received / frames expected, both summed over all interfaces. Expected are the frames "
		  "sent, where at most 10 us worth of the load stayed unsent, else the frames intended. Never below 0." },
		{ "unsent", "Where the transmitter could not keep up with the intended load, the frames that it did not "
			    "send count as lost, and the trial is marked limited." },
		{ "duplicates", "Copies of a frame that had already come are counted by themselves. They never make up for "
				"a lost frame." },
		{ "reordering",
		  "A frame that comes after one of its flow that was sent later counts as received, and as reordered." },
		{ "damage",
		  "Frames that came back cut or padded (wrong_length), with a wrong checksum (damaged), with a tag that "
		  "this run did not sign (wrong_signature), with another payload (changed_payload), in "
		  "fragments, behind more VLAN tags than were sent (overtagged), or at another port (misdirected) "
		  "do not count as received." },
		{ "verification",
		  "Verified are frames received whose IPv4 header's and UDP checksums were found right, and their signature "
		  "where they have one. A frame that came without the UDP checksum that it was sent with (without_checksum) "
		  "counts as received. Without a signature it is not verified, and has no part in latency and delay "
		  "variation." },
		{ "changed", "Frames received with headers that are not as they were sent, in a way that was not expected. "
			     "changed_ttl and the others count what was expected, too." },
		{ "late", "Frames that came after their trial are counted by themselves, and belong to no trial; "
			  "measurer.late_frames has all of the run, by the trial that they were of." },
		{ "unknown_trial",
		  "Frames with the tester's tag and a trial number that the run has not used: another tester "
		  "sends them, or they are an earlier run's. They count as nothing else." },
		{ "icmp_errors",
		  "ICMP and ICMPv6 errors, and redirects, that quote a frame of the tester. They are neither "
		  "damaged nor foreign; a trial's icmp_errors say what they say, from which address, and about "
		  "which destination and flow the first of them was. Routers limit how often they send them." },
		{ "delay_variation",
		  "PDV (RFC 5481, 4.2), pdv_*: the latency of a frame less the smallest of its trial, over all flows and "
		  "directions. IPDV (4.1), ipdv_*, with --ipdv: by how much the latencies of two successive frames of one "
		  "flow "
		  "differ, without the sign, over all flows and directions. Frames before and after one that was lost or "
		  "came "
		  "out of order are no such pair; ipdv_count is how many there were." },
		{ "load_shape",
		  "Constant: frame n is due at n / load after the start. After a stop of the tester at most --burst frames "
		  "are "
		  "caught up back to back, and for the rest of the stop the schedule moves (pacing.moved_ns). "
		  "pacing.burst_max: " BURST_DEFINITION " pacing.excess_frames_max: " EXCESS_DEFINITION },
		{ "tester_burst", "Frames that were lost because they departed in a burst of the tester's own, longer than "
				  "pacing.burst_allowed. They are what is missing of the frames that departed in such a "
				  "burst or soon after it, "
				  "less what the SUT loses of others." },
		{ "tester_repeats", "A trial that the tester alone spoilt was performed again. That depends on what the "
				    "tester did, never on what "
				    "the SUT lost by itself; spoilt_performances has what they came to." },
	};

	for (size_t i = 0; i < COUNT(texts); i++)
		json_put(definitions, texts[i][0], texts[i][1]);
}

/* Add the definitions of a run that does not read sequence numbers. */
static void add_frames_without_order(json_t *definitions)
{
	json_put(definitions, "trial_loss_ratio",
		 "1 - frames received / frames expected, both summed over all interfaces. Expected are the frames sent, "
		 "where at most 10 us worth of the load stayed unsent, else the frames intended. Never below 0.");
	json_put(definitions, "duplicates",
		 "Not told apart (--no-seq): a duplicate counts as received, and may hide a lost frame.");
	json_put(definitions, "reordering", "Not looked at (--no-seq).");
}

static const char *effective_duration(const struct config *config)
{
	if (config->measurer == MEASURER_EXEC)
		return "As the external measurer returns it; the Trial Duration where it returns none.";
	if (config->effective_duration == EFFECTIVE_WALL && config_uses_ports(config))
		return "The real time of the performance that counts, from before the waits of phases a and b to after phase "
		       "e. It is longer where frames are missing, for which phase d waits, so such a trial weighs more.";
	return "Always equal to the Trial Duration.";
}

json_t *report_definitions(const struct config *config)
{
	json_t *definitions =
		json_with("trial_load",
			  "Intended Load of one transmitting interface, the same for each. Times aggregate_factor it is the "
			  "total over all transmitting interfaces; so are all bounds and rates.",
			  "trial_forwarding_rate",
			  "Trial Load times (1 - Trial Loss Ratio): per interface, an average over directions.",
			  "trial_effective_duration", effective_duration(config), "goal_width",
			  "Relative: (Relevant Upper Bound - Relevant Lower Bound) / Relevant Upper Bound.");

	switch (config->measurer) {
	case MEASURER_XDP:
	case MEASURER_MPI:
		add_frames(definitions);
		if (config->no_seq)
			add_frames_without_order(definitions);
		if (config->load.unit == LOAD_MAX)
			json_put(definitions, "load_shape",
				 "As fast as the transmitter can: no frame has a time at which it is due.");
		break;
	case MEASURER_EXEC:
		json_put(definitions, "trial_loss_ratio", "As the external measurer returns it.");
		break;
	case MEASURER_SIM:
		json_put(definitions, "trial_loss_ratio", "Lost frames / frames sent, of the simulated SUT.");
		break;
	case MEASURER_REPLAY:
		json_put(definitions, "trial_loss_ratio", "As the stored search measured it.");
		break;
	}
	return definitions;
}
