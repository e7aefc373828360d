#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The section `appliance:` of a configuration.
load helper

@test "settings takes what it knows, and refuses the rest with the line" {
  local file=$BATS_TEST_TMPDIR/config.yaml
  cat >"$file" <<<'load: 1kfps'
  [ "$("$APPLIANCE" --settings "$file")" = $'verb=search\nat_end=wait\nports=' ]
  cat >"$file" <<<'appliance: {verb: soak, at-end: power-off, ports: [eth0, eth7]}'
  [ "$("$APPLIANCE" --settings "$file")" = $'verb=soak\nat_end=power-off\nports=eth0,eth7' ]
  cat >"$file" <<<$'appliance: {verb: y1564}\nservice: [{name: a, cir: 1kfps}]'
  [ "$("$APPLIANCE" --settings "$file")" = $'verb=y1564\nat_end=wait\nports=' ]
  while IFS='|' read -r text word; do
    printf -- "$text" >"$file"
    run --separate-stderr "$APPLIANCE" --settings "$file"
    [ "$status" -eq 2 ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "$file:"*"$word"* ]] || { echo "'$word' is not in: $stderr"; return 1; }
  done <<'END'
appliance: {verb: reboot}|1: verb 'reboot': must be search
\nappliance:\n  at-end: $(id)|3: at-end '$(id)': must be wait or power-off
appliance: {verb: [a]}|1: verb: a plain value
appliance: {ports: eth0}|1: ports
appliance: {ports: [00:00:5e:00:53:fe]}|1: no port has the MAC address
appliance: search|1: appliance
appliance: {colour: red}|1: no setting 'colour'
appliance: [\n|not YAML
- a|1: must be a mapping
END
  head -c 2000000 /dev/zero >"$file"
  run --separate-stderr "$APPLIANCE" --settings "$file"
  [ "$status" -eq 2 ]
  [[ $stderr == *"larger than"* ]]
}

# `wrong PATTERN TEXT`: refused in one line that begins with the file's name and matches
wrong() {
  printf '%b' "$2" >"$BATS_TEST_TMPDIR/c.yaml"
  run --separate-stderr "$APPLIANCE" --settings "$BATS_TEST_TMPDIR/c.yaml"
  if [ "$status" -ne 2 ] || [ -n "$output" ] || [ "${#stderr_lines[@]}" -ne 1 ] || [[ ! $stderr =~ ^$BATS_TEST_TMPDIR/c.yaml:$1 ]]; then
    echo "wanted $1, got $status: $stderr"
    return 1
  fi
}

@test "a wrong schedule is refused with its line" {
  wrong '2: schedule: a list of runs' 'appliance:\n  schedule: []\n'
  wrong "3: 'name': a run: " 'appliance:\n  schedule:\n    - name\n'
  wrong "4: two runs have the name 'a'" 'appliance:\n  schedule:\n    - {name: a}\n    - {name: a}\n'
  wrong "3: name '7': a run's name must be .* not be a number" 'appliance:\n  schedule:\n    - {name: 7}\n'
  wrong "1: verb 'reset': must be search" 'appliance: {schedule: [{verb: reset}]}\n'
  wrong "1: repeat 'never': must be forever, or" 'appliance: {schedule: {repeat: never}}\n'
  wrong "1: repeat '1.5': must be forever, or" 'appliance: {schedule: {repeat: 1.5}}\n'
  wrong "1: pause '10 bananas': must be a time of 0 s" 'appliance: {schedule: {pause: 10 bananas}}\n'
  wrong "1: every '0.5': must be a time of 1 s" 'appliance: {schedule: {every: 0.5}}\n'
  wrong "1: at '24:00': must be a time of day" 'appliance: {schedule: {at: "24:00"}}\n'
  wrong "1: '2:00': must be a time of day" 'appliance: {schedule: {at: ["02:00", "2:00"]}}\n'
  wrong '1: schedule: a pause is between rounds, and there is one; give repeat' 'appliance: {schedule: {pause: 1 h}}\n'
  wrong '1: schedule: pause, every and at exclude' 'appliance: {schedule: {at: "02:00", every: 1 h}}\n'
  wrong "1: no setting 'when' of the schedule; there are runs, repeat, pause, every and at" 'appliance: {schedule: {when: now}}\n'
  { echo 'appliance: {schedule: ['; for i in $(seq 65); do echo "{name: r$i},"; done; echo ']}'; } >"$BATS_TEST_TMPDIR/many"
  wrong '66: schedule: has more than 64 values' "$(cat "$BATS_TEST_TMPDIR/many")"
}

