#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What tools/deps installs on which system: the system's package manager is played by scripts, which know a package or do not.
bats_require_minimum_version 1.5.0

setup() {
  bin=$BATS_TEST_TMPDIR/bin
  mkdir "$bin"
  local tool
  for tool in sh tr grep tail mktemp rm cat; do ln -s "$(command -v "$tool")" "$bin/$tool"; done
  program id 'echo 0'
}

program() { # NAME TEXT
  printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"
  chmod +x "$bin/$1"
}

# A system with apt, which has gcc installed, and offers all but what the pattern fits
with_apt() { # PATTERN
  program dpkg-query 'case $4 in gcc) echo installed ;; *) exit 1 ;; esac'
  program apt-cache "case \$2 in $1) echo '  Candidate: (none)' ;; *) echo '  Candidate: 1' ;; esac"
  program apt-get "[ \"\$1\" = update ] || echo \"\$@\" >$BATS_TEST_TMPDIR/installed"
}

with_dnf() { # PATTERN
  program rpm '[ "$4" = gcc ]'
  program dnf "case \"\$*\" in *repoquery*$1) ;; *repoquery*) echo it ;; *) echo \"\$@\" >$BATS_TEST_TMPDIR/installed ;; esac"
}

deps() {
  PATH=$bin run --separate-stderr tools/deps "$@"
}

installs() { # PACKAGE
  grep -qw -e "$1" "$BATS_TEST_TMPDIR/installed"
}

@test "a Debian gets what it lacks, and no more" {
  with_apt nothing
  deps
  [ "$status" -eq 0 ]
  installs libxdp-dev
  installs bpftool
  if installs gcc; then return 1; fi
  if installs linux-tools-common; then return 1; fi
}

@test "a package goes by the name that the system has for it" {
  with_apt 'bpftool|librte-net-af-xdp23|librte-net-af-xdp25'
  deps bench
  [ "$status" -eq 0 ]
  installs linux-tools-common
  installs linux-tools-generic
  installs librte-net-af-xdp26
  if grep -q '|' "$BATS_TEST_TMPDIR/installed"; then return 1; fi
}

@test "a package that the system does not have is named, and the others are installed" {
  with_apt libxdp-dev
  deps
  [ "$status" -eq 0 ]
  [[ $stderr == *'has no package libxdp-dev; going on without'* ]]
  if installs libxdp-dev; then return 1; fi
  installs libbpf-dev
}

@test "a Fedora gets its packages by dnf" {
  with_dnf libxdp-devel
  deps
  [ "$status" -eq 0 ]
  installs elfutils-libelf-devel
  if installs gcc; then return 1; fi
  [[ $stderr == *'has no package libxdp-devel; going on without'* ]]
}

@test "another system is told what is needed" {
  deps
  [ "$status" -eq 0 ]
  [[ $stderr == *'neither apt nor dnf'*libxdp-devel* ]]
}

@test "without root it says what is missing, and installs nothing" {
  with_apt nothing
  program id 'echo 1000'
  deps
  [ "$status" -eq 1 ]
  [[ $stderr == *libxdp-dev* && $stderr == *'sudo make deps'* ]]
  [ ! -e "$BATS_TEST_TMPDIR/installed" ]
}
