#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The table of systems in docs/internals/testing.md: tools/table-row.
bats_require_minimum_version 1.5.0

@test "a table that a program writes: a row is put in its place, and takes that of its key" {
  local file=$BATS_TEST_TMPDIR/file.md row
  printf '%s\n' before '<!-- table: written -->' '' '| a | b |' '|---|---|' '' after >"$file"
  for row in '| Debian sid | 1 |' '| Debian 12 | 2 |' '| Debian 13 | 3 |' '| Debian 12 | 4 |'; do tools/table-row "$file" "$row"; done
  printf '%s\n' before '<!-- table: written -->' '' '| a | b |' '|---|---|' '| Debian 12 | 4 |' '| Debian 13 | 3 |' '| Debian sid | 1 |' '' after |
    cmp - "$file"
  echo 'no table' >"$file"
  run --separate-stderr tools/table-row "$file" '| a | b |'
  [ "$status" -eq 2 ]
  [ "$(cat "$file")" = 'no table' ]
}

@test "rows of another commit are taken out" {
  local file=$BATS_TEST_TMPDIR/file.md
  printf '%s\n' '<!-- table: written -->' '' '| a | b |' '|---|---|' '| Debian 12 | old |' '| Debian 13 | old |' '| Debian sid | new |' >"$file"
  tools/table-row "$file" '| Debian 13 | new |' new
  printf '%s\n' '<!-- table: written -->' '' '| a | b |' '|---|---|' '| Debian 13 | new |' '| Debian sid | new |' | cmp - "$file"
}
