#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The appliance, booted: `make check-image`.
bats_require_minimum_version 1.5.0
load helper

@test "with a configuration it runs it, and hands the result over" {
  configuration <<END
appliance:
  verb: trial
  ports: [52:54:00:00:00:02, 52:54:00:00:00:01]
  at-end: power-off
load: 2kfps
duration: 1
END
  from_kernel
  by_fw_cfg
  boot
  said 'port eth0  52:54:00:00:00:01  virtio_net  link up'
  said 'configuration: opt/org.xdp-mlr/config of QEMU'
  jq -e '.schema == "xdp-mlr/trial/1" and .trial_result.counts.intended == 2000 and .trial_result.counts.received > 1900' \
    "$BATS_TEST_TMPDIR/result.json"
  # the same on the serial console, and the report
  [ "$(console_result | jq -c .)" = "$(jq -c . "$BATS_TEST_TMPDIR/result.json")" ]
  console_result REPORT | grep -q '</html>'
}

@test "UEFI, USB stick: the configuration is on its volume XDPMLR, and the result is there afterwards" {
  configuration <<<"$TRIAL"
  copy_disk
  mcopy -i "$data" "$BATS_TEST_TMPDIR/config.yaml" ::
  before=$(untouched)
  machine=()
  by_uefi
  as_usb_stick "$disk"
  boot
  said 'configuration: config.yaml on the volume XDPMLR (/dev/sda1)'
  said 'result: result-001.json on the volume XDPMLR (/dev/sda1)'
  mtype -i "$data" ::result-001.json | cmp - "$BATS_TEST_TMPDIR/result.json"
  mtype -i "$data" ::report-001.html | grep -q '</html>'
  is_the_trial "$BATS_TEST_TMPDIR/result.json"
  [ "$(untouched)" = "$before" ]
}

@test "BIOS, disk: a volume that is full is said, and the result comes on the other ways" {
  configuration <<<"$TRIAL"
  copy_disk
  mcopy -i "$data" "$BATS_TEST_TMPDIR/config.yaml" ::
  free=$(mdir -i "$data" | awk '/bytes free/ { gsub(/[^0-9]/, ""); print }')
  truncate -s $((free - 8192)) "$BATS_TEST_TMPDIR/filler"
  mcopy -i "$data" "$BATS_TEST_TMPDIR/filler" ::
  machine=()
  as_virtio_disk "$disk"
  boot
  said 'configuration: config.yaml on the volume XDPMLR (/dev/vda1)'
  said 'result: report-001.html could not be written to the volume XDPMLR (/dev/vda1): [0-9]* KiB are needed, [0-9]* KiB are free'
  if mdir -i "$data" | grep -i 'incoming\|report'; then return 1; fi
  is_the_trial "$BATS_TEST_TMPDIR/result.json"
}

@test "UEFI, ISO: the configuration is user-data on a volume CIDATA" {
  configuration <<<"#cloud-config
$TRIAL"
  mkdir "$BATS_TEST_TMPDIR/seed"
  cp "$BATS_TEST_TMPDIR/config.yaml" "$BATS_TEST_TMPDIR/seed/user-data"
  xorriso -as mkisofs -quiet -V cidata -o "$BATS_TEST_TMPDIR/seed.iso" -rational-rock -J "$BATS_TEST_TMPDIR/seed"
  machine=()
  by_uefi
  as_cdrom "$IMAGE/xdp-mlr.iso"
  machine+=(-drive "if=none,id=seed,format=raw,readonly=on,file=$BATS_TEST_TMPDIR/seed.iso" -device virtio-blk-pci,drive=seed)
  boot
  said 'configuration: user-data on the volume cidata (/dev/vda)'
  is_the_trial "$BATS_TEST_TMPDIR/result.json"
}

