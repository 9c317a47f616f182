#!/usr/bin/env python3
"""Measures bv-gate on a trivial compiled candidate that flushes after every line.

usage: tests/bench/gate.py [BIN_DIR] [--vectors N] [--long N]

1. Vectors a second over N vectors (200,000), each with a precondition and a predicate; beside it the same inputs
   piped through the candidate alone, and `jq` on the two filters alone, where it is there.
2. Peak resident memory over N vectors (100,000, then 10,000,000), generated on the way in.
Each rate is the best of three runs, with all of them beside it.
"""
import argparse, os, pathlib, shutil, subprocess, sys, tempfile, threading, time

REPEATS = 3

CANDIDATE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        long a = strtol(strstr(line, "\"a\": ") + 5, NULL, 10);
        long b = strtol(strstr(line, "\"b\": ") + 5, NULL, 10);
        printf("{\"output\": {\"quotient\": %ld, \"rest\": %ld}}\n", a / b, a % b);
        fflush(stdout);
    }
    return 0;
}
"""
PRECONDITION = ".input.b != 0"
PREDICATE = ".output.quotient * .input.b + .output.rest == .input.a"


def vector(n):
    return (
        f'{{"input": {{"a": {n * 7919 % 1000003}, "b": {n % 97 + 1}}}, "rule_id": "rule_01_division", '
        f'"precondition": "{PRECONDITION}", "predicate": "{PREDICATE}"}}\n'
    )


def measured(command, stdin, feed=None):
    """-> seconds, peak resident KiB, last line of stdout"""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE)
    if feed:
        threading.Thread(target=feed, args=(child.stdin,)).start()
    last = b""
    while chunk := child.stdout.read(1 << 16):
        last = (last + chunk)[-4096:]
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"bench: {command[0]} exited {child.returncode}")
    return time.perf_counter() - began, usage.ru_maxrss, last.decode().strip().split("\n")[-1]


def rate(name, command, path, count):
    runs = []
    for _ in range(REPEATS):
        with open(path, "rb") as stdin:
            took, _, last = measured(command, stdin)
            runs.append(took)
    every = " ".join(f"{took:.2f}" for took in runs)
    print(f"  {name:28} {count / min(runs):10.0f} vectors/s   runs {every} s")
    return last


def verified(last, count):
    if f'"counts":{{"passed":{count}}}' not in last:
        sys.exit(f"bench: bv-gate did not verify all vectors: {last}")


def speed(gate, candidate, folder, count):
    vectors, inputs, pairs = folder / "vectors", folder / "inputs", folder / "pairs"
    with open(vectors, "w") as to_gate, open(inputs, "w") as to_candidate, open(pairs, "w") as to_jq:
        for n in range(count):
            a, b = n * 7919 % 1000003, n % 97 + 1
            to_gate.write(vector(n))
            to_candidate.write(f'{{"a": {a}, "b": {b}}}\n')
            to_jq.write(
                f'{{"input": {{"a": {a}, "b": {b}}}, "output": {{"quotient": {a // b}, "rest": {a % b}}}}}\n'
            )
    print(f"{count} vectors, each with a precondition and a predicate")
    verified(rate("bv-gate", [gate, "--", candidate], vectors, count), count)
    rate("the candidate alone", [candidate], inputs, count)
    if shutil.which("jq"):
        rate("jq, the two filters alone", ["jq", f"({PRECONDITION}) and ({PREDICATE})"], pairs, count)


def memory(gate, candidate, long):
    print("peak resident memory of bv-gate")
    for count in (100_000, long):
        def feed(pipe):
            with pipe:
                for start in range(0, count, 1000):
                    pipe.write("".join(vector(n) for n in range(start, min(start + 1000, count))).encode())

        took, rss, last = measured([gate, "--", candidate], subprocess.PIPE, feed)
        verified(last, count)
        print(f"  {count:10} vectors {rss / 1024:8.1f} MiB RSS   {took:.1f} s, {count / took:.0f} vectors/s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bins", nargs="?", default="target/release")
    parser.add_argument("--vectors", type=int, default=200_000)
    parser.add_argument("--long", type=int, default=10_000_000)
    asked = parser.parse_args()
    gate = str(pathlib.Path(asked.bins) / "bv-gate")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        candidate = str(folder / "candidate")
        (folder / "candidate.c").write_text(CANDIDATE)
        subprocess.run(["cc", "-O2", "-o", candidate, str(folder / "candidate.c")], check=True)
        speed(gate, candidate, folder, asked.vectors)
        memory(gate, candidate, asked.long)


if __name__ == "__main__":
    main()
