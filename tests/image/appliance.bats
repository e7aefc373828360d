#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The appliance, booted: `make check-image`.
bats_require_minimum_version 1.5.0
load helper

@test "two builds are the same, byte for byte" {
  cp "$IMAGE/initrd.img" "$IMAGE/xdp-mlr.efi" "$BATS_TEST_TMPDIR"
  sleep 1
  nics=$(grep -o 'drivers: .*' "$IMAGE/root/etc/xdp-mlr-release")
  tools/image/build "${IMAGE_KERNEL:-6.1}" "${nics#drivers: }"
  cmp "$IMAGE/initrd.img" "$BATS_TEST_TMPDIR/initrd.img"
  cmp "$IMAGE/xdp-mlr.efi" "$BATS_TEST_TMPDIR/xdp-mlr.efi"
}

@test "with a configuration it runs it, and hands the result over" {
  configuration <<END
appliance:
  verb: trial
  ports: [52:54:00:00:00:02, 52:54:00:00:00:01]
  at-end: power-off
load: 2kfps
duration: 1
END
  boot
  said 'port eth0  52:54:00:00:00:01  virtio_net'
  said 'running: xdp-mlr trial --ports eth1,eth0'
  jq -e '.schema == "xdp-mlr/trial/1" and .trial_result.counts.intended == 2000 and .trial_result.counts.received > 1900' \
    "$BATS_TEST_TMPDIR/result.json"
  # the same on the serial console
  [ "$(console_result | jq -c .)" = "$(jq -c . "$BATS_TEST_TMPDIR/result.json")" ]
}

@test "UEFI boots the one file that holds both" {
  configuration <<END
appliance: {verb: trial, ports: [eth0, eth1], at-end: power-off}
load: 1kfps
duration: 0.5
END
  FIRMWARE=/usr/share/OVMF/OVMF_CODE_4M.fd boot
  jq -e '.trial_result.counts.intended == 500' "$BATS_TEST_TMPDIR/result.json"
}

@test "a search, by the very configuration of the command line" {
  configuration <<END
appliance:
  ports: [52:54:00:00:00:01, 52:54:00:00:00:02]
  at-end: power-off
min-load: 200
max-load: 1kfps
max-time: 30
goal: {loss: 50%, exceed: 0.5, initial: 0.2, final: 0.2, sum: 0.6, width: 10%}
END
  # the command line takes the file, and says nothing of the appliance's part
  "$MLR" search -p lo,eth9 --config "$BATS_TEST_TMPDIR/config.yaml" --dump-config >"$BATS_TEST_TMPDIR/dump"
  boot
  jq -e '.schema == "xdp-mlr/search/1" and .search_result[0].relevant_lower_bound == 1000' "$BATS_TEST_TMPDIR/result.json"
}

@test "an error in the configuration is shown with its line, and nothing is sent" {
  configuration <<END
appliance:
  verb: trial
  colour: red
load: 2kfps
END
  boot 'waiting for'
  said "config.yaml:3: no setting 'colour' of the appliance"
  said 'waiting for a restart with another one'
  [ ! -s "$BATS_TEST_TMPDIR/result.json" ]
}

@test "without a configuration it shows the ports, and how to give one" {
  boot 'waiting for'
  said 'port eth1  52:54:00:00:00:02  virtio_net'
  said 'fw_cfg name=opt/org.xdp-mlr/config'
  said 'nothing will be sent'
}
