# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the tests of templates with tunnels: their frames, and routers that end them.
inner4='4500 0bad 0000 4000 4011 0bad 0a000001 0a000002 1388 1770 0bad 0bad'
inner6='6000 0000 0bad 1140 20010db8000000000000000000000001 20010db8000000000000000000000002 1388 1770 0bad 0bad'
ipv4='4500 0bad 0000 4000 40'                          # ... protocol
from_to='0bad c6120002 c6120001'                       # the port's address, to the router's
ipv6='6000 0000 0bad'                                  # ... protocol, hop limit
from_to6='20010002000000010000000000000002 20010002000000010000000000000001'
vxlan='0800 0000 0000 0500 020000000005 020000000006' # VNI 5, and MAC addresses

# A file of one frame: MAC addresses, these octets, in hex, and a payload.
template() { # HEX...
  local hex
  hex=$(printf '020000000001020000000002%s%072d' "$*" 0 | tr -d ' ')
  pcap=$BATS_TEST_TMPDIR/like.pcap
  printf '\xd4\xc3\xb2\xa1\x02\x00\x04\x00\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0\0\0\0\0\0\0\0\0' >"$pcap"
  printf "\\x$(printf %02x $((${#hex} / 2)))\\0\\0\\0%.0s" 1 2 >>"$pcap"
  printf "$(sed 's/../\\x&/g' <<<"$hex")" >>"$pcap"
}

# The frames of this template end at the router, which passes on what is inside: all of it, so nothing was wrong with it.
is_ended() { # HEX...
  local tx size
  template "$@"
  for tx in xsk live; do
    for size in 200 1400; do
      clean_trial --template "$pcap" --tx "$tx" --load 500 --duration 0.4 --frame-size "$size" --vary src-address=5:2
      check ".trial_result.counts | .sent == 200 and .received == 200 and .damaged == 0 and .foreign == 0"
    done
  done
}

# The lab's router has a tunnel of this name and kind.
router_ends() { # LINK OPTION...
  local link
  inside ip link add "$@"
  inside ip link set "$1" up
  for link in all sut-a "$1"; do inside bash -c "echo 0 >/proc/sys/net/ipv4/conf/$link/rp_filter; echo 1 >/proc/sys/net/ipv4/conf/$link/accept_local"; done
}
