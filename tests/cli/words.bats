#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tools/words counts the sentences of pages and comments; every link of a page leads somewhere, and every page that the tree names is there.
load helper

@test "sentences of a page are counted: paragraphs, items and long cells, but no code, heading or short cell" {
  local tree=$BATS_TEST_TMPDIR/tree
  mkdir -p "$tree"/{tools,docs,lib/trial,bpf,include/mlr,user/base}
  cp tools/words "$tree/tools"
  touch "$tree"/README.md "$tree"/{lib,bpf,include/mlr,user/base}/x.h
  cat >"$tree/docs/page.md" <<'PAGE'
# A heading. It does not count.

One two three. Four `a b c` five,
six seven? See [eight nine](x.md#a.b).

```
This is code. It does not count.
```
- An item without a stop
- another one

| short cell. | it does not count. |
|---|---|
PAGE
  printf '| %s. |\n' "$(seq -s ' ' 41)" >>"$tree/docs/page.md"
  run "$tree/tools/words"
  echo "$output"
  [[ $output == *"docs/page.md "*" 5 sentences of  3.6 words,   1 above 40"* ]]
  run "$tree/tools/words" --long
  [[ $output == "docs/page.md: 41 words: 1 2 3 "* ]]
}

@test "sentences of a header's comments are counted" {
  local tree=$BATS_TEST_TMPDIR/tree
  mkdir -p "$tree"/{tools,docs,lib/trial,bpf,include/mlr,user/base}
  cp tools/words "$tree/tools"
  touch "$tree"/README.md "$tree"/docs/page.md "$tree"/{bpf,include/mlr,user/base}/x.h
  printf '%s\n' '/* SPDX-License-Identifier: none of it */' '/*' ' * One two. Three' ' * four five.' ' *' $' *\tkey\tis no sentence.' ' *  nor is this.' ' */' 'int a; /* six */' >"$tree/lib/trial/x.h"
  run "$tree/tools/words" --sum
  [[ $output == *"comments of headers"*" 3 sentences of  2.0 words,   0 above 40"* ]]
}

# The anchors of a page's headings, as GitHub makes them
anchors() { # FILE
  sed -n '/^```/,/^```/d; s/^##* //p' "$1" | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

@test "every link of a page leads to a file that is there, and to a heading of it" {
  local page link file anchor broken=0
  for page in README.md $(find docs -name '*.md'); do
    while read -r link; do
      file=${link%%#*} anchor=
      [[ $link != *#* ]] || anchor=${link#*#}
      if [ -z "$file" ]; then file=$page; else file=$(dirname "$page")/$file; fi
      [ -e "$file" ] || { echo "$page: no $link"; broken=1; continue; }
      [ -z "$anchor" ] || anchors "$file" | grep -qxF -- "$anchor" || { echo "$page: $file has no heading #$anchor"; broken=1; }
    done < <(sed '/^ *```/,/^ *```/d; s/`[^`]*`//g' "$page" | grep -oE '\]\([^)]+\)' | sed 's/^](//; s/)$//' | grep -vE '^https?://')
  done
  [ "$broken" -eq 0 ]
}

@test "a page that names another one links to it" {
  local page unlinked=0
  for page in README.md $(find docs -name '*.md'); do
    if sed '/^ *```/,/^ *```/d; s/\[[^]]*\]([^)]*)//g' "$page" | grep -E '[A-Za-z-]+\.md\b' | grep -vE 'today\.md'; then
      echo "$page names a page without a link"
      unlinked=1
    fi
  done
  [ "$unlinked" -eq 0 ]
}

@test "every page that sources, tools, tests and man pages name is there, and nothing names what is outside of the tree" {
  local path broken=0
  while read -r path; do
    [ -e "$path" ] || { echo "there is no $path:" && grep -rnF "$path" user lib bpf include tools tests docs Makefile .ci | head -3; broken=1; }
  done < <(grep -rhoE '\bdocs/[A-Za-z0-9_/-]+\.(md|tsv|svg|png|json)' user lib bpf include tools tests docs Makefile .ci --exclude=words.bats | sort -u)
  [ "$broken" -eq 0 ]
  run grep -rn '\.\./shared' README.md Makefile user lib bpf include tools docs .ci tests --exclude=words.bats
  [ -z "$output" ] || { echo "outside: $output"; return 1; }
}
