#!/usr/bin/env python3
"""Measures the stages beside tools that everybody knows, in one run, since machines are noisy.

usage: tests/bench/parse.py [BIN_DIR] [--mb N]

1. bv-parse on long logs (pytest, cargo test, go test -json, JUnit XML, text of no runner), beside `cat` and `rg -c`
   (or `grep -c` where rg is missing), and `jq -c` on JSON: MB/s and peak resident memory.
2. bv-parse on one line of 1 GB: peak resident memory. On nothing: its start-up.
3. The sentence `cat log | bv-parse | bv-receipt` on a log of 4,000 lines, start-up included.
Each is repeated; the best of the repeats stands, with all of them beside it.
"""
import argparse, json, os, pathlib, random, shutil, subprocess, sys, tempfile, time

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


def best(command, path, repeats):
    runs = []
    for _ in range(repeats):
        with open(path, "rb") as stdin:
            runs.append(measured(command, stdin))
    return min(took for took, _ in runs), max(rss for _, rss in runs), [took for took, _ in runs]


def fill(path, size, head, block, tail):
    with open(path, "w") as out:
        out.write(head)
        for _ in range(size // len(block) + 1):
            out.write(block)
        out.write(tail)


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
    fill(path, size, head, lines, tail)


def cargo_like(path, size):
    """A cargo test run: many targets, each with its own lines and closing line; the last one fails."""
    def target(n):
        names = "".join(f"test module_{n}::tests::behaviour_number_{at} ... ok\n" for at in range(5000))
        head = f"     Running unittests src/lib.rs (target/debug/deps/crate_{n}-0123456789abcdef)\n\nrunning 5000 tests\n"
        return head + names + "\ntest result: ok. 5000 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\n"
    tail = """     Running unittests src/lib.rs (target/debug/deps/last-0123456789abcdef)

running 1 test
test tests::vat_rounds_half_up ... FAILED

failures:

---- tests::vat_rounds_half_up stdout ----

thread 'tests::vat_rounds_half_up' panicked at src/lib.rs:18:9:
assertion `left == right` failed
  left: 18
 right: 19
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace


failures:
    tests::vat_rounds_half_up

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `--lib`
"""
    fill(path, size, "", "".join(target(n) for n in range(4)), tail)


def go_json(path, size):
    """go test -json: three events a test, packages that pass, one test that fails at the end."""
    def event(action, package, test=None, **more):
        return json.dumps({"Time": "2026-01-01T00:00:00.000000001Z", "Action": action, "Package": package, **({"Test": test} if test else {}), **more}, separators=(",", ":")) + "\n"
    def package(n):
        name = f"example.com/shop/p{n}"
        tests = "".join(
            event("run", name, f"TestBehaviour{at}")
            + event("output", name, f"TestBehaviour{at}", Output=f"=== RUN   TestBehaviour{at}\n")
            + event("output", name, f"TestBehaviour{at}", Output=f"--- PASS: TestBehaviour{at} (0.00s)\n")
            + event("pass", name, f"TestBehaviour{at}", Elapsed=0)
            for at in range(100)
        )
        return event("start", name) + tests + event("output", name, Output=f"ok  \t{name}\t0.003s\n") + event("pass", name, Elapsed=0.003)
    name = "example.com/shop/last"
    tail = (
        event("start", name) + event("run", name, "TestVat")
        + event("output", name, "TestVat", Output="    vat_test.go:18: got 18, want 19\n")
        + event("output", name, "TestVat", Output="--- FAIL: TestVat (0.00s)\n") + event("fail", name, "TestVat", Elapsed=0)
        + event("output", name, Output="FAIL\n") + event("fail", name, Elapsed=0.003)
    )
    fill(path, size, "", "".join(package(n) for n in range(20)), tail)


def junit_xml(path, size):
    """A JUnit XML file of passing cases, one a line, with a failure in the last suite."""
    suite = '<testsuite name="shop" tests="400" failures="0" errors="0" skipped="0" time="1.0">\n' + "".join(
        f'  <testcase classname="shop.module_{n % 9}.TestCase" name="test_behaviour_number_{n}" file="tests/test_{n % 9}.py" line="{n}" time="0.001"/>\n'
        for n in range(400)
    ) + "</testsuite>\n"
    tail = (
        '<testsuite name="last" tests="1" failures="1" errors="0" skipped="0" time="0.1">\n'
        '  <testcase classname="shop.Vat" name="test_vat" time="0.001"><failure message="assert 18 == 19" type="AssertionError">'
        "tests/test_vat.py:18: AssertionError</failure></testcase>\n</testsuite>\n</testsuites>\n"
    )
    fill(path, size, '<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n', suite, tail)


def unknown(path, size):
    """Lines of servers, downloads and access logs: no runner's."""
    draw = random.Random(5)
    words = "the quick server started listening on port with request id completed user connection pool size config loaded cache miss hit upstream response deploy container image layer pulled digest".split()
    def line(n):
        some = lambda count: " ".join(draw.choices(words, k=count))
        return [
            f"2026-05-{n % 28 + 1:02d}T12:{n % 60:02d}:{n % 59:02d}.{n % 1000:03d}Z INFO  [main] {some(9)}",
            some(12),
            f"  {some(1)}: {draw.random():.6f} -> {draw.randrange(10**6)} ({some(4)})",
            f'10.0.{n % 250}.7 - - [10/Oct/2026:13:55:36 -0700] "GET /{some(4).replace(" ", "/")} HTTP/1.0" 200 {draw.randrange(99999)}',
            f"Downloading {some(1)}-{n % 9}.{n % 7}.tar.gz ({draw.randrange(900)} kB)",
        ][n % 5]
    fill(path, size, "", "".join(line(n) + "\n" for n in range(20000)), "")


def throughput(bins, path, what, peer):
    size = os.path.getsize(path)
    grep = ["rg", "-c", "FAILED"] if shutil.which("rg") else ["grep", "-c", "FAILED"]
    commands = [("bv-parse", [str(bins / "bv-parse")]), ("cat", ["cat"]), (" ".join(grep), grep)]
    if peer and shutil.which(peer[0]):
        commands.append((" ".join(peer), peer))
    print(f"{size / 1e6:.0f} MB of {what}, best of {REPEATS}")
    rates = {}
    for name, command in commands:
        repeats = 1 if command is peer else REPEATS
        took, rss, runs = best(command, path, repeats)
        rates[name] = size / took / 1e6
        ratio = "" if name == "bv-parse" else f"   bv-parse is {rates['bv-parse'] / rates[name]:.2f} times as fast"
        print(f"  {name:14} {rates[name]:8.0f} MB/s  {rss / 1024:6.1f} MiB RSS   runs {' '.join(f'{t:.2f}' for t in runs)} s{ratio}")


def start_up(bins):
    runs = []
    for _ in range(50):
        runs.append(measured([str(bins / "bv-parse")], subprocess.DEVNULL)[0])
    runs.sort()
    print(f"start-up on no input: median {runs[25] * 1e3:.1f} ms, best {runs[0] * 1e3:.1f}, worst {runs[-1] * 1e3:.1f}")


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
        jq = ["jq", "-c", ".Action"]
        for make, what, peer in [
            (pytest_like, "pytest -v output", None),
            (cargo_like, "cargo test output", None),
            (go_json, "go test -json", jq),
            (junit_xml, "JUnit XML", None),
            (unknown, "text of no runner", None),
        ]:
            make(log, args.mb * 1_000_000)
            throughput(bins, log, what, peer)
        one_line(bins, log)
        start_up(bins)
        pytest_like(log, 1000)
        sentence(bins, log)


if __name__ == "__main__":
    main()
