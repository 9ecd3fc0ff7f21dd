#!/usr/bin/env bash
# Leaves an order-entry database, loaded and then worked on for 60 s by 16 users, running for outside checkers.
#
#   bench/keep.sh start postgresql|mariadb DIR [WAREHOUSES [SECONDS]]   prints the address when it is ready
#   bench/keep.sh stop DIR                                               stops the server and leaves the files
#
# For example: bench/keep.sh start postgresql /tmp/kept 2
#   go-tpc tpcc check -d postgres -H 127.0.0.1 -P PORT -U USER -p PASSWORD -D DATABASE --warehouses 2 -T 2 --conn-params sslmode=disable
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }

[ $# -ge 2 ] || usage
case "$1" in
start)
    [ $# -ge 3 ] || usage
    engine=$2 dir=$3
    shift 3
    cargo build --quiet --release -p bench
    mkdir -p "$dir"
    state=$(readlink -f "$dir").keep
    mkdir -p "$state"
    rm -f "$state/hold" "$state/log"
    mkfifo "$state/hold"
    : > "$state/log" # It is looked at before the server writes its first word.
    # The server lives as long as somebody holds the other end of its standard input.
    sleep infinity > "$state/hold" 2> /dev/null &
    holder=$!
    ./target/release/bench keep "$engine" "$dir" "$@" < "$state/hold" > "$state/log" 2>&1 &
    keeper=$!
    echo "$holder $keeper" > "$state/pids"
    disown -a
    while kill -0 "$keeper" 2>/dev/null; do
        if grep -q '^ready ' "$state/log"; then cat "$state/log"; exit 0; fi
        sleep 0.2
    done
    kill "$holder" 2>/dev/null || true
    cat "$state/log" >&2
    exit 1
    ;;
stop)
    state=$(readlink -f "$2").keep
    read -r holder keeper < "$state/pids"
    kill "$holder" 2>/dev/null || true
    for _ in $(seq 300); do kill -0 "$keeper" 2>/dev/null || break; sleep 0.1; done
    if kill -0 "$keeper" 2>/dev/null; then kill "$keeper"; fi
    rm -rf "$state"
    echo "stopped; the files are in $2"
    ;;
*) usage ;;
esac
