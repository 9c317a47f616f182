#!/bin/sh
# Kills writers of an archive at so many moments (200) and looks for what they had acknowledged.
# usage: tests/kills.sh [N]
set -eu
cd "$(dirname "$0")/.."
cargo build --release --locked -p bv-memory -p bv-receipt
BV_KILLS="${1:-200}" cargo test --release --locked -p bv-tests memory::killed -- --nocapture
