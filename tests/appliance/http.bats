#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The HTTP server: what it shows, to whom, and what a hostile client gets of it.
load helper

setup() {
  port=$((20000 + RANDOM % 20000))
  url=http://127.0.0.1:$port
}

# A configuration with a schedule that has one result quickly, and then runs for a while.
serve() { # LINES-OF-HTTP
  configuration <<END
measurer: $(slow_measurer)
max-load: 2Mfps
appliance:
  http:
    port: $port
$(printf '%s\n' "$@" | sed 's/^/    /')
  schedule: [{name: quick, measurer: "$SIM"}, {name: slow, max-time: 300, goal: ["name=ndr,sum=2000"]}]
END
  appliance_up
  said 'running: .*--run slow'
}

get() { # PATH [OPTIONS]: the body; fails for what is no success
  local path=$1
  shift
  curl -sf --max-time 10 --path-as-is "$@" "$url$path"
}

status_of() { # OPTIONS PATH
  curl -s --max-time 10 --path-as-is -o /dev/null -w '%{http_code}' "${@:1:$#-1}" "$url${!#}"
}

# An answer to octets as they are, of at most so many seconds: `raw TEXT`
raw() (
  trap '' PIPE # it may hang up in the middle
  exec 7<>"/dev/tcp/127.0.0.1/$port"
  printf '%b' "$1" >&7 2>/dev/null || true
  timeout 5 cat <&7 2>/dev/null || true
)

@test "what it shows is what the console and the files say" {
  serve
  said "results, progress view and metrics: $url/"
  cmp <(get /results/1.json) "$BATS_TEST_TMPDIR/state/results/1.json"
  cmp <(get /results/1.html) "$BATS_TEST_TMPDIR/state/results/1.html"
  found=$(sed -n 's/.*result 1: \(ndr [0-9.]* [kM]fps, pdr [0-9.]* [kM]fps\).*/\1/p' "$BATS_TEST_TMPDIR/console")
  [ -n "$found" ]
  get / | grep -qF "$found"
  get /log | grep -q 'running: xdp-mlr search .*--run slow'
  measured
  # the page has the very lines; a trial may have begun between the two looks
  for line in 'slow: search: 0:[0-9]* elapsed' '^  trial [0-9]* .*[kM]fps for 1 s, for ' '^  trials *w'; do
    get /live | grep -q -- "$line"
    grep -q -- "$line" "$BATS_TEST_TMPDIR/console"
  done
  get /live | grep -q 'http-equiv="refresh"'
  if get /live | grep -q '<script'; then return 1; fi
  # the run's own figures follow its first trial
  until get /metrics >"$BATS_TEST_TMPDIR/metrics" && grep -q '^xdp_mlr_max_load_frames_per_second 2000000$' "$BATS_TEST_TMPDIR/metrics"; do
    sleep 0.2
  done
  grep -q '^xdp_mlr_appliance_measuring 1$' "$BATS_TEST_TMPDIR/metrics"
  [ "$(grep -c '# EOF' "$BATS_TEST_TMPDIR/metrics")" -eq 1 ] && [ "$(tail -1 "$BATS_TEST_TMPDIR/metrics")" = '# EOF' ]
  [ "$(get /healthz)" = ok ]
}

@test "a page may run nothing and load nothing, and is kept nowhere" {
  serve
  local path
  for path in / /live /results/1.html /results/1.json /log /metrics /nothing; do
    curl -si "$url$path" | tr -d '\r' >"$BATS_TEST_TMPDIR/head"
    grep -q "^Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; " "$BATS_TEST_TMPDIR/head"
    grep -q '^X-Content-Type-Options: nosniff$' "$BATS_TEST_TMPDIR/head"
    grep -q '^Cache-Control: no-store$' "$BATS_TEST_TMPDIR/head"
    grep -q '^Connection: close$' "$BATS_TEST_TMPDIR/head"
  done
}

