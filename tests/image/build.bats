#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What building the appliance makes: `make check-image`.
bats_require_minimum_version 1.5.0
load helper

@test "what is in the image is written beside it" {
  # every library, module and firmware is there, of a package whose version, hash and licence are listed
  (cd "$IMAGE/root" && find . -name '*.so' -o -name '*.so.*' -o -name '*.ko' -o -path './lib/firmware/*' -type f | sed 's|^\.||' | LC_ALL=C sort) \
    >"$BATS_TEST_TMPDIR/there"
  cut -f2 "$IMAGE/contents.tsv" | grep -E '\.so|\.ko$|^/lib/firmware/' | LC_ALL=C sort | cmp - "$BATS_TEST_TMPDIR/there"
  cut -f3 "$IMAGE/contents.tsv" | sort -u | cmp - <(cut -f1 "$IMAGE/packages.tsv" | sort -u)
  awk -F '\t' '$1 == "" || $2 == "" || $4 !~ /^([0-9a-f]+|-)$/ { print; bad = 1 } END { exit bad }' "$IMAGE/packages.tsv"
  while IFS=$'\t' read -r package _ _ _ licence; do
    [ "$package" = xdp-mlr ] || [ -s "$IMAGE/$licence" ]
  done <"$IMAGE/packages.tsv"
  awk -F '\t' '$1 ~ /^linux-(image|binary)-/ && length($4) == 64 { good = 1 } END { exit !good }' "$IMAGE/packages.tsv"
}

@test "two builds are the same, byte for byte" {
  nics=$(sed -n 's/.*drivers: \([a-z]*\),.*/\1/p' "$IMAGE/root/etc/xdp-mlr-release")
  IMAGE_OUT=$BATS_TEST_TMPDIR/again tools/image/build "${IMAGE_KERNEL:-6.1}" "$nics"
  for file in vmlinuz initrd.img xdp-mlr.efi xdp-mlr.img xdp-mlr.iso contents.tsv packages.tsv firmware.tsv SHA256SUMS; do
    cmp "$IMAGE/$file" "$BATS_TEST_TMPDIR/again/$file"
  done
  (cd "$IMAGE" && sha256sum --quiet --check SHA256SUMS)
}

@test "the other kernel, and a second cpio behind the initrd" {
  IMAGE=$BATS_FILE_TMPDIR/other
  case ${IMAGE_KERNEL:-6.1} in 6.1) kernel=6.12 ;; *) kernel=6.1 ;; esac
  IMAGE_OUT=$IMAGE tools/image/build "$kernel" vm
  configuration <<<"$TRIAL"
  cp "$IMAGE/initrd.img" "$BATS_TEST_TMPDIR/initrd"
  (cd "$BATS_TEST_TMPDIR" && echo config.yaml | cpio -o -H newc --quiet >>initrd)
  from_kernel
  machine[3]=$BATS_TEST_TMPDIR/initrd
  boot '' "${dumped_hub[@]}"
  echo "# from power-on to the first frame: $(first_frame_s) s" >&3
  said 'configuration: /config.yaml in the initrd'
  is_the_trial "$BATS_TEST_TMPDIR/result.json"
  # not the one that the other tests boot
  [ "$(jq -r .environment.kernel "$BATS_TEST_TMPDIR/result.json")" != "$(kernel_of "${BUILD:-build}/image/${IMAGE_KERNEL:-6.1}")" ]
}
