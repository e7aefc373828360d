# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the end-to-end tests, on one host or several. A file that loads this may say in SHOWN what of a document is shown.

source "$(dirname "${BASH_SOURCE[0]}")/../jq.bash"

# Fail, with the output, unless the jq expression over it is true. (jq 1.6 finds everything true of nothing.)
check() {
  { [ -n "$output" ] && "$JQ" -e "$1" <<<"$output" >/dev/null; } || {
    echo "not so: $1"
    jq "${SHOWN:-.trial_result // .search_result // .}" <<<"$output" | head -150
    echo "$stderr"
    return 1
  }
}