@test "it is read-only: other methods, bodies, and paths that resemble its own get nothing" {
  serve
  local method path
  for method in POST PUT DELETE PATCH OPTIONS TRACE CONNECT BREW; do
    [[ $(status_of -X $method /) =~ ^(405|000|501)$ ]]
  done
  [ "$(status_of -d 'a=b' /)" = 405 ]
  [ "$(status_of -I /results/1.json)" = 200 ]
  for path in /../../etc/passwd /results/../../../etc/passwd /results/%2e%2e/1.json /results/..%2f1.json /results/1.json/../1.json \
    /results/01.json /results/1.JSON /results/1.txt /results/1.meta /results/ /results /results/-1.json /results/0.json /results/2.json \
    /results/4294967297.json /results/99999999999999999999.json /results/1.json%00.html //results/1.json /live/ /state/position /metrics~; do
    [ "$(status_of "$path")" = 404 ] || { echo "not refused: $path"; return 1; }
  done
  if raw 'GET /../../../../etc/passwd HTTP/1.0\r\n\r\n' | grep -q root:; then return 1; fi
  if raw 'GET http://127.0.0.1/etc/passwd HTTP/1.0\r\n\r\n' | grep -q root:; then return 1; fi
  [ "$(get /healthz)" = ok ]
}

@test "a result counts as fetched once it has left whole, and goes first when room is wanted" {
  configuration <<END
measurer: $SIM
max-load: 2Mfps
appliance: {http: {port: $port}, keep: 1 MB}
END
  appliance_up
  said 'done; waiting'
  key r
  said 'done; waiting' 2
  get /results/2.json -o /dev/null
  [ "$(curl -s -I -o /dev/null -w '%{http_code}' "$url/results/1.json")" = 200 ]
  jq -e .fetched "$BATS_TEST_TMPDIR/state/results/2.meta"
  jq -e '.fetched | not' "$BATS_TEST_TMPDIR/state/results/1.meta"
  for n in {3..20}; do
    key r
    said 'done; waiting' "$n"
    [ -e "$BATS_TEST_TMPDIR/state/results/2.json" ] || break
  done
  said 'result 2 (.*) was deleted, it had been fetched'
  [ -e "$BATS_TEST_TMPDIR/state/results/1.json" ]
}

@test "a result that a client took a part of is not fetched" {
  configuration <<END
measurer: $SIM
max-load: 2Mfps
appliance: {http: {port: $port}}
END
  appliance_up
  said 'done; waiting'
  # more than two sockets hold
  truncate -s 64M "$BATS_TEST_TMPDIR/state/results/1.json"
  raw 'GET /results/1.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n' | head -c 100000 | grep -qa '200 OK'
  (exec 7<>"/dev/tcp/127.0.0.1/$port" && printf 'GET /results/1.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n' >&7; IFS= read -r line <&7; [[ $line == *200* ]])
  # what was asked later is answered later, and so the connections have ended
  until [ "$(ss -Htn state established "( sport = :$port )" | wc -l)" -eq 0 ]; do sleep 0.1; done
  [ "$(get /healthz)" = ok ]
  get / >/dev/null
  jq -e '.fetched | not' "$BATS_TEST_TMPDIR/state/results/1.meta"
  [ "$(get /results/1.json --max-time 300 | wc -c)" -eq $((64 << 20)) ] # by a server of the lowest priority
  get / >/dev/null
  jq -e .fetched "$BATS_TEST_TMPDIR/state/results/1.meta"
}

@test "a token is wanted where there is one: as bearer, or as a browser's password" {
  serve 'token: 0123456789abcdefXYZ'
  local given
  [ "$(status_of /)" = 401 ]
  curl -si "$url/" | tr -d '\r' | grep -q '^WWW-Authenticate: Bearer'
  for given in 0123456789abcdefXY 0123456789abcdefXYZ0 0123456789abcdefxyz '' ' 0123456789abcdefXYZ' 0123456789abcdefXYZ0123456789abcdefXYZ; do
    [ "$(status_of -H "Authorization: Bearer $given" /live)" = 401 ] || { echo "let in: '$given'"; return 1; }
  done
  [ "$(status_of -H 'Authorization: 0123456789abcdefXYZ' /)" = 401 ]
  [ "$(status_of -u any:0123456789abcdefXY /results/1.json)" = 401 ]
  [ "$(status_of -H 'Authorization: Basic !!!' /)" = 401 ]
  [ "$(status_of -H 'Authorization: Bearer 0123456789abcdefXYZ' /)" = 200 ]
  [ "$(status_of -H 'authorization: bearer 0123456789abcdefXYZ' /results/1.json)" = 200 ]
  [ "$(status_of -u any:0123456789abcdefXYZ /metrics)" = 200 ]
  [ "$(status_of /healthz)" = 200 ]
}

