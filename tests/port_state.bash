# SPDX-License-Identifier: GPL-2.0-or-later
# All that a run may change of ports, a fact a line.
port_state() { # PORT...
  local port option
  for port in "$@"; do
    ip -d -j link show "$port" | jq -r --arg port "$port" '.[0] | del(.stats64, .stats) |
      paths(scalars) as $p | "\($port) ip link \($p | join(".")) = \(getpath($p))"'
    ip -j -6 address show dev "$port" |
      jq -r --arg port "$port" '.[0].addr_info[]? | "\($port) address \(.local)/\(.prefixlen) \(.scope)"'
    echo "$port disable_ipv6 = $(cat "/proc/sys/net/ipv6/conf/$port/disable_ipv6" 2>&1)"
    for option in -k -l -g -a -c -i -x -T; do
      ethtool "$option" "$port" 2>&1 | sed "s/^/$port ethtool $option /"
    done
  done
}
