#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Traffic profiles as options: what is refused and why, and what the first frames look like.
load helper

VALIDATE=${BUILD:-build}/tests/tools/validate

show() {
  "$XDP_MLR" profile show --format json "$@"
}

# The jq expression holds for what 'profile show' says with these options.
shows() { # expression options...
  local expression=$1 output
  shift
  output=$(show "$@")
  "$JQ" -e "$expression" <<<"$output" >/dev/null || { echo "not so: $expression"; jq . <<<"$output" | head -80; return 1; }
}

@test "profile show needs neither root nor ports" {
  run "$XDP_MLR" profile show
  [ "$status" -eq 0 ]
  [[ $output == *"port A, frame 0"* ]]
  [[ $output == *"  source_address       198.18.0.2"* ]]
  [[ $output == *"45 00"* ]]
  shows '.schema == "xdp-mlr/profile/1" and (.frames | length) == 3 and (.frames[0].hex | length) == 120' --count 3
  shows '[.frames[].port] == ["east", "west"]' -p east,west --direction both
}

@test "mixes of frame sizes, by name, list and genome" {
  shows '.traffic_profile.frame_size_order == [64,594,64,64,594,64,64,594,64,594,64,1518]' --frame-size imix
  shows '[.traffic_profile.frame_sizes[].weight] == [7, 4, 1]' --frame-size imix:7:64,4:594,1:1518
  shows '(.traffic_profile.frame_size_octets - 353.8333333) | fabs < 1e-6' --frame-size imix:csit
  shows '[.frames[].size_octets] == [64, 64, 64, 128, 256, 64]' --frame-size genome:aaabc --count 6
  shows '[.frames[].size_octets] == [64, 1518, 321]' --frame-size genome:azQ,z=1518,Q=321 --count 3
  # The examples of RFC 6985, sections 4 and 5, and its whole table but for j.
  shows '.traffic_profile.frame_size_order == [64, 64, 64, 1280, 1518]' --frame-size genome:aaafg
  shows '.traffic_profile.frame_size_order == [64, 64, 64, 1020, 1020]' --frame-size genome:AAAGG,A=64,G=1020
  shows '.traffic_profile.frame_size_order == [64, 128, 256, 512, 1024, 1280, 1518, 2112, 9000]' --frame-size genome:abcdefghi
  shows '.frames[0].size_octets == 9216' --frame-size 9216
}

@test "mixes that cannot be are refused" {
  refuses 2 "'4' lacks its weight" show --frame-size imix:7:64,4
  refuses 2 "'0' is no weight" show --frame-size imix:0:64
  refuses 2 "'63' is no frame size" show --frame-size imix:1:63
  refuses 2 "'' lacks its weight" show --frame-size imix:
  refuses 2 "add up to more than 1024" show --frame-size imix:1024:64,1:128
  refuses 2 "the letter j is 16000 octets" show --frame-size genome:aj
  refuses 2 "gives 'z' no size" show --frame-size genome:aaz
  refuses 2 "gives 'B' no size" show --frame-size genome:AB,A=99
  refuses 2 "the letter a is 64 octets" show --frame-size genome:ab,a=65
  refuses 2 "gives 'k' no size" show --frame-size genome:ak
  refuses 2 "'k' cannot have a size of your own; RFC 6985 has z .the MTU. and capitals" show --frame-size genome:ak,k=300
  refuses 2 "the genome has no letters" show --frame-size genome:
}

