#!/usr/bin/env python3
"""Measures the archive beside tools that everybody knows, in one run, since machines are noisy.

usage: tests/bench/memory.py [BIN_DIR] [--mb N] [--runs N] [--logs DIR]

1. How small traces are stored: the recorded runs that the dictionary was not trained on (the choice is
   that of dictionaries/train.sh), or all files *.txt below DIR; beside `gzip -9`.
2. `bv-memory tee` on a long pytest-like log, beside `cat` and `zstd -1`: MB/s and peak resident memory.
3. `bv-memory archive` of one run in an archive of many, start-up and disk included, beside a file that
   Python writes, syncs and renames.
4. `bv-memory live` in the same archive, beside `true`.
"""
import argparse, gzip, json, os, pathlib, shutil, statistics, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from parse import best, pytest_like

ROOT = pathlib.Path(__file__).resolve().parents[2]


def stored_bytes(store):
    return sum(path.stat().st_size for path in pathlib.Path(store, "objects").rglob("*") if path.is_file())


def untrained():
    """The recorded runs that train.sh leaves out: those whose path has an odd checksum."""
    for log in sorted(ROOT.glob("tests/fixtures/**/output.txt")):
        path = str(log.relative_to(ROOT))
        cksum = subprocess.run(["cksum"], input=path.encode(), capture_output=True, check=True).stdout
        if int(cksum.split()[0]) % 2:
            yield log


def ratio(memory, folder, logs):
    raw, gzipped, ratios, store = 0, 0, [], os.path.join(folder, "ratio")
    before, seen = 0, set()
    for log in logs:
        text = log.read_bytes()
        if not text or text in seen:
            continue
        seen.add(text)
        subprocess.run([memory, "--store", store, "tee"], input=text, stdout=subprocess.DEVNULL, check=True)
        now = stored_bytes(store)
        ratios.append(len(text) / max(1, now - before))
        raw, gzipped, before = raw + len(text), gzipped + len(gzip.compress(text, 9)), now
    print(f"{len(ratios)} traces of {raw / 1e3:.0f} kB: stored {raw / before:.1f}:1 (median trace {statistics.median(ratios):.1f}:1), gzip -9 {raw / gzipped:.1f}:1")


def tee(memory, folder, size):
    log, store = os.path.join(folder, "log"), os.path.join(folder, "tee")
    pytest_like(log, size)
    size = os.path.getsize(log)
    rows = [("cat", ["cat"])]
    if shutil.which("zstd"):
        rows.append(("zstd -1", ["zstd", "-1", "-q", "-c"]))
    rows.append(("bv-memory tee", [memory, "--store", store, "tee"]))
    print(f"{size / 1e6:.0f} MB of pytest -v output")
    for name, command in rows:
        took, rss, runs = best(command, log)
        print(f"  {name:14} {size / took / 1e6:6.0f} MB/s  {rss / 1024:6.1f} MiB RSS   runs {' '.join(f'{t:.2f}' for t in runs)} s")


def stream(nth):
    """A run of 100 tests of which two fail, one of them in every run."""
    lines = [{"type": "test", "id": f"tests/test_{n}.py::test_case", "outcome": "passed"} for n in range(98)]
    for name in (f"tests/test_a.py::test_{nth % 50}", "tests/test_b.py::test_always"):
        lines.append({"type": "failure", "id": name, "kind": "assertion", "message": "assert 18 == 19", "expected": "19", "observed": "18", "test": {"file": "tests/test_a.py", "line": 18}})
    lines.append({"type": "end", "outcome": "failed", "runner": "pytest", "counts": {"passed": 98, "failed": 2}, "command": ["pytest", "-v"]})
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def timed(call, repeats):
    runs = []
    for nth in range(repeats):
        began = time.perf_counter()
        call(nth)
        runs.append((time.perf_counter() - began) * 1e3)
    runs.sort()
    return f"median {runs[len(runs) // 2]:.1f} ms, best {runs[0]:.1f}, worst {runs[-1]:.1f}"


def many(memory, folder, runs):
    store, project = os.path.join(folder, "many"), os.path.join(folder, "project")
    os.mkdir(project)
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)

    def call(*args, given=b""):
        done = subprocess.run([memory, "--store", store, *args], cwd=project, input=given, capture_output=True, check=True)
        if done.stderr:
            sys.exit(f"bench: {done.stderr.decode()}")

    def file(nth):
        with open(os.path.join(folder, "new"), "wb") as new:
            new.write(stream(nth))
            new.flush()
            os.fsync(new.fileno())
        os.rename(os.path.join(folder, "new"), os.path.join(folder, f"file{nth}"))
        parent = os.open(folder, os.O_RDONLY)
        os.fsync(parent)
        os.close(parent)

    for nth in range(runs):
        call("archive", given=stream(nth))
    print(f"an archive of {runs} runs")
    print(f"  bv-memory archive   {timed(lambda nth: call('archive', given=stream(nth)), 20)}")
    print(f"  a synced file       {timed(file, 20)}")
    print(f"  bv-memory live      {timed(lambda nth: call('live', '--project', 'none'), 50)} (another project)")
    print(f"  bv-memory live      {timed(lambda nth: call('live'), 50)}")
    print(f"  true                {timed(lambda nth: subprocess.run(['true'], check=True), 50)}")


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("bins", nargs="?", default="target/release")
    ask.add_argument("--mb", type=int, default=500)
    ask.add_argument("--runs", type=int, default=1000)
    ask.add_argument("--logs", type=pathlib.Path)
    args = ask.parse_args()
    memory = str(pathlib.Path(args.bins).resolve() / "bv-memory")
    logs = sorted(args.logs.rglob("*.txt")) if args.logs else untrained()
    with tempfile.TemporaryDirectory() as folder:
        ratio(memory, folder, logs)
        tee(memory, folder, args.mb * 1_000_000)
        many(memory, folder, args.runs)


if __name__ == "__main__":
    main()