pem() { # KIND: of tls.pem, indented for the configuration
  sed -n "/BEGIN $1/,/END $1/p" tests/appliance/tls.pem | sed 's/^/    /'
}

@test "a certificate of a client is wanted where its signer is given, by TLS and beside the token" {
  serve 'token: 0123456789abcdefXYZ' 'tls:' '  certificate: |' "$(pem CERT)" '  key: |' "$(pem PRIV)" '  clients: |' "$(pem CERT)"
  url=https://127.0.0.1:$port
  said "$url/"
  local to=(--cacert tests/appliance/tls.pem)
  [ "$(get /healthz "${to[@]}")" = ok ]
  [ "$(status_of "${to[@]}" -u any:0123456789abcdefXYZ /)" = 403 ]
  [ "$(status_of "${to[@]}" --cert tests/appliance/tls.pem /)" = 401 ]
  [ "$(status_of "${to[@]}" --cert tests/appliance/tls.pem -u any:0123456789abcdefXYZ /)" = 200 ]
}

@test "one token reads, another begins and stops runs, and the record says who did what" {
  serve 'token: 0123456789abcdefXYZ' 'control-token: controlcontrol42'
  local read='Authorization: Bearer 0123456789abcdefXYZ' control='Authorization: Bearer controlcontrol42'
  [ "$(status_of -X POST /stop)" = 401 ]
  [ "$(status_of -X POST -H "$read" /stop)" = 403 ]
  # what a browser would send by itself, from a page of somebody else's
  [ "$(status_of -X POST -u any:controlcontrol42 /stop)" = 401 ]
  [ "$(status_of -H "$control" /)" = 401 ]
  [ "$(status_of -X POST -H "$control" /)" = 405 ]
  [ "$(status_of -X PUT -H "$control" /stop)" = 405 ]
  [ "$(status_of -H "$read" /log)" = 200 ]
  [ "$(get /again -X POST -H "$control")" = "not now" ]
  [ "$(get /stop -X POST -H "$control" -d 'a=b')" = "it will be done" ]
  said 'over HTTP, 127.0.0.1 stops the run'
  said 'result 2'
  get /audit -H "$read" >"$BATS_TEST_TMPDIR/audit"
  grep -q ' 127.0.0.1 reads$' "$BATS_TEST_TMPDIR/audit"
  grep -q ' 127.0.0.1 was denied' "$BATS_TEST_TMPDIR/audit"
  grep -q ' 127.0.0.1 controls: not now$' "$BATS_TEST_TMPDIR/audit"
  grep -q ' 127.0.0.1 controls: stops the run$' "$BATS_TEST_TMPDIR/audit"
  if grep -qE '0123456789abcdefXYZ|controlcontrol42' "$BATS_TEST_TMPDIR"/{audit,console}; then return 1; fi
}

@test "without a control token nobody controls, and it must not be the one to read" {
  serve 'token: 0123456789abcdefXYZ'
  [ "$(status_of -X POST -H 'Authorization: Bearer 0123456789abcdefXYZ' /stop)" = 405 ]
  appliance_down
  configuration <<END
measurer: $SIM
appliance: {http: {port: $port, token: 0123456789abcdefXYZ, control-token: 0123456789abcdefXYZ}}
END
  appliance_up
  said 'control-token: another one than the token'
}

@test "a network that guesses is not heard for a while, and fills no record; who showed the token is heard" {
  serve 'token: 0123456789abcdefXYZ'
  local right='Authorization: Bearer 0123456789abcdefXYZ' wrong='Authorization: Bearer 0123456789abcdefXY_' _
  [ "$(status_of -H "$right" /)" = 200 ]
  for _ in {1..20}; do [ "$(status_of --interface 127.0.0.2 -H "$wrong" /)" = 401 ]; done
  [ "$(status_of --interface 127.0.0.2 -H "$wrong" /)" = 429 ]
  [ "$(status_of --interface 127.0.0.2 -H "$right" /)" = 429 ]
  for _ in {1..25}; do status_of -H "$wrong" / >/dev/null; done
  [ "$(status_of -H "$right" /)" = 200 ]
  [ "$(status_of --interface 127.0.0.3 -H "$right" /)" = 200 ]
  [ "$(get /audit -H "$right" | grep -c 'was denied')" -le 61 ]
}

