#!/usr/bin/env bash
# The seed's workload on Muhur's vault, on plain SQLite in C++, and under Node with
# better-sqlite3-multiple-ciphers (chacha20) and better-sqlite3, in turn in one session; then the workload
# that is larger than the cache. Prints medians, and ratios ours / theirs.
#
#   bench/storage/compare.sh [--rounds N] [--large-rounds N] [--dir DIR] [--json FILE]
#
# DIR is where the databases go; without it /dev/shm, when it has room: figures then tell of programs and not
# of a disk's fsync. Needs build/muhur (the release preset) and Node 20 or newer.
set -eu
cd "$(dirname "$0")/../.."
case " $* " in *" --help "* | *" -h "*) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
. scripts/node_modules.sh

[ -x build/muhur ] || { echo "build/muhur is missing: cmake --preset release && ninja -C build/release muhur" >&2; exit 1; }
need_node_modules tests/interop
need_node_modules bench/storage
exec node bench/storage/compare.mjs "$@"