@test "the smallest frame follows from the protocol, and the refusal says why" {
  refuses 2 "64 octets are too few: UDP over IPv6 with 0 VLAN tags.* needs 84" show --ip 6
  refuses 2 "67 octets are too few: UDP over IPv4 with 1 VLAN tag,.* needs 68" show --vlan 1 --frame-size 67
  refuses 2 "needs 92" show --vlan 1,2 --ip mixed --frame-size genome:af
  # a mix is what fits of it, and that is said
  shows '[.frames[].size_octets] | unique == [84, 570, 1518]' --ip 6 --frame-size imix:28:78,16:570,4:1518 --count 48 2>"$BATS_TEST_TMPDIR/err"
  grep -q -- "--frame-size imix:28:78,16:570,4:1518: 84 octets instead of 78" "$BATS_TEST_TMPDIR/err"
  shows '[.frames[].size_octets] | unique == [92, 594, 1518]' --vlan 1,2 --ip mixed --frame-size imix --count 12 2>"$BATS_TEST_TMPDIR/err"
  grep -q -- "--frame-size imix: 92 octets instead of 64" "$BATS_TEST_TMPDIR/err"
  shows '.frames[0].size_octets == 92' --vlan 1,2 --ip 6 --frame-size 92
  refuses 2 "too few" "$XDP_MLR" search -p a,b --ip 6
}

@test "VLAN tags" {
  shows '.frames[0].vlans == ["0x8100 vid 100 priority 5"]' --vlan 100:5 --frame-size 68
  shows '.frames[0].vlans == ["0x88a8 vid 1 priority 0", "0x8100 vid 2 priority 7"]' --vlan 1,2:7 --frame-size 72
  shows '.frames[0].vlans[0] == "0x8100 vid 1 priority 0"' --vlan 1,2:7 --frame-size 72 --vlan-outer 802.1Q
  refuses 2 "'4095' is no VLAN" show --vlan 4095
  refuses 2 "'8' is no priority" show --vlan 1:8
  refuses 2 "at most 2 tags" show --vlan 1,2,3
  refuses 2 "'' is no VLAN" show --vlan 1,
}

@test "flows differ, by ports unless told otherwise" {
  shows '[.frames[].source_port] == [49184, 49185, 49186, 49184] and .frames[3].sequence == 2' --flows 3 --count 4
  shows '[.frames[].source_address] == ["198.18.0.2", "198.18.0.4", "198.18.0.2"] and .frames[2].destination_address == "198.19.0.3"' \
    --vary src-address=2:2,dst-address=3 --count 3
  shows '.traffic_profile.flows_per_port == 6' --vary src-address=2,dst-address=3
  shows '[.frames[].source_address] == ["2001:2:0:1::2", "2001:2:0:1::3"]' --vary src-address=2 --ip 6 --frame-size 84 --count 2
  shows '([.frames[] | [.source_port, .destination_port]] | unique | length) == 1000' --flows 1000 --flow-order random --count 1000
  [ "$(show --flows 9 --flow-order random --count 9 --seed 4)" = "$(show --flows 9 --flow-order random --count 9 --seed 4)" ]
  [ "$(show --flows 9 --flow-order random --count 9 --seed 4)" != "$(show --flows 9 --flow-order random --count 9 --seed 5)" ]
  shows '[.frames[].ip_version] == [4, 6, 4, 6] and .traffic_profile.flows_per_port == 2' --ip mixed --frame-size 84 --count 4
}

@test "flows that cannot be are refused" {
  refuses 2 "no field 'src-adress', did you mean 'src-address'" show --vary src-adress=3
  refuses 2 "must be FIELD=COUNT" show --vary src-port
  refuses 2 "'0' is no count" show --vary src-port=0
  refuses 2 "'x' is no step" show --vary src-port=2:x
  refuses 2 "src-port is given twice" show --vary src-port=2,src-port=3
  refuses 2 "need more room" show --vary dst-port=49152
  refuses 2 "only 4 different ones" show --flows 5 --vary src-port=4
  refuses 2 "more flows than there can be" show --vary src-port=1001,dst-port=1000
  refuses 2 "do not fit the network of port A, 198.18.0.2/24" show --vary src-address=254
  refuses 2 "do not fit the network of port B" show --vary dst-address=254
  refuses 2 "is its gateway, 198.18.0.5" "$XDP_MLR" trial -p a,b --load 5 --gateway 198.18.0.5,198.19.0.1 --vary src-address=4
  refuses 2 "from 1 to 1000000" show --flows 1000001
}

