#!/bin/sh
# Trains a dictionary for short traces from every second recorded run under tests/fixtures, chosen by
# the checksum of its path; tests/bench/memory.py measures on the others.
# usage: tools/bv-memory/dictionaries/train.sh OUT
# A dictionary that objects were made with is never changed: a new one gets the next number.
set -eu
cd "$(dirname "$0")/../../.."
find tests/fixtures -name output.txt | LC_ALL=C sort | while read -r log; do
	sum=$(printf %s "$log" | cksum)
	if [ $((${sum%% *} % 2)) -eq 0 ]; then printf '%s\n' "$log"; fi
done | xargs zstd --train -q -f -B4096 --maxdict=112640 -o "$1"
