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
  said '  eth1 .* link up .* native XDP'
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
  said 'running: xdp-mlr trial .*--ports eth1,eth0 .*--load=1kfps'
  is_the_trial "$BATS_TEST_TMPDIR/result.json"
}

@test "a search finds the rate of a policer, which is another machine" {
  # some loss is the emulation's own: a machine that the host does not run for a while overruns its rings
  configuration <<END
appliance: {ports: [52:54:00:00:00:01, 52:54:00:00:00:02], at-end: power-off}
min-load: 200
max-load: 4kfps
max-time: 100
wait: {d: 0.2}
goal: {loss: 10%, exceed: 50%, initial: 0.5, final: 0.5, sum: 1.5, width: 5%}
END
  # the command line takes the very file, and says nothing of the appliance's part
  "${BUILD:-build}/xdp-mlr" search -p lo,eth9 --config "$BATS_TEST_TMPDIR/config.yaml" --dump-config >"$BATS_TEST_TMPDIR/dump"
  start_sut policer:rate=1kfps,burst=2ms
  cards sut tester 52:54:00:00:00
  from_kernel
  by_fw_cfg
  boot '' "${cards[@]}"
  # in half a second 502 of L / 2 frames pass, which are nine tenths where the load L is 1116 frames/s
  jq -e '.search_result[0] | (.relevant_lower_bound | numbers) <= 1116 and (.relevant_upper_bound | numbers) >= 1111 and
    .relevant_upper_bound - .relevant_lower_bound <= 0.05 * .relevant_upper_bound' "$BATS_TEST_TMPDIR/result.json" || {
    jq -c '.search_result[0] | [.relevant_lower_bound, .relevant_upper_bound]' "$BATS_TEST_TMPDIR/result.json"
    return 1
  }
}

# A serial line that somebody types on, and a management port that QEMU's user network leads to.
@test "serial keys, and HTTP through QEMU's user network: what the pages hold the console says" {
  local port=$((20000 + RANDOM % 20000)) page=$BATS_TEST_TMPDIR/page
  local url=http://127.0.0.1:$port
  configuration <<END
appliance:
  ports: [52:54:00:00:00:01, 52:54:00:00:00:02]
  management: {port: 52:54:00:00:00:03, address: dhcp}
  http: {unprotected: true}
  schedule:
    - {name: short, max-time: 3}
    - {name: long, max-time: 100}
min-load: 200
max-load: 1kfps
wait: {d: 0.2}
goal: {loss: 50%, exceed: 0.5, initial: 0.2, final: 0.2, sum: 60, width: 10%}
END
  from_kernel
  by_fw_cfg
  type_on_serial
  start "${hub[@]}" -netdev "user,id=m,restrict=on,hostfwd=tcp:127.0.0.1:$port-:80" \
    -device virtio-net-pci,netdev=m,mac=52:54:00:00:00:03,romfile=
  await 'running: xdp-mlr search .*--run long'
  said 'results, progress view and metrics: http://10.0.2.15:80/'
  curl -sf --max-time 20 "$url/results/1.json" >"$page.json"
  curl -sf --max-time 20 "$url/results/1.html" >"$page.html"
  [ "$(console_result | jq -c .)" = "$(jq -c . "$page.json")" ]
  diff <(console_result REPORT) "$page.html"
  summary=$(console | sed -n 's/^appliance: result 1: //p')
  curl -sf --max-time 20 "$url/" | grep -qF "$summary"
  # the same lines of the run, on the serial line and on the page
  for _ in {1..60}; do ! curl -sf --max-time 20 "$url/live" | grep -q '^  trials *w.....' || break; sleep 0.5; done
  key s
  await '^Results: 1 kept'
  said 'Status: running, run 2 of 2 (long)'
  curl -sf --max-time 20 "$url/live" >"$page.live"
  for line in 'running, run 2 of 2 (long)' '^  goal1 .* \.\. ' '^  trials *w' '^  trial [0-9]* .*fps for '; do
    said "$line"
    grep -q -- "$line" "$page.live"
  done
  curl -sf --max-time 20 "$url/metrics" | grep -q '^xdp_mlr_appliance_results 1$'
  curl -sf --max-time 20 "$url/log" | grep -q 'running: xdp-mlr search .*--run long'
  if [ -n "${SCREENSHOTS:-}" ]; then sh -c "$SCREENSHOTS" - "$url"; fi
  # stopped by a key, handed over, switched off by a key
  key cy
  await 'done; waiting for another'
  said 'result 2: .*IRREGULAR'
  key qy
  await ^never^
}