@test "TLS, with the certificate of the configuration, and nothing but TLS" {
  serve 'tls:' '  certificate: |' "$(sed -n '/BEGIN CERT/,/END CERT/p' tests/appliance/tls.pem | sed 's/^/    /')" \
    '  key: |' "$(sed -n '/BEGIN PRIV/,/END PRIV/p' tests/appliance/tls.pem | sed 's/^/    /')"
  url=https://127.0.0.1:$port
  said "$url/"
  [ "$(get /healthz --cacert tests/appliance/tls.pem)" = ok ]
  cmp <(get /results/1.json --cacert tests/appliance/tls.pem) "$BATS_TEST_TMPDIR/state/results/1.json"
  if get /healthz; then return 1; fi
  if get /healthz --cacert tests/appliance/tls.pem --tls-max 1.1; then return 1; fi
  if curl -sf --max-time 5 "http://127.0.0.1:$port/healthz"; then return 1; fi
  raw 'GET / HTTP/1.0\r\n\r\n'
  raw '\x16\x03\x01\xff\xff\x01garbage'
  [ "$(get /healthz --cacert tests/appliance/tls.pem)" = ok ]
}

@test "hostile clients: others are served all the while, and the run goes on" {
  serve
  local client from slow=() silent=()
  # heads without an end, and without measure
  raw 'GET / HTTP/1.1\r\nX-Huge: '"$(head -c 100000 /dev/zero | tr '\0' x)"'\r\n\r\n' >"$BATS_TEST_TMPDIR/huge"
  if grep -q '200 OK' "$BATS_TEST_TMPDIR/huge"; then return 1; fi
  raw "GET /$(head -c 60000 /dev/zero | tr '\0' a) HTTP/1.1\r\n\r\n" >"$BATS_TEST_TMPDIR/huge"
  if grep -q '200 OK' "$BATS_TEST_TMPDIR/huge"; then return 1; fi
  raw '\x00\xff\xfe garbage\r\n\r\n\r\n' >/dev/null
  [ "$(get /healthz)" = ok ]
  # slow ones, an octet a second: more than one address may have
  for client in {1..12}; do
    (exec 7<>"/dev/tcp/127.0.0.1/$port" 2>/dev/null || exit 0
      trap '' PIPE
      printf 'GET / HTTP/1.1\r\nX-Slow: ' >&7 2>/dev/null
      while printf x 2>/dev/null >&7; do sleep 0.2; done) 3>&- &
    slow+=($!)
  done
  # that address has its share, and the others are sent away; another one is served
  until [ "$(ps -o pid= -p "$(IFS=,; echo "${slow[*]}")" | wc -l)" -le 8 ]; do sleep 0.1; done
  [ "$(ss -Htn state established "( sport = :$port and dst 127.0.0.1 )" | wc -l)" -le 8 ] # they have 5 s, and the machine may be slow
  [ "$(get /healthz --interface 127.0.0.2)" = ok ]
  # one that takes a page and never reads it
  (exec 7<>"/dev/tcp/127.0.0.3/$port"; printf 'GET /live HTTP/1.1\r\n\r\n' >&7; sleep 4) 3>&- &
  # many connections of many addresses that say nothing
  for from in {10..50}; do timeout 3 curl -s --interface "127.0.0.$from" "telnet://127.0.0.1:$port" </dev/null >/dev/null 2>&1 3>&- & silent+=($!); done
  wait "${silent[@]}" || true
  [ "$(get /healthz --interface 127.0.0.2 --retry 3 --retry-all-errors)" = ok ]
  # the slow ones do not last as long as they would like to
  until [ "$(ss -Htn state established "( sport = :$port )" | wc -l)" -eq 0 ]; do sleep 0.2; done
  [ "$(get /healthz)" = ok ]
  before=$(get /metrics | sed -n 's/^xdp_mlr_trials //p')
  until [ "$(get /metrics | sed -n 's/^xdp_mlr_trials //p')" -gt "$before" ]; do sleep 0.2; done
  kill -0 "$appliance"
}