@test "wrong settings of HTTP, and others, are refused with their line" {
  wrong "1: 'eth0' is no IP address" 'appliance: {http: {address: eth0}}\n'
  wrong "1: '0.0.0.0' would listen on test ports" 'appliance: {http: {address: 0.0.0.0}}\n'
  wrong "1: '::' would listen on test ports" 'appliance: {http: {address: "::"}}\n'
  wrong "1: port '65536': must be a port number" 'appliance: {http: {port: 65536}}\n'
  wrong '1: token: 16 to' 'appliance: {http: {token: secret}}\n'
  wrong '1: token: 16 to' 'appliance: {http: {token: "0123456789 0123456789"}}\n'
  wrong "1: tls: lacks 'certificate'" 'appliance: {http: {tls: {key: "-----BEGIN x"}}}\n'
  wrong '1: key: PEM text' 'appliance: {http: {tls: {key: abc}}}\n'
  wrong "1: shell 'perhaps': must be true or false" 'appliance: {shell: perhaps}\n'
  wrong "1: keep '200': must be a size" 'appliance: {keep: 200}\n'
  wrong "1: keep '1 kB': must be a size" 'appliance: {keep: 1 kB}\n'
  wrong "3: 'verb' stands here twice" 'appliance:\n  verb: trial\n  verb: soak\n'
  wrong '1: a plain value' 'appliance: {verb: "tri\\0al"}\n'
}

@test "the management port: a port of its own, DHCP or an address" {
  local file=$BATS_TEST_TMPDIR/config.yaml
  echo 'appliance: {management: {port: eth2}}' >"$file"
  [ "$("$APPLIANCE" --settings "$file" | tail -3 | paste -s -d ' ')" = \
    'management_port=eth2 management_address=dhcp management_gateway=' ]
  echo 'appliance: {management: {port: eth2, address: 192.0.2.5/24, gateway: 192.0.2.1}}' >"$file"
  [ "$("$APPLIANCE" --settings "$file" | tail -2 | paste -s -d ' ')" = \
    'management_address=192.0.2.5/24 management_gateway=192.0.2.1' ]
  wrong '1: management: its port is missing' 'appliance: {management: {address: dhcp}}\n'
  wrong "1: management 'eth0': settings" 'appliance: {management: eth0}\n'
  wrong "1: address '192.0.2.1': is neither" 'appliance: {management: {port: eth0, address: 192.0.2.1}}\n'
  wrong "1: address '192.0.2.1/0000024': is neither" 'appliance: {management: {port: eth0, address: 192.0.2.1/0000024}}\n'
  wrong "1: '192.0.2.1/33' is neither" 'appliance: {management: {port: eth0, address: 192.0.2.1/33}}\n'
  wrong "1: address '192.0.2.1/2\\$': is neither" 'appliance: {management: {port: eth0, address: 192.0.2.1/2$}}\n'
  wrong "1: gateway '192.0.2.0/24': a value of 1 to" 'appliance: {management: {port: eth0, gateway: 192.0.2.0/24}}\n'
  wrong "1: 'a' is no IPv4" 'appliance: {management: {port: eth0, gateway: a}}\n'
  wrong '1: management: a gateway goes with' 'appliance: {management: {port: eth0, gateway: 192.0.2.1}}\n'
  wrong '3: management: eth1 is a test port' 'appliance:\n  ports: [eth0, eth1]\n  management: {port: eth1}\n'
  wrong '1: management: eth7 is a test port' 'appliance: {management: {port: eth7}, schedule: [{ports: [eth0, eth7]}]}\n'
  wrong "1: no setting 'mac' of the management; there are port, address and gateway" 'appliance: {management: {mac: a}}\n'
}

@test "the kernel's command line wins over the file" {
  local file=$BATS_TEST_TMPDIR/config.yaml over=$BATS_TEST_TMPDIR/over
  echo 'appliance: {verb: soak, ports: [eth0, eth1], management: {port: eth2, address: 192.0.2.5/24}}' >"$file"
  printf 'load=1kfps\nappliance.verb=trial\nappliance.ports=[eth3]\nappliance.management.port=eth4\n' >"$over"
  [ "$("$APPLIANCE" --override "$over" --settings "$file" | paste -s -d ' ')" = "verb=trial at_end=wait ports=eth3\
 management_port=eth4 management_address=192.0.2.5/24 management_gateway=" ]
  echo '{}' >"$file"
  [ "$("$APPLIANCE" --override "$over" --settings "$file" | head -1)" = verb=trial ]
  while IFS='|' read -r line words; do
    echo "appliance.$line" >"$over"
    run --separate-stderr "$APPLIANCE" --override "$over" --settings "$file"
    [ "$status" -eq 2 ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "kernel command line:1: $words"* ]] || { echo "'$words' does not begin: $stderr"; return 1; }
  done <<'END'
colour=red|no setting 'colour' of the appliance
verb.x=1|verb: a plain value
verb=a}, x: {|appliance.verb=a}, x: {: 
verb|verb '': must be search
verb=[|appliance.verb=[: 
schedule=[]|a schedule must stand in a file
END
  printf 'appliance.verb=%2000s\n' x >"$over"
  run --separate-stderr "$APPLIANCE" --override "$over" --settings "$file"
  [[ $status -eq 2 && $stderr == *"too long" ]]
}

@test "a configuration that is nested too deeply is refused before it is parsed" {
  { printf 'appliance: '; printf '[%.0s' {1..60000}; } >"$BATS_TEST_TMPDIR/deep.yaml"
  run timeout 120 "${BUILD:-build}/xdp-mlr-appliance" --settings "$BATS_TEST_TMPDIR/deep.yaml"
  [ "$status" -eq 2 ]
  [[ $output == *"brackets in more than 1000 brackets"* ]]
}
