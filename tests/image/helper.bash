# SPDX-License-Identifier: GPL-2.0-or-later
# Boot the appliance in QEMU, from whatever it boots from, its two ports joined by a hub unless a test says otherwise.
IMAGE=${IMAGE:-${BUILD:-build}/image/${IMAGE_KERNEL:-6.1}}
CMDLINE='console=ttyS0,115200n8 quiet net.ifnames=0 panic=-1'
OVMF=/usr/share/OVMF/OVMF_CODE_4M.fd
MIB=1048576

TRIAL='appliance: {verb: trial, ports: [eth0, eth1], at-end: power-off}
load: 1kfps
duration: 0.5'

# What that trial gives.
is_the_trial() { # JSON-FILE
  jq -e '.schema == "xdp-mlr/trial/1" and .trial_result.counts.intended == 500' "$1"
}

configuration() { # YAML on standard input
  cat >"$BATS_TEST_TMPDIR/config.yaml"
}

# --- what it boots from: sets `machine` -----------------------------------------------------------------------------------------

by_uefi() {
  cp "${OVMF/CODE/VARS}" "$BATS_TEST_TMPDIR/vars"
  machine+=(-drive "if=pflash,format=raw,readonly=on,file=$OVMF" -drive "if=pflash,format=raw,file=$BATS_TEST_TMPDIR/vars")
}

from_kernel() { # [more for the kernel's command line]
  machine=(-kernel "$IMAGE/vmlinuz" -initrd "$IMAGE/initrd.img" -append "$CMDLINE ${1:-}")
}

# By fw_cfg, as QEMU's own way.
by_fw_cfg() {
  machine+=(-fw_cfg "name=opt/org.xdp-mlr/config,file=$BATS_TEST_TMPDIR/config.yaml")
}

# A copy of the disk that a test may write to; `data` and `boot` are its volumes for mtools.
copy_disk() {
  local starts
  disk=$BATS_TEST_TMPDIR/disk
  cp --sparse=always "$IMAGE/xdp-mlr.img" "$disk"
  mapfile -t starts < <(sfdisk -d "$disk" | sed -n 's/.*start= *\([0-9]*\).*/\1/p')
  data=$disk@@$((starts[0] * 512)) boot=$disk@@$((starts[1] * 512))
}

# A FAT volume of its own, of so many KiB, with a file in it.
fat_volume() { # FILE KIB LABEL CONTENT-FILE NAME
  truncate -s "$2K" "$1"
  mformat -i "$1" -v "$3" -T $(($2 * 2)) -h 16 -s 32 ::
  mcopy -i "$1" "$4" "::$5"
}

# What of the disk no result changes: the partition table and the volume that boots.
untouched() {
  dd if="$disk" bs=$MIB count=1 status=none | sha256sum
  for file in vmlinuz initrd.img EFI/BOOT/BOOTX64.EFI; do mtype -i "$boot" "::$file" | sha256sum; done
}

as_virtio_disk() { # FILE
  machine+=(-drive "if=none,id=disk,format=raw,file=$1" -device virtio-blk-pci,drive=disk,bootindex=1)
}

as_usb_stick() { # FILE
  machine+=(-drive "if=none,id=stick,format=raw,file=$1" -device qemu-xhci -device usb-storage,drive=stick,bootindex=1)
}

as_cdrom() { # FILE
  machine+=(-drive "if=none,id=cd,format=raw,readonly=on,media=cdrom,file=$1" -device ide-cd,drive=cd,bootindex=1)
}

# --- the machine -----------------------------------------------------------------------------------------------------------------

hub=(-netdev hubport,id=a,hubid=0 -netdev hubport,id=b,hubid=0
  -device virtio-net-pci,netdev=a,mac=52:54:00:00:00:01,romfile= -device virtio-net-pci,netdev=b,mac=52:54:00:00:00:02,romfile=)

qemu_machine=(qemu-system-x86_64 -accel tcg,thread=single -cpu max -smp 1 -m 512 -M q35 -nodefaults -display none -no-reboot)

# Start it, with QEMU's monitor on a pipe; what the serial console says is in console, what comes by virtio-serial in result.json.
start() { # QEMU-ARGUMENT...
  : >"$BATS_TEST_TMPDIR/console"
  rm -f "$BATS_TEST_TMPDIR/monitor"
  mkfifo "$BATS_TEST_TMPDIR/monitor"
  exec 8<>"$BATS_TEST_TMPDIR/monitor"
  began=$(date +%s.%N)
  timeout "${limit_s:-150}" "${qemu_machine[@]}" -serial "${serial:-file:$BATS_TEST_TMPDIR/console}" \
    -device virtio-serial -chardev "file,id=r,path=$BATS_TEST_TMPDIR/result.json" \
    -device virtserialport,chardev=r,name=org.xdp-mlr.result "${machine[@]}" "$@" -monitor stdio \
    <&8 >"$BATS_TEST_TMPDIR/qemu" 2>&1 3>&- &
  qemu=$!
}