# How often a path is answered to clients that ask without end, each as soon as it was answered: `asked PATH CLIENTS`, in
# $answers; within $seconds, rounded up
asked() {
  local client path=$1 clients=()
  SECONDS=0
  for ((client = 0; client < $2; client++)); do
    timeout 4 bash -c 'trap "" PIPE
      while exec 7<>"/dev/tcp/127.0.0.1/$0" && printf "GET $1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" >&7 && IFS= read -r line <&7; do
        [[ $line != *200* ]] || echo .
      done' "$port" "$path" >"$BATS_TEST_TMPDIR/answers-$client" 3>&- &
    clients+=($!)
  done
  wait "${clients[@]}" || true
  seconds=$((SECONDS + 1))
  answers=$(cat "$BATS_TEST_TMPDIR"/answers-* | wc -l)
}

@test "clients that ask without end get so much of the server and of the program that measures, and no more" {
  serve
  said "$url/"
  asked /healthz 1
  echo "$answers in $seconds s"
  [ "$answers" -gt 10 ] && [ "$answers" -le $((100 + 200 * seconds)) ]
  asked /metrics 6
  echo "$answers in $seconds s"
  [ "$answers" -gt 10 ] && [ "$answers" -le $((100 + 100 * seconds)) ]
  [ "$(get /healthz)" = ok ]
  get /metrics | grep -q '^xdp_mlr_trials '
}

@test "where all places were taken and all become free at once, the next one is served" {
  local pid client clients=()
  serve
  pid=$(server)
  for client in {0..31}; do
    curl -s --interface "127.0.0.$((10 + client / 8))" "telnet://127.0.0.1:$port" <&8 >/dev/null 2>&1 3>&- &
    clients+=($!)
  done
  # those who are slow to come find others sent away already
  for _ in {1..60}; do
    [ "$(find "/proc/$pid/fd" -lname 'socket:*' | wc -l)" -lt 34 ] || break
    sleep 0.05
  done
  kill -STOP "$pid"
  kill "${clients[@]}"
  wait "${clients[@]}" || true
  kill -CONT "$pid"
  [ "$(get /healthz)" = ok ]
}

# In a network of its own: a management port with an address, and a test port with one.
elsewhere() {
  [ "$(id -u)" -eq 0 ] || skip 'making links needs root'
  cat >"$BATS_TEST_TMPDIR/elsewhere" <<END
ip link set lo up
ip link add m0 type veth peer name m1
ip link add t0 type veth peer name t1
ip addr add 192.0.2.1/24 dev m0; ip addr add 192.0.3.1/24 dev t0
for link in m0 m1 t0 t1; do ip link set \$link up; done
"$APPLIANCE" --config "$BATS_TEST_TMPDIR/config.yaml" --state "$BATS_TEST_TMPDIR/state" --console - --xdp-mlr "$XDP_MLR" $* \
  </dev/null >"$BATS_TEST_TMPDIR/console" 2>&1 &
pid=\$!
for _ in \$(seq 600); do grep -Eq "http|done|wrong" "$BATS_TEST_TMPDIR/console" && break; sleep 0.1; done
sleep 0.5
ss -Htln >"$BATS_TEST_TMPDIR/listening"
kill \$pid; wait \$pid; true
END
  unshare --net sh "$BATS_TEST_TMPDIR/elsewhere" 3>&-
}

# The process that speaks HTTP, once there is one.
server() {
  local _
  for _ in {1..200}; do
    if pgrep -P "$appliance" -x xdp-mlr-http; then return 0; fi
    sleep 0.05
  done
  return 1
}

