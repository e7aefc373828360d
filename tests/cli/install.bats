#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What belongs to the system: man pages, completion, the shared library, installing and taking away again.
load helper

BUILD=${BUILD:-build}
MAN=$BUILD/man

# The words that come before the options of every verb: "search", "lab up", ...
verbs() {
  "$XDP_MLR" --help | sed -n '/^Verbs:/,/^$/p' | sed -n 's/^  \([a-z0-9]*\( [a-z]*\)\{0,1\}\)  .*/\1/p'
}

# The long options that --help of a verb lists
options_of() {
  "$XDP_MLR" $1 --help=all | sed -n 's/^  \(-., \|    \)--\([a-z0-9-]*\).*/\2/p'
}

installed() { # make arguments...
  # what the caller's make passes on would be taken as options here
  env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory BUILD="$BUILD" SAN="$([ "$BUILD" = build-san ] && echo 1 || echo 0)" \
    PREFIX=/usr DESTDIR="$BATS_TEST_TMPDIR/root" "$@"
}

# --- man pages ---

@test "every verb has a man page, and in it each option that --help knows, and no other" {
  local verb page
  [ "$(verbs | wc -l)" -ge 9 ]
  for page in $(verbs | sed 's/ .*//' | sort -u); do
    local known=()
    while read -r verb; do
      [ "${verb%% *}" != "$page" ] || known+=($(options_of "$verb"))
    done < <(verbs)
    [ ${#known[@]} -gt 3 ]
    diff <(printf '%s\n' "${known[@]}" | sort -u) \
      <(sed -n '/^\.SH OPTIONS/,/^\.SH/s/.*\\fB\\-\\-\([a-z0-9\\-]*\)\\fR.*/\1/p' "$MAN/xdp-mlr-$page.8" | tr -d '\\' | sort -u)
  done
}

@test "a default that --help tells stands in the man page" {
  grep -qxF 'Default: 198.18.0.2/24,198.19.0.2/24.' "$MAN/xdp-mlr-search.8"
  [ "$(grep -c '^Default: ' "$MAN/xdp-mlr-search.8")" -ge 8 ]
  grep -qxF 'Default: both.' "$MAN/xdp-mlr-connect.8"
  grep -qxF 'Default: 512.' "$MAN/xdp-mlr-y1564.8"
  grep -q '^0 .*; 1 it is slower; 2 ' "$MAN/xdp-mlr-compare.8"
}

@test "the main page names every verb and every exit code, the file's page every key" {
  local verb
  while read -r verb; do
    grep -qxF ".B $verb" "$MAN/xdp-mlr.8"
    grep -qF "xdp\\-mlr\\-${verb%% *} (8)" "$MAN/xdp-mlr.8"
  done < <(verbs)
  for code in 0 1 2 3 4 5 130; do grep -qx ".B $code" "$MAN/xdp-mlr.8"; done
  diff <("$XDP_MLR" search --measurer "$SIM" --max-load 10Mfps --dump-config | sed -n 's/^\([a-z-]*\):.*/\1/p' | sort) \
    <(sed -n 's/^\.B \([a-z\\-]*\)$/\1/p' "$MAN/xdp-mlr.yaml.5" | tr -d '\\' | sort |
      grep -xF -f <("$XDP_MLR" search --measurer "$SIM" --max-load 10Mfps --dump-config | sed -n 's/^\([a-z-]*\):.*/\1/p'))
  # what belongs on the command line only is no key
  if grep -qxE '\.B (config|help|version|resume|replay|dry\\-run|dump\\-config)' "$MAN/xdp-mlr.yaml.5"; then return 1; fi
}

@test "man pages are without warnings" {
  command -v groff >/dev/null || skip "groff(1) is not here"
  for page in "$MAN"/*.[578]; do
    run groff -man -Tutf8 -ww -z "$page"
    [ "$status" -eq 0 ]
    [ -z "$output" ] || { echo "$page: $output"; return 1; }
    head -1 "$page" | grep -q mkman
  done
}

# --- completion ---

# What bash offers after these words: `offers WORD... [LAST]`
offers() {
  bash -c 'source "$1"; shift; COMP_WORDS=(xdp-mlr "$@"); COMP_CWORD=$#; _xdp_mlr; printf "%s\n" "${COMPREPLY[@]}"' - "$MAN/completion.bash" "$@"
}

@test "bash completes verbs, options and values" {
  diff <(offers '' | grep -v '^--' | sort) <(verbs | sed 's/ .*//' | sort -u)
  [ "$(offers tri)" = trial ]
  [ "$(offers lab '' | paste -sd' ')" = "up down status on" ]
  local verb
  while read -r verb; do
    # shellcheck disable=SC2086
    diff <(offers $verb -- | sort -u) <(options_of "$verb" | sed 's/^/--/' | sort -u)
  done < <(verbs)
  [ "$(offers search --dir)" = --direction ]
  [ "$(offers search --direction '' | paste -sd' ')" = "a-to-b b-to-a both mesh" ]
  [ "$(offers search --direction = b | paste -sd' ')" = "b-to-a both" ]
  [ "$(offers search --preset r)" = rfc2544 ]
  offers lab up --sut '' | grep -x policer >/dev/null
  offers trial --require lat | grep -x latency.p99 >/dev/null
  offers search --require ndr | grep -x ndr.lower >/dev/null
  offers rfc2544 --require '' | grep -x reset >/dev/null
  # ports: any of a probe; of others those that nothing uses, and each once
  offers probe -p lo | grep -x lo >/dev/null
  offers probe -p x,lo | grep -x x,lo >/dev/null
  [ -z "$(offers probe -p lo,lo)" ]
  [ -z "$(offers search -p lo)" ]
  : >"$BATS_TEST_TMPDIR/one.json"
  [ "$(offers compare "$BATS_TEST_TMPDIR/on")" = "$BATS_TEST_TMPDIR/one.json" ]
  [ "$(offers search --config "$BATS_TEST_TMPDIR/on")" = "$BATS_TEST_TMPDIR/one.json" ]
  # an option whose value nobody can guess offers nothing
  [ -z "$(offers search --max-load '')" ]
}

@test "bash offers the ports that nothing uses" {
  [ "$(id -u)" -eq 0 ] || skip "making links needs root"
  export -f offers
  export MAN
  # shellcheck disable=SC2016
  tests/isolated bash -ec '
    for link in unused member; do ip link add $link type veth peer name $link-peer; ip link set $link up; done
    ip address add 192.0.2.1/24 dev member-peer; ip link set member-peer up
    ip link add lan type bridge; ip link set member master lan
    [ "$(offers search -p "" | LC_ALL=C sort | paste -sd" ")" = "lan unused unused-peer" ]
    [ "$(offers search -p "unused," | LC_ALL=C sort | paste -sd" ")" = "unused,lan unused,unused-peer" ]'
}

@test "zsh reads its completion" {
  command -v zsh >/dev/null || skip "zsh(1) is not here"
  zsh -n "$MAN/completion.zsh"
}

@test "zsh completes the second word of every verb that has two" {
  local verb
  while read -r verb; do
    [[ $verb == *' '* ]] || continue
    sed -n "/verb == ${verb%% *} /,/^  fi/p" "$MAN/completion.zsh" | grep -qE "compadd.* ${verb#* }( |\$)"
  done < <(verbs)
}

# --- installing ---

@test "make install puts everything in its place, and uninstall takes it away" {
  installed install >/dev/null
  local root=$BATS_TEST_TMPDIR/root file
  for file in sbin/xdp-mlr lib/libmlr.so lib/libmlr.a lib/pkgconfig/mlr.pc include/mlr/controller.h share/man/man8/xdp-mlr.8 \
    share/man/man8/xdp-mlr-search.8 share/man/man5/xdp-mlr.yaml.5 share/man/man7/xdp-mlr-methodology.7 share/doc/xdp-mlr/README.md \
    share/doc/xdp-mlr/report.png share/doc/xdp-mlr/guide/quick-start.md share/doc/xdp-mlr/reference/exec.md share/doc/xdp-mlr/internals/design.md \
    share/doc/xdp-mlr/examples/own_measurer.c share/doc/xdp-mlr/examples/search.yaml share/doc/xdp-mlr/examples/campaign.yaml share/doc/xdp-mlr/schema/search.schema.json share/bash-completion/completions/xdp-mlr \
    share/zsh/site-functions/_xdp-mlr lib/systemd/system/xdp-mlr@.service; do
    [ -s "$root/usr/$file" ] || { echo "no $file"; return 1; }
  done
  [[ $("$root/usr/sbin/xdp-mlr" --version) == xdp-mlr\ * ]]
  grep -q '^ExecStart=.*/usr/sbin/xdp-mlr ' "$root/usr/lib/systemd/system/xdp-mlr@.service"
  installed uninstall >/dev/null
  [ -z "$(find "$root" -type f -o -type l)" ]
}

@test "another version, compiler or flag builds again what it concerns; the flags of warnings concern nothing" {
  local change
  installed -q install-build STRICT=0
  installed -q install-build STRICT=1
  for change in VERSION=9.9.9 CC=another CFLAGS=-O1 HARDEN=2 CLANG=another LDFLAGS=-Wl,-O1; do
    run -1 installed -q install-build "$change"
  done
  # the library does not know the version
  installed -q "$BUILD/libmlr.a" VERSION=9.9.9
  run -1 installed -q "$BUILD/libmlr.a" CFLAGS=-O1
  # an object is compiled again, and then not once more
  local object=$BATS_TEST_TMPDIR/build/lib/controller/grid.o
  installed BUILD="$BATS_TEST_TMPDIR/build" CFLAGS=-O1 "$object" >/dev/null
  installed BUILD="$BATS_TEST_TMPDIR/build" CFLAGS=-O1 -q "$object"
  local before
  before=$(sha256sum <"$object")
  installed BUILD="$BATS_TEST_TMPDIR/build" CFLAGS=-O0 "$object" >/dev/null
  [ "$(sha256sum <"$object")" != "$before" ]
}

@test "the example configuration is one, and the program in it refuses nothing but the ports" {
  "$XDP_MLR" search --config tools/examples/search.yaml --dump-config | grep -qx 'ports: eth1,eth2'
  [ "$("$XDP_MLR" campaign run tools/examples/campaign.yaml --dry-run | wc -l)" -eq 18 ]
}

@test "the shared library exports what its headers declare, and nothing else" {
  local library
  library=$(ls "$BUILD"/libmlr.so.*)
  nm -D --defined-only "$library" | awk '$2 ~ /[A-Z]/ && $3 !~ /^(_init|_fini|__|_edata|_end)/ { sub(/@.*/, "", $3); print $3 }' | sort >"$BATS_TEST_TMPDIR/exported"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/exported")" -gt 40 ]
  if grep -v '^mlr_' "$BATS_TEST_TMPDIR/exported"; then return 1; fi
  local symbol
  while read -r symbol; do grep -qw "$symbol" include/mlr/*.h || { echo "not declared: $symbol"; return 1; }; done <"$BATS_TEST_TMPDIR/exported"
  # the internal ones that share the prefix are not there
  if grep -qx mlr_choose "$BATS_TEST_TMPDIR/exported"; then return 1; fi
  grep -qx mlr_controller_new_mlr "$BATS_TEST_TMPDIR/exported"
  readelf -d "$library" | grep >/dev/null 'SONAME.*libmlr\.so\.0\]'
}

@test "a program of one's own, built by pkg-config against what was installed, searches over its own measurer" {
  installed install >/dev/null
  local root=$BATS_TEST_TMPDIR/root flags=
  [ "$BUILD" != build-san ] || flags="-fsanitize=address -fsanitize=undefined"
  export PKG_CONFIG_PATH=$root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
  [ "$(pkg-config --modversion mlr)" = "$("$XDP_MLR" --version | sed 's/.* //')" ]
  # shellcheck disable=SC2046
  ${CC:-gcc} -Wall -Wextra -Werror $flags tools/examples/own_measurer.c $(pkg-config --cflags --libs mlr) -o "$BATS_TEST_TMPDIR/own"
  LD_LIBRARY_PATH=$root/usr/lib "$BATS_TEST_TMPDIR/own" >"$BATS_TEST_TMPDIR/out"
  readelf -d "$BATS_TEST_TMPDIR/own" | grep >/dev/null 'NEEDED.*libmlr\.so\.0\]'
  awk '$1 == "ndr" && $2 == "regular" && $3 <= 1234567 && $4 > 1234567 && ($4 - $3) / $4 <= 0.005 { n++ } $1 == "pdr" && $2 == "regular" { n++ }
    END { exit n != 2 }' "$BATS_TEST_TMPDIR/out"
  # and statically
  # shellcheck disable=SC2046
  ${CC:-gcc} $flags tools/examples/own_measurer.c $(pkg-config --cflags mlr) "$root/usr/lib/libmlr.a" -lm -o "$BATS_TEST_TMPDIR/static"
  "$BATS_TEST_TMPDIR/static" | diff - "$BATS_TEST_TMPDIR/out"
}

@test "the service is one that systemd understands" {
  command -v systemd-analyze >/dev/null || skip "systemd-analyze(1) is not here"
  mkdir -p "$BATS_TEST_TMPDIR/unit"
  sed 's|@SBINDIR@/xdp-mlr|/bin/true|' tools/systemd/xdp-mlr@.service >"$BATS_TEST_TMPDIR/unit/xdp-mlr@.service"
  run systemd-analyze verify --man=no "$BATS_TEST_TMPDIR/unit/xdp-mlr@x.service"
  if [[ $output == *"xdp-mlr@"* || ( $status -ne 0 && $output != *"Failed to"* ) ]]; then
    echo "$output"
    return 1
  fi
}

@test "systemd calls the service no more exposed than 2.5" {
  command -v systemd-analyze >/dev/null || skip "systemd-analyze(1) is not here"
  systemd-analyze --help | grep -q offline || skip "this systemd-analyze reads no unit that is not loaded"
  sed 's|@SBINDIR@|/usr/sbin|' tools/systemd/xdp-mlr@.service >"$BATS_TEST_TMPDIR/xdp-mlr@x.service"
  systemd-analyze security --no-pager --offline=yes --threshold=25 "$BATS_TEST_TMPDIR/xdp-mlr@x.service" >"$BATS_TEST_TMPDIR/said" ||
    { tail -1 "$BATS_TEST_TMPDIR/said"; return 1; }
}

# --- the archive ---

@test "the archive of the sources has all that a build needs, and nothing that a build made" {
  installed dist >/dev/null
  local archive
  archive=$(ls "$BUILD"/xdp-mlr-*.tar.gz)
  tar -tf "$archive" >"$BATS_TEST_TMPDIR/list"
  for file in Makefile tools/install.mk user/cli/main.c lib/mlrsearch/mlr.c bpf/rx.bpf.c include/mlr/goal.h docs/man/xdp-mlr.8.in tools/debian/control \
    tests/run tests/isolated tools/deps; do
    grep -qx "xdp-mlr-[0-9.]*/$file" "$BATS_TEST_TMPDIR/list" || { echo "no $file"; return 1; }
  done
  if grep -E '/build/|\.o$|\.git/' "$BATS_TEST_TMPDIR/list"; then return 1; fi
}

@test "each row of what is not trusted in docs/SECURITY.md names tests, and they are there" {
  local row file count=0
  while read -r row; do
    [[ $row == *'`tests/'* ]] || { echo "no test: $row"; return 1; }
    for file in $(grep -o '`tests/[^`]*`' <<<"$row" | tr -d '`'); do [ -e "$file" ] || { echo "no $file: $row"; return 1; }; done
    count=$((count + 1))
  done < <(sed -n '/^## What is not/,/^## What it gives up/p' docs/SECURITY.md | grep '^| .* |' | tail -n +2)
  [ "$count" -ge 25 ]
}

@test "the program is hardened by what the compiler has" {
  command -v readelf >/dev/null || skip "readelf(1) is not here"
  [[ ${BUILD:-build} != *san* ]] || skip "sanitizers have guards of their own"
  readelf -hW "$XDP_MLR" | grep >/dev/null 'Type: *DYN'
  readelf -lW "$XDP_MLR" | grep >/dev/null GNU_RELRO
  readelf -dW "$XDP_MLR" | grep >/dev/null 'BIND_NOW\|FLAGS_1.*NOW'
  if readelf -lW "$XDP_MLR" | grep 'GNU_STACK.*E'; then return 1; fi
  readelf -sW --dyn-syms "$XDP_MLR" | grep >/dev/null __stack_chk_fail
  readelf -sW --dyn-syms "$XDP_MLR" | grep >/dev/null '__snprintf_chk\|__memcpy_chk\|__fprintf_chk'
}
