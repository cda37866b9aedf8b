#!/usr/bin/env bash
# The sign-in load against our own demonstration and, in turn, against npm's oidc-provider: 100, 200 and 500
# users; without hashing; on one core, alone and with a worker on the other; start and memory. Writes one JSON
# a run and a table (Markdown) into a directory.
#
#   bench/login/run.sh [--out DIR] [--seconds S] [--rounds N] [--only WORD,WORD] [--quick]
#
# DIR: default build/bench-login. WORDs: load peer nohash onecore start memory; default: all. --quick: short
# runs that show that everything works and measure nothing. Needs build/muhur (the release preset) and, for
# the peer, Node 20 or newer.
set -eu
cd "$(dirname "$0")/../.."
case " $* " in *" --help "* | *" -h "*) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
. scripts/node_modules.sh
binary=${BINARY:-build/muhur}
[ -x "$binary" ] || { echo "$binary is missing: cmake --preset release && ninja -C build/release muhur" >&2; exit 1; }
command -v node >/dev/null || { echo "node is missing: the runs are led by a script for Node 20 or newer" >&2; exit 1; }
need_node_modules bench/login/peer || echo "the peer's packages could not be installed: it is left out" >&2
exec node bench/login/run.mjs "$@"