@test "the process that hears clients can do nothing else, and its end is that of no run" {
  local pid again
  serve
  [ "$(get /healthz)" = ok ]
  pid=$(server)
  [ "$(grep -cE '^(CapInh|CapPrm|CapEff|CapAmb):[[:space:]]0+$|^NoNewPrivs:[[:space:]]1$' "/proc/$pid/status")" -eq 5 ]
  if [ "$(id -u)" -eq 0 ]; then
    grep -qE '^Uid:([[:space:]]65534){4}$' "/proc/$pid/status"
    grep -qE '^Gid:([[:space:]]65534){4}$' "/proc/$pid/status"
    [[ $(readlink "/proc/$pid/root") == *" (deleted)" ]]
    [ -z "$(ls -A "/proc/$pid/root/")" ]
  fi
  # what it could take of the machine: few descriptors, and little memory
  grep -qE '^Max open files +72 +72 ' "/proc/$pid/limits"
  nm -D "$APPLIANCE" | grep -q asan || grep -qE '^Max address space +268435456 +268435456 ' "/proc/$pid/limits"
  [ "$(cat "/proc/$pid/oom_score_adj")" -eq 1000 ]
  # sanitizers make system calls of their own
  nm -D "$APPLIANCE" | grep -q asan || grep -qE '^Seccomp:[[:space:]]2$' "/proc/$pid/status"
  # the two standard files without anybody, a pipe for errors, the channel, the socket, and what the server library made: no file
  [ "$(find "/proc/$pid/fd" -lname '/*' | xargs -n 1 readlink | grep -cvx /dev/null)" -eq 0 ]
  [[ $(readlink "/proc/$pid/fd/2") == pipe:* ]]
  [ "$(id -u)" -ne 0 ] || [ "$(readlink "/proc/$pid/ns/net")" != "$(readlink /proc/$$/ns/net)" ]
  [ "$(ps -o ni= -p "$pid")" -eq 19 ]
  kill -SEGV "$pid"
  said 'http: the server ended'
  said 'results, progress view and metrics' 2
  again=$(server)
  [ "$again" -ne "$pid" ]
  [ "$(get /healthz)" = ok ]
  if grep -q 'xdp-mlr ended with' <(tail -n +2 "$BATS_TEST_TMPDIR/console" | sed -n '/run slow/,$p'); then return 1; fi
}

@test "a limit that is lower than the server's own stays, and it serves" {
  ulimit -n 70
  nm -D "$APPLIANCE" | grep -q asan || ulimit -v 200000
  serve
  said "$url/"
  [ "$(get /healthz)" = ok ]
  grep -qE '^Max open files +70 +70 ' "/proc/$(server)/limits"
}

# An appliance with this state folder starts and is refused: `refused FOLDER SENTENCE`
refused() {
  run --separate-stderr "$APPLIANCE" --config "$BATS_TEST_TMPDIR/config.yaml" --state "$1" --console - --xdp-mlr "$XDP_MLR" </dev/null
  echo "$stderr"
  [ "$status" -eq 2 ]
  [[ $stderr == *"--state '$1': "*"$2"* ]]
}

@test "a state folder that another user can change is refused, and so are files of others and links in it" {
  [ "$(id -u)" -eq 0 ] || skip 'only root can give files away'
  local state=$BATS_TEST_TMPDIR/state
  serve
  said "$url/"
  get /results/1.html >/dev/null
  # another user, who could write there once, made a link, a second name, and a file
  printf secret >"$BATS_TEST_TMPDIR/secret"
  ln -sf "$BATS_TEST_TMPDIR/secret" "$state/results/1.html"
  [ "$(status_of /results/1.html)" = 404 ]
  ln -f "$BATS_TEST_TMPDIR/secret" "$state/results/1.html"
  [ "$(status_of /results/1.html)" = 404 ]
  rm "$state/results/1.html"
  cp "$BATS_TEST_TMPDIR/secret" "$state/results/1.html"
  chown 65534 "$state/results/1.html"
  [ "$(status_of /results/1.html)" = 404 ]
  [ "$(status_of /results/1.json)" = 200 ]
  appliance_down
  mkdir -p "$BATS_TEST_TMPDIR/open" "$BATS_TEST_TMPDIR/theirs/ours" "$BATS_TEST_TMPDIR/within/results"
  chmod 777 "$BATS_TEST_TMPDIR/open"
  refused "$BATS_TEST_TMPDIR/open" 'other users can write into'
  refused "$BATS_TEST_TMPDIR/open/below" "other users can write into $BATS_TEST_TMPDIR/open"
  chmod 1777 "$BATS_TEST_TMPDIR/open"
  chown 65534 "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/within/results"
  refused "$BATS_TEST_TMPDIR/theirs" 'belongs to the user 65534'
  refused "$BATS_TEST_TMPDIR/theirs/ours" 'belongs to the user 65534'
  refused "$BATS_TEST_TMPDIR/within" 'results belongs to the user 65534'
  ln -s "$BATS_TEST_TMPDIR/within" "$BATS_TEST_TMPDIR/link"
  refused "$BATS_TEST_TMPDIR/link" ''
  appliance_up --state "$BATS_TEST_TMPDIR/open/below" # in a folder as /tmp is one
  said "$url/" 2
}

