#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What is wrong with a machine or a configuration is said on the appliance's console: `make check-image`.
bats_require_minimum_version 1.5.0
load helper

# A network card on a hub of its own, unless another one is named.
card() { # NUMBER MODEL [MAC] [HUB]
  machine+=(-netdev "hubport,id=n$1,hubid=${4:-0}" -device "$2,id=nic$1,netdev=n$1,mac=${3:-52:54:00:00:00:0$1},romfile=")
}

@test "no port; a configuration of 10 MB" {
  truncate -s 10M "$BATS_TEST_TMPDIR/config.yaml"
  from_kernel
  by_fw_cfg
  boot 'waiting for another' -nodefaults
  said 'no network port was found'
  said 'config.yaml:1: larger than 1048576 octets'
  said 'nothing was sent'
}

@test "one port whose link is down, and a device that there is no driver for" {
  from_kernel
  card 1 virtio-net-pci
  card 2 rtl8139
  machine+=(-S)
  start -nodefaults
  monitor 'set_link n1 off'
  monitor cont
  await 'waiting for a volume'
  said 'awaiting the links of the ports, at most 5 s'
  said 'port eth0  52:54:00:00:00:01  virtio_net  link down'
  said 'network device 0000:00:03.0 (vendor 0x10ec, device 0x8139) has no driver in this image'
  said 'one network port was found; a test takes two'
  said '  eth0 .* no link'
}

@test "two ports with the same MAC address; not YAML, and what is plugged in then is right" {
  configuration <<<$'appliance: {verb: trial\nload: 1kfps'
  cat >"$BATS_TEST_TMPDIR/next.yaml" <<<'appliance: {verb: trial, ports: [52:54:00:00:00:01, eth1]}'
  fat_volume "$BATS_TEST_TMPDIR/stick" 8192 XDPMLR "$BATS_TEST_TMPDIR/next.yaml" config.yaml
  from_kernel
  by_fw_cfg
  card 1 virtio-net-pci
  card 2 virtio-net-pci 52:54:00:00:00:01
  machine+=(-device qemu-xhci,id=usb -drive "if=none,id=stick,format=raw,file=$BATS_TEST_TMPDIR/stick")
  start -nodefaults
  await 'waiting for another'
  said 'several ports have the MAC address 52:54:00:00:00:01'
  said 'config.yaml:2: not YAML: '
  monitor 'device_add usb-storage,drive=stick,bus=usb.0'
  await '2 ports have'
  said 'config.yaml:1: 2 ports have the MAC address 52:54:00:00:00:01; name the port instead'
}

@test "a driver without native XDP, and no DHCP server: both are said, and the trial is made" {
  configuration <<<"appliance: {verb: trial, ports: [eth0, eth1], management: {port: eth2}, at-end: power-off}
load: 1kfps
duration: 0.5"
  from_kernel
  by_fw_cfg
  card 1 e1000
  card 2 e1000
  card 3 virtio-net-pci 52:54:00:00:00:03 1
  boot '' -nodefaults
  said 'management: awaiting a DHCP server on eth2, at most 15 s'
  said 'management: no DHCP server answered on eth2; going on without an address'
  said 'port eth0: the driver has no native XDP'
  jq -e '.trial_result.counts.intended == 500' "$BATS_TEST_TMPDIR/result.json"
}

@test "DHCP gives the management port its address; a volume that is pulled out is said" {
  configuration <<<"appliance: {verb: trial, ports: [eth0, eth1], management: {port: 52:54:00:00:00:03}, at-end: power-off}
load: 1kfps
duration: 3"
  fat_volume "$BATS_TEST_TMPDIR/stick" 8192 XDPMLR "$BATS_TEST_TMPDIR/config.yaml" config.yaml
  from_kernel
  card 1 virtio-net-pci
  card 2 virtio-net-pci
  machine+=(-netdev user,id=m -device virtio-net-pci,netdev=m,mac=52:54:00:00:00:03,romfile=
    -device qemu-xhci -drive "if=none,id=stick,format=raw,file=$BATS_TEST_TMPDIR/stick" -device usb-storage,drive=stick,id=usb-stick)
  start -nodefaults
  await running:
  monitor 'device_del usb-stick'
  await ^never^
  said 'management: eth2 has 10.0.2.15/24 by DHCP from 10.0.2.2, gateway 10.0.2.2'
  said 'result: the volume XDPMLR, /dev/sda, was pulled out'
  jq -e '.trial_result.counts.intended == 3000' "$BATS_TEST_TMPDIR/result.json"
}
