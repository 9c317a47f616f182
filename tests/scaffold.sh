#!/bin/sh
# scaffold.sh NAME RAW: begins a runner format: its machine, its two lines in formats/mod.rs, its first fixture.
#
#     make format NAME=my-runner RAW=out.txt
#
# RAW is what the runner printed of a real project. What is made compiles, and says nothing of any
# stream; the next steps are printed. Nothing that is there is overwritten.
set -eu
# Letters are bytes, and sorted as Rust sorts them.
export LC_ALL=C

die() { echo "format: $*" >&2; exit 2; }

if [ $# -ne 2 ] || [ -z "$1" ] || [ -z "$2" ]; then die "say both: make format NAME=my-runner RAW=out.txt"; fi
name=$1
raw=$2
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
formats=$root/tools/bv-parse/src/formats
table=$formats/mod.rs
case $name in
*[!a-z0-9-]* | -* | *- | *--* | [0-9]*) die "a name is lowercase letters, digits and single dashes: $name" ;;
esac
module=$(echo "$name" | tr - _)
folder=$root/tests/fixtures/$name/first_run

if [ ! -f "$raw" ] || [ ! -s "$raw" ]; then
    die "no output to begin from: $raw: run the runner with '> $raw 2>&1'"
fi
[ ! -e "$formats/$module.rs" ] || die "this format exists: tools/bv-parse/src/formats/$module.rs"
[ ! -e "$root/tests/fixtures/$name" ] || die "its fixtures exist: tests/fixtures/$name"
! grep -q "^\(pub \)\{0,1\}mod $module;" "$table" || die "this module exists: $module"

# The first line with a word of four letters or more, as a Rust string of at most 40 bytes: something to look
# for until better needles are found. Only plain ASCII, so that nothing is cut inside a letter.
needle=$(sed -e 's/[^ -~].*//' -e 's/^ *//' "$raw" | grep '[A-Za-z]\{4\}' | head -n 1 | cut -c1-40 |
    sed -e 's/ *$//' -e 's/\\/\\\\/g' -e 's/"/\\"/g')
[ -n "$needle" ] || die "no line of plain words in $raw: is it the runner's output?"

# `my-runner` -> `MyRunner`
type=$(echo "$name" | awk -F- '{ for (i = 1; i <= NF; i++) printf "%s%s", toupper(substr($i, 1, 1)), substr($i, 2) }')

machine() {
    cat <<END
//! $name: which of its modes, from which version on.
//!
//! A section opens at … and closes at …. What tests print is left alone.

use crate::machine::{Format, Line, Machine, Out};

/// The table's line.
pub const FORMAT: Format = Format {
    name: "$name",
    commands: &["$name"],
    needles: &["$needle"],
    new: || Box::new($type::default()),
};

/// See the head of this file.
#[derive(Default)]
struct $type {}

impl Machine for $type {
    fn line(&mut self, _line: &Line<'_>, _out: &mut Out) {}

    fn end(&mut self, _out: &mut Out) {}
}
END
}

# Copies the table with the two lines at their places: modules by module, formats by name.
with_two_lines() {
    awk -v module="$module" -v name="$name" '
        function module_of(line) { sub(/^(pub )?mod /, "", line); sub(/;.*/, "", line); return line }
        function name_of(line, parts) {
            gsub(/[ ,]/, "", line); split(line, parts, "::"); gsub(/_/, "-", parts[1]); gsub(/_/, "-", parts[2])
            return parts[2] == "FORMAT" ? parts[1] : tolower(parts[2])
        }
        /^(pub )?mod / { modules = 1; if (!declared && module_of($0) > module) declare() }
        modules && !declared && !/^(pub )?mod / { declare() }
        function declare() { print "mod " module ";"; declared = 1 }
        function list() { print "    " module "::FORMAT,"; listed = 1 }
        rows && !listed && (/^];/ || name_of($0) > name) { list() }
        /^];/ { rows = 0 }
        { print }
        /^pub const FORMATS/ { rows = 1 }
    ' "$table"
}

truth() {
    cat <<END
{
 "runner": "$name",
 "outcome": "failed",
 "counts": {"passed": null, "failed": null, "errored": null, "skipped": null},
 "failures": [
  {
   "test_id": null,
   "kind": "assertion",
   "test_location": {"file": null, "line": null, "function": null},
   "fault_location": {"file": null, "line": null, "function": null},
   "message": null,
   "exception_type": null,
   "expected": null,
   "observed": null
  }
 ]
}
END
}

with_two_lines >"$table.new"
mkdir -p "$folder/src"
cp "$raw" "$folder/output.txt"
echo "$name" >"$folder/cmd"
echo 1 >"$folder/exit"
truth >"$folder/expect.json"
echo "The project that was run goes here." >"$folder/src/README"
machine >"$formats/$module.rs"
mv "$table.new" "$table"

cat <<END
format: $name begins. Next:
  1. tests/fixtures/$name/first_run/: put the project into src/, the command into cmd, its status into exit
  2. write down what is true in expect.json (tests/expect.rs has its words)
  3. tools/bv-parse/src/formats/$module.rs: read it, line by line; needles are few, long, and rare elsewhere
  4. more fixtures: a pass, an exception, a compile or collection error, a decoy
  5. make bless, read the diff, make check
CONTRIBUTING.md walks through all of it.
END