@test "a request for another host's name is refused where no token is wanted, and a part of a result can be had" {
  serve
  said "$url/"
  [ "$(status_of -H 'Host: evil.example' /)" = 421 ]
  [ "$(status_of -H "Host: evil.example:$port" /results/1.json)" = 421 ]
  [ "$(status_of -H "Host: localhost:$port" /)" = 200 ]
  [ "$(status_of -H "Host: [::1]:$port" /)" = 200 ]
  [ "$(status_of -H "Host: $(uname -n):$port" /)" = 200 ]
  file=$BATS_TEST_TMPDIR/state/results/1.json
  octets=$(stat -c %s "$file")
  cmp <(get /results/1.json -r 10-29) <(head -c 30 "$file" | tail -c 20)
  cmp <(get /results/1.json -r 10-) <(tail -c +11 "$file")
  cmp <(get /results/1.json -r -10) <(tail -c 10 "$file")
  cmp <(get /results/1.json -r "10-$((octets + 100))") <(tail -c +11 "$file")
  [ "$(status_of -r 0-0 /results/1.json)" = 206 ]
  [ "$(status_of -r "$octets-" /results/1.json)" = 416 ]
  [ "$(status_of -H 'Range: bytes=3-1' /results/1.json)" = 200 ]
  [ "$(status_of -H 'Range: lines=1-2' /results/1.json)" = 200 ]
  get /results/1.json -r 0-9 -D - | grep -q "^Content-Range: bytes 0-9/$octets"
}

@test "addresses without the token cannot take all places from one that showed it" {
  local clients
  serve "token: 0123456789abcdef" "unprotected: true"
  said "$url/"
  [ "$(status_of /)" = 401 ]
  get / --interface 127.0.0.9 -H 'Authorization: Bearer 0123456789abcdef' >/dev/null
  # one process, for a busy machine does not start 41 within the three seconds after which the server ends a client that asks nothing
  python3 - "$port" 3>&- <<'END' &
import select, socket, sys, time

def connect(address):
    client = socket.socket()
    client.bind((address, 0))
    client.connect(("127.0.0.1", int(sys.argv[1])))
    return client

clients = {connect(address): address for address in (f"127.0.0.{host}" for host in range(10, 51))}
while True:
    for ended in select.select(clients, [], [])[0]:
        address = clients.pop(ended)
        ended.close()
        clients[connect(address)] = address
    time.sleep(0.05)
END
  clients=$!
  until [ "$(ss -Htn state established "( sport = :$port )" | wc -l)" -ge 24 ]; do sleep 0.05; done
  [ "$(status_of --interface 127.0.0.9 -H 'Authorization: Bearer 0123456789abcdef' /)" = 200 ]
  kill "$clients"
  wait "$clients" || true
}

@test "what the server writes to standard error is a line in the record each time, some of them a minute, and no more" {
  [ "$(id -u)" -eq 0 ] || skip "only root may write into the server's pipe"
  local pid number since=$SECONDS
  serve
  said "$url/"
  pid=$(server)
  for number in {1..300}; do printf 'flood %s\033[2J\nxdp-mlr: result 7: forged\n' "$number" >"/proc/$pid/fd/2"; done
  said 'the HTTP server says: flood'
  [ "$(get /healthz)" = ok ]
  measured
  # five at once, and one more each twelve seconds
  [ "$(grep -c 'the HTTP server says' "$BATS_TEST_TMPDIR/console")" -le $((5 + (SECONDS - since) / 12 + 1)) ]
  if grep -q '^xdp-mlr: result 7' "$BATS_TEST_TMPDIR/console" "$BATS_TEST_TMPDIR/errors"; then return 1; fi
  if grep 'the HTTP server says' "$BATS_TEST_TMPDIR/console" | grep -q $'\033\\[2J'; then return 1; fi
}