@test "modifiers" {
  shows '[.frames[].extra] == [false, false, false, true, false] and .frames[3].destination_mac == "ff:ff:ff:ff:ff:ff"' \
    --modifier broadcast=25% --count 5
  shows '.traffic_profile.modifiers | length == 2' --modifier broadcast=1%,management=1/s
  refuses 2 "at most 50%" show --modifier broadcast=60%
  refuses 2 "must be queries a second" show --modifier management=1
  refuses 2 "no modifier 'multicast'; there are broadcast and management" show --modifier multicast=1
}

@test "a template that cannot be used is refused, with the reason" {
  local file=$BATS_TEST_TMPDIR/file
  refuses 2 "cannot read .*No such file" show --template "$file"
  printf 'not a capture' >"$file"
  refuses 2 "neither pcap nor pcapng" show --template "$file"
  printf '\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0' >"$file"
  refuses 2 "it has no frame" show --template "$file"
}

@test "the text names the tunnels of a template" {
  local file=$BATS_TEST_TMPDIR/mpls.pcap
  { # 60 octets: MPLS, IPv4, UDP
    printf '\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0'
    printf '\0\0\0\0\0\0\0\0\x40\0\0\0\x40\0\0\0'
    printf '\2\0\0\0\0\1\2\0\0\0\0\2\x88\x47\0\6\x41\xff'
    printf '\x45\0\0\x2e\0\0\0\0\x40\x11\0\0\xc0\0\2\1\xc0\0\2\2\0\7\0\7\0\x1a\0\0'
    head -c 18 /dev/zero
  } >"$file"
  shows '.traffic_profile.protocol == "UDP over IPv4 inside MPLS"' --template "$file"
  run -0 "$XDP_MLR" profile show --template "$file" --count 1
  [[ $output == *"  tunnels              MPLS"$'\n'* ]]
}

@test "more than two ports are pairs, or a mesh" {
  shows '[.traffic_profile.streams[] | [.from, .to]] == [["a", "b"], ["c", "d"]]' -p a,b,c,d
  shows '[.traffic_profile.streams[] | .to] == ["a", "b", "c", "d"]' -p a,b,c,d --direction both
  shows '(.traffic_profile.streams | length) == 12 and (.frames | length) == 4' -p a,b,c,d --direction mesh
  shows '[.traffic_profile.streams[] | .source_address] == ["198.18.0.2", "198.18.1.2", "198.18.2.2"]' -p a,b,c,d,e,f
  shows '[.traffic_profile.streams[] | .destination_address] == ["2001:2:0:2::2", "2001:2:0:4::2"]' -p a,b,c,d --ip 6 --frame-size 84
  refuses 2 "two, or another even number of ports" show -p a,b,c
  refuses 2 "at most 8 ports" show -p a,b,c,d,e,f,g,h,i
  refuses 2 "the same port twice" show -p a,b,c,a
  refuses 2 "must be four, separated by commas" show -p a,b,c,d --address 10.0.0.2,10.0.1.2
  refuses 2 "two ports at a time" "$XDP_MLR" selftest -p a,b,c,d
}

@test "everything goes through the file, too" {
  printf 'frame-size: genome:ab\nvlan: 7\nflows: 2\nvary: src-port=2:5\nflow-order: incrementing\nip: 4\n' >"$BATS_TEST_TMPDIR/c.yaml"
  refuses 2 "64 octets are too few" show --config "$BATS_TEST_TMPDIR/c.yaml"
  shows '[.frames[].source_port] == [49184, 49189]' --config "$BATS_TEST_TMPDIR/c.yaml" --frame-size 128 --count 2
}

@test "what it prints fits its schema" {
  show --ip mixed --vlan 1,2 --frame-size 99 --count 3 --modifier broadcast=50% | "$VALIDATE" --closed docs/schema/profile.schema.json -
}