# Before start: the serial line is one that key types on.
type_on_serial() {
  mkfifo "$BATS_TEST_TMPDIR/serial.in" "$BATS_TEST_TMPDIR/serial.out"
  exec 9<>"$BATS_TEST_TMPDIR/serial.in" 7<>"$BATS_TEST_TMPDIR/serial.out"
  cat <&7 >>"$BATS_TEST_TMPDIR/console" 3>&- &
  listener=$!
  serial=pipe:$BATS_TEST_TMPDIR/serial
}

key() { # KEYS
  printf '%s' "$1" >&9
}

# How long after power-on the first frame left the tester's port a, by QEMU's own dump of that wire.
dumped_hub=("${hub[@]}" -object "filter-dump,id=dump,netdev=a,file=$BATS_TEST_TMPDIR/wire.pcap")
first_frame_s() {
  od -An -tu4 -j24 -N8 "$BATS_TEST_TMPDIR/wire.pcap" | awk -v began="$began" '{ printf "%.1f\n", $1 + $2 / 1e6 - began }'
}

# Tell QEMU something.
monitor() { # COMMAND
  echo "$1" >&8
}

# Wait until its console says so, or until it is switched off.
await() { # WORDS
  while kill -0 "$qemu" 2>/dev/null; do
    ! grep -q -- "$1" "$BATS_TEST_TMPDIR/console" || return 0
    sleep 0.2
  done
}

finish() {
  local pid
  for pid in ${qemu:-} ${sut:-} ${listener:-}; do kill "$pid" 2>/dev/null || true; done
  wait ${qemu:-} ${sut:-} ${listener:-} 2>/dev/null || true
  qemu='' sut='' listener=
}

# Two network cards whose cables are pairs of Unix sockets, TO-a and FROM-a of one machine being FROM-a and TO-a of the other.
cards() { # TO FROM MAC-PREFIX
  local end
  cards=()
  for end in a b; do
    cards+=(-netdev "dgram,id=$end,local.type=unix,local.path=$BATS_TEST_TMPDIR/$2-$end,remote.type=unix,remote.path=$BATS_TEST_TMPDIR/$1-$end")
    cards+=(-device "virtio-net-pci,netdev=$end,mac=$3:0$((${#cards[@]} / 4 + 1)),romfile=")
  done
}

# A second machine of the same image as the SUT, of a kind that `lab on` knows. Returns when it is one.
start_sut() { # KIND
  local here=$BATS_TEST_TMPDIR
  cards tester sut 52:54:00:00:01
  : >"$here/console-sut"
  timeout 150 "${qemu_machine[@]}" -serial "file:$here/console-sut" -kernel "$IMAGE/vmlinuz" -initrd "$IMAGE/initrd.img" \
    -append "$CMDLINE xdpmlr.appliance.verb=sut xdpmlr.ports=eth0,eth1 xdpmlr.sut=$1" "${cards[@]}" </dev/null >"$here/qemu-sut" 2>&1 3>&- &
  sut=$!
  for _ in $(seq 300); do
    ! grep -q 'are a SUT' "$here/console-sut" || return 0
    sleep 0.2
  done
  tr -d '\r' <"$here/console-sut"
  return 1
}

# Start it and wait until it powers off, or until its console says the words given.
boot() { # [WORDS] [QEMU-ARGUMENT...]
  local until=${1:-^never^} # of no console
  [ $# -eq 0 ] || shift
  [ $# -gt 0 ] || set -- "${hub[@]}"
  start "$@"
  await "$until"
  finish
}

teardown() {
  finish
}

console() {
  tr -d '\r' <"$BATS_TEST_TMPDIR/console"
}

# Fail, with the console, unless it said these words.
said() { # WORDS
  console | grep -q -- "$1" || {
    echo "not said: $1"
    cat "$BATS_TEST_TMPDIR/qemu"
    console | grep -v '^[{} ]' | cut -c 1-300
    return 1
  }
}

never_said() { # WORDS
  ! console | grep -q -- "$1" || { echo "said: $1" && return 1; }
}

kernel_of() { # IMAGE
  ls "$1/root/lib/modules"
}

# The result between the markers on the serial console, or the report.
console_result() { # [REPORT]
  console | sed -n "/^-----BEGIN XDP-MLR ${1:-RESULT}/,/^-----END/p" | sed '1d;$d'
}