@test "addresses without the token begin so many TLS handshakes a second and no more; one that showed it is served" {
  local number clients=() curl=(curl -sf --max-time 10 -o /dev/null --cacert tests/appliance/tls.pem) token='Authorization: Bearer 0123456789abcdef'
  serve 'token: 0123456789abcdef' 'tls:' '  certificate: |' "$(sed -n '/BEGIN CERT/,/END CERT/p' tests/appliance/tls.pem | sed 's/^/    /')" \
    '  key: |' "$(sed -n '/BEGIN PRIV/,/END PRIV/p' tests/appliance/tls.pem | sed 's/^/    /')"
  url=https://127.0.0.1:$port
  said "$url/"
  get / --cacert tests/appliance/tls.pem --interface 127.0.0.9 -H "$token" >/dev/null
  SECONDS=0
  # each of a network of its own, so that no other limit is met
  for number in {1..120}; do
    { "${curl[@]}" --interface "127.1.$number.1" "$url/healthz" && echo . >>"$BATS_TEST_TMPDIR/shaken" || true; } 3>&- &
    clients+=($!)
    if [ $((number % 10)) -eq 0 ]; then
      get / --cacert tests/appliance/tls.pem --interface 127.0.0.9 -H "$token" >/dev/null
      wait "${clients[@]}" || true
    fi
  done
  number=$(wc -l <"$BATS_TEST_TMPDIR/shaken")
  echo "$number of 120 in $SECONDS s"
  [ "$number" -ge 10 ] && [ "$number" -le $((16 + 4 * (SECONDS + 1))) ]
}

@test "text of a result's description reaches no page and no console with control characters" {
  local meta=$BATS_TEST_TMPDIR/state/results/1.meta
  serve
  said "$url/"
  appliance_down
  jq '.run = "q\u001b]0;evil\u0007" | .summary = "ndr \u001b]0;evil\u0007\u009b5m<b>1</b> kfps"' "$meta" >"$meta.new"
  cat "$meta.new" >"$meta"
  rm "$meta.new"
  : >"$BATS_TEST_TMPDIR/console"
  appliance_up
  said "$url/"
  key s
  said '^ *1 .*evil'
  if grep -q $'\033]0;evil' "$BATS_TEST_TMPDIR/console"; then return 1; fi
  get / >"$BATS_TEST_TMPDIR/index"
  grep -q 'evil.*kfps' "$BATS_TEST_TMPDIR/index"
  if grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2\x9b|<b>1' "$BATS_TEST_TMPDIR/index"; then return 1; fi
}

@test "a state folder that is told from where it was started serves as well" {
  configuration <<END
measurer: $SIM
max-load: 2Mfps
appliance: {http: {port: $port}}
END
  XDP_MLR=$(realpath "$XDP_MLR") APPLIANCE=$(realpath "$APPLIANCE")
  cd "$BATS_TEST_TMPDIR"
  appliance_up --state here
  said "results, progress view and metrics: $url/"
  [ "$(get /healthz)" = ok ]
  [ -z "$(find here -name 'empty*')" ]
}

@test "it listens on the management port's address and no other, and there only with TLS and a token, or where that is waived" {
  printf 'measurer: %s\nmax-load: 2Mfps\nappliance: {management: {port: m0}, http: {unprotected: true}}\n' "$SIM" | configuration
  elsewhere
  [ "$(awk '{print $4}' "$BATS_TEST_TMPDIR/listening")" = '192.0.2.1%m0:80' ]
  printf 'measurer: %s\nmax-load: 2Mfps\nappliance: {management: {port: m0}, http: {token: 0123456789abcdef}}\n' "$SIM" | configuration
  elsewhere
  said 'config.yaml:3: http: beyond loopback it wants tls and a token'
  [ ! -s "$BATS_TEST_TMPDIR/listening" ]
  printf 'measurer: %s\nmax-load: 2Mfps\nappliance: {management: {port: m0}}\n' "$SIM" | configuration
  elsewhere
  [ ! -s "$BATS_TEST_TMPDIR/listening" ]
  printf 'measurer: %s\nmax-load: 2Mfps\nappliance: {http: {unprotected: true, address: 192.0.2.7}}\n' "$SIM" | configuration
  elsewhere
  said 'http: no port has its address'
}

@test "nothing listens on a test port, whatever the configuration says" {
  printf 'ports: [t0, t1]\nmax-load: 2Mfps\nappliance: {http: {unprotected: true, address: 192.0.3.1}}\n' | configuration
  elsewhere
  said 'http: its address is that of a test port'
  [ ! -s "$BATS_TEST_TMPDIR/listening" ]
  printf 'max-load: 2Mfps\nappliance: {ports: [t0, t1], http: {unprotected: true, address: 192.0.3.1}}\n' | configuration
  elsewhere
  said 'http: its address is that of a test port'
  [ ! -s "$BATS_TEST_TMPDIR/listening" ]
}