@test "BIOS, ISO: without a configuration it shows the ports and how to give one; then a stick is plugged in" {
  configuration <<<"$TRIAL"
  fat_volume "$BATS_TEST_TMPDIR/stick" 8192 XDPMLR "$BATS_TEST_TMPDIR/config.yaml" config.yaml
  machine=()
  as_cdrom "$IMAGE/xdp-mlr.iso"
  machine+=(-device qemu-xhci,id=usb -drive "if=none,id=stick,format=raw,file=$BATS_TEST_TMPDIR/stick")
  start "${hub[@]}"
  await 'waiting for a volume'
  said 'port eth1  52:54:00:00:00:02  virtio_net  link up'
  said 'OK    native-xdp'
  said 'nothing will be sent'
  said 'config.yaml on a FAT volume labelled XDPMLR'
  monitor 'device_add usb-storage,drive=stick,bus=usb.0'
  await ^never^
  said 'configuration: config.yaml on the volume XDPMLR (/dev/sd'
  mtype -i "$BATS_TEST_TMPDIR/stick" ::result-001.json >"$BATS_TEST_TMPDIR/stored.json"
  is_the_trial "$BATS_TEST_TMPDIR/stored.json"
}

@test "a credential beside the UEFI image; an error in it is shown with its line, and nothing is sent" {
  configuration <<END
appliance:
  verb: trial
  colour: red
load: 2kfps
END
  copy_disk
  mmd -i "$boot" ::EFI/BOOT/BOOTX64.EFI.extra.d
  mcopy -i "$boot" "$BATS_TEST_TMPDIR/config.yaml" ::EFI/BOOT/BOOTX64.EFI.extra.d/xdp-mlr.cred
  machine=()
  by_uefi
  as_virtio_disk "$disk"
  boot 'waiting for another'
  said 'configuration: xdp-mlr.cred beside the UEFI image'
  said "config.yaml:3: no setting 'colour' of the appliance"
  said 'the configuration is wrong, and nothing was sent'
  [ ! -s "$BATS_TEST_TMPDIR/result.json" ]
}

@test "the kernel's command line goes on top of the file" {
  configuration <<END
appliance: {verb: trial, ports: [eth0, eth1]}
load: 2kfps
duration: 0.5
END
  from_kernel 'xdpmlr.load=1kfps xdpmlr.appliance.ports=[eth1,eth0] xdpmlr.appliance.at-end=power-off'
  by_fw_cfg
  boot
  said 'running: xdp-mlr trial --ports eth1,eth0 .* --load 1kfps'
  is_the_trial "$BATS_TEST_TMPDIR/result.json"
}

@test "a search finds the rate of a policer, which is another machine" {
  configuration <<END
appliance: {ports: [52:54:00:00:00:01, 52:54:00:00:00:02], at-end: power-off}
min-load: 1kfps
max-load: 10kfps
max-time: 100
wait: {d: 0.2}
goal: {loss: 0.5%, exceed: 50%, initial: 0.2, final: 0.3, sum: 0.9, width: 5%}
END
  # the command line takes the very file, and says nothing of the appliance's part
  "${BUILD:-build}/xdp-mlr" search -p lo,eth9 --config "$BATS_TEST_TMPDIR/config.yaml" --dump-config >"$BATS_TEST_TMPDIR/dump"
  start_sut policer:rate=4kfps,burst=2ms
  cards sut tester 52:54:00:00:00
  from_kernel
  by_fw_cfg
  boot '' "${cards[@]}"
  # at 0.5 % of loss the bound is 4020 frames/s
  jq -e '.search_result[0] | .relevant_lower_bound <= 4020 and .relevant_upper_bound >= 4020 and
    .relevant_upper_bound - .relevant_lower_bound <= 0.05 * .relevant_upper_bound' "$BATS_TEST_TMPDIR/result.json" || {
    jq -c '.search_result' "$BATS_TEST_TMPDIR/result.json"
    tr -d '\r' <"$BATS_TEST_TMPDIR/console-sut" | tail
    said nothing
  }
}
