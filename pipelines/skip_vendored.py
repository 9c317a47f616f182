#!/usr/bin/env python3
"""skip_vendored.py DIR...: code under these folders is in the tree, but nobody here mends it.

    bv-run -- pytest | bv-parse | pipelines/skip_vendored.py third_party src/generated | bv-receipt

Takes their frames out of every failure and moves `fault` to the innermost frame that is left, so that
the receipt names our call and not their line. Everything else passes through as it came. Written
from schemas/records.schema.json alone: a stage needs nothing of bv but its records.
"""

import json
import signal
import sys
from os.path import normpath


def is_ours(place):
    path = "/" + place.get("file", "")
    return not any(f"/{normpath(folder).strip('/')}/" in path for folder in sys.argv[1:])


def skip(failure):
    """Changes the failure in place; whether there was anything to change."""
    frames = failure.get("frames", [])
    ours = [place for place in frames if is_ours(place)]
    fault_is_ours = is_ours(failure.get("fault", {}))
    if fault_is_ours and ours == frames:
        return False
    failure["frames"] = ours
    if not ours:
        del failure["frames"]
    if not fault_is_ours:
        # Absent where nothing of ours is left, or only the test itself: both are the contract's.
        del failure["fault"]
        if ours and ours[0] != failure.get("test"):
            failure["fault"] = ours[0]
    return True


def main():
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            record = json.loads(line)
            if record["type"] == "failure" and skip(record):
                line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            print(f"skip_vendored: no record, passed on: line {number}", file=sys.stderr)
        sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit("skip_vendored: no folder to skip: name at least one")
    # A next stage that has seen enough ends this one quietly.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main()
