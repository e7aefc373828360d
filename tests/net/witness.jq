# SPDX-License-Identifier: GPL-2.0-or-later
# Make the figures of a result from the latencies of frames that a witness wrote down. A latency lies between two times, so a figure does, too:
# each is [least, most]. The kernel may take the CPU away between the arrival of a frame and its stamp, so $spoilt of them may be 0.2 s later.
# Nothing that tests tell apart lies so near.
def ranks: {p50_ns: 0.5, p90_ns: 0.9, p99_ns: 0.99, p99_9_ns: 0.999, p99_99_ns: 0.9999};
def rank($ratio): [(length * $ratio * (1 - 1e-12) | ceil) - 1, 0] | max;
def mean: add / length;
def figures($least; $most; $spoilt):
  {mean_ns: [($least | mean), ($most | mean) + $spoilt * 2e8 / ($most | length)], max_ns: [$least[-1], $most[-1] + 2e8]}
  + (ranks | with_entries(.value as $ratio | .value = [$least[$least | rank($ratio)], (($most | rank($ratio)) as $rank | ($most[$rank + $spoilt] // $most[$rank] + 2e8) + 20000)]));
def above($least_ns; $most_ns): with_entries(.value |= [([.[0] - $most_ns, 0] | max), .[1] - $least_ns]);
def latency:
  (.least_ns | sort) as $least | (.most_ns | sort) as $most | (.pair_least_ns | sort) as $pair_least | (.pair_most_ns | sort) as $pair_most
  | if $least == [] then null else
    (figures($least; $most; 3) + {min_ns: [$least[0], ($most[3] // $most[-1]) + 20000]}) as $of_frames
    | {count: ($least | length), of_frames: $of_frames,
       of_variation: ($of_frames | del(.min_ns, .mean_ns, .p90_ns, .p99_99_ns) | above($least[0]; $most[0] + 20000) | with_entries(.key |= "pdv_" + .)),
       pairs: ($pair_least | length),
       of_pairs: (if $pair_least == [] then {} else figures($pair_least; $pair_most; 6) | del(.p90_ns, .p99_99_ns) | with_entries(.key |= "ipdv_" + .) end)}
    end;
map(.directions |= with_entries(.value |= (. + {latency: latency} | del(.least_ns, .most_ns, .pair_least_ns, .pair_most_ns))))
