# SPDX-License-Identifier: GPL-2.0-or-later
# Boot the appliance in QEMU, its two ports joined by a hub.
IMAGE=${BUILD:-build}/image/${IMAGE_KERNEL:-6.1}
MLR=${BUILD:-build}/xdp-mlr

configuration() { # YAML on standard input
  cat >"$BATS_TEST_TMPDIR/config.yaml"
}

# Boot; what the serial console said is in console, what came by virtio-serial in result.json. Ends when the appliance powers
# off, when its console says the words given, or after two minutes.
boot() { # [WORDS]
  local until=${1:-} pid
  local arguments=(-kernel "$IMAGE/vmlinuz" -initrd "$IMAGE/initrd.img" -append "console=ttyS0 quiet net.ifnames=0 panic=-1")
  if [ -n "${FIRMWARE:-}" ]; then # UEFI, which takes the unified image as QEMU's kernel
    cp "${FIRMWARE/CODE/VARS}" "$BATS_TEST_TMPDIR/vars"
    arguments=(-drive "if=pflash,format=raw,readonly=on,file=$FIRMWARE" -drive "if=pflash,format=raw,file=$BATS_TEST_TMPDIR/vars"
      -kernel "$IMAGE/xdp-mlr.efi")
  fi
  [ ! -e "$BATS_TEST_TMPDIR/config.yaml" ] ||
    arguments+=(-fw_cfg "name=opt/org.xdp-mlr/config,file=$BATS_TEST_TMPDIR/config.yaml")
  : >"$BATS_TEST_TMPDIR/console"
  timeout 120 qemu-system-x86_64 -accel tcg,thread=single -cpu max -smp 1 -m 512 -M q35 -nodefaults -display none -no-reboot \
    -serial "file:$BATS_TEST_TMPDIR/console" \
    -netdev hubport,id=a,hubid=0 -netdev hubport,id=b,hubid=0 \
    -device virtio-net-pci,netdev=a,mac=52:54:00:00:00:01,romfile= \
    -device virtio-net-pci,netdev=b,mac=52:54:00:00:00:02,romfile= \
    -device virtio-serial -chardev "file,id=r,path=$BATS_TEST_TMPDIR/result.json" \
    -device virtserialport,chardev=r,name=org.xdp-mlr.result "${arguments[@]}" </dev/null >"$BATS_TEST_TMPDIR/qemu" 2>&1 3>&- &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    [ -z "$until" ] || ! grep -q "$until" "$BATS_TEST_TMPDIR/console" || break
    sleep 0.5
  done
  kill "$pid" 2>/dev/null || true
  wait "$pid" || true
}

# Fail, with the console, unless it said these words.
said() { # WORDS
  tr -d '\r' <"$BATS_TEST_TMPDIR/console" | grep -q -- "$1" || {
    echo "not said: $1"
    cat "$BATS_TEST_TMPDIR/qemu" "$BATS_TEST_TMPDIR/console"
    return 1
  }
}

# The result between the markers on the serial console.
console_result() {
  tr -d '\r' <"$BATS_TEST_TMPDIR/console" | sed -n '/^-----BEGIN XDP-MLR RESULT/,/^-----END/p' | sed '1d;$d'
}
