#!/usr/bin/env python3
"""Measures the stages beside tools that everybody knows, in one run, since machines are noisy.

usage: tests/bench/parse.py [BIN_DIR] [--mb N]

1. bv-parse on a long pytest-like log, beside `cat` and `rg -c` (or `grep -c` where rg is missing): MB/s and
   peak resident memory.
2. bv-parse on one line of 1 GB: peak resident memory.
3. The sentence `cat log | bv-parse | bv-receipt` on a log of 4,000 lines, start-up included.
Each is repeated; the best of the repeats stands, with all of them beside it.
"""
import argparse, os, pathlib, shutil, subprocess, sys, tempfile, time

REPEATS = 5
MIB = 1 << 20


def measured(command, stdin):
    """-> seconds, peak resident KiB of one command that reads the file `stdin`"""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    took = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        sys.exit(f"bench: {command[0]} exited {child.returncode}")
    return took, usage.ru_maxrss


def best(command, path):
    runs = []
    for _ in range(REPEATS):
        with open(path, "rb") as stdin:
            runs.append(measured(command, stdin))
    return min(took for took, _ in runs), max(rss for _, rss in runs), [took for took, _ in runs]


def pytest_like(path, size):
    """A green session of `size` bytes with one failure near its end, in pytest -v's own shape."""
    head = "=" * 29 + " test session starts " + "=" * 30 + "\ncollecting ... collected 9999999 items\n\n"
    lines = "".join(
        f"tests/test_module_{n % 97}.py::TestCase{n % 13}::test_behaviour_number_{n} PASSED    [ {n % 90 + 9:2d}%]\n"
        for n in range(4000)
    )
    tail = """
=================================== FAILURES ===================================
___________________________ test_vat_rounds_half_up ____________________________

    def test_vat_rounds_half_up():
>       assert invoice.vat_cents() == 19
E       AssertionError: assert 18 == 19

tests/test_invoice.py:18: AssertionError
=========================== short test summary info ============================
FAILED tests/test_invoice.py::test_vat_rounds_half_up - AssertionError: asser...
================== 1 failed, 9999998 passed in 3600.00s (1:00:00) ===================
"""
    with open(path, "w") as out:
        out.write(head)
        written = len(head)
        while written < size:
            out.write(lines)
            written += len(lines)
        out.write(tail)


def throughput(bins, path):
    size = os.path.getsize(path)
    grep = ["rg", "-c", "FAILED"] if shutil.which("rg") else ["grep", "-c", "FAILED"]
    rows = []
    for name, command in [("cat", ["cat"]), (" ".join(grep), grep), ("bv-parse", [str(bins / "bv-parse")])]:
        took, rss, runs = best(command, path)
        rows.append((name, size / took / 1e6, rss, runs))
    print(f"{size / 1e6:.0f} MB of pytest -v output, best of {REPEATS}")
    for name, rate, rss, runs in rows:
        print(f"  {name:14} {rate:8.0f} MB/s  {rss / 1024:6.1f} MiB RSS   runs {' '.join(f'{t:.2f}' for t in runs)} s")
    print(f"  bv-parse is {rows[2][1] / rows[1][1]:.2f} times as fast as {rows[1][0]}, {rows[2][1] / rows[0][1]:.2f} times as fast as cat")


def one_line(bins, path):
    with open(path, "wb") as out:
        for _ in range(1000):
            out.write(b"x" * 1_000_000)
    with open(path, "rb") as stdin:
        took, rss = measured([str(bins / "bv-parse")], stdin)
    print(f"one line of 1 GB: {1e3 / took:.0f} MB/s, {rss / 1024:.1f} MiB RSS")


def sentence(bins, path):
    pipe = f"cat '{path}' | '{bins}/bv-parse' | '{bins}/bv-receipt' --exit-zero"
    runs = []
    for _ in range(20):
        began = time.perf_counter()
        subprocess.run(["sh", "-c", pipe], stdout=subprocess.DEVNULL, check=True)
        runs.append(time.perf_counter() - began)
    runs.sort()
    with open(path, "rb") as log:
        lines = sum(1 for _ in log)
    print(f"the sentence on {lines} lines: median {runs[10] * 1e3:.1f} ms, best {runs[0] * 1e3:.1f}, worst {runs[-1] * 1e3:.1f}")


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("bins", nargs="?", default="target/release")
    ask.add_argument("--mb", type=int, default=500)
    args = ask.parse_args()
    bins = pathlib.Path(args.bins).resolve()
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        pytest_like(log, args.mb * 1_000_000)
        throughput(bins, log)
        one_line(bins, log)
        pytest_like(log, 1000)
        sentence(bins, log)


if __name__ == "__main__":
    main()
