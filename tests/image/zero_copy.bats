#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The appliance with kernel 7.3, whose drivers send zero-copy on NICs that QEMU emulates: `make check-image IMAGE_KERNEL=7.3 IMAGE_NICS=vm`.
bats_require_minimum_version 1.5.0
load helper

setup() {
  [ "${IMAGE_KERNEL:-6.1}" = 7.3 ] || skip "only kernel 7.3 has zero-copy on an emulated NIC"
}

# Two cards on a hub, each behind a root port: igb has no room on the root bus
emulated() { # DEVICE
  local end
  hub=()
  for end in 1 2; do
    hub+=(-netdev "hubport,id=n$end,hubid=0" -device "pcie-root-port,id=root$end,chassis=$end,bus=pcie.0"
      -device "$1,bus=root$end,netdev=n$end,mac=52:54:00:00:00:0$end,romfile=")
  done
}

# The guest's own time: a machine that others use, too, is no stall to it.
zero_copy_trial() { # DRIVER DEVICE
  configuration <<END
appliance: {verb: trial, ports: [eth0, eth1], at-end: power-off}
load: 500
duration: 0.5
tx: xsk
direction: both
END
  emulated "$2"
  qemu_machine+=(-icount shift=2,sleep=off -smp 2)
  limit_s=400
  from_kernel
  by_fw_cfg
  boot
  said "port eth0  52:54:00:00:00:01  $1"
  jq -e '.measurer.ports | all(.transmit_mode == "zero-copy" and .receive_mode == "native")' "$BATS_TEST_TMPDIR/result.json"
  jq -e '.environment.kernel | startswith("7.3.")' "$BATS_TEST_TMPDIR/result.json"
  # a CPU that is emulated may have no time for a transmitter at a trial's end
  jq -e '.trial_result.counts | .sent >= .intended / 2 and .received == .sent and .lost + .duplicate + .foreign + .malformed == 0' \
    "$BATS_TEST_TMPDIR/result.json"
  console_result REPORT | grep -q '</html>'
}

@test "zero-copy on virtio-net" {
  zero_copy_trial virtio_net virtio-net-pci,iommu_platform=on,disable-legacy=on
}

@test "zero-copy on igb, by a QEMU that has it" {
  # of Debian 12's backports where this system's has none
  read -ra qemu_program < <(tools/vm --kernel 7.3 --nic igb --qemu)
  qemu_machine=("${qemu_program[@]}" "${qemu_machine[@]:1}")
  zero_copy_trial igb igb
}
