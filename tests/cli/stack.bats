#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Newer kernels load programs that Linux 6.1 refuses: its verifier counts stack more coarsely.

@test "the XDP programs take no more stack than Linux 6.1 has" {
  command -v llvm-objdump >/dev/null || skip "llvm-objdump is missing"
  run tools/bpf-stack "${BUILD:-build}"/bpf/*.bpf.o
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output == *"rx.bpf.o: "*"(rx "* ]]
}
